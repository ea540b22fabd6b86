import CBenchmark

/// What a server does that is offered four times what it can carry, beside what it does at full load.
///
/// Arrivals fall due at random whatever is under way, each on a connection that is free, or a new one.
/// There may be more connections than the server takes, so that it has to refuse some all the time.
/// Whatever is neither an answer nor a 503 with Retry-After nor a connection closed ends the run.
struct OverloadBenchmark: Benchmark {
  var isQuick: Bool

  private var seconds: Double { isQuick ? 1 : 60 }
  private var calibration: Double { isQuick ? 0.5 : 5 }
  private static let factor = 4.0

  /// What the server takes, and what the load opens at most.
  private typealias Connections = (allowed: Int, offered: Int)
  private static let forTicks: Connections = (256, 320)
  /// More than requests that wait for a worker: who only ticks has a place beside them.
  private static let forAll: Connections = (1024, 1280)

  func run(_ report: inout Report) throws(BenchmarkError) {
    process_raise_descriptors()
    try ticks(&report)
    try mixed(&report)
  }

  private static func server(_ connections: Connections) throws(BenchmarkError) -> ServerProcess {
    try .pinnedLayoutd([
      "--max-connections", "\(connections.allowed)",
    ])
  }

  private func title(_ what: String, _ connections: Connections) -> String {
    "\(what); --max-connections \(connections.allowed), at most \(connections.offered) opened; \(seconds) s; \(Pinning.text)"
  }

  // MARK: Ticks

  private func ticks(_ report: inout Report) throws(BenchmarkError) {
    let server = try Self.server(Self.forTicks)
    let ticks = try OverloadTicks(port: server.port)
    var table = Table(
      title: title(
        "ticks with answers of \(ticks.answerSize) bytes at four times the peak", Self.forTicks))
    let before = try full(ticks, server)
    let rate = Self.factor * before.goodput
    let (counts, memory) = try offer(
      [Overload.Kind(requests: ticks.requests, rate: rate)], to: server, Self.forTicks)
    let after = try full(ticks, server)
    for full in [before, after] {
      table.record(
        "goodput", unit: "/s", Double(counts[0].answers) / seconds,
        beside: ("peak", full.goodput), target: .ratioAtLeast(0.9))
      table.record(
        "p99 of accepted ticks", unit: "ms", counts[0].p99_us / 1000,
        beside: ("at full load", full.p99 / 1000),
        target: .ratioAtMost(3))
    }
    record(counts[0], of: "ticks", in: &table)
    record(memory, in: &table)
    report.add(table)
  }

  /// All the clients that the server takes, each as fast as it is answered.
  private func full(
    _ ticks: OverloadTicks, _ server: ServerProcess
  ) throws(BenchmarkError) -> (goodput: Double, p99: Double) {
    let load = try Overload(
      [Overload.Kind(requests: ticks.requests, rate: 0)],
      // Some are left for those who have just gone.
      connections: Self.forTicks.allowed - 8, patience: 20, port: server.port)
    load.run(seconds: calibration / 4)
    load.reset()
    load.run(seconds: calibration)
    let counts = load.counts(of: 0)
    try Self.check([counts])
    guard counts.shed + counts.closed + counts.unanswered == 0, counts.answers > 0 else {
      throw BenchmarkError(
        message: "at full load \(counts.shed) shed, \(counts.closed) closed of \(counts.answers)")
    }
    return (Double(counts.answers) / calibration, counts.p99_us)
  }

  // MARK: Ticks and long work

  private func mixed(_ report: inout Report) throws(BenchmarkError) {
    let server = try Self.server(Self.forAll)
    let ticks = try OverloadTicks(port: server.port)
    let work = try LongWork(port: server.port)
    let tickRate = try full(ticks, server).goodput / 10
    let peak = try longPeak(work, ticks.requests(with: work.ticks), tickRate, server)
    func kinds(_ factor: Double) -> [Overload.Kind] {
      [
        // The sessions that are changed are ticked too, and so never leave.
        Overload.Kind(requests: ticks.requests(with: work.ticks), rate: tickRate),
        Overload.Kind(requests: work.requests, rate: peak * factor),
      ]
    }
    var table = Table(
      title: title(
        "\(Int(tickRate)) ticks a second, and sessions of \(LongWork.createdCount) items created and changes of \(LongWork.changedCount) at four times the peak",
        Self.forAll))
    let full = try offer(kinds(1), to: server, Self.forAll, seconds: calibration * 2).counts
    let (counts, memory) = try offer(kinds(Self.factor), to: server, Self.forAll)
    table.record(
      "long work, goodput", unit: "/s", Double(counts[1].answers) / seconds,
      beside: ("offered once", Double(full[1].answers) / (calibration * 2)),
      target: .ratioAtLeast(0.9))
    table.record(
      "ticks, goodput", unit: "/s", Double(counts[0].answers) / seconds,
      beside: ("offered once", Double(full[0].answers) / (calibration * 2)),
      target: .ratioAtLeast(0.9))
    table.record(
      "p50 of ticks", unit: "ms", counts[0].p50_us / 1000,
      beside: ("offered once", full[0].p50_us / 1000))
    table.record(
      "p99 of ticks", unit: "ms", counts[0].p99_us / 1000,
      beside: ("offered once", full[0].p99_us / 1000), target: .ratioAtMost(3))
    table.record(
      "p99 of long work", unit: "ms", counts[1].p99_us / 1000,
      beside: ("offered once", full[1].p99_us / 1000))
    record(counts[0], of: "ticks", in: &table)
    record(counts[1], of: "long work", in: &table)
    record(memory, in: &table)
    report.add(table)
  }

