import LayoutSessions

/// The connection that changes the file; of one thread at a time.
///
/// What several callers want is done in one transaction, because writing to the disk and waiting
/// for it costs as much for one change as for a hundred.
final class Writer {
  /// What came of an operation.
  typealias Outcome = Result<StoreOutcome, StoreError>

  private let database: Database
  private let lifetime: Lifetime
  private let unsettled: UnsettledChanges
  private let statements: WriterStatements
  /// What expires up to here could not be swept.
  private var sweptUntil = Int64.min
  /// Sessions of which no use can be written, because their pages are damaged.
  private var unwritable: Set<SessionID> = []
  /// The sessions of which a use is written in this transaction.
  private var touched: [SessionID] = []
  /// How many transactions have been committed.
  private(set) var commitCount = 0
  /// When another program was found to hold the file; nil if something was committed since.
  private var heldAt: ContinuousClock.Instant?

  /// Opens a file that exists; makes it a store if it is empty.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - lifetime: How long sessions live.
  ///   - unsettled: Where to say which changes may still come to count.
  /// - Throws: ``StoreError``.
  init(path: String, lifetime: Lifetime, unsettled: UnsettledChanges) throws(StoreError) {
    database = try Database(path: path)
    try Schema.prepare(database)
    statements = try WriterStatements(database)
    self.lifetime = lifetime
    self.unsettled = unsettled
  }

  /// Does operations in one transaction, if none of them fails.
  ///
  /// One that finds another version, or no session, does not fail. If one does, or all together do,
  /// each half of them is tried alone: what fails by itself is found by and by, and harms no other.
  /// But if another program holds the file, or has taken it away, or what has failed before cannot be overwritten or
  /// taken back, that is no operation's fault: all fail.
  ///
  /// - Parameters:
  ///   - operations: What to do, in this order.
  ///   - mayMakeRoom: Whether to try again on a full disk after the log has been copied into the
  ///     file and cut. That gives room as long as the file has pages that sessions left.
  /// - Returns: What came of each.
  func perform(
    _ operations: ArraySlice<WriteOperation>, mayMakeRoom: Bool = true
  ) -> [Outcome] {
    // SQLite would go on writing to it, and whoever starts the program anew would find nothing of that.
    guard !database.isElsewhere else { return fail(operations, .elsewhere(database.path)) }
    do throws(StoreError) {
      database.wasFull = false
      database.wasHeld = false
      return try commit(operations).map { .success($0) }
    } catch {
      // After a commit that may have happened, trying again may do it twice.
      guard error.kind != .uncertain else {
        unsettled.note(operations.compactMap(\.session))
        try? settle()
        return fail(operations, error)
      }
      if mayMakeRoom, database.wasFull {
        database.checkpoint()
        return perform(operations, mayMakeRoom: false)
      }
      // The one that failed cannot be taken back, and so no other can be tried.
      if operations.count > 1, database.isInTransaction { return fail(operations, isBusy) }
      guard operations.count > 1, !database.wasHeld, unsettled.isEmpty else {
        return fail(operations, error)
      }
      let middle = operations.startIndex + operations.count / 2
      return perform(operations[..<middle], mayMakeRoom: mayMakeRoom)
        + perform(operations[middle...], mayMakeRoom: mayMakeRoom)
    }
  }

  /// Fails operations; that sessions are used is known all the same.
  private func fail(_ operations: ArraySlice<WriteOperation>, _ error: StoreError) -> [Outcome] {
    let now = lifetime.now
    for case .touch(let ids) in operations {
      lifetime.unwritten.note(ids, until: lifetime.notedEnd(from: now), at: now.time)
    }
    return operations.map { _ in .failure(error) }
  }

  /// For so long after it was found to be held the file is taken for held.
  private static let heldTime = Duration.seconds(1)

  /// Tells SQLite something, for tests.
  ///
  /// - Parameter text: Statements.
  /// - Throws: ``StoreError``.
  func execute(_ text: String) throws(StoreError) { try database.execute(text) }

  /// Overwrites what a commit that failed has left in the log.
  ///
  /// Where the disk fails to say that the log is on it, SQLite forgets the transaction; but all of it is in the log,
  /// and whoever opens the file after a crash would take it for committed. The next commit is written over it.
  private func settle() throws(StoreError) {
    guard !unsettled.isEmpty else { return }
    try checkIsIdle()
    do throws(StoreError) {
      // Writes a page that says what it has said.
      try database.execute("PRAGMA user_version = \(Schema.format)")
    } catch {
      throw StoreError(.unavailable, error.detail)
    }
    unsettled.removeAll()
  }

