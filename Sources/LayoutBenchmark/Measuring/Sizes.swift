import LayoutCore

/// The sizes of some items, in millionths of a point, as loops in C and the engine both take them.
struct Sizes {
  var widths: [UInt32]
  var heights: [UInt32]

  var count: Int { widths.count }

  /// What a client would describe.
  var content: Content {
    Content(sections: [Section(items: Items(count: count, extents: extents))])
  }

  /// Some of them.
  subscript(items: Range<Int>) -> Sizes {
    Sizes(widths: Array(widths[items]), heights: Array(heights[items]))
  }

  /// A size each.
  var extents: ItemExtents {
    .sizes(widths: .compact(NarrowLengths(widths)), heights: .compact(NarrowLengths(heights)))
  }

  /// Of the same items a length each.
  var lengths: ItemExtents { .lengths(.compact(NarrowLengths(heights))) }

  /// Of the same items width divided by height each.
  var aspectRatios: ItemExtents {
    .aspectRatios(zip(widths, heights).map { Double($0) / Double($1) })
  }

  static func one(width: UInt32, height: UInt32) -> Items {
    Items(count: 1, extents: .sizes(widths: .compact([width]), heights: .compact([height])))
  }
}

/// Random sizes, of which every measurement takes a part that no measurement before it took.
///
/// A branch predictor learns ten thousand items by heart that it sees again and again, and shows a
/// quarter of what they cost.
struct SizePool {
  private let all: Sizes
  private var next = 0

  init(count: Int) {
    var random = RandomNumbers(seed: 1)
    all = Sizes(
      widths: (0..<count).map { _ in Self.width(&random) },
      heights: (0..<count).map { _ in Self.height(&random) })
  }

  /// From 50 to 150 points.
  static func width(_ random: inout RandomNumbers) -> UInt32 {
    UInt32(50_000_000 + random.next(below: 100_000_000))
  }

  /// From 50 to 300 points.
  static func height(_ random: inout RandomNumbers) -> UInt32 {
    UInt32(50_000_000 + random.next(below: 250_000_000))
  }

  /// So many sizes from where the last ones ended; from the front again, displaced, at the end.
  mutating func take(_ count: Int) -> Sizes {
    if next + count > all.count { next = (next + 7919) % (all.count - count + 1) }
    let range = next..<(next + count)
    next = range.upperBound
    return all[range]
  }
}
