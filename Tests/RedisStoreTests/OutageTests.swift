import Glibc
import LayoutSessions
import Synchronization
import Testing

@testable import RedisStore

extension RedisTests {
  /// Redis is not there, or does not answer.
  @Suite struct OutageTests {
    /// A store of little patience, which has a connection and a session: to make those may take longer.
    private func impatientStore(
      of server: RedisServer, timeout: Duration
    ) throws -> (store: RedisStore, id: SessionID) {
      let id = newID()
      try server.store().create(id, owner: "", snapshot: [])
      let store = try server.store(timeout: timeout)
      #expect(wait { (try? store.load(id, since: nil)) != nil })
      return (store, id)
    }

    @Test func whoIsNotThereIsNotWaitedFor() throws {
      let server = try RedisServer()
      let store = try server.store(timeout: .seconds(300))
      let id = newID()
      try store.create(id, owner: "", snapshot: [])
      server.stop()
      for _ in 0..<3 {
        func touch() -> StoreError? {
          error { () throws(StoreError) in try store.touch([id]) }
        }
        let load = error { () throws(StoreError) in _ = try store.load(id, since: nil) }
        let append = error { () throws(StoreError) in _ = try store.append([], to: id, after: 1) }
        for error in [load, append, touch()] {
          #expect(error?.kind == .unavailable)
          #expect(error?.detail.contains("127.0.0.1:\(server.port)") == true)
          // Not that something has taken too long.
          #expect(error?.detail.contains("Connection refused") == true, "\(error as Any)")
        }
        // Who asks soon after somebody who has tried; pauses grow.
        #expect(wait { touch()?.detail.contains("the next try is in ") == true })
      }
    }

    @Test func aStoreMayBeThereBeforeRedis() throws {
      let server = try RedisServer()
      server.stop()
      let store = try server.store()
      let id = newID()
      #expect(throws: StoreError.self) { try store.create(id, owner: "", snapshot: []) }
      try server.start()
      #expect(
        wait {
          error { () throws(StoreError) in try store.create(id, owner: "", snapshot: []) } == nil
        })
      // It may go and come again.
      server.stop()
      #expect(throws: StoreError.self) { try store.load(id, since: nil) }
      try server.start()
      #expect(wait { error { () throws(StoreError) in _ = try store.load(id, since: nil) } == nil })
    }

