import Foundation
import Glibc
import Synchronization
import Testing

/// What a test says that waits for sockets, processes or time: it runs on a thread of few that are there for such.
///
/// All other tests share as many threads as there are processors. Each that sleeps on one of them keeps a
/// processor from those that compute, and two that do so end all work.
struct WaitingTrait: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
  }
}

extension Trait where Self == WaitingTrait {
  static var waits: Self { Self() }
}

/// Threads that take one job after the other.
private final class WaitingThreads: TaskExecutor {
  static let shared = WaitingThreads(count: 4)

  private let jobs = Mutex<[UnownedJob]>([])
  private let jobCount = DispatchSemaphore(value: 0)

  private init(count: Int) {
    for _ in 0..<count {
      Thread.detachNewThread { [self] in
        while true {
          jobCount.wait()
          let job = jobs.withLock { $0.removeFirst() }
          unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
      }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    jobCount.signal()
  }
}

/// Waits for something that another thread brings about; it is an issue if that does not come.
///
/// Where others build and test on the same cores, a thread that stands behind them may come late.
///
/// - Parameters:
///   - sourceLocation: Who waits.
///   - condition: Whether it has come: asked a thousand times a second at most, for two minutes.
func waitUntil(
  sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) {
  guard !wait(until: condition) else { return }
  Issue.record("what was waited for has not come", sourceLocation: sourceLocation)
}

/// Waits until something is so, for two minutes at most; returns whether it is.
@discardableResult
func wait(until condition: () -> Bool) -> Bool {
  // To ask may take long itself.
  let end = ContinuousClock.now + .seconds(120)
  while ContinuousClock.now < end {
    if condition() { return true }
    usleep(1000)
  }
  return condition()
}
