extension UpdatePlan {
  /// The names after the batch.
  ///
  /// - Parameters:
  ///   - batch: The batch that was checked.
  ///   - known: The names before it, to be collected where they have to be known.
  /// - Returns: Those that had to be known, for this batch or one before.
  /// - Throws: ``UpdateRefusal`` for a name that exists already.
  func names(
    after batch: BatchUpdate, from known: inout KnownNames
  ) throws(UpdateRefusal) -> KnownNames {
    guard known.sections != nil || known.items != nil || batch.bringsNames else {
      return KnownNames()
    }
    // Sections first, as everywhere.
    let sections = try sectionNames(after: batch, from: &known)
    return KnownNames(sections: sections, items: try itemNames(after: batch, from: &known))
  }

  private func sectionNames(
    after batch: BatchUpdate, from known: inout KnownNames
  ) throws(UpdateRefusal) -> NameSet? {
    let new = batch.describedSections.filter { $0.section.id != nil }
    guard !new.isEmpty || known.sections != nil else { return nil }
    let change = NameChange(
      of: known.sectionNames(of: content), removing: removedSectionFingerprints(batch),
      adding: new.compactMap { $0.section.id.map { NameSet.fingerprint($0.utf8.span) } })
    guard let conflict = change.firstConflict else { return change.result }
    let (place, section, operation) = new[conflict.index]
    throw UpdatePlan.refusal(
      operation,
      "section \(place) gets the id \"\(section.id ?? "")\", which exists already; there are \(content.sections.count) sections before"
    ) {
      $0.dropSectionName(of: operation)
    }
  }

  private func itemNames(
    after batch: BatchUpdate, from known: inout KnownNames
  ) throws(UpdateRefusal) -> NameSet? {
    var new = batch.describedSections.map {
      (section: $0.place, items: $0.section.items, operation: $0.operation)
    }
    for (index, insert) in batch.insertItems.enumerated() where insert.items.ids != nil {
      new.append((insert.at.section, ItemList(insert.items), .insertItems(index)))
    }
    new.removeAll { !$0.items.hasIDs }
    guard !new.isEmpty || known.items != nil else { return nil }
    var added: [UInt64] = []
    added.reserveCapacity(new.reduce(0) { $0 + $1.items.namedCount })
    for (_, items, _) in new {
      items.forEachID(in: 0..<items.count) {
        added.append(NameSet.fingerprint($1)); return true
      }
    }
    let change = NameChange(
      of: known.itemNames(of: content), removing: removedItemFingerprints(batch), adding: added)
    guard let conflict = change.firstConflict,
      let (place, item) = UpdatePlan.item(ofName: conflict.index, among: new.map(\.items))
    else { return change.result }
    let (section, items, operation) = new[place]
    throw UpdatePlan.refusal(
      operation,
      "section \(section) gets an item with the id \"\(items.id(of: item) ?? "")\", which \(conflict.isAddedTwice ? "is inserted twice" : "exists already"); there are \(content.sections.itemCount) items before"
    ) { $0.dropItem(item, of: operation) }
  }

  /// Which item has a name.
  ///
  /// - Parameters:
  ///   - index: How many names there are before it.
  ///   - lists: Items, some of which have names.
  /// - Returns: Which list it is in, and where; nil if there are not so many names.
  private static func item(ofName index: Int, among lists: [ItemList]) -> (list: Int, item: Int)? {
    var before = 0
    for (place, items) in lists.enumerated() {
      guard before + items.namedCount > index else {
        before += items.namedCount
        continue
      }
      var found: Int?
      items.forEachID(in: 0..<items.count) { item, _ in
        found = before == index ? item : nil
        before += 1
        return found == nil
      }
      return found.map { (place, $0) }
    }
    return nil
  }

  private func removedSectionFingerprints(_ batch: BatchUpdate) -> [UInt64] {
    batch.replacedSections.compactMap { section in
      content.sections[section].id.map { NameSet.fingerprint($0.utf8.span) }
    }
  }

  /// Of items that are deleted, and of all items of sections that are deleted or reloaded.
  private func removedItemFingerprints(_ batch: BatchUpdate) -> [UInt64] {
    var removed: [UInt64] = []
    func remove(_ range: Range<Int>, of section: Int) {
      content.sections.items(ofSection: section).forEachID(in: range) {
        removed.append(NameSet.fingerprint($1))
        return true
      }
    }
    for section in batch.replacedSections {
      remove(0..<content.sections.itemCount(ofSection: section), of: section)
    }
    // An empty range may name any section.
    for range in batch.deleteItems where range.start < range.end {
      remove(range.start..<range.end, of: range.section)
    }
    return removed
  }
}

extension BatchUpdate {
  /// Whether it may bring names.
  fileprivate var bringsNames: Bool {
    changesSections || insertItems.contains { $0.items.ids != nil }
  }

  /// The sections that the batch describes: where they come, and what says so.
  fileprivate var describedSections: [(place: Int, section: Section, operation: UpdateOperation)] {
    insertSections.enumerated().map { ($1.at, $1.section, .insertSection($0)) }
      + reloadSections.enumerated().map { ($1.at, $1.section, .reloadSection($0)) }
  }

  /// The sections of which nothing is left but, where they are reloaded, the place.
  fileprivate var replacedSections: [Int] { deleteSections + reloadSections.map(\.at) }
}
