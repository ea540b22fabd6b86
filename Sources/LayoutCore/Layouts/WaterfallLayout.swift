/// Columns of equal width, items of any length: Pinterest's layout.
///
/// Covers CHTCollectionViewWaterfallLayout.
///
/// ```
/// ┌───┐ ┌───┐ ┌───┐
/// │ 0 │ │ 1 │ │ 2 │      the next item goes where it can start first
/// └───┘ │   │ └───┘
/// ┌───┐ │   │ ┌───┐
/// │ 3 │ └───┘ │ 4 │
/// ```
public struct WaterfallLayout: SectionStackLayout {
  /// `waterfall`.
  public static let kind = "waterfall"

  /// More columns than this are refused.
  public static let maximumColumnCount = 10_000

  /// More items than this that would have to be placed one by one are refused.
  ///
  /// That is in one section, or without data of their own in all sections. Of one length many more than there
  /// are columns count as a few. Where many columns are filled shortest first, an item counts as four.
  public static let maximumMixedCount = 20_000_000
  /// To find the shortest of many columns takes so many times as long as of few.
  private static let manyColumnsCost = 4

  /// The main axis.
  public var scrollDirection: ScrollDirection = .vertical
  /// How many columns, or how narrow they may get.
  public var columns: Columns = .count(2)
  /// Between columns.
  public var minimumColumnSpacing: Length = 10
  /// Between the items of a column.
  public var minimumInteritemSpacing: Length = 10
  /// Around the items of a section.
  public var sectionInset: EdgeInsets = .zero
  /// Only the extent along the main axis counts.
  public var headerReferenceSize: Size = .zero
  /// Only the extent along the main axis counts.
  public var footerReferenceSize: Size = .zero
  /// Around headers.
  public var headerInset: EdgeInsets = .zero
  /// Around footers.
  public var footerInset: EdgeInsets = .zero
  /// Whether headers stay in view while their section is.
  public var sectionHeadersPinToVisibleBounds = false
  /// Whether footers stay in view while their section is.
  public var sectionFootersPinToVisibleBounds = false
  /// Which column an item goes to.
  public var itemRenderDirection: ItemRenderDirection = .shortestFirst
  /// Around each item, inside its place in the column.
  public var itemPadding: Length = 0
  /// The content is at least so long.
  public var minimumContentLength: Length = 0
  /// The size, to scale, of items that say nothing of their own.
  public var itemSize = Size(width: 50, height: 50)

  /// How the number of columns is found.
  public enum Columns: Hashable, Sendable {
    /// So many, 1 … ``WaterfallLayout/maximumColumnCount``.
    case count(Int)
    /// As many as fit, being at least so wide; at least one.
    case minimumWidth(Length)
  }

  /// Which column an item goes to.
  public enum ItemRenderDirection: String, CaseIterable, Sendable {
    /// The one where it would start first; the first column wins a tie.
    case shortestFirst
    /// One after the other.
    case leftToRight
    /// One after the other, from the last.
    case rightToLeft
  }

  /// Makes a waterfall with the contract's defaults.
  public init() {}

  /// Reads the metrics; what is not given has its default.
  ///
  /// - Parameter metrics: The description's members.
  /// - Throws: What `metrics` throws for a member that is wrong.
  public init<Metrics: LayoutMetrics & ~Copyable & ~Escapable>(
    metrics: inout Metrics
  ) throws(Metrics.Failure) {
    scrollDirection =
      try metrics.choice("scrollDirection", of: ScrollDirection.self) ?? scrollDirection
    let count = try metrics.integer("columnCount", in: 1...WaterfallLayout.maximumColumnCount)
    if let width = try metrics.length("minimumColumnWidth") {
      guard count == nil else {
        throw metrics.refusal(
          of: "minimumColumnWidth", because: "columnCount is given too; only one of them can be")
      }
      columns = .minimumWidth(width)
    } else if let count {
      columns = .count(count)
    }
    minimumColumnSpacing = try metrics.length("minimumColumnSpacing") ?? minimumColumnSpacing
    minimumInteritemSpacing =
      try metrics.length("minimumInteritemSpacing") ?? minimumInteritemSpacing
    try readSectionMetrics(&metrics)
    headerInset = try metrics.insets("headerInset") ?? headerInset
    footerInset = try metrics.insets("footerInset") ?? footerInset
    itemRenderDirection =
      try metrics.choice("itemRenderDirection", of: ItemRenderDirection.self)
      ?? itemRenderDirection
    itemPadding = try metrics.length("itemPadding") ?? itemPadding
    minimumContentLength = try metrics.length("minimumContentLength") ?? minimumContentLength
    itemSize = try metrics.size("itemSize") ?? itemSize
  }

