/// Columns as a binary heap: the one with the least key is first, of those the first column.
struct ColumnHeap {
  /// A column and by what it is compared.
  struct Entry: Comparable {
    var key: Int64
    var column: Int

    static func < (left: Entry, right: Entry) -> Bool {
      left.key != right.key ? left.key < right.key : left.column < right.column
    }
  }

  private var entries: [Entry]

  /// Takes columns in any order.
  ///
  /// - Complexity: O(c log c) for c columns; O(c) if they are in order.
  init(_ entries: [Entry]) {
    // A sorted array is a heap.
    self.entries = entries.sorted()
  }

  /// The first column; nil if there is none.
  var first: Entry? { entries.first }

  /// Gives the first column a key that is no less.
  ///
  /// - Complexity: O(log c) for c columns.
  @inline(__always)
  mutating func replaceFirst(with key: Int64) {
    guard !entries.isEmpty else { return }
    let moved = Entry(key: key, column: entries[0].column)
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count, entries[child + 1] < entries[child] { child += 1 }
      guard entries[child] < moved else { break }
      entries[parent] = entries[child]
      parent = child
    }
    entries[parent] = moved
  }

  /// Takes the first column out.
  ///
  /// - Complexity: O(log c) for c columns.
  mutating func removeFirst() {
    guard let last = entries.popLast(), !entries.isEmpty else { return }
    entries[0].column = last.column
    replaceFirst(with: last.key)
  }
}
