/// When to try again to reach a Redis that cannot be reached.
///
/// Most who ask meanwhile are told so at once: nobody's threads wait for what has just failed.
struct RedisOutage {
  private var failureCount = 0
  private var nextTry = Duration.zero
  private var isTrying = false
  private var words = ""

  /// A try to connect; it has to be said what came of it.
  struct Attempt {
    fileprivate var failureCount: Int
  }

  private static let shortestPause = Duration.milliseconds(50)
  /// What clients are told to wait (`Retry-After`): whoever does so finds that Redis has been tried again.
  private static let longestPause = Duration.seconds(1)

  /// Asks whether to try.
  ///
  /// - Parameter now: The time.
  /// - Returns: The try.
  /// - Throws: ``RedisFailure/notDone(_:)`` if it is too early, or somebody else tries.
  mutating func begin(at now: Duration) throws(RedisFailure) -> Attempt {
    guard failureCount > 0 else { return Attempt(failureCount: 0) }
    guard now >= nextTry else {
      throw .notDone("\(words); the next try is in \((nextTry - now).milliseconds + 1) ms")
    }
    guard !isTrying else { throw .notDone("\(words); it is being tried again") }
    isTrying = true
    return Attempt(failureCount: failureCount)
  }

  /// Says that a try has come to a connection: the outage is over.
  mutating func succeed() { self = RedisOutage() }

  /// Says that a try has failed.
  ///
  /// - Parameters:
  ///   - attempt: The try; only the first of those that were made at once counts.
  ///   - words: Why.
  ///   - now: The time.
  ///   - chance: From 0 to 1, by chance: servers that lost one Redis shall not all come back to it at
  ///     once.
  mutating func fail(
    _ attempt: Attempt, _ words: String, at now: Duration, chance: Double
  ) {
    guard attempt.failureCount == failureCount else { return }
    let pause = RedisOutage.shortestPause * (1 << min(failureCount, 5))
    failureCount += 1
    isTrying = false
    self.words = words
    nextTry = now + min(pause, RedisOutage.longestPause) * (0.75 + chance / 4)
  }
}
