import LayoutCore

/// Arrays of many equal things, read straight into the storage that the engine keeps.
///
/// A refusal points to the element.
extension JSONValue {
  /// `[[width,height],…]`.
  func sizes(maximumCount: Int) throws(JSONError)
    -> JSONRuns<(widths: LengthArray, heights: LengthArray)>
  {
    if let sizes = fewSizes(maximumCount: maximumCount) { return sizes }
    var sizes = SizeRuns()
    let count = try forEachRun(of: .pairs, maximumCount: maximumCount) {
      (text, place, maximumCount) in
      var count = 0
      while count < maximumCount, let (width, height) = text.plainPair(at: &place) {
        sizes.append(width, height)
        count += 1
      }
      return count
    } _: { (array, _) throws(JSONError) in
      let end = array.document.index(after: array.index) - 1
      var place = array.index + 1
      while place < end {
        let (width, height, next) = try array.sizeElement(at: place)
        sizes.append(width, height)
        place = next
      }
    }
    return JSONRuns(count: count, runs: sizes.take())
  }

  /// `[length,…]`.
  func lengths(maximumCount: Int) throws(JSONError) -> JSONRuns<LengthArray> {
    if let lengths = fewLengths(maximumCount: maximumCount) { return lengths }
    var lengths = LengthRuns()
    let count = try forEachRun(of: .numbers, maximumCount: maximumCount) {
      (text, place, maximumCount) in
      var count = 0
      while count < maximumCount, let length = text.plainNumber(at: &place) {
        lengths.append(length)
        count += 1
      }
      return count
    } _: { (array, count) throws(JSONError) in
      var place = array.index + 1
      for _ in 0..<count {
        lengths.append(try array.at(place).length())
        place += 2
      }
    }
    return JSONRuns(count: count, runs: lengths.take())
  }

  /// `[width/height,…]`, each greater than 0.
  func aspectRatios(maximumCount: Int) throws(JSONError) -> JSONRuns<[Double]> {
    var runs = JSONRuns<[Double]>()
    var ratios: [Double] = []
    let count = try forEachRun(of: .numbers, maximumCount: maximumCount) {
      (array, count) throws(JSONError) in
      var place = array.index + 1
      for _ in 0..<count {
        let value = array.at(place)
        let ratio = try value.double()
        guard ratio > 0 else {
          throw value.error(
            .outOfRange(expected: "a number greater than 0", found: value.summary))
        }
        // As much as is there: there may be any number of short lists.
        if ratios.isEmpty {
          ratios.reserveCapacity(min(count, JSONRuns<Never>.capacity))
        }
        ratios.append(ratio)
        if ratios.count == JSONRuns<Never>.capacity {
          runs.runs.append(ratios)
          ratios = []
        }
        place += 2
      }
    }
    runs.count = count
    if !ratios.isEmpty || runs.runs.isEmpty { runs.runs.append(ratios) }
    return runs
  }

  /// `["text",…]`, each of at most `maximumLength` bytes.
  func strings(maximumCount: Int, maximumLength: Int) throws(JSONError) -> JSONRuns<StringTable> {
    var runs = JSONRuns<StringTable>()
    var texts = StringTable()
    let count = try forEachRun(of: .strings, maximumCount: maximumCount) {
      (array, count) throws(JSONError) in
      var place = array.index + 1
      let end = place + count
      while place < end {
        let next = min(end, place + JSONRuns<Never>.capacity - texts.count)
        try array.appendStrings(place..<next, maximumLength: maximumLength, to: &texts)
        place = next
        if texts.count == JSONRuns<Never>.capacity {
          runs.runs.append(texts)
          texts = StringTable()
        }
      }
    }
    runs.count = count
    if texts.count > 0 || runs.runs.isEmpty { runs.runs.append(texts) }
    return runs
  }

  /// Adds some strings of an array to others.
  private func appendStrings(
    _ places: Range<Int>, maximumLength: Int, to texts: inout StringTable
  ) throws(JSONError) {
    var size = 0
    for place in places {
      // A value that is no string ends the walk before its words could be taken for one.
      guard document.tag(at: place) == .string else {
        throw at(place).wrongType(expected: "a string")
      }
      let length = document.text(at: place).count
      guard length <= maximumLength else {
        throw at(place).error(.tooLongText(limit: maximumLength))
      }
      size += length
    }
    texts.reserveCapacity(texts.count + places.count, byteCount: texts.bytes.count + size)
    for place in places {
      document.text(at: place).append(to: &texts.bytes)
      // A document, and so all its strings, is shorter than 2^32 bytes.
      texts.offsets.append(UInt32(truncatingIfNeeded: texts.bytes.count))
    }
  }

  /// How many elements there are, if they are on the tape and fit into one run.
  private func fewCount(maximumCount: Int) -> Int? {
    guard document.tag(at: index) == .array else { return nil }
    let count = document.count(at: index)
    return count <= min(maximumCount, JSONRuns<Never>.capacity) ? count : nil
  }

  /// Sizes that are few, as those of a section among many, and narrow, straight to where they stay; nil if they
  /// are not, or not all of them are sizes.
  private func fewSizes(
    maximumCount: Int
  ) -> JSONRuns<(widths: LengthArray, heights: LengthArray)>? {
    guard let count = fewCount(maximumCount: maximumCount) else { return nil }
    let narrow = NarrowLengths.pair(count: count) { widths, heights in
      for place in stride(from: index + 1, to: index + 1 + 6 * count, by: 6) {
        guard let size = size(at: place), let width = UInt32(exactly: size.width),
          let height = UInt32(exactly: size.height)
        else { return false }
        widths.append(width)
        heights.append(height)
      }
      return true
    }
    return narrow.map { JSONRuns(count: count, runs: [(.compact($0.0), .compact($0.1))]) }
  }

