import Testing

@testable import LayoutCore

/// What a list knows of its items without looking at them, beside what they are.
struct ItemListTests {
  /// What two runs have between them is accounted for, too.
  @Test func runsOfAListAreAccountedWithTheirBranch() {
    let small = Items(count: 99, extents: .size(Size(width: 10, height: 20)))
    let large = Items(count: 99, extents: .size(Size(width: 30, height: 40)))
    let apart = ItemList(small).byteCount + ItemList(large).byteCount
    #expect(ItemList(runs: [small, large]).byteCount > apart + 350)
  }

  /// Items that are inserted one by one, each with its size, take as much as if all had come at once.
  @Test func fewOfOneSizeLieWithOthers() {
    let sizes = (0..<1000).map { Size(width: Length(points: $0 % 7), height: Length(points: $0)) }
    var list = ItemList()
    for (number, size) in sizes.enumerated() {
      let items = Items(count: 1, extents: .size(size))
      list = list.edited([ItemEdit(range: number..<number, chunks: [items])])
    }
    let all = Items(
      count: sizes.count,
      extents: .sizes(
        widths: LengthArray(count: sizes.count) { sizes[$0].width },
        heights: LengthArray(count: sizes.count) { sizes[$0].height }))
    #expect(list.byteCount < 2 * ItemList(all).byteCount)
    #expect(list.describedCount == sizes.count)
    list.forEachRun { run, start in
      for index in 0..<run.count {
        #expect(run.extents[index] == .size(sizes[start + index]))
      }
    }
    // What is too much to have a size each stays as it is.
    let equal = Items(count: 1_000_000_000, extents: .size(Size(width: 1, height: 2)))
    let both = list.edited([ItemEdit(range: 500..<500, chunks: [equal])])
    #expect(both.byteCount < list.byteCount + 2000)
    #expect(both.describedCount == sizes.count)
  }

  /// What stood between equal items leaves no trace when it goes, at once or bit by bit.
  @Test(arguments: [2000, 100, 1])
  func equalItemsThatMeetAreOneRun(atOnce: Int) {
    let count = 2000
    var generator = SeededGenerator(seed: UInt64(atOnce))
    let whole = ItemList(Items(count: count))
    let size = ItemExtents.size(Size(width: 3, height: 2))
    var list = whole.edited(
      (1..<count).map { ItemEdit(range: $0..<$0, chunks: [Items(count: 1, extents: size)]) })
    #expect(list.byteCount > 100 * whole.byteCount)
    // Where those are that are left.
    var places = (1..<count).map { 2 * $0 - 1 }
    while !places.isEmpty {
      var gone: Set<Int> = []
      while gone.count < min(atOnce, places.count) {
        gone.insert(generator.int(0...(places.count - 1)))
      }
      list = list.edited(
        gone.sorted().map { ItemEdit(range: places[$0]..<(places[$0] + 1), chunks: []) })
      var before = 0
      places = places.indices.compactMap { index in
        if gone.contains(index) {
          before += 1
          return nil
        }
        return places[index] - before
      }
    }
    #expect(list.count == count)
    #expect(list.byteCount == whole.byteCount)
  }

