import Testing

@testable import LayoutSessions

struct SlotIndexTests {
  /// Names whose bits collide often: few values, spread around the end of the table.
  private struct Crowded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % 40 &- 20
    }
  }

  @Test func findsWhatADictionaryFinds() {
    var generator = Crowded(state: 5)
    var index = SlotIndex()
    var dictionary: [SessionID: Int] = [:]
    for step in 0..<20_000 {
      let id = SessionID(using: &generator)
      // Grows first, then shrinks, then both.
      if generator.next() % 3 != UInt64(step / 7000) % 3 {
        index[id] = step
        dictionary[id] = step
      } else {
        index[id] = nil
        dictionary[id] = nil
      }
      // Compared here: an expectation takes longer than a look at an index, and there are many.
      let other = SessionID(using: &generator)
      guard index.count == dictionary.count, index[other] == dictionary[other],
        index[id] == dictionary[id]
      else {
        Issue.record("step \(step): not what the dictionary finds")
        return
      }
    }
    for (id, slot) in dictionary { #expect(index[id] == slot) }
  }
}
