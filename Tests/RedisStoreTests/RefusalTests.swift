import Foundation
import LayoutSessions
import Testing

@testable import RedisStore

extension RedisTests {
  /// Redis is there, and does not do what it is asked for.
  @Suite struct RefusalTests {
    private func store(_ url: String) throws -> RedisStore {
      RedisStore(
        address: try RedisAddress(url: url), timeToLive: .seconds(60), timeout: .seconds(60),
        connectionLimit: 2)
    }

    private func refusal(_ store: RedisStore) -> StoreError? {
      error { () throws(StoreError) in try store.create(newID(), owner: "", snapshot: []) }
    }

    @Test func passwordsAreAskedFor() throws {
      let server = try RedisServer(password: "right:one/2")
      let place = "127.0.0.1:\(server.port)"
      #expect(refusal(try store("redis://:right%3Aone%2F2@\(place)")) == nil)
      #expect(refusal(try store("redis://default:right:one%2f2@\(place)")) == nil)
      #expect(refusal(try store("unix://:right:one%2f2@\(server.socket)")) == nil)
      for (url, words) in [
        ("redis://:wrong-one@\(place)", "WRONGPASS"),
        ("redis://somebody:wrong-one@\(place)", "WRONGPASS"), ("redis://\(place)", "NOAUTH"),
      ] {
        let error = refusal(try store(url))
        #expect(error?.kind == .unavailable)
        #expect(error?.detail.contains(words) == true, "\(error as Any)")
        #expect(error?.detail.contains(place) == true)
        #expect(error?.detail.contains("wrong-one") == false)
      }
      // A user who may do nothing with anybody's sessions.
      try server.run("ACL", "SETUSER", "bob", "on", ">word", "~other:*", "+@all")
      let error = refusal(try store("redis://bob:word@\(place)"))
      #expect(error?.kind == .unavailable)
      #expect(error?.detail.contains("NOPERM") == true, "\(error as Any)")
    }

    @Test func passwordsAreTooMuch() throws {
      let server = try RedisServer()
      let error = refusal(try store("redis://:secret@127.0.0.1:\(server.port)"))
      #expect(error?.kind == .unavailable)
      #expect(error?.detail.contains("it has none") == true, "\(error as Any)")
      #expect(error?.detail.contains("secret") == false)
      // Who has no AUTH quotes what it does not know.
      let other = try RedisServer(["--rename-command", "AUTH", ""])
      let second = refusal(try store("redis://:secret@127.0.0.1:\(other.port)"))
      #expect(second?.kind == .unavailable)
      #expect(second?.detail.contains("it refuses AUTH (ERR)") == true, "\(second as Any)")
    }

    /// A session with a change, and what comes of writing to it.
    private func checkWrites(
      _ server: RedisServer, code: String, deleting: Bool, during body: () throws -> Void,
      after undo: () throws -> Void
    ) throws {
      let (store, other) = (try server.store(), try server.store())
      let (id, new) = (newID(), newID())
      try store.create(id, owner: "", snapshot: [])
      #expect(try store.append([1], to: id, after: 1) == .done)
      let contents = try server.contents(of: id)
      try body()
      var errors = [
        error { () throws(StoreError) in _ = try store.append([2], to: id, after: 2) },
        error { () throws(StoreError) in _ = try store.replace(id, by: [2], after: 2) },
        error { () throws(StoreError) in try store.replaceSnapshot(of: id, by: [2], at: 2) },
        error { () throws(StoreError) in try store.create(new, owner: "", snapshot: [2]) },
        // Who has scrolled it would not learn of this.
        error { () throws(StoreError) in _ = try other.load(id, since: 1, isScrolling: true) },
      ]
      if deleting {
        errors.append(error { () throws(StoreError) in _ = try store.delete(id, at: 2) })
      }
      for error in errors {
        #expect(error?.kind == .unavailable)
        #expect(error?.detail.contains(code) == true, "\(error as Any)")
      }
      // It is read all the same, though nobody can note that.
      try server.run("PEXPIRE", RedisKeys(id).session, "100000")
      #expect(try other.load(id, since: 1)?.changes == [[1]])
      // Who has scrolled it before goes on; not with a replica, which may be behind.
      if code == "READONLY" {
        #expect(
          error { () throws(StoreError) in _ = try store.load(id, since: 1, isScrolling: true) }?
            .kind == .unavailable)
      } else {
        #expect(try store.load(id, since: 1, isScrolling: true)?.takeover == 0)
      }
      #expect(try server.contents(of: id) == contents)
      try undo()
      #expect(try server.number("EXISTS", RedisKeys(new).session, RedisKeys(new).changes) == 0)
      #expect(try store.append([2], to: id, after: 2) == .done)
      #expect(try store.load(id, since: 1)?.changes == [[1], [2]])
      #expect(try other.load(id, since: 1, isScrolling: true)?.takeover != 0)
    }

