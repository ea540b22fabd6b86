import LayoutCore
import Testing

@testable import LayoutAPI

/// Text that is long enough behind what is to be read.
private func text(_ start: String) -> [UInt8] {
  Array(start.utf8) + Array(repeating: UInt8(ascii: "x"), count: 80)
}

private func plainNumber(_ start: String) -> (Int64, Int)? {
  let bytes = text(start)
  var place = 0
  // Safe: bytes are bytes.
  guard let number = unsafe bytes.span.bytes.plainNumber(at: &place) else {
    #expect(place == 0)
    return nil
  }
  return (number, place)
}

private func plainPair(_ start: String) -> [Int64]? {
  let bytes = text(start)
  var place = 0
  // Safe: bytes are bytes.
  guard let (first, second) = unsafe bytes.span.bytes.plainPair(at: &place) else {
    #expect(place == 0)
    return nil
  }
  #expect(place == start.utf8.count)
  return [first, second]
}

struct JSONPlainNumbersTests {
  @Test(
    arguments: [
      ("0,", 0), ("7,", 7_000_000), (" 7,", 7_000_000), ("0.5,", 500_000), ("12.25,", 12_250_000),
      ("100.125,", 100_125_000), ("3.1415,", 3_141_500), ("3.14159,", 3_141_590),
      ("3.141592,", 3_141_592), ("0.000001,", 1), ("1.000000,", 1_000_000),
      ("999999999.999999,", 999_999_999_999_999), ("1000000000,", 1_000_000_000_000_000),
      ("1000000000.000000,", 1_000_000_000_000_000), ("1.2345678,", 1_234_568),
      ("187.33333333333334,", 187_333_333), ("66.66666666666667,", 66_666_667),
      ("1.0000000,", 1_000_000), ("0.9999996,", 1_000_000), ("999999.9999999,", 1_000_000_000_000),
      ("1.23456749,", 1_234_567), ("1.23456751,", 1_234_568),
      ("0.1000000000000000055511,", 100_000),
    ] as [(String, Int64)])
  func takesWhatProgramsWrite(start: String, millionths: Int64) throws {
    let (number, end) = try #require(plainNumber(start))
    #expect(number == millionths)
    #expect(end == start.utf8.count)
  }

