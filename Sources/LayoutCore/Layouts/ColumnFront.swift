/// The columns while items are placed one after the other, each in the one where it can start first, the
/// first of those.
protocol ColumnFront {
  /// So many columns without items.
  init(columnCount: Int)

  /// The columns at a checkpoint.
  init(_ checkpoint: CheckpointColumns)

  /// Places items.
  ///
  /// - Parameters:
  ///   - block: The items' lengths.
  ///   - item: The first of the items; the one after the last that was placed.
  ///   - spacing: Behind each.
  mutating func place(_ block: LengthBlock, from item: Int, spacing: Length)

  /// Makes a checkpoint of how the columns are.
  mutating func append(to checkpoints: inout CheckpointWriter)

  /// Where the next item would start in the column that reaches furthest.
  var end: Length { get }
}

/// Any number of columns, as a binary heap by start, then by index.
struct HeapedColumns: ColumnFront {
  /// Where the next item would start in each column, in millionths of a point.
  private(set) var starts: [Int64]
  /// The last item in each column, −1 for none; a section that is placed item by item has no more
  /// than ``WaterfallLayout/maximumMixedCount``.
  private(set) var lastItems: [Int32]
  private var heap: [Entry]

  init(columnCount: Int) {
    starts = Array(repeating: 0, count: columnCount)
    lastItems = Array(repeating: -1, count: columnCount)
    heap = (0..<columnCount).map { Entry(start: 0, column: $0) }
  }

  init(_ columns: CheckpointColumns) {
    let (starts, lastItems) = (columns.starts, columns.lastItems)
    self.starts = starts.indices.map { starts[$0] }
    self.lastItems = lastItems.indices.map { Int32(clamping: lastItems[$0]) }
    // A sorted array is a heap.
    heap = self.starts.enumerated().map { Entry(start: $1, column: $0) }.sorted(by: <)
  }

  /// - Complexity: O(n log c) for n items and c columns.
  mutating func place(_ block: LengthBlock, from item: Int, spacing: Length) {
    block.forEachLength { index, length in
      _ = place(item + index, Length(millionths: length) + spacing)
      return true
    }
  }

  /// Puts an item into the column that starts first, the first of those.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - step: By how much the column grows.
  /// - Returns: The column, and where the item starts.
  /// - Complexity: O(log c) for c columns.
  mutating func place(_ item: Int, _ step: Length) -> (column: Int, start: Length) {
    let top = heap[0]
    let start = Length(millionths: top.start)
    let moved = Entry(start: (start + step).millionths, column: top.column)
    starts[top.column] = moved.start
    lastItems[top.column] = Int32(clamping: item)
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
    return (top.column, start)
  }

  mutating func append(to checkpoints: inout CheckpointWriter) {
    checkpoints.append(starts: starts.span, lastItems: lastItems.span)
  }

  var end: Length { Length(millionths: starts.max() ?? 0) }

  private struct Entry {
    var start: Int64
    var column: Int

    static func < (left: Entry, right: Entry) -> Bool {
      left.start != right.start ? left.start < right.start : left.column < right.column
    }
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

  /// Puts items into the columns up to one that ends past a place, or a few before it.
  ///
  /// - Parameters:
  ///   - block: The items' lengths.
  ///   - spacing: Behind each.
  ///   - end: The place.
  /// - Returns: How many are placed.
  mutating func skip(_ block: LengthBlock, _ spacing: Length, endingBy end: Length) -> Int {
    switch block.lengths {
    case .known(let lengths): skip(lengths, upTo: block.bound, spacing, endingBy: end)
    case .plain(let lengths): skip(lengths, upTo: block.bound, spacing, endingBy: end)
    case .pixels(let lengths): skip(lengths, upTo: block.bound, spacing, endingBy: end)
    }
  }

  private mutating func skip<Lengths: LengthSequence & ~Escapable>(
    _ lengths: Lengths, upTo bound: Int64, _ spacing: Length, endingBy end: Length
  ) -> Int {
    switch count {
    case 1: skip(lengths, upTo: bound, spacing, end, in: SortedColumns<1>.self)
    case 2: skip(lengths, upTo: bound, spacing, end, in: SortedColumns<2>.self)
    case 3: skip(lengths, upTo: bound, spacing, end, in: SortedColumns<3>.self)
    case 4: skip(lengths, upTo: bound, spacing, end, in: SortedColumns<4>.self)
    case 5: skip(lengths, upTo: bound, spacing, end, in: SortedColumns<5>.self)
    case 6: skip(lengths, upTo: bound, spacing, end, in: SortedColumns<6>.self)
    case 7: skip(lengths, upTo: bound, spacing, end, in: SortedColumns<7>.self)
    case 8: skip(lengths, upTo: bound, spacing, end, in: SortedColumns<8>.self)
    default: 0
    }
  }

  @inline(__always)
  private mutating func skip<Lengths: LengthSequence & ~Escapable, let columnCount: Int>(
    _ lengths: Lengths, upTo bound: Int64, _ spacing: Length, _ end: Length,
    in _: SortedColumns<columnCount>.Type
  ) -> Int {
    guard
      var columns = SortedColumns<columnCount>(
        starts.span.extracting(first: count), stepsUpTo: bound, spacing)
    else { return 0 }
    let skipped = columns.skip(lengths, spacing, endingBy: end.millionths)
    var newStarts = starts.mutableSpan
    columns.store(in: &newStarts)
    return skipped
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
