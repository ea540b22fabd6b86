/// How the items of one section lie; the y of all frames counts from the first line.
///
/// Bodies are what differs between the layouts that stack their sections; see ``SectionStack``.
protocol SectionBody: AnyObject, Sendable {
  /// The extent along the main axis; more than ``Length/maximumCoordinate`` is refused.
  var length: Length { get }

  /// The bytes that the body takes on the heap, beyond what the content has anyway.
  var byteCount: Int { get }

  /// The sizes it was made of, from which those after a change are made; nil if it needs none.
  var reusableSizes: SizeList? { get }

  /// What its cells reach at most, for effects that move them.
  var extents: BodyExtents { get }

  /// The frame of an item.
  ///
  /// - Parameter item: An item that exists.
  /// - Returns: The frame, upright.
  func frame(of item: Int) -> Rect

  /// The frames of some items: what was gone through on the way to one need not be gone through again for
  /// the next.
  ///
  /// - Parameter items: Items that exist, each once, ascending.
  /// - Returns: The frame of each, upright.
  func frames(of items: [Int]) -> [Rect]

  /// The first item of which the middle along the main axis is at a place or after it, where middles
  /// follow each other as items do.
  ///
  /// - Parameter doubledMain: Twice the place.
  /// - Returns: The item; one past the last if there is none.
  func firstItem(centeredFrom doubledMain: Int128) -> Int

  /// Visits the items that share an area with a rectangle, in ascending order.
  ///
  /// - Parameters:
  ///   - rect: The rectangle.
  ///   - start: Items before this one are passed over.
  ///   - body: Called with each item and its frame; returns whether to go on.
  /// - Returns: Whether `body` always wanted to go on.
  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool

  /// Visits the same items, many at a time.
  ///
  /// - Parameters:
  ///   - rect: The rectangle.
  ///   - start: Items before this one are passed over.
  ///   - collector: Where they are collected; empty at the start and at the end, if `visit` always wanted
  ///     to go on.
  ///   - visit: Called with some of them, moved as the collector says; returns whether to go on.
  /// - Returns: Whether `visit` always wanted to go on.
  func forEachItem(
    in rect: Rect, from start: Int, _ collector: inout CellCollector,
    _ visit: (CellBatch) -> Bool
  ) -> Bool

  /// Visits the items that share an area with a rectangle of which the size follows from what cells reach, in
  /// ascending order; perhaps some of those, too, that only share one with what the furthest reaching would give.
  ///
  /// - Parameters:
  ///   - rect: The rectangle, for cells that reach so far at most; of those that reach further it holds all that
  ///     it holds of others.
  ///   - start: Items before this one are passed over.
  ///   - body: Called with each item and its frame; returns whether to go on.
  /// - Returns: Whether `body` always wanted to go on.
  func forEachItem(
    restingIn rect: (BodyExtents) -> Rect, from start: Int, _ body: (Int, Rect) -> Bool
  ) -> Bool

  /// Visits the same items in runs; a body that knows whole runs need not look at each item.
  ///
  /// - Parameters:
  ///   - rect: The rectangle.
  ///   - body: Called with runs in ascending order, which may touch, and with the frame of a run that
  ///     is one item, if it was looked at; returns whether to go on.
  /// - Returns: Whether `body` always wanted to go on.
  func forEachRun(in rect: Rect, _ body: (Range<Int>, Rect?) -> Bool) -> Bool
}

extension SectionBody {
  /// The first of all.
  func firstItem(centeredFrom doubledMain: Int128) -> Int { 0 }

  /// One by one.
  func frames(of items: [Int]) -> [Rect] { items.map(frame) }

  /// None.
  var reusableSizes: SizeList? { nil }

  /// Not known.
  var extents: BodyExtents { .zero }

  /// In what the furthest reaching gives.
  func forEachItem(
    restingIn rect: (BodyExtents) -> Rect, from start: Int, _ body: (Int, Rect) -> Bool
  ) -> Bool {
    forEachItem(in: rect(extents), from: start, body)
  }

  /// One by one, into the collector.
  func forEachItem(
    in rect: Rect, from start: Int, _ collector: inout CellCollector,
    _ visit: (CellBatch) -> Bool
  ) -> Bool {
    forEachItem(in: rect, from: start) { collector.append($0, $1, visit) }
      && collector.handOn(to: visit)
  }

  /// Visits items of a body that starts at some place.
  ///
  /// - Parameters:
  ///   - rect: The rectangle, in the coordinates of that place.
  ///   - first: Items before this one are passed over.
  ///   - start: The place, along the main axis.
  ///   - visit: Called with each item and its frame in those coordinates; returns whether to go on.
  /// - Returns: Whether `visit` always wanted to go on.
  @inline(__always)
  func forEachItem(
    in rect: Rect, from first: Int, startingAt start: Length, _ visit: (Int, Rect) -> Bool
  ) -> Bool {
    forEachItem(in: rect.offset(by: -start), from: first) { item, frame in
      visit(item, frame.offset(by: start))
    }
  }

  func forEachRun(in rect: Rect, _ body: (Range<Int>, Rect?) -> Bool) -> Bool {
    forEachItem(in: rect, from: 0) { item, frame in body(item..<(item + 1), frame) }
  }
}

/// What the cells of some sections reach at most; upright.
struct BodyExtents: Sendable {
  /// The greatest breadth and the greatest length.
  var greatest: Size
  /// Twice where the cells' middles lie across, the least and the greatest; nil if there are none.
  var doubledMiddles: ClosedRange<Int128>?

  /// Of no cells.
  static let zero = BodyExtents(greatest: .zero, doubledMiddles: nil)

  /// Of both.
  static func + (left: BodyExtents, right: BodyExtents) -> BodyExtents {
    guard let middles = left.doubledMiddles else { return right }
    guard let more = right.doubledMiddles else { return left }
    return BodyExtents(
      greatest: Size(
        width: max(left.greatest.width, right.greatest.width),
        height: max(left.greatest.height, right.greatest.height)),
      doubledMiddles:
        min(middles.lowerBound, more.lowerBound)...max(middles.upperBound, more.upperBound))
  }
}

/// No items.
final class EmptyBody: SectionBody {
  var length: Length { 0 }
  var byteCount: Int { 0 }
  func frame(of item: Int) -> Rect { Rect(origin: .zero, size: .zero) }
  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool { true }
}

/// The body of a section before a change of its items.
struct BodyChange {
  /// The body as it was.
  var body: any SectionBody
  /// What changed.
  var edits: [ItemEdit]
}