  @Test(arguments: [
    "", ",", "-1,", "-0,", "+1,", "01,", "00,", "00.5,", ".5,", "1.,", "1.a,", "1e3,", "1E3,",
    "1.5e3,", "1", "1 ,", "  1,", "1.5]", "1.2.3,", "1..2,", "0x1,", "1_0,", "1\n,", "null,",
    // Whether it is rounded up is for a double to say.
    "1.2345675,", "1.2345674999,", "1.23456750009,", "0.0000005,", "1000000.1234561,",
    // More digits than any program writes.
    "1.2222222222222222222222222,",
    // More than the range, or than are looked at.
    "1000000000.000001,", "1000000001,", "9999999999,", "10000000000,", "99999999999999999999,",
    "\u{660},", "1\u{0},",
  ])
  func leavesEverythingElse(start: String) { #expect(plainNumber(start) == nil) }

  @Test(
    arguments: [
      ("[1,2],", [1_000_000, 2_000_000]), (" [1, 2],", [1_000_000, 2_000_000]),
      ("[ 1,2],", [1_000_000, 2_000_000]),
      ("[0.25,1000000000],", [250_000, 1_000_000_000_000_000]),
      (" [ 999999999.999999, 999999999.999999],", [999_999_999_999_999, 999_999_999_999_999]),
      ("[187.33333333333334,66.66666666666667],", [187_333_333, 66_666_667]),
    ] as [(String, [Int64])])
  func takesPairs(start: String, millionths: [Int64]) { #expect(plainPair(start) == millionths) }

  @Test(arguments: [
    "1,2,", "[1],", "[],", "[1,],", "[,1],", "[1,2,3],", "[1,2]]", "[1,2]", "[1 ,2],", "[  1,2],",
    "[1,2 ],", "[1,2] ,", "[1,  2],", "[1,\n2],", "[1;2],", "[[1,2]],", "[1,-2],", "[-1,2],",
    "[01,2],", "[1,02],", "[1,2.],", "{1,2},", "[1000000001,1],", "[1,1000000001],",
    "[\"1\",2],", "[1,2.1234565],", "[1.1234565,2],",
  ])
  func leavesEveryOtherPair(start: String) { #expect(plainPair(start) == nil) }

  /// Whatever is not plain is read by simdjson; nobody may see which of them has read something.
  @Test func isWhatADoubleWouldBe() throws {
    var generator = SeededGenerator(seed: 5)
    var left = 0
    for _ in 0..<40_000 {
      var number = "\(generator.next() % (1 << (generator.next() % 30)))"
      let digits = generator.next() % 20
      if digits > 0 {
        // Often near to the middle, where it is hard.
        number += "."
        for place in 0..<digits {
          let isMiddle = place > 5 && generator.next() % 4 > 0
          number += isMiddle ? (place == 6 ? "5" : "0") : "\(generator.next() % 10)"
        }
      }
      let points = try #require(Double(number))
      guard let (millionths, _) = plainNumber("\(number),") else {
        left += 1
        continue
      }
      #expect(millionths == roundedMillionths(points), "\(number)")
    }
    #expect(left < 25_000)
  }

  @Test func nothingIsReadBeyondTheEnd() {
    // The longest there are; the text behind the end is there, but not theirs.
    let number = " 999999.\(String(repeating: "9", count: 24))"
    for whole in ["\(number),", " [\(number),\(number)],"] {
      let bytes = text(whole)
      for count in 0..<whole.utf8.count {
        // Safe: bytes are bytes.
        let start = unsafe bytes.span.extracting(0..<count).bytes
        var place = 0
        #expect(start.plainNumber(at: &place) == nil)
        #expect(start.plainPair(at: &place) == nil)
        #expect(place == 0)
      }
      #expect(plainNumber(whole) != nil || plainPair(whole) != nil)
    }
  }

  /// Elements of an array that come in simdjson's arrays, of all there are.
  private func leftCount(_ kind: JSONElementKind, _ name: String, _ elements: [String]) throws
    -> Int
  {
    let body = Array(#"{"\#(name)":[\#(elements.joined(separator: ","))]}"#.utf8)
    let found = JSONSkeleton(of: body.span, lifting: JSONWindows.names, minimumLength: 64)
    let skeleton = try #require(found)
    var parser = JSONParser()
    let array = try parser.parse(skeleton, of: body.span, windowSize: 512).root
      .peek(JSONNames([name]))
    guard let array else { return -1 }
    var left = 0
    let count = try array.forEachRun(of: kind, maximumCount: .max) { text, place, maximumCount in
      var count = 0
      while count < maximumCount {
        let isPlain =
          switch kind {
          case .pairs: text.plainPair(at: &place) != nil
          default: text.plainNumber(at: &place) != nil
          }
        guard isPlain else { return count }
        count += 1
      }
      return count
    } _: { (_, count) throws(JSONError) in
      left += count
    }
    #expect(count == elements.count)
    return left
  }

  @Test func onlyWhatIsNotPlainComesInArrays() throws {
    // What is nearer to the end than an element may be long is left too.
    let numbers = Array(repeating: "12.25", count: 1000)
    #expect(try leftCount(.numbers, "lengths", numbers) < 15)
    let pairs = Array(repeating: "[12.25,100]", count: 1000)
    #expect(try leftCount(.pairs, "sizes", pairs) < 8)
    // One that is not plain takes its window with it, and no more.
    var mixed = numbers
    mixed[500] = "1e1"
    #expect((1..<60).contains(try leftCount(.numbers, "lengths", mixed)))
    // A long one is not taken for the end of all that is plain.
    mixed[500] = String(repeating: "\n", count: 300) + "1"
    #expect((1..<60).contains(try leftCount(.numbers, "lengths", mixed)))
    mixed[500] = "1e1"
    mixed = mixed.map { " \($0)" }
    #expect((1..<60).contains(try leftCount(.numbers, "lengths", mixed)))
    #expect(try leftCount(.numbers, "lengths", numbers.map { "\n\($0)" }) == 1000)
  }
}
