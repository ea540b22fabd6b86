import Synchronization

/// The sessions in memory, by name; the least recently used leave first.
///
/// The lock guards the table only, never a session.
public final class SessionStore: Sendable {
  private let limits: SessionLimits
  private let table: Mutex<SessionTable>
  private let leaving = Mutex(LeavingRevisions())
  /// Where to wait for whoever brings a session into memory or changes it.
  public let waitingRoom: WaitingRoom

  /// Makes an empty store.
  ///
  /// - Parameter limits: How many sessions there may be, and for how long.
  public init(limits: SessionLimits = SessionLimits()) {
    self.limits = limits
    table = Mutex(SessionTable(limits))
    waitingRoom = WaitingRoom(capacity: limits.waitingThreadCount)
  }

  /// Keeps a new session, which counts as made when ``noteMade()`` says so; others leave if there is no room.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - now: The time on any clock that never goes back.
  /// - Throws: ``SessionError``.
  public func insert(_ session: Session, at now: Duration) throws(SessionError) {
    let byteCount = session.byteCount
    try checkRoom(for: byteCount)
    try changeTableAndMakeRoom { (table, left) throws(SessionError) in
      table.removeIdle(at: now, into: &left)
      guard table.usage(of: session.owner).sessionCount < limits.sessionCountPerOwner else {
        throw .tooMany(limit: limits.sessionCountPerOwner)
      }
      try checkRoom(beside: table.byteCount(ofOthersThan: session), for: byteCount)
      table.insert(session, byteCount: byteCount, at: now)
    }
  }

  /// Counts one more session as made.
  public func noteMade() { table.withLock { $0.noteMade() } }

  /// Keeps a session that is in memory again, unless another request was faster.
  ///
  /// It was accepted once. What it takes is estimated, and when it is made anew the estimate is another one: so
  /// it may take more than all sessions may, up to twice as much, and then the others leave.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - now: The time.
  /// - Returns: The session of this name that is there now.
  /// - Throws: ``SessionError/tooLarge(byteCount:limit:)``.
  public func insertAgain(_ session: Session, at now: Duration) throws(SessionError) -> Session {
    let byteCount = session.byteCount
    guard byteCount / 2 <= limits.byteCount else {
      throw .tooLarge(byteCount: byteCount, limit: limits.byteCount)
    }
    return changeTableAndMakeRoom { table, left in
      if let other = table.use(session.id, of: session.owner, at: now, into: &left) {
        return other
      }
      table.insert(session, byteCount: byteCount, at: now)
      return session
    }
  }

  /// Finds a session without using it; whosesoever it is.
  ///
  /// - Parameter id: Its name.
  /// - Returns: The session, or nil if none of this name is in memory.
  public func residentSession(_ id: SessionID) -> Session? { table.withLock { $0.session(id) } }

  /// Refuses what a session would become, if that alone takes more than all sessions may, or all of its owner's,
  /// or more together with the others of its owner than those may.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - byteCount: What it would take.
  ///   - turn: For which change that room is kept, until the session is counted after it: several at once must not
  ///     each take what is left for one. Any number that no other change has (``StoreUpkeep/now``); nil to keep none.
  /// - Throws: ``SessionError/tooLarge(byteCount:limit:)`` or ``SessionError/tooMuch(limit:)``.
  public func checkRoom(
    for session: Session, toTake byteCount: Int, reservedBy turn: UInt64? = nil
  ) throws(SessionError) {
    try checkRoom(for: byteCount)
    guard limits.byteCountPerOwner < .max else { return }
    try table.withLock { (table) throws(SessionError) in
      try checkRoom(beside: table.byteCount(ofOthersThan: session), for: byteCount)
      if let turn { table.reserve(byteCount, for: session, by: turn) }
    }
  }

  private func checkRoom(beside others: Int, for byteCount: Int) throws(SessionError) {
    guard others + byteCount <= limits.byteCountPerOwner else {
      throw .tooMuch(limit: limits.byteCountPerOwner)
    }
  }

