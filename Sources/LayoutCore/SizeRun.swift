/// The upright sizes of some items in one piece.
struct SizeRun: RopeChunk {
  /// Across the main axis.
  let cross: LengthArray
  /// Along the main axis.
  let main: LengthArray
  let summary: SizeSummary

  /// Keeps sizes of which the sums are known; equal ones without arrays, so that any number of them is one
  /// piece with as many others as there may be.
  init(cross: LengthArray, main: LengthArray, summary: SizeSummary) {
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

  static var capacity: Int { Items.capacity }

  var count: Int { main.count }

  var isUniform: Bool { summary.isUniform }

  @inline(__always)
  static func fetchElements(_ range: Range<Int>, of leaf: RopeLeaf<SizeRun>) {
    leaf.chunk.cross.fetch(range)
    leaf.chunk.main.fetch(range)
  }

  /// The same with a breadth and a length of its own for each, where some differ: who goes through them finds 32
  /// bits of each then, as it does where both are described.
  ///
  /// - Complexity: O(count), a small part of that of going through them.
  var withEach: SizeRun {
    guard !isUniform, let cross = cross.narrow, let main = main.narrow else { return self }
    return SizeRun(cross: .compact(cross), main: .compact(main), summary: summary)
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
