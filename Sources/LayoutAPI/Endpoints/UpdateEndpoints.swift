import HTTPMessages
import LayoutCore
import LayoutSessions

/// Changes of a session's collection.
extension Call {
  func applyUpdates() throws(Failure) -> HTTPResponse {
    try checkAccept()
    let shape = try formatQuery()
    // What is only tried needs no worker that waits for a store; its body says so.
    let session = try session(for: .change)
    let limits = contentLimits
    let sectionCount = session.snapshot.description.content.sections.count
    let request = try body { (value) throws(JSONError) in
      try value.update(limits: limits, ofSections: sectionCount)
    }
    var applied = OncePerRevision<(UpdatedContent, PreparedLayout)>()
    // What is only tried is not kept.
    let kind: StoredChange.Kind? = request.isDryRun ? nil : .updates
    let (snapshot, answer) = try change(session, kind) { (before) throws(Failure) in
      try checkIsStill(before)
      let current = before.viewed(from: request.contentOffset)
      let anchor = try existing(request.anchor, in: current)
      let (updated, layout) = try applied.value(for: current) { () throws(Failure) in
        try apply(request, keeping: anchor, to: current, of: session, limits)
      }
      let (change, answer) = try answered(
        current, layout, updated, anchor: anchor, isNewVersion: !request.batch.isEmpty,
        insertion: request.insertAnimation, deletion: request.deleteAnimation)
      if request.isDryRun { try checkRoom(for: change, of: session, current) }
      return Worked(change: request.isDryRun ? nil : change, answer: answer)
    }
    let response = respond(answer, snapshot, shape)
    return request.isDryRun ? response.changingNothing : response
  }

  func replaceCollection() throws(Failure) -> HTTPResponse {
    try checkAccept()
    let shape = try formatQuery()
    let session = try sessionToChange()
    let limits = contentLimits
    let replacement = try body { (value) throws(JSONError) in
      try value.collectionReplacement(limits: limits)
    }
    let content = replacement.names.content
    try checkIsShort(content)
    var replaced = OncePerRevision<(UpdatedContent?, PreparedLayout)>()
    let (snapshot, answer) = try change(session, .collection) {
      (before) throws(Failure) -> Worked<ReplacementAnswer> in
      try checkIsStill(before)
      let current = before.viewed(from: replacement.contentOffset)
      let anchor = try existing(replacement.anchor, in: current)
      var description = current.description
      description.content = content
      let (updated, layout) = try replaced.value(for: current) { () throws(Failure) in
        let layout = try prepare(description)
        let old = current.description.content
        return (UpdatedContent(replacing: old, by: replacement.names), layout)
      }
      guard let updated else {
        // Nobody can tell which item is which: everything is new.
        var scrolling = current.scrolling
        scrolling.reset(to: try offset(in: layout, keeping: anchor, of: current, by: NoMap()))
        let visible = try elementsVisible(
          at: scrolling.contentOffset, in: layout, of: content)
        return Worked(
          change: Session.Change(
            document: Session.Document(description: description, layout: layout),
            scrolling: scrolling, isNewVersion: true),
          answer: .anew(visible))
      }
      let (change, answer) = try answered(
        current, layout, updated, anchor: anchor, isNewVersion: true)
      return Worked(change: change, answer: .update(answer))
    }
    session.presumeSlowUnlessShort()
    return switch answer {
    case .update(let update): respond(update, snapshot, shape)
    case .anew(let visible): self.answer(visible, of: session.id, snapshot, shape)
    }
  }

  // MARK: Parts

  /// Refuses to change what is being moved by hand.
  func checkIsStill(_ session: Session.Snapshot) throws(Failure) {
    guard session.movement == nil else {
      throw .problem(
        Problem(.movementConflict, "an interactive movement is under way: end or cancel it first"))
    }
  }

  /// The anchor that is asked for, which there must be; nil if none is.
  func existing(
    _ request: AnchorRequest?, in session: Session.Snapshot
  ) throws(Failure) -> Anchor? {
    guard let request else { return nil }
    let content = session.description.content
    if let anchor = request.anchor(in: content) {
      guard case .element(let kind, let indexPath) = anchor else { return anchor }
      let offset = session.scrolling.contentOffset
      if session.layout.attributes(of: kind, at: indexPath, contentOffset: offset) != nil {
        return anchor
      }
    }
    var reason = "there are \(content.sections.count) sections before"
    if case .element(_, let path) = request, content.sections.indices.contains(path.section) {
      reason =
        "section \(path.section) has \(content.sections[path.section].items.count) items before"
    }
    throw .problem(
      Problem(
        .invalidUpdate, "invalid update: the anchor does not exist: \(reason)",
        pointer: "/anchor"))
  }

