import LayoutSessions

/// The format of the file, version 1: an SQLite database with a write-ahead log.
///
/// The file says whose it is: `application_id` is "layo" in ASCII, and `user_version` the version
/// of this format. Files that say something else are left alone; an empty one becomes a store.
/// Needs SQLite 3.37.
///
/// | table | row | columns |
/// |---|---|---|
/// | `session` | a session | `id`; its `owner`, or nothing; its `version`; when it `expires` |
/// | `snapshot` | the description of one | `session`; the `version` described; the `record` |
/// | `change` | an accepted change of one | `session`; the `version` it made; the `record` |
///
/// Every session has one snapshot, and the changes from the version after the snapshot's to its
/// own, each once. They are tables of their own, so that nothing long is written again when
/// something short is added: a change dirties a page of `change` and one of `session`.
///
/// Ids are their 32 digits rather than their 16 bytes: that is 16 bytes more a row, and whoever
/// looks into the file with `sqlite3` sees the names that are in logs and URLs. Times are
/// milliseconds since 1970, because the file outlives every other clock. What `expires` before now
/// is not there any more, whether or not it is still in the file.
enum Schema {
  /// "layo".
  static let application: Int64 = 0x6C61_796F
  /// The format that this program reads and writes.
  static let format: Int64 = 1

  /// Makes an empty database a store, and refuses what is not one.
  ///
  /// - Parameter database: The file, of which the header is that of a store or of nothing.
  /// - Throws: ``StoreError``.
  static func prepare(_ database: Database) throws(StoreError) {
    let application = try database.number("PRAGMA application_id")
    let format = try database.number("PRAGMA user_version")
    if application == 0, format == 0, try database.number("PRAGMA page_count") == 0 {
      // All at once and before there is a log, so that the file itself says what it is, always.
      try database.execute("BEGIN IMMEDIATE; \(tables); COMMIT")
    } else {
      try check(application: application, format: format, of: database.path)
    }
    let mode = try Statement("PRAGMA journal_mode = WAL", in: database)
      .row { (row) throws(StoreError) in try row.text(0) }
    guard mode == "wal" else {
      throw StoreError(.unavailable, "\(database.path): there can be no write-ahead log beside it")
    }
    // Each commit is on the disk before it is acknowledged. A log that has grown longer is cut when
    // it begins anew.
    try database.execute("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864")
    // Whether it can be written, in fact.
    try database.execute("BEGIN IMMEDIATE; COMMIT")
  }

  /// Refuses the files of others, and of later versions of this program.
  ///
  /// - Parameters:
  ///   - application: What the file says whose it is.
  ///   - format: What it says of its format.
  ///   - path: The file.
  /// - Throws: ``StoreError``.
  static func check(
    application: Int64, format: Int64, of path: String
  ) throws(StoreError) {
    guard application == Schema.application else {
      throw StoreError(.unreadable, "\(path) is the database of another program")
    }
    guard format == Schema.format else {
      throw StoreError(
        .unreadable,
        "\(path) has format \(format), which this version does not know; it knows \(Schema.format)")
    }
  }

  private static let tables = """
    CREATE TABLE session (
      id TEXT PRIMARY KEY, owner TEXT NOT NULL, version INTEGER NOT NULL,
      expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX session_expires ON session (expires);
    CREATE TABLE snapshot (
      session TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL, record BLOB NOT NULL) STRICT;
    CREATE TABLE change (
      session TEXT, version INTEGER, record BLOB NOT NULL,
      PRIMARY KEY (session, version)) STRICT, WITHOUT ROWID;
    PRAGMA application_id = \(application);
    PRAGMA user_version = \(format)
    """
}
