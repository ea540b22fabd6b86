import LayoutCore
import Testing

struct SnappingTests {
  private func prepared(_ content: Content, _ layout: any CollectionLayout) throws
    -> PreparedLayout
  {
    try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 300, height: 200)))
  }

  private func target(
    _ prepared: PreparedLayout, _ mode: SnapMode, proposed: Length, velocity: Double = 0,
    start: Length = 0
  ) -> SnapTarget {
    prepared.snapTarget(
      for: DragEnd(
        proposedContentOffset: Point(x: 0, y: proposed), velocity: Velocity(x: 0, y: velocity),
        startContentOffset: Point(x: 0, y: start), contentOffset: .zero),
      mode: mode, decelerationRate: .normal)
  }

  /// There are hundreds of thousands on either side of a wide gap, and one of them is the nearest.
  @Test(arguments: [300_000, 300_900, 412_345, 599_000, 601_000, 870_000, 899_500])
  func besideManyItemsTheNearestIsFound(proposed: Int) throws {
    var layout = ListLayout()
    layout.itemLength = 1
    var first = Section(items: Items(count: 300_000))
    first.sectionInset = EdgeInsets(top: 0, left: 0, bottom: 600_000, right: 0)
    let prepared = try prepared(
      Content(sections: [first, Section(items: Items(count: 300_000))]), layout)
    let (before, after) = (
      IndexPath(item: 299_999, section: 0), IndexPath(item: 0, section: 1)
    )
    func found(_ mode: SnapMode, velocity: Double = 0) -> IndexPath? {
      target(prepared, mode, proposed: Length(points: proposed), velocity: velocity).indexPath
    }
    #expect(found(.center) == (proposed + 100 < 600_000 ? before : after))
    #expect(found(.start) == (2 * proposed < 299_999 + 900_000 ? before : after))
    #expect(found(.start, velocity: 1) == after && found(.start, velocity: -1) == before)
  }

  /// Also where the second is found first, since it reaches nearer.
  @Test func ofTwoAsNearTheFirstIsTaken() throws {
    let items = Items(
      count: 2, extents: .lengths(LengthArray(count: 2) { $0 == 0 ? 20 : 180 }))
    var layout = ListLayout()
    layout.itemSpacing = 20
    layout.sectionInset = EdgeInsets(top: 200, left: 0, bottom: 200, right: 0)
    let prepared = try prepared(Content(sections: [Section(items: items)]), layout)
    // The middles are at 210 and 330, that of the viewport between them.
    #expect(
      target(prepared, .center, proposed: 170).indexPath == IndexPath(item: 0, section: 0))
  }

  @Test(arguments: seeds(300))
  func centerAndStartFindTheBestOfAllCells(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let content = random.content()
    // Where the cards of a wheel rest, no answer tells.
    let layout = random.layout { !($0 is WheelLayout) }
    let prepared = try PreparedLayout(content, layout: layout, viewport: random.viewport())
    let direction = prepared.scrollDirection
    let length = direction.upright(prepared.viewport.size).height
    let contentLength = direction.upright(prepared.contentSize).height
    let cells = prepared.everyElement(of: content, contentOffset: .zero)
      .filter { $0.kind == .cell && !$0.frame.isEmpty }
      .map { (path: $0.indexPath, frame: direction.upright($0.frame)) }
    for _ in 0..<6 {
      let offset = random.offset()
      let main = direction.upright(offset).y
      let velocity = Double(random.int(-1...1)) * 100
      let drag = DragEnd(
        proposedContentOffset: offset, velocity: Velocity(x: velocity, y: velocity),
        startContentOffset: .zero, contentOffset: .zero)

      let center = prepared.snapTarget(for: drag, mode: .center, decelerationRate: .normal)
      let leftAlone = main <= 0 || main >= contentLength - length
      let nearest = cells.min {
        abs($0.frame.doubledMiddle - main.millionths * 2 - length.millionths)
          < abs($1.frame.doubledMiddle - main.millionths * 2 - length.millionths)
      }
      #expect(center.indexPath == (leftAlone ? nil : nearest?.path))

      let edges = cells.map { cell in
        let inset = Naive.sectionInset(layout, content.sections[cell.path.section])
        return (path: cell.path, edge: cell.frame.minY - direction.upright(inset).top)
      }
      // What the end of the content cuts off comes to rest at the end.
      let last = max(0, contentLength - length)
      let stopsAtEnd = main == last && edges.contains { $0.edge >= main }
      let expected: (path: IndexPath, edge: Length)? =
        velocity > 0 || stopsAtEnd
        ? edges.filter { $0.edge >= main }.min { $0.edge < $1.edge }
          ?? edges.reversed().max { $0.edge <= $1.edge && $0.edge < $1.edge }
        : velocity < 0
          ? edges.filter { $0.edge <= main }.max { $0.edge < $1.edge }
            ?? edges.min { $0.edge < $1.edge }
          : edges.min { abs(($0.edge - main).millionths) < abs(($1.edge - main).millionths) }
      let start = prepared.snapTarget(for: drag, mode: .start, decelerationRate: .normal)
      #expect(
        start.indexPath.flatMap { path in edges.first { $0.path == path }?.edge } == expected?.edge)
      if let expected {
        let turned = direction.upright(Point(x: direction.upright(offset).x, y: expected.edge))
        #expect(start.contentOffset == prepared.clamped(turned))
      }
    }
  }

  @Test(arguments: seeds(250))
  func whereADragComesToRestItStays(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let prepared = try PreparedLayout(
      random.content(), layout: random.layout(), viewport: random.viewport())
    for mode in SnapMode.allCases {
      for _ in 0..<4 {
        // Often exactly at an end, where stops are cut off.
        let proposed =
          random.chance(0.3)
          ? prepared.clamped(Point(x: 1_000_000, y: 1_000_000)) : random.offset()
        let velocity = Double(random.int(-1...1)) * 100
        let first = prepared.snapTarget(
          for: DragEnd(
            proposedContentOffset: proposed, velocity: Velocity(x: velocity, y: velocity),
            startContentOffset: random.offset(), contentOffset: random.offset()),
          mode: mode, decelerationRate: .normal)
        let target = first.contentOffset
        #expect(prepared.clamped(target) == target)
        for velocity in [velocity, 0] {
          let again = prepared.snapTarget(
            for: DragEnd(
              proposedContentOffset: target, velocity: Velocity(x: velocity, y: velocity),
              startContentOffset: target, contentOffset: target),
            mode: mode, decelerationRate: .normal)
          #expect(again.contentOffset == target, "\(mode) \(velocity)")
        }
      }
    }
  }

  @Test(arguments: seeds(300))
  func itemGoesOneStopOnOrBack(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let content = random.content()
    let layout = random.layout { !($0 is WheelLayout) }
    let prepared = try PreparedLayout(content, layout: layout, viewport: random.viewport())
    let direction = prepared.scrollDirection
    let length = direction.upright(prepared.viewport.size).height
    let end = max(0, direction.upright(prepared.contentSize).height - length)
    let stops = prepared.everyElement(of: content, contentOffset: .zero)
      .filter { $0.kind == .cell && !$0.frame.isEmpty }
      .map { cell in
        let inset = Naive.sectionInset(layout, content.sections[cell.indexPath.section])
        return direction.upright(cell.frame).minY - direction.upright(inset).top
      }
    for _ in 0..<6 {
      let (start, offset) = (random.offset(), random.offset())
      let from = direction.upright(start).y
      let here = direction.upright(offset).y
      let target = prepared.snapTarget(
        for: DragEnd(
          proposedContentOffset: random.offset(), velocity: Velocity(x: 900, y: -900),
          startContentOffset: start, contentOffset: offset),
        mode: .item, decelerationRate: .normal)
      guard
        let nearest = stops.min(by: {
          abs(($0 - from).millionths) < abs(($1 - from).millionths)
        })
      else {
        #expect(target.indexPath == nil)
        continue
      }
      let stop = max(0, min(nearest, end))
      let expected =
        here > stop
        ? stops.filter { $0 > nearest }.min() ?? nearest
        : here < stop ? stops.filter { $0 < nearest }.max() ?? nearest : nearest
      #expect(direction.upright(target.contentOffset).y == max(0, min(expected, end)))
    }
  }

  @Test(arguments: seeds(100))
  func theWheelsStopsAreSpreadEvenlyOnAnyLayout(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let content = random.content()
    let prepared = try PreparedLayout(
      content, layout: random.layout(), viewport: random.viewport())
    let count = content.sections.reduce(0) { $0 + $1.items.count }
    let direction = prepared.scrollDirection
    let length = direction.upright(prepared.viewport.size).height
    let way = max(0, direction.upright(prepared.contentSize).height - length)
    let offset = random.offset()
    let target = prepared.snapTarget(
      for: DragEnd(
        proposedContentOffset: offset, velocity: .zero, startContentOffset: .zero,
        contentOffset: .zero), mode: .wheel, decelerationRate: .normal)
    guard count > 1, way > 0 else {
      #expect((target.indexPath == nil) == (count == 0))
      return
    }
    let step = way.points / Double(count - 1)
    let main = max(0, min(direction.upright(offset).y.points, way.points))
    let number = (main / step).rounded()
    let found = direction.upright(target.contentOffset).y.points
    #expect(abs(found - number * step) < 1e-5)
    let stop = try #require(target.indexPath.flatMap(content.itemPaths.firstIndex))
    #expect(abs(found - Double(stop) * step) < 1e-5)
  }

  /// One item has no other to be away from, and more than there are millionths share places.
  @Test(arguments: [(1, 500), (100, 2)])
  func theWheelStopsAtItemsThatThereAre(count: Int, itemLength: Int) throws {
    var layout = ListLayout()
    layout.itemLength = Length(points: itemLength)
    let length = Length(points: count * itemLength)
    // A millionth, or more than that, to scroll.
    let viewport = Size(width: 300, height: count == 1 ? 200 : length - Length(millionths: 1))
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: count))]), layout: layout,
      viewport: Viewport(size: viewport))
    for proposed in [-700, 0, Length(millionths: 1), 700] as [Length] {
      for velocity in [-1.0, 0, 1] {
        let stop = target(prepared, .wheel, proposed: proposed, velocity: velocity)
        #expect(stop.indexPath.map { $0.section == 0 && (0..<count).contains($0.item) } == true)
        #expect(count > 1 || stop.contentOffset == .zero)
      }
    }
  }

  /// Cards rest in the middle of the viewport, which may be far longer than all of them.
  @Test(arguments: [1, 2, 9, 20])
  func fewCardsOfAWheelAreFoundWhereTheyRest(count: Int) throws {
    var layout = WheelLayout()
    layout.itemSize = Size(width: 33, height: 44)
    let prepared = try prepared(
      Content(sections: [Section(items: Items(count: count))]), layout)
    for mode in [SnapMode.start, .item, .wheel] {
      for velocity in [-1.0, 0, 1] {
        let drag = DragEnd(
          proposedContentOffset: .zero, velocity: Velocity(x: velocity, y: 0),
          startContentOffset: .zero, contentOffset: .zero)
        let target = prepared.snapTarget(for: drag, mode: mode, decelerationRate: .normal)
        #expect(target.indexPath == IndexPath(item: 0, section: 0), "\(mode) at \(velocity)")
      }
    }
  }

  /// A stop is rounded once, and not a second time with the place of the card that stands there.
  @Test func aCardInTheMiddleIsAtItsStop() throws {
    var layout = WheelLayout()
    layout.itemSize = Size(width: Length(millionths: 33_333_333), height: 44)
    let prepared = try prepared(Content(sections: [Section(items: Items(count: 20))]), layout)
    for proposed in stride(from: 1, to: 360, by: 7) {
      func target(_ mode: SnapMode) -> SnapTarget {
        let drag = DragEnd(
          proposedContentOffset: Point(x: Length(points: proposed), y: 0), velocity: .zero,
          startContentOffset: .zero, contentOffset: .zero)
        return prepared.snapTarget(for: drag, mode: mode, decelerationRate: .normal)
      }
      #expect(target(.center) == target(.wheel))
    }
  }

  /// What one section's inset leads to is not looked through instead of what is near.
  @Test(arguments: [100, 300_000])
  func anInsetElsewhereLeadsNobodyAway(count: Int) throws {
    var layout = ListLayout()
    layout.itemLength = 50
    layout.itemSpacing = 500
    var far = Section(items: Items(count: 1))
    far.sectionInset = EdgeInsets(top: 1_000_000_000, left: 0, bottom: 0, right: 0)
    let prepared = try prepared(
      Content(sections: [Section(items: Items(count: count)), far]), layout)
    let near = target(prepared, .start, proposed: 60)
    #expect(near.contentOffset == .zero && near.indexPath == IndexPath(item: 0, section: 0))
    let next = target(prepared, .start, proposed: 300)
    #expect(next.contentOffset.y == 550 && next.indexPath == IndexPath(item: 1, section: 0))
  }

  @Test func aPageIsAtMostOneFromWhereTheDragBegan() throws {
    let layout = try prepared(
      Content(sections: [Section(items: Items(count: 200))]), FlowLayout())
    #expect(target(layout, .page, proposed: 130, velocity: 1).contentOffset.y == 200)
    #expect(target(layout, .page, proposed: 130, velocity: -1).contentOffset.y == 0)
    #expect(target(layout, .page, proposed: 100).contentOffset.y == 200)
    #expect(target(layout, .page, proposed: 1130, velocity: 1).contentOffset.y == 200)
    #expect(target(layout, .page, proposed: 1130, velocity: 1, start: 790).contentOffset.y == 1000)
    #expect(target(layout, .page, proposed: 130, velocity: 1).indexPath == nil)
  }

  @Test func aFlingIsProjected() throws {
    let layout = try prepared(
      Content(sections: [Section(items: Items(count: 2000))]), FlowLayout())
    let drag = DragEnd(
      proposedContentOffset: nil, velocity: Velocity(x: 0, y: 2000), startContentOffset: .zero,
      contentOffset: Point(x: 0, y: 10))
    #expect(
      layout.snapTarget(for: drag, mode: .none, decelerationRate: .normal).contentOffset
        == Point(x: 0, y: 1008))
    #expect(
      layout.snapTarget(for: drag, mode: .none, decelerationRate: .fast).contentOffset
        == Point(x: 0, y: 208))
    var list = ListLayout()
    list.scrollDirection = .horizontal
    let row = try prepared(Content(sections: [Section(items: Items(count: 100))]), list)
    let sideways = DragEnd(
      proposedContentOffset: nil, velocity: Velocity(x: 1000, y: -40), startContentOffset: .zero,
      contentOffset: Point(x: 10, y: 0))
    #expect(
      row.snapTarget(for: sideways, mode: .none, decelerationRate: .normal).contentOffset
        == Point(x: 509, y: 0))
  }

  @Test func aProjectedFlingTellsHowLongItTakes() throws {
    let layout = try prepared(
      Content(sections: [Section(items: Items(count: 2000))]), FlowLayout())
    func duration(_ velocity: Double, _ rate: DecelerationRate) throws -> Double {
      try #require(
        layout.snapTarget(
          for: DragEnd(
            proposedContentOffset: nil, velocity: Velocity(x: 0, y: velocity),
            startContentOffset: .zero, contentOffset: .zero),
          mode: .none, decelerationRate: rate
        ).duration)
    }
    // Millisecond by millisecond, until half a pixel of 998 points is left.
    func counted(_ way: Double, _ rate: Double) -> Double {
      var left = way
      var milliseconds = 0.0
      while left > 0.5 {
        left *= rate
        milliseconds += 1
      }
      return milliseconds / 1000
    }
    #expect(abs(try duration(2000, .normal) - counted(998, 0.998)) <= 0.001)
    #expect(abs(try duration(-2000, .fast) - counted(198, 0.99)) <= 0.001)
    #expect(try duration(0, .normal) == 0)
    // 0.499 points, and 0.7485.
    #expect(try duration(1, .normal) == 0)
    #expect(abs(try duration(1.5, .normal) - counted(0.7485, 0.998)) <= 0.001)
    // Along the axis along which there is a way, if there is any.
    let row = try prepared(
      Content(sections: [Section(items: Items(count: 10))]), BannerLayout())
    let upwards = DragEnd(
      proposedContentOffset: nil, velocity: Velocity(x: 1.5, y: 2000), startContentOffset: .zero,
      contentOffset: .zero)
    #expect(
      try row.snapTarget(for: upwards, mode: .none, decelerationRate: .normal).duration
        == duration(1.5, .normal))
    let card = try prepared(
      Content(sections: [Section(items: Items(count: 1))]), BannerLayout())
    #expect(
      card.snapTarget(for: upwards, mode: .none, decelerationRate: .normal).duration == 0)
    let proposed = DragEnd(
      proposedContentOffset: .zero, velocity: Velocity(x: 0, y: 2000), startContentOffset: .zero,
      contentOffset: .zero)
    #expect(
      layout.snapTarget(for: proposed, mode: .none, decelerationRate: .normal).duration == nil)
  }

  @Test(arguments: [
    (ScrollPosition.start, 960, 960 - 30), (.center, 960, 885), (.end, 960, 810),
    (.nearest, 0, 810), (.nearest, 2000, 930), (.nearest, 880, 880),
  ])
  func anItemIsScrolledTo(position: ScrollPosition, from: Int, expected: Int) throws {
    var layout = FlowLayout()
    layout.sectionHeadersPinToVisibleBounds = true
    layout.headerReferenceSize = Size(width: 0, height: 30)
    layout.sectionInset = EdgeInsets(top: 30, left: 0, bottom: 0, right: 0)
    let prepared = try prepared(
      Content(sections: [Section(items: Items(count: 400))]), layout)
    // Five to a line: item 75 is in line 15, at 60 + 15·60.
    let offset = prepared.contentOffset(
      scrollingTo: IndexPath(item: 75, section: 0), at: position,
      from: Point(x: 7, y: Length(points: from)))
    #expect(offset == Point(x: 7, y: Length(points: expected)))
  }

  /// It fills the viewport from its start to its end less the viewport.
  @Test(arguments: [(0, 500), (500, 500), (600, 600), (800, 800), (900, 800)])
  func anItemLongerThanTheViewportNeedNotScrollWhereItFillsIt(from: Int, expected: Int) throws {
    var layout = ListLayout()
    layout.itemLength = 500
    let prepared = try prepared(Content(sections: [Section(items: Items(count: 4))]), layout)
    let offset = prepared.contentOffset(
      scrollingTo: IndexPath(item: 1, section: 0), at: .nearest,
      from: Point(x: 0, y: Length(points: from)))
    #expect(offset == Point(x: 0, y: Length(points: expected)))
  }

  /// Ten items of 44 points behind a header of 30, before a footer of 50, both pinned, in a viewport of 200 points.
  @Test(arguments: [
    // From before it comes to lie at the footer, from behind at the header, and stays between them.
    (ScrollPosition.nearest, 6, 0, 30 + 7 * 44 + 50 - 200), (.nearest, 6, 400, 6 * 44),
    (.nearest, 6, 200, 200),
    // The last item with the footer at rest is the end of the content.
    (.nearest, 9, 0, 320),
    // That the item ends with the viewport is what is asked for.
    (.end, 6, 0, 30 + 7 * 44 - 200),
  ])
  func theNearestOffsetShowsAnItemBesideAPinnedFooter(
    position: ScrollPosition, item: Int, from: Int, expected: Int
  ) throws {
    var layout = ListLayout()
    layout.sectionHeadersPinToVisibleBounds = true
    layout.sectionFootersPinToVisibleBounds = true
    layout.headerReferenceSize = Size(width: 0, height: 30)
    layout.footerReferenceSize = Size(width: 0, height: 50)
    let prepared = try prepared(
      Content(sections: [Section(items: Items(count: 10))]), layout)
    let offset = prepared.contentOffset(
      scrollingTo: IndexPath(item: item, section: 0), at: position,
      from: Point(x: 0, y: Length(points: from)))
    #expect(offset == Point(x: 0, y: Length(points: expected)))
  }

  @Test func aHeaderThatIsNotPinnedCoversNothing() throws {
    var layout = ListLayout()
    layout.headerReferenceSize = Size(width: 0, height: 30)
    let prepared = try prepared(
      Content(sections: [Section(items: Items(count: 40))]), layout)
    let offset = prepared.contentOffset(
      scrollingTo: IndexPath(item: 10, section: 0), at: .start, from: .zero)
    #expect(offset == Point(x: 0, y: 30 + 10 * 44))
  }

  /// The search knows the largest inset of all sections, whichever has it.
  @Test func anInsetOfOneSectionOfManyCounts() throws {
    var sections = Array(repeating: Section(items: Items(count: 1)), count: 40)
    sections[5].sectionInset = EdgeInsets(top: 300, left: 0, bottom: 0, right: 0)
    let prepared = try prepared(Content(sections: sections), ListLayout())
    // Its leading edge, 300 points in front of its item.
    #expect(target(prepared, .start, proposed: 220).contentOffset.y == 220)
  }
}

extension Rect {
  fileprivate var doubledMiddle: Int64 { minY.millionths * 2 + height.millionths }
}
