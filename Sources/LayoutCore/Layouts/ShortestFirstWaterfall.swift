/// A waterfall that puts each item where it can start first.
///
/// Kept is a checkpoint of the columns every 128 items, or sixteen for each column if that is more; frames are
/// worked out from the checkpoint before them, and lengths whenever they are needed. Three facts make questions
/// fast:
///
/// - Items start in the order of their index, because each start is the least of all columns. So
///   the end of a range is found by bisection.
/// - At a checkpoint, what reaches below the least column is the last item of some column. So an
///   item of any length that reaches into a range from far above is found without looking there.
/// - Where items of one length go is arithmetic (``EqualSteps``). So however many follow each other,
///   there is one checkpoint before them and one behind them.
final class ShortestFirstWaterfall: SectionBody {
  let length: Length
  private let lengths: ColumnLengths
  private let interitemSpacing: Length
  /// The columns before every so many items, and before and behind many of one length.
  private let checkpoints: Rope<CheckpointRun>
  /// The bytes that they take, unless another section counts them.
  private let checkpointsByteCount: Int

  /// Places the items.
  ///
  /// - Complexity: O(n log c) for n items and c columns, where many of one length count as those of a
  ///   piece.
  convenience init(
    lengths: ColumnLengths, interitemSpacing: Length, _ shared: inout SharedCheckpoints
  ) {
    if lengths.areFew {
      let (checkpoint, isNew) = shared.checkpoint(columnCount: lengths.filledCount)
      self.init(
        few: lengths, interitemSpacing: interitemSpacing, checkpoint,
        byteCount: isNew ? checkpoint.summary.byteCount : 0)
    } else {
      self.init(
        lengths: lengths, interitemSpacing: interitemSpacing, checkpoints: Rope([]), keeping: 0)
    }
  }

  /// Places few items.
  private init(
    few lengths: ColumnLengths, interitemSpacing: Length, _ checkpoint: Rope<CheckpointRun>,
    byteCount: Int
  ) {
    self.lengths = lengths
    self.interitemSpacing = interitemSpacing
    checkpoints = checkpoint
    checkpointsByteCount = byteCount
    let spacing = lengths.spacing(interitemSpacing)
    var front = OrderedColumns(columnCount: lengths.filledCount)
    lengths.forEachBlock(of: 0..<lengths.count, limit: { _ in LengthBlock.capacity }) {
      front.place($1, from: $0, spacing: spacing)
      return true
    }
    length = max(0, front.end - interitemSpacing)
  }

  /// Places the items after a checkpoint; those before it are kept.
  ///
  /// - Parameters:
  ///   - lengths: The lengths of all items.
  ///   - interitemSpacing: Between items of a column.
  ///   - checkpoints: Those before a change, of as many columns; or none.
  ///   - count: How many of them come before the change.
  ///   - old: From which item on all are as they were before the change, and how long all was then; nil if
  ///     the items behind the change have other numbers.
  private init(
    lengths: ColumnLengths, interitemSpacing: Length, checkpoints: Rope<CheckpointRun>,
    keeping count: Int, old: (first: Int, length: Length)? = nil
  ) {
    self.lengths = lengths
    self.interitemSpacing = interitemSpacing
    let (filledCount, pieceCount) = (lengths.filledCount, lengths.pieceCount)
    var writer = CheckpointWriter(
      columnCount: filledCount, count: lengths.likelyPieceCount, keeping: count, of: checkpoints)
    let spacing = lengths.spacing(interitemSpacing)
    let before = checkpoints.place(of: count).map { ($0.leaf, count - $0.start) }
    /// How long all was before the change; nil as long as it may be longer or shorter now.
    var oldLength: Length?
    func place<Front: ColumnFront>(_: Front.Type, _ writer: inout CheckpointWriter) -> Length {
      var front =
        before.map { Front($0.columns(at: $1)) } ?? Front(columnCount: filledCount)
      var next = before.map { $0.columns(at: $1).item } ?? 0
      lengths.forEachBlock(
        of: next..<lengths.count, limit: { $0 == next ? pieceCount : next - $0 }
      ) { item, block in
        let pieceEnd: Int? =
          if case .equal(let lengths) = block.lengths {
            item + lengths.count
          } else {
            item == next ? item + pieceCount : nil
          }
        if let pieceEnd {
          front.append(to: &writer, before: item)
          if let old, item >= old.first, writer.isInStep() {
            oldLength = old.length
            return false
          }
          next = pieceEnd
        }
        front.place(block, from: item, spacing: spacing)
        return true
      }
      return front.end
    }
    let end =
      filledCount <= OrderedColumns.capacity
      ? place(OrderedColumns.self, &writer) : place(ManyColumns.self, &writer)
    self.checkpoints = writer.finish(isInStep: oldLength != nil)
    checkpointsByteCount = self.checkpoints.summary.byteCount + self.checkpoints.rootByteCount
    length = oldLength ?? max(0, end - interitemSpacing)
  }

