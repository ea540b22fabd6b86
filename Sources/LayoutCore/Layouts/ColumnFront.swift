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

  /// The columns at a checkpoint.
  init(_ columns: CheckpointColumns) {
    let (starts, lastItems) = (columns.starts, columns.lastItems)
    self.starts = starts.indices.map { starts[$0] }
    self.lastItems = lastItems.indices.map { Int32(clamping: lastItems[$0]) }
  }

  /// Puts items into the columns, each into the one that starts first, the first of those.
  ///
  /// - Parameters:
  ///   - block: The items' lengths.
  ///   - item: The first of the items.
  ///   - spacing: Behind each.
  /// - Complexity: O(n log c) for n items and c columns; O(n · c) for up to eight.
  mutating func place(_ block: LengthBlock, from item: Int, spacing: Length) {
    let isPlaced =
      switch block.lengths {
      case .known(let lengths): place(lengths, upTo: block.bound, from: item, spacing)
      case .plain(let lengths): place(lengths, upTo: block.bound, from: item, spacing)
      case .pixels(let lengths): place(lengths, upTo: block.bound, from: item, spacing)
      }
    if isPlaced {
      if !heap.isEmpty { heap = [] }
    } else {
      block.forEachLength { index, length in
        _ = place(item + index, Length(millionths: length) + spacing)
        return true
      }
    }
  }

  /// Keeps the columns in order, if there are few.
  ///
  /// - Returns: False, and nothing is done, if there are many, or the numbers do not fit.
  @inline(never)
  private mutating func place<Lengths: LengthSequence & ~Escapable>(
    _ lengths: Lengths, upTo bound: Int64, from item: Int, _ spacing: Length
  ) -> Bool {
    switch starts.count {
    case 2: place(lengths, upTo: bound, item, spacing, in: SortedColumns<2>.self)
    case 3: place(lengths, upTo: bound, item, spacing, in: SortedColumns<3>.self)
    case 4: place(lengths, upTo: bound, item, spacing, in: SortedColumns<4>.self)
    case 5: place(lengths, upTo: bound, item, spacing, in: SortedColumns<5>.self)
    case 6: place(lengths, upTo: bound, item, spacing, in: SortedColumns<6>.self)
    case 7: place(lengths, upTo: bound, item, spacing, in: SortedColumns<7>.self)
    case 8: place(lengths, upTo: bound, item, spacing, in: SortedColumns<8>.self)
    default: false
    }
  }

  @inline(__always)
  private mutating func place<Lengths: LengthSequence & ~Escapable, let columnCount: Int>(
    _ lengths: Lengths, upTo bound: Int64, _ item: Int, _ spacing: Length,
    in _: SortedColumns<columnCount>.Type
  ) -> Bool {
    guard var columns = SortedColumns<columnCount>(starts.span, stepsUpTo: bound, spacing) else {
      return false
    }
    // As many as a block may have.
    var order = InlineArray<128, UInt8>(repeating: 0)
    columns.place(lengths, spacing, noting: &order)
    var newStarts = starts.mutableSpan
    columns.store(in: &newStarts)
    // The last items of the columns are nearly all among the last of the block. Each of those is
    // noted: a branch on where it lies would be taken wrongly for every other.
    var last = InlineArray<8, Int>(repeating: -1)
    let few = max(0, lengths.count - columnCount * 8)
    for index in few..<lengths.count { last[Int(order[index] & 7)] = index }
    for column in 0..<columnCount {
      var index = last[column]
      if index < 0 {
        index = few - 1
        while index >= 0, Int(order[index] & 7) != column { index -= 1 }
      }
      if index >= 0 { lastItems[column] = Int32(clamping: item + index) }
    }
    return true
  }

  /// Puts an item into the column that starts first, the first of those; columns are kept in a heap.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - step: By how much the column grows.
  /// - Returns: The column, and where the item starts.
  /// - Complexity: O(log c) for c columns.
  mutating func place(_ item: Int, _ step: Length) -> (column: Int, start: Length) {
    if heap.isEmpty {
      // A sorted array is a heap.
      heap = starts.enumerated().map { Entry(start: $1, column: $0) }.sorted(by: <)
    }
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

  private struct Entry {
    var start: Int64
    var column: Int

    static func < (left: Entry, right: Entry) -> Bool {
      left.start != right.start ? left.start < right.start : left.column < right.column
    }
  }
}

