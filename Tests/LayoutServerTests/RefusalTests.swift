import HTTPMessages
import MicroHTTP
import Testing

/// How a refusal reaches the client, and who else learns of it.
@Suite(.waits) struct RefusalTests {
  @Test func theHandlerLearnsWhatWasRefused() throws {
    let handler = EchoHandler()
    let server = try startServer(handler) { $0.maximumBodySize = 1000 }
    defer { server.stop(drainSeconds: 1) }
    let requests: [(String, HTTPStatus, String)] = [
      ("GET /a/../b?c HTTP/1.1\r\nHost: a\r\n\r\n", .badRequest, "/a/../b?c"),
      ("POST /b HTTP/1.1\r\n\r\n", .badRequest, "/b"),
      ("POST /c HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n", .contentTooLarge, "/c"),
      (
        "POST /d HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n800\r\n"
          + String(repeating: "a", count: 0x800) + "\r\n0\r\n\r\n", .contentTooLarge, "/d"
      ),
    ]
    for (index, (request, status, target)) in requests.enumerated() {
      let client = RawClient(port: server.port)
      client.send(request)
      let answer = try #require(client.receive())
      #expect(answer.status == Int(status.rawValue))
      let told = try #require(handler.refusals.last)
      #expect(handler.refusals.count == index + 1)
      #expect(told.status == status)
      #expect(told.target == target)
      #expect(answer.text.contains("\"requestId\":\"\(told.requestID)\""))
    }
    #expect(Set(handler.refusals.map(\.requestID)).count == requests.count)
    let statistics = server.statistics
    #expect(statistics.refusalCount(.badRequest) == 2)
    #expect(statistics.refusalCount(.contentTooLarge) == 2)
    #expect(statistics.refusedRequestCount == 4)
    #expect(statistics.requestCount == 0)
  }

  /// When it is refused, and once: the rest may never come.
  @Test func whatIsRefusedInTheMiddleIsToldAtOnce() throws {
    let handler = EchoHandler()
    let server = try startServer(handler) { $0.maximumBodySize = 1000 }
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    client.send(
      "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n300\r\n"
        + String(repeating: "a", count: 0x300) + "\r\n")
    waitUntil { server.statistics.heldByteCount == 0x300 }
    client.send("800\r\n" + String(repeating: "a", count: 0x800))
    waitUntil { !handler.refusals.isEmpty }
    // What had come is of no use any more.
    waitUntil { server.statistics.heldByteCount == 0 }
    #expect(server.statistics.heldByteCount == 0)
    let told = try #require(handler.refusals.first)
    #expect(told.status == .contentTooLarge)
    client.send("\r\n1\r\na\r\n0\r\n\r\n")
    let answer = try #require(client.receive())
    #expect(answer.status == 413)
    #expect(answer.text.contains("\"requestId\":\"\(told.requestID)\""))
    #expect(handler.refusals.count == 1)
    #expect(server.statistics.refusalCount(.contentTooLarge) == 1)
  }

  /// The server does not take all of it, and says so.
  @Test func whoFloodsGetsTheAnswer() throws {
    let handler = EchoHandler()
    let server = try startServer(handler) { $0.maximumBodySize = 1000 }
    defer { server.stop(drainSeconds: 1) }
    let flood = [UInt8](repeating: 0x61, count: 8 << 20)
    for round in 1...20 {
      let client = RawClient(port: server.port)
      client.send(
        "POST /x HTTP/1.1\r\nHost: a\r\nOrigin: b\r\nTransfer-Encoding: chunked\r\n\r\n800000\r\n")
      #expect(client.send(flood))
      let answer = try #require(client.receive())
      #expect(answer.status == 413)
      #expect(answer.field("X-Origin") == "b")
      #expect(answer.field("Connection") == "close")
      let told = try #require(handler.refusals.last)
      #expect(answer.text.contains("\"requestId\":\"\(told.requestID)\""))
      #expect(client.isClosed())
      #expect(handler.refusals.count == round)
    }
    #expect(server.statistics.refusalCount(.contentTooLarge) == 20)
  }

