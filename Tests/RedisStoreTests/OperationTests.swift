import LayoutSessions
import Testing

@testable import RedisStore

extension RedisTests {
  /// What the operations do when nothing is wrong.
  @Suite struct OperationTests {
    let server: RedisServer
    let store: RedisStore
    let id = newID()

    init() throws {
      server = try RedisServer()
      store = try server.store()
    }

    @Test func aNewSessionIsThereForOthers() throws {
      #expect(store.isShared)
      #expect(try store.load(id, since: nil) == nil)
      try store.create(id, owner: "alice", snapshot: [0, 255, 13, 10])
      let expected = StoredSession(
        owner: "alice", version: 1,
        snapshot: StoredSession.Snapshot(record: [0, 255, 13, 10], version: 1), changes: [])
      #expect(try store.load(id, of: "alice", since: nil) == expected)
      #expect(try server.store().load(id, of: "alice", since: nil) == expected)
      #expect(try store.load(newID(), since: nil) == nil)
    }

    @Test func aSessionIsCreatedOnce() throws {
      try store.create(id, owner: "a", snapshot: [1])
      let contents = try server.contents(of: id)
      let error = error { () throws(StoreError) in try store.create(id, owner: "b", snapshot: [2]) }
      #expect(error?.kind == .unavailable)
      #expect(error?.detail.contains("already") == true)
      #expect(try server.contents(of: id) == contents)
    }

    @Test func whatIsMissingIsLoaded() throws {
      try store.create(id, owner: "", snapshot: [])
      for version in 1...4 {
        #expect(try store.append([UInt8(version)], to: id, after: version) == .done)
      }
      try store.replaceSnapshot(of: id, by: [7], at: 3)
      func session(_ changes: [[UInt8]], whole: Bool = false) -> StoredSession {
        StoredSession(
          owner: "", version: 5,
          snapshot: whole ? StoredSession.Snapshot(record: [7], version: 3) : nil, changes: changes)
      }
      #expect(try store.load(id, since: nil) == session([[3], [4]], whole: true))
      #expect(try store.load(id, since: 3) == session([[3], [4]]))
      #expect(try store.load(id, since: 4) == session([[4]]))
      #expect(try store.load(id, since: 5) == session([]))
      // Of those the changes are gone, or were never there.
      for version in [2, 1, 0, -1, 6, .max, .min] {
        #expect(try store.load(id, since: version) == session([[3], [4]], whole: true))
      }
    }

    @Test func versionsGoByTheirStampsToo() throws {
      func version(_ number: Int, _ stamp: UInt64) -> StoredVersion {
        StoredVersion(number, stamp: stamp)
      }
      try store.create(id, owner: "", snapshot: [0], stamp: .max)
      #expect(try store.append([1], to: id, after: version(1, .max), stamp: 12) == .done)
      #expect(try store.append([2], to: id, after: version(2, 12), stamp: 13) == .done)
      func changes(since version: StoredVersion) throws -> [[UInt8]]? {
        let session = try #require(try store.load(id, since: version))
        #expect(session.storedVersion == StoredVersion(3, stamp: 13))
        return session.snapshot == nil ? session.changes : nil
      }
      #expect(try changes(since: version(1, .max)) == [[1], [2]])
      #expect(try changes(since: version(2, 12)) == [[2]])
      #expect(try changes(since: version(3, 13)) == [])
      // Of other versions that have had these numbers, nothing is continued.
      for other in [version(1, 1), version(2, 13), version(3, 12)] {
        #expect(try changes(since: other) == nil)
        #expect(try store.append([9], to: id, after: other, stamp: 14) == .conflict(version: 3))
        let contents = try server.contents(of: id)
        try store.replaceSnapshot(of: id, by: [9], at: other)
        #expect(try server.contents(of: id) == contents)
      }
      try store.replaceSnapshot(of: id, by: [7], at: version(2, 12))
      #expect(try store.load(id, since: nil)?.snapshot?.record == [7])
      #expect(try changes(since: version(2, 12)) == [[2]])
      #expect(try changes(since: version(2, 11)) == nil)
    }

