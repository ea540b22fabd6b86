/// What lies about the edges of the viewport and of the prefetch window, so that the ticks of a slow
/// scroll need not ask the layout.
///
/// While the offset moves by a little, an element appears or disappears only where an edge of the
/// viewport passes one of its own, and a cell is asked for or cancelled only where an edge of the
/// window does:
///
///     ┄┄┄┄┄┄┄┄┄┄┄┄┄ windowStart passes trailing edges
///     ┌───────────┐ start       passes trailing edges
///     │ viewport  │
///     └───────────┘ end         passes leading edges
///     ┄┄┄┄┄┄┄┄┄┄┄┄┄ windowEnd   passes leading edges
///
/// A band holds all that happens so in a range of offsets, in the order of the offsets at which it does. A tick
/// within the range looks up what lies between the old offset and the new one: mostly nothing. It never changes,
/// and is good for one layout only.
///
/// Where headers or footers are pinned, the band has cells alone, and each tick asks the layout for the few
/// elements that are none.
public final class ScrollBand: Sendable {
  /// What passes.
  private enum Border {
    case windowStart, start, end, windowEnd
  }

  /// An element that is passed; no effect has touched it.
  private struct Passage {
    var indexPath: IndexPath
    /// Upright.
    var frame: Rect
    /// Narrow, so that a band takes no more than is kept.
    var zIndex: Int32
    var kind: ElementKind
    /// By what.
    var border: Border

    /// The first offset at which the border has passed the element, on the way to the end.
    ///
    /// Frames are half open: a trailing edge is passed by what comes to it, a leading one by what goes
    /// beyond it.
    ///
    /// - Parameter place: Where the border is at offset 0.
    /// - Returns: The offset.
    func offset(from place: Length) -> Length {
      switch border {
      case .windowStart, .start: frame.maxY - place
      case .end, .windowEnd: frame.minY - place + Length(millionths: 1)
      }
    }
  }

  /// The passages in a range of offsets.
  private struct Passages {
    private let range: ClosedRange<Length>
    private var passages: [Passage] = []
    /// At which offset each happens, in millionths, and which it is: less to put in order than the passages.
    private var order: [(offset: Int64, index: Int)] = []
    /// How many of them are by the last border.
    private var count = 0

    init(in range: ClosedRange<Length>) {
      self.range = range
      // As many as a screen of cells mostly has about its edges.
      passages.reserveCapacity(128)
      order.reserveCapacity(128)
    }

    /// Makes room for those of another border.
    mutating func beginBorder() { count = 0 }

    /// Adds a passage if it is in the range.
    ///
    /// - Parameters:
    ///   - passage: The passage.
    ///   - place: Where its border is at offset 0.
    /// - Returns: Whether there is room for another by that border.
    mutating func append(_ passage: Passage, from place: Length) -> Bool {
      let offset = passage.offset(from: place)
      // At the least offset nothing has been passed yet.
      if offset > range.lowerBound, offset <= range.upperBound {
        order.append((offset.millionths, passages.count))
        passages.append(passage)
        count += 1
      }
      return isComplete
    }

    /// Whether there was room for all by the last border.
    var isComplete: Bool { count <= ScrollBand.maximumCount }

    /// In order.
    consuming func sorted() -> (offsets: [Int64], passages: [Passage]) {
      order.sort { $0.offset < $1.offset }
      return (order.map(\.offset), order.map { passages[$0.index] })
    }
  }

  /// The main coordinates of the offsets between which all passages are known.
  private let range: ClosedRange<Length>
  private let cross: Length
  private let isForward: Bool
  private let length: Length
  private let before: Length
  private let after: Length
  private let direction: ScrollDirection
  /// At which offsets something is passed, ascending, in millionths: most ticks look at nothing else.
  private let offsets: [Int64]
  /// What is passed there.
  private let passages: [Passage]
  /// More elements than this cannot show, and more cells than this cannot be asked for.
  private let elementBound: Int
  /// How far it reaches on the way.
  private let reach: Length
  /// Whether it has cells alone.
  private let hasCellsOnly: Bool

  /// So many elements each border passes at most: a line of cells that begin, or end, at the same place is among
  /// them as a whole or not at all, and on large screens small cells make long lines.
  static let maximumCount = 240
  /// So many elements that are no cells a tick asks the layout for at most.
  private static let maximumOtherCount = 72

  /// The bytes that it takes.
  public var byteCount: Int { ScrollBand.byteCount(offsets.count) }

  /// The most bytes that one takes.
  public static var maximumByteCount: Int { byteCount(maximumCount * 4) }

