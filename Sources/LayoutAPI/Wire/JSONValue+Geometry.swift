import LayoutCore

private enum PointMember: Int, JSONName {
  case x, y
  static let names = JSONNames(of: Self.self)
}

private enum SizeMember: Int, JSONName {
  case width, height
  static let names = JSONNames(of: Self.self)
}

private enum RectMember: Int, JSONName {
  case x, y, width, height
  static let names = JSONNames(of: Self.self)
}

private enum InsetsMember: Int, JSONName {
  case top, left, bottom, right
  static let names = JSONNames(of: Self.self)
}

/// The core's types, as they stand on the wire.
extension JSONValue {
  /// A length of 0 … 10⁹ points.
  func extent() throws(JSONError) -> Length { Length(millionths: try length(in: .sizes)) }

  /// A coordinate of ±9·10¹² points.
  private func coordinate() throws(JSONError) -> Length {
    Length(millionths: try length(in: .coordinates))
  }

  /// A Point: both members.
  func point() throws(JSONError) -> Point {
    let object = try JSONObject<PointMember>(self)
    return Point(
      x: try object.required(.x).coordinate(), y: try object.required(.y).coordinate())
  }

  /// A Size: both members.
  func size() throws(JSONError) -> Size {
    let object = try JSONObject<SizeMember>(self)
    return Size(
      width: try object.required(.width).extent(), height: try object.required(.height).extent())
  }

  /// A Rect: all four members.
  func rect() throws(JSONError) -> Rect {
    let object = try JSONObject<RectMember>(self)
    return Rect(
      x: try object.required(.x).coordinate(), y: try object.required(.y).coordinate(),
      width: try object.required(.width).extent(), height: try object.required(.height).extent())
  }

  /// Insets: a member left out is 0.
  func insets() throws(JSONError) -> EdgeInsets {
    let object = try JSONObject<InsetsMember>(self)
    return EdgeInsets(
      top: try object[.top]?.extent() ?? 0, left: try object[.left]?.extent() ?? 0,
      bottom: try object[.bottom]?.extent() ?? 0, right: try object[.right]?.extent() ?? 0)
  }

  /// A velocity: both members, in points per second.
  func velocity() throws(JSONError) -> Velocity {
    let object = try JSONObject<PointMember>(self)
    return Velocity(
      x: try object.required(.x).double(in: -9e12...9e12),
      y: try object.required(.y).double(in: -9e12...9e12))
  }

  /// One of the values of an enumeration.
  func choice<Value: RawRepresentable<String> & CaseIterable>(
    of values: Value.Type
  ) throws(JSONError) -> Value {
    let cases = Array(values.allCases)
    return cases[try name(in: JSONNames(cases.map(\.rawValue)))]
  }
}
