import HTTPMessages
import LayoutCore
import LayoutSessions

private enum BeginMember: Int, JSONName {
  case indexPath, position, sections, contentOffset
  static let names = JSONNames(of: Self.self)
}

private enum PositionMember: Int, JSONName {
  case position
  static let names = JSONNames(of: Self.self)
}

/// The body of `POST …/movement`: an item, or the one at a position.
private struct MovementRequest {
  var indexPath: IndexPath?
  var position: Point?
  /// Where it may go; nil for anywhere.
  var sections: [Int]?
  /// Where the client is; nil if it does not say.
  var contentOffset: Point?

  init(_ value: JSONValue, maximumSectionCount: Int) throws(JSONError) {
    let object = try JSONObject<BeginMember>(value)
    indexPath = try object[.indexPath]?.indexPath()
    position = try object[.position]?.point()
    guard (indexPath == nil) != (position == nil) else {
      throw value.error(.rule("a movement begins at an indexPath or at a position"))
    }
    sections = try object[.sections]?.elements(maximumCount: maximumSectionCount) {
      (value) throws(JSONError) in try value.anyIndex()
    }
    contentOffset = try object[.contentOffset]?.point()
  }
}

/// Interactive movement: an item under a finger.
extension Call {
  func beginMovement() throws(Failure) -> HTTPResponse {
    try checkAccept()
    let shape = try formatQuery()
    let session = try session(for: .change)
    // A collection may have more sections than may come by now.
    let sectionCount = max(
      contentLimits.sections, session.snapshot.description.content.sections.count)
    let request = try body { (value) throws(JSONError) in
      try MovementRequest(value, maximumSectionCount: sectionCount)
    }
    let (snapshot, _) = try changeBriefly(session) { (before) throws(Failure) in
      try checkIsStill(before)
      let current = before.viewed(from: request.contentOffset)
      let movement = try begin(request, session, current)
      var scrolling = current.scrolling
      scrolling.beginMovement()
      return Worked(
        change: Session.Change(
          document: current.document, scrolling: scrolling, isNewVersion: false,
          movement: movement),
        answer: ())
    }
    return answer(
      snapshot, before: snapshot.description.content, [], leaving: [], shape, status: .created,
      location: "/v1/sessions/\(session.id)/movement")
  }

  /// The movement that is asked for, of an item that there must be.
  private func begin(
    _ request: MovementRequest, _ session: Session, _ current: Session.Snapshot
  ) throws(Failure) -> InteractiveMovement {
    let content = current.description.content
    if let place = request.sections?.firstIndex(where: { $0 >= content.sections.count }) {
      throw .problem(
        Problem(
          .invalid, "there is no such section; there are \(content.sections.count)",
          pointer: "/sections/\(place)"))
    }
    let offset = current.scrolling.contentOffset
    let begun = try asking(session, current.revision) {
      () throws(Failure) -> InteractiveMovement? in
      // As with a tick to there: what follows goes by what shows.
      if request.contentOffset != nil {
        _ = try elementsVisible(at: offset, in: current.layout, of: content)
      }
      let found = request.position.flatMap {
        current.layout.indexPathForItem(at: $0, contentOffset: offset)
      }
      guard let source = request.indexPath ?? found else { return nil }
      return InteractiveMovement(
        of: source, at: request.position, within: request.sections.map(Set.init),
        content: content, layout: current.layout, contentOffset: offset)
    }
    guard let begun else {
      throw .problem(
        Problem(
          .notFound, "there is no such item to move",
          pointer: request.indexPath == nil ? "/position" : "/indexPath"))
    }
    return begun
  }

  func updateMovement() throws(Failure) -> HTTPResponse {
    try checkAccept()
    let shape = try formatQuery()
    let session = try session(for: .change)
    try checkSearchesFew(session.snapshot.description.content)
    let position = try body { (value) throws(JSONError) in
      try JSONObject<PositionMember>(value).required(.position).point()
    }
    let (snapshot, step) = try change(session, nil) { (current) throws(Failure) in
      var movement = try movement(of: current)
      let offset = current.scrolling.contentOffset
      let map = try layingOut { () throws(LayoutError) in
        try movement.update(
          to: position, collection: current.description.layout, contentOffset: offset)
      }
      // Its end is a change like another.
      try checkLimits(
        movement.preview.content, contentLimits, after: current.description.content)
      let transition = try layingOut { () throws(LayoutError) in
        try Transition(
          from: (current.layout, offset), to: (movement.layout, offset), by: map,
          limit: elementLimit(about: current.description.content))
      }
      // The dragged one is told apart.
      let target = ElementIdentity(kind: .cell, indexPath: movement.target)
      var scrolling = current.scrolling
      _ = scrolling.rekey(to: offset, by: map)
      return Worked(
        change: Session.Change(
          document: current.document, scrolling: scrolling, isNewVersion: false,
          movement: movement),
        answer: (
          before: current.description.content,
          moving: transition.moving.filter { $0.final.identity != target },
          leaving: transition.leaving.filter { $0 != target }
        ))
    }
    return answer(snapshot, before: step.before, step.moving, leaving: step.leaving, shape)
  }

