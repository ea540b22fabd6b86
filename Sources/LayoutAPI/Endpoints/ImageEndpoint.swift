import HTTPMessages
import LayoutCore
import LayoutSessions

/// `GET …/image.svg`: a layout to look at.
extension Call {
  /// So many elements are drawn.
  private static let drawnElementCount = 5000

  func drawImage() throws(Failure) -> HTTPResponse {
    // Text upon text, for somebody who looks: never in the way of those who scroll.
    guard mayTakeLong else { throw .takesLong }
    try checkAccept("image/svg+xml")
    let query = try query(.x, .y, .width, .height, .contentOffsetX, .contentOffsetY)
    let found = try session().snapshot
    let rect = try query.rect()
    if let rect, rect.isEmpty { throw .query("the picture needs a width and a height above 0") }
    let session = found.viewed(
      from: try query.contentOffset(or: found.scrolling.contentOffset))
    let tag = EntityTag(session, dependsOnScrolling: true)
    try checkIfMatch(session, tag: tag)
    let type: StaticString = "image/svg+xml"
    let content =
      unwrittenContent(tag, type: type)
      ?? HTTPContent(Array(picture(of: session, in: rect).svg().utf8), type: type, tag: tag.field)
    return HTTPResponse(
      status: .ok, content: content,
      otherFields: [
        // The picture holds clients' own names: nothing in it is ever run.
        HTTPField(name: "Content-Security-Policy", value: "default-src 'none'"),
        HTTPField(name: "X-Content-Type-Options", value: "nosniff"),
      ])
  }

  /// What is in a rectangle, the viewport's if there is none.
  private func picture(of session: Session.Snapshot, in rect: Rect?) -> LayoutPicture {
    let layout = session.layout
    let offset = session.scrolling.contentOffset
    let viewport = layout.visibleRect(at: offset)
    var picture = LayoutPicture(area: rect ?? viewport, content: session.description.content)
    let limit = min(
      Call.drawnElementCount, elementLimit(about: session.description.content))
    layout.forEachElement(in: picture.area, contentOffset: offset) { element in
      guard picture.elements.count < limit else {
        picture.isCut = true
        return false
      }
      var drawn = element
      drawn.frame = element.frame(at: layout.viewport.displayScale)
      picture.elements.append(drawn)
      return true
    }
    picture.viewport = viewport
    picture.window = session.scrolling.prefetchWindow(
      in: layout, reach: session.description.prefetch)
    return picture
  }
}
