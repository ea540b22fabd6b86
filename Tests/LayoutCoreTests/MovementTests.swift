import Testing

@testable import LayoutCore

struct MovementTests {
  /// Each preview is laid out from the one before it.
  @Test(arguments: seeds(150))
  func aPreviewIsTheContentWithTheItemMoved(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let content = random.content()
    let (layout, viewport) = (random.layout(), random.viewport())
    let prepared = try PreparedLayout(content, layout: layout, viewport: viewport)
    let paths = content.itemPaths
    guard let source = paths.randomElement(using: &random) else { return }
    var movement = try lifting(source, of: content, in: prepared)
    for _ in 0..<12 {
      let cell = paths.randomElement(using: &random).flatMap {
        movement.layout.attributes(of: .cell, at: $0, contentOffset: .zero)
      }
      let position = cell?.frame.origin ?? .zero
      let before = movement
      let map = try movement.update(to: position, collection: layout, contentOffset: .zero)
      var batch = BatchUpdate()
      if movement.target != source { batch.moveItems = [(source, movement.target)] }
      let moved = try batch.applied(to: content).content
      let scratch = try PreparedLayout(moved, layout: layout, viewport: viewport)
      var resting = movement.layout
      resting.putDown()
      #expect(resting.contentSize == scratch.contentSize)
      #expect(
        resting.everyElement(of: moved, contentOffset: .zero)
          == scratch.everyElement(of: moved, contentOffset: .zero))
      #expect(movement.layout.lifted?.indexPath == movement.target)
      #expect(map.newIndexPath(of: before.target) == movement.target)
      #expect(map.oldIndexPath(of: movement.target) == before.target)
    }
  }

  /// Where the finger is decides where the item goes, and each step what becomes of the others.
  @Test(arguments: seeds(200))
  func aStepGoesFromOnePreviewToTheNext(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var content = generator.namedContent()
    while content.itemPaths.isEmpty { content = generator.namedContent() }
    let layout = generator.layout()
    let prepared = try PreparedLayout(content, layout: layout, viewport: generator.viewport())
    let offset = prepared.clamped(generator.offset())
    let source = try #require(content.itemPaths.randomElement(using: &generator))
    let sections = generator.chance(0.3) ? Set((0...5).filter { _ in generator.chance(0.5) }) : nil
    var movement = try #require(
      InteractiveMovement(
        of: source, at: nil, within: sections, content: content, layout: prepared,
        contentOffset: offset))
    for _ in 0..<12 {
      let old = movement
      let position = generator.position(in: old)
      let step = try movement.update(to: position, collection: layout, contentOffset: offset)
      #expect(movement.target == expectedTarget(of: old, at: position, contentOffset: offset))
      #expect(movement.batch.isEmpty == (movement.target == source))

      // Each item goes where it is now, and back; alone as with what else was asked for.
      let (before, after) = (old.preview.content.flat, movement.preview.content.flat)
      let paths = old.preview.content.itemPaths
      for path in paths {
        let there = try #require(step.newIndexPath(of: path))
        #expect(after[there.section][there.item].id == before[path.section][path.item].id)
        #expect(step.oldIndexPath(of: there) == path)
      }
      let asked = paths.filter { _ in generator.chance(0.8) }
      let (kept, gone) = ItemRanges(of: asked).mapped(by: step)
      #expect(kept == ItemRanges(of: asked.compactMap(step.newIndexPath)))
      #expect(gone.isEmpty)
      let (origins, none) = kept.mapped(by: InverseMap(step))
      #expect(origins == ItemRanges(of: asked) && none.isEmpty)
    }
  }

  /// A movement that may go to every section, with the finger in the middle of the item.
  private func lifting(
    _ source: IndexPath, of content: Content, in prepared: PreparedLayout
  ) throws -> InteractiveMovement {
    try #require(
      InteractiveMovement(
        of: source, at: nil, within: nil, content: content, layout: prepared, contentOffset: .zero))
  }

  /// The cell that is hit, or in the section that is hit the first of the nearest, if the item may go there.
  private func expectedTarget(
    of movement: InteractiveMovement, at position: Point, contentOffset: Point
  ) -> IndexPath {
    var resting = movement.layout
    resting.putDown()
    func allowed(_ path: IndexPath) -> IndexPath {
      movement.sections?.contains(path.section) == false ? movement.target : path
    }
    if let hit = resting.indexPathForItem(at: position, contentOffset: contentOffset) {
      return allowed(hit)
    }
    let isVertical = resting.scrollDirection == .vertical
    guard let section = resting.placement.section(at: isVertical ? position.y : position.x) else {
      return movement.target
    }
    let cells = movement.preview.content.itemPaths.filter { $0.section == section }
    if cells.isEmpty { return allowed(IndexPath(item: 0, section: section)) }
    /// The square of the distance from a frame, in square millionths; nil if it has no area.
    func distance(_ path: IndexPath) -> UInt128? {
      guard let frame = resting.restingFrame(of: .cell, at: path), !frame.isEmpty else {
        return nil
      }
      let x = max(0, frame.minX - position.x, position.x - frame.maxX).millionths
      let y = max(0, frame.minY - position.y, position.y - frame.maxY).millionths
      return UInt128(x) * UInt128(x) + UInt128(y) * UInt128(y)
    }
    let found = cells.compactMap { path in distance(path).map { (path, $0) } }
    return found.min { $0.1 < $1.1 }.map { allowed($0.0) } ?? movement.target
  }

  /// However many of another section's items are nearer.
  @Test func anItemGoesToTheNearestOfTheSectionThatIsHit() throws {
    var hit = Section(items: Items(count: 3))
    hit.sectionInset = EdgeInsets(top: 0, left: 0, bottom: 100_000, right: 0)
    let content = Content(sections: [hit, Section(items: Items(count: 1_000_000))])
    var layout = ListLayout()
    layout.itemLength = 1
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 100, height: 400)))
    var movement = try lifting(IndexPath(item: 5, section: 1), of: content, in: prepared)
    _ = try movement.update(to: Point(x: 50, y: 99_990), collection: layout, contentOffset: .zero)
    #expect(movement.target == IndexPath(item: 2, section: 0))
  }

  /// However many lie beside each other.
  @Test func anItemGoesToTheNearestOfALongLine() throws {
    let content = Content(sections: [Section(items: Items(count: 100))])
    var layout = FlowLayout()
    layout.itemSize = Size(width: 8, height: 8)
    layout.minimumInteritemSpacing = 2
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 998, height: 400)))
    var movement = try lifting(IndexPath(item: 5, section: 0), of: content, in: prepared)
    // Between two, nearer to the second.
    _ = try movement.update(
      to: Point(x: Length(millionths: 899_500_000), y: 4), collection: layout, contentOffset: .zero)
    #expect(movement.target == IndexPath(item: 90, section: 0))
  }

  /// However short the content is: its cards rest in the middle of the viewport, which may be behind its end.
  @Test(arguments: [54, 53, 10])
  func aShortWheelHasPlacesForTheFinger(width: Length) throws {
    let content = Content(sections: [
      Section(items: Items(count: 2)), Section(items: Items(count: 1)),
    ])
    var layout = WheelLayout()
    layout.itemSize = Size(width: width, height: 50)
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 375, height: 300)))
    for x in [0, 20, 160] as [Length] {
      var movement = try lifting(IndexPath(item: 0, section: 1), of: content, in: prepared)
      // In front of all of them, where the first section is; below, where the last one goes on.
      _ = try movement.update(to: Point(x: x, y: 299), collection: layout, contentOffset: .zero)
      #expect(movement.target == IndexPath(item: 0, section: 0))
    }
    var movement = try lifting(IndexPath(item: 1, section: 0), of: content, in: prepared)
    _ = try movement.update(to: Point(x: 190, y: 299), collection: layout, contentOffset: .zero)
    #expect(movement.target == IndexPath(item: 0, section: 1))
  }

  /// A section that the item leaves empty is hit where its header is, and takes it back.
  @Test func anItemGoesBackIntoTheSectionThatItLeftEmpty() throws {
    var alone = Section(items: Items(count: 1))
    alone.header = Size(width: 0, height: 40)
    let content = Content(sections: [alone, Section(items: Items(count: 2))])
    let layout = ListLayout()
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 100, height: 400)))
    let source = IndexPath(item: 0, section: 0)
    var movement = try lifting(source, of: content, in: prepared)
    // The header … 40, the item … 84, the next … 128.
    _ = try movement.update(to: Point(x: 50, y: 100), collection: layout, contentOffset: .zero)
    #expect(movement.target == IndexPath(item: 0, section: 1))
    _ = try movement.update(to: Point(x: 50, y: 20), collection: layout, contentOffset: .zero)
    #expect(movement.target == source)
  }

  /// The first item's header is not the first item.
  @Test func onlyACellIsLifted() throws {
    var layout = ListLayout()
    layout.headerReferenceSize = Size(width: 0, height: 40)
    let content = Content(sections: [Section(items: Items(count: 3))])
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 100, height: 400)))
    let first = IndexPath(item: 0, section: 0)
    var movement = try lifting(first, of: content, in: prepared)
    _ = try movement.update(to: Point(x: 50, y: 60), collection: layout, contentOffset: .zero)
    #expect(
      movement.layout.attributes(of: .header, at: first, contentOffset: .zero)?.frame
        == Rect(x: 0, y: 0, width: 100, height: 40))
  }

  /// A wheel counts cards from those that show in their places: one under a finger may be anywhere else.
  @Test func aLiftedCardDoesNotMoveTheWindow() throws {
    var prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: 100))]), layout: WheelLayout(),
      viewport: Viewport(size: Size(width: 320, height: 400)))
    let cells = try prepared.elements(
      in: prepared.visibleRect(at: .zero), contentOffset: .zero, limit: 100)
    let shown = ItemRanges(of: cells.map(\.indexPath))
    func ahead(_ shown: ItemRanges) throws -> ItemRanges {
      try prepared.prefetchRanges(
        at: .zero, isForward: true, reach: PrefetchReach(), shown: shown, limit: 100
      ).items
    }
    let expected = try ahead(shown)
    #expect(!expected.ranges.isEmpty)
    let far = IndexPath(item: 90, section: 0)
    prepared.lifted = LiftedCell(indexPath: far, place: Rect(x: 160, y: 200, width: 0, height: 0))
    #expect(try ahead(shown.union(ItemRanges(of: [far]))) == expected)
  }
}

extension SeededGenerator {
  /// Some sections of which all items have names.
  fileprivate mutating func namedContent() -> Content {
    var nextName = 0
    return Content(
      sections: (0...int(0...4)).map { _ in
        var section = section()
        section.items = ItemList(named(items(int(0...8)), &nextName))
        return section
      })
  }

  /// A place for a finger: on a cell, near one, or anywhere.
  fileprivate mutating func position(in movement: InteractiveMovement) -> Point {
    guard chance(0.8), let path = movement.preview.content.itemPaths.randomElement(using: &self),
      let frame = movement.layout.restingFrame(of: .cell, at: path)
    else { return offset() }
    return Point(x: frame.minX + length(-30...60), y: frame.minY + length(-30...60))
  }
}
