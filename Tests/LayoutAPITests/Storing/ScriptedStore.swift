import HTTPMessages
import LayoutAPI
import LayoutSessions
import Synchronization

/// A store in memory that does what a test tells it to in the middle of an operation.
///
/// No real store can be made to meet such moments; the real ones have tests of their own.
final class ScriptedStore: DurableStore {
  struct Kept {
    var owner: String
    var version: Int { snapshot.version + changes.count }
    var snapshot: StoredSession.Snapshot
    var changes: [[UInt8]]
    /// Of the version of the snapshot, and of those that the changes have made.
    var stamps: [UInt64]

    /// Whether it comes from a version.
    func comes(from version: StoredVersion) -> Bool {
      stamps.indices.contains(version.number - snapshot.version)
        && stamps[version.number - snapshot.version] == version.stamp
    }
  }

  let isShared: Bool
  let sessions = Mutex<[SessionID: Kept]>([:])
  let touched = Mutex<[SessionID]>([])
  /// Called once, when what was asked for has been read and not been returned.
  let afterLoad = Mutex<(@Sendable () -> Void)?>(nil)
  /// Called once, before a change is looked at.
  let beforeAppend = Mutex<(@Sendable () -> Void)?>(nil)
  /// Called once, before a deletion is looked at.
  let beforeDelete = Mutex<(@Sendable () -> Void)?>(nil)
  /// What the next operations throw.
  let failure = Mutex<StoreError?>(nil)
  /// The last takeover: another one if another server has answered the last tick.
  let takeover = Mutex<UInt64>(0)
  /// How often it was told.
  let takeoverCount = Mutex(0)
  /// How often a session was read from its beginning.
  let loadCount = Mutex(0)
  /// Whether only changes and deletions fail, and are made all the same.
  let failsAfterwards = Mutex(false)
  /// What those are told who are to scroll, as by a store that takes no writes.
  let scrollFailure = Mutex<StoreError?>(nil)
  /// What the next uses are answered.
  let touchFailure = Mutex<StoreError?>(nil)
  /// The records that it was given, by what was to be done with each.
  let records = Mutex<[(operation: String, byteCount: Int)]>([])
  /// How often it was swept.
  let sweepCount = Mutex(0)

  init(isShared: Bool) { self.isShared = isShared }

  private func check() throws(StoreError) {
    if let error = failure.withLock({ $0 }) { throw error }
  }

  private func run(_ hook: borrowing Mutex<(@Sendable () -> Void)?>) {
    let body = hook.withLock { body in
      defer { body = nil }
      return body
    }
    body?()
  }

  func create(
    _ id: SessionID, owner: String, snapshot: [UInt8], stamp: UInt64
  ) throws(StoreError) {
    try check()
    sessions.withLock {
      $0[id] = Kept(
        owner: owner, snapshot: .init(record: snapshot, version: 1), changes: [], stamps: [stamp])
    }
  }

  func load(
    _ id: SessionID, of owner: String, since version: StoredVersion?, isScrolling: Bool
  ) throws(StoreError) -> StoredSession? {
    if !failsAfterwards.withLock(\.self) { try check() }
    if let kept = sessions.withLock({ $0[id] }), kept.owner != owner { return nil }
    if version == nil { loadCount.withLock { $0 += 1 } }
    let takeover = isScrolling ? takeover.withLock(\.self) : nil
    if isScrolling { takeoverCount.withLock { $0 += 1 } }
    let stored = sessions.withLock { sessions -> StoredSession? in
      guard let kept = sessions[id] else { return nil }
      var stored = StoredSession(
        owner: kept.owner, version: StoredVersion(kept.version, stamp: kept.stamps.last ?? 0),
        snapshot: kept.snapshot, changes: kept.changes)
      if let version, kept.comes(from: version) {
        stored.snapshot = nil
        stored.changes.removeFirst(version.number - kept.snapshot.version)
      }
      return stored
    }
    run(afterLoad)
    if !failsAfterwards.withLock(\.self) { try check() }
    if isScrolling, let error = scrollFailure.withLock(\.self) { throw error }
    guard var stored else { return nil }
    stored.takeover = takeover
    return stored
  }

  func owner(of id: SessionID) throws(StoreError) -> String? {
    try check()
    return sessions.withLock { $0[id]?.owner }
  }

