import LayoutCore
import Testing

struct DisplayScaleTests {
  @Test(arguments: [
    // As displays and browsers say it: with all digits of a Double, and with those of a Float.
    (1.3333333333333333, 4, 3), (1.3333333730697632, 4, 3), (0.33333334, 1, 3),
    (0.6666666666666666, 2, 3), (0.8333333134651184, 5, 6), (1.100000023841858, 11, 10),
    (2.549999952316284, 51, 20),
  ])
  func fractionsAreExact(said: Double, pixels: Int64, points: Int64) throws {
    let scale = try #require(DisplayScale(said))
    for count in [1, 7, 1_000_001] as [Int64] {
      let length = Length(millionths: points * count * 1_000_000)
      #expect(length.rounded(toScale: scale) == length)
      // The next pixel, as far on as there is room for.
      let pixel = Length(millionths: (points * 1_000_000 * 2 + pixels) / (pixels * 2))
      let next = length + pixel
      #expect(next.rounded(toScale: scale) == next)
    }
  }

  @Test(arguments: [0.000001, 0.333333, 1, 1.1, 1.333333, 2, 2.625, 3.000001, 99.999999, 100])
  func decimalsAreWhatTheyAre(scale: Double) {
    let millionths = Int64((scale * 1e6).rounded())
    #expect(DisplayScale(scale) == DisplayScale(millionths: millionths))
  }

  @Test(arguments: [0.3333331, 0.33333366, 1.3333336, 1.3333329, 2.71828182845, 0.0000014])
  func whatIsNearNoFractionHasSixDecimals(scale: Double) {
    let millionths = Int64((scale * 1e6).rounded())
    #expect(DisplayScale(scale) == DisplayScale(millionths: millionths))
  }

  @Test(arguments: [0, -1, 0.0000004, -Double.infinity])
  func nothingIsNone(scale: Double) { #expect(DisplayScale(scale) == nil) }

  @Test(arguments: seeds(50))
  func itsValueIsReadAsTheSame(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let denominator = Double(random.int(1...64))
      let fraction = Double(random.int(1...640)) / denominator
      let any = Double.random(in: 0.01...100, using: &random)
      for said in [fraction, Double(Float(fraction)), any] {
        let scale = try #require(DisplayScale(said))
        #expect(DisplayScale(scale.value) == scale)
        #expect((scale.value - said).magnitude <= max(5.1e-7, said * 1e-7))
      }
    }
  }
}
