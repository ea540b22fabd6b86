import Testing

@testable import LayoutCore

struct ScrollBandTests {
  /// Asks with many seeds how often bands answer; it has to be one time in twelve at least.
  private func expectAnswers(_ ask: (UInt64) throws -> Int) throws {
    let answeredCount = try seeds(200).reduce(0) { try $0 + ask($1) }
    #expect(answeredCount > seeds(200).count * 5)
  }

  @Test func aTickByABandIsTheTickByTheLayout() throws { try expectAnswers(compareTicks) }

  /// Compares some ticks.
  ///
  /// - Returns: How many were answered by a band.
  private func compareTicks(seed: UInt64) throws -> Int {
    var answeredCount = 0
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
    var isAside = false
    for _ in 0..<60 {
      // Mostly on and on, often where edges are, now and then back or aside, and where it was before that.
      let step = random.chance(0.4) ? Length(points: random.int(-10...30)) : random.length(-10...40)
      let aside: Length = random.chance(0.1) ? (isAside ? -200 : 200) : 0
      if aside != 0 { isAside.toggle() }
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
        answeredCount += 1
        #expect(tick.appeared == expected.appeared, "seed \(seed)")
        #expect(tick.changed == expected.changed, "seed \(seed)")
        #expect(tick.disappeared == expected.disappeared, "seed \(seed)")
        #expect(tick.prefetch == expected.prefetch, "seed \(seed)")
        #expect(tick.cancelPrefetch == expected.cancelPrefetch, "seed \(seed)")
        #expect(!tick.isReset, "seed \(seed)")
        #expect(other == state, "seed \(seed)")
      } else {
        // From where it was, too, if the band was good there.
        if let next = band?.moved(to: other, in: prepared, prefetch: reach),
          let tick = other.scroll(to: offset, in: prepared, by: next, limit: 100_000)
        {
          answeredCount += 1
          #expect(tick.appeared == expected.appeared, "seed \(seed)")
          #expect(tick.disappeared == expected.disappeared, "seed \(seed)")
          #expect(tick.prefetch == expected.prefetch, "seed \(seed)")
          #expect(tick.cancelPrefetch == expected.cancelPrefetch, "seed \(seed)")
          #expect(other == state, "seed \(seed)")
        }
        let made = ScrollBand.make(
          prepared, at: state, prefetch: reach, shownCount: expected.shownCount)
        if let made { bands = bands.suffix(3) + [made] }
      }
    }
    return answeredCount
  }

  /// What the layout refuses to tell, no band tells.
  @Test func aBandKnowsHowManyElementsShowAtMost() throws { try expectAnswers(askForTooMany) }

  /// Asks bands for more than the limit.
  ///
  /// - Returns: How often one has answered without a limit.
  private func askForTooMany(seed: UInt64) throws -> Int {
    var answeredCount = 0
    var random = SeededGenerator(seed: seed)
    let layout: any CollectionLayout = [
      random.flowLayout(), random.listLayout(), random.waterfallLayout(),
    ][random.int(0...2)]
    let prepared = try PreparedLayout(
      random.content(), layout: layout, viewport: random.viewport())
    let isVertical = prepared.scrollDirection == .vertical
    let reach = PrefetchReach(
      ahead: Double(random.int(0...4)) / 2, behind: Double(random.int(0...2)) / 2)
    var state = ScrollState(contentOffset: .zero)
    _ = try state.scroll(to: .zero, in: prepared, prefetch: reach, isFull: true, limit: .max)
    var bands: [ScrollBand] = []
    for _ in 0..<40 {
      let step = random.chance(0.2) ? random.length(-150...300) : random.length(0...40)
      let next = Point(
        x: state.contentOffset.x + (isVertical ? 0 : step),
        y: state.contentOffset.y + (isVertical ? step : 0))
      var after = state
      let tick = try after.scroll(
        to: next, in: prepared, prefetch: reach, isFull: false, limit: .max)
      let askedCount = after.requestedRanges(in: prepared).reduce(0) { $0 + $1.end - $1.start }
      // One of them is too many.
      let limit = max(tick.shownCount, askedCount) - 1
      for band in bands {
        var other = state
        #expect(
          other.scroll(to: next, in: prepared, by: band, limit: limit) == nil, "seed \(seed)")
        if let moved = band.moved(to: state, in: prepared, prefetch: reach) {
          #expect(
            other.scroll(to: next, in: prepared, by: moved, limit: limit) == nil, "seed \(seed)")
        }
        if other.scroll(to: next, in: prepared, by: band, limit: .max) != nil { answeredCount += 1 }
      }
      state = after
      let made = ScrollBand.make(prepared, at: state, prefetch: reach, shownCount: tick.shownCount)
      if let made {
        bands = bands.suffix(3) + [made]
        // And one that was moved here, which knows less.
        if let moved = made.moved(to: state, in: prepared, prefetch: reach) { bands.append(moved) }
      }
    }
    return answeredCount
  }

  /// Edges at both ends of the range are passed by whoever comes from there, or goes there.
  @Test(arguments: [ScrollDirection.vertical, .horizontal])
  func aBandReachesAsFarAsItSays(direction: ScrollDirection) throws {
    var layout = ListLayout()
    layout.scrollDirection = direction
    layout.itemLength = 50
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: 100))]), layout: layout,
      viewport: Viewport(size: direction.upright(Size(width: 100, height: 400))))
    let reach = PrefetchReach(ahead: 1, behind: 0.5)
    func tick(_ state: inout ScrollState, to main: Int) throws -> ScrollTick {
      try state.scroll(
        to: direction.upright(Point(x: 0, y: Length(points: main))), in: prepared,
        prefetch: reach, isFull: false, limit: 1000)
    }
    var answeredCount = 0
    for isForward in [true, false] {
      var state = ScrollState(contentOffset: .zero)
      _ = try tick(&state, to: isForward ? 999 : 1001)
      let first = try tick(&state, to: 1000)
      let band = try #require(
        ScrollBand.make(prepared, at: state, prefetch: reach, shownCount: first.shownCount))
      for from in stride(from: 750, through: 1250, by: 50) {
        for to in stride(from: 750, through: 1250, by: 25) {
          // Whoever comes from the one side, or from the other.
          for comesFrom in [from - 1, from + 1] {
            var here = ScrollState(contentOffset: .zero)
            _ = try tick(&here, to: comesFrom)
            _ = try tick(&here, to: from)
            var other = here
            let expected = try tick(&here, to: to)
            let offset = direction.upright(Point(x: 0, y: Length(points: to)))
            let found = other.scroll(to: offset, in: prepared, by: band, limit: 1000)
            guard var found else { continue }
            found.shownCount = expected.shownCount
            #expect(found == expected)
            #expect(other == here)
            answeredCount += 1
          }
        }
      }
    }
    // Half a viewport on the way, and an eighth back.
    #expect(answeredCount == 68)
  }

  /// Nor is the layout asked where cells rest that have left the view and are to be loaded again.
  @Test func aBandKnowsWhereAllThatIsToBeLoadedRests() throws {
    var layout = ListLayout()
    layout.itemLength = 50
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: 100))]), layout: layout,
      viewport: Viewport(size: Size(width: 100, height: 400)))
    let reach = PrefetchReach(ahead: 1, behind: 0.5)
    var state = ScrollState(contentOffset: Point(x: 0, y: 999))
    let first = try state.scroll(
      to: Point(x: 0, y: 1000), in: prepared, prefetch: reach, isFull: false, limit: 1000)
    let band = try #require(
      ScrollBand.make(prepared, at: state, prefetch: reach, shownCount: first.shownCount))
    var tick = ScrollTick()
    var asked = ItemRanges()
    band.pass(from: 1000, to: 1060, addingTo: &tick, asked: &asked) { ranges, frame in
      for range in ranges {
        for item in range.start..<range.end {
          let known = frame(IndexPath(item: item, section: range.section))
          #expect(known == Rect(x: 0, y: Length(points: item * 50), width: 100, height: 50))
        }
      }
      return ranges
    }
    // The one that has left, and the one that the window has come to.
    #expect(tick.prefetch.map(\.start) == [20, 36])
  }

  /// Any number may have to be looked at that does not show: of sections without a length a decoration.
  @Test(arguments: [(200, true), (300, false)])
  func aBandLooksAtFew(sectionCount: Int, isMade: Bool) throws {
    var layout = ListLayout()
    layout.itemLength = 50
    layout.sectionHeadersPinToVisibleBounds = true
    var empty = Section()
    empty.decorations = [Decoration(kind: "background")]
    let some = Section(items: Items(count: 3))
    let prepared = try PreparedLayout(
      Content(sections: [some] + Array(repeating: empty, count: sectionCount / 2) + [some]),
      layout: layout, viewport: Viewport(size: Size(width: 100, height: 200)))
    var state = ScrollState(contentOffset: .zero)
    let tick = try state.scroll(
      to: Point(x: 0, y: 1), in: prepared, prefetch: PrefetchReach(), isFull: false, limit: 1000)
    let band = ScrollBand.make(
      prepared, at: state, prefetch: PrefetchReach(), shownCount: tick.shownCount)
    #expect((band != nil) == isMade)
  }

  /// Elsewhere more may show than it knows of.
  @Test func aBandIsMovedFromWhereItReachesOnly() throws {
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: 1000))]), layout: ListLayout(),
      viewport: Viewport(size: Size(width: 100, height: 400)))
    let reach = PrefetchReach()
    var start = ScrollState(contentOffset: .zero)
    let first = try start.scroll(
      to: .zero, in: prepared, prefetch: reach, isFull: true, limit: 100)
    let band = try #require(
      ScrollBand.make(prepared, at: start, prefetch: reach, shownCount: first.appeared.count))
    var onward = start
    #expect(onward.scroll(to: Point(x: 0, y: 7), in: prepared, by: band, limit: 100) != nil)
    func moved(x: Length = 0, y: Length, isTick: Bool = true) throws -> ScrollBand? {
      var state = start
      let offset = Point(x: x, y: y)
      if isTick {
        _ = try state.scroll(to: offset, in: prepared, prefetch: reach, isFull: false, limit: 100)
      } else {
        state.move(to: offset)
      }
      return band.moved(to: state, in: prepared, prefetch: reach)
    }
    #expect(try moved(y: 200) != nil)
    #expect(try moved(y: 200, isTick: false) == nil)
    #expect(try moved(y: 201) == nil)
    #expect(try moved(x: 1, y: 200) == nil)
  }

  /// Where more have an edge in one strip than a band holds, it does not reach as far.
  @Test(arguments: [239, 240, 241], [false, true])
  func aBandHoldsSoManyEdges(count: Int, isWindow: Bool) throws {
    var layout = FlowLayout()
    layout.itemSize = Size(width: 1, height: 250)
    layout.minimumInteritemSpacing = 0
    layout.minimumLineSpacing = 0
    // One line begins and one ends about an edge at most. The first or the last is as long as it can be.
    let lines = isWindow ? [3, 3, 3, 3, 3, 3, count] : [count, 3, 3, 3, 3, 3, 3]
    let sections = lines.map { Section(items: Items(count: $0)) }
    let prepared = try PreparedLayout(
      Content(sections: sections), layout: layout,
      viewport: Viewport(size: Size(width: 300, height: 200)))
    let reach = PrefetchReach(ahead: 1, behind: 0)
    var state = ScrollState(contentOffset: .zero)
    // The window ends 400 further on, where the viewport begins the first line ends.
    var y: Length = isWindow ? 1080 : 230
    func tick() throws -> ScrollTick {
      try state.scroll(
        to: Point(x: 0, y: y), in: prepared, prefetch: reach, isFull: false, limit: 1000)
    }
    _ = try tick()
    y += 1
    let first = try tick()
    let band = try #require(
      ScrollBand.make(prepared, at: state, prefetch: reach, shownCount: first.shownCount))
    y += 60
    var other = state
    let expected = try tick()
    let answer = other.scroll(to: Point(x: 0, y: y), in: prepared, by: band, limit: 1000)
    #expect((answer != nil) == (count <= 240))
    guard var found = answer else { return }
    found.shownCount = expected.shownCount
    #expect(found == expected)
    #expect(
      (isWindow ? expected.prefetch.map { $0.end - $0.start } : [expected.disappeared.count])
        == [count])
    #expect(other == state)
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
    let leaving: [(inout ScrollState) -> Void] = [
      { $0.move(to: $0.contentOffset) }, { $0.reset(to: $0.contentOffset) },
      { _ = $0.rekey(to: $0.contentOffset, by: IdentityMap()) },
    ]
    for leave in leaving {
      var other = state
      leave(&other)
      #expect(other.scroll(to: offset, in: prepared, by: band, limit: 100) == nil)
    }
    #expect(state.scroll(to: offset, in: prepared, by: band, limit: 100) != nil)
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

  /// Long lines of small cells, all of which pass an edge at once.
  @Test(arguments: [70, 74, 100, 200])
  func slowScrollsOverLongLinesAreWorkedOutFromBands(count: Int) throws {
    var flow = FlowLayout()
    flow.itemSize = Size(width: 16, height: 16)
    flow.minimumInteritemSpacing = 2
    flow.minimumLineSpacing = 2
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: 100_000))]), layout: flow,
      viewport: Viewport(size: Size(width: Length(points: count * 18), height: 150)))
    var state = ScrollState(contentOffset: .zero)
    var band: ScrollBand?
    var askedCount = 0
    for step in 0..<60 {
      let offset = Point(x: 0, y: Length(points: step * 4))
      var other = state
      let tick = try state.scroll(
        to: offset, in: prepared, prefetch: PrefetchReach(), isFull: false, limit: 100_000)
      var found = band.flatMap { other.scroll(to: offset, in: prepared, by: $0, limit: 100_000) }
      if found == nil, let next = band?.moved(to: other, in: prepared, prefetch: PrefetchReach()) {
        band = next
        found = other.scroll(to: offset, in: prepared, by: next, limit: 100_000)
      }
      if let found {
        #expect(found.appeared == tick.appeared)
        #expect(found.disappeared == tick.disappeared)
        #expect(found.prefetch == tick.prefetch)
        #expect(other == state)
      } else {
        askedCount += 1
        band = ScrollBand.make(
          prepared, at: state, prefetch: PrefetchReach(), shownCount: tick.shownCount)
      }
    }
    #expect(askedCount <= 4)
  }

  /// The few headers and footers are asked for with each tick; the cells are not.
  @Test(arguments: [7, 35])
  func slowScrollsUnderPinnedHeadersAreWorkedOutFromBands(step: Int) throws {
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
    for number in 0..<500 {
      let offset = Point(x: 0, y: Length(points: number * step))
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
    // Half a screen at a time.
    #expect(made <= 500 * step / 200 + 2)
    // Nor do more elements show than may, the headers among them.
    let offset = Point(x: 0, y: state.contentOffset.y + 1)
    #expect(state.scroll(to: offset, in: prepared, by: try #require(band), limit: 10) == nil)
  }

  /// A screenful of cells, and then a thousand pinned headers.
  private func headersBehindItems(height: Length) throws -> PreparedLayout {
    var list = ListLayout()
    list.headerReferenceSize = Size(width: 0, height: height)
    list.sectionHeadersPinToVisibleBounds = true
    let sections =
      [Section(items: Items(count: 10))] + Array(repeating: Section(), count: 1000)
    return try PreparedLayout(
      Content(sections: sections), layout: list,
      viewport: Viewport(size: Size(width: 100, height: 400)))
  }

  /// Where there are as many headers as cells elsewhere, the layout is asked; also where they come later.
  @Test func manyPinnedHeadersAreLeftToTheLayout() throws {
    let prepared = try headersBehindItems(height: 1)
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

  /// Nor are thousands of them gone through for a band.
  @Test func pinnedHeadersWithoutNumberAheadAreLeftToTheLayout() throws {
    let prepared = try headersBehindItems(height: Length(millionths: 10_000))
    // One header shows; where the viewport ends, that of the next section begins.
    for (y, isNear) in [(0, false), (40, true)] {
      let offset = Point(x: 0, y: Length(points: y))
      var state = ScrollState(contentOffset: offset)
      let tick = try state.scroll(
        to: offset, in: prepared, prefetch: PrefetchReach(), isFull: false, limit: 1000)
      #expect(tick.shownCount < 12)
      let band = ScrollBand.make(
        prepared, at: state, prefetch: PrefetchReach(), shownCount: tick.shownCount)
      #expect((band == nil) == isNear)
    }
  }

  @Test func whereCellsFollowTheOffsetThereIsNoBand() throws {
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: 100))]), layout: CoverFlowLayout(),
      viewport: Viewport(size: Size(width: 100, height: 100)))
    let state = ScrollState(contentOffset: .zero)
    #expect(ScrollBand.make(prepared, at: state, prefetch: PrefetchReach(), shownCount: 10) == nil)
  }

  /// Who looks at a band would not see the cell under the finger.
  @Test func whileACellIsMovedThereIsNoBand() throws {
    let content = Content(sections: [Section(items: Items(count: 100))])
    let prepared = try PreparedLayout(
      content, layout: ListLayout(), viewport: Viewport(size: Size(width: 100, height: 100)))
    let movement = try #require(
      InteractiveMovement(
        of: IndexPath(item: 50, section: 0), at: nil, within: nil, content: content,
        layout: prepared, contentOffset: .zero))
    let state = ScrollState(contentOffset: .zero)
    var layout = movement.layout
    #expect(ScrollBand.make(layout, at: state, prefetch: PrefetchReach(), shownCount: 10) == nil)
    layout.putDown()
    #expect(ScrollBand.make(layout, at: state, prefetch: PrefetchReach(), shownCount: 10) != nil)
  }

  /// Sums of what is so far out would saturate.
  @Test func farOutThereIsNoBand() throws {
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: 100))]), layout: ListLayout(),
      viewport: Viewport(size: Size(width: 100, height: 100)))
    for (y, isNear) in [(3_900_000_000_000, true), (4_100_000_000_000, false)] {
      for sign in [1, -1] {
        let state = ScrollState(contentOffset: Point(x: 0, y: Length(points: sign * y)))
        let band = ScrollBand.make(
          prepared, at: state, prefetch: PrefetchReach(), shownCount: 0)
        #expect((band != nil) == isNear)
      }
    }
  }
}

extension ScrollState {
  /// A tick by a band; nil, and nothing has changed, if it does not reach.
  fileprivate mutating func scroll(
    to offset: Point, in layout: PreparedLayout, by band: ScrollBand, limit: Int
  ) -> ScrollTick? {
    var tick = ScrollTick()
    return scroll(to: offset, in: layout, by: band, limit: limit, addingTo: &tick) ? tick : nil
  }
}
