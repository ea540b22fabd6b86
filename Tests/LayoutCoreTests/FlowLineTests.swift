import Testing

@testable import LayoutCore

/// What a line's items are placed with one after the other, beside what places each on its own.
struct FlowLineTests {
  @Test(arguments: 0..<300)
  func stepsFindWhatPositionsAre(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let widths = (0..<generator.int(1...40)).map { _ in
      Length(millionths: Int64(generator.int(0...3_000_000)))
    }
    // A line that ends a hair past the room has less than nothing left over.
    let leftover = Int64(generator.int(0...5_000_000) - generator.int(0...2_000_000))
    let spread = LineSpread(
      start: Length(points: generator.int(0...20)), spacing: Length(points: generator.int(0...10)),
      leftover: Length(millionths: generator.chance(0.2) ? 0 : leftover),
      gaps: Int64(max(1, widths.count - generator.int(0...1))))
    var steps = LineSteps(spread)
    var before: Length = 0
    for (place, width) in widths.enumerated() {
      #expect(steps.next(width.millionths) == spread.position(place, before: before).millionths)
      before += width
    }
  }

  @Test func halfOfAMillionthIsRoundedUp() throws {
    // Eight gaps share three millionths too many: the one before item 4 would end at …6.5.
    let sizes = Array(
      repeating: Size(width: Length(millionths: 3_666_667), height: 10), count: 9)
    let prepared = try PreparedLayout(
      Content(sections: [Section(items: Items(count: 9, extents: .size(sizes[0])))]),
      layout: FlowLayout(), viewport: Viewport(size: Size(width: 113, height: 100)))
    let cells = try prepared.elements(
      in: Rect(x: 0, y: 0, width: 113, height: 10), contentOffset: .zero, limit: 9)
    #expect(cells.count == 9)
    let places = cells.map(\.frame.minX.millionths)
    #expect(places[4] == 54_666_667)
    let frames = Naive.flow(sizes, layout: FlowLayout(), available: 113)
    #expect(places == frames.map(\.minX.millionths))
  }
}
