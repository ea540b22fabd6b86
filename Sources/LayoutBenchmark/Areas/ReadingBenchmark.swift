import CSimdjson
import Glibc
import HTTPMessages
import LayoutAPI
import LayoutCore

/// What creating a session costs, and where the time goes.
struct ReadingBenchmark {
  var isQuick: Bool

  private var rounds: Int { isQuick ? 1 : 15 }

  func run(_ report: inout Report) throws(BenchmarkError) {
    try measure("gallery, 7,683 pictures", try Self.gallery(), &report)
    try measure(
      "1,000,000,000 equal items",
      Array(
        """
        {"collection":{"sections":[{"items":{"count":1000000000}}]},"layout":{"kind":"flow"},\
        "viewport":{"width":375,"height":667}}
        """.utf8), &report)
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
    _ name: String, _ body: [UInt8], _ report: inout Report
  ) throws(BenchmarkError) {
    let server = try ServerProcess.layoutd()
    let client = try HTTPClient(port: server.port)
    let request = HTTPClient.request("POST", "/v1/sessions", body)
    let service = LayoutService(now: { .zero })
    let path = Array("/v1/sessions".utf8)
    let type = Array("application/json".utf8)
    var table = Table(
      title: "creating a session of \(name), \(body.count) bytes; \(rounds) rounds, not pinned")
    for _ in 0..<rounds {
      let parsing = ("simdjson alone", Measurement.milliseconds { Self.parse(body) })
      var status = 0
      let overHTTP = try Measurement.milliseconds { () throws(BenchmarkError) in
        status = try client.send(request).status
      }
      guard status == 201 else { throw BenchmarkError(message: "\(name): \(status)") }
      let whole = Measurement.milliseconds {
        _ = service.respond(
          to: HTTPRequest(
            method: .post, path: path.span, query: Span(),
            fields: HTTPRequestFields(contentType: type.span), body: body.span),
          mayTakeLong: true)
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
      table.record("over HTTP", unit: "ms", overHTTP, beside: parsing)
      table.record("in process", unit: "ms", whole, beside: parsing)
      table.record("reading", unit: "ms", reading, beside: parsing)
      table.record("preparing", unit: "ms", preparing, beside: parsing)
    }
    report.add(table)
  }

  private static func parse(_ body: [UInt8]) {
    guard let parser = unsafe simdjson_parser_acquire() else { return }
    // Safe: the body outlives the call; without padding it is copied first.
    unsafe body.withUnsafeBufferPointer { bytes in
      if let start = bytes.baseAddress {
        _ = unsafe simdjson_parser_parse(parser, start, bytes.count, 0, 64)
      }
    }
    unsafe simdjson_parser_release(parser)
  }
}
