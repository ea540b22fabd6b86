/// A waterfall of items of one length: arithmetic, whatever their number.
final class EqualWaterfall: SectionBody {
  let length: Length
  private let count: Int
  private let itemLength: Length
  /// From the start of an item to the start of the next in its column.
  private let step: Length
  private let columns: ColumnGrid
  let byteCount: Int
  private let isReversed: Bool
  /// Whether the waterfall does not grow: each item could start first in the first column.
  private let staysInFirst: Bool
  /// Items in a row.
  private let perRow: Int

  /// Places items that all have a length.
  init(
    _ itemLength: Length, of lengths: ColumnLengths, interitemSpacing: Length,
    direction: WaterfallLayout.ItemRenderDirection
  ) {
    count = lengths.count
    self.itemLength = itemLength
    columns = lengths.columns
    // The object too.
    byteCount = 112 + lengths.columnsByteCount
    step = itemLength + lengths.spacing(interitemSpacing)
    isReversed = direction == .rightToLeft
    staysInFirst = direction == .shortestFirst && step == .zero
    perRow = staysInFirst ? count : columns.count
    length = step * ((count - 1) / perRow + 1) - interitemSpacing
  }

  func frame(of item: Int) -> Rect {
    let row = item / perRow
    return columns.frame(
      column: column(ofPlace: item - row * perRow), start: step * row, length: itemLength)
  }

  private func column(ofPlace place: Int) -> Int {
    staysInFirst ? 0 : isReversed ? perRow - 1 - place : place
  }

  /// The rows that share a length with a rectangle, and the places in them that share a breadth with it; none
  /// if items have no area.
  private func part(in rect: Rect) -> (rows: Range<Int>, places: Range<Int>) {
    guard !rect.isEmpty, itemLength > .zero else { return (0..<0, 0..<0) }
    let columnRange = columns.columns(in: rect)
    guard !columnRange.isEmpty else { return (0..<0, 0..<0) }
    let places =
      isReversed
      ? (perRow - columnRange.upperBound)..<(perRow - columnRange.lowerBound) : columnRange
    let rowCount = (count - 1) / perRow + 1
    let bottom = columns.padding + itemLength
    let above = flooredQuotient((rect.minY - bottom).millionths, step.millionths)
    let first = min(rowCount, max(0, Int(above + 1)))
    let end = partitioningIndex(rowCount) { step * $0 + columns.padding >= rect.maxY }
    return (first..<max(first, end), places)
  }

  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool {
    let (rows, places) = part(in: rect)
    let first = max(rows.lowerBound, start / perRow)
    for row in first..<max(first, rows.upperBound) {
      for place in places {
        let item = row * perRow + place
        guard item < count else { break }
        guard item >= start else { continue }
        let frame = columns.frame(
          column: column(ofPlace: place), start: step * row, length: itemLength)
        guard body(item, frame) else { return false }
      }
    }
    return true
  }

  func forEachRun(in rect: Rect, _ body: (Range<Int>, Rect?) -> Bool) -> Bool {
    let (rows, places) = part(in: rect)
    guard !rows.isEmpty else { return true }
    if places.count == perRow {
      // Rows that are in it from end to end follow each other without a gap.
      return body((rows.lowerBound * perRow)..<min(count, rows.upperBound * perRow), nil)
    }
    for row in rows {
      let items = ((row * perRow + places.lowerBound)..<(row * perRow + places.upperBound))
        .clamped(to: 0..<count)
      guard items.isEmpty || body(items, nil) else { return false }
    }
    return true
  }
}
