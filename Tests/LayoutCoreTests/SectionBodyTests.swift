import Synchronization
import Testing

@testable import LayoutCore

/// Nothing, and how often it was asked for.
private final class CountingBody: SectionBody {
  final class Counter: Sendable { let count = Atomic(0) }

  let asked: Counter
  init(_ asked: Counter) { self.asked = asked }

  var length: Length { 0 }
  var byteCount: Int { 0 }
  func frame(of item: Int) -> Rect { Rect(origin: .zero, size: .zero) }
  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool {
    asked.count.wrappingAdd(1, ordering: .relaxed)
    return true
  }
}

/// Sections of so many items that a layout does not look at each.
struct SectionBodyTests {
  @Test(arguments: seeds(80))
  func runsAndBatchesAreTheItemsThatAskingForEachFinds(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let isSparse = random.chance(0.25)
    let content =
      isSparse
      ? random.sparseContent()
      : Content(
        sections: (0..<random.int(1...2)).map { _ in
          var section = random.section()
          let count = random.int(1...400)
          // Many of which any line may have several, or of any kind.
          section.items = ItemList(
            random.chance(0.5)
              ? Items(
                count: count,
                extents: .sizes(
                  widths: LengthArray(count: count) { _ in random.length(10...90) },
                  heights: LengthArray(count: count) { _ in random.length(10...90) }))
              : random.items(count))
          return section
        })
    let layouts: [any CollectionLayout] = [
      random.flowLayout(), random.waterfallLayout(), random.listLayout(),
    ]
    for layout in layouts {
      let prepared = try PreparedLayout(content, layout: layout, viewport: random.viewport())
      let placement = prepared.placement
      var frames: [(indexPath: IndexPath, frame: Rect)] = []
      for (section, description) in content.sections.enumerated() {
        for item in 0..<description.items.count {
          let indexPath = IndexPath(item: item, section: section)
          frames.append((indexPath, try #require(placement.restingFrame(ofItemAt: indexPath))))
        }
      }
      if frames.isEmpty { continue }
      // Some of them together, near each other or not.
      let some = frames.filter { _ in random.chance([0.02, 0.3, 1][random.int(0...2)]) }
      #expect(placement.restingFrames(ofItemsAt: some.map(\.indexPath)) == some.map(\.frame))
      for _ in 0..<6 { expectWhatIsAbout(frames, of: placement, &random) }
    }
  }

  /// Those of one line or more, with the last line as long as others or shorter.
  @Test(arguments: seeds(60))
  func runsOfEqualItemsAreTheItemsThatAskingForEachFinds(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var section = random.section()
    let size = Size(width: random.length(1...150), height: random.length(1...90))
    section.items = ItemList(Items(count: random.int(1...200), extents: .size(size)))
    let content = Content(sections: [Section(items: Items()), section])
    for layout in [random.flowLayout(), random.waterfallLayout()] as [any CollectionLayout] {
      let placement = try PreparedLayout(
        content, layout: layout, viewport: random.viewport()
      ).placement
      let frames = try (0..<section.items.count).map { item in
        let indexPath = IndexPath(item: item, section: 1)
        return (
          indexPath: indexPath, frame: try #require(placement.restingFrame(ofItemAt: indexPath))
        )
      }
      for _ in 0..<12 { expectWhatIsAbout(frames, of: placement, &random) }
    }
  }

  /// In rows of more items than one piece has, each with a length of its own, pieces end where others begin.
  @Test(arguments: seeds(16))
  func rowsOfSeveralPiecesAreTheItemsThatAskingForEachFinds(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let count = 3 * Items.capacity
    var section = random.section()
    section.items = ItemList(
      Items(
        count: count,
        extents: .sizes(
          widths: LengthArray(count: count) { _ in random.length(1...90) },
          heights: LengthArray(count: count) { _ in random.length(1...90) })))
    let list = random.listLayout()
    for layout in [list, random.coverFlowLayout()] as [any CollectionLayout] {
      let placement = try PreparedLayout(
        Content(sections: [section]), layout: layout, viewport: random.viewport()
      ).placement
      let frames = try (0..<count).map { item in
        let indexPath = IndexPath(item: item, section: 0)
        return (
          indexPath: indexPath, frame: try #require(placement.restingFrame(ofItemAt: indexPath))
        )
      }
      for end in [1, Items.capacity, 2 * Items.capacity, random.int(1...count)] {
        let near = frames[max(0, end - 3)..<min(count, end + 3)]
        let rect = random.rect(near: near.map(\.frame))
        let expected = frames.filter { $0.frame.overlaps(rect) }
        expectRuns(of: placement, in: rect, are: expected)
        // Covers show elsewhere than where they rest.
        if placement.movesCells { continue }
        let start = near[random.int(near.startIndex...(near.endIndex - 1))].indexPath
        expectCells(
          of: placement, in: rect, from: start, count: count,
          are: expected.filter { $0.indexPath >= start })
      }
    }
  }

  /// A window may be a thousand viewports long, and its lines any number.
  @Test(arguments: [FlowLayout(), WaterfallLayout()] as [any CollectionLayout])
  func equalItemsFromEndToEndAreNotGoneThrough(layout: any CollectionLayout) throws {
    let count = 1_000_000_000
    let content = Content(
      sections: [Section(items: Items(count: count, extents: .size(Size(width: 40, height: 40))))])
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 320, height: 480)))
    var found: [ItemRange] = []
    prepared.placement.forEachRestingRun(
      in: Rect(x: 0, y: 0, width: 320, height: prepared.contentSize.height)
    ) { run, _ in
      found.append(run)
      return found.count < 5
    }
    #expect(found.count <= 2)
    #expect(found.reduce(0) { $0 + $1.end - $1.start } == count)
  }

  /// Of columns that are filled in turn nothing is known before the first item, and there is no other piece.
  @Test(arguments: [1, 10, 100]) func sectionsOfFewItemsKeepNothingOfColumns(count: Int) throws {
    let widths = LengthArray.equal(100, count: count + 1)
    let heights = LengthArray(count: count + 1) { Length(points: 50 + $0 * 7 % 90) }
    let section = Section(
      items: Items(count: count + 1, extents: .sizes(widths: widths, heights: heights)))
    let content = Content(sections: Array(repeating: section, count: 64))
    var layout = WaterfallLayout()
    layout.columns = .count(8)
    layout.itemRenderDirection = .leftToRight
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 320, height: 480)))
    // What a section takes, and the object that places its items.
    #expect(prepared.byteCount <= 64 * 400 + 1000)
  }

  /// Any number of items may lie beside a rectangle: they are not gone through, those in it are.
  @Test func whatLiesBesideARowIsNotGoneThrough() throws {
    let count = 200_000
    let lengths = LengthArray(count: count) { Length(points: 1 + $0 % 7) }
    let content = Content(
      sections: [Section(items: Items(count: count, extents: .lengths(lengths)))])
    let prepared = try PreparedLayout(
      content, layout: ListLayout(), viewport: Viewport(size: Size(width: 300, height: 300)))
    func look(at x: Length) -> (time: UInt64, count: Int) {
      let rect = Rect(x: x, y: 0, width: 1, height: prepared.contentSize.height)
      let start = threadTime()
      var found = 0
      prepared.forEachElement(in: rect, contentOffset: .zero) { _ in
        found += 1
        return true
      }
      prepared.placement.forEachRestingRun(in: rect) { items, _ in
        found += items.end - items.start
        return true
      }
      return (threadTime() - start, found)
    }
    let inside = look(at: 299)
    #expect(inside.count == 2 * count)
    for x in [-1, 300] as [Length] {
      let beside = look(at: x)
      #expect(beside.count == 0)
      #expect(beside.time * 20 < inside.time)
    }
  }

  /// Any number of items without an area may lie between two others, on one line with them or on lines without a
  /// length.
  @Test(arguments: [Size.zero, Size(width: 30, height: 0), Size(width: 0, height: 5)])
  func itemsWithoutAnAreaAreNotGoneThrough(hidden: Size) throws {
    let count = 50_000
    var layout = FlowLayout()
    layout.minimumLineSpacing = 0
    layout.minimumInteritemSpacing = 0
    layout.itemSize = Size(width: 30, height: 30)
    func look(at size: Size) throws -> (time: UInt64, count: Int) {
      func each(_ length: Length) -> LengthArray { LengthArray(count: count) { _ in length } }
      let items = ItemList(runs: [
        Items(count: 3),
        Items(
          count: count, extents: .sizes(widths: each(size.width), heights: each(size.height))),
        Items(count: 3),
      ])
      var section = Section()
      section.items = items
      let prepared = try PreparedLayout(
        Content(sections: [section]), layout: layout,
        viewport: Viewport(size: Size(width: 300, height: 300)))
      let rect = Rect(origin: .zero, size: prepared.contentSize)
      let start = threadTime()
      var found = 0
      prepared.forEachElement(in: rect, contentOffset: .zero) { _ in
        found += 1
        return true
      }
      return (threadTime() - start, found)
    }
    let seen = try look(at: Size(width: 30, height: 30))
    #expect(seen.count == count + 6)
    let unseen = try look(at: hidden)
    #expect(unseen.count == 6)
    #expect(unseen.time * 3 < seen.time, "\(unseen.time) and \(seen.time) ns")
  }

  /// Any number of sections that nothing is in may lie between two others, or behind them.
  @Test func sectionsWithoutElementsAreNotGoneThrough() throws {
    let full = Section(items: Items(count: 3))
    func prepared(_ others: Section) throws -> PreparedLayout {
      let sections = [full] + Array(repeating: others, count: 50_000) + [full]
      return try PreparedLayout(
        Content(sections: sections), layout: FlowLayout(),
        viewport: Viewport(size: Size(width: 300, height: 300)))
    }
    typealias Look = (time: UInt64, found: [IndexPath], count: Int)
    func lookOnce(at prepared: PreparedLayout) -> Look {
      let rect = prepared.visibleRect(at: .zero)
      let start = threadTime()
      var found: [IndexPath] = []
      var count = 0
      prepared.forEachElement(in: rect, contentOffset: .zero) {
        found.append($0.indexPath)
        return true
      }
      prepared.placement.forEachRestingRun(in: rect) { items, _ in
        count += items.end - items.start
        return true
      }
      return (threadTime() - start, found, count)
    }
    /// The quickest: of a few microseconds one fault of a page is more.
    func look(at prepared: PreparedLayout) -> Look {
      (0..<4).reduce(lookOnce(at: prepared)) { best, _ in
        let next = lookOnce(at: prepared)
        return next.time < best.time ? next : best
      }
    }
    let first = (0..<3).map { IndexPath(item: $0, section: 0) }
    let last = (0..<3).map { IndexPath(item: $0, section: 50_001) }
    // Items that have no area are looked at.
    let pointlike = try look(at: prepared(Section(items: Items(count: 1, extents: .size(.zero)))))
    #expect(pointlike.found == first + last && pointlike.count == 6)
    let empty = try look(at: prepared(Section()))
    #expect(empty.found == first + last && empty.count == 6)
    #expect(empty.time * 4 < pointlike.time)
    // What lies behind the rectangle is none of its sections.
    var padded = Section()
    padded.sectionInset = EdgeInsets(top: 300, left: 0, bottom: 0, right: 0)
    let behind = try look(at: prepared(padded))
    #expect(behind.found == first && behind.count == 3)
    #expect(behind.time * 4 < empty.time)
    // They have their places.
    #expect(try prepared(padded).placement.section(at: 700) == 3)
  }

  /// A search counts the items that it is shown, and so must not go through sections that have none to show.
  @Test func sectionsWithoutItemsAreNotAskedForAny() throws {
    let full = Section(items: Items(count: 3))
    let content = Content(
      sections: [full] + Array(repeating: Section(items: Items()), count: 10_000) + [full])
    let asked = CountingBody.Counter()
    let stack = try SectionStack(
      content, in: Container(size: Size(width: 300, height: 300)), .vertical, reusing: nil
    ) { _, _, _ in (SectionStack.Frame(headerLength: 30), CountingBody(asked)) }
    let rect = Rect(origin: .zero, size: stack.contentSize)
    stack.forEachRestingItem(in: rect) { _, _ in true }
    stack.forEachRestingRun(in: rect) { _, _ in true }
    // Some lie in one piece with one that has items.
    #expect((4...64).contains(asked.count.load(ordering: .relaxed)))
    var headers = 0
    stack.forEachElement(in: rect, visible: rect, from: .first) { _ in
      headers += 1
      return true
    }
    #expect(headers == 10_002)
  }

  /// In every layout, with a cell under a finger or without.
  @Test(arguments: seeds(300))
  func cellsTogetherAreThoseThatAskingForEachFinds(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let content = random.content()
    var prepared = try PreparedLayout(
      content, layout: random.layout(), viewport: random.viewport())
    for _ in 0..<4 {
      let offset = random.offset()
      var some: [IndexPath] = []
      // One section more than there are, and an item more.
      for section in 0...content.sections.count {
        let count = section < content.sections.count ? content.sections[section].items.count : 0
        for item in 0...count where random.chance(0.3) {
          some.append(IndexPath(item: item, section: section))
        }
      }
      #expect(
        prepared.cells(at: some, contentOffset: offset)
          == some.map { prepared.attributes(of: .cell, at: $0, contentOffset: offset) })
      let resting = prepared.placement.restingFrames(ofItemsAt: some)
      #expect(resting == some.map(prepared.placement.restingFrame(ofItemAt:)))
      prepared.lifted = some.randomElement(using: &random).map {
        LiftedCell(indexPath: $0, place: Rect(origin: random.offset(), size: .zero))
      }
    }
  }

  /// Some that say nothing of their own, some without a width, and some of a ratio that makes them shorter
  /// than a pixel.
  @Test(arguments: [
    (ItemExtents.unspecified, Size.zero),
    (
      .sizes(widths: .equal(0, count: 50), heights: .equal(50, count: 50)),
      Size(width: 50, height: 50)
    ),
    (.aspectRatios(Array(repeating: 1000, count: 50)), Size(width: 50, height: 50)),
  ])
  func itemsWithoutAnAreaAreInNoRun(extents: ItemExtents, itemSize: Size) throws {
    let sizes = ItemExtents.sizes(
      widths: LengthArray(count: 200) { _ in 100 },
      heights: LengthArray(count: 200) { Length(points: 50 + $0 * 7 % 90) })
    let items = ItemList(runs: [
      Items(count: 200, extents: sizes), Items(count: 50, extents: extents),
      Items(count: 200, extents: sizes),
    ])
    var section = Section(items: Items())
    section.items = items
    var layout = WaterfallLayout()
    layout.columns = .count(3)
    layout.itemSize = itemSize
    let prepared = try PreparedLayout(
      Content(sections: [section]), layout: layout,
      viewport: Viewport(size: Size(width: 300, height: 400), displayScale: DisplayScale(1)))
    let frames = try (0..<450).map { item in
      let indexPath = IndexPath(item: item, section: 0)
      return (
        indexPath: indexPath,
        frame: try #require(prepared.placement.restingFrame(ofItemAt: indexPath))
      )
    }
    let rect = Rect(x: 0, y: 500, width: 300, height: prepared.contentSize.height)
    let expected = frames.filter { $0.frame.overlaps(rect) }
    #expect((300...400).contains(expected.count))
    expectRuns(of: prepared.placement, in: rect, are: expected)
  }

  /// A half of a millionth is rounded where the item is, not where the room begins.
  @Test(arguments: [
    (100_000_001, 15_000_000), (99_999_999, 15_000_001), (160_000_001, -15_000_001),
  ])
  func whatIsCentredIsRoundedOnce(breadth: Int64, place: Int64) throws {
    var layout = CoverFlowLayout()
    layout.itemSize = Size(width: 50, height: Length(millionths: breadth))
    layout.sectionInset.top = 30
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: 1))]), layout: layout,
      viewport: Viewport(size: Size(width: 100, height: 100)))
    let frame = prepared.placement.restingFrame(ofItemAt: IndexPath(item: 0, section: 0))
    #expect(frame?.minX == Length(millionths: place))
  }

  @Test(arguments: seeds(100))
  func theFirstItemCenteredAtAPlaceOrAfterItIsFound(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let items = ItemList(
      runs: (0..<random.int(1...3)).map { _ in random.items(random.int(1...600)) })
    let rule = SizeRule(itemSize: random.size(0...50), .vertical)
    let row = ItemRow(
      sizes: SizeList(items, rule), cross: .centered, spacing: random.length(0...10), leading: 0,
      available: 300)
    let middles = (0..<items.count).map { row.frame(of: $0).doubledMainCenter }
    for _ in 0..<20 {
      let place = middles[random.int(0...(middles.count - 1))] + Int128(random.int(-1...1))
      #expect(
        row.firstItem(centeredFrom: place)
          == middles.firstIndex { $0 >= place } ?? middles.count)
    }
  }

  /// Looks for some of all cells in a rectangle near them, as runs and one by one.
  private func expectWhatIsAbout(
    _ frames: [(indexPath: IndexPath, frame: Rect)], of placement: any Placement,
    _ random: inout SeededGenerator
  ) {
    let rect = random.rect(near: frames.map(\.frame))
    let expected = frames.filter { $0.frame.overlaps(rect) }
    expectRuns(of: placement, in: rect, are: expected)
    // From one that shows or not, and up to some.
    let start = frames[random.int(0...(frames.count - 1))].indexPath
    expectCells(
      of: placement, in: rect, from: start, count: random.int(1...60),
      are: expected.filter { $0.indexPath >= start })
  }

  private func expectRuns(
    of placement: any Placement, in rect: Rect, are expected: [(indexPath: IndexPath, frame: Rect)]
  ) {
    var found: [IndexPath] = []
    placement.forEachRestingRun(in: rect) { run, frame in
      if let frame {
        #expect(run.end == run.start + 1)
        #expect(expected.first { $0.indexPath == run.indexPaths[0] }?.frame == frame)
      }
      found += run.indexPaths
      return true
    }
    #expect(found == expected.map(\.indexPath))
    // Whoever has enough is not asked again.
    var rest = expected.count / 2
    placement.forEachRestingRun(in: rect) { run, _ in
      #expect(rest >= 0)
      rest -= run.end - run.start
      return rest >= 0
    }
  }

  private func expectCells(
    of placement: any Placement, in rect: Rect, from start: IndexPath, count: Int,
    are expected: [(indexPath: IndexPath, frame: Rect)]
  ) {
    var found: [(indexPath: IndexPath, frame: Rect)] = []
    var runs: [IndexPath] = []
    placement.forEachElement(
      in: rect, visible: rect, from: ElementPosition(section: start.section, rank: start.item),
      cells: { cells in
        #expect(found.count < count && cells.count > 0)
        for place in 0..<cells.count {
          let cell = cells.attributes(place)
          found.append((cell.indexPath, cell.frame))
        }
        cells.forEachRun { runs += $0.indexPaths }
        return found.count < count
      }, { _ in found.count < count })
    #expect(found.map(\.indexPath) == expected.prefix(found.count).map(\.indexPath))
    #expect(found.map(\.frame) == expected.prefix(found.count).map(\.frame))
    #expect(found.count == expected.count || found.count >= count)
    #expect(runs == found.map(\.indexPath))
  }
}

extension SeededGenerator {
  /// A rectangle, upright, that mostly reaches all across, and begins and ends at an item's edge or a
  /// hair beside it.
  fileprivate mutating func rect(near frames: [Rect]) -> Rect {
    let edges = (0..<2).map { _ in
      let frame = frames[int(0...(frames.count - 1))]
      return (chance(0.5) ? frame.minY : frame.maxY) + Length(millionths: Int64(int(-1...1)))
    }
    let (x, width): (Length, Length) =
      chance(0.7) ? (-10, 2000) : (length(-20...300), length(0...300))
    let start = min(edges[0], edges[1])
    // Of a few items, or of many.
    let end = chance(0.5) ? max(edges[0], edges[1]) : start + length(0...400)
    return Rect(x: x, y: start, width: width, height: end - start)
  }
}
