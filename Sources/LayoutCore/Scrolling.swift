/// What a session remembers of its scrolling: enough to say what the next tick changes.
public struct ScrollState: Hashable, Sendable {
  /// The offset of the last tick.
  public private(set) var contentOffset: Point
  /// Whether it last moved towards the end.
  private var isForward: Bool
  /// The cells asked for and not cancelled.
  private var asked: ItemRanges

  /// At an offset, nothing asked for yet.
  ///
  /// - Parameter contentOffset: The offset.
  public init(contentOffset: Point) {
    self.contentOffset = contentOffset
    isForward = true
    asked = ItemRanges()
  }

  /// The cells that were to be loaded ahead and were not cancelled, in ascending order.
  public var requestedRanges: [ItemRange] { asked.ranges }

  /// Goes to an offset: one scroll tick (contract section 6).
  ///
  /// The elements of the last tick are worked out again from its offset, rather than remembered:
  /// what shows is a function of the offset alone, and a session stays small.
  ///
  /// - Parameters:
  ///   - offset: The new offset.
  ///   - layout: The layout, the same as in the last tick.
  ///   - prefetch: How far ahead to load.
  ///   - isFull: Whether to forget what was shown and asked for, and start anew.
  ///   - limit: How many elements may show.
  /// - Returns: What changed.
  /// - Throws: ``LayoutError/tooManyElements(limit:)``; the state is as before then.
  /// - Complexity: O(log n + k) for k elements in the viewport and the prefetch window.
  public mutating func scroll(
    to offset: Point, in layout: PreparedLayout, prefetch: PrefetchReach, isFull: Bool, limit: Int
  ) throws(LayoutError) -> ScrollTick {
    let visible = try layout.elements(
      in: layout.visibleRect(at: offset), contentOffset: offset, limit: limit)
    let previous =
      isFull
      ? []
      : try layout.elements(
        in: layout.visibleRect(at: contentOffset), contentOffset: contentOffset, limit: limit)
    let old = layout.scrollDirection.upright(contentOffset).y
    let new = layout.scrollDirection.upright(offset).y
    let forward = new == old ? isForward : new > old
    let window = try layout.prefetchRanges(
      at: offset, isForward: forward, reach: prefetch, visible: visible, limit: limit)

    var tick = ScrollTick()
    tick.isReset = isFull
    if isFull { tick.appeared = visible } else { tick.compare(previous, visible) }
    let stillAsked = isFull ? ItemRanges() : asked
    tick.prefetch = layout.nearestFirst(
      window.wanted.subtracting(stillAsked), at: offset, isForward: forward)
    tick.cancelPrefetch = layout.nearestFirst(
      stillAsked.subtracting(window.wanted).subtracting(window.visible), at: offset,
      isForward: forward)
    contentOffset = offset
    isForward = forward
    asked = window.wanted
    return tick
  }
}

/// How far beyond the viewport cells are loaded, in viewport lengths.
public struct PrefetchReach: Hashable, Sendable {
  /// Towards where the content moves; not negative.
  public var ahead: Double
  /// The other way; not negative.
  public var behind: Double

  /// Makes a reach.
  ///
  /// - Parameters:
  ///   - ahead: Towards where the content moves, in viewport lengths.
  ///   - behind: The other way.
  public init(ahead: Double = 1, behind: Double = 0) {
    self.ahead = ahead
    self.behind = behind
  }
}

/// What one scroll tick changes.
public struct ScrollTick: Hashable, Sendable {
  /// What shows now and did not.
  public var appeared: [LayoutAttributes] = []
  /// What showed and shows with other attributes.
  public var changed: [LayoutAttributes] = []
  /// What shows no more.
  public var disappeared: [LayoutAttributes] = []
  /// The cells to load ahead that were not asked for before, the nearest first.
  public var prefetch: [ItemRange] = []
  /// The cells asked for that are not needed any more, the nearest first.
  public var cancelPrefetch: [ItemRange] = []
  /// Whether everything from before is to be forgotten.
  public var isReset = false

  /// Makes an empty tick.
  public init() {}

  /// Merges two visible sets, both in order.
  mutating func compare(_ previous: [LayoutAttributes], _ visible: [LayoutAttributes]) {
    var old = 0
    for element in visible {
      let position = element.position
      while old < previous.count, previous[old].position < position {
        disappeared.append(previous[old])
        old += 1
      }
      if old < previous.count, previous[old].position == position {
        if previous[old] != element { changed.append(element) }
        old += 1
      } else {
        appeared.append(element)
      }
    }
    disappeared.append(contentsOf: previous[old...])
  }
}

extension PreparedLayout {
  /// The cells to have loaded at an offset, and those that show.
  ///
  /// The window is laid over resting frames, not over what effects make of them.
  func prefetchRanges(
    at offset: Point, isForward: Bool, reach: PrefetchReach, visible: [LayoutAttributes],
    limit: Int
  ) throws(LayoutError) -> (wanted: ItemRanges, visible: ItemRanges) {
    var shown = ItemRanges()
    for element in visible where element.kind == .cell { shown.append(element.indexPath) }
    let rect = scrollDirection.upright(visibleRect(at: offset))
    let ahead = Length(rounding: rect.height.points * reach.ahead)
    let behind = Length(rounding: rect.height.points * reach.behind)
    let before = isForward ? behind : ahead
    let after = isForward ? ahead : behind
    // What rests in the viewport also shows there, unless an effect has a say: then only what is
    // around it has to be looked at. An element may be in both parts, hence the ordered union.
    let parts: [Rect] =
      effect == nil
      ? [
        Rect(x: rect.minX, y: rect.minY - before, width: rect.width, height: before),
        Rect(x: rect.minX, y: rect.maxY, width: rect.width, height: after),
      ]
      : [
        Rect(
          x: rect.minX, y: rect.minY - before, width: rect.width,
          height: before + rect.height + after)
      ]
    var wanted = ItemRanges()
    var count = 0
    for part in parts where !part.isEmpty {
      var found = ItemRanges()
      placement.forEachCellRun(in: part, visible: rect) { run in
        found.append(run)
        count += run.end - run.start
        return count <= limit
      }
      wanted = wanted.isEmpty ? found : wanted.union(found)
    }
    guard count <= limit else { throw .tooManyElements(limit: limit) }
    return (wanted.subtracting(shown), shown)
  }

  /// Ranges with the one nearest to the viewport first; of two as near, the one on the way.
  func nearestFirst(_ ranges: ItemRanges, at offset: Point, isForward: Bool) -> [ItemRange] {
    guard ranges.ranges.count > 1 else { return ranges.ranges }
    let visible = scrollDirection.upright(visibleRect(at: offset))
    // Distance, then the way, then the order on the way.
    func rank(_ range: ItemRange, _ order: Int) -> (Length, Int, Int) {
      var distance = Length(millionths: .max)
      var isBefore = true
      for item in [range.start, range.end - 1] {
        let path = IndexPath(item: item, section: range.section)
        guard let cell = placement.attributes(of: .cell, at: path, visible: visible) else {
          continue
        }
        distance = min(
          distance, max(0, cell.frame.minY - visible.maxY, visible.minY - cell.frame.maxY))
        isBefore = isBefore && cell.frame.minY < visible.minY
      }
      return (distance, isBefore == isForward ? 1 : 0, isForward ? order : -order)
    }
    return ranges.ranges.enumerated()
      .map { (rank: rank($1, $0), range: $1) }
      .sorted { $0.rank < $1.rank }
      .map(\.range)
  }
}
