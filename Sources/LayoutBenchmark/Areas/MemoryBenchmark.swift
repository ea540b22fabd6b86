import CBenchmark
import Glibc
import LayoutCore
import LayoutSessions

/// What an item takes in memory, description and layout, beside what sessions are accounted with.
///
/// Each layout has a fresh process, in which nothing else was freed that it could have used again.
struct MemoryBenchmark: Benchmark {
  var isQuick: Bool

  private var rounds: Int { isQuick ? 1 : 3 }
  private var count: Int { isQuick ? 100_000 : 1_000_000 }

  private static let targets: [(name: String, bytes: Double)] = [
    ("list", 12), ("flow", 20), ("waterfall of 4 columns", 12),
  ]

  func run(_ report: inout Report) throws(BenchmarkError) {
    var table = Table(
      title:
        "bytes an item of random width and height, 32 bits each; \(rounds) processes, after malloc_trim"
    )
    for _ in 0..<rounds {
      for (name, bytes) in Self.targets {
        let figures = try Program.run([Program.benchmark, "--memory", name, "\(count)"])
          .split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard figures.count == 3 else { throw BenchmarkError(message: "no memory of a \(name)") }
        let estimate = ("accounted", figures[2] / Double(count))
        table.record(
          "\(name), resident", count: count, unit: "B", figures[0] / Double(count),
          beside: estimate, target: .atMost(bytes))
        table.record(
          "\(name), allocated", count: count, unit: "B", figures[1] / Double(count),
          beside: estimate)
      }
    }
    report.add(table)
  }

  /// The fresh process: prints how many bytes became resident, were allocated, and are accounted.
  static func measure(_ name: String, count: Int) throws(BenchmarkError) {
    guard let subject = EngineSubject.all.first(where: { $0.name == name }) else {
      throw BenchmarkError(message: "no layout \(name)")
    }
    // All code has run once, so that its pages are there.
    _ = try document(subject, count: 1000)
    let before = Use()
    let document = try document(subject, count: count)
    let after = Use()
    print(
      "\(after.resident - before.resident) \(after.allocated - before.allocated) \(document.byteCount)"
    )
  }

  private static func document(
    _ subject: EngineSubject, count: Int
  ) throws(BenchmarkError) -> Session.Document {
    var random = RandomNumbers(seed: 1)
    var sizes = Sizes(widths: [], heights: [])
    sizes.widths.reserveCapacity(count)
    sizes.heights.reserveCapacity(count)
    for _ in 0..<count {
      sizes.widths.append(SizePool.width(&random))
      sizes.heights.append(SizePool.height(&random))
    }
    let description = Description(
      content: sizes.content, layout: subject.layout,
      viewport: Viewport(size: Size(width: 800, height: 600)))
    let layout = try Measurement.expect {
      try PreparedLayout(
        description.content, layout: description.layout, viewport: description.viewport)
    }
    return Session.Document(description: description, layout: layout)
  }

  /// What this process has.
  private struct Use {
    /// Its anonymous pages.
    let resident: Int
    /// What it has from malloc.
    let allocated: Int

    init() {
      allocated = process_allocated()
      // Safe: the text is there for the length of the call.
      resident = unsafe process_memory_kib(getpid(), "RssAnon") * 1024
    }
  }
}
