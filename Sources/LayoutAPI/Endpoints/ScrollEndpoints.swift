import HTTPMessages
import LayoutCore
import LayoutSessions

/// Scroll ticks and the ends of drags.
extension Call {
  func scroll() throws(Failure) -> HTTPResponse {
    try checkAccept()
    let shape = try formatQuery()
    let session = try session(for: .tick)
    let request = try tickRequest()
    let (offset, isFull) = (request.contentOffset, request.isFull)
    // Before anything is copied of how the session is.
    if let response = isFull ? keptTick(session, request, shape) : nearTick(session, request, shape)
    {
      return response
    }
    var before = session.snapshot
    if before.scrolling.isReset, let response = keptTick(session, request, shape) {
      return response
    }
    // Worked out beside the session's lock, from what the session is now.
    for _ in 0..<Call.patience {
      try checkIfMatch(before)
      if isFull || before.scrolling.isReset {
        let answer = try fullTick(session, to: offset, from: before, shape)
        if let counted = session.scroll(to: answer.scrolling, from: before) {
          countAgain(session, since: counted)
          return HTTPResponse(status: .ok, content: answer.content)
        }
      } else {
        try checkAsksForFew(before.scrolling)
        var scrolling = before.scrolling
        let tick = try asking(session, before.revision) { () throws(Failure) in
          try self.tick(to: offset, from: before, &scrolling)
        }
        if let counted = session.scroll(to: scrolling, from: before) {
          countAgain(session, since: counted)
          return answer(tick, at: offset, before.revision, counted.number, shape)
        }
      }
      if session.holdsTicks { break }
      before = session.snapshot
    }
    // In turn with the others, or after a change: nothing to wait for where connections are served.
    guard mayTakeLong else { throw .takesLong }
    var tick = ScrollTick()
    let room = service.sessions.waitingRoom
    let snapshot = try session.scroll(waitingIn: room) { (current) throws(Failure) in
      try checkIfMatch(current)
      var scrolling = current.scrolling
      tick = try self.tick(to: offset, isFull: isFull, from: current, &scrolling)
      return scrolling
    }
    guard let snapshot else { throw .problem(.beingChanged) }
    service.sessions.recount(session)
    return answer(tick, at: offset, snapshot.revision, snapshot.tickCount, shape)
  }

  /// Counts a session's memory anew if a tick has changed it: nearly always it asks for so few ranges that it
  /// has not.
  private func countAgain(_ session: Session, since tick: Session.CountedTick) {
    if tick.changesByteCount { service.sessions.recount(session) }
  }

  private func answer(
    _ tick: ScrollTick, at offset: Point, _ revision: Session.Revision, _ tickCount: Int,
    _ shape: AttributesFormat.Shape
  ) -> HTTPResponse {
    // More than they take, as a rule: what has to grow is copied, and for a while there twice.
    let shownCount = tick.appeared.count + tick.changed.count
    var json = JSONWriter(capacity: 512 + shownCount * 128 + tick.disappeared.count * 48)
    json.beginTick(at: offset, revision)
    if tick.isEmpty, shape == .objects {
      json.endEmptyTick()
    } else {
      let format = AttributesFormat(shape, revision)
      format.write(tick.appeared, to: &json)
      json.raw("\"changed\":")
      format.write(tick.changed, to: &json)
      json.raw("\"disappeared\":")
      json.identities(tick.disappeared, in: format.content)
      json.endTick(tick.prefetch, cancel: tick.cancelPrefetch, isReset: tick.isReset)
    }
    return self.json(
      json,
      tag: EntityTag(version: revision.version, tickCount: revision.isMoving ? tickCount : nil))
  }

  /// A tick near the last one, from what lies about the edges: so quick that nobody need look how long it
  /// takes.
  private func nearTick(
    _ session: Session, _ request: TickRequest, _ shape: AttributesFormat.Shape
  ) -> HTTPResponse? {
    let offset = request.contentOffset
    var tick = ScrollTick()
    var revision: Session.Revision?
    let counted = session.scroll { current, scrolling in
      guard isIfMatch(current.version), let band = service.bands.answer(to: bandKey(current)),
        // All of them are gone through, and nobody else can ask for the session meanwhile.
        scrolling.requestedRangeCount <= Call.nearRangeCount
      else { return false }
      revision = current
      return scrolling.scroll(
        to: offset, in: current.layout, by: band,
        limit: service.limits.elementCount(about: current.description.content), addingTo: &tick)
    }
    guard let counted, let revision = revision.take() else { return nil }
    countAgain(session, since: counted)
    return answer(tick, at: offset, revision, counted.number, shape)
  }

