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
  private let lastError = Mutex<String?>(nil)

  /// Counts a question, or a change, that took so long.
  func count(nanoseconds: UInt64) {
    askedCount.add(1)
    self.nanoseconds.add(nanoseconds)
  }

  /// Counts what went wrong, and keeps the last of it.
  func count(_ error: StoreError) {
    lastError.withLock { $0 = error.detail }
    switch error.kind {
    case .unavailable: unavailableCount.add(1)
    case .uncertain: uncertainCount.add(1)
    case .unreadable: unreadableCount.add(1)
    }
  }

  /// What went wrong since the last call; of several things, the last.
  func takeError() -> String? {
    lastError.withLock { error in
      defer { error = nil }
      return error
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
      "Snapshots written anew because the changes had outgrown them.", snapshotCount.value)
    text.single(
      "layoutd_store_operations_total", .counter, "Questions to the store and changes of it.",
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
