/// The lengths of a waterfall section's items, scaled to the width of their columns.
///
/// They are worked out from the description whenever they are needed, a block at a time: a division
/// costs less than to keep its result.
struct ColumnLengths: Sendable {
  private let items: Rope<Items>
  private let columns: ColumnGrid
  /// Of items that say nothing of their own.
  private let itemSize: Size
  private let direction: ScrollDirection

  /// Scales items.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - columns: The columns.
  ///   - itemSize: The size of items that say nothing of their own, not turned.
  ///   - direction: The main axis.
  init(_ items: ItemList, in columns: ColumnGrid, itemSize: Size, _ direction: ScrollDirection) {
    self.items = items.rope
    self.columns = columns
    self.itemSize = direction.upright(itemSize)
    self.direction = direction
  }

  /// How many there are.
  var count: Int { items.count }

  /// The length of all items; nil if they differ, or may differ.
  var common: Length? {
    let summary = items.summary
    guard summary.ratioCount == 0, count > 0 else { return nil }
    var lengths: [Length] = []
    if summary.widths.count > 0 {
      guard summary.widths.least == summary.widths.greatest,
        summary.heights.least == summary.heights.greatest
      else { return nil }
      lengths.append(
        scaled(
          direction.upright(Size(width: summary.widths.least, height: summary.heights.least))))
    }
    if summary.lengths.count > 0 {
      guard summary.lengths.least == summary.lengths.greatest else { return nil }
      lengths.append(summary.lengths.least)
    }
    if count > summary.widths.count + summary.lengths.count { lengths.append(scaled(itemSize)) }
    return lengths.allSatisfy { $0 == lengths[0] } ? lengths.first : nil
  }

  /// Whether some may be zero; those of aspect ratios may.
  var mayBeZero: Bool {
    let summary = items.summary
    let (lengths, breadths) =
      direction == .vertical
      ? (summary.heights, summary.widths) : (summary.widths, summary.heights)
    let leastScaled = scaled(Size(width: breadths.greatest, height: lengths.least))
    return summary.ratioCount > 0
      || lengths.count > 0 && (breadths.least == .zero || leastScaled == .zero)
      || summary.lengths.count > 0 && summary.lengths.least == .zero
      || count > lengths.count + summary.lengths.count && scaled(itemSize) == .zero
  }

  private func scaled(_ size: Size) -> Length {
    columns.length(scaling: size.height, over: size.width)
  }

  /// The length of one of some items.
  private func length(_ index: Int, of items: borrowing Items) -> Length {
    switch items.extents {
    case .unspecified: scaled(itemSize)
    case .size(let size): scaled(direction.upright(size))
    case .sizes(let widths, let heights):
      scaled(direction.upright(Size(width: widths[index], height: heights[index])))
    case .lengths(let lengths): lengths[index]
    case .aspectRatios(let ratios): columns.length(aspectRatio: ratios[index], direction)
    }
  }

  /// Reads lengths that are not far from each other: the run of the last one is kept at hand.
  struct Reader {
    private let lengths: ColumnLengths
    private var run = Items()
    /// The items of the run.
    private var items = 0..<0
    /// The run's extents where each length is a multiplication and a division; else empty.
    private var main: NarrowLengths = []
    private var cross: NarrowLengths = []
    private let ratio: ColumnRatio?

    init(_ lengths: ColumnLengths) {
      self.lengths = lengths
      ratio = lengths.columns.ratio
    }

    /// The length of an item that exists.
    @inline(__always)
    mutating func length(of item: Int) -> Length {
      if !items.contains(item) { goTo(item) }
      let index = item - items.lowerBound
      if let ratio, index < main.count, index < cross.count {
        return Length(millionths: ratio.scale(main[index], over: cross[index]))
      }
      return lengths.length(index, of: run)
    }

    @inline(never)
    private mutating func goTo(_ item: Int) {
      guard let place = lengths.items.place(of: item) else { return }
      run = place.chunk
      items = place.start..<(place.start + place.count)
      (main, cross) = ([], [])
      if case .sizes(.compact(let widths), .compact(let heights)) = run.extents,
        let ratio, lengths.fits(ratio, place.summary)
      {
        (main, cross) = lengths.direction == .vertical ? (heights, widths) : (widths, heights)
      }
    }
  }

  /// Visits lengths in order, a block at a time.
  ///
  /// - Parameters:
  ///   - item: The item to begin with.
  ///   - limit: How many a block may have, for the block's first item; at least 1.
  ///   - body: Called with each block and its first item; returns whether to go on.
  @inline(__always)
  func forEachBlock(
    from item: Int, limit: (_ item: Int) -> Int, _ body: (_ item: Int, LengthBlock) -> Bool
  ) {
    let ratio = columns.ratio
    let isVertical = direction == .vertical
    var known: [Int64] = []
    items.forEachLeaf(from: item) { leaf, start in
      /// Cuts what is left of the leaf into blocks.
      @inline(__always)
      func forEachRange(_ body: (_ first: Int, _ range: Range<Int>) -> Bool) -> Bool {
        var index = max(0, item - start)
        while index < leaf.count {
          let first = start + index
          let end = min(leaf.count, index + max(1, min(limit(first), LengthBlock.capacity)))
          guard body(first, index..<end) else { return false }
          index = end
        }
        return true
      }
      if let ratio, fits(ratio, leaf.summary), let sizes = leaf.narrowSizes {
        let (widths, heights) = (sizes.widths, sizes.heights)
        return forEachRange { first, range in
          let lengths = (isVertical ? heights : widths).extracting(range)
          let breadths = (isVertical ? widths : heights).extracting(range)
          return body(first, LengthBlock(scaling: lengths, over: breadths, by: ratio))
        }
      }
      return forEachRange { first, range in
        fill(&known, with: leaf.chunk, range)
        return body(first, LengthBlock(known.span))
      }
    }
  }

  /// Visits lengths in order, one by one.
  ///
  /// - Parameters:
  ///   - item: The item to begin with.
  ///   - body: Called with each item and its length; returns whether to go on.
  @inline(__always)
  func forEachLength(from item: Int, _ body: (_ item: Int, _ length: Length) -> Bool) {
    forEachBlock(from: item, limit: { _ in LengthBlock.capacity }) { first, block in
      block.forEachLength { body(first + $0, Length(millionths: $1)) }
    }
  }

  /// Whether the lengths of items of which each has a size can be multiplied by a ratio.
  private func fits(_ ratio: ColumnRatio, _ summary: ItemsSummary) -> Bool {
    direction == .vertical
      ? ratio.fits(lengthsUpTo: summary.heights.greatest, breadthsFrom: summary.widths.least)
      : ratio.fits(lengthsUpTo: summary.widths.greatest, breadthsFrom: summary.heights.least)
  }

  /// Works out the lengths of some of a leaf's items.
  private func fill(
    _ known: inout [Int64], with items: borrowing Items, _ range: Range<Int>
  ) {
    known.removeAll(keepingCapacity: true)
    switch items.extents {
    case .lengths(.compact(let lengths)):
      known.append(contentsOf: range.lazy.map { Int64(lengths[$0]) })
    case .unspecified, .size:
      known.append(contentsOf: repeatElement(length(0, of: items).millionths, count: range.count))
    default: for index in range { known.append(length(index, of: items).millionths) }
    }
  }
}
