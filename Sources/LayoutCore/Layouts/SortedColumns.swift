/// A few columns in order of their starts, in registers: the next item always goes into the first,
/// which is then moved back to its place by comparisons without branches.
///
/// A column is one number: its start above the first one's, and below that its index, so that of equal
/// starts the first column is the least.
struct SortedColumns<let columnCount: Int> {
  private var keys = InlineArray<columnCount, Int64>(repeating: 0)
  /// The start of the first.
  private let base: Int64

  /// Takes columns that are in order for a block of items; nil if the numbers do not fit.
  ///
  /// - Parameters:
  ///   - starts: Where each would take the next item, in millionths of a point; ascending.
  ///   - columns: The index of each.
  ///   - bound: How long an item may be.
  ///   - spacing: Behind each item.
  @inline(__always)
  init?(
    _ starts: InlineArray<8, Int64>, of columns: InlineArray<8, UInt8>, stepsUpTo bound: Int64,
    _ spacing: Length
  ) {
    base = starts[0]
    guard SortedColumns.fit(base, starts[columnCount - 1], stepsUpTo: bound, spacing) else {
      return nil
    }
    for place in 0..<columnCount {
      keys[place] = (starts[place] &- base) << 3 | Int64(columns[place])
    }
  }

  /// Whether the numbers fit.
  @inline(__always)
  private static func fit(
    _ least: Int64, _ greatest: Int64, stepsUpTo bound: Int64, _ spacing: Length
  ) -> Bool {
    let spread = greatest.subtractingReportingOverflow(least)
    let step = bound.addingReportingOverflow(spacing.millionths)
    // A block's steps, the spread and three bits more stay well inside 64.
    let limit: Int64 = 1 << 50
    return least >= 0 && least < 1 << 62 && !spread.overflow && spread.partialValue < limit
      && !step.overflow && step.partialValue < limit
  }

  /// Takes columns for a block of items; nil if the numbers do not fit.
  ///
  /// - Parameters:
  ///   - starts: Where each would take the next item, in millionths of a point.
  ///   - bound: How long an item may be.
  ///   - spacing: Behind each item.
  @inline(__always)
  init?(_ starts: Span<Int64>, stepsUpTo bound: Int64, _ spacing: Length) {
    // Here and below without branches: nobody can foretell them.
    var base = Int64.max
    var greatest = Int64.min
    for index in starts.indices {
      base = min(base, starts[index])
      greatest = max(greatest, starts[index])
    }
    guard starts.count == columnCount,
      SortedColumns.fit(base, greatest, stepsUpTo: bound, spacing)
    else { return nil }
    self.base = base
    for column in 0..<columnCount { keys[column] = (starts[column] - base) << 3 | Int64(column) }
    for end in 1..<columnCount {
      var moved = keys[end]
      for place in 0..<end {
        let other = keys[place]
        keys[place] = min(other, moved)
        moved = max(other, moved)
      }
      keys[end] = moved
    }
  }

  /// Places items.
  ///
  /// - Parameters:
  ///   - lengths: Their lengths.
  ///   - spacing: Behind each.
  ///   - order: The number of each item's column, in the lowest three bits.
  ///   - first: The place of the first item's there.
  /// - Returns: How many are placed; all, if there is room for their columns.
  @inline(__always)
  mutating func place<Lengths: LengthSequence & ~Escapable>(
    _ lengths: Lengths, _ spacing: Length, noting order: inout InlineArray<128, UInt8>,
    from first: Int
  ) -> Int {
    // In registers, wherever the columns themselves are kept.
    var columns = self
    let count = first >= 0 ? min(lengths.count, order.count - first) : 0
    var order = order.mutableSpan
    // Items are scaled four times four before they are placed, so that neither waits for the other.
    var steps = InlineArray<8, SIMD4<Int64>>(repeating: .zero)
    let fours = count >> 2
    for four in 0..<min(4, fours) { steps[four & 7] = step(lengths, ofFour: four, spacing) }
    var four = 0
    while four &+ 4 < fours {
      steps[(four &+ 4) & 7] = step(lengths, ofFour: four &+ 4, spacing)
      columns.place(steps[four & 7], noting: &order, from: first &+ four &* 4)
      four &+= 1
    }
    while four < fours {
      columns.place(steps[four & 7], noting: &order, from: first &+ four &* 4)
      four &+= 1
    }
    for index in (four &* 4)..<count {
      // Safe: there is room for all.
      unsafe order[unchecked: first &+ index] = columns.place(
        (lengths[index] &+ spacing.millionths) << 3)
    }
    self = columns
    return count
  }

