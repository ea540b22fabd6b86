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
  /// - Parameters:
  ///   - lastOffset: The offset of the last tick, for offsets that are left out.
  ///   - isOutdated: Whether the client may have been told another since, by somebody else; then a drag began
  ///     nearer to where the finger was lifted.
  /// - Returns: The end of the drag.
  /// - Throws: ``JSONError`` that points to what is wrong.
  func dragEnd(lastOffset: Point, isOutdated: Bool = false) throws(JSONError) -> DragEnd {
    let object = try JSONObject<DragEndMember>(self)
    let proposed = try object[.proposedContentOffset]?.point()
    let end = try object[.contentOffset]?.point()
    return DragEnd(
      proposedContentOffset: proposed, velocity: try object[.velocity]?.velocity() ?? .zero,
      startContentOffset: try object[.startContentOffset]?.point()
        ?? (isOutdated ? end ?? lastOffset : lastOffset),
      contentOffset: end ?? proposed ?? lastOffset)
  }
}
