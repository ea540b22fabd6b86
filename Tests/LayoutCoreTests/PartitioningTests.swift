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
}
