/// Counts items of one length in many columns, each put where it can start first, from above to below: either
/// how many come before a place, or which place comes after how many.
///
/// A column that has begun has an item in each row, or one less: with rows counted from where the first column
/// begins, the number before a place in row r is r for each column, less the rows before which it begins, and
/// one more for each of those that begin higher within their row.
struct EqualStepCounter {
  private let step: Int64
  /// Where the columns begin, in order.
  let order: [ColumnHeap.Entry]
  /// How far below the beginning of their rows the columns begin, in order.
  private let inRows: [ColumnHeap.Entry]
  /// By column, how many others come before it there.
  private var ranks: [Int]
  /// How many columns have begun, and the rows before which they did.
  private var (begunCount, rowsBefore) = (0, Int128(0))
  /// How many columns of some ranks have begun: a Fenwick tree.
  private var tree: [Int]

  /// Takes columns of which none has an item yet.
  ///
  /// - Parameters:
  ///   - step: By how much an item makes its column longer, in millionths of a point; not negative.
  ///   - starts: Where each column would take the first item, in millionths of a point.
  /// - Complexity: O(c log c) for c columns.
  init(step: Int64, _ starts: Span<Int64>) {
    self.step = step
    order = starts.indices.map { ColumnHeap.Entry(key: starts[$0], column: $0) }.sorted()
    let least = order.first?.key ?? 0
    // Mostly all begin within a step, and so in this order.
    inRows = order.map {
      ColumnHeap.Entry(key: step > 0 ? ($0.key - least) % step : 0, column: $0.column)
    }
    .sorted()
    ranks = Array(repeating: 0, count: starts.count)
    tree = Array(repeating: 0, count: starts.count + 1)
    for (rank, entry) in inRows.enumerated() { ranks[entry.column] = rank }
  }

  /// The row of a place.
  private func row(of start: Int64) -> Int128 {
    Int128((start - (order.first?.key ?? 0)) / max(1, step))
  }

  /// Lets the next column begin.
  private mutating func begin() {
    let begun = order[begunCount]
    begunCount += 1
    rowsBefore += row(of: begun.key)
    var index = ranks[begun.column] + 1
    while index < tree.count {
      tree[index] += 1
      index += index & -index
    }
  }

  /// How many items come before a place, where each makes its column longer.
  ///
  /// - Parameter place: Where a column has an item; not above those asked for before.
  /// - Returns: The number, as if there were as many items as one likes; saturates.
  /// - Complexity: O(log c) for c columns, and that once for each column that has begun meanwhile.
  mutating func count(before place: ColumnHeap.Entry) -> Int {
    while begunCount < order.count, order[begunCount] < place { begin() }
    var higherCount = 0
    var index = ranks[place.column]
    while index > 0 {
      higherCount += tree[index]
      index &= index - 1
    }
    return Int(
      clamping: Int128(begunCount) * row(of: place.key) - rowsBefore + Int128(higherCount))
  }

  /// The place of an item.
  ///
  /// - Parameter number: How many come before it; not fewer than of those asked for before.
  /// - Returns: The column and where it begins, in millionths of a point; nil if there are no columns.
  /// - Complexity: O(log c) for c columns, and that once for each column that has begun meanwhile.
  mutating func place(after number: Int) -> ColumnHeap.Entry? {
    // What makes no column longer all goes into the first.
    guard step > 0, let first = order.first else { return order.first }
    let number = Int128(number)
    // As long as there are so many rows before another begins.
    while begunCount < order.count,
      number >= Int128(begunCount) * row(of: order[begunCount].key) - rowsBefore
    {
      begin()
    }
    let (row, left) = (number + rowsBefore).quotientAndRemainder(
      dividingBy: Int128(max(1, begunCount)))
    let entry = inRows[min(begunRank(after: Int(left)), inRows.count - 1)]
    let start = Int128(first.key) + row * Int128(step) + Int128(entry.key)
    return ColumnHeap.Entry(key: Int64(clamping: start), column: entry.column)
  }

  /// The rank of the column before which so many have begun, of those that have.
  private func begunRank(after count: Int) -> Int {
    var (rank, left) = (0, count)
    var size = 1
    while size * 2 < tree.count { size *= 2 }
    while size > 0 {
      if rank + size < tree.count, tree[rank + size] <= left {
        rank += size
        left -= tree[rank]
      }
      size /= 2
    }
    return rank
  }
}
