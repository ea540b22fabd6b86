/// Whether a billion equal items cost what a thousand do: what a service is asked, without HTTP.
struct CountsBenchmark: Benchmark {
  var isQuick: Bool

  private var rounds: Int { isQuick ? 1 : 7 }
  /// How many requests are one measurement.
  private var repetitions: Int { isQuick ? 5 : 100 }
  private static let counts = [1000, 1_000_000_000]

  private static let layouts: [(name: String, json: String)] = [
    ("list", #"{"kind":"list"}"#),
    ("flow", #"{"kind":"flow"}"#),
    ("waterfall", #"{"kind":"waterfall"}"#),
    ("waterfall, in turn", #"{"kind":"waterfall","itemRenderDirection":"leftToRight"}"#),
    ("pagedGrid", #"{"kind":"pagedGrid"}"#),
  ]

  func run(_ report: inout Report) throws(BenchmarkError) {
    for layout in Self.layouts {
      var table = Table(
        title:
          "equal items in a \(layout.name), without HTTP; \(rounds) rounds, one thread, not pinned")
      for _ in 0..<rounds {
        var few: [String: Double] = [:]
        for count in Self.counts {
          for (name, time) in try measure(layout.json, count) {
            table.record(
              name, count: count, time, beside: few[name].map { ("1000 items", $0) },
              target: .ratioAtMost(2))
            if count == Self.counts[0] { few[name] = time }
          }
        }
      }
      report.add(table)
    }
  }

  private func measure(
    _ layout: String, _ count: Int
  ) throws(BenchmarkError) -> [(name: String, time: Double)] {
    let service = LocalService()
    let body = Array(
      """
      {"collection":{"sections":[{"items":{"count":\(count)}}]},"layout":\(layout),\
      "viewport":{"width":600,"height":400}}
      """.utf8)
    let session = try service.create(body)
    let create = try time { (_) throws(BenchmarkError) in _ = try service.create(body) }
    let ticks = [session.tick(), session.tick(17)]
    let tick = try time { (number) throws(BenchmarkError) in
      try service.post(session.path + "/scroll", ticks[number % 2])
    }
    var times = [("create", create), ("tick", tick)]
    var total = count
    for (name, place) in [("start", 0.0), ("middle", 0.5), ("end", 1)] {
      let insert = try time { (_) throws(BenchmarkError) in
        let place = Int(Double(total) * place)
        try service.post(
          session.path + "/updates",
          Array(#"{"insertItems":[{"section":0,"at":\#(place),"items":{"count":1}}]}"#.utf8))
        total += 1
      }
      let delete = try time { (_) throws(BenchmarkError) in
        let place = Int(Double(total - 1) * place)
        try service.post(
          session.path + "/updates",
          Array(#"{"deleteItems":[{"section":0,"start":\#(place),"end":\#(place + 1)}]}"#.utf8))
        total -= 1
      }
      times += [("insert, \(name)", insert), ("delete, \(name)", delete)]
    }
    // One of another size makes a mixed section of them, and one like the others an equal one again.
    var sizes = [#"{"sizes":[[77,61]]}"#, #"{"count":1}"#]
    let reload = try time { (_) throws(BenchmarkError) in
      try service.post(
        session.path + "/updates",
        Array(
          #"{"reloadItems":[{"section":0,"start":\#(count / 2),"items":\#(sizes[0])}]}"#.utf8))
      sizes.swapAt(0, 1)
    }
    times.append(("another size in the middle, and back", reload))
    return times
  }

  /// µs for each of some calls.
  private func time(
    _ body: (Int) throws(BenchmarkError) -> Void
  ) throws(BenchmarkError) -> Double {
    try Measurement.microseconds { () throws(BenchmarkError) in
      for number in 0..<repetitions { try body(number) }
    } / Double(repetitions)
  }
}