  /// By how much four items make the keys of their columns greater.
  @inline(__always)
  private func step<Lengths: LengthSequence & ~Escapable>(
    _ lengths: Lengths, ofFour four: Int, _ spacing: Length
  ) -> SIMD4<Int64> {
    (lengths.four(from: four &* 4) &+ spacing.millionths) &<< 3
  }

  /// Makes the keys of the first columns greater by four steps, and notes which they were.
  @inline(__always)
  private mutating func place(
    _ steps: SIMD4<Int64>, noting order: inout MutableSpan<UInt8>, from first: Int
  ) {
    // Safe: the caller has looked whether there is room.
    for place in 0..<4 { unsafe order[unchecked: first &+ place] = self.place(steps[place]) }
  }

  /// Places items as long as none of the next four ends past a place.
  ///
  /// - Parameters:
  ///   - lengths: Their lengths.
  ///   - spacing: Behind each.
  ///   - end: The place, in millionths of a point.
  /// - Returns: How many are placed.
  @inline(__always)
  mutating func skip<Lengths: LengthSequence & ~Escapable>(
    _ lengths: Lengths, _ spacing: Length, endingBy end: Int64
  ) -> Int {
    guard end >= base else { return 0 }
    // A column that has grown by an item that ends there; or so far away that none gets there.
    let limit = (min(end &- base, 1 << 58) &+ spacing.millionths) << 3 | 7
    let fours = lengths.count >> 2
    // Two times four ahead, as above; mostly it does not take many.
    var next = fours > 0 ? step(lengths, ofFour: 0, spacing) : .zero
    var afterNext = fours > 1 ? step(lengths, ofFour: 1, spacing) : .zero
    for four in 0..<fours {
      let steps = next
      next = afterNext
      if four &+ 2 < fours { afterNext = step(lengths, ofFour: four &+ 2, spacing) }
      var columns = self
      var reach: Int64 = 0
      for place in 0..<4 {
        reach = max(reach, columns.keys[0] &+ steps[place])
        _ = columns.place(steps[place])
      }
      guard reach <= limit else { return four &* 4 }
      self = columns
    }
    return fours &* 4
  }

  /// Makes the key of the first column greater by a step; which it was.
  @inline(__always)
  private mutating func place(_ step: Int64) -> UInt8 {
    let column = UInt8(truncatingIfNeeded: keys[0])
    var moved = keys[0] &+ step
    if columnCount > 4 {
      // As many do not fit in registers besides.
      for place in 1..<columnCount {
        let other = keys[place]
        keys[place - 1] = min(moved, other)
        moved = max(moved, other)
      }
      keys[columnCount - 1] = moved
    } else {
      // Each place by comparisons with the moved one alone, so that none waits for another.
      for place in 1..<columnCount {
        let (here, other) = (keys[place - 1], keys[place])
        let next = moved < other ? moved : other
        keys[place - 1] = place > 1 && moved < here ? here : next
      }
      let last = keys[columnCount - 1]
      keys[columnCount - 1] = columnCount > 1 && moved < last ? last : moved
    }
    return column
  }

  /// Where each column would take the next item; the columns in order.
  @inline(__always)
  func store(in starts: inout InlineArray<8, Int64>, of columns: inout InlineArray<8, UInt8>) {
    for place in 0..<columnCount {
      starts[place] = base &+ keys[place] >> 3
      columns[place] = UInt8(truncatingIfNeeded: keys[place]) & 7
    }
  }

  /// Where each column would take the next item; by index.
  @inline(__always)
  func store(in starts: inout MutableSpan<Int64>) {
    for index in 0..<columnCount { starts[Int(keys[index] & 7)] = base &+ keys[index] >> 3 }
  }
}
