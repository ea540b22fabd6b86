import HTTPMessages
import LayoutSessions

/// Forgetting sessions.
extension Call {
  /// Forgets the session that the path names, if it is at the version that the client believes in.
  func removeSession() throws(Failure) {
    guard fields.ifMatch.isEmpty else {
      let session = try session(for: .deletion)
      if let archive = service.archive { return try remove(session, from: archive) }
      return try removeWithoutStore(session)
    }
    guard let id = SessionID(parameter(0)) else { throw .problem(.noSuchSession) }
    let isInMemory = service.sessions.session(id, of: owner, at: service.now()) != nil
    if let archive = service.archive {
      // It is not brought into memory for that: it may be one that cannot be read.
      if !isInMemory {
        guard try archive.has(id, of: owner) else { throw .problem(.noSuchSession) }
      }
      let outcome = try archive.delete(id, at: nil, in: service.sessions)
      _ = service.sessions.remove(id, of: owner, at: service.now())
      guard outcome != .missing else { throw .problem(.noSuchSession) }
    } else if !service.sessions.remove(id, of: owner, at: service.now()) {
      throw .problem(.noSuchSession)
    }
  }

  /// Forgets a session at the version that the client believes in, in the store and then in memory.
  private func remove(_ session: Session, from archive: SessionArchive) throws(Failure) {
    for _ in 0..<SessionArchive.roundCount {
      let snapshot = session.snapshot
      try checkIfMatch(snapshot)
      let outcome = try archive.delete(
        session.id, at: snapshot.version, in: service.sessions)
      if case .conflict = outcome {
        // Somebody else was faster with a change, which memory may not have yet: looked at again.
        session.upkeep.doubt()
        if try archive.refresh(session, for: .deletion, in: service.sessions) { continue }
      }
      _ = service.sessions.remove(session.id, of: owner, at: service.now())
      guard outcome == .done else { throw .problem(.noSuchSession) }
      return
    }
    throw SessionArchive.contested
  }

  /// Forgets a session at the version that the client believes in, where there is no store.
  private func removeWithoutStore(_ session: Session) throws(Failure) {
    // A change under way is waited for, which may take long: one that is accepted makes another version.
    guard mayTakeLong else { throw .takesLong }
    var isRemoved = false
    let room = service.sessions.waitingRoom
    let isItsTurn = try session.change(waitingIn: room) { (current) throws(Failure) in
      try checkIfMatch(current)
      isRemoved = service.sessions.remove(session.id, of: owner, at: service.now())
      return nil
    }
    guard isItsTurn != nil else { throw .problem(.beingChanged) }
    guard isRemoved else { throw .problem(.noSuchSession) }
  }
}
