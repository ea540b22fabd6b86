/// How the items of a section get upright sizes: the order of precedence that openapi.yaml states at `Items`.
///
/// `sizes` or `size`; else `lengths`, else `aspectRatios`, each with the cross extent of the layout's
/// item size; else that item size.
struct SizeRule: Sendable {
  /// The layout's item size, upright.
  var itemSize: Size
  /// The main axis.
  var direction: ScrollDirection
  /// Whether breadths count; if not, all are 0, so that items of equal lengths are equal.
  var hasBreadths = true

  /// Takes a rule.
  ///
  /// - Parameters:
  ///   - itemSize: The layout's item size, not turned.
  ///   - direction: The main axis.
  init(itemSize: Size, _ direction: ScrollDirection) {
    self.itemSize = direction.upright(itemSize)
    self.direction = direction
  }

  private var breadth: Length { hasBreadths ? itemSize.width : 0 }

  /// The sizes of a run of items, of which the sums are known.
  @inline(__always)
  private func run(
    of extents: ItemExtents, count: Int, _ summary: ItemsSummary
  ) -> SizeRun {
    let main: LengthArray
    var cross = LengthArray.equal(breadth, count: count)
    switch extents {
    case .unspecified: main = .equal(itemSize.height, count: count)
    case .size(let size):
      let size = direction.upright(size)
      if hasBreadths { cross = .equal(size.width, count: count) }
      main = .equal(size.height, count: count)
    case .sizes(let widths, let heights):
      if hasBreadths { cross = direction == .vertical ? widths : heights }
      main = direction == .vertical ? heights : widths
    case .lengths(let lengths): main = lengths
    case .aspectRatios(let ratios):
      let breadth = Int128(itemSize.width.millionths)
      return SizeRun(
        cross: cross,
        main: LengthArray(count: ratios.count) {
          Length.length(
            ofBreadth: breadth, over: 1, ratio: ratios[$0], isDivided: direction == .vertical)
        })
    }
    return SizeRun(cross: cross, main: main, summary: self.summary(of: summary, count: count))
  }

  /// The sizes of a run of items where they lie: only their extents are copied.
  @inline(__always)
  fileprivate func run(of leaf: RopeLeaf<Items>) -> SizeRun {
    run(of: leaf.chunk.extents, count: leaf.count, leaf.summary)
  }

  /// The sizes of a run of items.
  fileprivate func run(of items: Items) -> SizeRun {
    run(of: items.extents, count: items.count, items.summary)
  }

  /// What is known of the sizes of many items, none of which has an aspect ratio.
  fileprivate func summary(of items: ItemsSummary, count: Int) -> SizeSummary {
    let (cross, main) =
      direction == .vertical ? (items.widths, items.heights) : (items.heights, items.widths)
    return SizeSummary(cross: hasBreadths ? cross : .equal(0, count: cross.count), main: main)
      + SizeSummary(cross: .equal(breadth, count: items.lengths.count), main: items.lengths)
      + SizeSummary(
        size: Size(width: breadth, height: itemSize.height),
        count: count - main.count - items.lengths.count)
  }

  /// The lengths of many items added up, none of which has an aspect ratio.
  @inline(__always)
  fileprivate func total(_ count: Int, _ items: ItemsMeasure) -> Length {
    items.lengths + (direction == .vertical ? items.heights : items.widths)
      + itemSize.height * (count - items.statedCount)
  }
}

/// The upright sizes that a layout gives to the items of a section; cheap to change anywhere.
///
/// Where the description has the sizes, they stay there, and their sums with them: the list is a way
/// to look at the items, and takes no memory of its own. Only aspect ratios have to be computed.
struct SizeList: Sendable {
  private enum Source: Sendable {
    case described(Rope<Items>, SizeRule)
    case computed(Rope<SizeRun>)
  }

  private let source: Source
  /// Whether breadths are widths, where they are described.
  fileprivate let isVertical: Bool

  /// Gives sizes.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - rule: How they get their sizes.
  ///   - change: What the items come from, if they were changed: what was computed then is used again.
  /// - Complexity: O(1), but O(n) in items of aspect ratios that are laid out for the first time, and
  ///   O(k · log n) after k edits of them.
  init(_ items: ItemList, _ rule: SizeRule, after change: BodyChange? = nil) {
    isVertical = rule.direction == .vertical
    if items.rope.summary.ratioCount == 0 {
      source = .described(items.rope, rule)
    } else if let change, case .computed(let rope) = change.body.reusableSizes?.source {
      source = .computed(
        rope.edited(
          change.edits.map { .init(range: $0.range, chunks: $0.chunks.map(rule.run)) }))
    } else {
      var runs: [SizeRun] = []
      items.forEachRun { run, _ in runs.append(rule.run(of: run)) }
      source = .computed(Rope(runs))
    }
  }

