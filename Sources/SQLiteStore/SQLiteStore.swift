public import LayoutSessions
import Synchronization

/// Sessions in an SQLite file, which one process owns.
///
/// ``Schema`` says what the file looks like. Changes of all threads go through one queue and are
/// committed together (``CommitQueue``); reads have connections of their own and wait for no change
/// (``ReaderPool``), but for the one in an eighth of a session's life that notes its use, and after a
/// commit that failed for the one that overwrites it. What has returned survives the end of the
/// process at any moment, and of the machine as far as its disk keeps what it says it has written.
///
/// Stamps of versions are not kept: where one process owns the file, a number comes once.
///
/// Beside the file are its log and an index of that (`-wal`, `-shm`), of which SQLite takes care,
/// and a lock (`.lock`), which stays. The file keeps its size when sessions leave, for those to
/// come.
public final class SQLiteStore: DurableStore {
  private let lifetime: Lifetime
  private let commits: CommitQueue
  private let readers: ReaderPool
  private let lock: Mutex<ProcessLock?>

  /// Opens a file, or makes it.
  ///
  /// That takes no longer when there are many sessions.
  ///
  /// - Parameters:
  ///   - path: The file. It is made if there is none, for nobody else to read.
  ///   - timeToLive: A session that nobody asks for so long is forgotten; up to an eighth later.
  ///   - now: What time it is, in milliseconds since 1970.
  ///   - steady: Milliseconds since any moment, by a clock that nobody sets: sessions outlive a leap of the other
  ///     one then. Nil if nobody sets that either.
  /// - Throws: ``StoreError``: ``StoreError/Kind/unavailable`` if the file cannot be reached or
  ///   written, or another process uses it, ``StoreError/Kind/unreadable`` if it is damaged, or
  ///   that of another program, or of a later version of this one; it is left as it is then.
  public init(
    path: String, timeToLive: Duration, now: @escaping @Sendable () -> Int64,
    steady: (@Sendable () -> Int64)? = nil
  ) throws(StoreError) {
    let file = try StoreFile(path: path)
    let lock = try ProcessLock(path: file.path)
    let identity = try file.check()
    lifetime = Lifetime(timeToLive: timeToLive, world: now, steady: steady)
    commits = try CommitQueue(path: file.path, lifetime: lifetime)
    readers = ReaderPool(path: file.path, of: identity)
    self.lock = Mutex(lock)
  }

  deinit { close() }

  /// False: one process owns the file.
  public var isShared: Bool { false }

  /// Keeps a new session, at version 1 and with no changes.
  ///
  /// - Parameters:
  ///   - id: Its name, which no other session has or had.
  ///   - owner: The name of whose it is; empty for nobody's.
  ///   - snapshot: The record of its description.
  ///   - stamp: Ignored: one process owns the file.
  /// - Throws: ``StoreError``; ``StoreError/Kind/unavailable`` too if there is one of this name.
  public func create(
    _ id: SessionID, owner: String, snapshot: [UInt8], stamp: UInt64
  ) throws(StoreError) {
    _ = try commits.perform(.create(id, owner: owner, snapshot: snapshot))
  }

  /// Reads a session, or what of it is missing, all as it was at one moment; and notes its use.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - owner: The name of its owner; empty for nobody's.
  ///   - version: The version that the asker has; nil if none.
  ///   - isScrolling: Ignored: no other process scrolls it.
  /// - Returns: The session as far as it is missing; nil if there is none, or if nobody has asked
  ///   for it for the time that sessions live.
  /// - Throws: ``StoreError``; ``StoreError/Kind/unreadable`` too if changes are missing.
  public func load(
    _ id: SessionID, of owner: String, since version: StoredVersion?, isScrolling: Bool
  ) throws(StoreError) -> StoredSession? {
    try settle(id)
    let now = lifetime.now
    let end = lifetime.unwritten.earliestEnd(of: id, at: now.time)
    let loaded = try readers.read(id) { (reader) throws(StoreError) in
      try reader.load(id, of: owner, since: version?.number, endingAfter: end)
    }
    guard var found = loaded else { return nil }
    // Of the asker's own version he knows the stamp.
    if let version, version.number == found.session.version {
      found.session.storedVersion = version
    }
    if found.end < lifetime.earliestEnd(from: now) {
      // Known before it is written, which may have to wait: it must not expire meanwhile.
      lifetime.unwritten.note([id], until: lifetime.notedEnd(from: now), at: now.time)
      // What was read is right all the same; on a full disk sessions can still be read. The next
      // reader tries it again.
      _ = try? commits.perform(.touch([id]))
      // It may have expired, and been swept, before it was known.
      if found.end <= lifetime.now.time, try self.owner(of: id) == nil { return nil }
    }
    return found.session
  }

  /// Tells whose a session is, whether or not the rest of it can be read.
  ///
  /// - Parameter id: Its name.
  /// - Returns: The name of whose it is; nil if there is none, or if nobody has asked for it for the
  ///   time that sessions live.
  /// - Throws: ``StoreError``.
  public func owner(of id: SessionID) throws(StoreError) -> String? {
    try settle(id)
    let end = lifetime.unwritten.earliestEnd(of: id, at: lifetime.now.time)
    return try readers.read(id) { (reader) throws(StoreError) in
      try reader.owner(of: id, endingAfter: end)
    }
  }

