/// The columns while items are placed: where each would take the next item.
struct ColumnFront {
  /// Where the next item would start in each column, in millionths of a point.
  private(set) var starts: [Int64]
  /// The last item in each column, −1 for none; a section that is placed item by item has no more
  /// than ``WaterfallLayout/maximumMixedCount``.
  private(set) var lastItems: [Int32]
  /// The columns as a binary heap, by start, then by index; empty until it is needed.
  private var heap: [Entry] = []

  /// So many columns without items.
  init(columnCount: Int) {
    starts = Array(repeating: 0, count: columnCount)
    lastItems = Array(repeating: -1, count: columnCount)
  }

  /// Columns with items.
  init(_ starts: ArraySlice<Int64>, _ lastItems: ArraySlice<Int32>) {
    self.starts = Array(starts)
    self.lastItems = Array(lastItems)
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
      case 2: placeSorted(InlineArray<2, Int64>.self, block, item, spacing, &places)
      case 3: placeSorted(InlineArray<3, Int64>.self, block, item, spacing, &places)
      case 4: placeSorted(InlineArray<4, Int64>.self, block, item, spacing, &places)
      case 5: placeSorted(InlineArray<5, Int64>.self, block, item, spacing, &places)
      case 6: placeSorted(InlineArray<6, Int64>.self, block, item, spacing, &places)
      case 7: placeSorted(InlineArray<7, Int64>.self, block, item, spacing, &places)
      case 8: placeSorted(InlineArray<8, Int64>.self, block, item, spacing, &places)
      default: false
      }
    if !isPlaced { placeByHeap(block, from: item, spacing, &places) }
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
    _: InlineArray<columnCount, Int64>.Type, _ block: borrowing ColumnLengths.Block, _ item: Int,
    _ spacing: Length, _ places: inout ColumnPlaces
  ) -> Bool {
    // Here and below without branches: nobody can foretell them.
    var base = Int64.max
    var greatest = Int64.min
    for start in starts { (base, greatest) = (min(base, start), max(greatest, start)) }
    let spread = greatest.subtractingReportingOverflow(base)
    let step = block.bound.addingReportingOverflow(spacing.millionths)
    // A block's steps, the spread and three bits more stay well inside 64.
    let limit: Int64 = 1 << 50
    guard base >= 0, base < 1 << 62, !spread.overflow, spread.partialValue < limit,
      !step.overflow, step.partialValue < limit
    else { return false }
    var keys = InlineArray<columnCount, Int64>(repeating: 0)
    for column in 0..<columnCount { keys[column] = (starts[column] - base) << 3 | Int64(column) }
    for end in 1..<columnCount {
      var moved = keys[end]
      for place in 0..<end {
        (keys[place], moved) = (min(keys[place], moved), max(keys[place], moved))
      }
      keys[end] = moved
    }
    let lengths = block.lengths.span.extracting(first: block.count)
    places.base = base
    places.areKeys = true
    var notes = places.values.mutableSpan
    for index in lengths.indices {
      var moved = keys[0]
      notes[index] = moved
      moved = moved &+ (lengths[index] &+ spacing.millionths) << 3
      for place in 1..<columnCount {
        let other = keys[place]
        keys[place - 1] = min(moved, other)
        moved = max(moved, other)
      }
      keys[columnCount - 1] = moved
    }
    for index in 0..<columnCount { starts[Int(keys[index] & 7)] = base &+ keys[index] >> 3 }
    // The last items of the columns are nearly all among the last of the block. Each of those is
    // noted: a branch on where it lies would be taken wrongly for every other.
    var last = InlineArray<8, Int>(repeating: -1)
    let few = max(0, lengths.count - columnCount * 8)
    for index in few..<lengths.count { last[Int(notes[index] & 7)] = index }
    for column in 0..<columnCount {
      var index = last[column]
      if index < 0 {
        index = few - 1
        while index >= 0, Int(notes[index] & 7) != column { index -= 1 }
      }
      if index >= 0 { lastItems[column] = Int32(clamping: item + index) }
    }
    if !heap.isEmpty { heap = [] }
    return true
  }

  /// Keeps the columns in a heap, from block to block.
  private mutating func placeByHeap(
    _ block: borrowing ColumnLengths.Block, from item: Int, _ spacing: Length,
    _ places: inout ColumnPlaces
  ) {
    if heap.isEmpty {
      // A sorted array is a heap.
      heap = starts.enumerated().map { Entry(start: $1, column: $0) }.sorted(by: <)
    }
    let lengths = block.lengths.span.extracting(first: block.count)
    places.areKeys = false
    places.reserveColumns()
    for index in lengths.indices {
      let top = heap[0]
      places.values[index] = top.start
      places.columns[index] = UInt16(truncatingIfNeeded: top.column)
      let start = Length(millionths: top.start) + Length(millionths: lengths[index]) + spacing
      let moved = Entry(start: start.millionths, column: top.column)
      starts[top.column] = moved.start
      lastItems[top.column] = Int32(clamping: item + index)
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
/// Arrays and not ones inside the value: those would be copied where they are read.
struct ColumnPlaces {
  /// Where items start, in millionths of a point; or keys, each a start above the base and three bits
  /// of a column below it, which take no time to be made.
  fileprivate var values = Array(repeating: Int64(0), count: ColumnLengths.Block.capacity)
  /// Unless there are keys.
  fileprivate var columns: [UInt16] = []
  fileprivate var areKeys = false
  fileprivate var base: Int64 = 0

  fileprivate mutating func reserveColumns() {
    if columns.isEmpty {
      columns = Array(repeating: 0, count: ColumnLengths.Block.capacity)
    }
  }

  /// Where an item of the block starts, in millionths of a point.
  @inline(__always)
  func start(_ index: Int) -> Int64 {
    areKeys ? base &+ values[index] >> 3 : values[index]
  }

  /// The column of an item of the block.
  @inline(__always)
  func column(_ index: Int) -> Int {
    areKeys ? Int(values[index] & 7) : Int(columns[index])
  }
}

/// A few columns while a question goes through items one by one, without memory of its own.
struct FewColumns {
  /// Where each would take the next item, in millionths of a point.
  private var starts = InlineArray<8, Int64>(repeating: 0)
  private let count: Int

  /// More columns than this are too many.
  static var capacity: Int { 8 }

  /// Takes columns.
  ///
  /// - Parameter starts: Where each would take the next item, in millionths of a point; at most
  ///   ``capacity``.
  init(_ starts: Span<Int64>) {
    count = min(starts.count, FewColumns.capacity)
    for column in 0..<count { self.starts[column] = starts[column] }
  }

  /// Puts an item into the column where it can start first, the first of those.
  ///
  /// - Parameter step: By how much the column grows.
  /// - Returns: The column, and where the item starts.
  @inline(__always)
  mutating func place(_ step: Length) -> (column: Int, start: Length) {
    var first = 0
    var least = starts[0]
    // All are looked at: to keep them in order takes branches that nobody can foretell.
    for column in 1..<max(1, count) {
      let start = starts[column & 7]
      first = start < least ? column : first
      least = min(start, least)
    }
    let start = Length(millionths: least)
    starts[first & 7] = (start + step).millionths
    return (first, start)
  }
}
