/// What a fuzzer has found: a promise of the code under test that is broken.
struct Finding: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The fuzzers: each makes something of bytes, and throws what it finds.
///
/// They are functions of their bytes, so that what libFuzzer found is found again by a test.
enum Fuzzer: String, CaseIterable {
  case requests, bodies, updates, queries, socket

  /// One execution.
  ///
  /// - Parameter bytes: Anything.
  /// - Throws: What is wrong.
  func run(_ bytes: [UInt8]) throws(Finding) {
    switch self {
    case .requests: try fuzzRequests(bytes)
    case .bodies: try fuzzBodies(bytes)
    case .updates: try fuzzUpdates(bytes)
    case .queries: try fuzzQueries(bytes)
    case .socket: try fuzzSocket(bytes)
    }
  }
}

/// Throws unless a condition holds.
func expect(
  _ condition: Bool, _ message: @autoclosure () -> String
) throws(Finding) {
  if !condition { throw Finding(message()) }
}
