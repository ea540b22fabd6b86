import Testing

@testable import LayoutCore

/// Batches as values: what they make of content, and what refuses them.
struct BatchUpdateTests {
  @Test(arguments: seeds(100))
  func aBatchDoesWhatTheOrderFreeDefinitionSays(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var nextName = 0
    var content = generator.content()
    if seed % 2 == 0 {
      content = Content(
        sections: content.sections.map { section in
          var section = section
          section.items = ItemList(generator.named(generator.items(10), &nextName))
          return section
        })
    }
    var names = KnownNames()
    for _ in 0..<20 {
      var batch = generator.batch(for: content, nextName: &nextName)
      do {
        _ = try batch.applied(to: content, names: &names)
      } catch {
        // What is refused can be repaired, and names a rule.
        #expect(error.reason.hasPrefix("invalid update: "))
        batch = try #require(batch.repaired(for: content, names: &names), "\(error.reason)")
      }
      let updated = try batch.applied(to: content, names: &names)
      let expected = NaiveUpdate.apply(batch, to: content.flat)
      #expect(updated.content.flat == expected)
      #expect(
        updated.content.describedItemCount
          == Content(sections: updated.content.sections.map(\.self)).describedItemCount)
      checkSums(updated.content)
      #expect(updated.content.longestName == longestName(in: updated.content))
      checkMap(updated.map, content, updated.content)
      try checkExpectations(batch, of: content, expected.map(\.count), &generator)
      content = updated.content
      names = updated.names
    }
  }

  /// Deletions in order, with nothing else, go a way of their own: one more, of nothing, leads them off it.
  @Test(arguments: seeds(100))
  func deletionsInOrderAreThoseBesideNothing(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let content = Content(
      sections: (0..<3).map { _ in
        Section(items: Items.unlike(generator.int(0...40)))
      })
    for _ in 0..<20 {
      var batch = BatchUpdate()
      let section = generator.int(0...2)
      var place = 0
      for _ in 0..<generator.int(1...6) {
        // Now and then they overlap, or are of nothing, or elsewhere.
        let start = place + generator.int((generator.chance(0.05) ? -2 : 0)...5)
        place = start + generator.int((generator.chance(0.05) ? 0 : 1)...3)
        batch.deleteItems.append(
          ItemRange(
            section: generator.chance(0.02) ? generator.int(0...3) : section, start: start,
            end: place))
      }
      if generator.chance(0.2) {
        batch.expectedItemCounts = content.sections.map(\.items.count)
      }
      var other = batch
      other.deleteItems.append(ItemRange(section: 0, start: 0, end: 0))
      do {
        let updated = try batch.applied(to: content)
        #expect(updated.content.flat == NaiveUpdate.apply(batch, to: content.flat))
        checkMap(updated.map, content, updated.content)
        checkSums(updated.content)
        #expect(throws: Never.self) { try other.applied(to: content) }
      } catch {
        let refusal = #expect(throws: UpdateRefusal.self) { try other.applied(to: content) }
        #expect(refusal?.reason == error.reason && refusal?.operation == error.operation)
        let (repaired, otherRepaired) = (batch.repaired(for: content), other.repaired(for: content))
        #expect(repaired?.deleteItems == otherRepaired.map { Array($0.deleteItems.dropLast()) })
        #expect(repaired?.expectedItemCounts == otherRepaired?.expectedItemCounts)
      }
    }
  }

  /// What sections know of their items without going through them.
  private func checkSums(_ content: Content) {
    for section in content.sections {
      // However the items are cut into pieces.
      var describedCount = 0
      section.items.forEachRun { run, _ in
        if !run.isUniform { describedCount += run.count }
      }
      #expect(section.items.describedCount == describedCount)
      for columnCount in [2, 9] {
        let columns = ColumnGrid(
          ColumnGrid.Metrics(
            count: columnCount, leading: 0, available: 1000, spacing: 0, padding: 0,
            displayScale: nil))
        let lengths = ColumnLengths(
          section.items, in: columns, itemSize: Size(width: 1, height: 1), .vertical)
        let placed = lengths.placedCount(within: -1)
        let bound = lengths.placedCount(within: .max)
        #expect(lengths.filledCount > 8 ? bound.all == placed.all : bound.all >= placed.all)
        #expect(bound.undescribed == placed.undescribed)
      }
    }
  }

  private func longestName(in content: Content) -> Int {
    let ids = content.flat.joined().compactMap(\.id)
    let kinds = content.sections.flatMap { $0.decorations.map(\.kind) }
    return (ids + kinds).map(\.utf8.count).max() ?? 0
  }

  /// A batch that expects what comes of it is taken, and any other mended to expect that.
  private func checkExpectations(
    _ batch: BatchUpdate, of content: Content, _ counts: [Int], _ generator: inout SeededGenerator
  ) throws {
    var batch = batch
    batch.expectedItemCounts = counts
    #expect(throws: Never.self) { try batch.applied(to: content) }
    guard let section = counts.indices.randomElement(using: &generator) else { return }
    batch.expectedItemCounts?[section] += 1
    let refusal = #expect(throws: UpdateRefusal.self) { try batch.applied(to: content) }
    #expect(refusal?.reason.hasSuffix("; expected \(counts[section] + 1)") == true)
    #expect(batch.repaired(for: content)?.expectedItemCounts == counts)
  }

  /// Names are collected once, also for what is refused or only tried.
  @Test func namesAreCollectedOnce() throws {
    var nextName = 0
    var generator = SeededGenerator(seed: 1)
    let content = Content(sections: [
      Section(items: generator.named(Items(count: 50), &nextName)), Section(id: "a"),
    ])
    var names = KnownNames()
    var batch = BatchUpdate()
    batch.deleteItems = [ItemRange(section: 0, start: 3, end: 4)]
    // Nobody has to know them for that.
    #expect(try batch.applied(to: content, names: &names).names.items == nil)
    #expect(names.items == nil)
    let items = content.sections[0].items.item(7)
    batch.insertItems = [(IndexPath(item: 0, section: 0), items)]
    #expect(throws: UpdateRefusal.self) { try batch.applied(to: content, names: &names) }
    #expect(names.sections == nil)
    // Whatever is asked for next: they are there.
    let kept = names.itemNames(of: Content(sections: []))
    content.forEachID { _, name in
      #expect(kept.contains(NameSet.fingerprint(name)))
      return true
    }
    // From then on they are kept.
    batch.insertItems = []
    let after = try batch.applied(to: content, names: &names)
    #expect(after.names.items != nil)
    var known = after.names
    batch.deleteItems = [ItemRange(section: 0, start: 6, end: 7)]
    batch.insertItems = [(IndexPath(item: 0, section: 0), items)]
    #expect(throws: Never.self) { try batch.applied(to: after.content, names: &known) }
  }

  @Test func sectionNamesAreCollectedOnce() throws {
    let content = Content(sections: ["a", "b", nil, "c"].map { Section(id: $0) })
    var names = KnownNames()
    var batch = BatchUpdate()
    batch.deleteSections = [1]
    #expect(try batch.applied(to: content, names: &names).names.sections == nil)
    batch.insertSections = [(0, Section(id: "b")), (1, Section(id: "d"))]
    let after = try batch.applied(to: content, names: &names)
    #expect(names.sections != nil)
    #expect(names.items == nil)
    // From then on they are kept: reloaded sections get names and lose them, moved ones keep theirs.
    var known = after.names
    #expect(after.content.sections.map(\.id) == ["b", "d", "a", nil, "c"])
    batch = BatchUpdate()
    batch.reloadSections = [(1, Section()), (3, Section(id: "e"))]
    batch.moveSections = [(from: 4, to: 0)]
    let reloaded = try batch.applied(to: after.content, names: &known)
    #expect(reloaded.content.sections.map(\.id) == ["c", "b", nil, "a", "e"])
    var left = reloaded.names
    for name in ["a", "b", "c", "d", "e", "f"] {
      batch = BatchUpdate()
      batch.insertSections = [(2, Section(id: name))]
      let isRefused = (try? batch.applied(to: reloaded.content, names: &left)) == nil
      #expect(isRefused == ["a", "b", "c", "e"].contains(name))
    }
    // Also where none comes or goes.
    #expect(try BatchUpdate().applied(to: reloaded.content, names: &left).names.sections != nil)
  }

  /// To refuse a name takes no look at all others: who sends some that exist gets an answer at once,
  /// however large the collection.
  @Test func namesAreRefusedByWhatIsCollected() {
    var nextName = 0
    var generator = SeededGenerator(seed: 1)
    let named = Content(sections: [
      Section(id: "a", items: generator.named(Items(count: 50), &nextName))
    ])
    var names = KnownNames()
    _ = names.sectionNames(of: named)
    _ = names.itemNames(of: named)
    let other = Content(sections: [Section(items: Items(count: 50))])
    var batch = BatchUpdate()
    batch.insertSections = [(0, Section(id: "a"))]
    #expect(throws: UpdateRefusal.self) { try batch.applied(to: other, names: &names) }
    batch.insertSections = []
    batch.insertItems = [(IndexPath(item: 0, section: 0), named.sections[0].items.item(7))]
    #expect(throws: UpdateRefusal.self) { try batch.applied(to: other, names: &names) }
  }

  /// A batch of many operations is gone through a few times only.
  @Test(arguments: [(100, 64, true), (100, 65, false), (8000, 50, true), (8000, 51, false)])
  func aBatchIsMendedUpToAPoint(operationCount: Int, brokenCount: Int, isMended: Bool) throws {
    let content = Content(sections: [Section(items: Items(count: 10_000))])
    var batch = BatchUpdate()
    batch.deleteItems = (0..<(operationCount - brokenCount)).map {
      ItemRange(section: 0, start: $0, end: $0 + 1)
    }
    batch.deleteItems += (0..<brokenCount).map {
      ItemRange(section: 0, start: 10_000 + $0, end: 10_001 + $0)
    }
    let repaired = batch.repaired(for: content)
    #expect((repaired != nil) == isMended)
    #expect(
      repaired.map { $0.deleteItems.count } ?? operationCount - brokenCount
        == operationCount - brokenCount)
  }

  /// What brings many names is gone through as seldom as what is many operations.
  @Test(arguments: [(1000, 64), (20_000, 19), (400_000, 0)])
  func namesCountWhereABatchIsMended(nameCount: Int, mendedCount: Int) throws {
    let content = Content(sections: [Section(items: Items(count: 10))])
    var items = Items(count: nameCount, extents: .unspecified, ids: StringTable())
    for number in 0..<nameCount { items.ids?.append("\(number)") }
    for brokenCount in [mendedCount, mendedCount + 1] where brokenCount > 0 {
      var batch = BatchUpdate()
      batch.insertItems = [(IndexPath(item: 0, section: 0), items)]
      batch.deleteItems = (0..<brokenCount).map {
        ItemRange(section: 0, start: 10 + $0, end: 11 + $0)
      }
      #expect((batch.repaired(for: content) != nil) == (brokenCount == mendedCount))
    }
  }

  /// So do names that go, where anybody knows them.
  @Test(arguments: [false, true])
  func removedNamesCountWhereABatchIsMended(isSection: Bool) {
    var nextName = 0
    var generator = SeededGenerator(seed: 1)
    let content = Content(sections: [
      Section(items: generator.named(Items(count: 20_000), &nextName)), Section(),
    ])
    for brokenCount in [19, 20] {
      var batch = BatchUpdate()
      if isSection {
        batch.deleteSections = [0]
      } else {
        batch.deleteItems = [ItemRange(section: 0, start: 0, end: 20_000)]
      }
      batch.deleteItems += (0..<brokenCount).map { ItemRange(section: 1, start: $0, end: $0 + 1) }
      #expect(batch.repaired(for: content) != nil)
      var names = KnownNames()
      _ = names.itemNames(of: content)
      #expect((batch.repaired(for: content, names: &names) != nil) == (brokenCount == 19))
    }
  }

  /// Both ways of a map agree, and what goes together has the same name.
  private func checkMap(_ map: any ElementMap, _ old: Content, _ new: Content) {
    let (oldItems, newItems) = (old.flat, new.flat)
    let (oldPaths, newPaths) = (old.itemPaths, new.itemPaths)
    let inverse = InverseMap(map)
    for section in old.sections.indices {
      guard let there = map.newSection(of: section) else { continue }
      #expect(map.oldSection(of: there) == section)
      #expect(inverse.newSection(of: there) == section && inverse.oldSection(of: section) == there)
    }
    for path in oldPaths {
      guard let there = map.newIndexPath(of: path) else { continue }
      #expect(map.oldIndexPath(of: there) == path)
      #expect(inverse.newIndexPath(of: there) == path && inverse.oldIndexPath(of: path) == there)
      #expect(newItems[there.section][there.item].id == oldItems[path.section][path.item].id)
    }
    let inserted = newPaths.count { map.oldIndexPath(of: $0) == nil }
    let deleted = oldPaths.filter { map.newIndexPath(of: $0) == nil }
    #expect(oldPaths.count - deleted.count + inserted == newPaths.count)
    // What is asked for is many at a time what each is alone.
    let (kept, gone) = ItemRanges(of: oldPaths).mapped(by: map)
    #expect(kept == ItemRanges(of: oldPaths.compactMap(map.newIndexPath)))
    #expect(gone == ItemRanges(of: deleted))
    checkDecorations(map, old, new)
    checkWhatStaysTogether(map, old)
    checkWhatStaysTogether(inverse, new)
    checkWhatStaysTogether(InverseMap(inverse), old)
  }

  /// A decoration goes with that of the same name, if its section has one then, and back.
  private func checkDecorations(_ map: any ElementMap, _ old: Content, _ new: Content) {
    for section in old.sections.indices {
      let path = IndexPath(item: 0, section: section)
      let decorations = old.sections[section].decorations
      for (place, decoration) in decorations.enumerated() {
        let kind = ElementKind.decoration(UInt8(place))
        guard let there = map.newElement(kind, at: path) else {
          let names = map.newSection(of: section).map { new.sections[$0].decorations.map(\.kind) }
          #expect(names?.contains(decoration.kind) != true)
          continue
        }
        #expect(there.at.section == map.newSection(of: section))
        let others = new.sections[there.at.section].decorations
        let found = others.indices.filter { there.kind == .decoration(UInt8($0)) }
        #expect(found.map { others[$0].kind } == [decoration.kind])
        let back = map.oldElement(there.kind, at: there.at)
        #expect(back?.kind == kind && back?.at == path)
      }
    }
  }

  /// Items that stay together have the places that each has alone.
  private func checkWhatStaysTogether(_ map: any ElementMap, _ content: Content) {
    for section in content.sections.indices {
      var item = 0
      let end = content.sections.itemCount(ofSection: section)
      while item < end {
        let path = IndexPath(item: item, section: section)
        let count = min(map.evenCount(fromOld: path), end - item)
        let first = map.newIndexPath(of: path)
        let areTogether = (0..<count).allSatisfy { number in
          let next = map.newIndexPath(of: IndexPath(item: item + number, section: section))
          return next == first.map { IndexPath(item: $0.item + number, section: $0.section) }
        }
        guard count > 0, areTogether else {
          Issue.record("\(count) from \(path)")
          return
        }
        item += count
      }
    }
  }

  /// Each once, however the ranges overlap: an item may be ahead of the viewport and behind it.
  @Test(arguments: seeds(50))
  func aUnionOfItemsIsOfAll(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func paths() -> [IndexPath] {
      (0..<20).flatMap { item in
        (0..<2).compactMap { random.chance(0.5) ? IndexPath(item: item, section: $0) : nil }
      }
    }
    let (one, other) = (paths(), paths())
    #expect(
      ItemRanges(of: one).union(ItemRanges(of: other)) == ItemRanges(of: Array(Set(one + other))))
  }

  @Test(arguments: seeds(300))
  func anUpdateAndItsInverseAreNothing(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed + 1000)
    var nextName = 0
    let content = generator.content()
    for _ in 0..<10 {
      let random = generator.batch(for: content, nextName: &nextName)
      let batch = random.repaired(for: content) ?? random
      let updated = try batch.applied(to: content)
      let inverse = batch.inverse(of: content, updated)
      let restored = try inverse.applied(to: updated.content)
      #expect(restored.content.flat == content.flat)
    }
  }

  @Test func countsThatDisagreeAreRefusedInUIKitsWords() throws {
    let content = Content(sections: [Section(items: Items(count: 10))])
    var batch = BatchUpdate()
    batch.insertItems = [(IndexPath(item: 0, section: 0), Items(count: 2))]
    batch.deleteItems = [ItemRange(section: 0, start: 4, end: 5)]
    batch.expectedItemCounts = [12]
    let refusal = #expect(throws: UpdateRefusal.self) { try batch.applied(to: content) }
    #expect(
      refusal?.reason
        == "invalid update: section 0 has 10 items before, +2 inserted −1 deleted +0 moved in −0 moved out = 11 after; expected 12"
    )
    #expect(refusal?.operation == .expectation)
    #expect(batch.repaired(for: content)?.expectedItemCounts == [11])
  }

  /// A section that is reloaded has as many items as it comes with, as one that is inserted.
  @Test func ofAReloadedSectionTheNewItemsAreCounted() {
    let content = Content(sections: [Section(items: Items(count: 10))])
    var batch = BatchUpdate()
    batch.reloadSections = [(at: 0, section: Section(items: Items(count: 4)))]
    batch.expectedItemCounts = [10]
    let refusal = #expect(throws: UpdateRefusal.self) { try batch.applied(to: content) }
    #expect(refusal?.reason == "invalid update: section 0 comes with 4 items; expected 10")
  }

  @Test func aRepairChangesAsLittleAsCanBe() throws {
    let content = Content(sections: [Section(items: Items(count: 10))])
    var batch = BatchUpdate()
    batch.deleteItems = [
      ItemRange(section: 0, start: 2, end: 5), ItemRange(section: 0, start: 4, end: 8),
      ItemRange(section: 0, start: 9, end: 30), ItemRange(section: 7, start: 0, end: 1),
    ]
    let repaired = try #require(batch.repaired(for: content))
    #expect(
      repaired.deleteItems == [
        ItemRange(section: 0, start: 2, end: 5), ItemRange(section: 0, start: 5, end: 8),
        ItemRange(section: 0, start: 9, end: 10),
      ])
  }

  /// However much of an operation is too much, it is mended at once.
  @Test func aRepairNeedsNoMoreStepsThanThereAreMistakes() throws {
    let content = Content(
      sections: [1000, 10, 0].map { Section(items: Items(count: $0)) })
    var batch = BatchUpdate()
    batch.deleteItems = [
      ItemRange(section: 0, start: 0, end: 300), ItemRange(section: 0, start: 100, end: 500),
    ]
    batch.reloadItems = [(IndexPath(item: 400, section: 0), Items(count: 200))]
    batch.insertSections = [(at: 700, section: Section())]
    batch.insertItems = [(IndexPath(item: 900, section: 0), Items(count: 3))]
    batch.moveItems = [(IndexPath(item: 999, section: 0), IndexPath(item: 800, section: 1))]
    let repaired = try #require(batch.repaired(for: content))
    #expect(
      repaired.deleteItems == [
        ItemRange(section: 0, start: 0, end: 300), ItemRange(section: 0, start: 300, end: 500),
      ])
    #expect(repaired.reloadItems.map(\.at.item) == [500])
    #expect(repaired.reloadItems.map(\.items.count) == [100])
    // What comes too far behind comes last: behind 499 items that are left, and behind ten.
    #expect(repaired.insertSections.map(\.at) == [3])
    #expect(repaired.insertItems.map(\.at.item) == [499])
    #expect(repaired.moveItems.map(\.to.item) == [10])
  }

  /// However many come too far behind, each keeps its place among them, and takes one step.
  @Test func whatComesTooFarBehindComesLastInItsOrder() throws {
    let content = Content(sections: [3, 0, 0].map { Section(items: Items(count: $0)) })
    func repaired(_ edit: (inout BatchUpdate) -> Void) throws -> BatchUpdate {
      var batch = BatchUpdate()
      edit(&batch)
      return try #require(batch.repaired(for: content))
    }
    func inserts(_ places: [Int], of count: Int = 1) -> [(IndexPath, Items)] {
      places.map { (IndexPath(item: $0, section: 0), Items(count: count)) }
    }
    for (places, mended) in [
      ([50, 60], [3, 4]), ([60, 50], [4, 3]), ([4, 60], [4, 3]), ([0, 60, 2, 50], [0, 6, 2, 5]),
    ] {
      #expect(
        try repaired { $0.insertItems = inserts(places) }.insertItems.map(\.at.item) == mended)
    }
    // Two together have no room where one is between.
    #expect(
      try repaired { $0.insertItems = inserts([50, 60], of: 2) }.insertItems.map(\.at.item)
        == [3, 5])
    #expect(
      try repaired {
        $0.moveItems = [0, 2].map {
          (IndexPath(item: $0, section: 0), IndexPath(item: $0 + 7, section: 0))
        }
      }.moveItems.map(\.to.item) == [1, 2])
    #expect(
      try repaired { $0.insertSections = [(9, Section()), (12, Section())] }
        .insertSections.map(\.at) == [3, 4])
    #expect(try repaired { $0.moveSections = [(0, 5)] }.moveSections.map(\.to) == [2])
    for count in [64, 65, 1000] {
      let places = try repaired { $0.insertItems = inserts((0..<count).map { 1000 + $0 }) }
        .insertItems.map(\.at.item)
      #expect(places == Array(3..<(3 + count)))
    }
  }

  /// A section that goes or comes as a whole takes all that its items are named for.
  @Test func itemsOfSectionsAsAWholeAreLeftOutAtOnce() throws {
    let content = Content(sections: [500, 500, 10].map { Section(items: Items(count: $0)) })
    var batch = BatchUpdate()
    batch.deleteSections = [0]
    batch.reloadSections = [(at: 1, section: Section(items: Items(count: 500)))]
    batch.insertSections = [(at: 2, section: Section(items: Items(count: 500)))]
    for item in 0..<100 {
      for section in 0..<2 {
        batch.deleteItems.append(ItemRange(section: section, start: item, end: item + 1))
        batch.reloadItems.append((IndexPath(item: item + 100, section: section), Items(count: 1)))
        batch.moveItems.append(
          (IndexPath(item: item + 200, section: section), IndexPath(item: item, section: 1)))
      }
      // Section 1 is 0 after the batch, and 2 is 1.
      for section in [0, 2] {
        batch.insertItems.append((IndexPath(item: item, section: section), Items(count: 1)))
      }
      batch.moveItems.append(
        (IndexPath(item: 5, section: 2), IndexPath(item: item, section: [0, 2][item % 2])))
    }
    batch.deleteItems.append(ItemRange(section: 2, start: 0, end: 1))
    batch.insertItems.append((IndexPath(item: 0, section: 1), Items(count: 1)))
    let repaired = try #require(batch.repaired(for: content))
    #expect(repaired.deleteItems == [ItemRange(section: 2, start: 0, end: 1)])
    #expect(repaired.insertItems.map(\.at) == [IndexPath(item: 0, section: 1)])
    #expect(repaired.reloadItems.isEmpty && repaired.moveItems.isEmpty)
    #expect(
      repaired.deleteSections == [0] && repaired.reloadSections.count == 1
        && repaired.insertSections.count == 1)
  }

  /// The place is one after the batch, the sum is that of the section that was there before.
  @Test func aPlaceAfterTheBatchIsNamedAsItIsThen() {
    let content = Content(sections: [3, 5].map { Section(items: Items(count: $0)) })
    var batch = BatchUpdate()
    batch.deleteSections = [0]
    batch.insertItems = [(IndexPath(item: 7, section: 0), Items(count: 2))]
    let refusal = #expect(throws: UpdateRefusal.self) { try batch.applied(to: content) }
    #expect(
      refusal?.reason
        == "invalid update: item 8 of section 0 does not exist after the update: section 1 has 5 items before, +2 inserted −0 deleted +0 moved in −0 moved out = 7 after"
    )
  }

  /// What is nothing may be anywhere.
  @Test func nothingIsNowhereWrong() throws {
    let content = Content(sections: [Section(items: Items(count: 2))])
    var batch = BatchUpdate()
    let nowhere = IndexPath(item: 5, section: 7)
    batch.deleteItems = [ItemRange(section: 7, start: 5, end: 5)]
    batch.insertItems = [(nowhere, Items())]
    batch.reloadItems = [(nowhere, Items())]
    #expect(batch.isEmpty)
    #expect(try batch.applied(to: content).content.flat == content.flat)
  }

  @Test func aNameThatGoesMayComeAgain() throws {
    var names = StringTable()
    for name in ["a", "b", "c"] { names.append(name) }
    let content = Content(sections: [Section(items: Items(count: 3, ids: names))])
    var one = StringTable()
    one.append("b")
    var batch = BatchUpdate()
    batch.insertItems = [(IndexPath(item: 0, section: 0), Items(count: 1, ids: one))]
    let refusal = #expect(throws: UpdateRefusal.self) { try batch.applied(to: content) }
    #expect(refusal?.reason.contains("\"b\"") == true)
    batch.deleteItems = [ItemRange(section: 0, start: 1, end: 2)]
    let updated = try batch.applied(to: content)
    #expect(updated.content.flat[0].map(\.id) == ["b", "a", "c"])
    // And the names are known now, so that it is refused again.
    var known = updated.names
    var again = BatchUpdate()
    again.insertItems = batch.insertItems
    #expect(throws: UpdateRefusal.self) {
      try again.applied(to: updated.content, names: &known)
    }
  }

  @Test func aTrillionEqualItemsAreChangedWithoutBeingLookedAt() throws {
    let size = Size(width: 1, height: 1)
    let content = Content(
      sections: [Section(items: Items(count: 1_000_000_000_000, extents: .size(size)))])
    let wide = ItemExtents.size(Size(width: 2, height: 1))
    var batch = BatchUpdate()
    batch.insertItems = [
      (IndexPath(item: 500_000_000_001, section: 0), Items(count: 1, extents: wide))
    ]
    batch.deleteItems = [ItemRange(section: 0, start: 10, end: 999_999_999_990)]
    let updated = try batch.repaired(for: content)?.applied(to: content)
    #expect(updated?.content.sections[0].items.count == 21)

    batch.deleteItems = []
    let changed = try batch.applied(to: content)
    // Nor is what was asked for.
    let asked = {
      var ranges = ItemRanges()
      ranges.append(ItemRange(section: 0, start: 0, end: 999_999_999_999))
      return ranges
    }()
    #expect(
      asked.mapped(by: changed.map).kept.ranges == [
        ItemRange(section: 0, start: 0, end: 500_000_000_001),
        ItemRange(section: 0, start: 500_000_000_002, end: 1_000_000_000_000),
      ])
    for layout: any CollectionLayout in [FlowLayout(), ListLayout()] {
      let viewport = Viewport(size: Size(width: 1000, height: 7))
      var compact = layout
      if var flow = layout as? FlowLayout {
        flow.minimumInteritemSpacing = 0
        flow.minimumLineSpacing = 0
        compact = flow
      }
      let prepared = try PreparedLayout(content, layout: compact, viewport: viewport)
      let after = try PreparedLayout(updating: prepared, to: changed, layout: compact)
      let path = IndexPath(item: 500_000_000_001, section: 0)
      let cell = after.attributes(of: .cell, at: path, contentOffset: .zero)
      // A thousand to a line: the second of the line of the 500,000,000,000th.
      let expected =
        compact is FlowLayout
        ? Rect(x: 1, y: 500_000_000, width: 2, height: 1)
        : Rect(x: 0, y: 500_000_000_001, width: 1000, height: 1)
      #expect(cell?.frame == expected)
    }
  }

  /// Of a reload that goes past the end the items are left that are inside: the first ones, where they were.
  @Test func aReloadPastTheEndIsCutAtItsEnd() throws {
    var batch = BatchUpdate()
    let lengths = LengthArray(count: 4) { Length(points: $0 + 1) }
    batch.reloadItems = [
      (IndexPath(item: 3, section: 0), Items(count: 4, extents: .lengths(lengths)))
    ]
    let repaired = try #require(
      batch.repaired(for: Content(sections: [Section(items: Items(count: 5))])))
    let reload = try #require(repaired.reloadItems.first)
    #expect(reload.at == IndexPath(item: 3, section: 0))
    try #require(reload.items.count == 2)
    #expect(reload.items.extents[0] == .length(1) && reload.items.extents[1] == .length(2))
  }
}
