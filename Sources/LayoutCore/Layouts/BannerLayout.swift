/// Cards of which the one at the start stands whole and the ones beside it peek out, smaller; the one
/// before it slides under it.
///
/// ```
///        ┌───────────┐
/// ┌──────│           │┌─────────┐
/// │   1  │     2     ││    3    │      stops are a card and its spacing apart,
/// └──────│           │└─────────┘      the left inset before the card
///        └───────────┘
/// ```
///
/// It scrolls horizontally, and sections follow each other.
public struct BannerLayout: CollectionLayout {
  /// `banner`.
  public static let kind = "banner"

  /// The size of all cards.
  public var itemSize = Size(width: 50, height: 50)
  /// Between two cards.
  public var itemSpacing: Length = 0
  /// Around all cards.
  public var sectionInset: EdgeInsets = .zero
  /// The scale of cards far from the stop; 0 … 1.
  public var minimumScale = 0.88
  /// By how much the scale falls over a card's width, from where a card is half past the stop.
  public var scaleFactor = 0.15
  /// How much of its way past the stop the card before the nearest one is kept back.
  public var shiftFactor = 0.3

  /// Makes a banner with the contract's defaults.
  public init() {}

  /// Reads the metrics; what is not given has its default.
  ///
  /// - Parameter metrics: The description's members.
  /// - Throws: What `metrics` throws for a member that is wrong.
  public init<Metrics: LayoutMetrics & ~Copyable & ~Escapable>(
    metrics: inout Metrics
  ) throws(Metrics.Failure) {
    _ = try metrics.choice("scrollDirection", of: HorizontalOnly.self)
    itemSize = try metrics.size("itemSize") ?? itemSize
    itemSpacing = try metrics.length("itemSpacing") ?? itemSpacing
    sectionInset = try metrics.insets("sectionInset") ?? sectionInset
    minimumScale = try metrics.number("minimumScale", in: 0...1) ?? minimumScale
    scaleFactor = try metrics.number("scaleFactor", in: 0...1e9) ?? scaleFactor
    shiftFactor = try metrics.number("shiftFactor", in: 0...1e9) ?? shiftFactor
  }

  /// Horizontal.
  public var scrollDirection: ScrollDirection { .horizontal }

  /// A drag ends at the next card, or the one before.
  public var defaultSnapMode: SnapMode { .item }

  /// Computes what does not depend on the content offset.
  ///
  /// - Parameters:
  ///   - content: The sections.
  ///   - container: The viewport, upright.
  ///   - old: What was made of the content before a change, or nil.
  /// - Returns: Where everything rests, and how it shows.
  /// - Throws: ``LayoutError`` if the content would be too long.
  /// - Complexity: O(1) a section.
  public func arrange(
    _ content: Content, in container: Container, reusing old: Rearrangement?
  ) throws(LayoutError) -> any Placement {
    guard !content.sections.isEmpty else { return EmptyPlacement() }
    let cards = ItemCounter(content)
    let inset = scrollDirection.upright(sectionInset)
    let room = Length.maximumCoordinate - inset.top - inset.bottom
    if let error = LayoutError.contentTooLong(cards, in: room, step: itemSize.width + itemSpacing) {
      throw error
    }
    return BannerPlacement(
      cards: cards, layout: self, inset: inset, crossLength: container.size.width)
  }
}

private struct BannerPlacement: CardPlacement {
  let cards: ItemCounter
  let layout: BannerLayout
  /// Upright.
  let inset: EdgeInsets
  /// The viewport's.
  let crossLength: Length

  /// Along the main axis.
  private var cardLength: Length { layout.itemSize.width }
  private var cardExtent: Length { layout.itemSize.height }
  /// From one card to the next.
  private var step: Length { cardLength + layout.itemSpacing }

  var contentSize: Size {
    Size(width: crossLength, height: inset.top + step * cards.count + inset.bottom)
  }

  var leadingInset: Length { inset.top }

  func restingFrame(ofCard number: Int) -> Rect {
    Rect(x: inset.left, y: inset.top + step * number, width: cardExtent, height: cardLength)
  }

