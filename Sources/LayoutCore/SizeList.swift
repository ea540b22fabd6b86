/// The upright sizes that a layout gives to the items of a section; cheap to change anywhere.
struct SizeList: Sendable {
  let rope: Rope<SizeRun>

  /// Gives sizes.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - rule: The sizes of a run of items.
  /// - Complexity: O(n) in the items that have data of their own.
  init(_ items: ItemList, rule: (Items) -> SizeRun) {
    var runs: [SizeRun] = []
    items.forEachRun { run, _ in runs.append(rule(run)) }
    rope = Rope(runs)
  }

  private init(rope: Rope<SizeRun>) { self.rope = rope }

  /// The same after a change of the items.
  ///
  /// - Parameters:
  ///   - edits: What changed.
  ///   - rule: The sizes of a run of items.
  /// - Returns: The changed list; it shares what did not change.
  /// - Complexity: O(k · log n) for k edits.
  func edited(_ edits: [ItemEdit], rule: (Items) -> SizeRun) -> SizeList {
    SizeList(
      rope: rope.edited(edits.map { Rope.Edit(range: $0.range, chunks: $0.items.map(rule)) }))
  }

  /// How many there are.
  var count: Int { rope.count }

  /// What is known of all of them.
  var summary: SizeSummary { rope.summary }

  /// The size of all items, if there is one.
  var commonSize: Size? {
    let summary = summary
    guard count > 0, summary.least == summary.greatest else { return nil }
    return summary.least
  }

  /// The bytes that they take on the heap beyond what the content has; an estimate.
  var byteCount: Int { summary.byteCount }

  /// One of the sizes.
  ///
  /// - Complexity: O(log n).
  subscript(item: Int) -> Size {
    guard let place = rope.place(of: item) else { return .zero }
    return place.chunk.size(item - place.start)
  }
}

/// Reads sizes that are not far from each other: the run of the last one is kept at hand.
struct SizeReader {
  private let sizes: SizeList
  private var run = SizeRun(size: .zero, count: 0)
  /// The items of the run.
  private var items = 0..<0

  init(_ sizes: SizeList) { self.sizes = sizes }

  /// The length of an item that exists, along the main axis.
  mutating func length(of item: Int) -> Length {
    goTo(item)
    return run.main[item - items.lowerBound]
  }

  /// The size of an item that exists.
  mutating func size(of item: Int) -> Size {
    goTo(item)
    return run.size(item - items.lowerBound)
  }

  private mutating func goTo(_ item: Int) {
    guard !items.contains(item), let place = sizes.rope.place(of: item) else { return }
    run = place.chunk
    items = place.start..<(place.start + place.chunk.count)
  }

  /// The breadths of some items that exist added up; of equal ones without looking at each.
  mutating func breadth(of wanted: Range<Int>) -> Length {
    var total: Length = 0
    var item = wanted.lowerBound
    while item < wanted.upperBound {
      goTo(item)
      guard items.contains(item) else { break }
      let end = min(wanted.upperBound, items.upperBound)
      if let size = run.commonSize {
        total += size.width * (end - item)
      } else {
        for index in (item - items.lowerBound)..<(end - items.lowerBound) {
          total += run.cross[index]
        }
      }
      item = end
    }
    return total
  }
}

/// The upright sizes of some items in one piece.
struct SizeRun: RopeChunk {
  /// Across the main axis.
  let cross: LengthArray
  /// Along the main axis.
  let main: LengthArray
  let summary: SizeSummary

  /// Keeps sizes; equal ones without an array.
  init(cross: LengthArray, main: LengthArray) {
    var summary = SizeSummary()
    summary.total = main.sum(ofFirst: main.count)
    summary.least = Size(width: cross.minimum ?? 0, height: main.minimum ?? 0)
    summary.greatest = Size(width: cross.maximum ?? 0, height: main.maximum ?? 0)
    // The tree's own nodes; arrays are the content's where they were not computed, and counted anyway.
    summary.byteCount = 160
    if summary.least == summary.greatest {
      self.cross = .equal(summary.least.width, count: main.count)
      self.main = .equal(summary.least.height, count: main.count)
    } else {
      self.cross = cross
      self.main = main
      summary.byteCount += cross.byteCount + main.byteCount
    }
    summary.isEmpty = main.count == 0
    self.summary = summary
  }

  /// The sizes of items: the contract's order of precedence (section 2).
  ///
  /// `sizes` or `size`; else `lengths`, else `aspectRatios`, each with the cross extent of the layout's
  /// item size; else that item size.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - itemSize: The layout's item size, not turned.
  ///   - direction: The main axis.
  init(_ items: Items, itemSize: Size, _ direction: ScrollDirection) {
    let fallback = direction.upright(itemSize)
    switch items.extents {
    case .unspecified: self.init(size: fallback, count: items.count)
    case .size(let size): self.init(size: direction.upright(size), count: items.count)
    case .sizes(let widths, let heights):
      self.init(
        cross: direction == .vertical ? widths : heights,
        main: direction == .vertical ? heights : widths)
    case .lengths(let lengths):
      self.init(cross: .equal(fallback.width, count: items.count), main: lengths)
    case .aspectRatios(let ratios):
      let extent = fallback.width.points
      self.init(
        cross: .equal(fallback.width, count: items.count),
        main: LengthArray(count: ratios.count) {
          Length(rounding: direction == .vertical ? extent / ratios[$0] : extent * ratios[$0])
        })
    }
  }

  /// One size for all.
  init(size: Size, count: Int) {
    self.init(cross: .equal(size.width, count: count), main: .equal(size.height, count: count))
  }

  static var capacity: Int { 256 }

  var count: Int { main.count }

  var isUniform: Bool { summary.least == summary.greatest }

  /// The size of all of them, if it is known to be one.
  var commonSize: Size? { isUniform ? summary.least : nil }

  func size(_ index: Int) -> Size { Size(width: cross[index], height: main[index]) }

  func goes(with other: SizeRun, asUniform: Bool) -> Bool {
    !asUniform || summary.least == other.summary.least
  }

  static func joining(_ parts: [Part]) -> SizeRun {
    SizeRun(
      cross: LengthArray.joining(parts.map { ($0.chunk.cross, $0.range) }),
      main: LengthArray.joining(parts.map { ($0.chunk.main, $0.range) }))
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