  /// Computes what does not depend on the content offset.
  ///
  /// - Parameters:
  ///   - content: The sections.
  ///   - container: The viewport, upright.
  ///   - old: What was made of the content before a change, or nil.
  /// - Returns: Where everything is.
  /// - Throws: ``LayoutError`` if the content would be too long, have too many columns, or take too long to place.
  /// - Complexity: O(n) for items of different sizes, O(1) a section or run for equal ones.
  public func arrange(
    _ content: Content, in container: Container, reusing old: Rearrangement?
  ) throws(LayoutError) -> any Placement {
    var placed = PlacedItems(isLimited: container.limitsWork)
    var shared = Shared()
    let stack = try SectionStack(
      content, in: container, scrollDirection, reusing: old, pinning: SectionStack.Pinning(self),
      minimumLength: minimumContentLength
    ) { (index, section, change) throws(LayoutError) in
      var frame = SectionStack.Frame(
        section, in: self, headerInset: section.headerInset ?? headerInset,
        footerInset: section.footerInset ?? footerInset)
      let before = placed.cost
      let body = try body(
        of: section, index: index, inset: frame.inset, in: container, after: change, &shared,
        &placed)
      frame.placingCost = placed.cost - before
      return (frame, body)
    }
    // With the sections that were kept: what is there can be laid out again as a whole.
    try placed.check(stack.placingCost)
    return stack
  }

  /// Counts what is placed one by one, and refuses too much of it.
  ///
  /// A few bytes may ask for millions of items without data of their own, and for as many sections of them as one
  /// likes.
  private struct PlacedItems {
    /// Of those without data of their own, by ``WaterfallLayout/maximumMixedCount``.
    private(set) var cost = 0
    /// What to say if there are too many with those of the last section.
    private var refusal = LayoutError.tooManyItems(section: 0, limit: maximumMixedCount)
    private let isLimited: Bool

    init(isLimited: Bool) { self.isLimited = isLimited }

    /// Refuses a cost that is too much.
    func check(_ cost: Int) throws(LayoutError) {
      guard cost <= maximumMixedCount || !isLimited else { throw refusal }
    }

    mutating func count(
      _ lengths: ColumnLengths, ofSection index: Int, _ direction: ItemRenderDirection
    ) throws(LayoutError) {
      let hasMany =
        direction == .shortestFirst && lengths.filledCount > OrderedColumns.capacity
      let weight = hasMany ? manyColumnsCost : 1
      let limit = maximumMixedCount / weight
      refusal = .tooManyItems(section: index, limit: limit)
      // Run by run only where it may be too much: where all are described, nothing is.
      guard lengths.undescribedCount > 0 || lengths.count > limit else { return }
      let placed = lengths.placedCount(within: limit)
      cost += placed.undescribed * weight
      guard placed.all <= limit || !isLimited else { throw refusal }
      try check(cost)
    }
  }

  /// What sections that are laid out together have in common.
  private struct Shared {
    /// Those of the section before.
    var columns: ColumnGrid?
    var checkpoints = SharedCheckpoints()
  }

  /// Places a section's items, when they have been counted.
  private func body(
    of section: Section, index: Int, inset: EdgeInsets, in container: Container,
    after change: BodyChange?, _ shared: inout Shared, _ placed: inout PlacedItems
  ) throws(LayoutError) -> any SectionBody {
    let available = max(0, container.size.width - inset.left - inset.right)
    let spacing = section.minimumColumnSpacing ?? minimumColumnSpacing
    let count = columnCount(of: section, available: available, spacing: spacing)
    guard count <= WaterfallLayout.maximumColumnCount else {
      throw .tooManyColumns(section: index, limit: WaterfallLayout.maximumColumnCount)
    }
    guard section.items.count > 0 else { return EmptyBody() }
    let metrics = ColumnGrid.Metrics(
      count: count, leading: inset.left, available: available, spacing: spacing,
      padding: itemPadding, displayScale: container.displayScale)
    let known = shared.columns?.metrics == metrics ? shared.columns : nil
    let columns = known ?? ColumnGrid(metrics)
    shared.columns = columns.isShareable ? columns : nil
    // The last that may have items.
    let last = itemRenderDirection == .rightToLeft ? count : min(count, section.items.count)
    guard columns.end(ofColumn: last - 1) <= .maximumCoordinate else {
      throw .contentTooLong(section: index)
    }
    let lengths = ColumnLengths(
      section.items, in: columns, isShared: known != nil, itemSize: itemSize, scrollDirection)
    let interitem = section.minimumInteritemSpacing ?? minimumInteritemSpacing
    if let length = lengths.common {
      return EqualWaterfall(
        length, of: lengths, interitemSpacing: interitem, direction: itemRenderDirection)
    }
    try placed.count(lengths, ofSection: index, itemRenderDirection)
    switch (itemRenderDirection, change?.body) {
    case (.shortestFirst, let old as ShortestFirstWaterfall):
      return old.edited(change?.edits ?? [], lengths: lengths, &shared.checkpoints)
    case (.shortestFirst, _):
      return ShortestFirstWaterfall(
        lengths: lengths, interitemSpacing: interitem, &shared.checkpoints)
    case (_, let old as RoundRobinWaterfall):
      return old.edited(change?.edits ?? [], lengths: lengths)
    default:
      return RoundRobinWaterfall(
        lengths: lengths, interitemSpacing: interitem,
        isReversed: itemRenderDirection == .rightToLeft)
    }
  }

  private func columnCount(of section: Section, available: Length, spacing: Length) -> Int {
    if let count = section.columnCount { return count }
    switch columns {
    case .count(let count): return count
    case .minimumWidth(let width):
      let step = width + spacing
      guard step > .zero else { return available > .zero ? .max : 1 }
      return max(1, Int(clamping: (available + spacing).millionths / step.millionths))
    }
  }
}
