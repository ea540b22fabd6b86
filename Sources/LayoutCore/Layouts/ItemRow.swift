/// Items one after the other along the main axis; upright.
struct ItemRow: SectionBody {
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
  private func top(of place: Rope<SizeRun>.Place) -> Length {
    place.before.total + spacing * place.start
  }

  private func frame(size: Size, top: Length) -> Rect {
    switch cross {
    case .fill: Rect(x: leading, y: top, width: available, height: size.height)
    case .centered:
      Rect(
        x: leading + (available - size.width).halved, y: top, width: size.width,
        height: size.height)
    }
  }

  func frame(of item: Int) -> Rect {
    guard let place = sizes.rope.place(of: item) else { return Rect(origin: .zero, size: .zero) }
    let index = item - place.start
    return frame(
      size: place.chunk.size(index),
      top: top(of: place) + place.chunk.main.sum(ofFirst: index) + spacing * index)
  }

  func firstItem(centeredFrom doubledMain: Int128) -> Int {
    // The last item up to some place has its middle at its bottom or before it.
    guard
      let place = sizes.rope.firstPlace(where: { count, summary in
        Int128((summary.total + spacing * (count - 1)).millionths) * 2 >= doubledMain
      })
    else { return sizes.count }
    if let size = place.chunk.commonSize {
      let top = top(of: place)
      let step = size.height + spacing
      return place.start
        + partitioningIndex(place.chunk.count) {
          frame(size: size, top: top + step * $0).doubledMainCenter >= doubledMain
        }
    }
    var top = top(of: place)
    for index in 0..<place.chunk.count {
      let size = place.chunk.size(index)
      if frame(size: size, top: top).doubledMainCenter >= doubledMain { return place.start + index }
      top += size.height + spacing
    }
    return place.start + place.chunk.count
  }

  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool {
    forEachPlace(in: rect, from: start) { place in
      let first = max(0, start - place.start)
      if let size = place.chunk.commonSize {
        let top = top(of: place)
        let due = first..<max(first, place.chunk.count)
        for index in items(of: place, size, in: rect).clamped(to: due) {
          let frame = frame(size: size, top: top + (size.height + spacing) * index)
          guard body(place.start + index, frame) else { return false }
        }
        return true
      }
      var top = top(of: place)
      for index in 0..<place.chunk.count {
        guard top < rect.maxY else { break }
        let size = place.chunk.size(index)
        if index >= first, top + size.height > rect.minY {
          let frame = frame(size: size, top: top)
          // Items without an area, and those beside the rectangle.
          if frame.overlaps(rect), !body(place.start + index, frame) { return false }
        }
        top += size.height + spacing
      }
      return true
    }
  }

  func forEachRun(in rect: Rect, _ body: (Range<Int>) -> Bool) -> Bool {
    forEachPlace(in: rect, from: 0) { place in
      if let size = place.chunk.commonSize {
        let items = items(of: place, size, in: rect)
        return items.isEmpty
          || body((place.start + items.lowerBound)..<(place.start + items.upperBound))
      }
      var top = top(of: place)
      for index in 0..<place.chunk.count {
        guard top < rect.maxY else { break }
        let size = place.chunk.size(index)
        if frame(size: size, top: top).overlaps(rect),
          !body((place.start + index)..<(place.start + index + 1))
        {
          return false
        }
        top += size.height + spacing
      }
      return true
    }
  }

  /// Visits the runs in a rectangle.
  private func forEachPlace(
    in rect: Rect, from start: Int, _ body: (Rope<SizeRun>.Place) -> Bool
  ) -> Bool {
    guard !rect.isEmpty,
      let first = sizes.rope.firstPlace(where: {
        $1.total + spacing * ($0 - 1) > rect.minY && $0 > start
      })
    else { return true }
    var isGoingOn = true
    sizes.rope.forEachChunk(from: first.start) { place in
      guard top(of: place) < rect.maxY else { return false }
      isGoingOn = body(place)
      return isGoingOn
    }
    return isGoingOn
  }

  /// Of a run of equal items those in a rectangle.
  private func items(
    of place: Rope<SizeRun>.Place, _ size: Size, in rect: Rect
  ) -> Range<Int> {
    // Without an area all lie on one point, and there may be any number of them.
    guard size.height > .zero else { return 0..<0 }
    let top = top(of: place)
    let step = size.height + spacing
    let beside = frame(size: size, top: rect.minY)
    guard beside.overlaps(rect) else { return 0..<0 }
    let count = place.chunk.count
    let first = partitioningIndex(count) { top + step * $0 + size.height > rect.minY }
    let end = partitioningIndex(count) { top + step * $0 >= rect.maxY }
    return first..<max(first, end)
  }
}
