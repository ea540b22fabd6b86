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

  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool {
    guard !rect.isEmpty, itemLength > .zero else { return true }
    let columnRange = columns.columns(in: rect)
    guard !columnRange.isEmpty else { return true }
    let places =
      isReversed
      ? (perRow - columnRange.upperBound)..<(perRow - columnRange.lowerBound) : columnRange
    let bottom = columns.padding + itemLength
    let above = flooredQuotient((rect.minY - bottom).millionths, step.millionths)
    var row = max(Int(above + 1), start / perRow)
    while row <= (count - 1) / perRow, step * row + columns.padding < rect.maxY {
      for place in places {
        let item = row * perRow + place
        guard item < count else { break }
        guard item >= start else { continue }
        let frame = columns.frame(
          column: column(ofPlace: place), start: step * row, length: itemLength)
        guard body(item, frame) else { return false }
      }
      row += 1
    }
    return true
  }
}
