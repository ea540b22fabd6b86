import Glibc

extension Configuration {
  /// The text of a file that an option names; at most a mebibyte of it.
  static func readFile(
    _ path: String, of option: String, isWaiting: Bool = true
  ) throws(Failure) -> String {
    do throws(Failure) {
      return try text(ofFile: path, isWaiting: isWaiting)
    } catch {
      throw Failure(message: "--\(option) \(path): \(error.message)")
    }
  }

  /// The text of a file of at most a mebibyte.
  static func text(ofFile path: String, isWaiting: Bool = true) throws(Failure) -> String {
    let limit = 1 << 20
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | (isWaiting ? 0 : O_NONBLOCK))
    guard descriptor >= 0 else {
      throw Failure(message: systemError(errno))
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= limit {
      if !isWaiting {
        // A pipe is given a second for whoever writes to it.
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&ready, 1, 1000)
      }
      // Safe: the part is there for the length of the call, with its size.
      let count = unsafe Glibc.read(descriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Failure(message: systemError(errno)) }
      if count == 0 { break }
      bytes += part[..<count]
    }
    guard bytes.count <= limit, let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(message: "not UTF-8, or longer than a mebibyte")
    }
    return text
  }
}

/// What the system says of one of its numbers.
func systemError(_ code: Int32) -> String {
  // Safe: the text is the C library's, and copied at once.
  unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
}
