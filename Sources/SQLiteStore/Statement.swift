import CSQLite
import LayoutSessions

/// A statement that is kept, so that it is read by SQLite once; of one thread at a time.
///
/// Between uses it is reset: a statement in the middle of its rows would keep its transaction open.
@safe final class Statement {
  /// What can be told to a statement, or is answered, other than records.
  enum Value {
    case integer(Int64)
    case text(String)
  }

  private let database: Database
  // SQLite's statement: made in init, ended in deinit.
  private let handle: OpaquePointer

  /// Prepares a statement.
  ///
  /// - Parameters:
  ///   - text: One statement.
  ///   - database: The connection that it is for.
  /// - Throws: ``StoreError``.
  init(_ text: String, in database: Database) throws(StoreError) {
    var prepared: OpaquePointer?
    // Safe: the connection lives, and the text is there for the length of the call.
    let code = unsafe sqlite3_prepare_v3(
      database.handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared = unsafe prepared else { throw database.failure(code) }
    self.database = database
    unsafe handle = prepared
  }

  deinit {
    // Safe: prepared in init, and the connection lives until after this.
    unsafe sqlite3_finalize(handle)
  }

  /// Does it, and ignores rows.
  ///
  /// - Parameters:
  ///   - values: What its parameters stand for.
  ///   - moment: Whether it is a commit.
  /// - Throws: ``StoreError``.
  func run(
    _ values: Value..., moment: SQLiteFailure.Moment = .statement
  ) throws(StoreError) {
    defer { reset() }
    try bind(values)
    // Safe: the statement lives.
    var code = unsafe sqlite3_step(handle)
    while code == SQLITE_ROW { code = unsafe sqlite3_step(handle) }
    guard code == SQLITE_DONE else { throw database.failure(code, in: moment) }
  }

  /// Does one that has a record as its last parameter, and no rows.
  ///
  /// - Parameters:
  ///   - values: What the parameters before stand for.
  ///   - record: The record, which is not copied.
  /// - Throws: ``StoreError``.
  func run(_ values: Value..., record: [UInt8]) throws(StoreError) {
    defer { reset() }
    try bind(values)
    let place = Int32(clamping: values.count + 1)
    let code = unsafe record.withUnsafeBufferPointer { bytes in
      // Safe: SQLite reads the bytes until the statement is reset, which it is before they go. An
      // empty record may have no address, which SQLite would take for no record at all.
      let code =
        bytes.isEmpty
        ? unsafe sqlite3_bind_zeroblob(handle, place, 0)
        : unsafe sqlite3_bind_blob64(handle, place, bytes.baseAddress, UInt64(bytes.count), nil)
      guard code == SQLITE_OK else { return code }
      let result = unsafe sqlite3_step(handle)
      reset()
      return result
    }
    guard code == SQLITE_DONE else { throw database.failure(code) }
  }

  /// Asks it for its first row.
  ///
  /// - Parameters:
  ///   - values: What its parameters stand for.
  ///   - read: Reads the row.
  /// - Returns: What was read; nil if there is no row.
  /// - Throws: ``StoreError``.
  func row<Row>(
    _ values: Value..., read: (Statement) throws(StoreError) -> Row
  ) throws(StoreError) -> Row? {
    defer { reset() }
    try bind(values)
    return try step() ? try read(self) : nil
  }

  /// Asks it for all rows.
  ///
  /// - Parameters:
  ///   - values: What its parameters stand for.
  ///   - read: Reads a row.
  /// - Throws: ``StoreError``.
  func forEachRow(
    _ values: Value..., read: (Statement) throws(StoreError) -> Void
  ) throws(StoreError) {
    defer { reset() }
    try bind(values)
    while try step() { try read(self) }
  }

  /// The number in a column of the row that is being read.
  // Safe: the statement lives and is at a row; other types are converted, columns that are not
  // there are zero.
  func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  /// The text in a column of the row that is being read.
  ///
  /// - Parameter column: The column.
  /// - Returns: The text.
  /// - Throws: ``StoreError`` if there is no memory.
  func text(_ column: Int32) throws(StoreError) -> String {
    String(decoding: try bytes(column), as: UTF8.self)
  }

  /// The bytes in a column of the row that is being read.
  ///
  /// - Parameter column: The column.
  /// - Returns: The bytes, copied.
  /// - Throws: ``StoreError`` if there is no memory.
  func bytes(_ column: Int32) throws(StoreError) -> [UInt8] {
    // Safe: the statement lives and is at a row; the bytes are there until it goes on, and copied
    // before. Asked for in this order, the count is that of these bytes.
    guard let start = unsafe sqlite3_column_blob(handle, column) else {
      let code = unsafe sqlite3_errcode(database.handle)
      guard code & 0xFF != SQLITE_NOMEM else { throw database.failure(code) }
      return []
    }
    let count = unsafe Int(sqlite3_column_bytes(handle, column))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  private func step() throws(StoreError) -> Bool {
    // Safe: the statement lives.
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw database.failure(code)
    }
  }

  private func bind(_ values: [Value]) throws(StoreError) {
    for (index, value) in values.enumerated() {
      let place = Int32(clamping: index + 1)
      // Safe: the statement lives; a text is copied during the call, with its length, because it
      // may have NULs in it.
      let code =
        switch value {
        case .integer(let number): unsafe sqlite3_bind_int64(handle, place, number)
        case .text(let text):
          unsafe sqlite3_bind_text(
            handle, place, text, Int32(clamping: text.utf8.count),
            unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        }
      guard code == SQLITE_OK else { throw database.failure(code) }
    }
  }

  private func reset() {
    // Safe: the statement lives. What it answers is what the step before has said already.
    unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
  }
}
