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
    private var main: [UInt32] = []
    private var cross: [UInt32] = []
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
      if let ratio, index < main.count, index < cross.count,
        let length = ratio.scale(main[index], over: cross[index])
      {
        return Length(millionths: length)
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

  /// Some lengths that follow each other, in millionths, none negative.
  ///
  /// An array and not one inside the value: that would be copied where it is read.
  struct Block {
    /// Until where ``lengths`` are filled in.
    fileprivate(set) var count = 0
    /// The greatest of them, or more.
    fileprivate(set) var bound: Int64 = 0
    fileprivate(set) var lengths = [Int64](repeating: 0, count: Block.capacity)

    /// How many there may be.
    static var capacity: Int { 128 }
  }

  /// Visits lengths in order, a block at a time.
  ///
  /// - Parameters:
  ///   - item: The item to begin with.
  ///   - limit: How many a block may have, for the block's first item; at least 1.
  ///   - body: Called with each block and its first item; returns whether to go on.
  func forEachBlock(
    from item: Int, limit: (_ item: Int) -> Int, _ body: (_ item: Int, borrowing Block) -> Bool
  ) {
    var block = Block()
    items.forEachChunk(from: item) { place in
      let (leaf, start) = (place.leaf, place.start)
      var index = max(0, item - start)
      let count = leaf.count
      let ratio = ratio(for: leaf.chunk, leaf.summary)
      while index < count {
        let first = start + index
        let end = min(count, index + max(1, min(limit(first), Block.capacity)))
        fill(&block, with: leaf.chunk, index..<end, ratio)
        guard body(first, block) else { return false }
        index = end
      }
      return true
    }
  }

  /// Visits lengths in order, one by one: for a few, which are not worth a block.
  ///
  /// - Parameters:
  ///   - item: The item to begin with.
  ///   - body: Called with each item and its length; returns whether to go on.
  @inline(__always)
  func forEachLength(from item: Int, _ body: (_ item: Int, _ length: Length) -> Bool) {
    let ratio = columns.ratio
    items.forEachChunk(from: item) { place in
      let (leaf, start) = (place.leaf, place.start)
      let rest = max(0, item - start)..<leaf.count
      if let ratio, fits(ratio, leaf.summary),
        case .sizes(.compact(let widths), .compact(let heights)) = leaf.chunk.extents
      {
        let isVertical = direction == .vertical
        let breadths = (isVertical ? widths : heights).span
        let lengths = (isVertical ? heights : widths).span
        for index in rest {
          let length =
            ratio.scale(lengths[index], over: breadths[index]).map { Length(millionths: $0) }
            ?? length(index, of: leaf.chunk)
          guard body(start + index, length) else { return false }
        }
      } else {
        for index in rest {
          guard body(start + index, length(index, of: leaf.chunk)) else { return false }
        }
      }
      return true
    }
  }

  /// By what the lengths of some items can be multiplied, and the greatest result; nil where each has
  /// to be scaled on its own.
  private func ratio(
    for items: borrowing Items, _ summary: ItemsSummary
  ) -> (ratio: ColumnRatio, bound: Int64)? {
    guard case .sizes(.compact, .compact) = items.extents, let ratio = columns.ratio,
      fits(ratio, summary)
    else { return nil }
    let isVertical = direction == .vertical
    let greatest = isVertical ? summary.heights.greatest : summary.widths.greatest
    let least = isVertical ? summary.widths.least : summary.heights.least
    return (ratio, columns.length(scaling: greatest, over: least).millionths)
  }

  /// Whether the lengths of items of which each has a size can be multiplied by a ratio.
  private func fits(_ ratio: ColumnRatio, _ summary: ItemsSummary) -> Bool {
    direction == .vertical
      ? ratio.fits(lengthsUpTo: summary.heights.greatest, breadthsFrom: summary.widths.least)
      : ratio.fits(lengthsUpTo: summary.widths.greatest, breadthsFrom: summary.heights.least)
  }

  private func fill(
    _ block: inout Block, with items: borrowing Items, _ range: Range<Int>,
    _ ratio: (ratio: ColumnRatio, bound: Int64)?
  ) {
    block.count = range.count
    block.bound = 0
    switch items.extents {
    case .sizes(.compact(let widths), .compact(let heights)):
      guard let (ratio, bound) = ratio else { break }
      let isVertical = direction == .vertical
      let breadths = (isVertical ? widths : heights).span.extracting(range)
      let lengths = (isVertical ? heights : widths).span.extracting(range)
      block.bound = bound
      if !ratio.scale(lengths, over: breadths, into: &block.lengths) {
        // Sizes in whole points often lie in the middle; only those are looked at again.
        var result = block.lengths.mutableSpan
        for index in lengths.indices
        where ratio.scale(lengths[index], over: breadths[index]) == nil {
          result[index] = length(range.lowerBound + index, of: items).millionths
        }
      }
      return
    case .lengths(.compact(let lengths)):
      let lengths = lengths.span.extracting(range)
      var result = block.lengths.mutableSpan
      for index in lengths.indices { result[index] = Int64(lengths[index]) }
      block.bound = Int64(UInt32.max)
      return
    case .unspecified, .size:
      let length = length(0, of: items).millionths
      var result = block.lengths.mutableSpan
      for index in 0..<range.count { result[index] = length }
      block.bound = length
      return
    default: break
    }
    for index in 0..<range.count {
      let length = length(range.lowerBound + index, of: items).millionths
      var result = block.lengths.mutableSpan
      result[index] = length
      block.bound = max(block.bound, length)
    }
  }
}

