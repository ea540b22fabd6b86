import LayoutCore
import Testing

@testable import LayoutAPI

struct JSONFaultTests {
  private func find(_ text: String) -> JSONFault? { find(Array(text.utf8)) }

  private func find(_ bytes: [UInt8]) -> JSONFault? {
    JSONFault(in: bytes.span, maximumDepth: JSONParser.standardDepth)
  }

  @Test(arguments: [
    ("[1,]", "line 1, column 4: expected a value, found ]", "/1"),
    ("[1 2]", "line 1, column 4: expected a comma or ], found 2", ""),
    (#"{"a":1 "b":2}"#, #"line 1, column 8: expected a comma or }, found ""#, ""),
    (#"{"a" 1}"#, "line 1, column 6: expected a colon, found 1", ""),
    ("{a:1}", "line 1, column 2: expected a name in double quotes, found a", ""),
    (#"{"a/b":[0,{"~":None}]}"#, "line 1, column 16: expected a value, found None", "/a~1b/1/~0"),
    ("[01]", "line 1, column 2: expected a number as JSON writes it, found 01", "/0"),
    ("[0,.5]", "line 1, column 4: expected a number as JSON writes it, found .5", "/1"),
    ("[1.]", "line 1, column 2: expected a number as JSON writes it, found 1.", "/0"),
    ("[+1]", "line 1, column 2: expected a number as JSON writes it, found +1", "/0"),
    ("[-Infinity]", "line 1, column 2: expected a number as JSON writes it, found -Infinity", "/0"),
    ("[1_000]", "line 1, column 2: expected a number as JSON writes it, found 1_000", "/0"),
    ("{\"a\":\n\"\u{E9}\n", "line 2, column 3: expected a quote, or an escape sequence", "/a"),
    (#"["C:\x"]"#, #"line 1, column 5: expected an escape sequence, found \x"#, "/0"),
    (#"["\ud800"]"#, #"line 1, column 3: expected an escape sequence, found \ud800"#, "/0"),
    ("[\"abc", "line 1, column 6: expected a quote, found the end", "/0"),
    (#"["\u00e9"#, "line 1, column 9: expected a quote, found the end", "/0"),
    ("[\"\u{1F}\"]", "line 1, column 3: expected a quote, or an escape sequence", "/0"),
    ("[1,\r\n]", "line 2, column 1: expected a value, found ]", "/1"),
    ("[~]", "line 1, column 2: expected a value, found ~", "/0"),
    ("\u{FEFF}{}", "line 1, column 1: expected a value, found a byte order mark", ""),
    ("// a\n{}", "line 1, column 1: expected a value, found /", ""),
    ("{}\0", "line 1, column 3: expected the end, found byte 0x00", ""),
    ("undefined", "line 1, column 1: expected a value, found undefined", ""),
  ])
  func namesThePlace(text: String, detail: String, pointer: String) throws {
    let fault = try #require(find(text))
    #expect(fault.detail.hasPrefix(detail), "\(fault.detail)")
    #expect(fault.pointer == pointer)
  }

  @Test func namesBytesThatAreNoText() {
    let latin1 = find(Array(#"{"ids":["caf"#.utf8) + [0xE9] + Array(#""]}"#.utf8))
    #expect(latin1?.detail == "line 1, column 13: expected UTF-8, found byte 0xE9")
    #expect(latin1?.pointer == "/ids/0")
    #expect(
      find([0x1F, 0x8B, 8])?.detail
        == "line 1, column 1: expected a value, found what gzip has packed")
    #expect(find([0x1F, 0x1F])?.detail == "line 1, column 1: expected a value, found byte 0x1F")
    #expect(find([0xFF, 0xFE])?.detail == "line 1, column 1: expected UTF-8, found byte 0xFF")
  }

  @Test func saysNoMoreThanHelps() {
    func letters(_ count: Int) -> String { String(repeating: "a", count: count) }
    #expect(
      find("[\(letters(21))]")?.detail
        == "line 1, column 2: expected a value, found \(letters(20))")
    #expect(find("{\"\(letters(256))\":}")?.pointer == "/\(letters(256))")
    #expect(find("{\"\(letters(257))\":}")?.pointer == "")
    // What is too deep is none of the text.
    let depth = JSONParser.standardDepth
    #expect(find(String(repeating: "[", count: depth)) != nil)
    #expect(find(String(repeating: "[", count: depth + 1)) == nil)
  }

  /// simdjson says whether, and this where: they have to agree on all that is nearly JSON.
  @Test(arguments: 0..<20)
  func findsAFaultWhereTheParserDoes(seed: Int) {
    let text = Array(
      #"{"a":[1,-2.5e+3,0],"b":{"é\u00e9\ud83d\ude00":"\n\\","":[]},"c":[true,false,null,{}]} "#
        .utf8)
    let strange = Array(#"{}[]",:\0123.eE+-tfnul'/ "#.utf8) + [0, 0x0A, 0xC3, 0xA9, 0xFF]
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<2_000 {
      var bytes = text
      for _ in 0...Int.random(in: 0...1, using: &generator) {
        let place = Int.random(in: bytes.indices, using: &generator)
        let byte = strange[Int.random(in: strange.indices, using: &generator)]
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[place] = byte
        case 1: bytes.insert(byte, at: place)
        case 2: bytes.remove(at: place)
        default: bytes.removeSubrange(place...)
        }
        if bytes.isEmpty { bytes = text }
      }
      var refusal: JSONError.Reason?
      do throws(JSONError) { try reading(bytes) { (_) throws(JSONError) in } } catch {
        refusal = error.reason
      }
      let written = String(decoding: bytes, as: UTF8.self)
      // Of a number that is too large nothing is wrong with the text; here an exponent makes it so.
      if refusal == .badNumber, written.contains(#/[eE]\+?[0-9]{3}/#), find(bytes) == nil {
        continue
      }
      #expect((refusal == nil) == (find(bytes) == nil), "\(written)")
    }
  }
}
