/// What lies about the edges of the viewport and of the prefetch window, so that the ticks of a slow
/// scroll need not ask the layout.
///
/// While the offset moves by a little, an element appears or disappears only where an edge of the
/// viewport passes one of its own, and a cell is asked for or cancelled only where an edge of the
/// window does. A band holds the elements about those four edges, each list by the edge that is
/// passed, for a range of offsets:
///
///     ┄┄┄┄┄┄┄┄┄┄┄┄┄ windowStart: trailing edges that the window's start passes
///     ┌───────────┐ start:       trailing edges that the viewport's start passes
///     │ viewport  │
///     └───────────┘ end:         leading edges that the viewport's end passes
///     ┄┄┄┄┄┄┄┄┄┄┄┄┄ windowEnd:   leading edges that the window's end passes
///
/// A tick within the range looks up what lies between the old place of each edge and the new one:
/// mostly nothing. It never changes, and is good for one layout only.
///
/// Where headers or footers are pinned, the lists have cells alone, and each tick asks the layout for the few
/// elements that are none.
public final class ScrollBand: Sendable {
  /// An element with an edge; no effect has touched it.
  private struct Edge: Sendable {
    var kind: ElementKind
    var indexPath: IndexPath
    /// Upright.
    var frame: Rect
    var zIndex: Int
  }

  /// Elements by the place of one of their edges.
  private struct Edges: Sendable {
    /// Whether it is the trailing one that counts.
    let isTrailing: Bool
    private(set) var edges: [Edge] = []

    init(isTrailing: Bool) { self.isTrailing = isTrailing }

    var count: Int { edges.count }

    /// The place of the edge that counts.
    func place(_ index: Int) -> Length {
      isTrailing ? edges[index].frame.maxY : edges[index].frame.minY
    }

    subscript(range: Range<Int>) -> ArraySlice<Edge> { edges[range] }

    /// Adds an element if its edge is in a strip.
    ///
    /// Frames are half open: a trailing edge is passed by what comes to it, a leading one by what goes
    /// beyond it.
    ///
    /// - Returns: Whether there is room for another.
    mutating func append(_ edge: Edge, ifIn strip: Rect) -> Bool {
      let isIn =
        isTrailing
        ? edge.frame.maxY > strip.minY && edge.frame.maxY <= strip.maxY
        : edge.frame.minY >= strip.minY && edge.frame.minY < strip.maxY
      if isIn { edges.append(edge) }
      return edges.count <= ScrollBand.maximumCount
    }

    /// In order; nil if they are too many.
    consuming func sorted() -> Edges? {
      guard count <= ScrollBand.maximumCount else { return nil }
      let isTrailing = isTrailing
      // Of a row whose cells are as long the order is there already.
      edges.sort {
        isTrailing ? $0.frame.maxY < $1.frame.maxY : $0.frame.minY < $1.frame.minY
      }
      return self
    }

    /// Where those are that an edge of the viewport passes, whichever way it goes.
    ///
    /// - Complexity: O(log n + k) for k of n.
    func passed(from old: Length, to new: Length) -> Range<Int> {
      let (low, high) = (min(old, new), max(old, new))
      guard low < high else { return 0..<0 }
      let first = partitioningIndex(count) { isTrailing ? place($0) > low : place($0) >= low }
      var last = first
      while last < count, isTrailing ? place(last) <= high : place(last) < high { last += 1 }
      return first..<last
    }
  }

  /// The main coordinates of the offsets for which the lists are complete.
  private let range: ClosedRange<Length>
  private let cross: Length
  private let isForward: Bool
  private let length: Length
  private let before: Length
  private let after: Length
  private let direction: ScrollDirection
  private let start: Edges
  private let end: Edges
  private let windowStart: Edges
  private let windowEnd: Edges
  /// More elements than this cannot show, and more cells than this cannot be asked for.
  private let elementBound: Int
  /// How far it reaches on the way.
  private let reach: Length
  /// Whether it has cells alone.
  private let hasCellsOnly: Bool

  /// So many entries a list has at most: a line of cells that begin, or end, at the same place is in it as a
  /// whole or not at all, and on large screens small cells make long lines.
  static let maximumCount = 240
  /// So many elements that are no cells a tick asks the layout for at most.
  private static let maximumOtherCount = 72

  /// The bytes that it takes.
  public var byteCount: Int {
    ScrollBand.byteCount(start.count + end.count + windowStart.count + windowEnd.count)
  }

  /// The most bytes that one takes.
  public static var maximumByteCount: Int { byteCount(maximumCount * 4) }

  private static func byteCount(_ count: Int) -> Int { 256 + count * MemoryLayout<Edge>.stride }

