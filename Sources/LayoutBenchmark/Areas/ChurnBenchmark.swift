/// The memory of a server through which many sessions go, of all sizes and layouts, beside its limit.
struct ChurnBenchmark: Benchmark {
  var isQuick: Bool

  private var count: Int { isQuick ? 2000 : 200_000 }
  private var limit: Int { isQuick ? 32 : 256 }

  func run(_ report: inout Report) throws(BenchmarkError) {
    let server = try ServerProcess.layoutd([
      "--memory-limit-mib", "\(limit)", "--max-sessions", "1000000",
    ])
    var churn = try Churn(port: server.port, isQuick: isQuick)
    let before = try ServerMetrics(port: server.port)
    var table = Table(
      title:
        "\(count) sessions created, ticked, changed and deleted; --memory-limit-mib \(limit); \(Churn.connections) connections; not pinned"
    )
    var peak = 0.0
    for phase in Churn.Phase.allCases {
      var phasePeak = 0.0
      for step in 0..<(count / Churn.Phase.allCases.count / Churn.connections) {
        try churn.step(phase)
        if step % 16 == 0 { phasePeak = max(phasePeak, server.residentMiB) }
      }
      peak = max(peak, phasePeak)
      let metrics = try ServerMetrics(port: server.port)
      table.record(
        "resident, most while \(phase.text)", unit: "MiB", phasePeak,
        beside: ("limit", Double(limit)), target: .ratioAtMost(1.5))
      table.record(
        "accounted to sessions after \(phase.text)", unit: "MiB", metrics.sessionMiB,
        beside: ("limit", Double(limit)), target: .ratioAtMost(1))
      let resident = server.residentMiB
      table.record(
        "resident after \(phase.text)", unit: "MiB", resident,
        beside: ("accounted, answers too", metrics.sessionMiB + metrics.keptMiB))
      table.record("sessions after \(phase.text)", unit: "", metrics["layoutd_sessions"])
    }
    let metrics = try ServerMetrics(port: server.port)
    let resident = server.residentMiB
    table.record(
      "resident, most of all (VmHWM)", unit: "MiB", server.peakMiB,
      beside: ("limit", Double(limit)), target: .ratioAtMost(1.5))
    table.record(
      "resident, in the end", unit: "MiB", resident, beside: ("limit", Double(limit)),
      target: .ratioAtMost(1.5))
    table.record("evicted", unit: "sessions", metrics.evictedCount)
    let created =
      metrics["layoutd_sessions_created_total"] - before["layoutd_sessions_created_total"]
    guard Int(created) == churn.createdCount else {
      throw BenchmarkError(message: "\(created) sessions made of \(churn.createdCount)")
    }
    table.record("created", unit: "sessions", created)
    report.add(table)
  }
}

/// Sessions that come and go.
private struct Churn: ~Copyable {
  /// Which sizes come.
  enum Phase: CaseIterable {
    case small, mixed, large, smallAgain

    var text: String {
      switch self {
      case .small: "10 to 100 items each"
      case .mixed: "every 50th has up to 200,000"
      case .large: "every 10th has up to 200,000"
      case .smallAgain: "10 to 100 items again"
      }
    }

    /// One of so many is large; 0 for none.
    fileprivate var largeShare: Int {
      switch self {
      case .small, .smallAgain: 0
      case .mixed: 50
      case .large: 10
      }
    }
  }

  /// Requests under way at once.
  static let connections = 4

  private let clients: InlineArray<4, HTTPClient>
  private let small: [[UInt8]]
  private let large: [[UInt8]]
  private var random = RandomNumbers(seed: 11)
  private(set) var createdCount = 0

  private static let layouts = [
    #"{"kind":"flow"}"#, #"{"kind":"waterfall","columnCount":4}"#, #"{"kind":"list"}"#,
    #"{"kind":"pagedGrid"}"#, #"{"kind":"coverFlow"}"#, #"{"kind":"wheel"}"#,
    #"{"kind":"banner","itemSize":{"width":200,"height":120}}"#,
  ]

  init(port: UInt16, isQuick: Bool) throws(BenchmarkError) {
    clients = try InlineArray { (_) throws(BenchmarkError) in try HTTPClient(port: port) }
    var random = RandomNumbers(seed: 3)
    small = (0..<70).map { Self.creation(10 + random.next(below: 91), $0, &random) }
    large = (0..<28).map {
      Self.creation(10_000 + random.next(below: isQuick ? 20_000 : 190_001), $0, &random)
    }
  }

  /// Every third with ids, the others without.
  private static func creation(
    _ count: Int, _ number: Int, _ random: inout RandomNumbers
  ) -> [UInt8] {
    let sizes = (0..<count).map { _ in
      "[\(60 + random.next(below: 40)),\(40 + random.next(below: 60)).\(random.next(below: 1000))]"
    }.joined(separator: ",")
    let ids =
      number % 3 == 0
      ? #","ids":["# + (0..<count).map { "\"item-\($0)\"" }.joined(separator: ",") + "]" : ""
    return HTTPClient.request(
      "POST", "/v1/sessions",
      Array(
        """
        {"collection":{"sections":[{"items":{"sizes":[\(sizes)]\(ids)}}]},\
        "layout":\(layouts[number % layouts.count]),"viewport":{"width":600,"height":900}}
        """.utf8))
  }

  /// Creates a session on each connection at once, and asks something of some of them.
  mutating func step(_ phase: Phase) throws(BenchmarkError) {
    for index in clients.indices {
      let request = next(phase)
      try clients[index].begin(request)
    }
    var answers: [(status: Int, body: [UInt8])] = []
    for index in clients.indices { answers.append(try clients[index].end()) }
    createdCount += Churn.connections
    for answer in answers {
      guard answer.status == 201, let id = Array(answer.body.prefix(256)).string("id") else {
        throw BenchmarkError(message: "no session: \(answer.status)")
      }
      try use("/v1/sessions/\(id)")
    }
  }

  private mutating func next(_ phase: Phase) -> [UInt8] {
    let share = phase.largeShare
    return share > 0 && random.next(below: share) == 0
      ? large[random.next(below: large.count)] : small[random.next(below: small.count)]
  }

  /// Every fourth session is ticked, every eighth changed, and every tenth deleted.
  private mutating func use(_ path: String) throws(BenchmarkError) {
    if random.next(below: 4) == 0 {
      let y = random.next(below: 1000)
      try expect(
        200,
        HTTPClient.request(
          "POST", path + "/scroll", Array(#"{"contentOffset":{"x":\#(y),"y":\#(y)}}"#.utf8)))
    }
    if random.next(below: 8) == 0 {
      try expect(
        200,
        HTTPClient.request(
          "POST", path + "/updates",
          Array(#"{"deleteItems":[{"section":0,"start":0,"end":5}]}"#.utf8)))
    }
    if random.next(below: 10) == 0 { try expect(204, HTTPClient.request("DELETE", path)) }
  }

  private func expect(_ status: Int, _ request: [UInt8]) throws(BenchmarkError) {
    let answer = try clients[0].send(request)
    guard answer.status == status else {
      throw BenchmarkError(message: "\(answer.status), not \(status)")
    }
  }
}
