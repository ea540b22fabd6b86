import CSimdjson
import LayoutCore
import Testing

@testable import LayoutAPI

struct JSONDocumentTests {
  @Test(arguments: [
    ("", JSONError.Reason.empty), (" \n", .empty), ("{", .malformed), ("{} x", .malformed),
    ("1 2", .malformed), ("NaN", .malformed), ("[1,]", .malformed), ("\u{FEFF}{}", .malformed),
    (#""\ud800""#, .malformed), (#""\udc00""#, .malformed), ("\"\u{1}\"", .malformed),
    ("\"abc", .malformed), ("{}\0", .malformed), ("{'a':1}", .malformed), ("//\n1", .malformed),
    ("1e400", .badNumber), ("-1e400", .badNumber), ("01", .badNumber), ("1.", .badNumber),
    ("18446744073709551616", .badNumber), ("-9223372036854775809", .badNumber),
  ])
  func refusesWhatIsNotOneJSONValue(text: String, reason: JSONError.Reason) {
    let error = #expect(throws: JSONError(reason)) { try reading(text) { _ in } }
    #expect(error?.category == .unreadable)
  }

  @Test func refusesBytesThatAreNotUTF8() {
    #expect(throws: JSONError(.badUTF8)) {
      try reading([0x22, 0xFF, 0x22]) { _ in }
    }
  }

  @Test func allows32ContainersInsideEachOtherAndNoMore() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
    }
    try reading(nested(32)) { _ in }
    #expect(throws: JSONError(.tooDeep(limit: 32))) { try reading(nested(33)) { _ in } }
    #expect(throws: JSONError(.tooDeep(limit: 32))) { try reading(nested(100_000)) { _ in } }
    #expect(throws: JSONError(.malformed)) {
      try reading(String(repeating: "[", count: 100_000)) { _ in }
    }
  }

  @Test func aParserThatIsUsedAgainHasTheDepthLimitOfItsNewUser() throws {
    let bytes = Array("[[[1]]]".utf8)
    for _ in 0..<2 {
      #expect(throws: JSONError(.tooDeep(limit: 2))) {
        var parser = JSONParser(maximumDepth: 2)
        _ = try parser.parse(bytes.span)
      }
      var parser = JSONParser(maximumDepth: 3)
      _ = try parser.parse(bytes.span)
    }
  }

  @Test(arguments: [0, 63, 64, 200])
  func readsNothingBehindTheBytesButPadding(padding: Int) throws {
    let bytes = Array("[1,2]".utf8) + [UInt8](repeating: UInt8(ascii: "9"), count: padding)
    let pair = try reading(bytes, padding: padding) { (value) throws(JSONError) in
      try value.integerPair(in: 0...9)
    }
    #expect(pair == (1, 2))
  }

  @Test func aThreadKeepsOneSmallParser() throws {
    do {
      var first = JSONParser()
      let second = JSONParser()
      _ = try first.parse([UInt8(ascii: "1")].span)
      _ = consume second
    }
    #expect(simdjson_parser_idle_capacity() <= 256 * 1024)
    let long = [UInt8](repeating: UInt8(ascii: " "), count: 1_000_000) + [UInt8(ascii: "1")]
    for _ in 0..<2 { try reading(long) { _ in } }
    #expect(simdjson_parser_idle_capacity() <= 256 * 1024)
  }

  @Test func parsersInsideEachOtherDoNotDisturbEachOther() throws {
    let inner = try reading("[1,2]") { (outer) throws(JSONError) in
      _ = try reading("[3,4]") { (value) throws(JSONError) in try value.integerPair(in: 0...9) }
      return try outer.integerPair(in: 0...9)
    }
    #expect(inner == (1, 2))
  }

  @Test func growingDocumentsAreAllRead() throws {
    for length in stride(from: 1, to: 20_000, by: 997) {
      let text = "[" + Array(repeating: "\"\"", count: length).joined(separator: ",") + "]"
      let texts = try reading(text) { (value) throws(JSONError) in
        try value.strings(maximumCount: length, maximumLength: 0)
      }
      #expect(texts.count == length)
    }
  }

  @Test func pointersAreEscaped() throws {
    let pointer = try reading(#"{"a":[0,{"x~y/z":[[],{"":null}]}]}"#) { (root) in
      // object, "a", array, 0 (2 words), object, key, array, array (2 words), object, "", null
      root.at(root.index + 12).pointer
    }
    #expect(pointer == "/a/1/x~0y~1z/1/")
  }

  @Test func everyPlaceHasItsPointer() throws {
    let text = #"{"a":1,"b":[2.5,"x",[],{}],"c":{"d":true}}"#
    let pointers = try reading(text) { (root) in
      var pointers: [String] = []
      collectPointers(of: root, into: &pointers)
      return pointers
    }
    #expect(
      pointers == ["", "/a", "/b", "/b/0", "/b/1", "/b/2", "/b/3", "/c", "/c/d"])
  }

  @Test func hugeKeysStayOutOfPointers() throws {
    let pointer = try reading("{\"a\":{\"\(String(repeating: "k", count: 300))\":1}}") { (root) in
      root.at(root.index + 4).pointer
    }
    #expect(pointer == "/a")
  }

  @Test func countsBeyondTheSaturatedTapeCountByWalking() throws {
    let count = 0xFF_FFFF + 5
    let bytes = Array("[\(String(repeating: "0,", count: count - 1))0]".utf8)
    try reading(bytes) { (value) throws(JSONError) in
      #expect(try value.arrayCount(maximumCount: count) == count)
      #expect(throws: JSONError(.tooManyElements(limit: count - 1))) {
        try value.arrayCount(maximumCount: count - 1)
      }
    }
  }
}

private func collectPointers(of value: JSONValue, into pointers: inout [String]) {
  pointers.append(value.pointer)
  let document = value.document
  let step = document.tag(at: value.index) == .object ? 1 : 0
  guard step == 1 || document.tag(at: value.index) == .array else { return }
  var place = value.index + 1
  while place < document.index(after: value.index) - 1 {
    collectPointers(of: value.at(place + step), into: &pointers)
    place = document.index(after: place + step)
  }
}
