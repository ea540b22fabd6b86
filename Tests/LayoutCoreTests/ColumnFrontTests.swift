import Testing

@testable import LayoutCore

/// What a waterfall is worked out with, a block of items at a time, beside one item at a time.
struct ColumnFrontTests {
  /// Lengths that say nothing of a breadth, and so are not scaled.
  private func columnLengths(_ lengths: [Length], _ columnCount: Int) -> ColumnLengths {
    let columns = ColumnGrid(
      ColumnGrid.Metrics(
        count: columnCount, leading: 0, available: 1000, spacing: 0, padding: 0, displayScale: nil))
    let items = Items(
      count: lengths.count, extents: .lengths(LengthArray(count: lengths.count) { lengths[$0] }))
    return ColumnLengths(
      ItemList(items), in: columns, itemSize: Size(width: 1, height: 1), .vertical)
  }

  @Test(arguments: seeds(300))
  func itemsGoWhereTheyCanStartFirst(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let columnCount = generator.int(1...(generator.chance(0.2) ? 100 : 9))
    // Few different lengths, so that columns often start at the same place; some beyond 50 bits.
    let unit: Int64 = generator.chance(0.2) ? 1 << 48 : 1_000_000
    let lengths = (0..<generator.int(1...600)).map { _ in
      Length(millionths: Int64(generator.int(0...5)) * unit)
    }
    let spacing = Length(points: generator.int(0...2))
    let blocks = columnLengths(lengths, columnCount)

    var ends = Array(repeating: Length.zero, count: columnCount)
    var placedCount = 0
    // One at a time, as questions do.
    var one = ColumnTournament(Array(repeating: 0, count: columnCount).span)
    var few = FewColumns(Array(repeating: 0, count: min(columnCount, 8)).span)
    let limit = generator.int(1...200)
    // Where the columns end somewhere on the way.
    let end = Length(
      millionths: Int64(generator.int(0...(lengths.count / columnCount + 1) * 3)) * unit)
    blocks.forEachBlock(of: 0..<lengths.count, limit: { _ in limit }) { first, block in
      var skipping = few
      let skipped =
        columnCount <= FewColumns.capacity ? skipping.skip(block, spacing, endingBy: end) : 0
      var isPast: [Bool] = []
      block.forEachLength { index, length in
        let (item, step) = (first + index, Length(millionths: length) + spacing)
        #expect(Length(millionths: length) == lengths[item])
        let column = ends.indices.min { (ends[$0], $0) < (ends[$1], $1) } ?? 0
        #expect(one.place(step) == (column, ends[column]))
        if columnCount <= FewColumns.capacity { #expect(few.place(step) == (column, ends[column])) }
        isPast.append(ends[column] + step - spacing > end)
        if index >= skipped, columnCount <= FewColumns.capacity {
          #expect(skipping.place(step) == (column, ends[column]))
        }
        ends[column] += step
        placedCount += 1
        return true
      }
      #expect(!isPast.prefix(skipped).contains(true))
      if columnCount <= FewColumns.capacity, unit < 1 << 48 {
        #expect(isPast.dropFirst(skipped).prefix(4).contains(true) || skipped + 4 > isPast.count)
      }
      return true
    }
    #expect(placedCount == lengths.count)
  }

  /// Columns that there are not take no item, not even when no number is left for the others.
  @Test(arguments: [1, 3, 9, 100])
  func columnsAsLongAsNumbersGoTakeItemsStill(columnCount: Int) {
    var columns = ColumnTournament(Array(repeating: 0, count: columnCount).span)
    let longest = Length(millionths: .max)
    for column in 0..<columnCount { #expect(columns.place(longest) == (column, .zero)) }
    for _ in 0..<3 { #expect(columns.place(longest) == (0, longest)) }
    #expect(columns.end == longest)
  }

  /// The columns at checkpoints anywhere on the way are those that items placed one at a time lead to.
  @Test(arguments: seeds(300))
  func checkpointsAreWhereItemsLead(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let columnCount = generator.int(1...(generator.chance(0.2) ? 40 : 8))
    // Now and then one that is longer than columns have in registers, or a column that falls far behind.
    let isWild = generator.chance(0.3)
    let lengths = (0..<generator.int(1...900)).map { _ in
      let unit: Int64 = isWild && generator.chance(0.02) ? 1 << 49 : 1_000_000
      return Length(millionths: Int64(generator.int(0...5)) * unit)
    }
    let spacing = Length(points: generator.int(0...2))
    let blocks = columnLengths(lengths, columnCount)
    // Before which items there is a checkpoint; the one behind the last is where all lead.
    var places = Set([0, lengths.count])
    while generator.chance(0.9) { places.insert(generator.int(0...lengths.count)) }
    let due = places.sorted()

    struct Checkpoint: Equatable {
      var item: Int
      var starts: [Int64]
      var lastItems: [Int64]
    }
    func checkpoints<Front: ColumnFront>(
      of front: Front, from start: Int
    ) -> (rope: Rope<CheckpointRun>, end: Length) {
      var front = front
      var writer = CheckpointWriter(
        columnCount: columnCount, count: due.count, keeping: 0, of: Rope([]))
      let limit = generator.int(1...200)
      func next(after item: Int) -> Int { due.first { $0 > item } ?? item }
      blocks.forEachBlock(
        of: start..<lengths.count, limit: { min(limit, next(after: $0) - $0) }
      ) { first, block in
        if places.contains(first) { front.append(to: &writer, before: first) }
        front.place(block, from: first, spacing: spacing)
        return true
      }
      front.append(to: &writer, before: lengths.count)
      return (writer.finish(), front.end)
    }
    func values(_ rope: Rope<CheckpointRun>) -> [Checkpoint] {
      var checkpoints: [Checkpoint] = []
      rope.forEachLeaf(from: 0) { leaf, _ in
        for number in 0..<leaf.count {
          let columns = leaf.columns(at: number)
          checkpoints.append(
            Checkpoint(
              item: columns.item, starts: columns.starts.indices.map { columns.starts[$0] },
              lastItems: columns.lastItems.indices.map { columns.lastItems[$0] }))
        }
        return true
      }
      return checkpoints
    }

    var starts = Array(repeating: Length.zero, count: columnCount)
    var expected = [
      Checkpoint(item: 0, starts: starts.map(\.millionths), lastItems: starts.map { _ in -1 })
    ]
    for (item, length) in lengths.enumerated() {
      let column = starts.indices.min { (starts[$0], $0) < (starts[$1], $1) } ?? 0
      starts[column] += length + spacing
      var checkpoint = expected[expected.count - 1]
      checkpoint.starts[column] = starts[column].millionths
      checkpoint.lastItems[column] = Int64(item)
      checkpoint.item = item + 1
      expected.append(checkpoint)
    }
    func expectCheckpoints<Front: ColumnFront>(of _: Front.Type) {
      let (rope, end) = checkpoints(of: Front(columnCount: columnCount), from: 0)
      #expect(values(rope) == due.map { expected[$0] })
      #expect(end == starts.max())
      // From one of them on, all is as it was.
      let number = generator.int(0...(due.count - 1))
      let front =
        rope.place(of: number).map { Front($0.leaf.columns(at: number - $0.start)) }
        ?? Front(columnCount: columnCount)
      let rest = checkpoints(of: front, from: due[number])
      #expect(values(rest.rope) == due[number...].map { expected[$0] })
      #expect(rest.end == starts.max())
    }
    expectCheckpoints(of: ManyColumns.self)
    if columnCount <= OrderedColumns.capacity { expectCheckpoints(of: OrderedColumns.self) }
  }

  /// Scaled by doubles or by whole numbers, the result is the one rounded once.
  @Test(arguments: seeds(200))
  func lengthsAreScaledExactly(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let columnCount = generator.int(1...12)
    let available = Length(millionths: Int64(generator.int(1...3_000_000_000)))
    let padding: Length = generator.chance(0.2) ? 1 : 0
    let scales = [1, 2, 2.625, 3.000001, 4 / 3.0]
    let scale = generator.chance(0.4) ? DisplayScale(scales[generator.int(0...4)]) : nil
    let columns = ColumnGrid(
      ColumnGrid.Metrics(
        count: columnCount, leading: 0, available: available, spacing: 0, padding: padding,
        displayScale: scale))
    /// In numbers that are wide enough for anything.
    func scaled(_ size: Size) -> Length {
      guard size.width > .zero, size.height > .zero else { return 0 }
      let (width, height) = (Int128(size.width.millionths), Int128(size.height.millionths))
      let (room, count) = (Int128(available.millionths), Int128(columnCount))
      let paddings = Int128(padding.millionths * 2)
      guard let scale else {
        return Length(
          saturating: roundedQuotient(max(0, room - paddings * count) * height, width * count))
      }
      let (pixelCount, extent) = (Int128(scale.pixels), Int128(scale.length))
      let itemPixels = max(
        0, pixelCount * room / (extent * count) * extent - paddings * pixelCount)
      let pixels = itemPixels * height / (extent * width)
      return Length(saturating: roundedQuotient(pixels * extent, pixelCount))
    }
    // Small even breadths give many quotients that lie in the middle between two numbers.
    let greatest = generator.chance(0.5) ? 8 : generator.chance(0.5) ? 4_294_967_295 : 300_000_000
    func extent(_ least: Int) -> Length {
      Length(millionths: Int64(generator.int(least...greatest)))
    }
    let least = generator.chance(0.2) ? 0 : 1
    // A few breadths of next to nothing make lengths that a double does not hold.
    let areFewTiny = generator.chance(0.2)
    let sizes = (0..<500).map { _ in
      let isTiny = areFewTiny && generator.chance(0.02)
      return Size(
        width: isTiny ? Length(millionths: Int64(generator.int(1...8))) : extent(least),
        height: extent(0))
    }
    let items = Items(
      count: sizes.count,
      extents: .sizes(
        widths: LengthArray(count: sizes.count) { sizes[$0].width },
        heights: LengthArray(count: sizes.count) { sizes[$0].height }))
    for direction in ScrollDirection.allCases {
      let lengths = ColumnLengths(
        ItemList(items), in: columns, itemSize: .zero, direction)
      var reader = ColumnLengths.Reader(lengths)
      lengths.forEachBlock(of: 0..<sizes.count, limit: { _ in 128 }) { item, block in
        block.forEachLength { index, length in
          let size = direction.upright(sizes[item + index])
          let expected = scaled(size)
          #expect(columns.length(scaling: size.height, over: size.width) == expected)
          #expect(Length(millionths: length) == expected)
          #expect(reader.length(of: item + index) == expected)
          #expect(block.bound >= length)
          return true
        }
      }
    }
  }
}
