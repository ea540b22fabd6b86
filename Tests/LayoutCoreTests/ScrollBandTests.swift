import LayoutCore
import Testing

struct ScrollBandTests {
  @Test(arguments: seeds(200))
  func aTickByABandIsTheTickByTheLayout(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let prepared = try PreparedLayout(
      random.content(), layout: random.layout(), viewport: random.viewport())
    let reach = PrefetchReach(
      ahead: Double(random.int(0...4)) / 2, behind: Double(random.int(0...2)) / 2)
    var offset = random.offset()
    var state = ScrollState(contentOffset: offset)
    _ = try state.scroll(
      to: offset, in: prepared, prefetch: reach, isFull: true, limit: 100_000)
    // Old ones too: a band is good wherever it says so.
    var bands: [ScrollBand] = []
    let isVertical = prepared.scrollDirection == .vertical
    for _ in 0..<60 {
      // Mostly on and on, often where edges are, now and then back or aside.
      let step = random.chance(0.4) ? Length(points: random.int(-10...30)) : random.length(-10...40)
      let aside = random.chance(0.05) ? random.length(-5...5) : 0
      offset = Point(
        x: offset.x + (isVertical ? aside : step), y: offset.y + (isVertical ? step : aside))
      if random.chance(0.03) { state.move(to: offset) }
      var other = state
      let expected = try state.scroll(
        to: offset, in: prepared, prefetch: reach, isFull: false, limit: 100_000)
      let band = bands.randomElement(using: &random)
      if let band,
        let tick = other.scroll(to: offset, in: prepared, by: band, limit: 100_000)
      {
        #expect(tick.appeared == expected.appeared)
        #expect(tick.changed == expected.changed)
        #expect(tick.disappeared == expected.disappeared)
        #expect(tick.prefetch == expected.prefetch)
        #expect(tick.cancelPrefetch == expected.cancelPrefetch)
        #expect(!tick.isReset)
        #expect(other == state)
      } else {
        // From where it was, too, if the band was good there.
        if let next = band?.moved(to: other, in: prepared, prefetch: reach),
          let tick = other.scroll(to: offset, in: prepared, by: next, limit: 100_000)
        {
          #expect(tick.appeared == expected.appeared)
          #expect(tick.disappeared == expected.disappeared)
          #expect(tick.prefetch == expected.prefetch)
          #expect(tick.cancelPrefetch == expected.cancelPrefetch)
          #expect(other == state)
        }
        let made = ScrollBand.make(
          prepared, at: state, prefetch: reach, shownCount: expected.shownCount)
        if let made { bands = bands.suffix(3) + [made] }
      }
    }
  }

