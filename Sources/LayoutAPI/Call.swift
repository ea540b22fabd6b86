import HTTPMessages
import LayoutCore
import LayoutSessions

/// One request on its way to its answer.
///
/// The endpoints are in extensions, one file for each group of operations.
struct Call: ~Escapable {
  let service: LayoutService
  /// Whose sessions are seen.
  let owner: SessionOwner
  /// How many elements an answer may be about.
  let elementLimit: Int
  /// Whether this is a worker.
  let mayTakeLong: Bool
  let thread: Int
  private let method: HTTPMethod
  private let path: Span<UInt8>
  private let query: Span<UInt8>
  let fields: HTTPRequestFields
  let body: Span<UInt8>
  private let hasLength: Bool
  private let bodyPadding: Int
  private let parameters: PathParameters

  /// So many elements are written on the thread that serves.
  private static let shortAnswer = 500
  /// So many sections and items with data of their own are laid out there.
  private static let shortContent = 5000
  /// And no more memory: equal items have no data of their own, but any number of runs of them is possible.
  private static let shortContentBytes = 1 << 20
  /// With more items than this, however equal, a search for the nearest is left to a worker: all may lie at one place,
  /// and each would be looked at.
  private static let searchedItems = 20_000
  /// A section takes as long as so many items.
  private static let sectionCost = 8

  /// What a collection may hold.
  var contentLimits: ContentLimits {
    ContentLimits(
      describedItems: service.limits.describedItemCount, sections: service.limits.sectionCount)
  }

  @_lifetime(copy request)
  init(
    service: LayoutService, request: borrowing HTTPRequest, parameters: PathParameters,
    owner: SessionOwner, mayTakeLong: Bool
  ) {
    self.service = service
    self.owner = owner
    thread = request.thread
    self.mayTakeLong = mayTakeLong
    let most = service.limits.elementCount
    elementLimit = mayTakeLong ? most : min(most, Call.shortAnswer)
    self.parameters = parameters
    method = request.method
    path = request.path
    query = request.query
    fields = request.fields
    body = request.body
    hasLength = request.hasLength
    bodyPadding = request.bodyPadding
  }

  /// How many elements an answer may be about, whose names are those of some content.
  ///
  /// On a thread that serves fewer than a worker may write.
  func elementLimit(about content: Content) -> Int {
    min(elementLimit, service.limits.elementCount(about: content))
  }

  // MARK: What came in

  /// A parameter of the path.
  @_lifetime(copy self)
  func parameter(_ index: Int) -> Span<UInt8> { path.extracting(parameters[index]) }

  /// A parameter of the path as text.
  func parameterText(_ index: Int) -> String { parameter(index).string }

  /// A parameter of the path as text, percent-decoded; nil if that cannot be done.
  func decodedParameterText(_ index: Int) -> String? {
    PercentEncoding.decode(path, parameters[index])
  }

  /// The session that the path names.
  ///
  /// - Parameter use: What for.
  /// - Returns: The session, no older than that allows.
  /// - Throws: 404, what a store throws, and ``Failure/takesLong`` if one has to be asked.
  func session(for use: SessionUse = .question) throws(Failure) -> Session {
    guard let id = SessionID(parameter(0)) else { throw .problem(.noSuchSession) }
    let now = service.now()
    let session = service.sessions.session(id, of: owner, at: now)
    guard let archive = service.archive else {
      guard let session else { throw .problem(.noSuchSession) }
      return session
    }
    if let session, archive.isCurrent(session, for: use) {
      archive.noteUse(of: session)
      return session
    }
    // The store is asked, which may take as long as a disk or a network likes.
    guard mayTakeLong else { throw .takesLong }
    if let session {
      if try archive.refresh(session, for: use, in: service.sessions) { return session }
    } else if let session = try archive.open(
      id, of: owner, for: use, in: service.sessions, at: now)
    {
      return session
    }
    throw .problem(.noSuchSession)
  }

  /// Leaves what has to wait for a store to a worker.
  func checkMayWaitForStore() throws(Failure) {
    guard mayTakeLong || service.archive == nil else { throw .takesLong }
  }

