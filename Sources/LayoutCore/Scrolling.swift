/// What a session remembers of its scrolling: enough to say what the next tick changes.
public struct ScrollState: Hashable, Sendable {
  /// The offset of the last tick.
  public private(set) var contentOffset: Point
  /// Whether it last moved towards the end.
  public private(set) var isForward: Bool
  /// The cells asked for and not cancelled.
  private var asked: ItemRanges
  /// Whether the next tick forgets what was shown, even if the client does not say so.
  public private(set) var isReset = false
  /// Whether the client may have been told of another offset since, by somebody else.
  public private(set) var isOutdated = false
  /// Whether what is asked for is what the last tick wanted at this very offset, so that a band can be made of it.
  private(set) var isAtTick = false
  /// Whether there was a tick, or another offset, since ``beginMovement()``.
  public private(set) var hasScrolled = false

  /// At an offset, nothing asked for yet.
  ///
  /// - Parameter contentOffset: The offset.
  public init(contentOffset: Point) {
    self.contentOffset = contentOffset
    isForward = true
    asked = ItemRanges()
  }

  /// The cells that were to be loaded ahead and were not cancelled.
  ///
  /// - Parameter layout: The layout.
  /// - Returns: Maximal runs, the one nearest the viewport first.
  /// - Complexity: O(k · log n) for k runs.
  public func requestedRanges(in layout: PreparedLayout) -> [ItemRange] {
    layout.nearestFirst(asked.ranges, at: contentOffset, isForward: isForward)
  }

  /// How many cells are asked for.
  var askedCount: Int { asked.count }

  /// In how many ranges the cells lie that are asked for: what a tick or a change goes through.
  public var requestedRangeCount: Int { asked.ranges.count }

  /// The bytes that it takes beside itself; an estimate, in steps, so that most ticks leave it as it is.
  ///
  /// A few ranges are part of what a session takes in any case.
  public var byteCount: Int {
    var steps = 32
    if asked.ranges.count <= steps { return 0 }
    while steps < asked.ranges.count { steps *= 2 }
    return steps * MemoryLayout<ItemRange>.stride
  }

  /// Goes to an offset without a tick: the next one is compared with what shows there.
  ///
  /// - Parameter offset: The offset.
  public mutating func move(to offset: Point) {
    contentOffset = offset
    isOutdated = false
    isAtTick = false
    hasScrolled = true
  }

  /// Begins to watch whether there is any scrolling.
  public mutating func beginMovement() { hasScrolled = false }

  /// Forgets what was shown and asked for: the next tick is a reset.
  ///
  /// - Parameter offset: The offset until then.
  public mutating func reset(to offset: Point) {
    contentOffset = offset
    asked = ItemRanges()
    isReset = true
    isOutdated = false
    isAtTick = false
  }

  /// Forgets all but the offset, because somebody else may have answered ticks since: the next one is a reset.
  public mutating func forget() {
    reset(to: contentOffset)
    isOutdated = true
  }

  /// Goes on after a change of the content: what was asked for keeps its identity.
  ///
  /// The next tick is compared with what shows at the offset.
  ///
  /// - Parameters:
  ///   - offset: The offset after the change.
  ///   - map: How the items before the change go with those after it.
  /// - Returns: What was asked for and is gone, as it was called before.
  public mutating func rekey(to offset: Point, by map: any ElementMap) -> [ItemRange] {
    let (kept, gone) = asked.mapped(by: map)
    contentOffset = offset
    asked = kept
    isAtTick = false
    return gone.ranges
  }

  /// The rectangle in which cells are wanted, along the main axis as far as they are loaded ahead.
  ///
  /// - Parameters:
  ///   - layout: The layout.
  ///   - reach: How far ahead to load.
  /// - Returns: The window with the viewport in it, in content coordinates.
  public func prefetchWindow(in layout: PreparedLayout, reach: PrefetchReach) -> Rect {
    let visible = layout.scrollDirection.upright(layout.visibleRect(at: contentOffset))
    return layout.scrollDirection.upright(reach.window(isForward: isForward).rect(around: visible))
  }

