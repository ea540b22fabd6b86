import Glibc

extension UInt8 {
  /// Whether this byte is a decimal digit.
  var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

  /// Whether this byte is a letter or a decimal digit of ASCII.
  var isLetterOrDigit: Bool {
    // One bit tells the cases of letters apart.
    isDigit || UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20
  }

  /// What this byte is worth as a hexadecimal digit; nil if it is none.
  var hexDigitValue: Int? { Character(Unicode.Scalar(self)).hexDigitValue }
}

extension Span<UInt8> {
  /// These bytes as UTF-8.
  var string: String {
    // Safe: the buffer is used during the call only.
    unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// Whether these bytes are a text.
  func isEqual(to text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && starts(with: text)
  }

  /// Whether these bytes are the same as others.
  func isEqual(to other: Span<UInt8>) -> Bool {
    count == other.count && indices.allSatisfy { self[$0] == other[$0] }
  }

  /// Whether these bytes begin with a text.
  @inline(__always)
  func starts(with text: StaticString) -> Bool {
    // Safe: a static string's bytes live as long as the process.
    unsafe has(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount), at: 0)
  }

  /// Whether these bytes begin with a text, of which ASCII letters may be of the other case.
  func starts(withAnyCaseOf text: StaticString) -> Bool {
    guard count >= text.utf8CodeUnitCount else { return false }
    if starts(with: text) { return true }
    // A static string's bytes live as long as the process.
    let wanted = unsafe Span(_unsafeStart: text.utf8Start, count: text.utf8CodeUnitCount)
    for index in wanted.indices where self[index] != wanted[index] {
      guard self[index] ^ wanted[index] == 0x20,
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= wanted[index] | 0x20
      else { return false }
    }
    return true
  }

  /// Whether other bytes are here, from a place on that is not beyond the end.
  @inline(__always)
  @unsafe func has(_ other: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
    guard count - place >= other.count else { return false }
    guard let wanted = other.baseAddress, !other.isEmpty else { return true }
    // Safe: checked above; no empty buffer has so many bytes.
    return unsafe withUnsafeBufferPointer { bytes in
      unsafe bytes.baseAddress.map { unsafe memcmp($0 + place, wanted, other.count) == 0 } ?? false
    }
  }

  /// The first place with a byte, from one on; the end if there is none.
  func firstIndex(of byte: UInt8, from place: Int) -> Int {
    // Safe: no more is searched than there is, and what is found lies there.
    unsafe withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress, indices.contains(place),
        let found = unsafe memchr(start + place, Int32(byte), count - place)
      else { return count }
      return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }
  }
}
