import Synchronization

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

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - idleTime: How long an unused session is kept.
  ///   - sessionCount: How many there may be, at least 1.
  ///   - byteCount: How many bytes they may take together.
  ///   - sessionCountPerOwner: How many one owner may have.
  public init(
    idleTime: Duration = .seconds(3600), sessionCount: Int = 10_000,
    byteCount: Int = 1024 * 1024 * 1024, sessionCountPerOwner: Int = .max
  ) {
    self.idleTime = idleTime
    self.sessionCount = sessionCount
    self.byteCount = byteCount
    self.sessionCountPerOwner = sessionCountPerOwner
  }
}

/// Whose a session is: nobody else can see it.
public struct SessionOwner: Hashable, Sendable {
  /// A number that no other owner has in this process.
  public let number: Int
  /// A name that no other owner has in any.
  public let name: String

  /// Whoever comes without a name.
  public static let anonymous = SessionOwner(number: 0, name: "")

  /// Names an owner.
  ///
  /// - Parameters:
  ///   - number: A number that no other owner has in this process.
  ///   - name: A name that no other owner has in any.
  public init(number: Int, name: String) {
    self.number = number
    self.name = name
  }

  /// Whether both are one.
  public static func == (left: SessionOwner, right: SessionOwner) -> Bool {
    left.number == right.number
  }

  /// By number, like equality.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// Why a session cannot be kept.
public enum SessionError: Error, Hashable {
  /// It alone takes more than all sessions may.
  case tooLarge(byteCount: Int, limit: Int)
  /// Its owner has as many as one may have.
  case tooMany(limit: Int)
}

/// How the sessions are doing.
public struct SessionStatistics: Sendable, Equatable {
  /// How many there are.
  public var sessionCount = 0
  /// How many bytes they take; an estimate.
  public var byteCount = 0
  /// How many have been made since the beginning.
  public var createdCount = 0
  /// How many have left because others needed their place.
  public var evictedCount = 0
  /// How many have left because nobody asked for them.
  public var expiredCount = 0
}

/// The sessions in memory, by name; the least recently used leave first.
///
/// The lock guards the table only, never a session.
public final class SessionStore: Sendable {
  private let limits: SessionLimits
  private let table: Mutex<Table>
  private let leaving = Mutex(Leaving())

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
  /// - Throws: ``SessionError``.
  public func insert(_ session: Session, at now: Duration) throws(SessionError) {
    let byteCount = session.byteCount
    try checkRoom(for: byteCount)
    try changeTable { (table, left) throws(SessionError) in
      table.removeIdle(since: now - limits.idleTime, into: &left)
      guard table.sessionCount(of: session.owner) < limits.sessionCountPerOwner else {
        throw .tooMany(limit: limits.sessionCountPerOwner)
      }
      table.insert(session, byteCount: byteCount, at: now)
      table.makeRoom(limits, into: &left)
    }
  }

  /// Keeps a session that is in memory again, unless another request was faster.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - now: The time.
  /// - Returns: The session of this name that is there now.
  /// - Throws: ``SessionError/tooLarge(byteCount:limit:)``.
  public func insertAgain(_ session: Session, at now: Duration) throws(SessionError) -> Session {
    let byteCount = session.byteCount
    try checkRoom(for: byteCount)
    return changeTable { table, left in
      if let other = table.use(session.id, of: session.owner, at: now) { return other }
      table.insert(session, byteCount: byteCount, isNew: false, at: now)
      table.makeRoom(limits, into: &left)
      return session
    }
  }

  /// Finds a session without using it; whosesoever it is.
  ///
  /// - Parameter id: Its name.
  /// - Returns: The session, or nil if none of this name is in memory.
  public func residentSession(_ id: SessionID) -> Session? { table.withLock { $0.session(id) } }

  /// Refuses what alone takes more than all sessions may.
  ///
  /// - Parameter byteCount: What a session would take.
  /// - Throws: ``SessionError/tooLarge(byteCount:limit:)``.
  public func checkRoom(for byteCount: Int) throws(SessionError) {
    guard byteCount <= limits.byteCount else {
      throw .tooLarge(byteCount: byteCount, limit: limits.byteCount)
    }
  }

  /// Refuses an owner who has as many sessions as one may have, before one more is worked out.
  ///
  /// - Parameter owner: Whose session it would be.
  /// - Throws: ``SessionError/tooMany(limit:)``.
  public func checkPlace(for owner: SessionOwner) throws(SessionError) {
    guard limits.sessionCountPerOwner < .max else { return }
    guard table.withLock({ $0.sessionCount(of: owner) }) < limits.sessionCountPerOwner else {
      throw .tooMany(limit: limits.sessionCountPerOwner)
    }
  }

