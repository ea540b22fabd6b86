import Glibc
import MicroHTTP
import Testing

/// The end comes in time, whatever is under way.
@Suite(.waits) struct StoppingTests {
  /// Who has left in the middle of a request does not keep the server from ending.
  @Test func whoHasLeftIsNotWaitedFor() throws {
    let server = try startServer()
    do {
      let client = RawClient(port: server.port)
      client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\na")
      withExtendedLifetime(client) { waitUntil { server.statistics.heldByteCount == 1 } }
    }
    waitUntil { server.statistics.connectionCount == 0 }
    // For longer than anybody waits here.
    #expect(Stopping(server, drainSeconds: 600).haveEnded)
  }

  /// On a worker, or on a thread that serves.
  @Test(arguments: ["/wait", "/stall"])
  func aHandlerThatNeverEndsDoesNotKeepTheServer(path: String) throws {
    let handler = EchoHandler()
    let server = try startServer(handler)
    let client = RawClient(port: server.port)
    client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
    waitUntil { handler.waitingCount == 1 }
    // Would wait for ever, and the test with it.
    #expect(!server.stop(drainSeconds: 1))
    // What the thread uses is still there.
    handler.open()
    waitUntil { handler.waitingCount == 0 }
  }

  @Test func whatIsStillQueuedIsAnswered() throws {
    let server = try startServer {
      $0.workerThreadCount = 1
      $0.queueCapacity = 500
    }
    // Half a minute's work.
    let clients = (0..<300).map { _ in RawClient(port: server.port) }
    for client in clients { client.send("GET /nap HTTP/1.1\r\nHost: a\r\n\r\n") }
    // Who has not been let in by then is not answered.
    waitUntil { server.statistics.requestCount == 300 }
    #expect(server.stop(drainSeconds: 1))
    let answers = clients.compactMap { $0.receive() }
    #expect(answers.count == 300)
    #expect(answers.contains { $0.status == 200 })
    let refusals = answers.filter { $0.status == 503 }
    #expect(refusals.count > 200)
    #expect(refusals.allSatisfy { $0.text.contains("the server is stopping") })
  }

  /// In the last turns of a loop no worker takes it any more, and libmicrohttpd ends the process if it is stopped while
  /// somebody waits.
  @Test func requestsThatBecomeWholeAtTheEndDoNoHarm() throws {
    for _ in 0..<6 {
      let server = try startServer {
        $0.ioThreadCount = 1
        $0.workerThreadCount = 1
      }
      let clients = (0..<150).map { _ in RawClient(port: server.port) }
      let body = String(repeating: "a", count: 1499)
      for client in clients {
        client.send("POST /work HTTP/1.1\r\nHost: a\r\nContent-Length: 1500\r\n\r\n\(body)")
      }
      waitUntil { server.statistics.heldByteCount == 150 * 1499 }
      let stopping = Stopping(server, drainSeconds: 0)
      for client in clients { client.send("a") }
      #expect(stopping.haveEnded)
    }
  }

  /// What has been sent behind it is not read any more, and the kernel takes a socket that is closed with something
  /// unread for a reason to forget what its client has not taken yet.
  @Test func whoHasAskedForMoreGetsTheLastAnswerWhole() throws {
    let handler = EchoHandler()
    let server = try startServer(handler)
    let client = RawClient(port: server.port, receiveBuffer: 2048)
    let query = String(repeating: "a", count: 6000)
    let next = "GET /x HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 2000))\r\n\r\n"
    client.send("GET /wait?\(query) HTTP/1.1\r\nHost: a\r\n\r\n")
    waitUntil { handler.waitingCount == 1 }
    for _ in 0..<30 { client.send(next) }
    let stopping = Stopping(server)
    #expect(!RawClient(port: server.port).isConnected)
    handler.open()
    // It is closed by then, and waits for its client to be done as well.
    usleep(300_000)
    #expect(client.receive()?.text.hasPrefix("GET /wait ?\(query)") == true)
    #expect(client.isClosed())
    #expect(stopping.haveEnded)
  }

  @Test(arguments: [
    ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab", "cd"),
    ("GET /x HTTP/1.1\r\nHo", "st: a\r\n\r\n"),
  ])
  func whatIsBeingReceivedIsFinished(start: String, rest: String) throws {
    let server = try startServer { $0.ioThreadCount = 1 }
    let client = RawClient(port: server.port)
    client.send(start)
    // Until it has come: what comes to the same loop after it is answered.
    let other = RawClient(port: server.port)
    for _ in 0..<2 {
      other.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(other.receive()?.status == 200)
    }
    let stopping = Stopping(server)
    usleep(600_000)
    client.send(rest)
    #expect(client.receive()?.status == 200)
    #expect(stopping.haveEnded)
  }

  /// However many the kernel has let in, whose turn has not come.
  @Test func whoHasComeBeforeTheEndIsAnswered() throws {
    for _ in 0..<5 {
      let server = try startServer()
      let clients = (0..<300).map { _ in
        let client = RawClient(port: server.port)
        client.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
        return client
      }
      #expect(server.stop(drainSeconds: 10))
      #expect(clients.count { $0.receive()?.status == 200 } == clients.count)
    }
  }

  @Test func nothingUnderWayNothingToWaitFor() throws {
    let server = try startServer()
    let idle = RawClient(port: server.port)
    let halfway = RawClient(port: server.port)
    halfway.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab")
    let lingering = RawClient(port: server.port)
    lingering.send("POST /x HTTP/1.1\r\n\r\n")
    #expect(lingering.receive()?.status == 400)
    #expect(server.stop(drainSeconds: 0))
    for client in [idle, halfway, lingering] { #expect(client.isClosed()) }
  }

  /// What has been begun to be sent is sent, if its client takes it; there is half a second for that.
  @Test func anAnswerThatIsTakenIsWhole() throws {
    let server = try startServer()
    // More than the kernel has room for; but for some of it, so that it is not in each of a hundred small parts that
    // the client waits for the server's turn on a busy processor, and the server for the client's.
    let size = 1_000_000
    let client = RawClient(port: server.port, receiveBuffer: 40_000)
    client.send("GET /size/\(size) HTTP/1.1\r\nHost: a\r\n\r\n")
    waitUntil { server.statistics.heldByteCount == size }
    #expect(server.statistics.heldByteCount == size)
    let stopping = Stopping(server, drainSeconds: 0)
    #expect(client.receive()?.body.count == size)
    #expect(stopping.haveEnded)
  }

  @Test func whoAsksHowItIsDoingMayAskWhileItStops() async throws {
    let server = try startServer()
    let client = RawClient(port: server.port)
    client.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receive()?.status == 200)
    // As a scrape of the metrics does on another port.
    let asking = Task.detached {
      while !Task.isCancelled { _ = server.statistics }
    }
    #expect(server.stop(drainSeconds: 1))
    #expect(server.stop(drainSeconds: 1))
    #expect(server.statistics.requestCount == 1)
    #expect(server.statistics.connectionCount == 0)
    asking.cancel()
    await asking.value
  }

  @Test func aServerThatNobodyHoldsStops() throws {
    var server: HTTPServer? = try startServer()
    let client = RawClient(port: try #require(server).port)
    client.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receive()?.status == 200)
    server = nil
    #expect(client.isClosed())
  }
}
