import HTTPMessages

/// Whether a scroll tick takes longer in a larger collection: it must not, under no layout.
///
/// The service alone is asked, in this process, so that nothing drowns what a layout costs. All items
/// have sizes of their own; the tick goes back and forth in the middle of the content.
struct TickBenchmark: Benchmark {
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
          let time = try session.microsecondsPerTick(isQuick ? 20 : 500)
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
  private let service = LocalService()
  private let path: String
  private let bodies: [[UInt8]]
  let elementCount: Int

  init(layout: String, count: Int) throws(BenchmarkError) {
    // A cycle of sizes that has no part in common with the number of columns.
    let cycle = (0..<997).map { "[\(60 + $0 * 7 % 41),\(40 + $0 * 13 % 61)]" }
    let sizes = (0..<count).map { cycle[$0 % cycle.count] }.joined(separator: ",")
    let session = try service.create(
      Array(
        """
        {"collection":{"sections":[{"header":{"width":30,"height":30},"items":{"sizes":[\(sizes)]}}]},\
        "layout":\(layout),"viewport":{"width":320,"height":240}}
        """.utf8))
    path = session.path + "/scroll"
    bodies = [session.tick(), session.tick(17)]
    elementCount = try service.post(path, session.tick(isFull: true)).body.count(of: "\"kind\"")
  }

  func microsecondsPerTick(_ count: Int) throws(BenchmarkError) -> Double {
    try Measurement.microseconds { () throws(BenchmarkError) in
      for number in 0..<count { try service.post(path, bodies[number % 2]) }
    } / Double(count)
  }
}
