import CBenchmark
import LayoutCore

/// The core alone beside loops in C that do the same work on the same sizes and agree with it to the
/// last digit.
struct EngineBenchmark: Benchmark {
  var isQuick: Bool

  private var rounds: Int { isQuick ? 1 : 7 }
  private var counts: [Int] { isQuick ? [1000, 10_000] : [10_000, 100_000, 1_000_000] }

  func run(_ report: inout Report) throws(BenchmarkError) {
    // Enough that no two measurements of a round take the same items.
    var pool = SizePool(count: (counts.last ?? 0) * 3 / 2)
    for subject in EngineSubject.all {
      var table = Table(
        title:
          "\(subject.name), random sizes, new ones in each round; \(rounds) rounds, one thread, not pinned"
      )
      var trials: [EngineTrial] = []
      for count in counts { trials.append(try EngineTrial(subject, count: count)) }
      for round in 0..<rounds {
        for trial in trials { try trial.run(round, &pool, &table) }
      }
      table.compareCounts(of: EngineTrial.rectQuery, target: .ratioAtMost(1.5))
      report.add(table)
    }
    var table = Table(
      title: "full layouts by what is said of the items, beside the same with a size each")
    for _ in 0..<rounds { try DescriptionTrial(count: counts[1]).run(&pool, &table) }
    report.add(table)
    var sections = Table(title: "full layouts of many sections, beside the same items in one")
    for _ in 0..<rounds { try SectionTrial(count: counts[1]).run(&pool, &sections) }
    report.add(sections)
  }
}

/// A layout with the loops that do its work, and what the engine is to reach.
struct EngineSubject {
  var name: String
  var kind: loop_kind
  /// Of a waterfall.
  var columnCount = 0
  var layout: any CollectionLayout
  /// For W1 and W5, beside C; nil for arithmetic, where there is no loop.
  var arrangeTarget: Table.Target?
  /// For W3 and W4.
  var changeTarget: Table.Target?

  var isArithmetic: Bool { kind == .paged_grid }
  /// Whether a change lays all items out anew that follow it.
  var movesWhatFollows: Bool { kind == .waterfall }

  static var all: [EngineSubject] {
    [
      EngineSubject(
        name: "list", kind: .list, layout: ListLayout(),
        arrangeTarget: .ratioAtMost(1.3), changeTarget: .atMost(5)),
      EngineSubject(
        name: "flow", kind: .flow, layout: FlowLayout(),
        arrangeTarget: .ratioAtMost(1.3), changeTarget: .atMost(50)),
      waterfall(columnCount: 4), waterfall(columnCount: 12),
      EngineSubject(name: "pagedGrid", kind: .paged_grid, layout: PagedGridLayout()),
    ]
  }

  /// The loops have four columns, or twelve.
  private static func waterfall(columnCount: Int) -> EngineSubject {
    EngineSubject(
      name: "waterfall of \(columnCount) columns", kind: .waterfall, columnCount: columnCount,
      layout: waterfallLayout(columnCount: columnCount), arrangeTarget: .ratioAtMost(1.3))
  }

  /// How long one layout of some content takes, in microseconds.
  static func layoutTime(
    of content: Content, _ layout: any CollectionLayout, displayScale: DisplayScale? = nil
  ) throws(BenchmarkError) -> Double {
    let viewport = Viewport(size: Size(width: 800, height: 600), displayScale: displayScale)
    return try Measurement.expect {
      try Measurement.microseconds {
        _ = try PreparedLayout(content, layout: layout, viewport: viewport)
      }
    }
  }

  static func waterfallLayout(columnCount: Int = 4, inTurn: Bool = false) -> WaterfallLayout {
    var waterfall = WaterfallLayout()
    waterfall.columns = .count(columnCount)
    if inTurn { waterfall.itemRenderDirection = .leftToRight }
    return waterfall
  }
}
