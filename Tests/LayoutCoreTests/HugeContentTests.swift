import LayoutCore
import Testing

/// No collection and no offset make a question endless, under any layout.
struct HugeContentTests {
  private static let trillion = 1_000_000_000_000

  // Made anew for each test: who looks for leaks does not see what a static value has under a branch.
  private static var contents: [Content] {
    let sizes = [
      Size.zero, Size(width: 0, height: 1), Size(width: 1, height: 0),
      Size(width: Length(millionths: 1), height: Length(millionths: 2)),
    ]
    return sizes.flatMap { size in
      let many = Section(items: Items(count: trillion, extents: .size(size)))
      let giant = Section(
        items: Items(count: 2, extents: .size(Size(width: 1_000_000, height: 1_000_000))))
      // Between others in one section, which begin in one column and leave the other to them.
      var mixed = giant
      mixed.items = ItemList(runs: [
        Items(count: 1, extents: .size(Size(width: 1, height: 1_000_000))),
        Items(count: trillion, extents: .size(size)), Items(count: 3),
      ])
      return [
        Content(sections: [many]), Content(sections: [giant, many, giant]),
        Content(sections: [mixed]),
      ]
    }
  }

  private static func layouts(_ direction: ScrollDirection) -> [any CollectionLayout] {
    var flow = FlowLayout()
    flow.scrollDirection = direction
    flow.minimumLineSpacing = 0
    flow.minimumInteritemSpacing = 0
    var waterfall = WaterfallLayout()
    waterfall.scrollDirection = direction
    waterfall.minimumInteritemSpacing = 0
    waterfall.minimumColumnSpacing = 0
    var inTurn = waterfall
    inTurn.itemRenderDirection = .leftToRight
    var list = ListLayout()
    list.scrollDirection = direction
    var grid = PagedGridLayout()
    grid.scrollDirection = direction
    var coverFlow = CoverFlowLayout()
    coverFlow.scrollDirection = direction
    coverFlow.minimumLineSpacing = 0
    coverFlow.maximumScale = 100
    var wheel = WheelLayout()
    wheel.itemSize = Size(width: 1, height: 1)
    var banner = BannerLayout()
    banner.itemSize = Size(width: 1, height: 0)
    return [flow, waterfall, inTurn, list, grid, coverFlow, wheel, banner]
  }

  @Test(arguments: ScrollDirection.allCases, seeds(12))
  func everyQuestionEnds(direction: ScrollDirection, number: UInt64) throws {
    let content = HugeContentTests.contents[Int(number)]
    for layout in HugeContentTests.layouts(direction) {
      let prepared = try PreparedLayout(
        content, layout: layout, viewport: Viewport(size: Size(width: 5, height: 7)))
      let far = Length.maximumCoordinate
      for main in [Length(points: 3), far, -far] {
        let offset = direction == .vertical ? Point(x: 0, y: main) : Point(x: main, y: 0)
        let center = prepared.itemNearestToCenter(contentOffset: offset)
        #expect(prepared.contentOffset(centering: center, from: offset).y >= 0)
        var state = ScrollState(contentOffset: .zero)
        // Too many elements in view are refused.
        _ = try? state.scroll(
          to: offset, in: prepared, prefetch: PrefetchReach(), isFull: false, limit: 1000)
        _ = try? prepared.contentOffset(
          keeping: .visible, of: prepared, at: offset, by: NoMap(), limit: 1000)
        for velocity in [Velocity.zero, Velocity(x: -9e12, y: 9e12)]
        where main != 3 || velocity == .zero {
          let drag = DragEnd(
            proposedContentOffset: offset, velocity: velocity, startContentOffset: .zero,
            contentOffset: .zero)
          for mode in SnapMode.allCases {
            let target = prepared.snapTarget(for: drag, mode: mode, decelerationRate: .normal)
            #expect(target.contentOffset.x >= 0 && target.contentOffset.y >= 0)
          }
        }
      }
    }
  }

  /// Of a card that is scaled to next to nothing both edges are one double; each counts all the same.
  @Test func whatIsNextToNothingCounts() throws {
    let items = Items(count: HugeContentTests.trillion)
    var banner = BannerLayout()
    banner.itemSize = Size(width: Length(millionths: 1), height: 1)
    banner.minimumScale = 1e-300
    banner.scaleFactor = 1e9
    var coverFlow = CoverFlowLayout()
    coverFlow.itemSize = banner.itemSize
    coverFlow.minimumLineSpacing = 0
    coverFlow.maximumScale = 1e-300
    coverFlow.minimumScale = 1e-300
    for layout in [banner, coverFlow] as [any CollectionLayout] {
      let prepared = try PreparedLayout(
        Content(sections: [Section(items: items)]), layout: layout,
        viewport: Viewport(size: Size(width: 5, height: 7)))
      #expect(throws: LayoutError.tooManyElements(limit: 500)) {
        try prepared.elements(
          in: Rect(x: 0, y: 0, width: 1_000_000, height: 7), contentOffset: .zero, limit: 500)
      }
    }
  }

  /// So far off that a distance, as a double, may be less than it is: the search goes on beyond it all the same.
  @Test(arguments: 0..<16)
  func theNearestIsFoundHoweverFar(number: Int64) throws {
    var layout = ListLayout()
    layout.itemLength = 1_000_000_000
    var gap = Section()
    gap.sectionInset = EdgeInsets(top: 1_000_000_000, left: 0, bottom: 0, right: 0)
    let content = Content(
      sections: [Section(items: Items(count: 1))] + Array(repeating: gap, count: 8000))
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 5, height: 8)))
    // The search reaches eight times as far each time: at 8¹⁴ points to the item's end, not to its middle.
    let main = Length(points: 1 << 42 + 700_000_000) + Length(millionths: number * 37)
    let offset = Point(x: 0, y: main)
    #expect(
      prepared.itemNearestToCenter(contentOffset: offset) == IndexPath(item: 0, section: 0))
  }
}
