import Testing

@testable import LayoutAPI
@testable import LayoutCore

struct ReplayTests {
  /// How long something takes to place depends on how equal items lie in memory, which is another way after they
  /// have been read: what was accepted once is not refused then.
  @Test func whatWouldTakeLongIsLaidOutAgain() throws {
    // Each run counts as 16 for every column, and four times because the shortest of so many is looked for.
    let columnCount = 9
    let count = 16 * columnCount
    let runs = (0...(WaterfallLayout.maximumMixedCount / 4 / count)).map { number in
      Items(count: count, extents: .size(Size(width: 1, height: Length(points: number % 2 + 1))))
    }
    var section = Section(items: Items())
    section.items = ItemList(runs: runs)
    var layout = WaterfallLayout()
    layout.columns = .count(columnCount)
    let description = Description(
      content: Content(sections: [section]), layout: layout,
      viewport: Viewport(size: Size(width: 100, height: 500)))
    #expect(throws: LayoutError.self) {
      try PreparedLayout(
        description.content, layout: description.layout, viewport: description.viewport)
    }
    #expect(throws: Never.self) { try Replay(description).document() }
  }
}
