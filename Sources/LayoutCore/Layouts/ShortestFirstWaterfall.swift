/// A waterfall that puts each item where it can start first.
///
/// Only lengths are kept, and every few hundred items a checkpoint of the columns; frames are worked
/// out from the checkpoint before them. Two facts make questions fast:
///
/// - Items start in the order of their index, because each start is the least of all columns. So
///   the end of a range is found by bisection.
/// - At a checkpoint, what reaches below the least column is the last item of some column. So an
///   item of any length that reaches into a range from far above is found without looking there.
struct ShortestFirstWaterfall: SectionBody {
  let length: Length
  private let sizes: SizeList
  private let interitemSpacing: Length
  private let columns: ColumnGrid
  /// Items between two checkpoints.
  private let stride: Int
  /// The columns before every so many items.
  private let checkpoints: Rope<CheckpointRun>

  /// Places the items.
  ///
  /// - Complexity: O(n log c) for n items and c columns.
  init(sizes: SizeList, interitemSpacing: Length, columns: ColumnGrid) {
    self.init(
      sizes: sizes, interitemSpacing: interitemSpacing, columns: columns,
      checkpoints: Rope([]), keeping: 0)
  }

  /// Places the items after a checkpoint; those before it are kept.
  private init(
    sizes: SizeList, interitemSpacing: Length, columns: ColumnGrid,
    checkpoints: Rope<CheckpointRun>, keeping count: Int
  ) {
    self.sizes = sizes
    self.interitemSpacing = interitemSpacing
    self.columns = columns
    let stride = max(256, columns.count * 4)
    self.stride = stride
    let spacing = columns.padding + columns.padding + interitemSpacing
    var front =
      ShortestFirstWaterfall.front(in: checkpoints, count, columns)
      ?? ColumnFront(columnCount: columns.count)
    var run = CheckpointRun(columnCount: columns.count)
    let first = count * stride
    sizes.rope.forEachChunk(from: first) { place in
      let lengths = place.chunk.main
      for index in max(0, first - place.start)..<lengths.count {
        let item = place.start + index
        if item % stride == 0 { run.append(front) }
        front.place(item, step: lengths[index] + spacing)
      }
      return true
    }
    self.checkpoints = checkpoints.edited([.init(range: count..<checkpoints.count, chunks: [run])])
    var end: Length = 0
    for column in 0..<columns.count where front.lastItems[column] >= 0 {
      end = max(end, Length(millionths: front.starts[column]) - interitemSpacing)
    }
    length = end
  }

  /// The same waterfall after a change of its items.
  ///
  /// - Parameters:
  ///   - edits: The change.
  ///   - sizes: The sizes after it.
  /// - Returns: The changed waterfall.
  /// - Complexity: O(m log c) for the m items from the first change on: later ones hop between
  ///   columns, and as a rule never fall into step again.
  func edited(_ edits: [ItemEdit], sizes: SizeList) -> ShortestFirstWaterfall {
    let first = edits.first?.range.lowerBound ?? self.sizes.count
    return ShortestFirstWaterfall(
      sizes: sizes, interitemSpacing: interitemSpacing,
      columns: columns, checkpoints: checkpoints,
      keeping: max(0, min(first / stride, checkpoints.count - 1)))
  }

  private func step(_ length: Length) -> Length {
    length + columns.padding + columns.padding + interitemSpacing
  }

  /// The columns before the first item after a checkpoint; nil if there is no such checkpoint.
  private static func front(
    in checkpoints: Rope<CheckpointRun>, _ checkpoint: Int, _ columns: ColumnGrid
  ) -> ColumnFront? {
    checkpoints.place(of: checkpoint).map { place in
      let first = (checkpoint - place.start) * columns.count
      let range = first..<(first + columns.count)
      return ColumnFront(
        starts: Array(place.chunk.starts[range]), lastItems: Array(place.chunk.lastItems[range]))
    }
  }

  private func front(atCheckpoint checkpoint: Int) -> ColumnFront {
    ShortestFirstWaterfall.front(in: checkpoints, checkpoint, columns)
      ?? ColumnFront(columnCount: columns.count)
  }

  /// Visits lengths in order.
  private func forEachLength(from item: Int, _ body: (Int, Length) -> Bool) -> Bool {
    sizes.rope.forEachChunk(from: item) { place in
      let lengths = place.chunk.main
      for index in max(0, item - place.start)..<lengths.count {
        guard body(place.start + index, lengths[index]) else { return false }
      }
      return true
    }
  }

  var reusableSizes: SizeList? { sizes }

  var byteCount: Int {
    sizes.byteCount + checkpoints.summary.byteCount + columns.byteCount
  }

