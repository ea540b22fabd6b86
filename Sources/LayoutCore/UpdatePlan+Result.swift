extension UpdatePlan {
  /// The content after the batch.
  ///
  /// - Parameters:
  ///   - batch: The batch that was checked.
  ///   - names: The names there are then, as far as they are known.
  /// - Returns: The content, and what changed.
  func result(of batch: BatchUpdate, names: KnownNames) -> UpdatedContent {
    let (rope, change) =
      if map.items.count == 1, sections.old.isEmpty, sections.new.isEmpty {
        itemsOfOneSection(batch)
      } else {
        sectionsAndItems(batch)
      }
    return UpdatedContent(
      content: Content(sections: SectionList(rope: rope)), map: map, names: names, change: change)
  }

  /// What nearly all batches make of the sections: one has other items.
  private func itemsOfOneSection(_ batch: BatchUpdate) -> (Rope<SectionRun>, ContentChange) {
    let (section, map) = map.items[0]
    let edits = itemEdits(places(ofOldSection: section), map, batch)
    var run = SectionRun([content.sections[section]])
    run.sections[0].items = run.sections[0].items.edited(edits)
    return (content.sections.rope.replacing(section, by: run), .items(section: section, edits))
  }

  /// What a batch makes of sections of which some come, go, move or are others, or have other items.
  private func sectionsAndItems(_ batch: BatchUpdate) -> (Rope<SectionRun>, ContentChange) {
    // Sections with other items stay where they are, and are replaced there.
    var old = map.items.compactMap { section, _ in
      map.movedSections[section] == nil ? section..<(section + 1) : nil
    }
    old += sections.old.map(\.range)
    old.sort { $0.lowerBound < $1.lowerBound }
    var growth = 0
    var sectionEdits: [SectionEdit] = []
    var ropeEdits: [Rope<SectionRun>.Edit] = []
    UpdatePlan.forEachEdit(of: old, adding: sections.new, map.sections) { range, old, new in
      var origins: [SectionOrigin] = []
      var run = SectionRun([])
      if old != nil, map.newSection(of: range.lowerBound) != nil,
        map.movedSections[range.lowerBound] == nil
      {
        let (origin, section) = origin(ofSection: range.lowerBound, batch)
        (origins, run.sections) = ([origin], [section])
      }
      for place in new {
        let index = place.range.lowerBound
        let (origin, section) =
          inserted[index].map { (.new, $0) }
          ?? origin(ofSection: map.movedSectionOrigins[index] ?? 0, batch)
        origins.append(origin)
        run.sections.append(section)
      }
      sectionEdits.append(
        SectionEdit(range: range, firstSection: range.lowerBound + growth, sections: origins))
      growth += origins.count - range.count
      ropeEdits.append(.init(range: range, chunks: [run]))
    }
    return (content.sections.rope.edited(ropeEdits), .sections(sectionEdits))
  }

  /// What becomes of a section that stays or moves.
  private func origin(
    ofSection section: Int, _ batch: BatchUpdate
  ) -> (SectionOrigin, Section) {
    if let new = reloaded[section] { return (.new, new) }
    var description = content.sections[section]
    guard let map = map.items(ofOldSection: section) else { return (.kept(section), description) }
    let edits = itemEdits(places(ofOldSection: section), map, batch)
    description.items = description.items.edited(edits)
    return (.edited(section, edits), description)
  }

  private func itemEdits(
    _ places: Places, _ map: IndexMap, _ batch: BatchUpdate
  ) -> [ItemEdit] {
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
