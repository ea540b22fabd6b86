import Testing

@testable import LayoutCore

/// Items of one length in a waterfall, of which many follow each other, between others.
struct EqualRunTests {
  // MARK: Steps

  /// Columns that begin anywhere, some far behind others, beside one item put after the other.
  @Test(arguments: seeds(200))
  func stepsAreItemsOneByOne(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let columnCount = random.int(1...(random.chance(0.2) ? 40 : 8))
    let step = Length(millionths: Int64(random.int(0...7)))
    let starts = (0..<columnCount).map { _ in
      Int64(random.chance(0.2) ? random.int(0...500) : random.int(0...9))
    }
    let count = random.int(0...300)
    let lengths = EqualLengths(length: step.millionths, count: count)
    let steps = EqualSteps(lengths, 0, columnCount: columnCount)
    /// How columns are after so many items, and which columns have taken one.
    var columns = starts
    var states = [columns]
    var places: [(start: Int64, column: Int)] = []
    for _ in 0..<count {
      let column = columns.indices.min { (columns[$0], $0) < (columns[$1], $1) } ?? 0
      places.append((columns[column], column))
      columns[column] += step.millionths
      states.append(columns)
    }

    for isRowLeft in [false, true] {
      var rows = starts
      var span = rows.mutableSpan
      let placed = steps.placeRows(leavingOne: isRowLeft, in: &span)
      #expect(rows == states[placed])
      #expect(count - placed < (isRowLeft ? 2 : 1) * columnCount || count == placed)
      let (done, left) = (places.prefix(placed), places.dropFirst(placed))
      if isRowLeft {
        #expect(Set(done.map(\.column)).isSubset(of: left.map(\.column)))
      }
    }

    let first = random.int(0...(columnCount - 1))
    let wanted = first..<random.int((first + 1)...columnCount)
    let main = Int64(random.int(-1...60))
    let expected = places.firstIndex { wanted.contains($0.column) && $0.start > main }
    let place = steps.firstPlace(
      below: Length(millionths: main), in: wanted, starts.span)
    let before = place.map { steps.count(before: $0, starts.span) }
    #expect((before ?? count) == expected ?? count)
    if let place, let expected {
      #expect((place.start.millionths, place.column) == places[expected])
      var all = starts
      var span = all.mutableSpan
      steps.placeAll(before: place, in: &span)
      #expect(all == states[expected])
    }

    var counting = EqualStepCounter(step: step.millionths, starts.span)
    for (index, place) in places.enumerated() where random.chance(0.5) {
      #expect(
        counting.place(after: index)
          == ColumnHeap.Entry(key: place.start, column: place.column))
    }
    guard step > .zero else { return }
    var counter = EqualStepCounter(step: step.millionths, starts.span)
    #expect(
      counter.order.map(\.column).elementsEqual(
        starts.indices.sorted { (starts[$0], $0) < (starts[$1], $1) }))
    for (index, place) in places.enumerated() where wanted.contains(place.column) {
      let place = ColumnHeap.Entry(key: place.start, column: place.column)
      #expect(counter.count(before: place) == index)
    }
  }

  // MARK: Layouts

  /// A waterfall of which the lengths are known.
  private struct Subject {
    var layout: WaterfallLayout
    var columnCount: Int
    var available: Length
    var content: Content

    /// The lengths, of sizes as wide as an item.
    var lengths: [Length] {
      var lengths: [Length] = []
      content.sections[0].items.forEachRun { run, _ in
        for index in 0..<run.count {
          switch run.extents[index] {
          case .size(let size): lengths.append(size.height)
          case .length(let length): lengths.append(length)
          case .unspecified, .aspectRatio: lengths.append(layout.itemSize.height)
          }
        }
      }
      return lengths
    }

    var viewport: Viewport { Viewport(size: Size(width: available, height: 500)) }

    var frames: [Rect] {
      Naive.waterfall(
        lengths, layout: layout, columnCount: columnCount, available: available)
    }
  }

  private static func items(_ random: inout SeededGenerator, width: Length, isLong: Bool) -> Items {
    // Some without a length, and few different ones, so that columns often begin at the same place.
    func length(_ random: inout SeededGenerator) -> Length {
      random.chance(0.1) ? 0 : random.chance(0.5) ? 10 : random.length(0...100)
    }
    let count = random.int(1...(isLong ? random.chance(0.5) ? 3000 : 300 : 5))
    switch random.int(0...(isLong ? 4 : 1)) {
    case 0: return Items(count: count, extents: .lengths(.equal(length(&random), count: count)))
    case 1:
      return Items(
        count: count,
        extents: .lengths(
          LengthArray(count: count) { _ in random.chance(0.02) ? 3000 : length(&random) }))
    case 2: return Items(count: count)
    case 3:
      let heights = LengthArray.equal(length(&random), count: count)
      return Items(
        count: count, extents: .sizes(widths: .equal(width, count: count), heights: heights))
    default:
      return Items(
        count: count, extents: .size(Size(width: width, height: length(&random))))
    }
  }

  private static func subject(_ random: inout SeededGenerator) -> Subject {
    var layout = WaterfallLayout()
    layout.itemRenderDirection =
      WaterfallLayout.ItemRenderDirection.allCases[random.int(0...2)]
    layout.minimumInteritemSpacing = random.chance(0.3) ? 0 : random.length(0...15)
    layout.minimumColumnSpacing = Length(points: random.int(0...5))
    layout.itemPadding = Length(points: random.chance(0.7) ? 0 : random.int(1...5))
    let columnCount = random.chance(0.7) ? random.int(1...8) : random.int(9...60)
    layout.columns = .count(columnCount)
    let width = Length(points: 100) - layout.itemPadding * 2
    layout.itemSize = Size(width: width, height: Length(points: random.int(0...30)))
    let runs = (0..<random.int(1...7)).map { _ in
      items(&random, width: width, isLong: random.chance(0.6))
    }
    return Subject(
      layout: layout, columnCount: columnCount,
      available: Length(points: 100 * columnCount)
        + layout.minimumColumnSpacing * (columnCount - 1),
      content: Content(sections: [Section(items: Items())]).with(ItemList(runs: runs)))
  }

  /// Every frame, some together, and what is in some rectangles, with all columns or few.
  @Test(arguments: seeds(250))
  func runsAreItemsOneByOne(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let subject = Self.subject(&random)
    let prepared = try PreparedLayout(
      subject.content, layout: subject.layout, viewport: subject.viewport)
    try expect(prepared, isOf: subject, &random)
  }

  private func expect(
    _ prepared: PreparedLayout, isOf subject: Subject, _ random: inout SeededGenerator
  ) throws {
    let expected = subject.frames
    let end = expected.map { $0.maxY + subject.layout.itemPadding }.max() ?? 0
    #expect(prepared.contentSize.height == end)
    let placement = prepared.placement
    let few = (0..<20).map { _ in random.int(0...(expected.count - 1)) }
    #expect(
      few.map { placement.restingFrame(ofItemAt: IndexPath(item: $0, section: 0)) }
        == few.map { expected[$0] })
    let some = expected.indices.filter { _ in random.chance(0.01) }
    #expect(
      placement.restingFrames(ofItemsAt: some.map { IndexPath(item: $0, section: 0) })
        == some.map { expected[$0] })
    for _ in 0..<12 {
      let middle = expected[random.int(0...(expected.count - 1))].minY
      let isWhole = random.chance(0.4)
      let rect = Rect(
        x: isWhole ? 0 : random.length(-50...900), y: middle - random.length(-50...300),
        width: isWhole ? subject.available : random.length(0...400),
        height: random.length(0...600))
      let shown = expected.indices.filter { expected[$0].overlaps(rect) }
      let start = random.chance(0.5) ? 0 : random.int(0...(expected.count - 1))
      var found: [Int] = []
      var frames: [Rect] = []
      placement.forEachElement(
        in: rect, visible: rect, from: ElementPosition(section: 0, rank: start)
      ) { element in
        found.append(element.indexPath.item)
        frames.append(element.frame)
        return true
      }
      #expect(found == shown.filter { $0 >= start })
      #expect(frames == found.map { expected[$0] })
      var inRuns: [Int] = []
      var areFramesRight = true
      placement.forEachRestingRun(in: rect) { run, frame in
        if let frame, frame != expected[run.start] { areFramesRight = false }
        inRuns += run.start..<run.end
        return true
      }
      #expect(inRuns == shown && areFramesRight)
    }
  }

  /// A window reaches over as many screens as it says.
  @Test func linesThatAreWholeAreNotGoneThroughOneByOne() throws {
    let count = 20_000
    let sizes = Items.unlike(count)
    let equal = Items(count: count, extents: .size(Size(width: 50, height: 50)))
    let placement = try PreparedLayout(
      Content(sections: [Section(items: Items())]).with(ItemList(runs: [sizes, equal, sizes])),
      layout: FlowLayout(), viewport: Viewport(size: Size(width: 320, height: 480))
    ).placement
    let items = try (0..<(3 * count)).map {
      try #require(placement.restingFrame(ofItemAt: IndexPath(item: $0, section: 0)))
    }
    // From the middle of a line, and of one that touches the end, to that of another.
    for (first, last) in [(0, 3 * count - 1), (5000, 12_000), (19_000, 41_000), (25_000, 35_000)] {
      let minY: Length = items[first].minY + 10
      for maxY: Length in [items[last].minY + 10, items[last].maxY] {
        let rect = Rect(x: 0, y: minY, width: 320, height: maxY - minY)
        var (runs, found) = (0, [Int]())
        placement.forEachRestingRun(in: rect) { run, _ in
          runs += 1
          found += run.start..<run.end
          return true
        }
        #expect(found == items.indices.filter { items[$0].overlaps(rect) })
        #expect(runs < 64)
      }
    }
  }

  /// Changes inside of runs, at their edges, and of all of them.
  @Test(arguments: seeds(40))
  func changedRunsAreItemsOneByOne(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var subject = Self.subject(&random)
    let width = subject.layout.itemSize.width
    var prepared = try PreparedLayout(
      subject.content, layout: subject.layout, viewport: subject.viewport)
    for _ in 0..<8 {
      var batch = BatchUpdate()
      let count = subject.content.sections[0].items.count
      var edges: [Int] = []
      subject.content.sections[0].items.forEachRun { edges += [$1, $1 + $0.count - 1] }
      func place() -> Int {
        random.chance(0.4)
          ? edges[random.int(0...(edges.count - 1))] : random.int(0...(count - 1))
      }
      for _ in 0..<random.int(0...2) {
        let start = place()
        let end = min(count, start + random.int(1...(random.chance(0.3) ? 800 : 3)))
        batch.deleteItems.append(ItemRange(section: 0, start: start, end: end))
      }
      for _ in 0..<random.int(0...2) {
        batch.insertItems.append(
          (
            IndexPath(item: place(), section: 0),
            Self.items(&random, width: width, isLong: random.chance(0.4))
          ))
      }
      for _ in 0..<random.int(0...2) {
        batch.reloadItems.append(
          (
            IndexPath(item: place(), section: 0),
            Items(count: 1, extents: .lengths(.equal(random.length(0...60), count: 1)))
          ))
      }
      batch = batch.repaired(for: subject.content) ?? BatchUpdate()
      let updated = try batch.applied(to: subject.content)
      guard updated.content.sections[0].items.count > 0 else { break }
      prepared = try PreparedLayout(updating: prepared, to: updated, layout: subject.layout)
      subject.content = updated.content
      try expect(prepared, isOf: subject, &random)
    }
  }

  /// Items that join a few of their length make many of them, which begin between two checkpoints.
  @Test(arguments: [3, 12]) func aRunMayBeginBetweenCheckpoints(columnCount: Int) throws {
    var layout = WaterfallLayout()
    layout.columns = .count(columnCount)
    layout.itemSize = Size(width: 10, height: 7)
    let viewport = Viewport(size: Size(width: 300, height: 300))
    // One less than makes a block, in front of it enough to have no checkpoint where it begins.
    let few = 16 * max(8, columnCount) - 1
    let content = Content(sections: [Section(items: Items())]).with(
      ItemList(runs: [
        Items(count: 90, extents: .lengths(LengthArray(count: 90) { Length(points: $0 % 13 + 1) })),
        Items(count: few), Items(count: 1000, extents: .lengths(.equal(31, count: 1000))),
      ]))
    let before = try PreparedLayout(content, layout: layout, viewport: viewport)
    var batch = BatchUpdate()
    batch.insertItems = [(IndexPath(item: 90 + few, section: 0), Items(count: 50))]
    let updated = try batch.applied(to: content)
    let prepared = try PreparedLayout(updating: before, to: updated, layout: layout)
    let scratch = try PreparedLayout(updated.content, layout: layout, viewport: viewport)
    let paths = (0..<(90 + few + 50)).map { IndexPath(item: $0, section: 0) }
    let expected = paths.map { scratch.placement.restingFrame(ofItemAt: $0) }
    #expect(paths.map { prepared.placement.restingFrame(ofItemAt: $0) } == expected)
    #expect(prepared.placement.restingFrames(ofItemsAt: paths) == expected)
  }

  // MARK: Many

  /// Of items without an area the other extent does not matter: they are placed many at a time.
  @Test(arguments: [ScrollDirection.vertical, .horizontal], [false, true])
  func itemsWithoutAnAreaAreOfOneLength(direction: ScrollDirection, areFlat: Bool) {
    let count = 40 * Items.capacity
    let zero = LengthArray(count: count) { _ in 0 }
    let other = LengthArray(count: count) { Length(points: $0 % 50) }
    let items = Items(
      count: count,
      extents: areFlat
        ? .sizes(widths: other, heights: zero) : .sizes(widths: zero, heights: other))
    let lengths = ColumnLengths(
      ItemList(items),
      in: ColumnGrid(
        ColumnGrid.Metrics(
          count: 3, leading: 0, available: 300, spacing: 0, padding: 0, displayScale: nil)),
      itemSize: Size(width: 50, height: 50), direction)
    var blocks = 0
    lengths.forEachBlock(of: 0..<count, limit: { _ in LengthBlock.capacity }) { _, block in
      blocks += 1
      if case .equal(let equal) = block.lengths {
        #expect(equal.length == 0)
      } else {
        blocks += count
      }
      return true
    }
    #expect(blocks == 40)
    var reader = ColumnLengths.Reader(lengths)
    let run = reader.run(from: 5)
    #expect(run.length == .zero && run.end == Items.capacity)
  }

  /// Between two billions of one length lies an item of another: what is around each of them is as where there
  /// are few.
  @Test(
    arguments: WaterfallLayout.ItemRenderDirection.allCases, [1, 3, 8, 12])
  func billionsAreAsFew(direction: WaterfallLayout.ItemRenderDirection, columnCount: Int) throws {
    var layout = WaterfallLayout()
    layout.itemRenderDirection = direction
    layout.columns = .count(columnCount)
    layout.minimumColumnSpacing = 0
    layout.minimumInteritemSpacing = 0
    layout.itemSize = Size(width: 100, height: 7)
    func prepared(_ rowCount: Int) throws -> PreparedLayout {
      let run = Items(count: rowCount * columnCount)
      let odd = Items(count: 1, extents: .lengths(.equal(31, count: 1)))
      return try PreparedLayout(
        Content(sections: [Section(items: Items())]).with(ItemList(runs: [run, odd, run])),
        layout: layout,
        viewport: Viewport(size: Size(width: Length(points: 100 * columnCount), height: 300)))
    }
    let (fewRows, manyRows) = (200, 1_000_000_000 / columnCount)
    let (few, many) = (try prepared(fewRows), try prepared(manyRows))
    let more = manyRows - fewRows
    #expect(
      many.contentSize.height == few.contentSize.height + Length(points: 7) * (more * 2))
    #expect(many.byteCount < 100_000)
    // Around the odd one, and at the end.
    for (rows, item) in [(1, fewRows * columnCount), (2, fewRows * columnCount * 2 - 100)] {
      let moved = Length(points: 7) * (more * rows)
      for item in item..<(item + 100) {
        let path = IndexPath(item: item, section: 0)
        let far = IndexPath(item: item + more * rows * columnCount, section: 0)
        let frame = try #require(few.placement.restingFrame(ofItemAt: path))
        #expect(many.placement.restingFrame(ofItemAt: far) == frame.offset(by: moved))
      }
      let middle = try #require(
        few.placement.restingFrame(ofItemAt: IndexPath(item: item + 50, section: 0)))
      for x in [Length.zero, Length(points: 100 * columnCount - 50)] {
        let rect = Rect(x: x, y: middle.minY, width: 5000, height: 60)
        let expected = try few.elements(in: rect, contentOffset: .zero, limit: 1000)
        let found = try many.elements(
          in: rect.offset(by: moved), contentOffset: .zero, limit: 1000)
        #expect(!found.isEmpty && found.map(\.frame) == expected.map { $0.frame.offset(by: moved) })
        #expect(
          found.map(\.indexPath.item)
            == expected.map { $0.indexPath.item + more * rows * columnCount })
      }
    }
  }

  /// A change among billions keeps nothing of each of them, wherever it is.
  @Test(arguments: WaterfallLayout.ItemRenderDirection.allCases)
  func changesAmongBillionsTakeNoMemory(direction: WaterfallLayout.ItemRenderDirection) throws {
    var layout = WaterfallLayout()
    layout.itemRenderDirection = direction
    layout.columns = .count(3)
    var content = Content(sections: [Section(items: Items(count: 1_000_000_000))])
    let viewport = Viewport(size: Size(width: 300, height: 300))
    var prepared = try PreparedLayout(content, layout: layout, viewport: viewport)
    for place in [500_000_000, 0, 999_999_999, 250_000_000, 750_000_000] {
      var batch = BatchUpdate()
      batch.reloadItems = [
        (
          IndexPath(item: place, section: 0),
          Items(count: 1, extents: .lengths(.equal(200, count: 1)))
        )
      ]
      let updated = try batch.applied(to: content)
      prepared = try PreparedLayout(updating: prepared, to: updated, layout: layout)
      content = updated.content
    }
    #expect(prepared.byteCount < 100_000)
    let scratch = try PreparedLayout(content, layout: layout, viewport: viewport)
    for item in [0, 1, 249_999_999, 250_000_000, 400_000_000, 999_999_990] {
      let frame = try #require(
        prepared.attributes(
          of: .cell, at: IndexPath(item: item, section: 0), contentOffset: .zero)?.frame)
      let rect = Rect(x: 0, y: frame.minY - 100, width: 300, height: 300)
      #expect(
        try prepared.elements(in: rect, contentOffset: .zero, limit: 1000)
          == scratch.elements(in: rect, contentOffset: .zero, limit: 1000))
    }
  }

  /// There is no room for more checkpoints than there will be: there may be many such sections.
  @Test func aFewItemsInManyColumnsTakeLittleMemory() throws {
    var layout = WaterfallLayout()
    layout.columns = .count(100)
    let items = ItemList(runs: [
      Items(count: 99), Items(count: 1, extents: .lengths(.equal(200, count: 1))),
    ])
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items())]).with(items), layout: layout,
      viewport: Viewport(size: Size(width: 3000, height: 300)))
    // One checkpoint: an item, and where each column begins and what its last item is.
    #expect(prepared.byteCount < 2 * 201 * 8)
  }

  /// One item takes a column, and a billion pass by in the other.
  @Test func whatPassesByInOtherColumnsIsNotGoneThrough() throws {
    var layout = WaterfallLayout()
    layout.minimumColumnSpacing = 0
    layout.minimumInteritemSpacing = 0
    func time(passing count: Int) throws -> UInt64 {
      let start = threadTime()
      let items = ItemList(runs: [
        Items(count: 1, extents: .lengths(.equal(Length(points: count), count: 1))),
        Items(count: count, extents: .size(Size(width: 100, height: 1))),
      ])
      let prepared = try PreparedLayout(
        Content(sections: [Section(items: Items())]).with(items), layout: layout,
        viewport: Viewport(size: Size(width: 200, height: 300)))
      func found(in rect: Rect) throws -> [Int] {
        try prepared.elements(in: rect, contentOffset: .zero, limit: 10).map(\.indexPath.item)
      }
      let all = Rect(x: 0, y: 300, width: 100, height: Length(points: count))
      #expect(try found(in: all) == [0])
      let place = count / 10 * 7
      let both = Rect(x: 0, y: Length(points: place), width: 200, height: 2)
      #expect(try found(in: both) == [0, place + 1, place + 2])
      return threadTime() - start
    }
    let few = try time(passing: 1_000_000)
    let many = try time(passing: 1_000_000_000)
    #expect(many < 100 * few, "\(many) and \(few) ns")
  }

  /// In a few of many columns are a few of billions of items: what passes by in the others is counted, not gone
  /// through, wherever those begin.
  @Test(arguments: [false, true])
  func fewColumnsOfManyAreSeenAlone(isStaggered: Bool) throws {
    let columnCount = WaterfallLayout.maximumColumnCount
    var layout = WaterfallLayout()
    layout.columns = .count(columnCount)
    layout.minimumColumnSpacing = 0
    layout.minimumInteritemSpacing = 0
    // Every other column begins a row later, or each as many later as there are before it.
    let rowsBefore = (0..<columnCount).map { isStaggered ? $0 : $0 % 2 }
    let firstRow = LengthArray(count: columnCount) { Length(points: rowsBefore[$0] + 1) }
    let allBefore = rowsBefore.reduce(0, +)
    let rowCount = 1_000_000
    let items = ItemList(runs: [
      Items(count: columnCount, extents: .lengths(firstRow)),
      Items(count: rowCount * columnCount, extents: .size(Size(width: 1, height: 1))),
    ])
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items())]).with(items), layout: layout,
      viewport: Viewport(size: Size(width: Length(points: columnCount), height: 500)))
    let rect = Rect(x: Length(points: columnCount - 3), y: 20_000, width: 3, height: 5000)
    let found = try prepared.elements(in: rect, contentOffset: .zero, limit: 20_000)
    #expect(found.count == 15_000)
    for (number, element) in found.enumerated() {
      let (row, column) = (20_000 + number / 3, columnCount - 3 + number % 3)
      #expect(
        element.frame
          == Rect(
            x: Length(points: column), y: Length(points: row), width: 1, height: 1))
      // By then all columns have begun, and each has one item in each row.
      let before = row * columnCount - allBefore
      guard element.indexPath.item == before + column else {
        Issue.record("item \(element.indexPath.item) is at \(row), \(column)")
        break
      }
    }
  }

  /// Runs too short for a column's sums are placed one by one, and count as many as they are.
  @Test(arguments: WaterfallLayout.ItemRenderDirection.allCases)
  func tooManyThatWouldBePlacedOneByOneAreRefused(
    direction: WaterfallLayout.ItemRenderDirection
  ) throws {
    var layout = WaterfallLayout()
    layout.itemRenderDirection = direction
    layout.columns = .count(WaterfallLayout.maximumColumnCount)
    let runs = (0..<300).map { number in
      Items(count: 100_000, extents: .size(Size(width: 1, height: Length(points: number % 2 + 1))))
    }
    // To find the shortest of many columns takes longer.
    let limit = WaterfallLayout.maximumMixedCount / (direction == .shortestFirst ? 4 : 1)
    #expect(throws: LayoutError.tooManyItems(section: 0, limit: limit)) {
      try PreparedLayout(
        Content(sections: [Section(items: Items())]).with(ItemList(runs: runs)), layout: layout,
        viewport: Viewport(size: Size(width: 100_000, height: 500)))
    }
  }

  /// A few columns are kept in order, and the shortest is the first of them.
  @Test(arguments: [(8, false), (9, true)])
  func ofMoreThanEightColumnsTheShortestIsLookedFor(columnCount: Int, isRefused: Bool) throws {
    var layout = WaterfallLayout()
    layout.columns = .count(columnCount)
    // Each run counts as 16 for every column at most.
    let count = 16 * columnCount
    let limit = WaterfallLayout.maximumMixedCount / 4
    let runs = (0...(limit / count)).map { number in
      Items(count: count, extents: .size(Size(width: 1, height: Length(points: number % 2 + 1))))
    }
    func prepare() throws {
      _ = try PreparedLayout(
        Content(sections: [Section(items: Items())]).with(ItemList(runs: runs)), layout: layout,
        viewport: Viewport(size: Size(width: 100, height: 500)))
    }
    if isRefused {
      #expect(throws: LayoutError.tooManyItems(section: 0, limit: limit)) { try prepare() }
    } else {
      #expect(throws: Never.self) { try prepare() }
    }
  }

  /// Those of all sections count together, which a few bytes each may bring; what has data of its own does not.
  @Test(arguments: [(10_000, true), (9_000, false)])
  func runsOfAllSectionsCountTogether(firstRunCount: Int, isRefused: Bool) throws {
    func section(_ runCount: Int) -> Section {
      var section = Section(items: Items())
      section.items = ItemList(
        runs: (0..<runCount).map { number in
          Items(
            count: 200, extents: .size(Size(width: 1, height: Length(points: number % 2 + 1))))
        })
      return section
    }
    let limit = WaterfallLayout.maximumMixedCount
    // Each run counts as 128.
    let content = Content(sections: [section(firstRunCount), section(limit / 128 - 9_500)])
    func prepare() throws {
      _ = try PreparedLayout(
        content, layout: WaterfallLayout(),
        viewport: Viewport(size: Size(width: 100, height: 500)))
    }
    if isRefused {
      #expect(throws: LayoutError.tooManyItems(section: 1, limit: limit)) { try prepare() }
    } else {
      #expect(throws: Never.self) { try prepare() }
    }
  }

  /// A change may bring as many to each of many sections.
  @Test(arguments: [(1, false), (50, true)])
  func runsThatAChangeBringsToAllSectionsCountTogether(runCount: Int, isRefused: Bool) throws {
    var layout = WaterfallLayout()
    layout.columns = .count(WaterfallLayout.maximumColumnCount)
    let content = Content(sections: [Section(items: Items()), Section(items: Items())])
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 100_000, height: 500)))
    var batch = BatchUpdate()
    for section in 0..<2 {
      // The second alone is not too much.
      for number in 0..<(section == 0 ? 2 : runCount) {
        let size = Size(width: 1, height: Length(points: number % 2 + 1))
        batch.insertItems.append(
          (
            IndexPath(item: number * 100_000, section: section),
            Items(count: 100_000, extents: .size(size))
          ))
      }
    }
    let updated = try batch.applied(to: content)
    func update() throws {
      _ = try PreparedLayout(updating: prepared, to: updated, layout: layout)
    }
    if isRefused {
      let limit = WaterfallLayout.maximumMixedCount / 4
      #expect(throws: LayoutError.tooManyItems(section: 1, limit: limit)) { try update() }
    } else {
      #expect(throws: Never.self) { try update() }
    }
  }
}

