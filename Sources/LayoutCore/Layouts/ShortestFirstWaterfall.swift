/// A waterfall that puts each item where it can start first.
///
/// Only lengths are kept, and every few hundred items a checkpoint of the columns; frames are worked
/// out from the checkpoint before them. Two facts make questions fast:
///
/// - Items start in the order of their index, because each start is the least of all columns. So
///   the end of a range is found by bisection.
/// - At a checkpoint, what reaches below the least column is the last item of some column. So an
///   item of any length that reaches into a range from far above is found without looking there.
final class ShortestFirstWaterfall: SectionBody {
  let length: Length
  private let lengths: ColumnLengths
  private let interitemSpacing: Length
  private let columns: ColumnGrid
  /// The columns that may have items, the first ones: an empty one is only filled if all before it
  /// have an item.
  private let filledCount: Int
  /// Items between two checkpoints.
  private let stride: Int
  /// The columns before every so many items.
  private let checkpoints: Rope<CheckpointRun>

  /// Places the items.
  ///
  /// - Complexity: O(n log c) for n items and c columns.
  convenience init(lengths: ColumnLengths, interitemSpacing: Length, columns: ColumnGrid) {
    self.init(
      lengths: lengths, interitemSpacing: interitemSpacing, columns: columns,
      checkpoints: Rope([]), keeping: 0)
  }

  /// Places the items after a checkpoint; those before it are kept.
  private init(
    lengths: ColumnLengths, interitemSpacing: Length, columns: ColumnGrid,
    checkpoints: Rope<CheckpointRun>, keeping count: Int
  ) {
    self.lengths = lengths
    self.interitemSpacing = interitemSpacing
    self.columns = columns
    // Few enough to be gone through for a question, many enough that checkpoints of many columns do
    // not take more memory than the items.
    let filledCount = ShortestFirstWaterfall.filledCount(lengths, columns)
    self.filledCount = filledCount
    let stride = max(128, filledCount * 16)
    self.stride = stride
    var writer = CheckpointWriter(
      columnCount: filledCount, hasLastItems: true, count: (lengths.count - 1) / stride + 1,
      keeping: count, of: checkpoints)
    let spacing = columns.padding + columns.padding + interitemSpacing
    let before = checkpoints.place(of: count).map { ($0.leaf, count - $0.start) }
    func place<Front: ColumnFront>(_: Front.Type, _ writer: inout CheckpointWriter) -> Length {
      var front =
        before.map { Front($0.columns(at: $1)) } ?? Front(columnCount: filledCount)
      var next = count * stride
      lengths.forEachBlock(from: next, limit: { $0 == next ? stride : next - $0 }) { item, block in
        if item == next {
          front.append(to: &writer)
          next += stride
        }
        front.place(block, from: item, spacing: spacing)
        return true
      }
      return front.end
    }
    let end =
      filledCount <= OrderedColumns.capacity
      ? place(OrderedColumns.self, &writer) : place(HeapedColumns.self, &writer)
    self.checkpoints = writer.finish()
    length = max(0, end - interitemSpacing)
  }

  /// The same waterfall after a change of its items.
  ///
  /// - Parameters:
  ///   - edits: The change.
  ///   - lengths: The lengths after it.
  /// - Returns: The changed waterfall.
  /// - Complexity: O(m log c) for the m items from the first change on: later ones hop between
  ///   columns, and as a rule never fall into step again.
  func edited(_ edits: [ItemEdit], lengths: ColumnLengths) -> ShortestFirstWaterfall {
    guard ShortestFirstWaterfall.filledCount(lengths, columns) == filledCount else {
      return ShortestFirstWaterfall(
        lengths: lengths, interitemSpacing: interitemSpacing, columns: columns)
    }
    let first = edits.first?.range.lowerBound ?? self.lengths.count
    return ShortestFirstWaterfall(
      lengths: lengths, interitemSpacing: interitemSpacing,
      columns: columns, checkpoints: checkpoints,
      keeping: max(0, min(first / stride, checkpoints.count - 1)))
  }

  private static func filledCount(_ lengths: ColumnLengths, _ columns: ColumnGrid) -> Int {
    max(1, min(columns.count, lengths.count))
  }

  private var spacing: Length { columns.padding + columns.padding + interitemSpacing }

  var byteCount: Int {
    // The object, the root of its rope, and what it knows of lengths.
    320 + checkpoints.summary.byteCount + checkpoints.rootByteCount + columns.byteCount
  }

