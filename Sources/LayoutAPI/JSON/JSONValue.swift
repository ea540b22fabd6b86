import LayoutCore

/// One value of a document: a place on its tape.
struct JSONValue: ~Escapable {
  let document: JSONDocument
  let index: Int

  @inline(__always)
  @_lifetime(copy document)
  init(_ document: JSONDocument, _ index: Int) {
    self.document = document
    self.index = index
  }

  /// Another place of the same document.
  @inline(__always)
  @_lifetime(copy self)
  func at(_ index: Int) -> JSONValue { JSONValue(document, index) }
}

extension JSONDocument {
  /// The value that the document is.
  var root: JSONValue {
    @_lifetime(copy self)
    get { JSONValue(self, 1) }
  }
}

// MARK: Refusals

extension JSONValue {
  /// The JSON pointer to this value.
  var pointer: String { document.pointer(to: index) }

  /// A refusal of this value.
  @inline(never)
  func error(_ reason: JSONError.Reason) -> JSONError { JSONError(reason, at: pointer) }

  /// A refusal because of its type.
  @inline(never)
  func wrongType(expected: String) -> JSONError {
    error(.wrongType(expected: expected, found: summary))
  }

  /// What the value is, for a refusal.
  var summary: String {
    let tag = document.tag(at: index)
    // As it is written where a double is not near enough to it; nobody reads more digits than these.
    if tag == .double, abs(document.double(at: index)) >= 0x1p33,
      let text = document.numberText(at: index), text.count <= 24
    {
      return text.string
    }
    return switch tag {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .integer: "\(document.integer(at: index))"
    case .unsigned: "\(UInt64(bitPattern: document.integer(at: index)))"
    case .double: "\(document.double(at: index))"
    case .yes: "true"
    case .no: "false"
    default: "null"
    }
  }

  @inline(never)
  fileprivate func outOfRange(_ expected: String) -> JSONError {
    error(.outOfRange(expected: expected, found: summary))
  }
}

// MARK: Scalars

extension JSONValue {
  /// Whether it is a string.
  var isString: Bool { document.tag(at: index) == .string }

  /// A boolean.
  func bool() throws(JSONError) -> Bool {
    switch document.tag(at: index) {
    case .yes: return true
    case .no: return false
    default: throw wrongType(expected: "true or false")
    }
  }

  /// A whole number; a decimal with nothing after the point, such as `1e3`, is one.
  func integer(in range: ClosedRange<Int64>) throws(JSONError) -> Int64 {
    let value: Int64
    switch document.tag(at: index) {
    case .integer: value = document.integer(at: index)
    case .double:
      let double = document.double(at: index)
      // From 2^53 on every double is whole; beyond 2^63 none fits.
      guard abs(double) < 0x1p63 else { throw outOfRange(wholeNumber(in: range)) }
      value = Int64(double)
      guard Double(value) == double else { throw wrongType(expected: "a whole number") }
    case .unsigned: throw outOfRange(wholeNumber(in: range))
    default: throw wrongType(expected: "a whole number")
    }
    guard range.contains(value) else { throw outOfRange(wholeNumber(in: range)) }
    return value
  }

  /// A number; all numbers of a document are finite.
  func double(
    in range: ClosedRange<Double> = -.greatestFiniteMagnitude ... .greatestFiniteMagnitude
  ) throws(JSONError) -> Double {
    let value: Double
    switch document.tag(at: index) {
    case .double: value = document.double(at: index)
    case .integer: value = Double(document.integer(at: index))
    case .unsigned: value = Double(UInt64(bitPattern: document.integer(at: index)))
    default: throw wrongType(expected: "a number")
    }
    guard range.contains(value) else {
      throw outOfRange("a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// A number of points, as millionths, rounded to the nearest, half away from zero.
  ///
  /// Below 2³³ what is rounded is the nearest double; beyond, where doubles are more than a millionth
  /// apart, the number as it is written, unless it has an exponent.
  ///
  /// `range` is what is allowed, in points; it lies within ±9e12.
  @inline(__always)
  func length(in range: ClosedRange<Int64> = .sizes) throws(JSONError) -> Int64 {
    guard let millionths = document.millionths(at: index, in: range) else {
      throw notALength(in: range)
    }
    return millionths
  }

  /// The refusal of a value that ``JSONDocument/millionths(at:in:)`` does not take.
  @inline(never)
  func notALength(in range: ClosedRange<Int64>) -> JSONError {
    switch document.tag(at: index) {
    case .integer, .unsigned, .double:
      outOfRange("a number from \(range.lowerBound) to \(range.upperBound)")
    default: wrongType(expected: "a number")
    }
  }

  /// A text, as a copy.
  func string(maximumLength: Int) throws(JSONError) -> String {
    guard document.tag(at: index) == .string else { throw wrongType(expected: "a string") }
    let text = document.text(at: index)
    guard text.count <= maximumLength else { throw error(.tooLongText(limit: maximumLength)) }
    return text.string
  }

  /// One name of a table, as its place there.
  func name(in names: JSONNames) throws(JSONError) -> Int {
    guard document.tag(at: index) == .string else { throw wrongType(expected: "a string") }
    let text = document.text(at: index)
    if let place = names.index(of: text) { return place }
    let name = text.count <= 256 ? text.string : "a text of \(text.count) bytes"
    throw error(
      .unknownName(
        name, nearest: nearestName(to: name, among: names.texts), known: names.texts))
  }
}

private func wholeNumber(in range: ClosedRange<Int64>) -> String {
  "a whole number from \(range.lowerBound) to \(range.upperBound)"
}

extension ClosedRange<Int64> {
  /// What sizes, insets and spacings may be, in points.
  static var sizes: Self { 0...1_000_000_000 }

  /// What coordinates and offsets may be, in points.
  static var coordinates: Self { -9_000_000_000_000...9_000_000_000_000 }
}

extension JSONDocument {
  /// The number at `index` in millionths, nil where it is no number or not within `range`.
  @inline(__always)
  func millionths(at index: Int, in range: ClosedRange<Int64>) -> Int64? {
    switch tag(at: index) {
    case .integer:
      let whole = integer(at: index)
      guard range.lowerBound <= whole, whole <= range.upperBound else { return nil }
      return whole &* 1_000_000
    case .double:
      let double = double(at: index)
      guard Double(range.lowerBound) <= double, double <= Double(range.upperBound) else {
        return nil
      }
      // From 2³³ on doubles are more than a millionth apart.
      return abs(double) < 0x1p33
        ? roundedMillionths(double) : writtenMillionths(at: index, in: range)
    default: return nil
    }
  }

  /// The same for a number that no double may be near enough to.
  @inline(never)
  private func writtenMillionths(at index: Int, in range: ClosedRange<Int64>) -> Int64? {
    guard let text = numberText(at: index), let length = Length(decimal: text) else {
      return roundedMillionths(double(at: index))
    }
    let ends = Length(points: Int(range.lowerBound))...Length(points: Int(range.upperBound))
    return ends.contains(length) ? length.millionths : nil
  }
}

/// `points` in millionths, rounded to the nearest, half away from zero.
///
/// The whole part is exact: it is taken off before anything is multiplied.
///
/// - Precondition: |points| ≤ 9e12.
@inline(__always)
func roundedMillionths(_ points: Double) -> Int64 {
  let whole = Int64(points)
  let fraction = (points - Double(whole)) * 1e6
  let part = Int64(fraction)
  let rest = fraction - Double(part)
  return whole &* 1_000_000 &+ part &+ (rest >= 0.5 ? 1 : 0) &- (rest <= -0.5 ? 1 : 0)
}
