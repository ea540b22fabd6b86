import HTTPMessages
import LayoutCore
import LayoutSessions

/// Questions about where things are.
extension Call {
  func listAttributes() throws(Failure) -> HTTPResponse {
    try checkAccept()
    let query = try query(
      .x, .y, .width, .height, .contentOffsetX, .contentOffsetY, .limit, .cursor, .format)
    let session = try self.session()
    let snapshot = session.snapshot
    let question = try AttributesQuestion(query, snapshot)
    let tag = EntityTag(snapshot, dependsOnScrolling: question.dependsOnScrolling)
    try checkIfMatch(snapshot, tag: tag)
    if let content = unwrittenContent(tag) { return HTTPResponse(status: .ok, content: content) }

    let rect = question.rect ?? snapshot.layout.visibleRect(at: question.contentOffset)
    // A tag with the ticks in it is good once.
    let key = tag.tickCount == nil ? question.key(rect, snapshot) : nil
    if let key, let answer = service.answers.answer(to: key) {
      return HTTPResponse(status: .ok, content: answer.content)
    }
    let json = try elements(in: rect, of: session, snapshot, question)
    let byteCount = json.byteCount
    let isKept = key.map { service.answers.isWorthKeeping($0, byteCount: byteCount) } ?? false
    let content = json.content(tag: tag.field, isKept: isKept)
    if let key, isKept {
      service.answers.insert(KeptAnswer(content: content), for: key, byteCount: byteCount)
    }
    return HTTPResponse(status: .ok, content: content)
  }

  /// The elements in a rectangle, as many as one answer has, and where the next one begins.
  private func elements(
    in rect: Rect, of session: Session, _ snapshot: Session.Snapshot,
    _ question: AttributesQuestion
  ) throws(Failure) -> JSONWriter {
    let layout = snapshot.layout
    // What an answer has no room for is on the next page, as what the client wants no more of is.
    let limit = min(
      question.limit, service.limits.elementCount(about: snapshot.description.content))
    // Of a smaller rectangle nobody knows.
    let viewport = snapshot.description.viewport.size
    let isScreenful = rect.width >= viewport.width && rect.height >= viewport.height
    let likelyCount = isScreenful ? layout.likelyShownCount : 0
    var json = JSONWriter(
      capacity: AttributesFormat.byteCount(writing: min(limit, likelyCount)))
    json.beginObject()
    json.version(snapshot.version)
    json.raw("\"attributes\":")
    var attributes = AttributesFormat.Sequence(AttributesFormat(question.shape, snapshot))
    attributes.begin(&json)
    var count = 0
    var next: ElementPosition?
    try asking(session, snapshot.revision) { () throws(Failure) in
      layout.forEachElement(
        in: rect, contentOffset: question.contentOffset, from: question.start,
        cells: { cells in
          let end = min(cells.count, limit - count)
          count += end
          guard count <= elementLimit else { return false }
          attributes.append(cells, upTo: end, to: &json)
          guard end < cells.count else { return true }
          next = ElementPosition(section: cells.section, rank: cells.items[end])
          return false
        }
      ) { element in
        guard count < limit else {
          next = element.position
          return false
        }
        count += 1
        guard count <= elementLimit else { return false }
        attributes.append(element, to: &json)
        return true
      }
    }
    // Only so many are for the threads that serve.
    guard count <= elementLimit else {
      throw .layout(.tooManyElements(limit: elementLimit))
    }
    attributes.end(&json)
    if let next {
      json.raw("\"next\":")
      json.string(Cursor.text(next))
    }
    json.endObject()
    return json
  }

  func describeElement() throws(Failure) -> HTTPResponse {
    try checkAccept()
    let query = try query(.contentOffsetX, .contentOffsetY, .format)
    let session = try self.session()
    let snapshot = session.snapshot
    let offset = try query.contentOffset(or: snapshot.scrolling.contentOffset)
    let shape = try query.shape()
    guard let section = Int(plain: parameterText(2)), let item = Int(plain: parameterText(3)),
      let name = decodedParameterText(1),
      let kind = snapshot.description.content.kind(named: name, ofSection: section),
      let element = try asking(
        session, snapshot.revision,
        { () throws(Failure) in
          snapshot.layout.attributes(
            of: kind, at: IndexPath(item: item, section: section), contentOffset: offset)
        })
    else { throw .problem(.notFound("there is no such element")) }
    let tag = tag(of: snapshot, query)
    try checkIfMatch(snapshot, tag: tag)
    var json = JSONWriter()
    json.beginObject()
    json.version(snapshot.version)
    json.raw("\"attributes\":")
    AttributesFormat(shape, snapshot).write(element, to: &json)
    json.endObject()
    return self.json(json, tag: tag)
  }

  /// The tag of an answer about elements that may depend on the offset, which the query may name.
  private func tag(of session: Session.Snapshot, _ query: QueryParameters) -> EntityTag {
    EntityTag(
      session,
      dependsOnScrolling: session.layout.followsContentOffset && !query.hasContentOffset)
  }

