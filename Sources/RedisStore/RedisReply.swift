import CHiredis

/// What Redis answers to a command.
enum RedisReply: Equatable {
  case null
  case integer(Int)
  /// A string, or a status such as OK.
  case bytes([UInt8])
  case array([RedisReply])
  /// An error, in words fit for a log.
  case error(String)

  /// Copies a reply.
  ///
  /// Its depth is bounded: hiredis reads no more than a handful of arrays inside each other.
  ///
  /// - Parameter reply: What hiredis has read; nil if it is of no known kind.
  init?(copying reply: UnsafePointer<redisReply>) {
    // Safe: hiredis has made it, with as many bytes and elements as it says.
    let type = unsafe reply.pointee.type
    switch type {
    case REDIS_REPLY_NIL: self = .null
    case REDIS_REPLY_INTEGER: self = .integer(Int(unsafe reply.pointee.integer))
    case REDIS_REPLY_STRING, REDIS_REPLY_STATUS:
      self = .bytes(unsafe Array(RedisReply.bytes(of: reply)))
    case REDIS_REPLY_ERROR:
      self = .error(unsafe RedisReply.words(RedisReply.bytes(of: reply)))
    case REDIS_REPLY_ARRAY:
      let elements = unsafe UnsafeBufferPointer(
        start: reply.pointee.element, count: reply.pointee.elements)
      var copies: [RedisReply] = []
      copies.reserveCapacity(elements.count)
      for index in elements.indices {
        guard let element = unsafe elements[index],
          let copy = unsafe RedisReply(copying: element)
        else { return nil }
        copies.append(copy)
      }
      self = .array(copies)
    default: return nil
    }
  }

  private static func bytes(of reply: UnsafePointer<redisReply>) -> UnsafeRawBufferPointer {
    // Safe: as above; a text that is not there has no bytes.
    let start = unsafe UnsafeRawPointer(reply.pointee.str)
    return unsafe UnsafeRawBufferPointer(
      start: start, count: start == nil ? 0 : reply.pointee.len)
  }

  /// The beginning of somebody else's words, on one line.
  ///
  /// - Parameter bytes: The words.
  /// - Returns: As much of them as a log should have.
  static func words(_ bytes: some Sequence<UInt8>) -> String {
    String(
      decoding: bytes.prefix(200).map { (0x20...0x7E).contains($0) ? $0 : 0x20 }, as: UTF8.self)
  }
}