  func endMovement() throws(Failure) -> HTTPResponse {
    try checkAccept()
    let shape = try formatQuery()
    let session = try sessionToChange()
    try checkNoBody()
    let (snapshot, end) = try change(session, .updates) { (current) throws(Failure) in
      let movement = try movement(of: current)
      let hasMoved = movement.source != movement.target
      let before = current.scrolling.contentOffset
      var description = current.document.description
      description.content = movement.preview.content
      var layout = movement.layout
      layout.putDown()
      let after = hasMoved ? layout.clamped(before) : before
      // All but the dragged cell is where it has been already.
      let transition = try layingOut { () throws(LayoutError) in
        try Transition(
          from: (current.layout, before), to: (layout, after), by: IdentityMap(),
          limit: elementLimit(about: current.description.content))
      }
      let answer = UpdateAnswer(
        before: description.content, content: description.content,
        contentSize: layout.contentSize, contentOffset: after, transition: transition,
        cancelPrefetch: [])
      var scrolling = current.scrolling
      _ = scrolling.rekey(to: after, by: IdentityMap())
      let document =
        hasMoved
        ? Session.Document(
          description: description, layout: layout, names: current.document.names)
        : current.document
      return Worked(
        change: Session.Change(
          document: document, scrolling: scrolling, isNewVersion: hasMoved),
        answer: (source: movement.source, target: movement.target, update: answer),
        body: hasMoved && service.archive != nil ? stored(movement) : nil)
    }
    var json = JSONWriter(capacity: 1024)
    json.beginObject()
    json.raw("\"source\":")
    json.indexPath(end.source)
    json.raw("\"target\":")
    json.indexPath(end.target)
    json.update(
      end.update, version: snapshot.version, shape,
      displayScale: snapshot.description.viewport.displayScale)
    json.endObject()
    return self.json(json, tag: EntityTag(snapshot, dependsOnScrolling: true))
  }

  /// What a store keeps of a movement: its steps are seen by who asks this server, and come to one move.
  private func stored(_ movement: InteractiveMovement) -> [UInt8] {
    var json = JSONWriter()
    json.update(UpdateRequest(batch: movement.batch))
    return json.finish()
  }

  func cancelMovement() throws(Failure) -> HTTPResponse {
    _ = try query()
    let (snapshot, _) = try changeBriefly(try session(for: .change)) {
      (current) throws(Failure) in
      let movement = try movement(of: current)
      var scrolling = current.scrolling
      let offset = scrolling.contentOffset
      // A client can put back what it showed when the movement began; where what it has been told of meanwhile
      // rests, it cannot know.
      if scrolling.hasScrolled {
        scrolling.reset(to: offset)
      } else {
        _ = scrolling.rekey(to: offset, by: InverseMap(movement.preview.map))
      }
      return Worked(
        change: Session.Change(
          document: current.document, scrolling: scrolling, isNewVersion: false),
        answer: ())
    }
    let tag = EntityTag(snapshot, dependsOnScrolling: true)
    return HTTPResponse(status: .noContent, content: HTTPContent([], tag: tag.field))
  }

  /// The movement that is under way.
  private func movement(
    of session: Session.Snapshot
  ) throws(Failure) -> InteractiveMovement {
    guard let movement = session.movement else {
      throw .problem(
        Problem(
          .movementConflict, "no interactive movement is under way; POST …/movement begins one"))
    }
    return movement
  }

  private func answer(
    _ snapshot: Session.Snapshot, before: Content, _ moving: [Transition.Change],
    leaving: [ElementIdentity], _ shape: AttributesFormat.Shape, status: HTTPStatus = .ok,
    location: String? = nil
  ) -> HTTPResponse {
    var json = JSONWriter(capacity: 512 + moving.count * 256)
    json.beginObject()
    json.version(snapshot.version)
    if let movement = snapshot.movement {
      let offset = snapshot.scrolling.contentOffset
      let new = AttributesFormat(shape, snapshot)
      var old = new
      old.content = before
      json.raw("\"source\":")
      json.indexPath(movement.source)
      json.raw("\"target\":")
      json.indexPath(movement.target)
      if let dragged = movement.dragged(contentOffset: offset) {
        json.raw("\"dragged\":")
        new.write(dragged, to: &json)
      }
      json.raw("\"moving\":")
      json.movements(moving, old, new)
      json.raw("\"leaving\":")
      json.identities(leaving, in: snapshot.description.content)
      let autoscroll = movement.autoscroll(contentOffset: offset)
      json.raw("\"autoscroll\":{\"x\":")
      json.integer(autoscroll.x)
      json.raw("\"y\":")
      json.integer(autoscroll.y)
      json.endObject()
    }
    json.endObject()
    return self.json(
      json, status: status, tag: EntityTag(snapshot, dependsOnScrolling: true),
      location: location)
  }
}
