import Testing

@testable import LayoutAPI
@testable import LayoutCore

private func sizes(_ text: String) throws(JSONError) -> (widths: LengthArray, heights: LengthArray)
{
  try reading(text) { (value) throws(JSONError) in try value.sizes(maximumCount: 1_000).runs[0] }
}

private func lengths(_ text: String) throws(JSONError) -> LengthArray {
  try reading(text) { (value) throws(JSONError) in try value.lengths(maximumCount: 1_000).runs[0] }
}

struct JSONBulkTests {
  @Test func smallSizesAreCompact() throws {
    let (widths, heights) = try sizes("[[1,2.5],[4294.967295,0]]")
    #expect(widths == .compact([1_000_000, 4_294_967_295]))
    #expect(heights == .compact([2_500_000, 0]))
  }

  @Test func oneLargeSizeWidensItsOwnArrayOnly() throws {
    let (widths, heights) = try sizes("[[1,2],[3,4294.967296],[5,6]]")
    #expect(widths == .compact([1_000_000, 3_000_000, 5_000_000]))
    #expect(heights == .wide([2_000_000, 4_294_967_296, 6_000_000]))
    #expect(try sizes("[[9e8,1e9]]").heights == .wide([1_000_000_000_000_000]))
  }

  @Test func lengthsWidenWhereTheyMust() throws {
    #expect(try lengths("[1,2,3]") == .compact([1_000_000, 2_000_000, 3_000_000]))
    #expect(try lengths("[1,5000,3]") == .wide([1_000_000, 5_000_000_000, 3_000_000]))
    #expect(try lengths("[5000,1]")[1] == 1)
  }

  @Test func emptyArraysAreRead() throws {
    #expect(try sizes("[]").widths == .compact([]))
    #expect(try lengths("[]").count == 0)
    #expect(
      try reading("[]") { (v) throws(JSONError) in try v.aspectRatios(maximumCount: 0) }.runs == [
        []
      ])
  }

  @Test func aspectRatiosArePositive() throws {
    let ratios = try reading("[1,0.5,1e-300]") { (value) throws(JSONError) in
      try value.aspectRatios(maximumCount: 3)
    }
    #expect(ratios.runs == [[1, 0.5, 1e-300]])
  }

  /// There may be a million of them in a body.
  @Test func shortListsTakeLittle() throws {
    let ratios = try reading("[1,2]") { (value) throws(JSONError) in
      try value.aspectRatios(maximumCount: 1000)
    }
    #expect(ratios.runs[0].capacity < 16)
    #expect(try sizes("[[1,2],[3,4]]").widths.byteCount < 64)
    #expect(try lengths("[1,2]").byteCount < 64)
  }

  /// What fits into one run is read another way than what does not.
  @Test(arguments: [1, 2, 511, 512, 513])
  func fewAreReadAsTheFirstOfMany(count: Int) throws {
    func texts(_ count: Int) -> (sizes: String, lengths: String) {
      let pairs = (0..<count).map { "[\($0).25,\(Double($0 * 7919 % 4000) / 8)]" }
      let lengths = (0..<count).map { "\(Double($0 * 104_729 % 9000) / 16)" }
      return ("[\(pairs.joined(separator: ","))]", "[\(lengths.joined(separator: ","))]")
    }
    func read(_ count: Int) throws(JSONError) -> [[Length]] {
      let texts = texts(count)
      let sizes = try reading(texts.sizes) { (value) throws(JSONError) in
        try value.sizes(maximumCount: count)
      }
      let lengths = try reading(texts.lengths) { (value) throws(JSONError) in
        try value.lengths(maximumCount: count)
      }
      #expect(sizes.count == count && lengths.count == count)
      return [sizes.runs.map(\.widths), sizes.runs.map(\.heights), lengths.runs].map { runs in
        runs.flatMap { run in (0..<run.count).map { run[$0] } }
      }
    }
    #expect(try read(count) == read(1200).map { Array($0.prefix(count)) })
  }

  /// A mistake is said of the element, however many there are.
  @Test(arguments: ["3", "[3]", "[3,4,5]", #"[3,"x"]"#, "[3,-1]", "[[3],4]", "null"])
  func whatIsNoSizeIsNamed(element: String) throws {
    var errors: [JSONError] = []
    for count in [1, 600] {
      let before = repeatElement("[1,2],", count: count).joined()
      do {
        _ = try sizes("[\(before)\(element)]")
      } catch {
        errors.append(error)
        #expect(error.pointer.hasPrefix("/\(count)"))
      }
    }
    #expect(errors.count == 2)
    #expect(errors.allSatisfy { $0.reason == errors[0].reason })
  }

  /// More than there may be are refused, and so are few.
  @Test func fewMayBeTooMany() {
    #expect(throws: JSONError.self) {
      try reading("[1,2,3]") { (value) throws(JSONError) in try value.lengths(maximumCount: 2) }
    }
    #expect(throws: JSONError.self) {
      try reading("[[1,2],[3,4]]") { (value) throws(JSONError) in
        try value.sizes(maximumCount: 1)
      }
    }
  }

  @Test func stringsLieInOneBlock() throws {
    let texts = try reading(#"["a","","é\n"]"#) { (value) throws(JSONError) in
      try value.strings(maximumCount: 3, maximumLength: 3).runs[0]
    }
    #expect(texts.offsets == [0, 1, 1, 4])
    #expect(texts.bytes == Array("aé\n".utf8))
  }

  @Test func runsAreThoseOfTheEngine() throws {
    #expect(JSONRuns<Never>.capacity == Items.capacity)
    let lengths = try reading("[\(repeatElement("1", count: 600).joined(separator: ","))]") {
      (value) throws(JSONError) in try value.lengths(maximumCount: 1_000)
    }
    #expect(lengths.count == 600)
    #expect(lengths.runs.map(\.count) == [512, 88])
  }

  @Test func oneLargeLengthWidensItsOwnRunOnly() throws {
    let texts = (0..<1200).map { $0 == 700 ? "5000" : "1" }
    let lengths = try reading("[\(texts.joined(separator: ","))]") {
      (value) throws(JSONError) in try value.lengths(maximumCount: 2_000)
    }
    #expect(lengths.runs.map(\.byteCount).map { $0 >= 4096 } == [false, true, false])
    #expect(lengths.runs[1][188] == 5000)
  }
}
