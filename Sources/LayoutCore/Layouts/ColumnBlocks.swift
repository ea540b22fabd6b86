/// Blocks of items that fill columns in turn, with how far each block moves each column on; some in one
/// piece.
///
/// A block counts columns from that of its first item. So what is kept of it stays true wherever it comes to
/// stand: an insert changes one block, although all items behind it change columns.
struct ColumnBlockRun: RopeChunk {
  /// How many columns a block moves on: all, or as many as there are items.
  private let columnCount: Int
  /// Block after block: how many items it has, then by how many millionths it moves on each column.
  private var words: [Int64] = []

  /// Makes an empty run, with room for as many blocks as will come and a run may have.
  ///
  /// - Parameters:
  ///   - columnCount: How many columns there are, but no more than items; at least 1.
  ///   - count: How many blocks will come.
  init(columnCount: Int, expecting count: Int) {
    self.columnCount = columnCount
    words.reserveCapacity(max(0, min(count, ColumnBlockRun.capacity)) * stride)
  }

  private var stride: Int { columnCount + 1 }

  /// Adds a block that moves nothing yet.
  mutating func append(itemCount: Int) {
    words.append(Int64(itemCount))
    words.append(contentsOf: repeatElement(0, count: columnCount))
  }

  /// Adds items that follow each other to the last block.
  ///
  /// - Parameters:
  ///   - lengths: Their lengths.
  ///   - column: That of the first, from that of the block's first item; then that of the next to come.
  ///   - spacing: Behind each.
  /// - Returns: How many items they are.
  @inline(__always)
  mutating func add(_ lengths: LengthBlock, from column: inout Int, spacing: Length) -> Int {
    var count = 0
    let (columnCount, first) = (columnCount, words.count - columnCount)
    var next = column
    var words = words.mutableSpan
    if case .equal(let equal) = lengths.lengths {
      // Some columns take one more than others.
      for place in 0..<columnCount {
        let own = (equal.count + columnCount - 1 - place) / columnCount
        let column = first + (next + place) % columnCount
        let sum =
          Length(millionths: words[column])
          + (Length(millionths: equal.length) + spacing) * own
        words[column] = sum.millionths
      }
      column = (next + equal.count) % columnCount
      return equal.count
    }
    _ = lengths.forEachLength { index, length in
      count = index + 1
      let sum = Length(millionths: words[first + next]) + Length(millionths: length) + spacing
      words[first + next] = sum.millionths
      next = next + 1 == columnCount ? 0 : next + 1
      return true
    }
    column = next
    return count
  }

  static var capacity: Int { 32 }

  var count: Int { words.count / stride }

  /// Goes past blocks of the run.
  ///
  /// - Parameter isPassed: Called with how many items a block has and by how many millionths it moves on each
  ///   column; returns whether what is looked for lies behind it.
  @inline(__always)
  func pass(while isPassed: (_ itemCount: Int, _ sums: Span<Int64>) -> Bool) {
    let words = words.span
    var first = 0
    while first < words.count,
      isPassed(Int(words[first]), words.extracting((first + 1)..<(first + stride)))
    {
      first += stride
    }
  }

  var summary: ColumnBlockSummary {
    var summary = ColumnBlockSummary.zero
    pass {
      summary.append(itemCount: $0, $1)
      return true
    }
    // The tree's own nodes, the blocks and the sums.
    summary.byteCount = 208 + (words.capacity + columnCount) * 8
    return summary
  }

  func goes(with other: ColumnBlockRun, asUniform: Bool) -> Bool { true }

  static func joining(_ parts: ArraySlice<Part>) -> ColumnBlockRun {
    let count = parts.reduce(0) { $0 + $1.range.count }
    var run = ColumnBlockRun(columnCount: parts.first?.chunk.columnCount ?? 1, expecting: count)
    for part in parts {
      let (words, stride) = (part.chunk.words, run.stride)
      run.words += words[(part.range.lowerBound * stride)..<(part.range.upperBound * stride)]
    }
    return run
  }
}

/// What is known of many blocks.
struct ColumnBlockSummary: RopeSummary {
  private(set) var itemCount = 0
  /// By how many millionths they move on each column, from that of the first item; none without blocks.
  private(set) var sums: [Int64] = []
  var byteCount = 0

  static let zero = ColumnBlockSummary()

  static func + (left: ColumnBlockSummary, right: ColumnBlockSummary) -> ColumnBlockSummary {
    var result = left
    result += right
    return result
  }

  static func += (left: inout ColumnBlockSummary, right: ColumnBlockSummary) {
    left.append(itemCount: right.itemCount, right.sums.span)
    left.byteCount += right.byteCount
  }

  /// Adds items that follow.
  fileprivate mutating func append(itemCount count: Int, _ more: Span<Int64>) {
    if sums.isEmpty { sums = Array(repeating: 0, count: more.count) }
    var column = sums.isEmpty ? 0 : itemCount % sums.count
    for index in more.indices {
      sums[column] = (Length(millionths: sums[column]) + Length(millionths: more[index])).millionths
      column = column + 1 == sums.count ? 0 : column + 1
    }
    itemCount += count
  }
}

/// A way along one of the columns that are filled in turn, block by block.
struct ColumnPath {
  /// How many items are before the next block.
  private(set) var itemCount = 0
  /// Where the column's next item would start.
  private(set) var start: Length = 0
  /// The column, from that of the next block's first item.
  private var column: Int
  private let columnCount: Int

  /// Makes a way from the first block on.
  ///
  /// - Parameters:
  ///   - column: The column, by the item that is first in it.
  ///   - columnCount: How many columns there are.
  init(column: Int, of columnCount: Int) {
    self.column = column
    self.columnCount = columnCount
  }

  /// The next item of the column.
  var item: Int { itemCount + column }

  /// Goes past blocks, if what is looked for lies behind them.
  ///
  /// - Parameters:
  ///   - count: How many items they have.
  ///   - sums: By how many millionths they move on each column.
  ///   - isBefore: Whether it does, from how many items there are up to their end and where the column's
  ///     next item would start there.
  /// - Returns: Whether it does.
  @inline(__always)
  mutating func pass(
    itemCount count: Int, _ sums: Span<Int64>, if isBefore: (_ count: Int, _ start: Length) -> Bool
  ) -> Bool {
    let step = column < sums.count ? sums[column] : 0
    let (end, next) = (itemCount + count, start + Length(millionths: step))
    guard isBefore(end, next) else { return false }
    (itemCount, start) = (end, next)
    column -= count % columnCount
    if column < 0 { column += columnCount }
    return true
  }
}
