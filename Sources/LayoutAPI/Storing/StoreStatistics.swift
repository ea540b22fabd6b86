import LayoutSessions
import Synchronization

/// A counter that any thread adds to.
final class Counter: Sendable {
  private let count = Atomic<UInt64>(0)

  var value: UInt64 { count.load(ordering: .acquiring) }

  func add(_ number: UInt64) { count.wrappingAdd(number, ordering: .acquiringAndReleasing) }
}

/// What has been asked of a store, and what came of it.
final class StoreStatistics: Sendable {
  /// Sessions brought into memory again.
  let loadedCount = Counter()
  /// Sessions in memory that others had changed.
  let refreshedCount = Counter()
  /// Snapshots written anew.
  let snapshotCount = Counter()
  private let askedCount = Counter()
  private let nanoseconds = Counter()
  private let unavailableCount = Counter()
  private let uncertainCount = Counter()
  private let unreadableCount = Counter()
  private let errors = Mutex(Errors())

  private struct Errors {
    /// What cannot be read, each once: whoever is to mend it has to know all of it.
    var unreadable: [String] = []
    /// The last of everything else, which is mostly the same over and over.
    var last: String?
  }

  /// Of so much that cannot be read it is told between two calls.
  private static let unreadableLimit = 8

  /// Counts a question, or a change, that took so long.
  func count(nanoseconds: UInt64) {
    askedCount.add(1)
    self.nanoseconds.add(nanoseconds)
  }

  /// Counts what went wrong, and keeps it to be told.
  func count(_ error: StoreError) {
    errors.withLock { errors in
      if error.kind != .unreadable {
        errors.last = error.detail
      } else if errors.unreadable.count < StoreStatistics.unreadableLimit,
        !errors.unreadable.contains(error.detail)
      {
        errors.unreadable.append(error.detail)
      }
    }
    switch error.kind {
    case .unavailable: unavailableCount.add(1)
    case .uncertain: uncertainCount.add(1)
    case .unreadable: unreadableCount.add(1)
    }
  }

  /// What went wrong since the last call: all that cannot be read, and of other things the last.
  func takeErrors() -> [String] {
    errors.withLock { errors in
      defer { errors = Errors() }
      return errors.unreadable + (errors.last.map { [$0] } ?? [])
    }
  }

  /// All of it, in Prometheus' text format.
  func write(to text: inout MetricsText) {
    text.single(
      "layoutd_store_sessions_loaded_total", .counter,
      "Sessions brought into memory from the store.", loadedCount.value)
    text.single(
      "layoutd_store_sessions_refreshed_total", .counter,
      "Sessions in memory that another server had changed.", refreshedCount.value)
    text.single(
      "layoutd_store_snapshots_total", .counter,
      "Snapshots written anew where the changes, or one, had outgrown them.", snapshotCount.value)
    text.single(
      "layoutd_store_operations_total", .counter,
      "Questions to the store and changes of it, for requests.",
      askedCount.value)
    text.single(
      "layoutd_store_duration_seconds_total", .counter, "The time that they took together.",
      MetricsText.seconds(nanoseconds.value))
    text.family(
      "layoutd_store_errors_total", .counter, "What the store did not do, by what was wrong.")
    for (kind, counter) in [
      ("unavailable", unavailableCount), ("uncertain", uncertainCount),
      ("unreadable", unreadableCount),
    ] {
      text.sample("layoutd_store_errors_total", [("kind", kind)], counter.value)
    }
  }
}
