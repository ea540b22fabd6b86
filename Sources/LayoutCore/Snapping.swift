/// Where a drag comes to rest.
public enum SnapMode: String, Sendable, Hashable, CaseIterable {
  /// Where it would have ended anyway.
  case none
  /// With the nearest cell in the middle.
  case center
  /// With a leading edge at the start.
  case start
  /// At a multiple of the viewport's length.
  case page
}

/// How fast a fling slows down: `UIScrollView.DecelerationRate`.
public enum DecelerationRate: String, Sendable, Hashable, CaseIterable {
  /// 0.998 a millisecond.
  case normal
  /// 0.99 a millisecond.
  case fast

  /// r/(1−r): how many milliseconds' way at the first velocity the whole way is.
  var reach: Double {
    switch self {
    case .normal: 499
    case .fast: 99
    }
  }
}

/// The end of a drag.
public struct DragEnd: Hashable, Sendable {
  /// Where the fling would end; nil to project it.
  public var proposedContentOffset: Point?
  /// In points per second.
  public var velocity: Velocity
  /// Where the drag began.
  public var startContentOffset: Point
  /// Where the finger was lifted.
  public var contentOffset: Point

  /// Makes the end of a drag.
  ///
  /// - Parameters:
  ///   - proposedContentOffset: Where the fling would end; nil to project it.
  ///   - velocity: In points per second.
  ///   - startContentOffset: Where the drag began.
  ///   - contentOffset: Where the finger was lifted.
  public init(
    proposedContentOffset: Point?, velocity: Velocity, startContentOffset: Point,
    contentOffset: Point
  ) {
    self.proposedContentOffset = proposedContentOffset
    self.velocity = velocity
    self.startContentOffset = startContentOffset
    self.contentOffset = contentOffset
  }
}

/// A velocity in points per second.
public struct Velocity: Hashable, Sendable {
  /// To the right.
  public var x: Double
  /// Down.
  public var y: Double

  /// Makes a velocity.
  ///
  /// - Parameters:
  ///   - x: To the right, in points per second.
  ///   - y: Down, in points per second.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// At rest.
  public static var zero: Velocity { Velocity(x: 0, y: 0) }
}

/// Where a drag comes to rest, and at which cell.
public struct SnapTarget: Hashable, Sendable {
  /// Where the content comes to rest; inside the content.
  public var contentOffset: Point
  /// The cell it was snapped to; nil where the rule names none.
  public var indexPath: IndexPath?
}

extension PreparedLayout {
  /// Where a drag comes to rest: `targetContentOffset(forProposedContentOffset:…)`.
  ///
  /// Cells without an area are never snapped to.
  ///
  /// - Parameters:
  ///   - drag: The end of the drag.
  ///   - mode: The rule.
  ///   - rate: How a fling is projected that has no proposed offset.
  /// - Returns: The offset, inside the content, and the cell.
  /// - Complexity: O(log n + k) for k cells in a viewport.
  public func snapTarget(
    for drag: DragEnd, mode: SnapMode, decelerationRate rate: DecelerationRate
  ) -> SnapTarget {
    let proposed =
      drag.proposedContentOffset
      ?? Point(
        x: drag.contentOffset.x + Length(rounding: drag.velocity.x / 1000 * rate.reach),
        y: drag.contentOffset.y + Length(rounding: drag.velocity.y / 1000 * rate.reach))
    var target = scrollDirection.upright(proposed)
    let velocity = scrollDirection == .vertical ? drag.velocity.y : drag.velocity.x
    var indexPath: IndexPath?
    switch mode {
    case .none: break
    case .center:
      if let cell = cellToCenter(at: target.y) {
        target.y = cell.offset
        indexPath = cell.indexPath
      }
    case .start:
      if let cell = cellToAlign(at: target.y, velocity: velocity) {
        target.y = cell.offset
        indexPath = cell.indexPath
      }
    case .page:
      let start = scrollDirection.upright(drag.startContentOffset).y
      target.y = pageOffset(at: target.y, velocity: velocity, start: start)
    }
    return SnapTarget(
      contentOffset: clamped(scrollDirection.upright(target)), indexPath: indexPath)
  }

  private var uprightLength: Length { scrollDirection.upright(viewport.size).height }
  private var uprightContentLength: Length { placement.contentSize.height }

  /// A cell and the offset that puts it where the rule wants it.
  private struct Candidate {
    var indexPath: IndexPath
    var offset: Length
  }

