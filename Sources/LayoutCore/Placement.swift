/// Content laid out: where everything rests, and how it shows at a content offset.
///
/// What does not depend on the offset is computed once and kept. Each question brings the visible
/// rect, for elements that pin to it or change while they are scrolled. A placement is upright (see
/// ``ScrollDirection``).
///
/// A cell *rests* where the layout has put it, and *shows* where an effect has taken it; in most
/// layouts that is the same. Snapping, prefetching and scrolling to an item go by where cells rest.
public protocol Placement: Sendable {
  /// The scrollable extent, upright.
  var contentSize: Size { get }

  /// Whether some elements depend on the visible rect.
  var followsVisibleRect: Bool { get }

  /// Whether cells show elsewhere than where they rest.
  var movesCells: Bool { get }

  /// The bytes that the placement takes on the heap, beyond what the content has anyway.
  var byteCount: Int { get }

  /// How far the content is scrolled, in points, to turn one card into the place of the one before it;
  /// nil where what shows goes as far as the content is scrolled, or nothing turns.
  var turnLength: Double? { get }

  /// The offset at which a card is some cards from upright.
  ///
  /// - Parameters:
  ///   - indexPath: The card.
  ///   - turn: How many cards behind upright it is, or parts of one.
  /// - Returns: The offset along the main axis, rounded once; nil if there is no such card, or nothing turns.
  func mainOffset(turning indexPath: IndexPath, by turn: Double) -> Length?

  /// How far a card is from upright.
  ///
  /// - Parameters:
  ///   - indexPath: An item.
  ///   - visible: The visible rect, upright.
  /// - Returns: How far, in cards; nil where cards do not turn, or there is no such item.
  func turn(ofItemAt indexPath: IndexPath, seenIn visible: Rect) -> Double?

  /// Where items rest, along the main axis.
  var restingExtent: ClosedRange<Length> { get }

  /// The largest value that ``leadingInset(ofSection:)`` has.
  var maximumLeadingInset: Length { get }

  /// The inset before the items of a section, along the main axis.
  ///
  /// - Parameter section: A section that exists.
  /// - Returns: The inset.
  func leadingInset(ofSection section: Int) -> Length

  // MARK: What shows

  /// One element, wherever it is.
  ///
  /// - Parameters:
  ///   - kind: What it is.
  ///   - indexPath: Which it is.
  ///   - visible: The visible rect, upright.
  /// - Returns: Its attributes, upright; nil if there is no such element.
  /// - Complexity: O(log n).
  func attributes(
    of kind: ElementKind, at indexPath: IndexPath, visible: Rect
  ) -> LayoutAttributes?

  /// Some cells, wherever they are: many of them together mostly take less than each alone.
  ///
  /// - Parameters:
  ///   - indexPaths: Which they are; each once, ascending.
  ///   - visible: The visible rect, upright.
  /// - Returns: The attributes of each, upright; nil if there is no such cell.
  func cells(at indexPaths: [IndexPath], visible: Rect) -> [LayoutAttributes?]

  /// Visits the elements that show in a rectangle, in the order of ``ElementPosition``.
  ///
  /// - Parameters:
  ///   - rect: The rectangle, upright.
  ///   - visible: The visible rect, upright.
  ///   - start: Elements before this position are passed over.
  ///   - body: Called with each element's upright attributes; returns whether to go on.
  /// - Complexity: O(log n + k) for k elements visited.
  func forEachElement(
    in rect: Rect, visible: Rect, from start: ElementPosition,
    _ body: (LayoutAttributes) -> Bool
  )

  /// Visits the same elements; cells that no effect has touched many at a time, where that is quicker.
  ///
  /// - Parameters:
  ///   - rect: The rectangle, upright.
  ///   - visible: The visible rect, upright.
  ///   - start: Elements before this position are passed over.
  ///   - cells: Called with such cells, upright, in their turn; returns whether to go on.
  ///   - body: Called with the upright attributes of each other element, and perhaps of cells; returns
  ///     whether to go on.
  /// - Complexity: O(log n + k) for k elements visited.
  func forEachElement(
    in rect: Rect, visible: Rect, from start: ElementPosition,
    cells: (CellBatch) -> Bool, _ body: (LayoutAttributes) -> Bool
  )

