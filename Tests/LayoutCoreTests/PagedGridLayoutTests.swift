import Testing

@testable import LayoutCore

struct PagedGridLayoutTests {
  /// More cells in a row than a page keeps the places of, and as many as it does.
  @Test(arguments: [3, 64, 65, 150], [ScrollDirection.horizontal, .vertical])
  func cellsShareAPageToTheLastDigit(columns: Int, direction: ScrollDirection) throws {
    var layout = PagedGridLayout()
    layout.scrollDirection = direction
    layout.columns = columns
    layout.rows = 2
    layout.minimumInteritemSpacing = 1
    layout.minimumLineSpacing = 10
    layout.sectionInset = EdgeInsets(top: 4, left: 7, bottom: 6, right: 5)
    let page = Size(width: 1000, height: 420)
    let content = Content(sections: [Section(items: Items(count: columns * 5))])
    let prepared = try PreparedLayout(content, layout: layout, viewport: Viewport(size: page))

    let room = 1_000_000 * Int64(1000 - 7 - 5 - (columns - 1))
    for item in 0..<(columns * 5) {
      let (row, column) = item.quotientAndRemainder(dividingBy: columns)
      let share = (2 * room * Int64(column) + Int64(columns)) / (2 * Int64(columns))
      let (number, start) = (row / 2, row % 2 == 0 ? Length(points: 4) : 4 + 200 + 10)
      let cell = try #require(
        prepared.attributes(
          of: .cell, at: IndexPath(item: item, section: 0), contentOffset: .zero))
      var origin = Point(
        x: 7 + Length(points: column) + Length(millionths: share), y: start)
      if direction == .horizontal {
        origin.x += page.width * number
      } else {
        origin.y += page.height * number
      }
      #expect(cell.frame.origin == origin)
      #expect(cell.frame.height == 200)
      let found = try prepared.elements(in: cell.frame, contentOffset: .zero, limit: 4)
      #expect(found.contains(cell))
    }
  }

  /// Half of an odd number of millionths, twice: the last cell ends a millionth beyond its page, and
  /// shows on the next one, which may be another section's.
  @Test(arguments: [ScrollDirection.horizontal, .vertical], [0, 1])
  func aCellThatReachesTheNextPageShowsThere(direction: ScrollDirection, page: Int) throws {
    var layout = PagedGridLayout()
    layout.scrollDirection = direction
    (layout.columns, layout.rows) = direction == .horizontal ? (2, 1) : (1, 2)
    layout.minimumInteritemSpacing = 0
    layout.minimumLineSpacing = 0
    let length = Length(millionths: 333_333_333)
    let size =
      direction == .horizontal
      ? Size(width: length, height: 50) : Size(width: 50, height: length)
    let content = Content(sections: [
      Section(items: Items(count: 4)), Section(items: Items(count: 2)),
    ])
    let prepared = try PreparedLayout(content, layout: layout, viewport: Viewport(size: size))
    let main = length * (page + 1)
    let offset = direction == .horizontal ? Point(x: main, y: 0) : Point(x: 0, y: main)

    let all = try prepared.elements(
      in: Rect(origin: .zero, size: Size(width: 2000, height: 2000)), contentOffset: offset,
      limit: 10)
    let visible = prepared.visibleRect(at: offset)
    let showing = all.filter { $0.shows(in: visible) }
    #expect(all.count == 6)
    #expect(showing.first?.indexPath == IndexPath(item: page * 2 + 1, section: 0))
    #expect(try prepared.elements(in: visible, contentOffset: offset, limit: 10) == showing)
    var resting: [IndexPath] = []
    prepared.placement.forEachRestingItem(in: direction.upright(visible)) { path, _ in
      resting.append(path)
      return true
    }
    #expect(resting == showing.map(\.indexPath))
  }

  /// What divides a page is there once for sections that follow each other and divide it in the same way.
  @Test func sectionsShareWhatDividesAPage() throws {
    let content = Content(sections: Array(repeating: Section(items: Items(count: 20)), count: 1000))
    let prepared = try PreparedLayout(
      content, layout: PagedGridLayout(), viewport: Viewport(size: Size(width: 100, height: 90)))
    // What a section takes, and once the places of four columns and four rows.
    let places = prepared.byteCount - 1000 * 192
    #expect((64..<1000).contains(places))
  }

  /// From wherever an answer goes on: the rest of all, in order.
  @Test(arguments: [ScrollDirection.horizontal, .vertical])
  func whatFollowsAnItemIsTheRestOfAll(direction: ScrollDirection) throws {
    var layout = PagedGridLayout()
    layout.scrollDirection = direction
    (layout.columns, layout.rows) = (3, 2)
    let content = Content(sections: [20, 0, 7].map { Section(items: Items(count: $0)) })
    let prepared = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 100, height: 90)))
    let whole = Rect(origin: .zero, size: prepared.contentSize)
    // Beside the first column and the first row, too.
    for rect in [whole, Rect(x: 40, y: 50, width: whole.width, height: whole.height)] {
      let all = try prepared.elements(in: rect, contentOffset: .zero, limit: 100)
      for section in 0..<4 {
        for rank in -1..<24 {
          let start = ElementPosition(section: section, rank: rank)
          var rest: [LayoutAttributes] = []
          prepared.forEachElement(in: rect, contentOffset: .zero, from: start) {
            rest.append($0)
            return true
          }
          #expect(rest == all.filter { $0.position >= start })
        }
      }
    }
  }

  /// Pages that come before the first item are not gone through, nor the rows of its own page.
  @Test(arguments: [4, 5_000])
  func whatComesBeforeAnItemIsNotGoneThrough(rows: Int) throws {
    var layout = PagedGridLayout()
    (layout.columns, layout.rows) = (1, rows)
    layout.minimumLineSpacing = 0
    let count = 8_000_000
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: count))]), layout: layout,
      viewport: Viewport(size: Size(width: 1, height: 5_000)))
    let rect = Rect(origin: .zero, size: prepared.contentSize)
    func time(from item: Int) -> UInt64 {
      let start = threadTime()
      var found = 0
      for item in item..<(item + 100) {
        prepared.forEachElement(
          in: rect, contentOffset: .zero, from: ElementPosition(section: 0, rank: item)
        ) { element in
          found += element.indexPath.item == item ? 1 : 0
          return false
        }
      }
      #expect(found == 100)
      return threadTime() - start
    }
    let first = time(from: 0)
    #expect(time(from: rows == 4 ? count / 2 : rows - 100) < first * 20)
  }

  /// Cells without an area say where they are, too; of a waterfall as well.
  @Test(arguments: [ScrollDirection.vertical, .horizontal])
  func columnsThatWouldReachTooFarAreRefused(direction: ScrollDirection) throws {
    func isRefused(_ layout: some CollectionLayout, count: Int) throws -> Bool {
      let items = Items(count: count)
      do {
        _ = try PreparedLayout(
          Content(sections: [Section(items: items)]), layout: layout,
          viewport: Viewport(size: Size(width: 320, height: 480)))
        return false
      } catch LayoutError.contentTooLong(section: 0) { return true }
    }
    for (spacing, isTooMuch) in [(900_000_000, false), (900_200_000, true)] {
      let spacing = Length(points: spacing)
      var columns = PagedGridLayout()
      columns.scrollDirection = direction
      (columns.columns, columns.minimumInteritemSpacing) = (10_000, spacing)
      var rows = PagedGridLayout()
      rows.scrollDirection = direction
      (rows.columns, rows.rows, rows.minimumLineSpacing) = (2, 10_000, spacing)
      var waterfall = WaterfallLayout()
      waterfall.scrollDirection = direction
      (waterfall.columns, waterfall.minimumColumnSpacing) = (.count(10_000), spacing)
      #expect(try isRefused(columns, count: 10_000) == isTooMuch)
      #expect(try isRefused(rows, count: 20_000) == isTooMuch)
      #expect(try isRefused(waterfall, count: 10_000) == isTooMuch)
      // Those that none has reached say nothing.
      #expect(try !isRefused(columns, count: 9000))
      #expect(try !isRefused(rows, count: 19_000))
      #expect(try !isRefused(waterfall, count: 9000))
      waterfall.itemRenderDirection = .rightToLeft
      #expect(try isRefused(waterfall, count: 1) == isTooMuch)
    }
  }
}
