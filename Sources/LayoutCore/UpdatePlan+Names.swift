extension UpdatePlan {
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
      guard items.hasIDs else { return }
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
}
