import LayoutCore
import Testing

@testable import LayoutAPI

private func length(
  _ text: String, in range: ClosedRange<Int64> = .coordinates
) throws(JSONError) -> Int64 {
  try reading(text) { (value) throws(JSONError) in try value.length(in: range) }
}

private func integer(
  _ text: String, in range: ClosedRange<Int64> = Int64.min...Int64.max
) throws(JSONError) -> Int64 {
  try reading(text) { (value) throws(JSONError) in try value.integer(in: range) }
}

struct JSONValueTests {
  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("-0.0", 0), ("1", 1_000_000), ("-1.5", -1_500_000),
      ("0.000001", 1), ("0.0000005", 1), ("-0.0000005", -1), ("0.00000049999", 0),
      ("1e-400", 0), ("0.1", 100_000), ("375.123456", 375_123_456),
      ("1e3", 1_000_000_000), ("9e12", 9_000_000_000_000_000_000),
      ("-9000000000000", -9_000_000_000_000_000_000),
      ("8999999999999.5", 8_999_999_999_999_500_000),
      ("0.9999999", 1_000_000), ("-0.9999999", -1_000_000),
      // No double is near enough to these.
      ("12345678901.234567", 12_345_678_901_234_567),
      ("-8999999999999.999999", -8_999_999_999_999_999_999),
      ("5447340321329.0544835", 5_447_340_321_329_054_484),
      ("9000000000000.000000", 9_000_000_000_000_000_000),
      ("1.5e10", 15_000_000_000_000_000),
    ] as [(String, Int64)])
  func lengthsAreRoundedToMillionths(text: String, millionths: Int64) throws {
    #expect(try length(text) == millionths)
  }

  @Test(arguments: [
    "9000000000001", "-9000000000001", "9000000000000.000001", "9.0000000001e12", "1e300", "-1e300",
    "18446744073709551615", "9223372036854775807", "-9223372036854775808",
  ])
  func lengthsBeyondTheLimitAreRefused(text: String) {
    let error = #expect(throws: JSONError.self) { try length(text) }
    #expect(error?.category == .invalid)
  }

  @Test func largeCoordinatesAreReadAsTheyAreWrittenWhereverTheyAre() throws {
    let start = #"{"a\"1":[1,-2.5,3e1,"4,\\",true,{"5":null}],"lengths":["#
    let end = #"],"here":{"x":12345678901.234567,"y":-12345678901.234568}}"#
    func coordinates(_ count: Int) throws -> [Int64] {
      let lengths = Array(repeating: "6", count: count).joined(separator: ",")
      let text = Array((start + lengths + end).utf8)
      var parser = JSONParser()
      return try parser.read(text.span) { (value) throws(JSONError) in
        guard let here = value.peek(JSONNames(["here"])) else { return [] }
        let point = try here.point()
        return [point.x.millionths, point.y.millionths]
      }
    }
    let exact: [Int64] = [12_345_678_901_234_567, -12_345_678_901_234_568]
    #expect(try coordinates(3) == exact)
    // Long enough for the lengths to be taken out before it is parsed.
    #expect(try coordinates(100_000) == exact)
    // Too long to be looked through for each number: as near as a double comes.
    for limit in [1 << 20, (1 << 20) - 5] {
      let text = String(repeating: " ", count: limit) + "12345678901.234567"
      #expect(abs(try length(text) - exact[0]) == 1)
    }
  }

  @Test func sizesAreNeitherNegativeNorHuge() throws {
    #expect(try length("1000000000", in: .sizes) == 1_000_000_000_000_000)
    for text in ["-1", "-0.0000001", "1000000001", "1000000000.5"] {
      #expect(throws: JSONError.self) { try length(text, in: .sizes) }
    }
    let error = #expect(throws: JSONError.self) { try length("-1", in: .sizes) }
    #expect(error?.detail == "expected a number from 0 to 1000000000, found -1")
  }

  @Test func integralDoublesAreIntegers() throws {
    #expect(try integer("3.0") == 3)
    #expect(try integer("1e3") == 1000)
    #expect(try integer("-0.0") == 0)
    #expect(try integer("-9223372036854775808") == .min)
  }

  @Test(arguments: ["1.5", "1e300", "9.3e18", "18446744073709551615", "\"1\"", "null", "[1]"])
  func otherThingsAreNoIntegers(text: String) {
    #expect(throws: JSONError.self) { try integer(text) }
  }

  @Test func integersStayInTheirRange() {
    #expect(
      throws: JSONError(.outOfRange(expected: "a whole number from 0 to 5", found: "6"))
    ) { try integer("6", in: 0...5) }
  }

  @Test func doublesAreTakenFromAllNumbers() throws {
    func double(_ text: String) throws -> Double {
      try reading(text) { (value) throws(JSONError) in try value.double() }
    }
    #expect(try double("0.1") == 0.1)
    #expect(try double("-3") == -3)
    #expect(try double("18446744073709551615") == 0x1p64)
    #expect(try double("1.7976931348623157e308") == .greatestFiniteMagnitude)
    #expect(throws: JSONError(.outOfRange(expected: "a number from 0.0 to 1.0", found: "2"))) {
      try reading("2") { (value) throws(JSONError) in try value.double(in: 0...1) }
    }
  }

  @Test(arguments: [
    ("null", "null"), ("1", "1"), ("2.5", "2.5"), ("\"true\"", "a string"), ("[]", "an array"),
    ("{}", "an object"),
  ])
  func aWrongTypeSaysWhatWasFound(text: String, found: String) {
    #expect(throws: JSONError(.wrongType(expected: "true or false", found: found))) {
      try reading(text) { (value) throws(JSONError) in try value.bool() }
    }
  }

  @Test func stringsAreUnescapedAndLimited() throws {
    func string(_ text: String, _ maximumLength: Int) throws -> String {
      try reading(text) { (value) throws(JSONError) in
        try value.string(maximumLength: maximumLength)
      }
    }
    #expect(try string(#""a\n\u00e9\ud83d\ude00\u0000""#, 100) == "a\né😀\0")
    #expect(try string("\"é\"", 2) == "é")
    #expect(throws: JSONError(.tooLongText(limit: 1))) { try string("\"é\"", 1) }
  }

  @Test func readsGeometry() throws {
    try reading(#"{"y":-2,"x":1}"#) { (value) throws(JSONError) in
      #expect(try value.point() == Point(x: 1, y: -2))
    }
    try reading(#"{"width":1,"height":2}"#) { (value) throws(JSONError) in
      #expect(try value.size() == Size(width: 1, height: 2))
    }
    try reading(#"{"x":-1,"y":2,"width":3,"height":4}"#) { (value) throws(JSONError) in
      #expect(try value.rect() == Rect(x: -1, y: 2, width: 3, height: 4))
    }
    try reading(#"{"left":1}"#) { (value) throws(JSONError) in
      #expect(try value.insets() == EdgeInsets(top: 0, left: 1, bottom: 0, right: 0))
    }
  }
}
