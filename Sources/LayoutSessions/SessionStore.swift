import Synchronization

/// How many sessions there may be, and for how long.
public struct SessionLimits: Sendable {
  /// A session that nobody asks for so long is forgotten.
  public var idleTime: Duration
  /// Past so many, the least recently used leave.
  public var sessionCount: Int
  /// Past so many bytes, the least recently used leave.
  public var byteCount: Int

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - idleTime: How long an unused session is kept.
  ///   - sessionCount: How many there may be, at least 1.
  ///   - byteCount: How many bytes they may take together.
  public init(
    idleTime: Duration = .seconds(3600), sessionCount: Int = 10_000,
    byteCount: Int = 1024 * 1024 * 1024
  ) {
    self.idleTime = idleTime
    self.sessionCount = sessionCount
    self.byteCount = byteCount
  }
}

/// Why a session cannot be kept.
public enum SessionError: Error, Hashable {
  /// It alone takes more than all sessions may.
  case tooLarge(byteCount: Int, limit: Int)
}

/// The sessions in memory, by name; the least recently used leave first.
///
/// The lock guards the table only, never a session.
public final class SessionStore: Sendable {
  private let limits: SessionLimits
  private let table: Mutex<Table>

  /// Makes an empty store.
  ///
  /// - Parameter limits: How many sessions there may be, and for how long.
  public init(limits: SessionLimits = SessionLimits()) {
    self.limits = limits
    table = Mutex(Table())
  }

  /// Keeps a session; others leave if there is no room.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - now: The time on any clock that never goes back.
  /// - Throws: ``SessionError/tooLarge(byteCount:limit:)``.
  public func insert(_ session: Session, at now: Duration) throws(SessionError) {
    let byteCount = session.byteCount
    guard byteCount <= limits.byteCount else {
      throw .tooLarge(byteCount: byteCount, limit: limits.byteCount)
    }
    // Sessions that leave are freed after the lock is released: that may take long.
    var left: [Session] = []
    table.withLock { table in
      table.insert(session, byteCount: byteCount, at: now)
      table.removeIdle(since: now - limits.idleTime, into: &left)
      while table.count > limits.sessionCount || table.byteCount > limits.byteCount {
        table.removeLeastRecentlyUsed(into: &left)
      }
    }
  }

  /// Finds a session and marks it as used.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - now: The time.
  /// - Returns: The session, or nil if there is none of this name any more.
  /// - Complexity: O(1), amortised.
  public func session(_ id: SessionID, at now: Duration) -> Session? {
    var left: [Session] = []
    return table.withLock { table in
      table.removeIdle(since: now - limits.idleTime, into: &left)
      return table.use(id, at: now)
    }
  }

  /// Forgets a session.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - now: The time.
  /// - Returns: Whether there was one.
  public func remove(_ id: SessionID, at now: Duration) -> Bool {
    var left: [Session] = []
    return table.withLock { table in
      table.removeIdle(since: now - limits.idleTime, into: &left)
      return table.remove(id, into: &left)
    }
  }

  /// How many sessions there are, and how many bytes they take.
  public var usage: (sessionCount: Int, byteCount: Int) {
    table.withLock { ($0.count, $0.byteCount) }
  }
}

/// Sessions in a dictionary and in a list from the most to the least recently used.
private struct Table {
  private struct Entry {
    var session: Session
    var byteCount: Int
    var lastUse: Duration
    var newer: SessionID?
    var older: SessionID?
  }

  private var entries: [SessionID: Entry] = [:]
  private var newest: SessionID?
  private var oldest: SessionID?
  private(set) var byteCount = 0

  var count: Int { entries.count }

  mutating func insert(_ session: Session, byteCount: Int, at now: Duration) {
    entries[session.id] = Entry(session: session, byteCount: byteCount, lastUse: now)
    self.byteCount += byteCount
    linkAsNewest(session.id)
  }

  mutating func use(_ id: SessionID, at now: Duration) -> Session? {
    guard let session = entries[id]?.session else { return nil }
    entries[id]?.lastUse = now
    if newest != id {
      unlink(id)
      linkAsNewest(id)
    }
    return session
  }

  mutating func remove(_ id: SessionID, into left: inout [Session]) -> Bool {
    guard let entry = entries[id] else { return false }
    unlink(id)
    entries[id] = nil
    byteCount -= entry.byteCount
    left.append(entry.session)
    return true
  }

  mutating func removeLeastRecentlyUsed(into left: inout [Session]) {
    guard let oldest else { return }
    _ = remove(oldest, into: &left)
  }

  mutating func removeIdle(since time: Duration, into left: inout [Session]) {
    while let oldest, let entry = entries[oldest], entry.lastUse < time {
      _ = remove(oldest, into: &left)
    }
  }

  private mutating func linkAsNewest(_ id: SessionID) {
    entries[id]?.newer = nil
    entries[id]?.older = newest
    if let newest { entries[newest]?.newer = id }
    newest = id
    oldest = oldest ?? id
  }

  private mutating func unlink(_ id: SessionID) {
    guard let entry = entries[id] else { return }
    if let newer = entry.newer { entries[newer]?.older = entry.older } else { newest = entry.older }
    if let older = entry.older { entries[older]?.newer = entry.newer } else { oldest = entry.newer }
  }
}