    /// A user who may do what either text says that one needs, and nothing else.
    @Test(arguments: [
      ("Sources/RedisStore/RedisStore.swift", "public final class"),
      ("Examples/deploy/README.md", "- **Replicas**"),
    ])
    func theRightsThatAreNamedAreEnough(in path: String, before next: String) throws {
      let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../\(path)")
      let source = try String(contentsOf: file, encoding: .utf8)
      let start = try #require(source.range(of: "needs `~layoutd:*` and the commands")?.upperBound)
      let end = try #require(source[start...].range(of: next)?.lowerBound)
      let commands = source[start..<end].split(separator: "`").filter { word in
        word.allSatisfy { $0.isUppercase || $0 == "|" }
      }
      let server = try RedisServer()
      try RedisServer.run(
        ["ACL", "SETUSER", "bob", "on", ">word", "~layoutd:*"] + commands.map { "+\($0)" },
        at: server.socket)
      let bob = try store("redis://bob:word@127.0.0.1:\(server.port)/1")
      let id = newID()
      try bob.create(id, owner: "", snapshot: [1])
      for version in 1...3 { #expect(try bob.append([2], to: id, after: version) == .done) }
      #expect(try bob.load(id, since: 1, isScrolling: true)?.changes == [[2], [2], [2]])
      try bob.replaceSnapshot(of: id, by: [3], at: 4)
      #expect(try bob.replace(id, by: [4], after: 4) == .done)
      #expect(try bob.owner(of: id) == "")
      let changed = try bob.load(id, since: nil)
      #expect(changed?.snapshot?.record == [4])
      #expect(try bob.delete(id, at: 5) == .done)
    }

    /// Long snapshots only take longer then.
    @Test func aLengthThatMayNotBeAskedForIsNotNeeded() throws {
      let server = try RedisServer()
      try server.run("ACL", "SETUSER", "bob", "on", ">word", "~layoutd:*", "+@all", "-hstrlen")
      let bob = try store("redis://bob:word@127.0.0.1:\(server.port)")
      let id = newID()
      try bob.create(id, owner: "", snapshot: [1])
      #expect(try bob.load(id, since: nil)?.snapshot?.record == [1])
    }

    /// Where the first write is refused nothing is done; of a new session or a change, nothing if a later one is.
    @Test(arguments: ["rpush", "hincrby", "hset", "pexpire", "del"])
    func rightsThatAreMissingHarmNothing(command: String) throws {
      let server = try RedisServer()
      try server.run(
        "ACL", "SETUSER", "bob", "on", ">word", "~layoutd:*", "+@all", "-\(command)")
      let (all, bob) = (
        try server.store(), try store("redis://bob:word@127.0.0.1:\(server.port)")
      )
      let (id, new) = (newID(), newID())
      try all.create(id, owner: "", snapshot: [1])
      #expect(try all.append([2], to: id, after: 1) == .done)
      let contents = try server.contents(of: id)
      let failure: StoreError? =
        switch command {
        case "rpush", "hincrby":
          error { () throws(StoreError) in _ = try bob.append([3], to: id, after: 2) }
        case "pexpire":
          error { () throws(StoreError) in try bob.create(new, owner: "", snapshot: [3]) }
        case "hset":
          error { () throws(StoreError) in try bob.replaceSnapshot(of: id, by: [3], at: 2) }
        default: error { () throws(StoreError) in _ = try bob.delete(id, at: 2) }
        }
      #expect(failure?.kind == .unavailable, "\(failure as Any)")
      if command == "pexpire" {
        let other = error { () throws(StoreError) in _ = try bob.append([3], to: id, after: 2) }
        #expect(other?.kind == .unavailable, "\(other as Any)")
      }
      if command == "hset" {
        let other = error { () throws(StoreError) in _ = try bob.replace(id, by: [3], after: 2) }
        #expect(other?.kind == .unavailable, "\(other as Any)")
      }
      #expect(try server.contents(of: id) == contents)
      #expect(try server.number("EXISTS", RedisKeys(new).session, RedisKeys(new).changes) == 0)
      #expect(try all.append([3], to: id, after: 2) == .done)
    }

    @Test func replicasTakeNoWrites() throws {
      let server = try RedisServer()
      try checkWrites(
        server, code: "READONLY", deleting: true,
        during: { try server.run("REPLICAOF", "127.0.0.1", "1") },
        after: { try server.run("REPLICAOF", "NO", "ONE") })
    }

    @Test func aFullRedisTakesNothing() throws {
      let server = try RedisServer(["--maxmemory-policy", "noeviction"])
      try checkWrites(
        server, code: "OOM", deleting: false,
        during: { try server.run("CONFIG", "SET", "maxmemory", "1") },
        after: { try server.run("CONFIG", "SET", "maxmemory", "0") })
    }

    @Test func tooFewReplicasAreNone() throws {
      let server = try RedisServer()
      try checkWrites(
        server, code: "NOREPLICAS", deleting: true,
        during: { try server.run("CONFIG", "SET", "min-replicas-to-write", "1") },
        after: { try server.run("CONFIG", "SET", "min-replicas-to-write", "0") })
    }

    /// It says so even to who only greets it.
    @Test func aRedisThatCannotWriteToItsDiskIsRead() throws {
      // A folder in which nobody can write, and a reason to.
      let server = try RedisServer(["--dir", "/proc", "--save", "3600 1000000"])
      try checkWrites(
        server, code: "MISCONF", deleting: true,
        during: {
          try server.run("BGSAVE")
          #expect(
            wait {
              guard case .error(let words) = try? server.run("PING") else { return false }
              return words.hasPrefix("MISCONF")
            })
        },
        after: { try server.run("CONFIG", "SET", "stop-writes-on-bgsave-error", "no") })
    }

    @Test func aBusyRedisDoesNothing() throws {
      let server = try RedisServer(["--busy-reply-threshold", "20"])
      let store = try server.store()
      let id = newID()
      try store.create(id, owner: "", snapshot: [])
      let socket = server.socket
      onThreads(2) { thread in
        if thread == 0 {
          _ = try? RedisServer.run(["EVAL", "while true do end", "0"], at: socket)
          return
        }
        var refusal: StoreError?
        // Until the other one has begun, changes are added.
        var version = 1
        wait {
          refusal = error { () throws(StoreError) in
            if try store.append([1], to: id, after: version) == .done { version += 1 }
          }
          return refusal != nil
        }
        #expect(refusal?.kind == .unavailable)
        #expect(refusal?.detail.contains("BUSY") == true, "\(refusal as Any)")
        _ = try? RedisServer.run(["SCRIPT", "KILL"], at: socket)
      }
      #expect(wait { (try? store.load(id, since: nil)) != nil })
    }
  }
}
