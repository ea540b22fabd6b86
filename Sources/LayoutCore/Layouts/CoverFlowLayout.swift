/// One line of covers, the one in the middle largest and in front.
///
/// ```
///             ┌──────┐
///     ┌────┐  │      │  ┌────┐
/// ┌──┐│  1 │  │  2   │  │ 3  │┌──┐     each is scaled by its distance from the middle
/// └──┘│    │  │      │  │    │└──┘     of the viewport, and keeps its place
///     └────┘  │      │  └────┘
///             └──────┘
/// ```
public struct CoverFlowLayout: CollectionLayout {
  /// `coverFlow`.
  public static let kind = "coverFlow"

  /// False: nothing is rounded to pixels.
  public var dependsOnDisplayScale: Bool { false }

  /// How large scales may be.
  public static let scales = 0.0...100

  /// The main axis.
  public var scrollDirection: ScrollDirection = .horizontal
  /// The size of items that say nothing of their own.
  public var itemSize = Size(width: 50, height: 50)
  /// Between two covers.
  public var minimumLineSpacing: Length = 10
  /// Around the covers of a section.
  public var sectionInset: EdgeInsets = .zero
  /// The scale in the middle of the viewport.
  public var maximumScale = 1.8
  /// The scale far from it.
  public var minimumScale = 0.0
  /// By how much the scale falls over a viewport's length.
  public var scaleFalloff = 1.0

  /// Makes a cover flow with the contract's defaults.
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
    sectionInset = try metrics.insets("sectionInset") ?? sectionInset
    let scales = CoverFlowLayout.scales
    maximumScale = try metrics.number("maximumScale", in: scales) ?? maximumScale
    minimumScale = try metrics.number("minimumScale", in: scales) ?? minimumScale
    scaleFalloff = try metrics.number("scaleFalloff", in: 0...1e9) ?? scaleFalloff
  }

  /// A drag ends with a cover in the middle.
  public var defaultSnapMode: SnapMode { .center }

  /// Whether all but the scales is the same.
  public func arranges(like other: any CollectionLayout) -> Bool {
    guard let other = other as? CoverFlowLayout else { return false }
    return scrollDirection == other.scrollDirection && itemSize == other.itemSize
      && minimumLineSpacing == other.minimumLineSpacing && sectionInset == other.sectionInset
  }

  /// Computes what does not depend on the content offset.
  ///
  /// - Parameters:
  ///   - content: The sections.
  ///   - container: The viewport, upright.
  ///   - old: What was made of the content before a change, or nil.
  /// - Returns: Where everything rests, and how it shows.
  /// - Throws: ``LayoutError`` if the content would be too long.
  /// - Complexity: O(1) a section; O(n) in those with items of aspect ratios, or with a few of one kind between
  ///   those of another.
  public func arrange(
    _ content: Content, in container: Container, reusing old: Rearrangement?
  ) throws(LayoutError) -> any Placement {
    let effect = CoverFlowEffect(
      maximumScale: maximumScale, minimumScale: minimumScale, scaleFalloff: scaleFalloff,
      covers: ItemCounter(content))
    return try SectionStack(
      content, in: container, scrollDirection, reusing: old, effect: effect
    ) { (_, section, change) throws(LayoutError) in
      let inset = scrollDirection.upright(section.sectionInset ?? sectionInset)
      let available = max(0, container.size.width - inset.left - inset.right)
      let sizes = SizeList(
        section.items, SizeRule(itemSize: itemSize, scrollDirection), after: change)
      let row = ItemRow(
        sizes: sizes, cross: .centered,
        spacing: section.minimumLineSpacing ?? minimumLineSpacing, leading: inset.left,
        available: available)
      return (SectionStack.Frame(inset: inset), row)
    }
  }
}

/// Covers scaled by their distance from the middle of the viewport.
private struct CoverFlowEffect: Effect {
  let maximumScale: Double
  let minimumScale: Double
  /// For each viewport length from the middle.
  let scaleFalloff: Double
  let covers: ItemCounter

  func restingRect(ofCells extents: BodyExtents, in rect: Rect, visible: Rect) -> Rect {
    let none = Rect(origin: rect.origin, size: .zero)
    guard let doubledMiddles = extents.doubledMiddles, extents.greatest.width > .zero else {
      return none
    }
    // A cover reaches the rectangle across only if it is scaled by more than this.
    let gap = max(
      0, Int128(rect.minX.millionths) * 2 - doubledMiddles.upperBound,
      doubledMiddles.lowerBound - Int128(rect.maxX.millionths) * 2)
    let leastScale = gap.nearestDouble / Double(extents.greatest.width.millionths)
    var from = rect.minY
    var to = rect.maxY
    let overhang = extents.greatest.height.points * max(0, max(maximumScale, minimumScale) - 1) / 2
    from -= Length(rounding: overhang) + Length(millionths: 1)
    to += Length(rounding: overhang) + Length(millionths: 1)
    if minimumScale <= leastScale {
      // Only near the middle of the viewport covers are so large. A point more than it need be.
      guard maximumScale > leastScale else { return none }
      let reach = Length(
        rounding: (maximumScale - leastScale) / scaleFalloff * visible.height.points
          + extents.greatest.height.points + 1)
      let middle = visible.minY + visible.height.halved
      from = max(from, middle - reach)
      to = min(to, middle + reach)
    }
    // Whatever the breadth: covers grow across too.
    return from < to
      ? Rect(
        x: Length(millionths: .min / 2), y: from, width: Length(millionths: .max), height: to - from
      )
      : none
  }

  func change(of stack: SectionStack, seenIn visible: Rect) -> (inout LayoutAttributes) -> Void {
    let doubledMiddle = visible.doubledMainCenter
    let nearest = nearestCover(to: doubledMiddle, in: stack)
    let doubledLength = Double(visible.height.millionths) * 2
    return { cover in
      let distance = (cover.frame.doubledMainCenter - doubledMiddle).nearestDouble.magnitude
      let scale = max(minimumScale, maximumScale - scaleFalloff * distance / doubledLength)
      cover.transform = AffineTransform(scale: scale)
      cover.zIndex = -abs(covers.number(of: cover.indexPath) - nearest)
    }
  }

  /// The number of the cover with the least distance, the first of those.
  ///
  /// - Complexity: O(log n): middles follow each other as covers do.
  private func nearestCover(to doubledMiddle: Int128, in stack: SectionStack) -> Int {
    func doubledCenter(_ number: Int) -> Int128 {
      stack.restingFrame(ofItemAt: covers.indexPath(of: number))?.doubledMainCenter ?? 0
    }
    func firstCover(centeredFrom doubledMain: Int128) -> Int {
      stack.firstItem(centeredFrom: doubledMain).map(covers.number) ?? covers.count
    }
    let next = firstCover(centeredFrom: doubledMiddle)
    guard next > 0 else { return 0 }
    let before = doubledCenter(next - 1)
    if next < covers.count, doubledCenter(next) - doubledMiddle < doubledMiddle - before {
      return next
    }
    // The first of those that have the same middle.
    return firstCover(centeredFrom: before)
  }
}
