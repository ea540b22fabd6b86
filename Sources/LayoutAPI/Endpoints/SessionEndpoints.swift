import HTTPMessages
import LayoutCore
import LayoutSessions

/// `/v1/sessions` and `/v1/sessions/{id}`.
extension Call {
  func createSession() throws(Failure) -> HTTPResponse {
    try checkAccept()
    let shape = try formatQuery()
    try checkMayWaitForStore()
    // Others may have to leave for it.
    try checkFreesLittle()
    do throws(SessionError) {
      try service.sessions.checkPlace(for: owner, at: service.now())
    } catch {
      throw .session(error)
    }
    let limits = contentLimits
    let keepsSource = service.archive != nil
    let description = try body { (value) throws(JSONError) in
      try JSONObject<DescriptionMember>(value, allowed: DescriptionMember.session)
        .description(limits: limits, keepsSource: keepsSource)
    }
    let layout = try prepare(description)
    // The answer counts as the first tick.
    var scrolling = ScrollState(contentOffset: description.contentOffset)
    let start = service.clocks.thread()
    let tick = try layingOut { () throws(LayoutError) in
      try scrolling.scroll(
        to: description.contentOffset, in: layout, prefetch: description.prefetch, isFull: true,
        limit: elementLimit(about: description.content))
    }
    let time = service.clocks.thread() &- start
    var generator = SystemRandomNumberGenerator()
    let session = Session(
      id: SessionID(using: &generator), owner: owner, description: description, layout: layout,
      scrolling: scrolling)
    // Whoever makes a session asks it at once, and is not to wait for a worker because it is not known yet.
    if !Session.isQuick(time) { session.presumeSlowUnlessShort() }
    do { try service.sessions.insert(session, at: service.now()) } catch { throw .session(error) }
    do throws(Failure) {
      try service.archive?.create(session)
    } catch {
      service.sessions.remove(session)
      throw error
    }
    service.sessions.noteMade()
    let snapshot = session.snapshot
    var json = JSONWriter(capacity: 512 + tick.appeared.count * 128)
    json.beginObject()
    json.summary(of: session.id, snapshot)
    json.raw("\"attributes\":")
    AttributesFormat(shape, snapshot).write(tick.appeared, to: &json)
    json.raw("\"prefetch\":")
    json.ranges(tick.prefetch)
    json.endObject()
    return self.json(
      json, status: .created, tag: EntityTag(snapshot),
      location: "/v1/sessions/\(session.id)")
  }

  func describeSession() throws(Failure) -> HTTPResponse {
    try checkAccept()
    _ = try query()
    let session = try session()
    let snapshot = session.snapshot
    let tag = EntityTag(snapshot, dependsOnScrolling: true)
    try checkIfMatch(snapshot, tag: tag)
    if let content = unwrittenContent(tag) { return HTTPResponse(status: .ok, content: content) }
    // Each section has its place in the answer.
    guard mayTakeLong || snapshot.description.content.sections.count <= elementLimit else {
      throw .takesLong
    }
    try checkAsksForFew(snapshot.scrolling)
    let asked = try asking(session, snapshot.revision) {
      snapshot.scrolling.requestedRanges(in: snapshot.layout)
    }
    var json = JSONWriter(capacity: 512)
    json.beginObject()
    json.summary(of: session.id, snapshot)
    json.raw("\"prefetch\":")
    json.ranges(asked)
    json.endObject()
    return self.json(json, tag: tag)
  }

  func deleteSession() throws(Failure) -> HTTPResponse {
    _ = try query()
    try checkMayWaitForStore()
    try checkFreesLittle()
    try removeSession()
    return HTTPResponse(status: .noContent)
  }

  /// The query of requests that take `format` only.
  func formatQuery() throws(Failure) -> AttributesFormat.Shape {
    if hasNoQuery { return .objects }
    return try query(.format).shape()
  }
}

extension AttributesFormat {
  /// The format of a session's answers.
  init(_ shape: Shape, _ session: Session.Snapshot) { self.init(shape, session.revision) }

  /// The format of the answers from a revision.
  init(_ shape: Shape, _ revision: Session.Revision) {
    self.init(
      shape: shape, content: revision.description.content,
      displayScale: revision.description.viewport.displayScale)
  }
}

extension JSONWriter {
  /// The version that an answer is about.
  mutating func version(_ version: Int) {
    raw("\"version\":")
    integer(version)
  }

  /// What every summary of a session says.
  mutating func summary(of id: SessionID, _ session: Session.Snapshot) {
    raw("\"id\":")
    string(id.description)
    version(session.version)
    raw("\"contentSize\":")
    size(session.layout.contentSize)
    itemCounts(of: session.description.content)
  }

  /// How many items each section has.
  mutating func itemCounts(of content: Content) {
    raw("\"sections\":[")
    // So many bytes take counts of up to three digits, and the last ask for a little more than they take: so that
    // nothing is written twice.
    makeRoom(for: content.sections.count * 18 + 64)
    content.sections.forEachItemCount { count in
      withRoom(texts: 16, numbers: 1) { place in
        place.text("{\"itemCount\":")
        place.integer(count)
        place.text("},")
      }
    }
    endArray()
  }
}
