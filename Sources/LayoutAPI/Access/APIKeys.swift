import CGnuTLS

/// The keys that open the API, as an operator's file names them; only their hashes are ever known.
///
/// A line is `name:sha256-hex-of-key`. Empty lines and lines that begin with `#` say nothing. A name may
/// have several keys, so that one can be replaced while the other is still in use.
public struct APIKeys: Sendable {
  /// One key of one tenant.
  struct Entry: Sendable {
    let name: String
    let digest: KeyDigest
  }

  let entries: [Entry]

  /// Why a file of keys cannot be used; it names the line, if it is one line's fault, and never what stands there.
  public struct Failure: Error, Equatable {
    /// One sentence.
    public let message: String
  }

  /// The bytes that a name may have.
  private static let nameLength = 64
  /// So many people hand out by hand; a file of more is hardly one of keys.
  private static let keyCount = 1000

  /// Reads a file of keys.
  ///
  /// - Parameter text: What stands in it.
  /// - Throws: ``Failure``.
  public init(_ text: String) throws(Failure) {
    var entries: [Entry] = []
    var names: [KeyDigest: Substring] = [:]
    // Not at what else Unicode takes for the end of a line: that may stand in a comment.
    let lines = text.split(omittingEmptySubsequences: false) { ["\n", "\r\n", "\r"].contains($0) }
    for (index, line) in lines.enumerated() {
      let line = APIKeys.trimmed(line)
      if line.isEmpty || line.utf8.first == UInt8(ascii: "#") { continue }
      let parts = line.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, APIKeys.isName(parts[0]), let digest = KeyDigest(hex: parts[1]) else {
        throw Failure(message: "line \(index + 1) is not name:sha256-hex-of-key")
      }
      // Whoever has the key would be either of them, as chance has it.
      guard names.updateValue(parts[0], forKey: digest) ?? parts[0] == parts[0] else {
        throw Failure(message: "the key of line \(index + 1) has another name already")
      }
      entries.append(Entry(name: String(parts[0]), digest: digest))
    }
    guard !entries.isEmpty else { throw Failure(message: "there is no key in it") }
    guard entries.count <= APIKeys.keyCount else {
      throw Failure(message: "there are more than \(APIKeys.keyCount) keys in it")
    }
    self.entries = entries
  }

  private static func trimmed(_ line: Substring) -> Substring {
    let start = line.drop { $0 == " " || $0 == "\t" }
    guard let end = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
    return start[...end]
  }

  private static func isName(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.count <= nameLength
      && text.utf8.allSatisfy { $0.isLetterOrDigit || "-_.".utf8.contains($0) }
  }
}

/// A key's SHA-256, by which it is found in a table.
///
/// What is found is compared as a whole, in constant time. How long the search takes tells at most whether a
/// guess's digest falls to the same place of the table as that of some key, and places are drawn anew by each
/// process (`Hasher`). A text that is compared byte by byte could be guessed byte by byte; the bytes of a
/// digest are nobody's to choose, and whoever knew some of them would be no nearer to a key of 192 random bits,
/// as README makes them. No length is enforced: for a key out of a dictionary he could rule out guesses
/// without sending them. But such a key is found by sending them all, too.
struct KeyDigest: Hashable, Sendable {
  private var bytes = InlineArray<32, UInt8>(repeating: 0)

  /// Hashes a key; nil if the library cannot.
  init?(of key: Span<UInt8>) {
    // Safe: both are there for the length of the call, and SHA-256 has 32 bytes.
    let result = unsafe key.withUnsafeBufferPointer { key in
      var digest = bytes.mutableSpan
      return unsafe digest.withUnsafeMutableBufferPointer { digest in
        unsafe gnutls_hash_fast(GNUTLS_DIG_SHA256, key.baseAddress, key.count, digest.baseAddress)
      }
    }
    guard result == 0 else { return nil }
  }

  /// Reads 64 hexadecimal digits; nil for anything else.
  init?(hex: Substring) {
    guard hex.utf8.count == 64 else { return nil }
    for (index, digit) in hex.utf8.enumerated() {
      guard let value = digit.hexDigitValue else { return nil }
      bytes[index / 2] = bytes[index / 2] << 4 | UInt8(truncatingIfNeeded: value)
    }
  }

  /// Digests are as random as a hash can be: their first eight bytes tell them apart.
  func hash(into hasher: inout Hasher) {
    var first: UInt64 = 0
    for index in 0..<8 { first = first << 8 | UInt64(bytes[index]) }
    hasher.combine(first)
  }

  /// Whether they are equal; takes as long wherever they differ.
  static func == (left: KeyDigest, right: KeyDigest) -> Bool {
    // Safe: both have 32 bytes, and are there for the length of the call.
    unsafe left.bytes.span.withUnsafeBufferPointer { left in
      unsafe right.bytes.span.withUnsafeBufferPointer { right in
        unsafe gnutls_memcmp(left.baseAddress, right.baseAddress, 32) == 0
      }
    }
  }
}
