public import LayoutSessions
import LayoutCore
import Synchronization

/// Sessions that outlive the process: those in memory on one side, a durable store on the other.
///
/// What is in memory is what the store has, or is in doubt. Where other processes may change the store
/// it is always in doubt, but for as long as the operator allows: then the store is asked for the
/// session's version, and for what is missing, in one round trip. Where this process alone changes the
/// store, only what happens between reading from it and being in memory is.
public final class SessionArchive: Sendable {
  private let store: any DurableStore
  private let maxStaleness: UInt64
  private let timeToLive: Int64
  /// What has been changed in the store: by name, so that who reads meanwhile sees it.
  private let changes: [Counter]
  /// Sessions of whose use the store is to know.
  private let touched = Mutex<Set<SessionID>>([])
  private let clock: @Sendable () -> UInt64
  private let worldSeconds: @Sendable () -> Int64
  /// Sessions whose changes weigh more than their snapshots.
  private let outgrown = Mutex<[SessionID: Session]>([:])
  private let openings = Openings()
  let statistics = StoreStatistics()

  /// Puts a store behind the sessions in memory.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - maxStaleness: For how long a session is answered from memory without asking a store that others
  ///     change too.
  ///   - timeToLive: After what time without use the store forgets a session.
  ///   - clock: Nanoseconds of a clock that never goes back.
  ///   - worldSeconds: Seconds of the clock by which whoever opens the store next judges what is idle; it may leap.
  public init(
    _ store: any DurableStore, maxStaleness: Duration = .zero,
    timeToLive: Duration = .seconds(3600), clock: @escaping @Sendable () -> UInt64,
    worldSeconds: @escaping @Sendable () -> Int64
  ) {
    self.store = store
    self.clock = clock
    self.worldSeconds = worldSeconds
    let (seconds, attoseconds) = maxStaleness.components
    self.maxStaleness =
      UInt64(clamping: seconds) &* 1_000_000_000 &+ UInt64(clamping: attoseconds / 1_000_000_000)
    self.timeToLive = timeToLive.components.seconds
    changes = (0..<256).map { _ in Counter() }
  }

  /// Whether a session can be answered from memory without asking the store.
  ///
  /// - Parameters:
  ///   - session: A session in memory.
  ///   - use: What for: a change is never worked out from what may be old, nor is a deletion.
  /// - Returns: Whether it can.
  func isCurrent(_ session: Session, for use: SessionUse) -> Bool {
    guard session.upkeep.isSure, timeToLive >= SessionArchive.shortLife else { return false }
    guard store.isShared else { return true }
    guard use.mayBeOld, maxStaleness > 0 else { return false }
    // A question tells the store nothing of who answers ticks, nor learns it.
    let lastCheck =
      use.isScrolling ? session.upkeep.lastScrollCheck : session.upkeep.lastCheck
    // Clocks may count from when the machine was started: 0 is never.
    return lastCheck > 0 && clock() &- lastCheck < maxStaleness
  }

  /// Of each use of sessions that live for fewer seconds the store is told at once: at the next sweep it may be too
  /// late.
  private static let shortLife: Int64 = 8

  /// Notes that a session is answered from memory.
  ///
  /// - Parameter session: The session.
  func noteUse(of session: Session) {
    // Stores keep sessions for an eighth longer than they live after a use that they are told of. That is at the
    // next sweep, and seconds are whole. One that is loaded may have less left.
    let interval = max(0, timeToLive / 8 - 3)
    guard session.upkeep.noteUse(at: worldSeconds(), every: interval) else { return }
    addTouched([session.id])
  }

  private func addTouched(_ ids: some Sequence<SessionID>) {
    touched.withLock { touched in
      for id in ids where touched.count < SessionArchive.touchedCount { touched.insert(id) }
    }
  }

  /// The store learns of the use of so many sessions at once; more are hardly in memory.
  private static let touchedCount = 1 << 17

  /// Does what has to be done now and then.
  func sweep() {
    let ids = touched.withLock { ids in
      defer { ids = [] }
      return ids
    }
    do throws(StoreError) {
      if !ids.isEmpty { try store.touch(Array(ids)) }
    } catch {
      statistics.count(error)
      // Said again the next time; what is damaged will be no better then.
      if error.kind != .unreadable { addTouched(ids) }
    }
    // In any case: on a full disk it may be what makes room.
    do throws(StoreError) {
      try store.sweep()
    } catch {
      statistics.count(error)
    }
  }

