/// Turns width divided by height into the lengths of items that are all as broad.
///
/// In doubles: of millionths of a point, or of pixels where lengths are rounded down to those.
struct AspectScale: Sendable {
  /// How broad the items are, times ``divisor``.
  private let breadth: Double
  private let divisor: Double
  /// Whether a length is the breadth divided by the ratio, or multiplied.
  private let isDivided: Bool
  private let pixels: PixelScale?

  private struct PixelScale {
    var scale: DisplayScale
    /// Millionths of a point in a pixel.
    var unit: Double
  }

  /// Lengths in millionths of a point, rounded half away from zero, once.
  ///
  /// - Parameters:
  ///   - breadth: How broad items are in millionths of a point, not negative, times `divisor`.
  ///   - divisor: By which the breadth is divided, at least 1.
  ///   - direction: The main axis.
  init(breadth: Double, over divisor: Double, _ direction: ScrollDirection) {
    self.breadth = breadth
    self.divisor = divisor
    isDivided = direction == .vertical
    pixels = nil
  }

  /// Lengths of whole pixels.
  ///
  /// - Parameters:
  ///   - pixels: How broad items are in pixels, not negative.
  ///   - scale: Pixels per point.
  ///   - direction: The main axis.
  init(pixels: Double, scale: DisplayScale, _ direction: ScrollDirection) {
    breadth = pixels
    divisor = 1
    isDivided = direction == .vertical
    self.pixels = PixelScale(scale: scale, unit: Double(scale.length) / Double(scale.pixels))
  }

  /// The length of an item.
  ///
  /// The middle between two millionths is met where the ratio is a few halves of halves. What is as near to one
  /// as a double is off, by a ratio such as 0.4, may be rounded either way.
  ///
  /// - Parameter ratio: Width divided by height, above 0 and finite.
  /// - Returns: The length; saturated.
  func length(_ ratio: Double) -> Length {
    // With such a ratio the product is exact, and only the division rounds.
    let length = isDivided ? breadth / (divisor * ratio) : breadth * ratio / divisor
    guard let pixels else {
      let rounded = length.rounded()
      return Length(millionths: rounded < 0x1p63 ? Int64(rounded) : .max)
    }
    // A ratio is a decimal that a Double only approaches: a hair under a whole pixel is that pixel.
    let nearest = length.rounded()
    let isWhole = (length - nearest).magnitude <= 1e-9 * max(1, nearest)
    let whole = Int64(exactly: isWhole ? nearest : length.rounded(.down)) ?? .max
    return Length(pixels: Int128(whole), scale: pixels.scale)
  }

  /// Adds the lengths of items, in millionths of a point.
  ///
  /// - Parameters:
  ///   - ratios: Width divided by height each, above 0 and finite.
  ///   - lengths: Has room for as many.
  func append(lengthsOf ratios: Span<Double>, to lengths: inout OutputSpan<Int64>) {
    let fours = ratios.count >> 2
    for four in 0..<fours {
      let first = four &* 4
      // Safe: four of them are there.
      let quotients = unsafe quotients(
        SIMD4(
          ratios[unchecked: first], ratios[unchecked: first &+ 1], ratios[unchecked: first &+ 2],
          ratios[unchecked: first &+ 3]))
      let rounded = RoundedQuotients(quotients)
      if rounded.areSure, all(quotients .< Double(RoundedQuotients.limit)) {
        for place in 0..<4 { lengths.append(rounded.values[place]) }
      } else {
        for place in first..<(first &+ 4) { lengths.append(length(ratios[place]).millionths) }
      }
    }
    for place in (fours &* 4)..<ratios.count { lengths.append(length(ratios[place]).millionths) }
  }

  /// Four lengths in millionths of a point, before they are rounded to those; beyond all limits, where only
  /// ``length(_:)`` is sure of them.
  @inline(__always)
  private func quotients(_ ratios: SIMD4<Double>) -> SIMD4<Double> {
    let lengths = isDivided ? breadth / (divisor * ratios) : breadth * ratios / divisor
    guard let pixels else { return lengths }
    // Of finer ones so many may be below the limits that half of one is a hair.
    guard pixels.unit >= 1000 else { return SIMD4(repeating: .infinity) }
    // Rounded down, but for a hair; not every processor has an instruction for that.
    let nearest = (lengths + 0x1p52) - 0x1p52
    let hair = 1e-9 * pointwiseMax(SIMD4(repeating: 1), nearest)
    let whole = nearest.replacing(with: nearest - 1, where: nearest - lengths .> hair)
    return whole * pixels.unit
  }
}
