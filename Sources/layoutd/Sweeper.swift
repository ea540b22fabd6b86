import Glibc
import LayoutAPI
import MicroHTTP
import Synchronization

/// Does what has to be done now and then, and at the end, on a thread of its own.
///
/// Both may have to wait for the store, for half a minute where another program holds its file and many changes
/// wait before; whoever waits for signals does not wait for that.
final class Sweeper: Sendable {
  private struct State {
    var isSweeping = false
    var standstill = Standstill()
    var freedByteCount: UInt64 = 0
    var mustClose = false
    var hasClosed = false
  }

  private let service: LayoutService
  private let log: LogWriter
  private let state = Mutex(State())
  private let asked = Semaphore()

  /// How much is freed before all that is free is given back to the system: less than a rush leaves, and more than
  /// a server needs again at once.
  private static let freedLimit: UInt64 = 32 << 20
  /// How much sessions and changes leave before it is given back when nothing is left any more.
  private static let quietLimit: UInt64 = 1 << 20
  /// How long it is not done again: while it is, which takes longer the more is in use, others wait for memory.
  private static let pause = Duration.seconds(10)

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - service: What is swept.
  ///   - log: Where it is written what went wrong with the store.
  /// - Throws: ``Configuration/Failure`` if there can be no thread.
  init(_ service: LayoutService, log: LogWriter) throws(Configuration.Failure) {
    self.service = service
    self.log = log
    try startNeededThread { self.run() }
  }

  /// Has the service swept, without waiting for that; not if the last time is not over.
  ///
  /// If it is not for long, that is said: on a disk that stands still nothing fails, and nobody else could tell.
  ///
  /// - Parameter freedByteCount: How many bytes the server has freed since it started.
  func sweep(freedByteCount: UInt64) {
    let now = MonotonicClock.coarseNow
    let (isIdle, length) = state.withLock { state in
      state.freedByteCount = freedByteCount
      if state.isSweeping { return (false, state.standstill.lengthToSay(at: now)) }
      state.isSweeping = true
      state.standstill.begin(at: now)
      return (true, Duration?.none)
    }
    if isIdle { asked.post() }
    if let length {
      // Each is the last one for as long as nobody has written it.
      writeStoreErrors()
      service.storeStandsStill(for: length)
      writeStoreErrors()
    }
  }

  /// Ends the store's work, when no requests are under way any more.
  ///
  /// - Parameter time: How long to wait for that.
  /// - Returns: Whether it has ended. If not, the thread goes on as long as the process does.
  func close(within time: Duration) -> Bool {
    let end = MonotonicClock.coarseNow + time
    state.withLock { $0.mustClose = true }
    asked.post()
    while !state.withLock({ $0.hasClosed }) {
      guard MonotonicClock.coarseNow < end else { return false }
      usleep(1000)
    }
    return true
  }

  private func run() {
    // What has been freed, by bodies and by sessions, when it was last given back, and when that was.
    var givenBackByteCount: UInt64 = 0
    var leftByteCount: UInt64 = 0
    var givenBackAt = MonotonicClock.coarseNow - Self.pause
    while true {
      asked.wait()
      // One after the other on this thread: nothing is swept that has been closed.
      if state.withLock({ $0.mustClose }) {
        service.close()
        writeStoreErrors()
        state.withLock { $0.hasClosed = true }
        return
      }
      let freedByteCount = state.withLock { $0.freedByteCount }
      let left = UInt64(service.sweep())
      leftByteCount += left
      // Sessions that have left, or bodies of a rush: malloc keeps what is not at the end of its memory.
      let isMuch = leftByteCount &+ (freedByteCount &- givenBackByteCount) > Self.freedLimit
      let now = MonotonicClock.coarseNow
      if isMuch || (left == 0 && leftByteCount > Self.quietLimit), now - givenBackAt >= Self.pause {
        Memory.giveBackWhatIsFree()
        (givenBackByteCount, leftByteCount, givenBackAt) = (freedByteCount, 0, now)
      }
      writeStoreErrors()
      state.withLock { $0.isSweeping = false }
    }
  }

  /// Says in the log what the store has not done, or could not read, since it was last said.
  func writeStoreErrors() {
    for error in service.takeStoreErrors() { log.write("store: \(error)\n") }
  }
}
