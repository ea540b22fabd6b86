import Glibc
import LayoutSessions
import Testing

@testable import RedisStore

/// All that is asked of a real Redis.
@Suite(.waits) enum RedisTests {}

/// A name that nobody else has.
func newID() -> SessionID {
  var generator = SystemRandomNumberGenerator()
  return SessionID(using: &generator)
}

/// Bytes of a text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

extension RedisServer {
  /// A store as a server has one; nothing is so slow here that it should run into its timeout.
  func store(
    timeToLive: Duration = .seconds(3600), timeout: Duration = .seconds(60),
    connectionLimit: Int = 4
  ) throws -> RedisStore {
    RedisStore(
      address: try RedisAddress(url: url), timeToLive: timeToLive, timeout: timeout,
      connectionLimit: connectionLimit)
  }

  /// A number that it answers.
  func number(_ words: String...) throws -> Int {
    guard case .integer(let number) = try RedisServer.run(words, at: socket) else {
      throw Failure(description: "no number for \(words)")
    }
    return number
  }

  /// All that it keeps of a session.
  func contents(of id: SessionID) throws -> [RedisReply] {
    let keys = RedisKeys(id)
    return [try run("HGETALL", keys.session), try run("LRANGE", keys.changes, "0", "-1")]
  }
}

/// What a store says when it does not do something; nil if it does.
func error(of body: () throws(StoreError) -> Void) -> StoreError? {
  do {
    try body()
    return nil
  } catch {
    return error
  }
}

/// How long something takes.
func time(_ body: () throws -> Void) rethrows -> Duration {
  let start = MonotonicTime.now
  try body()
  return MonotonicTime.now - start
}

/// Does something on threads, and waits for them.
///
/// - Parameters:
///   - count: How many threads.
///   - body: What each does; it is told which one it is.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  final class Work: Sendable {
    let index: Int
    let body: @Sendable (Int) -> Void
    init(_ index: Int, _ body: @escaping @Sendable (Int) -> Void) {
      self.index = index
      self.body = body
    }
  }
  let threads = (0..<count).map { index in
    var thread = pthread_t()
    let work = unsafe Unmanaged.passRetained(Work(index, body))
    // Safe: the thread takes over what was retained.
    let failure = unsafe pthread_create(
      &thread, nil,
      { context in
        if let context = unsafe context {
          let work = unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
          work.body(work.index)
        }
        return nil
      }, work.toOpaque())
    precondition(failure == 0, "no thread")
    return thread
  }
  for thread in threads { _ = pthread_join(thread, nil) }
}