/// A few columns in order of their starts, in registers: the next item always goes into the first,
/// which is then moved back to its place by comparisons without branches.
///
/// A column is one number: its start above the first one's, and below that its index, so that of equal
/// starts the first column is the least.
private struct SortedColumns<let columnCount: Int> {
  private var keys = InlineArray<columnCount, Int64>(repeating: 0)
  /// The start of the first.
  private let base: Int64

  /// Takes columns for a block of items; nil if the numbers do not fit.
  ///
  /// - Parameters:
  ///   - starts: Where each would take the next item, in millionths of a point.
  ///   - bound: How long an item may be.
  ///   - spacing: Behind each item.
  @inline(__always)
  init?(_ starts: Span<Int64>, stepsUpTo bound: Int64, _ spacing: Length) {
    // Here and below without branches: nobody can foretell them.
    var base = Int64.max
    var greatest = Int64.min
    for index in starts.indices {
      base = min(base, starts[index])
      greatest = max(greatest, starts[index])
    }
    let spread = greatest.subtractingReportingOverflow(base)
    let step = bound.addingReportingOverflow(spacing.millionths)
    // A block's steps, the spread and three bits more stay well inside 64.
    let limit: Int64 = 1 << 50
    guard starts.count == columnCount, base >= 0, base < 1 << 62, !spread.overflow,
      spread.partialValue < limit, !step.overflow, step.partialValue < limit
    else { return nil }
    self.base = base
    for column in 0..<columnCount { keys[column] = (starts[column] - base) << 3 | Int64(column) }
    for end in 1..<columnCount {
      var moved = keys[end]
      for place in 0..<end {
        let other = keys[place]
        keys[place] = min(other, moved)
        moved = max(other, moved)
      }
      keys[end] = moved
    }
  }

  /// Places items.
  ///
  /// - Parameters:
  ///   - lengths: Their lengths.
  ///   - spacing: Behind each.
  ///   - order: The number of each item's column, in the lowest three bits.
  @inline(__always)
  mutating func place<Lengths: LengthSequence & ~Escapable>(
    _ lengths: Lengths, _ spacing: Length, noting order: inout InlineArray<128, UInt8>
  ) {
    // In registers, wherever the columns themselves are kept.
    var columns = self
    let count = lengths.count
    var index = 0
    if count >= 4 {
      var next = lengths.four(from: 0)
      repeat {
        let steps = next &+ spacing.millionths
        // The next four are scaled before these are placed: neither waits for the other then.
        if count &- index >= 8 { next = lengths.four(from: index &+ 4) }
        for place in 0..<4 { order[index &+ place] = columns.place(steps[place]) }
        index &+= 4
      } while count &- index >= 4
    }
    while index < count {
      order[index] = columns.place(lengths[index] &+ spacing.millionths)
      index &+= 1
    }
    self = columns
  }

  /// Places items as long as none of the next four ends past a place.
  ///
  /// - Parameters:
  ///   - lengths: Their lengths.
  ///   - spacing: Behind each.
  ///   - end: The place, in millionths of a point.
  /// - Returns: How many are placed.
  @inline(__always)
  mutating func skip<Lengths: LengthSequence & ~Escapable>(
    _ lengths: Lengths, _ spacing: Length, endingBy end: Int64
  ) -> Int {
    guard end >= base else { return 0 }
    // A column that has grown by an item that ends there; or so far away that none gets there.
    let limit = (min(end &- base, 1 << 58) &+ spacing.millionths) << 3 | 7
    var index = 0
    while lengths.count &- index >= 4 {
      let steps = lengths.four(from: index) &+ spacing.millionths
      var columns = self
      var reach: Int64 = 0
      for place in 0..<4 {
        reach = max(reach, columns.keys[0] &+ steps[place] << 3)
        _ = columns.place(steps[place])
      }
      guard reach <= limit else { break }
      self = columns
      index &+= 4
    }
    return index
  }

  /// Lets the first column grow by a step; which it was.
  @inline(__always)
  private mutating func place(_ step: Int64) -> UInt8 {
    var moved = keys[0]
    let column = UInt8(truncatingIfNeeded: moved)
    moved = moved &+ step << 3
    for place in 1..<columnCount {
      let other = keys[place]
      keys[place - 1] = min(moved, other)
      moved = max(moved, other)
    }
    keys[columnCount - 1] = moved
    return column
  }

  /// Where each column would take the next item.
  @inline(__always)
  func store(in starts: inout MutableSpan<Int64>) {
    for index in 0..<columnCount { starts[Int(keys[index] & 7)] = base &+ keys[index] >> 3 }
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