  /// Whether there is no query at all.
  var hasNoQuery: Bool { query.isEmpty }

  /// The query, with the parameters that may be in it.
  @_lifetime(copy self)
  func query(_ known: QueryName...) throws(Failure) -> QueryParameters {
    try QueryParameters(query, known: known)
  }

  /// Refuses clients that do not take what the answer is.
  func checkAccept(_ type: StaticString = "application/json") throws(Failure) {
    guard Accept.takes(type, fields.accept) else {
      throw .problem(Problem(.notAcceptable, "answers are \(type)"))
    }
  }

  /// Reads the body.
  ///
  /// - Parameter read: What to make of it; may be called twice.
  /// - Returns: What `read` returns.
  /// - Throws: 411 if there is none and the header does not say so, 415 if it is not plain JSON, 400 if it
  ///   cannot be read, and what `read` throws.
  func body<Value>(
    _ read: (JSONValue) throws(JSONError) -> Value
  ) throws(Failure) -> Value {
    guard hasLength else {
      throw .problem(Problem(.lengthRequired, "a request with a body needs a Content-Length"))
    }
    // An empty body has no type to be wrong about: it is unreadable.
    if !body.isEmpty { try Call.checkIsJSON(fields) }
    var parser = JSONParser(maximumDepth: service.limits.depth)
    do throws(JSONError) {
      return try parser.read(body, padding: bodyPadding, read)
    } catch {
      throw .problem(error.problem(in: body, maximumDepth: service.limits.depth))
    }
  }

  /// Refuses bodies of another type, and such as are packed.
  static func checkIsJSON(_ fields: borrowing HTTPRequestFields) throws(Failure) {
    guard MediaType.isJSON(fields.contentType) else {
      throw .problem(
        Problem(.unsupportedMediaType, "a request with a body needs Content-Type: application/json")
      )
    }
    guard MediaType.isPlain(fields.contentEncoding) else {
      throw .problem(
        Problem(
          .unsupportedMediaType, "a body is sent as it is, without a Content-Encoding",
          // As RFC 9110, section 12.5.3, has a server say what it would take.
          fields: [HTTPField(name: "Accept-Encoding", value: "identity")]))
    }
  }

  /// Reads the body of a scroll tick.
  func tickRequest() throws(Failure) -> TickRequest {
    if !body.isEmpty {
      try Call.checkIsJSON(fields)
      if let request = TickRequest(plain: body) { return request }
    }
    return try body { (value) throws(JSONError) in try TickRequest(value) }
  }

  /// Refuses a body other than an empty object, where there is nothing to say.
  func checkNoBody() throws(Failure) {
    guard !body.isEmpty else { return }
    try body { (value) throws(JSONError) in _ = try JSONObject<NoMember>(value, allowed: []) }
  }

  /// Leaves what has sessions leave to a worker, where that frees many that have left before.
  func checkFreesLittle() throws(Failure) {
    guard mayTakeLong || !service.sessions.hasMuchToFree else { throw .takesLong }
  }

  /// Leaves what takes long to a worker.
  func checkIsShort(_ content: Content) throws(Failure) {
    guard mayTakeLong || Call.isShort(content) else { throw .takesLong }
  }

  /// Leaves a search for the nearest of many items to a worker.
  func checkSearchesFew(_ content: Content) throws(Failure) {
    guard mayTakeLong || Call.hasFew(content) else { throw .takesLong }
  }

  /// Leaves a layout that may go through items one by one to a worker, if there are many.
  func checkGoesThroughFew(_ content: Content, _ layout: any CollectionLayout) throws(Failure) {
    guard mayTakeLong || !layout.goesThroughItems || Call.hasFew(content) else {
      throw .takesLong
    }
  }

  private static func hasFew(_ content: Content) -> Bool {
    content.sections.itemCount <= searchedItems
  }

