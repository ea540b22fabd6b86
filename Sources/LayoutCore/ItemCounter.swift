/// Counts items through all sections, as layouts do that put them in one line.
struct ItemCounter: Sendable {
  private let sections: Rope<SectionRun>

  /// Counts.
  ///
  /// - Parameter content: The sections; 10¹⁸ items in all at the most.
  init(_ content: Content) { sections = content.sections.rope }

  /// How many items there are.
  var count: Int { sections.summary.itemCount }

  /// How many sections there are.
  var sectionCount: Int { sections.count }

  /// How many items a section has, and how many there are before it; nil if there is no such section.
  private func run(ofSection section: Int) -> (start: Int, count: Int)? {
    sections.withPlace(of: section) { place in
      var start = place.before.itemCount
      for earlier in 0..<(section - place.start) {
        start += place.leaf.chunk.sections[earlier].items.count
      }
      return (start, place.leaf.chunk.sections[section - place.start].items.count)
    }
  }

  /// Whether there is such an item.
  func contains(_ indexPath: IndexPath) -> Bool {
    indexPath.item >= 0 && indexPath.item < (run(ofSection: indexPath.section)?.count ?? 0)
  }

  /// The number of an item.
  ///
  /// - Parameter indexPath: An item of a section that exists.
  /// - Returns: 0 ..< count.
  /// - Complexity: O(log s) for s sections.
  func number(of indexPath: IndexPath) -> Int {
    (run(ofSection: indexPath.section)?.start ?? 0) + indexPath.item
  }

  /// The number of the first item at a position or after it.
  func number(ofFirstFrom position: ElementPosition) -> Int {
    guard let run = run(ofSection: max(0, position.section)) else { return count }
    return run.start + min(max(0, position.rank), run.count)
  }

  /// The item of a number.
  ///
  /// - Parameter number: 0 ..< count.
  /// - Returns: Its index path.
  /// - Complexity: O(log s) for s sections.
  func indexPath(of number: Int) -> IndexPath {
    guard let place = sections.firstPlace(where: { $1.itemCount > number }) else {
      return IndexPath(item: 0, section: sectionCount)
    }
    var start = place.before.itemCount
    var section = place.start
    for description in place.chunk.sections {
      if number < start + description.items.count { break }
      start += description.items.count
      section += 1
    }
    return IndexPath(item: number - start, section: section)
  }

  /// Visits numbers as runs of their sections.
  ///
  /// - Returns: Whether `body` always wanted to go on.
  func forEachRun(_ numbers: Range<Int>, _ body: (ItemRange) -> Bool) -> Bool {
    var numbers = numbers
    while !numbers.isEmpty {
      let path = indexPath(of: numbers.lowerBound)
      guard let run = run(ofSection: path.section) else { return true }
      let end = min(numbers.upperBound, run.start + run.count)
      let range = ItemRange(
        section: path.section, start: path.item, end: path.item + end - numbers.lowerBound)
      guard body(range) else { return false }
      numbers = end..<numbers.upperBound
    }
    return true
  }
}
