import Glibc
import LayoutSessions
import Testing

@testable import RedisStore

extension RedisTests {
  /// A replica takes over, and what connections were made before lead to who was the master.
  @Suite struct FailoverTests {
    private let master: RedisServer
    private let replica: RedisServer
    /// A name that follows the master.
    private let name: String

    init() throws {
      // A replica is not kept waiting for others.
      master = try RedisServer(["--repl-diskless-sync-delay", "0"])
      replica = try RedisServer()
      name = master.socket + ".name"
      // Safe: the texts are there for the length of the call.
      try #require(unsafe symlink(master.socket, name) == 0)
    }

    /// A store that knows the name, and connections of it at the master, as many as there may be; and a session in it,
    /// which the other one has too.
    private func replicatedStore(
      connectionCount: Int
    ) throws -> (store: RedisStore, id: SessionID) {
      let id = newID()
      let store = RedisStore(
        address: try RedisAddress(url: "unix://\(name)"), timeToLive: .seconds(3600),
        timeout: .seconds(60), connectionLimit: connectionCount)
      try store.create(id, owner: "", snapshot: [0], stamp: 1)
      // While they wait nobody gives one back that another could take.
      try master.run("CLIENT", "PAUSE", "60000", "WRITE")
      let (master, count) = (master.socket, connectionCount)
      onThreads(count + 1) { thread in
        if thread < count {
          #expect(throws: Never.self) { try store.load(id, since: nil) }
        } else {
          #expect(wait { RedisServer.clientCount(at: master) == count + 1 })
          _ = try? RedisServer.run(["CLIENT", "UNPAUSE"], at: master)
        }
      }
      try replica.run("REPLICAOF", "127.0.0.1", "\(self.master.port)")
      #expect(wait { (try? replica.number("EXISTS", RedisKeys(id).session)) == 1 })
      return (store, id)
    }

    /// The replica becomes the master, and the name leads to it; the other one becomes a replica, which finds
    /// nobody to follow.
    private func failOver() throws {
      try replica.run("REPLICAOF", "NO", "ONE")
      try master.run("REPLICAOF", "127.0.0.1", "1")
      // Safe: the texts are there for the length of the calls.
      try #require(unsafe unlink(name) == 0 && symlink(replica.socket, name) == 0)
    }

    @Test func aRefusalIsEnoughToLeaveAMaster() throws {
      defer { unsafe unlink(name) }
      let (store, id) = try replicatedStore(connectionCount: 4)
      try failOver()
      let refusal = error { () throws(StoreError) in
        _ = try store.append([1], to: id, after: StoredVersion(1, stamp: 1), stamp: 2)
      }
      #expect(refusal?.kind == .unavailable)
      #expect(refusal?.detail.contains("READONLY") == true, "\(refusal as Any)")
      // Nobody has to find out again; and what was acknowledged is what is read.
      for number in 1...4 {
        let version = StoredVersion(number, stamp: UInt64(number))
        #expect(
          try store.append([1], to: id, after: version, stamp: UInt64(number + 1)) == .done)
      }
      onThreads(4) { _ in
        for _ in 0..<20 { #expect((try? store.load(id, since: nil)?.version) == 5) }
      }
      #expect(wait { RedisServer.clientCount(at: master.socket) == 1 })
    }

    /// A version that a server knows is not gone because a connection of before does not lead to it: be it that the
    /// old master has not got so far, or that it got there by a change that was lost.
    @Test(arguments: [false, true])
    func whoDoesNotKnowAVersionIsNotBelievedAtOnce(hasLostChange: Bool) throws {
      defer { unsafe unlink(name) }
      let (store, id) = try replicatedStore(connectionCount: 2)
      try replica.run("REPLICAOF", "NO", "ONE")
      let first = StoredVersion(1, stamp: 1)
      if hasLostChange { #expect(try store.append([9], to: id, after: first, stamp: 9) == .done) }
      try failOver()
      #expect(try replica.store().append([1], to: id, after: first, stamp: 2) == .done)
      let known = StoredVersion(2, stamp: 2)
      let session = try store.load(id, since: known)
      #expect(session?.storedVersion == known)
      #expect(session?.snapshot == nil)
      #expect(session?.changes == [])
      #expect(wait { RedisServer.clientCount(at: master.socket) == 1 })
    }

    /// Whoever took over knows it no better: it is gone.
    @Test func whatIsLostIsGivenUp() throws {
      defer { unsafe unlink(name) }
      let (store, id) = try replicatedStore(connectionCount: 2)
      try replica.run("REPLICAOF", "NO", "ONE")
      let first = StoredVersion(1, stamp: 1)
      #expect(try store.append([9], to: id, after: first, stamp: 9) == .done)
      try failOver()
      master.stop()
      for _ in 0..<2 {
        let session = try store.load(id, since: StoredVersion(2, stamp: 9))
        #expect(session?.storedVersion == first)
        #expect(session?.snapshot?.record == [0])
      }
    }
  }
}
