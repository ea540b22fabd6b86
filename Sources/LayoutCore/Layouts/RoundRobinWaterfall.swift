/// A waterfall that fills its columns one after the other, row by row.
///
/// Each column is a list of its own. By how much blocks of items move the columns on is kept; frames are worked
/// out from the start of their block. However many items of one length follow each other, they are one block.
final class RoundRobinWaterfall: SectionBody {
  let length: Length
  private let lengths: ColumnLengths
  private let interitemSpacing: Length
  private let isReversed: Bool
  /// Nil where they are less than a block: its columns start at the top, and nothing comes after it.
  private let blocks: Rope<ColumnBlockRun>?

  /// Places the items.
  ///
  /// - Complexity: O(n), where many of one length count as those of a block.
  convenience init(
    lengths: ColumnLengths, interitemSpacing: Length, isReversed: Bool
  ) {
    self.init(
      lengths: lengths, interitemSpacing: interitemSpacing, isReversed: isReversed,
      blocks: lengths.areFew
        ? nil
        : Rope(
          RoundRobinWaterfall.runs(
            of: 0..<lengths.count, lengths, interitemSpacing: interitemSpacing)))
  }

  private init(
    lengths: ColumnLengths, interitemSpacing: Length, isReversed: Bool,
    blocks: Rope<ColumnBlockRun>?
  ) {
    self.lengths = lengths
    self.interitemSpacing = interitemSpacing
    self.isReversed = isReversed
    self.blocks = blocks
    let summary =
      blocks?.summary
      ?? RoundRobinWaterfall.block(ofFew: lengths, interitemSpacing: interitemSpacing).summary
    length = summary.sums.reduce(0) { max($0, Length(millionths: $1) - interitemSpacing) }
  }

  /// Adds few items up, which are one block.
  private static func block(
    ofFew lengths: ColumnLengths, interitemSpacing: Length
  ) -> ColumnBlockRun {
    let spacing = lengths.spacing(interitemSpacing)
    var run = ColumnBlockRun(columnCount: lengths.filledCount, expecting: 1)
    run.append(itemCount: lengths.count)
    var column = 0
    lengths.forEachBlock(of: 0..<lengths.count, limit: { _ in LengthBlock.capacity }) {
      _ = run.add($1, from: &column, spacing: spacing)
      return true
    }
    return run
  }

  /// Adds up items in blocks of about one size, but for those of which many have one length.
  private static func runs(
    of items: Range<Int>, _ lengths: ColumnLengths, interitemSpacing: Length
  ) -> [ColumnBlockRun] {
    guard !items.isEmpty else { return [] }
    let spacing = lengths.spacing(interitemSpacing)
    let columnCount = lengths.filledCount
    let blocks = lengths.pieces(of: items)
    var runs: [ColumnBlockRun] = []
    runs.reserveCapacity((blocks.count - 1) / ColumnBlockRun.capacity + 1)
    var run = ColumnBlockRun(columnCount: columnCount, expecting: blocks.count)
    var number = 0
    var column = 0
    lengths.forEachBlock(of: items, limit: { blocks[number].upperBound - $0 }) { item, block in
      if item == blocks[number].lowerBound {
        if run.count == ColumnBlockRun.capacity {
          runs.append(run)
          run = ColumnBlockRun(columnCount: columnCount, expecting: blocks.count - number)
        }
        run.append(itemCount: blocks[number].count)
        column = 0
      }
      let end = item + run.add(block, from: &column, spacing: spacing)
      if end == blocks[number].upperBound, number + 1 < blocks.count { number += 1 }
      return true
    }
    runs.append(run)
    return runs
  }

  // MARK: Changing

