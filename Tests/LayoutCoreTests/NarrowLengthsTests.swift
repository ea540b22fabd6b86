import Testing

@testable import LayoutCore

struct NarrowLengthsTests {
  @Test func pairsLieInOneArray() throws {
    let (first, second) = try #require(
      NarrowLengths.pair(count: 3) { first, second in
        for value in 1...3 as ClosedRange<UInt32> {
          first.append(value)
          second.append(value * 10)
        }
        return true
      })
    #expect(first == [1, 2, 3])
    #expect(second == [10, 20, 30])
    #expect(second.count == 3)
    #expect(second[1] == 20)
    #expect(second.span[2] == 30)
    #expect(first.values == [1, 2, 3, 10, 20, 30])
    #expect(second.values == first.values)
  }

  @Test func whatIsNotFullIsNoPair() {
    #expect(NarrowLengths.pair(count: 1) { _, _ in true } == nil)
    let refused = NarrowLengths.pair(count: 1) { first, second in
      first.append(1)
      second.append(2)
      return false
    }
    #expect(refused == nil)
    let uneven = NarrowLengths.pair(count: 2) { first, second in
      first.append(repeating: 1, count: 2)
      second.append(2)
      return true
    }
    #expect(uneven == nil)
    #expect(NarrowLengths.pair(count: 0) { _, _ in true }?.0 == [])
  }

  @Test func equalLengthsAreEqualWhereverTheyLie() throws {
    let (first, second) = try #require(
      NarrowLengths.pair(count: 2) { first, second in
        for value in [7, 8] as [UInt32] {
          first.append(value)
          second.append(value)
        }
        return true
      })
    #expect(first == second)
    #expect(first.hashValue == second.hashValue)
    #expect(LengthArray.compact(second) == .compact([7, 8]))
    #expect(second != [7, 9])
    #expect(second != [7])
    #expect(first != [7, 8, 9])
  }

  @Test func partsOfHalvesAreAdded() throws {
    let (_, heights) = try #require(
      NarrowLengths.pair(count: 4) { widths, heights in
        for value in 0..<4 as Range<UInt32> {
          widths.append(100 + value)
          heights.append(value)
        }
        return true
      })
    let lengths = LengthArray.compact(heights)
    #expect(lengths.sum(of: 1..<4).millionths == 6)
    #expect(lengths.countEnding(upTo: Length(millionths: 3), spacing: 0).count == 3)
    #expect(lengths.byteCount == 16)
  }

  /// Lengths of 32 bits as they may come, the ends of what 32 bits hold among them.
  private func lengths(_ count: Int, _ generator: inout SeededGenerator) -> [UInt32] {
    let greatest: UInt32 = generator.chance(0.5) ? .max : 300_000_000
    return (0..<count).map { _ in
      switch generator.int(0...9) {
      case 0: 0
      case 1: .max
      default: UInt32.random(in: 0...greatest, using: &generator)
      }
    }
  }

  /// Some are looked at eight at a time, or 32, and some one by one.
  @Test(arguments: seeds(40))
  func manyAtATimeAreAsOneByOne(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for count in 0...70 {
      let values = lengths(count, &generator)
      let (narrow, wide) = (
        LengthArray.compact(NarrowLengths(values)), LengthArray.wide(values.map { Int64($0) })
      )
      #expect(narrow.summary.numbers == wide.summary.numbers)
      var summary = NarrowSummary()
      let start = generator.int(0...count)
      summary.add(NarrowSummary(values.span.extracting(0..<start)))
      for index in start..<count { summary.add(values[index]) }
      #expect(summary.summary.numbers == wide.summary.numbers)
      for spacing in [0, 12_500_000, Length.maximumExtent, .maximumExtent + 1, .maximumCoordinate] {
        let total = values.reduce(spacing * count) { $0 + Length(millionths: Int64($1)) }
        let passed = generator.int(0...count)
        let end = values[..<passed].reduce(spacing * (passed - 1)) {
          $0 + Length(millionths: Int64($1))
        }
        let somewhere = Int64.random(in: -1...total.millionths, using: &generator)
        let hair = Length(millionths: 1)
        // Where one ends, and next to it on both sides.
        for main in [Length(millionths: somewhere), end - hair, end, end + hair] {
          let (few, many) = (
            narrow.countEnding(upTo: main, spacing: spacing),
            wide.countEnding(upTo: main, spacing: spacing)
          )
          #expect(few == many)
        }
      }
    }
  }

  /// Short pieces are copied sixteen at a time, where there is room for as many.
  @Test(arguments: seeds(40))
  func piecesOfSizesAreWhatTheyWere(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for count in 0...70 {
      let widths = lengths(count, &generator)
      let heights = lengths(count, &generator)
      let sizes = (NarrowLengths(widths), NarrowLengths(heights))
      var pieces: [Range<Int>] = []
      for _ in 0..<generator.int(0...8) {
        let start = generator.int(0...count)
        pieces.append(start..<min(count, start + generator.int(0...20)))
      }
      let extents = ItemExtents.narrowSizes(
        count: pieces.reduce(5) { $0 + $1.count }
      ) { output in
        for piece in pieces { output.append(NarrowSizes(sizes.0, sizes.1), piece) }
        output.append(repeating: 1, 2, count: 5)
        return true
      }
      #expect(
        extents
          == .sizes(
            widths: .compact(NarrowLengths(pieces.flatMap { widths[$0] } + [1, 1, 1, 1, 1])),
            heights: .compact(NarrowLengths(pieces.flatMap { heights[$0] } + [2, 2, 2, 2, 2]))))
    }
    #expect(ItemExtents.narrowSizes(count: 1) { _ in true } == nil)
    #expect(ItemExtents.narrowSizes(count: 0) { _ in false } == nil)
    let none = ItemExtents.narrowSizes(count: 0) { _ in true }
    #expect(none == .sizes(widths: .compact([]), heights: .compact([])))
  }
}
