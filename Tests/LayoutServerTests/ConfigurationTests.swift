import Foundation
import HTTPMessages
import LayoutSessions
import MicroHTTP
import Testing

@testable import LayoutAPI
@testable import layoutd

/// What the program is told, and what it makes of that.
@Suite(.waits) struct ConfigurationTests {
  private func read(
    _ arguments: [String], _ variables: [String: String] = [:]
  ) throws(Configuration.Failure) -> Configuration {
    try Configuration.read(arguments, environment: { variables[$0] }).configuration
  }

  /// Why it does not start; nil if it does.
  private func failure(_ arguments: [String], _ variables: [String: String] = [:]) -> String? {
    do throws(Configuration.Failure) {
      try read(arguments, variables).check()
      return nil
    } catch {
      return error.message
    }
  }

  @Test func processorsAreThoseOfTheAffinity() {
    let status = "Name:\ta\nCpus_allowed:\t3,0000000f,80000001\nCpus_allowed_list:\t0,31-35,64-65\n"
    #expect(Processors.allowedCount(status) == 8)
    #expect(Processors.allowedCount("Name:\ta\n") == nil)
  }

  /// A container's limit is at the root of what it sees, a unit's at its own group or one that it is part of.
  @Test(arguments: [
    ("0::/\n", 3), ("4:cpu:/a\n0::/a/b\n", 2), ("0::/a", 3), ("0::/none/b", 3), ("0::/long/b", 1),
    ("0::/damaged", 3), ("4:cpu:/a\n", nil), ("", nil),
  ])
  func processorsAreThoseOfTheQuota(membership: String, count: Int?) throws {
    let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: root) }
    for (path, text) in [
      ("", "250000 100000\n"), ("a", "max 100000\n"), ("a/b", "200000 100000\n"), ("none", nil),
      ("long", "1 1000000\n"), ("damaged", "a 0\n"),
    ] {
      let folder = root.appending(path: path)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try text.map { try Data($0.utf8).write(to: folder.appending(path: "cpu.max")) }
    }
    #expect(Processors.quota(ofGroup: membership, under: root.path) == count)
  }

  /// Of version 2 or, where that has none of it, of version 1.
  @Test(arguments: [
    ("0::/\n", 300), ("0::/a", 300), ("0::/a/b\n4:memory:/a\n", 100), ("0::/a/b", 200),
    ("0::/damaged", 300),
    ("4:cpu,memory:/a\n0::/\n", 100), ("4:memory:/none\n", 400), ("4:cpu:/a\n", nil), ("", nil),
  ])
  func memoryIsThatOfTheGroup(membership: String, limit: Int?) throws {
    let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: root) }
    for (path, text) in [
      ("memory.max", "300\n"), ("a/memory.max", "max\n"), ("a/b/memory.max", "200\n"),
      ("damaged/memory.max", "much\n"), ("memory/memory.limit_in_bytes", "400\n"),
      ("memory/a/memory.limit_in_bytes", "100\n"),
    ] {
      let file = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    #expect(ControlGroup.memoryLimit(ofGroup: membership, under: root.path) == limit)
  }

  /// The system ends who takes more.
  @Test func memoryThatMayBeTooLittleIsTold() throws {
    func told(_ arguments: [String], _ mebibytes: Int?) throws -> String? {
      try read(arguments).shortage(ofMemory: mebibytes.map { $0 << 20 })
    }
    #expect(try told([], nil) == nil)
    #expect(try told([], 3328) == nil)
    #expect(
      try told([], 3327)
        == "--memory-limit-mib 1024 and --max-in-flight-mib 512 may come to 3328 MiB, and the control group has 3327: past that the system ends the program"
    )
    #expect(try told(["--memory-limit-mib", "100", "--max-in-flight-mib", "64"], 381) == nil)
    #expect(try told(["--memory-limit-mib", "100", "--max-in-flight-mib", "64"], 380) != nil)
  }

  @Test func optionsWinOverTheEnvironment() throws {
    let variables = [
      "LAYOUTD_MAX_ITEMS": "7", "LAYOUTD_HOST": "127.0.0.2",
      "LAYOUTD_CORS_ORIGIN": "https://a.example,https://b.example",
    ]
    let first = try read([], variables)
    #expect(first.maxItems == 7 && first.host == "127.0.0.2")
    #expect(first.corsOrigins == ["https://a.example", "https://b.example"])
    let second = try read(
      [
        "--cors-origin", "https://c.example", "--max-items=8", "--cors-origin=https://d.example",
      ], variables)
    #expect(second.maxItems == 8 && second.host == "127.0.0.2")
    #expect(second.corsOrigins == ["https://c.example", "https://d.example"])
  }

  /// Orchestrators set some of them for services, as `LAYOUTD_PORT=tcp://10.0.0.1:80`.
  @Test func aVariableIsNotReadWhereItsOptionIsGiven() throws {
    let variables = ["LAYOUTD_PORT": "tcp://10.0.0.1:80"]
    #expect(try read(["--port", "21"], variables).port == 21)
    #expect(
      failure([], variables)
        == "LAYOUTD_PORT takes a whole number from 0 to 65535, not \"tcp://10.0.0.1:80\"")
  }

  @Test(arguments: [
    ("", false), ("0", false), ("false", false), ("no", false), ("off", false),
    ("1", true), ("true", true), ("yes", true), ("on", true),
  ])
  func switchesMayBeVariables(value: String, isOn: Bool) throws {
    #expect(try read([], ["LAYOUTD_ALLOW_ANONYMOUS": value]).allowAnonymous == isOn)
    #expect(try read(["--allow-anonymous=\(value)"]).allowAnonymous == isOn)
    #expect(try read(["--allow-anonymous"], ["LAYOUTD_ALLOW_ANONYMOUS": value]).allowAnonymous)
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.255.1.2", true), ("localhost", true), ("::1", true),
    ("127.0.0.1.2", false), ("127.1", false), ("127.0.0.x", false), ("127.0.0.256", false),
    ("127.0.0.", false), ("127", false), ("128.0.0.1", false), ("0.0.0.0", false), ("::", false),
    ("localhost.example.org", false),
  ])
  func onlyThisMachineIsServedWithoutKeys(host: String, isServed: Bool) {
    #expect((failure(["--host", host]) == nil) == isServed)
    #expect(failure(["--host", host, "--allow-anonymous"]) == nil)
  }

  @Test func thereIsOneCommand() throws {
    #expect(try Configuration.read([], environment: { _ in nil }).command == .serve)
    let check = try Configuration.read(["healthcheck"], environment: { _ in nil })
    #expect(check.command == .healthcheck)
    #expect(failure(["serve", "healthcheck"])?.contains("unknown command") == true)
  }

  @Test func whatIsEmptyIsNoValue() {
    #expect(failure(["--host="]) == "--host takes an address")
    #expect(failure([], ["LAYOUTD_TLS_CERT": ""]) == "LAYOUTD_TLS_CERT takes a value")
    for store in ["memory:x", "sqlite:"] {
      #expect(failure(["--store", store])?.hasPrefix("--store takes memory") == true)
    }
  }

  /// None of these values is one that they have by themselves.
  @Test func listenersAreAsTheOptionsSay() throws {
    let serving = try read([
      "--host", "127.0.0.3", "--port", "0", "--io-threads", "3", "--worker-threads", "5",
      "--queue-size", "7", "--max-body-mib", "9", "--max-connections", "110",
      "--max-in-flight-mib", "640", "--max-url-bytes", "300", "--max-header-bytes", "400",
      "--request-timeout-seconds", "17", "--idle-timeout-seconds", "19", "--admin-port", "0",
    ])
    let api = try serving.serverConfiguration()
    #expect(api.host == "127.0.0.3" && api.port == 0 && api.tls == nil)
    #expect(api.ioThreadCount == 3 && api.workerThreadCount == 5)
    #expect(api.queueCapacity == 7 && api.maximumBodySize == 9 << 20)
    #expect(api.maximumConnectionCount == 110 && api.maximumInFlightByteCount == 640 << 20)
    #expect(api.maximumConnectionCountPerAddress == 13 && api.sparesLoopback)
    #expect(api.maximumTargetSize == 300 && api.maximumHeaderSize == 400)
    #expect(api.requestTimeoutSeconds == 17 && api.idleTimeoutSeconds == 19)
    let own = try read(["--max-connections-per-address", "3"]).serverConfiguration()
    #expect(own.maximumConnectionCountPerAddress == 3 && !own.sparesLoopback)
    let beside = try #require(serving.adminServerConfiguration)
    #expect(beside.host == "127.0.0.3")
    #expect(beside.maximumTargetSize == 300 && beside.maximumHeaderSize == 400)
    #expect(beside.requestTimeoutSeconds == 17 && beside.idleTimeoutSeconds == 19)
    let administration = try #require(
      read(["--admin-port", "81", "--admin-host", "127.0.0.2"]).adminServerConfiguration)
    #expect(administration.host == "127.0.0.2" && administration.port == 81)
  }

  /// All that may need one is counted: lingering sockets of each loop and of the acceptor, operators, a store.
  @Test func descriptorsAreCounted() throws {
    func needed(_ arguments: [String]) throws -> Int {
      let configuration = try read(
        ["--io-threads", "2", "--worker-threads", "5", "--max-connections", "100"] + arguments)
      let told = configuration.shortage(
        ofDescriptors: 0, for: try configuration.serverConfiguration())
      return try #require(told?.split(separator: " ").compactMap { Int($0) }.last { $0 > 0 })
    }
    let alone = try needed([])
    let loop = try needed(["--io-threads", "3"]) - alone
    #expect(alone == 100 + 3 * loop + 16)
    #expect(try needed(["--store", "redis://127.0.0.1:1/0"]) == alone + 2 * 5)
    let operators = try #require(read(["--admin-port", "0"]).adminServerConfiguration)
    #expect(try needed(["--admin-port", "0"]) == alone + operators.maximumDescriptorCount)
  }

  /// A store of sessions keeps its limits to itself.
  private func keptLimits(of service: LayoutService) -> SessionLimits? {
    Mirror(reflecting: service.sessions).descendant("limits") as? SessionLimits
  }

  @Test func sessionsAreKeptAsTheOptionsSay() throws {
    let access = AccessControl(keys: nil)
    func service(_ arguments: [String]) throws -> LayoutService {
      try read(arguments).makeService(access: access, threadCount: 1)
    }
    let limited = try service([
      "--session-ttl-seconds", "23", "--memory-limit-mib", "64", "--max-sessions", "29",
      "--tenant-max-sessions", "31", "--tenant-memory-mib", "37", "--max-items", "41",
      "--max-sections", "43", "--max-json-depth", "47", "--max-elements", "53",
      "--cors-origin", "https://a.example",
    ])
    let limits = try #require(keptLimits(of: limited))
    #expect(limits.idleTime == .seconds(23) && limits.sessionCount == 29)
    // Kept answers, and what lies about viewports, come out of it.
    #expect(limits.byteCount == (64 - 4 - 2) << 20)
    #expect(limits.sessionCountPerOwner == 31 && limits.byteCountPerOwner == 37 << 20)
    #expect(limited.limits.describedItemCount == 41 && limited.limits.sectionCount == 43)
    #expect(limited.limits.depth == 47 && limited.limits.elementCount == 53)
    let free = try #require(keptLimits(of: service([])))
    #expect(free.sessionCountPerOwner == .max && free.byteCountPerOwner == .max)
    // Redis need not be there yet.
    let shared = try service([
      "--store", "redis://127.0.0.1:1/0", "--session-ttl-seconds", "23", "--max-staleness-ms", "59",
      "--store-timeout-ms", "61", "--worker-threads", "5",
    ])
    let archive = Mirror(reflecting: try #require(shared.archive))
    #expect(archive.descendant("timeToLive") as? Int64 == 23)
    #expect(archive.descendant("maxStaleness") as? UInt64 == 59_000_000)
    #expect(archive.descendant("store", "lifetime") as? Duration == .seconds(23))
    #expect(archive.descendant("store", "pool", "timeout") as? Duration == .milliseconds(61))
  }

  @Test(arguments: [("debug", true), ("info", true), ("warning", false), ("error", false)])
  func requestsAreLoggedFromALevelOn(level: String, isLogged: Bool) throws {
    let configuration = try read(["--log-level", level])
    let service = try configuration.makeService(
      access: AccessControl(keys: nil), threadCount: 1)
    let handler = configuration.handler(service, .everyone, LogWriter())
    #expect((handler.log != nil) == isLogged)
  }

  /// Each number under its own name.
  @Test func countersOfTheServerAreWritten() throws {
    var statistics = try HTTPServer(
      configuration: HTTPServerConfiguration(host: "127.0.0.1", port: 0), handler: EchoHandler()
    ).statistics
    statistics.connectionCount = 2
    statistics.acceptedCount = 3
    statistics.acceptFailureCount = 5
    statistics.refusedByAddressCount = 7
    statistics.refusedCount = 11
    statistics.timedOutCount = 13
    statistics.inFlightCount = 17
    statistics.heldByteCount = 19
    statistics.queuedCount = 23
    statistics.shedCount = 29
    var refusals = try #require(statistics.refusalCounts.first)
    let status = try #require(refusals.status?.rawValue)
    refusals.count = 31
    statistics.refusalCounts = [refusals]
    var text = MetricsText()
    statistics.write(to: &text)
    let lines = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").filter {
      !$0.hasPrefix("#")
    }.sorted()
    #expect(
      lines == [
        "layoutd_accept_failures_total 5", "layoutd_connections 2",
        "layoutd_connections_accepted_total 3", "layoutd_connections_cut_off_total 13",
        #"layoutd_connections_refused_total{limit="address"} 7"#,
        #"layoutd_connections_refused_total{limit="total"} 11"#, "layoutd_in_flight_bytes 19",
        "layoutd_queue_depth 23", "layoutd_requests_in_flight 17",
        "layoutd_requests_refused_total{status=\"\(status)\"} 31", "layoutd_requests_shed_total 29",
      ])
  }

  @Test func listenersNeedPlacesOfTheirOwn() {
    #expect(failure(["--port", "0", "--admin-port", "0"]) == nil)
    #expect(failure(["--port", "1", "--admin-port", "1"]) != nil)
    #expect(failure(["--port", "1", "--admin-port", "1", "--admin-host", "127.0.0.1"]) != nil)
    #expect(failure(["--port", "1", "--admin-port", "1", "--admin-host", "127.0.0.2"]) == nil)
    #expect(failure(["--admin-host", "127.0.0.1"]) == "--admin-host needs --admin-port")
  }

  /// What is allowed is answered 503 for ever then, and asked for again and again.
  @Test func bodiesThatNeverFitAreTold() throws {
    func told(_ arguments: [String]) throws -> String? {
      try read(arguments).bodiesThatNeverFit
    }
    #expect(try told(["--max-body-mib", "64", "--max-in-flight-mib", "64"]) == nil)
    #expect(
      try told(["--max-in-flight-mib", "63"])
        == "--max-body-mib 64 never fits into --max-in-flight-mib 63: longer bodies are always 503")
    #expect(try told(["--max-body-mib", "513"])?.contains("--max-in-flight-mib 512") == true)
    // One of several names leaves a quarter to the others.
    let keys = ["--api-keys-file", "keys"]
    #expect(try told(keys + ["--max-body-mib", "384"]) == nil)
    #expect(
      try told(keys + ["--max-body-mib", "385"])?.contains("three quarters of --max-in-flight-mib")
        == true)
  }

  @Test func whatDoesNotEndIsSaidAgainAsLongAsItLasts() {
    var standstill = Standstill()
    var said: [Duration] = []
    func look(_ seconds: ClosedRange<Int>) {
      for second in seconds {
        if let length = standstill.lengthToSay(at: .seconds(second)) { said.append(length) }
      }
    }
    standstill.begin(at: .seconds(100))
    look(100...129)
    #expect(said == [])
    look(130...250)
    #expect(said == [.seconds(30), .seconds(90), .seconds(150)])
    // The next one is another.
    standstill.begin(at: .seconds(251))
    look(251...280)
    #expect(said.count == 3)
    look(281...281)
    #expect(said.last == .seconds(30))
  }

  @Test func theHelpFitsATerminal() {
    let lines = Configuration.help.split(separator: "\n")
    #expect(lines.count > 60)
    for line in lines { #expect(line.count <= 80, "\(line)") }
  }
}
