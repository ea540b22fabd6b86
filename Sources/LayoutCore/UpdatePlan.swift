/// A batch update while it is checked: which places of which sequence go and come.
struct UpdatePlan {
  private let batch: BatchUpdate
  private let content: Content
  private var sections = Places()
  private var reloaded: [Int: Section] = [:]
  private var inserted: [Int: Section] = [:]
  private var map = BatchMap(
    sections: IndexMap(oldCount: 0, removed: PlaceSet(), added: PlaceSet()))
  /// By where the section was.
  private var items: [Int: Places] = [:]

  /// Checks a batch.
  ///
  /// - Throws: ``UpdateRefusal`` with the first rule that is broken.
  init(_ batch: BatchUpdate, for content: Content) throws(UpdateRefusal) {
    self.batch = batch
    self.content = content
    try addSections()
    try addItems()
    try checkExpectation()
  }

  /// What happens in one sequence: to the sections, or to the items of one section.
  private struct Places {
    /// Places before the batch; a reloaded one stays.
    var old: [(range: Range<Int>, isReload: Bool, operation: UpdateOperation)] = []
    /// Places after the batch.
    var new: [(range: Range<Int>, operation: UpdateOperation)] = []
    var movedOutCount = 0
    var movedInCount = 0

    var deletedCount: Int { removedCount - movedOutCount }
    var insertedCount: Int { addedCount - movedInCount }
    var removedCount: Int { old.reduce(0) { $0 + ($1.isReload ? 0 : $1.range.count) } }
    var addedCount: Int { new.reduce(0) { $0 + $1.range.count } }

    func map(oldCount: Int) -> IndexMap {
      IndexMap(
        oldCount: oldCount, removed: PlaceSet(old.lazy.filter { !$0.isReload }.map(\.range)),
        added: PlaceSet(new.lazy.map(\.range)))
    }
  }

  private static func refusal(
    _ operation: UpdateOperation, _ reason: String,
    repair: (@Sendable (inout BatchUpdate) -> Void)? = nil
  ) -> UpdateRefusal {
    UpdateRefusal(
      reason: "invalid update: \(reason)", operation: operation,
      repair: repair ?? { $0.remove(operation) })
  }

  // MARK: Sections

  private mutating func addSections() throws(UpdateRefusal) {
    let count = content.sections.count
    func checked(
      _ section: Int, _ operation: UpdateOperation, _ verb: String
    ) throws(UpdateRefusal) -> Range<Int> {
      guard (0..<count).contains(section) else {
        throw UpdatePlan.refusal(
          operation, "section \(section) cannot be \(verb): there are \(count) sections before")
      }
      return section..<(section + 1)
    }
    for (index, section) in batch.deleteSections.enumerated() {
      let operation = UpdateOperation.deleteSection(index)
      sections.old.append((try checked(section, operation, "deleted"), false, operation))
    }
    for (index, reload) in batch.reloadSections.enumerated() {
      let operation = UpdateOperation.reloadSection(index)
      sections.old.append((try checked(reload.at, operation, "reloaded"), true, operation))
      reloaded[reload.at] = reload.section
      map.reloadedSections[reload.at] = (
        content.sections[reload.at].decorations, reload.section.decorations
      )
    }
    for (index, move) in batch.moveSections.enumerated() {
      let operation = UpdateOperation.moveSection(index)
      sections.old.append((try checked(move.from, operation, "moved"), false, operation))
      sections.new.append((move.to..<(move.to + 1), operation))
      map.movedSections[move.from] = move.to
      map.movedSectionOrigins[move.to] = move.from
    }
    sections.movedOutCount = batch.moveSections.count
    sections.movedInCount = batch.moveSections.count
    for (index, insert) in batch.insertSections.enumerated() {
      sections.new.append((insert.at..<(insert.at + 1), .insertSection(index)))
      inserted[insert.at] = insert.section
    }
    try UpdatePlan.checkOverlaps(&sections, "section", in: nil, of: count)
    let after = count - sections.removedCount + sections.addedCount
    for (range, operation) in sections.new where !(0..<after).contains(range.lowerBound) {
      throw UpdatePlan.refusal(
        operation,
        "section \(range.lowerBound) does not exist after the update: there are \(count) sections before, +\(sections.insertedCount) inserted −\(sections.deletedCount) deleted = \(after) after",
        repair: { batch in
          switch operation {
          case .insertSection(let index): batch.insertSections[index].at = max(0, after - 1)
          default: batch.remove(operation)
          }
        })
    }
    map.sections = sections.map(oldCount: count)
  }