  /// To go through so many ranges that are asked for takes some hundred microseconds at most.
  private static let nearRangeCount = 4096

  private func bandKey(_ revision: Session.Revision) -> AnswerKey {
    AnswerKey(revision: revision.number, question: .band, numbers: [0, 0, 0, 0])
  }

  /// A tick that says what changed, where no band is at hand that reaches as far, or too much is asked for to go
  /// through it while others wait.
  private func tick(
    to offset: Point, from before: Session.Snapshot, _ scrolling: inout ScrollState
  ) throws(Failure) -> ScrollTick {
    let revision = before.revision
    let key = bandKey(revision)
    let prefetch = revision.description.prefetch
    // Who turns around may well do so again: a band costs several ticks, and is good for one way.
    let goesOn = scrolling.isForward == scrolling.isForward(to: offset, in: revision.layout)
    if goesOn, let band = service.bands.answer(to: key) {
      let limit = service.limits.elementCount(about: revision.description.content)
      var tick = ScrollTick()
      func isNear(by band: ScrollBand) -> Bool {
        scrolling.scroll(
          to: offset, in: revision.layout, by: band, limit: limit, addingTo: &tick)
      }
      if isNear(by: band) { return tick }
      if let next = band.moved(to: scrolling, in: revision.layout, prefetch: prefetch),
        isNear(by: next)
      {
        service.bands.insert(next, for: key, byteCount: next.byteCount)
        return tick
      }
    }
    let tick = try self.tick(to: offset, isFull: false, from: before, &scrolling)
    // Where some of what showed still shows, the next tick may well be near.
    if goesOn, tick.appeared.count * 4 <= tick.shownCount,
      let band = ScrollBand.make(
        revision.layout, at: scrolling, prefetch: prefetch, shownCount: tick.shownCount)
    {
      service.bands.insert(band, for: key, byteCount: band.byteCount)
    }
    return tick
  }

  /// A tick from the layout itself.
  private func tick(
    to offset: Point, isFull: Bool, from before: Session.Snapshot, _ scrolling: inout ScrollState
  ) throws(Failure) -> ScrollTick {
    try layingOut { () throws(LayoutError) in
      try scrolling.scroll(
        to: offset, in: before.revision.layout,
        prefetch: before.revision.description.prefetch, isFull: isFull,
        limit: elementLimit(about: before.revision.description.content))
    }
  }

  /// How often a tick is worked out beside others of its session.
  private static let patience = 4

  /// A full tick that was answered before: scrolling to and fro leads over the same pages again.
  private func keptTick(
    _ session: Session, _ request: TickRequest, _ shape: AttributesFormat.Shape
  ) -> HTTPResponse? {
    var content: HTTPContent?
    let counted = session.scroll { current, scrolling in
      guard request.isFull || scrolling.isReset, isIfMatch(current.version) else { return false }
      // Nothing is kept of a preview of a movement, which is a revision of its own.
      let key = fullTickKey(request.contentOffset, current, scrolling, shape)
      content = service.answers.withAnswer(to: key) { kept in
        guard let next = kept.scrolling else { return nil }
        scrolling = next
        return kept.content
      }
      return content != nil
    }
    guard let counted, let content = content.take() else { return nil }
    countAgain(session, since: counted)
    return HTTPResponse(status: .ok, content: content)
  }

  /// What a full tick depends on: the revision, the offset and the way.
  private func fullTickKey(
    _ offset: Point, _ revision: Session.Revision, _ scrolling: ScrollState,
    _ shape: AttributesFormat.Shape
  ) -> AnswerKey {
    let isForward = scrolling.isForward(to: offset, in: revision.layout)
    let question: AnswerKey.Question =
      switch shape {
      case .objects: isForward ? .forward : .backward
      case .columns: isForward ? .forwardInColumns : .backwardInColumns
      }
    return AnswerKey(
      revision: revision.number, question: question,
      numbers: [offset.x.millionths, offset.y.millionths, 0, 0])
  }

