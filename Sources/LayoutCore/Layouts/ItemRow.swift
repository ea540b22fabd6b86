/// Items one after the other along the main axis; upright.
final class ItemRow: SectionBody {
  /// Where items lie across the main axis.
  enum CrossExtent: Sendable {
    /// All across the room there is.
    case fill
    /// Centred in it, each with its own extent.
    case centered
  }

  let length: Length
  private let sizes: SizeList
  private let spacing: Length
  private let leading: Length
  private let available: Length
  private let cross: CrossExtent

  /// Puts items in a row.
  ///
  /// - Parameters:
  ///   - sizes: Their sizes.
  ///   - cross: Where they lie across.
  ///   - spacing: Between two items.
  ///   - leading: Where the room across begins.
  ///   - available: How much there is.
  /// - Complexity: O(1): where an item begins follows from the sums that the sizes have.
  init(sizes: SizeList, cross: CrossExtent, spacing: Length, leading: Length, available: Length) {
    self.sizes = sizes
    self.cross = cross
    self.spacing = spacing
    self.leading = leading
    self.available = available
    length = sizes.count == 0 ? 0 : sizes.summary.total + spacing * (sizes.count - 1)
  }

  var reusableSizes: SizeList? { sizes }

  var byteCount: Int { sizes.byteCount }

  var extents: BodyExtents {
    guard sizes.count > 0 else { return .zero }
    let doubledMiddle = Int128(leading.millionths) * 2 + Int128(available.millionths)
    return BodyExtents(
      greatest: sizes.summary.greatest, doubledMiddles: doubledMiddle...doubledMiddle)
  }

  /// Where the items of a run begin.
  private func top(of place: SizeList.Place) -> Length { place.before + spacing * place.start }

  private func frame(size: Size, top: Length) -> Rect {
    switch cross {
    case .fill: Rect(x: leading, y: top, width: available, height: size.height)
    case .centered:
      Rect(
        // Rounded as a coordinate: what is left of the room alone is rounded the other way if it is negative.
        x: (leading + leading + available - size.width).halved, y: top, width: size.width,
        height: size.height)
    }
  }

  func frame(of item: Int) -> Rect {
    guard let place = sizes.place(of: item) else { return Rect(origin: .zero, size: .zero) }
    let index = item - place.start
    return frame(
      size: place.run.size(index),
      top: top(of: place) + place.run.main.sum(of: 0..<index) + spacing * index)
  }

  func firstItem(centeredFrom doubledMain: Int128) -> Int {
    // The last item up to some place has its middle at its bottom or before it.
    guard
      let place = sizes.firstPlace(where: { count, total in
        Int128((total + spacing * (count - 1)).millionths) * 2 >= doubledMain
      })
    else { return sizes.count }
    let run = place.run
    if let size = run.commonSize {
      let top = top(of: place)
      let step = size.height + spacing
      return place.start
        + partitioningIndex(run.count) {
          frame(size: size, top: top + step * $0).doubledMainCenter >= doubledMain
        }
    }
    var top = top(of: place)
    // What ends above the place has its middle there too.
    let above = Length(saturating: (doubledMain - 1) >> 1)
    let (passed, end) = run.main.countEnding(upTo: above - top, spacing: spacing)
    top += end
    for index in passed..<run.count {
      let size = run.size(index)
      if frame(size: size, top: top).doubledMainCenter >= doubledMain { return place.start + index }
      top += size.height + spacing
    }
    return place.start + run.count
  }

  /// Whether some items may lie where a rectangle does across the main axis: there may be a million of them beside
  /// it.
  private func mayReach(_ rect: Rect) -> Bool {
    let breadth =
      switch cross {
      case .fill: available
      case .centered: sizes.summary.greatest.width
      }
    let widest = frame(size: Size(width: breadth, height: 0), top: 0)
    return widest.minX < rect.maxX && widest.maxX > rect.minX
  }

  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool {
    guard !rect.isEmpty, mayReach(rect) else { return true }
    var isGoingOn = true
    let (minY, maxY) = (rect.minY, rect.maxY)
    sizes.forEachRun(
      where: isPast(minY, start),
      // One that begins below the rectangle's end has no item above it, and is the last.
      narrow: { first, before, breadths, lengths in
        let top = before + spacing * first
        let (passed, end) = lengths.countEnding(upTo: minY - top, spacing: spacing)
        return forEachItem(
          passed..<lengths.count, after: first, at: top + end, in: rect, from: start,
          &isGoingOn, body
        ) {
          Size(
            width: Length(millionths: Int64(breadths[$0])),
            height: Length(millionths: Int64(lengths[$0])))
        }
      },
      other: { place in
        top(of: place) < maxY && forEachItem(of: place, in: rect, from: start, &isGoingOn, body)
      })
    return isGoingOn
  }

