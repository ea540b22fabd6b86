import Glibc
import HTTPMessages
import LayoutAPI
import LayoutSessions

/// A request as a fuzzer makes it.
struct FuzzRequest {
  var method: HTTPMethod
  var path: String
  var query = ""
  var body: [UInt8] = []
  var contentType = "application/json"
  var accept = ""
  var ifMatch = ""
  var ifNoneMatch = ""

  /// For whoever wants to repeat it.
  var description: String {
    "\(method) \(path)?\(query) ifMatch=\(ifMatch) ifNoneMatch=\(ifNoneMatch) \(accept)\n"
      + String(decoding: body, as: UTF8.self)
  }
}

/// An answer that has passed the checks that any has to pass.
struct FuzzAnswer {
  var status: Int
  var type: String
  var tag: String?
  var location: String?
  var json: AnswerJSON?
  var bytes: [UInt8]

  var isAccepted: Bool { status < 300 }
}

/// A service with small limits, and what every answer of it has to keep.
struct ServiceClient {
  let service: LayoutService
  /// Every request so far, for a finding.
  private var history: [String] = []

  /// CPU time that a request may take on a worker, under a sanitizer.
  static let workerLimit = 4.0
  /// The same on a thread that serves others; a hundred times what is meant, for slow machines.
  static let servingLimit = 0.5

  init() {
    service = LayoutService(
      sessions: SessionStore(limits: SessionLimits(sessionCount: 32)),
      limits: ServiceLimits(
        describedItemCount: 2000, elementCount: 500, keptAnswerByteCount: 256 * 1024),
      now: { .zero })
  }

  /// Throws with all that was asked so far.
  func fail(_ message: String) throws(Finding) -> Never {
    throw Finding(message + "\n--- after ---\n" + history.joined(separator: "\n"))
  }

  func check(_ condition: Bool, _ message: @autoclosure () -> String) throws(Finding) {
    if !condition { try fail(message()) }
  }

  /// Asks.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - onWorker: Whether to ask a worker at once.
  ///   - statuses: What may be answered.
  /// - Returns: The answer; the worker's if the serving thread gave none.
  /// - Throws: A promise that the answer breaks.
  mutating func ask(
    _ request: FuzzRequest, onWorker: Bool, statuses: Set<Int>
  ) throws(Finding) -> FuzzAnswer {
    history.append(request.description)
    var response = onWorker ? nil : try timed(request, mayTakeLong: false)
    if response == nil { response = try timed(request, mayTakeLong: true) }
    guard let response else { try fail("a worker gave no answer") }
    let fields = response.fields
    func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
    let answer = FuzzAnswer(
      status: Int(response.status.rawValue), type: field("Content-Type") ?? "", tag: field("ETag"),
      location: field("Location"),
      json: response.body.isEmpty ? nil : AnswerJSON(response.body), bytes: response.body)
    try check(
      statuses.contains(answer.status),
      "status \(answer.status): \(String(decoding: answer.bytes.prefix(500), as: UTF8.self))")
    if answer.status >= 400 {
      try checkProblem(answer, request)
    } else {
      try checkBody(answer)
    }
    return answer
  }

  private func timed(
    _ request: FuzzRequest, mayTakeLong: Bool
  ) throws(Finding) -> HTTPResponse? {
    let path = Array(request.path.utf8)
    let query = Array(request.query.utf8)
    let type = Array((request.body.isEmpty ? "" : request.contentType).utf8)
    let accept = Array(request.accept.utf8)
    let ifMatch = Array(request.ifMatch.utf8)
    let ifNoneMatch = Array(request.ifNoneMatch.utf8)
    let start = ServiceClient.cpuSeconds
    let response = service.respond(
      to: HTTPRequest(
        method: request.method, path: path.span, query: query.span,
        fields: HTTPRequestFields(
          contentType: type.span, accept: accept.span, ifMatch: ifMatch.span,
          ifNoneMatch: ifNoneMatch.span),
        body: request.body.span),
      mayTakeLong: mayTakeLong)
    let seconds = ServiceClient.cpuSeconds - start
    let limit = mayTakeLong ? ServiceClient.workerLimit : ServiceClient.servingLimit
    try check(seconds < limit, "it took \(seconds) s, worker: \(mayTakeLong)")
    return response
  }

  private static var cpuSeconds: Double {
    var time = timespec()
    // Safe: a variable of this frame.
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// A refusal has all its members and names a place that is there.
  private func checkProblem(_ answer: FuzzAnswer, _ request: FuzzRequest) throws(Finding) {
    try check(answer.type == "application/problem+json", "a problem of type \(answer.type)")
    guard let json = answer.json else { try fail("a problem that is no JSON") }
    try check(json["status"]?.int == answer.status, "a problem with another status: \(json)")
    for name in ["type", "title", "detail", "requestId"] {
      try check(json[name]?.string?.isEmpty == false, "a problem without \(name)")
    }
    try check(json["type"]?.string?.hasPrefix("/problems/") == true, "an odd type")
    if let pointer = json["pointer"] {
      guard let pointer = pointer.string else { try fail("a pointer that is no string") }
      if let body = AnswerJSON(request.body) {
        // A metric that is not in the body has its default, and may be to blame all the same.
        let place = answer.status == 422 && pointer == "/layout/itemSize" ? "/layout" : pointer
        try check(body.at(place) != nil, "nothing in the body is at \(pointer): \(json)")
      }
    }
  }

  /// An answer is JSON, and what is in it is finite and nowhere saturated.
  private func checkBody(_ answer: FuzzAnswer) throws(Finding) {
    guard !answer.bytes.isEmpty, answer.type == "application/json" else { return }
    guard let json = answer.json else {
      try fail("no JSON: \(String(decoding: answer.bytes.prefix(2000), as: UTF8.self))")
    }
    do throws(Finding) {
      try json.forEachNumber { (text) throws(Finding) in
        guard let number = Double(text), number.isFinite else { throw Finding(text) }
        try expect(!text.contains("9223372036854.77"), "saturated: \(text)")
      }
    } catch { try fail("a number that is none: \(error)") }
    for name in ["attributes", "appeared", "changed"] {
      for element in json[name]?.elements ?? [] {
        let frame = element["frame"]
        for side in ["width", "height"] {
          guard let extent = frame?[side]?.double, extent >= 0 else {
            try fail("a frame of negative size: \(element)")
          }
        }
      }
    }
  }
}
