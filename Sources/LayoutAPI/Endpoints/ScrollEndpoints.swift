import HTTPMessages
import LayoutCore
import LayoutSessions

private enum ScrollMember: Int, JSONName {
  case contentOffset, velocity, full
  static let names = JSONNames(of: Self.self)
}

/// Scroll ticks and the ends of drags.
extension Call {
  func scroll() throws(Failure) -> HTTPResponse {
    try checkAccept()
    let shape = try formatQuery()
    let session = try session()
    let (offset, isFull) = try body { (value) throws(JSONError) -> (Point, Bool) in
      let object = try JSONObject<ScrollMember>(value)
      // Prefetching follows the offset; the velocity is checked, and free for later use.
      _ = try object[.velocity]?.velocity()
      return (
        try object.required(.contentOffset).corePoint(), try object[.full]?.bool() ?? false
      )
    }
    try checkIfMatch(session.snapshot)
    let (tick, snapshot) = try layingOut { () throws(LayoutError) in
      try session.scroll(to: offset, isFull: isFull, limit: elementLimit)
    }
    let format = AttributesFormat(shape, snapshot)
    var json = JSONWriter(capacity: 512 + (tick.appeared.count + tick.changed.count) * 128)
    json.raw("{\"version\":")
    json.integer(snapshot.version)
    json.raw("\"contentOffset\":")
    json.point(offset)
    json.raw("\"contentSize\":")
    json.size(snapshot.layout.contentSize)
    json.raw("\"appeared\":")
    format.write(tick.appeared, to: &json)
    json.raw("\"changed\":")
    format.write(tick.changed, to: &json)
    json.raw("\"disappeared\":[")
    for element in tick.disappeared {
      json.raw("{\"kind\":")
      json.kind(of: element, in: snapshot.description.content)
      json.raw("\"indexPath\":")
      json.indexPath(element.indexPath)
      json.endObject()
    }
    json.endArray()
    json.raw("\"prefetch\":")
    json.ranges(tick.prefetch)
    json.raw("\"cancelPrefetch\":")
    json.ranges(tick.cancelPrefetch)
    json.raw("\"reset\":")
    json.bool(tick.isReset)
    json.endObject()
    return self.json(json.finish(), tag: EntityTag(snapshot))
  }

  func snap() throws(Failure) -> HTTPResponse {
    try checkAccept()
    _ = try query()
    let session = try session().snapshot
    let drag = try body { (value) throws(JSONError) in
      try value.dragEnd(lastOffset: session.scrolling.contentOffset)
    }
    let rule = session.description.snap
    let target = session.layout.snapTarget(
      for: drag, mode: rule.mode, decelerationRate: rule.decelerationRate)
    var json = JSONWriter(capacity: 128)
    json.snapTarget(target, version: session.version)
    return self.json(json.finish(), tag: EntityTag(session))
  }
}
