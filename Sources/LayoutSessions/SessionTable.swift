/// Sessions in slots that form a list from the most to the least recently used.
///
/// A use costs one look into a dictionary; the list is mended by slot. However many have to leave, a few do at a
/// time, so that nobody waits for all of them.
struct SessionTable {
  private struct Slot {
    var session: Session?
    /// What it takes, or what is kept for what it will take, whichever is more.
    var byteCount = 0
    /// What is kept for what a change makes of it, and for which turn.
    var reservation: (turn: UInt64, byteCount: Int)?
    var lastUse = Duration.zero
    var newer: Int?
    var older: Int?
  }

  private let limits: SessionLimits
  /// The slot of each session.
  private var places: [SessionID: Int] = [:]
  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var newest: Int?
  private var oldest: Int?
  private(set) var byteCount = 0
  private(set) var statistics = SessionStatistics()
  /// What each owner's sessions take; owners without any are not in it.
  private var usages: [SessionOwner: Usage] = [:]

  /// What the sessions of an owner take.
  struct Usage: Equatable {
    var sessionCount = 0
    var byteCount = 0
  }

  init(_ limits: SessionLimits) { self.limits = limits }

  var count: Int { places.count }

  func usage(of owner: SessionOwner) -> Usage { usages[owner] ?? Usage() }

  /// What the other sessions of a session's owner take.
  func byteCount(ofOthersThan session: Session) -> Int {
    usage(of: session.owner).byteCount - (place(of: session).map { slots[$0].byteCount } ?? 0)
  }

  func session(_ id: SessionID) -> Session? { places[id].flatMap { slots[$0].session } }

  /// Where a session is; nil if it has left, even if another one of its name is here.
  private func place(of session: Session) -> Int? {
    places[session.id].flatMap { slots[$0].session === session ? $0 : nil }
  }

  mutating func noteMade() { statistics.createdCount += 1 }

  mutating func insert(_ session: Session, byteCount: Int, at now: Duration) {
    let slot = Slot(session: session, byteCount: byteCount, lastUse: now)
    let place = freeSlots.popLast() ?? slots.count
    if place == slots.count { slots.append(slot) } else { slots[place] = slot }
    places[session.id] = place
    self.byteCount += byteCount
    usages[session.owner, default: Usage()].sessionCount += 1
    usages[session.owner, default: Usage()].byteCount += byteCount
    linkAsNewest(place)
  }

  /// Counts what a session takes, but for what is kept for it.
  mutating func recount(_ session: Session, byteCount: Int) {
    guard let place = place(of: session) else { return }
    count(max(byteCount, slots[place].reservation?.byteCount ?? 0), at: place)
  }

  /// Keeps so much for a session, at least what it takes now.
  mutating func reserve(_ byteCount: Int, for session: Session, by turn: UInt64) {
    guard let place = place(of: session) else { return }
    slots[place].reservation = (turn, byteCount)
    count(max(byteCount, slots[place].byteCount), at: place)
  }

  /// Keeps no more for a turn than the session takes, which has to be counted anew; what another turn has
  /// reserved since stays.
  mutating func endReservation(by turn: UInt64, for session: Session) {
    guard let place = place(of: session) else { return }
    if slots[place].reservation?.turn == turn { slots[place].reservation = nil }
  }

  private mutating func count(_ byteCount: Int, at place: Int) {
    guard let session = slots[place].session else { return }
    self.byteCount += byteCount - slots[place].byteCount
    usages[session.owner]?.byteCount += byteCount - slots[place].byteCount
    slots[place].byteCount = byteCount
  }

  /// The session of a name, which is used now; one that is to be forgotten leaves.
  mutating func use(
    _ id: SessionID, of owner: SessionOwner, at now: Duration, into left: inout [Session]
  ) -> Session? {
    guard let place = places[id], let session = slots[place].session, session.owner == owner else {
      return nil
    }
    guard !isIdle(place, at: now) else {
      remove(at: place, into: &left)
      statistics.expiredCount += 1
      return nil
    }
    slots[place].lastUse = now
    if newest != place {
      unlink(place)
      linkAsNewest(place)
    }
    return session
  }

  /// Removes a session; not another one of its name.
  mutating func remove(_ session: Session, into left: inout [Session]) {
    if let place = place(of: session) { remove(at: place, into: &left) }
  }

  /// Removes some sessions for which there is no room, the least recently used first; but not the last one,
  /// which somebody uses now: it would be made anew for every request.
  ///
  /// - Returns: Whether there is room.
  mutating func makeRoom(into left: inout [Session]) -> Bool {
    for _ in 0..<SessionTable.slice {
      guard count > limits.sessionCount || byteCount > limits.byteCount, count > 1, let oldest
      else { return true }
      remove(at: oldest, into: &left)
      statistics.evictedCount += 1
    }
    return false
  }

  /// Removes some sessions that are to be forgotten, the least recently used first.
  ///
  /// - Returns: Whether none is left.
  @discardableResult
  mutating func removeIdle(at now: Duration, into left: inout [Session]) -> Bool {
    for _ in 0..<SessionTable.slice {
      guard let oldest, isIdle(oldest, at: now) else { return true }
      remove(at: oldest, into: &left)
      statistics.expiredCount += 1
    }
    return false
  }

  /// Whether nobody has asked for a session for as long as one is kept.
  private func isIdle(_ place: Int, at now: Duration) -> Bool {
    slots[place].lastUse < now - limits.idleTime
  }

  /// So many leave at a time: some ten microseconds.
  private static let slice = 64

  private mutating func remove(at place: Int, into left: inout [Session]) {
    unlink(place)
    byteCount -= slots[place].byteCount
    if let session = slots[place].session {
      places[session.id] = nil
      var usage = usage(of: session.owner)
      usage.sessionCount -= 1
      usage.byteCount -= slots[place].byteCount
      usages[session.owner] = usage.sessionCount > 0 ? usage : nil
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
    var owners: [SessionOwner: Usage] = [:]
    var newer: Int?
    var place = newest
    while let here = place {
      guard found < slots.count, slots[here].newer == newer, let session = slots[here].session,
        places[session.id] == here
      else { return false }
      sum += slots[here].byteCount
      found += 1
      owners[session.owner, default: Usage()].sessionCount += 1
      owners[session.owner, default: Usage()].byteCount += slots[here].byteCount
      newer = here
      place = slots[here].older
    }
    return newer == oldest && found == count && sum == byteCount && owners == usages
      && found + freeSlots.count == slots.count
  }

  private var checks = 0
}
