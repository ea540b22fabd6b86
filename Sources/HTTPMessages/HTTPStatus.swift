/// A status code (RFC 9110, 15).
public struct HTTPStatus: RawRepresentable, Sendable, Hashable {
  /// The three digits.
  public let rawValue: UInt16

  /// Makes a status of its three digits.
  ///
  /// - Parameter rawValue: 200 to 599.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// 200 OK.
  public static let ok = Self(rawValue: 200)
  /// 201 Created.
  public static let created = Self(rawValue: 201)
  /// 204 No Content.
  public static let noContent = Self(rawValue: 204)
  /// 304 Not Modified.
  public static let notModified = Self(rawValue: 304)
  /// 400 Bad Request.
  public static let badRequest = Self(rawValue: 400)
  /// 401 Unauthorized.
  public static let unauthorized = Self(rawValue: 401)
  /// 404 Not Found.
  public static let notFound = Self(rawValue: 404)
  /// 405 Method Not Allowed.
  public static let methodNotAllowed = Self(rawValue: 405)
  /// 406 Not Acceptable.
  public static let notAcceptable = Self(rawValue: 406)
  /// 409 Conflict.
  public static let conflict = Self(rawValue: 409)
  /// 411 Length Required.
  public static let lengthRequired = Self(rawValue: 411)
  /// 412 Precondition Failed.
  public static let preconditionFailed = Self(rawValue: 412)
  /// 413 Content Too Large.
  public static let contentTooLarge = Self(rawValue: 413)
  /// 414 URI Too Long.
  public static let uriTooLong = Self(rawValue: 414)
  /// 415 Unsupported Media Type.
  public static let unsupportedMediaType = Self(rawValue: 415)
  /// 422 Unprocessable Content.
  public static let unprocessableContent = Self(rawValue: 422)
  /// 429 Too Many Requests.
  public static let tooManyRequests = Self(rawValue: 429)
  /// 431 Request Header Fields Too Large.
  public static let headerFieldsTooLarge = Self(rawValue: 431)
  /// 500 Internal Server Error.
  public static let internalServerError = Self(rawValue: 500)
  /// 503 Service Unavailable.
  public static let serviceUnavailable = Self(rawValue: 503)
}
