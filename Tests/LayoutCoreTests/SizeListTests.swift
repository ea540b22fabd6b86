import Testing

@testable import LayoutCore

/// Sizes that stay in the description, beside a plain array of them.
struct SizeListTests {
  @Test(arguments: seeds(200))
  func aListIsItsSizes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let direction = generator.chance(0.5) ? ScrollDirection.vertical : .horizontal
    let itemSize = Size(width: 7, height: 9)
    var rule = SizeRule(itemSize: itemSize, direction)
    rule.hasBreadths = generator.chance(0.7)
    let hasRatios = generator.chance(0.3)
    var runs: [Items] = []
    var expected: [Size] = []
    for _ in 0..<generator.int(1...6) {
      let count = generator.int(1...(generator.chance(0.3) ? 1400 : 5))
      var items = Items(count: count)
      func lengths() -> LengthArray {
        LengthArray(count: count) { _ in Length(points: generator.int(0...90)) }
      }
      switch generator.int(0...(hasRatios ? 4 : 3)) {
      case 0: break
      case 1: items.extents = .size(Size(width: 3, height: 4))
      case 2: items.extents = .sizes(widths: lengths(), heights: lengths())
      case 3: items.extents = .lengths(lengths())
      default: items.extents = .aspectRatios((0..<count).map { _ in Double(generator.int(1...4)) })
      }
      runs.append(items)
      for index in 0..<count {
        let fallback = direction.upright(itemSize)
        var size: Size
        switch items.extents[index] {
        case .unspecified: size = fallback
        case .size(let own): size = direction.upright(own)
        case .length(let length): size = Size(width: fallback.width, height: length)
        case .aspectRatio(let ratio):
          let breadth = fallback.width.points
          size = Size(
            width: fallback.width,
            height: Length(
              rounding: direction == .vertical ? breadth / ratio : breadth * ratio))
        }
        if !rule.hasBreadths { size.width = 0 }
        expected.append(size)
      }
    }
    let list = SizeList(ItemList(runs: runs), rule)
    #expect(list.count == expected.count)
    #expect((0..<list.count).map { list[$0] } == expected)
    let total = expected.reduce(Length.zero) { $0 + $1.height }
    #expect(list.summary.total == total)
    #expect(list.summary.least.height == expected.map(\.height).min())
    #expect(list.summary.greatest.width == expected.map(\.width).max())
    #expect((list.commonSize != nil) == (Set(expected).count == 1))

