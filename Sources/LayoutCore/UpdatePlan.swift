/// A batch update while it is checked: which places of which sequence go and come.
///
/// Most batches change one item, so there are no tables that take longer to make than to use: places
/// are sorted, and found by bisection. Not to be copied: there is a lot of it.
struct UpdatePlan: ~Copyable {
  private let batch: BatchUpdate
  private let content: Content
  private var sections = Places()
  private var reloaded: [Int: Section] = [:]
  private var inserted: [Int: Section] = [:]
  private var map = BatchMap(
    sections: IndexMap(oldCount: 0, removed: PlaceSet(), added: PlaceSet()))
  /// Of sections of which items change, ascending by where they were.
  private var items: [Places] = []
  /// The section that was last found to keep its items.
  private var kept: (section: Int, itemCount: Int)?

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

  /// Places before the batch that something happens to.
  private struct OldPlace {
    /// Where the section of these items was; 0 for sections.
    var section: Int
    var range: Range<Int>
    /// Whether they stay, and are others.
    var isReload: Bool
    var operation: UpdateOperation
  }

  /// Places after the batch of what is inserted or moved there.
  private struct NewPlace {
    /// Where the section of these items was; 0 for sections.
    var section: Int
    var range: Range<Int>
    var operation: UpdateOperation
  }

  /// What happens in one sequence: to the sections, or to the items of one section.
  private struct Places {
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
    var movedOutCount: Int { old.count { $0.operation.isMove } }
    var movedInCount: Int { new.count { $0.operation.isMove } }

