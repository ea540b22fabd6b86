import CBenchmark
import Glibc

/// What it costs that sessions outlive the process: ticks, updates and creations with each store,
/// beside memory alone, and how much several servers over one Redis do together.
struct StoresBenchmark: Benchmark {
  var isQuick: Bool

  private var rounds: Int { isQuick ? 1 : 5 }
  private var seconds: Double { isQuick ? 0.2 : 2 }
  private static let connections = 8

  func run(_ report: inout Report) throws(BenchmarkError) {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let redis = try RedisProcess(folder, synced: "everysec")
    let strict = try RedisProcess(folder, synced: "always")
    try cost(folder, redis, strict, &report)
    try servers(redis, &report)
  }

  // MARK: One server

  private func cost(
    _ folder: TemporaryFolder, _ redis: RedisProcess, _ strict: RedisProcess,
    _ report: inout Report
  ) throws(BenchmarkError) {
    let choices: [(String, [String], RedisProcess?)] = [
      ("memory", [], nil),
      ("SQLite", ["--store", "sqlite:\(folder.path)/sessions"], nil),
      ("Redis, everysec", ["--store", redis.url], redis),
      ("Redis, always", ["--store", strict.url], strict),
      ("Redis, 1 s stale", ["--store", redis.url, "--max-staleness-ms", "1000"], redis),
    ]
    var subjects:
      [(name: String, server: ServerProcess, redis: RedisProcess?, ticks: Load, updates: Load)] =
        []
    for (name, options, redis) in choices {
      let server = try ServerProcess.pinnedLayoutd(options)
      let clients = try ServingClients(port: server.port, count: Self.connections)
      subjects.append(
        (name, server, redis, Load(clients.slowTicks), Load(clients.updates)))
    }
    var table = Table(
      title:
        "\(Self.connections) connections, a session of 5,000 items each; redis-server on the core of the load; \(rounds) rounds of \(seconds) s; \(Pinning.text)"
    )
    for _ in 0..<rounds {
      var base: [String: Load.Outcome] = [:]
      for subject in subjects {
        for (what, load) in [("tick", subject.ticks), ("update", subject.updates)] {
          let before = subject.redis?.cpuSeconds ?? 0
          let own = try load.run(
            on: subject.server, connections: Self.connections, seconds: seconds)
          let baseline = base[what] ?? own
          base[what] = baseline
          let name = "\(what), \(subject.name)"
          table.record(
            "\(name): time", own.result.p50_us, beside: ("memory", baseline.result.p50_us))
          table.record(
            "\(name): p99", own.result.p99_us, beside: ("memory", baseline.result.p99_us))
          table.record(
            "\(name): CPU", own.cpuMicroseconds, beside: ("memory", baseline.cpuMicroseconds))
          table.record(
            "\(name): throughput", unit: "/s", own.perSecond, beside: ("memory", baseline.perSecond)
          )
          if let redis = subject.redis {
            table.record(
              "\(name): CPU of Redis",
              (redis.cpuSeconds - before) * 1e6 / Double(own.result.answers))
          }
        }
      }
    }
    report.add(table)
  }

  // MARK: Several servers

  private func servers(_ redis: RedisProcess, _ report: inout Report) throws(BenchmarkError) {
    var table = Table(
      title:
        "one, two and three servers over one Redis, everysec; each has clients of its own, all at once; all on \(Measurement.coreCount) cores, so that they take them from each other"
    )
    for _ in 0..<rounds {
      var base: [String: Double] = [:]
      for count in 1...3 {
        var servers: [ServerProcess] = []
        for _ in 0..<count {
          servers.append(try .layoutd(["--io-threads", "1", "--store", redis.url]))
        }
        for what in ["ticks", "updates"] {
          var connections: [Connection] = []
          for server in servers {
            let clients = try ServingClients(port: server.port, count: Self.connections)
            for requests in what == "ticks" ? clients.slowTicks : clients.updates {
              connections.append(
                Connection(client: try HTTPClient(port: server.port), requests: requests))
            }
          }
          let rate = try self.rate(connections)
          table.record(
            "\(what), \(count) server\(count > 1 ? "s" : "")", unit: "/s", rate,
            beside: ("one", base[what] ?? rate))
          base[what] = base[what] ?? rate
        }
      }
    }
    report.add(table)
  }

  /// A connection with what is sent on it, one after the other.
  private final class Connection {
    let client: HTTPClient
    let requests: [[UInt8]]

    init(client: consuming HTTPClient, requests: [[UInt8]]) {
      self.client = client
      self.requests = requests
    }
  }

  /// Answers a second, with one request under way on each connection.
  private func rate(_ connections: [Connection]) throws(BenchmarkError) -> Double {
    var count = 0
    let start = ContinuousClock.now
    while ContinuousClock.now - start < .seconds(seconds) {
      for connection in connections {
        let requests = connection.requests
        try connection.client.begin(requests[count / connections.count % requests.count])
      }
      for connection in connections {
        let status = try connection.client.end().status
        guard status == 200 else { throw BenchmarkError(message: "answered \(status)") }
        count += 1
      }
    }
    return Double(count) / ((ContinuousClock.now - start) / .seconds(1))
  }
}

/// A folder that is gone at the end.
private final class TemporaryFolder {
  let path: String

  init() throws(BenchmarkError) {
    var name = Array("/tmp/layoutd-benchmark-XXXXXX".utf8CString)
    // Safe: the text is there for the length of the call, and ends with a null.
    guard unsafe mkdtemp(&name) != nil else { throw BenchmarkError(message: "no folder in /tmp") }
    path = String(
      decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { _ = try? Program.run(["/bin/rm", "-rf", path]) }
}

/// A redis-server on a Unix socket in a folder, on the core of the load.
private final class RedisProcess {
  private let process: ServerProcess
  let url: String

  init(_ folder: TemporaryFolder, synced: String) throws(BenchmarkError) {
    let name = "\(folder.path)/\(synced)"
    // Says that it listens when it does, and then is the server itself.
    let script = """
      mkdir \(name) && cd \(name) || exit 1
      (until redis-cli -s \(name)/socket ping >/dev/null 2>&1; do sleep 0.02; done
       echo "listening on port 1") &
      exec redis-server --port 0 --unixsocket \(name)/socket --appendonly yes \
        --appendfsync \(synced) --save '' --logfile \(name)/log
      """
    process = try ServerProcess(["/bin/sh", "-c", script], core: Pinning.cores?.load)
    url = "redis+unix://\(name)/socket"
  }

  var cpuSeconds: Double { process.cpuSeconds }
}
