import HTTPMessages

/// Whether a scroll tick takes longer in a larger collection: it must not, under no layout; and a slow one where
/// more shows.
///
/// The service alone is asked, in this process, so that nothing drowns what a layout costs. All items
/// have sizes of their own; the tick goes back and forth in the middle of the content, a slow scroll on and on.
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
        try TickSession(layout: layout.json, count: count, viewport: (320, 240))
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
    report.add(try slowScrolls())
  }

  private func slowScrolls() throws(BenchmarkError) -> Table {
    var table = Table(title: "slow scrolls without HTTP, by how much shows; \(rounds) rounds")
    let viewports = [(320, 240), (1024, 768), (2560, 1440)]
    for layout in TickBenchmark.layouts.prefix(2) {
      var sessions = try viewports.map { (viewport) throws(BenchmarkError) in
        try TickSession(layout: layout.json, count: 20_000, viewport: viewport)
      }
      for _ in 0..<rounds {
        var first: Double?
        for index in sessions.indices {
          let time = try sessions[index].microsecondsPerSlowTick(isQuick ? 20 : 100)
          table.record(
            "\(layout.name), \(sessions[index].elementCount) elements", count: 20_000, time,
            beside: first.map { ("\(sessions[0].elementCount) elements", $0) })
          first = first ?? time
        }
      }
    }
    return table
  }
}

/// One session and two ticks in the middle of it.
private struct TickSession {
  private let service = LocalService()
  private let path: String
  private let bodies: [[UInt8]]
  let elementCount: Int
  /// Where the slow scroll is.
  private var offset = 0

  init(
    layout: String, count: Int, viewport: (width: Int, height: Int)
  ) throws(BenchmarkError) {
    // A cycle of sizes that has no part in common with the number of columns.
    let cycle = (0..<997).map { "[\(60 + $0 * 7 % 41),\(40 + $0 * 13 % 61)]" }
    let sizes = (0..<count).map { cycle[$0 % cycle.count] }.joined(separator: ",")
    let session = try service.create(
      Array(
        """
        {"collection":{"sections":[{"header":{"width":30,"height":30},"items":{"sizes":[\(sizes)]}}]},\
        "layout":\(layout),"viewport":{"width":\(viewport.width),"height":\(viewport.height)}}
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

  mutating func microsecondsPerSlowTick(_ count: Int) throws(BenchmarkError) -> Double {
    let bodies = (0..<count).map { number in
      Array(#"{"contentOffset":{"x":0,"y":\#(offset + number * 3)}}"#.utf8)
    }
    offset += count * 3
    return try Measurement.microseconds { () throws(BenchmarkError) in
      for body in bodies { try service.post(path, body) }
    } / Double(count)
  }
}
