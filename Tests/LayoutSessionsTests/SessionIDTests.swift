import LayoutSessions
import Testing

struct SessionIDTests {
  @Test func aNameReadsBack() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<100 {
      let id = SessionID(using: &generator)
      let text = Array(id.description.utf8)
      #expect(text.count == 32)
      #expect(SessionID(text.span) == id)
    }
  }

  @Test(arguments: ["", "0", String(repeating: "0", count: 33), String(repeating: "G", count: 32)])
  func anythingElseIsNoName(text: String) {
    let bytes = Array(text.utf8)
    #expect(SessionID(bytes.span) == nil)
  }

  @Test func onlySmallHexadecimalDigitsAreAName() {
    for neighbour in "0f".utf8 {
      var text = [UInt8](repeating: neighbour, count: 32)
      for place in text.indices {
        let taken = (UInt8.min...UInt8.max).filter { byte in
          text[place] = byte
          return SessionID(text.span) != nil
        }
        #expect(taken == Array("0123456789abcdef".utf8), "at \(place)")
        text[place] = neighbour
      }
    }
  }

  @Test func allOfItsDigitsAreRandom() {
    var generator = SystemRandomNumberGenerator()
    let texts = (0..<400).map { _ in Array(SessionID(using: &generator).description.utf8) }
    for place in 0..<32 { #expect(Set(texts.map { $0[place] }).count > 8) }
    #expect(texts.allSatisfy { $0[..<16] != $0[16...] })
  }
}