    func map(oldCount: Int) -> IndexMap {
      IndexMap(
        oldCount: oldCount, removed: PlaceSet(old.lazy.filter { !$0.isReload }.map { $0.range }),
        added: PlaceSet(new.lazy.map { $0.range }))
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
    guard batch.changesSections else {
      map.sections = IndexMap(oldCount: count, removed: PlaceSet(), added: PlaceSet())
      return
    }
    var old: [OldPlace] = []
    var new: [NewPlace] = []
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
      old.append(
        OldPlace(
          section: 0, range: try checked(section, operation, "deleted"), isReload: false,
          operation: operation))
    }
    for (index, reload) in batch.reloadSections.enumerated() {
      let operation = UpdateOperation.reloadSection(index)
      old.append(
        OldPlace(
          section: 0, range: try checked(reload.at, operation, "reloaded"), isReload: true,
          operation: operation))
      reloaded[reload.at] = reload.section
      map.reloadedSections[reload.at] = (
        content.sections[reload.at].decorations, reload.section.decorations
      )
    }
    for (index, move) in batch.moveSections.enumerated() {
      let operation = UpdateOperation.moveSection(index)
      old.append(
        OldPlace(
          section: 0, range: try checked(move.from, operation, "moved"), isReload: false,
          operation: operation))
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
    try UpdatePlan.checkOverlaps(sections, "section", in: nil, of: count)
    let after = count - sections.removedCount + sections.addedCount
    for place in new where !(0..<after).contains(place.range.lowerBound) {
      let (range, operation) = (place.range, place.operation)
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
    _ places: Places, _ noun: String, in section: Int?, of count: Int
  ) throws(UpdateRefusal) {
    var inSection: String { section.map { " of section \($0)" } ?? "" }
    var before: String {
      section.map { "section \($0) has \(count) items before" }
        ?? "there are \(count) sections before"
    }
    for (first, second) in zip(places.old, places.old.dropFirst())
    where second.range.lowerBound < first.range.upperBound {
      let end = first.range.upperBound
      throw UpdatePlan.refusal(
        second.operation,
        "\(noun) \(second.range.lowerBound)\(inSection) is deleted, reloaded or moved twice; \(before)",
        repair: { $0.cut(second.operation, to: end) })
    }
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
    var old: [OldPlace] = []
    old.reserveCapacity(
      batch.deleteItems.count + batch.reloadItems.count + batch.moveItems.count)
    var new: [NewPlace] = []
    for (index, range) in batch.deleteItems.enumerated() where range.start < range.end {
      old.append(try oldPlace(range, isReload: false, .deleteItems(index)))
    }
    for index in batch.reloadItems.indices {
      let count = batch.reloadItems[index].items.count
      guard count > 0 else { continue }
      let at = batch.reloadItems[index].at
      let range = ItemRange(section: at.section, start: at.item, end: at.item + count)
      old.append(try oldPlace(range, isReload: true, .reloadItems(index)))
    }
    for (index, move) in batch.moveItems.enumerated() {
      let operation = UpdateOperation.moveItem(index)
      let range = ItemRange(
        section: move.from.section, start: move.from.item, end: move.from.item + 1)
      old.append(try oldPlace(range, isReload: false, operation))
      new.append(try newPlace(move.to, count: 1, operation))
      map.movedItems[move.from] = move.to
      map.movedItemOrigins[move.to] = move.from
    }
    for index in batch.insertItems.indices {
      let count = batch.insertItems[index].items.count
      guard count > 0 else { continue }
      new.append(try newPlace(batch.insertItems[index].at, count: count, .insertItems(index)))
    }
    old.sort { ($0.section, $0.range.lowerBound) < ($1.section, $1.range.lowerBound) }
    new.sort { ($0.section, $0.range.lowerBound) < ($1.section, $1.range.lowerBound) }
    var oldRest = old[...]
    var newRest = new[...]
    while !oldRest.isEmpty || !newRest.isEmpty {
      let section = min(oldRest.first?.section ?? .max, newRest.first?.section ?? .max)
      let places = Places(
        section: section, old: oldRest.popPrefix { $0.section == section },
        new: newRest.popPrefix { $0.section == section })
      let before = itemCount(ofOldSection: section)
      try UpdatePlan.checkOverlaps(places, "item", in: section, of: before)
      let map = places.map(oldCount: before)
      if let last = places.new.last, last.range.upperBound > map.newCount {
        throw refusal(of: last, in: places, before: before, after: map.newCount)
      }
      items.append(places)
      self.map.items.append((section, map))
    }
  }

  /// Refuses items that are added past the end of their section.
  private func refusal(
    of last: NewPlace, in places: Places, before: Int, after: Int
  ) -> UpdateRefusal {
    let section = places.section
    let operation = last.operation
    let fitting = after - last.range.count
    return UpdatePlan.refusal(
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

  /// The sum in UIKit's words.
  private static func sum(_ section: Int, _ before: Int, _ places: Places) -> String {
    let after = before - places.removedCount + places.addedCount
    return
      "section \(section) has \(before) items before, +\(places.insertedCount) inserted −\(places.deletedCount) deleted +\(places.movedInCount) moved in −\(places.movedOutCount) moved out = \(after) after"
  }

  @inline(__always)
  private mutating func oldPlace(
    _ range: ItemRange, isReload: Bool, _ operation: UpdateOperation
  ) throws(UpdateRefusal) -> OldPlace {
    let isKept = kept.map { $0.section == range.section && range.end <= $0.itemCount } ?? false
    if !isKept || range.start < 0 { try check(range, operation) }
    return OldPlace(
      section: range.section, range: range.start..<range.end, isReload: isReload,
      operation: operation)
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
        "section \(path.section) is inserted, and comes with its \(itemCount(ofNewSection: path.section)) items"
      )
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

  /// What happens to the items of a section; nil if nothing does.
  private func places(ofOldSection old: Int) -> Places? {
    index(ofOldSection: old).map { items[$0] }
  }

  /// Where a section is in ``items``, and among the maps; nil if it is not.
  private func index(ofOldSection old: Int) -> Int? {
    sortedIndex(of: old, among: items.count) { items[$0].section }
  }

  private func checkExpectation() throws(UpdateRefusal) {
    guard let expected = batch.expectedItemCounts else { return }
    let count = map.sections.newCount
    func refuse(_ reason: String) -> UpdateRefusal {
      let counts = (0..<count).map { itemCount(ofNewSection: $0) }
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
          UpdatePlan.sum(
            old, content.sections.itemCount(ofSection: old), places(ofOldSection: old) ?? Places()
          )
        } else {
          "section \(section) comes with \(itemCount(ofNewSection: section)) items"
        }
      throw refuse("\(sum); expected \(expected[section])")
    }
  }

  // MARK: Names

  /// The names after the batch.
  ///
  /// - Parameter collected: The names before it, to be collected where they have to be known.
  /// - Returns: Those that had to be known, for this batch or one before.
  /// - Throws: ``UpdateRefusal`` for a name that exists already.
  func names(from collected: CollectedNames) throws(UpdateRefusal) -> KnownNames {
    // Sections first, as everywhere.
    let sections = try sectionNames(from: collected)
    return KnownNames(sections: sections, items: try itemNames(from: collected))
  }

  private func sectionNames(from collected: CollectedNames) throws(UpdateRefusal) -> NameSet? {
    let new = describedSections.filter { $0.section.id != nil }
    guard !new.isEmpty || collected.known.sections != nil else { return nil }
    var change = NameChange(
      of: collected.sectionNames(of: content), removing: removedSectionFingerprints)
    for (place, section, operation) in new {
      guard let name = section.id, change.add(NameSet.fingerprint(name.utf8.span)) != nil else {
        continue
      }
      throw UpdatePlan.refusal(
        operation,
        "section \(place) gets the id \"\(name)\", which exists already; there are \(content.sections.count) sections before"
      ) {
        $0.dropSectionName(of: operation)
      }
    }
    return change.result
  }

  private func itemNames(from collected: CollectedNames) throws(UpdateRefusal) -> NameSet? {
    var new = describedSections.map {
      (section: $0.place, items: $0.section.items, operation: $0.operation)
    }
    for (index, insert) in batch.insertItems.enumerated() where insert.items.ids != nil {
      new.append((insert.at.section, ItemList(insert.items), .insertItems(index)))
    }
    new.removeAll { !$0.items.hasIDs }
    guard !new.isEmpty || collected.known.items != nil else { return nil }
    var change = NameChange(
      of: collected.itemNames(of: content), removing: removedItemFingerprints)
    for (section, items, operation) in new {
      for item in 0..<items.count {
        guard let name = items.id(of: item),
          let conflict = change.add(NameSet.fingerprint(name.utf8.span))
        else { continue }
        throw UpdatePlan.refusal(
          operation,
          "section \(section) gets an item with the id \"\(name)\", which \(conflict == .isAddedTwice ? "is inserted twice" : "exists already"); there are \(content.sections.itemCount) items before"
        ) { $0.dropItem(item, of: operation) }
      }
    }
    return change.result
  }

  /// The sections that the batch describes: where they come, and what says so.
  private var describedSections: [(place: Int, section: Section, operation: UpdateOperation)] {
    batch.insertSections.enumerated().map { ($1.at, $1.section, .insertSection($0)) }
      + batch.reloadSections.enumerated().map { ($1.at, $1.section, .reloadSection($0)) }
  }

  /// The sections of which nothing is left but, where they are reloaded, the place.
  private var replacedSections: [Int] { batch.deleteSections + batch.reloadSections.map(\.at) }

  private var removedSectionFingerprints: [UInt64] {
    replacedSections.compactMap { section in
      content.sections[section].id.map { NameSet.fingerprint($0.utf8.span) }
    }
  }

  /// Of items that are deleted, and of all items of sections that are deleted or reloaded.
  private var removedItemFingerprints: [UInt64] {
    var removed: [UInt64] = []
    func remove(_ range: Range<Int>, of section: Int) {
      let items = content.sections.items(ofSection: section)
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
    for section in replacedSections {
      remove(0..<content.sections.itemCount(ofSection: section), of: section)
    }
    // An empty range may name any section.
    for range in batch.deleteItems where range.start < range.end {
      remove(range.start..<range.end, of: range.section)
    }
    return removed
  }

  // MARK: Result

  /// The content after the batch.
  ///
  /// - Parameter names: The names there are then, as far as they are known.
  /// - Returns: The content, and what changed.
  func result(names: KnownNames) -> UpdatedContent {
    // Sections with other items stay where they are, and are replaced there.
    var old = items.compactMap { places in
      map.movedSections[places.section] == nil ? places.section..<(places.section + 1) : nil
    }
    if !sections.old.isEmpty {
      old += sections.old.map(\.range)
      old.sort { $0.lowerBound < $1.lowerBound }
    }
    var growth = 0
    var sectionEdits: [SectionEdit] = []
    var ropeEdits: [Rope<SectionRun>.Edit] = []
    UpdatePlan.forEachEdit(of: old, adding: sections.new, map.sections) { range, old, new in
      var origins: [SectionOrigin] = []
      var run = SectionRun([])
      if old != nil, map.newSection(of: range.lowerBound) != nil,
        map.movedSections[range.lowerBound] == nil
      {
        let (origin, section) = origin(ofSection: range.lowerBound)
        (origins, run.sections) = ([origin], [section])
      }
      for place in new {
        let index = place.range.lowerBound
        let (origin, section) =
          inserted[index].map { (.new, $0) }
          ?? origin(ofSection: map.movedSectionOrigins[index] ?? 0)
        origins.append(origin)
        run.sections.append(section)
      }
      sectionEdits.append(
        SectionEdit(range: range, firstSection: range.lowerBound + growth, sections: origins))
      growth += origins.count - range.count
      ropeEdits.append(.init(range: range, chunks: [run]))
    }
    return UpdatedContent(
      content: Content(sections: SectionList(rope: content.sections.rope.edited(ropeEdits))),
      map: map, names: names, change: ContentChange(sectionEdits: sectionEdits))
  }

  /// What becomes of a section that stays or moves.
  private func origin(ofSection section: Int) -> (SectionOrigin, Section) {
    if let new = reloaded[section] { return (.new, new) }
    var description = content.sections[section]
    guard let index = index(ofOldSection: section) else { return (.kept(section), description) }
    let edits = itemEdits(items[index], map.items[index].map)
    description.items = description.items.edited(edits)
    return (.edited(section, edits), description)
  }

  private func itemEdits(_ places: Places, _ map: IndexMap) -> [ItemEdit] {
    // Where nothing comes, no place need be looked for.
    if places.new.isEmpty, !places.old.contains(where: \.isReload) {
      return map.removed.ranges.map { ItemEdit(range: $0, chunks: []) }
    }
    var edits: [ItemEdit] = []
    edits.reserveCapacity(places.old.count + places.new.count)
    UpdatePlan.forEachEdit(of: places.old.lazy.map { $0.range }, adding: places.new, map) {
      range, old, new in
      var edit = ItemEdit(range: range, chunks: [])
      if let old, case .reloadItems(let index) = places.old[places.old.startIndex + old].operation {
        let reload = batch.reloadItems[index]
        let start = range.lowerBound - reload.at.item
        let items = reload.items.slice(start..<(start + range.count))
        edit.chunks = renamed(items, places.section, from: range.lowerBound)
      }
      for place in new {
        switch place.operation {
        case .insertItems(let index): edit.chunks.append(batch.insertItems[index].items)
        case .moveItem(let index): edit.chunks.append(item(at: batch.moveItems[index].from))
        default: break
        }
      }
      edits.append(edit)
    }
    return edits
  }

  private func item(at path: IndexPath) -> Items {
    content.sections.items(ofSection: path.section).item(path.item)
  }

  /// Reloaded items with the names that they had.
  private func renamed(_ items: Items, _ section: Int, from start: Int) -> [Items] {
    let old = content.sections.items(ofSection: section)
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

  /// Visits what goes and what comes as edits of the old sequence, in order.
  ///
  /// - Parameters:
  ///   - old: Ranges before that go or are replaced, ascending.
  ///   - new: What is added, ascending.
  ///   - map: How the places go together.
  ///   - body: Called with ranges before, ascending: either a part of one of `old`, and which; or an
  ///     empty one, and what is added there. What is added inside a range parts it.
  private static func forEachEdit(
    of old: some Sequence<Range<Int>>, adding new: ArraySlice<NewPlace>, _ map: IndexMap,
    _ body: (_ range: Range<Int>, _ old: Int?, _ new: ArraySlice<NewPlace>) -> Void
  ) {
    var rest = new
    var addedCount = 0
    /// The place before the batch that what is added next goes in front of.
    func nextPlace() -> Int {
      guard let next = rest.first else { return .max }
      return min(map.removed.place(outside: next.range.lowerBound - addedCount), map.oldCount)
    }
    var place = nextPlace()
    func add(upTo end: Int) {
      while place <= end {
        let here = place
        let start = rest.startIndex
        while place == here, let next = rest.popFirst() {
          addedCount += next.range.count
          place = nextPlace()
        }
        body(here..<here, nil, new[start..<rest.startIndex])
      }
    }
    for (index, range) in old.enumerated() {
      var start = range.lowerBound
      add(upTo: start)
      while place < range.upperBound {
        body(start..<place, index, [])
        start = place
        add(upTo: start)
      }
      body(start..<range.upperBound, index, [])
    }
    add(upTo: map.oldCount)
  }
}

extension ArraySlice {
  /// Takes the first elements off for which something holds.
  fileprivate mutating func popPrefix(while holds: (Element) -> Bool) -> ArraySlice {
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
}

// MARK: - Repairs

extension BatchUpdate {
  /// Whether there are operations on sections as a whole.
  fileprivate var changesSections: Bool {
    !(deleteSections.isEmpty && insertSections.isEmpty && moveSections.isEmpty
      && reloadSections.isEmpty)
  }

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
