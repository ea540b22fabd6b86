/// How the items of one section lie; the y of all frames counts from the first line.
///
/// Bodies are what differs between the layouts that stack their sections; see ``SectionStack``.
protocol SectionBody: Sendable {
  /// The extent along the main axis; ``Length/maximumCoordinate`` or more is refused.
  var length: Length { get }

  /// The bytes that the body takes on the heap, beyond what the content has anyway.
  var byteCount: Int { get }

  /// The frame of an item.
  ///
  /// - Parameter item: An item that exists.
  /// - Returns: The frame, upright.
  func frame(of item: Int) -> Rect

  /// Visits the items that share an area with a rectangle, in ascending order.
  ///
  /// - Parameters:
  ///   - rect: The rectangle.
  ///   - start: Items before this one are passed over.
  ///   - body: Called with each item and its frame; returns whether to go on.
  /// - Returns: Whether `body` always wanted to go on.
  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool

  /// Visits the same items in runs; a body that knows whole runs need not look at each item.
  ///
  /// - Parameters:
  ///   - rect: The rectangle.
  ///   - body: Called with runs in ascending order, which may touch; returns whether to go on.
  /// - Returns: Whether `body` always wanted to go on.
  func forEachRun(in rect: Rect, _ body: (Range<Int>) -> Bool) -> Bool
}

extension SectionBody {
  func forEachRun(in rect: Rect, _ body: (Range<Int>) -> Bool) -> Bool {
    forEachItem(in: rect, from: 0) { item, _ in body(item..<(item + 1)) }
  }
}

/// No items.
struct EmptyBody: SectionBody {
  var length: Length { 0 }
  var byteCount: Int { 0 }
  func frame(of item: Int) -> Rect { Rect(origin: .zero, size: .zero) }
  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool { true }
}