  /// Counts that a sweep has not ended for so long, where the store is the one who would know.
  func standsStill(for length: Duration) {
    guard !store.isShared else { return }
    let seconds = length.components.seconds
    statistics.count(
      StoreError(
        .unavailable, "what was begun \(seconds) seconds ago is not done yet; changes wait for it"))
  }

  /// Ends it all: what is acknowledged is durable without it.
  public func close() { store.close() }

  // MARK: Reading

  /// Brings a session that is not in memory there.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - owner: Whose it must be.
  ///   - use: What for.
  ///   - sessions: The sessions in memory.
  ///   - now: The time.
  /// - Returns: The session; nil if there is none of this name.
  /// - Throws: What the store throws; 503 if it is being read, and no more may wait; and if the session has no
  ///   place in memory.
  func open(
    _ id: SessionID, of owner: SessionOwner, for use: SessionUse, in sessions: SessionStore,
    at now: Duration
  ) throws(Failure) -> Session? {
    let opened = try openings.inTurn(
      id, of: owner, isScrolling: use.isScrolling, waitingIn: sessions.waitingRoom
    ) { () throws(Failure) -> Opened? in
      if let session = sessions.residentSession(id), session.owner == owner {
        return Opened(session: session, isCurrent: false)
      }
      return try load(id, of: owner, for: use, in: sessions, at: now)
    }
    guard let opened else { return nil }
    // Who has waited may have come after the store was asked.
    if !opened.isCurrent {
      guard try refresh(opened.session, for: use, in: sessions) else { return nil }
    }
    return opened.session
  }

  /// A session that is in memory now.
  private struct Opened {
    var session: Session
    /// Whether it is no older than the request for it.
    var isCurrent: Bool
  }

  /// Brings a session into memory.
  private func load(
    _ id: SessionID, of owner: SessionOwner, for use: SessionUse, in sessions: SessionStore,
    at now: Duration
  ) throws(Failure) -> Opened? {
    let (moment, time) = (StoreUpkeep.now, clock())
    let before = changeCount(of: id)
    guard
      let stored = try ask({ () throws(StoreError) in
        try store.load(id, of: owner.name, since: nil, isScrolling: use.isScrolling)
      }),
      stored.owner == owner.name
    else { return nil }
    let session = try read(id) { () throws(StoredRecord.Unreadable) in
      try stored.session(id, of: owner)
    }
    let resident: Session
    do throws(SessionError) {
      resident = try sessions.insertAgain(session, at: now)
    } catch {
      // Nothing is wrong with what was asked for: it was kept by a server with more room.
      throw .problem(Problem(.unavailable, Problem(error).detail))
    }
    statistics.loadedCount.add(1)
    noteTakeover(of: stored, in: resident)
    guard resident === session else { return Opened(session: resident, isCurrent: false) }
    noteLoad(of: stored, into: session)
    session.presumeSlowUnlessShort()
    // Whoever changed the store meanwhile may not have found the session in memory.
    let isCurrent = changeCount(of: id) == before
    if isCurrent {
      session.upkeep.noteCheck(at: moment, time: time, isScrolling: use.isScrolling)
    }
    return Opened(session: session, isCurrent: isCurrent)
  }

  /// Makes a session in memory what the store has now; one that the store has not leaves memory.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - use: What for.
  ///   - sessions: The sessions in memory.
  /// - Returns: False if the store has none of this name.
  /// - Throws: What the store throws.
  func refresh(
    _ session: Session, for use: SessionUse, in sessions: SessionStore
  ) throws(Failure) -> Bool {
    if isCurrent(session, for: use) { return true }
    // Once as a rule: again if others of this process have made another version of it meanwhile.
    for _ in 0..<SessionArchive.roundCount {
      let (moment, time) = (StoreUpkeep.now, clock())
      let known = session.snapshot.storedVersion
      guard
        let stored = try ask({ () throws(StoreError) in
          try store.load(
            session.id, of: session.owner.name, since: known, isScrolling: use.isScrolling)
        }),
        stored.owner == session.owner.name
      else {
        sessions.remove(session)
        return false
      }
      if try advance(session, from: known, to: stored, in: sessions) {
        noteTakeover(of: stored, in: session)
        session.upkeep.noteCheck(at: moment, time: time, isScrolling: use.isScrolling)
        return true
      }
    }
    throw SessionArchive.contested
  }