  /// The same waterfall after a change of its items.
  ///
  /// - Parameters:
  ///   - edits: The change.
  ///   - lengths: The lengths after it.
  ///   - shared: The checkpoints of sections with few items.
  /// - Returns: The changed waterfall.
  /// - Complexity: O(m log c) for the m items from the first change on, of which many of one length count
  ///   as those of a piece: later ones hop between columns. Where items were moved, or made others as long in
  ///   all, they may fall into step again: of whole points mostly after a thousand or two, of millionths hardly
  ///   ever. Then m is those until there.
  func edited(
    _ edits: [ItemEdit], lengths: ColumnLengths, _ shared: inout SharedCheckpoints
  ) -> ShortestFirstWaterfall {
    let fillsAsMany = lengths.filledCount == self.lengths.filledCount
    if fillsAsMany, lengths.areFew, self.lengths.areFew {
      return ShortestFirstWaterfall(
        few: lengths, interitemSpacing: interitemSpacing, checkpoints,
        byteCount: checkpointsByteCount)
    }
    guard fillsAsMany, !lengths.areFew else {
      return ShortestFirstWaterfall(lengths: lengths, interitemSpacing: interitemSpacing, &shared)
    }
    let first = edits.first?.range.lowerBound ?? self.lengths.count
    let staysAsMany = edits.reduce(0) { $0 + $1.growth } == 0
    return ShortestFirstWaterfall(
      lengths: lengths, interitemSpacing: interitemSpacing, checkpoints: checkpoints,
      keeping: checkpoint(before: first),
      old: staysAsMany ? (edits.last?.range.upperBound ?? first, length) : nil)
  }

  private var columns: ColumnGrid { lengths.columns }

  private var spacing: Length { lengths.spacing(interitemSpacing) }

  var byteCount: Int {
    // The object, and some of what it shares with others.
    208 + lengths.columnsByteCount + checkpointsByteCount
  }

  /// Where an item is.
  private struct Place {
    var column: Int
    /// Where its place in the column begins, padding included.
    var start: Length
    /// Its own length.
    var length: Length
  }

  @inline(__always)
  private func frame(of place: Place) -> Rect {
    columns.frame(column: place.column, start: place.start, length: place.length)
  }

  /// What a question wants to see.
  private struct Wanted {
    /// Items from this one on.
    var start = 0
    /// Only items that end below this place; the least there is stands for all, even those without a length.
    var end: Length
    /// Items in these columns.
    var columns: Range<Int>

    init(
      start: Int = 0, endingBelow end: Length = Length(millionths: .min), in columns: Range<Int>
    ) {
      self.start = start
      self.end = end
      self.columns = columns
    }
  }

  /// Visits items that are wanted, and some others that end below the place, with their places, from a
  /// checkpoint on.
  @inline(__always)
  private func forEachPlace(
    _ wanted: Wanted, after before: CheckpointColumns, _ body: (_ item: Int, Place) -> Bool
  ) {
    if lengths.filledCount <= FewColumns.capacity {
      forEachPlace(wanted, from: before.item, FewColumns(before.starts), body)
    } else {
      forEachPlace(wanted, from: before.item, ColumnTournament(before.starts), body)
    }
  }

  @inline(__always)
  private func forEachPlace<Columns: QuestionColumns>(
    _ wanted: Wanted, from first: Int, _ columns: Columns, _ body: (_ item: Int, Place) -> Bool
  ) {
    var columns = columns
    let (spacing, columnCount) = (spacing, lengths.filledCount)
    let end = wanted.end - self.columns.padding
    lengths.forEachBlock(
      of: first..<lengths.count, limit: { _ in LengthBlock.capacity }
    ) { item, block in
      if case .equal(let lengths) = block.lengths {
        return ShortestFirstWaterfall.forEachPlace(
          wanted, endingBelow: end, of: EqualSteps(lengths, spacing, columnCount: columnCount),
          length: Length(millionths: lengths.length), from: item, &columns, body)
      }
      let skipped = columns.skip(block, spacing, endingBy: end)
      return block.forEachLength(from: skipped) { index, length in
        let length = Length(millionths: length)
        let (column, start) = columns.place(length + spacing)
        return start + length <= end
          || body(item + index, Place(column: column, start: start, length: length))
      }
    }
  }

