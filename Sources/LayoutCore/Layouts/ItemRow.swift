/// Items one after the other along the main axis; upright.
struct ItemRow: SectionBody {
  /// Where items lie across the main axis.
  enum CrossExtent: Sendable {
    /// All across the room there is.
    case fill
    /// Centred in it, each with its own extent.
    case centered(LengthArray)
  }

  let length: Length
  private let lengths: LengthArray
  private let spacing: Length
  private let leading: Length
  private let available: Length
  private let cross: CrossExtent
  /// Where items begin; empty for equal ones, which are arithmetic.
  private let tops: [Length]

  /// Puts items in a row.
  ///
  /// - Parameters:
  ///   - lengths: Their extents along the main axis.
  ///   - cross: Where they lie across.
  ///   - spacing: Between two items.
  ///   - leading: Where the room across begins.
  ///   - available: How much there is.
  /// - Complexity: O(n), for equal items O(1).
  init(
    lengths: LengthArray, cross: CrossExtent, spacing: Length, leading: Length, available: Length
  ) {
    self.lengths = lengths
    self.cross = cross
    self.spacing = spacing
    self.leading = leading
    self.available = available
    if case .equal(let itemLength, let count) = lengths {
      tops = []
      length = count == 0 ? 0 : itemLength * count + spacing * (count - 1)
    } else {
      var top: Length = 0
      tops = (0..<lengths.count).map { item in
        let start = top
        top += lengths[item] + spacing
        return start
      }
      length = tops.isEmpty ? 0 : top - spacing
    }
  }

  var byteCount: Int {
    let crossBytes = if case .centered(let extents) = cross { extents.byteCount } else { 0 }
    // Sizes are the content's own where they were not computed; counted all the same.
    return tops.capacity * 8 + lengths.byteCount + crossBytes
  }

  private func top(of item: Int) -> Length {
    tops.isEmpty ? (lengths[item] + spacing) * item : tops[item]
  }

  func frame(of item: Int) -> Rect {
    var frame = Rect(x: leading, y: top(of: item), width: available, height: lengths[item])
    if case .centered(let extents) = cross {
      let extent = extents[item]
      frame.origin.x += (available - extent).halved
      frame.size.width = extent
    }
    return frame
  }

  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool {
    for item in items(in: rect).clamped(to: start..<max(start, lengths.count)) {
      let frame = frame(of: item)
      // Items without an area, and those beside the rectangle.
      guard frame.overlaps(rect) else { continue }
      guard body(item, frame) else { return false }
    }
    return true
  }

  func forEachRun(in rect: Rect, _ body: (Range<Int>) -> Bool) -> Bool {
    guard case .equal = lengths else {
      return forEachItem(in: rect, from: 0) { item, _ in body(item..<(item + 1)) }
    }
    let items = items(in: rect)
    return items.isEmpty || body(items)
  }

  /// The items that share a part of the main axis with a rectangle; if all are equal, an area.
  private func items(in rect: Rect) -> Range<Int> {
    guard !rect.isEmpty else { return 0..<0 }
    // Without an area all lie on one point, and there may be any number of them.
    if case .equal(let length, _) = lengths, length <= .zero { return 0..<0 }
    let first = partitioningIndex(lengths.count) { top(of: $0) + lengths[$0] > rect.minY }
    let end = partitioningIndex(lengths.count) { top(of: $0) >= rect.maxY }
    guard first < end else { return 0..<0 }
    switch (lengths, cross) {
    case (_, .fill):
      if leading >= rect.maxX || leading + available <= rect.minX || available <= .zero {
        return 0..<0
      }
    case (.equal, .centered(.equal)):
      if !frame(of: first).overlaps(rect) { return 0..<0 }
    default: break
    }
    return first..<end
  }
}