  /// A transaction that cannot be taken back, for want of memory, is tried again with the next operation.
  private func checkIsIdle() throws(StoreError) {
    if database.isInTransaction { throw isBusy }
  }

  private var isBusy: StoreError {
    StoreError(.unavailable, "\(database.path): what has failed cannot be taken back now")
  }

  private func commit(
    _ operations: ArraySlice<WriteOperation>
  ) throws(StoreError) -> [StoreOutcome] {
    // There is none, unless taking it back has failed.
    database.rollBack()
    try checkIsIdle()
    // Who has just been waited for in vain is not waited for again at once, by one after the other:
    // threads would do nothing else. Whether the file is free is tried all the same.
    database.waitsForOthers = heldAt.map { ContinuousClock.now - $0 > Writer.heldTime } ?? true
    do throws(StoreError) {
      touched = []
      try settle()
      try statements.begin.run()
      var outcomes: [StoreOutcome] = []
      let now = lifetime.now
      for operation in operations { outcomes.append(try perform(operation, at: now)) }
      try statements.commit.run(moment: .commit)
      commitCount += 1
      heldAt = nil
      lifetime.unwritten.forget(touched)
      return outcomes
    } catch {
      // From when it was waited for: who has not been waited for makes the next no better off.
      if database.wasHeld, database.waitsForOthers { heldAt = ContinuousClock.now }
      database.rollBack()
      throw error
    }
  }

  private func perform(
    _ operation: WriteOperation, at now: StoreClock.Moment
  ) throws(StoreError) -> StoreOutcome {
    do throws(StoreError) {
      return switch operation {
      case .create(let id, let owner, let snapshot):
        try create(id, owner: owner, snapshot: snapshot, at: now)
      case .append(let change, let id, let version):
        try append(change, to: id, after: version, at: now)
      case .replace(let id, let snapshot, let version):
        try replace(id, by: snapshot, after: version, at: now)
      case .replaceSnapshot(let id, let snapshot, let version):
        try replaceSnapshot(of: id, by: snapshot, at: version, now: now)
      case .delete(let id, let version): try delete(id, at: version, now: now)
      // Of the uses in the next eighth of a life nobody may say anything: it has to last for those too.
      case .touch(let ids): try touch(ids, at: now, ifBefore: lifetime.notedEnd(from: now))
      case .sweep: try sweep(at: now)
      case .writeUses: try writeUses()
      }
    } catch {
      throw operation.session.map { error.about($0) } ?? error
    }
  }

  private func create(
    _ id: SessionID, owner: String, snapshot: [UInt8], at now: StoreClock.Moment
  ) throws(StoreError) -> StoreOutcome {
    // Expired or not: what is left of a session is not another's.
    guard try version(of: id, at: .min) == nil else {
      throw StoreError(.unavailable, "it exists already")
    }
    try statements.insertSession.run(
      .text(id.description), .text(owner), .integer(lifetime.notedEnd(from: now)))
    try statements.insertSnapshot.run(.text(id.description), record: snapshot)
    return .done
  }

  private func append(
    _ change: [UInt8], to id: SessionID, after version: Int, at now: StoreClock.Moment
  ) throws(StoreError) -> StoreOutcome {
    try advance(id, after: version, at: now) { (key, next) throws(StoreError) in
      try statements.insertChange.run(key, next, record: change)
    }
  }

  private func replace(
    _ id: SessionID, by snapshot: [UInt8], after version: Int, at now: StoreClock.Moment
  ) throws(StoreError) -> StoreOutcome {
    try advance(id, after: version, at: now) { (key, next) throws(StoreError) in
      try statements.replaceSnapshot.run(key, next, record: snapshot)
      guard database.changeCount > 0 else {
        throw StoreError(.unreadable, "there is no snapshot before that of the new version")
      }
      try statements.deleteChanges.run(key, next)
    }
  }

  /// Gives a session the next version, if it is at the one before.
  private func advance(
    _ id: SessionID, after version: Int, at now: StoreClock.Moment,
    _ write: (_ key: Statement.Value, _ next: Statement.Value) throws(StoreError) -> Void
  ) throws(StoreError) -> StoreOutcome {
    guard let current = try self.version(of: id, at: now.time) else { return .missing }
    guard current == version else { return .conflict(version: current) }
    let (next, hasOverflown) = version.addingReportingOverflow(1)
    guard !hasOverflown else { throw StoreError(.unreadable, "it has no version") }
    let key = Statement.Value.text(id.description)
    try write(key, .integer(Int64(next)))
    try statements.setVersion.run(key, .integer(Int64(next)))
    try touch([id], at: now, ifBefore: lifetime.earliestEnd(from: now))
    return .done
  }

