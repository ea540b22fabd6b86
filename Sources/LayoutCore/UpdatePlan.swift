/// A batch update while it is checked: which places of which sequence go and come.
///
/// Most batches change one item, so there are no tables that take longer to make than to use: places
/// are sorted, and found by bisection. Not to be copied: there is a lot of it.
struct UpdatePlan: ~Copyable {
  let content: Content
  private(set) var sections = Places()
  private(set) var reloaded: [Int: Section] = [:]
  private(set) var inserted: [Int: Section] = [:]
  private(set) var map = BatchMap(sections: IndexMap(oldCount: 0))
  /// Of items, ascending by where they were.
  private var oldItems: [OldPlace] = []
  /// Of items, ascending by where their sections were and where they come.
  private var newItems: [NewPlace] = []
  /// The section that was last found to keep its items.
  private var kept: (section: Int, itemCount: Int)?

  /// Checks a batch.
  ///
  /// - Throws: ``UpdateRefusal`` with the first rule that is broken.
  init(_ batch: BatchUpdate, for content: Content) throws(UpdateRefusal) {
    self.content = content
    try addSections(of: batch)
    try addItems(of: batch)
    try checkExpectation(of: batch)
  }

  /// Places before the batch that something happens to.
  struct OldPlace {
    /// Where the section of these items was; 0 for sections.
    var section: Int
    var range: Range<Int>
    var operation: UpdateOperation

    /// Whether they stay, and are others.
    var isReload: Bool { operation.isReload }
  }

  /// Places after the batch of what is inserted or moved there.
  struct NewPlace {
    /// Where the section of these items was; 0 for sections.
    var section: Int
    var range: Range<Int>
    var operation: UpdateOperation
  }

  /// What happens in one sequence: to the sections, or to the items of one section.
  struct Places {
    /// Where the section of these items was; 0 for sections.
    var section = 0
    /// Ascending.
    var old: ArraySlice<OldPlace> = []
    /// Ascending.
    var new: ArraySlice<NewPlace> = []

    var deletedCount: Int { removedCount - movedOutCount }
    var insertedCount: Int { addedCount - movedInCount }
    var removedCount: Int { old.reduce(0) { $0 + ($1.isReload ? 0 : $1.range.count) } }
    var addedCount: Int { new.reduce(0) { $0 + $1.range.count } }
    /// How many there are after the batch, of so many before it.
    func countAfter(_ before: Int) -> Int { before - removedCount + addedCount }

    var movedOutCount: Int { old.count { $0.operation.isMove } }
    var movedInCount: Int { new.count { $0.operation.isMove } }

    /// What is to come elsewhere, so that all that is added has a place of its own.
    ///
    /// As many as can be stay where they are. The others come behind what is in their place, as near as they can
    /// be, or before it if there is no room there. Where that is not in one piece, or they are many, all close up.
    ///
    /// - Parameter end: Before which they all have to be; they have room there together.
    /// - Returns: What moves, and where to.
    /// - Complexity: O(n · log n) for n that are added.
    func arrangement(before end: Int) -> [(operation: UpdateOperation, place: Int)] {
      var kept: [Range<Int>] = []
      var others: [NewPlace] = []
      // Who ends first leaves the others the most.
      for place in new.sorted(by: { $0.range.upperBound < $1.range.upperBound }) {
        let isFree = place.range.lowerBound >= kept.last?.upperBound ?? 0
        if isFree, place.range.upperBound <= end {
          kept.append(place.range)
        } else {
          others.append(place)
        }
      }
      guard others.count <= Places.mostMoved else { return closedUp(before: end) }
      others.sort { $0.range.lowerBound < $1.range.lowerBound }
      var moves: [(operation: UpdateOperation, place: Int)] = []
      func move(_ place: NewPlace, behind: Bool) -> Bool {
        guard let room = Places.room(for: place.range, behind, among: kept, before: end) else {
          return false
        }
        kept.insert(room.start..<(room.start + place.range.count), at: room.index)
        moves.append((place.operation, room.start))
        return true
      }
      others.removeAll { move($0, behind: true) }
      // Who is last comes last there, too.
      for place in others.reversed() where !move(place, behind: false) {
        return closedUp(before: end)
      }
      return moves
    }

    /// For so many room is looked for among all others.
    private static var mostMoved: Int { 64 }