  private static func byteCount(_ count: Int) -> Int {
    256 + count * (MemoryLayout<Int64>.stride + MemoryLayout<Passage>.stride)
  }

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
    var passages = Passages(in: low...high)
    func strip(_ place: Length) -> Rect {
      Rect(x: offset.x, y: low + place, width: size.width, height: high - low)
    }
    /// Finds what an edge of the viewport passes; returns whether that is all plain and not too much.
    func findElements(passing border: Border, at place: Length) -> Bool {
      passages.beginBorder()
      var otherCount = 0
      var arePlain = true
      layout.forEachElement(
        in: direction.upright(strip(place)), contentOffset: scrolling.contentOffset
      ) { element in
        if hasCellsOnly, element.kind != .cell {
          otherCount += 1
          return otherCount <= ScrollBand.maximumOtherCount
        }
        guard element.isPlain, let zIndex = Int32(exactly: element.zIndex) else {
          arePlain = false
          return false
        }
        return passages.append(
          Passage(
            indexPath: element.indexPath, frame: direction.upright(element.frame), zIndex: zIndex,
            kind: element.kind, border: border),
          from: place)
      }
      return arePlain && otherCount <= ScrollBand.maximumOtherCount && passages.isComplete
    }
    /// Finds what an edge of the window passes; returns whether that is not too much.
    func findCells(passing border: Border, at place: Length) -> Bool {
      passages.beginBorder()
      layout.placement.forEachRestingItem(in: strip(place)) { indexPath, frame in
        passages.append(
          Passage(indexPath: indexPath, frame: frame, zIndex: 0, kind: .cell, border: border),
          from: place)
      }
      return passages.isComplete
    }
    guard findElements(passing: .start, at: 0), findElements(passing: .end, at: size.height),
      before == 0 || findCells(passing: .windowStart, at: -before),
      after == 0 || findCells(passing: .windowEnd, at: size.height + after)
    else { return nil }
    (offsets, self.passages) = passages.sorted()
    self.direction = direction
    range = low...high
    cross = offset.x
    self.isForward = isForward
    length = size.height
    self.reach = reach
    self.hasCellsOnly = hasCellsOnly
    self.before = before
    self.after = after
    elementBound = max(shownCount, scrolling.askedCount) + offsets.count
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
  ///   - tick: An empty one, to which what changed is added.
  ///   - asked: What is asked for, which is brought up to date.
  ///   - sort: Puts ranges in the order of the answer, of cells of which the second argument knows
  ///     where they rest.
  /// - Complexity: O(log n + k · log k) for k of n passages.
  func pass(
    from old: Length, to new: Length, addingTo tick: inout ScrollTick, asked: inout ItemRanges,
    sort: ([ItemRange], (IndexPath) -> Rect?) -> [ItemRange]
  ) {
    let passed = passed(from: old, to: new)
    if passed.isEmpty { return }
    // On the way to the end the viewport comes to what its end passes, and so does the window.
    let (leaving, coming): (Border, Border) = isForward ? (.start, .end) : (.end, .start)
    let cancelling: Border = isForward ? .windowStart : .windowEnd
    // What left the view is asked for again, where the window reaches as far.
    let asksBehind = (isForward ? before : after) > 0
    var came: [IndexPath] = []
    var (cancelled, wanted): ([Passage], [Passage]) = ([], [])
    for index in passed {
      let passage = passages[index]
      let isCell = passage.kind == .cell
      switch passage.border {
      case leaving:
        tick.disappeared.append(
          ElementIdentity(kind: passage.kind, indexPath: passage.indexPath))
        if isCell, asksBehind { wanted.append(passage) }
      case coming:
        tick.appeared.append(
          LayoutAttributes(
            kind: passage.kind, indexPath: passage.indexPath,
            frame: direction.upright(passage.frame), zIndex: Int(passage.zIndex)))
        if isCell { came.append(passage.indexPath) }
      case cancelling: cancelled.append(passage)
      default: wanted.append(passage)
      }
    }
    if tick.disappeared.count > 1 { tick.disappeared.sort { $0.position < $1.position } }
    if tick.appeared.count > 1 { tick.appeared.sort { $0.position < $1.position } }
    if !came.isEmpty { asked = asked.subtracting(ItemRanges(of: came)) }
    if !cancelled.isEmpty {
      cancelled.sort { $0.indexPath < $1.indexPath }
      let gone = ItemRanges(of: cancelled.map(\.indexPath))
      asked = asked.subtracting(gone)
      tick.cancelPrefetch = sort(gone.ranges) { ScrollBand.frame(of: $0, among: cancelled) }
    }
    if !wanted.isEmpty {
      wanted.sort { $0.indexPath < $1.indexPath }
      let new = ItemRanges(of: wanted.map(\.indexPath))
      asked = asked.union(new)
      tick.prefetch = sort(new.ranges) { ScrollBand.frame(of: $0, among: wanted) }
    }
  }

  /// Where a cell rests, if it is among cells in the order of their index paths.
  private static func frame(of cell: IndexPath, among cells: [Passage]) -> Rect? {
    sortedIndex(of: cell, among: cells.count) { cells[$0].indexPath }.map { cells[$0].frame }
  }

  /// What is passed on the way from one offset to another, whichever way it is.
  ///
  /// - Complexity: O(log n + k) for k of n.
  private func passed(from old: Length, to new: Length) -> Range<Int> {
    let (low, high) = (min(old, new).millionths, max(old, new).millionths)
    let first = partitioningIndex(offsets.count) { offsets[$0] > low }
    var end = first
    while end < offsets.count, offsets[end] <= high { end += 1 }
    return first..<end
  }
}
