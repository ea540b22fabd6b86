import Testing

@testable import LayoutCore

/// Where a few items stand at the corners of what layouts do: where lengths are zero, edges meet, or sections differ.
struct PlacementExampleTests {
  private func prepared(_ content: Content, _ layout: any CollectionLayout) throws -> PreparedLayout
  {
    try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 320, height: 400)))
  }

  /// In every layout; a section without items has its insets, and its place across.
  @Test func withoutSectionsThereIsNoContent() throws {
    var banner = BannerLayout()
    banner.sectionInset = EdgeInsets(top: 1, left: 2, bottom: 3, right: 4)
    let layouts: [any CollectionLayout] = [
      FlowLayout(), WaterfallLayout(), ListLayout(), CoverFlowLayout(), PagedGridLayout(),
      WheelLayout(), banner,
    ]
    for layout in layouts {
      let prepared = try prepared(Content(sections: []), layout)
      #expect(prepared.contentSize == .zero, "\(layout)")
      #expect(
        prepared.contentOffset(
          centering: prepared.itemNearestToCenter(contentOffset: .zero), from: .zero) == .zero)
    }
    let empty = Content(sections: [Section(items: Items(count: 0))])
    #expect(try prepared(empty, banner).contentSize == Size(width: 6, height: 400))
  }

  /// There is one of each kind, at item 0.
  @Test func supplementsRestAtTheFirstItemOnly() throws {
    var layout = ListLayout()
    layout.headerReferenceSize = Size(width: 0, height: 40)
    layout.footerReferenceSize = Size(width: 0, height: 40)
    var section = Section(items: Items(count: 3))
    section.decorations = [Decoration(kind: "background")]
    let prepared = try prepared(Content(sections: [section]), layout)
    for kind in [.header, .footer, .decoration(0)] as [ElementKind] {
      #expect(prepared.restingFrame(of: kind, at: IndexPath(item: 0, section: 0)) != nil)
      #expect(prepared.restingFrame(of: kind, at: IndexPath(item: 1, section: 0)) == nil)
    }
  }

  /// Insets that eat all of the room leave items without an area.
  @Test func itemsOfNoBreadthDoNotShow() throws {
    var layout = ListLayout()
    layout.sectionInset = EdgeInsets(top: 0, left: 200, bottom: 0, right: 200)
    let prepared = try prepared(Content(sections: [Section(items: Items(count: 3))]), layout)
    #expect(
      try prepared.elements(in: prepared.visibleRect(at: .zero), contentOffset: .zero, limit: 100)
        .isEmpty)
  }

  /// A banner that begins where a rectangle ends rests beside it.
  @Test func aBannerRestsInWhatItSharesAnAreaWith() throws {
    var layout = BannerLayout()
    layout.itemSize = Size(width: 100, height: 100)
    let prepared = try prepared(Content(sections: [Section(items: Items(count: 3))]), layout)
    var found: [Int] = []
    prepared.placement.forEachRestingItem(in: Rect(x: 0, y: 100, width: 400, height: 100)) {
      path, _ in
      found.append(path.item)
      return true
    }
    #expect(found == [1])
  }

  /// No more cards stand in view than there are.
  @Test func aFewNarrowCardsAreNotTooMany() throws {
    var layout = WheelLayout()
    layout.itemSize = Size(width: Length(millionths: 100), height: 100)
    let prepared = try prepared(Content(sections: [Section(items: Items(count: 3))]), layout)
    #expect(prepared.contentSize.width == Length(millionths: 300))
  }

  /// Of nothing the hub cannot be a multiple.
  @Test func aCardWithoutAnExtentTurnsAboutItsMiddle() throws {
    var layout = WheelLayout()
    layout.itemSize = Size(width: 100, height: 0)
    let prepared = try prepared(Content(sections: [Section(items: Items(count: 3))]), layout)
    let card = prepared.attributes(
      of: .cell, at: IndexPath(item: 0, section: 0), contentOffset: .zero)
    #expect(card?.anchorPoint == .center)
  }

  /// Where a line ends a hair past the room, cells lie on each other by that.
  @Test func ofCellsOnEachOtherTheLastIsHit() throws {
    var layout = FlowLayout()
    layout.minimumInteritemSpacing = 0
    layout.itemSize = Size(width: Length(millionths: 160_000_001), height: 50)
    let prepared = try prepared(Content(sections: [Section(items: Items(count: 2))]), layout)
    let cell = prepared.indexPathForItem(
      at: Point(x: Length(millionths: 160_000_000), y: 1), contentOffset: .zero)
    #expect(cell == IndexPath(item: 1, section: 0))
  }

  /// The other way round where the content goes that way.
  @Test func rangesAsNearComeInTheOrderOfTheWay() throws {
    var layout = FlowLayout()
    layout.itemSize = Size(width: 100, height: 100)
    let prepared = try prepared(Content(sections: [Section(items: Items(count: 90))]), layout)
    let ranges = [0, 2].map { ItemRange(section: 0, start: $0, end: $0 + 1) }
    let offset = Point(x: 0, y: 1000)
    #expect(prepared.nearestFirst(ranges, at: offset, isForward: true) == ranges)
    #expect(prepared.nearestFirst(ranges, at: offset, isForward: false) == ranges.reversed())
  }

  /// The last cover of a section may lie where the section ends.
  @Test func aCoverAtItsSectionsEndIsNearest() throws {
    var layout = CoverFlowLayout()
    layout.minimumLineSpacing = 0
    let covers = Items(widths: [50, 0], height: 50)
    let prepared = try prepared(
      Content(sections: [Section(items: covers), Section(items: Items(count: 1))]), layout)
    let offset = Point(x: 50 - 160, y: 0)
    let zIndices = [(0, 0), (1, 0), (0, 1)].map { item, section in
      prepared.attributes(
        of: .cell, at: IndexPath(item: item, section: section), contentOffset: offset)?.zIndex
    }
    #expect(zIndices == [-1, 0, -1])
  }

  /// What is halved has its edges where they are, however far along: its first one is its own, its last one is not,
  /// and what it only touches does not show it.
  @Test(arguments: [0, 80_000_000_000])
  func edgesOfTransformedCellsAreExact(first: Int) throws {
    var layout = CoverFlowLayout()
    layout.minimumLineSpacing = 10
    (layout.minimumScale, layout.maximumScale) = (0.5, 0.5)
    let size = Size(width: Length(millionths: 33_300_000), height: 100)
    let items = Items(count: first + 40, extents: .size(size))
    let prepared = try prepared(Content(sections: [Section(items: items)]), layout)
    let step = Length(millionths: 1)
    for item in first..<first + 40 {
      let path = IndexPath(item: item, section: 0)
      let offset = Point(x: Length(millionths: 43_300_000) * item, y: 0)
      let cell = try #require(prepared.attributes(of: .cell, at: path, contentOffset: offset))
      let quarter = Length(millionths: 8_325_000)
      let (start, end) = (cell.frame.minX + quarter, cell.frame.maxX - quarter)
      for (x, isInside) in [
        (start - step, false), (start, true), (end - step, true), (end, false),
      ] {
        let found = prepared.indexPathForItem(
          at: Point(x: x, y: cell.frame.minY + 50), contentOffset: offset)
        #expect(found == (isInside ? path : nil), "\(item) at \(x)")
      }
      for (x, shows) in [
        (start - 20, false), (start - 20 + step, true), (end - step, true), (end, false),
      ] {
        let rect = Rect(x: x, y: cell.frame.minY, width: 20, height: 100)
        #expect(cell.shows(in: rect) == shows, "\(item) from \(x)")
      }
    }
  }

  /// Covers of one section may lie far from those of another across the way.
  @Test func coversBesideThoseOfOtherSectionsShow() throws {
    var high = Section(items: Items(count: 3))
    high.sectionInset = EdgeInsets(top: 0, left: 0, bottom: 300, right: 0)
    var low = Section(items: Items(count: 3))
    low.sectionInset = EdgeInsets(top: 300, left: 0, bottom: 0, right: 0)
    let prepared = try prepared(Content(sections: [high, low]), CoverFlowLayout())
    // Middles at 50 and 350.
    let shown = try prepared.elements(
      in: Rect(x: 0, y: 340, width: 400, height: 10), contentOffset: .zero, limit: 100)
    #expect(shown.contains { $0.indexPath == IndexPath(item: 0, section: 1) })
  }

  /// However narrow others are, the broadest of a row reaches as far as it does.
  @Test func theBroadestCoverRestsFarFromTheMiddle() throws {
    let heights: [Length] = [50, 300]
    let items = Items(
      count: 2,
      extents: .sizes(
        widths: LengthArray(count: 2) { _ in 50 }, heights: LengthArray(count: 2) { heights[$0] }))
    let prepared = try prepared(Content(sections: [Section(items: items)]), CoverFlowLayout())
    var found: [Int] = []
    // Upright: the first lies from 175 to 225 across, the second from 50 to 350.
    let rect = Rect(x: 60, y: 0, width: 10, height: 400)
    prepared.placement.forEachRestingItem(in: rect) { path, _ in
      found.append(path.item)
      return true
    }
    #expect(found == [1])
  }

  /// A place between cards goes with the one before it, the last of its section too.
  @Test func aPlaceIsInTheSectionOfItsCard() throws {
    var layout = BannerLayout()
    layout.itemSize = Size(width: 100, height: 100)
    layout.itemSpacing = 20
    let one = Section(items: Items(count: 1))
    let prepared = try prepared(Content(sections: [one, one]), layout)
    #expect([0, 50, 110, 120, 230].map { prepared.placement.section(at: $0) } == [0, 0, 0, 1, 1])
  }

  /// What an animation says nothing of stays as the layout has it.
  @Test func whatFadesKeepsItsTransform() throws {
    let prepared = try prepared(
      Content(sections: [Section(items: Items(count: 9))]), CoverFlowLayout())
    let cell = try #require(
      prepared.attributes(
        of: .cell, at: IndexPath(item: 0, section: 0), contentOffset: Point(x: -135, y: 0)))
    #expect(!cell.isPlain)
    let faded = ElementAnimation.fade.applied(to: cell, in: prepared.visibleRect(at: .zero))
    #expect(faded.alpha == 0 && faded.transform == cell.transform)
  }
}
