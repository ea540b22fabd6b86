import LayoutCore
import Testing

/// What holds for every layout, direction and collection.
struct PlacementPropertyTests {
  @Test(arguments: seeds(500))
  func aRectQueryFindsWhatAskingForEveryElementFinds(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    try expectRectQueries(of: random.content(), random.layout(), &random)
  }

  /// Many items without an area among others, and many sections that have a header at most.
  @Test(arguments: seeds(40))
  func whatHasNoAreaHidesNothing(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let content = random.sparseContent()
    let layouts: [any CollectionLayout] = [
      random.flowLayout(), random.waterfallLayout(), random.listLayout(), random.pagedGridLayout(),
      random.coverFlowLayout(), random.wheelLayout(), random.bannerLayout(),
    ]
    for layout in layouts { try expectRectQueries(of: content, layout, &random, offsetCount: 1) }
  }

  private func expectRectQueries(
    of content: Content, _ layout: any CollectionLayout, _ random: inout SeededGenerator,
    offsetCount: Int = 3
  ) throws {
    let prepared = try PreparedLayout(content, layout: layout, viewport: random.viewport())
    for _ in 0..<offsetCount {
      let offset = random.offset()
      let isInView = Naive.canBeVisible(layout, prepared, content, offset)
      let all = prepared.everyElement(of: content, contentOffset: offset).filter(isInView)
      for _ in 0..<3 {
        let rect = random.rect()
        let found = try prepared.elements(in: rect, contentOffset: offset, limit: .max - 1)
        #expect(found == all.filter { $0.shows(in: rect) })
      }
    }
  }

  @Test(arguments: seeds(250))
  func elementsAreTheSameWhereCellsComeManyAtATime(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let prepared = try PreparedLayout(
      random.content(), layout: random.layout(), viewport: random.viewport())
    for _ in 0..<4 {
      let (offset, rect) = (random.offset(), random.rect())
      let all = try prepared.elements(in: rect, contentOffset: offset, limit: .max - 1)
      // Some positions in the middle, and an end before the last.
      let start = random.int(0...max(0, all.count - 1))
      let count = random.int(1...max(1, all.count + 1))
      var found: [LayoutAttributes] = []
      prepared.forEachElement(
        in: rect, contentOffset: offset, from: all.isEmpty ? .first : all[start].position,
        cells: { cells in
          #expect(cells.count > 0)
          for place in 0..<cells.count { found.append(cells.attributes(place)) }
          return found.count < count
        }
      ) {
        found.append($0)
        return found.count < count
      }
      let rest = Array(all.dropFirst(start))
      #expect(Array(rest.prefix(found.count)) == found)
      #expect(found.count == rest.count || found.count >= count && found.count < count + 16)
    }
  }

  @Test(arguments: seeds(200))
  func aHorizontalLayoutIsTheTransposeOfTheVerticalOne(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let content = random.content().withBinaryAspectRatios
    let viewport = random.viewport()
    let transposedViewport = Viewport(
      size: viewport.size.transposed, displayScale: viewport.displayScale)
    let layouts: [any TransposableLayout] = [
      random.flowLayout(), random.waterfallLayout(), random.listLayout(), random.coverFlowLayout(),
    ]
    for layout in layouts {
      let one = try PreparedLayout(content, layout: layout, viewport: viewport)
      let other = try PreparedLayout(
        content.transposed, layout: layout.transposed, viewport: transposedViewport)
      #expect(one.contentSize == other.contentSize.transposed)
      let offset = random.offset()
      let all = one.everyElement(of: content, contentOffset: offset)
      let turned = other.everyElement(of: content.transposed, contentOffset: offset.transposed)
      #expect(all.map(\.frame) == turned.map(\.frame.transposed))
      // Scales only, so that a transform is its own transpose.
      #expect(all.map(\.transform) == turned.map(\.transform))
      #expect(all.map(\.zIndex) == turned.map(\.zIndex))
    }
  }

