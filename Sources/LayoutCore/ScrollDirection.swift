/// The direction in which the content scrolls: the main axis.
///
/// A horizontal layout is the transpose of a vertical one. So placements are written once,
/// *upright*: the main axis runs along y, the cross axis along x. What comes in is turned upright,
/// what goes out is turned back, here and nowhere else.
public enum ScrollDirection: String, Sendable, Hashable, CaseIterable {
  /// The main axis is y.
  case vertical
  /// The main axis is x.
  case horizontal

  /// Turns a point upright, or back: turning twice changes nothing.
  ///
  /// - Parameter point: The point.
  /// - Returns: The point with the main axis along y.
  @inlinable
  public func upright(_ point: Point) -> Point { self == .vertical ? point : point.transposed }

  /// Turns a size upright, or back.
  ///
  /// - Parameter size: The size.
  /// - Returns: The size with the main axis along y.
  @inlinable
  public func upright(_ size: Size) -> Size { self == .vertical ? size : size.transposed }

  /// Turns a rectangle upright, or back.
  ///
  /// - Parameter rect: The rectangle.
  /// - Returns: The rectangle with the main axis along y.
  @inlinable
  public func upright(_ rect: Rect) -> Rect { self == .vertical ? rect : rect.transposed }

  /// Turns insets upright, or back.
  ///
  /// - Parameter insets: The insets.
  /// - Returns: The insets with the main axis along y.
  @inlinable
  public func upright(_ insets: EdgeInsets) -> EdgeInsets {
    self == .vertical ? insets : insets.transposed
  }
}

/// The direction of layouts that know one only: what they take for `scrollDirection`.
enum HorizontalOnly: String, CaseIterable {
  case horizontal
}