    @Test func whatWasAcknowledgedIsThereAgain() throws {
      let server = try RedisServer(["--appendonly", "yes", "--appendfsync", "always"])
      let store = try server.store()
      let id = newID()
      try store.create(id, owner: "alice", snapshot: [0])
      for version in 1..<20 {
        #expect(try store.append([UInt8(version)], to: id, after: version) == .done)
      }
      try store.replaceSnapshot(of: id, by: [10], at: 10)
      let before = try store.load(id, of: "alice", since: nil)
      server.stop()
      #expect(throws: StoreError.self) { try store.load(id, since: nil) }
      try server.start()
      var after: StoredSession?
      #expect(
        wait {
          after = try? store.load(id, of: "alice", since: nil)
          return after != nil
        })
      #expect(after == before)
      #expect(try store.append([20], to: id, after: 20) == .done)
    }

    /// Connections from before a restart are not written to.
    @Test func aRestartThatNobodySawIsNoError() throws {
      let server = try RedisServer(["--appendonly", "yes"])
      let store = try server.store()
      let id = newID()
      try store.create(id, owner: "", snapshot: [0])
      for version in 1..<4 {
        server.stop()
        try server.start()
        #expect(try store.append([1], to: id, after: version) == .done)
      }
    }

    @Test func whoDoesNotAnswerLeavesOneUncertain() throws {
      let server = try RedisServer()
      let (store, id) = try impatientStore(of: server, timeout: .milliseconds(300))
      // Several connections, of which one finds out for all; and the one that asks.
      #expect(
        wait {
          onThreads(8) { _ in for _ in 0..<20 { _ = try? store.load(id, since: nil) } }
          return RedisServer.clientCount(at: server.socket) ?? 0 > 2
        })
      server.pause()
      var failure: StoreError?
      let duration = time {
        failure = error { () throws(StoreError) in _ = try store.append([1], to: id, after: 1) }
      }
      #expect(failure?.kind == .uncertain, "\(failure as Any)")
      #expect(failure?.detail.contains("no answer in 300 ms") == true, "\(failure as Any)")
      #expect(duration > .milliseconds(290), "\(duration)")
      // The connections are gone; on a new one nothing but a greeting has been said.
      let next = error { () throws(StoreError) in _ = try store.append([2], to: id, after: 1) }
      #expect(next?.kind == .unavailable, "\(next as Any)")
      server.resume()
      var session: StoredSession?
      #expect(
        wait {
          session = try? store.load(id, since: nil)
          return session != nil
        })
      // It was done or not, and not twice.
      #expect(session?.changes == [[1]] || session?.changes == [])
      let version = try #require(session?.version)
      #expect(try server.store().append([3], to: id, after: version) == .done)
    }

    /// Whoever asks what became of it must not be told one thing now, and another when the network is there again.
    @Test func whatIsGivenUpIsNotSentAnyMore() throws {
      let listener = try Listener(receiveBufferSize: 4096)
      var channel: RedisChannel? = try RedisChannel(
        to: .network(host: "127.0.0.1", port: listener.port), timeout: .milliseconds(200))
      var commands = RedisCommands()
      commands.append(["SET", "key", String(repeating: "a", count: 200_000)])
      #expect(throws: RedisFailure.self) { try channel?.exchange(commands) }
      channel = nil
      let (count, failure) = listener.receiveAll()
      #expect(failure == ECONNRESET)
      #expect(count < commands.bytes.count)
    }

    @Test func whatWasNotSentWholeIsNotUncertain() throws {
      let server = try RedisServer()
      let (store, id) = try impatientStore(of: server, timeout: .milliseconds(300))
      server.pause()
      let large = [UInt8](repeating: 1, count: 30_000_000)
      let failure = error { () throws(StoreError) in _ = try store.append(large, to: id, after: 1) }
      #expect(failure?.kind == .unavailable, "\(failure as Any)")
      server.resume()
      #expect(wait { (try? store.load(id, since: nil)?.version) == 1 })
    }

    @Test func whatIsLongMayBeDoneLater() throws {
      let server = try RedisServer()
      let (store, id) = try impatientStore(of: server, timeout: .milliseconds(200))
      try server.run("CLIENT", "PAUSE", "500")
      // Two seconds more.
      let large = [UInt8](repeating: 1, count: 32 << 20)
      #expect(try store.append(large, to: id, after: 1) == .done)
    }

    @Test func onlySoManyConnectionsAreMade() throws {
      let server = try RedisServer()
      let store = try server.store(connectionLimit: 3)
      let id = newID()
      try store.create(id, owner: "", snapshot: [])
      onThreads(12) { _ in
        for _ in 0..<50 { #expect(throws: Never.self) { try store.load(id, since: nil) } }
      }
      // And the one that asks.
      #expect((2...4).contains(try #require(RedisServer.clientCount(at: server.socket))))
      store.close()
      #expect(wait { RedisServer.clientCount(at: server.socket) == 1 })
    }

    @Test func aConnectionIsNotWaitedForLong() throws {
      let server = try RedisServer()
      let pool = RedisPool(
        address: try RedisAddress(url: server.url), timeout: .milliseconds(200), limit: 1)
      // To connect may take longer.
      #expect(wait { (try? pool.withConnection { _ in }) != nil })
      var failure: RedisFailure?
      let duration = try time {
        try pool.withConnection { (_) throws(RedisFailure) in
          // While this one is taken.
          do throws(RedisFailure) {
            try pool.withConnection { (_) throws(RedisFailure) in }
          } catch {
            failure = error
          }
        }
      }
      #expect(failure?.ofWrite.kind == .unavailable)
      #expect(failure?.ofWrite.detail.contains("all connections (1) have been busy") == true)
      #expect(duration > .milliseconds(190), "\(duration)")
      #expect(throws: Never.self) { try pool.withConnection { _ in } }
    }

    @Test func aClosedStoreDoesNothing() throws {
      let server = try RedisServer()
      let store = try server.store()
      let id = newID()
      try store.create(id, owner: "", snapshot: [])
      store.close()
      store.close()
      for error in [
        error { () throws(StoreError) in _ = try store.load(id, since: nil) },
        error { () throws(StoreError) in _ = try store.append([], to: id, after: 1) },
        error { () throws(StoreError) in try store.touch([id]) },
      ] {
        #expect(error?.kind == .unavailable && error?.detail.contains("closed") == true)
      }
      #expect(try server.store().load(id, since: nil)?.version == 1)
    }

    /// Who waits for a connection when the end comes does not wait for the timeout.
    @Test func whoWaitsIsToldOfTheEnd() throws {
      let server = try RedisServer()
      let pool = RedisPool(
        address: try RedisAddress(url: server.url), timeout: .seconds(300), limit: 1)
      try pool.withConnection { (_) throws(RedisFailure) in
        let toldCount = Atomic(0)
        onThreads(4) { thread in
          if thread == 3 {
            usleep(50_000)
            pool.close()
            // Long before the timeout.
            #expect(wait { toldCount.load(ordering: .relaxed) == 3 })
          } else {
            let failure = #expect(throws: RedisFailure.self) { try pool.withConnection { _ in } }
            #expect(failure?.ofWrite.detail.contains("the store is closed") == true)
            toldCount.add(1, ordering: .relaxed)
          }
        }
      }
      // What was in use then is closed too.
      #expect(wait { RedisServer.clientCount(at: server.socket) == 1 })
    }
  }
}

/// Listens on loopback, and takes what comes only when it is told to.
private final class Listener {
  private let socket: Int32
  let port: UInt16

  init(receiveBufferSize: Int32) throws {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var size = receiveBufferSize
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // Safe: the pointers are to variables of this frame, with their sizes.
    _ = unsafe setsockopt(
      socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(socket, address, length) == 0 && listen(socket, 1) == 0
          && getsockname(socket, address, &length) == 0
      }
    }
    self.socket = socket
    port = UInt16(bigEndian: address.sin_port)
    try #require(isBound)
  }

  deinit { close(socket) }

  /// Reads what the first client has sent, to the end; tells why there is no more, 0 if the client is done.
  func receiveAll() -> (count: Int, failure: Int32) {
    let client = accept(socket, nil, nil)
    defer { close(client) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var total = 0
    while true {
      // Safe: what is read ends with the array.
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe recv(client, $0.baseAddress, $0.count, 0)
      }
      guard count > 0 else { return (total, count == 0 ? 0 : errno) }
      total += count
    }
  }
}
