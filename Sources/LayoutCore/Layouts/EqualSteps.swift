/// What items of one length do to columns, each put where it can start first: arithmetic, whatever their
/// number.
///
/// ```
/// a ──┬─── a+s ──┬─── a+2s ──┬──    each column takes an item at its start, and one every step after
///   b ─┬── b+s ───┬── b+2s ───┬─    that; whatever comes first is next, of equal ones the first column
/// row 0    row 1      row 2         between two rows each column that has begun takes one
/// ```
///
/// So how many items come before a place is a sum over the columns, and so is where the columns are then.
struct EqualSteps {
  /// By how much an item makes its column longer.
  let step: Length
  /// How many items there are.
  var count: Int
  /// How many columns there are; more starts than that are not looked at.
  let columnCount: Int

  /// Takes items with some spacing behind each.
  init(_ lengths: EqualLengths, _ spacing: Length, columnCount: Int) {
    step = Length(millionths: lengths.length) + spacing
    count = lengths.count
    self.columnCount = columnCount
  }

  /// The place of an item.
  struct Place {
    var start: Length
    var column: Int
  }

  /// The first place in some columns that lies below another; nil if there is none.
  ///
  /// - Parameters:
  ///   - main: The other place.
  ///   - wanted: The columns.
  ///   - starts: Where each column would take the first item, in millionths of a point.
  /// - Returns: The place, which may come after all items.
  /// - Complexity: O(c) for c columns.
  func firstPlace(below main: Length, in wanted: Range<Int>, _ starts: Span<Int64>) -> Place? {
    var first: Place?
    for column in wanted.clamped(to: 0..<columnCount) {
      var start = Length(millionths: starts[column])
      if start <= main {
        guard step > .zero else { continue }
        start += step * Int((main - start).millionths / step.millionths) + step
      }
      if first.map({ start < $0.start }) ?? true { first = Place(start: start, column: column) }
    }
    return first
  }

  /// How many items come before a place.
  ///
  /// - Parameters:
  ///   - place: The place, which is one of theirs.
  ///   - starts: Where each column would take the first item, in millionths of a point.
  /// - Returns: How many; no more than there are.
  /// - Complexity: O(c) for c columns.
  func count(before place: Place, _ starts: Span<Int64>) -> Int {
    var before = 0
    for column in 0..<min(columnCount, starts.count) {
      let own = count(in: column, from: Length(millionths: starts[column]), before: place)
      guard own <= count - before else { return count }
      before += own
    }
    return before
  }

  /// How many items a column has before a place, however many there are in all.
  private func count(in column: Int, from start: Length, before place: Place) -> Int {
    // The last place in the column that would come before it.
    let last = place.start - Length(millionths: column < place.column ? 0 : 1)
    guard start <= last else { return 0 }
    // Without a step all that comes before it are all there are.
    guard step > .zero else { return count }
    return Int((last - start).millionths / step.millionths) + 1
  }

  /// Puts items into the columns, as many as come to whole rows.
  ///
  /// - Parameters:
  ///   - isRowLeft: Whether the last of those rows is left too: each column that has taken an item has one of
  ///     those that are left, then, and so its last item is found by placing those.
  ///   - starts: Where each column would take the first item, in millionths of a point; where it takes the
  ///     next, then.
  /// - Returns: How many are put there; fewer than two for each column are left.
  /// - Complexity: O(c · log d) for c columns of which some begin d rows after others, at most log n.
  func placeRows(leavingOne isRowLeft: Bool, in starts: inout MutableSpan<Int64>) -> Int {
    // All go into the first column, and leave it as it is.
    guard step > .zero else { return isRowLeft ? max(0, count - 1) : count }
    var least = Int64.max
    for column in 0..<min(columnCount, starts.count) { least = min(least, starts[column]) }
    var (rowsBefore, begunCount) = (0.0, 0.0)
    for column in 0..<min(columnCount, starts.count) {
      let row = Double((starts[column] - least) / step.millionths)
      guard row < Double(count) else { continue }
      rowsBefore += row
      begunCount += 1
    }
    /// How many items the first rows have; one more than there are if those are too few.
    func itemCount(ofRows rows: Int) -> Int {
      var items = 0
      for column in 0..<min(columnCount, starts.count) {
        let own = rows - Int((starts[column] - least) / step.millionths)
        guard own > 0 else { continue }
        guard own <= count - items else { return count + 1 }
        items += own
      }
      return items
    }
    // As many as if all columns had begun by then.
    let guess = min((Double(count) + rowsBefore) / max(1, begunCount), Double(count))
    // The first column is in every row.
    let whole = partitioningIndex(count, near: Int(guess)) { itemCount(ofRows: $0 + 1) > count }
    let rows = isRowLeft ? max(0, whole - 1) : whole
    let placed = itemCount(ofRows: rows)
    for column in 0..<min(columnCount, starts.count) {
      let own = rows - Int((starts[column] - least) / step.millionths)
      guard own > 0 else { continue }
      starts[column] = (Length(millionths: starts[column]) + step * own).millionths
    }
    return placed
  }

  /// Puts all items before a place into the columns.
  ///
  /// - Parameters:
  ///   - place: The place, before which there are not all of them.
  ///   - starts: Where each column would take the first item, in millionths of a point; where it takes the
  ///     next, then.
  func placeAll(before place: Place, in starts: inout MutableSpan<Int64>) {
    guard step > .zero else { return }
    for column in 0..<min(columnCount, starts.count) {
      let start = Length(millionths: starts[column])
      starts[column] = (start + step * count(in: column, from: start, before: place)).millionths
    }
  }
}
