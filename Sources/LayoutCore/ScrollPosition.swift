/// Where `scrollToItem` puts an item: UICollectionView.ScrollPosition, for either direction.
public enum ScrollPosition: String, Sendable, Hashable, CaseIterable {
  /// At the start of the viewport, after a header that is pinned there.
  case start
  /// In the middle.
  case center
  /// At the end.
  case end
  /// Where it needs the least scrolling to be seen whole.
  case nearest
}

extension PreparedLayout {
  /// The offset that shows an item: `scrollToItem(at:at:animated:)`.
  ///
  /// - Parameters:
  ///   - indexPath: The item.
  ///   - position: Where it shall be.
  ///   - offset: The present offset; across the main axis it stays.
  /// - Returns: The offset, inside the content; nil if there is no such item.
  /// - Complexity: O(log n).
  public func contentOffset(
    scrollingTo indexPath: IndexPath, at position: ScrollPosition, from offset: Point
  ) -> Point? {
    let present = scrollDirection.upright(offset)
    let visible = scrollDirection.upright(visibleRect(at: offset))
    guard
      let main = placement.mainOffset(scrollingTo: indexPath, at: position, from: visible)
    else { return nil }
    let limit = max(0, placement.contentSize.height - visible.height)
    return scrollDirection.upright(Point(x: present.x, y: max(0, min(main, limit))))
  }
}

extension ScrollPosition {
  /// The main coordinate of the offset that shows a frame.
  ///
  /// - Parameters:
  ///   - frame: The frame, upright.
  ///   - covered: How much of the viewport is covered at its start, and at its end.
  ///   - visible: The visible rect, upright.
  /// - Returns: The coordinate, inside the content or not.
  func mainOffset(
    of frame: Rect, covered: (start: Length, end: Length), from visible: Rect
  ) -> Length {
    let start = frame.minY - covered.start
    let end = frame.maxY - visible.height
    switch self {
    case .start: return start
    case .end: return end
    case .center: return frame.originOfCentered(visible.size).y
    case .nearest:
      // Between end and start the item is seen whole; if it is too long for that, between start and
      // end it fills the viewport.
      let end = end + covered.end
      return max(min(start, end), min(max(start, end), visible.minY))
    }
  }
}
