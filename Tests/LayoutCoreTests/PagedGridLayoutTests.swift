import LayoutCore
import Testing

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
}
