import Glibc
import MicroHTTP
import Testing

/// What is no request, or could be read as two: each gets a sensible answer or a clean close, and
/// nothing that follows it on the connection is answered.
@Suite(.waits) struct RefusedRequestTests {
  /// Who answers.
  enum Answer: Equatable {
    /// The shim, with a problem.
    case problem(Int)
    /// libmicrohttpd, with a page of its own; some twice.
    case page(Int)
    /// Nobody: the connection is closed.
    case nothing
  }

  static let chunked = "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
  static let long = String(repeating: "a", count: 20_000)

  static let many = String(repeating: "a: b\r\n", count: 300)
  static let garbage = String(repeating: "x", count: 1_000_000)
  static let emptyLines = String(repeating: "\r\n", count: 50_000)

  static let refused: [(String, Answer)] = [
    // Line ends.
    ("GET /x HTTP/1.1\nHost: a\n\n", .problem(400)),
    ("GET /x HTTP/1.1\r\nX: y\nHost: a\r\n\r\n", .problem(400)),
    ("GET /x HTTP/1.1\r\nHost: a\r\n\n", .problem(400)),
    ("GET /x HTTP/1.1\r\nHost: a\rb\r\n\r\n", .problem(400)),
    ("GET /x HTTP/1.1\r\nHost: a b\r\n\r\n", .problem(400)),
    ("GET /x HTTP/1.1\r\nHost: a/b\r\n\r\n", .problem(400)),
    ("GET /x HTTP/1.1\r\nHost: b@a\r\n\r\n", .problem(400)),
    ("GET /x HTTP/1.0\r\nHost: \u{E4}\r\n\r\n", .problem(400)),
    ("GET /x HTTP/1.1\r\nHost: a\r\r\n\r\n", .problem(400)),
    // Folded lines.
    ("GET /x HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n", .problem(400)),
    ("GET /x HTTP/1.1\r\nX: y\r\nHost: a\r\n\tb\r\n\r\n", .problem(400)),
    ("GET /x HTTP/1.1\r\n X: y\r\nHost: a\r\n\r\n", .page(400)),
    // Names.
    ("GET /x HTTP/1.1\r\nHost: a\r\nnone\r\n\r\n", .page(400)),
    ("GET /x HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n", .problem(400)),
    // NULs, which end texts in C.
    ("GET /x\0y HTTP/1.1\r\nHost: a\r\n\r\n", .problem(400)),
    ("GET /x?a\0b HTTP/1.1\r\nHost: a\r\n\r\n", .problem(400)),
    ("G\0T /x HTTP/1.1\r\nHost: a\r\n\r\n", .problem(400)),
    ("GET /x HTTP/1.1\r\nHost: a\r\nX\0: y\r\n\r\n", .page(400)),
    ("GET /x HTTP/1.1\r\nHost: a\r\nX: y\0z\r\n\r\n", .problem(400)),
    ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\0 9\r\n\r\n", .problem(400)),
    ("GET /x HTTP/1.1\r\nHost: a\r\n\0\r\nX: y\r\n\r\n", .problem(400)),
    // Request lines.
    ("GET  /x HTTP/1.1\r\nHost: a\r\n\r\n", .problem(400)),
    ("GET /x  HTTP/1.1\r\nHost: a\r\n\r\n", .problem(400)),
    ("GET /x HTTP/1.1 \r\nHost: a\r\n\r\n", .page(400)),
    ("GET /x y HTTP/1.1\r\nHost: a\r\n\r\n", .problem(400)),
    ("GET\t/x\tHTTP/1.1\r\nHost: a\r\n\r\n", .nothing),
    ("GET\r\n\r\n", .nothing),
    ("GET /x\r\n\r\n", .page(400)),
    ("GET /x http/1.1\r\nHost: a\r\n\r\n", .page(400)),
    ("GET /x HTTP/0.9\r\nHost: a\r\n\r\n", .page(505)),
    ("GET /x HTTP/2.0\r\nHost: a\r\n\r\n", .page(505)),
    ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .page(505)),
    ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", .problem(400)),
    ("OPTIONS ** HTTP/1.1\r\nHost: a\r\n\r\n", .problem(400)),
    ("OPTIONS *?x HTTP/1.1\r\nHost: a\r\n\r\n", .problem(400)),
    ("CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", .problem(400)),
    ("GET http://a/x\0/y HTTP/1.1\r\nHost: a\r\n\r\n", .problem(400)),
    // Lengths.
    ("POST /x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", .problem(400)),
    (
      "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
      .problem(400)
    ),
    (
      "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \u{B}chunked\r\n\r\n0\r\n\r\n",
      .problem(400)
    ),
    ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2, 2\r\n\r\n{}", .page(400)),
    ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 0x2\r\n\r\n{}", .page(400)),
    ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2 \r\n\r\n{}", .page(400)),
    (
      "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\nExpect: 100-continue\r\n\r\n",
      .problem(413)
    ),
    // Chunks.
    ("\(chunked)zz\r\n{}\r\n0\r\n\r\n", .page(400)),
    ("\(chunked)0x2\r\n{}\r\n0\r\n\r\n", .page(400)),
    ("\(chunked)-1\r\n{}\r\n0\r\n\r\n", .page(400)),
    ("\(chunked)2 \r\n{}\r\n0\r\n\r\n", .page(400)),
    ("\(chunked)\r\n{}\r\n0\r\n\r\n", .page(400)),
    ("\(chunked)2\r\n{}0\r\n\r\n", .page(400)),
    ("\(chunked)fffffffffffffffff\r\n{}\r\n0\r\n\r\n", .page(413)),
    ("\(chunked)2\r\n{}\r\n0\r\nnone\r\n\r\n", .page(400)),
    ("\(chunked)2\r\n{}\r\n0\r\nX: \(long)\r\n\r\n", .page(431)),
    // Lengths of lines that do not fit libmicrohttpd's memory.
    ("GET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n", .page(414)),
    ("GET /x HTTP/1.1\r\nHost: a\r\nX: \(long)\r\n\r\n", .page(431)),
    (
      "GET /x HTTP/1.1\r\nHost: a\r\n\(many)\r\n",
      .page(431)
    ),
    (garbage, .page(414)),
    (emptyLines, .page(414)),
  ]

  @Test(arguments: refused)
  func isAnsweredOnceAndEndsTheConnection(request: String, answer: Answer) throws {
    let server = try startServer()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    client.send(request + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
    let text = client.receiveAll()
    let isProblem = text.contains("application/problem+json")
    switch answer {
    case .problem(let status):
      #expect(text.hasPrefix("HTTP/1.1 \(status) ") && isProblem)
    case .page(let status):
      #expect(text.hasPrefix("HTTP/1.1 \(status) ") && !isProblem)
    case .nothing: #expect(text == "")
    }
    #expect(!text.contains("smuggled"))
    #expect(!text.contains("HTTP/1.1 200"))
    #expect(server.statistics.requestCount == 0)
    #expect(server.statistics.refusedRequestCount == (answer == .nothing ? 0 : 1))
  }

  @Test func isAnsweredWithTheHandlersFields() throws {
    // One loop, which has what the request before it had.
    let server = try startServer { $0.ioThreadCount = 1 }
    defer { server.stop(drainSeconds: 1) }
    func refusal(of path: String, _ fields: String) -> String {
      let client = RawClient(port: server.port)
      client.send("POST \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
      return client.receiveAll()
    }
    let origin = "Origin: https://a.example\r\n"
    for (path, length, status) in [("/x", 5_000_000, 413), ("/x/../y", 0, 400)] {
      let named = refusal(of: path, "\(origin)Content-Length: \(length)\r\n")
      #expect(named.hasPrefix("HTTP/1.1 \(status) "))
      #expect(named.contains("\r\nX-Origin: https://a.example\r\n"))
      let nameless = refusal(of: path, "Content-Length: \(length)\r\n")
      #expect(nameless.hasPrefix("HTTP/1.1 \(status) "))
      #expect(!nameless.contains("a.example"))
    }
  }

  /// libmicrohttpd takes a bare LF for the end of a chunk's line, and a trailer line that begins with
  /// NUL for the end of all; whoever is in front may not.
  @Test(arguments: [
    "2\r\n{}\r\n0\r\n\r\n", "2\n{}\n0\n\n", "2;a=b\r\n{}\r\n0;c\r\n\r\n",
    "2;a\n{}\r\n0\r\n\r\n", "2\r\n{}\r\n0\r\nX: y\r\n\r\n", "2\r\n{}\r\n0\r\n\0\r\n",
  ])
  func nothingIsReadBehindChunks(body: String) throws {
    let server = try startServer()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    client.send(Self.chunked + body + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
    let text = client.receiveAll()
    #expect(text.hasPrefix("HTTP/1.1 200 "))
    #expect(text.hasSuffix("POST /x ?  2 \(checksum(Array("{}".utf8))) worker=false"))
    #expect(server.statistics.requestCount == 1)
  }

  /// Its buffer full of a chunk's extension, libmicrohttpd asks to be called again at once, for ever.
  @Test func aLineWithoutAnEndDoesNotKeepALoopBusy() throws {
    // No other test has so many loops, so that the last one's name is this one's.
    let server = try startServer { $0.ioThreadCount = 6 }
    defer { server.stop(drainSeconds: 1) }
    let clients = (0..<6).map { _ in RawClient(port: server.port) }
    for client in clients { client.send("\(Self.chunked)2\r\n{}\r\n2;\(Self.long)") }
    // The chunk before it says that they have come.
    waitUntil { server.statistics.heldByteCount == 12 }
    #expect(server.statistics.heldByteCount == 12)
    usleep(500_000)
    let before = try #require(processorTime(ofThread: "loop 5"))
    usleep(1_000_000)
    let after = try #require(processorTime(ofThread: "loop 5"))
    // In hundredths of a second: without the brake all that others leave.
    #expect(after - before < 8)
    #expect(server.statistics.connectionCount == 6)
  }

  @Test(arguments: [
    "GET /x HTTP/1.0\r\n\r\n", "GET /x HTTP/1.2\r\nHost: a\r\n\r\n",
    "GET /.../...x HTTP/1.1\r\nHost: a\r\n\r\n",
    "get /x HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /x HTTP/1.1\r\nHost: \t a\r\nX:\r\n\r\n",
    "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nExpect: 200-maybe\r\n\r\n",
  ])
  func isTaken(request: String) throws {
    let server = try startServer()
    defer { server.stop(drainSeconds: 1) }
    // However it is cut into pieces.
    let client = RawClient(port: server.port)
    for byte in request.utf8 {
      client.send([byte])
      usleep(1000)
    }
    #expect(client.receive()?.status == 200)
  }

  @Test func whoExpectsToContinueIsToldTo() throws {
    let server = try startServer()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n")
    #expect(client.receive()?.status == 100)
    client.send("a")
    #expect(client.receive()?.status == 200)
  }
}
