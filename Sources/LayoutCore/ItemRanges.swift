/// Sets of items as ranges: ascending, not touching, not empty.
public struct ItemRanges: Hashable, Sendable {
  /// The ranges, ascending.
  public private(set) var ranges: [ItemRange] = []

  /// Makes an empty set.
  public init() {}

  /// Makes an empty set with room for as many ranges as a screenful mostly has: it grows once, and not
  /// with each of them.
  static var ofScreenful: ItemRanges {
    var set = ItemRanges()
    set.ranges.reserveCapacity(6)
    return set
  }

  /// Makes a set of items in any order, each given once.
  init(of indexPaths: [IndexPath]) {
    ranges.reserveCapacity(indexPaths.count)
    for indexPath in indexPaths.count > 1 ? indexPaths.sorted() : indexPaths { append(indexPath) }
  }

  /// Whether there are no items.
  var isEmpty: Bool { ranges.isEmpty }

  /// How many items there are.
  var count: Int { ranges.reduce(0) { $0 + $1.end - $1.start } }

  /// Adds an item after all that are in the set.
  mutating func append(_ indexPath: IndexPath) {
    append(
      ItemRange(section: indexPath.section, start: indexPath.item, end: indexPath.item + 1))
  }

  /// Adds a range that begins where the last ends, or later.
  mutating func append(_ range: ItemRange) {
    let last = ranges.count - 1
    if last >= 0, ranges[last].end == range.start, ranges[last].section == range.section {
      ranges[last].end = range.end
    } else {
      ranges.append(range)
    }
  }

  /// Makes a set of items that come one by one or in ranges, in ascending order.
  ///
  /// The last range is not in the set until the end, so that an item that goes on with it costs an
  /// addition.
  struct Collector {
    private var closed = ItemRanges.ofScreenful
    private var open = ItemRange(section: 0, start: 0, end: 0)

    @inline(__always)
    mutating func append(_ indexPath: IndexPath) {
      append(
        ItemRange(section: indexPath.section, start: indexPath.item, end: indexPath.item + 1))
    }

    /// Adds a range that begins where the last ends, or later.
    @inline(__always)
    mutating func append(_ range: ItemRange) {
      if range.start != open.end || range.section != open.section {
        close()
        open = range
      }
      open.end = range.end
    }

    /// The items; no more are to come.
    mutating func finish() -> ItemRanges {
      close()
      return closed
    }

    private mutating func close() {
      if open.start < open.end { closed.append(open) }
    }
  }

  /// The items that are not in another set.
  ///
  /// - Complexity: O(number of ranges in both).
  func subtracting(_ other: ItemRanges) -> ItemRanges {
    guard !isEmpty, !other.isEmpty else { return self }
    var result = ItemRanges()
    var index = 0
    for var range in ranges {
      while index < other.ranges.count, ItemRanges.isBefore(other.ranges[index], range) {
        index += 1
      }
      var overlap = index
      while overlap < other.ranges.count, range.start < range.end,
        other.ranges[overlap].section == range.section, other.ranges[overlap].start < range.end
      {
        let hole = other.ranges[overlap]
        if hole.start > range.start {
          result.append(
            ItemRange(section: range.section, start: range.start, end: hole.start))
        }
        range.start = max(range.start, hole.end)
        overlap += 1
      }
      if range.start < range.end { result.append(range) }
    }
    return result
  }

  /// The items that are in this set or in another.
  ///
  /// - Complexity: O(number of ranges in both).
  func union(_ other: ItemRanges) -> ItemRanges {
    var rest = other.subtracting(self).ranges[...]
    guard !rest.isEmpty else { return self }
    var result = ItemRanges()
    result.ranges.reserveCapacity(ranges.count + rest.count)
    for range in ranges {
      while let next = rest.first, ItemRanges.isBefore(next, range) {
        result.append(next)
        rest.removeFirst()
      }
      result.append(range)
    }
    for range in rest { result.append(range) }
    return result
  }

  /// Whether a range ends before another begins.
  private static func isBefore(_ left: ItemRange, _ right: ItemRange) -> Bool {
    left.section != right.section ? left.section < right.section : left.end <= right.start
  }
}
