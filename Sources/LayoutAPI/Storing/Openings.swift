import LayoutSessions
import Synchronization

/// Who brings which session into memory: of several requests for one session one does, and the others wait for
/// what comes of it.
///
/// Each would read all of it, and lay it out: as many copies as there are workers, and as much work. Requests for
/// different sessions do not wait for each other.
final class Openings: Sendable {
  private struct Key: Hashable {
    var id: SessionID
    var owner: SessionOwner
  }

  private final class Turn: Sendable {
    /// Held by whoever has the turn; what went wrong, which goes wrong for those who wait for it too.
    let failed = Mutex<Failed?>(nil)
  }

  private struct Failed {
    var failure: Failure
    /// Whether it was for one who is to scroll, which more is wanted for than to know something.
    var wasScrolling: Bool
  }

  private struct Entry {
    var turn = Turn()
    /// Who has the turn or waits for it.
    var count = 0
  }

  private let entries = Mutex<[Key: Entry]>([:])

  /// Brings a session into memory, or waits for whoever does.
  ///
  /// - Parameters:
  ///   - id: The session.
  ///   - owner: Whose it must be.
  ///   - isScrolling: Whether the store is told that it is scrolled here, which it may refuse where it lets others
  ///     read.
  ///   - room: Where to wait if that takes longer.
  ///   - body: Looks whether it has come into memory, and brings it there otherwise. One of the same session runs
  ///     at a time. It must not ask for a session itself.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, or threw for the one that was waited for; 503 if no more may wait.
  func inTurn<Value>(
    _ id: SessionID, of owner: SessionOwner, isScrolling: Bool, waitingIn room: WaitingRoom,
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let key = Key(id: id, owner: owner)
    let turn = enter(key)
    defer { leave(key, turn) }
    let value = try room.inTurn(of: owner, at: turn.failed) { (failed) throws(Failure) in
      if let failed, isScrolling || !failed.wasScrolling { throw failed.failure }
      do throws(Failure) {
        return try body()
      } catch {
        failed = Failed(failure: error, wasScrolling: isScrolling)
        // Who comes from now on tries anew.
        entries.withLock { if $0[key]?.turn === turn { $0[key] = nil } }
        throw error
      }
    }
    if let value { return value }
    throw .problem(
      Problem(.unavailable, "the session is being read, and many wait already; ask again"))
  }

  /// How many bring sessions into memory or wait for it, for tests.
  var count: Int { entries.withLock { $0.values.reduce(0) { $0 + $1.count } } }

  /// Lines up; whoever is the first begins.
  private func enter(_ key: Key) -> Turn {
    entries.withLock { entries in
      var entry = entries[key] ?? Entry()
      entry.count += 1
      entries[key] = entry
      return entry.turn
    }
  }

  private func leave(_ key: Key, _ turn: Turn) {
    entries.withLock { entries in
      guard let entry = entries[key], entry.turn === turn else { return }
      entries[key]?.count -= 1
      if entry.count == 1 { entries[key] = nil }
    }
  }
}
