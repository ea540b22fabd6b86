/// What answers requests: one synchronous function, called on many threads at once.
///
/// A handler first runs on the thread that serves the connection. If a request would take longer
/// than about 100 µs there, it returns nil, and the server calls it again on a worker thread, where
/// it must answer. So the threads that serve never do long work, and the same function runs on both.
public protocol HTTPHandler: Sendable {
  /// Answers a request.
  ///
  /// - Parameters:
  ///   - request: The request; its bytes are lent for the length of the call.
  ///   - mayTakeLong: Whether this is a worker thread. If so, the answer must not be nil.
  /// - Returns: The response, or nil to be called again on a worker thread.
  func respond(to request: borrowing HTTPRequest, mayTakeLong: Bool) -> HTTPResponse?
}
