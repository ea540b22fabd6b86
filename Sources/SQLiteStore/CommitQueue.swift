import Glibc
import LayoutSessions
import Synchronization

/// Changes of many threads, committed together.
///
/// A thread puts what it wants into the queue. If nobody leads, it does: it commits what is queued until its
/// own is done, and then has one lead whose is not. The others wait until theirs is done:
///
///     a ── queues a ── leads ── commits a ─────────┐
///     b ──── queues b ── waits ────────────────────┴ leads ── commits b, c ─┐
///     c ────── queues c ── waits ───────────────────────────────────────────┴ is done
///
/// So no thread does nothing else, and the more threads there are, the more changes share a commit. Long
/// descriptions are committed a mebibyte or one at a time, in turn with all that is short: a change of a few
/// bytes waits for the commit under way, and one of those at most.
///
/// Operations of one session are not put in order here: who makes them waits for each.
final class CommitQueue: Sendable {
  private struct Waiting {
    var short: [Ticket] = []
    var long: [Ticket] = []
    /// Whose turn it is, if there are both.
    var isTurnOfLong = false
    /// Whether somebody commits what is queued.
    var isLed = false
    var isClosed = false
  }

  /// What a thread has to do for what it has queued.
  private enum Part { case leads, waits, isRefused }

  private let waiting = Mutex(Waiting())
  private let writer: Mutex<Writer?>
  private let unsettled: UnsettledChanges

  /// Opens a file that exists; makes it a store if it is empty.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - lifetime: How long sessions live.
  /// - Throws: ``StoreError``.
  init(path: String, lifetime: Lifetime) throws(StoreError) {
    unsettled = UnsettledChanges()
    writer = Mutex(try Writer(path: path, lifetime: lifetime, unsettled: unsettled))
  }

  /// Does an operation; it is on the disk when this returns.
  ///
  /// - Parameter operation: The operation.
  /// - Returns: What came of it.
  /// - Throws: ``StoreError``.
  func perform(_ operation: WriteOperation) throws(StoreError) -> StoreOutcome {
    let ticket = Ticket(operation)
    switch enqueue(ticket) {
    case .isRefused: throw .closed
    case .waits: ticket.wait()
    case .leads: break
    }
    // Who is woken and has not been served is to lead.
    if ticket.outcome == nil { lead(until: ticket) }
    switch ticket.outcome {
    case .success(let outcome): return outcome
    case .failure(let error): throw error
    case nil: throw .closed
    }
  }

  private func enqueue(_ ticket: Ticket) -> Part {
    waiting.withLock { waiting in
      guard !waiting.isClosed else { return .isRefused }
      if ticket.operation.byteCount > CommitQueue.longSize {
        waiting.long.append(ticket)
      } else {
        waiting.short.append(ticket)
      }
      defer { waiting.isLed = true }
      return waiting.isLed ? .waits : .leads
    }
  }

  /// Commits what is queued until a ticket is served, and then has the next one go on.
  private func lead(until ticket: Ticket) {
    while ticket.outcome == nil {
      let batch = takeBatch()
      writer.withLock { writer in
        if let writer { commit(batch, with: writer) } else { refuse(batch) }
      }
      for other in batch where other !== ticket { other.wake() }
    }
    waiting.withLock { waiting in
      if let next = waiting.short.first ?? waiting.long.first {
        next.wake()
      } else {
        waiting.isLed = false
      }
    }
  }

  /// Refuses what comes and what is queued, waits for the commit under way, and closes the file.
  func close() {
    waiting.withLock { waiting in
      waiting.isClosed = true
      let all = waiting.short + waiting.long
      (waiting.short, waiting.long) = ([], [])
      refuse(all)
      for ticket in all { ticket.wake() }
    }
    writer.withLock { $0 = nil }
  }

  private func refuse(_ tickets: [Ticket]) {
    for ticket in tickets { ticket.set(.failure(.closed)) }
  }

  /// Whether a commit with a change of a session has failed, and may still come to count.
  ///
  /// - Parameter id: The session.
  /// - Returns: Whether it may, which ends with the next commit that succeeds.
  func isUnsettled(_ id: SessionID) -> Bool { unsettled.contains(id) }

  /// How many operations wait for those that are being committed.
  var waitingCount: Int { waiting.withLock { $0.short.count + $0.long.count } }

  /// How many transactions have been committed.
  var commitCount: Int { writer.withLock { $0?.commitCount ?? 0 } }

  /// Tells SQLite something, for tests.
  ///
  /// - Parameter text: Statements.
  /// - Throws: ``StoreError``.
  func execute(_ text: String) throws(StoreError) {
    try writer.withLock { (writer) throws(StoreError) in try writer?.execute(text) }
  }

  private func commit(_ batch: [Ticket], with writer: Writer) {
    let operations = batch.map(\.operation)
    for (ticket, outcome) in zip(batch, writer.perform(operations[...])) {
      ticket.set(outcome)
    }
  }

  /// Takes all that is short, or the first that are long.
  private func takeBatch() -> [Ticket] {
    waiting.withLock { waiting in
      let takesLong = waiting.short.isEmpty || waiting.isTurnOfLong
      waiting.isTurnOfLong = !takesLong
      guard takesLong, !waiting.long.isEmpty else {
        defer { waiting.short = [] }
        return waiting.short
      }
      var byteCount = 0
      let end = waiting.long.firstIndex { ticket in
        defer { byteCount += ticket.operation.byteCount }
        return byteCount > 0 && byteCount + ticket.operation.byteCount > CommitQueue.batchSize
      }
      let batch = Array(waiting.long[..<(end ?? waiting.long.count)])
      waiting.long.removeFirst(batch.count)
      return batch
    }
  }

  /// So many bytes of long operations are committed together, or one.
  private static let batchSize = 1 << 20

  /// Operations of more bytes are long.
  private static let longSize = 64 << 10
}

/// An operation that somebody waits for.
@safe private final class Ticket: Sendable {
  let operation: WriteOperation
  private let result = Mutex<Writer.Outcome?>(nil)
  // Nobody but the ticket has the pointer.
  private nonisolated(unsafe) let woken: UnsafeMutablePointer<sem_t>

  init(_ operation: WriteOperation) {
    self.operation = operation
    unsafe woken = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    // Safe: allocated above, and not used before.
    _ = unsafe sem_init(woken, 0, 0)
  }

  deinit {
    // Safe: who waits for it or wakes it has the ticket.
    unsafe sem_destroy(woken)
    unsafe woken.deallocate()
  }

  /// What came of it; nil as long as it is not done.
  var outcome: Writer.Outcome? { result.withLock { $0 } }

  func set(_ outcome: Writer.Outcome) { result.withLock { $0 = outcome } }

  /// Waits until it is woken: when it has been served, or to lead.
  func wait() {
    while unsafe sem_wait(woken) != 0, errno == EINTR {}
  }

  func wake() { unsafe sem_post(woken) }
}
