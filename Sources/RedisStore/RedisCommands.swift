/// Commands as they are sent, one after the other.
///
/// hiredis could write them; but it counts lengths in 32 bits, and would have to be lent all of the
/// words at once.
struct RedisCommands {
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0

  /// The longest word that Redis takes, unless it is told otherwise.
  static let longestWord = 512 << 20

  /// Adds a command.
  ///
  /// - Parameter words: Its name and arguments: any bytes.
  mutating func append(_ words: [[UInt8]]) {
    let size = words.reduce(32) { $0 + $1.count + 32 }
    if size > 4096 { bytes.reserveCapacity(bytes.count + size) }
    count += 1
    bytes.append(contentsOf: "*\(words.count)\r\n".utf8)
    for word in words {
      bytes.append(contentsOf: "$\(word.count)\r\n".utf8)
      bytes.append(contentsOf: word)
      bytes.append(contentsOf: "\r\n".utf8)
    }
  }

  /// Adds a command of texts.
  ///
  /// - Parameter words: Its name and arguments.
  mutating func append(_ words: [String]) { append(words.map { Array($0.utf8) }) }
}
