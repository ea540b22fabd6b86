import HTTPMessages
import LayoutCore
import LayoutSessions

/// A refusal: RFC 9457's problem details.
///
/// The only place that knows which status a fault has.
struct Problem: Error {
  /// What kinds of problems there are; the slug is part of `type`.
  enum Kind: String, CaseIterable {
    case malformed
    case invalid
    case query
    case unauthorized
    case notFound = "not-found"
    case noSuchSession = "no-such-session"
    case methodNotAllowed = "method-not-allowed"
    case notAcceptable = "not-acceptable"
    case invalidUpdate = "invalid-update"
    case movementConflict = "movement"
    case lengthRequired = "length-required"
    case preconditionFailed = "precondition-failed"
    case unsupportedMediaType = "unsupported-media-type"
    case tooLarge = "content-too-large"
    case tooManyRequests = "too-many-requests"
    case unavailable
    case uncertain
    case unreadable = "unreadable-session"

    var status: HTTPStatus {
      switch self {
      case .malformed, .query: .badRequest
      case .invalid: .unprocessableContent
      case .unauthorized: .unauthorized
      case .notFound, .noSuchSession: .notFound
      case .methodNotAllowed: .methodNotAllowed
      case .notAcceptable: .notAcceptable
      case .invalidUpdate, .movementConflict: .conflict
      case .lengthRequired: .lengthRequired
      case .preconditionFailed: .preconditionFailed
      case .unsupportedMediaType: .unsupportedMediaType
      case .tooLarge: .contentTooLarge
      case .tooManyRequests: .tooManyRequests
      case .unavailable, .uncertain: .serviceUnavailable
      case .unreadable: .internalServerError
      }
    }

    var title: String {
      switch self {
      case .malformed: "The body cannot be read"
      case .invalid: "The body is readable but wrong"
      case .query: "A query parameter is wrong"
      case .unauthorized: "A key is needed"
      case .notFound: "There is nothing here"
      case .noSuchSession: "There is no such session"
      case .methodNotAllowed: "The method is not allowed here"
      case .notAcceptable: "No acceptable representation"
      case .invalidUpdate: "The batch does not fit the collection"
      case .movementConflict: "The session's interactive movement stands against it"
      case .lengthRequired: "A length is needed"
      case .preconditionFailed: "The session has moved on"
      case .unsupportedMediaType: "The body is not JSON, or is encoded"
      case .tooLarge: "The body is too large"
      case .tooManyRequests: "Who asks may do no more for now"
      case .unavailable: "The server cannot answer now"
      case .uncertain: "The change may have been made"
      case .unreadable: "What is kept of the session cannot be read"
      }
    }
  }

  var kind: Kind
  var detail: String
  /// A JSON pointer into the body.
  var pointer: String?
  /// The version that a session has, where the client believed in another.
  var version: Int?
  /// A batch that would do, as JSON.
  var repair: [UInt8]?
  /// Header fields beyond `Content-Type`.
  var fields: [HTTPField] = []

  init(_ kind: Kind, _ detail: String, pointer: String? = nil, fields: [HTTPField] = []) {
    self.kind = kind
    self.detail = detail
    self.pointer = pointer
    self.fields = fields
    // What may well be answered soon.
    if kind.status == .serviceUnavailable {
      self.fields.append(HTTPField(name: "Retry-After", value: "1"))
    }
  }

  /// An element or a path that does not exist.
  static func notFound(_ detail: String) -> Problem { Problem(.notFound, detail) }

  /// A session that is none, or somebody else's.
  static var noSuchSession: Problem {
    Problem(
      .noSuchSession,
      "there is no such session, or it has been forgotten; POST /v1/sessions begins another")
  }

  /// A path that is none of the contract's, or not there for who asks.
  static func noSuchPath(_ path: Span<UInt8>, for audience: Audience) -> Problem {
    let bare = Routes.routeWithoutSlash(path)
    let instead =
      if audience == .operators {
        "only /healthz, /readyz and /metrics are at this listener"
      } else if let bare, audience.sees(bare) {
        "without the slash at its end there is"
      } else if bare != nil || Routes.match(path) != nil {
        "health and metrics are at a listener of their own, see --admin-port"
      } else {
        "GET /openapi.yaml has all there are"
      }
    return .notFound("there is nothing at this path; \(instead)")
  }

  /// A method that a path does not take.
  static func methodNotAllowed(_ route: Route) -> Problem {
    Problem(
      .methodNotAllowed, "the method is not allowed here; allowed: \(route.allow)",
      fields: [HTTPField(name: "Allow", value: route.allow)])
  }

