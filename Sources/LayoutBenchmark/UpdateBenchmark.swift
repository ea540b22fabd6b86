import Glibc
import LayoutCore

/// What a change costs beside laying everything out anew, by the number of items.
///
/// The core alone is measured: content and layout of one section, with all that a session keeps. Each
/// measurement changes the same first value, which no change alters.
struct UpdateBenchmark {
  var isQuick: Bool

  private var rounds: Int { isQuick ? 1 : 7 }
  private var counts: [Int] { isQuick ? [1000, 10_000] : [10_000, 100_000, 1_000_000] }

  private struct Subject {
    var name: String
    var layout: any CollectionLayout
    var isEqual = false
  }

  private static var subjects: [Subject] {
    var waterfall = WaterfallLayout()
    waterfall.columns = .count(4)
    return [
      Subject(name: "list", layout: ListLayout()),
      Subject(name: "flow", layout: FlowLayout()),
      Subject(name: "flow, equal items", layout: FlowLayout(), isEqual: true),
      Subject(name: "pagedGrid", layout: PagedGridLayout()),
      Subject(name: "coverFlow", layout: CoverFlowLayout()),
      Subject(name: "wheel", layout: WheelLayout()),
      Subject(name: "banner", layout: BannerLayout()),
      Subject(name: "waterfall", layout: waterfall),
    ]
  }

  func run() throws(BenchmarkError) {
    for subject in Self.subjects {
      let states = try counts.map { (count) throws(BenchmarkError) in
        try State(subject.layout, count: count, isEqual: subject.isEqual)
      }
      var table = Table(
        title:
          "Changes of a \(subject.name); median of \(rounds) interleaved rounds, µs (÷ rebuild)",
        header: ["change"] + counts.map { "\($0) items" } + ["last ÷ first"])
      var rebuilds = counts.map { _ in [Double]() }
      for _ in 0..<rounds {
        for (index, state) in states.enumerated() {
          rebuilds[index].append(try state.rebuild())
        }
      }
      let rebuild = rebuilds.map { Measurement.median($0) }
      table.rows.append(
        ["rebuild"] + rebuild.map { Measurement.text($0) }
          + [Measurement.text(rebuild[rebuild.count - 1] / rebuild[0])])
      for change in Change.allCases {
        var times = counts.map { _ in [Double]() }
        for _ in 0..<rounds {
          for (index, state) in states.enumerated() { times[index].append(try state.time(change)) }
        }
        let medians = times.map { Measurement.median($0) }
        table.rows.append(
          [change.rawValue]
            + zip(medians, rebuild).map {
              "\(Measurement.text($0)) (\(Measurement.share(of: $0, in: $1)))"
            }
            + [Measurement.text(medians[medians.count - 1] / medians[0])])
      }
      table.printOut()
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
    // Sizes of which none repeats another's place: nothing for a branch predictor to learn.
    var random: UInt64 = 88_172_645_463_325_252
    func next() -> UInt64 {
      random ^= random << 13
      random ^= random >> 7
      random ^= random << 17
      return random
    }
    let widths = LengthArray(count: count) { _ in
      isEqual ? 60 : Length(millionths: 50_000_000 + Int64(next() % 100_000_000))
    }
    let heights = LengthArray(count: count) { _ in
      isEqual ? 60 : Length(millionths: 50_000_000 + Int64(next() % 250_000_000))
    }
    content = Content(sections: [
      Section(items: Items(count: count, extents: .sizes(widths: widths, heights: heights)))
    ])
    do {
      prepared = try PreparedLayout(content, layout: layout, viewport: State.viewport)
    } catch {
      throw BenchmarkError(message: "\(error)")
    }
  }

  private static let viewport = Viewport(size: Size(width: 800, height: 600))

  /// Laying everything out, from the content as a session has it; µs.
  func rebuild() throws(BenchmarkError) -> Double {
    try State.microseconds {
      _ = try PreparedLayout(content, layout: layout, viewport: State.viewport)
    }
  }

  /// A change, repeated as long as it is short; µs.
  func time(_ change: Change) throws(BenchmarkError) -> Double {
    let once = try State.microseconds { try apply(change) }
    let repetitions = max(1, min(200, Int(2000 / max(1, once))))
    return try State.microseconds {
      for _ in 0..<repetitions { try apply(change) }
    } / Double(repetitions)
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

  private static func microseconds(_ body: () throws -> Void) throws(BenchmarkError) -> Double {
    var start = timespec()
    var end = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &start)
    do { try body() } catch { throw BenchmarkError(message: "\(error)") }
    unsafe clock_gettime(CLOCK_MONOTONIC, &end)
    return Double(end.tv_sec - start.tv_sec) * 1e6 + Double(end.tv_nsec - start.tv_nsec) / 1000
  }
}

extension Measurement {
  /// A share as one over something: how many times as fast.
  fileprivate static func share(of part: Double, in whole: Double) -> String {
    part < whole ? "1/\(text(whole / part))" : "\(text(part / whole))×"
  }
}
