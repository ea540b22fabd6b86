import LayoutCore

/// The parameters that queries have.
enum QueryName: Int, CaseIterable {
  case section, item, position, x, y, width, height, contentOffsetX, contentOffsetY, limit, cursor,
    format, selector

  /// What it is called.
  var text: StaticString {
    switch self {
    case .section: "section"
    case .item: "item"
    case .position: "position"
    case .x: "x"
    case .y: "y"
    case .width: "width"
    case .height: "height"
    case .contentOffsetX: "contentOffsetX"
    case .contentOffsetY: "contentOffsetY"
    case .limit: "limit"
    case .cursor: "cursor"
    case .format: "format"
    case .selector: "selector"
    }
  }
}

/// A request's query, strictly read: each parameter once, none that is not known.
///
/// Values stay where they are in the query until they are asked for, and nothing is copied of those
/// that need no decoding, which are nearly all.
struct QueryParameters: ~Escapable {
  private let query: Span<UInt8>
  /// Where those that are there have their values, by the raw values of their names: of as many as there are.
  private var places: InlineArray<13, Range<Int>?> = .init(repeating: nil)
  /// Whether all of it so far says what it says without decoding.
  private var isPlain = true

  /// Reads a query.
  ///
  /// - Parameters:
  ///   - query: The raw query, without its `?`.
  ///   - known: The parameters that may be there.
  /// - Throws: 400 for a parameter that is unknown, given twice, or not decodable.
  @_lifetime(copy query)
  init(_ query: Span<UInt8>, known: [QueryName]) throws(Failure) {
    self.query = query
    var index = 0
    while index < query.count {
      var end = index
      var equals: Int?
      while end < query.count, query[end] != UInt8(ascii: "&") {
        let byte = query[end]
        if byte == UInt8(ascii: "="), equals == nil { equals = end }
        if byte == UInt8(ascii: "%") || byte >= 0x80 { isPlain = false }
        end += 1
      }
      if end > index {
        try add(
          name: index..<(equals ?? end), value: (equals.map { $0 + 1 } ?? end)..<end, known)
      }
      index = end + 1
    }
  }

  private mutating func add(
    name: Range<Int>, value: Range<Int>, _ known: [QueryName]
  ) throws(Failure) {
    let bytes = query.extracting(name)
    var found = known.first { bytes.isEqual(to: $0.text) }
    if found == nil || !isPlain {
      let name = try decoded(name)
      _ = try decoded(value)
      found = found ?? known.first { $0.text.description == name }
      if found == nil {
        let known = known.map(\.text.description)
        let nearest = nearestName(to: name, among: known)
        throw .query(
          "unknown query parameter \"\(name)\"" + suggestion(nearest, among: known))
      }
    }
    guard let found else { return }
    guard places[found.rawValue] == nil else {
      throw .query("query parameter \"\(found.text)\" is given twice")
    }
    places[found.rawValue] = value
  }

  private func decoded(_ range: Range<Int>) throws(Failure) -> String {
    guard let text = PercentEncoding.decode(query, range) else {
      throw .query("the query is not percent-encoded UTF-8")
    }
    return text
  }

  /// Where a parameter has its value; nil if it is not there.
  private func range(_ name: QueryName) -> Range<Int>? { places[name.rawValue] }

  /// Whether a parameter is there.
  func has(_ name: QueryName) -> Bool { range(name) != nil }

  /// The text of a parameter; nil if it is not there.
  func text(_ name: QueryName) -> String? {
    guard let range = range(name) else { return nil }
    return isPlain ? query.extracting(range).string : PercentEncoding.decode(query, range)
  }

  /// A parameter that must be there.
  func required<Value>(_ name: QueryName, _ value: Value?) throws(Failure) -> Value {
    guard let value else { throw .query("query parameter \"\(name.text)\" is missing") }
    return value
  }

  /// A coordinate of ±9·10¹² points.
  func coordinate(_ name: QueryName) throws(Failure) -> Length? {
    try length(name, -Length.maximumCoordinate ... .maximumCoordinate)
  }

  /// An extent of 0 … 10⁹ points.
  func extent(_ name: QueryName) throws(Failure) -> Length? {
    try length(name, 0 ... .maximumExtent)
  }

  private func length(
    _ name: QueryName, _ range: ClosedRange<Length>
  ) throws(Failure) -> Length? {
    guard let place = self.range(name) else { return nil }
    let number =
      isPlain
      ? Length(decimal: query.extracting(place))
      : text(name).flatMap { Length(decimal: $0.utf8Span.span) }
    guard let length = number else {
      throw .query("query parameter \"\(name.text)\" is not a number")
    }
    guard range.contains(length) else {
      throw .query("query parameter \"\(name.text)\" is out of range")
    }
    return length
  }

  /// A whole number in a range.
  func integer(_ name: QueryName, in range: ClosedRange<Int>) throws(Failure) -> Int? {
    guard let text = text(name) else { return nil }
    guard let value = Int(plain: text, in: range) else {
      throw .query(
        "query parameter \"\(name.text)\" is not a whole number from \(range.lowerBound) to \(range.upperBound)"
      )
    }
    return value
  }

  /// One of the values of an enumeration.
  func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ name: QueryName, of values: Value.Type
  ) throws(Failure) -> Value? {
    guard let text = text(name) else { return nil }
    guard let value = Value(rawValue: text) else {
      let names = values.allCases.map(\.rawValue)
      throw .query(
        "query parameter \"\(name.text)\" is not one of \(names.joined(separator: ", "))"
          + suggestion(nearestName(to: text, among: names)))
    }
    return value
  }
}

extension Failure {
  /// A query parameter is unknown, malformed, missing or out of range.
  static func query(_ detail: String) -> Failure { .problem(Problem(.query, detail)) }
}
