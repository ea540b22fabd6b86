import Glibc

/// So many threads may be somewhere at once; others wait for a place, but not for long.
@safe final class Places: Sendable {
  /// What came of waiting.
  enum Outcome {
    case taken
    case none
    case closed
  }

  @unsafe private struct State {
    var mutex = unsafe pthread_mutex_t()
    var changed = pthread_cond_t()
    var freeCount: Int
    var isClosed = false
  }

  // Changed under its mutex only. A pointer, because a mutex and a condition must stay where they
  // are.
  private nonisolated(unsafe) let state: UnsafeMutablePointer<State>

  /// Makes free places.
  ///
  /// - Parameter count: How many.
  init(count: Int) {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: State(freeCount: count))
    var attributes = pthread_condattr_t()
    // Safe: what is initialised is where it will stay; the attributes are a variable of this frame.
    _ = unsafe pthread_mutex_init(&state.pointee.mutex, nil)
    _ = unsafe pthread_condattr_init(&attributes)
    // Whoever sets the clock of the computer changes nothing about how long it is waited.
    _ = unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    _ = unsafe pthread_cond_init(&state.pointee.changed, &attributes)
    _ = unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    // Safe: nobody waits, or this object would be there.
    _ = unsafe pthread_cond_destroy(&state.pointee.changed)
    _ = unsafe pthread_mutex_destroy(&state.pointee.mutex)
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// Takes a place, which has to be given back.
  ///
  /// - Parameter timeout: How long to wait for one.
  /// - Returns: Whether there was one.
  func take(within timeout: Duration) -> Outcome {
    var end = timespec(MonotonicTime.now + timeout)
    // Safe: the state lives as long as this object, and is this thread's while it has the mutex.
    lock()
    defer { unlock() }
    while unsafe !state.pointee.isClosed, unsafe state.pointee.freeCount == 0 {
      let failure = unsafe pthread_cond_timedwait(
        &state.pointee.changed, &state.pointee.mutex, &end)
      if failure != 0, unsafe state.pointee.freeCount == 0 {
        return unsafe state.pointee.isClosed ? .closed : .none
      }
    }
    guard unsafe !state.pointee.isClosed else { return .closed }
    unsafe state.pointee.freeCount -= 1
    return .taken
  }

  /// Gives a place back.
  func giveBack() {
    // Safe: as above.
    lock()
    unsafe state.pointee.freeCount += 1
    _ = unsafe pthread_cond_signal(&state.pointee.changed)
    unlock()
  }

  /// Lets nobody take a place any more, and tells those who wait.
  func close() {
    // Safe: as above.
    lock()
    unsafe state.pointee.isClosed = true
    _ = unsafe pthread_cond_broadcast(&state.pointee.changed)
    unlock()
  }

  private func lock() { _ = unsafe pthread_mutex_lock(&state.pointee.mutex) }

  private func unlock() { _ = unsafe pthread_mutex_unlock(&state.pointee.mutex) }
}