  /// Refuses places that are named twice.
  private static func checkOverlaps(
    _ places: inout Places, _ noun: String, in section: Int?, of count: Int
  ) throws(UpdateRefusal) {
    var inSection: String { section.map { " of section \($0)" } ?? "" }
    var before: String {
      section.map { "section \($0) has \(count) items before" }
        ?? "there are \(count) sections before"
    }
    places.old.sort { $0.range.lowerBound < $1.range.lowerBound }
    for (first, second) in zip(places.old, places.old.dropFirst())
    where second.range.lowerBound < first.range.upperBound {
      let end = first.range.upperBound
      throw UpdatePlan.refusal(
        second.operation,
        "\(noun) \(second.range.lowerBound)\(inSection) is deleted, reloaded or moved twice; \(before)",
        repair: { $0.cut(second.operation, to: end) })
    }
    places.new.sort { $0.range.lowerBound < $1.range.lowerBound }
    for (first, second) in zip(places.new, places.new.dropFirst())
    where second.range.lowerBound < first.range.upperBound {
      throw UpdatePlan.refusal(
        second.operation,
        "two \(noun)s are inserted at or moved to \(second.range.lowerBound)\(inSection); \(before)"
      )
    }
  }

  // MARK: Items

  private mutating func addItems() throws(UpdateRefusal) {
    for (index, range) in batch.deleteItems.enumerated() where range.start < range.end {
      let operation = UpdateOperation.deleteItems(index)
      try addOld(range, isReload: false, operation)
    }
    for (index, reload) in batch.reloadItems.enumerated() where reload.items.count > 0 {
      let range = ItemRange(
        section: reload.at.section, start: reload.at.item,
        end: reload.at.item + reload.items.count)
      try addOld(range, isReload: true, .reloadItems(index))
    }
    for (index, move) in batch.moveItems.enumerated() {
      let operation = UpdateOperation.moveItem(index)
      let range = ItemRange(
        section: move.from.section, start: move.from.item, end: move.from.item + 1)
      try addOld(range, isReload: false, operation)
      let section = try addNew(move.to, count: 1, operation)
      items[move.from.section]?.movedOutCount += 1
      items[section]?.movedInCount += 1
      map.movedItems[move.from] = move.to
      map.movedItemOrigins[move.to] = move.from
    }
    for (index, insert) in batch.insertItems.enumerated() where insert.items.count > 0 {
      _ = try addNew(insert.at, count: insert.items.count, .insertItems(index))
    }
    for section in items.keys.sorted() {
      // Taken out, so that it is not copied to be sorted.
      guard var places = items.removeValue(forKey: section) else { continue }
      let before = content.sections[section].items.count
      try UpdatePlan.checkOverlaps(&places, "item", in: section, of: before)
      items[section] = places
      let after = before - places.removedCount + places.addedCount
      if let last = places.new.last, last.range.upperBound > after {
        let operation = last.operation
        let fitting = after - last.range.count
        throw UpdatePlan.refusal(
          operation,
          "item \(last.range.upperBound - 1) of section \(map.newSection(of: section) ?? section) does not exist after the update: \(UpdatePlan.sum(section, before, places))",
          repair: { batch in
            switch operation {
            case .insertItems(let index) where fitting >= 0:
              batch.insertItems[index].at.item = fitting
            case .moveItem(let index) where fitting >= 0: batch.moveItems[index].to.item = fitting
            default: batch.remove(operation)
            }
          })
      }
      map.items[section] = places.map(oldCount: before)
    }
  }