  @Test(arguments: seeds(200))
  func everythingLiesInsideTheContent(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let content = random.content()
    let layout = random.layout()
    let prepared = try PreparedLayout(content, layout: layout, viewport: random.viewport())
    let size = prepared.scrollDirection.upright(prepared.contentSize)
    for element in prepared.everyElement(of: content, contentOffset: random.offset())
    where !(layout is WheelLayout) {
      let frame = prepared.scrollDirection.upright(element.frame)
      // Place and length are rounded each.
      #expect(
        frame.minY >= 0 && frame.maxY <= size.height + Length(millionths: 1), "\(element)")
    }
  }

  /// What sections share, and how many there are, changes nothing about one of them.
  @Test(arguments: seeds(50))
  func aSectionLiesAsItDoesAlone(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var flow = random.flowLayout()
    var waterfall = random.waterfallLayout()
    var list = random.listLayout()
    // What stays in view lies where the viewport is.
    flow.sectionHeadersPinToVisibleBounds = false
    flow.sectionFootersPinToVisibleBounds = false
    // Alone each would be as long as all together have to be.
    waterfall.minimumContentLength = 0
    waterfall.sectionHeadersPinToVisibleBounds = false
    waterfall.sectionFootersPinToVisibleBounds = false
    list.sectionHeadersPinToVisibleBounds = false
    list.sectionFootersPinToVisibleBounds = false
    let content = Content(sections: (0..<random.int(1...40)).map { _ in random.section() })
    let viewport = random.viewport()
    let layouts: [any CollectionLayout] = [flow, waterfall, list, random.pagedGridLayout()]
    for layout in layouts {
      let prepared = try PreparedLayout(content, layout: layout, viewport: viewport)
      let together = prepared.everyElement(of: content, contentOffset: .zero)
      var apart: [LayoutAttributes] = []
      var start: Length = 0
      for (section, description) in content.sections.enumerated() {
        let one = Content(sections: [description])
        let alone = try PreparedLayout(one, layout: layout, viewport: viewport)
        for var element in alone.everyElement(of: one, contentOffset: .zero) {
          element.indexPath.section = section
          switch layout.scrollDirection {
          case .vertical: element.frame.origin.y += start
          case .horizontal: element.frame.origin.x += start
          }
          apart.append(element)
        }
        start += layout.scrollDirection.upright(alone.contentSize).height
      }
      #expect(together == apart)
      #expect(prepared.scrollDirection.upright(prepared.contentSize).height == start)
    }
  }

  @Test(arguments: seeds(200))
  func aQueryThatGoesOnAtAPositionFindsTheRest(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let prepared = try PreparedLayout(
      random.content(), layout: random.layout(), viewport: random.viewport())
    let rect = Rect(x: -1000, y: -1000, width: 10_000, height: 100_000)
    let all = try prepared.elements(in: rect, contentOffset: .zero, limit: .max - 1)
    for (index, element) in all.enumerated() where index % 7 == 0 {
      var rest: [LayoutAttributes] = []
      prepared.forEachElement(in: rect, contentOffset: .zero, from: element.position) {
        rest.append($0)
        return true
      }
      #expect(rest == Array(all[index...]))
    }
  }

  @Test(arguments: seeds(250))
  func theCellAtAPointIsTheFrontmostOfThoseThatHoldIt(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let content = random.content()
    let layout = random.layout()
    let prepared = try PreparedLayout(content, layout: layout, viewport: random.viewport())
    let offset = random.chance(0.5) ? .zero : random.offset()
    let all = prepared.everyElement(of: content, contentOffset: offset)
    for _ in 0..<10 {
      var point = random.offset()
      if !random.chance(0.3) {
        // In the viewport, where most effects are.
        point = Point(x: offset.x + random.length(0...400), y: offset.y + random.length(0...400))
      }
      let isInView = Naive.canBeVisible(layout, prepared, content, offset)
      let frontmost = all.filter { $0.kind == .cell && isInView($0) && $0.holds(point) }
        .max { ($0.zIndex, $0.indexPath) < ($1.zIndex, $1.indexPath) }
      #expect(
        prepared.indexPathForItem(at: point, contentOffset: offset) == frontmost?.indexPath)
    }
  }

  @Test(arguments: seeds(300))
  func anOffsetThatShowsAnItemDoesSoAndIsInsideTheContent(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let content = random.content()
    let prepared = try PreparedLayout(
      content, layout: random.layout(), viewport: random.viewport())
    for (section, description) in content.sections.enumerated() {
      for item in 0..<description.items.count where item % 5 == 0 {
        let path = IndexPath(item: item, section: section)
        for position in ScrollPosition.allCases {
          let offset = try #require(
            prepared.contentOffset(scrollingTo: path, at: position, from: .zero))
          #expect(prepared.clamped(offset) == offset)
          // What has an area and is not hidden by an effect shows then, but for a cell that is
          // longer than what its section's header leaves of the viewport.
          let cell = try #require(
            prepared.attributes(of: .cell, at: path, contentOffset: offset))
          let extents = prepared.scrollDirection.upright(cell.frame.size)
          if cell.isPlain, extents.width > 0, extents.height > 0, position != .nearest {
            let across = prepared.scrollDirection.upright(cell.frame)
            let room = prepared.scrollDirection.upright(prepared.viewport.size)
            let isBeside = across.minX >= room.width || across.maxX <= 0
            #expect(isBeside || cell.shows(in: prepared.visibleRect(at: offset)))
          }
        }
      }
    }
  }

  @Test(arguments: seeds(200))
  func theItemNearestToTheMiddleIsThatOfAll(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let content = random.chance(0.8) ? random.content() : random.sparseContent()
    let layouts: [any CollectionLayout] = [
      random.flowLayout(), random.waterfallLayout(), random.listLayout(), random.pagedGridLayout(),
    ]
    // Small, so that the nearest item is often none of those that show.
    let size = Size(
      width: Length(points: random.int(20...200)), height: Length(points: random.int(20...200)))
    for layout in layouts {
      let prepared = try PreparedLayout(content, layout: layout, viewport: Viewport(size: size))
      let visible = prepared.visibleRect(at: random.offset())
      let cells = prepared.everyElement(of: content, contentOffset: visible.origin).filter {
        $0.kind == .cell && !$0.frame.isEmpty
      }
      let least = cells.map { $0.frame.distance(to: visible) }.min()
      let nearest = cells.first { $0.frame.distance(to: visible) == least }
      #expect(prepared.itemNearestToCenter(contentOffset: visible.origin) == nearest?.indexPath)
    }
  }

  /// The first ends above the viewport, and its middle is as far from the viewport's as that of the second,
  /// which shows.
  @Test func ofItemsThatAreAsNearTheFirstIsNearest() throws {
    let items = Items(count: 2, extents: .lengths(LengthArray(count: 2) { $0 == 0 ? 10 : 214 }))
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: items)]), layout: ListLayout(),
      viewport: Viewport(size: Size(width: 100, height: 100)))
    #expect(
      prepared.itemNearestToCenter(contentOffset: Point(x: 0, y: 11))
        == IndexPath(item: 0, section: 0))
  }

  /// An upright card turns about a hub far away, by nothing: it ends where its frame does, to the millionth.
  @Test(arguments: seeds(50))
  func anUprightCardIsWhereItsFrameIs(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var layout = WheelLayout()
    layout.radius = random.length(1...900)
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: 1))]), layout: layout,
      viewport: Viewport(size: Size(width: random.length(300...900), height: 480)))
    let offset = Point(x: random.length(0...100), y: random.length(0...100))
    let path = IndexPath(item: 0, section: 0)
    let frame = try #require(
      prepared.attributes(of: .cell, at: path, contentOffset: offset)
    ).frame
    let hair = Length(millionths: 1)
    func item(_ x: Length, _ y: Length) -> IndexPath? {
      prepared.indexPathForItem(at: Point(x: x, y: y), contentOffset: offset)
    }
    #expect(item(frame.minX, frame.minY) == path)
    #expect(item(frame.maxX - hair, frame.maxY - hair) == path)
    #expect(item(frame.maxX, frame.minY) == nil && item(frame.minX, frame.maxY) == nil)
    #expect(item(frame.minX - hair, frame.minY) == nil)
    for (rect, isFound) in [
      (Rect(x: frame.maxX, y: frame.minY, width: 9, height: 9), false),
      (Rect(x: frame.maxX - hair, y: frame.minY, width: 9, height: 9), true),
      (Rect(x: frame.minX, y: frame.minY - 9, width: 9, height: 9), false),
      (Rect(x: frame.minX, y: frame.minY - 9, width: 9, height: 9 + hair), true),
    ] {
      let found = try prepared.elements(in: rect, contentOffset: offset, limit: 2)
      #expect(found.isEmpty != isFound)
    }
  }
}

