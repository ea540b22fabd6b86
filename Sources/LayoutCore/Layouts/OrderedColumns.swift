/// Up to eight columns in order of where they would take the next item, then of their index.
struct OrderedColumns: ColumnFront {
  /// Where the next item would start in each, in millionths of a point; ascending.
  private var starts = InlineArray<8, Int64>(repeating: 0)
  /// The index of each.
  private var columns = InlineArray<8, UInt8>(repeating: 0)
  private let count: Int
  /// The last item in each column by index, −1 for none; of the items before those in ``order``.
  private var lastItems = InlineArray<8, Int64>(repeating: -1)
  /// The columns of the items that were placed last, as many as a block may have, in the lowest three bits: to
  /// look for the last item in each column among many takes less than to note it with each item.
  private var order = InlineArray<128, UInt8>(repeating: 0)
  /// How many items those are, and the first of them.
  private var (orderCount, firstItem) = (0, 0)

  /// More columns than this are too many.
  static var capacity: Int { 8 }

  init(columnCount: Int) {
    count = min(columnCount, OrderedColumns.capacity)
    for column in 0..<count { columns[column] = UInt8(column) }
  }

  init(_ checkpoint: CheckpointColumns) {
    count = min(checkpoint.starts.count, OrderedColumns.capacity)
    sort(by: checkpoint.starts)
    for column in 0..<count { lastItems[column] = checkpoint.lastItems[column] }
  }

  /// Puts the columns in order.
  private mutating func sort(by startsByColumn: Span<Int64>) {
    let sorted = (0..<count).sorted { (startsByColumn[$0], $0) < (startsByColumn[$1], $1) }
    for (place, column) in sorted.enumerated() {
      starts[place] = startsByColumn[column]
      columns[place] = UInt8(column)
    }
  }

  /// Where the next item would start in each, by index.
  private var startsByColumn: InlineArray<8, Int64> {
    @inline(__always) get {
      var startsByColumn = InlineArray<8, Int64>(repeating: 0)
      for place in 0..<count { startsByColumn[Int(columns[place] & 7)] = starts[place] }
      return startsByColumn
    }
  }

  /// - Complexity: O(n · c) for n items and c columns; O(c · log n) if they are of one length.
  mutating func place(_ block: LengthBlock, from item: Int, spacing: Length) {
    switch block.lengths {
    case .equal(let lengths):
      place(EqualSteps(lengths, spacing, columnCount: count), from: item)
    case .known(let lengths): place(lengths, upTo: block.bound, from: item, spacing)
    case .narrow(let lengths): place(lengths, upTo: block.bound, from: item, spacing)
    case .plain(let lengths): place(lengths, upTo: block.bound, from: item, spacing)
    case .pixels(let lengths): place(lengths, upTo: block.bound, from: item, spacing)
    }
  }

  @inline(never)
  private mutating func place<Lengths: LengthSequence & ~Escapable>(
    _ lengths: Lengths, upTo bound: Int64, from item: Int, _ spacing: Length
  ) {
    if orderCount + lengths.count > order.count { noteLastItems() }
    if orderCount == 0 { firstItem = item }
    let isPlaced =
      switch count {
      case 1: place(lengths, upTo: bound, spacing, in: SortedColumns<1>.self)
      case 2: place(lengths, upTo: bound, spacing, in: SortedColumns<2>.self)
      case 3: place(lengths, upTo: bound, spacing, in: SortedColumns<3>.self)
      case 4: place(lengths, upTo: bound, spacing, in: SortedColumns<4>.self)
      case 5: place(lengths, upTo: bound, spacing, in: SortedColumns<5>.self)
      case 6: place(lengths, upTo: bound, spacing, in: SortedColumns<6>.self)
      case 7: place(lengths, upTo: bound, spacing, in: SortedColumns<7>.self)
      case 8: place(lengths, upTo: bound, spacing, in: SortedColumns<8>.self)
      default: false
      }
    if !isPlaced {
      for index in 0..<lengths.count { place(Length(millionths: lengths[index]) + spacing) }
    }
  }

  /// Places items of one length.
  @inline(never)
  private mutating func place(_ steps: EqualSteps, from item: Int) {
    noteLastItems()
    var startsByColumn = startsByColumn
    var span = startsByColumn.mutableSpan
    let placed = steps.placeRows(leavingOne: true, in: &span)
    sort(by: startsByColumn.span)
    firstItem = item + placed
    for _ in placed..<steps.count { place(steps.step) }
  }

  /// Places items in registers.
  ///
  /// - Returns: False, and nothing is done, if the numbers do not fit.
  @inline(__always)
  private mutating func place<Lengths: LengthSequence & ~Escapable, let columnCount: Int>(
    _ lengths: Lengths, upTo bound: Int64, _ spacing: Length,
    in _: SortedColumns<columnCount>.Type
  ) -> Bool {
    guard
      var sorted = SortedColumns<columnCount>(starts, of: columns, stepsUpTo: bound, spacing)
    else { return false }
    orderCount += sorted.place(lengths, spacing, noting: &order, from: orderCount)
    sorted.store(in: &starts, of: &columns)
    return true
  }

  /// Lets the first column grow by a step, whatever the numbers.
  private mutating func place(_ step: Length) {
    let column = columns[0]
    let moved = (Length(millionths: starts[0]) + step).millionths
    var place = 1
    while place < count, (starts[place], columns[place]) < (moved, column) {
      starts[place - 1] = starts[place]
      columns[place - 1] = columns[place]
      place += 1
    }
    starts[place - 1] = moved
    columns[place - 1] = column
    order[orderCount] = column
    orderCount += 1
  }

  /// Finds the last item in each column.
  private mutating func noteLastItems() {
    // Nearly all are among the last few items. Each of those is noted: a branch on where it lies would
    // be taken wrongly for every other.
    var last = InlineArray<8, Int>(repeating: -1)
    let few = max(0, orderCount - count * 4)
    for index in few..<orderCount { last[Int(order[index] & 7)] = index }
    for column in 0..<count {
      var index = last[column]
      if index < 0 {
        index = few - 1
        while index >= 0, Int(order[index] & 7) != column { index -= 1 }
      }
      if index >= 0 { lastItems[column] = Int64(firstItem + index) }
    }
    orderCount = 0
  }

  mutating func append(to checkpoints: inout CheckpointWriter, before item: Int) {
    noteLastItems()
    checkpoints.append(
      item: item, starts: startsByColumn.span.extracting(first: count),
      lastItems: lastItems.span.extracting(first: count))
  }

  var end: Length { Length(millionths: starts[max(0, count - 1)]) }
}
