import Testing

@testable import LayoutCore

struct FlowLayoutTests {
  private func frames(
    _ items: Items, layout: FlowLayout = FlowLayout(), width: Length = 320
  ) throws -> [Rect] {
    let content = Content(sections: [Section(items: items)])
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: width, height: 480)))
    return prepared.everyElement(of: content, contentOffset: .zero).map(\.frame)
  }

  @Test(arguments: seeds(250))
  func placesItemsAsThePlainLoopDoes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var layout = random.flowLayout()
    layout.leaveItemsAlone()
    let equal = random.chance(0.4)
    let size = random.size(0...120)
    let sizes = (0..<random.int(1...80)).map { _ in equal ? size : random.size(0...200) }
    let available = random.length(50...400)
    let items = Items(
      count: sizes.count,
      extents: .sizes(
        widths: LengthArray(count: sizes.count) { sizes[$0].width },
        heights: LengthArray(count: sizes.count) { sizes[$0].height }))
    #expect(
      try frames(items, layout: layout, width: available)
        == Naive.flow(sizes, layout: layout, available: available))
  }

  /// So little room that lines often end at it to the millionth; in runs of several kinds, from each of
  /// which a line goes on into the next.
  @Test(arguments: seeds(200))
  func fillsLinesToTheMillionth(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func millionths(_ range: ClosedRange<Int>) -> Length {
      Length(millionths: Int64(random.int(range)))
    }
    var layout = random.flowLayout()
    layout.leaveItemsAlone()
    layout.minimumInteritemSpacing = millionths(0...3)
    let available = millionths(1...40)
    var sizes: [Size] = []
    let runs = (0..<random.int(1...5)).map { _ in
      // None without a breadth: pushed together, those may begin half a millionth before the line.
      let common = Size(width: millionths(1...6), height: millionths(0...6))
      let (isEqual, isWide) = (random.chance(0.2), random.chance(0.2))
      let new = (0..<random.int(1...(random.chance(0.3) ? 600 : 30))).map { _ in
        isEqual
          ? common
          : Size(
            // A length of more than 32 bits.
            width: isWide && random.chance(0.1) ? 5000 : millionths(1...6),
            height: millionths(0...6))
      }
      sizes += new
      return Items(
        count: new.count,
        extents: isEqual
          ? .size(common)
          : .sizes(
            widths: LengthArray(count: new.count) { new[$0].width },
            heights: LengthArray(count: new.count) { new[$0].height }))
    }
    var section = Section()
    section.items = ItemList(runs: runs)
    let content = Content(sections: [section])
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: available, height: 480)))
    let found = (0..<sizes.count).map {
      prepared.attributes(
        of: .cell, at: IndexPath(item: $0, section: 0), contentOffset: .zero)?.frame
    }
    #expect(found == Naive.flow(sizes, layout: layout, available: available))
    // Lines are looked for where they likely are, which these often are not.
    let length = Int(prepared.contentSize.height.millionths)
    for _ in 0..<8 {
      let rect = Rect(
        x: millionths(0...20), y: millionths(-3...length), width: millionths(1...40),
        height: millionths(1...60))
      let shown = try prepared.elements(in: rect, contentOffset: .zero, limit: .max)
      #expect(shown.map(\.frame) == found.compactMap { $0 }.filter { $0.overlaps(rect) })
    }
  }

  /// Lines with so many equal items between others that they are not gone through one by one.
  @Test(arguments: seeds(150))
  func runsOfEqualItemsAreItemsOneByOne(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var layout = random.flowLayout()
    layout.leaveItemsAlone()
    layout.minimumInteritemSpacing = random.chance(0.5) ? 0 : Length(points: random.int(0...2))
    let available = Length(points: random.int(50...2000))
    var sizes: [Size] = []
    let runs = (0..<random.int(2...6)).map { _ in
      let size = Size(
        width: Length(points: random.int(0...6)), height: Length(points: random.int(0...20)))
      let count = random.int(1...(random.chance(0.6) ? 900 : 3))
      sizes += Array(repeating: size, count: count)
      return Items(count: count, extents: .size(size))
    }
    // So that not all are of one size.
    sizes.append(Size(width: 40, height: 30))
    var section = Section()
    section.items = ItemList(runs: runs + [Items(count: 1, extents: .size(sizes[sizes.count - 1]))])
    let prepared = try PreparedLayout(
      Content(sections: [section]), layout: layout,
      viewport: Viewport(size: Size(width: available, height: 480)))
    let expected = Naive.flow(sizes, layout: layout, available: available)
    let paths = sizes.indices.map { IndexPath(item: $0, section: 0) }
    #expect(paths.map { prepared.placement.restingFrame(ofItemAt: $0) } == expected)
    let some = paths.filter { _ in random.chance(0.05) }
    #expect(
      prepared.placement.restingFrames(ofItemsAt: some) == some.map { expected[$0.item] })
    for _ in 0..<20 {
      let frame = expected[random.int(0...(expected.count - 1))]
      let rect = Rect(
        x: frame.minX - random.length(0...30), y: frame.minY - random.length(0...30),
        width: random.length(1...100), height: random.length(1...60))
      let start = random.chance(0.5) ? 0 : random.int(0...(expected.count - 1))
      var found: [Int] = []
      var frames: [Rect] = []
      prepared.placement.forEachElement(
        in: rect, visible: rect, from: ElementPosition(section: 0, rank: start)
      ) { element in
        found.append(element.indexPath.item)
        frames.append(element.frame)
        return found.count < 300
      }
      #expect(frames == found.map { expected[$0] })
      let shown = expected.indices.filter { $0 >= start && expected[$0].overlaps(rect) }
      #expect(found == Array(shown.prefix(300)))
    }
  }

  /// A line that ends a hair past the room has its items pushed together, smallest ones behind each other.
  @Test func smallestItemsThatArePushedBackAreFound() throws {
    let hair = Size(width: Length(millionths: 1), height: 10)
    let wide = Size(width: 10_000_008, height: 10)
    let items = ItemList(runs: [
      Items(count: 2000, extents: .size(hair)), Items(count: 2, extents: .size(wide)),
    ])
    var section = Section()
    section.items = items
    section.minimumInteritemSpacing = 0
    let prepared = try PreparedLayout(
      Content(sections: [section]), layout: FlowLayout(),
      viewport: Viewport(size: Size(width: 10_000_000, height: 480)))
    let frames = try (0..<2002).map {
      try #require(prepared.placement.restingFrame(ofItemAt: IndexPath(item: $0, section: 0)))
    }
    #expect(frames[1999].minX < frames[0].minX && frames[2000].minY == 0)
    for x in stride(from: -9, to: 0, by: 1) {
      let rect = Rect(x: Length(points: x), y: 0, width: Length(points: 1 - x), height: 10)
      let found = try prepared.elements(in: rect, contentOffset: .zero, limit: 5000)
      #expect(found.map(\.frame) == frames.filter { $0.overlaps(rect) })
    }
  }

  /// Sizes that are computed, so many that they are asked for before they are read.
  @Test func aLongFlowOfAspectRatiosHasAllItsLines() throws {
    var layout = FlowLayout()
    layout.itemSize = Size(width: 100, height: 50)
    let count = 150_000
    let items = Items(
      count: count, extents: .aspectRatios((0..<count).map { $0 % 2 == 0 ? 1 : 2 }))
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: items)]), layout: layout,
      viewport: Viewport(size: Size(width: 320, height: 480)))
    #expect(prepared.contentSize.height == 5_499_990)
  }

  @Test func threeItemsOfAThirdShareALine() throws {
    let third = Length(millionths: 106_666_667)
    var layout = FlowLayout()
    layout.minimumInteritemSpacing = 0
    layout.itemSize = Size(width: third, height: 10)
    let frames = try frames(Items(count: 3), layout: layout)
    #expect(frames.map(\.minY) == [0, 0, 0])
    #expect(frames[2].maxX == 320)
  }

  @Test func aBillionEqualItemsAreArithmetic() throws {
    let content = Content(sections: [Section(items: Items(count: 1_000_000_000))])
    let prepared = try PreparedLayout(
      content, layout: FlowLayout(), viewport: Viewport(size: Size(width: 320, height: 480)))
    // Five to a line, 60 points a line, no spacing after the last.
    #expect(prepared.contentSize.height == 11_999_999_990)
    let middle = prepared.attributes(
      of: .cell, at: IndexPath(item: 500_000_002, section: 0), contentOffset: .zero)
    #expect(middle?.frame == Rect(x: 135, y: 6_000_000_000, width: 50, height: 50))
    let rect = Rect(x: 0, y: 6_000_000_000, width: 320, height: 60)
    let found = try prepared.elements(in: rect, contentOffset: .zero, limit: 100)
    #expect(found.map(\.indexPath.item) == Array(500_000_000...500_000_004))
  }

  @Test func noCollectionMakesAQuestionEndless() throws {
    let tiny = Size(width: Length(millionths: 1), height: Length(millionths: 2))
    var layout = FlowLayout()
    layout.minimumLineSpacing = 0
    layout.minimumInteritemSpacing = 0
    let content = Content(sections: [
      Section(items: Items(count: 1_000_000_000_000, extents: .size(tiny)))
    ])
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 1, height: 1_000_000)))
    // Beside all lines, and among more cells than anybody could look at.
    let beside = Rect(x: 5, y: 0, width: 5, height: 1_000_000)
    #expect(try prepared.elements(in: beside, contentOffset: .zero, limit: 10).isEmpty)
    let drag = DragEnd(
      proposedContentOffset: Point(x: 0, y: 700_001), velocity: .zero, startContentOffset: .zero,
      contentOffset: .zero)
    for mode in SnapMode.allCases {
      let target = prepared.snapTarget(for: drag, mode: mode, decelerationRate: .normal)
      #expect(target.contentOffset.y <= 1_000_000)
    }
    #expect(
      prepared.indexPathForItem(at: Point(x: 0, y: 1), contentOffset: .zero)
        == IndexPath(item: 500_000 * 1_000_001, section: 0))
  }

  @Test func contentThatWouldReachTooFarIsRefused() throws {
    let size = Size(width: 320, height: 9)
    let section = Section(items: Items(count: 1_000_000_000_000, extents: .size(size)))
    let viewport = Viewport(size: Size(width: 320, height: 480))
    #expect(throws: LayoutError.contentTooLong(section: 1)) {
      try PreparedLayout(
        Content(sections: [Section(), section]), layout: FlowLayout(), viewport: viewport)
    }
  }

  /// Spacing beside which nothing goes into 64 bits ends every line.
  @Test func linesOfImmenseSpacingHaveOneItemEach() throws {
    var layout = FlowLayout()
    layout.minimumInteritemSpacing = Length(millionths: .max)
    layout.minimumLineSpacing = 0
    let sizes = LengthArray(count: 300) { Length(points: 20 + $0 % 7) }
    let section = Section(
      items: Items(count: 300, extents: .sizes(widths: sizes, heights: sizes)))
    let viewport = Viewport(size: Size(width: 8_000_000_000_000, height: 480))
    let prepared = try PreparedLayout(
      Content(sections: [section]), layout: layout, viewport: viewport)
    #expect(prepared.contentSize.height == (0..<300).reduce(0) { $0 + sizes[$1] })
  }

  @Test func aPinnedHeaderStaysUntilItsSectionPushesItOut() throws {
    var layout = FlowLayout()
    layout.sectionHeadersPinToVisibleBounds = true
    layout.sectionFootersPinToVisibleBounds = true
    layout.headerReferenceSize = Size(width: 0, height: 40)
    layout.footerReferenceSize = Size(width: 0, height: 20)
    layout.sectionInset = EdgeInsets(top: 5, left: 0, bottom: 7, right: 0)
    // A section is 40 + 5 + 290 + 7 + 20 = 362 long.
    let content = Content(
      sections: Array(repeating: Section(items: Items(count: 25)), count: 2))
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 320, height: 100)))
    func header(at y: Length) -> Length? {
      prepared.attributes(
        of: .header, at: IndexPath(item: 0, section: 0), contentOffset: Point(x: 0, y: y))?
        .frame.minY
    }
    func footer(at y: Length) -> Length? {
      prepared.attributes(
        of: .footer, at: IndexPath(item: 0, section: 0), contentOffset: Point(x: 0, y: y))?
        .frame.minY
    }
    #expect(header(at: -30) == 0)
    #expect(header(at: 100) == 100)
    #expect(header(at: 360) == 295)
    #expect(footer(at: -80) == 45)
    #expect(footer(at: 100) == 180)
    #expect(footer(at: 300) == 342)
    #expect(
      prepared.attributes(of: .header, at: IndexPath(item: 0, section: 1), contentOffset: .zero)?
        .zIndex == 1024)
  }

  /// While lines are broken there is room for one for each item; afterwards not, wherever they end.
  @Test func linesTakeTheMemoryOfTheirNumber() throws {
    func byteCount(_ section: Section, count: Int) throws -> Int {
      try PreparedLayout(
        Content(sections: Array(repeating: section, count: count)), layout: FlowLayout(),
        viewport: Viewport(size: Size(width: 320, height: 500))
      ).byteCount
    }
    func different(_ count: Int) -> Items {
      let sizes = LengthArray(count: count) { Length(points: 40 + $0 % 3) }
      return Items(count: count, extents: .sizes(widths: sizes, heights: sizes))
    }
    // Six items to a line, of which 16 bytes are known.
    #expect(try byteCount(Section(items: different(400)), count: 50) < 50 * (400 / 6 * 16 + 600))
    var mixed = Section()
    let equal = Items(count: 12, extents: .size(Size(width: 150, height: 50)))
    mixed.items = ItemList(runs: (0..<200).flatMap { _ in [different(20), equal] })
    // Of each two runs one has four lines, and one has one and how often.
    #expect(try byteCount(mixed, count: 1) < 200 * (4 * 16 + 2 * 128 + 100))
    // A change of few items takes room for no more lines than there are items.
    let few = Content(sections: [Section(items: different(5))])
    let viewport = Viewport(size: Size(width: 320, height: 500))
    let fresh = try PreparedLayout(few, layout: FlowLayout(), viewport: viewport)
    var batch = BatchUpdate()
    batch.reloadItems = [(IndexPath(item: 4, section: 0), different(1))]
    let changed = try PreparedLayout(
      updating: fresh, to: batch.applied(to: few), layout: FlowLayout())
    #expect(changed.byteCount <= fresh.byteCount + 6 * 16)
  }

  /// Sizes that differ, so many that they are asked for before they are read, and many changes of them.
  @Test func aLongFlowIsReadAndChangedAsAShortOne() throws {
    let count = 140_000
    let sizes = Items.unlike(count)
    let content = Content(sections: [Section(items: sizes)])
    let viewport = Viewport(size: Size(width: 320, height: 480))
    let prepared = try PreparedLayout(content, layout: FlowLayout(), viewport: viewport)
    var batch = BatchUpdate()
    batch.deleteItems = stride(from: 3, to: count, by: 400).map {
      ItemRange(section: 0, start: $0, end: $0 + 1)
    }
    let updated = try batch.applied(to: content)
    let changed = try PreparedLayout(updating: prepared, to: updated, layout: FlowLayout())
    let scratch = try PreparedLayout(
      Content(sections: Array(updated.content.sections)), layout: FlowLayout(),
      viewport: viewport)
    #expect(changed.contentSize == scratch.contentSize)
    for (layout, count) in [(prepared, count), (changed, count - count / 400)] {
      for part in 0...4 {
        let y = layout.contentSize.height.scaled(by: Int64(part), over: 4) - 200
        let rect = Rect(x: 0, y: y, width: 320, height: 480)
        let shown = try layout.elements(in: rect, contentOffset: .zero, limit: .max)
        let first = try #require(shown.first).indexPath.item
        let about = max(0, first - 50)..<min(count, first + 150)
        let expected = about.compactMap {
          layout.attributes(
            of: .cell, at: IndexPath(item: $0, section: 0), contentOffset: .zero)
        }
        #expect(shown == expected.filter { $0.frame.overlaps(rect) })
      }
    }
  }

  /// Lines of items with a size may follow some that are as long as can be.
  @Test func linesBehindEndlessOnesAreRefused() throws {
    let ratios = (0..<256).map { $0 == 200 || $0 == 255 ? 5e-12 : 1.0 }
    let content = Content(sections: [
      Section(items: Items(count: 256, extents: .aspectRatios(ratios)))
    ])
    let sizes = Items(
      count: 300,
      extents: .sizes(
        widths: LengthArray(count: 300) { Length(points: 40 + $0 % 3) },
        heights: LengthArray(count: 300) { Length(points: 30 + $0 % 5) }))
    var batch = BatchUpdate()
    batch.insertItems = [(IndexPath(item: 256, section: 0), sizes)]
    let updated = try batch.applied(to: content)
    #expect(throws: LayoutError.contentTooLong(section: 0)) {
      try PreparedLayout(
        updated.content, layout: FlowLayout(),
        viewport: Viewport(size: Size(width: 320, height: 500)))
    }
  }

  /// Wide and low, it shows one far aside, and there is a nearer one right below.
  @Test func theNearestMayLieBelowALowViewport() throws {
    var layout = FlowLayout()
    layout.lineAlignment = .leading
    let items = Items(widths: [50, 350], height: 50)
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: items)]), layout: layout,
      viewport: Viewport(size: Size(width: 400, height: 60)))
    // 175 aside and 5 above, or 25 aside and 55 below.
    #expect(
      prepared.itemNearestToCenter(contentOffset: .zero) == IndexPath(item: 1, section: 0))
  }

  /// There may be billions of lines, and nothing is where none of their items is.
  @Test func linesBesideARectangleAreNotGoneThrough() throws {
    func time(_ count: Int) throws -> UInt64 {
      let prepared = try PreparedLayout(
        Content(sections: [Section(items: Items(count: count))]), layout: FlowLayout(),
        viewport: Viewport(size: Size(width: 320, height: 400)))
      let beside = Rect(x: 400, y: 0, width: 10, height: prepared.contentSize.height)
      let start = threadTime()
      #expect(try prepared.elements(in: beside, contentOffset: .zero, limit: 1).isEmpty)
      return threadTime() - start
    }
    func leastTime(_ count: Int) throws -> UInt64 {
      try (0..<3).map { _ in try time(count) }.min() ?? 0
    }
    let (few, many) = (try leastTime(100_000), try leastTime(100_000_000))
    #expect(many < 100 * few, "\(many) and \(few) ns")
  }

  /// A line may end a hair past the room; what lies there is beside it.
  @Test func whatLiesAHairPastTheRoomDoesNotShow() throws {
    var layout = FlowLayout()
    layout.minimumInteritemSpacing = 0
    let items = Items(widths: [Length(points: 100), Length(millionths: 50)], height: 50)
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: items)]), layout: layout,
      viewport: Viewport(size: Size(width: 100, height: 400)))
    #expect(prepared.contentSize.height == 50)
    let shown = try prepared.elements(
      in: prepared.visibleRect(at: .zero), contentOffset: .zero, limit: 9)
    #expect(shown.map(\.indexPath.item) == [0])
  }
}
