import Testing

@testable import LayoutCore

struct ShownElementsTests {
  /// Many small cells, with a header and a decoration now and then, where the layout has any.
  private static func prepared(_ number: Int) throws -> PreparedLayout {
    var flow = FlowLayout()
    flow.minimumLineSpacing = 0
    flow.minimumInteritemSpacing = 0
    flow.sectionHeadersPinToVisibleBounds = true
    var waterfall = WaterfallLayout()
    waterfall.columns = .count(30)
    waterfall.minimumColumnSpacing = 2
    waterfall.minimumInteritemSpacing = 2
    var coverFlow = CoverFlowLayout()
    coverFlow.scrollDirection = .vertical
    coverFlow.minimumLineSpacing = 0
    var wheel = WheelLayout()
    wheel.itemSize = Size(width: 1, height: 9)
    let layouts: [any CollectionLayout] = [flow, waterfall, coverFlow, wheel]
    let size = Size(width: 8, height: layouts[number] is CoverFlowLayout ? 1 : 8)
    var section = Section(items: Items(count: 700, extents: .size(size)))
    section.header = Size(width: 9, height: 9)
    section.decorations = [Decoration(kind: "background")]
    return try PreparedLayout(
      Content(sections: Array(repeating: section, count: 9)), layout: layouts[number],
      viewport: Viewport(size: Size(width: 300, height: 300)))
  }

  /// To begin anew may cost as much as all that were gone through.
  @Test func theMoreThereAreTheLessOftenTheyAreLookedFor() throws {
    var flow = FlowLayout()
    flow.minimumLineSpacing = 0
    flow.minimumInteritemSpacing = 0
    let items = Items(count: 60_000, extents: .size(Size(width: 1, height: 1)))
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: items)]), layout: flow,
      viewport: Viewport(size: Size(width: 300, height: 300)))
    var shown = ShownElements(in: prepared, at: .zero, limit: .max)
    var mostInMemory = 0
    while shown.next != nil {
      mostInMemory = max(mostInMemory, shown.countInMemory)
      shown.moveOn()
    }
    #expect(mostInMemory == ShownElements.greatestCapacity)
  }

  /// However many show.
  @Test(arguments: 0..<4)
  func theyAreThoseThatShowInOrder(number: Int) throws {
    let prepared = try ShownElementsTests.prepared(number)
    for y in [0, 150, 700] {
      let offset = prepared.scrollDirection.upright(Point(x: 0, y: Length(points: y)))
      let all = try prepared.elements(
        in: prepared.visibleRect(at: offset), contentOffset: offset, limit: .max)
      #expect(all.count > ShownElements.leastCapacity)
      var shown = ShownElements(in: prepared, at: offset, limit: all.count)
      var found: [LayoutAttributes] = []
      while let next = shown.next {
        #expect(shown.countInMemory <= found.count + ShownElements.leastCapacity)
        found.append(next)
        shown.moveOn()
      }
      #expect(found == all)
      #expect(!shown.areTooMany)
      // One too many is found out, and nothing behind it.
      var fewer = ShownElements(in: prepared, at: offset, limit: all.count - 1)
      while fewer.next != nil { fewer.moveOn() }
      #expect(fewer.areTooMany)
    }
  }

  /// Near, further than all that shows, and back.
  @Test(arguments: 0..<4)
  func ticksOfThousandsTellWhatDiffers(number: Int) throws {
    let prepared = try ShownElementsTests.prepared(number)
    var state = ScrollState(contentOffset: .zero)
    var before: [ElementPosition: LayoutAttributes] = [:]
    for (step, y) in [0, 4, 290, 1100, 1100, 3].enumerated() {
      let offset = prepared.scrollDirection.upright(Point(x: 0, y: Length(points: y)))
      let tick = try state.scroll(
        to: offset, in: prepared, prefetch: PrefetchReach(), isFull: step == 0, limit: 100_000)
      let all = try prepared.elements(
        in: prepared.visibleRect(at: offset), contentOffset: offset, limit: .max)
      let now = Dictionary(uniqueKeysWithValues: all.map { ($0.position, $0) })
      #expect(tick.appeared == all.filter { before[$0.position] == nil })
      #expect(
        tick.changed
          == all.filter { element in before[element.position].map { $0 != element } ?? false })
      let gone = before.values.filter { now[$0.position] == nil }
        .sorted { $0.position < $1.position }
      #expect(tick.disappeared == gone.map(\.identity))
      #expect(tick.isReset || tick.shownCount == all.count)
      before = now
    }
  }

  /// Arrays that grow are twice as long for a while, and then half empty.
  @Test(arguments: [1_100, 1_300, 2_300])
  func aJumpMakesRoomForWhatAppearsAtOnce(count: Int) throws {
    var flow = FlowLayout()
    flow.itemSize = Size(width: 10, height: 10)
    flow.minimumInteritemSpacing = 0
    flow.minimumLineSpacing = 0
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: 1_000_000))]), layout: flow,
      viewport: Viewport(size: Size(width: 100, height: Length(points: count))))
    var state = ScrollState(contentOffset: .zero)
    func tick(_ y: Int) throws -> ScrollTick {
      try state.scroll(
        to: Point(x: 0, y: Length(points: y)), in: prepared, prefetch: PrefetchReach(),
        isFull: false, limit: 100_000)
    }
    _ = try tick(0)
    let far = try tick(50_000)
    #expect(far.appeared.count == count && far.disappeared.count == count)
    #expect(far.appeared.capacity < count * 5 / 4)
    #expect(far.disappeared.capacity < count * 5 / 4)
    // Of a tick that tells little only that is kept.
    let near = try tick(50_010)
    #expect(near.appeared.count == 10 && near.disappeared.count == 10)
    #expect(near.appeared.capacity < 40 && near.disappeared.capacity < 40)
  }

  /// A cell under a finger comes once, in its turn, however often the others are looked for.
  @Test func aLiftedCellOfThousandsComesOnce() throws {
    var prepared = try ShownElementsTests.prepared(0)
    prepared.lifted = LiftedCell(
      indexPath: IndexPath(item: 0, section: 0), place: Rect(x: 150, y: 150, width: 0, height: 0))
    let all = try prepared.elements(
      in: prepared.visibleRect(at: .zero), contentOffset: .zero, limit: .max)
    #expect(all.count > ShownElements.leastCapacity)
    let lifted = IndexPath(item: 0, section: 0)
    #expect(all.count { $0.kind == .cell && $0.indexPath == lifted } == 1)
    var shown = ShownElements(in: prepared, at: .zero, limit: all.count)
    var found: [LayoutAttributes] = []
    while let next = shown.next {
      found.append(next)
      shown.moveOn()
    }
    #expect(found == all)
  }
}
