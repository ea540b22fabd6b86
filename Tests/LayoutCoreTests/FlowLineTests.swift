import Testing

@testable import LayoutCore

/// What a line's items are placed with one after the other, beside what places each on its own.
struct FlowLineTests {
  @Test(arguments: seeds(300))
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

  /// Whether the lines around edits are put in the place of others or the others are copied, they are as if
  /// all were broken.
  @Test(arguments: seeds(40))
  func linesAfterEditsAreThoseFromScratch(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    func runs(_ count: ClosedRange<Int>) -> [Items] {
      (0..<generator.int(count)).map { _ in
        let size = generator.size(1...60)
        // So long that the ends of lines do not fit in a word each.
        if generator.chance(0.1) {
          let count = generator.int(1...60)
          return Items(
            count: count,
            extents: .sizes(
              widths: LengthArray(count: count) { _ in generator.length(1...60) },
              heights: LengthArray(count: count) { _ in
                generator.length(1...(generator.chance(0.5) ? 4000 : 2_000_000))
              }))
        }
        return generator.chance(0.5)
          ? Items(count: generator.int(1...200), extents: .size(size))
          : generator.items(generator.int(1...(generator.chance(0.05) ? 6000 : 60)))
      }
    }
    let rule = LineRule(
      leading: 3, available: generator.length(30...400), interitemSpacing: generator.length(0...9),
      lineSpacing: generator.length(0...9), lineAlignment: .leading, lastLineAlignment: .auto,
      itemAlignment: .leading)
    let sizeRule = SizeRule(itemSize: Size(width: 11, height: 13), .vertical)
    // Items without an area do not show.
    func frames(of table: FlowTable) -> [Int: Rect] {
      var frames: [Int: Rect] = [:]
      let all = Rect(x: 0, y: 0, width: 10_000, height: table.length)
      _ = table.forEachItem(in: all, from: 0) {
        frames[$0] = $1
        return true
      }
      return frames
    }
    var items = ItemList(runs: runs(1...8))
    var table = FlowTable(sizes: SizeList(items, sizeRule), rule: rule)
    for _ in 0..<6 {
      var edits: [ItemEdit] = []
      var place = 0
      let step = generator.int(1...(items.count + 1))
      while true {
        let start = place + generator.int(0...step)
        guard start <= items.count else { break }
        let end = min(items.count, start + generator.int(0...(generator.chance(0.2) ? step : 2)))
        edits.append(ItemEdit(range: start..<end, chunks: runs(0...2)))
        place = end + 1
      }
      guard !edits.isEmpty else { continue }
      items = items.edited(edits)
      guard items.count > 0 else { break }
      let sizes = SizeList(items, sizeRule)
      let scratch = FlowTable(sizes: sizes, rule: rule)
      let replaced = table.replacingLines(around: edits, sizes: sizes)
      let copied = table.copyingLines(besides: edits, sizes: sizes)
      let expected = frames(of: scratch)
      #expect(!expected.isEmpty)
      #expect(replaced.length == scratch.length && frames(of: replaced) == expected)
      #expect(copied.length == scratch.length && frames(of: copied) == expected)
      table = generator.chance(0.5) ? replaced : copied
    }
  }
}