  /// Makes a session in memory what was read since a version.
  ///
  /// - Returns: Whether it is that: it may have become another version meanwhile.
  private func advance(
    _ session: Session, from known: StoredVersion, to stored: StoredSession,
    in sessions: SessionStore
  ) throws(Failure) -> Bool {
    if stored.storedVersion == known { return true }
    var old: Session.Revision?
    let now = try read(session.id) { () throws(StoredRecord.Unreadable) in
      try session.advance(waitingIn: sessions.waitingRoom) {
        (current) throws(StoredRecord.Unreadable) in
        guard current.storedVersion == known else { return nil }
        let (document, contentOffset) = try stored.document(after: current)
        old = current.revision
        return (stored.storedVersion, document, contentOffset)
      }
    }
    guard let now else { throw .problem(.beingChanged) }
    guard now.storedVersion == stored.storedVersion else { return false }
    // It has become that while its turn was waited for: whoever has brought it there has counted it.
    guard let old else { return true }
    noteLoad(of: stored, into: session)
    sessions.recount(session, replacing: old)
    statistics.refreshedCount.add(1)
    return true
  }

  /// How often something is tried beside others that change the session.
  static let roundCount = 16

  /// What is said when all of these were in vain.
  static let contested = Failure.problem(
    Problem(.unavailable, "others keep changing the session; ask again"))

  /// Forgets what the client sees if another server has shown it something since.
  private func noteTakeover(of stored: StoredSession, in session: Session) {
    guard let takeover = stored.takeover else { return }
    // In this order: of several requests that are told at once, none goes by the old ticks.
    if takeover != session.upkeep.takeover {
      session.forgetTicks()
      // The other one may have asked the store just before, and answers ticks for so long of which nobody learns.
      if maxStaleness > 0 { session.upkeep.noteRival(until: clock() &+ maxStaleness) }
      session.upkeep.noteTakeover(takeover)
    } else if let end = session.upkeep.rivalEnd, clock() >= end {
      session.forgetTicks()
      session.upkeep.forgetRival(until: end)
    }
  }

  /// Whether somebody has a session in the store, which need not be readable.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - owner: Whose it must be.
  /// - Returns: Whether there is one.
  /// - Throws: What the store throws.
  func has(_ id: SessionID, of owner: SessionOwner) throws(Failure) -> Bool {
    try ask { () throws(StoreError) in try store.owner(of: id) } == owner.name
  }

  // MARK: Changing

  /// Keeps a new session.
  ///
  /// - Parameter session: A session that nobody knows of yet.
  /// - Throws: What the store throws.
  func create(_ session: Session) throws(Failure) {
    let (moment, time) = (StoreUpkeep.now, clock())
    let snapshot = session.snapshot
    let record = SessionArchive.record(of: snapshot)
    try ask { () throws(StoreError) in
      try store.create(
        session.id, owner: session.owner.name, snapshot: record, stamp: snapshot.storedVersion.stamp
      )
    }
    session.upkeep.noteCheck(at: moment, time: time, isScrolling: true)
    session.upkeep.allowOutgrowth(SessionArchive.allowance(record.count))
    _ = session.upkeep.noteUse(at: worldSeconds(), every: 0)
  }

  /// Whether a change is better written as a snapshot than as a record.
  ///
  /// Of records that weigh half a snapshot two bring the next one: what is written for both is two snapshots
  /// then, and as much if each is one. Heavier ones would cost more, up to each being written twice; but
  /// what is light must not make ticks wait for a snapshot.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - byteCount: About the size of the change's record.
  /// - Returns: Whether ``replace(_:by:after:in:)`` is better.
  func prefersSnapshot(of session: Session, to byteCount: Int) -> Bool {
    session.upkeep.isHalfOutgrown(by: byteCount + SessionArchive.changeCost)
  }

  /// Makes a change durable by what it makes of the session, before it is made in memory.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - change: The change.
  ///   - version: The version before.
  ///   - sessions: The sessions in memory.
  /// - Returns: What came of it.
  /// - Throws: What the store throws; the session is in doubt then, unless nothing was done and nobody shares the store.
  func replace(
    _ session: Session, by change: Session.Change, after version: StoredVersion,
    in sessions: SessionStore
  ) throws(Failure) -> StoreOutcome {
    let record = StoredRecord.snapshot(
      of: change.document.description, at: change.scrolling.contentOffset)
    let outcome = try changing(session, in: sessions) { () throws(StoreError) in
      try store.replace(session.id, by: record, after: version, stamp: change.stamp)
    }
    if outcome == .done {
      session.upkeep.allowOutgrowth(SessionArchive.allowance(record.count))
      statistics.snapshotCount.add(1)
    }
    return outcome
  }

