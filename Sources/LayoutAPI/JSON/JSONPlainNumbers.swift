/// Numbers as programs write them, read straight from the text of a long array.
///
/// Nearly everything that is long is written by a program: digits with at most a point among them,
/// and at most a space behind a comma. To take such text as it is costs a third of having simdjson
/// make a tape of it, 48 bytes for `[100,50.5]`, and going along that. Whatever else there is, an
/// exponent, a line's end, a number very near to the middle of two millionths, or a mistake, is nil
/// here and left to simdjson; so these functions decide neither what is refused nor how it is rounded.
/// That is so for the range of sizes: it begins at 0, and a double tells its millionths apart.
extension RawSpan {
  /// The number at `place`, in millionths; moves behind it and the comma that follows it.
  ///
  /// - Returns: The number; nil, without moving, where it is not plain, no size, or near the end
  ///   of the text.
  @inline(__always)
  func plainNumber(at place: inout Int) -> Int64? {
    guard byteCount - place >= Self.plainElementLength else { return nil }
    var next = place
    guard let number = plainDecimal(at: &next), takes(UInt8(ascii: ","), at: &next) else {
      return nil
    }
    place = next
    return number
  }

  /// The array of two numbers at `place`, in millionths; moves behind it and the comma that follows.
  ///
  /// - Returns: The numbers; nil, without moving, where they are not plain, no sizes, or near the
  ///   end of the text.
  @inline(__always)
  func plainPair(at place: inout Int) -> (Int64, Int64)? {
    guard byteCount - place >= Self.plainElementLength else { return nil }
    var next = place
    _ = takes(UInt8(ascii: " "), at: &next)
    guard takes(UInt8(ascii: "["), at: &next), let first = plainDecimal(at: &next),
      takes(UInt8(ascii: ","), at: &next), let second = plainDecimal(at: &next),
      takes(UInt8(ascii: "]"), at: &next), takes(UInt8(ascii: ","), at: &next)
    else { return nil }
    place = next
    return (first, second)
  }

  /// More than the longest element that is looked at: two numbers of 36 bytes, five around them.
  ///
  /// It is asked for once, so that not every byte has to be.
  private static var plainElementLength: Int { 80 }

  @inline(__always)
  private func byte(_ place: Int) -> UInt8 {
    // Safe: the caller has asked for ``plainElementLength``, and all bit patterns are integers.
    unsafe unsafeLoad(fromUncheckedByteOffset: place, as: UInt8.self)
  }

  @inline(__always)
  private func takes(_ expected: UInt8, at place: inout Int) -> Bool {
    guard byte(place) == expected else { return false }
    place &+= 1
    return true
  }

  /// Up to ten digits, and more behind a point, with a space before them or none; in millionths.
  @inline(__always)
  private func plainDecimal(at place: inout Int) -> Int64? {
    _ = takes(UInt8(ascii: " "), at: &place)
    let start = place
    var value: UInt64 = 0
    let count = takesDigits(10, at: &place, onto: &value)
    guard count == 1 || count > 1 && byte(start) != UInt8(ascii: "0") else { return nil }
    guard takes(UInt8(ascii: "."), at: &place) else { return plainSize(value &* 1_000_000) }
    switch takesDigits(6, at: &place, onto: &value) {
    case 1: value &*= 100_000
    case 2: value &*= 10_000
    case 3: value &*= 1000
    case 4: value &*= 100
    case 5: value &*= 10
    case 6:
      guard byte(place) &- UInt8(ascii: "0") < 10 else { break }
      guard count <= 6, let rounding = takesRest(at: &place) else { return nil }
      value &+= rounding
    default: return nil
    }
    return plainSize(value)
  }

  /// A number of millionths, of up to 16 digits; nil where it is more than a size may be.
  @inline(__always)
  private func plainSize(_ millionths: UInt64) -> Int64? {
    let limit = UInt64(ClosedRange<Int64>.sizes.upperBound) * 1_000_000
    return millionths <= limit ? Int64(truncatingIfNeeded: millionths) : nil
  }

  /// Moves over the digits behind the sixth; those that are more than any double has are left, and will not be
  /// taken for what has to follow.
  @inline(never)
  private func takesRest(at place: inout Int) -> UInt64? {
    var rest: UInt64 = 0
    for _ in takesDigits(6, at: &place, onto: &rest)..<6 { rest &*= 10 }
    var ignored: UInt64 = 0
    _ = takesDigits(12, at: &place, onto: &ignored)
    return plainRounding(ofMillionths: rest).map(UInt64.init)
  }

  /// Moves over digits, and adds them to the end of a number; a digit too many stays, and
  /// what has to follow is not found there.
  @inline(__always)
  private func takesDigits(_ limit: Int, at place: inout Int, onto value: inout UInt64) -> Int {
    let start = place
    while place < start &+ limit {
      let digit = byte(place) &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      value = value &* 10 &+ UInt64(digit)
      place &+= 1
    }
    return place &- start
  }
}

/// How the digits behind the sixth round a number below a million.
///
/// What counts is how the nearest double would be rounded, which is off by less than 6e-5 millionths.
///
/// - Parameter rest: The first six of them, as a number.
/// - Returns: 0 for down, 1 for up; nil where they are as near to a half as 1e-4.
func plainRounding(ofMillionths rest: UInt64) -> Int64? {
  if rest < 499_900 { return 0 }
  return rest > 500_100 ? 1 : nil
}
