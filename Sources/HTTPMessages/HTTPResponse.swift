/// One response: a status, a few header fields and a body held in memory.
public struct HTTPResponse: Sendable {
  /// The status code.
  public let status: HTTPStatus

  /// What is sent, with what it is.
  public let content: HTTPContent

  /// The other header fields, in order.
  public private(set) var otherFields: [HTTPField]

  /// Whether nothing has changed, though it was not a GET that was asked: who does not get it may ask again.
  public private(set) var changesNothing = false

  /// Makes a response of a content.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - content: What is sent; made once, it may be sent many times.
  ///   - otherFields: The header fields beside those of the content.
  public init(status: HTTPStatus, content: HTTPContent, otherFields: [HTTPField] = []) {
    self.status = status
    self.content = content
    self.otherFields = otherFields
  }

  /// Makes a response.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - fields: The header fields.
  ///   - body: The body.
  public init(status: HTTPStatus, fields: [HTTPField] = [], body: [UInt8] = []) {
    self.init(
      status: status, content: body.isEmpty ? .empty : HTTPContent(body), otherFields: fields)
  }

  /// The same with further header fields.
  ///
  /// - Parameter fields: The fields.
  /// - Returns: The response with them.
  public func adding(_ fields: [HTTPField]) -> HTTPResponse {
    var response = self
    response.otherFields += fields
    return response
  }

  /// The same, of a request that has changed nothing.
  public var changingNothing: HTTPResponse {
    var response = self
    response.changesNothing = true
    return response
  }

  /// The body; see ``HTTPContent/bytes``.
  public var body: [UInt8] { content.bytes }

  /// All header fields, in order.
  ///
  /// `Content-Length`, `Date` and `Connection` are the server's.
  public var fields: [HTTPField] {
    var fields: [HTTPField] = []
    if let type = content.type { fields.append(HTTPField(name: "Content-Type", value: "\(type)")) }
    if let tag = content.tag { fields.append(HTTPField(name: "ETag", value: tag.description)) }
    return fields + otherFields
  }
}

/// One response header field.
public struct HTTPField: Sendable, Hashable {
  /// The name, spelled as it goes out.
  public let name: String

  /// The value; without line breaks and NUL.
  public let value: String

  /// Makes a field.
  ///
  /// Bytes below 32 in `value` become spaces, so that no header can be split.
  ///
  /// - Parameters:
  ///   - name: A token (RFC 9110, 5.6.2); the caller's constant.
  ///   - value: Any text.
  public init(name: String, value: String) {
    self.name = name
    self.value =
      value.utf8.contains { $0 < 0x20 }
      ? String(decoding: value.utf8.map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self) : value
  }
}