  /// The same of lengths.
  private func fewLengths(maximumCount: Int) -> JSONRuns<LengthArray>? {
    guard let count = fewCount(maximumCount: maximumCount) else { return nil }
    let narrow = [UInt32](capacity: count) { lengths in
      for place in stride(from: index + 1, to: index + 1 + 2 * count, by: 2) {
        guard let length = document.millionths(at: place, in: .sizes),
          let length = UInt32(exactly: length)
        else { return }
        lengths.append(length)
      }
    }
    guard narrow.count == count else { return nil }
    return JSONRuns(count: count, runs: [.compact(NarrowLengths(narrow))])
  }

  /// The pair at `place`; nil if there is none.
  @inline(__always)
  private func size(at place: Int) -> (width: Int64, height: Int64)? {
    // An array of two numbers takes six words: its ends, and two for each number.
    guard document.word(at: place) >> 32 == UInt64(JSONTag.array.rawValue) << 24 | 2,
      let width = document.millionths(at: place + 1, in: .sizes),
      let height = document.millionths(at: place + 3, in: .sizes)
    else { return nil }
    return (width, height)
  }

  /// The pair at `place` and the index after it.
  @inline(__always)
  private func sizeElement(at place: Int) throws(JSONError) -> (
    width: Int64, height: Int64, next: Int
  ) {
    guard let size = size(at: place) else { throw notASize(at: place) }
    return (size.width, size.height, place + 6)
  }

  @inline(never)
  private func notASize(at place: Int) -> JSONError {
    let element = at(place)
    guard document.tag(at: place) == .array else {
      return element.wrongType(expected: "an array [width,height]")
    }
    let count = document.count(at: place)
    guard count == 2 else {
      return element.error(.wrongCount(expected: "[width,height]", found: count))
    }
    let isWidth = document.millionths(at: place + 1, in: .sizes) == nil
    return at(isWidth ? place + 1 : document.index(after: place + 1)).notALength(in: .sizes)
  }
}

/// Many things as the engine keeps them: in runs of ``capacity`` but for the last one.
///
/// There is at least one run; it is empty where there is nothing.
struct JSONRuns<Run> {
  /// How many things there are in all.
  fileprivate(set) var count = 0
  fileprivate(set) var runs: [Run] = []
}

extension JSONRuns<Never> {
  /// As many as the engine has in one piece, so that it takes them as they are.
  static var capacity: Int { 512 }
}

/// Collects lengths in runs of ``JSONRuns/capacity``.
private struct LengthRuns {
  private var runs: [LengthArray] = []
  private var lengths = LengthRun()

  @inline(__always)
  mutating func append(_ length: Int64) {
    lengths.append(length)
    if lengths.isFull { takeRun() }
  }

  /// What has been collected; at least one run.
  mutating func take() -> [LengthArray] {
    if !lengths.isEmpty || runs.isEmpty { takeRun() }
    return runs
  }

  private mutating func takeRun() {
    runs.append(lengths.lengths)
    lengths.removeAll()
  }
}

/// Collects sizes in runs of ``JSONRuns/capacity``.
private struct SizeRuns {
  private var runs: [(widths: LengthArray, heights: LengthArray)] = []
  private var widths = LengthRun()
  private var heights = LengthRun()

  @inline(__always)
  mutating func append(_ width: Int64, _ height: Int64) {
    widths.append(width)
    heights.append(height)
    if widths.isFull { takeRun() }
  }

  /// What has been collected; at least one run.
  mutating func take() -> [(widths: LengthArray, heights: LengthArray)] {
    if !widths.isEmpty || runs.isEmpty { takeRun() }
    return runs
  }

  private mutating func takeRun() {
    let narrow =
      widths.isNarrow && heights.isNarrow
      ? NarrowLengths.pair(count: widths.count) {
        widths.append(to: &$0)
        heights.append(to: &$1)
        return true
      } : nil
    if let narrow {
      runs.append((.compact(narrow.0), .compact(narrow.1)))
    } else {
      runs.append((widths.lengths, heights.lengths))
    }
    widths.removeAll()
    heights.removeAll()
  }
}

/// Collects lengths, none negative, in the fewest bytes that hold them.
private struct LengthRun {
  private var values = InlineArray<512, Int64>(repeating: 0)
  private(set) var count = 0
  /// All bits that any of them has.
  private var bits: Int64 = 0

  var isEmpty: Bool { count == 0 }
  var isFull: Bool { count == values.count }
  var isNarrow: Bool { bits <= Int64(UInt32.max) }

  @inline(__always)
  mutating func append(_ value: Int64) {
    values[count] = value
    count += 1
    bits |= value
  }

  mutating func removeAll() {
    count = 0
    bits = 0
  }

  /// Adds what has been collected, if it is narrow, to others.
  @inline(__always)
  func append(to output: inout OutputSpan<UInt32>) {
    // A span: to read an element of the array itself is to copy it, inside of closures.
    let values = values.span
    for place in 0..<count { output.append(UInt32(truncatingIfNeeded: values[place])) }
  }

  /// What has been collected.
  var lengths: LengthArray {
    if isNarrow {
      return .compact(NarrowLengths([UInt32](capacity: count) { output in append(to: &output) }))
    }
    return .wide(
      [Int64](capacity: count) { output in
        let values = values.span
        for place in 0..<count { output.append(values[place]) }
      })
  }
}