/// How many lengths are scaled to the width of a column: in doubles, where those are sure enough.
private enum ColumnRatio {
  case plain(PlainRatio)
  case pixels(PixelRatio)

  /// Whether some lengths can be scaled so.
  func fits(lengthsUpTo greatest: Length, breadthsFrom least: Length) -> Bool {
    switch self {
    case .plain(let ratio): ratio.fits(lengthsUpTo: greatest, breadthsFrom: least)
    case .pixels(let ratio): ratio.fits(lengthsUpTo: greatest, breadthsFrom: least)
    }
  }

  /// Scales lengths that fit.
  ///
  /// - Returns: False if some of them lie too near to a middle: those are not to be relied on.
  func scale(
    _ lengths: Span<UInt32>, over breadths: Span<UInt32>, into result: inout [Int64]
  ) -> Bool {
    switch self {
    case .plain(let ratio): ratio.scaleAll(lengths, over: breadths, into: &result)
    case .pixels(let ratio): ratio.scaleAll(lengths, over: breadths, into: &result)
    }
  }

  /// Scales one length that fits.
  ///
  /// - Returns: Nil if it lies too near to a middle.
  @inline(__always)
  func scale(_ length: UInt32, over breadth: UInt32) -> Int64? {
    let scaled =
      switch self {
      case .plain(let ratio): ratio.scale(length, over: breadth)
      case .pixels(let ratio): ratio.scale(length, over: breadth)
      }
    return scaled.isDoubtful ? nil : scaled.length
  }
}

/// Scales lengths one by one, each in a few instructions without a branch.
private protocol LengthScaling {
  func scale(_ length: UInt32, over breadth: UInt32) -> RoundedQuotient
}

extension LengthScaling {
  @inline(__always)
  func scaleAll(
    _ lengths: Span<UInt32>, over breadths: Span<UInt32>, into result: inout [Int64]
  ) -> Bool {
    var result = result.mutableSpan
    var doubtfulCount = 0
    for index in 0..<min(lengths.count, breadths.count, result.count) {
      let scaled = scale(lengths[index], over: breadths[index])
      doubtfulCount &+= scaled.isDoubtful ? 1 : 0
      result[index] = scaled.length
    }
    return doubtfulCount == 0
  }
}

/// A quotient of doubles, rounded half up to a whole number.
///
/// Below 2³⁶ such a quotient is off by less than a ten thousandth: rounded it is right, unless it lies
/// as near to the middle between two numbers as that. Adding 2⁵² rounds a double to a whole number,
/// and leaves that in its low bits.
private struct RoundedQuotient {
  let length: Int64
  let isDoubtful: Bool

  @inline(__always)
  init(_ quotient: Double) {
    let rounded = quotient + 0x1p52
    length = Int64(bitPattern: rounded.bitPattern & (1 << 52 - 1))
    isDoubtful = abs(quotient - (rounded - 0x1p52)) > 0.4999
  }

  static var limit: Int64 { 1 << 36 }
}

/// `length · width / (breadth · columnCount)`.
private struct PlainRatio: LengthScaling {
  private let width: Int64
  private let columnCount: Int64
  private let factor: Double

  init(width: Int64, columnCount: Int64) {
    self.width = width
    self.columnCount = columnCount
    factor = Double(width) / Double(columnCount)
  }

  func fits(lengthsUpTo greatest: Length, breadthsFrom least: Length) -> Bool {
    let (product, overflow) = width.multipliedReportingOverflow(by: greatest.millionths)
    return !overflow && least > .zero && width < 1 << 53
      && product / least.millionths / columnCount < RoundedQuotient.limit
  }

  @inline(__always)
  func scale(_ length: UInt32, over breadth: UInt32) -> RoundedQuotient {
    RoundedQuotient(Double(length) * factor / Double(breadth))
  }
}

/// `length · pixels / breadth`, rounded down to pixels, in points.
private struct PixelRatio: LengthScaling {
  /// The width in pixels.
  private let width: Int64
  /// Millionths of a point in a pixel.
  private let unit: Double

  init(width: Int64, scale: Int64) {
    self.width = width
    unit = Double(Length.trillion) / Double(scale)
  }

  func fits(lengthsUpTo greatest: Length, breadthsFrom least: Length) -> Bool {
    let (product, overflow) = width.multipliedReportingOverflow(by: greatest.millionths)
    return !overflow && least > .zero && product < 1 << 52
      && Double(product / least.millionths) * unit < Double(RoundedQuotient.limit)
  }

  @inline(__always)
  func scale(_ length: UInt32, over breadth: UInt32) -> RoundedQuotient {
    // Both are exact as doubles, so that the quotient is rounded once, by less than it lies below a
    // whole number: that would be `1 / breadth` at least, and the product is below 2⁵².
    let pixels = (Double(width &* Int64(length)) / Double(breadth)).rounded(.down)
    return RoundedQuotient(pixels * unit)
  }
}

extension ColumnGrid {
  /// By what lengths are scaled.
  fileprivate var ratio: ColumnRatio? {
    if let scale = displayScale {
      return wholePixels.map { .pixels(PixelRatio(width: $0, scale: scale)) }
    }
    return plainNumerator.map { .plain(PlainRatio(width: $0, columnCount: Int64(count))) }
  }
}
