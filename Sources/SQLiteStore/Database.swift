import CSQLite
import LayoutSessions

/// One connection to the file; of one thread at a time.
///
/// Only it and ``Statement`` hold what is SQLite's. Statements keep their connection, so that it is closed after
/// them.
@safe final class Database {
  // SQLite's connection: made in init, closed in deinit.
  let handle: OpaquePointer
  /// The file.
  let path: String
  /// Whether there was no room since this was last set to false.
  var wasFull = false
  /// Whether another program held the file since this was last set to false.
  var wasHeld = false

  /// Whether other programs are waited for that look into the file meanwhile.
  var waitsForOthers = true {
    didSet { if waitsForOthers != oldValue { setPatience() } }
  }

  /// Opens a file that exists.
  ///
  /// - Parameter path: The file, without links in its name.
  /// - Throws: ``StoreError``; a file that is no database is found out with the first question
  /// only.
  init(path: String) throws(StoreError) {
    guard sqlite3_threadsafe() != 0 else {
      throw StoreError(.unavailable, "this SQLite is made for programs of one thread")
    }
    var opened: OpaquePointer?
    // The store sees to it that a connection has one thread at a time.
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    // Safe: the path is there for the length of the call; what was opened is closed in deinit.
    let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened = unsafe opened else {
      let failure = SQLiteFailure.failure(code, of: path, in: .statement)
      // Safe: a connection is made even for what cannot be opened; nil is allowed.
      unsafe sqlite3_close_v2(opened)
      throw failure
    }
    unsafe handle = opened
    self.path = path
    setPatience()
    // Schemas of damaged files are not trusted, nor their pages. 2 MiB of pages are kept in memory;
    // what is deleted need not be overwritten, which some builds of SQLite do.
    try execute(
      """
      PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA secure_delete = OFF;
      PRAGMA cache_size = -2048; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY;
      """)
  }

  deinit {
    // Safe: opened in init; statements are gone, because they keep this object. The last connection
    // of a file copies into it what is beside it.
    unsafe sqlite3_close_v2(handle)
  }

  /// Does what has no answer.
  ///
  /// - Parameter text: Statements, with semicolons in between.
  /// - Throws: ``StoreError``.
  func execute(_ text: String) throws(StoreError) {
    // Safe: the connection lives, and the text is there for the length of the call.
    let code = unsafe sqlite3_exec(handle, text, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// The number that a question answers.
  ///
  /// - Parameter question: A statement with one number in its first row.
  /// - Returns: The number; zero if there is no row.
  /// - Throws: ``StoreError``.
  func number(_ question: String) throws(StoreError) -> Int64 {
    let statement = try Statement(question, in: self)
    return try statement.row { statement in statement.integer(0) } ?? 0
  }

  /// How many rows the last change changed.
  // Safe: the connection lives.
  var changeCount: Int { unsafe Int(sqlite3_changes(handle)) }

  /// Whether there is a transaction.
  // Safe: the connection lives.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// Whether the file is not there any more by its name, or is another one there.
  var isElsewhere: Bool {
    var isElsewhere: Int32 = 0
    // Safe: the connection lives, and the number is there for the length of the call.
    let code = unsafe sqlite3_file_control(
      handle, "main", SQLITE_FCNTL_HAS_MOVED, &isElsewhere)
    return code == SQLITE_OK && isElsewhere != 0
  }

  /// Takes back what has been done since the transaction began, if there is one.
  func rollBack() {
    guard isInTransaction else { return }
    // What cannot be taken back now is tried again before the next transaction.
    try? execute("ROLLBACK")
  }

  /// Copies what is beside the file into it, and gives the room of that back, as far as it works.
  func checkpoint() {
    // Safe: the connection lives; nil is for all databases and for counts that nobody wants.
    _ = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
  }

  /// What SQLite answered, in words.
  ///
  /// - Parameters:
  ///   - code: The answer.
  ///   - moment: Where it failed.
  /// - Returns: The error.
  func failure(_ code: Int32, in moment: SQLiteFailure.Moment = .statement) -> StoreError {
    if SQLiteFailure.isFull(code) { wasFull = true }
    if SQLiteFailure.isHeld(code) { wasHeld = true }
    return SQLiteFailure.failure(code, of: path, in: moment)
  }

  private func setPatience() {
    // Safe: the connection lives.
    unsafe sqlite3_busy_timeout(handle, waitsForOthers ? Database.patience : 0)
  }

  /// So many milliseconds are other programs waited for.
  private static let patience: Int32 = 2000
}
