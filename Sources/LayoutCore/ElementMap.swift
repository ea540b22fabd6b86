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
  /// 1: each item is asked for by itself.
  public func evenCount(fromOld old: IndexPath) -> Int { 1 }
  /// 1: each item is asked for by itself.
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
    // Of sections that go, or come with other items, none is kept.
    guard let map = items(ofOldSection: old.section) else { return .max }
    // What moves is removed too, and may go anywhere.
    return movedItems.isEmpty || map.new(of: old.item) != nil ? map.evenCount(fromOld: old.item) : 1
  }

  func evenCount(fromNew new: IndexPath) -> Int {
    guard let section = oldSection(of: new.section), let map = items(ofOldSection: section) else {
      return .max
    }
    return movedItemOrigins.isEmpty || map.old(of: new.item) != nil
      ? map.evenCount(fromNew: new.item) : 1
  }

  func decorations(ofOldSection old: Int) -> (old: [Decoration], new: [Decoration])? {
    reloadedSections[old]
  }
}

/// Of a change that leaves the content as it is.
public struct IdentityMap: ElementMap {
  /// Makes the map.
  public init() {}

  /// Where it was.
  public func newSection(of old: Int) -> Int? { old }
  /// Where it is.
  public func oldSection(of new: Int) -> Int? { new }
  /// Where it was.
  public func newIndexPath(of old: IndexPath) -> IndexPath? { old }
  /// Where it is.
  public func oldIndexPath(of new: IndexPath) -> IndexPath? { new }
  /// All of them.
  public func evenCount(fromOld old: IndexPath) -> Int { .max }
  /// All of them.
  public func evenCount(fromNew new: IndexPath) -> Int { .max }
}

/// Of a change after which nothing is what it was.
public struct NoMap: ElementMap {
  /// Makes the map.
  public init() {}

  /// Gone.
  public func newSection(of old: Int) -> Int? { nil }
  /// New.
  public func oldSection(of new: Int) -> Int? { nil }
  /// Gone.
  public func newIndexPath(of old: IndexPath) -> IndexPath? { nil }
  /// New.
  public func oldIndexPath(of new: IndexPath) -> IndexPath? { nil }
  /// None of them is left.
  public func evenCount(fromOld old: IndexPath) -> Int { .max }
  /// None of them was there.
  public func evenCount(fromNew new: IndexPath) -> Int { .max }
}

/// Back from a preview to the content before the movement.
public struct InverseMap: ElementMap {
  private let map: any ElementMap

  /// Turns a map around.
  public init(_ map: any ElementMap) { self.map = map }

  /// Where it was.
  public func newSection(of old: Int) -> Int? { map.oldSection(of: old) }
  /// Where it is.
  public func oldSection(of new: Int) -> Int? { map.newSection(of: new) }
  /// Where it was.
  public func newIndexPath(of old: IndexPath) -> IndexPath? { map.oldIndexPath(of: old) }
  /// Where it is.
  public func oldIndexPath(of new: IndexPath) -> IndexPath? { map.newIndexPath(of: new) }
  /// Those that were together.
  public func evenCount(fromOld old: IndexPath) -> Int { map.evenCount(fromNew: old) }
  /// Those that are together.
  public func evenCount(fromNew new: IndexPath) -> Int { map.evenCount(fromOld: new) }
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
