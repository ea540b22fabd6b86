import LayoutCore

/// What a client wants to be different about its viewport; nil stays as it is.
struct ViewportChange {
  var size: Size?
  var displayScale: DisplayScale?
  /// Where the client is, or wants to be.
  var contentOffset: Point?
  /// What stays where it is on screen from there.
  var anchor: AnchorRequest?

  /// Puts what is not to stay as it is into a description.
  func apply(to description: inout Description) {
    description.viewport.size = size ?? description.viewport.size
    description.viewport.displayScale = displayScale ?? description.viewport.displayScale
  }
}

private enum ViewportChangeMember: Int, JSONName {
  case viewport, width, height, contentOffset, displayScale, anchor
  static let names = JSONNames(of: Self.self)

  /// Everything but the wrapper.
  static var inner: JSONMemberSet<ViewportChangeMember> {
    [.width, .height, .contentOffset, .displayScale]
  }
}

extension JSONValue {
  /// The body of `PUT …/viewport`: a viewport, or an object with one as a description has it.
  ///
  /// - Throws: ``JSONError`` that points to what is wrong.
  func viewportChange() throws(JSONError) -> ViewportChange {
    let object = try JSONObject<ViewportChangeMember>(self)
    var change: ViewportChange
    if let wrapped = object[.viewport] {
      guard object.members.intersection(ViewportChangeMember.inner).isEmpty else {
        throw error(.rule("either viewport, or its members; not both"))
      }
      change = try JSONObject<ViewportChangeMember>(wrapped, allowed: ViewportChangeMember.inner)
        .viewportChange()
    } else {
      change = try object.viewportChange()
    }
    change.anchor = try object[.anchor]?.anchor()
    return change
  }
}

extension JSONObject where Member == ViewportChangeMember {
  fileprivate func viewportChange() throws(JSONError) -> ViewportChange {
    var change = ViewportChange()
    if members.contains(.width) || members.contains(.height) {
      change.size = try JSONValue.viewportSize(try required(.width), try required(.height))
    }
    change.displayScale = try self[.displayScale]?.displayScale()
    change.contentOffset = try self[.contentOffset]?.point()
    return change
  }
}