  /// How many there are.
  var count: Int {
    switch source {
    case .described(let rope, _): rope.count
    case .computed(let rope): rope.count
    }
  }

  /// What is known of all of them.
  var summary: SizeSummary {
    switch source {
    case .described(let rope, let rule): rule.summary(of: rope.summary, count: rope.count)
    case .computed(let rope): rope.summary
    }
  }

  /// The size of all items, if there is one.
  var commonSize: Size? {
    let summary = summary
    guard count > 0, summary.least == summary.greatest else { return nil }
    return summary.least
  }

  /// The bytes that they take on the heap beyond what the content has; an estimate.
  var byteCount: Int {
    switch source {
    case .described: 0
    case .computed(let rope): rope.summary.byteCount + rope.rootByteCount
    }
  }

  /// One of the sizes.
  ///
  /// - Complexity: O(log n).
  subscript(item: Int) -> Size {
    guard let place = place(of: item) else { return .zero }
    return place.run.size(item - place.start)
  }

  /// A run of sizes with what is before it.
  struct Place {
    var run: SizeRun
    /// How many items are before it.
    var start: Int
    /// The lengths of the items before it added up.
    var before: Length
  }

  /// The run with an item.
  ///
  /// - Parameter item: The item.
  /// - Returns: The run; nil if there is no such item.
  /// - Complexity: O(log n).
  func place(of item: Int) -> Place? {
    item < 0 ? nil : firstPlace { count, _ in count > item }
  }

  /// The first run at the end of which something holds that holds from there on.
  ///
  /// - Parameter isPast: Whether it holds, from how many items there are up to some place and their
  ///   lengths added up.
  /// - Returns: The run; nil if it holds nowhere.
  /// - Complexity: O(log n).
  @inline(__always)
  func firstPlace(where isPast: (_ count: Int, _ total: Length) -> Bool) -> Place? {
    switch source {
    case .described(let rope, let rule):
      rope.firstPlace { isPast($0, rule.total($0, $1)) }
        .map { Place($0.leaf, from: $0.start, $0.before, rule) }
    case .computed(let rope):
      rope.firstPlace { isPast($0, $1) }
        .map { Place(run: $0.chunk, start: $0.start, before: $0.before) }
    }
  }

  /// Visits the runs in order, from the first on at the end of which something holds that holds from
  /// there on.
  ///
  /// - Parameters:
  ///   - isPast: Whether it holds, from how many items there are up to some place and their lengths
  ///     added up.
  ///   - body: Called with each run; returns whether to go on.
  @inline(__always)
  func forEachRun(
    where isPast: (_ count: Int, _ total: Length) -> Bool, _ body: (Place) -> Bool
  ) {
    switch source {
    case .described(let rope, let rule):
      rope.forEachLeaf(where: { isPast($0, rule.total($0, $1)) }) {
        body(Place($0, from: $1, $2, rule))
      }
    case .computed(let rope):
      rope.forEachLeaf(where: { isPast($0, $1) }) {
        body(Place(run: $0.chunk, start: $1, before: $2))
      }
    }
  }

  /// Visits the runs in order, from the one with an item on; those of sizes of 32 bits that differ
  /// where they lie, and without what is before them.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - narrow: Called with as many breadths as lengths, in millionths, and how many items are before
  ///     them; returns whether to go on.
  ///   - other: Called with each run of another kind; returns whether to go on.
  @inline(__always)
  func forEachRun(
    from item: Int,
    narrow: (_ start: Int, _ breadths: Span<UInt32>, _ lengths: Span<UInt32>) -> Bool,
    other: (_ start: Int, SizeRun) -> Bool
  ) {
    switch source {
    case .described(let rope, let rule):
      rope.forEachLeaf(from: item) { leaf, start in
        if rule.hasBreadths, let sizes = leaf.narrowSizes,
          !leaf.summary.widths.isUniform || !leaf.summary.heights.isUniform
        {
          return isVertical
            ? narrow(start, sizes.widths, sizes.heights)
            : narrow(start, sizes.heights, sizes.widths)
        }
        return other(start, rule.run(of: leaf))
      }
    case .computed(let rope):
      rope.forEachLeaf(from: item) { leaf, start in
        if case .compact(let breadths) = leaf.chunk.cross,
          case .compact(let lengths) = leaf.chunk.main, !leaf.summary.isUniform
        {
          return narrow(start, breadths.span, lengths.span)
        }
        return other(start, leaf.chunk)
      }
    }
  }
}

