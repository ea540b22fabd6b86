import Testing

@testable import LayoutCore

/// Items of which little is known at first, and then more, here and there.
struct MixedItemsTests {
  /// Something to say of an item.
  private static func extent(_ generator: inout SeededGenerator) -> ItemExtent {
    switch generator.int(0...9) {
    case 0: .unspecified
    case 1...4:
      // Some too wide for 32 bits.
      .size(
        Size(
          width: generator.length(generator.chance(0.1) ? 5000...6000 : 1...60),
          height: generator.length(0...90)))
    case 5...7: .length(generator.length(0...90))
    default: .aspectRatio(Double(generator.int(1...9)) / 4)
    }
  }

  private static func edit(_ item: Int, _ extent: ItemExtent) -> ItemEdit {
    ItemEdit(range: item..<(item + 1), chunks: [Items(count: 1, extents: ItemExtents([extent]))])
  }

  @Test(arguments: 0..<8)
  func whatIsSaidOfItemsInAnyOrderIsSaidOfThem(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let count = generator.int(1...3000)
    var expected = [ItemExtent](repeating: .unspecified, count: count)
    var list = ItemList(Items(count: count))
    for _ in 0..<20 {
      var changed: Set<Int> = []
      for _ in 0..<generator.int(1...max(1, count / 10)) {
        changed.insert(generator.int(0...(count - 1)))
      }
      for item in changed { expected[item] = Self.extent(&generator) }
      list = list.edited(changed.sorted().map { Self.edit($0, expected[$0]) })
      #expect(list.flat.map(\.extent) == expected)
      let item = generator.int(0...(count - 1))
      #expect(list.item(item).flat.map(\.extent) == [expected[item]])
    }
    list.forEachRun { run, _ in
      if case .mixed = run.extents { Issue.record("a mixed run") }
    }
    // As an archive keeps and reads them.
    var runs: [Items] = []
    list.forEachRun { run, _ in runs.append(run) }
    #expect(ItemList(runs: runs).flat == list.flat)
  }

  /// Memory of items that become known one by one, and when all are.
  @Test func pieceByPieceTakesLittleMoreThanAtOnce() {
    let count = 4096
    var generator = SeededGenerator(seed: 5)
    let lengths = (0..<count).map { _ in generator.length(1...90) }
    let items = (0..<count).sorted { ($0 &* 1_103_515_245) % 4099 < ($1 &* 1_103_515_245) % 4099 }
    var list = ItemList(Items(count: count))
    for (number, item) in items.enumerated() {
      list = list.edited([Self.edit(item, .length(lengths[item]))])
      // A piece each would be 300 bytes and more.
      if number == count / 2 { #expect(list.byteCount < 40 * count) }
    }
    let all = ItemList(
      Items(count: count, extents: .lengths(LengthArray(count: count) { lengths[$0] })))
    #expect(list.byteCount < 2 * all.byteCount)
    #expect(list.flat == all.flat)
  }

  /// What an item comes to does not depend on what is said of others beside it, in any layout.
  @Test(arguments: seeds(60))
  func mixedItemsLieWhereTheSameSizesDo(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let layout = generator.layout()
    var viewport = generator.viewport()
    viewport.displayScale = nil
    var content = Content(sections: [Section(items: Items(count: generator.int(1...400)))])
    let count = content.sections[0].items.count
    var expected = [ItemExtent](repeating: .unspecified, count: count)
    var prepared = try PreparedLayout(content, layout: layout, viewport: viewport)
    for _ in 0..<6 {
      var batch = BatchUpdate()
      for item in 0..<count where generator.chance(0.15) {
        expected[item] = Self.extent(&generator)
        let items = Items(count: 1, extents: ItemExtents([expected[item]]))
        batch.reloadItems.append((IndexPath(item: item, section: 0), items))
      }
      let updated = try batch.applied(to: content)
      prepared = try PreparedLayout(updating: prepared, to: updated, layout: layout)
      content = updated.content
      // The same, each item on its own, so that none are mixed.
      var apart = Section()
      apart.items = ItemList(
        rope: Rope(
          root: Rope<Items>.tree(
            .leaves(
              expected.map {
                RopeLeaf(Items(count: 1, extents: ItemExtents([$0])))
              }))))
      let scratch = try PreparedLayout(
        Content(sections: [apart]), layout: layout, viewport: viewport)
      #expect(prepared.contentSize == scratch.contentSize)
      let offset = Point(x: 0, y: 0)
      let all = prepared.everyElement(of: content, contentOffset: offset)
      #expect(all == scratch.everyElement(of: content, contentOffset: offset))
    }
  }
}
