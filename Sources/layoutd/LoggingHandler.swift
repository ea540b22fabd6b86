import HTTPMessages
import LayoutAPI

/// Writes one line for each request: when it is answered, with the name that problems carry too.
struct LoggingHandler: HTTPHandler {
  private let service: LayoutService
  private let audience: Audience
  private let log: LogWriter
  private let format: Configuration.LogFormat

  init(
    _ service: LayoutService, for audience: Audience, log: LogWriter,
    format: Configuration.LogFormat
  ) {
    self.service = service
    self.audience = audience
    self.log = log
    self.format = format
  }

  func respond(to request: borrowing HTTPRequest, mayTakeLong: Bool) -> HTTPResponse? {
    let requestID = service.makeRequestID()
    let response = service.respond(
      to: request, mayTakeLong: mayTakeLong, requestID: requestID, audience: audience)
    if let response { write(request, response, requestID) }
    return response
  }

  func refusal(ofLong request: borrowing HTTPRequest) -> HTTPResponse? {
    let requestID = service.makeRequestID()
    let response = service.refusal(ofLong: request, requestID: requestID, audience: audience)
    if let response { write(request, response, requestID) }
    return response
  }

  private func write(
    _ request: borrowing HTTPRequest, _ response: HTTPResponse, _ requestID: String
  ) {
    let now = MonotonicClock.nanoseconds
    write(
      method: request.method.rawValue, target: request.path, status: response.status,
      byteCount: response.content.byteCount,
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
    return service.didRefuse(status: status, target: target, origin: origin, requestID: requestID)
  }

  private func write(
    method: String, target: Span<UInt8>, status: HTTPStatus, byteCount: Int, microseconds: UInt64,
    requestID: String
  ) {
    log.write { line in
      switch format {
      case .text:
        line += (method.isEmpty ? "-" : method).utf8
        line += " ".utf8
        LoggingHandler.append(target, to: &line)
        line += " \(status.rawValue) \(byteCount) \(microseconds)us ".utf8
      case .json:
        line += "{\"method\":\"\(method)\",\"path\":\"".utf8
        LoggingHandler.append(target, to: &line)
        line += "\",\"status\":\(status.rawValue),\"bytes\":\(byteCount),\"microseconds\":".utf8
        line += "\(microseconds),\"requestId\":\"".utf8
      }
      line += requestID.utf8
      line += (format == .text ? "\n" : "\"}\n").utf8
    }
  }

  /// Appends a path as the log has it.
  ///
  /// Without the query, in visible ASCII without what would end a JSON string, and cut where it is long:
  /// what was refused may hold any byte.
  private static func append(_ path: Span<UInt8>, to line: inout [UInt8]) {
    let start = line.count
    for index in path.indices.prefix(512) {
      let byte = path[index]
      if byte == UInt8(ascii: "?") { break }
      let isPlain =
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
      line.append(isPlain ? byte : UInt8(ascii: "?"))
    }
    if line.count == start { line.append(UInt8(ascii: "-")) }
  }
}

/// The service for an audience, without a log.
struct QuietHandler: HTTPHandler {
  let service: LayoutService
  let audience: Audience

  func respond(to request: borrowing HTTPRequest, mayTakeLong: Bool) -> HTTPResponse? {
    service.respond(to: request, mayTakeLong: mayTakeLong, requestID: nil, audience: audience)
  }

  func refusal(ofLong request: borrowing HTTPRequest) -> HTTPResponse? {
    service.refusal(ofLong: request, requestID: nil, audience: audience)
  }

  func didAnswer() { service.didAnswer() }

  func didRefuse(
    status: HTTPStatus, target: Span<UInt8>, origin: Span<UInt8>, requestID: String
  ) -> [HTTPField] {
    service.didRefuse(status: status, target: target, origin: origin, requestID: requestID)
  }
}
