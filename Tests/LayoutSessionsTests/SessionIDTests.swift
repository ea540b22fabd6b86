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
}
