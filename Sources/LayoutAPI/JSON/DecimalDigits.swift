/// Eight decimal digits of a number, one in each byte, the first digit in the lowest byte.
///
/// All digits are found at once: the number is split into halves, quarters and eighths, each step
/// in all lanes of one word (as in Paul Khuong, "How to print integers really fast", 2017).
struct DecimalDigits {
  private let lanes: UInt64

  /// - Precondition: `value` < 10^8.
  @inline(__always)
  init(_ value: UInt32) {
    let halves = UInt64(value / 10_000) | UInt64(value % 10_000) << 32
    let hundreds = (halves &* 10_486) >> 20 & 0x0000_007F_0000_007F
    let quarters = hundreds | (halves &- hundreds &* 100) << 16
    let tens = (quarters &* 103) >> 10 & 0x000F_000F_000F_000F
    lanes = tens | (quarters &- tens &* 10) << 8
  }

  /// All eight digits as text, the first in the lowest byte.
  @inline(__always)
  var text: UInt64 { lanes | 0x3030_3030_3030_3030 }

  /// How many zeros come last.
  @inline(__always)
  var trailingZeros: Int { lanes.leadingZeroBitCount / 8 }

  /// How many digits a number has, 1 to 8.
  ///
  /// - Precondition: `value` < 10^8.
  @inline(__always)
  static func count(_ value: UInt32) -> Int {
    1 &+ (value >= 10 ? 1 : 0) &+ (value >= 100 ? 1 : 0) &+ (value >= 1_000 ? 1 : 0)
      &+ (value >= 10_000 ? 1 : 0) &+ (value >= 100_000 ? 1 : 0) &+ (value >= 1_000_000 ? 1 : 0)
      &+ (value >= 10_000_000 ? 1 : 0)
  }
}
