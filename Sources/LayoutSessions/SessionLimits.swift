/// How many sessions there may be, and for how long.
public struct SessionLimits: Sendable {
  /// A session that nobody asks for so long is forgotten.
  public var idleTime: Duration
  /// Past so many, the least recently used leave.
  public var sessionCount: Int
  /// Past so many bytes, the least recently used leave.
  public var byteCount: Int
  /// Past so many of one owner, no new ones of that owner are kept.
  public var sessionCountPerOwner: Int
  /// Past so many bytes of one owner, no new sessions of that owner are kept, nor such as have grown.
  public var byteCountPerOwner: Int
  /// Past so many threads that wait for others to have done with sessions, no more wait.
  public var waitingThreadCount: Int

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - idleTime: How long an unused session is kept.
  ///   - sessionCount: How many there may be, at least 1.
  ///   - byteCount: How many bytes they may take together.
  ///   - sessionCountPerOwner: How many one owner may have.
  ///   - byteCountPerOwner: How many bytes those of one owner may take together.
  ///   - waitingThreadCount: How many threads may wait for others to have done with sessions.
  public init(
    idleTime: Duration = .seconds(3600), sessionCount: Int = 10_000,
    byteCount: Int = 1024 * 1024 * 1024, sessionCountPerOwner: Int = .max,
    byteCountPerOwner: Int = .max, waitingThreadCount: Int = .max
  ) {
    self.idleTime = idleTime
    self.sessionCount = sessionCount
    self.byteCount = byteCount
    self.sessionCountPerOwner = sessionCountPerOwner
    self.byteCountPerOwner = byteCountPerOwner
    self.waitingThreadCount = waitingThreadCount
  }
}