extension Rect {
  /// How far its middle is from that of another: twice that, squared.
  fileprivate func distance(to other: Rect) -> Int128 {
    func gap(_ one: Length, _ extent: Length, _ two: Length, _ other: Length) -> Int128 {
      Int128(2 * one.millionths + extent.millionths) - Int128(2 * two.millionths + other.millionths)
    }
    let across = gap(minX, width, other.minX, other.width)
    let along = gap(minY, height, other.minY, other.height)
    return across * across + along * along
  }
}

extension LayoutAttributes {
  /// Whether the transformed frame holds a point: the point taken back through the transform.
  fileprivate func holds(_ point: Point) -> Bool {
    if isPlain {
      return frame.minX <= point.x && point.x < frame.maxX && frame.minY <= point.y
        && point.y < frame.maxY
    }
    let determinant = transform.a * transform.d - transform.b * transform.c
    guard determinant != 0 else { return false }
    let anchorX = frame.minX.points + anchorPoint.x * frame.width.points
    let anchorY = frame.minY.points + anchorPoint.y * frame.height.points
    let dx = point.x.points - anchorX - transform.tx
    let dy = point.y.points - anchorY - transform.ty
    let x = anchorX + (transform.d * dx - transform.c * dy) / determinant
    let y = anchorY + (transform.a * dy - transform.b * dx) / determinant
    return frame.minX.points <= x && x < frame.maxX.points && frame.minY.points <= y
      && y < frame.maxY.points
  }
}
