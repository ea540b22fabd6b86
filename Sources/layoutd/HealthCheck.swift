import Glibc

/// Asks a running server whether it is ready, as a container's health check does.
enum HealthCheck {
  /// Whether `/readyz` of the configured server answers 200 within a few seconds.
  ///
  /// - Throws: ``Configuration/Failure`` if only TLS is spoken there, which nobody could tell from a server that
  ///   is not ready.
  static func isReady(_ configuration: Configuration) throws(Configuration.Failure) -> Bool {
    guard configuration.tlsCertificateFile == nil || configuration.adminPort != nil else {
      throw Configuration.Failure(message: "with --tls-cert, healthcheck needs --admin-port")
    }
    // Where operators have a listener of their own, that one knows.
    let port = configuration.adminPort ?? configuration.port
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
    guard unsafe getaddrinfo(host, "\(port)", &hints, &found) == 0, let first = unsafe found else {
      return false
    }
    defer { unsafe freeaddrinfo(first) }
    // Any of them may be the one on which the server listens.
    var next = unsafe Optional(first)
    while let address = unsafe next {
      if unsafe answersReady(host, at: address.pointee) { return true }
      unsafe next = address.pointee.ai_next
    }
    return false
  }

  private static func answersReady(_ host: String, at address: addrinfo) -> Bool {
    let descriptor = unsafe socket(address.ai_family, address.ai_socktype, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 3, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    // Safe: the pointers are to variables of this frame, with their sizes.
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    guard unsafe connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
      return false
    }
    let request = Array("GET /readyz HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n".utf8)
    guard unsafe send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) > 0 else {
      return false
    }
    var answer = [UInt8](repeating: 0, count: 64)
    let count = unsafe recv(descriptor, &answer, answer.count, 0)
    return count > 12 && answer.starts(with: "HTTP/1.1 200".utf8)
  }
}
