/// Counts items through all sections, as layouts do that put them in one line.
struct ItemCounter: Sendable {
  /// How many items there are before each section, and in all.
  private let starts: [Int]

  /// Counts.
  ///
  /// - Parameter content: The sections; 10¹⁷ items in all at the most.
  init(_ content: Content) {
    var starts = [0]
    starts.reserveCapacity(content.sections.count + 1)
    var count = 0
    for section in content.sections {
      count += section.items.count
      starts.append(count)
    }
    self.starts = starts
  }

  /// How many items there are.
  var count: Int { starts[starts.count - 1] }

  /// How many sections there are.
  var sectionCount: Int { starts.count - 1 }

  /// The bytes that it takes on the heap.
  var byteCount: Int { starts.capacity * 8 }

  /// Whether there is such an item.
  func contains(_ indexPath: IndexPath) -> Bool {
    indexPath.section >= 0 && indexPath.section < sectionCount && indexPath.item >= 0
      && indexPath.item < starts[indexPath.section + 1] - starts[indexPath.section]
  }

  /// The number of an item.
  ///
  /// - Parameter indexPath: An item that exists.
  /// - Returns: 0 ..< count.
  func number(of indexPath: IndexPath) -> Int { starts[indexPath.section] + indexPath.item }

  /// The number of the first item at a position or after it.
  func number(ofFirstFrom position: ElementPosition) -> Int {
    guard position.section < sectionCount else { return count }
    let start = starts[max(0, position.section)]
    let rank = max(0, position.rank)
    return rank < starts[max(0, position.section) + 1] - start
      ? start + rank : starts[max(0, position.section) + 1]
  }

  /// The item of a number.
  ///
  /// - Parameter number: 0 ..< count.
  /// - Returns: Its index path.
  /// - Complexity: O(log s) for s sections.
  func indexPath(of number: Int) -> IndexPath {
    // The last section that begins at the number or before it, so that empty ones are passed over.
    let section = partitioningIndex(sectionCount) { starts[$0 + 1] > number }
    return IndexPath(item: number - starts[section], section: section)
  }

  /// Visits numbers as runs of their sections.
  ///
  /// - Returns: Whether `body` always wanted to go on.
  func forEachRun(_ numbers: Range<Int>, _ body: (ItemRange) -> Bool) -> Bool {
    var numbers = numbers
    while !numbers.isEmpty {
      let path = indexPath(of: numbers.lowerBound)
      let end = min(numbers.upperBound, starts[path.section + 1])
      let run = ItemRange(
        section: path.section, start: path.item, end: path.item + end - numbers.lowerBound)
      guard body(run) else { return false }
      numbers = end..<numbers.upperBound
    }
    return true
  }
}
