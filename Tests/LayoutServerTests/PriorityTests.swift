import Foundation
import Glibc
import MicroHTTP
import Synchronization
import Testing

/// Who stands back where there is not enough of the processor.
@Suite(.waits) struct PriorityTests {
  /// To turn a client away costs more than to answer a tick; with the loops' priority a thousand
  /// clients at the door would take half of what those inside need.
  @Test func loopsComeBeforeThoseWhoAreAtTheDoorAndWorkers() throws {
    let server = try startServer {
      $0.ioThreadCount = 3
      $0.workerThreadCount = 2
    }
    defer { server.stop(drainSeconds: 0) }
    // Of other tests' servers, too, whose threads may just have begun: what holds for these holds for all.
    var loops: [Int32] = []
    var others: [Int32] = []
    waitUntil {
      let (acceptors, workers) = (niceness(ofThreads: "acceptor"), niceness(ofThreads: "worker 1"))
      loops = niceness(ofThreads: "loop 2")
      others = acceptors.isEmpty || workers.isEmpty ? [] : acceptors + workers
      return standBack(others, behind: loops)
    }
    #expect(standBack(others, behind: loops), "\(others) \(loops)")
  }

  private func standBack(_ others: [Int32], behind loops: [Int32]) -> Bool {
    guard let last = loops.max(), let first = others.min() else { return false }
    return first > last
  }

  /// However far the process stands back itself.
  @Test func workersComeBehindTheLoopsOfAProcessThatIsNice() throws {
    let starter = NiceStarter()
    defer { starter.server?.stop(drainSeconds: 0) }
    // No other test has so many workers, so that the last one's name is this one's.
    waitUntil { niceness(ofThreads: "worker 12") == [19] }
    #expect(niceness(ofThreads: "worker 12") == [19])
  }
}

/// Starts a server on a thread of niceness 15, which those of the server inherit.
private final class NiceStarter: Sendable {
  private let started = Mutex<HTTPServer?>(nil)

  var server: HTTPServer? { started.withLock { $0 } }

  init() {
    Thread.detachNewThread {
      // On Linux of this thread alone.
      setpriority(Int32(PRIO_PROCESS.rawValue), 0, 15)
      let server = try? startServer {
        $0.ioThreadCount = 1
        $0.workerThreadCount = 13
      }
      self.started.withLock { $0 = server }
    }
    waitUntil { server != nil }
  }
}

/// The niceness of this process's threads of a name.
private func niceness(ofThreads name: String) -> [Int32] {
  guard let folder = unsafe opendir("/proc/self/task") else { return [] }
  defer { unsafe closedir(folder) }
  var found: [Int32] = []
  while let entry = unsafe readdir(folder) {
    // Safe: the entry is there until the next one is read, and its name ends with a NUL.
    let thread = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
      unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
    }
    guard let number = UInt32(thread), nameOfThread(thread) == name else { continue }
    found.append(getpriority(Int32(PRIO_PROCESS.rawValue), number))
  }
  return found
}

private func nameOfThread(_ thread: String) -> String {
  let file = unsafe open("/proc/self/task/\(thread)/comm", O_RDONLY)
  guard file >= 0 else { return "" }
  defer { close(file) }
  var bytes = [UInt8](repeating: 0, count: 64)
  // Safe: the array is there for the length of the call, with its size.
  let count = unsafe read(file, &bytes, bytes.count)
  return String(decoding: bytes[..<max(0, count - 1)], as: UTF8.self)
}
