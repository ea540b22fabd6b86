/// The upright sizes that a layout gives to the items of a section; cheap to change anywhere.
///
/// Where the description has the sizes, they stay there, and their sums with them: the list is a way
/// to look at the items, and takes no memory of its own. Only those of aspect ratios, and of pieces of mixed
/// items, have to be computed.
struct SizeList: Sendable {
  private enum Source: Sendable {
    case described(Rope<Items>, SizeRule)
    case computed(Rope<SizeRun>)
  }

  private let source: Source
  /// Whether breadths are widths, where they are described.
  let isVertical: Bool

  /// Gives sizes.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - rule: How they get their sizes.
  ///   - change: What the items come from, if they were changed: what was computed then is used again.
  /// - Complexity: O(1); if some items have to be computed, O(n) in all the section has where none had to be
  ///   before, and O(k · log n) after k edits then.
  init(_ items: ItemList, _ rule: SizeRule, after change: BodyChange? = nil) {
    isVertical = rule.direction == .vertical
    if items.rope.summary.computedCount == 0 {
      source = .described(items.rope, rule)
    } else if let change, case .computed(let rope) = change.body.reusableSizes?.source {
      source = .computed(
        rope.edited(
          change.edits.map { .init(range: $0.range, chunks: $0.chunks.map(rule.run)) }))
    } else {
      var runs: [SizeRun] = []
      items.rope.forEachChunk {
        runs.append(rule.run(of: $0.leaf))
        return true
      }
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

  /// Visits the runs in order, from the first on at the end of which something holds that holds from there on;
  /// those of sizes of 32 bits whose lengths differ where they lie.
  ///
  /// - Parameters:
  ///   - isPast: Whether it holds, from how many items there are up to some place and their lengths added up.
  ///   - narrow: Called with how many items are before a run, their lengths added up, and as many breadths, which
  ///     need not count, as lengths, in millionths; returns whether to go on.
  ///   - other: Called with each run of another kind; returns whether to go on.
  @inline(__always)
  func forEachRun(
    where isPast: (_ count: Int, _ total: Length) -> Bool,
    narrow: (
      _ start: Int, _ before: Length, _ breadths: Span<UInt32>, _ lengths: Span<UInt32>
    ) -> Bool,
    other: (Place) -> Bool
  ) {
    guard case .described(let rope, let rule) = source else {
      return forEachRun(where: isPast, other)
    }
    rope.forEachLeaf(where: { isPast($0, rule.total($0, $1)) }) { leaf, start, before in
      let lengths = isVertical ? leaf.summary.heights : leaf.summary.widths
      guard let sizes = leaf.narrowSizes, !lengths.isUniform else {
        return other(Place(leaf, from: start, before, rule))
      }
      let total = rule.total(start, before)
      return isVertical
        ? narrow(start, total, sizes.widths, sizes.heights)
        : narrow(start, total, sizes.heights, sizes.widths)
    }
  }

  /// Visits the runs in order, from the one with an item on; those of sizes of 32 bits that differ
  /// without what is before them, and where they lie, if each has both described.
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
    /// Hands out a run that does not lie there as narrow.
    func handOn(_ run: SizeRun, _ start: Int) -> Bool {
      let run = run.withEach
      if case .compact(let breadths) = run.cross, case .compact(let lengths) = run.main {
        return narrow(start, breadths.span, lengths.span)
      }
      return other(start, run)
    }
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
        return handOn(rule.run(of: leaf), start)
      }
    case .computed(let rope):
      rope.forEachLeaf(from: item) { leaf, start in handOn(leaf.chunk, start) }
    }
  }
}

extension SizeList.Place {
  /// A run of described sizes.
  init(
    _ leaf: RopeLeaf<Items>, from start: Int, _ before: ItemsMeasure, _ rule: SizeRule
  ) {
    run = rule.run(of: leaf)
    self.start = start
    self.before = rule.total(start, before)
  }
}

extension SizeList {
  /// What a reader keeps of a run: the leaf with its sizes where they are narrow, else all of it.
  @safe struct ReaderPlace {
    var items: Range<Int>
    var leaf: Unmanaged<RopeLeaf<Items>>?
    var run: SizeRun?
    /// Whether none of the items has an area, where breadths count.
    var isUnseen: Bool

    /// Keeps a leaf of described sizes, which are narrow.
    init(items: Range<Int>, leaf: Unmanaged<RopeLeaf<Items>>, _ summary: ItemsSummary) {
      self.items = items
      unsafe self.leaf = leaf
      isUnseen = summary.sizesHaveNoArea
    }

    /// Keeps a run.
    init(items: Range<Int>, run: SizeRun) {
      self.items = items
      self.run = run
      isUnseen = run.summary.greatest.width == .zero || run.summary.greatest.height == .zero
    }
  }

  /// The run with an item; nil if there is no such item.
  func readerPlace(of item: Int) -> ReaderPlace? {
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
          return ReaderPlace(items: items, run: rule.run(of: place).withEach)
        }
        return unsafe ReaderPlace(items: items, leaf: leaf, place.summary)
      }
    case .computed(let rope):
      guard let place = rope.place(of: item) else { return nil }
      return ReaderPlace(
        items: place.start..<(place.start + place.count), run: place.chunk.withEach)
    }
  }
}
