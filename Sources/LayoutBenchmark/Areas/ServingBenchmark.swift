import CBenchmark

/// What requests cost on the server, beside a bare libmicrohttpd program whose answers are as long:
/// kept alive, one request under way on each connection.
struct ServingBenchmark: Benchmark {
  var isQuick: Bool

  /// Many and short: what a machine's kernel does for itself, some milliseconds twice a second, is
  /// in few of them then, and the median is a server's own.
  private var rounds: Int { isQuick ? 1 : 35 }
  private var seconds: Double { isQuick ? 0.1 : 0.2 }
  private static let connections = 32

  /// One kind of request, with what to compare it with.
  private struct Scenario {
    var name: String
    var connections = ServingBenchmark.connections
    var load: Load
    var bare: ServerProcess
    var cpuTarget: Table.Target?
    var rateTarget: Table.Target?
    /// Whether no request is to be sent twice.
    var goesOn = false
  }

  func run(_ report: inout Report) throws(BenchmarkError) {
    let server = try ServerProcess.pinnedLayoutd()
    let clients = try ServingClients(port: server.port, count: Self.connections)
    let warm = clients.fullTicks
    let size = try clients.averageAnswer(to: warm[0])
    let bare = try ServerProcess.bare(answerSize: size)
    var scenarios = [
      Scenario(
        name: "tick, warm", load: Load(warm), bare: bare, cpuTarget: .ratioAtMost(1.1),
        rateTarget: .ratioAtLeast(0.9)),
      // As most load generators ask: all the same.
      Scenario(
        name: "tick, warm, 1 session", load: Load(clients.fullTicksOfOne), bare: bare,
        cpuTarget: .ratioAtMost(1.1), rateTarget: .ratioAtLeast(0.9)),
      Scenario(name: "tick, warm, 1 connection", connections: 1, load: Load(warm), bare: bare),
    ]
    // A lap has more pages than a round has answers, as a rule.
    let cold = try clients.coldTicks(
      itemCount: isQuick ? 20_000 : 2_000_000, lapCount: isQuick ? 1 : 7)
    scenarios.append(
      Scenario(
        name: "tick, cold", load: Load(cold),
        // Those at the end, which are the last to be asked for.
        bare: try .bare(answerSize: clients.averageAnswer(to: cold[0].suffix(20))),
        cpuTarget: .ratioAtMost(1.4), goesOn: true))
    let slow = clients.slowTicks
    scenarios.append(
      Scenario(
        name: "tick, slow scroll", load: Load(slow),
        bare: try .bare(answerSize: clients.averageAnswer(to: slow[0])),
        cpuTarget: .ratioAtMost(1.1)))
    let rects = clients.rectQueries
    scenarios.append(
      Scenario(
        name: "rect query", load: Load(rects),
        bare: try .bare(answerSize: clients.averageAnswer(to: rects[0]))))

    var table = Table(
      title:
        "\(Self.connections) connections; a full tick has \(try clients.elementCount(of: warm[0][0])) elements in \(size) bytes; \(rounds) rounds of \(seconds) s; \(Pinning.text)"
    )
    for _ in 0..<rounds {
      for index in scenarios.indices { try measure(&scenarios[index], server, &table) }
    }
    report.add(table)
    try log(Load(warm), server, &report)
    try halfLoad(Load(warm), server, bare, &report)
    try stall(Load(warm), server, &report)
  }

  private func measure(
    _ scenario: inout Scenario, _ server: ServerProcess, _ table: inout Table
  ) throws(BenchmarkError) {
    let base = try scenario.load.run(
      on: scenario.bare, connections: scenario.connections, seconds: seconds)
    let own = try scenario.load.run(
      on: server, connections: scenario.connections, seconds: seconds)
    if scenario.goesOn {
      scenario.load.advance(by: Int(own.result.answers) / scenario.connections)
    }
    table.record(
      "\(scenario.name), CPU", unit: "µs", own.cpuMicroseconds,
      beside: ("bare C", base.cpuMicroseconds), target: scenario.cpuTarget)
    table.record(
      "\(scenario.name), throughput", unit: "/s", own.perSecond,
      beside: ("bare C", base.perSecond), target: scenario.rateTarget)
    // Less than nearly all of it, with many connections: others use the cores, and throughput says
    // little.
    table.record(
      "\(scenario.name), share of the core", unit: "%", own.corePercent,
      beside: ("bare C", base.corePercent))
  }

  /// What it costs to log each request, as the server does unless it is told otherwise.
  private func log(
    _ load: Load, _ server: ServerProcess, _ report: inout Report
  ) throws(BenchmarkError) {
    let logging = try ServerProcess.pinnedLayoutd(logLevel: "info")
    let loggedLoad = Load(
      try ServingClients(port: logging.port, count: Self.connections).fullTicks)
    var table = Table(
      title:
        "warm ticks, each in the log, beside none; \(Self.connections) connections; \(rounds) rounds of \(seconds) s; \(Pinning.text)"
    )
    for _ in 0..<rounds {
      let base = try load.run(on: server, connections: Self.connections, seconds: seconds)
      let own = try loggedLoad.run(on: logging, connections: Self.connections, seconds: seconds)
      table.record("CPU", unit: "µs", own.cpuMicroseconds, beside: ("no log", base.cpuMicroseconds))
      table.record("throughput", unit: "/s", own.perSecond, beside: ("no log", base.perSecond))
    }
    report.add(table)
  }