    /// Redis has no time for others while a script copies it.
    @Test(arguments: [0, 1, 131_072, 131_073, 3_000_000])
    func longSnapshotsDoNotGoThroughScripts(size: Int) throws {
      let record = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      try store.create(id, owner: "o", snapshot: record, stamp: 1)
      #expect(try store.append([1], to: id, after: StoredVersion(1, stamp: 1), stamp: 2) == .done)
      try server.run("CONFIG", "RESETSTAT")
      let session = try #require(try store.load(id, of: "o", since: nil, isScrolling: true))
      #expect(session.snapshot == .init(record: record, version: 1))
      #expect(session.changes == [[1]] && session.owner == "o")
      #expect(session.storedVersion == StoredVersion(2, stamp: 2))
      // The script asks twice itself.
      guard case .bytes(let statistics) = try server.run("INFO", "commandstats") else {
        Issue.record("there are no statistics")
        return
      }
      let isApart = String(decoding: statistics, as: UTF8.self)
        .contains("cmdstat_hmget:calls=3,")
      #expect(isApart == (size > 131_072))
      #expect(
        try store.replace(id, by: record.reversed(), after: StoredVersion(2, stamp: 2), stamp: 3)
          == .done)
      let next = try #require(try store.load(id, of: "o", since: StoredVersion(1, stamp: 1)))
      #expect(next.snapshot == .init(record: record.reversed(), version: 3))
    }

    /// What a server has kept that knew of no stamps goes by its numbers.
    @Test func sessionsOfFormat1AreServed() throws {
      let keys = RedisKeys(id)
      try store.create(id, owner: "", snapshot: [0])
      try server.run("HSET", keys.session, "format", "1", "version", "2")
      try server.run("HDEL", keys.session, "snapshotStamp")
      try server.run("RPUSH", keys.changes, "A")
      let version = StoredVersion(2, stamp: 5)
      let old = try #require(try store.load(id, since: nil))
      #expect(old.changes == [bytes("A")] && old.storedVersion.stamp == 0)
      #expect(try store.load(id, since: StoredVersion(1, stamp: 9))?.changes == [bytes("A")])
      #expect(try store.load(id, since: version)?.storedVersion == version)
      #expect(try store.append(bytes("B"), to: id, after: version, stamp: 6) == .done)
      #expect(try server.run("LRANGE", keys.changes, "1", "1") == .array([.bytes(bytes("B"))]))
      #expect(try store.load(id, since: version)?.changes == [bytes("B")])
      try store.replaceSnapshot(of: id, by: [3], at: StoredVersion(3, stamp: 6))
      #expect(try store.load(id, since: nil)?.snapshot == .init(record: [3], version: 3))
      let next = StoredVersion(3, stamp: 7)
      #expect(try store.replace(id, by: [4], after: next, stamp: 8) == .done)
      #expect(try store.load(id, since: nil)?.snapshot == .init(record: [4], version: 4))
      #expect(try store.load(id, since: nil)?.storedVersion.stamp == 0)
    }

    @Test func changesAreAddedToTheVersionTheyWereMadeFrom() throws {
      #expect(try store.append([1], to: id, after: 1) == .missing)
      #expect(try server.number("EXISTS", RedisKeys(id).session, RedisKeys(id).changes) == 0)
      try store.create(id, owner: "", snapshot: [])
      #expect(try store.append([1], to: id, after: 1) == .done)
      #expect(try store.append([], to: id, after: 2) == .done)
      let contents = try server.contents(of: id)
      for version in [1, 2, 4, 0, -3, .max, .min] {
        #expect(try store.append([2], to: id, after: version) == .conflict(version: 3))
      }
      #expect(try server.contents(of: id) == contents)
      #expect(try store.load(id, since: 1)?.changes == [[1], []])
    }

