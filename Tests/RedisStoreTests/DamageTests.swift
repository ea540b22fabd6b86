import LayoutSessions
import Testing

@testable import RedisStore

extension RedisTests {
  /// What is kept is not what it should be: it is left as it is, and said to be so.
  @Suite struct DamageTests {
    let server: RedisServer
    let store: RedisStore
    let id = newID()
    let keys: RedisKeys

    init() throws {
      server = try RedisServer()
      store = try server.store()
      keys = RedisKeys(id)
      try store.create(id, owner: "", snapshot: [0])
      for version in 1...3 { _ = try store.append([UInt8(version)], to: id, after: version) }
    }

    /// What comes of reading and writing.
    private func errors(deleting: Bool = true) -> [StoreError?] {
      var errors = [
        error { () throws(StoreError) in _ = try store.load(id, since: nil) },
        error { () throws(StoreError) in _ = try store.load(id, since: 4) },
        error { () throws(StoreError) in _ = try store.append([9], to: id, after: 4) },
        error { () throws(StoreError) in _ = try store.replace(id, by: [9], after: 4) },
        error { () throws(StoreError) in try store.replaceSnapshot(of: id, by: [9], at: 3) },
      ]
      if deleting {
        errors.append(error { () throws(StoreError) in _ = try store.delete(id, at: nil) })
      }
      return errors
    }

    /// As after somebody has deleted the session by hand.
    @Test func changesThatAreLeftOverAreNotANewSessions() throws {
      let new = newID()
      try server.run("RPUSH", RedisKeys(new).changes, "left over")
      try store.create(new, owner: "", snapshot: [7])
      #expect(try store.load(new, since: nil)?.changes == [])
    }

    @Test(arguments: ["3", "", "1.0", "one"])
    func anotherFormat(format: String) throws {
      try server.run("HSET", keys.session, "format", format)
      let contents = try server.contents(of: id)
      for error in errors(deleting: false) {
        #expect(error?.kind == .unreadable)
        #expect(error?.detail.contains("is of format \"\(format)\"") == true, "\(error as Any)")
      }
      #expect(throws: StoreError.self) { try store.create(id, owner: "", snapshot: []) }
      try server.run("PEXPIRE", keys.session, "1000000")
      try store.touch([id])
      #expect(try server.number("PTTL", keys.session) <= 1_000_000)
      #expect(try server.contents(of: id) == contents)
      try server.run("HDEL", keys.session, "format")
      for error in errors(deleting: false) { #expect(error?.kind == .unreadable) }
      try itsOwnerMayDeleteIt()
    }

    /// Whoever deletes it at a version is not believed to mean what is there.
    private func itsOwnerMayDeleteIt() throws {
      let error = error { () throws(StoreError) in _ = try store.delete(id, at: 4) }
      #expect(error?.kind == .unreadable)
      #expect(try store.owner(of: id) == "")
      #expect(try store.delete(id, at: nil) == .done)
      #expect(try store.owner(of: id) == nil)
      #expect(try server.number("DBSIZE") == 0)
      #expect(try store.delete(id, at: nil) == .missing)
    }

    @Test func lostChanges() throws {
      for kept in [2, 0] {
        try server.run("LTRIM", keys.changes, "0", "\(kept - 1)")
        if kept == 0 { try server.run("DEL", keys.changes) }
        let contents = try server.contents(of: id)
        for error in errors(deleting: false) {
          #expect(error?.kind == .unreadable)
          let detail = error?.detail ?? ""
          #expect(detail.contains("\(keys.changes) has \(kept) of 3 changes"), "\(detail)")
          #expect(detail.contains("maxmemory-policy noeviction"))
        }
        #expect(try server.contents(of: id) == contents)
      }
      #expect(try store.owner(of: id) == "")
      #expect(try store.delete(id, at: 4) == .done)
      #expect(try store.load(id, since: nil) == nil)
    }

    @Test func tooManyChanges() throws {
      try server.run("RPUSH", keys.changes, "x")
      for error in errors(deleting: false) {
        #expect(error?.kind == .unreadable)
        #expect(error?.detail.contains("4 of 3 changes") == true)
        // That is nothing that Redis does.
        #expect(error?.detail.contains("maxmemory-policy") == false)
      }
    }

    @Test(arguments: [
      ("version", "x"), ("version", "0"), ("version", "4.0"), ("version", " 4"), ("version", "-4"),
      ("version", "99999999999999999999"), ("version", "0x4"), ("snapshotVersion", "5"),
      ("snapshotVersion", "nan"),
    ])
    func versionsThatMakeNoSense(field: String, value: String) throws {
      try server.run("HSET", keys.session, field, value)
      let contents = try server.contents(of: id)
      for error in errors(deleting: false) { #expect(error?.kind == .unreadable) }
      #expect(try server.contents(of: id) == contents)
      try itsOwnerMayDeleteIt()
    }

    @Test func keysOfAnotherType() throws {
      for key in [keys.changes, keys.session] {
        try server.run("SET", key, "text")
        for error in errors(deleting: key == keys.session) {
          #expect(error?.kind == .unreadable, "\(error as Any)")
        }
        #expect(try server.run("GET", key) == .bytes(bytes("text")))
        if key == keys.session {
          let error = error { () throws(StoreError) in try store.touch([id]) }
          #expect(error?.kind == .unreadable)
        }
      }
    }

    @Test(arguments: ["owner", "snapshot"])
    func missingFields(field: String) throws {
      try server.run("HDEL", keys.session, field)
      // Nobody knows whose it is, or what it is: not that there is none.
      let error = error { () throws(StoreError) in _ = try store.load(id, since: nil) }
      #expect(error?.kind == .unreadable)
      // A good connection stays one.
      #expect(try store.load(newID(), since: nil) == nil)
    }
  }
}
