public import HTTPMessages
package import LayoutCore
public import LayoutSessions
import Synchronization

/// Answers requests: the whole API as one function from request to response.
///
/// It does no I/O and knows nothing of the server; time comes from outside.
public final class LayoutService: Sendable {
  let sessions: SessionStore
  let archive: SessionArchive?
  let limits: ServiceLimits
  let now: @Sendable () -> Duration
  let clocks: ServiceClocks
  let metrics: RequestMetrics?
  private let access: AccessControl
  private let crossOrigin: CORSPolicy
  /// What others have to say in `/metrics`.
  let otherMetrics = Mutex<[@Sendable (inout MetricsText) -> Void]>([])
  /// Answers to be given again.
  let answers: AnswerCache<KeptAnswer>
  let answerLengths = AnswerLengths()
  /// What lies about the edges of the viewports that are scrolled slowly.
  let bands: AnswerCache<ScrollBand>
  private let isReady = Atomic(true)
  private let requestCount = Atomic<UInt64>(0)
  private let requestPrefix: String

  /// Bodies up to so many bytes are read and laid out on the thread that serves.
  private static let shortBody = 1024

  /// Makes a service.
  ///
  /// - Parameters:
  ///   - sessions: Where sessions are kept.
  ///   - archive: Where they outlive the process; nil if they do not.
  ///   - limits: What the service may do.
  ///   - access: Who may ask; everybody if nothing is said.
  ///   - crossOrigin: Which pages' scripts may call.
  ///   - metrics: Counts requests; nil if nobody wants to know.
  ///   - clocks: To tell what takes long; they stand still if nothing is said.
  ///   - now: The time on such a clock, which need not be finer than some milliseconds.
  public init(
    sessions: SessionStore = SessionStore(), archive: SessionArchive? = nil,
    limits: ServiceLimits = ServiceLimits(),
    access: AccessControl = AccessControl(), crossOrigin: CORSPolicy = .none,
    metrics: RequestMetrics? = nil, clocks: ServiceClocks = ServiceClocks(),
    now: @escaping @Sendable () -> Duration
  ) {
    self.sessions = sessions
    self.archive = archive
    self.limits = limits
    self.access = access
    self.crossOrigin = crossOrigin
    self.metrics = metrics
    self.clocks = clocks
    self.now = now
    // With what the server prepares to send each again, which is mostly its header fields.
    answers = AnswerCache(byteCount: limits.keptAnswerByteCount, entryByteCount: 1152)
    bands = AnswerCache(byteCount: limits.keptAnswerByteCount / 2, answerLimit: 64 * 1024)
    requestPrefix = String(UInt32.random(in: .min ... .max), radix: 36)
  }

  /// The paths it answers, as openapi.yaml writes them, with their methods.
  package static var routes: [(template: String, methods: [HTTPMethod])] {
    Routes.all.indices.map { index in
      let route = Routes.all[index]
      return (route.template.description, route.operations.map(\.method))
    }
  }

  /// Reads a description alone, to measure it.
  package static func description(of body: Span<UInt8>) -> Description? {
    var parser = JSONParser()
    let limits = ContentLimits(describedItems: .max, sections: .max)
    return try? parser.read(body) { (value) throws(JSONError) in
      try JSONObject<DescriptionMember>(value, allowed: DescriptionMember.session)
        .description(limits: limits)
    }
  }

  /// Forgets sessions that nobody has asked for; to be called now and then.
  ///
  /// - Returns: How many bytes were taken by sessions that have left since the last call, and by what changes have
  ///   replaced where that is much.
  public func sweep() -> Int {
    // First what needs nobody else.
    let leftByteCount = sessions.sweep(at: now())
    archive?.sweep()
    return leftByteCount
  }

  /// What went wrong with the store since the last call, in words for those who run the server.
  public func takeStoreErrors() -> [String] { archive?.statistics.takeErrors() ?? [] }

  /// Counts that the store has not done what ``sweep()`` asks of it, and has that told.
  ///
  /// Not of a store that others use too: such a one is given a time to answer in, and whoever waits longer gets an error.
  ///
  /// - Parameter length: For how long.
  public func storeStandsStill(for length: Duration) { archive?.standsStill(for: length) }

  /// Ends the store's work, when no requests are under way any more.
  public func close() {
    archive?.sweep()
    archive?.close()
  }

