import LayoutSessions
import Synchronization

/// Sessions of which a change is in the log, from a commit that failed: after a crash it would count.
final class UnsettledChanges: Sendable {
  private let ids = Mutex<Set<SessionID>>([])

  /// Notes sessions.
  func note(_ sessions: [SessionID]) { ids.withLock { $0.formUnion(sessions) } }

  /// Notes that what the log has of them never counts.
  func removeAll() { ids.withLock { $0 = [] } }

  /// Whether there are none.
  var isEmpty: Bool { ids.withLock(\.isEmpty) }

  /// Whether a session is one.
  func contains(_ id: SessionID) -> Bool { ids.withLock { $0.contains(id) } }
}
