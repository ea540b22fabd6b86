import HTTPMessages
import LayoutAPI

/// Whether a scroll tick takes longer in a larger collection: it must not, under no layout.
///
/// The service alone is asked, in this process, so that nothing drowns what a layout costs. All items
/// have sizes of their own; the tick goes back and forth in the middle of the content.
struct TickBenchmark {
  var isQuick: Bool

  private var rounds: Int { isQuick ? 3 : 15 }
  private var counts: [Int] { isQuick ? [100, 10_000] : [100, 10_000, 1_000_000] }

  private static let layouts: [(name: String, json: String)] = [
    ("flow", #"{"kind":"flow"}"#),
    ("flow, pinned", #"{"kind":"flow","sectionHeadersPinToVisibleBounds":true}"#),
    ("waterfall", #"{"kind":"waterfall","columnCount":4}"#),
    ("waterfall, in turn", #"{"kind":"waterfall","itemRenderDirection":"leftToRight"}"#),
    ("pagedGrid", #"{"kind":"pagedGrid"}"#),
    ("list", #"{"kind":"list"}"#),
    ("coverFlow", #"{"kind":"coverFlow"}"#),
    ("wheel", #"{"kind":"wheel"}"#),
    ("banner", #"{"kind":"banner","itemSize":{"width":200,"height":120}}"#),
  ]

  func run(_ report: inout Report) throws(BenchmarkError) {
    var table = Table(
      title: "scroll ticks without HTTP; \(rounds) rounds, one thread, not pinned")
    for layout in TickBenchmark.layouts {
      let sessions = try counts.map { (count) throws(BenchmarkError) in
        try TickSession(layout: layout.json, count: count)
      }
      let name = "\(layout.name), \(sessions[0].elementCount) elements"
      for _ in 0..<rounds {
        var first: Double?
        for (count, session) in zip(counts, sessions) {
          let time = session.microsecondsPerTick(isQuick ? 20 : 500)
          table.record(
            name, count: count, time, beside: first.map { ("\(counts[0]) items", $0) })
          first = first ?? time
        }
      }
    }
    report.add(table)
  }
}

/// One session and two ticks in the middle of it.
private struct TickSession {
  private let service = LayoutService(now: { .zero })
  private let path: [UInt8]
  private let bodies: [[UInt8]]
  let elementCount: Int

  init(layout: String, count: Int) throws(BenchmarkError) {
    // A cycle of sizes that has no part in common with the number of columns.
    let cycle = (0..<997).map { "[\(60 + $0 * 7 % 41),\(40 + $0 * 13 % 61)]" }
    let sizes = (0..<count).map { cycle[$0 % cycle.count] }.joined(separator: ",")
    let body = """
      {"collection":{"sections":[{"header":{"width":30,"height":30},"items":{"sizes":[\(sizes)]}}]},\
      "layout":\(layout),"viewport":{"width":320,"height":240}}
      """
    guard
      let created = TickSession.send(
        .post, Array("/v1/sessions".utf8), Array(body.utf8), to: service),
      created.status == .created,
      let location = created.fields.first(where: { $0.name == "Location" })?.value,
      let width = created.body.number(after: "\"width\":"),
      let height = created.body.number(after: "\"height\":")
    else { throw BenchmarkError(message: "no session of \(layout)") }
    path = Array("\(location)/scroll".utf8)
    bodies = [0.0, 17].map {
      let (x, y) = width > 320 ? ((width / 2).rounded() + $0, 0) : (0, (height / 2).rounded() + $0)
      return Array("{\"contentOffset\":{\"x\":\(x),\"y\":\(y)}}".utf8)
    }
    let whole = TickSession.send(
      .post, path, Array(bodies[0].dropLast() + Array(",\"full\":true}".utf8)), to: service)
    elementCount = whole?.body.count(of: "\"kind\"") ?? 0
  }

  func microsecondsPerTick(_ count: Int) -> Double {
    Measurement.microseconds {
      for number in 0..<count {
        _ = TickSession.send(.post, path, bodies[number % 2], to: service)
      }
    } / Double(count)
  }

  private static func send(
    _ method: HTTPMethod, _ path: [UInt8], _ body: [UInt8], to service: LayoutService
  ) -> HTTPResponse? {
    let type = Array("application/json".utf8)
    return service.respond(
      to: HTTPRequest(
        method: method, path: path.span, query: Span(),
        fields: HTTPRequestFields(contentType: type.span), body: body.span),
      mayTakeLong: true)
  }
}
