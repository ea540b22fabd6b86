/// The lengths of a waterfall section's items, scaled to the width of their columns.
///
/// They are worked out from the description whenever they are needed, a block at a time: a division
/// costs less than to keep its result.
struct ColumnLengths: Sendable {
  private let items: Rope<Items>
  let columns: ColumnGrid
  /// The bytes that the columns take, unless another section counts them.
  let columnsByteCount: Int
  /// Of items of which nothing is said.
  private let unspecifiedLength: Length
  private let direction: ScrollDirection
  /// How many columns may have items, the first ones: an empty one is only filled if all before it have an
  /// item.
  let filledCount: Int
  /// Of how many items something is kept: few enough to be gone through for a question, many enough that what
  /// is kept of many columns does not take more memory than the items.
  let pieceCount: Int

  /// Scales items.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - columns: The columns.
  ///   - isShared: Whether another section counts the bytes that the columns take.
  ///   - itemSize: The size of items that say nothing of their own, not turned.
  ///   - direction: The main axis.
  init(
    _ items: ItemList, in columns: ColumnGrid, isShared: Bool = false, itemSize: Size,
    _ direction: ScrollDirection
  ) {
    self.items = items.rope
    self.columns = columns
    columnsByteCount = isShared ? 0 : columns.byteCount
    self.direction = direction
    let size = direction.upright(itemSize)
    unspecifiedLength = columns.length(scaling: size.height, over: size.width)
    filledCount = max(1, min(columns.count, items.count))
    pieceCount = max(Items.placedCount, filledCount * 16)
  }

  /// How many there are.
  var count: Int { items.count }

  /// Whether they fill less than one piece, and few columns.
  ///
  /// Then the one checkpoint is that before the first item, which is small, and the same in all such sections with as
  /// many columns: they share it.
  var areFew: Bool { count < pieceCount && filledCount <= OrderedColumns.capacity }

  /// From the end of an item to the place of the next in its column.
  func spacing(_ interitemSpacing: Length) -> Length { columns.spacing(interitemSpacing) }

  /// Of how many pieces something is kept, more or less: of those that say something of their own, and of a few
  /// runs of others.
  var likelyPieceCount: Int {
    func pieces(_ count: Int) -> Int { (count + pieceCount - 1) / pieceCount }
    return min(pieces(count), pieces(items.summary.describedCount) + 16)
  }

  /// The length of all items; nil if they differ, or may differ.
  var common: Length? {
    let summary = items.summary
    let (widths, heights, lengths) = (summary.widths, summary.heights, summary.lengths)
    guard widths.isUniform, heights.isUniform, lengths.isUniform, summary.computedCount == 0,
      count > 0
    else { return nil }
    let all = [
      widths.count > 0
        ? scaled(direction.upright(Size(width: widths.least, height: heights.least))) : nil,
      lengths.count > 0 ? lengths.least : nil,
      count > widths.count + lengths.count ? unspecifiedLength : nil,
    ]
    let common = all[0] ?? all[1] ?? all[2]
    return all.allSatisfy { $0 == nil || $0 == common } ? common : nil
  }

  /// How many items are as good as placed one by one: many of one length together count as what is kept of
  /// them.
  ///
  /// - Parameter limit: Up to where it is enough to know that there are no more in all.
  /// - Returns: The number, or if that is within the limit one that is not below it; and how many of those have no data
  ///   of their own.
  /// - Complexity: O(1) up to the limit, unless pieces are longer, of many columns; then O(r) for r runs of items.
  func placedCount(within limit: Int) -> (all: Int, undescribed: Int) {
    let summary = items.summary
    var undescribed = Int(summary.undescribedCost)
    var all = summary.describedCount + summary.computedCount + undescribed
    if pieceCount == Items.placedCount, all <= limit { return (all, undescribed) }
    (all, undescribed) = (0, 0)
    items.forEachLeaf(from: 0) { leaf, _ in
      let count = leaf.hasOneLength ? min(leaf.count, pieceCount) : leaf.count
      all += count
      if leaf.chunk.isUniform { undescribed += count }
      return true
    }
    return (all, undescribed)
  }

  /// How many items have no data of their own.
  var undescribedCount: Int { count - items.summary.describedCount }

  /// Cuts items into pieces of about one size, but for those of which many have one length.
  ///
  /// - Parameter range: The items.
  /// - Returns: Which items each piece has; no block of items lies in two of them, if it is no longer than what
  ///   is left of the piece it begins in.
  func pieces(of range: Range<Int>) -> [Range<Int>] {
    var pieces: [Range<Int>] = []
    /// Cuts what lies between two of one length.
    func cut(_ items: Range<Int>) {
      let count = (items.count + pieceCount - 1) / pieceCount
      for number in 0..<count {
        pieces.append(
          (items.lowerBound + items.count * number / count)..<(items.lowerBound + items.count
            * (number + 1) / count))
      }
    }
    var start = range.lowerBound
    items.forEachLeaf(from: start) { leaf, first in
      let items = (first..<(first + leaf.count)).clamped(to: range)
      guard !items.isEmpty else { return false }
      if items.count >= pieceCount, leaf.hasOneLength {
        cut(start..<items.lowerBound)
        pieces.append(items)
        start = items.upperBound
      }
      return true
    }
    cut(start..<range.upperBound)
    return pieces
  }