  @Test func whatIsShedIsTold() throws {
    let handler = EchoHandler()
    let server = try startServer(handler) { $0.queueCapacity = 0 }
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    client.send("GET /work?x HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receive()?.status == 503)
    #expect(handler.refusals.map(\.target) == ["/work?x"])
    #expect(server.statistics.refusalCount(.serviceUnavailable) == 1)
  }

  /// With a queue of eight places, of which one line may have six.
  private func serverWithOneWorker(_ handler: EchoHandler) throws -> HTTPServer {
    try startServer(handler) {
      $0.workerThreadCount = 1
      $0.queueCapacity = 8
    }
  }

  private func ask(
    _ server: HTTPServer, _ target: String, by method: String = "GET", inLine line: String,
    body: String = "\r\n"
  ) -> RawClient {
    let client = RawClient(port: server.port)
    client.send("\(method) \(target) HTTP/1.1\r\nHost: a\r\nAuthorization: \(line)\r\n\(body)")
    return client
  }

  /// Who sends much waits for it himself, and leaves others a place.
  @Test func linesTakeTurnsAtWorkers() throws {
    let handler = EchoHandler()
    let server = try serverWithOneWorker(handler)
    defer {
      handler.open()
      server.stop(drainSeconds: 1)
    }
    var clients = [ask(server, "/wait?first", inLine: "strange")]
    waitUntil { handler.waitingCount == 1 }
    func queue(_ query: String, inLine line: String) {
      let count = server.statistics.queuedCount
      clients.append(ask(server, "/work?\(query)", inLine: line))
      waitUntil { server.statistics.queuedCount > count }
    }
    for number in 1...6 { queue("a\(number)", inLine: "strange") }
    #expect(ask(server, "/work?a7", inLine: "strange").receive()?.status == 503)
    for number in 1...2 { queue("b\(number)", inLine: "1022") }
    #expect(ask(server, "/work?c", inLine: "3").receive()?.status == 503)
    handler.open()
    for client in clients { #expect(client.receive()?.status == 200) }
    #expect(
      handler.answeredQueries == ["first", "b1", "a1", "b2", "a2", "a3", "a4", "a5", "a6"])
  }

  /// Of as many as a file of keys may name.
  @Test func nobodySharesALine() throws {
    let handler = EchoHandler()
    let server = try startServer(handler) {
      $0.workerThreadCount = 1
      $0.queueCapacity = 400
    }
    defer {
      handler.open()
      server.stop(drainSeconds: 1)
    }
    // The last turn was that of the last line.
    var clients = [ask(server, "/wait?1000", inLine: "1000")]
    waitUntil { handler.waitingCount == 1 }
    let lines = Array(stride(from: 10, through: 1000, by: 10))
    clients += (lines + lines).map { ask(server, "/work?\($0)", inLine: "\($0)") }
    waitUntil { server.statistics.queuedCount == 200 }
    handler.open()
    for client in clients { #expect(client.receive()?.status == 200) }
    #expect(handler.answeredQueries == (["1000"] + (lines + lines).map { "\($0)" }))
  }

  /// What a line has waiting, and begins to send, is no reason to refuse the body of another line.
  @Test func longBodiesOfOneLineKeepNoneOfAnotherAway() throws {
    let handler = EchoHandler()
    let server = try serverWithOneWorker(handler)
    defer {
      handler.open()
      server.stop(drainSeconds: 1)
    }
    let none = "Content-Length: 0\r\n\r\n"
    let begun = "Content-Length: 20000\r\n\r\na"
    var clients = [ask(server, "/wait?first", by: "POST", inLine: "5", body: none)]
    waitUntil { handler.waitingCount == 1 }
    for number in 1...5 {
      clients.append(ask(server, "/work?\(number)", by: "POST", inLine: "5", body: none))
      waitUntil { server.statistics.queuedCount >= UInt64(number) }
    }
    // The last that finds a place, and all that would not.
    let one = ask(server, "/x", by: "POST", inLine: "5", body: begun)
    waitUntil { server.statistics.heldByteCount >= 1 }
    for _ in 0..<4 {
      #expect(ask(server, "/x", by: "POST", inLine: "5", body: begun).receive()?.status == 503)
    }
    let body = "Content-Length: 20000\r\n\r\n" + String(repeating: "a", count: 20_000)
    #expect(ask(server, "/x", by: "POST", inLine: "6", body: body).receive()?.status == 200)
    one.send(String(repeating: "a", count: 19_999))
    #expect(one.receive()?.status == 200)
    handler.open()
    for client in clients { #expect(client.receive()?.status == 200) }
  }

  @Test func eachThreadHasItsNumber() throws {
    var threadCount = 0
    let server = try startServer {
      $0.ioThreadCount = 2
      $0.workerThreadCount = 3
      threadCount = $0.threadCount
    }
    defer { server.stop(drainSeconds: 1) }
    #expect(threadCount == 5)
    var last: UInt64 = 0
    for round in 0..<40 {
      let client = RawClient(port: server.port)
      let path = round % 2 == 0 ? "/thread" : "/thread/worker"
      client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
      let words = try #require(client.receive()).text.split(separator: " ").map { UInt64($0) }
      let thread = try #require(words.first ?? nil)
      #expect((round % 2 == 0 ? 0..<2 : 2..<5).contains(thread))
      // One after the other, on a clock that does not go back.
      let arrival = try #require(words.last ?? nil)
      #expect(arrival > last)
      last = arrival
    }
  }

  @Test func connectionsAreSharedOut() throws {
    let server = try startServer { $0.ioThreadCount = 2 }
    defer { server.stop(drainSeconds: 1) }
    let clients = (0..<8).map { _ in RawClient(port: server.port) }
    for client in clients { client.send("GET /thread HTTP/1.1\r\nHost: a\r\n\r\n") }
    let threads = clients.compactMap { $0.receive()?.text.split(separator: " ").first }
    #expect(threads.sorted() == ["0", "0", "0", "0", "1", "1", "1", "1"])
  }

  /// Who sends first and reads then would be reset in the middle, and lose the answer: where the body is too long,
  /// where the header says nothing of it, so that it is none, where the handler does not want it, and where
  /// libmicrohttpd refuses the header itself.
  @Test(arguments: [
    ("/x", "Content-Length: 10000000\r\n", 413, 200), ("/x", "", 200, 50),
    ("/x", "Authorization: none\r\nContent-Length: 4000000\r\n", 401, 50),
    ("/x", "X: LONG\r\n", 431, 50), ("/LONG", "", 414, 50),
  ])
  func whoSendsBlindlyGetsTheAnswer(
    path: String, field: String, status: Int, clientCount: Int
  ) throws {
    let server = try startServer()
    defer { server.stop(drainSeconds: 1) }
    let head = "POST \(path) HTTP/1.1\r\nHost: a\r\n\(field)\r\n"
    let start = head.replacing("LONG", with: String(repeating: "a", count: 40_000))
    let body = [UInt8](repeating: 0x61, count: 10_000_000)
    for _ in 0..<clientCount {
      let client = RawClient(port: server.port)
      client.send(start)
      #expect(client.send(body))
      #expect(client.receive()?.status == status)
    }
    waitUntil { server.statistics.lingeringCount == 0 }
    #expect(server.statistics.lingeringCount == 0)
    #expect(server.statistics.connectionCount == 0)
  }

  @Test func whoIsTurnedAwayGetsTheAnswer() throws {
    let server = try startServer { $0.maximumConnectionCount = 0 }
    defer { server.stop(drainSeconds: 1) }
    let body = [UInt8](repeating: 0x61, count: 1_000_000)
    for _ in 0..<50 {
      let client = RawClient(port: server.port)
      client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n")
      #expect(client.send(body))
      #expect(client.receive()?.status == 503)
    }
    waitUntil { server.statistics.lingeringCount == 0 }
    #expect(server.statistics.lingeringCount == 0)
  }

  /// Nor is anybody who says nothing more, while nobody else comes.
  @Test func whoIsTurnedAwayAndStaysIsClosed() throws {
    let server = try startServer { $0.maximumConnectionCount = 0 }
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    #expect(client.receive()?.status == 503)
    waitUntil { server.statistics.lingeringCount == 0 }
    #expect(server.statistics.lingeringCount == 0)
  }

  /// Nobody is read for ever: neither who never stops nor who never goes.
  @Test func lingeringEnds() throws {
    let server = try startServer()
    defer { server.stop(drainSeconds: 1) }
    let clients = (0..<200).map { _ in RawClient(port: server.port) }
    for client in clients {
      client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n")
    }
    var greatest: UInt64 = 0
    waitUntil {
      greatest = max(greatest, server.statistics.lingeringCount)
      // Counted first, and read on later.
      return server.statistics.refusedRequestCount == 200 && greatest > 0
    }
    // At most 64 for each of two loops.
    #expect(1...128 ~= greatest)
    while clients[0].send([UInt8](repeating: 0x61, count: 1 << 20)) {}
    waitUntil { server.statistics.lingeringCount == 0 }
    #expect(server.statistics.lingeringCount == 0)
  }
}
