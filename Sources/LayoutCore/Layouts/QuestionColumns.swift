/// The columns while a question goes through items one by one.
protocol QuestionColumns {
  /// Puts items of different lengths into the columns up to one that ends past a place, or some before it.
  ///
  /// - Parameters:
  ///   - block: The items' lengths.
  ///   - spacing: Behind each.
  ///   - end: The place.
  /// - Returns: How many are placed.
  mutating func skip(_ block: LengthBlock, _ spacing: Length, endingBy end: Length) -> Int

  /// Puts an item into the column where it can start first, the first of those.
  ///
  /// - Parameter step: By how much the column grows.
  /// - Returns: The column, and where the item starts.
  mutating func place(_ step: Length) -> (column: Int, start: Length)

  /// Visits items of one length in some columns, and any others, in order, and puts all into the columns.
  ///
  /// - Parameters:
  ///   - steps: The items.
  ///   - wanted: The columns.
  ///   - body: Called with the number of each item among these, its column and where it starts; returns whether
  ///     to go on. If not, the columns are as they may be.
  /// - Returns: Whether `body` always wanted to go on.
  mutating func forEachPlace(
    of steps: EqualSteps, in wanted: Range<Int>,
    _ body: (_ index: Int, _ column: Int, _ start: Length) -> Bool
  ) -> Bool

  /// Changes where the columns would take the next item, in millionths of a point; there may be room for more
  /// columns.
  mutating func changeStarts<Result>(_ body: (inout MutableSpan<Int64>) -> Result) -> Result
}

extension QuestionColumns {
  mutating func forEachPlace(
    of steps: EqualSteps, in wanted: Range<Int>,
    _ body: (_ index: Int, _ column: Int, _ start: Length) -> Bool
  ) -> Bool {
    forEachPlace(of: steps, body)
  }

  /// Puts items of one length into the columns one by one.
  fileprivate mutating func forEachPlace(
    of steps: EqualSteps, _ body: (_ index: Int, _ column: Int, _ start: Length) -> Bool
  ) -> Bool {
    for index in 0..<steps.count {
      let (column, start) = place(steps.step)
      guard body(index, column, start) else { return false }
    }
    return true
  }

  /// Puts items of one length into the columns up to one that is wanted.
  ///
  /// - Parameters:
  ///   - steps: The items.
  ///   - first: Those before this one are not wanted, counted from the first of them.
  ///   - start: Nor are those that start there or above.
  ///   - wanted: Nor those in other columns.
  /// - Returns: How many are placed; fewer than all if some item is wanted, and nearly always as many as come
  ///   before that.
  /// - Complexity: O(c · log n) for c columns.
  mutating func skip(
    _ steps: EqualSteps, upTo first: Int, startingBy start: Length, in wanted: Range<Int>
  ) -> Int {
    let count = min(first, steps.count)
    let placed = changeStarts { starts in
      let place = steps.firstPlace(below: start, in: wanted, starts.span)
      let before = place.map { steps.count(before: $0, starts.span) } ?? steps.count
      if let place, before >= count, before < steps.count {
        steps.placeAll(before: place, in: &starts)
        return (before, before)
      }
      var all = steps
      all.count = max(count, before)
      return (all.placeRows(leavingOne: false, in: &starts), all.count)
    }
    for _ in placed.0..<placed.1 { _ = place(steps.step) }
    return placed.1
  }
}

extension ColumnTournament: QuestionColumns {
  /// None: to look for where to stop would take as long.
  mutating func skip(_ block: LengthBlock, _ spacing: Length, endingBy end: Length) -> Int { 0 }

