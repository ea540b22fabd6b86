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
    // Scroll views have sixteenths of pixels, and doubles as they come.
    "1234.4000244140625", "-0.00000049989", "-0.0000005002", "999999.99999999999999",
    "3000.0000000",
  ])
  func readsWhatTheParserReads(number: String) throws {
    let rests = [
      "}", ",\"full\":true}", ",\"full\":false}", ", \"full\": true}\r\n",
      ",\"velocity\":{\"x\":0,\"y\":\(number)}}",
      ", \"velocity\": {\"x\": \(number), \"y\": 80}, \"full\": true}",
      ",\"full\":false,\"velocity\":{\"x\":0,\"y\":0}}\n",
    ]
    for rest in rests {
      for point in ["{\"x\":\(number),\"y\":\(number)}", "{\"x\": \(number), \"y\": \(number)}"] {
        let text = "{\"contentOffset\":\(rest.contains(" ") ? " " : "")\(point)\(rest)"
        let request = try #require(plain(text), "\(text)")
        #expect(request == parsed(text), "\(text)")
      }
    }
  }

  @Test func roundsAsTheParserRounds() throws {
    var random = SeededGenerator(seed: 5)
    var plainCount = 0
    for _ in 0..<20_000 {
      // Most of them next to the middle of two millionths, or at it.
      let rest = Int.random(in: 49_985_000...50_015_000, using: &random)
      let whole = Int.random(in: -999_999...999_999, using: &random)
      let digits = String(String(1_000_000 + abs(whole)).dropFirst())
      let text = "{\"contentOffset\":{\"x\":\(whole).\(digits)\(rest),\"y\":0}}"
      guard let request = plain(text) else { continue }
      plainCount += 1
      #expect(request == parsed(text), "\(text)")
    }
    #expect(plainCount > 1000)
  }

  @Test(arguments: [
    "", "{", "{}", "{\"contentOffset\":{\"x\":1,\"y\":2}", "{\"contentOffset\":{\"x\":1,\"y\":2}}}",
    "{\"contentOffset\":{\"x\":1,\"y\":2}} ", "{ \"contentOffset\":{\"x\":1,\"y\":2}}",
    "{\"contentOffset\":{\"x\":,\"y\":2}}",
    "{\"contentOffset\":{\"x\":01,\"y\":2}}", "{\"contentOffset\":{\"x\":-,\"y\":2}}",
    "{\"contentOffset\":{\"x\":1.,\"y\":2}}", "{\"contentOffset\":{\"x\":.5,\"y\":2}}",
    "{\"contentOffset\":{\"x\":1e2,\"y\":2}}", "{\"contentOffset\":{\"x\":1.0000005,\"y\":2}}",
    "{\"contentOffset\":{\"x\":1000000.0000001,\"y\":2}}",
    "{\"contentOffset\":{\"x\":1234567890,\"y\":2}}", "{\"contentOffset\":{\"x\":+1,\"y\":2}}",
    "{\"contentOffset\":{\"x\":1,\"y\":2},\"full\":1}",
    "{\"contentOffset\":{\"x\":1,\"y\":2},\"full\":}",
    "{\"contentOffset\":  {\"x\":1,\"y\":2}}",
    "{\"contentOffset\":{\"x\":1,\"y\":2},\"full\":true}x", "{\"contentOffset\":{\"y\":1,\"x\":2}}",
    "{\"contentOffset\":{\"x\":1,\"y\":2},\"velocity\":{\"x\":0}}",
    "{\"contentOffset\":{\"x\":1,\"y\":2},\"velocity\":{\"x\":0,\"y\":1},\"velocity\":{\"x\":0,\"y\":1}}",
    "{\"contentOffset\":{\"x\":1,\"y\":2},\"full\":true,\"full\":true}",
    "{\"contentOffset\":{\"x\":1,\"y\":2},}",
    "{\"contentOffset\":{\"x\":1,\"y\":2},\"full\":true,}",
    "{\"contentOffset\":{\"x\":--1,\"y\":2}}", "{\"contentOffset\":{\"x\":1:2,\"y\":2}}",
  ])
  func leavesTheRestToTheParser(text: String) {
    #expect(plain(text) == nil)
  }
}
