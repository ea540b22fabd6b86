/// By what lengths of 32 bits are scaled to the width of a column.
///
/// In doubles, where those are sure enough; what lies too near to the middle between two results is
/// divided once more, in whole numbers.
enum ColumnRatio {
  case plain(PlainRatio)
  case pixels(PixelRatio)

  /// Whether some lengths can be scaled so.
  func fits(lengthsUpTo greatest: Length, breadthsFrom least: Length) -> Bool {
    switch self {
    case .plain(let ratio): ratio.fits(lengthsUpTo: greatest, breadthsFrom: least)
    case .pixels(let ratio): ratio.fits(lengthsUpTo: greatest, breadthsFrom: least)
    }
  }

  /// Scales one length that fits, in millionths.
  @inline(__always)
  func scale(_ length: UInt32, over breadth: UInt32) -> Int64 {
    switch self {
    case .plain(let ratio): ratio.scale(length, over: breadth)
    case .pixels(let ratio): ratio.scale(length, over: breadth)
    }
  }
}

/// Scales lengths one by one in whole numbers, or four at a time without a branch.
protocol LengthScaling {
  /// A scaled length, in millionths; of one that fits.
  func scale(_ length: UInt32, over breadth: UInt32) -> Int64

  /// Four scaled lengths before they are rounded, each off by less than a ten thousandth.
  func quotients(_ lengths: SIMD4<Double>, over breadths: SIMD4<Double>) -> SIMD4<Double>
}

extension SIMD4<Double> {
  /// Takes four numbers that exist.
  @inline(__always)
  init(fourOf numbers: Span<UInt32>, from index: Int) {
    unsafe self.init(
      Double(numbers[unchecked: index]), Double(numbers[unchecked: index &+ 1]),
      Double(numbers[unchecked: index &+ 2]), Double(numbers[unchecked: index &+ 3]))
  }
}

/// Quotients of doubles, rounded half up to whole numbers.
///
/// Below 2³⁶ such a quotient is off by less than a ten thousandth: rounded it is right, unless it lies
/// as near to the middle between two numbers as that. Adding 2⁵² rounds a double to a whole number,
/// and leaves that in its low bits.
struct RoundedQuotients {
  let values: SIMD4<Int64>
  /// Whether none of them is near a middle.
  let areSure: Bool

  @inline(__always)
  init(_ quotients: SIMD4<Double>) {
    let rounded = quotients + 0x1p52
    values =
      SIMD4<Int64>(
        Int64(bitPattern: rounded[0].bitPattern), Int64(bitPattern: rounded[1].bitPattern),
        Int64(bitPattern: rounded[2].bitPattern), Int64(bitPattern: rounded[3].bitPattern))
      & (1 << 52 - 1)
    let rests = quotients - (rounded - 0x1p52)
    areSure = all(rests * rests .< SIMD4(repeating: 0.4999 * 0.4999))
  }

  /// What they are sure below.
  static var limit: Int64 { 1 << 36 }
}

/// `length · width / (breadth · columnCount)`.
struct PlainRatio: LengthScaling {
  private let width: Int64
  private let columnCount: Int64
  private let factor: Double

  init(width: Int64, columnCount: Int64) {
    self.width = width
    self.columnCount = columnCount
    factor = Double(width) / Double(columnCount)
  }

  fileprivate func fits(lengthsUpTo greatest: Length, breadthsFrom least: Length) -> Bool {
    let (product, overflow) = width.multipliedReportingOverflow(by: greatest.millionths)
    return !overflow && least > .zero && width < 1 << 53
      && product / least.millionths / columnCount < RoundedQuotients.limit
  }

  @inline(__always)
  func scale(_ length: UInt32, over breadth: UInt32) -> Int64 {
    roundedQuotient(width &* Int64(length), Int64(breadth) &* columnCount)
  }

  @inline(__always)
  func quotients(_ lengths: SIMD4<Double>, over breadths: SIMD4<Double>) -> SIMD4<Double> {
    lengths * factor / breadths
  }
}

/// `length · pixels / breadth`, rounded down to pixels, in points.
struct PixelRatio: LengthScaling {
  /// The width in pixels.
  private let width: Int64
  private let scale: DisplayScale
  /// Millionths of a point in a pixel.
  private let unit: Double

  init(width: Int64, scale: DisplayScale) {
    self.width = width
    self.scale = scale
    unit = Double(scale.length) / Double(scale.pixels)
  }

  fileprivate func fits(lengthsUpTo greatest: Length, breadthsFrom least: Length) -> Bool {
    let (product, overflow) = width.multipliedReportingOverflow(by: greatest.millionths)
    return !overflow && least > .zero && product < 1 << 52
      && Double(product / least.millionths) * unit < Double(RoundedQuotients.limit)
  }

  @inline(__always)
  func scale(_ length: UInt32, over breadth: UInt32) -> Int64 {
    let pixels = width &* Int64(length) / Int64(breadth)
    return Length(pixels: Int128(pixels), scale: scale).millionths
  }

  @inline(__always)
  func quotients(_ lengths: SIMD4<Double>, over breadths: SIMD4<Double>) -> SIMD4<Double> {
    // Both are exact as doubles, so that the quotient is rounded once, by less than it lies below a
    // whole number: that would be `1 / breadth` at least, and the product is below 2⁵².
    let quotients = lengths * Double(width) / breadths
    // Rounded down; not every processor has an instruction for that.
    let nearest = (quotients + 0x1p52) - 0x1p52
    return nearest.replacing(with: nearest - 1, where: nearest .> quotients) * unit
  }
}

extension ColumnGrid {
  /// By what lengths are scaled.
  var ratio: ColumnRatio? {
    if let scale = displayScale {
      return wholePixels.map { .pixels(PixelRatio(width: $0, scale: scale)) }
    }
    return plainNumerator.map { .plain(PlainRatio(width: $0, columnCount: Int64(count))) }
  }
}