  private func checkRoom(for byteCount: Int) throws(SessionError) {
    let limit = min(limits.byteCount, limits.byteCountPerOwner)
    guard byteCount <= limit else { throw .tooLarge(byteCount: byteCount, limit: limit) }
  }

  /// Refuses an owner who has as many sessions as one may have, before one more is worked out.
  ///
  /// - Parameters:
  ///   - owner: Whose session it would be.
  ///   - now: The time.
  /// - Throws: ``SessionError/tooMany(limit:)``.
  public func checkPlace(for owner: SessionOwner, at now: Duration) throws(SessionError) {
    guard limits.sessionCountPerOwner < .max else { return }
    let count = changeTable { table, left in
      table.removeIdle(at: now, into: &left)
      return table.usage(of: owner).sessionCount
    }
    guard count < limits.sessionCountPerOwner else {
      throw .tooMany(limit: limits.sessionCountPerOwner)
    }
  }

  /// Counts a session's bytes anew after it has changed, or a change has failed; others leave if there is no room.
  ///
  /// - Parameters:
  ///   - session: The session; it is not counted if it has left meanwhile.
  ///   - old: What may have been replaced, which is freed as what has left is: a thread that serves may be the last
  ///     to hold it, for a tick that it has begun before.
  ///   - turn: The change for which room need not be kept any more.
  public func recount(
    _ session: Session, replacing old: Session.Revision? = nil, after turn: UInt64? = nil
  ) {
    if let old { letGo(of: old, replacedIn: session)?() }
    var byteCount = session.byteCount
    while true {
      changeTableAndMakeRoom { table, _ in
        if let turn { table.endReservation(by: turn, for: session) }
        table.recount(session, byteCount: byteCount)
      }
      // Who was slower has counted what is no more: whoever counts last looks again.
      let now = session.byteCount
      if now == byteCount { return }
      byteCount = now
    }
  }

  /// Finds a session and marks it as used.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - owner: Whose it must be; somebody else's is as good as none.
  ///   - now: The time.
  /// - Returns: The session, or nil if there is none of this name any more.
  /// - Complexity: O(1), amortised.
  public func session(
    _ id: SessionID, of owner: SessionOwner, at now: Duration
  ) -> Session? {
    changeTable { table, left in
      table.removeIdle(at: now, into: &left)
      return table.use(id, of: owner, at: now, into: &left)
    }
  }

  /// Forgets a session.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - owner: Whose it must be.
  ///   - now: The time.
  /// - Returns: Whether there was one.
  public func remove(
    _ id: SessionID, of owner: SessionOwner, at now: Duration
  ) -> Bool {
    changeTable { table, left in
      table.removeIdle(at: now, into: &left)
      guard let session = table.use(id, of: owner, at: now, into: &left) else { return false }
      table.remove(session, into: &left)
      return true
    }
  }

  /// Forgets a session that is no more, whenever it was last used; not another one of its name.
  ///
  /// - Parameter session: The session.
  public func remove(_ session: Session) {
    changeTable { $0.remove(session, into: &$1) }
  }

  /// Forgets sessions that nobody has asked for, and frees what has been left to be freed.
  ///
  /// Called now and then, so that a server that nobody calls gives its memory back.
  ///
  /// - Parameter now: The time.
  /// - Returns: How many bytes were taken by sessions that have left since the last call, and by what changes have
  ///   replaced where that is much.
  public func sweep(at now: Duration) -> Int {
    while !changeTable({ $0.removeIdle(at: now, into: &$1) }) {}
    let leftByteCount = leaving.withLock { leaving in
      defer { leaving.leftByteCount = 0 }
      return leaving.leftByteCount
    }
    freeWhatHasLeft()
    return leftByteCount
  }

  /// Has somebody else free what has left, or has been replaced, when it is much, and not whoever does that.
  ///
  /// - Parameter body: Has ``freeWhatHasLeft()`` called soon on another thread, without waiting for that; called
  ///   on any thread.
  public func whenMuchHasLeft(_ body: @escaping @Sendable () -> Void) {
    leaving.withLock { $0.alarm = body }
  }