extension EqualRunTests {
  /// What is accepted change by change can be laid out again as a whole, and what cannot is refused.
  @Test func whatChangesBringCountsWithWhatIsThere() throws {
    var layout = WaterfallLayout()
    layout.columns = .count(WaterfallLayout.maximumColumnCount)
    let viewport = Viewport(size: Size(width: 100_000, height: 500))
    var content = Content(sections: (0..<10).map { _ in Section(items: Items()) })
    var prepared = try PreparedLayout(content, layout: layout, viewport: viewport)
    func update(_ batch: BatchUpdate) throws {
      let updated = try batch.applied(to: content)
      prepared = try PreparedLayout(updating: prepared, to: updated, layout: layout)
      content = updated.content
    }
    func insert(runCount: Int, inSection section: Int) throws {
      var batch = BatchUpdate()
      batch.insertItems = (0..<runCount).map { number in
        let size = Size(width: 1, height: Length(points: number % 2 + 1))
        return (
          IndexPath(item: number * 1_000_000, section: section),
          Items(count: 1_000_000, extents: .size(size))
        )
      }
      try update(batch)
    }
    // Each run counts as 160,000: 31 are all that there may be.
    for section in 0..<7 { try insert(runCount: 4, inSection: section) }
    let limit = WaterfallLayout.maximumMixedCount / 4
    #expect(throws: LayoutError.tooManyItems(section: 9, limit: limit)) {
      try insert(runCount: 4, inSection: 9)
    }
    try insert(runCount: 3, inSection: 9)
    #expect(throws: Never.self) {
      try PreparedLayout(content, layout: layout, viewport: viewport)
    }
    // What has gone does not count.
    var batch = BatchUpdate()
    batch.deleteSections = [3]
    try update(batch)
    try insert(runCount: 4, inSection: 8)
  }
}

extension Content {
  /// One section with some items.
  fileprivate func with(_ items: ItemList) -> Content {
    var section = Section(items: Items())
    section.items = items
    return Content(sections: [section])
  }
}
