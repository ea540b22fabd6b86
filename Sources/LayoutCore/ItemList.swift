/// The items of a section, of which any may have a size of another kind; cheap to change anywhere.
///
/// It is made of runs: ``Items`` that have their sizes in one way.
public struct ItemList: Sendable {
  let rope: Rope<Items>
  /// How many items there are: kept beside the rope, since who counts those of many sections would otherwise wait
  /// for each section's items to come from memory.
  public let count: Int

  init(rope: Rope<Items>) {
    self.rope = rope
    count = rope.count
  }

  /// Makes a list of one run.
  ///
  /// - Parameter items: The items.
  public init(_ items: Items = Items()) { self.init(rope: Rope(items)) }

  /// Makes a list of runs.
  ///
  /// - Parameter runs: The items, in order.
  /// - Complexity: O(n) in the items that have data of their own.
  public init(runs: [Items]) { self.init(rope: Rope(runs)) }

  /// Whether there are none.
  public var isEmpty: Bool { count == 0 }

  /// How many items have data of their own: sizes, lengths, ratios or names; and a few of one size that are kept with
  /// others.
  public var describedCount: Int { rope.summary.describedCount }

  /// Whether some item has a name.
  public var hasIDs: Bool { rope.summary.namedCount > 0 }

  /// The bytes of UTF-8 of the longest name; 0 if no item has one.
  var longestID: Int { Int(rope.summary.longestID) }

  /// How many items have a name.
  var namedCount: Int { rope.summary.namedCount }

  /// The bytes that they take on the heap; an estimate.
  public var byteCount: Int { rope.summary.byteCount + rope.rootByteCount }

  /// Visits runs of items of which as much is said, so that none is mixed; how the items are cut into runs may
  /// differ where the items do not.
  ///
  /// - Parameter body: Called with each run and the index of its first item.
  public func forEachRun(_ body: (_ run: Items, _ start: Int) -> Void) {
    rope.forEachChunk { place in
      place.chunk.forEachRunOfOneKind { body($0, place.start + $1) }
      return true
    }
  }

  /// The run with an item.
  ///
  /// - Parameter index: The item.
  /// - Returns: The run and the index of its first item; nil if there is no such item.
  /// - Complexity: O(log n).
  public func run(with index: Int) -> (items: Items, start: Int)? {
    rope.place(of: index).map { ($0.chunk, $0.start) }
  }

  /// Hands out the name of an item as UTF-8.
  ///
  /// - Parameters:
  ///   - index: The item.
  ///   - body: Called with the name, if the item has one.
  /// - Returns: What `body` returns; nil if there is no name.
  /// - Complexity: O(log n).
  public func withID<Result>(of index: Int, _ body: (Span<UInt8>) -> Result) -> Result? {
    guard hasIDs, let place = rope.place(of: index), let ids = place.chunk.ids else { return nil }
    return body(ids.bytes.span.extracting(ids.range(of: index - place.start)))
  }

