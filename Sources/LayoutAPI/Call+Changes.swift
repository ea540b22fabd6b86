import HTTPMessages
import LayoutCore
import LayoutSessions

/// What is made of a session, and what is said of it.
struct Worked<Answer> {
  /// Nil leaves the session as it is.
  var change: Session.Change?
  var answer: Answer
  /// What a store keeps of it: the body of a request of the kind; nil for the request's own.
  var body: [UInt8]?
}

/// Changing sessions: where there is a store, it learns of each new version first.
extension Call {
  /// Whether the client believes in the version that there is, or takes any.
  func isIfMatch(_ version: Int) -> Bool {
    fields.ifMatch.isEmpty || EntityTag.field(fields.ifMatch, names: version)
  }

  /// Refuses a change, or a question, if the client believes in another version than there is.
  ///
  /// The tag is that of the answer, if it is not the version's alone. It counts before `If-None-Match` (RFC 9110,
  /// 13.2.2).
  func checkIfMatch(_ session: Session.Snapshot, tag: EntityTag? = nil) throws(Failure) {
    if isIfMatch(session.version) { return }
    let tag = tag ?? EntityTag(session)
    throw .problem(
      .movedOn(to: session.version, tag: tag.field.description, from: fields.ifMatch))
  }

  /// The session that the path names, for a change that a store has to learn of, if there is one.
  ///
  /// - Returns: The session, no older than what the store has.
  /// - Throws: 404, what a store throws, and ``Failure/takesLong`` where there is one: a worker reads the body
  ///   then, which nobody has read before.
  func sessionToChange() throws(Failure) -> Session {
    try checkMayWaitForStore()
    return try session(for: .change)
  }

  /// Changes a session, if it is at the version that the client believes in.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - kind: What a new version changes; nil if there will be none: then no store learns of the change, nor
  ///     is one waited for.
  ///   - work: Works the change out; what the last call returns counts.
  /// - Returns: The session afterwards, and the answer.
  /// - Throws: 412, what `work` throws, and ``Failure/takesLong`` for long content.
  func change<Answer>(
    _ session: Session, _ kind: StoredChange.Kind?,
    _ work: (Session.Snapshot) throws(Failure) -> Worked<Answer>
  ) throws(Failure) -> (Session.Snapshot, Answer) {
    try checkIsShort(session.snapshot.document.description.content)
    // What it took to work it out, as often as that had to be done.
    var time: UInt64 = 0
    func timed(_ current: Session.Snapshot) throws(Failure) -> Worked<Answer> {
      let start = service.clocks.monotonic()
      defer { time &+= service.clocks.monotonic() &- start }
      return try work(current)
    }
    let changed: (Session.Snapshot, Answer)
    if let kind, let archive = service.archive {
      try checkMayWaitForStore()
      changed = try changeDurably(session, in: archive, kind, timed)
    } else {
      changed = try changeBriefly(session, timed)
    }
    service.metrics?.count(.update, nanoseconds: time, on: thread)
    return changed
  }

  /// Changes a session in the store, and then in memory.
  private func changeDurably<Answer>(
    _ session: Session, in archive: SessionArchive, _ kind: StoredChange.Kind,
    _ work: (Session.Snapshot) throws(Failure) -> Worked<Answer>
  ) throws(Failure) -> (Session.Snapshot, Answer) {
    let turn = StoreUpkeep.now
    for _ in 0..<SessionArchive.roundCount {
      var outcome = StoreOutcome.done
      var recordSize: Int?
      var old: Session.Revision?
      var worked: Worked<Answer>?
      do throws(Failure) {
        let changed = try session.change(
          waitingIn: service.sessions.waitingRoom,
          commit: { (before, change) throws(Failure) in
            (outcome, recordSize) = try write(
              change, of: session, after: before.storedVersion, kind, worked?.body, to: archive)
            // Leaves the session as it is.
            if outcome != .done { throw .problem(.noSuchSession) }
          },
          { (current) throws(Failure) in
            old = current.revision
            worked = try checked(session, current, by: turn, work)
            return worked?.change
          })
        guard let changed, let worked else { throw .problem(.beingChanged) }
        if let recordSize { archive.noteGrowth(of: session, by: recordSize) }
        service.sessions.recount(session, replacing: old, after: turn)
        return (changed, worked.answer)
      } catch {
        if old != nil { service.sessions.recount(session, after: turn) }
        switch outcome {
        case .done: throw error
        case .missing:
          service.sessions.remove(session)
          throw error
        case .conflict:
          // Somebody else was faster: worked out anew, from what there is now.
          guard try archive.refresh(session, for: .change, in: service.sessions) else {
            throw error
          }
        }
      }
    }
    throw SessionArchive.contested
  }