  /// More than a tenant may do.
  static func tooManyRequests(_ detail: String, wait: Duration) -> Problem {
    let seconds = max(1, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0))
    return Problem(
      .tooManyRequests, detail, fields: [HTTPField(name: "Retry-After", value: "\(seconds)")])
  }

  /// A session at another version than `If-Match` names.
  ///
  /// - Parameters:
  ///   - version: The session's.
  ///   - tag: What `If-Match` would have to name.
  ///   - field: The value of `If-Match`.
  /// - Returns: The refusal.
  static func movedOn(to version: Int, tag: String, from field: Span<UInt8>) -> Problem {
    // A number without quotes is no tag: whoever only looks again would be refused for ever.
    let isQuoted = field.indices.contains { field[$0] == UInt8(ascii: "\"") }
    var problem = Problem(
      .preconditionFailed,
      "the session is at version \(version) now"
        + (isQuoted ? "" : "; If-Match takes it in quotes: \"\(version)\""),
      fields: [HTTPField(name: "ETag", value: tag)])
    problem.version = version
    return problem
  }

  /// What cannot be laid out, or not be answered at once; points into a description.
  init(_ error: LayoutError) {
    switch error {
    case .contentTooLong(let section):
      self.init(
        .invalid,
        "the content, or its columns or rows, would reach beyond 9e12 points in section \(section)",
        pointer: "/collection/sections/\(section)")
    case .tooManyColumns(let section, let limit):
      self.init(
        .invalid, "section \(section) would have more than \(limit) columns",
        pointer: "/layout/minimumColumnWidth")
    case .tooManyItems(let section, let limit):
      self.init(
        .invalid,
        "with section \(section) more than \(limit) items of different lengths would be mixed",
        pointer: "/collection/sections/\(section)")
    case .tooManyCards(let limit):
      self.init(
        .invalid, "more than \(limit) cards would stand in view; make them wider",
        pointer: "/layout/itemSize")
    case .tooManyElements(let limit):
      self.init(
        .invalid, "more than \(limit) elements are in the rectangle or the prefetch window")
    }
  }

  /// A session that cannot be kept.
  init(_ error: SessionError) {
    switch error {
    case .tooLarge(let byteCount, let limit):
      self.init(
        .invalid,
        "the session would take \(byteCount) bytes; sessions may take \(limit) together",
        pointer: "/collection")
    case .tooMany(let limit):
      self = .tooManyRequests(
        "there are \(limit) sessions already, as many as one key's name, or where there are no keys all clients, may have; delete one",
        wait: .seconds(60))
    case .tooMuch(let limit):
      self = .tooManyRequests(
        "the sessions would take more than \(limit) bytes together, as many as those of one key's name, or where there are no keys all, may; delete one",
        wait: .seconds(60))
    }
  }

  /// What a store did not do; where it is and what it said is for those who run it.
  init(_ error: StoreError) {
    switch error.kind {
    case .unavailable:
      self.init(.unavailable, "the store cannot be used now; nothing has been changed")
    case .uncertain:
      self.init(
        .uncertain, "the store did not say whether it has changed the session; ask for its version")
    case .unreadable:
      self.init(.unreadable, "the store cannot read what it has; it is left as it is")
    }
  }

  /// A session that others are changing, where no more may wait for them.
  static var beingChanged: Problem {
    Problem(.unavailable, "the session is being changed, and many wait already; ask again")
  }

  /// The problem as an answer.
  ///
  /// - Parameter requestID: The request's name in the log.
  /// - Returns: The answer, as `application/problem+json`.
  func response(requestID: String) -> HTTPResponse {
    var json = JSONWriter()
    json.beginObject()
    json.key("type")
    json.string("/problems/\(kind.rawValue)")
    json.key("title")
    json.string(kind.title)
    json.key("status")
    json.integer(Int(kind.status.rawValue))
    json.key("detail")
    json.string(detail)
    if let pointer {
      json.key("pointer")
      json.string(pointer)
    }
    if let version {
      json.key("version")
      json.integer(version)
    }
    if let repair {
      json.key("repair")
      json.json(repair.span)
    }
    json.key("requestId")
    json.string(requestID)
    json.endObject()
    return HTTPResponse(
      status: kind.status,
      content: HTTPContent(json.finish(), type: "application/problem+json"), otherFields: fields)
  }
}

extension JSONError {
  /// The refusal as a problem.
  var problem: Problem {
    let kind: Problem.Kind =
      switch category {
      case .unreadable: .malformed
      case .invalid: .invalid
      case .tooLarge: .tooLarge
      case .exhausted: .unavailable
      }
    return Problem(kind, detail, pointer: category == .invalid || !pointer.isEmpty ? pointer : nil)
  }

  /// The refusal as a problem, with the place in a body of what the parser could not read.
  func problem(in body: Span<UInt8>, maximumDepth: Int) -> Problem {
    var problem = problem
    switch reason {
    case .malformed, .badUTF8, .badNumber:
      guard pointer.isEmpty, let fault = JSONFault(in: body, maximumDepth: maximumDepth) else {
        break
      }
      problem.detail += ", \(fault.detail)"
      if !fault.pointer.isEmpty { problem.pointer = fault.pointer }
    default: break
    }
    return problem
  }
}
