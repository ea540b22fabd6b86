import Glibc

/// Why a benchmark could not be run.
struct BenchmarkError: Error {
  var message: String
}

/// Clocks, medians and figures as text.
enum Measurement {
  /// How many processors this process may use.
  static let coreCount = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))

  /// The middle value; of an even number the greater of the two.
  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
  }

  /// Three digits that count.
  static func text(_ value: Double) -> String {
    guard value.isFinite else { return "–" }
    let decimals = value < 1 ? 1000.0 : value < 10 ? 100.0 : value < 100 ? 10.0 : 1.0
    let rounded = (value * decimals).rounded() / decimals
    return decimals == 1 ? "\(Int(rounded))" : "\(rounded)"
  }

  /// How long something takes, in microseconds.
  static func microseconds<Failure: Error>(
    _ body: () throws(Failure) -> Void
  ) throws(Failure) -> Double {
    var start = timespec()
    var end = timespec()
    // Safe: both are variables of this frame.
    unsafe clock_gettime(CLOCK_MONOTONIC, &start)
    try body()
    unsafe clock_gettime(CLOCK_MONOTONIC, &end)
    return Double(end.tv_sec - start.tv_sec) * 1e6 + Double(end.tv_nsec - start.tv_nsec) / 1000
  }

  /// The same in milliseconds.
  static func milliseconds<Failure: Error>(
    _ body: () throws(Failure) -> Void
  ) throws(Failure) -> Double {
    try microseconds(body) / 1000
  }

  /// How long a call of the core takes, repeated as long as it is short; in microseconds.
  static func repeatedMicroseconds(_ body: () throws -> Void) throws(BenchmarkError) -> Double {
    try expect {
      let once = try microseconds(body)
      let repetitions = max(1, min(200, Int(2000 / max(1, once))))
      return try microseconds {
        for _ in 0..<repetitions { try body() }
      } / Double(repetitions)
    }
  }

  /// Calls the core, of whose refusals none is expected.
  static func expect<Result>(_ body: () throws -> Result) throws(BenchmarkError) -> Result {
    do { return try body() } catch { throw BenchmarkError(message: "\(error)") }
  }
}

/// Numbers that look random and are the same in every run.
struct RandomNumbers {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next(below limit: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(truncatingIfNeeded: (state >> 16) % UInt64(limit))
  }
}

extension RandomNumbers {
  /// The sizes of so many items in JSON, with commas between.
  mutating func sizes(_ count: Int) -> String {
    (0..<count).map { _ in "[\(60 + next(below: 40)),\(40 + next(below: 60))]" }
      .joined(separator: ",")
  }

  /// A flow of items of such sizes, as a client describes it.
  mutating func flow(of count: Int, _ viewport: (width: Int, height: Int)) -> [UInt8] {
    Array(
      """
      {"collection":{"sections":[{"items":{"sizes":[\(sizes(count))]}}]},\
      "layout":{"kind":"flow"},"viewport":{"width":\(viewport.width),"height":\(viewport.height)}}
      """.utf8)
  }
}