  /// The name of an item; nil if it has none.
  public func id(of index: Int) -> String? {
    withID(of: index) { name in
      var bytes: [UInt8] = []
      for place in name.indices { bytes.append(name[place]) }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Visits the names of some items as UTF-8, in order; those without one are left out.
  ///
  /// - Parameters:
  ///   - range: The items; some of these.
  ///   - body: Called with each item that has a name; returns whether to go on.
  /// - Returns: Whether `body` always wanted to go on.
  /// - Complexity: O(log n), and the items.
  @discardableResult
  func forEachID(in range: Range<Int>, _ body: (_ item: Int, Span<UInt8>) -> Bool) -> Bool {
    guard hasIDs, !range.isEmpty else { return true }
    var isGoingOn = true
    rope.forEachChunk(from: range.lowerBound) { place in
      guard place.start < range.upperBound else { return false }
      guard let ids = place.chunk.ids else { return true }
      for item in range.clamped(to: place.start..<(place.start + ids.count)) where isGoingOn {
        isGoingOn = body(item, ids.bytes.span.extracting(ids.range(of: item - place.start)))
      }
      return isGoingOn
    }
    return isGoingOn
  }

  /// All items as one run; nil if they have sizes or names of different kinds.
  ///
  /// - Complexity: O(n).
  public var asOneRun: Items? {
    var parts: [Items.Part] = []
    forEachRun { run, _ in parts.append(run.whole) }
    let areAlike = zip(parts, parts.dropFirst()).allSatisfy { $0.chunk.isLike($1.chunk) }
    return areAlike ? Items.joining(parts[...]) : nil
  }

  /// One item with its data.
  ///
  /// - Parameter index: An item that exists.
  /// - Returns: A run of one.
  /// - Complexity: O(log n).
  func item(_ index: Int) -> Items {
    guard let place = rope.place(of: index) else { return Items() }
    return place.chunk.slice((index - place.start)..<(index - place.start + 1))
  }

  /// The same list with some items replaced.
  func edited(_ edits: [ItemEdit]) -> ItemList { ItemList(rope: rope.edited(edits)) }
}

/// Items to be replaced by others: one change of a section.
typealias ItemEdit = Rope<Items>.Edit

/// What is known of many items.
struct ItemsSummary: RopeSummary {
  var describedCount = 0
  var namedCount = 0
  /// In bytes of UTF-8; 0 if no item has a name.
  ///
  /// Narrow, as the next is: summaries are copied with each change.
  var longestID: UInt32 = 0
  /// How many have no data of their own, if of equal ones next to each other no more than
  /// ``Items/placedCount`` count.
  ///
  /// As many as fit are in more pieces than there is memory for.
  var undescribedCost: UInt32 = 0
  var byteCount = 0
  /// Of the items that have a size.
  var widths = LengthSummary.zero
  /// Of the items that have a size.
  var heights = LengthSummary.zero
  /// Of the items that have a length.
  var lengths = LengthSummary.zero
  /// How many are in pieces whose sizes have to be computed: those of aspect ratios, and mixed ones.
  var computedCount = 0

  static let zero = ItemsSummary()

  /// Whether all sizes that there are have no width, or all no height.
  var sizesHaveNoArea: Bool { widths.greatest == .zero || heights.greatest == .zero }

  var measure: ItemsMeasure {
    ItemsMeasure(
      statedCount: widths.count + lengths.count, widths: widths.total, heights: heights.total,
      lengths: lengths.total)
  }

  static func + (left: ItemsSummary, right: ItemsSummary) -> ItemsSummary {
    var sum = left
    sum += right
    return sum
  }

  static func += (left: inout ItemsSummary, right: ItemsSummary) {
    left.describedCount += right.describedCount
    left.namedCount += right.namedCount
    left.longestID = max(left.longestID, right.longestID)
    left.byteCount += right.byteCount
    left.widths += right.widths
    left.heights += right.heights
    left.lengths += right.lengths
    left.computedCount += right.computedCount
    left.undescribedCost &+= right.undescribedCost
  }
}

extension ItemsSummary {
  mutating func replace(_ part: ItemsSummary, by new: ItemsSummary) -> Bool {
    // The longest may be gone.
    guard part.longestID < longestID || new.longestID >= longestID else { return false }
    longestID = max(longestID, new.longestID)
    describedCount += new.describedCount - part.describedCount
    namedCount += new.namedCount - part.namedCount
    byteCount += new.byteCount - part.byteCount
    computedCount += new.computedCount - part.computedCount
    undescribedCost &+= new.undescribedCost &- part.undescribedCost
    return widths.replace(part.widths, by: new.widths)
      && heights.replace(part.heights, by: new.heights)
      && lengths.replace(part.lengths, by: new.lengths)
  }
}

/// What the extents of many items come to.
struct ItemsMeasure: RopeMeasure {
  /// How many have a size or a length.
  var statedCount = 0
  /// Of the items that have a size.
  var widths: Length = 0
  /// Of the items that have a size.
  var heights: Length = 0
  /// Of the items that have a length.
  var lengths: Length = 0

  static let zero = ItemsMeasure()

  static func + (left: ItemsMeasure, right: ItemsMeasure) -> ItemsMeasure {
    ItemsMeasure(
      statedCount: left.statedCount + right.statedCount, widths: left.widths + right.widths,
      heights: left.heights + right.heights, lengths: left.lengths + right.lengths)
  }
}

extension Items: RopeChunk {
  // With half as many, changes all over a hundred thousand items take half as long again, and lines a tenth
  // longer to break; with more, one change of named items takes longer, and many changes all over a million
  // do not take less.
  static var capacity: Int { 512 }

  /// Whether the items have nothing of their own, so that any number of them is one run.
  var isUniform: Bool {
    guard ids == nil else { return false }
    return switch extents {
    case .unspecified, .size: true
    case .sizes, .lengths, .aspectRatios, .mixed: false
    }
  }

  @inline(__always)
  static func fetchElements(_ range: Range<Int>, of leaf: RopeLeaf<Items>) {
    switch leaf.chunk.extents {
    case .unspecified, .size: break
    case .sizes(let widths, let heights):
      widths.fetch(range)
      heights.fetch(range)
    case .lengths(let lengths): lengths.fetch(range)
    case .aspectRatios(let ratios): ratios.fetch(range)
    case .mixed(let extents): extents.fetch(range)
    }
  }

  var summary: ItemsSummary {
    var summary = ItemsSummary(
      describedCount: describedCount, namedCount: ids == nil ? 0 : count,
      longestID: UInt32(clamping: ids?.longest ?? 0),
      undescribedCost: isUniform ? UInt32(clamping: min(count, Items.placedCount)) : 0,
      byteCount: byteCount)
    switch extents {
    case .unspecified: break
    case .size(let size):
      summary.widths = .equal(size.width, count: count)
      summary.heights = .equal(size.height, count: count)
    case .sizes(let widths, let heights):
      summary.widths = widths.summary
      summary.heights = heights.summary
    case .lengths(let lengths): summary.lengths = lengths.summary
    case .aspectRatios, .mixed: summary.computedCount = count
    }
    return summary
  }

  /// So many of one length, or more, are placed at once.
  static let placedCount = 128

  /// How many items have data of their own.
  private var describedCount: Int {
    if case .mixed(let extents) = extents, ids == nil {
      return extents.count { $0 != .unspecified }
    }
    return isUniform ? 0 : count
  }

  /// The tree's own nodes too.
  private var byteCount: Int { 300 + extents.byteCount + (ids?.byteCount ?? 0) }

  static func edited(
    _ leaf: RopeLeaf<Items>, from start: Int, by edits: Span<ItemEdit>, count: Int
  ) -> RopeLeaf<Items>? {
    guard leaf.summary.namedCount == 0, let sizes = leaf.narrowSizes else { return nil }
    // Before anything is copied: a sum of its own stays in registers.
    var gone = NarrowSizesSummary()
    for index in edits.indices { gone.add(sizes, edits[index].range(from: start)) }
    var new = NarrowSizesSummary()
    let extents = ItemExtents.narrowSizes(count: count) { output in
      var done = 0
      for index in edits.indices {
        let range = edits[index].range(from: start)
        output.append(sizes, done..<range.lowerBound)
        done = range.upperBound
        for place in edits[index].chunks.indices {
          guard edits[index].chunks[place].ids == nil,
            case .sizes(.compact(let widths), .compact(let heights)) =
              edits[index].chunks[place].extents
          else { return false }
          let sizes = NarrowSizes(widths, heights)
          new.add(sizes, 0..<sizes.count)
          output.append(sizes, 0..<sizes.count)
        }
      }
      output.append(sizes, done..<leaf.count)
      return true
    }
    guard let extents, case .sizes(let widths, let heights) = extents else { return nil }
    let chunk = Items(count: count, extents: extents)
    var summary = leaf.summary
    summary.describedCount = count
    // The bytes of parts are not those of what they are part of.
    summary.byteCount = chunk.byteCount
    if !summary.widths.replace(gone.widths.summary, by: new.widths.summary) {
      summary.widths = widths.summary
    }
    if !summary.heights.replace(gone.heights.summary, by: new.heights.summary) {
      summary.heights = heights.summary
    }
    return RopeLeaf(chunk, summary)
  }

  /// Items go together that have their sizes and names in the same way; and because a piece of its own takes
  /// more than a few items do, those of which a few have one size, with others that have sizes, and a few of
  /// any kind with a few of another.
  func goes(with other: Items, asUniform: Bool) -> Bool {
    isLike(other)
      || !asUniform && (ids == nil) == (other.ids == nil)
        && (isSized && other.isSized || isMixable && other.isMixable)
  }

  /// Whether items have their sizes and names in the same way as others.
  fileprivate func isLike(_ other: Items) -> Bool {
    guard (ids == nil) == (other.ids == nil) else { return false }
    return switch (extents, other.extents) {
    case (.unspecified, .unspecified), (.sizes, .sizes), (.lengths, .lengths),
      (.aspectRatios, .aspectRatios), (.mixed, .mixed):
      true
    case (.size(let size), .size(let next)): size == next
    default: false
    }
  }

  /// Whether each item has a size, or all the same and they are few.
  private var isSized: Bool {
    switch extents {
    case .sizes: true
    case .size: count <= Items.fewSizedCount
    case .unspecified, .lengths, .aspectRatios, .mixed: false
    }
  }

  /// Whether the items are mixed, or few.
  private var isMixable: Bool {
    if case .mixed = extents { true } else { count <= Items.fewMixedCount }
  }

  /// Of one size these are few: 8 bytes each are less than the 300 of a piece.
  private static var fewSizedCount: Int { 32 }
  /// Among others these are few, at 24 bytes each: in pieces of their own there would be one more behind them.
  private static var fewMixedCount: Int { 24 }

  static func joining(_ parts: ArraySlice<Part>) -> Items {
    guard let first = parts.first else { return Items() }
    let count = parts.reduce(0) { $0 + $1.range.count }
    return Items(
      count: count, extents: first.read { $0.extents(joining: parts, count: count) },
      ids: first.read { $0.ids != nil } ? names(joining: parts) : nil)
  }

  /// The extents of parts that go with each other, of which these items are the first.
  private func extents(joining parts: ArraySlice<Part>, count: Int) -> ItemExtents {
    guard parts.allSatisfy({ $0.read { isLike($0) } }) else {
      return ItemExtents.narrowSizes(joining: parts, count: count)
        ?? Items.mixedExtents(joining: parts, count: count)
    }
    switch extents {
    case .unspecified, .size: return extents
    case .sizes:
      return ItemExtents.narrowSizes(joining: parts, count: count)
        ?? .sizes(
          widths: LengthArray.joining(parts, count: count) { $0.widths },
          heights: LengthArray.joining(parts, count: count) { $0.heights })
    case .lengths: return .lengths(LengthArray.joining(parts, count: count) { $0.lengths })
    case .aspectRatios:
      var all: [Double] = []
      all.reserveCapacity(count)
      for part in parts {
        if case .aspectRatios(let ratios) = part.chunk.extents {
          all.append(contentsOf: ratios[part.range])
        }
      }
      return .aspectRatios(all)
    case .mixed: return Items.mixedExtents(joining: parts, count: count)
    }
  }

  /// The extents of parts of any kinds.
  private static func mixedExtents(joining parts: ArraySlice<Part>, count: Int) -> ItemExtents {
    var all: [ItemExtent] = []
    all.reserveCapacity(count)
    for part in parts {
      let extents = part.chunk.extents
      for index in part.range { all.append(extents[index]) }
    }
    return ItemExtents(all)
  }

  private static func names(joining parts: ArraySlice<Part>) -> StringTable {
    var names = StringTable()
    for part in parts {
      if let ids = part.chunk.ids { names.append(ids, part.range) }
    }
    return names
  }

  private var widths: LengthArray {
    if case .sizes(let widths, _) = extents { widths } else { .equal(0, count: count) }
  }

  private var heights: LengthArray {
    if case .sizes(_, let heights) = extents { heights } else { .equal(0, count: count) }
  }

  private var lengths: LengthArray {
    if case .lengths(let lengths) = extents { lengths } else { .equal(0, count: count) }
  }

  /// The same items without one.
  func removing(_ index: Int) -> Items {
    Items.joining([
      RopePart(source: .chunk(self), range: 0..<index),
      RopePart(source: .chunk(self), range: (index + 1)..<count),
    ])
  }
}

extension StringTable {
  /// Adds some strings of another table.
  fileprivate mutating func append(_ other: StringTable, _ range: Range<Int>) {
    let first = other.offsets[range.lowerBound]
    let base = UInt32(bytes.count)
    bytes.append(contentsOf: other.bytes[Int(first)..<Int(other.offsets[range.upperBound])])
    for index in range { offsets.append(other.offsets[index + 1] - first + base) }
  }
}
