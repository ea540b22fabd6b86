/// How many pixels a point has: an exact fraction, so that pixels lie where the display has them however far the
/// content goes.
public struct DisplayScale: Hashable, Sendable {
  /// How many pixels are as long as ``length``, above 0.
  let pixels: Int64
  /// How long they are, in millionths of a point, above 0.
  let length: Int64

  private static let greatestDenominator: Int64 = 64

  /// Takes the scale that a display says it has; nil if it rounds to 0, or is below.
  ///
  /// A decimal of six digits is what it is. What is within a part in 10⁷, as close as a `Float` comes, of a
  /// fraction with a denominator up to 64 is that fraction: 1.3333333333333333 and 1.3333333730697632, which
  /// browsers say where a page of two pixels a point is shown at two thirds, are 4/3. All else is rounded to six
  /// digits.
  ///
  /// - Parameter scale: Pixels per point, at most 100.
  public init?(_ scale: Double) {
    let millionths = Length(rounding: scale).millionths
    guard millionths > 0 else { return nil }
    let decimal = DisplayScale(millionths: millionths)
    self = decimal.value == scale ? decimal : DisplayScale(fractionNear: scale) ?? decimal
  }

  /// Takes millionths of pixels per point, above 0.
  public init(millionths: Int64) {
    pixels = millionths
    length = Length.trillion
  }

  private init?(fractionNear scale: Double) {
    for denominator in 1...DisplayScale.greatestDenominator {
      let pixels = scale * Double(denominator)
      let nearest = pixels.rounded()
      guard (pixels - nearest).magnitude <= 1e-7 * nearest else { continue }
      // One form for each: as a decimal where it is one.
      let (digits, rest) = Length.millionthsPerPoint.quotientAndRemainder(dividingBy: denominator)
      self.pixels = rest == 0 ? Int64(nearest) * digits : Int64(nearest)
      length = rest == 0 ? Length.trillion : denominator * Length.millionthsPerPoint
      return
    }
    return nil
  }

  /// Pixels per point, as the nearest number, which is read as the same scale again.
  public var value: Double { Double(pixels) * 1e6 / Double(length) }
}
