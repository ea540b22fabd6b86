import Glibc

/// How soon a server answers after it was started, and what it takes while nobody asks.
struct StartingBenchmark: Benchmark {
  var isQuick: Bool

  private var rounds: Int { isQuick ? 1 : 11 }

  func run(_ report: inout Report) throws(BenchmarkError) {
    var table = Table(
      title:
        "from exec to the first answer to GET /healthz, as built here; \(rounds) starts, not pinned"
    )
    for _ in 0..<rounds {
      let base = try start { () throws(BenchmarkError) in try .bare(answerSize: 16, core: nil) }
      let own = try start { () throws(BenchmarkError) in try .layoutd() }
      table.record(
        "first answer", unit: "ms", own.milliseconds, beside: ("bare C", base.milliseconds),
        target: .atMost(20))
      table.record(
        "idle memory", unit: "MiB", own.resident, beside: ("bare C", base.resident),
        target: .atMost(15))
    }
    report.add(table)
  }

  private func start(
    _ server: () throws(BenchmarkError) -> ServerProcess
  ) throws(BenchmarkError) -> (milliseconds: Double, resident: Double) {
    var started: ServerProcess?
    let time = try Measurement.milliseconds { () throws(BenchmarkError) in
      let server = try server()
      started = server
      let answer = try HTTPClient(port: server.port).send(HTTPClient.request("GET", "/healthz"))
      guard answer.status == 200 else {
        throw BenchmarkError(message: "/healthz: \(answer.status)")
      }
    }
    // Until all its threads have come to rest.
    usleep(100_000)
    return (time, started?.residentMiB ?? .nan)
  }
}