    /// Where a range has room among others, and which of them is the next.
    ///
    /// - Parameters:
    ///   - range: Where it is now.
    ///   - isBehind: Whether it is to be there or behind, as near as it can be; else as near to the end.
    ///   - others: Ascending, apart.
    ///   - end: Before which it has to be.
    /// - Returns: Where it has room; nil if it has none.
    private static func room(
      for range: Range<Int>, _ isBehind: Bool, among others: [Range<Int>], before end: Int
    ) -> (index: Int, start: Int)? {
      var last: (index: Int, start: Int)?
      var gapStart = isBehind ? range.lowerBound : 0
      for index in 0...others.count {
        let gapEnd = index < others.count ? others[index].lowerBound : end
        if gapStart + range.count <= gapEnd {
          if isBehind { return (index, gapStart) }
          last = (index, gapEnd - range.count)
        }
        if index < others.count { gapStart = max(gapStart, others[index].upperBound) }
      }
      return last
    }

    /// The same, with all in their order, each as near to its place as those before it let it be.
    private func closedUp(before end: Int) -> [(operation: UpdateOperation, place: Int)] {
      var starts: [Int] = []
      var place = 0
      for other in new {
        starts.append(max(place, other.range.lowerBound))
        place = starts[starts.count - 1] + other.range.count
      }
      place = end
      for (index, other) in zip(starts.indices, new).reversed() {
        starts[index] = min(starts[index], place - other.range.count)
        place = starts[index]
      }
      return zip(new, starts).compactMap { $0.range.lowerBound == $1 ? nil : ($0.operation, $1) }
    }

    func map(oldCount: Int) -> IndexMap {
      IndexMap(
        oldCount: oldCount,
        removed: PlaceSet(old.lazy.filter { !$0.isReload }.map { $0.range }, capacity: old.count),
        added: PlaceSet(new.lazy.map { $0.range }, capacity: new.count))
    }
  }

  static func refusal(
    _ operation: UpdateOperation, _ reason: String,
    repair: (@Sendable (inout BatchUpdate) -> Void)? = nil
  ) -> UpdateRefusal {
    UpdateRefusal(
      reason: "invalid update: \(reason)", operation: operation,
      repair: repair ?? { $0.remove(operation) })
  }

  // MARK: Sections

  private mutating func addSections(of batch: BatchUpdate) throws(UpdateRefusal) {
    let count = content.sections.count
    guard batch.changesSections else {
      map.sections = IndexMap(oldCount: count)
      return
    }
    var old: [OldPlace] = []
    var new: [NewPlace] = []
    func add(
      _ section: Int, _ operation: UpdateOperation, _ verb: String
    ) throws(UpdateRefusal) {
      guard (0..<count).contains(section) else {
        throw UpdatePlan.refusal(
          operation, "section \(section) cannot be \(verb): there are \(count) sections before")
      }
      old.append(OldPlace(section: 0, range: section..<(section + 1), operation: operation))
    }
    for (index, section) in batch.deleteSections.enumerated() {
      try add(section, .deleteSection(index), "deleted")
    }
    for (index, reload) in batch.reloadSections.enumerated() {
      try add(reload.at, .reloadSection(index), "reloaded")
      reloaded[reload.at] = reload.section
      map.reloadedSections[reload.at] = (
        content.sections[reload.at].decorations, reload.section.decorations
      )
    }
    for (index, move) in batch.moveSections.enumerated() {
      let operation = UpdateOperation.moveSection(index)
      try add(move.from, operation, "moved")
      new.append(NewPlace(section: 0, range: move.to..<(move.to + 1), operation: operation))
      map.movedSections[move.from] = move.to
      map.movedSectionOrigins[move.to] = move.from
    }
    for (index, insert) in batch.insertSections.enumerated() {
      new.append(
        NewPlace(
          section: 0, range: insert.at..<(insert.at + 1), operation: .insertSection(index)))
      inserted[insert.at] = insert.section
    }
    old.sort { $0.range.lowerBound < $1.range.lowerBound }
    new.sort { $0.range.lowerBound < $1.range.lowerBound }
    sections = Places(old: old[...], new: new[...])
    try UpdatePlan.checkOverlaps(sections, "section", of: count)
    let after = sections.countAfter(count)
    if let last = new.last, last.range.lowerBound >= after {
      let operation = last.operation
      throw UpdatePlan.refusal(
        operation,
        "section \(last.range.lowerBound) does not exist after the update: there are \(count) sections before, +\(sections.insertedCount) inserted −\(sections.deletedCount) deleted = \(after) after",
        repair: { [sections] in $0.put(sections.arrangement(before: after)) })
    }
    map.sections = sections.map(oldCount: count)
  }

