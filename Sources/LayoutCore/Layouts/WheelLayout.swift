import Glibc

/// Cards on the rim of a wheel that turns as the content scrolls.
///
/// ```
///         ┌────┐
///   ╱╲  ┌─┤    ├─┐  ╱╲
///  ╱  ╲ │ │    │ │ ╱  ╲      all frames are in the middle of the visible rect,
///  ╲   ╲└─┤    ├─┘╱   ╱      each turned about the hub, far below
///   ╲  ╱  └────┘  ╲  ╱
///            ·
/// ```
///
/// It scrolls horizontally, and sections follow each other.
public struct WheelLayout: CollectionLayout {
  /// `wheel`.
  public static let kind = "wheel"
  /// How many cards may stand in view.
  public static let maximumCardCount = 100_000

  /// The size of all cards.
  public var itemSize = Size(width: 133, height: 173)
  /// From the hub to the middle of a card.
  public var radius: Length = 500

  /// Makes a wheel with the contract's defaults.
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
    radius = try metrics.length("radius") ?? radius
  }

  /// Horizontal.
  public var scrollDirection: ScrollDirection { .horizontal }

  /// A drag ends with a card upright.
  public var defaultSnapMode: SnapMode { .wheel }

  /// Computes what does not depend on the content offset.
  ///
  /// - Parameters:
  ///   - content: The sections.
  ///   - container: The viewport, upright.
  ///   - old: What was made of the content before a change, or nil.
  /// - Returns: Where everything rests, and how it shows.
  /// - Throws: ``LayoutError`` if the content would be too long, or the cards are so narrow that more
  ///   than ``maximumCardCount`` would stand in view.
  /// - Complexity: O(1) a section.
  public func arrange(
    _ content: Content, in container: Container, reusing old: Rearrangement?
  ) throws(LayoutError) -> any Placement {
    guard !content.sections.isEmpty else { return EmptyPlacement() }
    let cards = ItemCounter(content)
    if let error = LayoutError.contentTooLong(
      cards, in: .maximumCoordinate, step: itemSize.width)
    {
      throw error
    }
    let wheel = WheelPlacement(cards: cards, layout: self, viewport: container.size)
    guard wheel.greatestCardCountInView <= WheelLayout.maximumCardCount else {
      throw .tooManyCards(limit: WheelLayout.maximumCardCount)
    }
    return wheel
  }
}

/// Where cards rest is where the wheel stands that has turned them upright: at even stops over the
/// whole way, each in the middle of the viewport then.
private struct WheelPlacement: CardPlacement {
  let cards: ItemCounter
  let contentSize: Size
  private let cardLength: Length
  private let cardExtent: Length
  /// The viewport's length.
  private let length: Length
  private let stops: EvenStops
  /// From one card to the next, in radians.
  private let anglePerCard: Double
  /// Past this a card cannot be seen, in radians.
  private let greatestAngle: Double
  private let anchorPoint: UnitPoint

  init(cards: ItemCounter, layout: WheelLayout, viewport: Size) {
    self.cards = cards
    cardLength = layout.itemSize.width
    cardExtent = layout.itemSize.height
    length = viewport.height
    contentSize = Size(width: viewport.width, height: cardLength * cards.count)
    stops = EvenStops(way: max(0, contentSize.height - length), count: cards.count)
    let radius = layout.radius.points
    let halfExtent = cardExtent.points / 2
    anglePerCard = atan2(cardLength.points, radius)
    greatestAngle = atan2(length.points / 2, radius + halfExtent - viewport.width.points / 2)
    // The hub in units of the card, below its top edge; upright, along x.
    anchorPoint =
      cardExtent > .zero
      ? UnitPoint(x: (halfExtent + radius) / cardExtent.points, y: 0.5) : .center
  }

  /// Whether the cards can be seen at all.
  private var hasArea: Bool { cardLength > .zero && cardExtent > .zero }

  /// How many cards stand in view at the most.
  var greatestCardCountInView: Int {
    guard hasArea else { return 0 }
    let count = 2 * greatestAngle / anglePerCard + 2
    return count < Double(cards.count) ? Int(count) : cards.count
  }

  /// How far a card is from upright, in cards; exact until it is rounded once.
  private func position(ofCard number: Int, seenIn visible: Rect) -> Double {
    guard cards.count > 1, stops.way > .zero else { return Double(number) }
    let way = stops.way.millionths
    let numerator =
      Int128(number) * Int128(way) - Int128(visible.minY.millionths) * Int128(cards.count - 1)
    return numerator.nearestDouble / Double(way)
  }

