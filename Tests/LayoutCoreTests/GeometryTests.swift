import LayoutCore
import Testing

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
}