  /// Refuses places that are named twice.
  ///
  /// - Parameters:
  ///   - places: The places.
  ///   - noun: What is there.
  ///   - section: Where the section of these items was, and where it is after the batch; nil for sections.
  ///   - count: How many there are before the batch.
  /// - Throws: ``UpdateRefusal`` that puts the second elsewhere, or leaves of it what is not the first's.
  private static func checkOverlaps(
    _ places: Places, _ noun: String, in section: (old: Int, new: Int)? = nil, of count: Int
  ) throws(UpdateRefusal) {
    func inSection(_ number: Int?) -> String { number.map { " of section \($0)" } ?? "" }
    var before: String {
      section.map { "section \($0.old) has \(count) items before" }
        ?? "there are \(count) sections before"
    }
    for index in places.old.indices.dropFirst()
    where places.old[index].range.lowerBound < places.old[index - 1].range.upperBound {
      let second = places.old[index]
      let end = places.old[index - 1].range.upperBound
      throw UpdatePlan.refusal(
        second.operation,
        "\(noun) \(second.range.lowerBound)\(inSection(section?.old)) is deleted, reloaded or moved twice; \(before)",
        repair: { $0.cut(second.operation, to: end) })
    }
    for index in places.new.indices.dropFirst()
    where places.new[index].range.lowerBound < places.new[index - 1].range.upperBound {
      let second = places.new[index]
      let after = places.countAfter(count)
      throw UpdatePlan.refusal(
        second.operation,
        "two \(noun)s are inserted at or moved to \(second.range.lowerBound)\(inSection(section?.new)) after the update; \(before)",
        repair: { $0.put(places.arrangement(before: after)) })
    }
  }

  // MARK: Items

  private mutating func addItems(of batch: BatchUpdate) throws(UpdateRefusal) {
    if let deletions = deletions(of: batch) {
      map.items.append(deletions)
      return
    }
    var old: [OldPlace] = []
    old.reserveCapacity(
      batch.deleteItems.count + batch.reloadItems.count + batch.moveItems.count)
    var new: [NewPlace] = []
    for (index, range) in batch.deleteItems.enumerated() where range.start < range.end {
      old.append(try oldPlace(range, .deleteItems(index)))
    }
    for index in batch.reloadItems.indices {
      let count = batch.reloadItems[index].items.count
      guard count > 0 else { continue }
      let at = batch.reloadItems[index].at
      let range = ItemRange(section: at.section, start: at.item, end: at.item + count)
      old.append(try oldPlace(range, .reloadItems(index)))
    }
    for (index, move) in batch.moveItems.enumerated() {
      let operation = UpdateOperation.moveItem(index)
      let range = ItemRange(
        section: move.from.section, start: move.from.item, end: move.from.item + 1)
      old.append(try oldPlace(range, operation))
      new.append(try newPlace(move.to, count: 1, operation))
      map.movedItems[move.from] = move.to
      map.movedItemOrigins[move.to] = move.from
    }
    for index in batch.insertItems.indices {
      let count = batch.insertItems[index].items.count
      guard count > 0 else { continue }
      new.append(try newPlace(batch.insertItems[index].at, count: count, .insertItems(index)))
    }
    old.sortIfNeeded { ($0.section, $0.range.lowerBound) < ($1.section, $1.range.lowerBound) }
    new.sortIfNeeded { ($0.section, $0.range.lowerBound) < ($1.section, $1.range.lowerBound) }
    (oldItems, newItems) = (old, new)
    var oldRest = old[...]
    var newRest = new[...]
    while !oldRest.isEmpty || !newRest.isEmpty {
      let section = min(oldRest.first?.section ?? .max, newRest.first?.section ?? .max)
      let places = Places(
        section: section, old: oldRest.popPrefix { $0.section == section },
        new: newRest.popPrefix { $0.section == section })
      let before = itemCount(ofOldSection: section)
      try UpdatePlan.checkOverlaps(
        places, "item", in: (section, self.map.newSection(of: section) ?? section), of: before)
      let map = places.map(oldCount: before)
      if let last = places.new.last, last.range.upperBound > map.newCount {
        throw refusal(of: last, in: places, map)
      }
      self.map.items.append((section, map))
    }
  }

  /// What becomes of a section's items where a batch does nothing but delete some of them, in order: all that
  /// has to be known of it then.
  ///
  /// - Parameter batch: The batch.
  /// - Returns: The section; nil if the batch does anything else, or breaks a rule.
  private func deletions(of batch: BatchUpdate) -> (section: Int, map: IndexMap)? {
    guard let section = batch.deleteItems.first?.section, batch.onlyDeletesItems,
      content.sections.indices.contains(section)
    else { return nil }
    var removed = PlaceSet(capacity: batch.deleteItems.count)
    var end = 0
    for range in batch.deleteItems {
      guard range.section == section, range.start >= end, range.start < range.end else {
        return nil
      }
      end = range.end
      removed.append(range.start..<end)
    }
    let count = content.sections.itemCount(ofSection: section)
    guard end <= count else { return nil }
    return (section, IndexMap(oldCount: count, removed: removed))
  }

