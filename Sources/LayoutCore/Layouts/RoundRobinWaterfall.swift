/// A waterfall that fills its columns one after the other, row by row.
///
/// Each column is a list of its own. Checkpoints of all columns are kept every few rows.
final class RoundRobinWaterfall: SectionBody {
  let length: Length
  private let lengths: ColumnLengths
  private let interitemSpacing: Length
  private let columns: ColumnGrid
  private let isReversed: Bool
  /// The places of a row that have items: all, unless the first row is not even full.
  private let filledCount: Int
  /// Rows between two checkpoints.
  private let stride: Int
  /// Where each place of a row starts, every so many rows.
  private let checkpoints: Rope<CheckpointRun>

  /// Places the items.
  ///
  /// - Complexity: O(n).
  convenience init(
    lengths: ColumnLengths, interitemSpacing: Length, columns: ColumnGrid, isReversed: Bool
  ) {
    self.init(
      lengths: lengths, interitemSpacing: interitemSpacing, columns: columns,
      isReversed: isReversed,
      checkpoints: Rope([]), keeping: 0)
  }

  /// Places the items after a checkpoint; those before it are kept.
  private init(
    lengths: ColumnLengths, interitemSpacing: Length, columns: ColumnGrid, isReversed: Bool,
    checkpoints: Rope<CheckpointRun>, keeping count: Int
  ) {
    self.lengths = lengths
    self.interitemSpacing = interitemSpacing
    self.columns = columns
    self.isReversed = isReversed
    let stride = max(16, 256 / columns.count)
    self.stride = stride
    let spacing = columns.padding + columns.padding + interitemSpacing
    let filledCount = RoundRobinWaterfall.filledCount(lengths, columns)
    self.filledCount = filledCount
    var starts = Array(repeating: Int64(0), count: filledCount)
    if let run = checkpoints.place(of: count) {
      let before = run.leaf.columns(at: count - run.start)
      for column in starts.indices { starts[column] = before.starts[column] }
    }
    let rowCount = (lengths.count - 1) / columns.count + 1
    var writer = CheckpointWriter(
      columnCount: filledCount, hasLastItems: false, count: (rowCount - 1) / stride + 1,
      keeping: count, of: checkpoints)
    var column = 0
    var row = count * stride
    lengths.forEachLength(from: row * columns.count) { _, length in
      if column == 0, row % stride == 0 { writer.append(starts: starts.span, lastItems: Span()) }
      starts[column] = (Length(millionths: starts[column]) + length + spacing).millionths
      column += 1
      if column == columns.count {
        column = 0
        row += 1
      }
      return true
    }
    self.checkpoints = writer.finish()
    var end: Length = 0
    for column in 0..<filledCount {
      end = max(end, Length(millionths: starts[column]) - interitemSpacing)
    }
    length = end
  }

  /// The same waterfall after a change of its items.
  ///
  /// - Parameters:
  ///   - edits: The change.
  ///   - lengths: The lengths after it.
  /// - Returns: The changed waterfall.
  /// - Complexity: O(m) for the m items from the first change on: all of them change columns, or are
  ///   below one that did.
  func edited(_ edits: [ItemEdit], lengths: ColumnLengths) -> RoundRobinWaterfall {
    guard RoundRobinWaterfall.filledCount(lengths, columns) == filledCount else {
      return RoundRobinWaterfall(
        lengths: lengths, interitemSpacing: interitemSpacing, columns: columns,
        isReversed: isReversed)
    }
    let first = edits.first?.range.lowerBound ?? self.lengths.count
    return RoundRobinWaterfall(
      lengths: lengths, interitemSpacing: interitemSpacing,
      columns: columns, isReversed: isReversed, checkpoints: checkpoints,
      keeping: max(0, min(first / columns.count / stride, checkpoints.count - 1)))
  }

  private static func filledCount(_ lengths: ColumnLengths, _ columns: ColumnGrid) -> Int {
    max(1, min(columns.count, lengths.count))
  }

  private func column(ofPlace place: Int) -> Int {
    isReversed ? columns.count - 1 - place : place
  }

  private func step(_ length: Length) -> Length {
    length + columns.padding + columns.padding + interitemSpacing
  }

  private func checkpointStart(_ checkpoint: Int, _ place: Int) -> Length {
    guard let run = checkpoints.place(of: checkpoint) else { return 0 }
    return Length(millionths: run.leaf.columns(at: checkpoint - run.start).starts[place])
  }

  private func start(ofRow row: Int, _ place: Int) -> Length {
    var start = checkpointStart(row / stride, place)
    var reader = ColumnLengths.Reader(lengths)
    for earlier in (row / stride * stride)..<row {
      start += step(reader.length(of: earlier * columns.count + place))
    }
    return start
  }

  var byteCount: Int {
    // The object, the root of its rope, and what it knows of lengths.
    320 + checkpoints.summary.byteCount + checkpoints.rootByteCount + columns.byteCount
  }

  func frame(of item: Int) -> Rect {
    let place = item % columns.count
    var reader = ColumnLengths.Reader(lengths)
    return columns.frame(
      column: column(ofPlace: place), start: start(ofRow: item / columns.count, place),
      length: reader.length(of: item))
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
    while let row = cursors.lazy.map(\.row).min() {
      for index in cursors.indices where cursors[index].row == row {
        let cursor = cursors[index]
        let item = row * columns.count + cursor.place
        let length = reader.length(of: item)
        let frame = columns.frame(
          column: column(ofPlace: cursor.place), start: cursor.start, length: length)
        if frame.overlaps(rect), !body(item, frame) { return false }
        cursors[index].row += 1
        cursors[index].start += step(length)
      }
      cursors.removeAll {
        $0.row * columns.count + $0.place >= lengths.count || $0.start >= rect.maxY
      }
    }
    return true
  }

  /// The first item of a column that ends below the rectangle's top, not before `start`.
  private func cursor(
    _ place: Int, in rect: Rect, from start: Int, _ reader: inout ColumnLengths.Reader
  ) -> Cursor? {
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
      let length = reader.length(of: item)
      let end = cursor.start + columns.padding + length
      if cursor.row >= firstRow && end > rect.minY {
        return cursor.start < rect.maxY ? cursor : nil
      }
      cursor.start += step(length)
      cursor.row += 1
    }
    return nil
  }
}