  private func pageOffset(at proposed: Length, velocity: Double, start: Length) -> Length {
    let length = uprightLength.millionths
    let here = proposed.millionths
    let down = flooredQuotient(here, length)
    var page =
      velocity > 0
      ? (down * length == here ? down : down + 1)
      : velocity < 0 ? down : roundedQuotient(here, length)
    let first = roundedQuotient(start.millionths, length)
    page = max(first - 1, min(first + 1, page))
    return Length(millionths: length) * Int(page)
  }

  private func cellToCenter(at proposed: Length) -> Candidate? {
    let length = uprightLength
    guard proposed > .zero, proposed < uprightContentLength - length else { return nil }
    // Twice all distances keeps half millionths exact.
    let twiceMiddle = Int128(proposed.millionths) * 2 + Int128(length.millionths)
    func twiceCenter(_ frame: Rect) -> Int128 {
      Int128(frame.minY.millionths) * 2 + Int128(frame.height.millionths)
    }
    let nearest = bestCell(around: proposed + length.halved, .bothWays) {
      (twiceCenter($0.frame) - twiceMiddle).magnitude
    }
    return nearest.map { cell in
      let offset = roundedQuotient(twiceCenter(cell.frame) - Int128(length.millionths), 2)
      return Candidate(indexPath: cell.indexPath, offset: Length(saturating: offset))
    }
  }

  private func cellToAlign(at proposed: Length, velocity: Double) -> Candidate? {
    func edge(_ cell: LayoutAttributes) -> Length {
      cell.frame.minY - placement.leadingInset(ofSection: cell.indexPath.section)
    }
    func nearest(to main: Length, _ ways: SearchWays) -> LayoutAttributes? {
      bestCell(around: main, ways) { cell in
        let distance = Int128(edge(cell).millionths) - Int128(main.millionths)
        if ways == .onwards && distance < 0 || ways == .backwards && distance > 0 { return nil }
        return distance.magnitude * 2
      }
    }
    // Past the ends it is the last or the first, and all edges lie between the ends.
    let main = max(0, min(proposed, uprightContentLength))
    let cell =
      velocity == 0
      ? nearest(to: main, .bothWays)
      : velocity > 0
        ? nearest(to: main, .onwards) ?? nearest(to: uprightContentLength, .bothWays)
        : nearest(to: main, .backwards) ?? nearest(to: 0, .bothWays)
    return cell.map { Candidate(indexPath: $0.indexPath, offset: edge($0)) }
  }

  /// How many elements are looked at to find a cell to snap to.
  private static var maximumVisitCount: Int { 200_000 }

  /// On which side of a place to look for a cell.
  private enum SearchWays { case bothWays, onwards, backwards }

  /// The cell with the least distance, the first of those; looked for in growing surroundings.
  ///
  /// A cell's distance must be at least that of its frame, less the largest leading inset. So once a
  /// cell is nearer than the surroundings reach, no other can be. They begin as small as can be: there
  /// may be millions of cells in a viewport. Of more than ``maximumVisitCount`` in one place the best
  /// of those is taken, so that no collection makes a question endless.
  ///
  /// - Parameters:
  ///   - main: Where to look, in the content.
  ///   - ways: On which side.
  ///   - doubledDistance: Twice the distance of an upright cell; nil if it does not count.
  /// - Returns: The cell, upright; nil if none counts.
  private func bestCell(
    around main: Length, _ ways: SearchWays, _ doubledDistance: (LayoutAttributes) -> UInt128?
  ) -> LayoutAttributes? {
    let inset = placement.maximumLeadingInset
    let content = uprightContentLength
    var reach = Length(millionths: 1)
    var visits = 0
    while true {
      let from = ways == .onwards ? main : main - reach
      let to = ways == .backwards ? main + inset + Length(millionths: 1) : main + reach + inset
      // Whatever the breadth: a half of all there is on either side.
      let surroundings = Rect(
        x: Length(millionths: .min / 2), y: from, width: Length(millionths: .max), height: to - from
      )
      var best: LayoutAttributes?
      var least = UInt128.max
      placement.forEachElement(in: surroundings, visible: surroundings, from: .first) { element in
        if element.kind == .cell, let distance = doubledDistance(element), distance < least {
          least = distance
          best = element
        }
        visits += 1
        return visits < PreparedLayout.maximumVisitCount
      }
      if visits >= PreparedLayout.maximumVisitCount { return best }
      if best != nil, least < UInt128(reach.millionths.magnitude) * 2 { return best }
      let isAll =
        (from <= .zero || ways == .onwards) && (to >= content || ways == .backwards)
      if isAll { return best }
      reach += reach
    }
  }
}
