/// The items of a section, of which any may have a size of another kind; cheap to change anywhere.
///
/// It is made of runs: ``Items`` that have their sizes in one way.
public struct ItemList: Sendable {
  let rope: Rope<Items>

  init(rope: Rope<Items>) { self.rope = rope }

  /// Makes a list of one run.
  ///
  /// - Parameter items: The items.
  public init(_ items: Items = Items()) { self.init(runs: [items]) }

  /// Makes a list of runs.
  ///
  /// - Parameter runs: The items, in order.
  /// - Complexity: O(n) in the items that have data of their own.
  public init(runs: [Items]) { rope = Rope(runs) }

  /// How many items there are.
  public var count: Int { rope.count }

  /// Whether there are none.
  public var isEmpty: Bool { rope.count == 0 }

  /// How many items have data of their own: sizes, lengths, ratios or names.
  public var describedCount: Int { rope.summary.describedCount }

  /// Whether some item has a name.
  public var hasIDs: Bool { rope.summary.namedCount > 0 }

  /// How many items have a name.
  var namedCount: Int { rope.summary.namedCount }

  /// The bytes that they take on the heap; an estimate.
  public var byteCount: Int { rope.summary.byteCount }

  /// Visits the runs; how the items are cut into runs may differ where the items do not.
  ///
  /// - Parameter body: Called with each run and the index of its first item.
  public func forEachRun(_ body: (_ run: Items, _ start: Int) -> Void) {
    rope.forEachChunk { place in
      body(place.chunk, place.start)
      return true
    }
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

  /// All items as one run; nil if they have sizes or names of different kinds.
  ///
  /// - Complexity: O(n).
  public var asOneRun: Items? {
    var all: Items? = Items()
    forEachRun { run, start in all = start == 0 ? run : all.flatMap { $0.appending(run) } }
    return all
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
  func edited(_ edits: [ItemEdit]) -> ItemList {
    ItemList(rope: rope.edited(edits.map { Rope.Edit(range: $0.range, chunks: $0.items) }))
  }
}

/// Items to be replaced by others: one change of a section.
struct ItemEdit: Sendable {
  /// Which, before the change; empty to insert only.
  var range: Range<Int>
  /// By what.
  var items: [Items]

  /// By how much the number of items grows.
  var growth: Int { items.reduce(0) { $0 + $1.count } - range.count }
}

/// What is known of many items.
struct ItemsSummary: RopeSummary {
  var describedCount = 0
  var namedCount = 0
  var byteCount = 0

  static let zero = ItemsSummary()

  static func + (left: ItemsSummary, right: ItemsSummary) -> ItemsSummary {
    ItemsSummary(
      describedCount: left.describedCount + right.describedCount,
      namedCount: left.namedCount + right.namedCount, byteCount: left.byteCount + right.byteCount)
  }
}

extension Items: RopeChunk {
  private static var pieceCount: Int { 256 }

  /// Whether the items have nothing of their own, so that any number of them is one run.
  private var isUniform: Bool {
    guard ids == nil else { return false }
    return switch extents {
    case .unspecified, .size: true
    case .sizes, .lengths, .aspectRatios: false
    }
  }

  var summary: ItemsSummary {
    ItemsSummary(
      describedCount: isUniform ? 0 : count, namedCount: ids?.count ?? 0,
      // The tree's own nodes too.
      byteCount: 96 + extents.byteCount + (ids?.byteCount ?? 0))
  }

  func slice(_ range: Range<Int>) -> Items {
    Items(count: range.count, extents: extents.slice(range), ids: ids?.slice(range))
  }

  /// The same items without one.
  func removing(_ index: Int) -> Items {
    let rest = slice((index + 1)..<count)
    return slice(0..<index).appending(rest) ?? rest
  }

  func joined(with other: Items) -> Items? {
    isUniform && other.isUniform || count + other.count <= Items.pieceCount
      ? appending(other) : nil
  }

  /// These items and others after them; nil if they have sizes or names in different ways.
  fileprivate func appending(_ other: Items) -> Items? {
    guard (ids == nil) == (other.ids == nil), let both = extents.joined(with: other.extents) else {
      return nil
    }
    var names = ids
    if let more = other.ids { names?.append(contentsOf: more) }
    return Items(count: count + other.count, extents: both, ids: names)
  }

  var pieces: [Items] { isUniform ? [self] : pieces(of: Items.pieceCount) }
}

extension ItemExtents {
  fileprivate func slice(_ range: Range<Int>) -> ItemExtents {
    switch self {
    case .unspecified, .size: self
    case .sizes(let widths, let heights):
      .sizes(widths: widths.slice(range), heights: heights.slice(range))
    case .lengths(let lengths): .lengths(lengths.slice(range))
    case .aspectRatios(let ratios): .aspectRatios(Array(ratios[range]))
    }
  }

  /// Nil if they are of different kinds.
  fileprivate func joined(with other: ItemExtents) -> ItemExtents? {
    switch (self, other) {
    case (.unspecified, .unspecified): .unspecified
    case (.size(let size), .size(let next)): size == next ? self : nil
    case (.sizes(let widths, let heights), .sizes(let moreWidths, let moreHeights)):
      .sizes(widths: widths.joined(with: moreWidths), heights: heights.joined(with: moreHeights))
    case (.lengths(let lengths), .lengths(let more)): .lengths(lengths.joined(with: more))
    case (.aspectRatios(let ratios), .aspectRatios(let more)): .aspectRatios(ratios + more)
    default: nil
    }
  }
}

extension StringTable {
  /// Some of the strings.
  fileprivate func slice(_ range: Range<Int>) -> StringTable {
    var table = StringTable()
    let first = offsets[range.lowerBound]
    table.bytes = Array(bytes[Int(first)..<Int(offsets[range.upperBound])])
    table.offsets = offsets[range.lowerBound...range.upperBound].map { $0 - first }
    return table
  }

  /// Adds strings of another table.
  fileprivate mutating func append(contentsOf other: StringTable) {
    let base = UInt32(bytes.count)
    bytes.append(contentsOf: other.bytes)
    offsets.append(contentsOf: other.offsets.dropFirst().map { $0 + base })
  }
}
