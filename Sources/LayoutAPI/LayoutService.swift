public import HTTPMessages
package import LayoutCore
public import LayoutSessions
import Synchronization

/// What the service may do and hold.
public struct ServiceLimits: Sendable {
  /// Items with data of their own in one collection.
  public var describedItemCount: Int
  /// Elements in one answer.
  public var elementCount: Int
  /// Bytes of answers that are kept to be given again.
  public var keptAnswerByteCount: Int

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - describedItemCount: Items with data of their own in one collection.
  ///   - elementCount: Elements in one answer.
  ///   - keptAnswerByteCount: Bytes of answers that are kept to be given again.
  public init(
    describedItemCount: Int = 5_000_000, elementCount: Int = 200_000,
    keptAnswerByteCount: Int = 32 * 1024 * 1024
  ) {
    self.describedItemCount = describedItemCount
    self.elementCount = elementCount
    self.keptAnswerByteCount = keptAnswerByteCount
  }
}

/// Answers requests: the whole API as one function from request to response.
///
/// It does no I/O and knows nothing of the server; time comes from outside.
public final class LayoutService: HTTPHandler {
  let sessions: SessionStore
  let limits: ServiceLimits
  let now: @Sendable () -> Duration
  /// Answers to be given again.
  let answers: AnswerCache<KeptAnswer>
  /// What lies about the edges of the viewports that are scrolled slowly.
  let bands: AnswerCache<ScrollBand>
  private let isReady = Atomic(true)
  private let requestCount = Atomic<UInt64>(0)
  private let requestPrefix: String

  /// Bodies up to so many bytes are read and laid out on the thread that serves.
  private static let shortBody = 16 * 1024
  /// So many elements are written on the thread that serves.
  private static let shortAnswer = 2000

  /// Makes a service.
  ///
  /// - Parameters:
  ///   - sessions: Where sessions are kept.
  ///   - limits: What the service may do.
  ///   - now: The time on a clock that never goes back.
  public init(
    sessions: SessionStore = SessionStore(), limits: ServiceLimits = ServiceLimits(),
    now: @escaping @Sendable () -> Duration
  ) {
    self.sessions = sessions
    self.limits = limits
    self.now = now
    answers = AnswerCache(byteCount: limits.keptAnswerByteCount)
    bands = AnswerCache(byteCount: limits.keptAnswerByteCount / 2)
    requestPrefix = String(UInt32.random(in: .min ... .max), radix: 36)
  }

  /// The paths it answers, as openapi.yaml writes them, with their methods.
  public static var routes: [(template: String, methods: [HTTPMethod])] {
    Routes.all.indices.map { index in
      let route = Routes.all[index]
      return (route.template.description, route.operations.map(\.method))
    }
  }

  /// Reads a description alone, to measure it.
  package static func description(of body: Span<UInt8>) -> Description? {
    var parser = JSONParser()
    let limits = ContentLimits(describedItems: .max)
    return try? parser.read(body) { (value) throws(JSONError) in
      try JSONObject<DescriptionMember>(value, allowed: DescriptionMember.session)
        .description(limits: limits)
    }
  }

  /// Makes `/readyz` say no, so that no new requests are sent here.
  public func stopBeingReady() { isReady.store(false, ordering: .relaxed) }

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
  /// - Returns: The response, or nil to be called again on a worker thread.
  public func respond(to request: borrowing HTTPRequest, mayTakeLong: Bool) -> HTTPResponse? {
    respond(to: request, mayTakeLong: mayTakeLong, requestID: nil)
  }

  /// Answers a request that has a name already.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - mayTakeLong: Whether this is a worker thread.
  ///   - requestID: The request's name; nil to make one where it is needed.
  /// - Returns: The response, or nil to be called again on a worker thread.
  public func respond(
    to request: borrowing HTTPRequest, mayTakeLong: Bool, requestID: String?
  ) -> HTTPResponse? {
    if !mayTakeLong, request.body.count > LayoutService.shortBody { return nil }
    let elementLimit =
      mayTakeLong
      ? limits.elementCount : min(limits.elementCount, LayoutService.shortAnswer)
    do {
      return try answer(request, elementLimit: elementLimit, mayTakeLong: mayTakeLong)
    } catch {
      switch error {
      case .takesLong: return nil
      case .layout(.tooManyElements(let limit)) where limit < limits.elementCount: return nil
      case .layout(let error):
        return Problem(error).response(requestID: requestID ?? makeRequestID())
      case .problem(let problem):
        return problem.response(requestID: requestID ?? makeRequestID())
      }
    }
  }

  private func answer(
    _ request: borrowing HTTPRequest, elementLimit: Int, mayTakeLong: Bool
  ) throws(Failure) -> HTTPResponse {
    guard let (route, parameters) = Routes.match(request.path) else {
      throw .problem(.notFound("there is nothing at this path"))
    }
    guard let operation = route.operation(for: request.method) else {
      let allow = HTTPField(name: "Allow", value: route.allow)
      if request.method == .options { return HTTPResponse(status: .noContent, fields: [allow]) }
      throw .problem(
        Problem(
          .methodNotAllowed, "the method is not allowed here; see Allow",
          fields: [allow]))
    }
    let call = Call(
      service: self, request: request, parameters: parameters, elementLimit: elementLimit,
      mayTakeLong: mayTakeLong)
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
    case .liveness: try call.health("ok")
    case .readiness: try call.readiness(isReady: isReady.load(ordering: .relaxed))
    case .contract: try call.contract()
    }
  }
}

/// Why a request is not answered as it wished.
enum Failure: Error {
  /// Not on a thread that serves.
  case takesLong
  /// The layout says no; `tooManyElements` on a serving thread means: try again on a worker.
  case layout(LayoutError)
  /// Everything else.
  case problem(Problem)
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
}