  /// Visits items of one length.
  ///
  /// - Complexity: O(c · (log n + log c) + v · log c) for v items that are wanted.
  @inline(never)
  private static func forEachPlace<Columns: QuestionColumns>(
    _ wanted: Wanted, endingBelow end: Length, of steps: EqualSteps, length: Length,
    from first: Int, _ columns: inout Columns, _ body: (_ item: Int, Place) -> Bool
  ) -> Bool {
    // Those without a length are asked for by number, or not at all.
    let isVisible = length > .zero || wanted.end == Length(millionths: .min)
    let skipped = columns.skip(
      steps, upTo: isVisible ? wanted.start - first : steps.count, startingBy: end - length,
      in: wanted.columns)
    var left = steps
    left.count -= skipped
    return columns.forEachPlace(of: left, in: wanted.columns) { index, column, start in
      body(first + skipped + index, Place(column: column, start: start, length: length))
    }
  }

  func frame(of item: Int) -> Rect {
    frames(of: [item])[0]
  }

  /// - Complexity: O(k · log n + s · log c) for k items that lie behind checkpoints with s items, those of one
  ///   length not counted; no more than for each alone.
  func frames(of items: [Int]) -> [Rect] {
    var frames: [Rect] = []
    frames.reserveCapacity(items.count)
    var reader = ColumnLengths.Reader(lengths)
    while frames.count < items.count {
      let done = frames.count
      let checkpoint = checkpoint(before: items[done])
      if let run = checkpoints.place(of: checkpoint) {
        let before = run.leaf.columns(at: checkpoint - run.start)
        // A run that a change has joined to items before it may begin in front of the checkpoint, and behind
        // the one before.
        if let alike = reader.manyOfOneLength(with: items[done]),
          alike.items.contains(before.item)
        {
          append(items, of: alike, after: before, to: &frames)
        } else {
          forEachPlace(
            Wanted(start: items[done], in: 0..<lengths.filledCount), after: before
          ) { item, place in
            guard items[frames.count] == item else { return true }
            frames.append(frame(of: place))
            // What lies behind another checkpoint is nearer to that.
            return frames.count < items.count
              && self.checkpoint(before: items[frames.count]) == checkpoint
          }
        }
      }
      if frames.count == done { frames.append(Rect(origin: .zero, size: .zero)) }
    }
    return frames
  }

  /// Appends the frames of the next items, as many as are of the same run of one length.
  private func append(
    _ items: [Int], of run: ColumnLengths.Run, after before: CheckpointColumns,
    to frames: inout [Rect]
  ) {
    var counter = EqualStepCounter(step: (run.length + spacing).millionths, before.starts)
    while frames.count < items.count, run.items.contains(items[frames.count]),
      let place = counter.place(after: items[frames.count] - before.item)
    {
      frames.append(
        frame(
          of: Place(
            column: place.column, start: Length(millionths: place.key), length: run.length)))
    }
  }

  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool {
    forEachPlace(in: rect, from: start) { body($0, frame(of: $1)) }
  }

  /// Those that begin in the rectangle follow each other: only the first and the last of them are looked
  /// at, unless some column lies beside the rectangle, or some items have no area.
  ///
  /// - Complexity: O(log n + s · c) then for s items between two checkpoints and c columns, wherever the
  ///   rectangle ends.
  func forEachRun(in rect: Rect, _ body: (Range<Int>, Rect?) -> Bool) -> Bool {
    let showsAll = !lengths.mayBeZero && columns.columns(in: rect).count == columns.count
    var isGoingOn = true
    var first: Int?
    _ = forEachPlace(in: rect, from: 0) { item, place in
      isGoingOn = body(item..<(item + 1), frame(of: place))
      if showsAll, place.start >= rect.minY { first = item }
      return isGoingOn && first == nil
    }
    guard isGoingOn, let first else { return isGoingOn }
    let (last, place) = lastItem(beginningAbove: rect.maxY)
    guard last > first else { return true }
    if last > first + 1, !body((first + 1)..<last, nil) { return false }
    return body(last..<(last + 1), place.map(frame))
  }

