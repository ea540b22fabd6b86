import LayoutSessions

/// A connection that only reads; of one thread at a time.
final class Reader {
  /// A session, and when it expires if nobody notes its use.
  struct Found: Sendable {
    var session: StoredSession
    var end: Int64
  }

  private let begin: Statement
  private let end: Statement
  private let session: Statement
  private let snapshotVersion: Statement
  private let snapshotRecord: Statement
  private let changes: Statement

  /// Opens a store.
  ///
  /// - Parameter path: The file.
  /// - Throws: ``StoreError``.
  init(path: String) throws(StoreError) {
    let database = try Database(path: path)
    try database.execute("PRAGMA query_only = ON")
    begin = try Statement("BEGIN", in: database)
    end = try Statement("ROLLBACK", in: database)
    session = try Statement(
      "SELECT owner, version, expires FROM session WHERE id = ? AND expires >= ?", in: database)
    snapshotVersion = try Statement(
      "SELECT version FROM snapshot WHERE session = ?", in: database)
    snapshotRecord = try Statement("SELECT record FROM snapshot WHERE session = ?", in: database)
    changes = try Statement(
      "SELECT version, record FROM change WHERE session = ? AND version > ? ORDER BY version",
      in: database)
  }

  /// Reads what of a session is missing, as it is at one moment: after all that was acknowledged
  /// before the call.
  ///
  /// - Parameters:
  ///   - id: The session.
  ///   - owner: The name of its owner; empty for nobody's.
  ///   - version: What the asker has; nil if nothing.
  ///   - time: Up to when what has expired is as good as none.
  /// - Returns: What is missing; nil if there is no such session.
  /// - Throws: ``StoreError``.
  func load(
    _ id: SessionID, of owner: String, since version: Int?, endingAfter time: Int64
  ) throws(StoreError) -> Found? {
    try begin.run()
    // Nothing was changed. If it cannot be ended, the next one cannot begin, and that is noticed.
    defer { try? end.run() }
    let key = Statement.Value.text(id.description)
    guard
      var found = try session.row(
        key, .integer(time),
        read: { (row) throws(StoreError) in
          Found(
            session: StoredSession(
              owner: try row.text(0), version: StoredVersion(Int(row.integer(1)), stamp: 0),
              snapshot: nil, changes: []),
            end: row.integer(2))
        }),
      owner == found.session.owner
    else { return nil }
    let first = try snapshotVersion.row(key) { row in Int(row.integer(0)) }
    guard let first else { throw StoreError(.unreadable, "there is no snapshot") }
    let current = found.session.version
    guard first <= current else {
      throw StoreError(.unreadable, "the snapshot has version \(first), after \(current)")
    }
    var start = first
    if let version, first...current ~= version {
      start = version
    } else {
      let record = try snapshotRecord.row(key) { (row) throws(StoreError) in try row.bytes(0) }
      found.session.snapshot = StoredSession.Snapshot(record: record ?? [], version: first)
    }
    found.session.changes = try readChanges(of: key, after: start, upTo: current)
    return found
  }

  /// Reads whose a session is.
  ///
  /// - Parameters:
  ///   - id: The session.
  ///   - time: Up to when what has expired is as good as none.
  /// - Returns: The name of whose it is; nil if there is no such session.
  /// - Throws: ``StoreError``.
  func owner(of id: SessionID, endingAfter time: Int64) throws(StoreError) -> String? {
    try session.row(
      .text(id.description), .integer(time), read: { (row) throws(StoreError) in try row.text(0) })
  }

  private func readChanges(
    of key: Statement.Value, after start: Int, upTo end: Int
  ) throws(StoreError) -> [[UInt8]] {
    var records: [[UInt8]] = []
    var last = start
    try changes.forEachRow(key, .integer(Int64(start))) { (row) throws(StoreError) in
      let version = Int(row.integer(0))
      guard version &- last == 1, version <= end else {
        throw StoreError(
          .unreadable, "after change \(last) of \(end) there is change \(version)")
      }
      records.append(try row.bytes(1))
      last = version
    }
    guard last == end else {
      throw StoreError(.unreadable, "after change \(last) of \(end) there is none")
    }
    return records
  }
}