  /// The same waterfall after a change of its items.
  ///
  /// - Parameters:
  ///   - edits: The change.
  ///   - lengths: The lengths after it.
  /// - Returns: The changed waterfall.
  /// - Complexity: O(k · b · log n) for k edits and the b items of a block, besides what is inserted.
  func edited(_ edits: [ItemEdit], lengths: ColumnLengths) -> RoundRobinWaterfall {
    guard let blocks, !lengths.areFew, lengths.filledCount == self.lengths.filledCount else {
      return RoundRobinWaterfall(
        lengths: lengths, interitemSpacing: interitemSpacing, isReversed: isReversed)
    }
    var blockEdits: [Rope<ColumnBlockRun>.Edit] = []
    var growth = 0
    // What is left of a block goes to a neighbour, so that there are never many small ones.
    func isSmall(_ touched: Touched) -> Bool {
      touched.newCount < lengths.pieceCount / 2
    }
    /// Adds some blocks up anew; the one behind them may be kept, or be changed too.
    func replace(_ touched: Touched, isNextKept: Bool) {
      var touched = touched
      if isSmall(touched), touched.blocks.lowerBound > blockEdits.last?.range.upperBound ?? 0 {
        touched.formUnion(RoundRobinWaterfall.block(with: touched.items.lowerBound - 1, of: blocks))
      }
      if isSmall(touched), isNextKept, touched.blocks.upperBound < blocks.count {
        touched.formUnion(RoundRobinWaterfall.block(with: touched.items.upperBound, of: blocks))
      }
      let start = touched.items.lowerBound + growth
      growth += touched.growth
      let runs = RoundRobinWaterfall.runs(
        of: start..<(touched.items.upperBound + growth), lengths,
        interitemSpacing: interitemSpacing)
      blockEdits.append(.init(range: touched.blocks, chunks: runs))
    }
    var pending: Touched?
    for edit in edits {
      var touched = touched(by: edit.range, of: blocks)
      touched.growth = edit.growth
      if let before = pending {
        let distance = touched.blocks.lowerBound - before.blocks.upperBound
        if distance < 0 || distance == 0 && isSmall(before) {
          touched.formUnion(before)
        } else {
          replace(before, isNextKept: distance > 0)
        }
      }
      pending = touched
    }
    if let pending { replace(pending, isNextKept: true) }
    return RoundRobinWaterfall(
      lengths: lengths, interitemSpacing: interitemSpacing, isReversed: isReversed,
      blocks: blocks.edited(blockEdits))
  }

  private var columns: ColumnGrid { lengths.columns }

  /// Blocks that an edit is in.
  private struct Touched {
    var blocks: Range<Int>
    /// All items of those blocks.
    var items: Range<Int>
    /// By how many they become more.
    var growth = 0

    /// How many they become.
    var newCount: Int { items.count + growth }

    /// Adds blocks that touch these.
    mutating func formUnion(_ other: Touched) {
      blocks = Touched.hull(blocks, other.blocks)
      items = Touched.hull(items, other.items)
      growth += other.growth
    }

    /// Both ranges, and what is between them.
    private static func hull(_ one: Range<Int>, _ other: Range<Int>) -> Range<Int> {
      let start = min(one.lowerBound, other.lowerBound)
      return start..<max(one.upperBound, other.upperBound)
    }
  }

  /// The blocks with some items, or at which one is inserted.
  private func touched(by range: Range<Int>, of blocks: Rope<ColumnBlockRun>) -> Touched {
    // What is put behind all is put into the last block.
    let last = lengths.count - 1
    var touched = RoundRobinWaterfall.block(with: min(range.lowerBound, last), of: blocks)
    if range.count > 1 {
      touched.formUnion(
        RoundRobinWaterfall.block(with: min(range.upperBound - 1, last), of: blocks))
    }
    return touched
  }

  /// The block with an item.
  private static func block(with item: Int, of blocks: Rope<ColumnBlockRun>) -> Touched {
    var (number, start, count) = (0, 0, 0)
    /// Goes past items before the one that is looked for.
    func isPassed(_ blockCount: Int, _ itemCount: Int) -> Bool {
      count = itemCount
      guard start + itemCount <= item else { return false }
      number += blockCount
      start += itemCount
      return true
    }
    blocks.withLeaf(behind: { isPassed($0, $1.itemCount) }) { leaf in
      leaf.chunk.pass { count, _ in isPassed(1, count) }
    }
    return Touched(blocks: number..<(number + 1), items: start..<(start + count))
  }

  // MARK: Reading

  private func column(ofPlace place: Int) -> Int {
    isReversed ? columns.count - 1 - place : place
  }

  private func step(_ length: Length) -> Length {
    length + lengths.spacing(interitemSpacing)
  }

