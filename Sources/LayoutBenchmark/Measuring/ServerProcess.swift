import CBenchmark
import Glibc

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
