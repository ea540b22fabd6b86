/// What a change makes of content: sections replaced by others, some of which keep their items.
struct ContentChange: Sendable {
  /// In ascending order and apart from each other.
  var sectionEdits: [SectionEdit]
}

/// Sections to be replaced by others.
struct SectionEdit: Sendable {
  /// Which, before the change; empty to insert only.
  var range: Range<Int>
  /// The number of the first of those after the change.
  var firstSection: Int
  /// By what.
  var sections: [SectionOrigin]
}

/// What a section after a change was before it.
enum SectionOrigin: Sendable {
  /// It was not there.
  case new
  /// The same as before, perhaps at another place.
  case kept(Int)
  /// One of which items have changed.
  case edited(Int, [ItemEdit])
}

/// How places in a sequence before a change go with those after it.
///
/// What is not removed keeps its order, and fills the places that nothing is added at.
struct IndexMap: Sendable {
  let oldCount: Int
  let newCount: Int
  /// Ascending, not touching; places before the change that are empty after it.
  let removed: PlaceSet
  /// The same of places after the change that were not there.
  let added: PlaceSet

  /// Places that were not there and places that are not there any more.
  init(oldCount: Int, removed: PlaceSet, added: PlaceSet) {
    self.oldCount = oldCount
    self.removed = removed
    self.added = added
    newCount = oldCount - removed.count + added.count
  }

  /// Where something is after the change; nil if it was removed.
  ///
  /// - Complexity: O(log k) for k runs of removed and added places.
  func new(of old: Int) -> Int? {
    guard let rank = removed.rank(outside: old) else { return nil }
    return added.place(outside: rank)
  }

  /// Where something was before the change; nil if it was added.
  ///
  /// - Complexity: O(log k) for k runs of removed and added places.
  func old(of new: Int) -> Int? {
    guard let rank = added.rank(outside: new) else { return nil }
    return removed.place(outside: rank)
  }

  /// How many places before the change, from one on, are one after the other after it too, or all removed.
  ///
  /// - Complexity: O(log k) for k runs of removed and added places.
  func evenCount(fromOld old: Int) -> Int {
    let count = removed.evenCount(from: old)
    return new(of: old).map { min(count, added.evenCount(from: $0)) } ?? count
  }

  /// How many places after the change, from one on, were one after the other before it too, or are all added.
  ///
  /// - Complexity: O(log k) for k runs of removed and added places.
  func evenCount(fromNew new: Int) -> Int {
    let count = added.evenCount(from: new)
    return old(of: new).map { min(count, removed.evenCount(from: $0)) } ?? count
  }
}

/// A set of places in a sequence, as ranges.
struct PlaceSet: Sendable {
  /// Places that follow each other; at least one.
  private struct Run {
    var range: Range<Int>
    /// How many places of the set are before them.
    var before: Int
  }

  /// Ascending, not touching.
  private var runs: [Run] = []
  private(set) var count = 0

  /// Takes ranges that ascend and do not overlap.
  init(_ ranges: some Sequence<Range<Int>> = []) {
    for range in ranges where !range.isEmpty {
      if let last = runs.last, last.range.upperBound == range.lowerBound {
        runs[runs.count - 1].range = last.range.lowerBound..<range.upperBound
      } else {
        runs.append(Run(range: range, before: count))
      }
      count += range.count
    }
  }

  /// The places as ranges, ascending, not touching.
  var ranges: some Collection<Range<Int>> { runs.lazy.map(\.range) }

  /// How many places from one on are all in the set as it is, or all outside.
  func evenCount(from place: Int) -> Int {
    let next = partitioningIndex(runs.count) { runs[$0].range.lowerBound > place }
    if next > 0, place < runs[next - 1].range.upperBound {
      return runs[next - 1].range.upperBound - place
    }
    return next < runs.count ? runs[next].range.lowerBound - place : .max
  }

  /// The number of places outside the set before one outside it; nil for one in it.
  func rank(outside place: Int) -> Int? {
    let next = partitioningIndex(runs.count) { runs[$0].range.lowerBound > place }
    guard next > 0 else { return place }
    let run = runs[next - 1]
    return place < run.range.upperBound ? nil : place - run.before - run.range.count
  }

  /// The place outside the set that has so many places outside it before it.
  func place(outside rank: Int) -> Int {
    // Before a run there are as many outside as its start less what is in the set before it.
    let next = partitioningIndex(runs.count) {
      runs[$0].range.lowerBound - runs[$0].before > rank
    }
    return next == 0 ? rank : rank + runs[next - 1].before + runs[next - 1].range.count
  }
}