  /// Few different lengths, so that the least and the greatest go often, and are there twice.
  @Test(arguments: seeds(40))
  func sumsOfAnEditedListAreThoseOfItsItems(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let isNamed = generator.chance(0.3)
    var nextName = 0
    let greatest = [3, 40, 5000][generator.int(0...2)]
    func items(_ generator: inout SeededGenerator, _ count: Int) -> Items {
      func lengths(_ generator: inout SeededGenerator) -> LengthArray {
        LengthArray(count: count) { _ in
          Length(points: generator.int(0...(generator.chance(0.01) ? greatest : 3)))
        }
      }
      var items = Items(count: count)
      switch generator.int(0...9) {
      case 0: items.extents = .size(Size(width: 3, height: 2))
      case 1: items.extents = .lengths(lengths(&generator))
      case 2: items.extents = .aspectRatios(Array(repeating: 1.5, count: count))
      default:
        items.extents = .sizes(widths: lengths(&generator), heights: lengths(&generator))
      }
      return isNamed ? generator.named(items, &nextName) : items
    }
    // So many that there are several branches.
    var list = ItemList(runs: [items(&generator, 6000), items(&generator, 300)])
    for _ in 0..<25 {
      var edits: [ItemEdit] = []
      var place = 0
      for _ in 0..<generator.int(1...(generator.chance(0.3) ? 200 : 2)) where place < list.count {
        let start = generator.int(place...min(list.count, place + 6000))
        let end = min(list.count, start + generator.int(0...(generator.chance(0.02) ? 600 : 2)))
        let new = generator.chance(0.5) ? [items(&generator, generator.int(1...3))] : []
        edits.append(ItemEdit(range: start..<end, chunks: new))
        place = end + 1
      }
      list = list.edited(edits)
      var sum = ItemsSummary.zero
      list.rope.forEachChunk { place in
        let own = place.chunk.summary
        #expect(place.summary.numbers == own.numbers)
        sum += own
        return true
      }
      #expect(list.rope.summary.numbers == sum.numbers)
      #expect(list.rope.summary.describedCount + list.uniformCount == list.count)
    }
  }

  /// So many items that their leaves are asked for before they are read, those of every kind.
  @Test(arguments: [0, 1, 70_000, 600 * Items.capacity - 1, 600 * Items.capacity])
  func aLongListIsVisitedInOrderFromAnyItem(first: Int) {
    let count = Items.capacity
    let wide = LengthArray(count: count) { Length(points: 10_000 + $0) }
    let narrow = LengthArray(count: count) { Length(points: $0) }
    let kinds: [ItemExtents] = [
      .sizes(widths: narrow, heights: narrow), .sizes(widths: wide, heights: narrow),
      .lengths(narrow), .lengths(wide), .aspectRatios(Array(repeating: 1.5, count: count)),
      .size(Size(width: 3, height: 2)), .unspecified,
    ]
    let runs = (0..<600).map { Items(count: count, extents: kinds[$0 % kinds.count]) }
    var visited: [Int] = []
    ItemList(runs: runs).rope.forEachChunk(from: first) { place in
      let isRun = place.start % count == 0 && place.chunk == runs[place.start / count]
      visited.append(isRun ? place.start / count : -1)
      return true
    }
    #expect(visited == Array((first / count)..<runs.count))
  }

  /// One change at a time, as most are, of which few cut a run or join two; or many near each other.
  @Test(arguments: seeds(6))
  func anEditedListHasTheSizesOfTheEditedArray(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    func sizes(_ count: Int) -> [UInt32] { (0..<count).map { _ in UInt32(generator.int(0...99)) } }
    func items(_ widths: [UInt32]) -> Items {
      Items(
        count: widths.count,
        extents: .sizes(
          widths: .compact(NarrowLengths(widths)),
          heights: .compact(NarrowLengths(widths.map { $0 + 1 }))))
    }
    var widths = sizes(2560)
    var list = ItemList(items(widths))
    for step in 0..<400 {
      // Long at one place, so that runs grow and shrink until they are cut and joined.
      var place = step / 200 * 1000 + generator.int(0...300)
      var changes: [(range: Range<Int>, new: [UInt32])] = []
      repeat {
        let start = min(widths.count, place)
        let end = min(widths.count, start + generator.int(0...3))
        changes.append((start..<end, sizes(generator.int(0...(step % 100 < 60 ? 5 : 1)))))
        place = end + generator.int(0...(generator.chance(0.3) ? 40 : 12))
      } while seed % 2 == 1 && place < widths.count && generator.chance(0.97)
      list = list.edited(
        changes.map { change in
          let cut = change.new.count > 1 ? generator.int(0...change.new.count) : change.new.count
          let parts = [change.new[..<cut], change.new[cut...]].filter { cut == 0 || !$0.isEmpty }
          return ItemEdit(range: change.range, chunks: parts.map { items(Array($0)) })
        })
      for change in changes.reversed() { widths.replaceSubrange(change.range, with: change.new) }
      var (found, isUpright) = ([UInt32](), true)
      list.forEachRun { run, start in
        isUpright = isUpright && start == found.count && run.count <= Items.limit
        guard case .sizes(.compact(let widths), .compact(let heights)) = run.extents else { return }
        isUpright = isUpright && heights.elementsEqual(widths.map { $0 + 1 })
        found += widths
      }
      #expect(isUpright)
      #expect(found == widths)
    }
  }