  func itemAtPoint() throws(Failure) -> HTTPResponse {
    try checkAccept()
    let query = try query(.x, .y, .contentOffsetX, .contentOffsetY)
    let session = try self.session()
    let snapshot = session.snapshot
    let point = Point(
      x: try query.required(.x, try query.coordinate(.x)),
      y: try query.required(.y, try query.coordinate(.y)))
    let offset = try query.contentOffset(or: snapshot.scrolling.contentOffset)
    let tag = tag(of: snapshot, query)
    try checkIfMatch(snapshot, tag: tag)
    let indexPath = try asking(session, snapshot.revision) { () throws(Failure) in
      snapshot.layout.indexPathForItem(at: point, contentOffset: offset)
    }
    var json = JSONWriter(capacity: 64)
    json.beginObject()
    json.version(snapshot.version)
    json.raw("\"indexPath\":")
    json.indexPath(indexPath)
    json.endObject()
    return self.json(json, tag: tag)
  }

  func scrollOffset() throws(Failure) -> HTTPResponse {
    try checkAccept()
    let query = try query(.section, .item, .position, .contentOffsetX, .contentOffsetY)
    let session = try self.session()
    let snapshot = session.snapshot
    let indices = ContentLimits.indices
    let path = IndexPath(
      item: try query.required(.item, try query.integer(.item, in: indices)),
      section: try query.required(.section, try query.integer(.section, in: indices)))
    let position = try query.required(
      .position, try query.choice(.position, of: ScrollPosition.self))
    let before = try query.contentOffset(or: snapshot.scrolling.contentOffset)
    guard
      let offset = try asking(
        session, snapshot.revision,
        { () throws(Failure) in
          snapshot.layout.contentOffset(scrollingTo: path, at: position, from: before)
        })
    else { throw .problem(.notFound("there is no item [\(path.section),\(path.item)]")) }
    let tag = EntityTag(snapshot, dependsOnScrolling: !query.hasContentOffset)
    try checkIfMatch(snapshot, tag: tag)
    var json = JSONWriter(capacity: 128)
    json.beginObject()
    json.version(snapshot.version)
    json.raw("\"contentOffset\":")
    json.point(offset)
    json.endObject()
    return self.json(json, tag: tag)
  }
}

/// What `GET …/attributes` asks.
private struct AttributesQuestion {
  var rect: Rect?
  var contentOffset: Point
  var start: ElementPosition
  var limit: Int
  var shape: AttributesFormat.Shape
  var dependsOnScrolling: Bool
  /// Whether some elements of the layout depend on the offset, wherever they are asked for.
  private let followsContentOffset: Bool

  /// How many elements an answer has if the client does not say.
  static let standardLimit = 5000

  init(_ query: borrowing QueryParameters, _ snapshot: Session.Snapshot) throws(Failure) {
    contentOffset = try query.contentOffset(or: snapshot.scrolling.contentOffset)
    rect = try query.rect()
    followsContentOffset = snapshot.layout.followsContentOffset
    dependsOnScrolling = !query.hasContentOffset && (rect == nil || followsContentOffset)
    limit = try query.integer(.limit, in: 1...50_000) ?? AttributesQuestion.standardLimit
    shape = try query.shape()
    start = .first
    if let text = query.text(.cursor) {
      guard let position = Cursor.position(text) else {
        throw .query("query parameter \"cursor\" is not one that an answer gave as next")
      }
      start = position
    }
  }
}

extension AttributesQuestion {
  /// What the answer depends on, if that is no more than the revision, the rectangle and the format.
  func key(_ rect: Rect, _ session: Session.Snapshot) -> AnswerKey? {
    guard !session.revision.isMoving, !followsContentOffset, start == .first,
      limit == AttributesQuestion.standardLimit
    else { return nil }
    return AnswerKey(
      revision: session.revision.number,
      question: shape == .columns ? .elementsInColumns : .elements,
      numbers: [
        rect.minX.millionths, rect.minY.millionths, rect.width.millionths, rect.height.millionths,
      ])
  }
}

/// Where the next part of an answer begins: opaque to clients, two numbers to us.
private enum Cursor {
  static func text(_ position: ElementPosition) -> String {
    "\(position.section).\(position.rank < 0 ? "h" : "\(position.rank)")"
  }

  static func position(_ text: String) -> ElementPosition? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let section = Int(plain: String(parts[0])) else { return nil }
    switch parts[1] {
    case "h": return ElementPosition(section: section, rank: -1)
    default:
      return Int(plain: String(parts[1])).map { ElementPosition(section: section, rank: $0) }
    }
  }
}

extension QueryParameters {
  /// `x`, `y`, `width` and `height`: all of them or none.
  func rect() throws(Failure) -> Rect? {
    let edges = (
      try coordinate(.x), try coordinate(.y), try extent(.width), try extent(.height)
    )
    switch edges {
    case (let x?, let y?, let width?, let height?):
      return Rect(x: x, y: y, width: width, height: height)
    case (nil, nil, nil, nil): return nil
    default: throw .query("x, y, width and height belong together: all of them or none")
    }
  }

  /// `format`.
  func shape() throws(Failure) -> AttributesFormat.Shape {
    try choice(.format, of: AttributesFormat.Shape.self) ?? .objects
  }

  /// The offset for this question.
  func contentOffset(or offset: Point) throws(Failure) -> Point {
    Point(
      x: try coordinate(.contentOffsetX) ?? offset.x,
      y: try coordinate(.contentOffsetY) ?? offset.y)
  }

  /// Whether the offset is given on both axes, so that scrolling leaves the answer as it is.
  var hasContentOffset: Bool { has(.contentOffsetX) && has(.contentOffsetY) }
}

extension ElementKind {
  /// The kind of a name, unless it is a decoration's.
  init?(name: String) {
    switch name {
    case "cell": self = .cell
    case "header": self = .header
    case "footer": self = .footer
    default: return nil
    }
  }
}
