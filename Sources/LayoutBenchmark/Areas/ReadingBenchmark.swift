import CSimdjson
import Glibc
import LayoutAPI
import LayoutCore

/// What creating a session costs, and where the time goes.
struct ReadingBenchmark: Benchmark {
  var isQuick: Bool

  private var rounds: Int { isQuick ? 1 : 15 }

  func run(_ report: inout Report) throws(BenchmarkError) {
    let count = isQuick ? 20_000 : 1_000_000
    for layout in ["list", "flow", "waterfall"] {
      try measure("\(count) sizes, \(layout)", Self.sizes(count, layout), isLarge: true, &report)
    }
    try measure(
      "\(count) aspect ratios, waterfall", Self.ratios(count, "waterfall"), isLarge: false, &report)
    try measure("7,683 pictures", try Self.gallery(), isLarge: false, &report)
    try measure(
      "1,000,000,000 equal items",
      Array(
        """
        {"collection":{"sections":[{"items":{"count":1000000000}}]},"layout":{"kind":"flow"},\
        "viewport":{"width":375,"height":667}}
        """.utf8), isLarge: false, &report)
  }

  /// Random sizes of twelve bytes each.
  private static func sizes(_ count: Int, _ layout: String) -> [UInt8] {
    body(of: count, "sizes", layout) { random in
      let height = 5000 + random.next(below: 5000)
      return "[\(100 + random.next(below: 100)),\(height / 100).\(10 + height % 90)]"
    }
  }

  /// Random ratios of width to height, of five bytes each.
  private static func ratios(_ count: Int, _ layout: String) -> [UInt8] {
    body(of: count, "aspectRatios", layout) { random in
      "\(random.next(below: 3)).\(500 + random.next(below: 500))"
    }
  }

  private static func body(
    of count: Int, _ member: String, _ layout: String, _ item: (inout RandomNumbers) -> String
  ) -> [UInt8] {
    var random = RandomNumbers(seed: 3)
    var body = Array("{\"collection\":{\"sections\":[{\"items\":{\"\(member)\":[".utf8)
    body.reserveCapacity(count * 13 + 256)
    for number in 0..<count {
      if number > 0 { body.append(UInt8(ascii: ",")) }
      body += Array(item(&random).utf8)
    }
    body += Array(
      "]}}]},\"layout\":{\"kind\":\"\(layout)\"},\"viewport\":{\"width\":800,\"height\":600}}".utf8)
    return body
  }

  /// The tests' real collection; found from the folder in which the benchmark is run.
  private static func gallery() throws(BenchmarkError) -> [UInt8] {
    let path = "Tests/LayoutAPITests/Fixtures/gallery.json"
    guard let file = unsafe fopen(path, "r") else {
      throw BenchmarkError(message: "run it in the package's folder: there is no \(path)")
    }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return Array(bytes[..<count])
  }

  private func measure(
    _ name: String, _ body: [UInt8], isLarge: Bool, _ report: inout Report
  ) throws(BenchmarkError) {
    let request = HTTPClient.request("POST", "/v1/sessions", body)
    // simdjson reads a little further than a document reaches.
    let padded = body + Array(repeating: UInt8(ascii: " "), count: Parser.padding)
    var table = Table(
      title:
        "creating a session of \(name), \(body.count) bytes; \(rounds) rounds, each with a fresh server; not pinned"
    )
    // Its memory is there from a document before; a fresh one's pages cost more than parsing.
    let parser = try Parser()
    _ = try parser.milliseconds(padded)
    for _ in 0..<rounds {
      let parsing = ("simdjson alone", try parser.milliseconds(padded))
      let fresh = ("simdjson alone, fresh memory", try Parser().milliseconds(padded))
      let target = isLarge ? Table.Target.ratioAtMost(2) : nil
      let service = LocalService()
      let inProcess = try Measurement.milliseconds { () throws(BenchmarkError) in
        try service.post("/v1/sessions", body)
      }
      var description: Description?
      let reading = Measurement.milliseconds {
        description = LayoutService.description(of: body.span)
      }
      guard let description else { throw BenchmarkError(message: "\(name) cannot be read") }
      let preparing = try Measurement.expect {
        try Measurement.milliseconds {
          _ = try PreparedLayout(
            description.content, layout: description.layout, viewport: description.viewport)
        }
      }
      let server = try ServedCreation(request)
      table.record(
        "over HTTP", unit: "ms", server.milliseconds, beside: parsing, target: target)
      table.record("over HTTP, simdjson as fresh", unit: "ms", server.milliseconds, beside: fresh)
      table.record(
        "over HTTP, the second time", unit: "ms", server.again, beside: parsing, target: target)
      table.record("in process", unit: "ms", inProcess, beside: parsing, target: target)
      table.record("in process: reading", unit: "ms", reading, beside: parsing)
      table.record("in process: preparing", unit: "ms", preparing, beside: parsing)
      guard isLarge else { continue }
      table.record(
        "server's peak memory", unit: "MiB", server.peak,
        beside: ("the body", Double(body.count) / 1_048_576), target: .ratioAtMost(6))
      table.record(
        "server's memory afterwards, less idle", unit: "MiB", server.kept, target: .atMost(40))
    }
    report.add(table)
  }

  /// What creating a session does to a fresh server.
  private struct ServedCreation {
    var milliseconds: Double
    /// The same when its memory is there from the first.
    var again: Double
    /// In MiB, all there was and what stayed.
    var peak: Double
    var kept: Double

    init(_ request: [UInt8]) throws(BenchmarkError) {
      let server = try ServerProcess.layoutd()
      let client = try HTTPClient(port: server.port)
      _ = try client.send(HTTPClient.request("GET", "/healthz"))
      let idle = server.residentMiB
      var status = 0
      milliseconds = try Measurement.milliseconds { () throws(BenchmarkError) in
        status = try client.send(request).status
      }
      guard status == 201 else { throw BenchmarkError(message: "no session: \(status)") }
      // Until what was only needed for this is given back, if it is.
      usleep(200_000)
      peak = server.peakMiB
      kept = server.residentMiB - idle
      again = try Measurement.milliseconds { () throws(BenchmarkError) in
        status = try client.send(request).status
      }
      guard status == 201 else { throw BenchmarkError(message: "no second session: \(status)") }
    }
  }
}

/// simdjson's DOM parser alone.
@safe private final class Parser {
  // Safe: taken and given back with this object, used by one thread, and never handed out.
  private let pointer: OpaquePointer

  /// What it may read past the end.
  static let padding = 64

  init() throws(BenchmarkError) {
    guard let pointer = unsafe simdjson_parser_acquire() else {
      throw BenchmarkError(message: "no memory for simdjson")
    }
    unsafe self.pointer = unsafe pointer
  }

  deinit { unsafe simdjson_parser_release(pointer) }

  /// Parses a document that the padding follows; ms.
  func milliseconds(_ padded: [UInt8]) throws(BenchmarkError) -> Double {
    var status: simdjson_status?
    let time = Measurement.milliseconds {
      // Safe: the document outlives the call, and has the padding.
      unsafe padded.withUnsafeBufferPointer { bytes in
        guard let start = bytes.baseAddress else { return }
        status =
          unsafe simdjson_parser_parse(
            pointer, start, bytes.count - Self.padding, Self.padding, 64
          ).status
      }
    }
    guard status == .ok else { throw BenchmarkError(message: "simdjson refuses the document") }
    return time
  }
}