  /// Gathers what lies about the edges, for half a screen on the way; the more elements show, the less far.
  ///
  /// - Parameters:
  ///   - layout: The layout.
  ///   - scrolling: Where the client is, after a tick.
  ///   - prefetch: How far ahead to load.
  ///   - shownCount: How many elements show, at most.
  /// - Returns: The band; nil for layouts in which cells move while they show, far out, and where too much
  ///   lies within a sixty-fourth of a screen: then each tick asks the layout.
  /// - Complexity: O(log n + k) for the k elements about the edges.
  public static func make(
    _ layout: PreparedLayout, at scrolling: ScrollState, prefetch: PrefetchReach, shownCount: Int
  ) -> ScrollBand? {
    make(
      layout, at: scrolling, prefetch: prefetch, shownCount: shownCount,
      reach: ScrollBand.longestReach(layout))
  }

  private static func longestReach(_ layout: PreparedLayout) -> Length {
    layout.scrollDirection.upright(layout.viewport.size).height.halved
  }

  /// Gathers what lies within a reach; where that is too much, within a half of it, and so on.
  private static func make(
    _ layout: PreparedLayout, at scrolling: ScrollState, prefetch: PrefetchReach, shownCount: Int,
    reach: Length
  ) -> ScrollBand? {
    // Where cells move, none is looked at; nor where a tick would have to look at as many others.
    guard !layout.placement.movesCells, layout.lifted == nil,
      !layout.followsContentOffset
        || layout.supplements(at: scrolling.contentOffset, limit: maximumOtherCount) != nil
    else { return nil }
    var reach = reach
    for _ in 0..<6 {
      if let band = ScrollBand(
        layout, at: scrolling, prefetch: prefetch, shownCount: shownCount, reach: reach)
      {
        return band
      }
      reach = reach.halved
    }
    return nil
  }

  /// Nil far out, and where too much lies within the reach.
  private init?(
    _ layout: PreparedLayout, at scrolling: ScrollState, prefetch: PrefetchReach, shownCount: Int,
    reach: Length
  ) {
    let direction = layout.scrollDirection
    let offset = direction.upright(scrolling.contentOffset)
    let size = direction.upright(layout.viewport.size)
    let isForward = scrolling.isForward
    let window = prefetch.window(isForward: isForward)
    let before = Length(rounding: size.height.points * window.before)
    let after = Length(rounding: size.height.points * window.after)
    // Where sums cannot saturate.
    let far = Length(millionths: 4_000_000_000_000_000_000)
    guard abs(offset.y.points) < far.points, before < far, after < far else { return nil }
    // A bit the other way.
    let back = reach.halved.halved
    let low = offset.y - (isForward ? back : reach)
    let high = offset.y + (isForward ? reach : back)

    let hasCellsOnly = layout.followsContentOffset
    func strip(_ place: Length) -> Rect {
      Rect(x: offset.x, y: low + place, width: size.width, height: high - low)
    }
    func edges(at place: Length, isTrailing: Bool) -> Edges? {
      let strip = strip(place)
      var edges = Edges(isTrailing: isTrailing)
      var otherCount = 0
      var arePlain = true
      layout.forEachElement(
        in: direction.upright(strip), contentOffset: scrolling.contentOffset
      ) { element in
        if hasCellsOnly, element.kind != .cell {
          otherCount += 1
          return otherCount <= ScrollBand.maximumOtherCount
        }
        arePlain = element.isPlain
        let edge = Edge(
          kind: element.kind, indexPath: element.indexPath,
          frame: direction.upright(element.frame), zIndex: element.zIndex)
        return edges.append(edge, ifIn: strip) && arePlain
      }
      guard arePlain, otherCount <= ScrollBand.maximumOtherCount else { return nil }
      return edges.sorted()
    }
    func cells(at place: Length, isTrailing: Bool) -> Edges? {
      let strip = strip(place)
      var edges = Edges(isTrailing: isTrailing)
      layout.placement.forEachRestingItem(in: strip) { indexPath, frame in
        edges.append(
          Edge(kind: .cell, indexPath: indexPath, frame: frame, zIndex: 0), ifIn: strip)
      }
      return edges.sorted()
    }
    guard let start = edges(at: 0, isTrailing: true),
      let end = edges(at: size.height, isTrailing: false),
      let windowStart = before > 0
        ? cells(at: -before, isTrailing: true) : Edges(isTrailing: true),
      let windowEnd = after > 0
        ? cells(at: size.height + after, isTrailing: false) : Edges(isTrailing: false)
    else { return nil }
    self.direction = direction
    range = low...high
    cross = offset.x
    self.isForward = isForward
    length = size.height
    self.reach = reach
    self.hasCellsOnly = hasCellsOnly
    self.before = before
    self.after = after
    self.start = start
    self.end = end
    self.windowStart = windowStart
    self.windowEnd = windowEnd
    elementBound =
      max(shownCount, scrolling.askedCount) + start.count + end.count + windowStart.count
      + windowEnd.count
  }

