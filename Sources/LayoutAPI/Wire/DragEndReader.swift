import LayoutCore

private enum DragEndMember: Int, JSONName {
  case proposedContentOffset, velocity, startContentOffset, contentOffset
  static let names = JSONNames(of: Self.self)
}

extension JSONValue {
  /// The end of a drag.
  ///
  /// Who says only where the fling would end has not said where the finger was lifted; on the way
  /// there, that is as good.
  ///
  /// - Parameter lastOffset: The offset of the last tick, for offsets that are left out.
  /// - Returns: The end of the drag.
  /// - Throws: ``JSONError`` that points to what is wrong.
  func dragEnd(lastOffset: Point) throws(JSONError) -> DragEnd {
    let object = try JSONObject<DragEndMember>(self)
    let proposed = try object[.proposedContentOffset]?.point()
    return DragEnd(
      proposedContentOffset: proposed, velocity: try object[.velocity]?.velocity() ?? .zero,
      startContentOffset: try object[.startContentOffset]?.point() ?? lastOffset,
      contentOffset: try object[.contentOffset]?.point() ?? proposed ?? lastOffset)
  }
}
