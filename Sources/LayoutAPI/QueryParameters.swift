import LayoutCore

/// A request's query, strictly read: each parameter once, none that is not known.
struct QueryParameters {
  private var values: [(name: StaticString, value: String)] = []

  /// Reads a query.
  ///
  /// - Parameters:
  ///   - query: The raw query, without its `?`.
  ///   - known: The parameters that may be there.
  /// - Throws: 400 for a parameter that is unknown, given twice, or not decodable.
  init(_ query: Span<UInt8>, known: [StaticString]) throws(Problem) {
    var index = 0
    while index < query.count {
      var end = index
      var equals: Int?
      while end < query.count, query[end] != UInt8(ascii: "&") {
        if query[end] == UInt8(ascii: "="), equals == nil { equals = end }
        end += 1
      }
      if end > index {
        let name = try QueryParameters.decode(query, index..<(equals ?? end))
        let value = try QueryParameters.decode(query, (equals.map { $0 + 1 } ?? end)..<end)
        guard let match = known.first(where: { $0.description == name }) else {
          let nearest = nearestName(to: name, among: known.map(\.description))
          throw .query("unknown query parameter \"\(name)\"" + suggestion(nearest))
        }
        guard !values.contains(where: { $0.name.description == name }) else {
          throw .query("query parameter \"\(name)\" is given twice")
        }
        values.append((match, value))
      }
      index = end + 1
    }
  }

  private static func decode(
    _ query: Span<UInt8>, _ range: Range<Int>
  ) throws(Problem) -> String {
    guard let text = PercentEncoding.decode(query, range) else {
      throw .query("the query is not percent-encoded UTF-8")
    }
    return text
  }

  /// The text of a parameter; nil if it is not there.
  func text(_ name: StaticString) -> String? {
    values.first { $0.name.description == name.description }?.value
  }

  /// A parameter that must be there.
  func required<Value>(_ name: StaticString, _ value: Value?) throws(Problem) -> Value {
    guard let value else { throw .query("query parameter \"\(name)\" is missing") }
    return value
  }

  /// A coordinate of ±9·10¹² points.
  func coordinate(_ name: StaticString) throws(Problem) -> Length? {
    try length(name, -Length.maximumCoordinate ... .maximumCoordinate)
  }

  /// An extent of 0 … 10⁹ points.
  func extent(_ name: StaticString) throws(Problem) -> Length? {
    try length(name, 0 ... .maximumExtent)
  }

  private func length(
    _ name: StaticString, _ range: ClosedRange<Length>
  ) throws(Problem) -> Length? {
    guard let text = text(name) else { return nil }
    guard let length = Length(decimal: text) else {
      throw .query("query parameter \"\(name)\" is not a number")
    }
    guard range.contains(length) else {
      throw .query("query parameter \"\(name)\" is out of range")
    }
    return length
  }

  /// A whole number in a range.
  func integer(_ name: StaticString, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    guard let text = text(name) else { return nil }
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2D }),
      let value = Int(text)
    else { throw .query("query parameter \"\(name)\" is not a whole number") }
    guard range.contains(value) else {
      throw .query(
        "query parameter \"\(name)\" is out of range: \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// One of the values of an enumeration.
  func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ name: StaticString, of values: Value.Type
  ) throws(Problem) -> Value? {
    guard let text = text(name) else { return nil }
    guard let value = Value(rawValue: text) else {
      let names = values.allCases.map(\.rawValue)
      throw .query(
        "query parameter \"\(name)\" is not one of \(names.joined(separator: ", "))"
          + suggestion(nearestName(to: text, among: names)))
    }
    return value
  }
}

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
        guard index + 2 < range.upperBound, let high = hexDigit(text[index + 1]),
          let low = hexDigit(text[index + 2])
        else { return nil }
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(text[index])
        index += 1
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension Length {
  /// Reads a number as JSON writes it, in points, rounded half away from zero.
  ///
  /// - Parameter text: The number; nil for anything else. Plain decimals are read exactly.
  init?(decimal text: String) {
    var bytes = Array(text.utf8)[...]
    let isNegative = bytes.first == UInt8(ascii: "-")
    if isNegative { bytes.removeFirst() }
    let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
    let whole = bytes.prefix(while: isDigit)
    bytes = bytes.dropFirst(whole.count)
    guard !whole.isEmpty, whole.count == 1 || whole.first != 0x30 else { return nil }
    var fraction: ArraySlice<UInt8> = []
    if bytes.first == UInt8(ascii: ".") {
      fraction = bytes.dropFirst().prefix(while: isDigit)
      guard !fraction.isEmpty else { return nil }
      bytes = bytes.dropFirst(1 + fraction.count)
    }
    if !bytes.isEmpty {
      // An exponent, which Double knows how to read.
      let exponent = bytes.dropFirst()
      let digits =
        exponent.first == 0x2B || exponent.first == 0x2D ? exponent.dropFirst() : exponent
      guard bytes.first == 0x65 || bytes.first == 0x45, !digits.isEmpty,
        digits.allSatisfy(isDigit), let points = Double(text), points.isFinite
      else { return nil }
      self.init(rounding: points)
      return
    }
    var value: Length = 0
    for digit in whole { value = value * 10 + Length(points: Int(digit - 0x30)) }
    var unit: Int64 = 100_000
    for digit in fraction.prefix(6) {
      value += Length(millionths: unit * Int64(digit - 0x30))
      unit /= 10
    }
    if let next = fraction.dropFirst(6).first, next >= 0x35 { value += Length(millionths: 1) }
    self = isNegative ? -value : value
  }
}
