import CBenchmark
import Glibc

/// Measures the server beside baselines in the same run; prints one table an area.
///
/// `--quick` only shows that it runs. No absolute time means anything on a machine that others use:
/// look at the ratios.
@main
enum LayoutBenchmark {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "--bare", arguments.count == 3, let size = Int(arguments[1]),
      let loops = UInt32(arguments[2])
    {
      bare_server_run(size, loops)
      exit(1)
    }
    let isQuick = arguments.contains("--quick")
    do {
      print("layoutd benchmark: \(isQuick ? "quick" : "full"), \(Measurement.coreCount) cores")
      if arguments.contains("--updates") { return try UpdateBenchmark(isQuick: isQuick).run() }
      try ServingBenchmark(isQuick: isQuick).run()
      try CreationBenchmark(isQuick: isQuick).run()
      try TickBenchmark(isQuick: isQuick).run()
      try UpdateBenchmark(isQuick: isQuick).run()
    } catch {
      print("failed: \(error.message)")
      exit(1)
    }
  }
}

/// Why a benchmark could not be run.
struct BenchmarkError: Error {
  var message: String
}

/// Medians and spreads.
enum Measurement {
  static var coreCount: Int { Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
  }

  /// The median with the least and the greatest value.
  static func summary(_ values: [Double], _ unit: String) -> String {
    "\(text(median(values)))\(unit) (\(text(values.min() ?? .nan))–\(text(values.max() ?? .nan)))"
  }

  /// Three digits that count.
  static func text(_ value: Double) -> String {
    guard value.isFinite else { return "–" }
    let decimals = value < 10 ? 100.0 : value < 100 ? 10.0 : 1.0
    let rounded = (value * decimals).rounded() / decimals
    return decimals == 1 ? "\(Int(rounded))" : "\(rounded)"
  }
}

/// A table that lines up.
struct Table {
  var title: String
  var header: [String]
  var rows: [[String]] = []

  func printOut() {
    print("\n\(title)")
    let all = [header] + rows
    let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    for (number, row) in all.enumerated() {
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      print("| " + cells.joined(separator: " | ") + " |")
      if number == 0 {
        print("|" + widths.map { String(repeating: "-", count: $0 + 2) + "|" }.joined())
      }
    }
  }
}

/// A server in a process of its own, so that its processor time can be told apart.
@safe final class ServerProcess {
  let port: UInt16
  private let pid: Int32

  init(_ arguments: [String]) throws(BenchmarkError) {
    var port: UInt16 = 0
    // Safe: the copies live for the length of the call, and end with a null pointer; the program's
    // few hundred bytes of arguments are never freed.
    var copies: [UnsafePointer<CChar>?] = unsafe arguments.map { unsafe UnsafePointer(strdup($0)) }
    unsafe copies.append(nil)
    let started = unsafe copies.withUnsafeBufferPointer { pointers in
      unsafe pointers.baseAddress.map { unsafe process_start($0, &port) } ?? -1
    }
    guard started > 0 else {
      throw BenchmarkError(message: "cannot start \(arguments.joined(separator: " "))")
    }
    self.port = port
    pid = started
  }

  deinit { process_stop(pid) }

  var cpuSeconds: Double { process_cpu_seconds(pid) }
  var peakMiB: Double { Double(process_peak_kib(pid)) / 1024 }

  /// layoutd from the same build.
  static func layoutd(_ options: [String] = []) throws(BenchmarkError) -> ServerProcess {
    try ServerProcess(
      [folder + "layoutd", "--port", "0", "--log-level", "warning"] + options)
  }

  /// The bare libmicrohttpd program, with answers of a size.
  static func bare(answerSize: Int) throws(BenchmarkError) -> ServerProcess {
    try ServerProcess(
      [folder + "LayoutBenchmark", "--bare", "\(answerSize)", "\(Measurement.coreCount)"])
  }

  /// Where this program's file is, with a slash.
  private static var folder: String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    // Safe: the buffer is there for the length of the call, with its size.
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe bytes.baseAddress.map { unsafe readlink("/proc/self/exe", $0, bytes.count) } ?? 0
    }
    let path = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    return String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
  }

  /// Sends requests over and over, each connection its own; all of them are of one length.
  func load(
    _ requests: [[UInt8]], connections: Int, seconds: Double
  ) -> (result: load_result, cpuMicroseconds: Double) {
    let before = cpuSeconds
    let size = requests.first?.count ?? 0
    let bytes = requests.flatMap(\.self)
    precondition(bytes.count == size * requests.count)
    // Safe: the requests outlive the call.
    let result = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe bytes.baseAddress.map {
        unsafe load_run(
          port, UInt32(connections), seconds, $0, size, UInt32(requests.count))
      } ?? load_result()
    }
    return (result, (cpuSeconds - before) * 1e6 / Double(max(1, result.answers)))
  }
}
