import Glibc

/// Asks a running server whether it is ready, as a container's health check does.
enum HealthCheck {
  /// Why `/readyz` of the configured server does not answer 200 within a few seconds; nil if it does.
  ///
  /// - Throws: ``Configuration/Failure`` if only TLS is spoken there, or nobody knows at which port, which could not
  ///   be told from a server that is not ready.
  static func fault(_ configuration: Configuration) throws(Configuration.Failure) -> String? {
    guard configuration.tlsCertificateFile == nil || configuration.adminPort != nil else {
      throw Configuration.Failure(message: "with --tls-cert, healthcheck needs --admin-port")
    }
    // Where operators have a listener of their own, that one knows.
    let port = configuration.adminPort ?? configuration.port
    guard port != 0 else {
      let option = configuration.adminPort == nil ? "--port" : "--admin-port"
      throw Configuration.Failure(
        message: "healthcheck needs the \(option) at which the server is, not 0")
    }
    let name =
      configuration.adminPort.flatMap { _ in configuration.adminHost } ?? configuration.host
    // A server that listens everywhere is asked on loopback.
    let host =
      switch name {
      case "0.0.0.0", "": "127.0.0.1"
      case "::": "::1"
      default: name
      }
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    // Safe: `found` is freed below, and used only where the call says that it is set.
    let failure = unsafe getaddrinfo(host, "\(port)", &hints, &found)
    guard failure == 0, let first = unsafe found else {
      // Safe: the text is the C library's, and copied at once.
      return unsafe "cannot find \(host): \(String(cString: gai_strerror(failure)))"
    }
    defer { unsafe freeaddrinfo(first) }
    // Any of them may be the one on which the server listens.
    var next = unsafe Optional(first)
    var fault = ""
    while let address = unsafe next {
      guard let found = unsafe self.fault(host, at: address.pointee) else { return nil }
      fault += fault.isEmpty ? found : "; \(found)"
      unsafe next = address.pointee.ai_next
    }
    return "/readyz of \(host) port \(port): \(fault)"
  }

  /// In which a server has to take the question, and then to answer it.
  private static let seconds = 2

  /// Why the server at an address does not say that it is ready; nil if it does.
  private static func fault(_ host: String, at address: addrinfo) -> String? {
    let descriptor = unsafe socket(address.ai_family, address.ai_socktype, 0)
    guard descriptor >= 0 else { return systemError(errno) }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    // Safe: the pointers are to variables of this frame, with their sizes.
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    guard unsafe connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
      return socketError(errno)
    }
    let request = Array("GET /readyz HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n".utf8)
    guard unsafe send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) > 0 else {
      return socketError(errno)
    }
    var answer = [UInt8](repeating: 0, count: 64)
    let count = unsafe recv(descriptor, &answer, answer.count, 0)
    guard count >= 0 else { return socketError(errno) }
    guard count > 0 else { return "closed the connection without an answer" }
    let start = "HTTP/1.1 "
    // Whoever else may listen there can write what it likes.
    guard count > start.utf8.count + 3, answer.starts(with: start.utf8),
      let status = Int(String(decoding: answer[start.utf8.count...].prefix(3), as: UTF8.self))
    else { return "what answers is not layoutd" }
    return status == 200 ? nil : "answered \(status)"
  }

  /// What the system says of one of its numbers, and of those for a time that is over what that means.
  private static func socketError(_ code: Int32) -> String {
    code == EAGAIN || code == EINPROGRESS
      ? "no answer within \(seconds) seconds" : systemError(code)
  }
}
