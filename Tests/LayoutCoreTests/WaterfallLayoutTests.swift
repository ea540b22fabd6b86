import LayoutCore
import Testing

struct WaterfallLayoutTests {
  @Test(arguments: seeds(75))
  func placesItemsAsThePlainLoopDoes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var layout = random.waterfallLayout()
    layout.leaveItemsAlone()
    let columnCount =
      random.chance(0.2) ? random.int(13...WaterfallLayout.maximumColumnCount) : random.int(1...12)
    layout.columns = .count(columnCount)
    let available = random.length(50...900)
    let equal = random.chance(0.3)
    let length = random.length(0...100)
    // Long enough for several checkpoints, sometimes for several runs of them.
    let lengths = (0..<random.int(1...(random.chance(0.1) ? 8000 : 1500))).map { _ in
      equal ? length : random.chance(0.01) ? 5000 : random.length(0...100)
    }
    let content = Content(sections: [
      Section(
        items: Items(
          count: lengths.count, extents: .lengths(LengthArray(count: lengths.count) { lengths[$0] })
        )
      )
    ])
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: available, height: 500)))
    let expected = Naive.waterfall(
      lengths, layout: layout, columnCount: columnCount, available: available)
    let padding = layout.itemPadding
    #expect(prepared.contentSize.height == expected.map { $0.maxY + padding }.max())
    for item in stride(from: 0, to: lengths.count, by: 17) {
      let path = IndexPath(item: item, section: 0)
      #expect(
        prepared.attributes(of: .cell, at: path, contentOffset: .zero)?.frame == expected[item])
    }
    for _ in 0..<10 {
      let middle = expected[random.int(0...(expected.count - 1))].minY
      let rect = Rect(
        x: random.length(-50...900), y: middle + random.length(-800...100),
        width: random.length(0...500), height: random.length(0...1500))
      let found = try prepared.elements(in: rect, contentOffset: .zero, limit: .max - 1)
      #expect(found.map(\.frame) == expected.filter { $0.overlaps(rect) })
    }
  }

  /// Applies a batch to content and to its layout.
  private func apply(
    _ batch: BatchUpdate, _ layout: WaterfallLayout, to content: inout Content,
    _ prepared: inout PreparedLayout
  ) throws {
    let updated = try batch.applied(to: content)
    prepared = try PreparedLayout(updating: prepared, to: updated, layout: layout)
    content = updated.content
  }

  /// Items of whole points, which behind a change mostly go where they went before.
  private func wholePoints(
    _ count: Int, below limit: Int, _ random: inout SeededGenerator
  ) -> ItemExtents {
    .lengths(
      .compact(
        NarrowLengths(
          (0..<count).map { _ in UInt32(random.int(10...(10 + limit))) * 1_000_000 })))
  }

  /// What is moved leaves as many items, and as long ones, behind it: they fall into step with where they were.
  @Test(arguments: seeds(20))
  func itemsBehindThoseThatAreMovedAreWhereTheyWouldBe(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var layout = WaterfallLayout()
    layout.itemRenderDirection = .shortestFirst
    layout.columns = .count(random.int(2...random.int(2...10)))
    let limit = [1, 9, 290][random.int(0...2)]
    let runs = (0..<random.int(1...3)).flatMap { _ in
      let count = random.int(100...3000)
      return [
        Items(count: count, extents: wholePoints(count, below: limit, &random)),
        Items(count: random.int(1...600), extents: .size(Size(width: 10, height: 10))),
      ]
    }
    var section = Section()
    section.items = ItemList(runs: runs)
    var content = Content(sections: [section])
    let viewport = Viewport(size: Size(width: 300, height: 500))
    var prepared = try PreparedLayout(content, layout: layout, viewport: viewport)
    let count = content.sections[0].items.count
    for number in 1...9 {
      var batch = BatchUpdate()
      let (from, way) = (random.int(0...(count - 1)), random.chance(0.7) ? 8 : count)
      let to = max(0, min(count - 1, from + random.int(-way...way)))
      if random.chance(0.7) {
        batch.moveItems = [(IndexPath(item: from, section: 0), IndexPath(item: to, section: 0))]
      } else {
        // As many others, which may be as long.
        let items = Items(count: 1, extents: wholePoints(1, below: limit, &random))
        batch.deleteItems = [ItemRange(section: 0, start: from, end: from + 1)]
        batch.insertItems = [(IndexPath(item: to, section: 0), items)]
        if random.chance(0.5) {
          batch.reloadItems = [(IndexPath(item: count - 1, section: 0), items)]
        }
      }
      batch = batch.repaired(for: content) ?? batch
      try apply(batch, layout, to: &content, &prepared)
      let scratch = try PreparedLayout(content, layout: layout, viewport: viewport)
      #expect(prepared.contentSize == scratch.contentSize)
      let rect = Rect(
        x: 0, y: random.length(0...Int(scratch.contentSize.height.points)), width: 300, height: 900)
      let found = try prepared.elements(in: rect, contentOffset: .zero, limit: .max)
      #expect(try found == scratch.elements(in: rect, contentOffset: .zero, limit: .max))
      // What is wrong in one may be right again in the next.
      guard number == 9 || random.chance(0.1) else { continue }
      #expect(
        prepared.everyElement(of: content, contentOffset: .zero)
          == scratch.everyElement(of: content, contentOffset: .zero))
    }
  }

  /// A waterfall of three columns without spacing, after a batch and from scratch.
  private func updated(
    _ points: [Int], _ change: (inout BatchUpdate) -> Void
  ) throws -> (updated: PreparedLayout, scratch: PreparedLayout) {
    let lengths = NarrowLengths(points.map { UInt32($0) * 1_000_000 })
    let content = Content(sections: [
      Section(items: Items(count: points.count, extents: .lengths(.compact(lengths))))
    ])
    var layout = WaterfallLayout()
    layout.columns = .count(3)
    layout.minimumInteritemSpacing = 0
    layout.itemRenderDirection = .shortestFirst
    let viewport = Viewport(size: Size(width: 300, height: 500))
    let before = try PreparedLayout(content, layout: layout, viewport: viewport)
    var batch = BatchUpdate()
    change(&batch)
    let after = try batch.applied(to: content)
    return (
      try PreparedLayout(updating: before, to: after, layout: layout),
      try PreparedLayout(after.content, layout: layout, viewport: viewport)
    )
  }

  /// The columns are as long as before in front of the 129th item, but two items have changed places in them.
  @Test func columnsThatEndWithOtherItemsAreNotInStep() throws {
    let lengths =
      Array(repeating: 10, count: 123) + [10, 20, 22, 20, 10] + Array(repeating: 10, count: 400)
    let (updated, scratch) = try updated(lengths) {
      $0.moveItems = [(IndexPath(item: 123, section: 0), IndexPath(item: 124, section: 0))]
    }
    let rect = Rect(x: 0, y: 41 * 10 + 25, width: 300, height: 1)
    func found(_ prepared: PreparedLayout) throws -> [LayoutAttributes] {
      try prepared.elements(in: rect, contentOffset: .zero, limit: 10)
    }
    #expect(try found(updated) == found(scratch))
  }

  /// Items that follow others as those before them did, but are fewer.
  @Test func columnsOfFewerItemsAreNotInStep() throws {
    let lengths = (0..<3000).map { 10 + $0 % 6 }
    let (updated, scratch) = try updated(lengths) {
      $0.deleteItems = [ItemRange(section: 0, start: 0, end: 6)]
    }
    #expect(updated.contentSize == scratch.contentSize)
  }

  @Test func aMoveGoesThroughNoMoreThanIsInAnotherPlace() throws {
    var random = SeededGenerator(seed: 7)
    var layout = WaterfallLayout()
    layout.columns = .count(3)
    let count = 200_000
    let items = Items(count: count, extents: wholePoints(count, below: 290, &random))
    var content = Content(sections: [Section(items: items)])
    let viewport = Viewport(size: Size(width: 300, height: 500))
    let start = threadTime()
    var prepared = try PreparedLayout(content, layout: layout, viewport: viewport)
    let end = threadTime()
    for number in 0..<20 {
      var batch = BatchUpdate()
      let from = 1000 + number * 50
      batch.moveItems = [
        (IndexPath(item: from, section: 0), IndexPath(item: from + 5, section: 0))
      ]
      try apply(batch, layout, to: &content, &prepared)
    }
    let (all, moves) = (end - start, threadTime() - end)
    #expect(moves < all * 20 / 4, "\(moves) ns for 20 moves, \(all) for all")
  }

  @Test func anItemThatReachesDownFromFarAboveIsFound() throws {
    // The first column is one item; thousands pass by in the second.
    let lengths = LengthArray(count: 5000) { $0 == 0 ? 1_000_000 : 10 }
    let content = Content(sections: [
      Section(items: Items(count: 5000, extents: .lengths(lengths)))
    ])
    let prepared = try PreparedLayout(
      content, layout: WaterfallLayout(), viewport: Viewport(size: Size(width: 320, height: 500)))
    let found = try prepared.elements(
      in: Rect(x: 0, y: 80_000, width: 320, height: 25), contentOffset: .zero, limit: 100)
    #expect(found.map(\.indexPath.item) == [0, 4001, 4002])
  }

  /// Immense items do not fit the quick way of placing: they are placed in another, those behind them
  /// in the quick one again.
  @Test func itemsBehindImmenseOnesAreFound() throws {
    var layout = WaterfallLayout()
    layout.columns = .count(3)
    layout.minimumColumnSpacing = 10
    // Two and then one for the three columns, so that these differ much or little.
    func isImmense(_ item: Int) -> Bool { [300, 301, 1000, 1400, 1401, 1402].contains(item) }
    let lengths = (0..<2000).map { item -> Length in
      isImmense(item) ? 2_000_000_000_000 : Length(points: 20 + item * 7 % 50)
    }
    // Columns are 100 points wide, and no size is greater than a billion.
    let widths = LengthArray(count: 2000) { isImmense($0) ? Length(millionths: 50_000) : 100 }
    let heights = LengthArray(count: 2000) { min(lengths[$0], 1_000_000_000) }
    let content = Content(sections: [
      Section(items: Items(count: 2000, extents: .sizes(widths: widths, heights: heights)))
    ])
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 320, height: 500)))
    let expected = Naive.waterfall(lengths, layout: layout, columnCount: 3, available: 320)
    for item in stride(from: 0, to: 2000, by: 13) {
      let rect = Rect(x: 0, y: expected[item].minY - 5, width: 320, height: 40)
      let found = try prepared.elements(in: rect, contentOffset: .zero, limit: 100)
      #expect(found.map(\.frame) == expected.filter { $0.overlaps(rect) })
    }
  }

  @Test func columnsThatWouldBeTooLongAreRefused() {
    var layout = WaterfallLayout()
    layout.columns = .count(2)
    // Not all the same, so that they are placed one by one: 9,300 billion points in each column.
    let lengths = LengthArray(count: 18_600) { $0 == 0 ? 999_999_999 : 1_000_000_000 }
    let content = Content(sections: [
      Section(items: Items(count: 18_600, extents: .lengths(lengths)))
    ])
    #expect(throws: LayoutError.contentTooLong(section: 0)) {
      try PreparedLayout(
        content, layout: layout, viewport: Viewport(size: Size(width: 320, height: 500)))
    }
  }

  /// A client may ask for as many columns as there can be, in each of many sections.
  @Test(arguments: [WaterfallLayout.ItemRenderDirection.shortestFirst, .leftToRight, .rightToLeft])
  func columnsWithoutItemsTakeNoMemory(direction: WaterfallLayout.ItemRenderDirection) throws {
    let few = Section(
      items: Items(count: 3, extents: .lengths(LengthArray(count: 3) { Length(points: $0 + 1) })))
    let one = Section(items: Items(count: 1))
    let content = Content(sections: (0..<1000).map { $0 % 2 == 0 ? few : one })
    var layout = WaterfallLayout()
    layout.itemRenderDirection = direction
    layout.columns = .count(WaterfallLayout.maximumColumnCount)
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 100_000, height: 500)))
    #expect(prepared.byteCount < 2 << 20)
  }

  /// All behind a change hop to other columns; what is kept of them must not.
  @Test(arguments: seeds(25))
  func columnsThatAreFilledInTurnAreThoseFromScratchAfterChanges(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var layout = generator.waterfallLayout()
    layout.itemRenderDirection = generator.chance(0.5) ? .leftToRight : .rightToLeft
    layout.columns = .count([1, 2, 3, 7, 40][generator.int(0...4)])
    let viewport = generator.viewport()
    func items(_ count: Int) -> Items {
      Items(
        count: count,
        extents: .lengths(LengthArray(count: count) { _ in generator.length(0...90) }))
    }
    // So many that there are several levels of blocks.
    var content = Content(sections: [Section(items: items(generator.int(1...12_000)))])
    var prepared = try PreparedLayout(content, layout: layout, viewport: viewport)
    // From some to few, and to more again.
    for round in 0..<24 {
      var batch = BatchUpdate()
      let count = content.sections[0].items.count
      var place = 0
      while place < count, batch.deleteItems.count < 40 {
        let end = min(count, place + generator.int(1...(round < 12 ? count / 20 + 1 : 3)))
        batch.deleteItems.append(ItemRange(section: 0, start: place, end: end))
        place = end + generator.int(1...(count / 10 + 1))
      }
      let left = count - batch.deleteItems.reduce(0) { $0 + $1.end - $1.start }
      let path = IndexPath(item: generator.int(0...left), section: 0)
      batch.insertItems = [(path, items(generator.int(1...(round < 12 ? 3 : 900))))]
      if round % 4 == 1 {
        // Moves and reloads too.
        var nextName = 0
        let random = generator.batch(for: content, nextName: &nextName)
        batch = random.repaired(for: content) ?? random
        batch.deleteSections = []
        batch.insertSections = []
        batch.reloadSections = []
        batch = batch.repaired(for: content) ?? batch
      }
      try apply(batch, layout, to: &content, &prepared)
      let scratch = try PreparedLayout(content, layout: layout, viewport: viewport)
      #expect(prepared.contentSize == scratch.contentSize)
      for _ in 0..<4 {
        let indexPath = IndexPath(
          item: generator.int(0...(content.sections[0].items.count - 1)), section: 0)
        func frame(in prepared: PreparedLayout) throws -> Rect {
          try #require(
            prepared.attributes(of: .cell, at: indexPath, contentOffset: .zero)?.frame)
        }
        #expect(try frame(in: prepared) == frame(in: scratch))
        let rect = Rect(origin: try frame(in: scratch).origin, size: generator.size(1...400))
        let found = try prepared.elements(in: rect, contentOffset: .zero, limit: .max)
        #expect(try found == scratch.elements(in: rect, contentOffset: .zero, limit: .max))
      }
    }
    let all = prepared.everyElement(of: content, contentOffset: .zero)
    let scratch = try PreparedLayout(content, layout: layout, viewport: viewport)
    #expect(all == scratch.everyElement(of: content, contentOffset: .zero))
  }

  /// However much goes from between them: what few items take does not depend on how many there were.
  @Test(arguments: [1, 2, 8, 100])
  func columnsThatAreFilledInTurnTakeNoMoreAfterDeletions(batchCount: Int) throws {
    var layout = WaterfallLayout()
    layout.itemRenderDirection = .leftToRight
    layout.columns = .count(3)
    let viewport = Viewport(size: Size(width: 300, height: 300))
    let lengths = LengthArray(count: 102_400) { Length(points: 10 + $0 % 7) }
    var content = Content(sections: [
      Section(items: Items(count: 102_400, extents: .lengths(lengths)))
    ])
    var prepared = try PreparedLayout(content, layout: layout, viewport: viewport)
    // One of each block is left.
    let ranges = (0..<800).map {
      ItemRange(section: 0, start: $0 * 128, end: $0 * 128 + 127)
    }
    let share = ranges.count / batchCount
    for turn in 0..<batchCount {
      var batch = BatchUpdate()
      // From the end, so that those before are where they were.
      batch.deleteItems = Array(ranges.dropLast(turn * share).suffix(share))
      try apply(batch, layout, to: &content, &prepared)
    }
    let scratch = try PreparedLayout(content, layout: layout, viewport: viewport)
    #expect(content.sections[0].items.count == 800)
    #expect(prepared.contentSize == scratch.contentSize)
    #expect(prepared.byteCount <= 2 * scratch.byteCount)
  }

  /// A small rest between a block that is changed and one that is not goes to the latter.
  @Test func whatIsLeftBetweenBlocksIsNoBlock() throws {
    var layout = WaterfallLayout()
    layout.itemRenderDirection = .leftToRight
    layout.columns = .count(40)
    let viewport = Viewport(size: Size(width: 4000, height: 300))
    // One less than a block may have.
    let (size, count) = (639, 30)
    let lengths = LengthArray(count: size * count) { Length(points: 10 + $0 % 7) }
    let content = Content(sections: [
      Section(items: Items(count: size * count, extents: .lengths(lengths)))
    ])
    let prepared = try PreparedLayout(content, layout: layout, viewport: viewport)
    var batch = BatchUpdate()
    for block in stride(from: 0, to: count, by: 3) {
      let one = Items(count: 1, extents: .lengths(LengthArray(count: 1) { _ in 50 }))
      batch.reloadItems.append((IndexPath(item: block * size, section: 0), one))
      let start = (block + 1) * size
      batch.deleteItems.append(ItemRange(section: 0, start: start, end: start + size - 1))
    }
    let updated = try batch.applied(to: content)
    let next = try PreparedLayout(updating: prepared, to: updated, layout: layout)
    let scratch = try PreparedLayout(updated.content, layout: layout, viewport: viewport)
    #expect(next.contentSize == scratch.contentSize)
    // Ten small ones would be a third of all.
    #expect(next.byteCount * 10 <= scratch.byteCount * 11)
  }

  @Test func pixelsDivideColumnsEvenly() throws {
    let content = Content(sections: [
      Section(items: Items(count: 3, extents: .aspectRatios([0.1, 0.7, 1])))
    ])
    var layout = WaterfallLayout()
    layout.columns = .count(3)
    layout.minimumColumnSpacing = 0
    let prepared = try PreparedLayout(
      content, layout: layout,
      viewport: Viewport(size: Size(width: 101, height: 500), displayScale: DisplayScale(2)))
    let frames = prepared.everyElement(of: content, contentOffset: .zero).map(\.frame)
    let half = Length(millionths: 33_500_000)
    #expect(frames.map(\.width) == [half, half, half])
    // 33.5/0.1 and 33.5/0.7, rounded down to half points.
    #expect(
      frames.map(\.height) == [335, Length(millionths: 47_500_000), Length(millionths: 33_500_000)])
  }

  @Test func tooManyColumnsAreRefused() {
    var layout = WaterfallLayout()
    layout.columns = .minimumWidth(Length(millionths: 1))
    layout.minimumColumnSpacing = 0
    let content = Content(sections: [Section(items: Items(count: 1))])
    #expect(throws: LayoutError.tooManyColumns(section: 0, limit: 10_000)) {
      try PreparedLayout(
        content, layout: layout, viewport: Viewport(size: Size(width: 320, height: 500)))
    }
  }

  @Test(arguments: 1...7)
  func whatDoesNotGrowStaysInTheFirstColumn(count: Int) throws {
    for columnCount in 1...4 {
      var layout = WaterfallLayout()
      layout.columns = .count(columnCount)
      layout.minimumInteritemSpacing = 0
      let items = Items(count: count, extents: .lengths(.equal(0, count: count)))
      let prepared = try PreparedLayout(
        Content(sections: [Section(items: items)]), layout: layout,
        viewport: Viewport(size: Size(width: 90, height: 100)))
      for item in 0..<count {
        let cell = prepared.attributes(
          of: .cell, at: IndexPath(item: item, section: 0), contentOffset: .zero)
        #expect(cell?.frame.minX == 0)
      }
    }
  }

  @Test func aRatioGivesWhatTheSizesGive() throws {
    func lengths(_ extents: ItemExtents) throws -> [Length] {
      let prepared = try PreparedLayout(
        Content(sections: [Section(items: Items(count: 3, extents: extents))]),
        layout: WaterfallLayout(),
        viewport: Viewport(
          size: Size(width: Length(millionths: 344_417_801), height: 1000)))
      return (0..<3).compactMap {
        prepared.attributes(
          of: .cell, at: IndexPath(item: $0, section: 0), contentOffset: .zero)?.frame.height
      }
    }
    let ratios = try lengths(.aspectRatios([1, 2, 0.5]))
    let sizes = try lengths(
      .sizes(widths: .compact([1, 2, 1]), heights: .compact([1, 1, 2])))
    #expect(ratios == sizes)
    // The middle between two millionths.
    #expect(ratios[0] == Length(millionths: 167_208_901))
  }

  /// Insets that leave nothing of the room leave no less.
  @Test func aHeaderIsNoNarrowerThanNothing() throws {
    var layout = WaterfallLayout()
    layout.headerReferenceSize = Size(width: 0, height: 40)
    layout.footerReferenceSize = Size(width: 0, height: 40)
    layout.headerInset = EdgeInsets(top: 0, left: 60, bottom: 0, right: 60)
    layout.footerInset = layout.headerInset
    let prepared = try PreparedLayout(
      Content(sections: [Section()]), layout: layout,
      viewport: Viewport(size: Size(width: 100, height: 400)))
    let first = IndexPath(item: 0, section: 0)
    #expect(
      prepared.attributes(of: .header, at: first, contentOffset: .zero)?.frame
        == Rect(x: 60, y: 0, width: 0, height: 40))
    #expect(
      prepared.attributes(of: .footer, at: first, contentOffset: .zero)?.frame
        == Rect(x: 60, y: 40, width: 0, height: 40))
  }

  /// Only where each goes where it can start first they all stay in the first column.
  @Test func itemsWithoutALengthFillColumnsInTurn() throws {
    var layout = WaterfallLayout()
    layout.itemRenderDirection = .leftToRight
    layout.minimumInteritemSpacing = 0
    layout.itemSize = Size(width: 50, height: 0)
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: 9))]), layout: layout,
      viewport: Viewport(size: Size(width: 320, height: 400)))
    let columns = (0..<3).map {
      prepared.attributes(of: .cell, at: IndexPath(item: $0, section: 0), contentOffset: .zero)?
        .frame.minX
    }
    #expect(columns == [0, 165, 0])
  }

  /// However narrow columns may get, there are none where there is no room for any; but for one.
  @Test func withoutRoomThereIsOneColumn() throws {
    var layout = WaterfallLayout()
    layout.columns = .minimumWidth(0)
    layout.minimumColumnSpacing = 0
    layout.sectionInset = EdgeInsets(top: 0, left: 320, bottom: 0, right: 0)
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: 9))]), layout: layout,
      viewport: Viewport(size: Size(width: 320, height: 400)))
    let first = IndexPath(item: 0, section: 0)
    #expect(prepared.attributes(of: .cell, at: first, contentOffset: .zero)?.frame.width == 0)
    // The second lies below it, not beside it.
    let second = IndexPath(item: 1, section: 0)
    let frame = prepared.attributes(of: .cell, at: second, contentOffset: .zero)?.frame
    #expect(try #require(frame).minY > 0)
  }
}