  /// Refuses items that are added past the end of their section.
  private func refusal(of last: NewPlace, in places: Places, _ items: IndexMap) -> UpdateRefusal {
    let section = places.section
    let operation = last.operation
    return UpdatePlan.refusal(
      operation,
      "item \(last.range.upperBound - 1) of section \(map.newSection(of: section) ?? section) does not exist after the update: \(UpdatePlan.sum(places, items))",
      repair: { $0.put(places.arrangement(before: items.newCount)) })
  }

  /// The sum of a section's items in UIKit's words.
  private static func sum(_ places: Places, _ map: IndexMap) -> String {
    let (movedIn, movedOut) = (places.movedInCount, places.movedOutCount)
    return
      "section \(places.section) has \(map.oldCount) items before, +\(map.added.count - movedIn) inserted −\(map.removed.count - movedOut) deleted +\(movedIn) moved in −\(movedOut) moved out = \(map.newCount) after"
  }

  @inline(__always)
  private mutating func oldPlace(
    _ range: ItemRange, _ operation: UpdateOperation
  ) throws(UpdateRefusal) -> OldPlace {
    let isKept = kept.map { $0.section == range.section && range.end <= $0.itemCount } ?? false
    if !isKept || range.start < 0 { try check(range, operation) }
    return OldPlace(
      section: range.section, range: range.start..<range.end, operation: operation)
  }

  /// Refuses items that do not exist before the batch, or go with their section.
  @inline(never)
  private mutating func check(
    _ range: ItemRange, _ operation: UpdateOperation
  ) throws(UpdateRefusal) {
    guard (0..<content.sections.count).contains(range.section) else {
      throw UpdatePlan.refusal(
        operation,
        "there is no section \(range.section) before: there are \(content.sections.count)")
    }
    let count = try itemCount(ofKeptSection: range.section, operation)
    guard range.start >= 0, range.end <= count else {
      throw UpdatePlan.refusal(
        operation,
        "item \(max(range.start, range.end - 1)) of section \(range.section) does not exist: the section has \(count) items before",
        repair: { $0.clip(operation, to: count) })
    }
  }

  private mutating func newPlace(
    _ path: IndexPath, count: Int, _ operation: UpdateOperation
  ) throws(UpdateRefusal) -> NewPlace {
    guard (0..<map.sections.newCount).contains(path.section) else {
      throw UpdatePlan.refusal(
        operation,
        "there is no section \(path.section) after the update: there are \(map.sections.newCount)")
    }
    guard let section = map.oldSection(of: path.section) else {
      throw UpdatePlan.refusal(
        operation,
        "section \(path.section) is inserted, and comes with its \(itemCount(ofNewSection: path.section)) items",
        repair: { $0.removeItemOperations(before: nil, after: path.section) })
    }
    _ = try itemCount(ofKeptSection: section, operation)
    return NewPlace(
      section: section, range: path.item..<(path.item + count), operation: operation)
  }

  /// How many items a section has before the batch, which keeps them.
  private mutating func itemCount(
    ofKeptSection section: Int, _ operation: UpdateOperation
  ) throws(UpdateRefusal) -> Int {
    // Nearly always all operations are in one section.
    if let kept, kept.section == section { return kept.itemCount }
    let count = itemCount(ofOldSection: section)
    let newSection = map.newSection(of: section)
    func refuse(_ reason: String) -> UpdateRefusal {
      UpdatePlan.refusal(operation, reason) {
        $0.removeItemOperations(before: section, after: newSection)
      }
    }
    if let new = reloaded[section] {
      throw refuse(
        "section \(section) is reloaded: it has \(count) items before, and comes with its \(new.items.count) items"
      )
    }
    guard newSection != nil else {
      throw refuse("section \(section) is deleted, with the \(count) items that it has before")
    }
    kept = (section, count)
    return count
  }

  /// How many items a section has before the batch.
  private func itemCount(ofOldSection section: Int) -> Int {
    if let kept, kept.section == section { return kept.itemCount }
    return content.sections.itemCount(ofSection: section)
  }

  // MARK: Checks on the whole

  /// How many items a section has after the batch.
  private func itemCount(ofNewSection section: Int) -> Int {
    if let new = inserted[section] { return new.items.count }
    guard let old = map.oldSection(of: section) else { return 0 }
    if let new = reloaded[old] { return new.items.count }
    return map.items(ofOldSection: old)?.newCount ?? content.sections.itemCount(ofSection: old)
  }