  /// Makes `/readyz` say no, so that no new requests are sent here.
  public func stopBeingReady() { isReady.store(false, ordering: .relaxed) }

  /// Adds to what `/metrics` says.
  ///
  /// - Parameter write: Writes families of its own; called on any thread.
  public func addMetrics(_ write: @escaping @Sendable (inout MetricsText) -> Void) {
    otherMetrics.withLock { $0.append(write) }
  }

  /// A name for a request that no other has, in the log and in problems.
  public func makeRequestID() -> String {
    let number = requestCount.wrappingAdd(1, ordering: .relaxed).newValue
    return "\(requestPrefix)-\(String(number, radix: 36))"
  }

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - mayTakeLong: Whether this is a worker thread.
  ///   - requestID: The request's name; nil to make one where it is needed.
  ///   - audience: Who is at the other end.
  /// - Returns: The response, or nil to be called again on a worker thread.
  public func respond(
    to request: borrowing HTTPRequest, mayTakeLong: Bool, requestID: String? = nil,
    audience: Audience = .everyone
  ) -> HTTPResponse? {
    let found = Routes.match(request.path)
    let operation = found.flatMap { $0.route.operation(for: request.method) }
    do throws(Failure) {
      let response = try answer(request, found, operation, audience, mayTakeLong: mayTakeLong)
      if request.method == .get || request.method == .head {
        return finished(unlessKnown(response, to: request), to: request, operation, audience)
      }
      return finished(response, to: request, operation, audience)
    } catch {
      if !mayTakeLong, error.isLeftToWorkers(limits) { return nil }
      let response = error.problem(operation).response(requestID: requestID ?? makeRequestID())
      return finished(response, to: request, operation, audience)
    }
  }

  /// Refuses a request by its header, before a long body is read.
  ///
  /// - Parameters:
  ///   - request: The request, with an empty body.
  ///   - requestID: The request's name; nil to make one where it is needed.
  ///   - audience: Who is at the other end.
  /// - Returns: The refusal; nil if there is nothing against it so far.
  public func refusal(
    ofLong request: borrowing HTTPRequest, requestID: String? = nil, audience: Audience = .everyone
  ) -> HTTPResponse? {
    let found = Routes.match(request.path)
    let operation = found.flatMap { $0.route.operation(for: request.method) }
    do throws(Failure) {
      // Counted here, or who may ask no more could still send all those bodies.
      if audience.needsKey(request.path) { try countRequest(of: try tenant(of: request)) }
      guard let (route, _) = found, audience.sees(route) else {
        throw .problem(.noSuchPath(request.path, for: audience))
      }
      if operation == nil { throw .problem(.methodNotAllowed(route)) }
      switch request.method {
      case .post, .put, .patch: try Call.checkIsJSON(request.fields)
      case .get, .head, .delete, .options, .other: break
      }
      return nil
    } catch {
      let response = error.problem(operation).response(requestID: requestID ?? makeRequestID())
      return finished(response, to: request, operation, audience)
    }
  }

  /// Has each tenant wait in a line of its own.
  ///
  /// - Parameter request: The request.
  /// - Returns: The line.
  public func line(of request: borrowing HTTPRequest) -> WaitingLine {
    access.line(authorization: request.fields.authorization)
  }

  /// Writes the snapshots of sessions whose changes have outgrown the last ones.
  public func didAnswer() { archive?.writeOutgrown() }

  /// Lets pages' scripts read what the server has refused itself.
  ///
  /// - Parameter origin: The value of the field `Origin`.
  /// - Returns: The fields for that.
  public func refusalFields(for origin: Span<UInt8>) -> [HTTPField] {
    crossOrigin.fields(for: origin)
  }

  /// An answer to a question, or 304 to who has it already (RFC 9110, 13.2.2).
  ///
  /// 304 has the body, or its length, which is all that the server sends, as for HEAD. libmicrohttpd says some length,
  /// and there are caches that take it for that of what they keep: of 0, Squid makes empty answers.
  private func unlessKnown(
    _ response: consuming HTTPResponse, to request: borrowing HTTPRequest
  ) -> HTTPResponse {
    guard response.status == .ok, let tag = response.content.tag else { return response }
    answerLengths.note(
      response.content.byteCount,
      of: AnswerLengths.Question(path: request.path, query: request.query, tag: tag))
    guard EntityTag.isNamed(tag.description, in: request.fields.ifNoneMatch) else {
      return response
    }
    return HTTPResponse(
      status: .notModified, content: response.content, otherFields: response.otherFields)
  }