  /// Makes a change durable by its record, before it is made in memory.
  ///
  /// - Parameters:
  ///   - record: The change.
  ///   - session: The session.
  ///   - version: The version before.
  ///   - stamp: The stamp of the next one.
  ///   - sessions: The sessions in memory.
  /// - Returns: What came of it.
  /// - Throws: What the store throws; the session is in doubt then, unless nothing was done and nobody shares the store.
  func append(
    _ record: [UInt8], to session: Session, after version: StoredVersion, stamp: UInt64,
    in sessions: SessionStore
  ) throws(Failure) -> StoreOutcome {
    try changing(session, in: sessions) { () throws(StoreError) in
      try store.append(record, to: session.id, after: version, stamp: stamp)
    }
  }

  /// Changes a session in the store.
  private func changing(
    _ session: Session, in sessions: SessionStore, _ write: () throws(StoreError) -> StoreOutcome
  ) throws(Failure) -> StoreOutcome {
    do throws(Failure) {
      let outcome = try noted(session.id, write)
      if outcome != .done { session.upkeep.doubt() }
      // It may have left memory since the request found it, and be there again as it was.
      if let other = sessions.residentSession(session.id), other !== session {
        other.upkeep.doubt()
      }
      return outcome
    } catch {
      doubt(session.id, after: error, in: sessions)
      throw error
    }
  }

  /// Has the store asked for a session next time, of which a change has failed: unless nothing was done, and
  /// nobody else does anything.
  private func doubt(_ id: SessionID, after failure: Failure, in sessions: SessionStore) {
    if case .problem(let problem) = failure, problem.kind == .unavailable, !store.isShared {
      return
    }
    sessions.residentSession(id)?.upkeep.doubt()
  }

  /// Notes the change before anybody looks who has the session in memory: who brings it there meanwhile either
  /// finds that it was changed, or is found.
  private func noted(
    _ id: SessionID, _ write: () throws(StoreError) -> StoreOutcome
  ) throws(Failure) -> StoreOutcome {
    defer { noteChange(of: id) }
    return try ask(write)
  }

  /// Has a new snapshot written if the changes have outgrown the last one: they may weigh as much as it does,
  /// so that writing costs each change no more than its own weight.
  ///
  /// - Parameters:
  ///   - session: A session after a change.
  ///   - byteCount: The size of the change's record.
  func noteGrowth(of session: Session, by byteCount: Int) {
    guard session.upkeep.addOutgrowth(byteCount + SessionArchive.changeCost) > 0 else { return }
    // Changes that come until it is written are no reason for another one.
    session.upkeep.allowAsMuchAgain()
    outgrown.withLock { $0[session.id] = session }
  }

  /// Writes the snapshots that are due: on a thread that has nobody waiting for it.
  ///
  /// Each thread that makes changes does so after each of them, so that there are never more than threads.
  func writeOutgrown() {
    while let (_, session) = outgrown.withLock({ $0.popFirst() }) { writeSnapshot(of: session) }
  }

  private func writeSnapshot(of session: Session) {
    let snapshot = session.snapshot
    let record = SessionArchive.record(of: snapshot)
    session.upkeep.allowOutgrowth(SessionArchive.allowance(record.count))
    do throws(StoreError) {
      try store.replaceSnapshot(of: session.id, by: record, at: snapshot.storedVersion)
      statistics.snapshotCount.add(1)
    } catch {
      // The changes are there: it is tried again when as many more have come.
      statistics.count(error)
    }
  }

  /// Deletes a session.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - version: The version that it has to be at; nil for whichever.
  ///   - sessions: The sessions in memory.
  /// - Returns: What came of it.
  /// - Throws: What the store throws; the session is in doubt then, unless nothing was done and nobody shares the store.
  func delete(
    _ id: SessionID, at version: Int?, in sessions: SessionStore
  ) throws(Failure) -> StoreOutcome {
    do throws(Failure) {
      return try noted(id) { () throws(StoreError) in try store.delete(id, at: version) }
    } catch {
      doubt(id, after: error, in: sessions)
      throw error
    }
  }

  private static func record(of session: Session.Snapshot) -> [UInt8] {
    StoredRecord.snapshot(
      of: session.document.description, at: session.scrolling.contentOffset)
  }

