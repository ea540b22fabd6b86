import Glibc

/// Starts a thread that nobody waits for.
///
/// - Parameter body: What it does.
/// - Returns: 0, or the system's number for why there is none.
func startThread(_ body: @escaping @Sendable () -> Void) -> Int32 {
  let box = unsafe Unmanaged.passRetained(ThreadBody(body))
  var thread = pthread_t()
  // Safe: the thread takes over what was retained.
  let failure = unsafe pthread_create(
    &thread, nil,
    { context in
      if let context = unsafe context {
        unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
      }
      return nil
    }, box.toOpaque())
  guard failure == 0 else {
    unsafe box.release()
    return failure
  }
  _ = pthread_detach(thread)
  return 0
}

/// Starts a thread without which the program cannot run.
///
/// - Parameter body: What it does.
/// - Throws: ``Configuration/Failure`` if there can be no thread.
func startNeededThread(
  _ body: @escaping @Sendable () -> Void
) throws(Configuration.Failure) {
  let failure = startThread(body)
  guard failure == 0 else {
    throw Configuration.Failure(
      message:
        "cannot start a thread, see --io-threads and --worker-threads: \(systemError(failure))")
  }
}

/// Keeps what a thread does where C can point to it.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Has one thread wait for others to have work for it.
@safe final class Semaphore: Sendable {
  // Never freed: who waits does so as long as the process lives.
  private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    unsafe semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    // Safe: allocated above, and not used before.
    _ = unsafe sem_init(semaphore, 0, 0)
  }

  /// Says that there is something to do.
  func post() { _ = unsafe sem_post(semaphore) }

  /// Waits until somebody has said so.
  func wait() {
    while unsafe sem_wait(semaphore) != 0 {}
  }
}