  var leadingInset: Length { (length - cardLength).halved }

  /// The first cards stand in the middle of the viewport, which may be far longer than all of them.
  var restingExtent: ClosedRange<Length> {
    let first = leadingInset
    return min(0, first)...max(contentSize.height, stops.way + first + cardLength)
  }

  var turnLength: Double? { stops.step }

  func mainOffset(turning indexPath: IndexPath, by turn: Double) -> Length? {
    cards.contains(indexPath) ? stops.offset(of: cards.number(of: indexPath), less: turn) : nil
  }

  func turn(ofItemAt indexPath: IndexPath, seenIn visible: Rect) -> Double? {
    cards.contains(indexPath)
      ? position(ofCard: cards.number(of: indexPath), seenIn: visible) : nil
  }

  func restingFrame(ofCard number: Int) -> Rect {
    Rect(
      x: (contentSize.width - cardExtent).halved, y: stops.offset(of: number) + leadingInset,
      width: cardExtent, height: cardLength)
  }

  func cards(restingIn rect: Rect) -> Range<Int> {
    guard hasArea, restingFrame(ofCard: 0).sharesExtentAcross(with: rect) else { return 0..<0 }
    return overlapping(cards.count, of: cardLength, from: rect.minY, to: rect.maxY) {
      restingFrame(ofCard: $0).minY
    }
  }

  func cards(near rect: Rect, visible: Rect) -> [Range<Int>] {
    guard hasArea else { return [] }
    // Card 0 is as far before upright as there are cards up to the upright one.
    let upright = -position(ofCard: 0, seenIn: visible)
    let reach = greatestAngle / anglePerCard
    let last = Double(cards.count)
    let first = Int(max(0, min(last, (upright - reach).rounded(.down))))
    let end = Int(max(0, min(last, (upright + reach).rounded(.up) + 1)))
    return first < end ? [first..<end] : []
  }

  func look(seenIn visible: Rect) -> (Int, IndexPath) -> LayoutAttributes {
    let size = Size(width: cardExtent, height: cardLength)
    let frame = Rect(origin: visible.originOfCentered(size), size: size)
    return { number, indexPath in
      var card = LayoutAttributes(kind: .cell, indexPath: indexPath, frame: frame, zIndex: number)
      // Upright, x and y are exchanged, and so is the sense of rotation.
      card.transform = AffineTransform(
        rotation: -position(ofCard: number, seenIn: visible) * anglePerCard)
      card.anchorPoint = anchorPoint
      return card
    }
  }

  /// By number: cards that stand in each other's place cannot be told apart by where they are.
  func itemsAtHand(
    around visible: Rect, shown: ItemRanges, reach: WindowReach, limit: Int
  ) throws(LayoutError) -> ItemsAtHand {
    guard let first = shown.ranges.first, let last = shown.ranges.last else {
      return ItemsAtHand(shown)
    }
    let start = cards.number(of: IndexPath(item: first.start, section: first.section))
    let end = cards.number(of: IndexPath(item: last.end - 1, section: last.section)) + 1
    /// As many as the reach says, if there are as many.
    func count(_ reach: Double, of there: Int) -> Int {
      Int(min((reach * Double(shown.count)).rounded(.up), Double(there)))
    }
    let before = count(reach.before, of: start)
    let after = count(reach.after, of: cards.count - end)
    guard before + after <= limit else { throw .tooManyElements(limit: limit) }
    var items = ItemRanges()
    for numbers in [(start - before)..<start, end..<(end + after)] {
      _ = cards.forEachRun(numbers) {
        items.append($0)
        return true
      }
    }
    return ItemsAtHand(items)
  }

  /// By number as well: where a card rests is the stop at which it stands upright, and the viewport may hold many.
  func place(
    ofItemAt indexPath: IndexPath, restingIn frame: Rect?, from visible: Rect
  ) -> (distance: Length, isBefore: Bool)? {
    turn(ofItemAt: indexPath, seenIn: visible).map { (Length(rounding: abs($0)), $0 < 0) }
  }

  /// Wherever it shall be, a card can only stand upright.
  func mainOffset(
    scrollingTo indexPath: IndexPath, at position: ScrollPosition, from visible: Rect
  ) -> Length? {
    cards.contains(indexPath) ? stops.offset(of: cards.number(of: indexPath)) : nil
  }
}