  @Test func anInsertDoesNotCutAFullRun() {
    let lengths = LengthArray.compact(NarrowLengths(Array(repeating: 7, count: 1023) + [8]))
    let list = ItemList(Items(count: 1024, extents: .lengths(lengths)))
    let one = Items(count: 1, extents: .lengths(.compact([9])))
    func runCount(_ list: ItemList) -> Int {
      var count = 0
      list.forEachRun { _, _ in count += 1 }
      return count
    }
    let edited = list.edited([ItemEdit(range: 300..<300, chunks: [one])])
    #expect(runCount(edited) == runCount(list))
  }

  @Test func oneOfABillionEqualItemsIsTakenOutWithoutTheOthers() {
    var list = ItemList(Items(count: 1_000_000_000, extents: .size(Size(width: 2, height: 1))))
    for place in 0..<1000 {
      list = list.edited([ItemEdit(range: (place * 500)..<(place * 500 + 1), chunks: [])])
    }
    #expect(list.count == 999_999_000)
    #expect(list.byteCount < 1000)
    #expect(list.rope.summary.heights.total == Length(points: 999_999_000))
  }

  /// More than can be added up, but for what a layout along the other axis does not ask: when enough
  /// has gone, the rest is known exactly.
  @Test func sumsAreExactAgainWhenWhatWasTooMuchIsGone() throws {
    let count = 20_000
    // The least and the greatest stay, so that nobody has to look for others.
    let widths = LengthArray(count: count) {
      $0 == 0 ? 999_999_998 : $0 == 1 ? 1_000_000_000 : 999_999_999
    }
    let heights = LengthArray(count: count) { Length(points: 1 + $0 % 5) }
    let section = Section(
      items: Items(count: count, extents: .sizes(widths: widths, heights: heights)))
    var content = Content(sections: [section])
    #expect(content.sections[0].items.rope.summary.widths.total > .maximumCoordinate)
    // Piece by piece, so that most of the tree is kept each time.
    for end in stride(from: count, to: 8000, by: -100) {
      var batch = BatchUpdate()
      batch.deleteItems = [ItemRange(section: 0, start: end - 100, end: end)]
      content = try batch.applied(to: content).content
    }
    let left = content.sections[0].items
    #expect(left.count == 8000)
    #expect(left.rope.summary.widths.total == 7_999_999_992_000)
    #expect(left.rope.summary.heights.total == 24_000)
  }

  @Test func theLongestNameMayGo() {
    var ids = StringTable()
    for item in 0..<2000 {
      ids.bytes += Array(repeating: 120, count: item == 700 ? 1000 : 9)
      ids.offsets.append(UInt32(ids.bytes.count))
    }
    let items = ItemList(Items(count: 2000, ids: ids))
    #expect(items.longestID == 1000)
    #expect(items.edited([.init(range: 700..<701, chunks: [])]).longestID == 9)
  }

  /// A sum that was saturated is made anew.
  @Test func whatWasTooLongMayBeShortAgain() {
    let items = ItemList(runs: [
      Items(count: 10_000, extents: .size(Size(width: 2, height: .maximumExtent))),
      Items(count: 500, extents: .size(Size(width: 2, height: 2))),
    ])
    let less = items.edited([.init(range: 0..<9_999, chunks: [])])
    #expect(less.rope.summary.heights.total == .maximumExtent + 1000)
  }
}

extension ItemList {
  /// How many items have nothing of their own.
  fileprivate var uniformCount: Int {
    var count = 0
    forEachRun { run, _ in count += run.isUniform ? run.count : 0 }
    return count
  }
}

extension ItemsSummary {
  /// All that there is to compare.
  fileprivate var numbers: [Int64] {
    [describedCount, namedCount, byteCount, computedCount].map { Int64($0) }
      + widths.numbers + heights.numbers + lengths.numbers
  }
}

extension LengthSummary {
  /// All that there is to compare.
  var numbers: [Int64] { [Int64(count), total.millionths, least.millionths, greatest.millionths] }
}
