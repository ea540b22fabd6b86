import LayoutCore

/// What a change costs beside laying everything out anew, by the number of items.
///
/// The core alone is measured: content and layout of one section, with all that a session keeps. Each
/// measurement changes the same first value, which no change alters.
struct UpdateBenchmark: Benchmark {
  var isQuick: Bool

  private var rounds: Int { isQuick ? 1 : 7 }
  private var counts: [Int] { isQuick ? [1000, 10_000] : [10_000, 100_000, 1_000_000] }

  private struct Subject {
    var name: String
    var layout: any CollectionLayout
    var isEqual = false
  }

  private static var subjects: [Subject] {
    [
      Subject(name: "list", layout: ListLayout()),
      Subject(name: "flow", layout: FlowLayout()),
      Subject(name: "flow, equal items", layout: FlowLayout(), isEqual: true),
      Subject(name: "pagedGrid", layout: PagedGridLayout()),
      Subject(name: "coverFlow", layout: CoverFlowLayout()),
      Subject(name: "wheel", layout: WheelLayout()),
      Subject(name: "banner", layout: BannerLayout()),
      Subject(name: "waterfall", layout: EngineSubject.waterfallLayout()),
      Subject(
        name: "waterfall, equal items", layout: EngineSubject.waterfallLayout(), isEqual: true),
      Subject(name: "waterfall, in turn", layout: EngineSubject.waterfallLayout(inTurn: true)),
      Subject(name: "waterfall, in turn, 400 columns", layout: manyInTurn),
    ]
  }

  private static var manyInTurn: WaterfallLayout {
    var layout = EngineSubject.waterfallLayout(columnCount: 400, inTurn: true)
    layout.minimumColumnSpacing = 0
    return layout
  }

  func run(_ report: inout Report) throws(BenchmarkError) {
    for subject in Self.subjects {
      let states = try counts.map { (count) throws(BenchmarkError) in
        try State(subject.layout, count: count, isEqual: subject.isEqual)
      }
      var table = Table(
        title: "changes of a \(subject.name); \(rounds) rounds, one thread, not pinned")
      for _ in 0..<rounds {
        for (count, state) in zip(counts, states) {
          let rebuild = try state.rebuild()
          table.record("rebuild", count: count, rebuild)
          for change in Change.allCases {
            table.record(
              change.rawValue, count: count, try state.time(change), beside: ("rebuild", rebuild))
          }
        }
      }
      report.add(table)
    }
  }
}

private enum Change: String, CaseIterable {
  case insertAtStart = "insert one at the start"
  case insertInMiddle = "insert one in the middle"
  case insertAtEnd = "insert one at the end"
  case resize = "resize one in the middle"
  case delete = "delete 1,000 scattered"
  case move = "move one from the end to the start"
  case movement = "a movement of one step by hand"

  /// The batch; nil for a movement by hand.
  func batch(_ count: Int) -> BatchUpdate? {
    var batch = BatchUpdate()
    let one = Items(
      count: 1,
      extents: .sizes(
        widths: LengthArray(count: 1) { _ in 77 }, heights: LengthArray(count: 1) { _ in 61 }))
    func path(_ item: Int) -> IndexPath { IndexPath(item: item, section: 0) }
    switch self {
    case .insertAtStart: batch.insertItems = [(path(0), one)]
    case .insertInMiddle: batch.insertItems = [(path(count / 2), one)]
    case .insertAtEnd: batch.insertItems = [(path(count), one)]
    case .resize: batch.reloadItems = [(path(count / 2), one)]
    case .delete:
      let step = max(1, count / 1000)
      batch.deleteItems = (0..<min(1000, count)).map {
        ItemRange(section: 0, start: $0 * step, end: $0 * step + 1)
      }
    case .move: batch.moveItems = [(path(count - 1), path(0))]
    case .movement: return nil
    }
    return batch
  }
}

/// Content with its layout, as a session keeps it.
private struct State {
  private let layout: any CollectionLayout
  private let content: Content
  private let prepared: PreparedLayout
  private let count: Int

  init(_ layout: any CollectionLayout, count: Int, isEqual: Bool) throws(BenchmarkError) {
    self.layout = layout
    self.count = count
    var random = RandomNumbers(seed: 1)
    let widths = LengthArray(count: count) { _ in
      isEqual ? 60 : Length(millionths: Int64(SizePool.width(&random)))
    }
    let heights = LengthArray(count: count) { _ in
      isEqual ? 60 : Length(millionths: Int64(SizePool.height(&random)))
    }
    content = Content(sections: [
      Section(items: Items(count: count, extents: .sizes(widths: widths, heights: heights)))
    ])
    let content = content
    prepared = try Measurement.expect {
      try PreparedLayout(content, layout: layout, viewport: State.viewport)
    }
  }

  private static let viewport = Viewport(size: Size(width: 800, height: 600))

  /// Laying everything out, from the content as a session has it; µs.
  func rebuild() throws(BenchmarkError) -> Double {
    try Measurement.expect {
      try Measurement.microseconds {
        _ = try PreparedLayout(content, layout: layout, viewport: State.viewport)
      }
    }
  }

  /// A change; µs.
  func time(_ change: Change) throws(BenchmarkError) -> Double {
    try Measurement.repeatedMicroseconds { try apply(change) }
  }

  private func apply(_ change: Change) throws {
    guard let batch = change.batch(count) else { return try move() }
    let updated = try batch.applied(to: content)
    _ = try PreparedLayout(updating: prepared, to: updated, layout: layout)
  }

  /// Takes an item in the middle up, puts it before the one before it and lets it go.
  private func move() throws {
    let source = IndexPath(item: count / 2, section: 0)
    let before = IndexPath(item: count / 2 - 1, section: 0)
    let offset = prepared.contentOffset(centering: source, from: .zero)
    guard
      var movement = InteractiveMovement(
        of: source, at: nil, within: nil, content: content, layout: prepared,
        contentOffset: offset),
      let frame = prepared.attributes(of: .cell, at: before, contentOffset: offset)?.frame
    else { return }
    let point = Point(
      x: frame.minX + frame.width.halved, y: frame.minY + frame.height.halved)
    _ = try movement.update(to: point, collection: layout, contentOffset: offset)
    var layout = movement.layout
    layout.putDown()
  }
}
