/// One response: a status, a few header fields and a body held in memory.
public struct HTTPResponse: Sendable {
  /// The status code.
  public var status: HTTPStatus

  /// The header fields, in order.
  ///
  /// `Content-Length`, `Date` and `Connection` are the server's.
  public var fields: [HTTPField]

  /// The body; the server sends it from where it is.
  public var body: [UInt8]

  /// Makes a response.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - fields: The header fields.
  ///   - body: The body.
  public init(status: HTTPStatus, fields: [HTTPField] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
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
