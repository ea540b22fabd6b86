import Glibc
import Synchronization

/// Writes lines to standard error, on a thread of its own.
///
/// Whoever reads the log may stop reading. Nobody who answers a request waits for that: past a bound,
/// lines are dropped, and counted. So are those that cannot be written, to a full disk for example.
final class LogWriter: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var droppedCount = 0
    var isWriting = false
    /// Whether there is a thread; without one, lines are written at once.
    var hasThread = true
  }

  private let state = Mutex(State())
  private let dropped = Atomic(0)
  /// Posted when there is something to write after there was nothing.
  private let filled = Semaphore()

  /// So many bytes may wait to be written.
  private static let capacity = 1 << 20
  /// Between two writes, in microseconds.
  ///
  /// To wake a thread costs as much as to answer a tick. So a line after some silence is written at once, and of
  /// many those that come meanwhile together.
  private static let pause: UInt32 = 5000

  init() {
    if startThread({ self.run() }) != 0 { state.withLock { $0.hasThread = false } }
  }

  /// How many lines have been dropped.
  var droppedCount: Int { dropped.load(ordering: .relaxed) }

  /// Adds a line, without waiting.
  ///
  /// - Parameter line: The line, with its end.
  func write(_ line: String) {
    let wasEmpty = state.withLock { state -> Bool in
      guard state.hasThread else {
        writeToStandardError(line)
        return false
      }
      guard state.bytes.count + line.utf8.count <= LogWriter.capacity else {
        state.droppedCount += 1
        dropped.add(1, ordering: .relaxed)
        return false
      }
      defer { state.bytes.append(contentsOf: line.utf8) }
      return state.bytes.isEmpty
    }
    if wasEmpty { filled.post() }
  }

  /// Waits until everything is written; not for long if nobody reads.
  func finish() {
    for _ in 0..<1000 {
      let isDone = state.withLock { $0.bytes.isEmpty && !$0.isWriting }
      if isDone { return }
      usleep(1000)
    }
  }

  private func run() {
    while true {
      filled.wait()
      let (bytes, droppedCount) = state.withLock { state in
        state.isWriting = true
        return LogWriter.take(from: &state)
      }
      let rest = bytes.dropFirst(writeToStandardError(bytes))
      let lost = rest.count { $0 == UInt8(ascii: "\n") }
      state.withLock { state in
        state.isWriting = false
        guard lost > 0 else { return }
        // The last one said what had been dropped before; that is still to be said.
        let lostLines = droppedCount > 0 ? lost - 1 : lost
        state.droppedCount += droppedCount + lostLines
        dropped.add(lostLines, ordering: .relaxed)
      }
      usleep(LogWriter.pause)
    }
  }

  /// What is to be written, and how many lines its last one says were dropped, if it says so.
  private static func take(from state: inout State) -> (bytes: [UInt8], droppedCount: Int) {
    var (bytes, droppedCount): ([UInt8], Int) = ([], 0)
    swap(&bytes, &state.bytes)
    swap(&droppedCount, &state.droppedCount)
    if droppedCount > 0 { bytes += Array("\(droppedCount) lines of the log were dropped\n".utf8) }
    return (bytes, droppedCount)
  }
}

/// Writes a text.
func writeToStandardError(_ text: String) { _ = writeToStandardError(Array(text.utf8)) }

/// Writes all of some bytes, or as much as can be.
///
/// - Returns: How many have been written.
private func writeToStandardError(_ bytes: [UInt8]) -> Int {
  var start = 0
  while start < bytes.count {
    let count = unsafe bytes.withUnsafeBytes { buffer in
      // Safe: within the buffer, which is there for the length of the call.
      let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
      return unsafe Glibc.write(STDERR_FILENO, rest.baseAddress, rest.count)
    }
    if count < 0, errno == EINTR { continue }
    // Whoever else has this file may have set it not to wait.
    if count < 0, errno == EAGAIN {
      var room = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
      // Safe: the pointer is to a variable of this frame.
      _ = unsafe poll(&room, 1, -1)
      continue
    }
    guard count > 0 else { return start }
    start += count
  }
  return start
}