  /// A full tick, without the session's lock.
  private func fullTick(
    _ session: Session, to offset: Point, from before: Session.Snapshot,
    _ shape: AttributesFormat.Shape
  ) throws(Failure) -> (content: HTTPContent, scrolling: ScrollState) {
    let revision = before.revision
    var scrolling = before.scrolling
    let key = fullTickKey(offset, revision, scrolling, shape)
    let format = AttributesFormat(shape, revision)
    let limit = elementLimit(about: revision.description.content)
    var json = JSONWriter(
      capacity: AttributesFormat.byteCount(writing: min(limit, revision.layout.likelyShownCount)))
    json.beginTick(at: offset, revision)
    var attributes = AttributesFormat.Sequence(format)
    attributes.begin(&json)
    let prefetch = try asking(session, revision) { () throws(Failure) in
      try layingOut { () throws(LayoutError) in
        try scrolling.scrollAnew(
          to: offset, in: revision.layout, prefetch: revision.description.prefetch,
          limit: limit,
          cells: { attributes.append($0, upTo: $0.count, to: &json) }
        ) { attributes.append($0, to: &json) }
      }
    }
    attributes.end(&json)
    json.raw("\"changed\":")
    format.write([], to: &json)
    json.raw("\"disappeared\":[],")
    json.endTick(prefetch, cancel: [], isReset: true)
    let tag = EntityTag(
      version: revision.version, tickCount: revision.isMoving ? before.tickCount &+ 1 : nil)
    // A moved item's preview is gone with the next step. What was left to a worker was not asked twice.
    let byteCount = json.byteCount + scrolling.byteCount
    let isKept = !revision.isMoving && service.answers.isWorthKeeping(key, byteCount: byteCount)
    let content = json.content(tag: tag.field, isKept: isKept)
    if isKept {
      service.answers.insert(
        KeptAnswer(content: content, scrolling: scrolling), for: key, byteCount: byteCount)
    }
    return (content, scrolling)
  }

  func snap() throws(Failure) -> HTTPResponse {
    try checkAccept()
    _ = try query()
    let session = try self.session()
    let snapshot = session.snapshot
    let drag = try body { (value) throws(JSONError) in
      try value.dragEnd(
        lastOffset: snapshot.scrolling.contentOffset, isOutdated: snapshot.scrolling.isOutdated)
    }
    try checkIfMatch(snapshot)
    let rule = snapshot.description.snap
    let target = try asking(session, snapshot.revision) { () throws(Failure) in
      snapshot.layout.snapTarget(
        for: drag, mode: rule.mode, decelerationRate: rule.decelerationRate)
    }
    var json = JSONWriter(capacity: 128)
    json.snapTarget(target, version: snapshot.version)
    return self.json(json, tag: EntityTag(snapshot))
  }
}

extension JSONWriter {
  /// The members of a tick up to the elements that appeared.
  fileprivate mutating func beginTick(at offset: Point, _ revision: Session.Revision) {
    raw("{\"version\":")
    integer(revision.version)
    raw("\"contentOffset\":")
    point(offset)
    raw("\"contentSize\":")
    size(revision.layout.contentSize)
    raw("\"appeared\":")
  }

  /// No elements, and the members after them, where a tick changes nothing, as most of a slow scroll.
  fileprivate mutating func endEmptyTick() {
    raw("[],\"changed\":[],\"disappeared\":[],")
    raw("\"prefetch\":[],\"cancelPrefetch\":[],\"reset\":false},")
  }

  /// The members after the elements that disappeared.
  fileprivate mutating func endTick(
    _ prefetch: [ItemRange], cancel: [ItemRange], isReset: Bool
  ) {
    raw("\"prefetch\":")
    ranges(prefetch)
    raw("\"cancelPrefetch\":")
    ranges(cancel)
    raw("\"reset\":")
    bool(isReset)
    endObject()
  }
}
