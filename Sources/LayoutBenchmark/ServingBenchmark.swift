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

  func run() throws(BenchmarkError) {
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
        "Scroll tick, full, \(elements) elements, \(answer.body.count) bytes; median (least–most) of \(rounds) interleaved rounds of \(seconds) s",
      header: [
        "connections", "bare C, µs CPU", "layoutd, µs CPU", "ratio", "bare C, /s", "layoutd, /s",
      ])
    for connections in isQuick ? [32] : [1, 32] {
      var costs: (bare: [Double], own: [Double]) = ([], [])
      var rates: (bare: [Double], own: [Double]) = ([], [])
      for _ in 0..<rounds {
        let base = bare.load(ticks, connections: connections, seconds: seconds)
        let own = server.load(ticks, connections: connections, seconds: seconds)
        guard own.result.failures == 0 else { throw BenchmarkError(message: "ticks failed") }
        costs.bare.append(base.cpuMicroseconds)
        costs.own.append(own.cpuMicroseconds)
        rates.bare.append(Double(base.result.answers) / base.result.seconds)
        rates.own.append(Double(own.result.answers) / own.result.seconds)
      }
      table.rows.append([
        "\(connections)", Measurement.summary(costs.bare, ""), Measurement.summary(costs.own, ""),
        Measurement.text(Measurement.median(zip(costs.own, costs.bare).map { $0 / $1 })),
        Measurement.text(Measurement.median(rates.bare)),
        Measurement.text(Measurement.median(rates.own)),
      ])
    }
    table.printOut()
    try stall(server, ticks)
  }

  /// Whether throughput depends on how many events are ready at once.
  private func stall(_ server: ServerProcess, _ ticks: [[UInt8]]) throws(BenchmarkError) {
    var table = Table(
      title: "Throughput by connections; a stall would show at 128",
      header: ["connections", "ticks/s", "p50 µs", "p99 µs", "failures"])
    for connections in isQuick ? [127, 128] : [127, 128, 129, 256, 512] {
      var rates: [Double] = []
      var last = load_result()
      for _ in 0..<(isQuick ? 1 : 3) {
        last = server.load(ticks, connections: connections, seconds: seconds).result
        rates.append(Double(last.answers) / last.seconds)
      }
      table.rows.append([
        "\(connections)", Measurement.summary(rates, ""), Measurement.text(last.p50_us),
        Measurement.text(last.p99_us), "\(last.failures)",
      ])
    }
    table.printOut()
  }
}
