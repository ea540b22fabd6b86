import HTTPMessages
import LayoutAPI

/// The service asked in this process, so that HTTP does not drown what a layout costs.
struct LocalService {
  private let service = LayoutService(now: { .zero })

  /// A session, and how large its content is.
  struct Session {
    var path: String
    var width: Double
    var height: Double

    /// A tick in the middle of the content, or so many points behind it.
    func tick(_ distance: Double = 0, isFull: Bool = false) -> [UInt8] {
      let (x, y) =
        height > width
        ? (0, (height / 2).rounded() + distance) : ((width / 2).rounded() + distance, 0)
      return Array(#"{"contentOffset":{"x":\#(x),"y":\#(y)},"full":\#(isFull)}"#.utf8)
    }
  }

  func create(_ body: [UInt8]) throws(BenchmarkError) -> Session {
    let created = try post("/v1/sessions", body)
    guard let location = created.fields.first(where: { $0.name == "Location" })?.value,
      let width = created.body.number(after: "\"width\":"),
      let height = created.body.number(after: "\"height\":")
    else { throw BenchmarkError(message: "a session without a size") }
    return Session(path: location, width: width, height: height)
  }

  /// Sends a request that has to succeed.
  @discardableResult
  func post(_ path: String, _ body: [UInt8]) throws(BenchmarkError) -> HTTPResponse {
    let type = Array("application/json".utf8)
    let path = Array(path.utf8)
    let response = service.respond(
      to: HTTPRequest(
        method: .post, path: path.span, query: Span(),
        fields: HTTPRequestFields(contentType: type.span), body: body.span),
      mayTakeLong: true)
    guard let response, response.status == .created || response.status == .ok else {
      throw BenchmarkError(
        message: String(decoding: response?.body ?? [], as: UTF8.self))
    }
    return response
  }
}
