import CBenchmark
import Glibc

/// What clients leave behind who leave in the middle of a request: nothing.
///
/// They are reset, closed or half-closed in the request line, the header or the body, while a worker
/// works, while the answer is sent, and between requests. Sockets, threads, requests and sessions have
/// to be as before, or the run ends with an error; memory is compared between the first half, in which
/// buffers grow to their size, and the second.
struct LeavingBenchmark: Benchmark {
  var isQuick: Bool

  private var count: Int { isQuick ? 400 : 10_000 }
  private var rounds: Int { isQuick ? 1 : 5 }
  private static let atOnce = 64

  func run(_ report: inout Report) throws(BenchmarkError) {
    process_raise_descriptors()
    let server = try ServerProcess.layoutd(["--max-connections", "10000"])
    let requests = try LeavingRequests(port: server.port)
    let before = try ServerState.atRest(server)
    // The first ones: buffers, caches and stacks grow to the size that they keep.
    try leave(requests, server, before, seed: 1)
    let warm = Self.memoryAtRest(of: server)
    var table = Table(
      title:
        "\(count) connections left in the middle of requests, \(Self.atOnce) at once; \(rounds) rounds after a first one; not pinned"
    )
    for round in 0..<rounds {
      let (result, waited) = try leave(requests, server, before, seed: UInt64(round + 2))
      let after = try ServerState(server)
      table.record(
        "resident memory", unit: "MiB", Self.memoryAtRest(of: server),
        beside: ("after the first round", warm),
        target: .ratioAtMost(1.1))
      table.record(
        "descriptors", unit: "open", Double(after.descriptors),
        beside: ("before", Double(before.descriptors)), target: .ratioAtMost(1))
      table.record(
        "threads", unit: "", Double(after.threads), beside: ("before", Double(before.threads)),
        target: .ratioAtMost(1))
      table.record("until all is as before", unit: "s", waited, target: .atMost(5))
      for (name, value) in Self.places(result) {
        table.record("left \(name)", unit: "times", Double(value))
      }
    }
    report.add(table)
  }

  /// The least in some seconds, in which what is free goes back.
  private static func memoryAtRest(of server: ServerProcess) -> Double {
    var least = server.residentMiB
    for _ in 0..<25 {
      usleep(100_000)
      least = min(least, server.residentMiB)
    }
    return least
  }

  private static func places(_ result: leaving_result) -> [(String, UInt64)] {
    [
      ("in the request line", result.in_line), ("in the header", result.in_header),
      ("in the body", result.in_body), ("without reading", result.without_reading),
      ("while reading", result.while_reading), ("between requests", result.between_requests),
      ("by RST", result.resets), ("by FIN", result.ends),
      ("half-closed first", result.half_closes),
    ]
  }

  @discardableResult
  private func leave(
    _ requests: LeavingRequests, _ server: ServerProcess, _ before: ServerState, seed: UInt64
  ) throws(BenchmarkError) -> (result: leaving_result, waited: Double) {
    let result = requests.leave(
      port: server.port, count: count, atOnce: Self.atOnce, seed: seed)
    guard result.failures == 0 else {
      throw BenchmarkError(message: "\(result.failures) could not connect")
    }
    return (result, try before.awaitReturn(of: server, seconds: 20))
  }
}

/// Requests of all sorts that create nothing.
private struct LeavingRequests {
  private var bytes: [UInt8] = []
  /// Where each ends, its line and its head.
  private var parts: [(line: Int, head: Int, end: Int)] = []

  init(port: UInt16) throws(BenchmarkError) {
    let client = try HTTPClient(port: port)
    let session = try client.createSession(Self.description(count: 20_000))
    let small = Self.description(count: 50)
    let large = Self.description(count: 100_000)
    add(
      HTTPClient.request(
        "POST", session.path + "/scroll", Array(#"{"contentOffset":{"x":0,"y":400}}"#.utf8)))
    add(HTTPClient.request("GET", session.path))
    // Megabytes, so that it is still being sent.
    add(
      HTTPClient.request(
        "GET",
        "\(session.path)/attributes?x=0&y=0&width=400&height=\(Int(session.contentHeight))&limit=20000"
      ))
    // A worker has to do these.
    add(HTTPClient.request("POST", "/v1/layout", small))
    add(HTTPClient.request("POST", "/v1/layout", large))
    add(
      HTTPClient.request(
        "PUT", session.path + "/layout",
        Array(#"{"layout":{"kind":"waterfall","columnCount":3}}"#.utf8)))
    add(Self.chunked(small, size: 100))
    add(Self.chunked(large, size: 10_000))
    // Refused.
    add(HTTPClient.request("POST", "/v1/nothing", small))
    add(
      Array(
        "POST /v1/layout HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 9\r\n\r\n{\"a\":1234"
          .utf8))
  }

  private mutating func add(_ request: [UInt8]) {
    let start = bytes.count
    bytes += request
    parts.append(
      (
        line: start + (request.firstIndex(of: 10) ?? 0) + 1, head: start + Self.headSize(request),
        end: bytes.count
      ))
  }

  private static func headSize(_ request: [UInt8]) -> Int {
    (3..<request.count).first {
      request[$0] == 10 && request[$0 - 1] == 13 && request[$0 - 2] == 10
    }.map { $0 + 1 } ?? request.count
  }

  private static func description(count: Int) -> [UInt8] {
    var random = RandomNumbers(seed: 5)
    return random.flow(of: count, (400, 600))
  }

  private static func chunked(_ body: [UInt8], size: Int) -> [UInt8] {
    var request = Array(
      "POST /v1/layout HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        .utf8)
    for start in stride(from: 0, to: body.count, by: size) {
      let chunk = body[start..<min(start + size, body.count)]
      request += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + [13, 10]
    }
    return request + Array("0\r\n\r\n".utf8)
  }

  func leave(port: UInt16, count: Int, atOnce: Int, seed: UInt64) -> leaving_result {
    // Safe: bytes and requests outlive the call.
    unsafe bytes.withUnsafeBufferPointer { bytes -> leaving_result in
      guard let start = bytes.baseAddress else { return leaving_result() }
      var from = 0
      let requests = unsafe parts.map { part -> leaving_request in
        defer { from = part.end }
        return unsafe leaving_request(
          bytes: start + from, size: part.end - from, line_size: part.line - from,
          head_size: part.head - from)
      }
      return unsafe requests.withUnsafeBufferPointer { requests -> leaving_result in
        guard let first = requests.baseAddress else { return leaving_result() }
        var plan = unsafe leaving_plan(
          port: port, count: UInt32(count), at_once: UInt32(atOnce), seed: seed, requests: first,
          request_count: UInt32(requests.count))
        return unsafe leaving_run(&plan)
      }
    }
  }
}
