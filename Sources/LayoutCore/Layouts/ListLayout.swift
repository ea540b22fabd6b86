/// One item a line, across all the room there is: UITableView in a collection view.
///
/// ```
/// ┌──────────────────┐
/// │ header           │
/// ├──────────────────┤
/// │ 0                │
/// ├──────────────────┤ itemSpacing
/// │ 1                │
/// │                  │
/// └──────────────────┘
/// ```
public struct ListLayout: SectionStackLayout {
  /// `list`.
  public static let kind = "list"

  /// False: nothing is rounded to pixels.
  public var dependsOnDisplayScale: Bool { false }

  /// False: places of equal items are arithmetic.
  public var goesThroughItems: Bool { false }

  /// The main axis.
  public var scrollDirection: ScrollDirection = .vertical
  /// The length of items that say nothing of their own.
  public var itemLength: Length = 44
  /// Between two items.
  public var itemSpacing: Length = 0
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

  /// Makes a list with the contract's defaults.
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
    itemLength = try metrics.length("itemLength") ?? itemLength
    itemSpacing = try metrics.length("itemSpacing") ?? itemSpacing
    try readSectionMetrics(&metrics)
  }

  /// Computes what does not depend on the content offset.
  ///
  /// - Parameters:
  ///   - content: The sections.
  ///   - container: The viewport, upright.
  ///   - old: What was made of the content before a change, or nil.
  /// - Returns: Where everything is.
  /// - Throws: ``LayoutError`` if the content would be too long.
  /// - Complexity: O(1) a section; O(n) in those with items of aspect ratios, or with a few of one kind between
  ///   those of another.
  public func arrange(
    _ content: Content, in container: Container, reusing old: Rearrangement?
  ) throws(LayoutError) -> any Placement {
    try SectionStack(
      content, in: container, scrollDirection, reusing: old, pinning: SectionStack.Pinning(self)
    ) { (_, section, change) throws(LayoutError) in
      let frame = SectionStack.Frame(section, in: self)
      let available = max(0, container.size.width - frame.inset.left - frame.inset.right)
      // For ratios, sizes of which the cross extent is all the room there is.
      let breadth = scrollDirection.upright(Size(width: available, height: itemLength))
      var rule = SizeRule(itemSize: breadth, scrollDirection)
      rule.hasBreadths = false
      let sizes = SizeList(section.items, rule, after: change)
      let row = ItemRow(
        sizes: sizes, cross: .fill, spacing: itemSpacing, leading: frame.inset.left,
        available: available)
      return (frame, row)
    }
  }
}