/// How the elements before a change go with those after it.
public protocol ElementMap: Sendable {
  /// Where a section is after the change; nil if it is gone.
  func newSection(of old: Int) -> Int?
  /// Where a section was before the change; nil if it is new.
  func oldSection(of new: Int) -> Int?
  /// Where an item is after the change; nil if it is gone.
  func newIndexPath(of old: IndexPath) -> IndexPath?
  /// Where an item was before the change; nil if it is new.
  func oldIndexPath(of new: IndexPath) -> IndexPath?
  /// How many items of its section, from one on, stay together: they are one after the other after the change
  /// too, or all gone. At least one; it may be more than there are.
  func evenCount(fromOld old: IndexPath) -> Int
  /// How many items of its section, from one on, were one after the other before the change too, or are all
  /// new. At least one; it may be more than there are.
  func evenCount(fromNew new: IndexPath) -> Int
  /// The decorations of a section before and after the change, if it may have others now.
  func decorations(ofOldSection old: Int) -> (old: [Decoration], new: [Decoration])?
}

extension ElementMap {
  /// Who knows nothing of neighbours asks for each.
  public func evenCount(fromOld old: IndexPath) -> Int { 1 }
  /// Who knows nothing of neighbours asks for each.
  public func evenCount(fromNew new: IndexPath) -> Int { 1 }
  /// Sections keep their decorations.
  public func decorations(ofOldSection old: Int) -> (old: [Decoration], new: [Decoration])? { nil }
}

/// The map of a batch update.
struct BatchMap: ElementMap {
  var sections: IndexMap
  /// Sections that were moved, by where they were and by where they are.
  var movedSections: [Int: Int] = [:]
  var movedSectionOrigins: [Int: Int] = [:]
  /// The decorations of sections that were reloaded, by where they were: such a section is the same,
  /// its items are all new.
  var reloadedSections: [Int: (old: [Decoration], new: [Decoration])] = [:]
  /// Of sections of which items changed, ascending by where they were.
  var items: [(section: Int, map: IndexMap)] = []
  var movedItems: [IndexPath: IndexPath] = [:]
  var movedItemOrigins: [IndexPath: IndexPath] = [:]

  func newSection(of old: Int) -> Int? { movedSections[old] ?? sections.new(of: old) }

  func oldSection(of new: Int) -> Int? { movedSectionOrigins[new] ?? sections.old(of: new) }

  /// How the items of a section go together; nil if they did not change.
  ///
  /// - Complexity: O(log k) for k changed sections.
  func items(ofOldSection old: Int) -> IndexMap? {
    sortedIndex(of: old, among: items.count) { items[$0].section }.map { items[$0].map }
  }

  func newIndexPath(of old: IndexPath) -> IndexPath? {
    if let moved = movedItems[old] { return moved }
    guard let section = newSection(of: old.section) else { return nil }
    if reloadedSections[old.section] != nil { return nil }
    guard let map = items(ofOldSection: old.section) else {
      return IndexPath(item: old.item, section: section)
    }
    return map.new(of: old.item).map { IndexPath(item: $0, section: section) }
  }

  func oldIndexPath(of new: IndexPath) -> IndexPath? {
    if let origin = movedItemOrigins[new] { return origin }
    guard let section = oldSection(of: new.section) else { return nil }
    if reloadedSections[section] != nil { return nil }
    guard let map = items(ofOldSection: section) else {
      return IndexPath(item: new.item, section: section)
    }
    return map.old(of: new.item).map { IndexPath(item: $0, section: section) }
  }

  func evenCount(fromOld old: IndexPath) -> Int {
    guard newSection(of: old.section) != nil, reloadedSections[old.section] == nil,
      let map = items(ofOldSection: old.section)
    else { return .max }
    // What moves is removed too, and may go anywhere.
    return movedItems.isEmpty || map.new(of: old.item) != nil ? map.evenCount(fromOld: old.item) : 1
  }

  func evenCount(fromNew new: IndexPath) -> Int {
    guard let section = oldSection(of: new.section), reloadedSections[section] == nil,
      let map = items(ofOldSection: section)
    else { return .max }
    return movedItemOrigins.isEmpty || map.old(of: new.item) != nil
      ? map.evenCount(fromNew: new.item) : 1
  }

  func decorations(ofOldSection old: Int) -> (old: [Decoration], new: [Decoration])? {
    reloadedSections[old]
  }
}

extension ItemRanges {
  /// The items of the set where they are after a change, and those that are gone, as they were.
  ///
  /// - Complexity: O(m · log m + m · log k) for k changes and m stretches of items that stay together.
  func mapped(by map: some ElementMap) -> (kept: ItemRanges, gone: ItemRanges) {
    var kept: [ItemRange] = []
    var gone = ItemRanges()
    for range in ranges {
      var start = range.start
      while start < range.end {
        let old = IndexPath(item: start, section: range.section)
        let count = min(map.evenCount(fromOld: old), range.end - start)
        if let new = map.newIndexPath(of: old) {
          kept.append(ItemRange(section: new.section, start: new.item, end: new.item + count))
        } else {
          gone.append(ItemRange(section: range.section, start: start, end: start + count))
        }
        start += count
      }
    }
    kept.sort { ($0.section, $0.start) < ($1.section, $1.start) }
    var result = ItemRanges()
    for range in kept { result.append(range) }
    return (result, gone)
  }
}
