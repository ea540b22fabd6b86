import LayoutCore
import Testing

@testable import LayoutAPI

struct TickReaderTests {
  private func parsed(_ text: String) -> TickRequest? {
    var parser = JSONParser()
    let bytes = Array(text.utf8)
    guard let document = try? parser.parse(bytes.span) else { return nil }
    return try? TickRequest(document.root)
  }

  private func plain(_ text: String) -> TickRequest? {
    let bytes = Array(text.utf8)
    return TickRequest(plain: bytes.span)
  }

  @Test(arguments: [
    "0", "-0", "7", "-7", "10", "3000", "123456789", "-123456789", "0.5", "-0.000001", "0.123456",
    "1234.5", "999999999.999999", "-999999999.999999", "12.50", "100000000.000001",
  ])
  func readsWhatTheParserReads(number: String) throws {
    for rest in ["}", ",\"full\":true}", ",\"full\":false}"] {
      let text = "{\"contentOffset\":{\"x\":\(number),\"y\":\(number)}" + rest
      let request = try #require(plain(text), "\(text)")
      #expect(request == parsed(text), "\(text)")
    }
  }

  @Test(arguments: [
    "", "{", "{}", "{\"contentOffset\":{\"x\":1,\"y\":2}", "{\"contentOffset\":{\"x\":1,\"y\":2}}}",
    "{\"contentOffset\":{\"x\":1,\"y\":2}} ", "{\"contentOffset\":{\"x\":,\"y\":2}}",
    "{\"contentOffset\":{\"x\":01,\"y\":2}}", "{\"contentOffset\":{\"x\":-,\"y\":2}}",
    "{\"contentOffset\":{\"x\":1.,\"y\":2}}", "{\"contentOffset\":{\"x\":.5,\"y\":2}}",
    "{\"contentOffset\":{\"x\":1e2,\"y\":2}}", "{\"contentOffset\":{\"x\":1.0000001,\"y\":2}}",
    "{\"contentOffset\":{\"x\":1234567890,\"y\":2}}", "{\"contentOffset\":{\"x\":+1,\"y\":2}}",
    "{\"contentOffset\":{\"x\":1,\"y\":2},\"full\":1}", "{\"contentOffset\": {\"x\":1,\"y\":2}}",
    "{\"contentOffset\":{\"x\":1,\"y\":2},\"full\":true}x", "{\"contentOffset\":{\"y\":1,\"x\":2}}",
    "{\"contentOffset\":{\"x\":1,\"y\":2},\"velocity\":{\"x\":0,\"y\":1}}",
    "{\"contentOffset\":{\"x\":--1,\"y\":2}}", "{\"contentOffset\":{\"x\":1:2,\"y\":2}}",
  ])
  func leavesTheRestToTheParser(text: String) {
    #expect(plain(text) == nil)
  }
}