  /// Goes to an offset: one scroll tick.
  ///
  /// The elements of the last tick are worked out again from its offset, rather than remembered:
  /// what shows is a function of the offset alone, and a session stays small. They are compared while both
  /// are visited: of thousands that show, only those that the tick tells are kept.
  ///
  /// - Parameters:
  ///   - offset: The new offset.
  ///   - layout: The layout, the same as in the last tick.
  ///   - prefetch: How far ahead to load.
  ///   - isFull: Whether to forget what was shown and asked for, and start anew; after a
  ///     ``reset(to:)`` that is so anyway.
  ///   - limit: How many elements may show.
  /// - Returns: What changed.
  /// - Throws: ``LayoutError/tooManyElements(limit:)``; the state is as before then.
  /// - Complexity: O(log n + k) for k elements in the viewport and the prefetch window.
  public mutating func scroll(
    to offset: Point, in layout: PreparedLayout, prefetch: PrefetchReach, isFull: Bool, limit: Int
  ) throws(LayoutError) -> ScrollTick {
    var tick = ScrollTick()
    if isFull || isReset {
      tick.isReset = true
      var appeared: [LayoutAttributes] = []
      tick.prefetch = try scrollAnew(
        to: offset, in: layout, prefetch: prefetch, limit: limit,
        cells: { cells in
          for place in 0..<cells.count { appeared.append(cells.attributes(place)) }
        }
      ) { appeared.append($0) }
      tick.appeared = appeared
      return tick
    }
    var previous = ShownElements(in: layout, at: contentOffset, limit: limit)
    // Where none of what showed shows any more, as a rule.
    if !layout.visibleRect(at: offset).overlaps(layout.visibleRect(at: contentOffset)) {
      tick.reserveCapacity(min(limit, layout.likelyShownCount))
    }
    var cells = ItemRanges.Collector()
    var count = 0
    layout.forEachElement(in: layout.visibleRect(at: offset), contentOffset: offset) { element in
      count += 1
      guard count <= limit, !previous.areTooMany else { return false }
      if element.kind == .cell { cells.append(element.indexPath) }
      tick.compare(&previous, with: element)
      return true
    }
    guard count <= limit else { throw .tooManyElements(limit: limit) }
    tick.finish(&previous)
    guard !previous.areTooMany else { throw .tooManyElements(limit: limit) }
    let shown = cells.finish()
    let forward = isForward(to: offset, in: layout)
    let wanted = try layout.prefetchRanges(
      at: offset, isForward: forward, reach: prefetch, shown: shown, limit: limit)
    tick.prefetch = layout.nearestFirst(
      wanted.items.subtracting(asked).ranges, at: offset, isForward: forward,
      wanted.frame(ofItemAt:))
    tick.cancelPrefetch = layout.nearestFirst(
      asked.subtracting(wanted.items).subtracting(shown).ranges, at: offset, isForward: forward)
    tick.shownCount = count
    contentOffset = offset
    isForward = forward
    asked = wanted.items
    isAtTick = true
    hasScrolled = true
    return tick
  }

  /// Goes to an offset near the last one: the same tick, worked out from what lies about the edges.
  ///
  /// - Parameters:
  ///   - offset: The new offset.
  ///   - layout: The layout, which the band was made of.
  ///   - band: What lies about the edges.
  ///   - limit: How many elements may show.
  ///   - tick: An empty one, to which what changed is added: mostly nothing, so that there is nothing to hand on.
  /// - Returns: Whether the band reaches; if not, nothing has changed.
  /// - Complexity: O(log n + k log k) for k elements that come or go and n in the band.
  public mutating func scroll(
    to offset: Point, in layout: PreparedLayout, by band: ScrollBand, limit: Int,
    addingTo tick: inout ScrollTick
  ) -> Bool {
    let old = layout.scrollDirection.upright(contentOffset)
    let new = layout.scrollDirection.upright(offset)
    let forward = isForward(to: offset, in: layout)
    // What is asked for goes with the way of the last tick.
    guard isAtTick, forward == isForward,
      band.covers(old, new, isForward: forward, limit: limit),
      let before = band.others(at: contentOffset, in: layout, limit: limit),
      let now = band.others(at: offset, in: layout, limit: limit)
    else { return false }
    contentOffset = offset
    hasScrolled = true
    band.pass(from: old.y, to: new.y, addingTo: &tick, asked: &asked) { ranges, frame in
      layout.nearestFirst(ranges, at: offset, isForward: forward, frame)
    }
    if !(before.isEmpty && now.isEmpty) {
      var previous = ShownElements(before)
      for element in now { tick.compare(&previous, with: element) }
      tick.finish(&previous)
      tick.appeared.sort { $0.position < $1.position }
      tick.disappeared.sort { $0.position < $1.position }
    }
    return true
  }

