import CBenchmark
import Glibc

/// Which core does what while a server is measured.
enum Pinning {
  /// A core each for the load and the server, so that neither waits for the other.
  static let cores: (load: Int32, server: Int32)? = Measurement.coreCount > 1 ? (0, 1) : nil

  /// For titles.
  static var text: String {
    cores.map { "load on core \($0.load), servers with one loop each on core \($0.server)" }
      ?? "one core only: nothing pinned"
  }
}

/// Programs beside this one, of the same build.
enum Program {
  /// Where this program's file is, with a slash.
  static let folder: String = {
    var buffer = [UInt8](repeating: 0, count: 4096)
    // Safe: the buffer is there for the length of the call, with its size.
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe bytes.baseAddress.map { unsafe readlink("/proc/self/exe", $0, bytes.count) } ?? 0
    }
    let path = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    return String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
  }()

  /// This program itself.
  static var benchmark: String { folder + "LayoutBenchmark" }

  /// Hands arguments to C.
  static func withPointers<Result>(
    to arguments: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result? {
    // Safe: the copies live for the length of the call, and end with a null pointer.
    var copies: [UnsafePointer<CChar>?] = unsafe arguments.map { unsafe UnsafePointer(strdup($0)) }
    unsafe copies.append(nil)
    defer { unsafe copies.forEach { unsafe free(UnsafeMutableRawPointer(mutating: $0)) } }
    return unsafe copies.withUnsafeBufferPointer { pointers in
      unsafe pointers.baseAddress.map { unsafe body($0) }
    }
  }

  /// Runs a program to its end.
  ///
  /// - Returns: What it prints.
  static func run(_ arguments: [String]) throws(BenchmarkError) -> String {
    var output = [CChar](repeating: 0, count: 4096)
    let succeeded = unsafe withPointers(to: arguments) { pointers in
      // Safe: the buffer is there for the length of the call, with its size.
      unsafe output.withUnsafeMutableBufferPointer { output in
        unsafe output.baseAddress.map { unsafe process_run(pointers, $0, output.count) } ?? false
      }
    }
    let text = String(
      decoding: output.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard succeeded == true else {
      throw BenchmarkError(message: "\(arguments.joined(separator: " ")): \(text)")
    }
    return text
  }
}

/// A server in a process of its own, so that its processor time can be told apart.
final class ServerProcess {
  let port: UInt16
  private let pid: Int32

  /// Starts a program that says where it listens; on a core if one is given.
  init(_ arguments: [String], core: Int32?) throws(BenchmarkError) {
    var port: UInt16 = 0
    let started = unsafe Program.withPointers(to: arguments) {
      unsafe process_start($0, core ?? -1, &port)
    }
    guard let started, started > 0 else {
      throw BenchmarkError(message: "cannot start \(arguments.joined(separator: " "))")
    }
    self.port = port
    pid = started
  }

  deinit { process_stop(pid) }

  var cpuSeconds: Double { process_cpu_seconds(pid) }

  /// The memory that is there now, in MiB.
  var residentMiB: Double { memory("VmRSS") }

  /// The most there was.
  var peakMiB: Double { memory("VmHWM") }

  private func memory(_ field: String) -> Double {
    // Safe: the text is there for the length of the call.
    Double(unsafe process_memory_kib(pid, field)) / 1024
  }

  /// How many descriptors it has open.
  var descriptorCount: Int { count("fd") }

  var threadCount: Int { count("task") }

  private func count(_ directory: String) -> Int {
    // Safe: the text is there for the length of the call.
    unsafe process_count(pid, directory)
  }

  /// layoutd with one loop on the server's core.
  static func pinnedLayoutd(
    _ options: [String] = [], logLevel: String = "warning"
  ) throws(BenchmarkError) -> ServerProcess {
    try layoutd(
      ["--io-threads", "1"] + options, core: Pinning.cores?.server, logLevel: logLevel)
  }

  /// layoutd; without options as it starts, but for a log of each request, on any core.
  static func layoutd(
    _ options: [String] = [], core: Int32? = nil, logLevel: String = "warning"
  ) throws(BenchmarkError) -> ServerProcess {
    try ServerProcess(
      [Program.folder + "layoutd", "--port", "0", "--log-level", logLevel] + options, core: core)
  }

  /// The bare libmicrohttpd program with one loop, on the server's core if nothing else is said, and
  /// answers of a size.
  static func bare(
    answerSize: Int, core: Int32? = Pinning.cores?.server
  ) throws(BenchmarkError) -> ServerProcess {
    try ServerProcess([Program.benchmark, "--bare", "\(answerSize)", "1"], core: core)
  }
}

/// Requests of one length for each of some connections, one after the other.
struct Load {
  private let bytes: [UInt8]
  private let size: Int
  private let groupCount: Int
  private let perConnection: Int
  /// Where each connection goes on.
  private var next = 0

  /// Takes the requests of each connection.
  init(_ groups: [[[UInt8]]]) {
    size = groups.first?.first?.count ?? 0
    groupCount = groups.count
    perConnection = groups.first?.count ?? 0
    bytes = groups.flatMap { $0.flatMap(\.self) }
    precondition(
      bytes.count == size * groupCount * perConnection, "requests have to be equally long")
  }

  /// What a load did to a server.
  struct Outcome {
    var result: load_result
    /// The server's, for each answer.
    var cpuMicroseconds: Double
    var perSecond: Double
    /// How much of one core the server had.
    var corePercent: Double { cpuMicroseconds * perSecond / 1e4 }
  }

  /// Sends the requests to a server.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - connections: How many at once.
  ///   - seconds: How long.
  ///   - rate: Requests a second in all; 0 for as many as are answered.
  ///   - holders: Connections that are held meanwhile.
  /// - Returns: What came of it.
  /// - Throws: ``BenchmarkError`` if a request failed.
  func run(
    on server: ServerProcess, connections: Int, seconds: Double, rate: Double = 0,
    holders: Holders? = nil
  ) throws(BenchmarkError) -> Outcome {
    thread_pin(Pinning.cores?.load ?? -1)
    defer { thread_pin(-1) }
    let before = server.cpuSeconds
    // Safe: the requests outlive the call.
    let result = unsafe bytes.withUnsafeBufferPointer { bytes -> load_result? in
      guard let start = bytes.baseAddress else { return nil }
      var plan = unsafe load_plan(
        port: server.port, connections: UInt32(connections), seconds: seconds, rate: rate,
        requests: start, size: size, groups: UInt32(groupCount),
        per_connection: UInt32(perConnection), first: UInt32(next),
        holders: holders?.pointer)
      return unsafe load_run(&plan)
    }
    guard let result, result.failures == 0, result.answers > 0 else {
      throw BenchmarkError(
        message: "\(result?.failures ?? 0) of \(result?.answers ?? 0) requests failed")
    }
    return Outcome(
      result: result,
      cpuMicroseconds: (server.cpuSeconds - before) * 1e6 / Double(result.answers),
      perSecond: Double(result.answers) / result.seconds)
  }

  /// Lets the next run go on where connections have sent so many requests each.
  mutating func advance(by count: Int) { next = (next + count) % max(1, perConnection) }
}
