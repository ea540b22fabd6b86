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
  /// The value of sixteen digits.
  private static func word(_ digits: Span<UInt8>) -> UInt64? {
    var word: UInt64 = 0
    for place in digits.indices {
      let byte = digits[place]
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
      word = word << 4 | UInt64(digit)
    }
    return word
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