  /// Visits the elements that are no cells and show in a rectangle, in the order of ``ElementPosition``.
  ///
  /// - Parameters:
  ///   - rect: The rectangle, upright.
  ///   - visible: The visible rect, upright.
  ///   - limit: At how many sections and decorations to look: any number may lie there and not show.
  ///   - body: Called with each element's upright attributes; returns whether to go on.
  /// - Returns: Whether those were all there are.
  /// - Complexity: O(log s + k) for k of s sections that share a length with the rectangle.
  func forEachSupplement(
    in rect: Rect, visible: Rect, lookingAt limit: Int, _ body: (LayoutAttributes) -> Bool
  ) -> Bool

  // MARK: What rests

  /// Where an item rests.
  ///
  /// - Parameter indexPath: Which it is.
  /// - Returns: Its frame, upright; nil if there is no such item.
  /// - Complexity: O(log n).
  func restingFrame(ofItemAt indexPath: IndexPath) -> Rect?

  /// Where some items rest: many of them together mostly take less than each alone.
  ///
  /// - Parameter indexPaths: Which they are; each once, ascending.
  /// - Returns: The frame of each, upright; nil if there is no such item.
  func restingFrames(ofItemsAt indexPaths: [IndexPath]) -> [Rect?]

  /// Where an element would be if nothing followed the visible rect.
  ///
  /// - Parameters:
  ///   - kind: What it is.
  ///   - indexPath: Which it is.
  /// - Returns: Its frame, upright; nil if there is no such element.
  /// - Complexity: O(log n).
  func restingFrame(of kind: ElementKind, at indexPath: IndexPath) -> Rect?

  /// Visits the items that rest in a rectangle, in ascending order.
  ///
  /// - Parameters:
  ///   - rect: The rectangle, upright.
  ///   - body: Called with each item and its frame; returns whether to go on.
  /// - Complexity: O(log n + k) for k items visited.
  func forEachRestingItem(in rect: Rect, _ body: (IndexPath, Rect) -> Bool)

  /// Visits the same items in ascending runs.
  ///
  /// - Parameters:
  ///   - rect: The rectangle, upright.
  ///   - body: Called with each run, and with the frame of one that is one item, if it was looked at;
  ///     runs may touch. Returns whether to go on.
  /// - Complexity: O(log n + k) for k runs visited.
  func forEachRestingRun(in rect: Rect, _ body: (ItemRange, Rect?) -> Bool)

  /// The section that a place along the main axis belongs to.
  ///
  /// - Parameter main: The place.
  /// - Returns: The section; nil outside all of them.
  /// - Complexity: O(log s) for s sections.
  func section(at main: Length) -> Int?

  /// The part of the main axis outside of which no item of a section rests.
  ///
  /// Wherever items rest, unless a layout knows better.
  ///
  /// - Parameter section: A section that exists.
  /// - Returns: Where its items begin and end.
  /// - Complexity: O(log s) for s sections.
  func extent(ofItemsInSection section: Int) -> ClosedRange<Length>

  // MARK: Where a layout has rules of its own

  /// The items to have at hand around the viewport.
  ///
  /// Those that rest in the viewport or in a window around it, unless a layout knows better.
  ///
  /// - Parameters:
  ///   - visible: The visible rect, upright.
  ///   - shown: The cells that show in it, or would if none were under a finger.
  ///   - reach: How far beyond the viewport, in its lengths.
  ///   - limit: How many there may be beside those that show.
  /// - Returns: The items; those that show may be among them, and a few more than there may be.
  /// - Throws: ``LayoutError/tooManyElements(limit:)``.
  func itemsAtHand(
    around visible: Rect, shown: ItemRanges, reach: WindowReach, limit: Int
  ) throws(LayoutError) -> ItemsAtHand