  /// How much long work is done if there is always some, and never too much, to be done.
  private func longPeak(
    _ work: LongWork, _ ticks: [[UInt8]], _ tickRate: Double, _ server: ServerProcess
  ) throws(BenchmarkError) -> Double {
    let load = try Overload(
      // The ticks keep their sessions in use, or others would take their place.
      [
        Overload.Kind(requests: ticks, rate: tickRate),
        Overload.Kind(requests: work.requests, rate: 0),
      ], connections: 16, patience: 20, port: server.port)
    load.run(seconds: calibration / 4)
    load.reset()
    load.run(seconds: calibration)
    let counts = load.counts(of: 1)
    try Self.check([load.counts(of: 0), counts])
    load.finish()
    return Double(counts.answers) / calibration
  }

  // MARK: What came of it

  /// Offers a load, and looks at the server's memory sixty times.
  private func offer(
    _ kinds: [Overload.Kind], to server: ServerProcess, _ connections: Connections,
    seconds: Double? = nil
  ) throws(BenchmarkError) -> (counts: [overload_counts], memory: [Double]) {
    let load = try Overload(
      kinds, connections: connections.offered, port: server.port)
    let slices = 60
    var memory: [Double] = []
    for _ in 0..<slices {
      load.run(seconds: (seconds ?? self.seconds) / Double(slices))
      memory.append(server.residentMiB)
    }
    load.finish()
    let counts = kinds.indices.map { load.counts(of: $0) }
    try Self.check(counts)
    return (counts, memory)
  }

  private static func check(_ all: [overload_counts]) throws(BenchmarkError) {
    for (kind, counts) in all.enumerated() where counts.wrong > 0 {
      throw BenchmarkError(
        message:
          "\(counts.wrong) wrong answers of kind \(kind), the last with status \(counts.wrong_status)"
      )
    }
  }

  private func record(_ counts: overload_counts, of name: String, in table: inout Table) {
    let offered = counts.arrivals - counts.unsent
    for (what, count) in [
      ("due", counts.arrivals), ("offered", offered), ("accepted", counts.answers),
      ("503 with Retry-After", counts.shed), ("refused or closed", counts.closed),
      ("not answered in 5 s", counts.unanswered),
    ] {
      table.record("\(name), \(what)", unit: "/s", Double(count) / seconds)
    }
  }

  /// Memory in the beginning, after a sixth of the time, and the most there was after that.
  private func record(_ memory: [Double], in table: inout Table) {
    let start = memory.count / 6
    table.record("resident, in the beginning", unit: "MiB", memory.first ?? .nan)
    table.record("resident, at the end", unit: "MiB", memory.last ?? .nan)
    table.record(
      "resident, most after a sixth of the time", unit: "MiB",
      memory[start...].max() ?? .nan, beside: ("at a sixth", memory[start]),
      target: .ratioAtMost(1.1))
  }
}

/// Ticks of some sessions, each again and again.
private struct OverloadTicks {
  var requests: [[UInt8]]
  var answerSize: Int

  /// The viewport shows some hundred cells, elsewhere each time: an answer costs the server several
  /// times what it costs the load, which throws it away.
  init(port: UInt16) throws(BenchmarkError) {
    let clients = try ServingClients(
      port: port, count: 32, viewport: (width: 1200, height: 2400))
    requests = clients.wideTicks
    answerSize = try clients.averageAnswer(to: requests.prefix(64))
  }
}

extension OverloadTicks {
  /// The same with others between them, often.
  fileprivate func requests(with others: [[UInt8]]) -> [[UInt8]] {
    requests.enumerated().flatMap { number, request in
      number % 8 == 0 ? [request, others[number / 8 % others.count]] : [request]
    }
  }
}

/// What workers have to do: sessions created, and large changes of others.
private struct LongWork {
  static let createdCount = 100_000
  static let changedCount = 5000
  private static let changedSessions = 4

  var requests: [[UInt8]] = []
  /// Ticks of the sessions that are changed.
  var ticks: [[UInt8]] = []

  init(port: UInt16) throws(BenchmarkError) {
    let client = try HTTPClient(port: port)
    var random = RandomNumbers(seed: 7)
    let viewport = (width: 600, height: 900)
    let created = HTTPClient.request(
      "POST", "/v1/sessions", random.flow(of: Self.createdCount, viewport))
    for _ in 0..<Self.changedSessions {
      let path = try client.createSession(random.flow(of: 20_000, viewport)).path
      requests.append(created)
      requests.append(
        HTTPClient.request(
          "POST", path + "/updates",
          Array(
            """
            {"deleteItems":[{"section":0,"start":0,"end":\(Self.changedCount)}],\
            "insertItems":[{"section":0,"at":0,"items":{"sizes":[\(random.sizes(Self.changedCount))]}}]}
            """.utf8)))
      ticks.append(
        HTTPClient.request(
          "POST", path + "/scroll", Array(#"{"contentOffset":{"x":0,"y":3000}}"#.utf8)))
    }
  }
}
