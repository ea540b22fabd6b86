import HTTPMessages
import LayoutCore
import Testing

@testable import LayoutAPI

struct JSONWriterTests {
  @Test func putsCommasWhereTheyBelong() {
    let text = writing { writer in
      writer.beginObject()
      writer.key("a")
      writer.beginArray()
      writer.endArray()
      writer.key("b")
      writer.beginObject()
      writer.endObject()
      writer.key("c")
      writer.beginArray()
      writer.integer(1)
      writer.null()
      writer.bool(true)
      writer.bool(false)
      writer.string("x,")
      writer.endArray()
      writer.raw("\"d\":{\"x\":")
      writer.length(1_500_000)
      writer.endObject()
      writer.endObject()
    }
    #expect(
      text == #"{"a":[],"b":{},"c":[1,null,true,false,"x,"],"d":{"x":1.5}}"#)
  }

  @Test(
    arguments: [
      (0, "0"), (1, "0.000001"), (-1, "-0.000001"), (100_000, "0.1"), (1_000_000, "1"),
      (-1_000_000, "-1"), (10_000_000, "10"), (375_123_456, "375.123456"), (1_010_100, "1.0101"),
      (99_999_999_000_000, "99999999"), (100_000_000_000_000, "100000000"),
      (9_000_000_000_000_000_000, "9000000000000"), (.max, "9223372036854.775807"),
      (.min, "-9223372036854.775808"),
    ] as [(Int64, String)])
  func writesLengthsAsShortAsPossible(millionths: Int64, text: String) {
    #expect(writing { $0.length(millionths) } == text)
  }

  @Test func writesIntegersOfEveryLength() {
    var value = 1
    for _ in 0..<19 {
      for integer in [value - 1, value, value + 1, -value] {
        #expect(writing { $0.integer(integer) } == "\(integer)")
      }
      value = value &* 10
    }
    for integer in [Int.min, .max] { #expect(writing { $0.integer(integer) } == "\(integer)") }
  }

  @Test(
    arguments: [
      (0, "0"), (-0.0, "0"), (1, "1"), (-2, "-2"), (0.1, "0.1"), (1.0 / 3, "0.3333333333333333"),
      (0.88, "0.88"), (1e15, "1000000000000000"), (1e17, "1e+17"),
      (123_456_789_012, "123456789012"), (1e-7, "1e-07"), (1e-6, "1e-06"),
      (0.001, "0.001"),
      (.infinity, "0"), (-.infinity, "0"), (.nan, "0"), (.leastNonzeroMagnitude, "5e-324"),
      (1.7976931348623157e308, "1.7976931348623157e+308"), (0.1 + 0.2, "0.30000000000000004"),
    ] as [(Double, String)])
  func writesDoublesAsShortAsPossible(value: Double, text: String) {
    #expect(writing { $0.double(value) } == text)
  }

  /// However much was reserved, and how often it was not enough.
  @Test(arguments: [0, 100, 20_000, 1_000_000])
  func whatIsSentReservesLittleMoreThanItHas(capacity: Int) {
    for length in [0, 1, 500, 5000, 16_000, 17_000, 33_000, 60_000, 70_000, 300_000] {
      for isKept in [false, true] {
        var writer = JSONWriter(capacity: capacity)
        writer.string(String(repeating: "a", count: length))
        let content = writer.content(isKept: isKept)
        #expect(content.bytes == Array("\"\(String(repeating: "a", count: length))\"".utf8))
        #expect(content.byteCount == length + 2)
        #expect(
          content.reservedByteCount <= max(16 * 1024, content.byteCount + content.byteCount / 2))
      }
    }
  }

  @Test func escapesWhatMustBeEscaped() {
    let text = writing { $0.string("\"\\/\u{8}\u{9}\u{A}\u{C}\u{D}\u{0}\u{1F}\u{7F}é😀") }
    #expect(text == "\"\\\"\\\\/\\b\\t\\n\\f\\r\\u0000\\u001f\u{7F}é😀\"")
  }

  @Test(arguments: [0, 1, 255, 256, 257, 4095, 4096, 4097, 20_000])
  func longTextsRoundTrip(length: Int) throws {
    for character in ["a", "\"", "é", "\u{1}"] {
      let text = String(repeating: character, count: length)
      let back = try reading(writing { $0.string(text) }) { (value) throws(JSONError) in
        try value.string(maximumLength: .max)
      }
      #expect(back == text)
    }
  }

  @Test func manyValuesCrossTheChunksUnharmed() throws {
    for count in 1350..<1380 {
      let expected = "[" + (0..<count).map { "[\($0)]" }.joined(separator: ",") + "]"
      let text = writing { writer in
        writer.beginArray()
        for integer in 0..<count {
          writer.beginArray()
          writer.integer(integer)
          writer.endArray()
        }
        writer.endArray()
      }
      #expect(text == expected)
    }
  }

  @Test func nothingWrittenIsNothing() {
    #expect(writing { _ in } == "")
  }
}