  /// What is answered, counted and readable for the page that asked; handed on, not copied.
  private func finished(
    _ response: consuming HTTPResponse, to request: borrowing HTTPRequest, _ operation: Operation?,
    _ audience: Audience
  ) -> HTTPResponse {
    // Operators come by another listener, whose threads have other numbers.
    if audience != .operators {
      metrics?.count(
        operation, response.status, from: request.arrival, to: clocks.monotonic(),
        on: request.thread)
    }
    if crossOrigin.isNone { return response }
    return response.adding(crossOrigin.fields(for: request.fields.origin))
  }

  /// Finds out who asks.
  private func tenant(of request: borrowing HTTPRequest) throws(Failure) -> Tenant {
    guard let tenant = access.tenant(authorization: request.fields.authorization) else {
      throw .problem(
        Problem(
          .unauthorized, "the field Authorization must be Bearer and a key that is known",
          // This scheme is not named without a parameter (RFC 6750, section 3).
          fields: [HTTPField(name: "WWW-Authenticate", value: "Bearer realm=\"layoutd\"")]))
    }
    return tenant
  }

  /// Counts a request of a tenant.
  private func countRequest(of tenant: Tenant) throws(Failure) {
    guard let wait = tenant.countRequest(at: now()) else { return }
    throw .problem(.tooManyRequests("too many requests in a second", wait: wait))
  }

  private func answer(
    _ request: borrowing HTTPRequest, _ found: (route: Route, parameters: PathParameters)?,
    _ operation: Operation?, _ audience: Audience, mayTakeLong: Bool
  ) throws(Failure) -> HTTPResponse {
    // What may be asked is no secret; browsers ask for it without a key.
    let isQuestionForMethods = request.method == .options && found != nil
    var tenant: Tenant?
    if !isQuestionForMethods, audience.needsKey(request.path) {
      let known = try self.tenant(of: request)
      // A worker's turn is another look at a request that has been counted, and so is what comes after its header.
      if !mayTakeLong, !request.wasAnnounced { try countRequest(of: known) }
      tenant = known
    }
    if !mayTakeLong, request.body.count > LayoutService.shortBody { throw .takesLong }
    // The server as a whole, which nothing else is asked about.
    if request.path.count == 1, request.path[0] == UInt8(ascii: "*") {
      return HTTPResponse(status: .noContent)
    }
    guard let (route, parameters) = found, audience.sees(route) else {
      throw .problem(.noSuchPath(request.path, for: audience))
    }
    guard let operation else {
      guard request.method == .options else { throw .problem(.methodNotAllowed(route)) }
      let allow = HTTPField(name: "Allow", value: route.allow)
      let fields = crossOrigin.preflightFields(for: request, allow: route.allow)
      return HTTPResponse(status: .noContent, fields: [allow] + fields)
    }
    let call = Call(
      service: self, request: request, parameters: parameters,
      owner: tenant?.owner ?? .anonymous, mayTakeLong: mayTakeLong)
    return switch operation {
    case .layOut: try call.layOut()
    case .createSession: try call.createSession()
    case .describeSession: try call.describeSession()
    case .deleteSession: try call.deleteSession()
    case .replaceLayout: try call.replaceLayout()
    case .replaceViewport: try call.replaceViewport()
    case .replaceCollection: try call.replaceCollection()
    case .applyUpdates: try call.applyUpdates()
    case .beginMovement: try call.beginMovement()
    case .updateMovement: try call.updateMovement()
    case .endMovement: try call.endMovement()
    case .cancelMovement: try call.cancelMovement()
    case .listAttributes: try call.listAttributes()
    case .describeElement: try call.describeElement()
    case .itemAtPoint: try call.itemAtPoint()
    case .scrollOffset: try call.scrollOffset()
    case .drawImage: try call.drawImage()
    case .scroll: try call.scroll()
    case .snap: try call.snap()
    case .liveness: call.health("ok")
    case .readiness: try call.readiness(isReady: isReady.load(ordering: .relaxed))
    case .contract: call.webFile(.contract)
    case .metrics: try call.writeMetrics()
    case .playground: call.webFile(.page)
    case .playgroundFile: try call.playgroundFile()
    case .client: call.webFile(.client)
    case .clientTypes: call.webFile(.clientTypes)
    }
  }
}