  /// Writes a change to a store: as a record, or by what it makes of the session.
  ///
  /// - Returns: What came of it, and the size of the record; nil if there is none.
  private func write(
    _ change: Session.Change, of session: Session, after version: StoredVersion,
    _ kind: StoredChange.Kind, _ own: [UInt8]?, to archive: SessionArchive
  ) throws(Failure) -> (StoreOutcome, recordSize: Int?) {
    if archive.prefersSnapshot(of: session, to: own?.count ?? body.count) {
      return (
        try archive.replace(session, by: change, after: version, in: service.sessions), nil
      )
    }
    let record = record(of: kind, own, at: change.scrolling.contentOffset)
    let outcome = try archive.append(
      record, to: session, after: version, stamp: change.stamp, in: service.sessions)
    return (outcome, record.count)
  }

  /// The record of a change, with a body of its own or that of the request, which is not copied for that.
  private func record(
    of kind: StoredChange.Kind, _ own: [UInt8]?, at contentOffset: Point
  ) -> [UInt8] {
    guard let own else { return StoredRecord.change(kind, body: body, at: contentOffset) }
    return StoredRecord.change(kind, body: own.span, at: contentOffset)
  }

  private func checked<Answer>(
    _ session: Session, _ current: Session.Snapshot, by turn: UInt64,
    _ work: (Session.Snapshot) throws(Failure) -> Worked<Answer>
  ) throws(Failure) -> Worked<Answer> {
    try checkIfMatch(current)
    let worked = try work(current)
    guard let change = worked.change else { return worked }
    // Whoever deletes a session at a version takes it out between two changes; a store knows by itself.
    if change.isNewVersion, service.archive == nil,
      service.sessions.residentSession(session.id) !== session
    {
      throw .problem(.noSuchSession)
    }
    try checkRoom(for: change, of: session, current, reservedBy: turn)
    return worked
  }

  /// Refuses a change that makes a session larger than there is room for.
  ///
  /// With a turn, that room is kept until the session is counted after it.
  func checkRoom(
    for change: Session.Change, of session: Session, _ current: Session.Snapshot,
    reservedBy turn: UInt64? = nil
  ) throws(Failure) {
    // One that has been brought back into memory may take more than it may: it may become smaller.
    if change.byteCount <= current.byteCount { return }
    do throws(SessionError) {
      try service.sessions.checkRoom(
        for: session, toTake: change.byteCount, reservedBy: turn)
    } catch {
      throw .session(error)
    }
  }

  /// Changes a session in memory alone, which takes no time, whatever the collection; but others of this session
  /// may take some.
  func changeBriefly<Answer>(
    _ session: Session, _ work: (Session.Snapshot) throws(Failure) -> Worked<Answer>
  ) throws(Failure) -> (Session.Snapshot, Answer) {
    try checkAsksForFew(session.snapshot.scrolling)
    let turn = StoreUpkeep.now
    var old: Session.Revision?
    var worked: Worked<Answer>?
    func change(_ current: Session.Snapshot) throws(Failure) -> Session.Change? {
      old = current.revision
      worked = try checked(session, current, by: turn, work)
      assert(
        service.archive == nil || worked?.change?.isNewVersion != true,
        "a version that no store knows of")
      return worked?.change
    }
    let room = mayTakeLong ? service.sessions.waitingRoom : nil
    do throws(Failure) {
      guard let changed = try session.change(waitingIn: room, change), let worked else {
        throw mayTakeLong ? .problem(.beingChanged) : .takesLong
      }
      service.sessions.recount(session, replacing: old, after: turn)
      return (changed, worked.answer)
    } catch {
      // It may have been worked out before, and not been made.
      if old != nil { service.sessions.recount(session, after: turn) }
      throw error
    }
  }
}
