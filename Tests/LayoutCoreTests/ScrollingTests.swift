import LayoutCore
import Testing

struct ScrollingTests {
  @Test(arguments: seeds(300))
  func ticksAppliedInTurnGiveTheFullVisibleSet(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let content = random.content()
    let layout = random.layout()
    let resting = try PreparedLayout(content, layout: layout, viewport: random.viewport())
    let prepared = random.chance(0.3) ? random.lifting(in: resting, of: content) : resting
    let reach = PrefetchReach(
      ahead: Double(random.int(0...4)) / 2, behind: Double(random.int(0...2)) / 2)
    var offset = random.offset()
    var state = ScrollState(contentOffset: offset)
    var shown: [ElementPosition: LayoutAttributes] = [:]
    var asked: Set<IndexPath> = []
    var isForward = true
    for step in 0..<12 {
      let before = state
      let isFull = step == 0 || random.chance(0.1)
      let next =
        step == 0
        ? offset
        : random.chance(0.3)
          ? random.offset()
          : Point(x: offset.x + random.length(-80...80), y: offset.y + random.length(-80...80))
      let tick = try state.scroll(
        to: next, in: prepared, prefetch: reach, isFull: isFull, limit: 100_000)
      let direction = prepared.scrollDirection
      let (old, new) = (direction.upright(offset).y, direction.upright(next).y)
      if new != old { isForward = new > old }
      if tick.isReset {
        shown = [:]
        asked = []
      }
      for element in tick.disappeared {
        #expect(shown.removeValue(forKey: element.position) != nil)
      }
      for element in tick.changed {
        #expect(shown.updateValue(element, forKey: element.position) != element)
      }
      for element in tick.appeared {
        #expect(shown.updateValue(element, forKey: element.position) == nil)
      }
      let visible = try prepared.elements(
        in: prepared.visibleRect(at: next), contentOffset: next, limit: 100_000)
      #expect(shown.values.sorted { $0.position < $1.position } == visible)

      // The contract's sets, item by item: by where cells rest, which is what their frames say but for one
      // under a finger; of a wheel by number.
      let all = resting.everyElement(of: content, contentOffset: next).filter { $0.kind == .cell }
      let showing = Set(visible.filter { $0.kind == .cell }.map(\.indexPath))
      var near: [IndexPath] = []
      if layout is WheelLayout {
        let order = all.map(\.indexPath)
        let placed = try resting.elements(
          in: resting.visibleRect(at: next), contentOffset: next, limit: 100_000
        ).map(\.indexPath)
        if let first = order.firstIndex(where: placed.contains),
          let last = order.lastIndex(where: placed.contains)
        {
          let count = Double(placed.count)
          let ahead = Int((count * reach.ahead).rounded(.up))
          let behind = Int((count * reach.behind).rounded(.up))
          near += order[max(0, first - (isForward ? behind : ahead))..<first]
          near += order[(last + 1)...].prefix(isForward ? ahead : behind)
        }
      } else {
        let window = direction.upright(prepared.visibleRect(at: next))
        let ahead = Length(rounding: window.height.points * reach.ahead)
        let behind = Length(rounding: window.height.points * reach.behind)
        let wide = Rect(
          x: window.minX, y: window.minY - (isForward ? behind : ahead), width: window.width,
          height: window.height + ahead + behind)
        near = all.filter { direction.upright($0.frame).overlaps(wide) }.map(\.indexPath)
      }
      let wanted = Set(near).subtracting(showing)
      #expect(Set(tick.prefetch.flatMap(\.indexPaths)) == wanted.subtracting(asked))
      #expect(
        Set(tick.cancelPrefetch.flatMap(\.indexPaths))
          == asked.subtracting(wanted).subtracting(showing))
      for ranges in [tick.prefetch, tick.cancelPrefetch] {
        #expect(ranges.isMaximalRuns)
      }
      asked = wanted
      // What shows, and what is asked for beside it, each have to be within the limit.
      let count = max(visible.count, wanted.count)
      func fullTick(limit: Int) throws -> ScrollTick {
        var state = before
        return try state.scroll(to: next, in: prepared, prefetch: reach, isFull: true, limit: limit)
      }
      #expect(try fullTick(limit: count).appeared == visible)
      if count > 0 {
        #expect(throws: LayoutError.tooManyElements(limit: count - 1)) {
          try fullTick(limit: count - 1)
        }
      }
      let requested = state.requestedRanges(in: prepared)
      #expect(requested.isMaximalRuns)
      #expect(Set(requested.flatMap(\.indexPaths)) == asked)
      offset = next
    }
  }

  @Test func ofAWheelTheNearestCardsComeFirst() throws {
    // Each a range of its own; most stand upright somewhere in the viewport.
    let content = Content(
      sections: Array(repeating: Section(items: Items(count: 1)), count: 8))
    var layout = WheelLayout()
    layout.itemSize = Size(width: 67, height: 124)
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 375, height: 250)))
    func sections(at x: Length, after last: Length) throws -> [Int] {
      var state = ScrollState(contentOffset: .zero)
      var ranges: [ItemRange] = []
      for x in [last, x] {
        ranges = try state.scroll(
          to: Point(x: x, y: 0), in: prepared, prefetch: PrefetchReach(ahead: 0, behind: 1),
          isFull: true, limit: 100
        ).prefetch
      }
      return ranges.map(\.section)
    }
    #expect(try sections(at: -20, after: 0) == [4, 5, 6, 7])
    #expect(try sections(at: 161, after: 100) == [3, 2, 1, 0])
  }

  @Test func theRangeNearestToTheViewportComesFirst() throws {
    let content = Content(sections: [Section(items: Items(count: 1000))])
    var layout = FlowLayout()
    layout.itemSize = Size(width: 320, height: 50)
    layout.minimumLineSpacing = 0
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 320, height: 100)))
    var state = ScrollState(contentOffset: .zero)
    let reach = PrefetchReach(ahead: 1, behind: 0.5)
    func tick(to y: Length) throws -> ScrollTick {
      try state.scroll(
        to: Point(x: 0, y: y), in: prepared, prefetch: reach, isFull: false, limit: 1000)
    }
    let range = { ItemRange(section: 0, start: $0, end: $1) }
    #expect(try tick(to: 0).prefetch == [range(2, 4)])
    let down = try tick(to: 1000)
    #expect(down.prefetch == [range(22, 24), range(19, 20)])
    #expect(down.cancelPrefetch == [range(2, 4)])
    let up = try tick(to: 990)
    #expect(up.prefetch == [range(17, 19)])
    #expect(up.cancelPrefetch == [range(23, 24)])
    // Of two as near, that on the way; the window reaches further on the way.
    for (from, isForward) in [(1050, false), (950, true)] {
      _ = try tick(to: Length(points: from))
      _ = try tick(to: 1000)
      #expect(
        state.requestedRanges(in: prepared)
          == (isForward ? [range(22, 24), range(19, 20)] : [range(18, 20), range(22, 23)]))
      #expect(
        state.prefetchWindow(in: prepared, reach: reach)
          == Rect(x: 0, y: isForward ? 950 : 900, width: 320, height: 250))
    }
  }

  @Test func afterAResetTheNextTickIsOneWhateverTheClientSays() throws {
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: 100))]), layout: ListLayout(),
      viewport: Viewport(size: Size(width: 320, height: 480)))
    var state = ScrollState(contentOffset: .zero)
    func tick() throws -> ScrollTick {
      try state.scroll(
        to: .zero, in: prepared, prefetch: PrefetchReach(), isFull: false, limit: 100)
    }
    #expect(try !tick().isReset)
    #expect(!state.requestedRanges(in: prepared).isEmpty)
    state.reset(to: .zero)
    #expect(state.requestedRanges(in: prepared).isEmpty)
    let reset = try tick()
    #expect(reset.isReset)
    #expect(reset.appeared.count == 11)
    #expect(try tick() == ScrollTick(showing: 11))
  }

  @Test func moreElementsThanTheLimitAreRefusedAndNothingChanges() throws {
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: 1000))]), layout: FlowLayout(),
      viewport: Viewport(size: Size(width: 320, height: 480)))
    var state = ScrollState(contentOffset: .zero)
    let before = state
    #expect(throws: LayoutError.tooManyElements(limit: 10)) {
      try state.scroll(
        to: Point(x: 0, y: 100), in: prepared, prefetch: PrefetchReach(), isFull: false, limit: 10)
    }
    #expect(state == before)
  }

  /// What showed is worked out again, and may be too much for that.
  @Test func moreElementsBeforeATickThanTheLimitAreRefusedToo() throws {
    let content = Content(
      sections: [100, 1, 1, 1, 1].map { count in
        var section = Section(items: Items(count: count))
        section.minimumLineSpacing = 0
        section.sectionInset = EdgeInsets(top: 0, left: 0, bottom: 500, right: 0)
        return section
      })
    var layout = FlowLayout()
    layout.itemSize = Size(width: 32, height: 20)
    layout.minimumInteritemSpacing = 0
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 320, height: 200)))
    var state = ScrollState(contentOffset: .zero)
    let sparse = Point(x: 0, y: 600)
    for isFull in [false, true] {
      func tick() throws -> ScrollTick {
        try state.scroll(
          to: sparse, in: prepared, prefetch: PrefetchReach(ahead: 0), isFull: isFull, limit: 99)
      }
      if isFull {
        #expect(try tick().appeared.count == 1)
      } else {
        #expect(throws: LayoutError.tooManyElements(limit: 99)) { try tick() }
      }
    }
  }
}

extension ScrollTick {
  /// One that changes nothing.
  fileprivate init(showing count: Int) {
    self.init()
    shownCount = count
  }
}

extension ItemRange {
  var indexPaths: [IndexPath] { (start..<end).map { IndexPath(item: $0, section: section) } }
}

extension [ItemRange] {
  /// Whether no two of them touch and none is empty.
  var isMaximalRuns: Bool {
    let sorted = sorted { ($0.section, $0.start) < ($1.section, $1.start) }
    return zip(sorted, sorted.dropFirst()).allSatisfy {
      $0.section != $1.section || $0.end < $1.start
    } && allSatisfy { $0.start < $0.end }
  }
}

extension SeededGenerator {
  /// The layout with a cell under a finger, which is anywhere; if there is a cell.
  fileprivate mutating func lifting(
    in prepared: PreparedLayout, of content: Content
  ) -> PreparedLayout {
    let position = offset()
    let movement = content.itemPaths.randomElement(using: &self).flatMap {
      InteractiveMovement(
        of: $0, at: position, within: nil, content: content, layout: prepared, contentOffset: .zero)
    }
    return movement?.layout ?? prepared
  }
}
