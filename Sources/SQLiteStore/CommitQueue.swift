import LayoutSessions
import Synchronization

/// Changes of many threads, committed together.
///
/// A thread puts what it wants into the queue and then waits for the writer. Whoever gets it
/// commits all that is queued; the others find theirs done when they get it:
///
///     a ── queues a ── gets the writer ── commits a ──────────┐
///     b ──── queues b ── waits ───────────────────────────────┴ gets it: commits b, c ─┐
///     c ────── queues c ── waits ──────────────────────────────────────────────────────┴ is done
///
/// So nobody waits for more than the commit under way and the next one, no thread does nothing
/// else, and the more threads there are, the more changes share a commit.
final class CommitQueue: Sendable {
  private struct Waiting {
    var tickets: [Ticket] = []
    var isClosed = false
  }

  private let waiting = Mutex(Waiting())
  private let writer: Mutex<Writer?>

  /// Opens a file that exists; makes it a store if it is empty.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - lifetime: How long sessions live.
  /// - Throws: ``StoreError``.
  init(path: String, lifetime: Lifetime) throws(StoreError) {
    writer = Mutex(try Writer(path: path, lifetime: lifetime))
  }

  /// Does an operation; it is on the disk when this returns.
  ///
  /// - Parameter operation: The operation.
  /// - Returns: What came of it.
  /// - Throws: ``StoreError``.
  func perform(_ operation: WriteOperation) throws(StoreError) -> StoreOutcome {
    let ticket = Ticket(operation)
    let isClosed = waiting.withLock { waiting in
      if !waiting.isClosed { waiting.tickets.append(ticket) }
      return waiting.isClosed
    }
    guard !isClosed else { throw .closed }
    return try writer.withLock { (writer) throws(StoreError) -> StoreOutcome in
      // Once, unless so much was queued before that it needs several commits.
      while ticket.outcome == nil {
        let batch = takeBatch()
        guard let writer, !batch.isEmpty else { throw .closed }
        commit(batch, with: writer)
      }
      switch ticket.outcome {
      case .success(let outcome): return outcome
      case .failure(let error): throw error
      case nil: throw .closed
      }
    }
  }

  /// Refuses what comes, waits for the commit under way, and closes the file.
  func close() {
    waiting.withLock { waiting in
      waiting.isClosed = true
      waiting.tickets = []
    }
    writer.withLock { $0 = nil }
  }

  /// How many transactions have been committed.
  var commitCount: Int { writer.withLock { $0?.commitCount ?? 0 } }

  /// Tells SQLite something, for tests.
  ///
  /// - Parameter text: Statements.
  /// - Throws: ``StoreError``.
  func execute(_ text: String) throws(StoreError) {
    try writer.withLock { (writer) throws(StoreError) in try writer?.execute(text) }
  }

  private func commit(_ batch: ArraySlice<Ticket>, with writer: Writer) {
    let operations = batch.map(\.operation)
    for (ticket, outcome) in zip(batch, writer.perform(operations[...])) {
      ticket.set(outcome)
    }
  }

  /// Takes the first in the queue, as many as do not make the commit too long.
  private func takeBatch() -> ArraySlice<Ticket> {
    waiting.withLock { waiting in
      var byteCount = 0
      let end = waiting.tickets.firstIndex { ticket in
        defer { byteCount += ticket.operation.byteCount }
        return byteCount > 0 && byteCount + ticket.operation.byteCount > CommitQueue.batchSize
      }
      let batch = waiting.tickets[..<(end ?? waiting.tickets.count)]
      waiting.tickets.removeFirst(batch.count)
      return batch
    }
  }

  /// So many bytes are committed together, or one operation.
  private static let batchSize = 64 << 20
}

/// An operation that somebody waits for.
private final class Ticket: Sendable {
  let operation: WriteOperation
  private let result = Mutex<Writer.Outcome?>(nil)

  init(_ operation: WriteOperation) { self.operation = operation }

  /// What came of it; nil as long as it is not done.
  var outcome: Writer.Outcome? { result.withLock { $0 } }

  func set(_ outcome: Writer.Outcome) { result.withLock { $0 = outcome } }
}

extension StoreError {
  /// The end has come.
  static var closed: StoreError { StoreError(.unavailable, "the store is closed") }
}
