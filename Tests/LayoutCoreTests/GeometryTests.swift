import Testing

@testable import LayoutCore

struct GeometryTests {
  @Test func lengthsSaturateInsteadOfTrapping() {
    let most = Length(millionths: .max)
    let least = Length(millionths: .min)
    #expect(most + 1 == most)
    #expect(least - 1 == least)
    #expect(-least == most)
    #expect(least * -1 == most)
    #expect(most * 3 == most)
    #expect(Length(rounding: .infinity) == most)
    #expect(Length(rounding: -1e300) == least)
    #expect(Length(rounding: .nan) == 0)
    #expect(Length(points: .max) == most)
  }

  @Test(arguments: [
    (0.0000005, 1), (-0.0000005, -1), (0.0000004, 0), (1.5, 1_500_000), (-2.25, -2_250_000),
    (9_007_199_254.5, 9_007_199_254_500_000), (0.1, 100_000),
  ])
  func pointsAreRoundedHalfAwayFromZero(points: Double, millionths: Int64) {
    #expect(Length(rounding: points).millionths == millionths)
  }

  @Test func quotientsAreRoundedHalfAwayFromZero() {
    for numerator in -20...20 {
      for denominator in [-7, -4, -3, -2, -1, 1, 2, 3, 4, 7] {
        let exact = Double(numerator) / Double(denominator)
        #expect(
          roundedQuotient(numerator, denominator) == Int(exact.rounded(.toNearestOrAwayFromZero)))
        if denominator > 0 {
          #expect(flooredQuotient(numerator, denominator) == Int(exact.rounded(.down)))
        }
      }
    }
  }

  @Test func touchingRectanglesDoNotOverlap() {
    let rect = Rect(x: 0, y: 0, width: 10, height: 10)
    #expect(!rect.overlaps(Rect(x: 10, y: 0, width: 5, height: 5)))
    #expect(!rect.overlaps(Rect(x: 5, y: 5, width: 0, height: 5)))
    #expect(rect.overlaps(Rect(x: 9, y: 9, width: 5, height: 5)))
  }

  @Test(arguments: 0..<8)
  func roundsToPixelsExactly(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let millionths: [Int64] = [1_000_000, 2_000_000, 3_000_000, 2_625_000, 1, 999_999, 16_000_001]
    let scales =
      millionths.map { DisplayScale(millionths: $0) }
      + [1 / 3.0, 4 / 3.0, 17 / 63.0].compactMap { DisplayScale($0) }
    // Where 64 bits are enough, where they are not, and about the border.
    let magnitudes: [Int64] = [1_000, 1_000_000_000, 4_611_686_018_427, 9_000_000_000_000_000_000]
    for scale in scales {
      for magnitude in magnitudes + [.max / scale.pixels, .max / 1_000_000_000_000 * 1_000_000] {
        for _ in 0..<50 {
          let near = magnitude.addingReportingOverflow(
            Int64.random(in: -1_000_000...1_000_000, using: &random))
          for value in [near.partialValue, 0 &- near.partialValue] where !near.overflow {
            let length = Length(millionths: value)
            #expect(length.rounded(toScale: scale) == nearestPixel(to: length, scale: scale))
          }
        }
      }
    }
  }

  /// Neighbours that touch still do: edges are rounded, and sizes are what is between them.
  @Test func edgesOfRectanglesAreRounded() {
    func tenths(_ value: Int64) -> Length { Length(millionths: value * 100_000) }
    func rect(_ start: Int64, _ end: Int64) -> Rect {
      Rect(
        x: tenths(start), y: tenths(start + 100), width: tenths(end - start),
        height: tenths(end - start))
    }
    let scale = DisplayScale(millionths: 1_000_000)
    #expect(rect(4, 8).rounded(toScale: scale) == Rect(x: 0, y: 10, width: 1, height: 1))
    #expect(rect(8, 14).rounded(toScale: scale) == Rect(x: 1, y: 11, width: 0, height: 0))
  }

  /// The library's own conversion rounds as it should, and takes its time.
  @Test func doublesOf128BitsAreTheNearest() {
    var random = SeededGenerator(seed: 1)
    func expectNearest(_ value: UInt128) {
      #expect(value.nearestDouble == Double(value), "\(value)")
      let signed = Int128(truncatingIfNeeded: value)
      #expect(signed.nearestDouble == Double(signed), "\(signed)")
    }
    for width in 0..<128 {
      let one: UInt128 = 1 << UInt128(width)
      for _ in 0..<100 { expectNearest(one | UInt128.random(in: 0..<one, using: &random)) }
      // In the middle between two doubles, and beside it.
      guard width > 53 else { continue }
      for odd: UInt128 in [0, 1] {
        let middle = one | odd << UInt128(width - 52) | 1 << UInt128(width - 53)
        for value in [middle - 1, middle, middle + 1] { expectNearest(value) }
      }
    }
    for value in [0, 1, .max, .max - 1] as [UInt128] { expectNearest(value) }
  }
}

/// By hand, in numbers that are wide enough for anything.
private func nearestPixel(to length: Length, scale: DisplayScale) -> Length {
  func rounded(_ numerator: Int128, _ denominator: Int128) -> Int128 {
    let magnitude = numerator.magnitude
    let (quotient, rest) = magnitude.quotientAndRemainder(dividingBy: denominator.magnitude)
    let nearest = Int128(quotient) + (rest * 2 >= denominator.magnitude ? 1 : 0)
    return numerator < 0 ? -nearest : nearest
  }
  let (pixelCount, extent) = (Int128(scale.pixels), Int128(scale.length))
  let pixels = rounded(Int128(length.millionths) * pixelCount, extent)
  return Length(saturating: rounded(pixels * extent, pixelCount))
}
