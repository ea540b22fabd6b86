import Glibc
import HTTPMessages
import MicroHTTP
import Synchronization

/// Raw bytes and damaged requests on a connection.
///
/// Whatever was sent, the next client is answered, and so is, in order, whoever did nothing wrong.
func fuzzSocket(_ bytes: [UInt8]) throws(Finding) {
  guard case .success(let server) = SocketServer.shared else { throw Finding("no server") }
  var input = FuzzInput(bytes)
  let script = input.oneIn(4) ? SocketScript(raw: &input) : SocketScript(&input)
  try script.play(port: server.port)
  try checkNextClient(server)
  let count = SocketServer.count.add(1, ordering: .relaxed).newValue
  if count % 64 == 0 { try checkNobodyIsLeft(server) }
}

/// The server that all executions share.
private enum SocketServer {
  static let shared = Result<HTTPServer, HTTPServerError> { () throws(HTTPServerError) in
    try HTTPServer(
      configuration: HTTPServerConfiguration(
        ioThreadCount: 2, workerThreadCount: 2, queueCapacity: 64, maximumBodySize: 4096,
        maximumConnectionCount: 512, requestTimeoutSeconds: 2, idleTimeoutSeconds: 5),
      handler: SummingHandler())
  }

  /// Executions so far.
  static let count = Atomic(0)
}

/// Answers with the method, the path and a sum of the body; those under `/work` on a worker.
private struct SummingHandler: HTTPHandler {
  func respond(to request: borrowing HTTPRequest, mayTakeLong: Bool) -> HTTPResponse? {
    var path: [UInt8] = []
    for index in request.path.indices { path.append(request.path[index]) }
    if path.starts(with: "/work".utf8), !mayTakeLong { return nil }
    var body: [UInt8] = []
    for index in request.body.indices { body.append(request.body[index]) }
    return HTTPResponse(
      status: .ok, fields: [HTTPField(name: "Content-Type", value: "text/plain")],
      body: Array(SummingHandler.line(request.method, path, body).utf8))
  }

  static func line(_ method: HTTPMethod, _ path: [UInt8], _ body: [UInt8]) -> String {
    let sum = body.reduce(UInt64(0)) { $0 &* 31 &+ UInt64($1) }
    return "\(method.rawValue) \(String(decoding: path, as: UTF8.self)) \(body.count) \(sum)"
  }
}

