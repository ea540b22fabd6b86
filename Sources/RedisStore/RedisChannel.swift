import CHiredis
import Glibc
import Synchronization

/// A connection: commands go out, replies come in.
///
/// hiredis connects, reads and understands replies. What goes out is sent here, so that it is known
/// whether all of a command has been: Redis executes nothing less. And no signal comes of a
/// connection that is closed.
@safe final class RedisChannel: Sendable {
  // Of one thread at a time: whoever has taken the connection out of the pool. Not Sendable for the
  // compiler because it is a C pointer.
  private nonisolated(unsafe) let context: UnsafeMutablePointer<redisContext>
  private let timeout: Duration
  private let isWorn = Atomic(false)

  /// What is longer may take longer, and leaves a connection with buffers of that size.
  private static let largeSize = 1 << 20

  /// So much is handed over at once: the system waits as long as for one piece with each that somebody takes.
  private static let pieceSize = 1 << 16

  /// Connects.
  ///
  /// - Parameters:
  ///   - endpoint: Where Redis listens.
  ///   - timeout: How long to wait for a connection, and later for each sign of life. Finding the
  ///     address of a name is as slow as the system's resolver.
  /// - Throws: ``RedisFailure/notDone(_:)``.
  init(to endpoint: RedisAddress.Endpoint, timeout: Duration) throws(RedisFailure) {
    let limit = timeval(timeout)
    let made: UnsafeMutablePointer<redisContext>?
    switch endpoint {
    // Safe: hiredis copies the texts.
    case .network(let host, let port):
      unsafe made = redisConnectWithTimeout(host, Int32(port), limit)
    case .socket(let path): unsafe made = redisConnectUnixWithTimeout(path, limit)
    }
    guard let made = unsafe made else { throw .notDone("there is no memory for a connection") }
    unsafe context = made
    self.timeout = timeout
    guard unsafe made.pointee.err == 0 else { throw .notDone(words) }
    let socket = unsafe made.pointee.fd
    // Other programs that this process may start have no business with it.
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    if case .network = endpoint {
      // hiredis does this only for connections that are not made at once.
      var isOn: Int32 = 1
      // Safe: the pointer is to a variable of this frame, with its size.
      _ = unsafe setsockopt(
        socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
      // Finds out about a host that is gone, for connections that nobody uses.
      _ = unsafe redisEnableKeepAlive(made)
    }
    guard unsafe redisSetTimeout(made, limit) == REDIS_OK else { throw .notDone(words) }
  }

  deinit { unsafe redisFree(context) }

  /// Whether nobody should use the connection again.
  var isWornOut: Bool { isWorn.load(ordering: .relaxed) }

  /// Whether the connection is there and nothing has come that nobody has asked for.
  var isQuiet: Bool {
    var byte: UInt8 = 0
    // Safe: the pointer is to a variable of this frame.
    let count = unsafe recv(context.pointee.fd, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
  }

  /// Lets nobody use the connection again.
  func wearOut() { isWorn.store(true, ordering: .relaxed) }

  /// Sends commands, and waits for as many replies.
  ///
  /// After a failure the connection must not be used again, and what the system has not sent yet never is: what
  /// was given up must not come true later, when somebody has asked what became of it.
  ///
  /// - Parameter commands: The commands.
  /// - Returns: Their replies, errors among them.
  /// - Throws: ``RedisFailure``, but no refusal.
  func exchange(_ commands: RedisCommands) throws(RedisFailure) -> [RedisReply] {
    do throws(RedisFailure) {
      return try replies(to: commands)
    } catch {
      // A connection that is closed in the ordinary way goes on sending for minutes.
      var atOnce = linger(l_onoff: 1, l_linger: 0)
      // Safe: the pointer is to a variable of this frame, with its size.
      _ = unsafe setsockopt(
        context.pointee.fd, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
      throw error
    }
  }

  private func replies(to commands: RedisCommands) throws(RedisFailure) -> [RedisReply] {
    // A second for each 16 MiB: they are sent, executed and perhaps put on a disk.
    let patience = timeout + .milliseconds(commands.bytes.count >> 14)
    if commands.bytes.count > RedisChannel.largeSize {
      wearOut()
      guard unsafe redisSetTimeout(context, timeval(patience)) == REDIS_OK else {
        throw .notDone(words)
      }
    }
    try send(commands.bytes, patience)
    let start = MonotonicTime.now
    var replies: [RedisReply] = []
    while replies.count < commands.count {
      replies.append(try receive(since: start, patience))
    }
    // Safe: the reader lives as long as the context.
    let reader = unsafe context.pointee.reader
    if let reader = unsafe reader, unsafe reader.pointee.len > reader.pointee.pos { wearOut() }
    return replies
  }

  private func send(_ bytes: [UInt8], _ patience: Duration) throws(RedisFailure) {
    let socket = unsafe context.pointee.fd
    let end = MonotonicTime.now + patience
    var start = 0
    while start < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        // Safe: within the buffer, which is there for the length of the call.
        let rest = unsafe UnsafeRawBufferPointer(
          rebasing: buffer[start...].prefix(RedisChannel.pieceSize))
        return unsafe Glibc.send(socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      }
      let failure = errno
      if count > 0 {
        start += count
      } else if count == 0 || failure != EINTR {
        throw .notDone(
          failure == EAGAIN ? "it takes nothing" : "the connection is lost (\(text(of: failure)))")
      }
      guard start == bytes.count || MonotonicTime.now < end else {
        throw .notDone("it takes too little")
      }
    }
  }

  private func receive(
    since start: Duration, _ patience: Duration
  ) throws(RedisFailure) -> RedisReply {
    var size = 0
    while true {
      var reply: UnsafeMutableRawPointer?
      guard unsafe redisGetReplyFromReader(context, &reply) == REDIS_OK else {
        throw .unanswered("its answer is not one of Redis (\(words))", isLost: false)
      }
      if let reply = unsafe reply {
        defer { unsafe freeReplyObject(reply) }
        // Safe: hiredis has made it, and it is freed after it has been copied.
        guard let copy = unsafe RedisReply(copying: reply.assumingMemoryBound(to: redisReply.self))
        else { throw .unanswered("its answer is of no known kind", isLost: false) }
        return copy
      }
      // What comes has to come at a mebibyte a second.
      let time = MonotonicTime.now - start
      guard time < patience + .milliseconds(size >> 10) else {
        throw .unanswered("no whole answer in \(time.milliseconds) ms", isLost: false)
      }
      size += try read()
      if size > RedisChannel.largeSize { wearOut() }
    }
  }

  /// Waits for more of a reply.
  ///
  /// - Returns: How many bytes have come.
  /// - Throws: ``RedisFailure/unanswered(_:isLost:)``.
  private func read() throws(RedisFailure) -> Int {
    // Safe: the reader lives as long as the context.
    let before = unsafe context.pointee.reader?.pointee.len ?? 0
    guard unsafe redisBufferRead(context) == REDIS_OK else {
      let failure = errno
      guard unsafe context.pointee.err == REDIS_ERR_IO, failure == EAGAIN else {
        throw .unanswered("the connection was lost before the answer (\(words))", isLost: true)
      }
      throw .unanswered("no answer in \(timeout.milliseconds) ms", isLost: false)
    }
    let after = unsafe context.pointee.reader?.pointee.len ?? 0
    return max(0, after - before)
  }

  /// What hiredis has to say.
  private var words: String {
    // Safe: the text is an array within the context, and ends with a NUL unless it is full.
    unsafe withUnsafeBytes(of: context.pointee.errstr) { bytes in
      unsafe RedisReply.words(bytes.prefix { $0 != 0 })
    }
  }
}

/// What the system says of an error.
private func text(of error: Int32) -> String {
  // Safe: the text is this thread's until its next call, and copied here.
  unsafe strerror(error).map { unsafe String(cString: $0) } ?? "error \(error)"
}
