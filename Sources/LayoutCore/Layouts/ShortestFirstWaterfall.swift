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
  private let lengths: LengthArray
  private let interitemSpacing: Length
  private let columns: ColumnGrid
  /// Items between two checkpoints.
  private let stride: Int
  /// Where the next item would start in each column, checkpoint after checkpoint.
  private let starts: [Int64]
  /// The last item in each column, −1 for none, checkpoint after checkpoint.
  private let lastItems: [Int]
  /// The least of each checkpoint's starts; ascending.
  private let tops: [Int64]

  /// Places the items.
  ///
  /// - Complexity: O(n log c) for n items and c columns.
  init(lengths: LengthArray, interitemSpacing: Length, columns: ColumnGrid) {
    self.lengths = lengths
    self.interitemSpacing = interitemSpacing
    self.columns = columns
    stride = max(256, columns.count * 4)
    var starts: [Int64] = []
    var lastItems: [Int] = []
    var tops: [Int64] = []
    var front = ColumnFront(columnCount: columns.count)
    for item in 0..<lengths.count {
      if item % stride == 0 {
        starts.append(contentsOf: front.starts)
        lastItems.append(contentsOf: front.lastItems)
        tops.append(front.starts[front.next])
      }
      front.place(item, step: ShortestFirstWaterfall.step(lengths[item], interitemSpacing, columns))
    }
    self.starts = starts
    self.lastItems = lastItems
    self.tops = tops
    var end: Length = 0
    for column in 0..<columns.count where front.lastItems[column] >= 0 {
      end = max(end, Length(millionths: front.starts[column]) - interitemSpacing)
    }
    length = end
  }

  private static func step(
    _ length: Length, _ interitemSpacing: Length, _ columns: ColumnGrid
  ) -> Length {
    length + columns.padding + columns.padding + interitemSpacing
  }

  private func step(_ item: Int) -> Length {
    ShortestFirstWaterfall.step(lengths[item], interitemSpacing, columns)
  }

  private func front(atCheckpoint checkpoint: Int) -> ColumnFront {
    let range = (checkpoint * columns.count)..<((checkpoint + 1) * columns.count)
    return ColumnFront(starts: Array(starts[range]), lastItems: Array(lastItems[range]))
  }

  var byteCount: Int {
    lengths.byteCount + (starts.capacity + lastItems.capacity + tops.capacity) * 8
      + columns.byteCount
  }

  func frame(of item: Int) -> Rect {
    let checkpoint = item / stride
    var front = front(atCheckpoint: checkpoint)
    for earlier in (checkpoint * stride)..<item { front.place(earlier, step: step(earlier)) }
    let column = front.next
    return columns.frame(
      column: column, start: Length(millionths: front.starts[column]), length: lengths[item])
  }

  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool {
    let wanted = columns.columns(in: rect)
    guard !rect.isEmpty, !wanted.isEmpty else { return true }
    // The last checkpoint whose least column is not below the rect's top: what is above it and not
    // the last of its column has ended before.
    let past = partitioningIndex(tops.count) { tops[$0] > rect.minY.millionths }
    let checkpoint = max(0, past - 1, start / stride)
    var front = front(atCheckpoint: checkpoint)
    let reachingDown = wanted.filter { front.lastItems[$0] >= start }
      .sorted { front.lastItems[$0] < front.lastItems[$1] }
    for column in reachingDown {
      let item = front.lastItems[column]
      let itemStart = Length(millionths: front.starts[column]) - step(item)
      let frame = columns.frame(column: column, start: itemStart, length: lengths[item])
      if frame.overlaps(rect), !body(item, frame) { return false }
    }
    for item in (checkpoint * stride)..<lengths.count {
      let column = front.next
      let itemStart = Length(millionths: front.starts[column])
      guard itemStart < rect.maxY else { break }
      front.place(item, step: step(item))
      guard item >= start, wanted.contains(column) else { continue }
      let frame = columns.frame(column: column, start: itemStart, length: lengths[item])
      if frame.overlaps(rect), !body(item, frame) { return false }
    }
    return true
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