extension SizeList.Place {
  /// A run of described sizes.
  fileprivate init(
    _ leaf: RopeLeaf<Items>, from start: Int, _ before: ItemsMeasure, _ rule: SizeRule
  ) {
    run = rule.run(of: leaf)
    self.start = start
    self.before = rule.total(start, before)
  }
}

/// Reads sizes that are not far from each other: the run of the last one is kept at hand.
///
/// Whoever makes a reader has the sizes until it is done with it.
@safe struct SizeReader {
  private let sizes: SizeList
  /// The items of the run.
  private var items = 0..<0
  /// The leaf with the run's sizes where they are narrow, as they mostly are.
  ///
  /// The sizes have it, so that nobody need count its uses: that takes longer than a line.
  private var leaf: Unmanaged<RopeLeaf<Items>>?
  /// The run where there is no such leaf.
  private var run: SizeRun?

  init(_ sizes: SizeList) { self.sizes = sizes }

  /// The size of an item that exists.
  @inline(__always)
  mutating func size(of item: Int) -> Size {
    let size = withNarrow(item..<(item + 1)) {
      Size(width: Length(millionths: Int64($0[0])), height: Length(millionths: Int64($1[0])))
    }
    return size ?? run?.size(item - items.lowerBound) ?? .zero
  }

  /// The size of an item that exists, and the end of those behind it that are known to have the same.
  @inline(__always)
  mutating func run(from item: Int) -> (size: Size, end: Int) {
    let size = size(of: item)
    return (size, run?.isUniform == true ? items.upperBound : item + 1)
  }

  /// Hands out the sizes of some items that exist where they lie.
  ///
  /// - Parameters:
  ///   - wanted: The items.
  ///   - body: Called with as many breadths as lengths, in millionths.
  /// - Returns: What `body` returns; nil if they are not in one run, or not narrow.
  @inline(__always)
  mutating func withNarrow<Result>(
    _ wanted: Range<Int>,
    _ body: (_ breadths: Span<UInt32>, _ lengths: Span<UInt32>) -> Result
  ) -> Result? {
    if !items.contains(wanted.lowerBound) { goTo(wanted.lowerBound) }
    let start = wanted.lowerBound - items.lowerBound
    let part = start..<(start + wanted.count)
    guard start >= 0, part.upperBound <= items.count else { return nil }
    if let leaf = unsafe leaf {
      // Safe: the sizes have it.
      return unsafe leaf._withUnsafeGuaranteedRef { leaf in
        guard let narrow = leaf.narrowSizes else { return nil }
        let (widths, heights) = (narrow.widths.extracting(part), narrow.heights.extracting(part))
        return sizes.isVertical ? body(widths, heights) : body(heights, widths)
      }
    }
    guard case .compact(let cross)? = run?.cross, case .compact(let main)? = run?.main else {
      return nil
    }
    return body(cross.span.extracting(part), main.span.extracting(part))
  }

  @inline(never)
  private mutating func goTo(_ item: Int) {
    guard let place = sizes.readerPlace(of: item) else { return }
    items = place.items
    unsafe leaf = place.leaf
    run = place.run
  }

  /// The breadths of some items that exist added up; of equal ones without looking at each.
  mutating func breadth(of wanted: Range<Int>) -> Length {
    var total: Length = 0
    var item = wanted.lowerBound
    while item < wanted.upperBound {
      if !items.contains(item) { goTo(item) }
      guard items.contains(item) else { break }
      let end = min(wanted.upperBound, items.upperBound)
      let narrow = withNarrow(item..<end) { breadths, _ in
        // So few of 32 bits that 64 are enough, whatever they are.
        var sum: Int64 = 0
        for index in breadths.indices { sum &+= Int64(breadths[index]) }
        return Length(millionths: sum)
      }
      let part = (item - items.lowerBound)..<(end - items.lowerBound)
      total += narrow ?? run?.cross.sum(of: part) ?? 0
      item = end
    }
    return total
  }
}

extension SizeList {
  /// What a reader keeps of a run: the leaf with its sizes where they are narrow, else all of it.
  @safe fileprivate struct ReaderPlace {
    var items: Range<Int>
    var leaf: Unmanaged<RopeLeaf<Items>>?
    var run: SizeRun?
  }

