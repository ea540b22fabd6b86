import HTTPMessages
import LayoutAPI

/// Writes one line for each request: when it is answered, with the name that problems carry too.
struct LoggingHandler: HTTPHandler {
  private let service: LayoutService
  private let format: Configuration.LogFormat

  init(_ service: LayoutService, format: Configuration.LogFormat) {
    self.service = service
    self.format = format
  }

  func respond(to request: borrowing HTTPRequest, mayTakeLong: Bool) -> HTTPResponse? {
    let start = MonotonicClock.now
    let requestID = service.makeRequestID()
    guard
      let response = service.respond(
        to: request, mayTakeLong: mayTakeLong, requestID: requestID)
    else { return nil }
    let microseconds = (MonotonicClock.now - start) / .microseconds(1)
    let method = request.method.rawValue
    let path = printable(request.path)
    let status = response.status.rawValue
    switch format {
    case .text:
      writeToStandardError(
        "\(method) \(path) \(status) \(response.body.count) \(Int(microseconds))us \(requestID)\n")
    case .json:
      writeToStandardError(
        """
        {"method":"\(method)","path":"\(path)","status":\(status),"bytes":\(response.body.count),\
        "microseconds":\(Int(microseconds)),"requestId":"\(requestID)"}

        """)
    }
    return response
  }

  /// The path, which holds visible ASCII only, without what would end a JSON string; cut where it is
  /// long.
  private func printable(_ path: Span<UInt8>) -> String {
    var bytes: [UInt8] = []
    for index in path.indices.prefix(512) {
      let byte = path[index]
      bytes.append(byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 0x3F : byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
