import LayoutCore

/// The core's types, as they stand on the wire.
extension JSONValue {
  /// A length of 0 … 10⁹ points.
  func extent() throws(JSONError) -> Length { Length(millionths: try length(in: .sizes)) }

  /// A Point; coordinates of ±9·10¹² points.
  func corePoint() throws(JSONError) -> Point {
    let (x, y) = try point()
    return Point(x: Length(millionths: x), y: Length(millionths: y))
  }

  /// A Size.
  func coreSize() throws(JSONError) -> Size {
    let (width, height) = try size()
    return Size(width: Length(millionths: width), height: Length(millionths: height))
  }

  /// A Rect.
  func coreRect() throws(JSONError) -> Rect {
    let (x, y, width, height) = try rect()
    return Rect(
      x: Length(millionths: x), y: Length(millionths: y), width: Length(millionths: width),
      height: Length(millionths: height))
  }

  /// Insets.
  func coreInsets() throws(JSONError) -> EdgeInsets {
    let (top, left, bottom, right) = try insets()
    return EdgeInsets(
      top: Length(millionths: top), left: Length(millionths: left),
      bottom: Length(millionths: bottom), right: Length(millionths: right))
  }

  /// A velocity: both members, in points per second.
  func velocity() throws(JSONError) -> Velocity {
    let object = try JSONObject<VelocityMember>(self)
    return Velocity(
      x: try object.required(.x).double(in: -9e12...9e12),
      y: try object.required(.y).double(in: -9e12...9e12))
  }

  /// One of the values of an enumeration.
  func choice<Value: RawRepresentable<String> & CaseIterable>(
    of values: Value.Type
  ) throws(JSONError) -> Value {
    let names = values.allCases.map(\.rawValue)
    let place = try name(in: JSONNames(names))
    guard let value = Value(rawValue: names[place]) else {
      throw wrongType(expected: "a known name")
    }
    return value
  }
}

private enum VelocityMember: Int, JSONName {
  case x, y
  static let names = JSONNames(of: Self.self)
}
