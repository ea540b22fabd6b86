/// The columns at some checkpoints, in one piece.
struct CheckpointRun: RopeChunk {
  fileprivate let columnCount: Int
  /// Checkpoint after checkpoint.
  ///
  /// Of each: the first item behind it; where that would start in each column, in millionths; the last item in
  /// each, −1 for none. They lie together because they are read together.
  fileprivate private(set) var words: [Int64] = []

  /// Makes an empty run, with room for as many checkpoints as will come and a run may have.
  fileprivate init(columnCount: Int, expecting count: Int) {
    self.columnCount = columnCount
    words.reserveCapacity(max(0, min(count, CheckpointRun.capacity)) * stride)
  }

  /// How many words a checkpoint has.
  fileprivate var stride: Int { 2 * columnCount + 1 }

  /// Adds a checkpoint.
  fileprivate mutating func append(item: Int, starts: Span<Int64>, lastItems: Span<Int64>) {
    words.append(addingCapacity: 1 + starts.count + lastItems.count) { words in
      words.append(Int64(item))
      for index in starts.indices { words.append(starts[index]) }
      for index in lastItems.indices { words.append(lastItems[index]) }
    }
  }

  /// Adds some checkpoints of another run.
  fileprivate mutating func append(_ other: CheckpointRun, _ range: Range<Int>) {
    words += other.words[(range.lowerBound * stride)..<(range.upperBound * stride)]
  }

  /// Takes the last checkpoint away.
  fileprivate mutating func removeLast() { words.removeLast(stride) }

  /// How long the columns are at a checkpoint, all together.
  fileprivate func sum(_ checkpoint: Int) -> Int64 {
    let first = checkpoint * stride + 1
    return words[first..<(first + columnCount)].reduce(0, &+)
  }

  /// Whether a checkpoint is the same as one of another run of as many columns.
  fileprivate func isSame(_ checkpoint: Int, as other: Int, of run: CheckpointRun) -> Bool {
    let (first, second) = (checkpoint * stride, other * stride)
    for word in 0..<stride where words[first + word] != run.words[second + word] { return false }
    return true
  }

  static var capacity: Int { 16 }

  var count: Int { words.count / stride }

  /// Where the next item would start after a checkpoint; ascending from checkpoint to checkpoint.
  func top(_ checkpoint: Int) -> Int64 {
    var top = Int64.max
    let first = checkpoint * stride + 1
    for index in first..<(first + columnCount) { top = min(top, words[index]) }
    return top
  }

  /// The first item behind a checkpoint; ascending from checkpoint to checkpoint.
  func item(_ checkpoint: Int) -> Int { Int(words[checkpoint * stride]) }

  var summary: CheckpointSummary {
    CheckpointSummary(
      top: count == 0 ? .min : top(count - 1), byteCount: 144 + words.capacity * 8)
  }

  func goes(with other: CheckpointRun, asUniform: Bool) -> Bool { true }

  static func joining(_ parts: ArraySlice<Part>) -> CheckpointRun {
    let count = parts.reduce(0) { $0 + $1.range.count }
    var run = CheckpointRun(columnCount: parts.first?.chunk.columnCount ?? 1, expecting: count)
    for part in parts { run.append(part.chunk, part.range) }
    return run
  }
}

/// The only checkpoint of a section with few items: its columns before the first of them; one for each number of
/// columns, for all sections that are laid out together.
struct SharedCheckpoints {
  private var ropes = InlineArray<9, Rope<CheckpointRun>?>(repeating: nil)

  /// The checkpoint.
  ///
  /// - Parameter count: How many columns it has, 1 … ``OrderedColumns/capacity``.
  /// - Returns: The checkpoint, and whether it has just been made.
  mutating func checkpoint(columnCount count: Int) -> (rope: Rope<CheckpointRun>, isNew: Bool) {
    if let rope = ropes[count] { return (rope, false) }
    var run = CheckpointRun(columnCount: count, expecting: 1)
    run.append(
      item: 0, starts: Array(repeating: 0, count: count).span,
      lastItems: Array(repeating: -1, count: count).span)
    let rope = Rope(run)
    ropes[count] = rope
    return (rope, true)
  }
}

/// Checkpoints while they are made, after some that are kept.
struct CheckpointWriter {
  private let kept: Rope<CheckpointRun>
  /// Where the first of the new runs begins: with a run of those that are kept, so that none is cut.
  private let start: Int
  /// How many checkpoints there will likely be.
  private let count: Int
  private var runs: [CheckpointRun] = []
  private var run: CheckpointRun
  /// The run before the change that has as many before it as the new one, and its checkpoints.
  private var old: (run: CheckpointRun, start: Int, end: Int)?
  private var mayFallIntoStep = true