  private func replaceSnapshot(
    of id: SessionID, by snapshot: [UInt8], at version: Int, now: StoreClock.Moment
  ) throws(StoreError) -> StoreOutcome {
    guard let current = try self.version(of: id, at: now.time) else { return .missing }
    guard version <= current else { return .conflict(version: current) }
    let key = Statement.Value.text(id.description)
    try statements.replaceSnapshot.run(key, .integer(Int64(version)), record: snapshot)
    guard database.changeCount > 0 else { return .done }
    try statements.deleteChanges.run(key, .integer(Int64(version)))
    return .done
  }

  private func delete(
    _ id: SessionID, at version: Int?, now: StoreClock.Moment
  ) throws(StoreError) -> StoreOutcome {
    guard let current = try self.version(of: id, at: now.time) else { return .missing }
    guard version == nil || version == current else { return .conflict(version: current) }
    try deleteRows(of: id.description)
    return .done
  }

  /// Only what would expire before that end is written.
  @discardableResult
  private func touch(
    _ ids: [SessionID], at now: StoreClock.Moment, ifBefore end: Int64
  ) throws(StoreError) -> StoreOutcome {
    for id in ids {
      try statements.setEnd.run(
        .text(id.description), .integer(lifetime.unwritten.earliestEnd(of: id, at: now.time)),
        .integer(end), .integer(lifetime.notedEnd(from: now)))
    }
    touched += ids
    return .done
  }

  /// Deletes some sessions that are not used any more, the oldest first; `missing` says that there are no more.
  ///
  /// One that cannot be deleted, because its pages are damaged, would be the first again and again:
  /// it and what is as old stays until the file is opened anew.
  private func sweep(at now: StoreClock.Moment) throws(StoreError) -> StoreOutcome {
    var found: [(id: String, end: Int64)] = []
    try statements.oldest.forEachRow(
      .integer(now.time), .integer(sweptUntil), .integer(Int64(WriteOperation.sweepCount))
    ) { (row) throws(StoreError) in found.append((try row.text(0), row.integer(1))) }
    let uses = lifetime.unwritten.all
    for (id, end) in found {
      do throws(StoreError) {
        // What the file takes for expired need not be.
        if let used = SessionID(Array(id.utf8).span), let use = uses[used], use >= now.time {
          try write(use, of: used)
        } else {
          try deleteRows(of: id)
        }
      } catch {
        if error.kind == .unreadable { sweptUntil = end }
        throw StoreError(error.kind, "expired session \(id): \(error.detail)")
      }
    }
    return found.count == WriteOperation.sweepCount ? .done : .missing
  }

  /// Writes some of the uses of which the file does not know; `missing` says that there are no more.
  ///
  /// What cannot be written is not tried again until the file is opened anew: it would be the first again and
  /// again, and as long as this process lives its use is known.
  private func writeUses() throws(StoreError) -> StoreOutcome {
    let uses = lifetime.unwritten.all.lazy.filter { [unwritable] in !unwritable.contains($0.key) }
      .prefix(WriteOperation.sweepCount)
    var count = 0
    for (id, end) in uses {
      count += 1
      do throws(StoreError) {
        try write(end, of: id)
      } catch {
        guard error.kind == .unreadable else { throw error }
        unwritable.insert(id)
      }
    }
    return count == WriteOperation.sweepCount ? .done : .missing
  }

  /// Writes a use of which the file does not know: when a session expires, whatever the file says.
  private func write(_ end: Int64, of id: SessionID) throws(StoreError) {
    try statements.setEnd.run(
      .text(id.description), .integer(.min), .integer(end), .integer(end))
    touched.append(id)
  }

  private func deleteRows(of key: String) throws(StoreError) {
    try statements.deleteChanges.run(.text(key), .integer(.max))
    try statements.deleteSnapshot.run(.text(key))
    try statements.deleteSession.run(.text(key))
  }

  /// The version of a session that does not expire before a time; nil if there is none.
  private func version(of id: SessionID, at now: Int64) throws(StoreError) -> Int? {
    let end = lifetime.unwritten.earliestEnd(of: id, at: now)
    return try statements.version.row(.text(id.description), .integer(end)) { row in
      Int(row.integer(0))
    }
  }
}