  /// The way along a column past all blocks that lie before what is looked for.
  ///
  /// - Parameters:
  ///   - place: The place of the column in a row.
  ///   - isBefore: Whether a place does, from how many items there are up to it and where the column's next
  ///     item would start there.
  /// - Returns: The way up to the block; nil if all are before it.
  @inline(__always)
  private func path(
    ofPlace place: Int, while isBefore: (_ count: Int, _ start: Length) -> Bool
  ) -> ColumnPath? {
    var path = ColumnPath(column: place, of: columns.count)
    guard let blocks else { return path }
    let found: Void? = blocks.withLeaf(
      behind: { path.pass(itemCount: $1.itemCount, $1.sums.span, if: isBefore) }
    ) { leaf in
      leaf.chunk.pass { path.pass(itemCount: $0, $1, if: isBefore) }
    }
    return found.map { path }
  }

  var byteCount: Int {
    // The object, and some of what it shares with others.
    208 + (blocks.map { $0.summary.byteCount + $0.rootByteCount } ?? 0) + lengths.columnsByteCount
  }

  func frame(of item: Int) -> Rect {
    let place = item % columns.count
    var reader = ColumnLengths.Reader(lengths)
    var start: Length = 0
    if let path = path(ofPlace: place, while: { count, _ in count <= item }) {
      start = path.start
      var earlier = path.item
      while earlier < item {
        let run = reader.run(from: earlier)
        let count = count(from: earlier, to: min(run.end, item))
        start += step(run.length) * count
        earlier += columns.count * count
      }
    }
    return columns.frame(
      column: column(ofPlace: place), start: start, length: reader.length(of: item))
  }

  /// How many of some items are in the column of the first of them.
  @inline(__always)
  private func count(from item: Int, to end: Int) -> Int {
    end - item <= columns.count ? 1 : (end - item - 1) / columns.count + 1
  }

  /// A column on its way down through a rectangle.
  private struct Cursor {
    var place: Int
    var row: Int
    var start: Length
  }

  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool {
    guard !rect.isEmpty else { return true }
    var cursors: [Cursor] = []
    var reader = ColumnLengths.Reader(lengths)
    for column in columns.columns(in: rect) {
      let place = isReversed ? columns.count - 1 - column : column
      if let cursor = cursor(place, in: rect, from: start, &reader) { cursors.append(cursor) }
    }
    if isReversed { cursors.reverse() }
    // Row by row, so that items come in order; columns may be far apart, rows between are skipped.
    var next = ColumnHeap(
      cursors.indices.map { ColumnHeap.Entry(key: Int64(cursors[$0].row), column: $0) })
    while let first = next.first {
      let cursor = cursors[first.column]
      let item = cursor.row * columns.count + cursor.place
      let run = reader.run(from: item)
      let frame = columns.frame(
        column: column(ofPlace: cursor.place), start: cursor.start, length: run.length)
      if frame.overlaps(rect), !body(item, frame) { return false }
      // Of those without a length none is seen, however many there are.
      let count = run.length > .zero ? 1 : count(from: item, to: run.end)
      let (row, start) = (cursor.row + count, cursor.start + step(run.length) * count)
      if row * columns.count + cursor.place < lengths.count, start < rect.maxY {
        (cursors[first.column].row, cursors[first.column].start) = (row, start)
        next.replaceFirst(with: Int64(row))
      } else {
        next.removeFirst()
      }
    }
    return true
  }

  /// The first item of a column that ends below the rectangle's top, not before `first`.
  private func cursor(
    _ place: Int, in rect: Rect, from first: Int, _ reader: inout ColumnLengths.Reader
  ) -> Cursor? {
    // A block after which the column's next item starts at the rectangle's top or above it holds none that
    // ends below it.
    guard
      let path = path(ofPlace: place, while: { $0 <= first || $1 <= rect.minY })
    else { return nil }
    var (item, start) = (path.item, path.start)
    while item < lengths.count {
      let run = reader.run(from: item)
      let (count, step) = (count(from: item, to: run.end), step(run.length))
      let passed = partitioningIndex(count) {
        item + columns.count * $0 >= first
          && start + step * $0 + columns.padding + run.length > rect.minY
      }
      item += columns.count * passed
      start += step * passed
      if passed < count {
        return start < rect.maxY
          ? Cursor(place: place, row: item / columns.count, start: start) : nil
      }
    }
    return nil
  }
}
