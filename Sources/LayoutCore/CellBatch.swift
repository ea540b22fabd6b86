/// Some cells of one section, in ascending order, none of which an effect has touched.
///
/// Answers mostly consist of such cells. One by one, each would be made an element with all that one may
/// have and pass through every layer between the layout and whoever asks; handed on many at a time, what
/// is left for each are its item and its frame.
public struct CellBatch: ~Copyable {
  /// The section that they are in.
  public private(set) var section = 0

  /// How many there are.
  public private(set) var count = 0

  private var allItems = InlineArray<16, Int>(repeating: 0)
  private var allFrames = InlineArray<16, Rect>(repeating: Rect(origin: .zero, size: .zero))

  /// Which items they are.
  public var items: Span<Int> {
    @_lifetime(borrow self)
    get { allItems.span.extracting(first: count) }
  }

  /// Their frames: in content coordinates, upright where a placement hands them on.
  public var frames: Span<Rect> {
    @_lifetime(borrow self)
    get { allFrames.span.extracting(first: count) }
  }

  /// The cell at a place with all that an element has.
  ///
  /// - Parameter place: The place, below ``count``.
  /// - Returns: Its attributes.
  public func attributes(_ place: Int) -> LayoutAttributes {
    LayoutAttributes(
      kind: .cell, indexPath: IndexPath(item: items[place], section: section), frame: frames[place])
  }

  var isFull: Bool { count == allItems.count }

  /// Adds a cell of the section that the others are of, if there are others.
  @inline(__always)
  mutating func append(_ indexPath: IndexPath, _ frame: Rect) {
    section = indexPath.section
    allItems[count] = indexPath.item
    allFrames[count] = frame
    count &+= 1
  }

  /// Hands the cells on, if there are any, and is empty then.
  @inline(__always)
  mutating func handOn(to body: (borrowing CellBatch) -> Bool) -> Bool {
    if count == 0 { return true }
    let isGoingOn = body(self)
    count = 0
    return isGoingOn
  }

  /// The same with x and y exchanged.
  var transposed: CellBatch {
    let (items, frames) = (items, frames)
    var result = CellBatch()
    for place in items.indices {
      result.append(IndexPath(item: items[place], section: section), frames[place].transposed)
    }
    return result
  }
}