  /// How many items each section has after the batch.
  ///
  /// - Complexity: O(s) for s sections; O(s · log s) if sections change as a whole.
  private func itemCounts(after batch: BatchUpdate) -> [Int] {
    let count = map.sections.newCount
    guard !batch.changesSections else { return (0..<count).map { itemCount(ofNewSection: $0) } }
    var counts: [Int] = []
    counts.reserveCapacity(count)
    content.sections.forEachItemCount { counts.append($0) }
    for (section, _) in map.items { counts[section] = itemCount(ofNewSection: section) }
    return counts
  }

  /// What happens to the items of a section; nothing is kept of deletions where there is nothing else.
  ///
  /// - Complexity: O(log k) for k operations.
  func places(ofOldSection section: Int) -> Places {
    Places(
      section: section, old: oldItems.run(ofSection: section) { $0.section },
      new: newItems.run(ofSection: section) { $0.section })
  }

  private func checkExpectation(of batch: BatchUpdate) throws(UpdateRefusal) {
    guard let expected = batch.expectedItemCounts else { return }
    let counts = itemCounts(after: batch)
    let count = counts.count
    func refuse(_ reason: String) -> UpdateRefusal {
      UpdatePlan.refusal(.expectation, reason) { $0.expectedItemCounts = counts }
    }
    guard expected.count == count else {
      throw refuse(
        "there are \(content.sections.count) sections before, +\(sections.insertedCount) inserted −\(sections.deletedCount) deleted = \(count) after; expected \(expected.count)"
      )
    }
    for section in 0..<count where counts[section] != expected[section] {
      let sum =
        if let old = map.oldSection(of: section), reloaded[old] == nil {
          UpdatePlan.sum(
            places(ofOldSection: old),
            map.items(ofOldSection: old) ?? IndexMap(oldCount: itemCount(ofOldSection: old)))
        } else {
          "section \(section) comes with \(counts[section]) items"
        }
      throw refuse("\(sum); expected \(expected[section])")
    }
  }
}

extension Array {
  /// Sorts, unless all is in order, as it nearly always is.
  fileprivate mutating func sortIfNeeded(by isBefore: (Element, Element) -> Bool) {
    if indices.dropFirst().contains(where: { isBefore(self[$0], self[$0 - 1]) }) {
      sort(by: isBefore)
    }
  }

  /// Those of one section, where they ascend by section.
  fileprivate func run(
    ofSection section: Int, _ sectionOf: (Element) -> Int
  ) -> ArraySlice<Element> {
    let start = partitioningIndex(count) { sectionOf(self[$0]) >= section }
    let end = partitioningIndex(count) { sectionOf(self[$0]) > section }
    return self[start..<end]
  }
}

extension ArraySlice {
  /// Takes the first elements off for which something holds, as it does for no others.
  fileprivate mutating func popPrefix(while holds: (Element) -> Bool) -> ArraySlice {
    // Mostly it holds for all.
    if let last, holds(last) {
      defer { self = [] }
      return self
    }
    let end = firstIndex { !holds($0) } ?? endIndex
    let prefix = self[..<end]
    self = self[end...]
    return prefix
  }
}

extension UpdateOperation {
  fileprivate var isMove: Bool {
    switch self {
    case .moveSection, .moveItem: true
    default: false
    }
  }

  fileprivate var isReload: Bool {
    switch self {
    case .reloadSection, .reloadItems: true
    default: false
    }
  }
}

extension BatchUpdate {
  /// Takes out what would happen to the items of a section that comes or goes as a whole.
  ///
  /// - Parameters:
  ///   - old: Where it is before the batch; nil if it is not.
  ///   - new: Where it is after it; nil if it is not.
  fileprivate mutating func removeItemOperations(before old: Int?, after new: Int?) {
    deleteItems.removeAll { $0.section == old }
    reloadItems.removeAll { $0.at.section == old }
    moveItems.removeAll { $0.from.section == old || $0.to.section == new }
    insertItems.removeAll { $0.at.section == new }
  }

  /// Whether there are operations on sections as a whole.
  var changesSections: Bool {
    !(deleteSections.isEmpty && insertSections.isEmpty && moveSections.isEmpty
      && reloadSections.isEmpty)
  }

  /// Whether there are no other operations than deletions of items.
  fileprivate var onlyDeletesItems: Bool {
    !changesSections && insertItems.isEmpty && moveItems.isEmpty && reloadItems.isEmpty
  }
}