  func append(
    _ change: [UInt8], to id: SessionID, after version: StoredVersion, stamp: UInt64
  ) throws(StoreError) -> StoreOutcome {
    try advance("append", change, id, after: version) { kept in
      kept.changes.append(change)
      kept.stamps.append(stamp)
    }
  }

  func replace(
    _ id: SessionID, by snapshot: [UInt8], after version: StoredVersion, stamp: UInt64
  ) throws(StoreError) -> StoreOutcome {
    try advance("replace", snapshot, id, after: version) { kept in
      kept = Kept(
        owner: kept.owner, snapshot: .init(record: snapshot, version: version.number + 1),
        changes: [], stamps: [stamp])
    }
  }

  /// Gives a session the next version, if it is at the one before.
  private func advance(
    _ operation: String, _ record: [UInt8], _ id: SessionID, after version: StoredVersion,
    _ write: (inout Kept) -> Void
  ) throws(StoreError) -> StoreOutcome {
    note(operation, record)
    run(beforeAppend)
    let isLate = failsAfterwards.withLock(\.self)
    if !isLate { try check() }
    let outcome = sessions.withLock { sessions -> StoreOutcome in
      guard var kept = sessions[id] else { return .missing }
      guard kept.version == version.number, kept.comes(from: version) else {
        return .conflict(version: kept.version)
      }
      write(&kept)
      sessions[id] = kept
      return .done
    }
    try check()
    return outcome
  }

  private func note(_ operation: String, _ record: [UInt8]) {
    records.withLock { $0.append((operation, record.count)) }
  }

  func replaceSnapshot(
    of id: SessionID, by snapshot: [UInt8], at version: StoredVersion
  ) throws(StoreError) {
    note("replaceSnapshot", snapshot)
    try check()
    sessions.withLock { sessions in
      guard let kept = sessions[id], kept.snapshot.version < version.number,
        kept.comes(from: version)
      else { return }
      sessions[id]?.changes.removeFirst(version.number - kept.snapshot.version)
      sessions[id]?.stamps.removeFirst(version.number - kept.snapshot.version)
      sessions[id]?.snapshot = .init(record: snapshot, version: version.number)
    }
  }

  func delete(_ id: SessionID, at version: Int?) throws(StoreError) -> StoreOutcome {
    run(beforeDelete)
    if !failsAfterwards.withLock(\.self) { try check() }
    let outcome = sessions.withLock { sessions -> StoreOutcome in
      guard let kept = sessions[id] else { return .missing }
      if let version, version != kept.version { return .conflict(version: kept.version) }
      sessions[id] = nil
      return .done
    }
    try check()
    return outcome
  }

  func touch(_ ids: [SessionID]) throws(StoreError) {
    try check()
    if let error = touchFailure.withLock(\.self) { throw error }
    touched.withLock { $0 += ids }
  }

  func sweep() throws(StoreError) {
    sweepCount.withLock { $0 += 1 }
    try check()
  }

  func close() {}
}

extension MockService {
  /// A server over a store.
  convenience init(
    over store: ScriptedStore, maxStaleness: Duration = .zero,
    timeToLive: Duration = .seconds(3600),
    limits: ServiceLimits = ServiceLimits(),
    sessions: SessionLimits = SessionLimits(), access: AccessControl = AccessControl(),
    metrics: RequestMetrics? = nil, clock: @escaping @Sendable () -> UInt64 = { 0 },
    worldSeconds: (@Sendable () -> Int64)? = nil
  ) {
    let watch = TestClock()
    self.init(
      limits: limits, sessions: sessions, access: access, metrics: metrics,
      archive: SessionArchive(
        store, maxStaleness: maxStaleness, timeToLive: timeToLive, clock: clock,
        worldSeconds: worldSeconds ?? { watch.now.components.seconds }),
      clock: watch)
  }

  /// All that is to be seen of a session, scrolling aside.
  func view(of path: String) throws -> String {
    guard let session = send(.get, path), session.status == 200,
      let all = send(.get, path + "/attributes?x=-100000&y=-100000&width=900000&height=900000"),
      all.status == 200
    else { throw MockError(message: "no view of \(path)") }
    return
      ["version", "contentSize", "sections"].map { session.text($0) ?? "" }.joined(separator: " ")
      + all.text
  }
}
