/// What stays where it is on screen while content changes.
public enum Anchor: Hashable, Sendable {
  /// An element, named by where it is before the change.
  case element(ElementKind, IndexPath)
  /// The start of the content.
  case start
  /// The end of the content: a list that grows there is followed.
  case end
  /// The first element that begins in view and is still there afterwards; if none does, the first visible one.
  ///
  /// One that begins before the viewport may grow there, as items do whose sizes become known when they are first
  /// seen: then what follows it stays.
  case visible
}

extension PreparedLayout {
  /// The offset after a change at which an anchor is where it was on screen.
  ///
  /// Where an element rests decides, not where it is pinned or what an effect makes of it; but a card of
  /// a wheel is turned by as many cards as it was.
  ///
  /// - Parameters:
  ///   - anchor: The anchor; nil to stay at the offset.
  ///   - old: The layout before the change.
  ///   - offset: The offset before the change.
  ///   - map: How the elements before the change go with those after it.
  ///   - limit: How many elements may be looked at for a visible anchor: any number may show, and be gone.
  /// - Returns: An offset inside the content; the old one as far as that allows if the anchor is gone.
  /// - Throws: ``LayoutError/tooManyElements(limit:)``.
  /// - Complexity: O(log n), for a visible anchor O(k log n) for the k elements that show up to it.
  public func contentOffset(
    keeping anchor: Anchor?, of old: PreparedLayout, at offset: Point, by map: any ElementMap,
    limit: Int
  ) throws(LayoutError) -> Point {
    let kept: Point? =
      switch anchor {
      case nil, .start: nil
      case .end: offsetKeepingEnd(of: old, at: offset)
      case .element(let kind, let indexPath):
        contentOffset(keeping: kind, indexPath, of: old, at: offset, by: map)
      case .visible: try offsetKeepingVisible(of: old, at: offset, by: map, limit: limit)
      }
    return clamped(kept ?? offset)
  }

  private func offsetKeepingEnd(of old: PreparedLayout, at offset: Point) -> Point {
    // As far from the end of the viewport to the end of the content as before.
    let oldVisible = old.scrollDirection.upright(old.visibleRect(at: offset))
    let rest = old.placement.contentSize.height - oldVisible.maxY
    var upright = scrollDirection.upright(visibleRect(at: offset))
    upright.origin.y = placement.contentSize.height - rest - upright.height
    return scrollDirection.upright(upright).origin
  }

  private func offsetKeepingVisible(
    of old: PreparedLayout, at offset: Point, by map: any ElementMap, limit: Int
  ) throws(LayoutError) -> Point? {
    let direction = old.scrollDirection
    let visible = old.visibleRect(at: offset)
    let upright = direction.upright(visible)
    // Behind headers that are pinned there.
    var start = upright.minY
    var kept: Point?
    var count = 0
    old.forEachElement(in: visible, contentOffset: offset) { element in
      count += 1
      guard count <= limit else { return false }
      guard !element.kind.isDecoration,
        let rest = old.restingFrame(of: element.kind, at: element.indexPath)
      else { return true }
      // What is not where it rests says nothing about where the content is.
      guard element.kind == .cell || rest == element.frame else {
        let frame = direction.upright(element.frame)
        if frame.minY <= start { start = max(start, frame.maxY) }
        return true
      }
      // An effect may show what rests beyond.
      let place = direction.upright(rest).minY
      let begins = place >= start && place < upright.maxY
      guard kept == nil || begins,
        let found = contentOffset(
          keeping: element.kind, element.indexPath, of: old, at: offset, by: map)
      else { return true }
      kept = found
      return !begins
    }
    guard count <= limit else { throw .tooManyElements(limit: limit) }
    return kept
  }

  private func contentOffset(
    keeping kind: ElementKind, _ indexPath: IndexPath, of old: PreparedLayout, at offset: Point,
    by map: any ElementMap
  ) -> Point? {
    guard let before = old.restingFrame(of: kind, at: indexPath),
      let new = map.newElement(kind, at: indexPath),
      let after = restingFrame(of: new.kind, at: new.at)
    else { return nil }
    let moved = Point(
      x: after.minX - (before.minX - offset.x), y: after.minY - (before.minY - offset.y))
    guard kind == .cell, let step = placement.turnLength, step != old.placement.turnLength,
      let turn = old.placement.turn(
        ofItemAt: indexPath, seenIn: old.scrollDirection.upright(old.visibleRect(at: offset)))
    else { return moved }
    // Turned by as many cards as before.
    var result = scrollDirection.upright(moved)
    result.y = placement.mainOffset(turning: new.at, by: turn) ?? result.y
    return scrollDirection.upright(result)
  }

  /// Where an element rests, in content coordinates; nil if there is no such element.
  func restingFrame(of kind: ElementKind, at indexPath: IndexPath) -> Rect? {
    placement.restingFrame(of: kind, at: indexPath).map(scrollDirection.upright)
  }
}

extension ElementKind {
  /// Whether it is a decoration, whichever.
  package var isDecoration: Bool { if case .decoration = self { true } else { false } }
}

extension ElementMap {
  /// What an element is after the change, and where; nil if it is gone.
  func newElement(_ kind: ElementKind, at old: IndexPath) -> (kind: ElementKind, at: IndexPath)? {
    if kind == .cell { return newIndexPath(of: old).map { (kind, $0) } }
    guard let section = newSection(of: old.section) else { return nil }
    let decorations = decorations(ofOldSection: old.section)
    return kind.counterpart(of: decorations?.old, in: decorations?.new).map {
      ($0, IndexPath(item: 0, section: section))
    }
  }

  /// What an element was before the change, and where; nil if it is new.
  func oldElement(_ kind: ElementKind, at new: IndexPath) -> (kind: ElementKind, at: IndexPath)? {
    if kind == .cell { return oldIndexPath(of: new).map { (kind, $0) } }
    guard let section = oldSection(of: new.section) else { return nil }
    let decorations = decorations(ofOldSection: section)
    return kind.counterpart(of: decorations?.new, in: decorations?.old).map {
      ($0, IndexPath(item: 0, section: section))
    }
  }
}

extension ElementKind {
  /// The same kind where a section has other decorations, which go by their names.
  fileprivate func counterpart(of decorations: [Decoration]?, in others: [Decoration]?)
    -> ElementKind?
  {
    guard case .decoration(let place) = self, let decorations, let others else { return self }
    guard decorations.indices.contains(Int(place)) else { return nil }
    return others.place(ofKindOf: decorations[Int(place)]).map { .decoration($0) }
  }
}