  /// How long answers take when requests fall due at half the rate that the server can take.
  private func halfLoad(
    _ load: Load, _ server: ServerProcess, _ bare: ServerProcess, _ report: inout Report
  ) throws(BenchmarkError) {
    // A machine's own work for some milliseconds is more than a hundredth of a round: where it is in half of
    // them, the median is not a server's. So these are shorter.
    let (rounds, seconds) = (isQuick ? 1 : rounds * 3, seconds / 3)
    var table = Table(
      title:
        "warm ticks falling due at random, at half of what layoutd can take, the same to both; \(rounds) rounds of \(Int(seconds * 1000)) ms; \(Pinning.text)"
    )
    for _ in 0..<rounds {
      // Found in each round: others may use the cores, and half of a quiet moment is too much then.
      let rate =
        try load.run(on: server, connections: Self.connections, seconds: seconds).perSecond / 2
      func run(_ server: ServerProcess) throws(BenchmarkError) -> load_result {
        try load.run(
          on: server, connections: Self.connections, seconds: seconds, rate: rate
        ).result
      }
      let base = try run(bare)
      let own = try run(server)
      table.record("rate", unit: "/s", rate)
      table.record("p50", own.p50_us, beside: ("bare C", base.p50_us))
      table.record(
        "p99", own.p99_us, beside: ("bare C", base.p99_us), target: .ratioAtMost(1.5))
    }
    report.add(table)
  }

  /// Whether throughput depends on how many events are ready at once.
  private func stall(
    _ load: Load, _ server: ServerProcess, _ report: inout Report
  ) throws(BenchmarkError) {
    var table = Table(
      title: "warm ticks by connections: a stall would show at 128; \(Pinning.text)")
    for _ in 0..<(isQuick ? 1 : 3) {
      for connections in isQuick ? [127, 128] : [127, 128, 129, 256, 512] {
        let outcome = try load.run(on: server, connections: connections, seconds: seconds)
        table.record("\(connections) connections", unit: "/s", outcome.perSecond)
      }
    }
    report.add(table)
  }
}

/// Clients with a session each, of a few thousand cells, sixty of them in view; and what they send.
struct ServingClients: ~Copyable {
  private let client: HTTPClient
  /// The sessions' paths.
  private let paths: [String]

  private let viewport: (width: Int, height: Int)

  init(
    port: UInt16, count: Int, viewport: (width: Int, height: Int) = (600, 900)
  ) throws(BenchmarkError) {
    let client = try HTTPClient(port: port)
    let description = Self.session(of: 5000, viewport)
    paths = try (0..<count).map { _ throws(BenchmarkError) in
      try client.createSession(description).path
    }
    self.client = client
    self.viewport = viewport
  }

  private static func session(of count: Int, _ viewport: (width: Int, height: Int)) -> [UInt8] {
    var random = RandomNumbers(seed: 2)
    return random.flow(of: count, viewport)
  }

  private static func tick(_ path: String, at y: Int, full: Bool) -> [UInt8] {
    HTTPClient.request(
      "POST", path + "/scroll",
      Array(#"{"contentOffset":{"x":0,"y":\#(padded(y))},"full":\#(full)}"#.utf8))
  }

  /// A number of always so many characters, so that requests are equally long.
  private static func padded(_ number: Int) -> String {
    let text = "\(number)."
    return text + String(repeating: "0", count: max(1, 11 - text.count))
  }

  /// Each asks for one page again and again.
  var fullTicks: [[[UInt8]]] { paths.map { [Self.tick($0, at: 3000, full: true)] } }

  /// All ask for one page of one session.
  var fullTicksOfOne: [[[UInt8]]] { Array(repeating: fullTicks[0], count: paths.count) }

  /// Each scrolls by four points a tick.
  var slowTicks: [[[UInt8]]] {
    paths.map { path in (0..<500).map { Self.tick(path, at: 3000 + $0 * 4, full: false) } }
  }

  /// Each gives one item after the other a new size.
  var updates: [[[UInt8]]] {
    paths.map { path in
      (0..<500).map {
        HTTPClient.request(
          "POST", path + "/updates",
          Array(
            #"{"reloadItems":[{"section":0,"start":\#(1000 + $0),"items":{"sizes":[[\#(50 + $0 % 40),70]]}}]}"#
              .utf8))
      }
    }
  }

  /// Each jumps about in its session, in turn, and never soon to the same place.
  var wideTicks: [[UInt8]] {
    (0..<256).flatMap { number in
      paths.map { Self.tick($0, at: number * 7919 % 16_000, full: true) }
    }
  }

  /// Each asks for what is in a rectangle of a screen's size, at 64 places in turn.
  var rectQueries: [[[UInt8]]] {
    paths.map { path in
      (0..<64).map {
        HTTPClient.request(
          "GET",
          "\(path)/attributes?x=0&y=\(Self.padded($0 * 450))&width=\(viewport.width)&height=\(viewport.height)"
        )
      }
    }
  }

  /// All go through one large session, in which no page's turn comes twice: each lap a little further down.
  func coldTicks(itemCount: Int, lapCount: Int) throws(BenchmarkError) -> [[[UInt8]]] {
    let session = try client.createSession(Self.session(of: itemCount, viewport))
    let pageCount = Int(session.contentHeight) / viewport.height
    let perClient = pageCount / paths.count
    return paths.indices.map { number in
      (0..<lapCount).flatMap { lap in
        (0..<perClient).map {
          Self.tick(
            session.path, at: ($0 * paths.count + number) * viewport.height + lap, full: true)
        }
      }
    }
  }

  func averageAnswer<Requests: Collection<[UInt8]>>(
    to requests: Requests
  ) throws(BenchmarkError) -> Int {
    var total = 0
    for request in requests {
      let answer = try client.send(request)
      guard answer.status == 200 else { throw BenchmarkError(message: "\(answer.status)") }
      total += answer.body.count
    }
    return total / max(1, requests.count)
  }

  func elementCount(of tick: [UInt8]) throws(BenchmarkError) -> Int {
    try client.send(tick).body.count(of: "\"kind\"")
  }
}