  /// Each run in what its own items reach: one of them may be a million times as long as all others.
  func forEachItem(
    restingIn rect: (BodyExtents) -> Rect, from start: Int, _ body: (Int, Rect) -> Bool
  ) -> Bool {
    let extents = extents
    let whole = rect(extents)
    guard !whole.isEmpty else { return true }
    var isGoingOn = true
    forEachRun(in: whole, from: start) { place in
      let own = rect(
        BodyExtents(
          greatest: place.run.summary.greatest, doubledMiddles: extents.doubledMiddles))
      guard !own.isEmpty else { return true }
      _ = forEachItem(of: place, in: own, from: start, &isGoingOn, body)
      return isGoingOn
    }
    return isGoingOn
  }

  /// Visits the runs that begin above a rectangle's end, from those on that end below its start and have an
  /// item that is not passed over.
  @inline(__always)
  private func forEachRun(in rect: Rect, from start: Int, _ body: (SizeList.Place) -> Bool) {
    let (minY, maxY) = (rect.minY, rect.maxY)
    sizes.forEachRun(where: isPast(minY, start)) { place in
      top(of: place) < maxY && body(place)
    }
  }

  /// Whether so many items, so long together, end below a place and have an item that is not passed over.
  @inline(__always)
  private func isPast(_ main: Length, _ start: Int) -> (_ count: Int, _ total: Length) -> Bool {
    { count, total in total + self.spacing * (count - 1) > main && count > start }
  }

  /// Visits the items of a run that share an area with a rectangle.
  ///
  /// - Parameters:
  ///   - place: The run.
  ///   - rect: The rectangle.
  ///   - start: Items before this one are passed over.
  ///   - isGoingOn: What `body` returned last.
  ///   - body: Called with each item and its frame; returns whether to go on.
  /// - Returns: Whether there may be more of them in what follows, and `body` wants them.
  @inline(__always)
  private func forEachItem(
    of place: SizeList.Place, in rect: Rect, from start: Int, _ isGoingOn: inout Bool,
    _ body: (Int, Rect) -> Bool
  ) -> Bool {
    let top = top(of: place)
    if let size = place.run.commonSize {
      let due = max(0, start - place.start)..<max(start - place.start, place.run.count)
      for index in items(of: place, size, in: rect).clamped(to: due) {
        let frame = frame(size: size, top: top + (size.height + spacing) * index)
        isGoingOn = body(place.start + index, frame)
        guard isGoingOn else { return false }
      }
      return true
    }
    let (passed, end) = place.run.main.countEnding(upTo: rect.minY - top, spacing: spacing)
    return forEachItem(
      passed..<place.run.count, after: place.start, at: top + end, in: rect, from: start,
      &isGoingOn, body, size: place.run.size)
  }

  /// Visits those of some items that share an area with a rectangle.
  ///
  /// - Parameters:
  ///   - items: Of a run, one after the other.
  ///   - first: How many items are before the run.
  ///   - top: Where the first of them begins.
  ///   - rect: The rectangle.
  ///   - start: Items before this one are passed over.
  ///   - isGoingOn: What `body` returned last.
  ///   - body: Called with each item and its frame; returns whether to go on.
  ///   - size: Of an item of the run.
  /// - Returns: Whether there may be more of them in what follows, and `body` wants them.
  @inline(__always)
  private func forEachItem(
    _ items: Range<Int>, after first: Int, at top: Length, in rect: Rect, from start: Int,
    _ isGoingOn: inout Bool, _ body: (Int, Rect) -> Bool, size: (Int) -> Size
  ) -> Bool {
    var top = top
    for index in items {
      guard top < rect.maxY else { return false }
      let size = size(index)
      let frame = frame(size: size, top: top)
      // Items without an area, and those beside the rectangle.
      if first + index >= start, frame.overlaps(rect) {
        isGoingOn = body(first + index, frame)
        guard isGoingOn else { return false }
      }
      top += size.height + spacing
    }
    return true
  }

  func forEachRun(in rect: Rect, _ body: (Range<Int>, Rect?) -> Bool) -> Bool {
    guard !rect.isEmpty, mayReach(rect) else { return true }
    var isGoingOn = true
    forEachRun(in: rect, from: 0) { place in
      guard let size = place.run.commonSize else {
        return forEachItem(of: place, in: rect, from: 0, &isGoingOn) { item, frame in
          body(item..<(item + 1), frame)
        }
      }
      let items = items(of: place, size, in: rect)
      isGoingOn =
        items.isEmpty
        || body((place.start + items.lowerBound)..<(place.start + items.upperBound), nil)
      return isGoingOn
    }
    return isGoingOn
  }

  /// Of a run of equal items those in a rectangle.
  private func items(of place: SizeList.Place, _ size: Size, in rect: Rect) -> Range<Int> {
    // Without an area all lie on one point, and there may be any number of them.
    guard size.height > .zero else { return 0..<0 }
    let top = top(of: place)
    let step = size.height + spacing
    let beside = frame(size: size, top: rect.minY)
    guard beside.overlaps(rect) else { return 0..<0 }
    return overlapping(place.run.count, of: size.height, from: rect.minY, to: rect.maxY) {
      top + step * $0
    }
  }
}
