/// Some cells of one section, in ascending order, none of which an effect has touched.
///
/// Answers mostly consist of such cells. One by one, each would be made an element with all that one may
/// have and pass through every layer between the layout and whoever asks; handed on many at a time, what
/// is left for each are its item and its frame.
public struct CellBatch: ~Copyable {
  /// The section that they are in.
  public private(set) var section = 0

  /// Where the section's frames count from, along the main axis.
  private var start: Length = 0

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

  /// Visits the cells as ranges of items, in order: as one if all follow each other, else one by one.
  func forEachRun(_ body: (ItemRange) -> Void) {
    guard count > 0 else { return }
    // Ascending, so that as many as from the first to the last are all that there are.
    if allItems[count - 1] - allItems[0] == count - 1 {
      return body(ItemRange(section: section, start: allItems[0], end: allItems[count - 1] + 1))
    }
    for place in 0..<count {
      body(ItemRange(section: section, start: allItems[place], end: allItems[place] + 1))
    }
  }

  /// The cell at a place with all that an element has.
  ///
  /// - Parameter place: The place, below ``count``.
  /// - Returns: Its attributes.
  public func attributes(_ place: Int) -> LayoutAttributes {
    LayoutAttributes(
      kind: .cell, indexPath: IndexPath(item: items[place], section: section), frame: frames[place])
  }

  /// Takes items of a section from here on.
  ///
  /// - Parameters:
  ///   - section: The section.
  ///   - start: Where its frames count from, along the main axis.
  mutating func begin(section: Int, at start: Length) {
    self.section = section
    self.start = start
  }

  /// Adds an item of the section; hands all on if there is no room for another.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - frame: Its frame, in the section.
  ///   - visit: Called with the cells; returns whether to go on.
  /// - Returns: Whether to go on.
  @inline(__always)
  mutating func append(
    _ item: Int, _ frame: Rect, _ visit: (borrowing CellBatch) -> Bool
  ) -> Bool {
    allItems[count] = item
    allFrames[count] = frame.offset(by: start)
    count &+= 1
    return count < allItems.count || handOn(to: visit)
  }

  /// Hands the cells on, if there are any, and is empty then.
  mutating func handOn(to visit: (borrowing CellBatch) -> Bool) -> Bool {
    if count == 0 { return true }
    let isGoingOn = visit(self)
    count = 0
    return isGoingOn
  }

  /// The same with x and y exchanged.
  var transposed: CellBatch {
    var result = CellBatch()
    result.section = section
    result.count = count
    result.allItems = allItems
    for place in 0..<count { result.allFrames[place] = allFrames[place].transposed }
    return result
  }
}