  /// Makes sure that what a failed commit has left of a session's change never counts: what is read of it now holds.
  private func settle(_ id: SessionID) throws(StoreError) {
    guard commits.isUnsettled(id) else { return }
    do throws(StoreError) {
      _ = try commits.perform(.touch([]))
    } catch {
      // Nothing was to be done that might have been.
      throw StoreError(.unavailable, error.detail)
    }
  }

  /// Adds a change, if the session is at the version that the change was worked out from.
  ///
  /// - Parameters:
  ///   - change: The record of the change.
  ///   - id: The session.
  ///   - version: The version before the change; it has the next one afterwards.
  ///   - stamp: Ignored: one process owns the file.
  /// - Returns: Whether it was added.
  /// - Throws: ``StoreError``; after ``StoreError/Kind/uncertain`` the change may or may not have been made.
  public func append(
    _ change: [UInt8], to id: SessionID, after version: StoredVersion, stamp: UInt64
  ) throws(StoreError) -> StoreOutcome {
    try commits.perform(.append(change, to: id, after: version.number))
  }

  /// Adds a change by what it has made of the session, if that is at the version that the change was
  /// worked out from: in one transaction the new snapshot comes and all changes go.
  ///
  /// - Parameters:
  ///   - id: The session.
  ///   - snapshot: The record of its description after the change.
  ///   - version: The version before the change; it has the next one afterwards.
  ///   - stamp: Ignored: one process owns the file.
  /// - Returns: Whether it was replaced.
  /// - Throws: ``StoreError``; after ``StoreError/Kind/uncertain`` the change may or may not have been made.
  public func replace(
    _ id: SessionID, by snapshot: [UInt8], after version: StoredVersion, stamp: UInt64
  ) throws(StoreError) -> StoreOutcome {
    try commits.perform(.replace(id, by: snapshot, after: version.number))
  }

  /// Replaces the snapshot by a later one, and forgets the changes up to it.
  ///
  /// Nothing is done if there is one as late already, or if there is no such session or version.
  ///
  /// - Parameters:
  ///   - id: The session.
  ///   - snapshot: The record of its description at `version`.
  ///   - version: A version that the session has or had.
  /// - Throws: ``StoreError``.
  public func replaceSnapshot(
    of id: SessionID, by snapshot: [UInt8], at version: StoredVersion
  ) throws(StoreError) {
    _ = try commits.perform(.replaceSnapshot(of: id, by: snapshot, at: version.number))
  }

  /// Deletes a session.
  ///
  /// - Parameters:
  ///   - id: The session.
  ///   - version: The version that it has to be at; nil for whichever.
  /// - Returns: Whether it was deleted.
  /// - Throws: ``StoreError``.
  public func delete(_ id: SessionID, at version: Int?) throws(StoreError) -> StoreOutcome {
    try commits.perform(.delete(id, at: version))
  }

  /// Notes that sessions were used without the store being asked for them.
  ///
  /// - Parameter ids: The sessions; those that are gone do not matter.
  /// - Throws: ``StoreError``; all are noted as long as this store is open, and some in the file.
  public func touch(_ ids: [SessionID]) throws(StoreError) {
    var failure: StoreError?
    var rest = ids[...]
    while !rest.isEmpty {
      // One that fails is noted by that, and is no reason not to note the others.
      do throws(StoreError) {
        _ = try commits.perform(.touch(Array(rest.prefix(SQLiteStore.touchCount))))
      } catch {
        failure = failure ?? error
      }
      rest = rest.dropFirst(SQLiteStore.touchCount)
    }
    if let failure { throw failure }
  }

  /// Forgets sessions that nobody has asked for, the oldest first, for a fifth of a second at most: as many as
  /// are made in a second, and more.
  ///
  /// - Throws: ``StoreError``; some may have been forgotten.
  /// - Complexity: O(*k* log *n*) for *k* that are forgotten, of *n*.
  public func sweep() throws(StoreError) { try sweep(for: .milliseconds(200)) }

  /// Forgets sessions that nobody has asked for, and writes uses that could not be written: a few, and more as
  /// long as there is time.
  ///
  /// - Parameter time: For how long.
  /// - Throws: ``StoreError``; some may have been forgotten.
  package func sweep(for time: Duration) throws(StoreError) {
    let end = ContinuousClock.now + time
    // One operation after the other, so that what others commit comes in between.
    while try commits.perform(.sweep) == .done, ContinuousClock.now < end {}
    guard !lifetime.unwritten.isEmpty else { return }
    while try commits.perform(.writeUses) == .done, ContinuousClock.now < end {}
  }

  /// Waits for what is being read or committed, and refuses what waits for that and what comes
  /// later.
  public func close() {
    // Last the writer, which leaves a file without a log then; and then the file is anybody's.
    readers.close()
    commits.close()
    lock.withLock { $0 = nil }
  }

  /// How many operations wait for those that are being committed, for tests.
  package var waitingCount: Int { commits.waitingCount }

  /// How many transactions have been committed, for tests.
  package var commitCount: Int { commits.commitCount }

  /// Lets tests tell SQLite what they want: to damage sessions, or to limit the file.
  ///
  /// - Parameter text: Statements for the connection that writes.
  /// - Throws: ``StoreError``.
  package func execute(_ text: String) throws(StoreError) { try commits.execute(text) }

  /// So many sessions are touched in one operation: a few milliseconds.
  private static let touchCount = 1000
}