  /// The sum in UIKit's words.
  private static func sum(_ section: Int, _ before: Int, _ places: Places) -> String {
    let after = before - places.removedCount + places.addedCount
    return
      "section \(section) has \(before) items before, +\(places.insertedCount) inserted −\(places.deletedCount) deleted +\(places.movedInCount) moved in −\(places.movedOutCount) moved out = \(after) after"
  }

  private mutating func addOld(
    _ range: ItemRange, isReload: Bool, _ operation: UpdateOperation
  ) throws(UpdateRefusal) {
    guard (0..<content.sections.count).contains(range.section) else {
      throw UpdatePlan.refusal(
        operation,
        "there is no section \(range.section) before: there are \(content.sections.count)")
    }
    try checkKeepsItems(range.section, operation)
    let count = content.sections[range.section].items.count
    guard range.start >= 0, range.end <= count else {
      throw UpdatePlan.refusal(
        operation,
        "item \(max(range.start, range.end - 1)) of section \(range.section) does not exist: the section has \(count) items before",
        repair: { $0.clip(operation, to: count) })
    }
    items[range.section, default: Places()].old.append(
      (range.start..<range.end, isReload, operation))
  }

  /// Adds places after the batch; returns where their section was.
  private mutating func addNew(
    _ path: IndexPath, count: Int, _ operation: UpdateOperation
  ) throws(UpdateRefusal) -> Int {
    guard (0..<map.sections.newCount).contains(path.section) else {
      throw UpdatePlan.refusal(
        operation,
        "there is no section \(path.section) after the update: there are \(map.sections.newCount)")
    }
    guard let section = map.oldSection(of: path.section) else {
      throw UpdatePlan.refusal(
        operation,
        "section \(path.section) is inserted, and comes with its \(itemCount(ofNewSection: path.section)) items"
      )
    }
    try checkKeepsItems(section, operation)
    items[section, default: Places()].new.append((path.item..<(path.item + count), operation))
    return section
  }

  private func checkKeepsItems(
    _ section: Int, _ operation: UpdateOperation
  ) throws(UpdateRefusal) {
    let count = content.sections[section].items.count
    if let new = reloaded[section] {
      throw UpdatePlan.refusal(
        operation,
        "section \(section) is reloaded: it has \(count) items before, and comes with its \(new.items.count) items"
      )
    }
    if map.newSection(of: section) == nil {
      throw UpdatePlan.refusal(
        operation, "section \(section) is deleted, with the \(count) items that it has before")
    }
  }

  // MARK: Checks on the whole

  /// How many items a section has after the batch.
  private func itemCount(ofNewSection section: Int) -> Int {
    if let new = inserted[section] { return new.items.count }
    guard let old = map.oldSection(of: section) else { return 0 }
    if let new = reloaded[old] { return new.items.count }
    return map.items[old]?.newCount ?? content.sections[old].items.count
  }

  private func checkExpectation() throws(UpdateRefusal) {
    guard let expected = batch.expectedItemCounts else { return }
    let count = map.sections.newCount
    func refuse(_ reason: String) -> UpdateRefusal {
      let counts = (0..<count).map(itemCount)
      return UpdatePlan.refusal(.expectation, reason) { $0.expectedItemCounts = counts }
    }
    guard expected.count == count else {
      throw refuse(
        "there are \(content.sections.count) sections before, +\(sections.insertedCount) inserted −\(sections.deletedCount) deleted = \(count) after; expected \(expected.count)"
      )
    }
    for section in 0..<count where itemCount(ofNewSection: section) != expected[section] {
      let sum =
        if let old = map.oldSection(of: section), reloaded[old] == nil {
          UpdatePlan.sum(old, content.sections[old].items.count, items[old] ?? Places())
        } else {
          "section \(section) comes with \(itemCount(ofNewSection: section)) items"
        }
      throw refuse("\(sum); expected \(expected[section])")
    }
  }

  // MARK: Names

