import CBenchmark

/// What a scroll tick costs on the server, beside a bare libmicrohttpd program whose answers are as
/// long: kept alive, one request under way on each connection, both on all cores with this client.
struct ServingBenchmark {
  var isQuick: Bool

  private var rounds: Int { isQuick ? 1 : 7 }
  private var seconds: Double { isQuick ? 0.1 : 1 }

  /// Sixty cells of varied sizes in view.
  private static let session = Array(
    """
    {"collection":{"sections":[{"items":{"sizes":[\((0..<5000).map { "[\(60 + $0 * 7 % 40),\(40 + $0 * 13 % 60)]" }.joined(separator: ","))]}}]},\
    "layout":{"kind":"flow"},"viewport":{"width":600,"height":900}}
    """.utf8)

  func run(_ report: inout Report) throws(BenchmarkError) {
    let server = try ServerProcess.layoutd()
    let client = try HTTPClient(port: server.port)
    // A session for each connection, as clients have.
    var ticks: [[UInt8]] = []
    for _ in 0..<32 {
      let created = try client.send(HTTPClient.request("POST", "/v1/sessions", Self.session))
      guard created.status == 201, let id = created.body.string("id") else {
        throw BenchmarkError(message: "no session: \(created.status)")
      }
      ticks.append(
        HTTPClient.request(
          "POST", "/v1/sessions/\(id)/scroll",
          Array(#"{"contentOffset":{"x":0,"y":3000},"full":true}"#.utf8)))
    }
    let answer = try client.send(ticks[0])
    let elements =
      String(decoding: answer.body, as: UTF8.self).split(separator: "\"kind\"").count - 1
    let bare = try ServerProcess.bare(answerSize: answer.body.count)

    var table = Table(
      title:
        "scroll tick, full, \(elements) elements, \(answer.body.count) bytes; \(rounds) rounds of \(seconds) s, not pinned"
    )
    for connections in isQuick ? [32] : [1, 32] {
      for _ in 0..<rounds {
        let base = bare.load(ticks, connections: connections, seconds: seconds)
        let own = server.load(ticks, connections: connections, seconds: seconds)
        guard own.result.failures == 0 else { throw BenchmarkError(message: "ticks failed") }
        let name = "\(connections) connections"
        table.record(
          "\(name), CPU", unit: "µs", own.cpuMicroseconds, beside: ("bare C", base.cpuMicroseconds))
        table.record(
          "\(name), throughput", unit: "/s", Double(own.result.answers) / own.result.seconds,
          beside: ("bare C", Double(base.result.answers) / base.result.seconds))
      }
    }
    report.add(table)
    try stall(server, ticks, &report)
  }

  /// Whether throughput depends on how many events are ready at once.
  private func stall(
    _ server: ServerProcess, _ ticks: [[UInt8]], _ report: inout Report
  ) throws(BenchmarkError) {
    var table = Table(title: "throughput by connections; a stall would show at 128")
    for connections in isQuick ? [127, 128] : [127, 128, 129, 256, 512] {
      for _ in 0..<(isQuick ? 1 : 3) {
        let result = server.load(ticks, connections: connections, seconds: seconds).result
        guard result.failures == 0 else { throw BenchmarkError(message: "ticks failed") }
        table.record(
          "\(connections) connections", unit: "/s", Double(result.answers) / result.seconds)
      }
    }
    report.add(table)
  }
}