  /// Keeps the first checkpoints of a change.
  ///
  /// - Parameters:
  ///   - columnCount: How many columns each has.
  ///   - count: How many there will likely be.
  ///   - keptCount: How many are kept; less than there are, unless there are none.
  ///   - kept: Those before the change, of as many columns.
  init(
    columnCount: Int, count: Int, keeping keptCount: Int, of kept: Rope<CheckpointRun>
  ) {
    self.kept = kept
    self.count = count
    let place = kept.place(of: keptCount)
    start = place?.start ?? kept.count
    run = CheckpointRun(columnCount: columnCount, expecting: count - start)
    if let place { run.append(place.chunk, 0..<(keptCount - place.start)) }
    let left = count - start
    if left > CheckpointRun.capacity {
      runs.reserveCapacity((left - 1) / CheckpointRun.capacity + 1)
    }
  }

  /// Adds a checkpoint.
  ///
  /// - Parameters:
  ///   - item: The next item.
  ///   - starts: Where it would start in each column.
  ///   - lastItems: The last item in each column, −1 for none.
  mutating func append(item: Int, starts: Span<Int64>, lastItems: Span<Int64>) {
    if run.count >= CheckpointRun.capacity {
      runs.append(run)
      let done = start + runs.count * CheckpointRun.capacity
      run = CheckpointRun(columnCount: run.columnCount, expecting: count - done)
    }
    run.append(item: item, starts: starts, lastItems: lastItems)
  }

  /// The number of the last checkpoint that was added.
  private var last: Int { start + runs.count * CheckpointRun.capacity + run.count - 1 }

  /// Whether the last checkpoint that was added is the same as before the change.
  ///
  /// To be asked for each of those behind it, as long as none is.
  ///
  /// - Complexity: O(c) for c columns, and O(log n) once for each run; nothing if it cannot be.
  mutating func isInStep() -> Bool {
    guard mayFallIntoStep else { return false }
    let last = last
    if last >= old?.end ?? 0 {
      guard let place = kept.place(of: last) else { return false }
      // Columns that are longer in all stay so, whatever follows.
      mayFallIntoStep =
        old != nil || place.chunk.sum(last - place.start) == run.sum(run.count - 1)
      old = (place.chunk, place.start, place.start + place.chunk.count)
    }
    guard let old else { return false }
    return old.run.isSame(last - old.start, as: run.count - 1, of: run)
  }

  /// All checkpoints.
  ///
  /// - Parameter isInStep: Whether the last one that was added is the same as before the change, and all that
  ///   follow it will be.
  /// - Returns: The checkpoints.
  consuming func finish(isInStep: Bool = false) -> Rope<CheckpointRun> {
    // Nothing but these few.
    if kept.count == 0, runs.isEmpty { return Rope(run) }
    let end = isInStep ? last : kept.count
    if isInStep { run.removeLast() }
    if run.count > 0 { runs.append(run) }
    return kept.edited([.init(range: start..<end, chunks: runs)])
  }
}

/// The columns at a checkpoint, where they lie.
struct CheckpointColumns: ~Escapable {
  /// The first item behind the checkpoint.
  let item: Int
  /// Where the next item would start in each, in millionths.
  let starts: Span<Int64>
  /// The last item in each, −1 for none.
  let lastItems: Span<Int64>

  @_lifetime(copy starts, copy lastItems)
  fileprivate init(item: Int, starts: Span<Int64>, lastItems: Span<Int64>) {
    self.item = item
    self.starts = starts
    self.lastItems = lastItems
  }
}

extension RopeLeaf<CheckpointRun> {
  /// The first checkpoint of which all columns start below a place; their number if there is none.
  ///
  /// - Parameter main: The place.
  /// - Returns: The checkpoint.
  /// - Complexity: O(c · log m) for m checkpoints of c columns.
  func firstCheckpoint(below main: Int64) -> Int {
    partitioningIndex(count) { chunk.top($0) > main }
  }

  /// The columns at one of the checkpoints, without counting the uses of the array.
  ///
  /// - Parameter checkpoint: 0 ..< count.
  /// - Returns: The columns.
  @_lifetime(borrow self)
  func columns(at checkpoint: Int) -> CheckpointColumns {
    let words = chunk.words
    let first = checkpoint * chunk.stride + 1
    let (middle, end) = (first + chunk.columnCount, first + 2 * chunk.columnCount)
    // Safe: what a leaf is made of never changes, and is there as long as the leaf.
    return unsafe _overrideLifetime(
      CheckpointColumns(
        item: Int(words.span[first - 1]), starts: words.span.extracting(first..<middle),
        lastItems: words.span.extracting(middle..<end)),
      borrowing: self)
  }
}

/// What is known of many checkpoints.
struct CheckpointSummary: RopeSummary {
  /// Where the next item would start after the last of them.
  var top: Int64 = .min
  var byteCount = 0

  static let zero = CheckpointSummary()

  static func + (left: CheckpointSummary, right: CheckpointSummary) -> CheckpointSummary {
    CheckpointSummary(
      top: max(left.top, right.top), byteCount: left.byteCount + right.byteCount)
  }
}