  /// The names after the batch.
  ///
  /// - Parameter known: The names before it, if they are known.
  /// - Returns: Nil if they need not be known.
  /// - Throws: ``UpdateRefusal`` for a name that exists already.
  func names(from known: NameSet?) throws(UpdateRefusal) -> NameSet? {
    try checkSectionNames()
    var new: [(section: Int, items: ItemList, operation: UpdateOperation)] = []
    for (index, insert) in batch.insertSections.enumerated() {
      new.append((insert.at, insert.section.items, .insertSection(index)))
    }
    for (index, reload) in batch.reloadSections.enumerated() {
      new.append((reload.at, reload.section.items, .reloadSection(index)))
    }
    for (index, insert) in batch.insertItems.enumerated() where insert.items.ids != nil {
      new.append((insert.at.section, ItemList(insert.items), .insertItems(index)))
    }
    new.removeAll { !$0.items.hasIDs }
    guard !new.isEmpty || known != nil else { return nil }
    let names = known ?? NameSet(content)
    let removed = removedFingerprints
    let removedSet = Set(removed)
    var added: Set<UInt64> = []
    for (section, items, operation) in new {
      for item in 0..<items.count {
        guard let name = items.id(of: item) else { continue }
        let fingerprint = NameSet.fingerprint(name.utf8.span)
        let isTwice = !added.insert(fingerprint).inserted
        // A name that goes in the same batch may come again.
        guard
          isTwice
            || !removedSet.contains(fingerprint) && names.contains(fingerprint)
              && keepsItem(named: name)
        else { continue }
        throw UpdatePlan.refusal(
          operation,
          "section \(section) gets an item with the id \"\(name)\", which \(isTwice ? "is inserted twice" : "exists already"); there are \(content.sections.itemCount) items before"
        ) { $0.dropItem(item, of: operation) }
      }
    }
    return removed.isEmpty && added.isEmpty
      ? names : names.changed(removing: removed, adding: Array(added))
  }

  private func checkSectionNames() throws(UpdateRefusal) {
    let new =
      batch.insertSections.enumerated().map {
        ($1.section, $1.at, UpdateOperation.insertSection($0))
      }
      + batch.reloadSections.enumerated().map {
        ($1.section, $1.at, UpdateOperation.reloadSection($0))
      }
    guard new.contains(where: { $0.0.id != nil }) else { return }
    var names: Set<String> = []
    for (section, description) in content.sections.enumerated()
    where reloaded[section] == nil && map.newSection(of: section) != nil {
      if let id = description.id { names.insert(id) }
    }
    for (section, place, operation) in new {
      if let id = section.id, !names.insert(id).inserted {
        throw UpdatePlan.refusal(
          operation,
          "section \(place) gets the id \"\(id)\", which exists already; there are \(content.sections.count) sections before"
        ) {
          $0.dropSectionName(of: operation)
        }
      }
    }
  }

  /// The fingerprints of the names that go: of deleted items, and of sections deleted or reloaded.
  private var removedFingerprints: [UInt64] {
    var removed: [UInt64] = []
    func remove(_ range: Range<Int>, of section: Int) {
      let items = content.sections[section].items
      guard items.hasIDs, !range.isEmpty else { return }
      items.rope.forEachChunk(from: range.lowerBound) { place in
        guard place.start < range.upperBound else { return false }
        guard let ids = place.chunk.ids else { return true }
        for item in range.clamped(to: place.start..<(place.start + ids.count)) {
          removed.append(
            NameSet.fingerprint(ids.bytes.span.extracting(ids.range(of: item - place.start))))
        }
        return true
      }
    }
    for section in batch.deleteSections + batch.reloadSections.map(\.at) {
      remove(0..<content.sections[section].items.count, of: section)
    }
    // An empty range may name any section.
    for range in batch.deleteItems where range.start < range.end {
      remove(range.start..<range.end, of: range.section)
    }
    return removed
  }

  /// Whether an item that stays has a name.
  ///
  /// - Complexity: O(n): asked only where it is all but certain.
  private func keepsItem(named name: String) -> Bool {
    let wanted = Array(name.utf8)
    var isKept = false
    content.forEachID { path, other in
      guard other.count == wanted.count, other.indices.allSatisfy({ other[$0] == wanted[$0] })
      else { return true }
      isKept = map.newIndexPath(of: path) != nil
      return !isKept
    }
    return isKept
  }

