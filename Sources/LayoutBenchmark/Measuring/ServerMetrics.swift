import Glibc

/// What a server says of itself at `/metrics`.
struct ServerMetrics {
  private var values: [String: Double] = [:]

  init(port: UInt16) throws(BenchmarkError) {
    var answer = try ServerMetrics.answer(port)
    // A worker has to add them up, and may have too much to do.
    for _ in 0..<200 where answer.status == 503 {
      usleep(50_000)
      answer = try ServerMetrics.answer(port)
    }
    guard answer.status == 200 else { throw BenchmarkError(message: "/metrics: \(answer.status)") }
    for line in String(decoding: answer.body, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: " ")
      if parts.count == 2, let value = Double(parts[1]) { values[String(parts[0])] = value }
    }
  }

  private static func answer(
    _ port: UInt16
  ) throws(BenchmarkError) -> (status: Int, body: [UInt8]) {
    try HTTPClient(port: port).send(HTTPClient.request("GET", "/metrics"))
  }

  /// A sample by its name, with its labels if it has some.
  subscript(name: String) -> Double { values[name] ?? .nan }

  var sessionMiB: Double { self["layoutd_session_bytes"] / 1_048_576 }
  var keptMiB: Double { self["layoutd_kept_answer_bytes"] / 1_048_576 }
  var evictedCount: Double { self["layoutd_sessions_removed_total{reason=\"evicted\"}"] }
}

/// What a server holds for those who are there.
struct ServerState {
  var descriptors: Int
  var threads: Int
  /// Gauges by name.
  var gauges: [String: Double]

  private static let names = [
    "layoutd_connections", "layoutd_requests_in_flight", "layoutd_in_flight_bytes",
    "layoutd_queue_depth", "layoutd_sessions",
  ]

  init(_ server: ServerProcess) throws(BenchmarkError) {
    let metrics = try ServerMetrics(port: server.port)
    gauges = Dictionary(uniqueKeysWithValues: ServerState.names.map { ($0, metrics[$0]) })
    descriptors = server.descriptorCount
    threads = server.threadCount
  }

  /// What a server holds when those who asked before are gone: the least in some tenths of a second.
  static func atRest(_ server: ServerProcess) throws(BenchmarkError) -> ServerState {
    var state = try ServerState(server)
    for _ in 0..<10 {
      usleep(50_000)
      let next = try ServerState(server)
      if !next.exceeds(state) { state = next }
    }
    return state
  }

  /// Whether there is more of anything.
  private func exceeds(_ other: ServerState) -> Bool {
    descriptors > other.descriptors || threads > other.threads
      || gauges.contains { $0.value > other.gauges[$0.key] ?? 0 }
  }

  /// Waits until a server holds no more than it did; at most so many seconds.
  ///
  /// - Returns: How long that took, in seconds.
  /// - Throws: ``BenchmarkError`` that says what is left.
  @discardableResult
  func awaitReturn(
    of server: ServerProcess, seconds: Double
  ) throws(BenchmarkError) -> Double {
    var waited = 0.0
    while true {
      let now = try ServerState(server)
      if !now.exceeds(self) { return waited }
      guard waited < seconds else {
        throw BenchmarkError(message: "left behind: \(now.text), before: \(text)")
      }
      usleep(50_000)
      waited += 0.05
    }
  }

  var text: String {
    (["descriptors \(descriptors)", "threads \(threads)"]
      + gauges.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }).joined(separator: ", ")
  }
}
