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
    guard let high = SessionID.word(text, at: 0), let low = SessionID.word(text, at: 16) else {
      return nil
    }
    self.high = high
    self.low = low
  }

  /// By half of it: all of it is chance, and not the client's.
  public func hash(into hasher: inout Hasher) { hasher.combine(low) }
}

extension SessionID {
  /// The value of sixteen digits, from a place on.
  private static func word(_ text: Span<UInt8>, at place: Int) -> UInt64? {
    // Safe: the caller has counted them.
    let high = unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
    let low = unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: place + 8, as: UInt64.self)
    guard let high = value(UInt64(bigEndian: high)), let low = value(UInt64(bigEndian: low)) else {
      return nil
    }
    return high << 32 | low
  }

  /// The value of eight digits, the first one highest, all at once: every request reads a name.
  private static func value(_ digits: UInt64) -> UInt64? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // Of what is a digit, letters have 0x40 and are 1 for "a".
    let values = (digits & (0x0F &* ones)) &+ (digits >> 6 & ones) &* 9
    let areLetters = (values &+ 6 &* ones) >> 4 & ones
    // Whatever else it was does not come out again.
    guard values & (0xF0 &* ones) == 0,
      values &+ UInt64(UInt8(ascii: "0")) &* ones &+ areLetters &* 39 == digits
    else { return nil }
    let pairs = (values | values >> 4) & 0x00FF_00FF_00FF_00FF
    let quadruples = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF
    return (quadruples | quadruples >> 16) & 0xFFFF_FFFF
  }
}

extension SessionID: CustomStringConvertible {
  /// 32 lower-case hexadecimal digits.
  public var description: String { high.hexadecimalDigits + low.hexadecimalDigits }
}

extension UInt64 {
  /// 16 lower-case hexadecimal digits: all numbers have one width, so that nothing has to say where they end.
  package var hexadecimalDigits: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
