import Foundation
import Glibc

/// One connection, on which a test says exactly what it wants to say.
final class RawClient {
  let descriptor: Int32
  /// Whether somebody has taken the connection.
  let isConnected: Bool
  private var received: [UInt8] = []

  /// Connects.
  ///
  /// - Parameters:
  ///   - port: Where to.
  ///   - source: The loopback address to come from, the last of its four numbers.
  ///   - receiveBuffer: How many bytes the kernel keeps of what is not read; nil for as it likes.
  ///   - segment: In how many bytes at once they come then, or nil for as it likes: where those are many, the
  ///     kernel at the other end keeps megabytes.
  init(
    port: UInt16, from source: UInt32 = 1, receiveBuffer: Int32? = nil, segment: Int32? = 536
  ) {
    // Programs that other tests start meanwhile must not keep it open.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_INET, kind, 0)
    if var receiveBuffer {
      let size = socklen_t(MemoryLayout<Int32>.size)
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, size)
      if var segment {
        _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &segment, size)
      }
    }
    if source != 1 { _ = unsafe call(bind, descriptor, 0x7F00_0000 | source, port: 0) }
    isConnected = unsafe call(connect, descriptor, 0x7F00_0001, port: port) == 0
    // A test that waits for what never comes fails instead of hanging.
    var limit = timeval(tv_sec: 120, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    self.descriptor = descriptor
  }

  /// Has the connection reset, not closed, when it goes.
  func resetWhenItGoes() {
    var now = linger(l_onoff: 1, l_linger: 0)
    let size = socklen_t(MemoryLayout<linger>.size)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, size)
  }

  deinit { close(descriptor) }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Sends all; false if the connection ends before.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes[sent...].withUnsafeBytes { part in
        // Safe: the bytes are there for the length of the call.
        unsafe Glibc.send(descriptor, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Says that nothing more will be said.
  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// One answer as it came.
  struct Answer {
    var status: Int
    var head: String
    var body: [UInt8]
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The value of a header field, which is named as the server writes it; nil if there is none.
    func field(_ name: String) -> String? { Answer.field(name, of: head) }

    fileprivate static func field(_ name: String, of head: String) -> String? {
      head.split(separator: "\r\n").first { $0.hasPrefix(name + ": ") }
        .map { String($0.dropFirst(name.count + 2)) }
    }
  }

  /// The next answer; nil if the connection ends before it is whole.
  func receive(withoutBody: Bool = false) -> Answer? {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let end = headEnd {
        let head = String(decoding: received[..<end], as: UTF8.self)
        let length = Answer.field("Content-Length", of: head).flatMap { Int($0) } ?? 0
        let total = withoutBody ? end : end + length
        if received.count >= total {
          let answer = Answer(
            status: Int(head.dropFirst(9).prefix(3)) ?? 0, head: head,
            body: Array(received[end..<total]))
          received.removeFirst(total)
          return answer
        }
      }
      let count = take(into: &chunk)
      guard count > 0 else { return nil }
      received += chunk[..<count]
    }
  }

  /// Takes some of an answer; returns how much, 0 if the connection has ended.
  func take(_ count: Int) -> Int {
    var chunk = [UInt8](repeating: 0, count: count)
    let count = take(into: &chunk)
    received += chunk[..<count]
    return count
  }

  /// All that comes until the server closes the connection.
  func receiveAll() -> String {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = take(into: &chunk)
      guard count > 0 else { return String(decoding: received, as: UTF8.self) }
      received += chunk[..<count]
    }
  }

  /// Whether the server has closed the connection and said nothing more, waiting for it.
  func isClosed() -> Bool {
    var byte = [UInt8](repeating: 0, count: 1)
    return received.isEmpty && take(into: &byte) == 0
  }

  /// Takes what has come, waiting for it; returns how much, 0 if the connection has ended.
  ///
  /// That nothing comes in time is not an end: `nothingHasCome`, which each target has, says what that is.
  private func take(into chunk: inout [UInt8]) -> Int {
    let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
    if count < 0, errno == EAGAIN { nothingHasCome() }
    return max(0, count)
  }

  private var headEnd: Int? {
    guard received.count >= 4 else { return nil }
    for index in 0...(received.count - 4)
    where received[index] == 13 && received[index + 1] == 10 && received[index + 2] == 13
      && received[index + 3] == 10
    { return index + 4 }
    return nil
  }
}

/// How often a thread of this process has waited for something; nil if there is no such thread.
func waitCount(ofThread number: String) -> Int? {
  let file = unsafe open("/proc/self/task/\(number)/status", O_RDONLY)
  defer { close(file) }
  var bytes = [UInt8](repeating: 0, count: 4096)
  let count = unsafe read(file, &bytes, bytes.count)
  let lines = String(decoding: bytes[..<max(0, count)], as: UTF8.self).split(separator: "\n")
  let line = lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }
  return line?.split(separator: "\t").last.flatMap { Int($0) }
}

/// The processor time that the threads of a name have taken, in hundredths of a second; nil if none has it.
func processorTime(ofThread name: String) -> Int? {
  var sum: Int?
  for thread in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? [] {
    let path = "/proc/self/task/\(thread)/stat"
    // These files say that they are empty, and are read as such by Foundation.
    let file = unsafe open(path, O_RDONLY)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = unsafe read(file, &bytes, bytes.count)
    let line = String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    guard line.contains("(\(name))"), let end = line.lastIndex(of: ")") else { continue }
    let fields = line[end...].split(separator: " ")
    sum = (sum ?? 0) + (Int(fields[12]) ?? 0) + (Int(fields[13]) ?? 0)
  }
  return sum
}

private func call(
  _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ descriptor: Int32,
  _ host: UInt32, port: UInt16
) -> Int32 {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = host.bigEndian
  // Safe: the address is a variable of this frame, and its size is given.
  return unsafe withUnsafePointer(to: &address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}
