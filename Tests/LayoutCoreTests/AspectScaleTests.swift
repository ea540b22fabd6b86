import Testing

@testable import LayoutCore

/// Lengths of which only the breadth and width divided by height are known.
struct AspectScaleTests {
  private static let directions: [ScrollDirection] = [.vertical, .horizontal]

  /// A breadth and a ratio that doubles hold exactly, and what they come to in whole numbers.
  private struct Example {
    var breadth: Int64
    var count: Int64
    var part: Int64
    /// The ratio is the part divided by this.
    var whole: Int64

    init(_ random: inout SeededGenerator) {
      breadth = Int64(random.int(0...900_000_000))
      count = Int64(random.int(1...7))
      part = Int64(random.int(1...9))
      // Often a half, a quarter …: where middles are.
      whole = 1 << Int64(random.int(0...3))
    }

    var ratio: Double { Double(part) / Double(whole) }

    func fraction(_ direction: ScrollDirection) -> (numerator: Int64, denominator: Int64) {
      direction == .vertical
        ? (breadth * whole, count * part) : (breadth * part, count * whole)
    }
  }

  private func lengths(of ratios: [Double], _ scale: AspectScale) -> [Length] {
    [Int64](capacity: ratios.count) { scale.append(lengthsOf: ratios.span, to: &$0) }
      .map { Length(millionths: $0) }
  }

  @Test(arguments: seeds(200))
  func lengthsAreRoundedOnce(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let example = Example(&random)
      for direction in Self.directions {
        let scale = AspectScale(
          breadth: Double(example.breadth), over: Double(example.count), direction)
        let (numerator, denominator) = example.fraction(direction)
        let exact = Length(millionths: roundedQuotient(numerator, denominator))
        #expect(scale.length(example.ratio) == exact, "\(example)")
        #expect(
          lengths(of: Array(repeating: example.ratio, count: 4), scale)
            == Array(repeating: exact, count: 4), "\(example)")
      }
    }
  }

  @Test(arguments: seeds(200), [1, 2, 3, 1.234567, 4 / 3.0])
  func pixelsAreRoundedDown(seed: UInt64, displayScale: Double) throws {
    var random = SeededGenerator(seed: seed)
    let displayScale = try #require(DisplayScale(displayScale))
    for _ in 0..<20 {
      var example = Example(&random)
      example.breadth %= 10_000
      example.count = 1
      for direction in Self.directions {
        let scale = AspectScale(
          pixels: Double(example.breadth), scale: displayScale, direction)
        let (numerator, denominator) = example.fraction(direction)
        let exact = Length(pixels: Int128(numerator / denominator), scale: displayScale)
        #expect(scale.length(example.ratio) == exact, "\(example)")
        #expect(
          lengths(of: Array(repeating: example.ratio, count: 4), scale)
            == Array(repeating: exact, count: 4), "\(example)")
      }
    }
  }

  /// 0.3 is a decimal that doubles only approach.
  @Test func aHairUnderAPixelIsThatPixel() {
    for pixels in [3.0, 30, 300, 3000] {
      let scale = AspectScale(pixels: pixels, scale: DisplayScale(millionths: 2_000_000), .vertical)
      let ratio = 0.3
      for ratio in [ratio.nextDown, ratio, ratio.nextUp] {
        let length = Length(points: Int(pixels) * 5 / 3)
        #expect(scale.length(ratio) == length)
        #expect(
          lengths(of: Array(repeating: ratio, count: 4), scale)
            == Array(repeating: length, count: 4))
      }
    }
  }

  /// Four are worked out at a time, where that is sure to give what each gives alone.
  @Test(arguments: seeds(100))
  func manyAreAsEachAlone(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let odd: [Double] = [
      .leastNonzeroMagnitude, .leastNormalMagnitude, 1e-300, 1e-20, 1e-9, 0.25, 0.4, 0.5, 1, 2, 1e9,
      1e20, 1e300, .greatestFiniteMagnitude,
    ]
    let breadths: [Double] = [
      0, 1, 3, 99_999_999, 200_000_000, 1e12, 1_000_000_001, 9e18, Double(random.int(1...1 << 40)),
    ]
    let ratios = (0..<random.int(0...40)).map { _ in
      random.int(0...9) == 0
        ? odd[random.int(0...(odd.count - 1))]
        : Double(random.int(1...30_000)) / Double(random.int(1...20_000))
    }
    for direction in Self.directions {
      for breadth in breadths {
        for scale in [
          AspectScale(breadth: breadth, over: Double(random.int(1...100)), direction),
          AspectScale(pixels: breadth, scale: DisplayScale(millionths: 1), direction),
          AspectScale(pixels: breadth, scale: DisplayScale(millionths: 2_000_000), direction),
          AspectScale(
            pixels: breadth, scale: DisplayScale(millionths: 1_000_000_000_000), direction),
          AspectScale(pixels: breadth, scale: DisplayScale(millionths: .max), direction),
        ] {
          #expect(lengths(of: ratios, scale) == ratios.map(scale.length), "\(scale) \(ratios)")
        }
      }
    }
  }

  /// So many pixels that half of one is a hair.
  @Test func finePixelsAreAsEachAlone() {
    let scale = AspectScale(
      pixels: 1_000_000_001, scale: DisplayScale(millionths: 1_000_000_000_000), .vertical)
    #expect(lengths(of: [2, 2, 2, 2], scale) == Array(repeating: scale.length(2), count: 4))
  }

  @Test(arguments: [
    Double.leastNonzeroMagnitude, 1e-300, 1e-40, 1e40, 1e300, .greatestFiniteMagnitude,
  ])
  func extremeRatiosSaturate(ratio: Double) {
    for direction in Self.directions {
      let isEndless = (direction == .vertical) == (ratio < 1)
      for scale in [
        AspectScale(breadth: 100_000_000, over: 3, direction),
        AspectScale(pixels: 100, scale: DisplayScale(millionths: 2_000_000), direction),
      ] {
        #expect(scale.length(ratio) == (isEndless ? Length(millionths: .max) : 0))
      }
    }
  }
}
