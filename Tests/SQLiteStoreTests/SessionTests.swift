import LayoutSessions
import SQLiteStore
import Testing

@Suite(.waits) struct SessionTests {
  let test: TestStore
  let store: SQLiteStore
  let id = newID()

  init() throws {
    test = try TestStore()
    store = try test.open()
  }

  /// A session at version 4 with all its changes.
  private func keepSession() throws {
    try store.create(id, owner: "alice", snapshot: record("one"))
    for version in 1...3 {
      #expect(try store.append(record("change \(version)"), to: id, after: version) == .done)
    }
  }

  @Test func whatIsCreatedIsLoaded() throws {
    #expect(!store.isShared)
    #expect(try store.load(id, since: nil) == nil)
    try store.create(id, owner: "alice", snapshot: record("one"))
    #expect(
      try store.load(id, of: "alice", since: nil)
        == StoredSession(
          owner: "alice", version: 1, snapshot: .init(record: record("one"), version: 1),
          changes: []))
    #expect(try store.load(newID(), since: nil) == nil)
  }

  @Test func recordsAndOwnersAreWhateverTheyAre() throws {
    let other = newID()
    try store.create(id, owner: "", snapshot: [])
    #expect(try store.append([], to: id, after: 1) == .done)
    let all = (0...255).map { UInt8($0) }
    try store.create(other, owner: "a\0b ü '", snapshot: record("", count: 3_000_000))
    #expect(try store.append(all, to: other, after: 1) == .done)
    let empty = try #require(try store.load(id, since: nil))
    #expect(empty.owner == "" && empty.snapshot?.record == [] && empty.changes == [[]])
    let full = try #require(try store.load(other, of: "a\0b ü '", since: nil))
    #expect(full.owner == "a\0b ü '" && full.changes == [all])
    #expect(full.snapshot?.record == record("", count: 3_000_000))
  }

  @Test func aNameIsGivenOnce() throws {
    try keepSession()
    let error = #expect(throws: StoreError.self) {
      try store.create(id, owner: "bob", snapshot: record("two"))
    }
    #expect(error?.kind == .unavailable)
    #expect(try store.load(id, of: "alice", since: nil)?.owner == "alice")
    // Nor when nobody sees the first any more.
    test.clock.advance(by: TestStore.timeToLive * 2)
    let later = #expect(throws: StoreError.self) {
      try store.create(id, owner: "bob", snapshot: [])
    }
    #expect(later?.kind == .unavailable)
  }

  @Test func changesAreAddedToTheVersionThatTheyWereWorkedOutFrom() throws {
    try keepSession()
    #expect(try store.append(record("late"), to: id, after: 3) == .conflict(version: 4))
    #expect(try store.append(record("early"), to: id, after: 5) == .conflict(version: 4))
    #expect(try store.append(record("nothing"), to: newID(), after: 1) == .missing)
    let session = try #require(try store.load(id, of: "alice", since: nil))
    #expect(session.version == 4)
    #expect(session.snapshot?.version == 1)
    #expect(session.changes == (1...3).map { record("change \($0)") })
  }

  @Test func onlyWhatIsMissingIsLoaded() throws {
    try keepSession()
    try store.replaceSnapshot(of: id, by: record("two"), at: 2)
    func load(_ version: Int?) throws -> (snapshot: Int?, changes: [[UInt8]])? {
      let session = try store.load(
        id, of: "alice", since: version.map { StoredVersion($0, stamp: 0) })
      return session.map { ($0.snapshot?.version, $0.changes) }
    }
    let later = (2...3).map { record("change \($0)") }
    for version in [nil, 1, 0, -1, .min, 5, .max] {
      let (snapshot, changes) = try #require(try load(version))
      #expect(snapshot == 2 && changes == later, "since \(version ?? 0)")
    }
    for version in 2...4 {
      let (snapshot, changes) = try #require(try load(version))
      #expect(snapshot == nil && changes == Array(later.dropFirst(version - 2)))
    }
  }

  /// Who made the version that one has is known to who has it.
  @Test func whatIsNotMissingKeepsItsStamp() throws {
    try keepSession()
    func stamp(since version: StoredVersion?) throws -> UInt64? {
      try store.load(id, of: "alice", since: version)?.storedVersion.stamp
    }
    #expect(try stamp(since: StoredVersion(4, stamp: 7)) == 7)
    #expect(try stamp(since: StoredVersion(3, stamp: 7)) == 0)
    #expect(try stamp(since: nil) == 0)
  }

  @Test func onlyLaterSnapshotsReplaceASnapshot() throws {
    try keepSession()
    try store.replaceSnapshot(of: id, by: record("three"), at: 3)
    try store.replaceSnapshot(of: id, by: record("two"), at: 2)
    try store.replaceSnapshot(of: id, by: record("three again"), at: 3)
    // A version that there is not, and a session.
    try store.replaceSnapshot(of: id, by: record("five"), at: 5)
    try store.replaceSnapshot(of: newID(), by: record("one"), at: 1)
    let session = try #require(try store.load(id, of: "alice", since: nil))
    #expect(session.version == 4)
    #expect(session.snapshot == .init(record: record("three"), version: 3))
    #expect(session.changes == [record("change 3")])
    // Those before are not in the file any more: there is room for others.
    for version in 2...3 {
      try store.execute("INSERT INTO change VALUES ('\(id)', \(version), x'')")
    }
    #expect(try store.append(record("change 4"), to: id, after: 4) == .done)
    try store.replaceSnapshot(of: id, by: record("five"), at: 5)
    #expect(try store.load(id, of: "alice", since: nil)?.changes == [])
  }

  @Test func aSnapshotMayBeTheNextVersion() throws {
    try keepSession()
    for version in [3, 5, 0, -1, .min, .max] {
      #expect(try store.replace(id, by: record("x"), after: version) == .conflict(version: 4))
    }
    #expect(try store.replace(newID(), by: record("x"), after: 1) == .missing)
    let before = store.commitCount
    #expect(try store.replace(id, by: record("five"), after: 4) == .done)
    #expect(store.commitCount == before + 1)
    let expected = StoredSession(
      owner: "alice", version: 5, snapshot: .init(record: record("five"), version: 5), changes: [])
    for version in [nil, 4, 1, 6] {
      let since = version.map { StoredVersion($0, stamp: 0) }
      #expect(try store.load(id, of: "alice", since: since) == expected)
    }
    #expect(try store.load(id, of: "alice", since: 5)?.snapshot == nil)
    // The changes are gone, and not only passed over.
    for version in 2...4 {
      try store.execute("INSERT INTO change VALUES ('\(id)', \(version), x'')")
    }
    #expect(try store.append(record("change 5"), to: id, after: 5) == .done)
    #expect(try store.load(id, of: "alice", since: 5)?.changes == [record("change 5")])
    // One that has been damaged is not mended by chance.
    try store.execute("DELETE FROM snapshot")
    let error = #expect(throws: StoreError.self) {
      try store.replace(id, by: record("seven"), after: 6)
    }
    #expect(error?.kind == .unreadable)
    #expect(try store.append(record("change 6"), to: id, after: 6) == .done)
  }

  @Test func whatIsDeletedIsGone() throws {
    try keepSession()
    #expect(try store.delete(id, at: 3) == .conflict(version: 4))
    #expect(try store.load(id, of: "alice", since: 4)?.version == 4)
    #expect(try store.delete(id, at: 4) == .done)
    #expect(try store.load(id, since: nil) == nil)
    #expect(try store.delete(id, at: nil) == .missing)
    #expect(try store.append([1], to: id, after: 4) == .missing)
    let other = newID()
    try store.create(other, owner: "", snapshot: [])
    #expect(try store.delete(other, at: nil) == .done)
    // All of it: nothing of it would be in a session of the same name.
    try store.create(id, owner: "bob", snapshot: record("new"))
    #expect(try store.load(id, of: "bob", since: nil)?.changes == [])
  }

  @Test func nothingIsDoneAfterTheEnd() throws {
    try keepSession()
    store.close()
    store.close()
    let calls: [(SQLiteStore) throws -> Void] = [
      { [id] in try $0.create(id, owner: "", snapshot: []) },
      { [id] in _ = try $0.load(id, since: nil) },
      { [id] in _ = try $0.append([], to: id, after: 4) },
      { [id] in _ = try $0.replace(id, by: [], after: 4) },
      { [id] in try $0.replaceSnapshot(of: id, by: [], at: 4) },
      { [id] in _ = try $0.delete(id, at: nil) },
      { [id] in try $0.touch([id]) },
      { try $0.sweep() },
    ]
    for call in calls {
      let error = #expect(throws: StoreError.self) { try call(store) }
      #expect(error?.kind == .unavailable)
    }
    // The log has become part of the file.
    #expect(test.folder.names == ["sessions.db", "sessions.db.lock"])
  }

  @Test func everythingIsThereWhenTheFileIsOpenedAgain() throws {
    try keepSession()
    let before = try store.load(id, of: "alice", since: nil)
    store.close()
    let again = try test.open()
    #expect(try again.load(id, of: "alice", since: nil) == before)
    #expect(try again.append(record("change 4"), to: id, after: 4) == .done)
  }

  /// Fails unless it is so, as far as the connection that writes knows.
  private func check(_ condition: String) throws {
    try store.execute("SELECT CASE WHEN \(condition) THEN 1 ELSE abs(-9223372036854775808) END")
  }

  /// Not only handed to the system, which may lose it with the machine.
  @Test func whatIsAcknowledgedIsOnTheDisk() throws {
    try check("(SELECT synchronous FROM pragma_synchronous) = 2")
    #expect(throws: StoreError.self) { try check("1 = 2") }
  }

  /// As after `kill -9`: the files as they are while the store is open.
  @Test func whatIsAcknowledgedIsInTheFiles() throws {
    try keepSession()
    let before = try store.load(id, of: "alice", since: nil)
    let other = try TestStore()
    for suffix in ["", "-wal"] {
      let bytes = readFile(test.path + suffix)
      #expect(!bytes.isEmpty && writeFile(other.path + suffix, bytes))
    }
    #expect(try other.open().load(id, of: "alice", since: nil) == before)
  }
}
