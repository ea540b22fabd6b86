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
    var mustClose = false
    var hasClosed = false
  }

  private let service: LayoutService
  private let log: LogWriter
  private let state = Mutex(State())
  private let asked = Semaphore()

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
  func sweep() {
    let isIdle = state.withLock { state in
      defer { state.isSweeping = true }
      return !state.isSweeping
    }
    if isIdle { asked.post() }
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
    while true {
      asked.wait()
      // One after the other on this thread: nothing is swept that has been closed.
      if state.withLock({ $0.mustClose }) {
        service.close()
        state.withLock { $0.hasClosed = true }
        return
      }
      if service.sweep() { Memory.giveBackWhatIsFree() }
      if let error = service.takeStoreError() { log.write("store: \(error)\n") }
      state.withLock { $0.isSweeping = false }
    }
  }
}
