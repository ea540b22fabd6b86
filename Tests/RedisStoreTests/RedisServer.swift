import Glibc
import Synchronization

@testable import RedisStore

/// A redis-server of its own for a test, in a folder of its own, on a port that nobody else has.
final class RedisServer {
  private(set) var port: UInt16 = 0
  let socket: String
  private let folder: String
  private let options: [String]
  private let password: String?
  private var process: pid_t?
  /// The ports that were given to tests of this process, none of them twice: a server that is being
  /// started, or that is down for a moment, does not hold its own.
  private static let givenPorts = Mutex<Set<UInt16>>([])

  /// Why there is none.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Starts it.
  ///
  /// - Parameters:
  ///   - options: Options of redis-server.
  ///   - password: What it asks for.
  /// - Throws: ``Failure``, which says what is missing.
  init(_ options: [String] = [], password: String? = nil) throws {
    var template = Array("/tmp/layoutd-redis-XXXXXX".utf8CString)
    // Safe: the text ends with a NUL, and is written in place.
    guard unsafe mkdtemp(&template) != nil else { throw Failure(description: "no folder in /tmp") }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    socket = folder + "/redis.sock"
    self.options = options + (password.map { ["--requirepass", $0] } ?? [])
    self.password = password
    // A program that is no test may take a port before the server does.
    for attempt in 1...3 {
      port = try RedisServer.freePort()
      do {
        try start()
        return
      } catch {
        stop()
        if attempt == 3 { throw error }
      }
    }
  }

  deinit {
    stop()
    for name in ["/redis.sock", "/redis.log", "/dump.rdb"] {
      // Safe: the text is there for the length of the call.
      _ = unsafe unlink(folder + name)
    }
    removeFolder(folder + "/appendonlydir")
    _ = unsafe rmdir(folder)
  }

  /// Its URL.
  var url: String { "redis://127.0.0.1:\(port)" }

  /// Starts it again after it has been stopped.
  func start() throws {
    var actions = unsafe posix_spawn_file_actions_t()
    // Safe: initialised first, used, and destroyed at the end; the texts outlive the call.
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(
      &actions, STDOUT_FILENO, folder + "/redis.log", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    // Sockets of other tests would stay open with it.
    for socket in Int32(3)..<512 { unsafe posix_spawn_file_actions_addclose(&actions, socket) }
    let all =
      [
        "redis-server", "--port", "\(port)", "--bind", "127.0.0.1", "--unixsocket", socket, "--dir",
        folder, "--save", "", "--loglevel", "warning",
      ] + options
    var texts = unsafe all.map { unsafe strdup($0) }
    unsafe texts.append(nil)
    defer { unsafe texts.forEach { unsafe free($0) } }
    var process: pid_t = 0
    let failure = unsafe posix_spawnp(&process, "redis-server", &actions, nil, &texts, environ)
    guard failure == 0 else {
      throw Failure(
        description:
          "these tests need redis-server: apt-get install redis-server (error \(failure))")
    }
    self.process = process
    var hasEnded = false
    let isReady = wait {
      hasEnded = waitpid(process, nil, WNOHANG) == process
      return hasEnded || (try? run("PING")) == .bytes(Array("PONG".utf8))
    }
    // An ended one has been waited for: its number may be another's by now.
    if hasEnded { self.process = nil }
    guard isReady, !hasEnded else {
      throw Failure(description: "redis-server does not start: \(log())")
    }
  }

  /// Kills it, without a chance to put anything in order.
  func stop() {
    guard let process else { return }
    kill(process, SIGKILL)
    var status: Int32 = 0
    // Safe: the pointer is to a variable of this frame.
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    self.process = nil
  }

  /// Lets it do nothing, while the system still accepts connections for it.
  func pause() { if let process { kill(process, SIGSTOP) } }

  /// Lets it go on.
  func resume() { if let process { kill(process, SIGCONT) } }

  /// Tells it something, past all that is tested.
  @discardableResult
  func run(_ words: String...) throws -> RedisReply {
    try RedisServer.run(words, at: socket, password: password)
  }

  /// The same of the one at a socket, on any thread.
  @discardableResult
  static func run(_ words: [String], at socket: String, password: String? = nil) throws
    -> RedisReply
  {
    let channel = try RedisChannel(to: .socket(path: socket), timeout: .seconds(60))
    var commands = RedisCommands()
    if let password { commands.append(["AUTH", password]) }
    commands.append(words)
    return try channel.exchange(commands).last ?? .null
  }

  /// How many clients the one at a socket has, and so is who asks; nil if it does not say.
  static func clientCount(at socket: String) -> Int? {
    let list = try? run(["CLIENT", "LIST", "TYPE", "normal"], at: socket)
    guard case .bytes(let list)? = list else { return nil }
    return list.count { $0 == UInt8(ascii: "\n") }
  }

  /// What it has said so far.
  private func log() -> String {
    let file = unsafe open(folder + "/redis.log", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    // Safe: what is read ends with the array.
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// A port that nobody listens on, below those that the system gives to whoever connects.
  private static func freePort() throws(Failure) -> UInt16 {
    for _ in 0..<100 {
      let port = UInt16.random(in: 20_000..<32_000)
      guard isFree(port), givenPorts.withLock({ $0.insert(port).inserted }) else { continue }
      return port
    }
    throw Failure(description: "no free port")
  }

  private static func isFree(_ port: UInt16) -> Bool {
    // Not for the programs that other tests start meanwhile: they would keep the port.
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let socket = Glibc.socket(AF_INET, type, 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    // Safe: the pointer is to a variable of this frame, with its size.
    return unsafe withUnsafePointer(to: address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}

/// Removes a folder of files.
private func removeFolder(_ folder: String) {
  guard let listing = unsafe opendir(folder) else { return }
  // Safe: the listing is open until the end; an entry is there until the next one is read.
  while let entry = unsafe readdir(listing) {
    let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    _ = unsafe unlink(folder + "/" + name)
  }
  unsafe closedir(listing)
  _ = unsafe rmdir(folder)
}
