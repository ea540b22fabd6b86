/// Any number of columns, of which the one that takes the next item is known at once.
///
/// ```
///            6              the winner of all: the least start, of equal ones the first column
///        ╱       ╲
///      4           5        each node has the winner of the two below it
///    ╱   ╲       ╱   ╲
///   0     1     2     3     leaves are where the columns would take the next item
/// ```
///
/// The winner takes an item, and plays its way up anew. Its opponents are those beside its path, which are known
/// before, and who wins is worked out without a branch; to sift a heap takes one for each comparison that nobody can
/// foretell, and three to six times as long.
struct ColumnTournament {
  /// By node, the least start below it, in millionths of a point, and then the column that it is the start of.
  ///
  /// The leaves come first, in the order of the columns; those of columns that there are not lose against all.
  private var nodes: [Int64]
  private let columnCount: Int
  /// A power of two.
  private let leafCount: Int

  /// Takes columns.
  ///
  /// - Parameter starts: Where each would take the next item, in millionths of a point; 0 or more.
  /// - Complexity: O(c) for c columns.
  init(_ starts: Span<Int64>) {
    columnCount = starts.count
    var leafCount = 1
    while leafCount < columnCount { leafCount *= 2 }
    self.leafCount = leafCount
    nodes = Array(repeating: .max, count: leafCount * 4)
    for column in 0..<leafCount { nodes[leafCount * 2 + column] = Int64(column) }
    for column in starts.indices { nodes[column] = starts[column] }
    playAll()
  }

  /// Finds the winners of all nodes.
  private mutating func playAll() {
    let columns = leafCount * 2
    for node in stride(from: 0, to: columns - 2, by: 2) {
      let winner = nodes[node + 1] < nodes[node] ? node + 1 : node
      nodes[leafCount + node / 2] = nodes[winner]
      nodes[columns + leafCount + node / 2] = nodes[columns + winner]
    }
  }

  /// Where each column would take the next item, in millionths of a point.
  var startsByColumn: Span<Int64> {
    @_lifetime(borrow self)
    get { nodes.span.extracting(first: columnCount) }
  }

  /// Where the next item would start in the column that reaches furthest.
  ///
  /// - Complexity: O(c) for c columns.
  var end: Length {
    let starts = startsByColumn
    return Length(millionths: starts.indices.reduce(0) { max($0, starts[$1]) })
  }

  /// Changes where the columns would take the next item, in millionths of a point, 0 or more; what there is room for
  /// besides is not to be changed.
  ///
  /// - Complexity: O(c) for c columns, besides that of `body`.
  mutating func changeStarts<Result>(_ body: (inout MutableSpan<Int64>) -> Result) -> Result {
    defer { playAll() }
    var span = nodes.mutableSpan
    return body(&span)
  }

  /// Puts an item into the column where it can start first, the first of those.
  ///
  /// - Parameter step: By how much the column grows; not negative.
  /// - Returns: The column, and where the item starts.
  /// - Complexity: O(log c) for c columns.
  @inline(__always)
  mutating func place(_ step: Length) -> (column: Int, start: Length) {
    let leafCount = leafCount
    var nodes = nodes.mutableSpan
    return ColumnTournament.place(step, in: &nodes, leafCount)
  }

  /// Puts items into the columns.
  ///
  /// - Parameters:
  ///   - lengths: Their lengths.
  ///   - spacing: Behind each.
  ///   - item: The number of the first.
  ///   - lastItems: By column, the number of the last item in it.
  /// - Complexity: O(n log c) for n items and c columns.
  mutating func place<Lengths: LengthSequence & ~Escapable>(
    _ lengths: Lengths, _ spacing: Length, from item: Int, noting lastItems: inout [Int64]
  ) {
    let leafCount = leafCount
    var nodes = nodes.mutableSpan
    var lastItems = lastItems.mutableSpan
    let end = lengths.count & ~3
    // The next four are scaled while these are placed.
    var next = end > 0 ? lengths.four(from: 0) : .zero
    for first in stride(from: 0, to: end, by: 4) {
      let four = next
      if first &+ 4 < end { next = lengths.four(from: first &+ 4) }
      for index in 0..<4 {
        let step = Length(millionths: four[index]) + spacing
        let column = ColumnTournament.place(step, in: &nodes, leafCount).column
        lastItems[column] = Int64(item &+ first &+ index)
      }
    }
    for index in end..<lengths.count {
      let step = Length(millionths: lengths[index]) + spacing
      let column = ColumnTournament.place(step, in: &nodes, leafCount).column
      lastItems[column] = Int64(item &+ index)
    }
  }

  @inline(__always)
  private static func place(
    _ step: Length, in nodes: inout MutableSpan<Int64>, _ leafCount: Int
  ) -> (column: Int, start: Length) {
    let columns = leafCount &* 2
    let top = columns &- 2
    var (start, column) = (nodes[top], nodes[columns &+ top])
    let placed = (column: Int(column), start: Length(millionths: start))
    start = (placed.start + step).millionths
    var node = placed.column
    // Safe: each node of the way from a leaf to the top is there, and so is the one beside it.
    unsafe nodes[unchecked: node] = start
    while node < top {
      let distance = unsafe nodes[unchecked: node ^ 1] &- start
      // All bits, if the other wins: it is less, or as much and comes first.
      let otherWins = (distance &- Int64(node & 1)) >> 63
      start &+= distance & otherWins
      column ^= unsafe (column ^ nodes[unchecked: columns &+ (node ^ 1)]) & otherWins
      node = leafCount &+ node >> 1
      unsafe nodes[unchecked: node] = start
      unsafe nodes[unchecked: columns &+ node] = column
    }
    return placed
  }
}
