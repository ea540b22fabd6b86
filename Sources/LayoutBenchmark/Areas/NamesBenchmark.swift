import LayoutCore
import LayoutSessions

/// Whether a change that brings names costs what it brings, however many names there are.
///
/// The core alone is measured, as in ``UpdateBenchmark``: each measurement changes the same first value,
/// whose names are known, as they are from a session's first such change on.
struct NamesBenchmark: Benchmark {
  var isQuick: Bool

  private var rounds: Int { isQuick ? 1 : 7 }
  private static let fewest = 1000

  func run(_ report: inout Report) throws(BenchmarkError) {
    var table = Table(title: "changes that bring names; \(rounds) rounds, one thread, not pinned")
    let states = try [
      [Self.fewest, isQuick ? 10_000 : 1_000_000].map { (count) throws(BenchmarkError) in
        try NamedState(itemCount: count, sectionCount: 1)
      },
      [Self.fewest, isQuick ? 10_000 : 100_000].map { (count) throws(BenchmarkError) in
        try NamedState(itemCount: 0, sectionCount: count)
      },
    ]
    for _ in 0..<rounds {
      for sizes in states {
        var few: [String: Double] = [:]
        for state in sizes {
          for (name, time) in try state.times() {
            table.record(
              name, count: state.nameCount, time,
              beside: few[name].map { ("\(Self.fewest) names", $0) })
            if state.nameCount == Self.fewest { few[name] = time }
          }
        }
      }
    }
    report.add(table)
  }
}

/// Named items of one section, or named sections without items, with their layout.
private struct NamedState {
  private let layout = FlowLayout()
  private let content: Content
  private let prepared: PreparedLayout
  private let names: CollectedNames
  /// How many of the names there are that matter.
  let nameCount: Int
  private let namesItems: Bool

  init(itemCount: Int, sectionCount: Int) throws(BenchmarkError) {
    namesItems = itemCount > 0
    nameCount = max(itemCount, sectionCount)
    let items = NamedState.items(0..<itemCount)
    content = Content(sections: (0..<sectionCount).map { Section(id: "\($0)", items: items) })
    let (content, layout) = (content, layout)
    prepared = try Measurement.expect {
      try PreparedLayout(
        content, layout: layout, viewport: Viewport(size: Size(width: 800, height: 600)))
    }
    var batch = BatchUpdate()
    batch.insertSections = [(0, Section(id: "new", items: NamedState.items(-1..<0)))]
    let known = CollectedNames()
    _ = try Measurement.expect { try batch.applied(to: content, names: known) }
    names = known
  }

  private static func items(_ names: Range<Int>) -> Items {
    var ids = StringTable()
    for name in names {
      ids.bytes += "\(name)".utf8
      ids.offsets.append(UInt32(ids.bytes.count))
    }
    return Items(
      count: names.count,
      extents: .sizes(
        widths: LengthArray(count: names.count) { Length(points: 40 + $0 % 40) },
        heights: LengthArray(count: names.count) { Length(points: 40 + $0 % 30) }),
      ids: names.isEmpty ? nil : ids)
  }

  /// What each change takes; µs.
  func times() throws(BenchmarkError) -> [(name: String, time: Double)] {
    let noun = namesItems ? "item" : "section"
    let added = batch(NamedState.items(-1..<0), ["new"])
    let refused = batch(NamedState.items(0..<64), (0..<64).map { "\($0)" })
    return [
      (
        "a new \(noun)",
        try Measurement.repeatedMicroseconds {
          let updated = try added.applied(to: content, names: names)
          _ = try PreparedLayout(updating: prepared, to: updated, layout: layout)
        }
      ),
      (
        "64 \(noun)s of names that exist, and a batch without",
        try Measurement.repeatedMicroseconds { _ = refused.repaired(for: content, names: names) }
      ),
    ]
  }

  /// A batch that brings items, or sections of names.
  private func batch(_ items: Items, _ sections: [String]) -> BatchUpdate {
    var batch = BatchUpdate()
    if namesItems {
      batch.insertItems = [(IndexPath(item: nameCount / 2, section: 0), items)]
    } else {
      batch.insertSections = sections.enumerated().map {
        (nameCount / 2 + $0, Section(id: $1))
      }
    }
    return batch
  }
}