  /// Leaves what goes through all that is asked for to a worker, if that is in many pieces.
  func checkAsksForFew(_ scrolling: ScrollState) throws(Failure) {
    guard mayTakeLong || scrolling.requestedRangeCount <= elementLimit else { throw .takesLong }
  }

  /// Whether changes of content, and questions about it if it has few items, take no more than some milliseconds.
  fileprivate static func isShort(_ content: Content) -> Bool {
    content.describedItemCount + content.sections.count * sectionCost <= shortContent
      && content.byteCount <= shortContentBytes
  }

  /// Asks the layout of a session.
  ///
  /// Questions about short content with few items take some milliseconds at most. If one about other content took
  /// longer, those that follow are left to workers: so many that threads that serve have little to do with it.
  func asking<Value>(
    _ session: Session, _ revision: Session.Revision, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let content = revision.description.content
    if Call.isShort(content), Call.hasFew(content) { return try body() }
    if !mayTakeLong, session.isSlow { throw .takesLong }
    let isOwnTime = session.isSuspected
    let clock = isOwnTime ? service.clocks.thread : service.clocks.monotonic
    let start = clock()
    defer { session.noteAnswer(after: clock() &- start, isOwnTime: isOwnTime) }
    return try body()
  }

  // MARK: What goes out

  /// An answer in JSON.
  func json(
    _ body: consuming JSONWriter, status: HTTPStatus = .ok, tag: EntityTag? = nil,
    location: String? = nil
  ) -> HTTPResponse {
    HTTPResponse(
      status: status, content: body.content(tag: tag?.field),
      otherFields: location.map { [HTTPField(name: "Location", value: $0)] } ?? [])
  }

  /// What is as good as an answer's content for who is sent its length alone, by HEAD or 304; nil if the length is not
  /// known, and for everybody else.
  ///
  /// To be asked before anything is written: who looks whether there is another one asks again and again.
  func unwrittenContent(_ tag: EntityTag, type: StaticString = "application/json") -> HTTPContent? {
    let tag = tag.field
    guard method == .head || EntityTag.isNamed(tag.description, in: fields.ifNoneMatch),
      let byteCount = service.answerLengths.byteCount(
        of: AnswerLengths.Question(path: path, query: query, tag: tag))
    else { return nil }
    return HTTPContent(unwritten: byteCount, type: type, tag: tag)
  }

  /// Runs what the core may refuse.
  func layingOut<Value>(
    _ body: () throws(LayoutError) -> Value
  ) throws(Failure) -> Value {
    do { return try body() } catch { throw .layout(error) }
  }

  /// Lays out a description.
  ///
  /// `old` is what was laid out before, if only the viewport differs from that, or what scrolling does.
  func prepare(
    _ description: Description, resizing old: PreparedLayout? = nil
  ) throws(Failure) -> PreparedLayout {
    try checkGoesThroughFew(description.content, description.layout)
    return try timing(.prepare) { () throws(Failure) in
      try layingOut { () throws(LayoutError) -> PreparedLayout in
        let (content, layout) = (description.content, description.layout)
        guard let old else {
          return try PreparedLayout(content, layout: layout, viewport: description.viewport)
        }
        return try PreparedLayout(
          resizing: old, of: content, layout: layout, to: description.viewport)
      }
    }
  }

  /// Runs a part of the request that is watched; what it refuses, or leaves to a worker, is not counted.
  ///
  /// What is found to be long only afterwards is done, and counted, twice.
  private func timing<Value>(
    _ work: RequestMetrics.Work, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard let metrics = service.metrics else { return try body() }
    let start = service.clocks.monotonic()
    let value = try body()
    metrics.count(work, nanoseconds: service.clocks.monotonic() &- start, on: thread)
    return value
  }
}

extension Session {
  /// Leaves questions to workers until some have been quick, unless the content is short: how long they take is not
  /// known yet.
  func presumeSlowUnlessShort() {
    if !Call.isShort(snapshot.description.content) { presumeSlow() }
  }
}

/// Of objects that may have none.
private enum NoMember: Int, JSONName {
  case unused
  static let names = JSONNames(of: Self.self)
}
