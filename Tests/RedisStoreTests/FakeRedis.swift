import Glibc
import Synchronization

@testable import RedisStore

/// Something that listens like a Redis, and says what it is told to, true or not.
final class FakeRedis: Sendable {
  /// What becomes of a connection that has been greeted.
  struct Connection {
    /// What it says to each thing that it is sent.
    var answers: [String] = []
    /// What it says to PING; nothing more is said after anything but the usual.
    var greeting = "+PONG\r\n"
    /// Whether answers take their time, a piece every 20 ms, and so does taking what is not answered.
    var isSlow = false
    /// How many bytes a piece has.
    var pieceSize = 1 << 16
    /// Whether it hangs up after that.
    var isClosed = true
  }

  let path: String
  private let folder: String
  private let listener: Int32
  private let received = Mutex<[String]>([])

  init(_ connections: [Connection]) {
    var template = Array("/tmp/layoutd-fake-XXXXXX".utf8CString)
    // Safe: the text ends with a NUL, and is written in place.
    _ = unsafe mkdtemp(&template)
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    path = folder + "/redis.sock"
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // Safe: the path is far shorter than the place for it; the pointers are to a variable of this
    // frame.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      unsafe place.copyBytes(from: path.utf8)
    }
    let listener = listener
    _ = unsafe withUnsafePointer(to: address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(listener, address, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    listen(listener, 16)
    let serve = Serve(connections: connections, listener: listener) { [weak self] call in
      self?.received.withLock { $0.append(call) }
    }
    var thread = pthread_t()
    let work = unsafe Unmanaged.passRetained(serve)
    // Safe: the thread takes over what was retained.
    _ = unsafe pthread_create(
      &thread, nil,
      { context in
        if let context = unsafe context {
          unsafe Unmanaged<Serve>.fromOpaque(context).takeRetainedValue().run()
        }
        return nil
      }, work.toOpaque())
    _ = pthread_detach(thread)
  }

  deinit {
    // Safe: the texts are there for the length of the calls.
    _ = unsafe unlink(path)
    _ = unsafe rmdir(folder)
    // Wakes the thread, which closes it.
    shutdown(listener, Int32(SHUT_RDWR))
  }

  /// How many scripts it has been told to execute.
  var callCount: Int { calls.count }

  /// What came after the greeting, as it came: a long command in several pieces.
  var calls: [String] { received.withLock { $0 } }
}

/// The thread's part.
private final class Serve: Sendable {
  let connections: [FakeRedis.Connection]
  let listener: Int32
  let didReceiveCall: @Sendable (String) -> Void

  init(
    connections: [FakeRedis.Connection], listener: Int32,
    didReceiveCall: @escaping @Sendable (String) -> Void
  ) {
    self.connections = connections
    self.listener = listener
    self.didReceiveCall = didReceiveCall
  }

  func run() {
    defer { close(listener) }
    for connection in connections {
      let socket = accept(listener, nil, nil)
      guard socket >= 0 else { return }
      defer { close(socket) }
      serve(connection, on: socket)
    }
    // Whoever comes now is not answered.
    while case let socket = accept(listener, nil, nil), socket >= 0 { close(socket) }
  }

  private func serve(_ connection: FakeRedis.Connection, on socket: Int32) {
    guard !receive(socket).isEmpty else { return }
    say(connection.greeting, socket)
    guard connection.greeting == "+PONG\r\n" else { return }
    var text = ""
    // To their end: what is left of the last one would be taken for a call.
    while !text.hasSuffix("\r\n") || !RedisScript.allCases.allSatisfy({ text.contains($0.source) })
    {
      let part = receive(socket)
      guard !part.isEmpty else { return }
      text += part
    }
    let digest = "$40\r\n" + String(repeating: "a", count: 40) + "\r\n"
    say(String(repeating: digest, count: RedisScript.allCases.count), socket)
    for answer in connection.answers {
      let call = receive(socket)
      guard !call.isEmpty else { return }
      didReceiveCall(call)
      say(answer, socket, isSlow: connection.isSlow, pieceSize: connection.pieceSize)
    }
    // Until the other side hangs up.
    while !connection.isClosed, case let call = receive(socket), !call.isEmpty {
      didReceiveCall(call)
      if connection.isSlow { usleep(20_000) }
    }
  }

  private func receive(_ socket: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    // Safe: the array is there for the length of the call, with its size.
    let count = unsafe recv(socket, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  private func say(
    _ text: String, _ socket: Int32, isSlow: Bool = false, pieceSize: Int = 1 << 16
  ) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(pieceSize))
      rest = rest.dropFirst(part.count)
      // Safe: the array is there for the length of the call, with its size.
      _ = unsafe send(socket, part, part.count, Int32(MSG_NOSIGNAL))
      if isSlow { usleep(20_000) }
    }
  }
}
