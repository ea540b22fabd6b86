import CSimdjson
import Glibc
import HTTPMessages
import LayoutAPI
import LayoutCore

/// What creating a session costs, and where the time goes.
struct CreationBenchmark {
  var isQuick: Bool

  private var rounds: Int { isQuick ? 1 : 15 }

  func run() throws(BenchmarkError) {
    var table = Table(
      title: "Creating a session; medians of \(rounds) rounds, ms",
      header: [
        "collection", "bytes", "over HTTP", "receiving", "simdjson alone", "reading", "preparing",
        "answering",
      ])
    table.rows.append(try row("gallery, 7,683 pictures", try Self.gallery()))
    table.rows.append(
      try row(
        "1,000,000,000 equal items",
        Array(
          """
          {"collection":{"sections":[{"items":{"count":1000000000}}]},"layout":{"kind":"flow"},\
          "viewport":{"width":375,"height":667}}
          """.utf8)))
    table.printOut()
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

  private func row(_ name: String, _ body: [UInt8]) throws(BenchmarkError) -> [String] {
    let server = try ServerProcess.layoutd()
    let client = try HTTPClient(port: server.port)
    let request = HTTPClient.request("POST", "/v1/sessions", body)
    let service = LayoutService(now: { .zero })
    let path = Array("/v1/sessions".utf8)
    let type = Array("application/json".utf8)
    var stages:
      (http: [Double], whole: [Double], parse: [Double], read: [Double], prepare: [Double])
    stages = ([], [], [], [], [])
    for _ in 0..<rounds {
      var status = 0
      stages.http.append(
        try milliseconds { () throws(BenchmarkError) in
          status = try client.send(request).status
        })
      guard status == 201 else { throw BenchmarkError(message: "\(name): \(status)") }
      stages.whole.append(
        milliseconds {
          _ = service.respond(
            to: HTTPRequest(
              method: .post, path: path.span, query: Span(),
              fields: HTTPRequestFields(contentType: type.span), body: body.span),
            mayTakeLong: true)
        })
      stages.parse.append(milliseconds { Self.parse(body) })
      var description: Description?
      stages.read.append(milliseconds { description = LayoutService.description(of: body.span) })
      guard let description else { throw BenchmarkError(message: "\(name) cannot be read") }
      stages.prepare.append(
        milliseconds {
          _ = try? PreparedLayout(
            description.content, layout: description.layout, viewport: description.viewport)
        })
    }
    let median = Measurement.median
    let answering = median(stages.whole) - median(stages.read) - median(stages.prepare)
    return [
      name, "\(body.count)", Measurement.text(median(stages.http)),
      Measurement.text(max(0, median(stages.http) - median(stages.whole))),
      Measurement.text(median(stages.parse)), Measurement.text(median(stages.read)),
      Measurement.text(median(stages.prepare)), Measurement.text(max(0, answering)),
    ]
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

/// How long something takes.
func milliseconds<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Double {
  let clock = ContinuousClock()
  let start = clock.now
  try body()
  return (clock.now - start) / .milliseconds(1)
}
