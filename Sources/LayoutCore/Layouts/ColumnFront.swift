/// The columns while items are placed: where each would take the next item.
struct ColumnFront {
  /// Where the next item would start in each column, in millionths of a point.
  private(set) var starts: [Int64]
  /// The last item in each column, −1 for none.
  private(set) var lastItems: [Int]
  /// The columns as a binary heap, by start, then by index; empty until it is needed.
  private var heap: [Entry] = []

  /// So many columns without items.
  init(columnCount: Int) {
    self.init(
      starts: Array(repeating: 0, count: columnCount),
      lastItems: Array(repeating: -1, count: columnCount))
  }

  /// Columns with items.
  init(starts: [Int64], lastItems: [Int]) {
    self.starts = starts
    self.lastItems = lastItems
  }

  /// Puts items into the columns, each into the one that starts first, the first of those.
  ///
  /// - Parameters:
  ///   - block: The items' lengths.
  ///   - item: The first of the items.
  ///   - spacing: Behind each.
  ///   - places: Where they have come to lie.
  /// - Complexity: O(n log c) for n items and c columns.
  mutating func place(
    _ block: borrowing ColumnLengths.Block, from item: Int, spacing: Length,
    into places: inout ColumnPlaces
  ) {
    let isPlaced =
      switch starts.count {
      case 2: placeSorted(InlineArray<2, Int64>.self, block, spacing, &places)
      case 3: placeSorted(InlineArray<3, Int64>.self, block, spacing, &places)
      case 4: placeSorted(InlineArray<4, Int64>.self, block, spacing, &places)
      case 5: placeSorted(InlineArray<5, Int64>.self, block, spacing, &places)
      case 6: placeSorted(InlineArray<6, Int64>.self, block, spacing, &places)
      case 7: placeSorted(InlineArray<7, Int64>.self, block, spacing, &places)
      case 8: placeSorted(InlineArray<8, Int64>.self, block, spacing, &places)
      default: false
      }
    if !isPlaced { placeByHeap(block, spacing, &places) }
    noteLastItems(from: item, places.places.span.extracting(first: block.count))
  }

  /// The last items of the columns: looked for from the end, where they nearly all are.
  private mutating func noteLastItems(from item: Int, _ places: Span<ColumnPlaces.Place>) {
    guard starts.count <= 64 else {
      for index in places.indices { lastItems[Int(places[index].column)] = item + index }
      return
    }
    var seen: UInt64 = 0
    var missing = starts.count
    var index = places.count
    while index > 0, missing > 0 {
      index -= 1
      let column = Int(places[index].column)
      guard seen & 1 << UInt64(column) == 0 else { continue }
      seen |= 1 << UInt64(column)
      missing -= 1
      lastItems[column] = item + index
    }
  }

  /// Keeps the columns in order of their starts, in registers: the next item always goes into the
  /// first, which is then moved back to its place by comparisons without branches.
  ///
  /// A column is one number: its start above the first one's, and below that its index, so that of
  /// equal starts the first column is the least.
  ///
  /// - Returns: False, and nothing is done, if the numbers do not fit.
  @inline(__always)
  private mutating func placeSorted<let columnCount: Int>(
    _: InlineArray<columnCount, Int64>.Type, _ block: borrowing ColumnLengths.Block,
    _ spacing: Length, _ places: inout ColumnPlaces
  ) -> Bool {
    let base = starts.min() ?? 0
    let spread = (starts.max() ?? 0).subtractingReportingOverflow(base)
    let step = block.bound.addingReportingOverflow(spacing.millionths)
    // A block's steps, the spread and three bits more stay well inside 64.
    let limit: Int64 = 1 << 50
    guard base >= 0, base < 1 << 62, !spread.overflow, spread.partialValue < limit,
      !step.overflow, step.partialValue < limit
    else { return false }
    var keys = InlineArray<columnCount, Int64>(repeating: 0)
    for column in 0..<columnCount { keys[column] = (starts[column] - base) << 3 | Int64(column) }
    for end in 1..<columnCount {
      for index in stride(from: end, to: 0, by: -1) where keys[index] < keys[index - 1] {
        (keys[index], keys[index - 1]) = (keys[index - 1], keys[index])
      }
    }
    let lengths = block.lengths.span.extracting(first: block.count)
    var places = places.places.mutableSpan
    for index in lengths.indices {
      var moved = keys[0]
      places[index] = ColumnPlaces.Place(
        start: base &+ moved >> 3, column: UInt16(truncatingIfNeeded: moved & 7))
      moved = moved &+ (lengths[index] &+ spacing.millionths) << 3
      for place in 1..<columnCount {
        let other = keys[place]
        keys[place - 1] = min(moved, other)
        moved = max(moved, other)
      }
      keys[columnCount - 1] = moved
    }
    for index in 0..<columnCount { starts[Int(keys[index] & 7)] = base &+ keys[index] >> 3 }
    if !heap.isEmpty { heap = [] }
    return true
  }

  /// Keeps the columns in a heap, from block to block.
  private mutating func placeByHeap(
    _ block: borrowing ColumnLengths.Block, _ spacing: Length, _ places: inout ColumnPlaces
  ) {
    if heap.isEmpty {
      // A sorted array is a heap.
      heap = starts.enumerated().map { Entry(start: $1, column: $0) }.sorted(by: <)
    }
    let lengths = block.lengths.span.extracting(first: block.count)
    var places = places.places.mutableSpan
    for index in lengths.indices {
      let top = heap[0]
      places[index] = ColumnPlaces.Place(
        start: top.start, column: UInt16(truncatingIfNeeded: top.column))
      let start = Length(millionths: top.start) + Length(millionths: lengths[index]) + spacing
      let moved = Entry(start: start.millionths, column: top.column)
      starts[top.column] = moved.start
      var parent = 0
      while true {
        var child = 2 * parent + 1
        guard child < heap.count else { break }
        if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
        guard heap[child] < moved else { break }
        heap[parent] = heap[child]
        parent = child
      }
      heap[parent] = moved
    }
  }

  private struct Entry {
    var start: Int64
    var column: Int

    static func < (left: Entry, right: Entry) -> Bool {
      left.start != right.start ? left.start < right.start : left.column < right.column
    }
  }
}

/// Where a block of items has come to lie.
///
/// An array and not one inside the value: that would be copied where it is read.
struct ColumnPlaces {
  struct Place {
    /// In millionths of a point.
    var start: Int64
    var column: UInt16
  }

  fileprivate(set) var places = Array(
    repeating: Place(start: 0, column: 0), count: ColumnLengths.Block.capacity)
}