  /// The batch applied, with a refusal that says how it could be.
  private func apply(
    _ request: UpdateRequest, keeping anchor: Anchor?, to current: Session.Snapshot,
    of session: Session, _ limits: ContentLimits
  ) throws(Failure) -> (UpdatedContent, PreparedLayout) {
    let content = current.description.content
    let names = current.document.names
    let updated: UpdatedContent
    do throws(UpdateRefusal) {
      updated = try request.batch.applied(to: content, names: names)
    } catch {
      var problem = Problem(.invalidUpdate, error.reason, pointer: error.operation.pointer)
      var repaired = request
      // One that would be refused for another reason is none.
      if let batch = request.batch.repaired(for: content, names: names),
        let updated = try? batch.applied(to: content, names: names),
        try isAccepted(updated, keeping: anchor, current, of: session, limits)
      {
        repaired.batch = batch
        var json = JSONWriter()
        json.update(repaired)
        problem.repair = json.finish()
      }
      throw .problem(problem)
    }
    return (updated, try laidOut(updated, current, limits))
  }

  /// Whether an update is one that would be answered.
  private func isAccepted(
    _ updated: UpdatedContent, keeping anchor: Anchor?, _ current: Session.Snapshot,
    of session: Session, _ limits: ContentLimits
  ) throws(Failure) -> Bool {
    do throws(Failure) {
      let layout = try laidOut(updated, current, limits)
      let (change, _) = try answered(
        current, layout, updated, anchor: anchor, isNewVersion: true)
      try checkRoom(for: change, of: session, current)
      return true
    } catch {
      if !mayTakeLong, error.isLeftToWorkers(service.limits) { throw error }
      return false
    }
  }

  private func laidOut(
    _ updated: UpdatedContent, _ current: Session.Snapshot, _ limits: ContentLimits
  ) throws(Failure) -> PreparedLayout {
    try checkLimits(updated.content, limits, after: current.description.content)
    try checkGoesThroughFew(updated.content, current.description.layout)
    return try layingOut { () throws(LayoutError) in
      try PreparedLayout(
        updating: current.layout, to: updated, layout: current.description.layout)
    }
  }

  /// Refuses content past a limit, unless what was there before was as far past it: another server may allow more,
  /// and how many of equal items count depends on how they lie in memory.
  func checkLimits(
    _ content: Content, _ limits: ContentLimits, after before: Content
  ) throws(Failure) {
    let reason: String
    if content.describedItemCount > max(limits.describedItems, before.describedItemCount) {
      reason =
        "\(content.describedItemCount) items would have data of their own; \(limits.describedItems) may"
    } else if content.sections.count > max(limits.sections, before.sections.count) {
      reason = "there would be \(content.sections.count) sections; \(limits.sections) are allowed"
    } else if case let most = content.sections.greatestItemCount, most > ContentLimits.equalItems,
      let section = content.sections.firstIndex(where: { $0.items.count == most })
    {
      reason =
        "section \(section) would have \(most) items; \(ContentLimits.equalItems) are allowed"
    } else {
      return
    }
    throw .problem(Problem(.invalid, reason))
  }

  /// Works out what an update changes for who looks at it, and what it makes of the session.
  private func answered(
    _ current: Session.Snapshot, _ layout: PreparedLayout, _ updated: UpdatedContent,
    anchor: Anchor?, isNewVersion: Bool, insertion: ElementAnimation = .fade,
    deletion: ElementAnimation = .fade
  ) throws(Failure) -> (Session.Change, UpdateAnswer) {
    let before = current.scrolling.contentOffset
    let after = try offset(in: layout, keeping: anchor, of: current, by: updated.map)
    let transition = try layingOut { () throws(LayoutError) in
      try Transition(
        from: (current.layout, before), to: (layout, after), by: updated.map,
        insertion: insertion, deletion: deletion,
        limit: min(
          elementLimit(about: current.description.content), elementLimit(about: updated.content)))
    }
    var scrolling = current.scrolling
    let gone = scrolling.rekey(to: after, by: updated.map)
    let answer = UpdateAnswer(
      before: current.description.content, content: updated.content,
      contentSize: layout.contentSize, contentOffset: after, transition: transition,
      cancelPrefetch: gone)
    var description = current.description
    description.content = updated.content
    let change = Session.Change(
      document: Session.Document(
        description: description, layout: layout,
        names: CollectedNames(updated.names)),
      scrolling: scrolling, isNewVersion: isNewVersion)
    return (change, answer)
  }