  /// How far an item is from the viewport, for those that are nearest to be loaded first.
  ///
  /// Its resting frame decides, unless a layout knows better.
  ///
  /// - Parameters:
  ///   - indexPath: The item.
  ///   - frame: Where it rests; nil if that is not at hand.
  ///   - visible: The visible rect, upright.
  /// - Returns: How far, and whether it begins before the viewport; nil if there is no such item.
  func place(
    ofItemAt indexPath: IndexPath, restingIn frame: Rect?, from visible: Rect
  ) -> (distance: Length, isBefore: Bool)?

  /// The main coordinate of the offset that shows an item, inside the content or not.
  ///
  /// - Parameters:
  ///   - indexPath: The item.
  ///   - position: Where it shall be.
  ///   - visible: The visible rect, upright.
  /// - Returns: The coordinate; nil if there is no such item.
  func mainOffset(
    scrollingTo indexPath: IndexPath, at position: ScrollPosition, from visible: Rect
  ) -> Length?
}

/// Items to have at hand, and where some of them rest: what was found on the way to them need not be
/// worked out again.
public struct ItemsAtHand: Sendable {
  /// The items.
  public var items: ItemRanges
  private var frames: [(item: IndexPath, frame: Rect)] = []

  /// More than a screenful or so is not remembered.
  private static let maximumFrameCount = 1024

  init(_ items: ItemRanges) { self.items = items }

  /// Remembers where an item rests.
  mutating func note(_ frame: Rect, of item: ItemRange) {
    guard frames.count < ItemsAtHand.maximumFrameCount else { return }
    // What stands about two edges of a window. More at once is more than malloc has at hand.
    if frames.isEmpty { frames.reserveCapacity(16) }
    frames.append((IndexPath(item: item.start, section: item.section), frame))
  }

  /// Puts what was remembered in order: what lies before the viewport and what lies after it may
  /// overlap.
  mutating func sortFrames() { frames.sort { $0.item < $1.item } }

  /// Where an item rests, if that is remembered.
  ///
  /// - Complexity: O(log n).
  func frame(ofItemAt indexPath: IndexPath) -> Rect? {
    sortedIndex(of: indexPath, among: frames.count) { frames[$0].item }.map { frames[$0].frame }
  }
}

/// How far a window reaches beyond the viewport, in viewport lengths.
public struct WindowReach: Hashable, Sendable {
  /// Towards the start.
  public var before: Double
  /// Towards the end.
  public var after: Double

  /// The window with the viewport in it.
  ///
  /// - Parameter visible: The visible rect, upright.
  /// - Returns: The window, upright.
  func rect(around visible: Rect) -> Rect {
    let before = Length(rounding: visible.height.points * before)
    let after = Length(rounding: visible.height.points * after)
    return Rect(
      x: visible.minX, y: visible.minY - before, width: visible.width,
      height: before + visible.height + after)
  }
}

extension Placement {
  /// Cells show where they rest.
  public var movesCells: Bool { false }

  /// In the content.
  public var restingExtent: ClosedRange<Length> { .zero...contentSize.height }

  /// What shows goes as far as the content is scrolled.
  public var turnLength: Double? { nil }

  /// Sections lie among each other.
  public func extent(ofItemsInSection section: Int) -> ClosedRange<Length> { restingExtent }

  /// Nothing turns.
  public func mainOffset(turning indexPath: IndexPath, by turn: Double) -> Length? { nil }

  /// Cards do not turn.
  public func turn(ofItemAt indexPath: IndexPath, seenIn visible: Rect) -> Double? { nil }

  /// One by one.
  public func restingFrames(ofItemsAt indexPaths: [IndexPath]) -> [Rect?] {
    indexPaths.map(restingFrame)
  }

  /// One by one.
  public func cells(at indexPaths: [IndexPath], visible: Rect) -> [LayoutAttributes?] {
    indexPaths.map { attributes(of: .cell, at: $0, visible: visible) }
  }