    @Test func snapshotsAreReplacedByLaterOnes() throws {
      try store.replaceSnapshot(of: id, by: [9], at: 1)
      #expect(try store.load(id, since: nil) == nil)
      try store.create(id, owner: "o", snapshot: [0])
      for version in 1...4 { _ = try store.append([UInt8(version)], to: id, after: version) }
      func check(_ record: UInt8, at version: Int, _ changes: [[UInt8]]) throws {
        let expected = StoredSession(
          owner: "o", version: 5,
          snapshot: StoredSession.Snapshot(record: [record], version: version), changes: changes)
        #expect(try store.load(id, of: "o", since: nil) == expected)
      }
      for version in [1, 6, 0, -1, .max, .min] {
        try store.replaceSnapshot(of: id, by: [99], at: version)
        try check(0, at: 1, [[1], [2], [3], [4]])
      }
      try store.replaceSnapshot(of: id, by: [10], at: 4)
      try check(10, at: 4, [[4]])
      for version in [4, 2] {
        try store.replaceSnapshot(of: id, by: [99], at: version)
        try check(10, at: 4, [[4]])
      }
      try store.replaceSnapshot(of: id, by: [11], at: 5)
      try check(11, at: 5, [])
      #expect(try server.number("EXISTS", RedisKeys(id).changes) == 0)
      #expect(try store.append([5], to: id, after: 5) == .done)
      #expect(try store.load(id, of: "o", since: 5)?.changes == [[5]])
    }

    @Test func aSnapshotMayBeTheNextVersion() throws {
      func version(_ number: Int, _ stamp: UInt64) -> StoredVersion {
        StoredVersion(number, stamp: stamp)
      }
      #expect(try store.replace(id, by: [9], after: 1) == .missing)
      #expect(try server.number("DBSIZE") == 0)
      try store.create(id, owner: "o", snapshot: [0], stamp: 11)
      #expect(try store.append([1], to: id, after: version(1, 11), stamp: 12) == .done)
      #expect(try store.append([2], to: id, after: version(2, 12), stamp: 13) == .done)
      let contents = try server.contents(of: id)
      for other in [version(2, 12), version(3, 12), version(4, 13), version(.min, 13)] {
        #expect(try store.replace(id, by: [9], after: other, stamp: 14) == .conflict(version: 3))
      }
      #expect(try server.contents(of: id) == contents)
      #expect(try store.replace(id, by: [7], after: version(3, 13), stamp: 14) == .done)
      for since in [nil, version(3, 13), version(4, 13), version(1, 11)] {
        let session = try #require(try store.load(id, of: "o", since: since))
        #expect(session.snapshot == .init(record: [7], version: 4) && session.changes == [])
        #expect(session.storedVersion == version(4, 14) && session.owner == "o")
      }
      #expect(try store.load(id, of: "o", since: version(4, 14))?.snapshot == nil)
      #expect(try server.number("EXISTS", RedisKeys(id).changes) == 0)
      #expect(try store.append([5], to: id, after: version(4, 14), stamp: 15) == .done)
      #expect(try store.load(id, of: "o", since: version(4, 14))?.changes == [[5]])
      #expect(try store.replace(id, by: [8], after: version(5, 15), stamp: 16) == .done)
      #expect(try store.replace(id, by: [], after: version(6, 16), stamp: 17) == .done)
      #expect(try store.load(id, of: "o", since: nil)?.snapshot == .init(record: [], version: 7))
    }

    @Test func sessionsAreDeletedAtTheirVersion() throws {
      #expect(try store.delete(id, at: nil) == .missing)
      try store.create(id, owner: "", snapshot: [])
      #expect(try store.append([1], to: id, after: 1) == .done)
      #expect(try store.delete(id, at: 1) == .conflict(version: 2))
      #expect(try store.load(id, since: nil) != nil)
      #expect(try store.delete(id, at: 2) == .done)
      #expect(try server.number("DBSIZE") == 0)
      #expect(try store.delete(id, at: 2) == .missing)
      try store.create(id, owner: "", snapshot: [])
      #expect(try store.delete(id, at: nil) == .done)
      #expect(try server.number("DBSIZE") == 0)
    }

    @Test func whoseASessionIsIsKnown() throws {
      #expect(try store.owner(of: id) == nil)
      try store.create(id, owner: "alice", snapshot: [1])
      #expect(try store.owner(of: id) == "alice")
      try server.run("HDEL", RedisKeys(id).session, "owner")
      #expect(error { () throws(StoreError) in _ = try store.owner(of: id) }?.kind == .unreadable)
    }

