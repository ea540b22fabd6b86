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

  /// Refuses a request by its header, before a long body is read.
  ///
  /// - Parameter request: The request, with an empty body.
  /// - Returns: What is answered, after which the connection is closed; nil to let the body come.
  func refusal(ofLong request: borrowing HTTPRequest) -> HTTPResponse?

  /// Says whose request it is, after an answer of nil or a long one.
  ///
  /// - Parameter request: The request.
  /// - Returns: In which line it waits for a worker thread, or its answer is counted.
  func line(of request: borrowing HTTPRequest) -> WaitingLine

  /// Does what is left to do when an answer is on its way: whoever asked need not wait for it.
  ///
  /// Called on each worker thread when it has answered, before it takes the next request.
  func didAnswer()

  /// Learns of a request that the server has refused itself, without asking this.
  ///
  /// Called on any thread, even one without a number in ``HTTPRequest/thread``; it must not take long.
  ///
  /// - Parameters:
  ///   - status: The status it was answered with.
  ///   - target: The raw request target, lent for the length of the call; empty where a connection
  ///     was turned away before anything was read. Any bytes may stand in it.
  ///   - origin: The value of the field `Origin`, lent for as long; empty if there is none, or none was
  ///     read.
  ///   - requestID: The name that the answer carries too.
  /// - Returns: Header fields to be added to the answer, where one can be given.
  func didRefuse(
    status: HTTPStatus, target: Span<UInt8>, origin: Span<UInt8>, requestID: String
  ) -> [HTTPField]
}

extension HTTPHandler {
  /// Lets every body come.
  ///
  /// - Parameter request: The request, with an empty body.
  /// - Returns: Nil.
  public func refusal(ofLong request: borrowing HTTPRequest) -> HTTPResponse? { nil }

  /// Has all wait in one line.
  ///
  /// - Parameter request: The request.
  /// - Returns: The shared one.
  public func line(of request: borrowing HTTPRequest) -> WaitingLine { .shared }

  /// Does nothing.
  public func didAnswer() {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - status: The status it was answered with.
  ///   - target: The raw request target.
  ///   - origin: The value of the field `Origin`.
  ///   - requestID: The name that the answer carries too.
  /// - Returns: No fields.
  public func didRefuse(
    status: HTTPStatus, target: Span<UInt8>, origin: Span<UInt8>, requestID: String
  ) -> [HTTPField] { [] }
}
