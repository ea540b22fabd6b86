/// The columns while items are placed one after the other, each in the one where it can start first, the
/// first of those.
protocol ColumnFront {
  /// So many columns without items.
  init(columnCount: Int)

  /// The columns at a checkpoint.
  init(_ checkpoint: CheckpointColumns)

  /// Places items.
  ///
  /// - Parameters:
  ///   - block: The items' lengths.
  ///   - item: The first of the items; the one after the last that was placed.
  ///   - spacing: Behind each.
  mutating func place(_ block: LengthBlock, from item: Int, spacing: Length)

  /// Makes a checkpoint of how the columns are before an item.
  mutating func append(to checkpoints: inout CheckpointWriter, before item: Int)

  /// Where the next item would start in the column that reaches furthest.
  var end: Length { get }
}

/// Any number of columns.
struct ManyColumns: ColumnFront {
  private var tournament: ColumnTournament
  /// The last item in each column, −1 for none.
  private var lastItems: [Int64]

  init(columnCount: Int) {
    tournament = ColumnTournament(Array(repeating: 0, count: columnCount).span)
    lastItems = Array(repeating: -1, count: columnCount)
  }

  init(_ columns: CheckpointColumns) {
    tournament = ColumnTournament(columns.starts)
    let lastItems = columns.lastItems
    self.lastItems = lastItems.indices.map { lastItems[$0] }
  }

  /// - Complexity: O(n log c) for n items and c columns; O(c log n) if they are of one length.
  mutating func place(_ block: LengthBlock, from item: Int, spacing: Length) {
    switch block.lengths {
    case .equal(let lengths):
      let steps = EqualSteps(lengths, spacing, columnCount: lastItems.count)
      let placed = tournament.changeStarts { steps.placeRows(leavingOne: true, in: &$0) }
      let left = EqualLengths(length: lengths.length, count: lengths.count - placed)
      tournament.place(left, spacing, from: item + placed, noting: &lastItems)
    case .known(let lengths): tournament.place(lengths, spacing, from: item, noting: &lastItems)
    case .narrow(let lengths): tournament.place(lengths, spacing, from: item, noting: &lastItems)
    case .plain(let lengths): tournament.place(lengths, spacing, from: item, noting: &lastItems)
    case .pixels(let lengths): tournament.place(lengths, spacing, from: item, noting: &lastItems)
    }
  }

  mutating func append(to checkpoints: inout CheckpointWriter, before item: Int) {
    checkpoints.append(item: item, starts: tournament.startsByColumn, lastItems: lastItems.span)
  }

  var end: Length { tournament.end }
}
