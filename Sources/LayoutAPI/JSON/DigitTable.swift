/// The decimal digits of 0 … 999, in groups of three, ready to be stored.
///
/// Numbers on the wire have one to three such groups as a rule. To load one is a sixth of the work of
/// finding its digits, and all of them fit into the first cache.
@safe struct DigitTable: Sendable {
  // Written once, before anybody reads it, and never freed.
  private nonisolated(unsafe) let words: UnsafePointer<UInt32>

  static let shared = DigitTable()

  private init() {
    let words = UnsafeMutablePointer<UInt32>.allocate(capacity: 1000)
    for value in 0..<1000 {
      let digits = [value / 100, value / 10 % 10, value % 10]
      var word: UInt32 = 0
      for (place, digit) in digits.enumerated() {
        word |= (0x30 + UInt32(digit)) << UInt32(place * 8)
      }
      let leading = digits.dropLast().prefix { $0 == 0 }.count
      let trailing = digits.reversed().prefix { $0 == 0 }.count
      word |= UInt32(leading) << 24 | UInt32(trailing) << 28
      // Safe: there is room for 1000.
      unsafe (words + value).initialize(to: word)
    }
    unsafe self.words = UnsafePointer(words)
  }

  /// Three digits.
  struct Group {
    fileprivate let word: UInt32

    /// All three, one in each byte, the first in the lowest; the fourth byte is anything.
    @inline(__always)
    var text: UInt32 { word }

    /// How many zeros come first, the last digit not counted.
    @inline(__always)
    var leadingZeros: Int { Int(word >> 24 & 3) }

    /// How many zeros come last.
    @inline(__always)
    var trailingZeros: Int { Int(word >> 28) }
  }

  /// The digits of a number.
  ///
  /// - Precondition: `value` < 1000.
  @inline(__always)
  subscript(value: UInt64) -> Group {
    assert(value < 1000)
    // Safe: there are 1000.
    return unsafe Group(word: words[Int(truncatingIfNeeded: value)])
  }
}
