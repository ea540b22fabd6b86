/// Where lines end that follow each other, each as how many items there are from the first line on up to its
/// end, and how long all those lines are, without spacing: so that lines are found by bisection, and the last
/// end is the sum.
///
/// An end takes 8 bytes as long as all lines together have fewer than 4,194,304 items and are shorter than
/// 4,398,046 points: any 512 lines do whose items are as long as 32 bits of millionths say, if a line has no
/// more than 8,191 of them. All ends take 16 bytes otherwise.
struct LineEnds {
  /// One word an end, the items in its lower bits; or two, the items and then the length.
  private var words: [UInt64] = []
  private var isWide = false

  /// How many bits of one word are the items.
  private static var itemBits: UInt64 { 22 }

  var count: Int { isWide ? words.count / 2 : words.count }

  var isEmpty: Bool { words.isEmpty }

  /// Room for so many without taking more, as long as they take 8 bytes each.
  var capacity: Int { words.capacity }

  mutating func reserveCapacity(_ count: Int) { words.reserveCapacity(count) }

  /// The bytes that the storage takes on the heap.
  var byteCount: Int { words.capacity * MemoryLayout<UInt64>.stride }

  /// The end of a line.
  subscript(number: Int) -> LineRun.Line {
    @inline(__always) get { isWide ? wideEnd(number) : LineEnds.unpacked(words[number]) }
  }

  @inline(never)  // Rare, and everywhere.
  private func wideEnd(_ number: Int) -> LineRun.Line {
    LineRun.Line(
      itemCount: Int(truncatingIfNeeded: words[2 * number]),
      length: Length(millionths: Int64(bitPattern: words[2 * number + 1])))
  }

  @inline(__always)
  private static func unpacked(_ word: UInt64) -> LineRun.Line {
    LineRun.Line(
      itemCount: Int(truncatingIfNeeded: word & (1 << itemBits - 1)),
      length: Length(millionths: Int64(bitPattern: word >> itemBits)))
  }

  /// An end as one word; the difference of two is the difference of their words.
  @inline(__always)
  static func packed(_ end: LineRun.Line) -> UInt64 {
    UInt64(bitPattern: end.length.millionths) << itemBits
      &+ UInt64(bitPattern: Int64(end.itemCount))
  }

  private static func fits(_ end: LineRun.Line) -> Bool {
    end.itemCount < 1 << itemBits && end.length.millionths < 1 << (64 - itemBits)
  }

  /// How many items there are before a line, and how long the lines before it are.
  @inline(__always)
  func start(_ number: Int) -> LineRun.Line {
    number == 0 ? LineRun.Line(itemCount: 0, length: 0) : self[number - 1]
  }

  /// How many items all lines have, and how long they are.
  @inline(__always)
  var sum: LineRun.Line { start(count) }

  /// One line.
  @inline(__always)
  func line(_ number: Int) -> LineRun.Line {
    let (start, end) = (start(number), self[number])
    return LineRun.Line(
      itemCount: end.itemCount - start.itemCount, length: end.length - start.length)
  }

  /// The line with one of so many items, counted from the first line's; lines mostly have as many items as
  /// others.
  func line(with item: Int, of itemCount: Int) -> Int {
    let count = count
    let guess = likelyIndex(at: Double(item), of: Double(itemCount), count: count)
    return partitioningIndex(max(0, count - 1), near: guess) { self[$0].itemCount > item }
  }

  // MARK: Changing

  /// Puts a line behind the others.
  mutating func append(_ line: LineRun.Line) {
    let sum = sum
    append(
      end: LineRun.Line(
        itemCount: sum.itemCount + line.itemCount, length: sum.length + line.length))
  }

  private mutating func append(end: LineRun.Line) {
    if !isWide {
      guard !LineEnds.fits(end) else { return words.append(LineEnds.packed(end)) }
      widen()
    }
    words.append(UInt64(truncatingIfNeeded: end.itemCount))
    words.append(UInt64(bitPattern: end.length.millionths))
  }

  private mutating func widen() {
    var wide: [UInt64] = []
    wide.reserveCapacity(2 * words.capacity)
    for word in words {
      let end = LineEnds.unpacked(word)
      wide.append(UInt64(truncatingIfNeeded: end.itemCount))
      wide.append(UInt64(bitPattern: end.length.millionths))
    }
    (words, isWide) = (wide, true)
  }

  /// Puts some of other lines behind these.
  mutating func append(_ lines: LineEnds, _ range: Range<Int>) {
    let (old, new) = (lines.start(range.lowerBound), sum)
    let growth = LineRun.Line(
      itemCount: new.itemCount - old.itemCount, length: new.length - old.length)
    func moved(_ end: LineRun.Line) -> LineRun.Line {
      LineRun.Line(
        itemCount: end.itemCount + growth.itemCount, length: end.length + growth.length)
    }
    guard !isWide, !lines.isWide, LineEnds.fits(moved(lines.start(range.upperBound))) else {
      for number in range { append(end: moved(lines[number])) }
      return
    }
    let difference = LineEnds.packed(growth)
    // What is in front of a change is as it was.
    if difference == 0 {
      words += lines.words[range]
      return
    }
    words.append(addingCapacity: range.count) { words in
      for word in lines.words[range] { words.append(word &+ difference) }
    }
  }

  /// Drops all lines but the first few.
  mutating func keepFirst(_ count: Int) {
    words.removeSubrange((isWide ? 2 * count : count)...)
  }

  /// Gives back what it takes beside the ends.
  mutating func trim() {
    var kept: [UInt64] = []
    kept.reserveCapacity(words.count)
    kept += words
    words = kept
  }

  // MARK: Filling

  /// Whether the ends of as many lines as a run has fit in 8 bytes each, if they follow these and the lengths
  /// of their items have 32 bits each.
  ///
  /// - Parameters:
  ///   - itemCount: How many items they have.
  ///   - open: A line that is open and goes on with them.
  /// - Returns: Whether they do.
  func canFill(_ itemCount: Int, after open: LineRun.Line) -> Bool {
    let sum = sum
    let longest = Length(millionths: Int64(LineRun.capacity) << 32)
    return !isWide
      && LineEnds.fits(
        LineRun.Line(
          itemCount: sum.itemCount + open.itemCount + itemCount,
          length: sum.length + open.length + longest))
  }

  /// Puts up to so many lines behind the others, where ``canFill(_:after:)`` says that they fit: as ends that
  /// ``packed(_:)`` makes.
  @inline(__always)
  mutating func fill(upTo limit: Int, _ body: (inout OutputSpan<UInt64>) -> Void) {
    words.append(addingCapacity: limit, initializingWith: body)
  }
}
