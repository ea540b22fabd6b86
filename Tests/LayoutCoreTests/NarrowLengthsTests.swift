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
}