  /// Visits items that end below a place, with their columns and where they start there, from a
  /// checkpoint on.
  @inline(__always)
  private func forEachPlace(
    from checkpoint: Int, _ before: CheckpointColumns, endingBelow main: Length,
    _ body: (_ item: Int, _ column: Int, _ start: Length, _ length: Length) -> Bool
  ) {
    let (spacing, main) = (spacing, main - columns.padding)
    if filledCount <= FewColumns.capacity {
      var few = FewColumns(before.starts)
      lengths.forEachBlock(from: checkpoint * stride, limit: { _ in LengthBlock.capacity }) {
        item, block in
        let first = few.skip(block, spacing, endingBy: main)
        return block.forEachLength(from: first) { index, length in
          let length = Length(millionths: length)
          let (column, start) = few.place(length + spacing)
          return start + length <= main || body(item + index, column, start, length)
        }
      }
      return
    }
    var front = HeapedColumns(before)
    lengths.forEachLength(from: checkpoint * stride) { item, length in
      let (column, start) = front.place(item, length + spacing)
      return start + length <= main || body(item, column, start, length)
    }
  }

  func frame(of item: Int) -> Rect {
    var frame = Rect(origin: .zero, size: .zero)
    let checkpoint = item / stride
    guard let run = checkpoints.place(of: checkpoint) else { return frame }
    let before = run.leaf.columns(at: checkpoint - run.start)
    let everywhere = Length(millionths: .min)
    forEachPlace(from: checkpoint, before, endingBelow: everywhere) {
      candidate, column, start, length in
      guard candidate == item else { return true }
      frame = columns.frame(column: column, start: start, length: length)
      return false
    }
    return frame
  }

  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool {
    let wanted = columns.columns(in: rect).clamped(to: 0..<filledCount)
    guard !rect.isEmpty, !wanted.isEmpty else { return true }
    guard let (run, checkpoint) = lastCheckpoint(startingBy: rect.minY, orOf: start) else {
      return true
    }
    let before = run.leaf.columns(at: checkpoint - run.start)
    guard forEachReachingDown(before, wanted, into: rect, from: start, body) else { return false }
    var isGoingOn = true
    forEachPlace(from: checkpoint, before, endingBelow: rect.minY) {
      item, column, itemStart, length in
      guard itemStart < rect.maxY else { return false }
      guard item >= start, wanted.contains(column) else { return true }
      let frame = columns.frame(column: column, start: itemStart, length: length)
      if frame.overlaps(rect) { isGoingOn = body(item, frame) }
      return isGoingOn
    }
    return isGoingOn
  }

  /// Visits the last items before a checkpoint that reach down into a rectangle, in order.
  private func forEachReachingDown(
    _ before: CheckpointColumns, _ wanted: Range<Int>, into rect: Rect, from start: Int,
    _ body: (Int, Rect) -> Bool
  ) -> Bool {
    let (starts, lastItems) = (before.starts, before.lastItems)
    let reachingDown = wanted.filter {
      lastItems[$0] >= start && starts[$0] > rect.minY.millionths
    }
    guard !reachingDown.isEmpty else { return true }
    var reader = ColumnLengths.Reader(lengths)
    for column in reachingDown.sorted(by: { lastItems[$0] < lastItems[$1] }) {
      let item = Int(lastItems[column])
      let length = reader.length(of: item)
      let itemStart = Length(millionths: starts[column]) - spacing - length
      let frame = columns.frame(column: column, start: itemStart, length: length)
      if frame.overlaps(rect), !body(item, frame) { return false }
    }
    return true
  }

  /// The last checkpoint of which some column starts at a place or above it, else the first; with the run
  /// that has it.
  ///
  /// What is above it and not the last of its column has ended before the place.
  ///
  /// - Parameters:
  ///   - main: The place.
  ///   - item: An item before which nothing is wanted.
  /// - Returns: The checkpoint, or the one before the item if that comes later; nil if the item comes
  ///   after all there are.
  /// - Complexity: O(log n + c · log m) for runs of m checkpoints of c columns.
  private func lastCheckpoint(
    startingBy main: Length, orOf item: Int
  ) -> (run: Rope<CheckpointRun>.Place, checkpoint: Int)? {
    let found = checkpoints.firstPlace { $1.top > main.millionths }
    let past =
      found.map { $0.start + $0.leaf.firstCheckpoint(below: main.millionths, after: $0.before) }
      ?? checkpoints.count
    let checkpoint = max(0, past - 1, item / stride)
    if let found, checkpoint >= found.start, checkpoint < found.start + found.count {
      return (found, checkpoint)
    }
    return checkpoints.place(of: checkpoint).map { ($0, checkpoint) }
  }
}
