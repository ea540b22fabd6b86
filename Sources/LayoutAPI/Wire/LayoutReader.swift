import LayoutCore

/// Reads `layout`: its kind, its metrics, its snap rule.
enum LayoutReader {
  private static let kindNames = JSONNames(LayoutRegistry.all.map { $0.kind })

  /// Reads a layout.
  ///
  /// - Parameter value: The member `layout`.
  /// - Returns: The layout and its snap rule.
  /// - Throws: ``JSONError``: an unknown kind, a member that the kind has not, a wrong value.
  static func read(
    _ value: JSONValue
  ) throws(JSONError) -> (layout: any CollectionLayout, snap: SnapRule) {
    var metrics = try JSONMetrics(value)
    guard let kind = try metrics.take("kind") else { throw value.error(.missingMember("kind")) }
    return try read(LayoutRegistry.all[try kind.name(in: kindNames)], &metrics)
  }

  private static func read<Layout: CollectionLayout>(
    _ type: Layout.Type, _ metrics: inout JSONMetrics
  ) throws(JSONError) -> (layout: any CollectionLayout, snap: SnapRule) {
    let rule = try metrics.take("snap")?.snapRule()
    let layout = try Layout(metrics: &metrics)
    try metrics.finish()
    return (
      layout,
      SnapRule(
        mode: rule?.mode ?? layout.defaultSnapMode,
        decelerationRate: rule?.decelerationRate ?? .normal)
    )
  }
}

extension JSONValue {
  /// `layout.snap`; what is left out is the layout's own.
  fileprivate func snapRule() throws(JSONError) -> (
    mode: SnapMode?, decelerationRate: DecelerationRate?
  ) {
    let object = try JSONObject<SnapRuleMember>(self)
    return (
      try object[.mode]?.choice(of: SnapMode.self),
      try object[.decelerationRate]?.choice(of: DecelerationRate.self)
    )
  }
}

private enum SnapRuleMember: Int, JSONName {
  case mode, decelerationRate
  static let names = JSONNames(of: Self.self)
}

/// The members of `layout`, asked by name: what nobody has asked for in the end is unknown.
struct JSONMetrics: ~Escapable, LayoutMetrics {
  private let value: JSONValue
  /// The names that were asked for, whether they were there or not.
  private var known: [StaticString] = []
  /// How many members there are that nobody asked for yet.
  private var unasked: Int

  /// Takes an object.
  ///
  /// - Throws: ``JSONError``: not an object, or a member twice.
  @_lifetime(copy value)
  init(_ value: JSONValue) throws(JSONError) {
    let document = value.document
    guard document.tag(at: value.index) == .object else {
      throw value.wrongType(expected: "an object")
    }
    self.value = value
    unasked = document.count(at: value.index)
    // Layouts have a few dozen members at most; whoever sends more has sent an unknown one.
    guard unasked <= 64 else { throw value.error(.tooManyElements(limit: 64)) }
    if let duplicate = document.duplicateKey(ofObjectAt: value.index) { throw duplicate }
  }

  /// The value of a member, which is known from here on.
  @_lifetime(copy self)
  mutating func take(_ name: StaticString) throws(JSONError) -> JSONValue? {
    known.append(name)
    guard let place = find(name) else { return nil }
    unasked -= 1
    return value.at(place)
  }

  /// Refuses what nobody has asked for.
  func finish() throws(JSONError) {
    guard unasked > 0 else { return }
    let known = known.map(\.description)
    let document = value.document
    var key = value.index + 1
    while key < document.index(after: value.index) - 1 {
      let name = document.text(at: key).string
      if !known.contains(name) {
        throw value.at(key).error(
          .unknownMember(name, nearest: nearestName(to: name, among: known), known: known))
      }
      key = document.index(after: key + 1)
    }
  }

  private func find(_ name: StaticString) -> Int? {
    let document = value.document
    var key = value.index + 1
    while key < document.index(after: value.index) - 1 {
      if document.text(at: key).isEqual(to: name) { return key + 1 }
      key = document.index(after: key + 1)
    }
    return nil
  }

  mutating func length(_ name: StaticString) throws(JSONError) -> Length? {
    try take(name)?.extent()
  }

  mutating func size(_ name: StaticString) throws(JSONError) -> Size? {
    try take(name)?.size()
  }

  mutating func insets(_ name: StaticString) throws(JSONError) -> EdgeInsets? {
    try take(name)?.insets()
  }

  mutating func integer(
    _ name: StaticString, in range: ClosedRange<Int>
  ) throws(JSONError) -> Int? {
    try take(name)?.whole(in: range)
  }

  mutating func number(
    _ name: StaticString, in range: ClosedRange<Double>
  ) throws(JSONError) -> Double? {
    try take(name)?.double(in: range)
  }

  mutating func flag(_ name: StaticString) throws(JSONError) -> Bool? { try take(name)?.bool() }

  mutating func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ name: StaticString, of values: Value.Type
  ) throws(JSONError) -> Value? {
    try take(name)?.choice(of: values)
  }

  func refusal(of name: StaticString, because reason: String) -> JSONError {
    value.at(find(name) ?? value.index).error(.rule(reason))
  }
}

extension JSONValue {
  /// A whole number in a range.
  func whole(in range: ClosedRange<Int>) throws(JSONError) -> Int {
    Int(try integer(in: Int64(range.lowerBound)...Int64(range.upperBound)))
  }
}
