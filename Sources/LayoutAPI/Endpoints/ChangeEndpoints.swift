import HTTPMessages
import LayoutCore
import LayoutSessions

/// Changes of a session's layout and viewport.
extension Call {
  func replaceLayout() throws(Failure) -> HTTPResponse {
    try checkAccept()
    let shape = try formatQuery()
    let session = try sessionToChange()
    try checkSearchesFew(session.snapshot.description.content)
    let replacement = try body { (value) throws(JSONError) in try value.layoutReplacement() }
    var layouts = OncePerRevision<PreparedLayout>()
    let (snapshot, visible) = try change(session, .layout) { (before) throws(Failure) in
      try checkIsStill(before)
      let current = before.viewed(from: replacement.contentOffset)
      let anchor = try existing(replacement.anchor, in: current)
      var description = current.description
      replacement.apply(to: &description)
      let prepared = try layouts.value(for: current) { () throws(Failure) in
        let isArrangedAlike = description.layout.arranges(like: current.description.layout)
        return try prepare(
          description, resizing: isArrangedAlike ? current.document.layout : nil)
      }
      let offset = current.scrolling.contentOffset
      var scrolling = current.scrolling
      if let anchor {
        scrolling.reset(
          to: try self.offset(in: prepared, keeping: anchor, of: current, by: IdentityMap()))
      } else {
        let nearest = current.layout.itemNearestToCenter(contentOffset: offset)
        scrolling.reset(to: prepared.contentOffset(centering: nearest, from: offset))
      }
      let visible = try elementsVisible(
        at: scrolling.contentOffset, in: prepared, of: description.content)
      return Worked(
        change: Session.Change(
          document: Session.Document(
            description: description, layout: prepared, names: current.document.names),
          scrolling: scrolling, isNewVersion: true),
        answer: visible)
    }
    return answer(visible, of: session.id, snapshot, shape)
  }

  func replaceViewport() throws(Failure) -> HTTPResponse {
    try checkAccept()
    let shape = try formatQuery()
    let session = try sessionToChange()
    let wanted = try body { (value) throws(JSONError) in try value.viewportChange() }
    var layouts = OncePerRevision<PreparedLayout>()
    let (snapshot, shown) = try change(session, .viewport) { (current) throws(Failure) in
      var description = current.description
      wanted.apply(to: &description)
      let isResized = description.viewport != current.description.viewport
      if isResized { try checkIsStill(current) }
      let document =
        isResized
        ? Session.Document(
          description: description,
          layout: try layouts.value(for: current) { () throws(Failure) in
            try prepare(description, resizing: current.document.layout)
          },
          names: current.document.names)
        : current.document
      let before = current.scrolling.contentOffset
      let layout = isResized ? document.layout : current.layout
      let viewed = current.viewed(from: wanted.contentOffset)
      let offset: Point
      if let anchor = try existing(wanted.anchor, in: viewed) {
        offset = try self.offset(in: layout, keeping: anchor, of: viewed, by: IdentityMap())
      } else {
        offset = wanted.contentOffset ?? (isResized ? layout.clamped(before) : before)
      }
      // Where the client may have been told of another offset, it is not known what it shows.
      let mayHaveMoved = offset != before || current.scrolling.isOutdated
      let isInvalidated = isResized || (mayHaveMoved && layout.followsContentOffset)
      var scrolling = current.scrolling
      scrolling.move(to: offset)
      let visible = try elementsVisible(at: offset, in: layout, of: description.content)
      return Worked(
        change: Session.Change(
          document: document, scrolling: scrolling, isNewVersion: isResized,
          movement: current.movement),
        answer: (visible: visible, isInvalidated: isInvalidated))
    }
    return answer(
      shown.visible, of: session.id, snapshot, shape, isInvalidated: shown.isInvalidated)
  }

  /// The offset after a change at which an anchor is where it was.
  func offset(
    in layout: PreparedLayout, keeping anchor: Anchor?, of before: Session.Snapshot,
    by map: any ElementMap
  ) throws(Failure) -> Point {
    try layingOut { () throws(LayoutError) in
      try layout.contentOffset(
        keeping: anchor, of: before.layout, at: before.scrolling.contentOffset, by: map,
        limit: elementLimit)
    }
  }

  func elementsVisible(
    at offset: Point, in layout: PreparedLayout, of content: Content
  ) throws(Failure) -> [LayoutAttributes] {
    try layingOut { () throws(LayoutError) in
      try layout.elements(
        in: layout.visibleRect(at: offset), contentOffset: offset,
        limit: elementLimit(about: content))
    }
  }

  /// How the session is after a change, with what shows.
  func answer(
    _ visible: [LayoutAttributes], of id: SessionID, _ snapshot: Session.Snapshot,
    _ shape: AttributesFormat.Shape, isInvalidated: Bool? = nil
  ) -> HTTPResponse {
    var json = JSONWriter(capacity: 512 + visible.count * 128)
    json.beginObject()
    json.summary(of: id, snapshot)
    if let isInvalidated {
      json.raw("\"invalidated\":")
      json.bool(isInvalidated)
    }
    json.raw("\"contentOffset\":")
    json.point(snapshot.scrolling.contentOffset)
    json.raw("\"attributes\":")
    AttributesFormat(shape, snapshot).write(visible, to: &json)
    json.raw("\"prefetch\":")
    json.ranges(snapshot.scrolling.requestedRanges(in: snapshot.layout))
    json.endObject()
    return self.json(json, tag: EntityTag(snapshot, dependsOnScrolling: true))
  }
}
