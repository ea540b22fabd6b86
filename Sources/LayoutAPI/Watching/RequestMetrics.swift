import HTTPMessages
import Synchronization

/// What requests do to a server, counted: by operation and status, with how long they took.
///
/// Each thread of the server has counters of its own, which it alone writes: counting costs no locked
/// instruction, and threads do not share a line of the cache.
public final class RequestMetrics: Sendable {
  /// Parts of requests that are timed by themselves.
  enum Work: Int, CaseIterable {
    /// Laying out a whole description.
    case prepare
    /// Working out what a change makes of a session, without waiting for others or for a store.
    case update
  }

  private let lanes: [Lane]

  /// Makes counters, all 0.
  ///
  /// - Parameter threadCount: How many threads answer requests, at least 1.
  public init(threadCount: Int) { lanes = (0..<max(1, threadCount)).map { _ in Lane() } }

  /// Counts a part of a request.
  func count(_ work: Work, nanoseconds: UInt64, on thread: Int) {
    lane(of: thread).add(nanoseconds, at: Lane.workStart + work.rawValue * Lane.histogramSize)
  }

  /// Counts a request that has been answered.
  ///
  /// - Parameters:
  ///   - operation: What was asked for; nil if there is no such operation.
  ///   - status: What was answered.
  ///   - start: When the request was whole, in nanoseconds of `HTTPRequest.arrival`; 0 if nobody knows.
  ///   - end: When the answer was ready.
  ///   - thread: The number of the thread.
  func count(
    _ operation: Operation?, _ status: HTTPStatus, from start: UInt64, to end: UInt64,
    on thread: Int
  ) {
    let lane = lane(of: thread)
    let row = operation.map { $0.rawValue + 1 } ?? 0
    lane.increment(row * Lane.statuses.count + Lane.column(of: status))
    guard start > 0 else { return }
    lane.add(end > start ? end - start : 0, at: Lane.timeStart + row * Lane.histogramSize)
  }

  private func lane(of thread: Int) -> Lane {
    lanes.indices.contains(thread) ? lanes[thread] : lanes[0]
  }

  /// All of it, in Prometheus' text format.
  func write(to text: inout MetricsText) {
    let sums = Sums(lanes)
    text.family("layoutd_requests_total", .counter, "Requests answered, by operation and status.")
    for row in 0...Operation.allCases.count {
      for (column, status) in Lane.statuses.enumerated() {
        let count = sums[row * Lane.statuses.count + column]
        guard count > 0 else { continue }
        text.sample(
          "layoutd_requests_total",
          RequestMetrics.labels(row) + [("status", "\(status.rawValue)")], count)
      }
    }
    text.family(
      "layoutd_request_duration_seconds", .histogram,
      "From when a request was whole until its answer was ready, by operation.")
    for row in 0...Operation.allCases.count {
      let start = Lane.timeStart + row * Lane.histogramSize
      sums.write(
        "layoutd_request_duration_seconds", RequestMetrics.labels(row), at: start, to: &text)
    }
    for work in Work.allCases {
      let name = "layoutd_\(work)_duration_seconds"
      switch work {
      case .prepare:
        text.family(name, .histogram, "Laying out whole descriptions.")
      case .update:
        text.family(name, .histogram, "Working out what changes make of sessions.")
      }
      sums.write(
        name, [], at: Lane.workStart + work.rawValue * Lane.histogramSize, isAlwaysThere: true,
        to: &text)
    }
  }

  private static func labels(_ row: Int) -> [(String, String)] {
    // None in the row of what is no operation.
    let operation = Operation(rawValue: row - 1)
    for index in Routes.all.indices {
      let route = Routes.all[index]
      if let method = route.operations.first(where: { $0.operation == operation })?.method {
        return [("method", method.rawValue), ("route", route.template.description)]
      }
    }
    return [("method", ""), ("route", "")]
  }

  /// The counters of one thread: requests by operation and status, then histograms.
  private final class Lane: Sendable {
    /// What the API answers.
    static let statuses: [HTTPStatus] = [
      .ok, .created, .noContent, .notModified, .badRequest, .unauthorized, .notFound,
      .methodNotAllowed, .notAcceptable, .conflict, .lengthRequired, .preconditionFailed,
      .contentTooLarge, .unsupportedMediaType, .unprocessableContent, .tooManyRequests,
      .internalServerError, .serviceUnavailable,
    ]
    /// Upper ends in nanoseconds; the last bucket has none.
    static let bounds: [UInt64] = [
      25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000,
      25_000_000, 50_000_000, 100_000_000, 250_000_000, 1_000_000_000, 2_500_000_000,
    ]
    /// The buckets and the sum.
    static let histogramSize = bounds.count + 2
    static let rowCount = Operation.allCases.count + 1
    static let timeStart = rowCount * statuses.count
    static let workStart = timeStart + rowCount * histogramSize
    static let size = workStart + Work.allCases.count * histogramSize

    /// At least as many as are used.
    let counters: InlineArray<1280, Atomic<UInt64>>

    init() {
      precondition(Lane.size <= 1280)
      counters = InlineArray { _ in Atomic(0) }
    }

    static func column(of status: HTTPStatus) -> Int {
      // One that nobody has thought of is no success.
      statuses.firstIndex(of: status) ?? failureColumn
    }

    private static let failureColumn = statuses.firstIndex(of: .internalServerError) ?? 0

    func increment(_ index: Int, by count: UInt64 = 1) {
      let value = counters[index].load(ordering: .relaxed)
      counters[index].store(value &+ count, ordering: .relaxed)
    }

    func add(_ nanoseconds: UInt64, at start: Int) {
      let bounds = Lane.bounds
      let bucket = bounds.firstIndex { nanoseconds <= $0 } ?? bounds.count
      increment(start + bucket)
      increment(start + bounds.count + 1, by: nanoseconds)
    }
  }

  /// The counters of all threads together.
  private struct Sums {
    private var counts = [UInt64](repeating: 0, count: Lane.size)

    init(_ lanes: [Lane]) {
      for lane in lanes {
        for index in counts.indices {
          counts[index] &+= lane.counters[index].load(ordering: .relaxed)
        }
      }
    }

    subscript(index: Int) -> UInt64 { counts[index] }

    /// Writes a histogram; nothing if it is empty, unless it is always there.
    func write(
      _ name: String, _ labels: [(String, String)], at start: Int, isAlwaysThere: Bool = false,
      to text: inout MetricsText
    ) {
      let buckets = counts[start...(start + Lane.bounds.count)]
      guard isAlwaysThere || buckets.contains(where: { $0 > 0 }) else { return }
      var count: UInt64 = 0
      for (bound, bucket) in zip(Lane.bounds, buckets) {
        count &+= bucket
        text.sample(name + "_bucket", labels + [("le", MetricsText.seconds(bound))], count)
      }
      count &+= counts[start + Lane.bounds.count]
      text.sample(name + "_bucket", labels + [("le", "+Inf")], count)
      text.sample(name + "_sum", labels, MetricsText.seconds(counts[start + Lane.bounds.count + 1]))
      text.sample(name + "_count", labels, count)
    }
  }
}