  func cards(restingIn rect: Rect) -> Range<Int> {
    guard cardLength > .zero, restingFrame(ofCard: 0).sharesExtentAcross(with: rect) else {
      return 0..<0
    }
    return numbers(from: rect.minY, to: rect.maxY)
  }

  /// The cards that rest on a part of the main axis.
  private func numbers(from: Length, to: Length) -> Range<Int> {
    // Inside the content, where nothing overflows.
    let start = max(0, from) - inset.top - cardLength
    let last = min(to, contentSize.height) - inset.top - Length(millionths: 1)
    let first = max(0, Int(flooredQuotient(start.millionths, step.millionths)) + 1)
    let end = Int(flooredQuotient(last.millionths, step.millionths)) + 1
    return (first..<max(first, end)).clamped(to: 0..<cards.count)
  }

  func cards(near rect: Rect, visible: Rect) -> [Range<Int>] {
    guard cardLength > .zero, cardExtent > .zero else { return [] }
    // A card reaches the rectangle across only if it is scaled by more than this.
    let doubledMiddle = Int128(inset.left.millionths) * 2 + Int128(cardExtent.millionths)
    let gap = max(
      0, Int128(rect.minX.millionths) * 2 - doubledMiddle,
      doubledMiddle - Int128(rect.maxX.millionths) * 2)
    let leastScale = gap.nearestDouble / Double(cardExtent.millionths)
    guard leastScale < 1 else { return [] }
    var from = rect.minY
    var to = rect.maxY
    if layout.minimumScale <= leastScale {
      // Only near the stop cards are so large. A point more than it need be.
      let way = cardLength.points * ((1 - leastScale) / layout.scaleFactor + 1) + 1
      from = max(from, visible.minY + inset.top - Length(rounding: way))
      to = min(to, visible.minY + inset.top + cardLength + Length(rounding: way))
    }
    let here = from < to ? numbers(from: from, to: to) : 0..<0
    // The card that is kept back may show far from where it rests.
    guard let shifted = cardBeforeNearest(to: visible), !here.contains(shifted) else {
      return [here]
    }
    let alone = shifted..<(shifted + 1)
    return shifted < here.lowerBound ? [alone, here] : [here, alone]
  }

  /// How far a card is past its stop; below 0 before it.
  private func distance(ofCard number: Int, seenIn visible: Rect) -> Length {
    step * number - visible.minY
  }

  /// The card before the one nearest its stop, the first of those; nil if there is none.
  private func cardBeforeNearest(to visible: Rect) -> Int? {
    guard step > .zero else { return nil }
    let lower = max(
      0, min(cards.count - 1, Int(flooredQuotient(visible.minY.millionths, step.millionths))))
    let upper = min(lower + 1, cards.count - 1)
    let isUpperNearer =
      distance(ofCard: upper, seenIn: visible).millionths.magnitude
      < distance(ofCard: lower, seenIn: visible).millionths.magnitude
    let nearest = isUpperNearer ? upper : lower
    return nearest > 0 ? nearest - 1 : nil
  }

  func look(seenIn visible: Rect) -> (Int, IndexPath) -> LayoutAttributes {
    let shifted = cardBeforeNearest(to: visible)
    let length = cardLength.points
    return { number, indexPath in
      var card = LayoutAttributes(
        kind: .cell, indexPath: indexPath, frame: restingFrame(ofCard: number))
      guard length > 0 else { return card }
      let past = abs(distance(ofCard: number, seenIn: visible).points) - length / 2
      let scale = min(1, max(layout.minimumScale, 1 - past * layout.scaleFactor / length))
      card.transform = AffineTransform(scale: scale)
      if number == shifted {
        card.transform.ty = scale * past * layout.shiftFactor
        card.zIndex = -1
      }
      return card
    }
  }

  /// At the start a card stands at its stop.
  func mainOffset(
    scrollingTo indexPath: IndexPath, at position: ScrollPosition, from visible: Rect
  ) -> Length? {
    guard let frame = restingFrame(ofItemAt: indexPath) else { return nil }
    return position == .start
      ? frame.minY - leadingInset
      : position.mainOffset(of: frame, covered: (0, 0), from: visible)
  }
}