  @Test func slowScrollsAreWorkedOutFromBands() throws {
    let lengths = LengthArray(count: 1000) { Length(points: 20 + $0 % 30) }
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: 1000, extents: .lengths(lengths)))]),
      layout: ListLayout(), viewport: Viewport(size: Size(width: 100, height: 400)))
    var state = ScrollState(contentOffset: .zero)
    let first = try state.scroll(
      to: .zero, in: prepared, prefetch: PrefetchReach(), isFull: false, limit: 100)
    var band = try #require(
      ScrollBand.make(prepared, at: state, prefetch: PrefetchReach(), shownCount: first.shownCount))
    var made = 0
    for step in 1...500 {
      let offset = Point(x: 0, y: Length(points: step * 7))
      if state.scroll(to: offset, in: prepared, by: band, limit: 100) != nil { continue }
      let tick = try state.scroll(
        to: offset, in: prepared, prefetch: PrefetchReach(), isFull: false, limit: 100)
      band = try #require(
        ScrollBand.make(prepared, at: state, prefetch: PrefetchReach(), shownCount: tick.shownCount)
      )
      made += 1
    }
    // 3,500 points, half a screen at a time.
    #expect(made <= 18)
    // Where fewer elements may show than there may be, the layout is asked, which says so.
    let offset = Point(x: 0, y: state.contentOffset.y + 1)
    #expect(state.scroll(to: offset, in: prepared, by: band, limit: 10) == nil)
    // What was asked for is not what the last tick wanted any more.
    state.move(to: state.contentOffset)
    #expect(state.scroll(to: offset, in: prepared, by: band, limit: 100) == nil)
  }

  /// The more elements show, the less far a band reaches, and it takes no more memory.
  @Test(arguments: [50, 20, 10])
  func bandsReachLessWhereMoreElementsShow(itemLength: Int) throws {
    var flow = FlowLayout()
    flow.itemSize = Size(width: Length(points: itemLength), height: Length(points: itemLength))
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: 100_000))]), layout: flow,
      viewport: Viewport(size: Size(width: 600, height: 800)))
    let reach = PrefetchReach()
    var state = ScrollState(contentOffset: .zero)
    var band: ScrollBand?
    var made = 0
    for step in 0..<400 {
      let offset = Point(x: 0, y: Length(points: step))
      if let band, state.scroll(to: offset, in: prepared, by: band, limit: 100_000) != nil {
        continue
      }
      let old = band
      let tick = try state.scroll(
        to: offset, in: prepared, prefetch: reach, isFull: false, limit: 100_000)
      band =
        old?.moved(to: state, in: prepared, prefetch: reach)
        ?? ScrollBand.make(prepared, at: state, prefetch: reach, shownCount: tick.shownCount)
      #expect(try #require(band).byteCount <= ScrollBand.maximumByteCount)
      made += 1
    }
    // Lines of one screen's breadth: at least one lies within the reach.
    #expect(made <= 400 / itemLength + 2)
  }

  /// The few headers and footers are asked for with each tick; the cells are not.
  @Test func slowScrollsUnderPinnedHeadersAreWorkedOutFromBands() throws {
    var list = ListLayout()
    list.headerReferenceSize = Size(width: 0, height: 30)
    list.footerReferenceSize = Size(width: 0, height: 20)
    list.sectionHeadersPinToVisibleBounds = true
    list.sectionFootersPinToVisibleBounds = true
    let prepared = try PreparedLayout(
      Content(sections: Array(repeating: Section(items: Items(count: 50)), count: 20)),
      layout: list, viewport: Viewport(size: Size(width: 100, height: 400)))
    let reach = PrefetchReach()
    var state = ScrollState(contentOffset: .zero)
    var band: ScrollBand?
    var made = 0
    for step in 0..<500 {
      let offset = Point(x: 0, y: Length(points: step * 7))
      var other = state
      let tick = try state.scroll(
        to: offset, in: prepared, prefetch: reach, isFull: false, limit: 100)
      if let band, let found = other.scroll(to: offset, in: prepared, by: band, limit: 100) {
        #expect(found.appeared == tick.appeared)
        #expect(found.changed == tick.changed)
        #expect(found.disappeared == tick.disappeared)
        continue
      }
      band = ScrollBand.make(prepared, at: state, prefetch: reach, shownCount: tick.shownCount)
      made += 1
    }
    // 3,500 points, half a screen at a time.
    #expect(made <= 19)
    // Nor do more elements show than may, the headers among them.
    let offset = Point(x: 0, y: state.contentOffset.y + 1)
    #expect(state.scroll(to: offset, in: prepared, by: try #require(band), limit: 10) == nil)
  }

  /// Where there are as many headers as cells elsewhere, the layout is asked; also where they come later.
  @Test func manyPinnedHeadersAreLeftToTheLayout() throws {
    var list = ListLayout()
    list.headerReferenceSize = Size(width: 0, height: 1)
    list.sectionHeadersPinToVisibleBounds = true
    let sections =
      [Section(items: Items(count: 10))] + Array(repeating: Section(), count: 1000)
    let prepared = try PreparedLayout(
      Content(sections: sections), layout: list,
      viewport: Viewport(size: Size(width: 100, height: 400)))
    func state(at y: Int) throws -> ScrollState {
      let offset = Point(x: 0, y: Length(points: y))
      var state = ScrollState(contentOffset: offset)
      _ = try state.scroll(
        to: offset, in: prepared, prefetch: PrefetchReach(), isFull: false, limit: 1000)
      return state
    }
    func band(of state: ScrollState) -> ScrollBand? {
      ScrollBand.make(prepared, at: state, prefetch: PrefetchReach(), shownCount: 11)
    }
    var few = try state(at: 10)
    let made = try #require(band(of: few))
    #expect(few.scroll(to: Point(x: 0, y: 11), in: prepared, by: made, limit: 1000) != nil)
    #expect(few.scroll(to: Point(x: 0, y: 200), in: prepared, by: made, limit: 1000) == nil)
    #expect(band(of: try state(at: 200)) == nil)
    // Twenty of them show: no more elements than may.
    let offset = Point(x: 0, y: 60)
    for limit in 0...200 {
      var (byBand, byLayout) = (few, few)
      guard byBand.scroll(to: offset, in: prepared, by: made, limit: limit) != nil else {
        #expect(limit < 100)
        continue
      }
      #expect(throws: Never.self) {
        try byLayout.scroll(
          to: offset, in: prepared, prefetch: PrefetchReach(), isFull: false, limit: limit)
      }
    }
  }

  @Test func whereCellsFollowTheOffsetThereIsNoBand() throws {
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: 100))]), layout: CoverFlowLayout(),
      viewport: Viewport(size: Size(width: 100, height: 100)))
    let state = ScrollState(contentOffset: .zero)
    #expect(ScrollBand.make(prepared, at: state, prefetch: PrefetchReach(), shownCount: 10) == nil)
  }
}
