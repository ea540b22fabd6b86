import LayoutCore

/// Percent-encoding (RFC 3986, 2.1).
enum PercentEncoding {
  /// Decodes a part of a path or query; `+` is a plus sign.
  ///
  /// - Parameters:
  ///   - text: The path or query.
  ///   - range: The part.
  /// - Returns: The text; nil if it is malformed, or not UTF-8.
  static func decode(_ text: Span<UInt8>, _ range: Range<Int>) -> String? {
    var bytes: [UInt8] = []
    var index = range.lowerBound
    while index < range.upperBound {
      if text[index] == UInt8(ascii: "%") {
        guard index + 2 < range.upperBound,
          let high = text[index + 1].hexDigitValue, let low = text[index + 2].hexDigitValue
        else { return nil }
        bytes.append(UInt8(high << 4 | low))
        index += 3
      } else {
        bytes.append(text[index])
        index += 1
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension Int {
  /// A whole number with no zeros in front and no plus sign: each is written in one way.
  ///
  /// - Parameters:
  ///   - text: The number.
  ///   - range: Where it has to be; nil elsewhere, and for anything else.
  init?(plain text: String, in range: ClosedRange<Int> = 0 ... .max) {
    guard let value = Int(text), range.contains(value), "\(value)" == text else { return nil }
    self = value
  }
}

extension Length {
  /// Reads a number as JSON writes it, in points, rounded half away from zero.
  ///
  /// - Parameter text: The number; nil for anything else. Plain decimals are read exactly.
  init?(decimal text: Span<UInt8>) {
    var place = 0
    func digit(_ place: Int) -> Int64? {
      guard place < text.count, text[place].isDigit else { return nil }
      return Int64(text[place] - 0x30)
    }
    func isSign(_ place: Int) -> Bool {
      place < text.count && (text[place] == 0x2B || text[place] == 0x2D)
    }
    let isNegative = text.count > 0 && text[0] == UInt8(ascii: "-")
    if isNegative { place = 1 }
    let start = place
    var value: Length = 0
    while let digit = digit(place) {
      value = value * 10 + Length(points: Int(digit))
      place += 1
    }
    // No zeros in front: those are no JSON.
    guard place > start, place == start + 1 || text[start] != 0x30 else { return nil }
    if place < text.count, text[place] == UInt8(ascii: ".") {
      place += 1
      let first = place
      var unit: Int64 = 100_000
      while let digit = digit(place) {
        value += Length(millionths: unit * digit)
        if place == first + 6, digit >= 5 { value += Length(millionths: 1) }
        unit /= 10
        place += 1
      }
      guard place > first else { return nil }
    }
    if place < text.count {
      // An exponent, which Double knows how to read.
      guard text[place] | 0x20 == UInt8(ascii: "e") else { return nil }
      place += isSign(place + 1) ? 2 : 1
      guard digit(place) != nil else { return nil }
      while digit(place) != nil { place += 1 }
      guard place == text.count, let points = Double(text.string), points.isFinite else {
        return nil
      }
      self.init(rounding: points)
      return
    }
    self = isNegative ? -value : value
  }
}