  // MARK: Result

  /// The content after the batch.
  ///
  /// - Parameter names: The names there are then, if they are known.
  /// - Returns: The content, and what changed.
  func result(names: NameSet?) -> UpdatedContent {
    // Sections with other items stay where they are, and are replaced there.
    let edited = items.keys.filter { map.movedSections[$0] == nil }
    let old =
      sections.old.map { old in
        (old.range, old.isReload ? [origin(ofSection: old.range.lowerBound)] : [])
      } + edited.map { ($0..<($0 + 1), [origin(ofSection: $0)]) }
    let new = sections.new.map { (range, _) in
      let index = range.lowerBound
      return (
        range,
        inserted[index].map { (SectionOrigin.new, $0) }
          ?? origin(ofSection: map.movedSectionOrigins[index] ?? 0)
      )
    }
    var growth = 0
    var sectionEdits: [SectionEdit] = []
    var ropeEdits: [Rope<SectionRun>.Edit] = []
    for (range, sections) in UpdatePlan.edits(old: old, new: new, map.sections) {
      sectionEdits.append(
        SectionEdit(
          range: range, firstSection: range.lowerBound + growth, sections: sections.map(\.0)))
      ropeEdits.append(.init(range: range, chunks: [SectionRun(sections.map(\.1))]))
      growth += sections.count - range.count
    }
    return UpdatedContent(
      content: Content(sections: SectionList(rope: content.sections.rope.edited(ropeEdits))),
      map: map, names: names, change: ContentChange(sectionEdits: sectionEdits))
  }

  /// What becomes of a section that stays or moves.
  private func origin(ofSection section: Int) -> (SectionOrigin, Section) {
    if let new = reloaded[section] { return (.new, new) }
    var description = content.sections[section]
    guard let places = items[section], let map = map.items[section] else {
      return (.kept(section), description)
    }
    let edits = itemEdits(of: section, places, map)
    description.items = description.items.edited(edits)
    return (.edited(section, edits), description)
  }

  private func itemEdits(of section: Int, _ places: Places, _ map: IndexMap) -> [ItemEdit] {
    let new = places.new.map { (range, operation) in
      switch operation {
      case .insertItems(let index): (range, batch.insertItems[index].items)
      case .moveItem(let index):
        (range, item(at: batch.moveItems[index].from))
      default: (range, Items())
      }
    }
    // What is inserted between reloaded items parts them.
    let cuts = UpdatePlan.oldPlaces(of: new.map(\.0), in: map)
    var old: [(Range<Int>, [Items])] = []
    for place in places.old {
      guard case .reloadItems(let index) = place.operation else {
        old.append((place.range, []))
        continue
      }
      let reload = batch.reloadItems[index]
      var start = place.range.lowerBound
      let inside = partitioningIndex(cuts.count) { cuts[$0] > start }
      for end in cuts[inside...].prefix(while: { $0 < place.range.upperBound })
        + [place.range.upperBound] where end > start
      {
        let part = (start - reload.at.item)..<(end - reload.at.item)
        old.append((start..<end, renamed(reload.items.slice(part), section, from: start)))
        start = end
      }
    }
    return UpdatePlan.edits(old: old, new: new, map).map { ItemEdit(range: $0, chunks: $1) }
  }

  private func item(at path: IndexPath) -> Items {
    content.sections[path.section].items.item(path.item)
  }

  /// Reloaded items with the names that they had.
  private func renamed(_ items: Items, _ section: Int, from start: Int) -> [Items] {
    let old = content.sections[section].items
    guard old.hasIDs else { return [items] }
    var runs: [Items] = []
    old.rope.forEachChunk(from: start) { place in
      let range = (start..<(start + items.count)).clamped(
        to: place.start..<(place.start + place.chunk.count))
      guard !range.isEmpty else { return false }
      var run = items.slice((range.lowerBound - start)..<(range.upperBound - start))
      let inChunk = (range.lowerBound - place.start)..<(range.upperBound - place.start)
      run.ids = place.chunk.slice(inChunk).ids
      runs.append(run)
      return true
    }
    return runs
  }

