/// A waterfall that fills its columns one after the other, row by row.
///
/// Each column is a list of its own. Checkpoints of all columns are kept every few rows.
struct RoundRobinWaterfall: SectionBody {
  let length: Length
  private let lengths: LengthArray
  private let interitemSpacing: Length
  private let columns: ColumnGrid
  private let isReversed: Bool
  /// Rows between two checkpoints.
  private let stride: Int
  /// Where each place of a row starts, checkpoint after checkpoint.
  private let starts: [Int64]

  /// Places the items.
  ///
  /// - Complexity: O(n).
  init(
    lengths: LengthArray, interitemSpacing: Length, columns: ColumnGrid, isReversed: Bool
  ) {
    self.lengths = lengths
    self.interitemSpacing = interitemSpacing
    self.columns = columns
    self.isReversed = isReversed
    stride = max(16, 256 / columns.count)
    let padding = columns.padding + columns.padding
    var starts: [Int64] = []
    var front = Array(repeating: Length.zero, count: columns.count)
    var end: Length = 0
    for item in 0..<lengths.count {
      let place = item % columns.count
      if place == 0, item / columns.count % stride == 0 {
        starts.append(contentsOf: front.map(\.millionths))
      }
      front[place] += lengths[item] + padding
      end = max(end, front[place])
      front[place] += interitemSpacing
    }
    self.starts = starts
    length = end
  }

  private func column(ofPlace place: Int) -> Int {
    isReversed ? columns.count - 1 - place : place
  }

  private func step(_ item: Int) -> Length {
    lengths[item] + columns.padding + columns.padding + interitemSpacing
  }

  private func checkpointStart(_ checkpoint: Int, _ place: Int) -> Length {
    Length(millionths: starts[checkpoint * columns.count + place])
  }

  private func start(ofRow row: Int, _ place: Int) -> Length {
    var start = checkpointStart(row / stride, place)
    for earlier in (row / stride * stride)..<row {
      start += step(earlier * columns.count + place)
    }
    return start
  }

  var byteCount: Int { lengths.byteCount + starts.capacity * 8 + columns.byteCount }

  func frame(of item: Int) -> Rect {
    let place = item % columns.count
    return columns.frame(
      column: column(ofPlace: place), start: start(ofRow: item / columns.count, place),
      length: lengths[item])
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
    for column in columns.columns(in: rect) {
      let place = isReversed ? columns.count - 1 - column : column
      if let cursor = cursor(place, in: rect, from: start) { cursors.append(cursor) }
    }
    if isReversed { cursors.reverse() }
    // Row by row, so that items come in order; columns may be far apart, rows between are skipped.
    while let row = cursors.map(\.row).min() {
      for index in cursors.indices where cursors[index].row == row {
        let cursor = cursors[index]
        let item = row * columns.count + cursor.place
        let frame = columns.frame(
          column: column(ofPlace: cursor.place), start: cursor.start, length: lengths[item])
        if frame.overlaps(rect), !body(item, frame) { return false }
        cursors[index].row += 1
        cursors[index].start += step(item)
      }
      cursors.removeAll {
        $0.row * columns.count + $0.place >= lengths.count || $0.start >= rect.maxY
      }
    }
    return true
  }

  /// The first item of a column that ends below the rectangle's top, not before `start`.
  private func cursor(_ place: Int, in rect: Rect, from start: Int) -> Cursor? {
    guard place < lengths.count else { return nil }
    let rows = (lengths.count - place - 1) / columns.count + 1
    let checkpoints = (rows - 1) / stride + 1
    let past = partitioningIndex(checkpoints) { checkpointStart($0, place) > rect.minY }
    let firstRow = max(0, (start - place + columns.count - 1) / columns.count)
    let checkpoint = max(0, past - 1, min(firstRow / stride, checkpoints - 1))
    var cursor = Cursor(
      place: place, row: checkpoint * stride, start: checkpointStart(checkpoint, place))
    while cursor.row < rows {
      let item = cursor.row * columns.count + place
      let end = cursor.start + columns.padding + lengths[item]
      if cursor.row >= firstRow && end > rect.minY {
        return cursor.start < rect.maxY ? cursor : nil
      }
      cursor.start += step(item)
      cursor.row += 1
    }
    return nil
  }
}
