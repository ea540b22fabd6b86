/// Tells bytes from others that they have become by accident, or in another build.
enum Checksum {
  /// The sum of bytes: FNV-1a over words of eight of them.
  static func of(_ text: Span<UInt8>) -> UInt64 {
    // Safe: bytes have no padding, and all of them are read as they are.
    let bytes = unsafe text.bytes
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    var place = 0
    while place + 8 <= text.count {
      // Safe: checked against the end, and all bit patterns are integers.
      let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
      sum = (sum ^ UInt64(littleEndian: word)) &* 0x100_0000_01b3
      // A product's upper bits depend on all of them, its lower ones do not.
      sum ^= sum >> 29
      place += 8
    }
    while place < text.count {
      sum = (sum ^ UInt64(text[place])) &* 0x100_0000_01b3
      place += 1
    }
    return sum ^ sum >> 32
  }
}
