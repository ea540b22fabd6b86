import LayoutSessions

extension StoredSession {
  init(owner: String, version number: Int, snapshot: Snapshot?, changes: [[UInt8]]) {
    self.init(
      owner: owner, version: StoredVersion(number, stamp: 0), snapshot: snapshot, changes: changes)
  }
}

/// Versions by their numbers, for tests in which no number comes twice: all have stamp 0.
extension DurableStore {
  private func version(_ number: Int) -> StoredVersion { StoredVersion(number, stamp: 0) }

  func create(_ id: SessionID, owner: String, snapshot: [UInt8]) throws(StoreError) {
    try create(id, owner: owner, snapshot: snapshot, stamp: 0)
  }

  /// Reads a session of nobody's, or of whoever's is said.
  func load(
    _ id: SessionID, of owner: String = "", since version: StoredVersion?
  ) throws(StoreError) -> StoredSession? {
    try load(id, of: owner, since: version, isScrolling: false)
  }

  func load(
    _ id: SessionID, of owner: String = "", since number: Int, isScrolling: Bool = false
  ) throws(StoreError) -> StoredSession? {
    try load(id, of: owner, since: version(number), isScrolling: isScrolling)
  }

  func append(
    _ change: [UInt8], to id: SessionID, after number: Int
  ) throws(StoreError) -> StoreOutcome {
    try append(change, to: id, after: version(number), stamp: 0)
  }

  func replace(
    _ id: SessionID, by snapshot: [UInt8], after number: Int
  ) throws(StoreError) -> StoreOutcome {
    try replace(id, by: snapshot, after: version(number), stamp: 0)
  }

  func replaceSnapshot(
    of id: SessionID, by snapshot: [UInt8], at number: Int
  ) throws(StoreError) {
    try replaceSnapshot(of: id, by: snapshot, at: version(number))
  }
}
