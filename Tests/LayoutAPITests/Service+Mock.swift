import Foundation
import HTTPMessages
import LayoutSessions
import Testing

@testable import LayoutAPI

/// The lengths of so many items that how long questions about them take is not known until some have been quick.
let longLengths = (0..<6000).map { "\($0 % 50 + 1)" }.joined(separator: ",")

/// One answer, with its body read.
struct Answer {
  var status: Int
  var fields: [String: String]
  /// The body, and how long it is said to be.
  var bytes: [UInt8]
  var byteCount: Int
  var json: [String: Any]
  var changesNothing: Bool

  /// The JSON of a member.
  subscript(member: String) -> Any? { json[member] }

  /// A member as canonical text, to compare with.
  func text(_ member: String) -> String? { json[member].map(canonicalJSON) }

  /// The whole body as canonical text.
  var text: String { canonicalJSON(json) }
}

/// JSON with sorted members and no white space.
func canonicalJSON(_ value: Any) -> String {
  let data = try? JSONSerialization.data(
    withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes])
  return data.map { String(decoding: $0, as: UTF8.self) } ?? "not JSON: \(value)"
}

/// A service and a clock that stands still until a test moves it.
final class MockService: Sendable, CustomReflectable {
  /// Nothing: an expectation that fails shows what it is about, and counters cannot be copied for that.
  var customMirror: Mirror { Mirror(self, children: []) }

  let service: LayoutService
  let clock: TestClock

  init(
    limits: ServiceLimits = ServiceLimits(), sessions: SessionLimits = SessionLimits(),
    access: AccessControl = AccessControl(), crossOrigin: CORSPolicy = .none,
    metrics: RequestMetrics? = nil, clocks: ServiceClocks = ServiceClocks(),
    archive: SessionArchive? = nil, clock watch: TestClock = TestClock()
  ) {
    clock = watch
    service = LayoutService(
      sessions: SessionStore(limits: sessions), archive: archive, limits: limits, access: access,
      crossOrigin: crossOrigin, metrics: metrics, clocks: clocks, now: { watch.now })
  }

  /// Sends a request, as a worker thread would, which then does what is left to do.
  func send(
    _ method: HTTPMethod, _ target: String, _ body: String = "",
    contentType: String? = "application/json", contentEncoding: String = "", accept: String = "",
    ifNoneMatch: String = "", ifMatch: String = "", authorization: String = "", origin: String = "",
    requestMethod: String = "", audience: Audience = .everyone, arrival: UInt64 = 0,
    mayTakeLong: Bool = true, doesRest: Bool = true
  ) -> Answer? {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = Array(parts[0].utf8)
    let query = Array((parts.count > 1 ? String(parts[1]) : "").utf8)
    let bytes = Array(body.utf8)
    let type = Array((bytes.isEmpty ? "" : contentType ?? "").utf8)
    let encoding = Array(contentEncoding.utf8)
    let accept = Array(accept.utf8)
    let tags = Array(ifNoneMatch.utf8)
    let condition = Array(ifMatch.utf8)
    let key = Array(authorization.utf8)
    let page = Array(origin.utf8)
    let wanted = Array(requestMethod.utf8)
    let request = HTTPRequest(
      method: method, path: path.span, query: query.span,
      fields: HTTPRequestFields(
        contentType: type.span, contentEncoding: encoding.span, accept: accept.span,
        ifMatch: condition.span, ifNoneMatch: tags.span, authorization: key.span,
        origin: page.span, accessControlRequestMethod: wanted.span),
      body: bytes.span, arrival: arrival)
    guard
      let response = service.respond(
        to: request, mayTakeLong: mayTakeLong, requestID: nil, audience: audience)
    else { return nil }
    if mayTakeLong, doesRest { service.didAnswer() }
    let json = try? JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
    return Answer(
      status: Int(response.status.rawValue),
      fields: Dictionary(
        response.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $0 + ", " + $1 }),
      bytes: response.body, byteCount: response.content.byteCount, json: json ?? [:],
      changesNothing: response.changesNothing)
  }

  /// A value in `/metrics`; nil if there is none of that name.
  func sample(_ name: String) throws -> String? {
    let answer = try #require(send(.get, "/metrics"))
    #expect(answer.fields["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
    let lines = String(decoding: answer.bytes, as: UTF8.self).split(separator: "\n")
    return lines.first { $0.hasPrefix(name + " ") }.map { String($0.dropFirst(name.count + 1)) }
  }

  /// Makes a session and returns its path.
  func makeSession(_ body: String) throws -> String {
    guard let answer = send(.post, "/v1/sessions", body), answer.status == 201,
      let location = answer.fields["Location"]
    else { throw MockError(message: "no session") }
    return location
  }

  /// The sessions in memory.
  var sessions: SessionStore { service.sessions }

  /// Where requests wait for others to have done with a session.
  var waitingRoom: WaitingRoom { service.sessions.waitingRoom }

  /// The session in memory that has a path.
  func residentSession(_ path: String) throws -> Session {
    let name = Array(path.utf8.dropFirst("/v1/sessions/".utf8.count))
    let session = SessionID(name.span).flatMap { service.sessions.residentSession($0) }
    guard let session else { throw MockError(message: "no session in memory") }
    return session
  }
}

/// Lets a store's hook, or another thread, use a service.
struct UnsafeShared<Value>: @unchecked Sendable {
  // @unchecked: services are made for many threads, and no test moves the clock meanwhile.
  let value: Value
  init(_ value: Value) { self.value = value }
}

struct MockError: Error {
  var message: String
}

/// A clock that stands still until it is moved.
final class TestClock: @unchecked Sendable {
  // @unchecked: a test moves it between requests, on one thread.
  var now = Duration.zero
}

/// A file beside the tests.
func fixture(_ name: String) throws -> Data {
  let folder = URL(filePath: #filePath).deletingLastPathComponent()
  return try Data(contentsOf: folder.appending(path: "Fixtures/\(name)"))
}
