import LayoutSessions
import Testing

@testable import RedisStore

extension RedisTests {
  /// How long sessions live.
  @Suite struct ExpiryTests {
    let server: RedisServer
    let store: RedisStore
    let id = newID()
    /// In milliseconds.
    static let timeToLive = 800_000

    init() throws {
      server = try RedisServer()
      store = try server.store(timeToLive: .milliseconds(ExpiryTests.timeToLive))
      try store.create(id, owner: "", snapshot: [])
    }

    /// What is left, of both keys; the time that a test takes does not matter.
    private func checkLife(_ expected: Int, hasChanges: Bool = true) throws {
      let keys = RedisKeys(id)
      for key in [keys.session] + (hasChanges ? [keys.changes] : []) {
        let left = try server.number("PTTL", key)
        #expect((expected - 20_000...expected).contains(left), "\(key): \(left)")
      }
    }

    private func setLife(_ milliseconds: Int) throws {
      try server.run("PEXPIRE", RedisKeys(id).session, "\(milliseconds)")
      try server.run("PEXPIRE", RedisKeys(id).changes, "\(milliseconds)")
    }

    @Test func changesProlongLife() throws {
      try checkLife(900_000, hasChanges: false)
      #expect(try store.append([1], to: id, after: 1) == .done)
      try checkLife(900_000)
      // The shorter one is longer than a busy machine rests between two calls.
      for life in [850_000, 60_000] {
        try setLife(life)
        let version = try #require(try store.load(id, since: nil)?.version)
        try setLife(life)
        #expect(try store.append([1], to: id, after: version) == .done)
        try checkLife(900_000)
      }
      // A change that is not added is no use.
      try setLife(850_000)
      #expect(try store.append([1], to: id, after: 1) != .done)
      #expect(try store.replace(id, by: [1], after: 1) != .done)
      try checkLife(850_000)
      #expect(try store.replace(id, by: [1], after: 4) == .done)
      try checkLife(900_000, hasChanges: false)
      #expect(try store.append([1], to: id, after: 5) == .done)
      try checkLife(900_000)
    }

    @Test func readingProlongsLifeWhenThatIsNeeded() throws {
      #expect(try store.append([1], to: id, after: 1) == .done)
      for version in [nil, StoredVersion(1, stamp: 0), StoredVersion(2, stamp: 0)] {
        try setLife(850_000)
        #expect(try store.load(id, since: version) != nil)
        try checkLife(850_000)
        try setLife(790_000)
        #expect(try store.load(id, since: version) != nil)
        try checkLife(900_000)
      }
    }

    /// It is said once in an eighth of a life, and has to last for what is not said.
    @Test func useProlongsLife() throws {
      #expect(try store.append([1], to: id, after: 1) == .done)
      let many = (0..<200).map { _ in newID() }
      for other in many { try store.create(other, owner: "", snapshot: []) }
      try setLife(790_000)
      try server.run("PEXPIRE", RedisKeys(many[150]).session, "60000")
      try store.touch([newID()] + many + [id])
      try checkLife(900_000)
      #expect(try server.number("PTTL", RedisKeys(many[150]).session) > 880_000)
      try setLife(850_000)
      try store.touch([id])
      try checkLife(900_000)
      // Another server may let sessions live longer.
      try setLife(950_000)
      try store.touch([id])
      try checkLife(950_000)
      try store.touch([])
      store.sweep()
      #expect(try server.number("DBSIZE") == 202)
    }

    @Test func otherChangesOfTheStoreAreNoUse() throws {
      #expect(try store.append([1], to: id, after: 1) == .done)
      try setLife(790_000)
      try store.replaceSnapshot(of: id, by: [1], at: 1)
      #expect(try store.delete(id, at: 9) == .conflict(version: 2))
      try checkLife(790_000)
    }

    @Test func whatNobodyAsksForIsForgotten() throws {
      let store = try server.store(timeToLive: .seconds(2))
      let other = newID()
      try store.create(other, owner: "", snapshot: [])
      #expect(try store.append([1], to: other, after: 1) == .done)
      let keys = RedisKeys(other)
      #expect(wait { (try? server.number("EXISTS", keys.session, keys.changes)) == 0 })
      #expect(try store.load(other, since: nil) == nil)
      #expect(try store.append([1], to: other, after: 2) == .missing)
    }
  }
}