  /// The run with an item; nil if there is no such item.
  fileprivate func readerPlace(of item: Int) -> ReaderPlace? {
    switch source {
    case .described(let rope, let rule):
      guard let (leaf, start) = unsafe rope.unmanagedLeaf(with: item) else { return nil }
      // Safe: the sizes have it.
      return unsafe leaf._withUnsafeGuaranteedRef { place in
        let items = start..<(start + place.count)
        // As many as may show, breadths and lengths.
        let first = item - start
        if rope.isFar { Items.fetchElements(first..<min(place.count, first + 64), of: place) }
        guard rule.hasBreadths, place.narrowSizes != nil else {
          return unsafe ReaderPlace(items: items, run: rule.run(of: place))
        }
        return unsafe ReaderPlace(items: items, leaf: leaf)
      }
    case .computed(let rope):
      guard let place = rope.place(of: item) else { return nil }
      return unsafe ReaderPlace(
        items: place.start..<(place.start + place.count), run: place.chunk)
    }
  }
}

/// The upright sizes of some items in one piece.
struct SizeRun: RopeChunk {
  /// Across the main axis.
  let cross: LengthArray
  /// Along the main axis.
  let main: LengthArray
  let summary: SizeSummary

  /// Keeps sizes of which the sums are known; equal ones without arrays, so that any number of them is one
  /// piece with as many others as there may be.
  fileprivate init(cross: LengthArray, main: LengthArray, summary: SizeSummary) {
    self.cross = summary.isUniform ? .equal(summary.least.width, count: main.count) : cross
    self.main = summary.isUniform ? .equal(summary.least.height, count: main.count) : main
    self.summary = summary
  }

  /// Keeps computed sizes.
  init(cross: LengthArray, main: LengthArray) {
    var summary = SizeSummary(cross: cross.summary, main: main.summary)
    // The tree's own nodes.
    summary.byteCount = 160
    if !summary.isUniform { summary.byteCount += cross.byteCount + main.byteCount }
    self.init(cross: cross, main: main, summary: summary)
  }

  /// One size for all.
  init(size: Size, count: Int) {
    self.init(cross: .equal(size.width, count: count), main: .equal(size.height, count: count))
  }

  static var capacity: Int { Items.capacity }

  var count: Int { main.count }

  var isUniform: Bool { summary.isUniform }

  @inline(__always)
  static func fetchElements(_ range: Range<Int>, of leaf: RopeLeaf<SizeRun>) {
    leaf.chunk.cross.fetch(range)
    leaf.chunk.main.fetch(range)
  }

  /// The size of all of them, if it is known to be one.
  var commonSize: Size? { isUniform ? summary.least : nil }

  func size(_ index: Int) -> Size { Size(width: cross[index], height: main[index]) }

  func goes(with other: SizeRun, asUniform: Bool) -> Bool {
    !asUniform || summary.least == other.summary.least
  }

  static func joining(_ parts: ArraySlice<Part>) -> SizeRun {
    let count = parts.reduce(0) { $0 + $1.range.count }
    return SizeRun(
      cross: LengthArray.joining(parts, count: count) { $0.cross },
      main: LengthArray.joining(parts, count: count) { $0.main })
  }
}

/// What is known of many upright sizes.
struct SizeSummary: RopeSummary {
  var isEmpty = true
  /// The lengths along the main axis added up.
  var total: Length = 0
  /// The least breadth and the least length.
  var least = Size.zero
  /// The greatest breadth and the greatest length.
  var greatest = Size.zero
  var byteCount = 0

  static let zero = SizeSummary()

  /// Whether all sizes are the same.
  var isUniform: Bool { least == greatest }

  var measure: Length { total }

  static func + (left: SizeSummary, right: SizeSummary) -> SizeSummary {
    if left.isEmpty { return right }
    if right.isEmpty { return left }
    return SizeSummary(
      isEmpty: false, total: left.total + right.total,
      least: Size(
        width: min(left.least.width, right.least.width),
        height: min(left.least.height, right.least.height)),
      greatest: Size(
        width: max(left.greatest.width, right.greatest.width),
        height: max(left.greatest.height, right.greatest.height)),
      byteCount: left.byteCount + right.byteCount)
  }
}

extension SizeSummary {
  /// Of as many breadths as lengths.
  init(cross: LengthSummary, main: LengthSummary) {
    isEmpty = main.count == 0
    total = main.total
    least = Size(width: cross.least, height: main.least)
    greatest = Size(width: cross.greatest, height: main.greatest)
  }

  /// Of so many items of one size.
  init(size: Size, count: Int) {
    self.init(
      cross: .equal(size.width, count: count), main: .equal(size.height, count: count))
  }
}

extension Length: RopeMeasure {}
