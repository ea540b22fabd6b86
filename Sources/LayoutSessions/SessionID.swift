/// What a session is called: 128 random bits, so that nobody guesses one.
public struct SessionID: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// Makes a new name.
  ///
  /// - Parameter generator: Where the bits come from.
  public init(using generator: inout some RandomNumberGenerator) {
    high = generator.next()
    low = generator.next()
  }

  /// Reads a name.
  ///
  /// - Parameter text: 32 lower-case hexadecimal digits; anything else is nil.
  public init?(_ text: Span<UInt8>) {
    guard text.count == 32 else { return nil }
    guard let high = SessionID.word(text.extracting(first: 16)),
      let low = SessionID.word(text.extracting(last: 16))
    else { return nil }
    self.high = high
    self.low = low
  }
}

extension SessionID {
  /// Bits to find it by in a table: random, and not for clients to choose.
  var randomBits: UInt64 { low }

  /// The value of sixteen digits.
  private static func word(_ text: Span<UInt8>) -> UInt64? {
    // Safe: bytes have no padding, and all of them are read as they are.
    let bytes = unsafe text.bytes
    guard let upper = half(bytes, at: 0), let lower = half(bytes, at: 8) else { return nil }
    return upper << 32 | lower
  }

  /// The value of eight digits, all at once: a byte of each word is a digit.
  private static func half(_ text: RawSpan, at place: Int) -> UInt64? {
    // Safe: checked against the span's end, and all bit patterns are integers.
    let bytes = UInt64(
      bigEndian: unsafe text.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self))
    let ones: UInt64 = 0x0101_0101_0101_0101
    guard bytes & (ones &* 0x80) == 0 else { return nil }
    // Bit 6 tells letters from digits; their low bits are 1 … 6.
    let letters = bytes >> 6 & ones
    let digits = bytes & (ones &* 0x0F) &+ letters &* 9
    // What the text would be if that were right, and letters were just the digits from ten.
    let expected = digits &+ ones &* 0x30 &+ letters &* UInt64(0x61 - 10 - 0x30)
    guard bytes == expected, digits & (ones &* 0xF0) == 0,
      (digits &+ ones &* 6) >> 4 & ones == letters
    else { return nil }
    // Neighbours are put together: 8 digits of 8 bits, 4 of 16, 2 of 32.
    var value = (digits | digits >> 4) & 0x00FF_00FF_00FF_00FF
    value = (value | value >> 8) & 0x0000_FFFF_0000_FFFF
    return (value | value >> 16) & 0xFFFF_FFFF
  }
}

extension SessionID: CustomStringConvertible {
  /// 32 lower-case hexadecimal digits.
  public var description: String {
    [high, low].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