    /// Whoever asks for it neither changes it nor keeps it alive, and does not learn whether it is whole.
    @Test func somebodyElsesIsNone() throws {
      let key = RedisKeys(id).session
      try store.create(id, owner: "alice", snapshot: [1])
      try server.run("PEXPIRE", key, "60000")
      let before = try server.run("HGETALL", key)
      let other = try server.store()
      for isScrolling in [false, true] {
        for version in [nil, StoredVersion(1, stamp: 0)] {
          for owner in ["bob", ""] {
            #expect(
              try other.load(id, of: owner, since: version, isScrolling: isScrolling) == nil)
          }
        }
      }
      #expect(try server.run("HGETALL", key) == before)
      #expect(try server.number("PTTL", key) <= 60_000)
      #expect(try store.load(id, of: "alice", since: nil, isScrolling: false) != nil)
      #expect(try server.number("PTTL", key) > 60_000)
      try server.run("HSET", key, "format", "9")
      #expect(try other.load(id, of: "bob", since: nil, isScrolling: true) == nil)
      let error = error { () throws(StoreError) in
        _ = try store.load(id, of: "alice", since: nil, isScrolling: false)
      }
      #expect(error?.kind == .unreadable)
    }

    @Test func whoHasAnsweredTheLastTickIsKnown() throws {
      let (one, two) = (try server.store(), try server.store())
      try one.create(id, owner: "", snapshot: [1])
      func takeover(_ store: RedisStore, isScrolling: Bool = true) throws -> UInt64? {
        try store.load(id, since: 1, isScrolling: isScrolling)?.takeover
      }
      // The answer to its creation is a tick.
      #expect(try takeover(one) == 0)
      let first = try #require(try takeover(two))
      #expect(first != 0)
      // As often as it is asked for: an answer may be lost.
      #expect(try takeover(two) == first)
      #expect(try takeover(one, isScrolling: false) == nil)
      #expect(try takeover(two) == first)
      let second = try #require(try takeover(one))
      #expect(try takeover(one) == second)
      let third = try #require(try takeover(two))
      #expect(Set([0, first, second, third]).count == 4)
      // A session that a server without this has kept and scrolled.
      try server.run("HDEL", RedisKeys(id).session, "takeover")
      #expect(try takeover(two) == 0)
      #expect(try takeover(one) != 0)
    }

    @Test func aTakeoverThatAReplicaHadNotGotIsNoticed() throws {
      let (one, two) = (try server.store(), try server.store())
      let key = RedisKeys(id).session
      try one.create(id, owner: "", snapshot: [1])
      func takeover(_ store: RedisStore) throws -> UInt64? {
        try store.load(id, since: 1, isScrolling: true)?.takeover
      }
      #expect(try takeover(two) != 0)
      let known = try #require(try takeover(one))
      try server.run("COPY", key, "replicated")
      let lost = try #require(try takeover(two))
      // What a replica has that becomes the master before it learns of that.
      try server.run("COPY", "replicated", key, "REPLACE")
      #expect(try takeover(one) == known)
      try server.run("REPLICAOF", "127.0.0.1", "1")
      // It may be behind already, and cannot say so.
      #expect(
        error { () throws(StoreError) in _ = try one.load(id, since: 1, isScrolling: true) }?.kind
          == .unavailable)
      try server.run("REPLICAOF", "NO", "ONE")
      let next = try #require(try takeover(one))
      #expect(Set([0, known, lost, next]).count == 4)
      #expect(try takeover(one) == next)
      let last = try #require(try takeover(two))
      #expect(![0, known, lost, next].contains(last))
    }

    @Test func theKeysOfASessionLieAtOnePlace() throws {
      try store.create(id, owner: "alice", snapshot: [1])
      #expect(try store.append([2], to: id, after: 1) == .done)
      guard case .array(let keys) = try server.run("KEYS", "*") else {
        Issue.record("no keys")
        return
      }
      let names = ["changes", "session"].map { RedisReply.bytes(bytes("layoutd:{\(id)}:\($0)")) }
      #expect(keys.count == 2 && names.allSatisfy(keys.contains))
      let fields = ["format", "owner", "version", "snapshot", "snapshotVersion", "snapshotStamp"]
      let values: [[UInt8]] = [
        bytes("2"), bytes("alice"), bytes("2"), [1], bytes("1"), bytes("0000000000000000"),
      ]
      for (field, value) in zip(fields, values) {
        #expect(try server.run("HGET", RedisKeys(id).session, field) == .bytes(value))
      }
      #expect(try server.number("HLEN", RedisKeys(id).session) == 7)
    }

    @Test func recordsMayBeLarge() throws {
      let block = (0..<100_003).map { UInt8(truncatingIfNeeded: $0 &* 2011 >> 3) }
      var snapshot: [UInt8] = []
      while snapshot.count < 20_000_000 { snapshot += block }
      let change = [7] + snapshot
      try store.create(id, owner: "", snapshot: snapshot)
      #expect(try store.append(change, to: id, after: 1) == .done)
      let session = try #require(try store.load(id, since: nil))
      // Not compared by the macro, which would describe them.
      let isSame = session.snapshot?.record == snapshot && session.changes == [change]
      #expect(isSame)
      #expect(try store.append([1], to: id, after: 2) == .done)
    }

    /// Their buffers would stay as large.
    @Test func connectionsThatWereUsedForMuchAreNotUsedAgain() throws {
      let store = try server.store(connectionLimit: 1)
      func hasConnection() throws -> Bool {
        guard case .bytes(let list) = try server.run("CLIENT", "LIST") else { return false }
        // The one that asks is another.
        return list.count { $0 == UInt8(ascii: "\n") } > 1
      }
      try store.create(id, owner: "", snapshot: [])
      #expect(try hasConnection())
      #expect(
        try store.append([UInt8](repeating: 1, count: 1 << 20), to: id, after: 1) == .done)
      #expect(wait { (try? hasConnection()) == false })
      #expect(try store.load(id, since: 2)?.changes == [])
      #expect(try hasConnection())
      #expect(try store.load(id, since: 1)?.changes.first?.count == 1 << 20)
      #expect(wait { (try? hasConnection()) == false })
    }

    @Test func databasesAreSeparate() throws {
      let second = RedisStore(
        address: try RedisAddress(url: server.url + "/1"), timeToLive: .seconds(60),
        connectionLimit: 1)
      try store.create(id, owner: "", snapshot: [1])
      #expect(try second.load(id, since: nil) == nil)
      try second.create(id, owner: "", snapshot: [2])
      #expect(try store.load(id, since: nil)?.snapshot?.record == [1])
      #expect(try second.load(id, since: nil)?.snapshot?.record == [2])
      let none = RedisStore(
        address: try RedisAddress(url: server.url + "/99"), timeToLive: .seconds(60),
        connectionLimit: 1)
      let error = error { () throws(StoreError) in _ = try none.load(id, since: nil) }
      #expect(error?.kind == .unavailable && error?.detail.contains("SELECT 99") == true)
    }

    @Test func itMayBeAUnixSocket() throws {
      for url in ["redis+unix://\(server.socket)", "unix://\(server.socket)?db=0"] {
        let other = RedisStore(
          address: try RedisAddress(url: url), timeToLive: .seconds(60), connectionLimit: 1)
        let id = newID()
        try other.create(id, owner: "", snapshot: [3])
        #expect(try store.load(id, since: nil)?.snapshot?.record == [3])
      }
    }

    @Test func scriptsMayBeForgotten() throws {
      try store.create(id, owner: "", snapshot: [])
      for version in stride(from: 1, to: 9, by: 2) {
        try server.run("SCRIPT", "FLUSH")
        #expect(try store.append([1], to: id, after: version) == .done)
        // Once more, by the hash.
        #expect(try store.append([1], to: id, after: version + 1) == .done)
      }
      try server.run("SCRIPT", "FLUSH")
      try server.run("PEXPIRE", RedisKeys(id).session, "100000")
      try store.touch([newID(), newID(), id])
      #expect(try server.number("PTTL", RedisKeys(id).session) > 1_000_000)
      #expect(try store.load(id, since: nil)?.version == 9)
      #expect(try server.number("DBSIZE") == 2)
    }
  }
}
