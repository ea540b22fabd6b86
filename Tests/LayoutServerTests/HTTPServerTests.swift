import Glibc
import HTTPMessages
import MicroHTTP
import Testing

@Suite(.waits) struct HTTPServerTests {
  private func start(
    _ handler: any HTTPHandler = EchoHandler(), workers: Int = 2, queue: Int = 64,
    maximumBody: Int = 1 << 22, connections: Int = 1024, timeout: Int = 15
  ) throws -> HTTPServer {
    try HTTPServer(
      configuration: HTTPServerConfiguration(
        ioThreadCount: 2, workerThreadCount: workers, queueCapacity: queue,
        maximumBodySize: maximumBody, maximumConnectionCount: connections,
        requestTimeoutSeconds: timeout),
      handler: handler)
  }

  @Test func aRequestArrivesAsItWasSent() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    client.send("GET /a/b%20c?x=1&y=%41 HTTP/1.1\r\nHost: a\r\n\r\n")
    let get = try #require(client.receive())
    #expect(get.status == 200)
    #expect(get.text == "GET /a/b%20c ?x=1&y=%41  0 0 worker=false")
    client.send(
      "POST /p HTTP/1.1\r\nHost: a\r\ncontent-TYPE: text/x \t\r\nContent-Length: 3\r\n\r\nabc")
    #expect(
      client.receive()?.text == "POST /p ? text/x 3 \(checksum(Array("abc".utf8))) worker=false")
    client.send("HEAD /size/1000 HTTP/1.1\r\nHost: a\r\n\r\n")
    let head = try #require(client.receive(withoutBody: true))
    #expect(head.head.contains("Content-Length: 1000\r\n"))
    client.send("POST /work HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
    #expect(client.receive()?.text.hasSuffix("worker=true") == true)
  }

  @Test func whatIsKeptIsSentAgainAndAgain() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let clients = (0..<8).map { _ in RawClient(port: server.port) }
    for _ in 0..<20 {
      for client in clients { client.send("GET /kept HTTP/1.1\r\nHost: a\r\n\r\n") }
      for client in clients {
        let answer = try #require(client.receive())
        #expect(answer.text == "kept")
        #expect(answer.head.contains("Content-Type: text/kept\r\n"))
        #expect(answer.head.contains("ETag: \"18446744073709551615.7\"\r\n"))
      }
    }
    #expect(server.statistics.requestCount == 160)
    // What is said to one of those who get it is said.
    for path in ["/kept", "/short/ax"] {
      clients[0].send("GET \(path) HTTP/1.1\r\nHost: a\r\nOrigin: b\r\n\r\n")
      #expect(clients[0].receive()?.field("X-Origin") == "b")
      clients[0].send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
      let answer = try #require(clients[0].receive())
      #expect(answer.status == 200)
      #expect(answer.field("X-Origin") == nil)
    }
    // It is nobody else's answer.
    for client in clients {
      client.send("GET /short/ax HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(client.receive()?.text == String(repeating: "a", count: 900))
    }
  }

  /// As where there is no memory for a field: who is sent the rest would take it for all.
  @Test func anAnswerLacksNoField() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    for path in ["/unfit", "/unfit/kept", "/unfit/kept"] {
      let client = RawClient(port: server.port)
      client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(client.isClosed(), "\(path)")
    }
    // The end is seen before the server has let go of the answer.
    waitUntil { server.statistics.heldByteCount == 0 }
  }

  /// Caches in front guess how long an answer is good for that says nothing, and some do without any sign.
  @Test func cachesAskAgainBeforeTheyAnswer() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    func caching(_ line: String, withoutBody: Bool = false) throws -> Int {
      client.send("\(line) HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
      let answer = try #require(client.receive(withoutBody: withoutBody))
      return answer.head.split(separator: "\r\n").count { $0 == "Cache-Control: no-cache" }
    }
    // Answers that are kept and answers in forms, in turns: each to a question and to something else.
    for _ in 0..<3 {
      for path in ["/kept", "/short/ax", "/short/a-x", "/work", "/size/1000"] {
        #expect(try caching("GET \(path)") == 1)
        #expect(try caching("HEAD \(path)", withoutBody: true) == 1)
        #expect(try caching("POST \(path)") == 0)
      }
    }
    #expect(try caching("GET /cached") == 0)
    // What the server refuses itself.
    #expect(try caching("GET /%") == 1)
  }

  /// Short answers of one length, type and tag are sent in one form, which must not be that of others,
  /// nor written to while somebody takes his time.
  @Test func shortAnswersAreTheirOwn() throws {
    let server = try HTTPServer(
      configuration: HTTPServerConfiguration(ioThreadCount: 1, workerThreadCount: 1),
      handler: EchoHandler())
    defer { server.stop(drainSeconds: 1) }
    func request(_ name: String) -> String { "GET /short/\(name) HTTP/1.1\r\nHost: a\r\n\r\n" }
    func check(_ answer: RawClient.Answer?, _ name: String) throws {
      let answer = try #require(answer)
      let letter = String(name.prefix(1))
      #expect(answer.text == String(repeating: letter, count: name.count == 3 ? 1000 : 900))
      #expect(answer.field("Content-Type") == (letter == "A" ? "text/upper" : "text/short"))
      #expect(answer.head.contains("ETag: \"\(name.utf8.last ?? 0)\"\r\n"))
    }
    let quick = RawClient(port: server.port)
    for name in ["ax", "bx", "Ax", "by", "b-y", "ax", "a-x", "cx"] {
      quick.send(request(name))
      try check(quick.receive(), name)
    }
    // Of so many some would share a place.
    for tag in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" {
      quick.send(request("a\(tag)"))
      try check(quick.receive(), "a\(tag)")
    }
    // One who asks and does not read: sooner or later an answer stops on its way.
    let slow = RawClient(port: server.port, receiveBuffer: 4096)
    let count = 3000
    slow.send(String(repeating: request("sx"), count: count))
    for round in 0..<200 {
      let name = round % 2 == 0 ? "qx" : "rx"
      quick.send(request(name))
      try check(quick.receive(), name)
    }
    for _ in 0..<count { try check(slow.receive(), "sx") }
  }

  @Test func anyNameOfAHostWillDo() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    for host in ["", "a", " A.b \t", "[::1]:80", "my_host:8080", "a%2d~b!$&'()*+,;=-"] {
      client.send("GET /n HTTP/1.1\r\nHost:\(host)\r\n\r\n")
      #expect(client.receive()?.status == 200, "\(host)")
    }
  }

  @Test func aSchemeAndAnAuthorityInFrontOfThePathAreTaken() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    let targets = [
      ("http://a/n", "/n ?"), ("HTTPS://a.example:8080/n/m?b=http://c/d", "/n/m ?b=http://c/d"),
      ("http://[::1]:80/", "/ ?"), ("http://a//b", "//b ?"), ("http://a/?", "/ ?"),
      ("http://a/?b&c&d", "/ ?b&c&d"), ("/http://a/n", "/http://a/n ?"), ("/n?b@c", "/n ?b@c"),
    ]
    client.send(targets.map { "GET \($0.0) HTTP/1.1\r\nHost: b\r\n\r\n" }.joined())
    for (target, seen) in targets {
      #expect(client.receive()?.text.hasPrefix("GET \(seen) ") == true, "\(target)")
    }
  }

  @Test func pipelinedRequestsAreAnsweredInOrder() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    let paths = (0..<50).map { $0 % 7 == 3 ? "/work" : "/n/\($0)" }
    client.send(paths.map { "GET \($0)?\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
    for path in paths {
      #expect(client.receive()?.text.hasPrefix("GET \(path) ?\(path) ") == true, "\(path)")
    }
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 5\r\n\r\nabcde", 400),
    (
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400
    ),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 400),
    (
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400
    ),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nb@d: x\r\n\r\n", 400),
    ("GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /a%2Fb HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /a%5cb HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /a?\u{E9} HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /a%2 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /a/../b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /a/%2e%2E/b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /. HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /\u{E9} HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET http://a HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET http://a?b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET http:///b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET http://b@a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET http://a/./b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET http://a/ b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n", 413),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000000000000\r\n\r\n", 413),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0000000000000000000005000000\r\n\r\n", 413),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
  ])
  func theGateRefuses(request: String, status: Int) throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    client.send(request)
    let answer = try #require(client.receive())
    // Beyond 64 bits libmicrohttpd answers itself, one way or the other.
    #expect(answer.status == status || request.contains("99999") && answer.status == 400)
    // And sends its header twice where a length is none.
    let isNoLength = request.contains(": +1") || request.contains("99999")
    #expect(isNoLength ? !client.receiveAll().contains("HTTP/1.1 2") : client.isClosed())
    #expect(server.statistics.requestCount == 0)
  }

  /// What is refused past libmicrohttpd comes after the answers to what was asked before, and these are whole.
  @Test func refusalsComeAfterTheAnswersBeforeThem() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    let good = "GET /size/400000 HTTP/1.1\r\nHost: a\r\n\r\n"
    client.send(good + good + good + "GET /x HTTP/1.1\r\n\r\n")
    for _ in 0..<3 { #expect(client.receive()?.body.count == 400_000) }
    #expect(client.receive()?.status == 400)
    #expect(client.isClosed())
  }

  @Test(arguments: ["BREW", "TRACE", "QUERY"])
  func anyMethodThatIsATokenGetsToTheHandler(method: String) throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    client.send("\(method) /x HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receive()?.text.hasPrefix(" /x ") == true)
  }

  /// About where buffers grow, and where what is announced is believed.
  @Test(arguments: [
    4032, 4033, 65_472, 65_473, 70_000, 131_008, 131_009, 524_289, 1_048_512, 1_048_513, 1_048_576,
    4_194_304,
  ])
  func bodiesOfAnyLengthArriveWhole(count: Int) throws {
    let server = try startServer()
    defer { server.stop(drainSeconds: 1) }
    let body = randomBytes(count)
    let expected = "POST /x ?  \(count) \(checksum(body)) worker=false"
    for _ in 0..<2 {
      let client = RawClient(port: server.port)
      client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n")
      client.send(body)
      #expect(client.receive()?.text == expected)
      client.send("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
      client.send("\(String(count, radix: 16))\r\n")
      client.send(body)
      client.send("\r\n0\r\n\r\n")
      #expect(client.receive()?.text == expected)
    }
  }

  @Test func bodiesArriveWholeHoweverTheyAreSent() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let body = randomBytes(2_000_000)
    let sum = checksum(body)
    let client = RawClient(port: server.port)
    client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n")
    client.send(body)
    #expect(client.receive()?.text == "POST /x ?  \(body.count) \(sum) worker=false")
    client.send("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
    for start in stride(from: 0, to: body.count, by: 70_001) {
      let part = body[start..<min(start + 70_001, body.count)]
      client.send(String(part.count, radix: 16) + "\r\n")
      client.send(Array(part))
      client.send("\r\n")
    }
    // The buffer is used again for something shorter.
    let other = RawClient(port: server.port)
    client.send("0\r\n\r\n")
    #expect(client.receive()?.text == "POST /x ?  \(body.count) \(sum) worker=false")
    other.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na")
    #expect(other.receive()?.text == "POST /x ?  1 \(checksum([97])) worker=false")
  }

  /// Their buffers are used again, for larger and smaller ones, by whoever comes next.
  @Test func longBodiesFollowEachOther() throws {
    let server = try start(maximumBody: 1 << 24)
    defer { server.stop(drainSeconds: 1) }
    // At least two of them have the same thread, and one buffer between them.
    let clients = (0..<3).map { _ in RawClient(port: server.port) }
    for size in [1_300_000, 2_200_000, 1_200_000] {
      let bodies = clients.indices.map { randomBytes(size + $0 * 100_001) }
      let sums = bodies.map(checksum)
      for (client, body) in zip(clients, bodies) {
        client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n")
        client.send(Array(body[..<1_100_000]))
      }
      for ((client, body), sum) in zip(zip(clients, bodies), sums) {
        client.send(Array(body[1_100_000...]))
        #expect(client.receive()?.text == "POST /x ?  \(body.count) \(sum) worker=false")
      }
    }
  }

  @Test func aChunkedBodyThatGetsTooLargeIsRefused() throws {
    let server = try start(maximumBody: 1000)
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    client.send("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
    client.send("800\r\n" + String(repeating: "a", count: 0x800) + "\r\n0\r\n\r\n")
    #expect(client.receive()?.status == 413)
  }

  @Test func aLongAnswerGoesOutWhole() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    client.send("GET /size/20000000 HTTP/1.1\r\nHost: a\r\n\r\n")
    let answer = try #require(client.receive())
    #expect(answer.body.count == 20_000_000)
    #expect(answer.body.allSatisfy { $0 == 0x61 })
  }

  /// The worker does it; those who are served by the loop do not notice.
  @Test func whatIsLeftToDoKeepsNobodyWhoHasAsked() throws {
    let handler = EchoHandler()
    let server = try start(handler, workers: 1)
    let clients = (0..<3).map { _ in RawClient(port: server.port) }
    clients[0].send("GET /rest HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(clients[0].receive()?.status == 200)
    waitUntil { handler.waitingCount == 1 }
    #expect(handler.waitingCount == 1)
    clients[1].send("GET /work HTTP/1.1\r\nHost: a\r\n\r\n")
    waitUntil { server.statistics.queuedCount == 1 }
    for client in [clients[0], clients[2]] {
      client.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(client.receive()?.status == 200)
    }
    handler.open()
    #expect(clients[1].receive()?.status == 200)
    server.stop(drainSeconds: 5)
    #expect(handler.waitingCount == 0)
  }

  @Test func whatFindsNoPlaceInTheQueueIsShed() throws {
    let handler = EchoHandler()
    let server = try start(handler, workers: 1, queue: 1)
    let clients = (0..<4).map { _ in RawClient(port: server.port) }
    clients[0].send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
    waitUntil { handler.waitingCount == 1 }
    clients[1].send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
    waitUntil { server.statistics.queuedCount == 1 }
    clients[2].send("GET /work HTTP/1.1\r\nHost: a\r\n\r\n")
    let shed = try #require(clients[2].receive())
    #expect(shed.status == 503)
    #expect(shed.head.contains("Retry-After: 1\r\n"))
    #expect(server.statistics.shedCount == 1)
    // Short work goes on.
    clients[3].send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(clients[3].receive()?.status == 200)
    handler.open()
    #expect(clients[0].receive()?.status == 200)
    #expect(clients[1].receive()?.status == 200)
    server.stop(drainSeconds: 5)
  }

  /// A body that no worker would come to is not even received; who is short is served.
  @Test func aLongBodyIsShedByItsHeader() throws {
    let handler = EchoHandler()
    let server = try start(handler, workers: 1, queue: 1, timeout: 120)
    let clients = (0..<4).map { _ in RawClient(port: server.port) }
    clients[0].send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
    waitUntil { handler.waitingCount == 1 }
    let long = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"
    // While the queue is empty a body that does not come keeps nobody away.
    clients[2].send(long + "a")
    waitUntil { server.statistics.heldByteCount == 1 }
    clients[3].send(long + String(repeating: "a", count: 100_000))
    #expect(clients[3].receive()?.status == 200)
    clients[1].send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
    waitUntil { server.statistics.queuedCount == 1 }
    clients[3].send(long)
    let shed = try #require(clients[3].receive())
    #expect(shed.status == 503)
    #expect(shed.head.contains("Retry-After: 1\r\n"))
    #expect(server.statistics.shedCount == 1)
    let short = RawClient(port: server.port)
    short.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(short.receive()?.status == 200)
    handler.open()
    #expect(clients[0].receive()?.status == 200)
    #expect(clients[1].receive()?.status == 200)
    clients[2].send(String(repeating: "a", count: 99_999))
    #expect(clients[2].receive()?.status == 200)
    server.stop(drainSeconds: 5)
  }

  /// Bodies that are coming are places in the queue that are taken, as long as they are.
  @Test func aLongBodyIsShedIfThoseBeforeItFillTheQueue() throws {
    let handler = EchoHandler()
    let server = try start(handler, workers: 1, queue: 3)
    func begin(_ path: String, _ fields: String = "Content-Length: 100000") -> RawClient {
      let client = RawClient(port: server.port)
      client.send("POST \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n")
      return client
    }
    let body = [UInt8](repeating: 0x61, count: 100_000)
    let first = begin("/wait", "Content-Length: 0")
    waitUntil { handler.waitingCount == 1 }
    do {
      // One who leaves.
      let leaving = begin("/x")
      leaving.send("a")
      waitUntil { server.statistics.heldByteCount == 1 }
    }
    waitUntil { server.statistics.connectionCount == 1 }
    // Two that have come.
    var clients = (0..<2).map { _ in begin("/wait") }
    for client in clients { client.send(body) }
    waitUntil { server.statistics.queuedCount == 2 }
    // One that comes, for the last place, and others.
    clients.append(begin("/wait"))
    clients[2].send("a")
    waitUntil { server.statistics.heldByteCount == 200_001 }
    #expect(server.statistics.shedCount == 0)
    for fields in ["Content-Length: 100000", "Transfer-Encoding: chunked"] {
      #expect(begin("/x", fields).receive()?.status == 503)
    }
    clients[2].send(Array(body.dropFirst()))
    waitUntil { server.statistics.queuedCount == 3 }
    handler.open()
    for client in [first] + clients { #expect(client.receive()?.status == 200) }
    #expect(server.statistics.shedCount == 2)
    server.stop(drainSeconds: 5)
  }

  /// What one has beyond a share of the queue takes none of the others' places; what others have does.
  @Test func aLongBodyFindsThePlacesThatAreLeft() throws {
    let handler = EchoHandler()
    // Bodies that do not come are not late meanwhile. Six places are the most that one may have.
    let server = try start(handler, workers: 1, queue: 8, timeout: 120)
    func send(_ request: String, inLine line: Int, _ fields: String = "") -> RawClient {
      let client = RawClient(port: server.port)
      client.send("\(request) HTTP/1.1\r\nHost: a\r\nAuthorization: \(line)\r\n\(fields)\r\n")
      return client
    }
    func begin(inLine line: Int) -> RawClient {
      send("POST /x", inLine: line, "Content-Length: 100000\r\nExpect: 100-continue\r\n")
    }
    var clients = [send("GET /wait", inLine: 1)]
    waitUntil { handler.waitingCount == 1 }
    let coming = (0..<4).map { _ in begin(inLine: 1) }
    for client in coming { #expect(client.receive()?.status == 100) }
    clients += (0..<5).map { _ in send("GET /work", inLine: 1) }
    waitUntil { server.statistics.queuedCount == 5 }
    let others = [2, 7].map { begin(inLine: $0) }
    for client in others { #expect(client.receive()?.status == 100) }
    #expect(begin(inLine: 9).receive()?.status == 503)
    handler.open()
    for client in clients { #expect(client.receive()?.status == 200) }
    withExtendedLifetime(coming + others) {}
    server.stop(drainSeconds: 0)
  }

  /// Whoever is told from the others leaves them a worker, if there is more than one; who is not may have all.
  @Test(arguments: [(1, "7", 1), (2, "7", 1), (2, "strange", 1), (7, "7", 5), (2, "", 2)])
  func oneLineLeavesOthersAWorker(workers: Int, line: String, share: Int) throws {
    let handler = EchoHandler()
    let server = try start(handler, workers: workers)
    defer { server.stop(drainSeconds: 5) }
    func send(_ path: String, inLine line: String) -> RawClient {
      let client = RawClient(port: server.port)
      client.send("GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: \(line)\r\n\r\n")
      return client
    }
    let greedy = (0...workers).map { _ in send("/wait", inLine: line) }
    waitUntil {
      handler.waitingCount == share && server.statistics.queuedCount == workers + 1 - share
    }
    // With a worker for him alone he is served while they wait; else when they have been.
    let modest = send("/work", inLine: "3")
    if share < workers {
      #expect(modest.receive()?.status == 200)
    } else {
      waitUntil { server.statistics.queuedCount == 2 }
    }
    #expect(handler.waitingCount == share)
    handler.open()
    for client in greedy { #expect(client.receive()?.status == 200) }
    if share == workers { #expect(modest.receive()?.status == 200) }
  }

  @Test func connectionsPastTheCapAreTurnedAway() throws {
    let server = try start(connections: 3)
    defer { server.stop(drainSeconds: 1) }
    let clients = (0..<3).map { _ in RawClient(port: server.port) }
    for client in clients {
      client.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(client.receive()?.status == 200)
    }
    let fourth = RawClient(port: server.port)
    #expect(fourth.receive()?.status == 503)
    #expect(fourth.isClosed())
    waitUntil { server.statistics.refusedCount == 1 }
    #expect(server.statistics.refusedCount == 1)
  }

  @Test(arguments: [
    "GET /x HTTP/1.1\r\nHost: a\r\nX: ",
    "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n",
  ])
  func aRequestThatTricklesIsCutOff(start request: String) throws {
    let server = try start(timeout: 1)
    defer { server.stop(drainSeconds: 1) }
    let fresh = RawClient(port: server.port)
    let used = RawClient(port: server.port)
    used.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(used.receive()?.status == 200)
    for client in [fresh, used] { client.send(request) }
    // A byte now and then keeps libmicrohttpd's own timeout from ever coming.
    for _ in 0..<1200 {
      guard server.statistics.timedOutCount < 2 else { break }
      for client in [fresh, used] { client.send("a") }
      usleep(100_000)
    }
    #expect(server.statistics.timedOutCount == 2)
    waitUntil { server.statistics.connectionCount == 0 }
    #expect(server.statistics.connectionCount == 0)
  }

  /// Behind a whole one, so that nobody is told that it begins.
  @Test(arguments: ["GET", "GET /x HT", "GET /x HTTP/1.1\r\nHo"])
  func aRequestThatBeginsAndStopsIsCutOff(beginning: String) throws {
    let server = try start(timeout: 1)
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    let idle = RawClient(port: server.port)
    let body = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
    // An empty line in front of a request is not the beginning of the next.
    idle.send("\r\n" + body)
    #expect(idle.receive()?.status == 200)
    client.send(body + body + beginning)
    for _ in 0..<2 { #expect(client.receive()?.status == 200) }
    #expect(client.isClosed())
    waitUntil { server.statistics.connectionCount == 1 }
    #expect(server.statistics.timedOutCount == 1)
    #expect(server.statistics.connectionCount == 1)
    idle.send(body)
    #expect(idle.receive()?.status == 200)
  }

  @Test func clientsThatLeaveInTheMiddleLeaveNothingBehind() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let beginnings = [
      "", "GE", "GET /x HTTP/1.1\r\n", "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab",
      "GET /size/5000000 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /work HTTP/1.1\r\nHost: a\r\n\r\n",
    ]
    for round in 0..<60 {
      let client = RawClient(port: server.port)
      client.send(beginnings[round % beginnings.count])
    }
    waitUntil { server.statistics.connectionCount == 0 && server.statistics.inFlightCount == 0 }
    #expect(server.statistics.connectionCount == 0)
    #expect(server.statistics.inFlightCount == 0)
    // At once, and not when they would have been late.
    #expect(server.statistics.timedOutCount == 0)
  }

  @Test func stoppingFinishesWhatIsUnderWay() throws {
    let handler = EchoHandler()
    let server = try start(handler)
    let client = RawClient(port: server.port)
    client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
    waitUntil { handler.waitingCount == 1 }
    let stopping = Stopping(server)
    #expect(!RawClient(port: server.port).isConnected)
    usleep(300_000)
    handler.open()
    let answer = try #require(client.receive())
    #expect(answer.status == 200)
    #expect(answer.field("Connection") == "close")
    #expect(stopping.haveEnded)
    #expect(client.isClosed())
  }

  @Test(arguments: [127, 128, 129, 256])
  func soManyConnectionsAreAllServed(count: Int) throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let clients = (0..<count).map { _ in RawClient(port: server.port) }
    for _ in 0..<3 {
      for client in clients { client.send("GET /size/100 HTTP/1.1\r\nHost: a\r\n\r\n") }
      for client in clients { #expect(client.receive()?.body.count == 100) }
    }
  }

  @Test func anAddressThatCannotBeHadIsSaid() {
    #expect(throws: HTTPServerError.self) {
      try HTTPServer(
        configuration: HTTPServerConfiguration(host: "192.0.2.1"), handler: EchoHandler())
    }
  }
}