  /// Whether so much waits to be freed that whoever has a session leave next frees it all, which takes long.
  public var hasMuchToFree: Bool {
    leaving.withLock { $0.byteCount > $0.maximum(beside: limits) }
  }

  /// Frees what has left, and what changes have replaced, unless somebody holds it still: the next call does then.
  public func freeWhatHasLeft() { _ = leaving.withLock { $0.takeUnheld() } }

  /// How the sessions are doing.
  public var statistics: SessionStatistics {
    table.withLock { table in
      var statistics = table.statistics
      statistics.sessionCount = table.count
      statistics.byteCount = table.byteCount
      return statistics
    }
  }

  /// Changes the table, and has sessions leave until there is room: nearly always none has to, and then the
  /// lock is taken once.
  private func changeTableAndMakeRoom<Value, Failure: Error>(
    _ body: (inout SessionTable, _ left: inout [Session]) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var (value, hasRoom) = try changeTable { (table, left) throws(Failure) in
      (try body(&table, &left), table.makeRoom(into: &left))
    }
    while !hasRoom { hasRoom = changeTable { $0.makeRoom(into: &$1) } }
    return value
  }

  /// Changes the table; sessions that leave are freed after its lock is released.
  private func changeTable<Value, Failure: Error>(
    _ body: (inout SessionTable, _ left: inout [Session]) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var left: [Session] = []
    // When the table's lock is released: who is told may call back.
    defer { if !left.isEmpty { letGo(of: &left)?() } }
    return try table.withLock { (table) throws(Failure) in
      defer { table.checkInvariants() }
      return try body(&table, &left)
    }
  }
}

extension SessionStore {
  /// Frees so much, and leaves the rest to the next sweep, or to somebody else if it is much.
  ///
  /// To free what is large, or many, takes milliseconds, or with many sections a tenth of a second, which the thread
  /// that serves others has not. Unless too much has been left already: then all of that is freed.
  ///
  /// - Parameter left: Sessions that have left; none when it returns.
  /// - Returns: What to call if it is much.
  private func letGo(of left: inout [Session]) -> (@Sendable () -> Void)? {
    // The revisions, which are the second value, are freed when the statement ends: after the lock.
    let (alarm, _) = leaving.withLock { leaving -> ((@Sendable () -> Void)?, [Session.Revision]) in
      let waiting = leaving.byteCount
      var freed = 0
      for session in left {
        // Not the session, which takes no time to free without it, and may be held by other requests than its
        // revision is.
        let snapshot = session.snapshot
        let byteCount = snapshot.byteCount
        leaving.leftByteCount += byteCount
        if freed + byteCount > SessionStore.largeSize {
          leaving.append(snapshot.revision, byteCount: byteCount)
        } else {
          freed += byteCount
        }
      }
      if waiting > leaving.maximum(beside: limits) { return (nil, leaving.takeAll()) }
      return (leaving.alarm(after: waiting), [])
    }
    left = []
    return alarm
  }

  /// Leaves what a change has replaced to the next sweep, or to somebody else if it is much; but not if too much
  /// has been left already: then whoever lets go of it last frees it, who has changed the session as a rule.
  ///
  /// - Returns: What to call if it is much.
  private func letGo(
    of old: Session.Revision, replacedIn session: Session
  ) -> (@Sendable () -> Void)? {
    let byteCount = old.byteCount(besides: session.snapshot.revision)
    guard byteCount > SessionStore.largeSize else { return nil }
    return leaving.withLock { leaving in
      leaving.leftByteCount += byteCount
      let waiting = leaving.byteCount
      if waiting <= leaving.maximum(beside: limits) { leaving.append(old, byteCount: byteCount) }
      return leaving.alarm(after: waiting)
    }
  }

  /// Freeing fewer bytes than this takes a fraction of a millisecond.
  private static let largeSize = 1 << 20
}