  /// The places before the batch that what is added goes in front of.
  private static func oldPlaces(of added: [Range<Int>], in map: IndexMap) -> [Int] {
    var before = 0
    return added.map { range in
      let place = map.removed.place(outside: range.lowerBound - before)
      before += range.count
      return min(place, map.oldCount)
    }
  }

  /// What goes and what comes as edits of the old sequence, in order.
  ///
  /// - Parameters:
  ///   - old: Ranges before, and what takes their place; in any order.
  ///   - new: Ranges after, in ascending order, and what is there.
  ///   - map: How the places go together.
  /// - Returns: Ranges before, and what takes their place, in ascending order.
  private static func edits<Payload>(
    old: [(Range<Int>, [Payload])], new: [(Range<Int>, Payload)], _ map: IndexMap
  ) -> [(Range<Int>, [Payload])] {
    let old = old.sorted { $0.0.lowerBound < $1.0.lowerBound }
    let places = oldPlaces(of: new.map(\.0), in: map)
    var edits: [(Range<Int>, [Payload])] = []
    var next = 0
    func insert(upTo place: Int) {
      while next < new.count, places[next] <= place {
        // Compared without holding on to the last edit, which would be copied for each.
        if edits.last?.0 == places[next]..<places[next] {
          edits[edits.count - 1].1.append(new[next].1)
        } else {
          edits.append((places[next]..<places[next], [new[next].1]))
        }
        next += 1
      }
    }
    for edit in old {
      insert(upTo: edit.0.lowerBound)
      edits.append(edit)
    }
    insert(upTo: map.oldCount)
    return edits
  }
}

// MARK: - Repairs

extension BatchUpdate {
  /// Leaves of an operation only what begins at an item or section, or is after it.
  fileprivate mutating func cut(_ operation: UpdateOperation, to start: Int) {
    switch operation {
    case .deleteItems(let index) where deleteItems[index].end > start:
      deleteItems[index].start = start
    case .reloadItems(let index)
    where reloadItems[index].at.item + reloadItems[index].items.count > start:
      let items = reloadItems[index].items
      let dropped = start - reloadItems[index].at.item
      reloadItems[index].at.item = start
      reloadItems[index].items = items.slice(dropped..<items.count)
    default: remove(operation)
    }
  }

  /// Leaves of an operation only what is inside a section of so many items.
  fileprivate mutating func clip(_ operation: UpdateOperation, to count: Int) {
    switch operation {
    case .deleteItems(let index) where (0..<count).contains(deleteItems[index].start):
      deleteItems[index].end = min(deleteItems[index].end, count)
    case .reloadItems(let index) where (0..<count).contains(reloadItems[index].at.item):
      let items = reloadItems[index].items
      let room = count - reloadItems[index].at.item
      reloadItems[index].items = items.slice(0..<min(items.count, room))
    default: remove(operation)
    }
  }

  /// Takes one of the items out that an operation brings.
  fileprivate mutating func dropItem(_ item: Int, of operation: UpdateOperation) {
    let edit = ItemEdit(range: item..<(item + 1), chunks: [])
    switch operation {
    case .insertItems(let index):
      insertItems[index].items = insertItems[index].items.removing(item)
    case .insertSection(let index):
      insertSections[index].section.items = insertSections[index].section.items.edited([edit])
    case .reloadSection(let index):
      reloadSections[index].section.items = reloadSections[index].section.items.edited([edit])
    default: remove(operation)
    }
  }

  /// Takes the name from the section that an operation brings.
  fileprivate mutating func dropSectionName(of operation: UpdateOperation) {
    switch operation {
    case .insertSection(let index): insertSections[index].section.id = nil
    case .reloadSection(let index): reloadSections[index].section.id = nil
    default: remove(operation)
    }
  }
}
