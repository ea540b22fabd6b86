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

/// Points, sizes, rects and insets; all in millionths, with ranges in points.
extension JSONValue {
  /// A Point: both members, coordinates.
  func point(
    in range: ClosedRange<Int64> = .coordinates
  ) throws(JSONError) -> (x: Int64, y: Int64) {
    let object = try JSONObject<PointMember>(self)
    return (
      x: try object.required(.x).length(in: range), y: try object.required(.y).length(in: range)
    )
  }

  /// A Size: both members.
  func size(
    in range: ClosedRange<Int64> = .sizes
  ) throws(JSONError) -> (width: Int64, height: Int64) {
    let object = try JSONObject<SizeMember>(self)
    return (
      width: try object.required(.width).length(in: range),
      height: try object.required(.height).length(in: range)
    )
  }

  /// A Rect: all four members.
  func rect(
    origin: ClosedRange<Int64> = .coordinates, size: ClosedRange<Int64> = .sizes
  ) throws(JSONError) -> (x: Int64, y: Int64, width: Int64, height: Int64) {
    let object = try JSONObject<RectMember>(self)
    return (
      x: try object.required(.x).length(in: origin),
      y: try object.required(.y).length(in: origin),
      width: try object.required(.width).length(in: size),
      height: try object.required(.height).length(in: size)
    )
  }

  /// Insets: a member left out is 0.
  func insets(
    in range: ClosedRange<Int64> = .sizes
  ) throws(JSONError) -> (top: Int64, left: Int64, bottom: Int64, right: Int64) {
    let object = try JSONObject<InsetsMember>(self)
    return (
      top: try object[.top]?.length(in: range) ?? 0,
      left: try object[.left]?.length(in: range) ?? 0,
      bottom: try object[.bottom]?.length(in: range) ?? 0,
      right: try object[.right]?.length(in: range) ?? 0
    )
  }
}