  /// Goes to an offset and forgets what was shown and asked for: a full tick.
  ///
  /// - Parameters:
  ///   - offset: The new offset.
  ///   - layout: The layout.
  ///   - prefetch: How far ahead to load.
  ///   - limit: How many elements may show.
  ///   - visitCells: Called with cells that show, many at a time, in their turn.
  ///   - visit: Called with each other element that shows, in order, and perhaps with cells.
  /// - Returns: The cells to load ahead, the nearest first.
  /// - Throws: ``LayoutError/tooManyElements(limit:)``, perhaps after some were visited; the state is
  ///   as before then.
  /// - Complexity: O(log n + k) for k elements in the viewport and the prefetch window.
  public mutating func scrollAnew(
    to offset: Point, in layout: PreparedLayout, prefetch: PrefetchReach, limit: Int,
    cells visitCells: (CellBatch) -> Void, _ visit: (LayoutAttributes) -> Void
  ) throws(LayoutError) -> [ItemRange] {
    var cells = ItemRanges.Collector()
    var count = 0
    layout.forEachElement(
      in: layout.visibleRect(at: offset), contentOffset: offset,
      cells: { batch in
        count += batch.count
        guard count <= limit else { return false }
        batch.forEachRun { cells.append($0) }
        visitCells(batch)
        return true
      }
    ) { element in
      count += 1
      guard count <= limit else { return false }
      if element.kind == .cell { cells.append(element.indexPath) }
      visit(element)
      return true
    }
    guard count <= limit else { throw .tooManyElements(limit: limit) }
    let forward = isForward(to: offset, in: layout)
    let wanted = try layout.prefetchRanges(
      at: offset, isForward: forward, reach: prefetch, shown: cells.finish(), limit: limit)
    contentOffset = offset
    isForward = forward
    asked = wanted.items
    isReset = false
    isOutdated = false
    isAtTick = true
    hasScrolled = true
    return layout.nearestFirst(
      wanted.items.ranges, at: offset, isForward: forward, wanted.frame(ofItemAt:))
  }

  /// Which way an offset is.
  ///
  /// - Parameters:
  ///   - offset: The next offset.
  ///   - layout: The layout.
  /// - Returns: Whether it is towards the end; as before if it is where the last one was.
  public func isForward(to offset: Point, in layout: PreparedLayout) -> Bool {
    let old = layout.scrollDirection.upright(contentOffset).y
    let new = layout.scrollDirection.upright(offset).y
    return new == old ? isForward : new > old
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

  /// The reach before and after the viewport.
  func window(isForward: Bool) -> WindowReach {
    WindowReach(before: isForward ? behind : ahead, after: isForward ? ahead : behind)
  }
}

/// What one scroll tick changes.
public struct ScrollTick: Hashable, Sendable {
  /// What shows now and did not.
  public var appeared: [LayoutAttributes] = []
  /// What showed and shows with other attributes.
  public var changed: [LayoutAttributes] = []
  /// What shows no more.
  public var disappeared: [ElementIdentity] = []
  /// The cells to load ahead that were not asked for before, the nearest first.
  public var prefetch: [ItemRange] = []
  /// The cells asked for that are not needed any more, the nearest first.
  public var cancelPrefetch: [ItemRange] = []
  /// Whether everything from before is to be forgotten.
  public var isReset = false
  /// How many elements show, where they had to be counted.
  public var shownCount = 0

  /// Makes an empty tick.
  public init() {}

  /// Whether it changes nothing.
  public var isEmpty: Bool {
    appeared.isEmpty && disappeared.isEmpty && prefetch.isEmpty && cancelPrefetch.isEmpty
      && changed.isEmpty && !isReset
  }

  /// Makes room for elements that appear, and as many that disappear.
  mutating func reserveCapacity(_ count: Int) {
    appeared.reserveCapacity(count)
    disappeared.reserveCapacity(count)
  }

