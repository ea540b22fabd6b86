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
    guard let cell = placement.attributes(of: .cell, at: indexPath, visible: visible) else {
      return nil
    }
    let frame = cell.frame
    let length = visible.height
    let start = frame.minY - placement.pinnedHeaderLength(ofSection: indexPath.section)
    let end = frame.maxY - length
    let main: Length
    switch position {
    case .start: main = start
    case .end: main = end
    case .center:
      // (2·minY + height − length) / 2, rounded once.
      let doubled =
        Int128(frame.minY.millionths) * 2 + Int128((frame.height - length).millionths)
      main = Length(saturating: roundedQuotient(doubled, 2))
    case .nearest:
      // Between end and start the item is seen whole; if it is too long for that, between start and
      // end it fills the viewport.
      main = max(min(start, end), min(max(start, end), present.y))
    }
    let limit = max(0, placement.contentSize.height - length)
    return scrollDirection.upright(Point(x: present.x, y: max(0, min(main, limit))))
  }
}
