import LayoutSessions

/// What a writer says to SQLite, prepared once.
struct WriterStatements {
  /// Takes the file for writing.
  let begin: Statement
  /// Makes it so.
  let commit: Statement
  /// The version of a session that does not expire before a time.
  let version: Statement
  /// A session with its owner and end, at version 1.
  let insertSession: Statement
  /// A session's first snapshot.
  let insertSnapshot: Statement
  /// A session's change that makes a version.
  let insertChange: Statement
  /// A session's version.
  let setVersion: Statement
  /// A session's end, if it is not before the second and before the third of these times.
  let setEnd: Statement
  /// A session's snapshot at a version, if it is later than what is there.
  let replaceSnapshot: Statement
  /// A session's changes up to a version.
  let deleteChanges: Statement
  /// A session's snapshot.
  let deleteSnapshot: Statement
  /// A session itself.
  let deleteSession: Statement
  /// The sessions that expire before a time, but after another, the oldest first.
  let oldest: Statement

  /// Prepares them; that fails if the file has not the tables that it should have.
  ///
  /// - Parameter database: The connection.
  /// - Throws: ``StoreError``.
  init(_ database: Database) throws(StoreError) {
    func statement(_ text: String) throws(StoreError) -> Statement {
      try Statement(text, in: database)
    }
    begin = try statement("BEGIN IMMEDIATE")
    commit = try statement("COMMIT")
    version = try statement("SELECT version FROM session WHERE id = ? AND expires >= ?")
    insertSession = try statement(
      "INSERT INTO session (id, owner, version, expires) VALUES (?, ?, 1, ?)")
    insertSnapshot = try statement(
      "INSERT INTO snapshot (session, version, record) VALUES (?, 1, ?)")
    insertChange = try statement(
      "INSERT INTO change (session, version, record) VALUES (?, ?, ?)")
    setVersion = try statement("UPDATE session SET version = ?2 WHERE id = ?1")
    setEnd = try statement(
      "UPDATE session SET expires = ?4 WHERE id = ?1 AND expires >= ?2 AND expires < ?3")
    replaceSnapshot = try statement(
      "UPDATE snapshot SET version = ?2, record = ?3 WHERE session = ?1 AND version < ?2")
    deleteChanges = try statement("DELETE FROM change WHERE session = ? AND version <= ?")
    deleteSnapshot = try statement("DELETE FROM snapshot WHERE session = ?")
    deleteSession = try statement("DELETE FROM session WHERE id = ?")
    oldest = try statement(
      "SELECT id, expires FROM session WHERE expires < ? AND expires > ? ORDER BY expires LIMIT ?")
  }
}
