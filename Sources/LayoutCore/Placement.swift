/// Where everything is: frames computed from the description alone, once, and kept.
///
/// A placement is upright (see ``ScrollDirection``). It knows the visible rect only for elements
/// that pin to it. Everything else that follows the content offset is an effect's business.
public protocol Placement: Sendable {
  /// The scrollable extent, upright.
  var contentSize: Size { get }

  /// Whether some elements pin to the visible rect.
  var followsVisibleRect: Bool { get }

  /// The bytes that the placement takes on the heap, beyond what the content has anyway.
  var byteCount: Int { get }

  /// The largest value that ``leadingInset(ofSection:)`` has.
  var maximumLeadingInset: Length { get }

  /// The inset before the items of a section, along the main axis.
  ///
  /// - Parameter section: A section that exists.
  /// - Returns: The inset.
  func leadingInset(ofSection section: Int) -> Length

  /// The length of the header that a section keeps pinned at the start of the visible rect.
  ///
  /// - Parameter section: A section that exists.
  /// - Returns: 0 where none is pinned.
  func pinnedHeaderLength(ofSection section: Int) -> Length

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

  /// Visits the elements that share an area with a rectangle, in the order of ``ElementPosition``.
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

  /// Visits the cells that share an area with a rectangle, in ascending runs.
  ///
  /// - Parameters:
  ///   - rect: The rectangle, upright.
  ///   - visible: The visible rect, upright.
  ///   - body: Called with each run; runs may touch. Returns whether to go on.
  /// - Complexity: O(log n + k) for k runs visited.
  func forEachCellRun(in rect: Rect, visible: Rect, _ body: (ItemRange) -> Bool)
}

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

/// The first of `0 ..< count` for which `isPast` holds, which it must from there on.
///
/// - Complexity: O(log count).
@inlinable
func partitioningIndex(_ count: Int, where isPast: (Int) -> Bool) -> Int {
  var low = 0
  var high = count
  while low < high {
    let middle = low + (high - low) / 2
    if isPast(middle) { high = middle } else { low = middle + 1 }
  }
  return low
}
