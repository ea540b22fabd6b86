import Glibc

/// A transform of the plane, as CGAffineTransform and CSS `matrix()` write it.
///
/// ```
/// x' = a·x + c·y + tx
/// y' = b·x + d·y + ty
/// ```
public struct AffineTransform: Hashable, Sendable {
  /// x by x.
  public var a: Double
  /// y by x.
  public var b: Double
  /// x by y.
  public var c: Double
  /// y by y.
  public var d: Double
  /// The shift along x, in points.
  public var tx: Double
  /// The shift along y, in points.
  public var ty: Double

  /// Makes a transform of its six numbers.
  ///
  /// - Parameters:
  ///   - a: x by x.
  ///   - b: y by x.
  ///   - c: x by y.
  ///   - d: y by y.
  ///   - tx: The shift along x, in points.
  ///   - ty: The shift along y, in points.
  @inlinable
  public init(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.tx = tx
    self.ty = ty
  }

  /// Scales both axes.
  ///
  /// - Parameter scale: The factor.
  @inlinable
  public init(scale: Double) { self.init(a: scale, b: 0, c: 0, d: scale, tx: 0, ty: 0) }

  /// Turns clockwise, as y points down.
  ///
  /// - Parameter angle: In radians.
  public init(rotation angle: Double) {
    self.init(rotation: angle, scale: 1)
  }

  /// Turns clockwise, then scales both axes.
  ///
  /// - Parameters:
  ///   - angle: In radians.
  ///   - scale: The factor.
  public init(rotation angle: Double, scale: Double) {
    self.init(
      a: scale * cos(angle), b: scale * sin(angle), c: -scale * sin(angle),
      d: scale * cos(angle), tx: 0, ty: 0)
  }

  /// Changes nothing.
  public static var identity: AffineTransform {
    AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)
  }
}
