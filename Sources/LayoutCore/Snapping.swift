import Glibc

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
  /// With the next leading edge at the start, or the one before: one cell at a time.
  case item
  /// At one of as many stops as there are items, spread evenly from the first offset to the last.
  case wheel
}

/// How fast a fling slows down: `UIScrollView.DecelerationRate`.
public enum DecelerationRate: String, Sendable, Hashable, CaseIterable {
  /// 0.998 a millisecond.
  case normal
  /// 0.99 a millisecond.
  case fast

  /// r/(1−r): how many milliseconds' way at the first velocity the whole way is.
  private var reach: Double {
    switch self {
    case .normal: 499
    case .fast: 99
    }
  }

  /// The logarithm of how much of the way is left after a second: of r¹⁰⁰⁰.
  private var logarithmPerSecond: Double {
    switch self {
    case .normal: 1000 * log(0.998)
    case .fast: 1000 * log(0.99)
    }
  }

  /// How far a fling goes.
  ///
  /// - Parameter velocity: In points per second.
  /// - Returns: The whole way.
  func way(at velocity: Double) -> Length { Length(rounding: velocity / 1000 * reach) }

  /// How long a fling takes: until no more than half a pixel of its way is left.
  ///
  /// - Parameters:
  ///   - velocity: In points per second.
  ///   - displayScale: Pixels per point.
  /// - Returns: Seconds.
  func duration(at velocity: Double, displayScale: Double) -> Double {
    let pixels = velocity.magnitude / 1000 * reach * displayScale
    return pixels <= 0.5 ? 0 : -log(pixels * 2) / logarithmPerSecond
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
  /// How long a projected fling takes to come to rest along the main axis, in seconds: 0 if the content is not longer
  /// than the viewport; nil if it was not projected.
  public var duration: Double?
}

extension PreparedLayout {
  /// Where a drag comes to rest: `targetContentOffset(forProposedContentOffset:…)`.
  ///
  /// What a rule comes to rest at, it stays at. So the end of the content, where a stop beyond it
  /// ends up, is a stop too. Cells without an area are never snapped to, but by ``SnapMode/wheel``.
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
        x: drag.contentOffset.x + rate.way(at: drag.velocity.x),
        y: drag.contentOffset.y + rate.way(at: drag.velocity.y))
    var target = scrollDirection.upright(proposed)
    let velocity = scrollDirection == .vertical ? drag.velocity.y : drag.velocity.x
    let start = scrollDirection.upright(drag.startContentOffset).y
    let stop: Stop? =
      switch mode {
      case .none: nil
      case .center: stopInTheMiddle(at: target.y)
      case .start: stopAtLeadingEdge(at: target.y, velocity: velocity)
      case .page: stopAtPage(at: target.y, velocity: velocity, start: start)
      case .item:
        stopBesideItem(at: start, offset: scrollDirection.upright(drag.contentOffset).y)
      case .wheel: stopOfWheel(at: target.y, velocity: velocity)
      }
    if let stop { target.y = stop.offset }
    var result = SnapTarget(
      contentOffset: clamped(scrollDirection.upright(target)), indexPath: stop?.indexPath)
    if drag.proposedContentOffset == nil {
      // A finger never moves along one axis alone; along the other there is nowhere to go.
      let pixels = viewport.displayScale?.value ?? 1
      result.duration =
        lastOffset > .zero ? rate.duration(at: velocity, displayScale: pixels) : 0
    }
    return result
  }

  private var uprightLength: Length { scrollDirection.upright(viewport.size).height }
  /// The greatest main coordinate of an offset inside the content.
  private var lastOffset: Length { max(0, placement.contentSize.height - uprightLength) }

  /// An offset to come to rest at, and the cell that asks for it.
  private struct Stop {
    var offset: Length
    var indexPath: IndexPath?
  }

  private func stopAtPage(at proposed: Length, velocity: Double, start: Length) -> Stop {
    let length = uprightLength.millionths
    let here = proposed.millionths
    let down = flooredQuotient(here, length)
    var page =
      velocity > 0
      ? (down * length == here ? down : down + 1)
      : velocity < 0 ? down : roundedQuotient(here, length)
    let first = roundedQuotient(start.millionths, length)
    page = max(first - 1, min(first + 1, page))
    if proposed == lastOffset, uprightLength * Int(first + 1) >= lastOffset {
      return Stop(offset: lastOffset)
    }
    return Stop(offset: uprightLength * Int(page))
  }

  private func stopInTheMiddle(at proposed: Length) -> Stop? {
    let length = uprightLength
    guard proposed > .zero, proposed < placement.contentSize.height - length else { return nil }
    // Twice all distances keeps half millionths exact.
    let twiceMiddle = Int128(proposed.millionths) * 2 + Int128(length.millionths)
    let nearest = placement.nearestItem(around: proposed + length.halved, .bothWays) {
      ($1.doubledMainCenter - twiceMiddle).magnitude
    }
    return nearest.map { item in
      let doubled = item.frame.doubledMainCenter - Int128(length.millionths)
      // What turns has its stop without its frame, whose place is rounded already.
      let offset = placement.mainOffset(turning: item.indexPath, by: 0)
      return Stop(
        offset: offset ?? Length(saturating: roundedQuotient(doubled, 2)),
        indexPath: item.indexPath)
    }
  }

  /// Where an item's leading edge is at the start of the viewport, its section's inset before it.
  private func leadingStop(of indexPath: IndexPath, _ frame: Rect) -> Length {
    frame.minY - placement.leadingInset(ofSection: indexPath.section)
  }

  private func leadingStop(nearest main: Length, _ ways: SearchWays) -> Stop? {
    placement.nearestItem(
      around: main, ways, largestInset: placement.maximumLeadingInset
    ) { indexPath, frame in
      let distance =
        Int128(leadingStop(of: indexPath, frame).millionths) - Int128(main.millionths)
      if ways == .onwards && distance < 0 || ways == .backwards && distance > 0 { return nil }
      return distance.magnitude * 2
    }.map { Stop(offset: leadingStop(of: $0.indexPath, $0.frame), indexPath: $0.indexPath) }
  }

  private func stopAtLeadingEdge(at proposed: Length, velocity: Double) -> Stop? {
    if proposed == lastOffset, let stop = leadingStop(nearest: lastOffset, .onwards) {
      return stop
    }
    // Past the ends it is the last or the first, and all edges lie between the ends.
    let end = placement.contentSize.height
    let main = max(0, min(proposed, end))
    if velocity == 0 { return leadingStop(nearest: main, .bothWays) }
    return velocity > 0
      ? leadingStop(nearest: main, .onwards) ?? leadingStop(nearest: end, .bothWays)
      : leadingStop(nearest: main, .backwards) ?? leadingStop(nearest: 0, .bothWays)
  }

  private func stopBesideItem(at start: Length, offset: Length) -> Stop? {
    guard let first = leadingStop(nearest: start, .bothWays) else { return nil }
    let here = max(0, min(first.offset, lastOffset))
    let least = Length(millionths: 1)
    if offset > here {
      return leadingStop(nearest: first.offset + least, .onwards) ?? first
    }
    return offset < here
      ? leadingStop(nearest: first.offset - least, .backwards) ?? first : first
  }

  private func stopOfWheel(at proposed: Length, velocity: Double) -> Stop? {
    guard items.count > 0 else { return nil }
    let stops = EvenStops(way: lastOffset, count: items.count)
    let number = stops.number(at: proposed, velocity: velocity)
    return Stop(offset: stops.offset(of: number), indexPath: items.indexPath(of: number))
  }
}
