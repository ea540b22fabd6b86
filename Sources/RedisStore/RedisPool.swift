import Synchronization

/// Connections to one Redis: so many, made when they are needed, each for one thread at a time.
final class RedisPool: Sendable {
  private struct State {
    var idle: [RedisConnection] = []
    /// How often all connections were let go of; those of an earlier age do not come back.
    var age = 0
    var outage = RedisOutage()
    var isClosed = false
  }

  private let address: RedisAddress
  private let timeout: Duration
  private let limit: Int
  private let state = Mutex(State())
  private let places: Places

  /// Makes a pool, and no connection.
  ///
  /// - Parameters:
  ///   - address: Where Redis is.
  ///   - timeout: How long to wait for a connection of the pool, for a new one, and for answers.
  ///   - limit: How many there may be, at least 1.
  init(address: RedisAddress, timeout: Duration, limit: Int) {
    self.address = address
    self.timeout = timeout
    self.limit = max(1, min(limit, 65_536))
    places = Places(count: self.limit)
  }

  /// Lends a connection.
  ///
  /// - Parameter body: What uses it; if it throws, the connection is closed.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws, and ``RedisFailure/notDone(_:)``.
  func withConnection<Result>(
    _ body: (RedisConnection) throws(RedisFailure) -> Result
  ) throws(RedisFailure) -> Result {
    try takePlace()
    defer { places.giveBack() }
    let connection = try takeConnection()
    let result: Result
    do {
      result = try body(connection)
    } catch {
      // The others end where this one did, and would leave more that is uncertain; a new one begins
      // with a greeting.
      if case .unanswered = error { letGo(of: connection.age) }
      throw error
    }
    state.withLock { state in
      if !state.isClosed, connection.age == state.age, !connection.channel.isWornOut {
        state.idle.append(connection)
      }
    }
    return result
  }

  /// Has nobody use a connection again that there is by now: what comes later is asked of whoever the address leads
  /// to then.
  ///
  /// - Parameter age: Of which they are. Where others have been made since, nothing is known of those, and they stay;
  ///   nil for whatever there is.
  func letGo(of age: Int? = nil) {
    // They are closed after the lock is released.
    let idle = state.withLock { state -> [RedisConnection] in
      guard age == nil || age == state.age else { return [] }
      defer { state.idle = [] }
      state.age &+= 1
      return state.idle
    }
    _ = consume idle
  }

  /// Closes what nobody uses, and what is used as soon as it no longer is; who waits is told.
  func close() {
    places.close()
    state.withLock { $0.isClosed = true }
    letGo()
  }

  private func takePlace() throws(RedisFailure) {
    switch places.take(within: timeout) {
    case .taken: return
    case .closed: throw .notDone("the store is closed")
    case .none:
      throw .notDone("all connections (\(limit)) have been busy for \(timeout.milliseconds) ms")
    }
  }

  private func takeConnection() throws(RedisFailure) -> RedisConnection {
    if let connection = idleConnection() { return connection }
    return try newConnection()
  }

  /// One that somebody has used before, and that is still there; the most recently used is the
  /// likeliest.
  private func idleConnection() -> RedisConnection? {
    while let connection = state.withLock({ $0.idle.popLast() }) {
      if connection.channel.isQuiet { return connection }
    }
    return nil
  }

  private func newConnection() throws(RedisFailure) -> RedisConnection {
    let (attempt, age) = try state.withLock { (state) throws(RedisFailure) in
      (try state.outage.begin(at: MonotonicTime.now), state.age)
    }
    do {
      let connection = try RedisConnection(to: address, timeout: timeout, age: age)
      state.withLock { $0.outage.succeed() }
      return connection
    } catch {
      let chance = Double.random(in: 0...1)
      state.withLock {
        $0.outage.fail(attempt, error.words, at: MonotonicTime.now, chance: chance)
      }
      throw error
    }
  }
}