  /// A band about the edges as they are now, where this one does not reach any more.
  ///
  /// - Parameters:
  ///   - scrolling: Where the client is, after a tick that this band answered.
  ///   - layout: The layout, which this band was made of.
  ///   - prefetch: How far ahead to load.
  /// - Returns: The band; nil if this one says nothing of that place.
  public func moved(
    to scrolling: ScrollState, in layout: PreparedLayout, prefetch: PrefetchReach
  ) -> ScrollBand? {
    let offset = layout.scrollDirection.upright(scrolling.contentOffset)
    guard scrolling.isAtTick, offset.x == cross, range.contains(offset.y) else { return nil }
    // No more show than did at first and came since; about as much lies ahead as did here.
    return ScrollBand.make(
      layout, at: scrolling, prefetch: prefetch, shownCount: elementBound,
      reach: min(reach + reach, ScrollBand.longestReach(layout)))
  }

  /// Whether a tick can be worked out from the band.
  ///
  /// - Parameters:
  ///   - old: The offset before, upright.
  ///   - new: The offset now, upright.
  ///   - isForward: The way.
  ///   - limit: How many elements may show.
  /// - Returns: Whether it can.
  func covers(_ old: Point, _ new: Point, isForward: Bool, limit: Int) -> Bool {
    let step = isForward ? new.y - old.y : old.y - new.y
    // What an edge passes must not have been passed by another one in the same step.
    return isForward == self.isForward && old.x == cross && new.x == cross
      && range.contains(old.y) && range.contains(new.y) && step <= length
      && (before == 0 || step <= before) && (after == 0 || step <= after)
      && elementBound <= limit
  }

  /// What shows beside the cells that the band has.
  ///
  /// - Parameters:
  ///   - offset: The content offset.
  ///   - layout: The layout.
  ///   - limit: How many elements may show.
  /// - Returns: The elements, in order; nil if they may be too many, or take longer to ask for than cells.
  func others(at offset: Point, in layout: PreparedLayout, limit: Int) -> [LayoutAttributes]? {
    guard hasCellsOnly else { return [] }
    return layout.supplements(
      at: offset, limit: min(ScrollBand.maximumOtherCount, limit - elementBound))
  }

  /// Works a tick out.
  ///
  /// - Parameters:
  ///   - old: The offset before, upright.
  ///   - new: The offset now, upright.
  ///   - asked: What is asked for, which is brought up to date.
  ///   - sort: Puts ranges in the order of the answer, of cells of which the second argument knows
  ///     where they rest.
  /// - Returns: What changed.
  func tick(
    from old: Length, to new: Length, _ asked: inout ItemRanges,
    sort: ([ItemRange], (IndexPath) -> Rect?) -> [ItemRange]
  ) -> ScrollTick {
    let passed = start.passed(from: old, to: new)
    let reached = end.passed(from: old + length, to: new + length)
    let atStart = windowStart.passed(from: old - before, to: new - before)
    let atEnd = windowEnd.passed(from: old + length + after, to: new + length + after)
    var tick = ScrollTick()
    // Mostly so; slices, each of which holds its list, are made only where something is in them.
    if passed.isEmpty, reached.isEmpty, atStart.isEmpty, atEnd.isEmpty { return tick }
    let (left, came) =
      isForward ? (start[passed], end[reached]) : (end[reached], start[passed])
    let (cancelled, wanted) =
      isForward
      ? (windowStart[atStart], windowEnd[atEnd]) : (windowEnd[atEnd], windowStart[atStart])
    tick.disappeared = left.map { ElementIdentity(kind: $0.kind, indexPath: $0.indexPath) }
    tick.appeared = came.map(attributes)
    if left.count > 1 { tick.disappeared.sort { $0.position < $1.position } }
    if came.count > 1 { tick.appeared.sort { $0.position < $1.position } }

    // Cells that came into view are not asked for any more; those that left it are again, where the
    // window reaches as far.
    let cellsThatCame = ScrollBand.cells(in: came)
    let cellsThatLeft = (isForward ? before : after) > 0 ? ScrollBand.cells(in: left) : []
    guard !(cancelled.isEmpty && wanted.isEmpty && cellsThatCame.isEmpty && cellsThatLeft.isEmpty)
    else { return tick }
    let gone = ItemRanges(of: cancelled.map(\.indexPath))
    let come = ItemRanges(of: wanted.map(\.indexPath) + cellsThatLeft)
    asked = asked.subtracting(ItemRanges(of: cellsThatCame)).subtracting(gone).union(come)
    tick.prefetch = sort(come.ranges) { cell in
      wanted.first { $0.indexPath == cell }?.frame
    }
    tick.cancelPrefetch = sort(gone.ranges) { cell in
      cancelled.first { $0.indexPath == cell }?.frame
    }
    return tick
  }

  private func attributes(_ edge: Edge) -> LayoutAttributes {
    LayoutAttributes(
      kind: edge.kind, indexPath: edge.indexPath, frame: direction.upright(edge.frame),
      zIndex: edge.zIndex)
  }

  private static func cells(in edges: ArraySlice<Edge>) -> [IndexPath] {
    edges.compactMap { $0.kind == .cell ? $0.indexPath : nil }
  }
}
