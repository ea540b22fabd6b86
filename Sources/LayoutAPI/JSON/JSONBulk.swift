import LayoutCore

/// Arrays of many equal things, read straight into flat storage.
///
/// Counts are checked before anything is allocated; a refusal points to the element.
extension JSONValue {
  /// `[[width,height],…]`.
  func sizes(
    maximumCount: Int, in range: ClosedRange<Int64> = .sizes
  ) throws(JSONError) -> (widths: LengthArray, heights: LengthArray) {
    let count = try arrayCount(maximumCount: maximumCount)
    var widths: [UInt32] = []
    var heights: [UInt32] = []
    var place = index + 1
    let end = document.index(after: index) - 1
    // Phase 1: as long as all fits 32 bits.
    try widths.append(addingCapacity: count) { (widths) throws(JSONError) in
      try heights.append(addingCapacity: count) { (heights) throws(JSONError) in
        while place < end {
          let (width, height, next) = try sizeElement(at: place, in: range)
          guard let small = UInt32(exactly: width), let other = UInt32(exactly: height) else {
            return
          }
          widths.append(small)
          heights.append(other)
          place = next
        }
      }
    }
    if place == end { return (.compact(widths), .compact(heights)) }

    // Phase 2: the rest in 64 bits; afterwards what is small all the same is packed.
    var wideWidths = widened(widths, capacity: count)
    var wideHeights = widened(heights, capacity: count)
    while place < end {
      let (width, height, next) = try sizeElement(at: place, in: range)
      wideWidths.append(width)
      wideHeights.append(height)
      place = next
    }
    return (packed(wideWidths), packed(wideHeights))
  }

  /// `[length,…]`.
  func lengths(
    maximumCount: Int, in range: ClosedRange<Int64> = .sizes
  ) throws(JSONError) -> LengthArray {
    let count = try arrayCount(maximumCount: maximumCount)
    var lengths: [UInt32] = []
    var place = index + 1
    let end = document.index(after: index) - 1
    try lengths.append(addingCapacity: count) { (lengths) throws(JSONError) in
      while place < end {
        guard let small = UInt32(exactly: try at(place).length(in: range)) else { return }
        lengths.append(small)
        place += 2
      }
    }
    if place == end { return .compact(lengths) }

    var wide = widened(lengths, capacity: count)
    while place < end {
      wide.append(try at(place).length(in: range))
      place += 2
    }
    return .wide(wide)
  }

  /// `[width/height,…]`, each greater than 0.
  func aspectRatios(maximumCount: Int) throws(JSONError) -> [Double] {
    let count = try arrayCount(maximumCount: maximumCount)
    return try [Double](capacity: count) { (ratios) throws(JSONError) in
      var place = index + 1
      for _ in 0..<count {
        let ratio = try at(place).double()
        guard ratio > 0 else {
          throw at(place).error(
            .outOfRange(expected: "a number greater than 0", found: at(place).summary))
        }
        ratios.append(ratio)
        place += 2
      }
    }
  }

  /// `["text",…]`, each of at most `maximumLength` bytes.
  func strings(maximumCount: Int, maximumLength: Int) throws(JSONError) -> StringTable {
    let count = try arrayCount(maximumCount: maximumCount)
    var size = 0
    for place in index + 1..<index + 1 + count {
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
    var texts = StringTable()
    texts.reserveCapacity(count, byteCount: size)
    for place in index + 1..<index + 1 + count {
      document.text(at: place).append(to: &texts.bytes)
      // A document, and so all its strings, is shorter than 2^32 bytes.
      texts.offsets.append(UInt32(truncatingIfNeeded: texts.bytes.count))
    }
    return texts
  }

  /// The pair at `place` and the index after it.
  @inline(__always)
  private func sizeElement(
    at place: Int, in range: ClosedRange<Int64>
  ) throws(JSONError) -> (width: Int64, height: Int64, next: Int) {
    // An array of two numbers takes six words: its ends, and two for each number.
    let word = document.word(at: place)
    guard word >> 32 == UInt64(JSONTag.array.rawValue) << 24 | 2,
      let width = document.millionths(at: place + 1, in: range),
      let height = document.millionths(at: place + 3, in: range)
    else { throw notASize(at: place, in: range) }
    return (width, height, place + 6)
  }

  @inline(never)
  private func notASize(at place: Int, in range: ClosedRange<Int64>) -> JSONError {
    let element = at(place)
    guard document.tag(at: place) == .array else {
      return element.wrongType(expected: "an array [width,height]")
    }
    let count = document.count(at: place)
    guard count == 2 else {
      return element.error(.wrongCount(expected: "[width,height]", found: count))
    }
    let isWidth = document.millionths(at: place + 1, in: range) == nil
    return at(isWidth ? place + 1 : document.index(after: place + 1)).notALength(in: range)
  }
}

private func widened(_ lengths: [UInt32], capacity: Int) -> [Int64] {
  var wide: [Int64] = []
  wide.reserveCapacity(capacity)
  for length in lengths { wide.append(Int64(length)) }
  return wide
}

private func packed(_ lengths: [Int64]) -> LengthArray {
  guard lengths.allSatisfy({ $0 <= Int64(UInt32.max) }) else { return .wide(lengths) }
  return .compact(lengths.map { UInt32(truncatingIfNeeded: $0) })
}