    let wanted = Length(millionths: Int64(generator.int(0...Int(total.millionths))))
    var end: Length = 0
    let first = expected.firstIndex {
      end += $0.height
      return end > wanted
    }
    let place = list.firstPlace { $1 > wanted }
    #expect((place == nil) == (first == nil))
    if let place, let first {
      #expect((place.start..<(place.start + place.run.count)).contains(first))
      #expect(place.before == expected[..<place.start].reduce(Length.zero) { $0 + $1.height })
    }
    var visited: [Size] = []
    list.forEachRun(where: { $1 > wanted }) { place in
      visited += (0..<place.run.count).map { place.run.size($0) }
      return true
    }
    #expect(visited == Array(expected[(place?.start ?? expected.count)...]))
  }

  @Test(arguments: seeds(100))
  func whatEndsBeforeAPlaceIsPassedOver(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let unit: Int64 = generator.chance(0.3) ? 5_000_000_000 : 1_000_000
    let isEqual = generator.chance(0.2)
    let count = generator.int(0...40)
    let values = (0..<count).map { _ in
      Length(millionths: isEqual ? 3 * unit : Int64(generator.int(0...9)) * unit)
    }
    let lengths =
      isEqual ? .equal(values.first ?? 0, count: count) : LengthArray(count: count) { values[$0] }
    let spacing = Length(points: generator.int(0...3))
    let main = Length(millionths: Int64(generator.int(-5...200)) * unit)
    var ends: [Length] = []
    var next: Length = 0
    for value in values {
      ends.append(next + value)
      next = next + value + spacing
    }
    let passed = ends.firstIndex { $0 > main } ?? count
    let found = lengths.countEnding(upTo: main, spacing: spacing)
    #expect(found.count == passed)
    #expect(found.end == values[..<passed].reduce(Length.zero) { $0 + $1 + spacing })
  }

  /// Runs of equal items of two sizes that meet must not be spelled out: there may be a billion.
  @Test
  func equalItemsBesideOthersStayOneRun() throws {
    let billion = 1_000_000_000
    func equal(_ length: Length, _ count: Int) -> Items {
      Items(count: count, extents: .size(Size(width: 1, height: length)))
    }
    let ratio = Items(count: 1, extents: .aspectRatios([1]))
    let content = Content(sections: [Section(items: equal(20, billion))])
    let prepared = try PreparedLayout(
      content, layout: ListLayout(), viewport: Viewport(size: Size(width: 100, height: 100)))
    var batch = BatchUpdate()
    batch.insertItems = [
      (IndexPath(item: 100, section: 0), ratio), (IndexPath(item: 101, section: 0), equal(5, 1)),
      (IndexPath(item: 102, section: 0), equal(20, 1)),
    ]
    let updated = try batch.applied(to: content)
    let after = try PreparedLayout(updating: prepared, to: updated, layout: ListLayout())
    #expect(after.contentSize.height == Length(points: 20 * (billion + 1) + 105))
  }

  /// One of the same size that is described in another way, amid a billion.
  @Test
  func equalItemsStayOneRunHoweverTheyAreDescribed() throws {
    let many = 1_000_000_000
    let equal = Items(count: many, extents: .size(Size(width: 1, height: 20)))
    let ratio = Items(count: 1, extents: .aspectRatios([1]))
    var section = Section()
    section.items = ItemList(runs: [ratio, equal])
    let content = Content(sections: [section])
    let prepared = try PreparedLayout(
      content, layout: ListLayout(), viewport: Viewport(size: Size(width: 100, height: 100)))
    let lengths: [LengthArray] = [.compact([20_000_000]), .wide([20_000_000])]
    for heights in lengths {
      var batch = BatchUpdate()
      let one = Items(count: 1, extents: .sizes(widths: .equal(1, count: 1), heights: heights))
      batch.insertItems = [(IndexPath(item: many / 2, section: 0), one)]
      let updated = try batch.applied(to: content)
      let after = try PreparedLayout(updating: prepared, to: updated, layout: ListLayout())
      #expect(after.contentSize.height == prepared.contentSize.height + 20)
    }
  }

  /// In the description with a size each, with one for all, or computed.
  @Test(arguments: [false, true], [ScrollDirection.vertical, .horizontal])
  func itemsWithoutAnAreaAreReadManyAtATime(isComputed: Bool, direction: ScrollDirection) {
    let count = 20 * Items.capacity
    let zero = LengthArray(count: count) { _ in 0 }
    let other = LengthArray(count: count) { Length(points: $0 % 50) }
    let seen = Items(count: 3, extents: .size(Size(width: 9, height: 9)))
    let hidden: [ItemExtents] = [
      .sizes(widths: zero, heights: zero), .sizes(widths: zero, heights: other),
      .sizes(widths: other, heights: zero), .size(.zero), .lengths(zero),
    ]
    let last = isComputed ? [Items(count: 1, extents: .aspectRatios([1]))] : [seen]
    for extents in hidden {
      let items = ItemList(runs: [seen, Items(count: count, extents: extents)] + last)
      let sizes = SizeList(items, SizeRule(itemSize: Size(width: 7, height: 7), direction))
      var reader = SizeReader(sizes)
      var (item, looks) = (0, 0)
      while item < sizes.count {
        let end = reader.endOfUnseen(from: item)
        #expect((item..<end).allSatisfy { sizes[$0].width == 0 || sizes[$0].height == 0 })
        item = max(item + 1, end)
        looks += 1
      }
      // Around those that are seen are some in one piece with them.
      #expect(looks < count / 4)
    }
  }

  /// Room for each of them would be more than there is.
  @Test func aTrillionEqualSizesAreJoinedWithoutRoomForEach() {
    let trillion = 1_000_000_000_000
    let run = SizeRun(cross: .equal(3, count: trillion), main: .equal(2, count: trillion))
    let joined = SizeRun.joining([run.whole, run.whole])
    #expect(joined.main == .equal(2, count: 2 * trillion))
    #expect(joined.cross == .equal(3, count: 2 * trillion))
  }
}
