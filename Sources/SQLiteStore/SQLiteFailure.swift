import CSQLite
import Glibc
import LayoutSessions

/// What SQLite answers, as far as somebody does something about it.
///
/// Codes have their kind in the low byte and details above; only this type knows which is which.
enum SQLiteFailure {
  /// Where SQLite was when it failed.
  enum Moment {
    /// Before anything was committed: whatever was changed is taken back.
    case statement
    /// In the commit: what it failed of decides whether it may have happened.
    case commit
  }

  /// An answer in words.
  ///
  /// - Parameters:
  ///   - code: The answer, extended or not.
  ///   - path: The file.
  ///   - moment: Where it failed.
  /// - Returns: The error; ``StoreError/Kind/uncertain`` only for commits.
  static func failure(_ code: Int32, of path: String, in moment: Moment) -> StoreError {
    // As the system has left it. SQLite's own copy is not of commits, and may be of an earlier failure.
    let reason = errno
    let kind = kind(of: code, in: moment)
    return StoreError(kind, "\(path): \(words(for: code, because: reason))")
  }

  /// Whether there was no room.
  ///
  /// - Parameter code: The answer, extended or not.
  /// - Returns: Whether that is what it says.
  static func isFull(_ code: Int32) -> Bool { code & 0xFF == SQLITE_FULL }

  /// Whether another program held the file.
  ///
  /// - Parameter code: The answer, extended or not.
  /// - Returns: Whether that is what it says.
  static func isHeld(_ code: Int32) -> Bool {
    code & 0xFF == SQLITE_BUSY || code & 0xFF == SQLITE_LOCKED
  }

  private static func kind(of code: Int32, in moment: Moment) -> StoreError.Kind {
    switch code & 0xFF {
    // The file has not what it has to have; a constraint is broken, or a table is missing.
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_ERROR, SQLITE_MISMATCH,
      SQLITE_FORMAT:
      .unreadable
    // The last thing that a commit writes says that it is one. For these, it was not written: there
    // was no room for it or for what comes before it, or nothing was allowed to be written at all.
    case SQLITE_FULL, SQLITE_READONLY, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_CANTOPEN: .unavailable
    default: moment == .commit ? .uncertain : .unavailable
    }
  }

  private static func words(for code: Int32, because reason: Int32) -> String {
    let words: String? =
      switch code & 0xFF {
      case SQLITE_FULL: "the disk is full"
      case SQLITE_READONLY: "the file cannot be written"
      case SQLITE_IOERR: "the disk fails"
      case SQLITE_CANTOPEN: "the file, or those beside it, cannot be opened"
      case SQLITE_BUSY, SQLITE_LOCKED: "another program holds the file"
      case SQLITE_CORRUPT: "the file is damaged"
      case SQLITE_NOTADB: "this is not a database"
      case SQLITE_NOMEM: "there is no memory"
      case SQLITE_TOOBIG: "a record is too long"
      default: nil
      }
    // Safe: SQLite's texts for codes are constants.
    let name = unsafe sqlite3_errstr(code).map { unsafe String(cString: $0) } ?? "unknown error"
    guard let words else { return "\(name) (\(code))" }
    guard isSystems(code), reason != 0 else { return "\(words) (\(code))" }
    return "\(words): \(StoreError.text(of: reason)) (\(code))"
  }

  /// Whether a call of the system has failed: a disk that fails may be one of which somebody has used up his share.
  private static func isSystems(_ code: Int32) -> Bool {
    switch code {
    // What was read has ended too soon; there is no memory.
    case SQLITE_IOERR | 2 << 8, SQLITE_IOERR | 12 << 8: false
    default: code & 0xFF == SQLITE_IOERR || code & 0xFF == SQLITE_CANTOPEN
    }
  }
}