private func checkNextClient(_ server: HTTPServer) throws(Finding) {
  // Where a machine is held up for as long as a request may take here, even this one is cut off.
  var answer: RawClient.Answer?
  for _ in 0..<3 where answer == nil {
    let client = RawClient(port: server.port)
    client.send("GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    answer = client.receive()
  }
  guard let answer else { throw Finding("the next clients are not answered") }
  try expect(
    answer.status == 200 && answer.text == SummingHandler.line(.get, Array("/next".utf8), []),
    "the next client is answered \(answer.head)\(answer.text)")
}

private func checkNobodyIsLeft(_ server: HTTPServer) throws(Finding) {
  // Longer than any limit of the server.
  for _ in 0..<1000 {
    if server.statistics.connectionCount == 0, server.statistics.inFlightCount == 0 { return }
    usleep(10_000)
  }
  throw Finding("connections are left: \(server.statistics)")
}

/// What is sent on one connection, and what has to come back.
private struct SocketScript {
  /// What is sent at once, one after the other.
  private var pieces: [[UInt8]] = []
  /// The answers to the requests before the first that is damaged.
  private var expected: [(line: String, isHead: Bool)] = []
  private var isWellFormed = true
  private var closesEarly = false
  private var finishesSending = false

  /// Bytes as they are.
  init(raw input: inout FuzzInput) {
    isWellFormed = false
    ends(&input)
    let splits = input.below(4)
    var rest = input.rest()[...]
    for _ in 0..<splits where rest.count > 1 {
      let size = 1 + Int(rest[rest.startIndex]) % (rest.count - 1)
      pieces.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    pieces.append(Array(rest))
  }

  /// Requests, some of them damaged, cut into pieces anywhere.
  init(_ input: inout FuzzInput) {
    ends(&input)
    var text: [UInt8] = []
    var endsConnection = false
    for number in 0...input.below(5) {
      var request = SocketRequest(number: number, &input)
      if input.oneIn(3) {
        request.damage(&input)
        isWellFormed = false
      }
      text += request.bytes
      if isWellFormed, !endsConnection { expected.append((request.line, request.method == .head)) }
      // What follows chunks is not read as a request.
      if request.isChunked { endsConnection = true }
    }
    var rest = text[...]
    for _ in 0..<input.below(5) where rest.count > 1 {
      let size = 1 + input.below(rest.count - 1)
      pieces.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    pieces.append(Array(rest))
    // libmicrohttpd takes the end of what a client sends for the end of the client.
    if closesEarly || finishesSending { isWellFormed = false }
  }

  private mutating func ends(_ input: inout FuzzInput) {
    let end = input.byte()
    closesEarly = end & 7 == 7
    finishesSending = end & 8 != 0
  }

  func play(port: UInt16) throws(Finding) {
    let client = RawClient(port: port)
    var noDelay: CInt = 1
    // Safe: a variable of this frame, and its size.
    _ = unsafe setsockopt(
      client.descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &noDelay,
      socklen_t(MemoryLayout<CInt>.size))
    for piece in pieces { client.send(piece) }
    if closesEarly { return }
    if finishesSending { client.finishSending() }
    if !isWellFormed { client.waitNoLongerThan(milliseconds: 20) }
    for (number, answer) in expected.enumerated() {
      var received = client.receive(withoutBody: answer.isHead)
      while received?.status == 100 { received = client.receive(withoutBody: answer.isHead) }
      guard let received else {
        // Behind what is damaged a connection may end before all that was before it is answered.
        try expect(!isWellFormed, "request \(number) is not answered: \(text)")
        return
      }
      try expect(
        received.status == 200 && (answer.isHead || received.text == answer.line),
        "request \(number) is answered \(received.head)\(received.text), not \(answer.line): \(text)"
      )
    }
    guard !isWellFormed, let received = client.receive() else { return }
    try expect(received.head.hasPrefix("HTTP/1."), "no HTTP comes back: \(received.head)")
    try expect((100..<600).contains(received.status), "no status comes back: \(received.head)")
  }

  private var text: String { String(decoding: pieces.joined(), as: UTF8.self) }
}

/// A request as it is sent.
private struct SocketRequest {
  var method = HTTPMethod.get
  var isChunked = false
  var bytes: [UInt8] = []
  /// What the handler answers.
  var line = ""

  init(number: Int, _ input: inout FuzzInput) {
    method = input.pick([.get, .post, .put, .head, .delete, .patch, .options])
    let path = input.pick(["/r\(number)", "/work/\(number)", "/a%20b/\(number)", "/\(number)"])
    var text = "\(method.rawValue) \(path)\(input.pick(["", "?a=b", "?"])) HTTP/1.1\r\n"
    text += input.pick(["Host: a\r\n", "host:a\r\n", "HOST:  a  \r\n"])
    for _ in 0..<input.below(3) {
      text += input.pick([
        "X-A: b\r\n", "Accept: */*\r\n", "X-Empty:\r\n", "If-None-Match: \"1\", W/\"2\"\r\n",
        "X-Long: \(String(repeating: "x", count: 700))\r\n",
      ])
    }
    var body: [UInt8] = []
    if [.post, .put, .patch].contains(method) {
      let size = input.pick([0, 1, 5, 100, 2000, 4096])
      body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) }
      isChunked = input.oneIn(2)
      if isChunked {
        text += "Transfer-Encoding: chunked\r\n\r\n"
        bytes = Array(text.utf8) + SocketRequest.chunked(body, &input)
      } else {
        text += "Content-Length: \(size)\r\n\r\n"
        bytes = Array(text.utf8) + body
      }
    } else {
      bytes = Array((text + "\r\n").utf8)
    }
    line = SummingHandler.line(method, Array(path.utf8), body)
  }

  private static func chunked(_ body: [UInt8], _ input: inout FuzzInput) -> [UInt8] {
    var text: [UInt8] = []
    var rest = body[...]
    while !rest.isEmpty {
      let size = min(rest.count, input.pick([1000, 1, 16, 255, 4096]))
      let digits = String(size, radix: 16, uppercase: input.oneIn(2))
      text += Array("\(digits)\r\n".utf8) + rest.prefix(size) + Array("\r\n".utf8)
      rest = rest.dropFirst(size)
      // Many chunks of one byte are enough.
      if text.count > 4096, !rest.isEmpty {
        text += Array("\(String(rest.count, radix: 16))\r\n".utf8) + rest + Array("\r\n".utf8)
        rest = []
      }
    }
    return text + Array("0\r\n\r\n".utf8)
  }

  /// Makes something wrong, mostly.
  mutating func damage(_ input: inout FuzzInput) {
    for _ in 0...input.below(3) {
      let place = input.below(min(bytes.count, 600) + 1)
      switch input.below(5) {
      case 0: bytes.removeSubrange(place..<min(bytes.count, place + 1 + input.below(20)))
      case 1: bytes.removeLast(min(bytes.count, 1 + input.below(100)))
      case 2: bytes.insert(input.byte(), at: place)
      default:
        bytes.insert(
          contentsOf: Array(
            input.pick([
              "\r\n", "\n", "\r\n ", "\0", "Content-Length: 5\r\n",
              "Content-Length: 18446744073709551616\r\n",
              "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n", "Host: b\r\n", " ",
              ":",
              "HTTP/1.0", "HTTP/2.0", "%00", "%2F", "/../", "ffffffffffffffff\r\n", "-1\r\n",
              "0\r\n\r\n",
              "Expect: 100-continue\r\n", "Connection: close\r\n", "Content-Length : 5\r\n", "\t",
              String(repeating: "y", count: 20_000), "Upgrade: h2c\r\n", "é",
            ]).utf8), at: place)
      }
    }
  }
}

extension RawClient {
  /// A missing answer is looked at where it is missed.
  func nothingHasCome() {}

  /// Lets a missing answer be missing.
  fileprivate func waitNoLongerThan(milliseconds: Int) {
    var limit = timeval(tv_sec: 0, tv_usec: milliseconds * 1000)
    // Safe: a variable of this frame, and its size.
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }
}