  /// The last item that begins above a place, and where it is, unless it ends there or above too.
  private func lastItem(beginningAbove main: Length) -> (item: Int, place: Place?) {
    // Places begin with the padding; nothing lies between two millionths.
    let above = main - columns.padding - Length(millionths: 1)
    var end = lengths.count
    guard let (run, checkpoint) = lastCheckpoint(startingBy: above, orOf: 0) else {
      return (end - 1, nil)
    }
    var last: (item: Int, place: Place)?
    run.withLeaf { leaf in
      forEachPlace(
        Wanted(endingBelow: main, in: 0..<lengths.filledCount),
        after: leaf.columns(at: checkpoint - run.start)
      ) { item, place in
        guard place.start <= above else {
          end = item
          return false
        }
        last = (item, place)
        return true
      }
    }
    return (end - 1, last?.item == end - 1 ? last?.place : nil)
  }

  /// Visits the items that share an area with a rectangle, in ascending order, and their places.
  @inline(__always)
  private func forEachPlace(
    in rect: Rect, from start: Int, _ body: (_ item: Int, Place) -> Bool
  ) -> Bool {
    let wanted = columns.columns(in: rect).clamped(to: 0..<lengths.filledCount)
    guard !rect.isEmpty, !wanted.isEmpty else { return true }
    guard let (run, checkpoint) = lastCheckpoint(startingBy: rect.minY, orOf: start) else {
      return true
    }
    return run.withLeaf { leaf in
      let before = leaf.columns(at: checkpoint - run.start)
      for (item, place) in placesReachingDown(before, wanted, into: rect, from: start) {
        guard body(item, place) else { return false }
      }
      var isGoingOn = true
      // What ends below the rectangle's start and begins above its end overlaps it in the columns that are
      // wanted, unless it has no length.
      forEachPlace(
        Wanted(start: start, endingBelow: rect.minY, in: wanted), after: before
      ) { item, place in
        guard place.start + columns.padding < rect.maxY else { return false }
        if item >= start, wanted.contains(place.column), place.length > .zero {
          isGoingOn = body(item, place)
        }
        return isGoingOn
      }
      return isGoingOn
    }
  }

  /// The last items before a checkpoint that reach down into a rectangle, in order.
  private func placesReachingDown(
    _ before: CheckpointColumns, _ wanted: Range<Int>, into rect: Rect, from start: Int
  ) -> [(item: Int, place: Place)] {
    let (starts, lastItems) = (before.starts, before.lastItems)
    let reachingDown = wanted.filter {
      lastItems[$0] >= start && starts[$0] > rect.minY.millionths
    }
    guard !reachingDown.isEmpty else { return [] }
    var reader = ColumnLengths.Reader(lengths)
    return reachingDown.map { column in
      let item = Int(lastItems[column])
      let length = reader.length(of: item)
      let start = Length(millionths: starts[column]) - spacing - length
      return (item, Place(column: column, start: start, length: length))
    }
    .filter { frame(of: $0.place).overlaps(rect) }
    .sorted { $0.item < $1.item }
  }

  /// The last checkpoint of which some column starts at a place or above it, else the first; with the run
  /// that has it.
  ///
  /// What is above it and not the last of its column has ended before the place.
  ///
  /// - Parameters:
  ///   - main: The place.
  ///   - item: An item before which nothing is wanted.
  /// - Returns: The checkpoint, or the one before the item if that comes later, and its run, which is there as
  ///   long as the body; nil if the item comes after all there are.
  /// - Complexity: O(log n + c · log m) for runs of m checkpoints of c columns.
  private func lastCheckpoint(
    startingBy main: Length, orOf item: Int
  ) -> (run: Rope<CheckpointRun>.UnmanagedPlace, checkpoint: Int)? {
    let found = checkpoints.firstUnmanagedPlace { $1.top > main.millionths }
    let past =
      found.map { found in
        found.start
          + found.withLeaf { $0.firstCheckpoint(below: main.millionths) }
      } ?? checkpoints.count
    let checkpoint = max(past - 1, checkpoint(before: item))
    // Mostly the same run has it.
    if let found, checkpoint >= found.start,
      checkpoint < found.start + found.withLeaf({ $0.count })
    {
      return (found, checkpoint)
    }
    return checkpoints.firstUnmanagedPlace { count, _ in count > checkpoint }
      .map { ($0, checkpoint) }
  }

  /// The last checkpoint before an item.
  ///
  /// - Complexity: O(log n) where no run of one length comes before it, else O(log² n).
  private func checkpoint(before item: Int) -> Int {
    guard item > 0 else { return 0 }
    let guess = item / lengths.pieceCount + 1
    return partitioningIndex(checkpoints.count, near: guess) { number in
      checkpoints.withPlace(of: number) { $0.leaf.chunk.item(number - $0.start) > item } ?? true
    } - 1
  }
}
