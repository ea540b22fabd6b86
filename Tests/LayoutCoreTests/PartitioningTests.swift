import Testing

@testable import LayoutCore

/// Searches among what is in order.
struct PartitioningTests {
  /// Wherever it is looked for first.
  @Test func aGuessChangesNothing() {
    for count in 0..<40 {
      for place in 0...count {
        #expect(partitioningIndex(count) { $0 >= place } == place)
        for guess in -3..<count + 3 {
          var looks = 0
          let found = partitioningIndex(count, near: guess) {
            looks += 1
            #expect((0..<count).contains($0))
            return $0 >= place
          }
          #expect(found == place)
          // Twice the digits of the way there, and a look at each side.
          let way = abs(min(max(guess, 0), count) - place)
          #expect(looks <= 2 * (Int.bitWidth - way.leadingZeroBitCount) + 2)
        }
      }
    }
  }

  @Test(arguments: [
    (0, 10, 0), (3, 10, 1), (5, 10, 2), (9.9, 10, 3), (10, 10, 4), (1e300, 10, 4), (-3, 10, 0),
    (0, 0, 0), (1, 0, 4), (-1, 0, 0),
  ])
  func aPlaceIsGuessedByItsShare(distance: Double, total: Double, index: Int) {
    #expect(likelyIndex(at: distance, of: total, count: 4) == index)
  }
}
