import Glibc

/// One request at a time over one connection; as little as the benchmark needs.
struct HTTPClient: ~Copyable {
  private let descriptor: Int32

  init(port: UInt16) throws(BenchmarkError) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    // Safe: the address is a variable of this frame, and its size is given.
    let connected = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw BenchmarkError(message: "cannot connect to port \(port)") }
  }

  deinit { close(descriptor) }

  /// A request as it goes over the wire.
  static func request(_ method: String, _ target: String, _ body: [UInt8] = []) -> [UInt8] {
    let head =
      "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      + "Content-Length: \(body.count)\r\n\r\n"
    return Array(head.utf8) + body
  }

  /// Sends a request and returns the answer's status and body.
  func send(_ request: [UInt8]) throws(BenchmarkError) -> (status: Int, body: [UInt8]) {
    try begin(request)
    return try end()
  }

  /// Sends a request, of which nothing is waited for.
  func begin(_ request: [UInt8]) throws(BenchmarkError) {
    var sent = 0
    while sent < request.count {
      let count = unsafe request[sent...].withUnsafeBytes { bytes in
        // Safe: the bytes are there for the length of the call.
        unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw BenchmarkError(message: "the server hung up") }
      sent += count
    }
  }

  /// Receives the answer to the request that was begun.
  func end() throws(BenchmarkError) -> (status: Int, body: [UInt8]) {
    var answer: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let end = answer.headEnd {
        let head = String(decoding: answer[..<end], as: UTF8.self)
        let status = Int(head.dropFirst(9).prefix(3)) ?? 0
        if status == 204 { return (status, []) }
        let length = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
          .flatMap { Int($0.dropFirst(16)) }
        if let length, answer.count >= end + length {
          return (status, Array(answer[end...]))
        }
      }
      let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { throw BenchmarkError(message: "the server hung up") }
      answer += chunk[..<count]
    }
  }
}

extension HTTPClient {
  /// Creates a session.
  ///
  /// - Returns: Its path, and how high its content is.
  func createSession(
    _ body: [UInt8]
  ) throws(BenchmarkError) -> (path: String, contentHeight: Double) {
    let answer = try send(HTTPClient.request("POST", "/v1/sessions", body))
    guard answer.status == 201, let id = answer.body.string("id"),
      let height = answer.body.number(after: "\"height\":")
    else { throw BenchmarkError(message: "no session: \(answer.status)") }
    return ("/v1/sessions/\(id)", height)
  }
}

extension [UInt8] {
  /// Where the body begins.
  fileprivate var headEnd: Int? {
    guard count >= 4 else { return nil }
    for index in 0...(count - 4)
    where self[index] == 13 && self[index + 1] == 10 && self[index + 2] == 13
      && self[index + 3] == 10
    { return index + 4 }
    return nil
  }

  /// The text of a member whose value is a string, found without a parser.
  func string(_ member: String) -> String? {
    let text = String(decoding: self, as: UTF8.self)
    let parts = text.split(separator: "\"\(member)\":\"", maxSplits: 1)
    return parts.count == 2 ? parts[1].split(separator: "\"").first.map(String.init) : nil
  }

  /// The number after the first occurrence of a text.
  func number(after text: String) -> Double? {
    guard let range = String(decoding: self, as: UTF8.self).split(separator: text).dropFirst().first
    else { return nil }
    return Double(range.prefix { $0.isNumber || $0 == "." })
  }

  /// How often a text occurs.
  func count(of text: String) -> Int {
    String(decoding: self, as: UTF8.self).split(
      separator: text, omittingEmptySubsequences: false
    ).count - 1
  }
}