  private func respond(
    _ answer: UpdateAnswer, _ snapshot: Session.Snapshot, _ shape: AttributesFormat.Shape
  ) -> HTTPResponse {
    var json = JSONWriter(capacity: 4096)
    json.beginObject()
    json.update(
      answer, version: snapshot.version, shape,
      displayScale: snapshot.description.viewport.displayScale)
    json.endObject()
    return self.json(json, tag: EntityTag(snapshot, dependsOnScrolling: true))
  }
}

/// What the answer to `PUT …/collection` says.
private enum ReplacementAnswer {
  case update(UpdateAnswer)
  /// What shows, where nobody can tell which item is which.
  case anew([LayoutAttributes])
}

/// What the answer to an update says.
struct UpdateAnswer {
  /// For the names of what was there before.
  var before: Content
  var content: Content
  var contentSize: Size
  var contentOffset: Point
  var transition: Transition
  var cancelPrefetch: [ItemRange]
}

extension UpdateOperation {
  /// Where it is in the body.
  var pointer: String {
    switch self {
    case .deleteSection(let index): "/deleteSections/\(index)"
    case .insertSection(let index): "/insertSections/\(index)"
    case .moveSection(let index): "/moveSections/\(index)"
    case .reloadSection(let index): "/reloadSections/\(index)"
    case .deleteItems(let index): "/deleteItems/\(index)"
    case .insertItems(let index): "/insertItems/\(index)"
    case .moveItem(let index): "/moveItems/\(index)"
    case .reloadItems(let index): "/reloadItems/\(index)"
    case .expectation: "/expect/itemCounts"
    }
  }
}

extension JSONWriter {
  /// What an update has changed.
  mutating func update(
    _ answer: UpdateAnswer, version: Int, _ shape: AttributesFormat.Shape,
    displayScale: DisplayScale?
  ) {
    self.version(version)
    raw("\"contentSize\":")
    size(answer.contentSize)
    itemCounts(of: answer.content)
    raw("\"contentOffset\":")
    point(answer.contentOffset)
    let old = AttributesFormat(shape: shape, content: answer.before, displayScale: displayScale)
    let new = AttributesFormat(shape: shape, content: answer.content, displayScale: displayScale)
    raw("\"appearing\":")
    changes(answer.transition.appearing, new, new)
    raw("\"disappearing\":")
    changes(answer.transition.disappearing, old, old)
    raw("\"moving\":")
    movements(answer.transition.moving, old, new)
    raw("\"entering\":")
    new.write(answer.transition.entering, to: &self)
    raw("\"leaving\":")
    identities(answer.transition.leaving, in: answer.content)
    raw("\"cancelPrefetch\":")
    ranges(answer.cancelPrefetch)
  }

  private mutating func changes(
    _ changes: [Transition.Change], _ initial: AttributesFormat, _ final: AttributesFormat
  ) {
    if initial.shape == .columns {
      beginObject()
      columns(changes, initial, final)
      return endObject()
    }
    beginArray()
    for change in changes {
      raw("{\"initial\":")
      initial.write(change.initial, to: &self)
      raw("\"final\":")
      final.write(change.final, to: &self)
      endObject()
    }
    endArray()
  }

  private mutating func columns(
    _ changes: [Transition.Change], _ initial: AttributesFormat, _ final: AttributesFormat
  ) {
    raw("\"initial\":")
    initial.write(changes.map(\.initial), to: &self)
    raw("\"final\":")
    final.write(changes.map(\.final), to: &self)
  }

  /// What was there and is, with where it was and where it is.
  mutating func movements(
    _ changes: [Transition.Change], _ initial: AttributesFormat, _ final: AttributesFormat
  ) {
    if initial.shape == .columns {
      raw("{\"from\":[")
      for change in changes { indexPath(change.initial.indexPath) }
      endArray()
      raw("\"to\":[")
      for change in changes { indexPath(change.final.indexPath) }
      endArray()
      columns(changes, initial, final)
      return endObject()
    }
    beginArray()
    for change in changes {
      raw("{\"from\":")
      indexPath(change.initial.indexPath)
      raw("\"to\":")
      indexPath(change.final.indexPath)
      raw("\"initial\":")
      initial.write(change.initial, to: &self)
      raw("\"final\":")
      final.write(change.final, to: &self)
      endObject()
    }
    endArray()
  }
}
