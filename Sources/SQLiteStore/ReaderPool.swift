import LayoutSessions
import Synchronization

/// Connections that read at the same time, opened when they are needed.
final class ReaderPool: Sendable {
  private struct Place {
    var reader: Reader?
    var isClosed = false
  }

  private final class Slot: Sendable {
    let place = Mutex(Place())
  }

  private let path: String
  private let identity: StoreFile.Identity
  private let slots = (0..<ReaderPool.capacity).map { _ in Slot() }
  private let turn = Atomic<UInt>(0)

  /// Opens nothing yet.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - identity: Which file that is.
  init(path: String, of identity: StoreFile.Identity) {
    self.path = path
    self.identity = identity
  }

  /// Reads something of a session.
  ///
  /// - Parameters:
  ///   - id: The session.
  ///   - body: Reads it.
  /// - Returns: What `body` returns.
  /// - Throws: ``StoreError``.
  func read<Value: Sendable>(
    _ id: SessionID, _ body: @Sendable (Reader) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    for slot in slots {
      let found = try slot.place.withLockIfAvailable { (place) throws(StoreError) in
        try read(id, with: &place, body)
      }
      if let found { return found }
    }
    // All are busy: one after the other is waited for.
    let number = turn.wrappingAdd(1, ordering: .relaxed).newValue % UInt(slots.count)
    return try slots[Int(number)].place.withLock { (place) throws(StoreError) in
      try read(id, with: &place, body)
    }
  }

  /// Refuses what comes, waits for what is under way, and closes the connections.
  func close() {
    for slot in slots { slot.place.withLock { $0 = Place(isClosed: true) } }
  }

  private func read<Value: Sendable>(
    _ id: SessionID, with place: inout Place, _ body: @Sendable (Reader) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    guard !place.isClosed else { throw .closed }
    do throws(StoreError) {
      if let reader = place.reader { return try body(reader) }
      // Another file at its name SQLite would take for this one: it would write into it what lies beside this
      // one and has not come into it yet, and remove that.
      guard StoreFile.Identity(path: path) == identity else { throw .elsewhere(path) }
      let reader = try Reader(path: path)
      place.reader = reader
      return try body(reader)
    } catch {
      // Whatever is wrong with this connection, the next use has another.
      place.reader = nil
      throw error.about(id)
    }
  }

  /// Beyond so many at once, reading is not faster.
  private static let capacity = 4
}
