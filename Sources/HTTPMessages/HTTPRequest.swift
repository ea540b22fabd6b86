/// One request, as the server lends it to a handler for the length of a call.
///
/// The bytes stay where the server received them; the type cannot escape the call, so that nothing
/// is copied and nothing dangles. What a handler wants to keep, it copies.
public struct HTTPRequest: ~Escapable {
  /// The request's method.
  public let method: HTTPMethod

  /// The raw path: percent-encoded, without the query; begins with `/`.
  public let path: Span<UInt8>

  /// The raw query: what follows the first `?`; empty where there is none.
  public let query: Span<UInt8>

  /// The header fields that handlers look at; see ``HTTPRequestFields``.
  public let fields: HTTPRequestFields

  /// The body, whole; empty where there is none.
  public let body: Span<UInt8>

  /// Whether the header says how long the body is, or that it comes in chunks; if not, there is none.
  public let hasLength: Bool

  /// Whether ``HTTPHandler/refusal(ofLong:)`` has seen its header, and let the body come.
  public let wasAnnounced: Bool

  /// How many bytes after `body` may be read too; parsers that read ahead need no copy then.
  public let bodyPadding: Int

  /// Which of the server's threads calls: no two call with the same number at once.
  ///
  /// So what is counted by thread has one writer each. 0 ..< the server's thread count.
  public let thread: Int

  /// When the request was whole, in nanoseconds of the monotonic clock; 0 where nobody knows.
  ///
  /// What it has waited for since then, for its turn or for a worker, counts as time it took.
  public let arrival: UInt64

  /// Makes a request that lives as long as the bytes it is made of.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The raw path, beginning with `/`.
  ///   - query: The raw query without its `?`.
  ///   - fields: The header fields.
  ///   - body: The whole body.
  ///   - hasLength: Whether the header says how long the body is.
  ///   - wasAnnounced: Whether ``HTTPHandler/refusal(ofLong:)`` has let the body come.
  ///   - bodyPadding: How many bytes after `body` are readable.
  ///   - thread: The number of the thread that calls.
  ///   - arrival: When it was whole, in nanoseconds of the monotonic clock.
  @_lifetime(copy path, copy query, copy fields, copy body)
  public init(
    method: HTTPMethod, path: Span<UInt8>, query: Span<UInt8>, fields: HTTPRequestFields,
    body: Span<UInt8>, hasLength: Bool = true, wasAnnounced: Bool = false, bodyPadding: Int = 0,
    thread: Int = 0, arrival: UInt64 = 0
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.fields = fields
    self.body = body
    self.hasLength = hasLength
    self.wasAnnounced = wasAnnounced
    self.bodyPadding = bodyPadding
    self.thread = thread
    self.arrival = arrival
  }
}

/// The request header fields that the service reads; an absent field is an empty span.
public struct HTTPRequestFields: ~Escapable {
  /// `Content-Type`.
  public let contentType: Span<UInt8>

  /// `Content-Encoding`.
  public let contentEncoding: Span<UInt8>

  /// `Accept`.
  public let accept: Span<UInt8>

  /// `If-Match`; the empty tag, `""`, where the field is there without a value.
  public let ifMatch: Span<UInt8>

  /// `If-None-Match`.
  public let ifNoneMatch: Span<UInt8>

  /// `Authorization`.
  public let authorization: Span<UInt8>

  /// `Origin`.
  public let origin: Span<UInt8>

  /// `Access-Control-Request-Method`.
  public let accessControlRequestMethod: Span<UInt8>

  /// Makes a set of fields; those left out are absent.
  ///
  /// - Parameters:
  ///   - contentType: `Content-Type`.
  ///   - contentEncoding: `Content-Encoding`.
  ///   - accept: `Accept`.
  ///   - ifMatch: `If-Match`.
  ///   - ifNoneMatch: `If-None-Match`.
  ///   - authorization: `Authorization`.
  ///   - origin: `Origin`.
  ///   - accessControlRequestMethod: `Access-Control-Request-Method`.
  @_lifetime(
    copy contentType, copy contentEncoding, copy accept, copy ifMatch, copy ifNoneMatch,
    copy authorization, copy origin, copy accessControlRequestMethod)
  public init(
    contentType: Span<UInt8> = Span(),
    contentEncoding: Span<UInt8> = Span(),
    accept: Span<UInt8> = Span(),
    ifMatch: Span<UInt8> = Span(),
    ifNoneMatch: Span<UInt8> = Span(),
    authorization: Span<UInt8> = Span(),
    origin: Span<UInt8> = Span(),
    accessControlRequestMethod: Span<UInt8> = Span()
  ) {
    self.contentType = contentType
    self.contentEncoding = contentEncoding
    self.accept = accept
    self.ifMatch = ifMatch
    self.ifNoneMatch = ifNoneMatch
    self.authorization = authorization
    self.origin = origin
    self.accessControlRequestMethod = accessControlRequestMethod
  }
}
