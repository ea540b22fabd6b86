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
    var words: (UInt64, UInt64) = (0, 0)
    for index in text.indices {
      let digit: UInt64
      switch text[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt64(text[index] - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"):
        digit = UInt64(text[index] - UInt8(ascii: "a")) + 10
      default: return nil
      }
      if index < 16 { words.0 = words.0 << 4 | digit } else { words.1 = words.1 << 4 | digit }
    }
    high = words.0
    low = words.1
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