  /// There is nothing but cells.
  public func restingFrame(of kind: ElementKind, at indexPath: IndexPath) -> Rect? {
    kind == .cell ? restingFrame(ofItemAt: indexPath) : nil
  }

  /// There is nothing but cells.
  public func forEachSupplement(
    in rect: Rect, visible: Rect, lookingAt limit: Int, _ body: (LayoutAttributes) -> Bool
  ) -> Bool { true }

  /// One by one.
  public func forEachElement(
    in rect: Rect, visible: Rect, from start: ElementPosition,
    cells: (CellBatch) -> Bool, _ body: (LayoutAttributes) -> Bool
  ) {
    forEachElement(in: rect, visible: visible, from: start, body)
  }

  /// Those in a window around the viewport.
  public func itemsAtHand(
    around visible: Rect, shown: ItemRanges, reach: WindowReach, limit: Int
  ) throws(LayoutError) -> ItemsAtHand {
    let window = reach.rect(around: visible)
    // What rests in the viewport shows there too, unless the layout moves cells: then only what is
    // around it has to be looked at. An element may be in both parts, hence the ordered union.
    let parts: [Rect] =
      movesCells
      ? [window]
      : [
        Rect(
          x: window.minX, y: window.minY, width: window.width,
          height: visible.minY - window.minY),
        Rect(
          x: window.minX, y: visible.maxY, width: window.width,
          height: window.maxY - visible.maxY),
      ]
    var atHand = ItemsAtHand(ItemRanges())
    var count = 0
    // Those that show do not count, and may be found too: on both sides of the viewport.
    let shownBound = 2 * shown.count
    let bound = min(limit, .max - shownBound) + shownBound
    for part in parts where !part.isEmpty {
      var found = ItemRanges.Collector()
      forEachRestingRun(in: part) { run, frame in
        found.append(run)
        if let frame { atHand.note(frame, of: run) }
        count += run.end - run.start
        return count <= bound
      }
      if atHand.items.isEmpty {
        atHand.items = found.finish()
      } else {
        atHand.items = atHand.items.union(found.finish())
        atHand.sortFrames()
      }
    }
    guard count <= bound else { throw .tooManyElements(limit: limit) }
    return atHand
  }

  /// Nothing between their frames and the viewport.
  public func place(
    ofItemAt indexPath: IndexPath, restingIn frame: Rect?, from visible: Rect
  ) -> (distance: Length, isBefore: Bool)? {
    (frame ?? restingFrame(ofItemAt: indexPath)).map {
      (max(0, $0.minY - visible.maxY, visible.minY - $0.maxY), $0.minY < visible.minY)
    }
  }

  /// The item's own frame decides.
  public func mainOffset(
    scrollingTo indexPath: IndexPath, at position: ScrollPosition, from visible: Rect
  ) -> Length? {
    restingFrame(ofItemAt: indexPath).map {
      position.mainOffset(of: $0, covered: (0, 0), from: visible)
    }
  }
}

/// No sections, under a layout that has its cells follow what is visible.
struct EmptyPlacement: Placement {
  var contentSize: Size { .zero }
  var followsVisibleRect: Bool { true }
  var byteCount: Int { 0 }
  var maximumLeadingInset: Length { 0 }
  func leadingInset(ofSection section: Int) -> Length { 0 }
  func attributes(
    of kind: ElementKind, at indexPath: IndexPath, visible: Rect
  ) -> LayoutAttributes? { nil }
  func forEachElement(
    in rect: Rect, visible: Rect, from start: ElementPosition,
    _ body: (LayoutAttributes) -> Bool
  ) {}
  func restingFrame(ofItemAt indexPath: IndexPath) -> Rect? { nil }
  func section(at main: Length) -> Int? { nil }
  func forEachRestingItem(in rect: Rect, _ body: (IndexPath, Rect) -> Bool) {}
  func forEachRestingRun(in rect: Rect, _ body: (ItemRange, Rect?) -> Bool) {}
}