  /// Whether some may be zero; those of aspect ratios, and mixed ones, may.
  var mayBeZero: Bool {
    let summary = items.summary
    let (lengths, breadths) =
      direction == .vertical
      ? (summary.heights, summary.widths) : (summary.widths, summary.heights)
    let leastScaled = scaled(Size(width: breadths.greatest, height: lengths.least))
    return summary.computedCount > 0
      || lengths.count > 0 && (breadths.least == .zero || leastScaled == .zero)
      || summary.lengths.count > 0 && summary.lengths.least == .zero
      || count > lengths.count + summary.lengths.count && unspecifiedLength == .zero
  }

  private func scaled(_ size: Size) -> Length {
    columns.length(scaling: size.height, over: size.width)
  }

  /// The length of an item of which so much is said.
  @inline(__always)
  private func length(of extent: ItemExtent, _ aspectScale: AspectScale) -> Length {
    switch extent {
    case .unspecified: unspecifiedLength
    case .size(let size): scaled(direction.upright(size))
    case .length(let length): length
    case .aspectRatio(let ratio): aspectScale.length(ratio)
    }
  }

  /// Items of one length that follow each other.
  struct Run {
    var length: Length
    var items: Range<Int>
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
    private let aspectScale: AspectScale
    /// Whether the run's items are known to have one length.
    private var isUniform = false

    init(_ lengths: ColumnLengths) {
      self.lengths = lengths
      ratio = lengths.columns.ratio
      aspectScale = lengths.columns.aspectScale(lengths.direction)
    }

    /// The length of an item that exists.
    @inline(__always)
    mutating func length(of item: Int) -> Length {
      if !items.contains(item) { goTo(item) }
      let index = item - items.lowerBound
      if let ratio, index < main.count, index < cross.count {
        return Length(millionths: ratio.scale(main[index], over: cross[index]))
      }
      return lengths.length(of: run.extents[index], aspectScale)
    }

    /// The length of an item that exists, and the end of those behind it that are known to have the same.
    @inline(__always)
    mutating func run(from item: Int) -> (length: Length, end: Int) {
      let length = length(of: item)
      return (length, isUniform ? items.upperBound : item + 1)
    }

    /// The run of an item that exists, if it has enough of one length to be one block.
    mutating func manyOfOneLength(with item: Int) -> Run? {
      let length = length(of: item)
      return isUniform && items.count >= lengths.pieceCount
        ? Run(length: length, items: items) : nil
    }

    @inline(never)
    private mutating func goTo(_ item: Int) {
      guard let place = lengths.items.place(of: item) else { return }
      run = place.chunk
      isUniform = place.leaf.hasOneLength
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
  ///   - range: The items.
  ///   - limit: How many a block may have, for the block's first item; at least 1. Many of one length are one
  ///     block whatever it says.
  ///   - body: Called with each block and its first item; returns whether to go on.
  @inline(__always)
  func forEachBlock(
    of range: Range<Int>, limit: (_ item: Int) -> Int, _ body: (_ item: Int, LengthBlock) -> Bool
  ) {
    let ratio = columns.ratio
    let isVertical = direction == .vertical
    let pieceCount = pieceCount
    var known: [Int64] = []
    items.forEachLeaf(from: range.lowerBound) { leaf, start in
      let wanted = (start..<(start + leaf.count)).clamped(to: range)
      guard !wanted.isEmpty else { return false }
      if wanted.count >= pieceCount, leaf.hasOneLength {
        let length = length(of: leaf.chunk.extents[0], columns.aspectScale(direction))
        return body(wanted.lowerBound, LengthBlock(length, count: wanted.count))
      }
      /// Cuts what is wanted of the leaf into blocks.
      @inline(__always)
      func forEachRange(_ body: (_ first: Int, _ range: Range<Int>) -> Bool) -> Bool {
        var first = wanted.lowerBound
        while first < wanted.upperBound {
          let end = min(
            wanted.upperBound, first + max(1, min(limit(first), LengthBlock.capacity)))
          guard body(first, (first - start)..<(end - start)) else { return false }
          first = end
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
      if case .lengths(.compact(let lengths)) = leaf.chunk.extents {
        return forEachRange { first, range in
          body(first, LengthBlock(lengths.span.extracting(range)))
        }
      }
      let aspectScale = columns.aspectScale(direction)
      return forEachRange { first, range in
        fill(&known, with: leaf.chunk, range, aspectScale)
        return body(first, LengthBlock(known.span))
      }
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
    _ known: inout [Int64], with items: borrowing Items, _ range: Range<Int>, _ scale: AspectScale
  ) {
    known.removeAll(keepingCapacity: true)
    known.append(addingCapacity: range.count) { known in
      switch items.extents {
      case .unspecified, .size:
        known.append(repeating: length(of: items.extents[0], scale).millionths, count: range.count)
      case .aspectRatios(let ratios):
        scale.append(lengthsOf: ratios.span.extracting(range), to: &known)
      case .sizes, .lengths, .mixed:
        for index in range { known.append(length(of: items.extents[index], scale).millionths) }
      }
    }
  }
}

extension RopeLeaf<Items> {
  /// Whether all items are known to have one length, whether or not each says so.
  fileprivate var hasOneLength: Bool {
    summary.heights.isUniform && summary.widths.isUniform && summary.lengths.isUniform
      && summary.computedCount == 0 || areWithoutArea
  }

  /// Whether all items have sizes, of which one extent is 0: whatever the other is, such an item is scaled to 0.
  private var areWithoutArea: Bool {
    summary.widths.count == count && summary.sizesHaveNoArea
  }
}