  /// Merges an element that shows, after all others that do, with those that showed before; all in order.
  mutating func compare(_ previous: inout ShownElements, with element: LayoutAttributes) {
    previous.moveOn(to: element.position) { disappeared.append($0) }
    guard let old = previous.next, old.position == element.position else {
      appeared.append(element)
      return
    }
    if old != element { changed.append(element) }
    previous.moveOn()
  }

  /// Takes what showed before after all that shows.
  mutating func finish(_ previous: inout ShownElements) {
    previous.moveOn(to: nil) { disappeared.append($0) }
  }
}

extension PreparedLayout {
  /// The cells to have loaded at an offset, beside those that show.
  func prefetchRanges(
    at offset: Point, isForward: Bool, reach: PrefetchReach, shown: ItemRanges, limit: Int
  ) throws(LayoutError) -> ItemsAtHand {
    let visible = scrollDirection.upright(visibleRect(at: offset))
    let placed = placed(shown, in: visible)
    var atHand = try placement.itemsAtHand(
      around: visible, shown: placed ?? shown, reach: reach.window(isForward: isForward),
      limit: limit)
    // Only what is around the viewport has been looked at there.
    if let placed, !placement.movesCells { atHand.items = atHand.items.union(placed) }
    atHand.items = atHand.items.subtracting(shown)
    guard atHand.items.count <= limit else { throw .tooManyElements(limit: limit) }
    return atHand
  }

  /// The cells that would show if none were under a finger, which shows where that is, while a window goes by
  /// places; nil if none is.
  private func placed(_ shown: ItemRanges, in visible: Rect) -> ItemRanges? {
    guard let lifted else { return nil }
    let position = ElementPosition(of: .cell, at: lifted.indexPath)
    var showsInPlace = false
    placement.forEachElement(in: visible, visible: visible, from: position) { element in
      showsInPlace = element.position == position
      return false
    }
    let own = ItemRanges(of: [lifted.indexPath])
    return showsInPlace ? shown.union(own) : shown.subtracting(own)
  }

  /// Ranges with the one nearest to the viewport first; of two as near, the one on the way.
  ///
  /// `frame` says where an item rests, where that is known.
  func nearestFirst(
    _ ranges: [ItemRange], at offset: Point, isForward: Bool,
    _ frame: (IndexPath) -> Rect? = { _ in nil }
  ) -> [ItemRange] {
    guard ranges.count > 1 else { return ranges }
    let visible = scrollDirection.upright(visibleRect(at: offset))
    // Of a few each alone is found as soon.
    let ends = ranges.count > 8 ? Ends(of: ranges, in: placement, frame) : nil
    // Distance, then the way, then the order on the way.
    func rank(_ range: ItemRange, _ order: Int) -> (Length, Int, Int) {
      var distance = Length(millionths: .max)
      var isBefore = true
      func consider(_ item: Int) {
        let path = IndexPath(item: item, section: range.section)
        let frame = frame(path) ?? ends?.frame(ofItemAt: path)
        guard let place = placement.place(ofItemAt: path, restingIn: frame, from: visible) else {
          return
        }
        distance = min(distance, place.distance)
        isBefore = isBefore && place.isBefore
      }
      consider(range.start)
      if range.end - range.start > 1 { consider(range.end - 1) }
      return (distance, isBefore == isForward ? 1 : 0, isForward ? order : -order)
    }
    return ranges.enumerated()
      .map { (rank: rank($1, $0), range: $1) }
      .sorted { $0.rank < $1.rank }
      .map(\.range)
  }
}

/// Where the items at both ends of some ranges rest, beside those that somebody else knows.
private struct Ends {
  private var items: [IndexPath] = []
  private let frames: [Rect?]

  init(
    of ranges: [ItemRange], in placement: any Placement, _ frame: (IndexPath) -> Rect?
  ) {
    for range in ranges {
      let first = IndexPath(item: range.start, section: range.section)
      let last = IndexPath(item: range.end - 1, section: range.section)
      if frame(first) == nil { items.append(first) }
      if last != first, frame(last) == nil { items.append(last) }
    }
    frames = placement.restingFrames(ofItemsAt: items)
  }

  func frame(ofItemAt path: IndexPath) -> Rect? {
    sortedIndex(of: path, among: min(items.count, frames.count)) { items[$0] }
      .flatMap { frames[$0] }
  }
}
