/// Lines of items, filled one after the other: UICollectionViewFlowLayout.
///
/// ```
/// ┌────┐   ┌──────┐   ┌───┐
/// │ 0  │   │  1   │   │ 2 │     justified: the first and the last touch the insets
/// └────┘   │      │   └───┘     items shorter than their line are centred in it
///          └──────┘
/// ┌──────┐ ┌──┐                 the last line keeps the least spacing
/// │  3   │ │4 │
/// └──────┘ └──┘
/// ```
public struct FlowLayout: SectionStackLayout {
  /// `flow`.
  public static let kind = "flow"

  /// False: nothing is rounded to pixels.
  public var dependsOnDisplayScale: Bool { false }

  /// False: places of equal items are arithmetic.
  public var goesThroughItems: Bool { false }

  /// The main axis.
  public var scrollDirection: ScrollDirection = .vertical
  /// The size of items that say nothing of their own.
  public var itemSize = Size(width: 50, height: 50)
  /// Between lines.
  public var minimumLineSpacing: Length = 10
  /// Between the items of a line, at least.
  public var minimumInteritemSpacing: Length = 10
  /// Around the items of a section.
  public var sectionInset: EdgeInsets = .zero
  /// Only the extent along the main axis counts.
  public var headerReferenceSize: Size = .zero
  /// Only the extent along the main axis counts.
  public var footerReferenceSize: Size = .zero
  /// Whether headers stay in view while their section is.
  public var sectionHeadersPinToVisibleBounds = false
  /// Whether footers stay in view while their section is.
  public var sectionFootersPinToVisibleBounds = false
  /// What happens to the room that a line leaves.
  public var lineAlignment: LineAlignment = .justified
  /// The same for the last line of a section; `auto` is UIKit's rule.
  public var lastLineAlignment: LastLineAlignment = .auto
  /// Where an item lies that is shorter than its line.
  public var itemAlignment: ItemAlignment = .center

  /// What happens to the room that a line leaves.
  public enum LineAlignment: String, CaseIterable, Sendable {
    /// It goes between the items.
    case justified
    /// It stays behind the last.
    case leading
    /// Half before the first, half behind the last.
    case center
    /// It stays before the first.
    case trailing
  }

  /// What happens to the room that the last line leaves.
  public enum LastLineAlignment: String, CaseIterable, Sendable {
    /// As the other lines, but a justified section keeps its grid if all items have the same size,
    /// and otherwise ends with a leading line.
    case auto
    /// It goes between the items.
    case justified
    /// It stays behind the last.
    case leading
    /// Half before the first, half behind the last.
    case center
    /// It stays before the first.
    case trailing
  }

  /// Where an item lies that is shorter than its line.
  public enum ItemAlignment: String, CaseIterable, Sendable {
    /// At the line's start.
    case leading
    /// In its middle.
    case center
    /// At its end.
    case trailing
  }

  /// Makes a flow layout with UIKit's defaults.
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
    itemSize = try metrics.size("itemSize") ?? itemSize
    minimumLineSpacing = try metrics.length("minimumLineSpacing") ?? minimumLineSpacing
    minimumInteritemSpacing =
      try metrics.length("minimumInteritemSpacing") ?? minimumInteritemSpacing
    try readSectionMetrics(&metrics)
    lineAlignment = try metrics.choice("lineAlignment", of: LineAlignment.self) ?? lineAlignment
    lastLineAlignment =
      try metrics.choice("lastLineAlignment", of: LastLineAlignment.self) ?? lastLineAlignment
    itemAlignment = try metrics.choice("itemAlignment", of: ItemAlignment.self) ?? itemAlignment
  }

  /// Computes what does not depend on the content offset.
  ///
  /// - Parameters:
  ///   - content: The sections.
  ///   - container: The viewport, upright.
  ///   - old: What was made of the content before a change, or nil.
  /// - Returns: Where everything is.
  /// - Throws: ``LayoutError`` if the content would be too long.
  /// - Complexity: O(n) for items of different sizes, O(1) a section for equal ones.
  public func arrange(
    _ content: Content, in container: Container, reusing old: Rearrangement?
  ) throws(LayoutError) -> any Placement {
    try SectionStack(
      content, in: container, scrollDirection, reusing: old, pinning: SectionStack.Pinning(self)
    ) { (_, section, change) throws(LayoutError) in
      let frame = SectionStack.Frame(section, in: self)
      return (
        frame, body(of: section, inset: frame.inset, across: container.size.width, after: change)
      )
    }
  }

  private func body(
    of section: Section, inset: EdgeInsets, across: Length, after change: BodyChange?
  ) -> any SectionBody {
    guard section.items.count > 0 else { return EmptyBody() }
    let rule = LineRule(
      leading: inset.left, available: max(0, across - inset.left - inset.right),
      interitemSpacing: section.minimumInteritemSpacing ?? minimumInteritemSpacing,
      lineSpacing: section.minimumLineSpacing ?? minimumLineSpacing,
      lineAlignment: lineAlignment, lastLineAlignment: lastLineAlignment,
      itemAlignment: itemAlignment)
    let sizes = SizeList(
      section.items, SizeRule(itemSize: itemSize, scrollDirection), after: change)
    if let size = sizes.commonSize { return EqualFlow(size, of: sizes, rule: rule) }
    if let change, let table = change.body as? FlowTable {
      return table.edited(change.edits, sizes: sizes)
    }
    return FlowTable(sizes: sizes, rule: rule)
  }
}
