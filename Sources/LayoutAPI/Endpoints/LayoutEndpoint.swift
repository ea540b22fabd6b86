import HTTPMessages
import LayoutCore

/// `POST /v1/layout`: a question and its answer, without a session.
extension Call {
  func layOut() throws(Failure) -> HTTPResponse {
    try checkAccept()
    let query = try query("format")
    let shape = try reading { () throws(Problem) in
      try query.choice("format", of: AttributesFormat.Shape.self) ?? .objects
    }
    let limits = contentLimits
    let (description, rect, drag) = try body {
      (value) throws(JSONError) -> (Description, Rect?, DragEnd?) in
      let object = try JSONObject<DescriptionMember>(value)
      let description = try object.description(limits: limits)
      return (
        description, try object[.rect]?.coreRect(),
        try object[.snap]?.dragEnd(lastOffset: description.contentOffset)
      )
    }
    let offset = description.contentOffset
    let layout = try prepare(description)
    var scrolling = ScrollState(contentOffset: offset)
    let tick = try layingOut { () throws(LayoutError) in
      try scrolling.scroll(
        to: offset, in: layout, prefetch: description.prefetch, isFull: true, limit: elementLimit)
    }
    let elements =
      try rect.map { (rect) throws(Failure) in
        try layingOut { () throws(LayoutError) in
          try layout.elements(in: rect, contentOffset: offset, limit: elementLimit)
        }
      } ?? tick.appeared

    var json = JSONWriter(capacity: 256 + elements.count * 128)
    json.beginObject()
    json.raw("\"contentSize\":")
    json.size(layout.contentSize)
    json.raw("\"attributes\":")
    AttributesFormat(
      shape: shape, content: description.content, displayScale: description.viewport.displayScale
    ).write(elements, to: &json)
    if let drag {
      json.raw("\"snap\":")
      json.snapTarget(
        layout.snapTarget(
          for: drag, mode: description.snap.mode,
          decelerationRate: description.snap.decelerationRate))
    }
    json.raw("\"prefetch\":")
    json.ranges(tick.prefetch)
    json.endObject()
    return self.json(json.finish())
  }
}

extension JSONWriter {
  /// Where a drag comes to rest.
  mutating func snapTarget(_ target: SnapTarget, version: Int? = nil) {
    beginObject()
    if let version {
      raw("\"version\":")
      integer(version)
    }
    raw("\"targetContentOffset\":")
    point(target.contentOffset)
    raw("\"indexPath\":")
    indexPath(target.indexPath)
    if let duration = target.duration {
      raw("\"duration\":")
      double(duration)
    }
    endObject()
  }
}