  private func noteLoad(of stored: StoredSession, into session: Session) {
    if let snapshot = stored.snapshot {
      session.upkeep.allowOutgrowth(SessionArchive.allowance(snapshot.record.count))
    }
    _ = session.upkeep.addOutgrowth(
      stored.changes.reduce(0) { $0 + $1.count + SessionArchive.changeCost })
  }

  /// Replaying a change takes as long as reading so many bytes of a snapshot.
  private static let changeCost = 4096

  /// What may come after a snapshot until it is written anew.
  private static func allowance(_ snapshotSize: Int) -> Int { max(1 << 16, snapshotSize) }

  // MARK: Parts

  private func changeCounter(of id: SessionID) -> Counter {
    changes[Int(truncatingIfNeeded: UInt(bitPattern: id.hashValue)) & (changes.count - 1)]
  }

  private func changeCount(of id: SessionID) -> UInt64 { changeCounter(of: id).value }

  private func noteChange(of id: SessionID) { changeCounter(of: id).add(1) }

  private func ask<Value>(_ body: () throws(StoreError) -> Value) throws(Failure) -> Value {
    let start = clock()
    defer { statistics.count(nanoseconds: clock() &- start) }
    do throws(StoreError) {
      return try body()
    } catch {
      statistics.count(error)
      throw .problem(Problem(error))
    }
  }

  private func read<Value>(
    _ id: SessionID, _ body: () throws(StoredRecord.Unreadable) -> Value
  ) throws(Failure) -> Value {
    do throws(StoredRecord.Unreadable) {
      return try body()
    } catch {
      let detail = "session \(id): \(error.reason); it is left as it is"
      statistics.count(StoreError(.unreadable, detail))
      throw .problem(Problem(.unreadable, detail))
    }
  }
}

/// What a request wants of a session.
enum SessionUse {
  /// To know something.
  case question
  /// To know what has changed for its eyes: it is this server that knows what the client sees now.
  case tick
  /// To change it, or what the client sees.
  case change
  /// To delete it, if it is at some version.
  case deletion

  fileprivate var isScrolling: Bool { self == .tick || self == .change }
  fileprivate var mayBeOld: Bool { self == .question || self == .tick }
}

extension StoredSession {
  /// The session as it was.
  fileprivate func session(
    _ id: SessionID, of owner: SessionOwner
  ) throws(StoredRecord.Unreadable) -> Session {
    guard let snapshot else { throw StoredRecord.Unreadable(reason: "its snapshot is missing") }
    let description = try snapshot.description
    var replay = Replay(description)
    let offset = try replay.apply(changes, upTo: version) ?? description.contentOffset
    return Session(
      id: id, owner: owner, version: storedVersion, document: try replay.document(),
      contentOffset: offset)
  }

  /// What has become of a session that was read since the version that it has in memory, and where its client was
  /// then; nil if the store has not told.
  fileprivate func document(
    after current: Session.Snapshot
  ) throws(StoredRecord.Unreadable) -> (Session.Document, contentOffset: Point?) {
    let description = try snapshot?.description
    var replay =
      description.map { Replay($0) } ?? Replay(current.document, changeCount: changes.count)
    let offset = try replay.apply(changes, upTo: version) ?? description?.contentOffset
    return (try replay.document(), offset)
  }
}

extension StoredSession.Snapshot {
  /// The description in the record.
  fileprivate var description: Description {
    get throws(StoredRecord.Unreadable) {
      do throws(StoredRecord.Unreadable) {
        return try StoredRecord.readSnapshot(record)
      } catch {
        throw error.about("the snapshot of version \(version)")
      }
    }
  }
}

extension Replay {
  /// Applies the records of changes of which the last one made a version.
  fileprivate mutating func apply(
    _ records: some BidirectionalCollection<[UInt8]>, upTo version: Int
  ) throws(StoredRecord.Unreadable) -> Point? {
    var offset: Point?
    for (number, record) in records.enumerated() {
      do throws(StoredRecord.Unreadable) {
        let read = try StoredRecord.readChange(record)
        try apply(read.change)
        offset = read.contentOffset
      } catch {
        throw error.about("the change to version \(version - records.count + number + 1)")
      }
    }
    return offset
  }
}

extension StoredRecord.Unreadable {
  /// The same with what it is about.
  fileprivate func about(_ what: String) -> StoredRecord.Unreadable {
    StoredRecord.Unreadable(reason: "\(what) cannot be read: \(reason)")
  }
}
