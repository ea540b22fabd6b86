import HTTPMessages
import LayoutAPI

/// The service for those at one listener.
///
/// Where there is a log, it writes one line for each request: when it is answered, with the name that problems
/// carry too.
struct ListenerHandler: HTTPHandler {
  let service: LayoutService
  let audience: Audience
  /// Nil where requests are not logged.
  let log: LogWriter?
  let format: Configuration.LogFormat

  func respond(to request: borrowing HTTPRequest, mayTakeLong: Bool) -> HTTPResponse? {
    let requestID = makeRequestID()
    let response = service.respond(
      to: request, mayTakeLong: mayTakeLong, requestID: requestID, audience: audience)
    // In this order: without a log, nobody looks at the response.
    if let requestID, let response { write(request, response, requestID) }
    return response
  }

  func refusal(ofLong request: borrowing HTTPRequest) -> HTTPResponse? {
    let requestID = makeRequestID()
    let response = service.refusal(ofLong: request, requestID: requestID, audience: audience)
    if let requestID, let response { write(request, response, requestID) }
    return response
  }

  func line(of request: borrowing HTTPRequest) -> WaitingLine { service.line(of: request) }

  /// A name for a request; without a log, problems alone have one, made where they are.
  private func makeRequestID() -> String? { log == nil ? nil : service.makeRequestID() }

  private func write(
    _ request: borrowing HTTPRequest, _ response: HTTPResponse, _ requestID: String
  ) {
    let now = MonotonicClock.nanoseconds
    write(
      method: request.method.rawValue, target: request.path, status: response.status,
      byteCount: response.status == .notModified ? 0 : response.content.byteCount,
      microseconds: now > request.arrival ? (now - request.arrival) / 1000 : 0,
      requestID: requestID)
  }

  func didAnswer() { service.didAnswer() }

  func didRefuse(
    status: HTTPStatus, target: Span<UInt8>, origin: Span<UInt8>, requestID: String
  ) -> [HTTPField] {
    write(
      method: "", target: target, status: status, byteCount: 0, microseconds: 0,
      requestID: requestID)
    return service.refusalFields(for: origin)
  }

  private func write(
    method: String, target: Span<UInt8>, status: HTTPStatus, byteCount: Int, microseconds: UInt64,
    requestID: String
  ) {
    guard let log else { return }
    let path = printable(target)
    let line =
      switch format {
      case .text:
        "\(method.isEmpty ? "-" : method) \(path) \(status.rawValue) \(byteCount) \(microseconds)us \(requestID)\n"
      case .json:
        """
        {"method":"\(method)","path":"\(path)","status":\(status.rawValue),"bytes":\(byteCount),\
        "microseconds":\(microseconds),"requestId":"\(requestID)"}

        """
      }
    log.write(line)
  }

  /// The path as the log has it.
  ///
  /// Without the query, in visible ASCII without what would end a JSON string, and cut where it is long:
  /// what was refused may hold any byte. And where it is no path, without what may be a name and a password.
  private func printable(_ path: Span<UInt8>) -> String {
    var bytes: [UInt8] = []
    let isPath = path.isEmpty || path[0] == UInt8(ascii: "/")
    let at = isPath ? nil : path.indices.last { path[$0] == UInt8(ascii: "@") }
    // Either the @ stands in a query, and what follows is not logged, or the question mark in a password, and what
    // precedes is not: nobody can tell.
    if let at, (0..<at).contains(where: { path[$0] == UInt8(ascii: "?") }) { return "-" }
    for index in path.indices.dropFirst(at.map { $0 + 1 } ?? 0).prefix(512) {
      let byte = path[index]
      if byte == UInt8(ascii: "?") { break }
      let isPlain =
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
      bytes.append(isPlain ? byte : UInt8(ascii: "?"))
    }
    return bytes.isEmpty ? "-" : String(decoding: bytes, as: UTF8.self)
  }
}
