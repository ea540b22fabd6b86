import LayoutSessions
import Synchronization

/// Uses of sessions that could not be written: the disk is full, or another program holds the file.
///
/// Until they are, the file says that such a session expires earlier than it does.
final class UnwrittenUses: Sendable {
  /// When sessions expire.
  private let ends = Mutex<[SessionID: Int64]>([:])

  /// Notes uses.
  ///
  /// - Parameters:
  ///   - ids: The sessions.
  ///   - end: When they expire.
  ///   - now: What time it is.
  func note(_ ids: [SessionID], until end: Int64, at now: Int64) {
    ends.withLock { ends in
      if ends.count + ids.count > UnwrittenUses.capacity { ends = ends.filter { $0.value >= now } }
      for id in ids where ends.count < UnwrittenUses.capacity || ends[id] != nil { ends[id] = end }
    }
  }

  /// Forgets uses, which are written.
  func forget(_ ids: some Sequence<SessionID>) {
    ends.withLock { ends in for id in ids { ends[id] = nil } }
  }

  /// Whether there are none.
  var isEmpty: Bool { ends.withLock(\.isEmpty) }

  /// All of them: which sessions, and when they expire.
  var all: [SessionID: Int64] { ends.withLock(\.self) }

  /// When a session has to expire according to the file, at the earliest, not to have expired.
  ///
  /// - Parameters:
  ///   - id: The session.
  ///   - now: What time it is.
  /// - Returns: Now, or the beginning of time if there is a use that the file does not know of.
  func earliestEnd(of id: SessionID, at now: Int64) -> Int64 {
    ends.withLock { ends in ends[id].map { $0 >= now } == true ? .min : now }
  }

  /// About as many sessions as anybody has in memory, in a few mebibytes.
  private static let capacity = 1 << 17
}
