import CBenchmark

/// How long scroll ticks take while others hold thousands of connections, or take their answers
/// slowly, beside the same ticks alone.
struct HoldingBenchmark: Benchmark {
  var isQuick: Bool

  private var rounds: Int { isQuick ? 1 : 5 }
  private var seconds: Double { isQuick ? 0.4 : 6 }
  private var idleCount: Int { isQuick ? 200 : 2000 }
  private var tricklerCount: Int { isQuick ? 20 : 200 }
  private var readerCount: Int { isQuick ? 20 : 200 }
  private var rate: Double { isQuick ? 500 : 2000 }
  private static let connections = 8
  /// In which a request has to arrive: within a round, so that who trickles is cut off and returns.
  private static let timeout = 4

  func run(_ report: inout Report) throws(BenchmarkError) {
    process_raise_descriptors()
    let server = try ServerProcess.pinnedLayoutd([
      "--max-connections", "10000", "--request-timeout-seconds", "\(Self.timeout)",
    ])
    let load = Load(
      try ServingClients(port: server.port, count: Self.connections).slowTicks)
    let holding = [
      (
        name: "\(idleCount) idle, \(tricklerCount) trickling",
        groups: [
          Holders.Group(
            kind: .HOLDER_IDLE, count: idleCount, period: 1,
            request: HTTPClient.request("GET", "/healthz")),
          Holders.Group(
            kind: .HOLDER_TRICKLER, count: tricklerCount, period: 0.1,
            request: HTTPClient.request("POST", "/v1/layout", [UInt8](repeating: 32, count: 300))),
        ], target: Table.Target.ratioAtMost(2)
      ),
      (
        name: "\(readerCount) slow readers",
        groups: [
          Holders.Group(
            kind: .HOLDER_READER, count: readerCount, period: 0.1,
            request: try largeQuestion(port: server.port))
        ], target: .ratioAtMost(2)
      ),
    ]
    var table = Table(
      title:
        "scroll ticks falling due at random, \(Int(rate)) a second on \(Self.connections) connections; --request-timeout-seconds \(Self.timeout); \(rounds) rounds of \(seconds) s; \(Pinning.text)"
    )
    let before = try ServerState.atRest(server)
    for _ in 0..<rounds {
      let base = try run(load, server, nil)
      for (name, groups, target) in holding {
        var holders: Holders? = try Holders(groups, port: server.port)
        // Those who come all at once are another matter than those who are there.
        _ = try run(load, server, holders, seconds: seconds / 3)
        let own = try run(load, server, holders)
        let cutOffCount = holders?.cutOffCount ?? 0
        holders = nil
        try before.awaitReturn(of: server, seconds: 10)
        table.record("\(name), p50", own.p50_us, beside: ("alone", base.p50_us))
        table.record("\(name), p99", own.p99_us, beside: ("alone", base.p99_us), target: target)
        table.record("\(name), p99.9", own.p999_us, beside: ("alone", base.p999_us))
        table.record("\(name), cut off", unit: "times", Double(cutOffCount))
      }
    }
    report.add(table)
  }

  private func run(
    _ load: Load, _ server: ServerProcess, _ holders: Holders?, seconds: Double? = nil
  ) throws(BenchmarkError) -> load_result {
    try load.run(
      on: server, connections: Self.connections, seconds: seconds ?? self.seconds, rate: rate,
      holders: holders
    ).result
  }

  /// A question whose answer is megabytes long, and ends its connection.
  private func largeQuestion(port: UInt16) throws(BenchmarkError) -> [UInt8] {
    let client = try HTTPClient(port: port)
    let session = try client.createSession(
      Array(
        #"{"collection":{"sections":[{"items":{"count":20000}}]},"layout":{"kind":"list"},"viewport":{"width":300,"height":600}}"#
          .utf8))
    let target =
      "\(session.path)/attributes?x=0&y=0&width=300&height=\(Int(session.contentHeight))&limit=20000"
    let answer = try client.send(HTTPClient.request("GET", target))
    guard answer.status == 200, answer.body.count > 1 << 20 else {
      throw BenchmarkError(message: "\(answer.status) with \(answer.body.count) bytes")
    }
    return Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
  }
}