  /// Where few of many columns are wanted, those alone are gone through.
  ///
  /// - Complexity: O(c log c + v log c) for c columns and v items that are wanted.
  mutating func forEachPlace(
    of steps: EqualSteps, in wanted: Range<Int>,
    _ body: (_ index: Int, _ column: Int, _ start: Length) -> Bool
  ) -> Bool {
    guard steps.count > 0, steps.step > .zero, wanted.count < startsByColumn.count / 4 else {
      return forEachPlace(of: steps, body)
    }
    var counter = EqualStepCounter(step: steps.step.millionths, startsByColumn)
    var heap = ColumnHeap(counter.order.filter { wanted.contains($0.column) })
    while let first = heap.first {
      let index = counter.count(before: first)
      guard index < steps.count else { break }
      let start = Length(millionths: first.key)
      guard body(index, first.column, start) else { return false }
      heap.replaceFirst(with: (start + steps.step).millionths)
    }
    _ = skip(steps, upTo: steps.count, startingBy: .zero, in: wanted)
    return true
  }
}

/// A few columns while a question goes through items one by one, without memory of its own.
struct FewColumns: QuestionColumns {
  /// Where each would take the next item, in millionths of a point.
  private var starts = InlineArray<8, Int64>(repeating: 0)
  private let count: Int

  /// More columns than this are too many.
  static var capacity: Int { 8 }

  /// Takes columns.
  ///
  /// - Parameter starts: Where each would take the next item, in millionths of a point; at most
  ///   ``capacity``.
  init(_ starts: Span<Int64>) {
    count = min(starts.count, FewColumns.capacity)
    for column in 0..<count { self.starts[column] = starts[column] }
  }

  mutating func skip(_ block: LengthBlock, _ spacing: Length, endingBy end: Length) -> Int {
    switch block.lengths {
    case .equal: 0
    case .known(let lengths): skip(lengths, upTo: block.bound, spacing, endingBy: end)
    case .narrow(let lengths): skip(lengths, upTo: block.bound, spacing, endingBy: end)
    case .plain(let lengths): skip(lengths, upTo: block.bound, spacing, endingBy: end)
    case .pixels(let lengths): skip(lengths, upTo: block.bound, spacing, endingBy: end)
    }
  }

  private mutating func skip<Lengths: LengthSequence & ~Escapable>(
    _ lengths: Lengths, upTo bound: Int64, _ spacing: Length, endingBy end: Length
  ) -> Int {
    switch count {
    case 1: skip(lengths, upTo: bound, spacing, end, in: SortedColumns<1>.self)
    case 2: skip(lengths, upTo: bound, spacing, end, in: SortedColumns<2>.self)
    case 3: skip(lengths, upTo: bound, spacing, end, in: SortedColumns<3>.self)
    case 4: skip(lengths, upTo: bound, spacing, end, in: SortedColumns<4>.self)
    case 5: skip(lengths, upTo: bound, spacing, end, in: SortedColumns<5>.self)
    case 6: skip(lengths, upTo: bound, spacing, end, in: SortedColumns<6>.self)
    case 7: skip(lengths, upTo: bound, spacing, end, in: SortedColumns<7>.self)
    case 8: skip(lengths, upTo: bound, spacing, end, in: SortedColumns<8>.self)
    default: 0
    }
  }

  @inline(__always)
  private mutating func skip<Lengths: LengthSequence & ~Escapable, let columnCount: Int>(
    _ lengths: Lengths, upTo bound: Int64, _ spacing: Length, _ end: Length,
    in _: SortedColumns<columnCount>.Type
  ) -> Int {
    guard
      var columns = SortedColumns<columnCount>(
        starts.span.extracting(first: count), stepsUpTo: bound, spacing)
    else { return 0 }
    let skipped = columns.skip(lengths, spacing, endingBy: end.millionths)
    var newStarts = starts.mutableSpan
    columns.store(in: &newStarts)
    return skipped
  }

  mutating func changeStarts<Result>(_ body: (inout MutableSpan<Int64>) -> Result) -> Result {
    var span = starts.mutableSpan
    return body(&span)
  }

  @inline(__always)
  mutating func place(_ step: Length) -> (column: Int, start: Length) {
    var first = 0
    var least = starts[0]
    // All are looked at: to keep them in order takes branches that nobody can foretell.
    for column in 1..<max(1, count) {
      let start = starts[column & 7]
      first = start < least ? column : first
      least = min(start, least)
    }
    let start = Length(millionths: least)
    starts[first & 7] = (start + step).millionths
    return (first, start)
  }
}
