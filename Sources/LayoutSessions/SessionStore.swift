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
    try checkRoom(for: byteCount)
    // Sessions that leave are freed after the lock is released: that may take long.
    var left: [Session] = []
    table.withLock { table in
      table.insert(session, byteCount: byteCount, at: now)
      table.removeIdle(since: now - limits.idleTime, into: &left)
      makeRoom(in: &table, into: &left)
    }
  }

  /// Refuses what alone takes more than all sessions may.
  ///
  /// - Parameter byteCount: What a session would take.
  /// - Throws: ``SessionError/tooLarge(byteCount:limit:)``.
  public func checkRoom(for byteCount: Int) throws(SessionError) {
    guard byteCount <= limits.byteCount else {
      throw .tooLarge(byteCount: byteCount, limit: limits.byteCount)
    }
  }

  /// Counts a session's bytes anew after it has changed; others leave if there is no room.
  ///
  /// - Parameter session: The session; nothing happens if it has left meanwhile.
  public func recount(_ session: Session) {
    let byteCount = session.byteCount
    var left: [Session] = []
    table.withLock { table in
      table.recount(session, byteCount: byteCount)
      makeRoom(in: &table, into: &left)
    }
  }

  private func makeRoom(in table: inout Table, into left: inout [Session]) {
    while table.count > limits.sessionCount || table.byteCount > limits.byteCount {
      table.removeLeastRecentlyUsed(into: &left)
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

/// Sessions in slots that form a list from the most to the least recently used.
///
/// A use costs one look into the index; the list is mended by slot.
private struct Table {
  private struct Slot {
    var session: Session?
    var byteCount = 0
    var lastUse = Duration.zero
    var newer: Int?
    var older: Int?
  }

  private var places = SlotIndex()
  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var newest: Int?
  private var oldest: Int?
  private(set) var byteCount = 0

  var count: Int { places.count }

  mutating func insert(_ session: Session, byteCount: Int, at now: Duration) {
    let slot = Slot(session: session, byteCount: byteCount, lastUse: now)
    let place = freeSlots.popLast() ?? slots.count
    if place == slots.count { slots.append(slot) } else { slots[place] = slot }
    places[session.id] = place
    self.byteCount += byteCount
    linkAsNewest(place)
  }

  mutating func recount(_ session: Session, byteCount: Int) {
    guard let place = places[session.id], slots[place].session === session else { return }
    self.byteCount += byteCount - slots[place].byteCount
    slots[place].byteCount = byteCount
  }

  mutating func use(_ id: SessionID, at now: Duration) -> Session? {
    guard let place = places[id] else { return nil }
    slots[place].lastUse = now
    if newest != place {
      unlink(place)
      linkAsNewest(place)
    }
    return slots[place].session
  }

  mutating func remove(_ id: SessionID, into left: inout [Session]) -> Bool {
    guard let place = places[id] else { return false }
    remove(at: place, into: &left)
    return true
  }

  mutating func removeLeastRecentlyUsed(into left: inout [Session]) {
    if let oldest { remove(at: oldest, into: &left) }
  }

  mutating func removeIdle(since time: Duration, into left: inout [Session]) {
    while let oldest, slots[oldest].lastUse < time { remove(at: oldest, into: &left) }
  }

  private mutating func remove(at place: Int, into left: inout [Session]) {
    unlink(place)
    byteCount -= slots[place].byteCount
    if let session = slots[place].session {
      places[session.id] = nil
      left.append(session)
    }
    slots[place] = Slot()
    freeSlots.append(place)
  }

  private mutating func linkAsNewest(_ place: Int) {
    slots[place].newer = nil
    slots[place].older = newest
    if let newest { slots[newest].newer = place }
    newest = place
    oldest = oldest ?? place
  }

  private mutating func unlink(_ place: Int) {
    let (newer, older) = (slots[place].newer, slots[place].older)
    if let newer { slots[newer].older = older } else { newest = older }
    if let older { slots[older].newer = newer } else { oldest = newer }
  }
}
