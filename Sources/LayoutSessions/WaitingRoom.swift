import Glibc
public import Synchronization

/// Places for threads that sleep until another has done with a session.
///
/// All who sleep are of the same few. If all of them did, requests that have nothing to do with these sessions would
/// wait as long as a disk or a large collection takes: so who finds no place is told so, and comes again. Who is
/// told from others does not take all places: each name leaves a quarter, and one at least if there are more.
public final class WaitingRoom: Sendable {
  private let capacity: Int
  /// How long a thread without a place keeps trying the lock.
  ///
  /// Most changes and most reads of a session take less, and after a start all who look at a session ask for it at
  /// once; a client that is refused comes back only after a second.
  private let patience: Duration
  private let waiting = Mutex(Waiting())

  private struct Waiting {
    var count = 0
    var counts: [SessionOwner: Int] = [:]
    var vainCount = 0
  }

  /// Makes places.
  ///
  /// - Parameters:
  ///   - capacity: How many may sleep.
  ///   - patience: For how long others may besides.
  public init(capacity: Int = .max, patience: Duration = .milliseconds(250)) {
    self.capacity = capacity
    self.patience = patience
  }

  /// Runs a body when it is its turn.
  ///
  /// Where it is at once, nobody is counted.
  ///
  /// - Parameters:
  ///   - owner: For whom that is.
  ///   - lock: Held by whoever has the turn.
  ///   - body: What to do then.
  /// - Returns: What `body` returns; nil if others have had the turn all the time, and the places too.
  /// - Throws: What `body` throws.
  public func inTurn<State, Value, Failure: Error>(
    of owner: SessionOwner, at lock: borrowing Mutex<State>,
    _ body: (inout sending State) throws(Failure) -> sending Value
  ) throws(Failure) -> sending Value? {
    if let value = try lock.withLockIfAvailable(body) { return value }
    let beginning = ContinuousClock.now
    while !enter(owner) {
      guard ContinuousClock.now - beginning < patience else { return nil }
      usleep(1000)
      if let value = try lock.withLockIfAvailable(body) { return value }
    }
    return try lock.withLock { (state) throws(Failure) in
      leave(owner)
      return try body(&state)
    }
  }

  /// How many sleep, for tests.
  package var count: Int { waiting.withLock(\.count) }

  /// How often somebody whose turn it was not has found no place, for tests.
  package var vainCount: Int { waiting.withLock(\.vainCount) }

  private func enter(_ owner: SessionOwner) -> Bool {
    let share = owner == .anonymous ? capacity : max(1, capacity - (capacity + 3) / 4)
    return waiting.withLock { waiting in
      let own = waiting.counts[owner] ?? 0
      guard waiting.count < capacity, own < share else {
        waiting.vainCount &+= 1
        return false
      }
      waiting.count += 1
      waiting.counts[owner] = own + 1
      return true
    }
  }

  private func leave(_ owner: SessionOwner) {
    waiting.withLock { waiting in
      waiting.count -= 1
      let own = waiting.counts[owner] ?? 1
      waiting.counts[owner] = own > 1 ? own - 1 : nil
    }
  }
}
