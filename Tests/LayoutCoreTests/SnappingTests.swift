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

  @Test(arguments: 0..<300)
  func centerAndStartFindTheBestOfAllCells(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let content = random.content()
    let prepared = try PreparedLayout(
      content, layout: random.layout(), viewport: random.viewport())
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
        let inset = content.sections[cell.path.section].sectionInset ?? .zero
        return (path: cell.path, edge: cell.frame.minY - direction.upright(inset).top)
      }
      let expected: (path: IndexPath, edge: Length)? =
        velocity > 0
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
}

extension Rect {
  fileprivate var doubledMiddle: Int64 { minY.millionths * 2 + height.millionths }
}