  func frame(of item: Int) -> Rect {
    let checkpoint = item / stride
    var front = front(atCheckpoint: checkpoint)
    var frame = Rect(origin: .zero, size: .zero)
    _ = forEachLength(from: checkpoint * stride) { candidate, length in
      guard candidate == item else {
        front.place(candidate, step: step(length))
        return true
      }
      let column = front.next
      frame = columns.frame(
        column: column, start: Length(millionths: front.starts[column]), length: length)
      return false
    }
    return frame
  }

  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool {
    let wanted = columns.columns(in: rect)
    guard !rect.isEmpty, !wanted.isEmpty else { return true }
    // The last checkpoint whose least column is not below the rect's top: what is above it and not
    // the last of its column has ended before.
    let checkpoint = max(0, firstCheckpoint(below: rect.minY) - 1, start / stride)
    var front = front(atCheckpoint: checkpoint)
    let reachingDown = wanted.filter { front.lastItems[$0] >= start }
      .sorted { front.lastItems[$0] < front.lastItems[$1] }
    for column in reachingDown {
      let item = front.lastItems[column]
      let length = sizes[item].height
      let itemStart = Length(millionths: front.starts[column]) - step(length)
      let frame = columns.frame(column: column, start: itemStart, length: length)
      if frame.overlaps(rect), !body(item, frame) { return false }
    }
    var isGoingOn = true
    _ = forEachLength(from: checkpoint * stride) { item, length in
      let column = front.next
      let itemStart = Length(millionths: front.starts[column])
      guard itemStart < rect.maxY else { return false }
      front.place(item, step: step(length))
      guard item >= start, wanted.contains(column) else { return true }
      let frame = columns.frame(column: column, start: itemStart, length: length)
      if frame.overlaps(rect) { isGoingOn = body(item, frame) }
      return isGoingOn
    }
    return isGoingOn
  }

  /// The first checkpoint of which all columns start below a place; their number if there is none.
  private func firstCheckpoint(below main: Length) -> Int {
    guard let place = checkpoints.firstPlace(where: { $1.top > main.millionths }) else {
      return checkpoints.count
    }
    return place.start
      + partitioningIndex(place.chunk.count) { place.chunk.top($0) > main.millionths }
  }
}

/// The columns at some checkpoints, in one piece.
struct CheckpointRun: RopeChunk {
  private let columnCount: Int
  /// Where the next item would start in each column, in millionths, checkpoint after checkpoint.
  private(set) var starts: [Int64] = []
  /// The last item in each column, −1 for none, checkpoint after checkpoint.
  private(set) var lastItems: [Int] = []

  init(columnCount: Int) { self.columnCount = columnCount }

  mutating func append(_ front: ColumnFront) {
    starts.append(contentsOf: front.starts)
    lastItems.append(contentsOf: front.lastItems)
  }

  /// Where a fill in turn stands: which item was last in a column follows from the row.
  mutating func append(starts: [Int64]) { self.starts.append(contentsOf: starts) }

  static var capacity: Int { 16 }

  var count: Int { starts.count / columnCount }

  /// Where the next item would start after a checkpoint; ascending from checkpoint to checkpoint.
  func top(_ checkpoint: Int) -> Int64 {
    starts[(checkpoint * columnCount)..<((checkpoint + 1) * columnCount)].min() ?? 0
  }

  var summary: CheckpointSummary {
    CheckpointSummary(
      top: count == 0 ? .min : top(count - 1),
      byteCount: 144 + (starts.capacity + lastItems.capacity) * 8)
  }

  func goes(with other: CheckpointRun, asUniform: Bool) -> Bool { true }

  static func joining(_ parts: [Part]) -> CheckpointRun {
    var run = CheckpointRun(columnCount: parts.first?.chunk.columnCount ?? 1)
    for (chunk, range) in parts {
      let columns = (range.lowerBound * run.columnCount)..<(range.upperBound * run.columnCount)
      run.starts += chunk.starts[columns]
      if !chunk.lastItems.isEmpty { run.lastItems += chunk.lastItems[columns] }
    }
    return run
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

/// The columns while items are placed: where each would take the next item.
struct ColumnFront {
  /// Where the next item would start in each column, in millionths of a point.
  private(set) var starts: [Int64]
  /// The last item in each column, −1 for none.
  private(set) var lastItems: [Int]
  /// The columns as a binary heap, by start, then by column; empty while a scan is cheaper.
  private var heap: [Int]
  /// The column that takes the next item: the least start, the first column of those.
  private(set) var next: Int

  /// With more columns a heap beats looking at all of them.
  private static let scanLimit = 12

  init(columnCount: Int) {
    self.init(
      starts: Array(repeating: 0, count: columnCount),
      lastItems: Array(repeating: -1, count: columnCount))
  }

  init(starts: [Int64], lastItems: [Int]) {
    self.starts = starts
    self.lastItems = lastItems
    heap = []
    next = 0
    if starts.count > ColumnFront.scanLimit {
      // A sorted array is a heap.
      heap = starts.indices.sorted { (starts[$0], $0) < (starts[$1], $1) }
      next = heap[0]
    } else {
      next = leastByScan()
    }
  }

  /// Puts an item into the next column.
  ///
  /// - Complexity: O(log c), by scan O(c).
  mutating func place(_ item: Int, step: Length) {
    starts[next] = (Length(millionths: starts[next]) + step).millionths
    lastItems[next] = item
    if heap.isEmpty {
      next = leastByScan()
    } else {
      siftDown()
      next = heap[0]
    }
  }

  private func leastByScan() -> Int {
    var least = 0
    for column in 1..<max(1, starts.count) where starts[column] < starts[least] { least = column }
    return least
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && precedes(heap[child], heap[least]) {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    starts[left] != starts[right] ? starts[left] < starts[right] : left < right
  }
}