  /// Counts a session's bytes anew after it has changed; others leave if there is no room.
  ///
  /// - Parameter session: The session; nothing happens if it has left meanwhile.
  public func recount(_ session: Session) {
    let byteCount = session.byteCount
    changeTable { table, left in
      table.recount(session, byteCount: byteCount)
      table.makeRoom(limits, into: &left)
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
    _ id: SessionID, of owner: SessionOwner = .anonymous, at now: Duration
  ) -> Session? {
    changeTable { table, left in
      table.removeIdle(since: now - limits.idleTime, into: &left)
      return table.use(id, of: owner, at: now)
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
    _ id: SessionID, of owner: SessionOwner = .anonymous, at now: Duration
  ) -> Bool {
    changeTable { table, left in
      table.removeIdle(since: now - limits.idleTime, into: &left)
      return table.remove(id, of: owner, into: &left)
    }
  }

  /// Forgets sessions that nobody has asked for, and frees what has been left to be freed.
  ///
  /// Called now and then, so that a server that nobody calls gives its memory back.
  ///
  /// - Parameter now: The time.
  /// - Returns: Whether sessions have left since the last call.
  public func sweep(at now: Duration) -> Bool {
    changeTable { table, left in table.removeIdle(since: now - limits.idleTime, into: &left) }
    let left = leaving.withLock { leaving in
      defer { leaving = Leaving() }
      return leaving
    }
    return left.hasAny
  }

  /// How the sessions are doing.
  public var statistics: SessionStatistics {
    table.withLock { table in
      var statistics = table.statistics
      statistics.sessionCount = table.count
      statistics.byteCount = table.byteCount
      return statistics
    }
  }

  /// Changes the table; sessions that leave are freed after its lock is released.
  private func changeTable<Value, Failure: Error>(
    _ body: (inout Table, _ left: inout [Session]) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var left: [Session] = []
    defer { if !left.isEmpty { free(left) } }
    return try table.withLock { (table) throws(Failure) in
      defer { table.checkInvariants() }
      return try body(&table, &left)
    }
  }

  /// Sessions that have left since the last sweep: the large ones are still to be freed.
  private struct Leaving {
    var hasAny = false
    var sessions: [Session] = []
    var byteCount = 0
  }

  /// What is large takes milliseconds to free, which the thread that serves others has not; it waits
  /// for ``sweep(at:)``, unless too much of it has gathered.
  private func free(_ left: [Session]) {
    let large = left.map { ($0, $0.byteCount) }.filter { $0.1 > SessionStore.largeSize }
    _ = leaving.withLock { leaving -> Leaving in
      leaving.hasAny = true
      for (session, byteCount) in large {
        leaving.sessions.append(session)
        leaving.byteCount += byteCount
      }
      guard leaving.byteCount > SessionStore.leavingLimit else { return Leaving() }
      defer { leaving = Leaving(hasAny: true) }
      return leaving
    }
  }

  /// Freeing fewer bytes than this takes a fraction of a millisecond.
  private static let largeSize = 1 << 20
  /// So many bytes may wait to be freed.
  private static let leavingLimit = 32 << 20
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
  private(set) var statistics = SessionStatistics()
  /// How many sessions each owner has; owners without any are not in it.
  private var counts: [SessionOwner: Int] = [:]

  var count: Int { places.count }

  func sessionCount(of owner: SessionOwner) -> Int { counts[owner] ?? 0 }

  func session(_ id: SessionID) -> Session? { places[id].flatMap { slots[$0].session } }

  mutating func insert(
    _ session: Session, byteCount: Int, isNew: Bool = true, at now: Duration
  ) {
    let slot = Slot(session: session, byteCount: byteCount, lastUse: now)
    let place = freeSlots.popLast() ?? slots.count
    if place == slots.count { slots.append(slot) } else { slots[place] = slot }
    places[session.id] = place
    self.byteCount += byteCount
    counts[session.owner, default: 0] += 1
    if isNew { statistics.createdCount += 1 }
    linkAsNewest(place)
  }

  mutating func recount(_ session: Session, byteCount: Int) {
    guard let place = places[session.id], slots[place].session === session else { return }
    self.byteCount += byteCount - slots[place].byteCount
    slots[place].byteCount = byteCount
  }

  mutating func use(_ id: SessionID, of owner: SessionOwner, at now: Duration) -> Session? {
    guard let place = places[id], let session = slots[place].session, session.owner == owner else {
      return nil
    }
    slots[place].lastUse = now
    if newest != place {
      unlink(place)
      linkAsNewest(place)
    }
    return session
  }

  mutating func remove(
    _ id: SessionID, of owner: SessionOwner, into left: inout [Session]
  ) -> Bool {
    guard let place = places[id], slots[place].session?.owner == owner else { return false }
    remove(at: place, into: &left)
    return true
  }

  mutating func makeRoom(_ limits: SessionLimits, into left: inout [Session]) {
    while count > limits.sessionCount || byteCount > limits.byteCount, let oldest {
      remove(at: oldest, into: &left)
      statistics.evictedCount += 1
    }
  }

  mutating func removeIdle(since time: Duration, into left: inout [Session]) {
    while let oldest, slots[oldest].lastUse < time {
      remove(at: oldest, into: &left)
      statistics.expiredCount += 1
    }
  }

  private mutating func remove(at place: Int, into left: inout [Session]) {
    unlink(place)
    byteCount -= slots[place].byteCount
    if let session = slots[place].session {
      places[session.id] = nil
      let remaining = sessionCount(of: session.owner) - 1
      counts[session.owner] = remaining > 0 ? remaining : nil
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

  /// Finds out in debug builds whether list, index and sums still agree.
  ///
  /// All of it is looked at only now and then, so that many operations stay as fast as few.
  mutating func checkInvariants() {
    assert(
      {
        checks += 1
        guard count < 64 || checks % 1024 == 0 else { return true }
        return isConsistent
      }(), "the table of sessions is corrupt")
  }

  private var isConsistent: Bool {
    var sum = 0
    var found = 0
    var owners: [SessionOwner: Int] = [:]
    var newer: Int?
    var place = newest
    while let here = place {
      guard found < slots.count, slots[here].newer == newer, let session = slots[here].session,
        places[session.id] == here
      else { return false }
      sum += slots[here].byteCount
      found += 1
      owners[session.owner, default: 0] += 1
      newer = here
      place = slots[here].older
    }
    return newer == oldest && found == count && sum == byteCount && owners == counts
      && found + freeSlots.count == slots.count
  }

  private var checks = 0
}
