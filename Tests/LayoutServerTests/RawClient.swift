import Glibc

/// One connection, on which a test says exactly what it wants to say.
final class RawClient {
  let descriptor: Int32
  private var received: [UInt8] = []

  init(port: UInt16) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    // Safe: the address is a variable of this frame, and its size is given.
    _ = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    // A test that waits for what never comes fails instead of hanging.
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
  }

  deinit { close(descriptor) }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes[sent...].withUnsafeBytes { part in
        // Safe: the bytes are there for the length of the call.
        unsafe Glibc.send(descriptor, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  /// Says that nothing more will be said.
  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// One answer as it came.
  struct Answer {
    var status: Int
    var head: String
    var body: [UInt8]
    var text: String { String(decoding: body, as: UTF8.self) }
  }

  /// The next answer; nil if the connection ends before it is whole.
  func receive(withoutBody: Bool = false) -> Answer? {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let end = headEnd {
        let head = String(decoding: received[..<end], as: UTF8.self)
        let length =
          head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
          .flatMap { Int($0.dropFirst(16)) } ?? 0
        let total = withoutBody ? end : end + length
        if received.count >= total {
          let answer = Answer(
            status: Int(head.dropFirst(9).prefix(3)) ?? 0, head: head,
            body: Array(received[end..<total]))
          received.removeFirst(total)
          return answer
        }
      }
      let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      received += chunk[..<count]
    }
  }

  /// Whether the server has closed the connection, waiting for it.
  func isClosed() -> Bool {
    var byte = [UInt8](repeating: 0, count: 1)
    return unsafe recv(descriptor, &byte, 1, 0) <= 0
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
