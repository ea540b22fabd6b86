/// Some cells of one section, in ascending order, none of which an effect has touched.
///
/// Answers mostly consist of such cells. One by one, each would be made an element with all that one may
/// have and pass through every layer between the layout and whoever asks; handed on many at a time, what
/// is left for each are its item and its frame.
public struct CellBatch: ~Escapable {
  /// The section that they are in.
  public let section: Int

  /// Which items they are.
  public let items: Span<Int>

  /// Their frames, as many: in content coordinates, upright where a placement hands them on.
  public let frames: Span<Rect>

  @_lifetime(copy items, copy frames)
  fileprivate init(section: Int, items: Span<Int>, frames: Span<Rect>) {
    self.section = section
    self.items = items
    self.frames = frames
  }

  /// How many there are.
  public var count: Int { items.count }

  /// Visits the cells as ranges of items, in order: as one if all follow each other, else one by one.
  func forEachRun(_ body: (ItemRange) -> Void) {
    guard count > 0 else { return }
    // Ascending, so that as many as from the first to the last are all that there are.
    if items[count - 1] - items[0] == count - 1 {
      return body(ItemRange(section: section, start: items[0], end: items[count - 1] + 1))
    }
    for place in items.indices {
      body(ItemRange(section: section, start: items[place], end: items[place] + 1))
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

  /// Hands out the same with x and y exchanged; returns what `body` returns.
  func withTransposed(_ body: (CellBatch) -> Bool) -> Bool {
    var collector = CellCollector()
    collector.begin(section: section, at: 0)
    for place in items.indices {
      guard collector.append(items[place], frames[place].transposed, body) else { return false }
    }
    return collector.handOn(to: body)
  }
}

/// Where cells are collected until there are enough of them to be handed on.
struct CellCollector: ~Copyable {
  /// The section that they are in.
  private var section = 0
  /// Where its frames count from, along the main axis.
  private var start: Length = 0
  private var count = 0
  private var items = InlineArray<16, Int>(repeating: 0)
  private var frames = InlineArray<16, Rect>(repeating: Rect(origin: .zero, size: .zero))

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
  mutating func append(_ item: Int, _ frame: Rect, _ visit: (CellBatch) -> Bool) -> Bool {
    items[count] = item
    frames[count] = frame.offset(by: start)
    count &+= 1
    return count < items.count || handOn(to: visit)
  }

  /// Hands the cells on, if there are any, and is empty then.
  mutating func handOn(to visit: (CellBatch) -> Bool) -> Bool {
    if count == 0 { return true }
    let isGoingOn = visit(
      CellBatch(
        section: section, items: items.span.extracting(first: count),
        frames: frames.span.extracting(first: count)))
    count = 0
    return isGoingOn
  }
}
