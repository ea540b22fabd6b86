/// Some lines in one piece.
enum LineRun: RopeChunk {
  struct Line: Hashable {
    var itemCount: Int
    /// That of its longest item.
    var length: Length
  }

  /// Each as how many items there are from the first line on up to its end, and how long all those
  /// lines are, without spacing: so that lines are found by bisection, and the last one is the sum.
  case lines([Line])
  /// So many lines of equal items.
  case repeated(Line, count: Int)

  static var capacity: Int { 512 }

  var count: Int {
    switch self {
    case .lines(let lines): lines.count
    case .repeated(_, let count): count
    }
  }

  var summary: LineSummary {
    switch self {
    case .lines(let ends):
      let end = LineRun.start(ends.count, in: ends)
      return LineSummary(
        itemCount: end.itemCount, length: end.length,
        byteCount: 128 + ends.capacity * MemoryLayout<Line>.stride)
    case .repeated(let line, let count):
      return LineSummary(
        itemCount: line.itemCount * count, length: line.length * count, byteCount: 128)
    }
  }

  var isUniform: Bool { if case .repeated = self { true } else { false } }

  func goes(with other: LineRun, asUniform: Bool) -> Bool {
    switch (self, other) {
    case (.lines, .lines): true
    case (.repeated(let line, _), .repeated(let next, _)): line == next
    default: false
    }
  }

  static func joining(_ parts: ArraySlice<Part>) -> LineRun {
    if case .repeated(let line, _) = parts.first?.chunk {
      return .repeated(line, count: parts.reduce(0) { $0 + $1.range.count })
    }
    var ends: [Line] = []
    ends.reserveCapacity(parts.reduce(0) { $0 + $1.range.count })
    for part in parts {
      if case .lines(let lines) = part.chunk { append(lines, part.range, to: &ends) }
    }
    return .lines(ends)
  }

  static func edited(
    _ leaf: RopeLeaf<LineRun>, from start: Int, by edits: Span<Rope<LineRun>.Edit>, count: Int
  ) -> RopeLeaf<LineRun>? {
    guard case .lines(let old) = leaf.chunk else { return nil }
    var ends: [Line] = []
    ends.reserveCapacity(count)
    var done = 0
    for index in edits.indices {
      let range = edits[index].range(from: start)
      append(old, done..<range.lowerBound, to: &ends)
      done = range.upperBound
      for new in edits[index].chunks {
        guard case .lines(let lines) = new else { return nil }
        append(lines, lines.indices, to: &ends)
      }
    }
    append(old, done..<old.count, to: &ends)
    return RopeLeaf(.lines(ends))
  }

  /// Puts lines behind others.
  static func append(_ lines: [Line], _ range: Range<Int>, to ends: inout [Line]) {
    let old = start(range.lowerBound, in: lines)
    let new = start(ends.count, in: ends)
    let items = new.itemCount - old.itemCount
    let length = new.length - old.length
    // What is in front of a change is as it was.
    if items == 0, length == .zero {
      ends += lines[range]
      return
    }
    ends.append(addingCapacity: range.count) { ends in
      for end in lines[range] {
        ends.append(Line(itemCount: end.itemCount + items, length: end.length + length))
      }
    }
  }

  /// How many items there are before a line, and how long the lines before it are.
  @inline(__always)
  static func start(_ number: Int, in ends: [Line]) -> Line {
    number == 0 ? Line(itemCount: 0, length: 0) : ends[number - 1]
  }

  /// The line with one of so many items, counted from the first line's; lines mostly have as many items as
  /// others.
  static func line(with item: Int, of itemCount: Int, in ends: [Line]) -> Int {
    let guess = likelyIndex(at: Double(item), of: Double(itemCount), count: ends.count)
    return partitioningIndex(max(0, ends.count - 1), near: guess) { ends[$0].itemCount > item }
  }

  /// One line.
  @inline(__always)
  static func line(_ number: Int, in ends: [Line]) -> Line {
    let start = start(number, in: ends)
    return Line(
      itemCount: ends[number].itemCount - start.itemCount,
      length: ends[number].length - start.length)
  }
}

/// What is known of many lines.
struct LineSummary: RopeSummary {
  var itemCount = 0
  /// The lengths of the lines added up, without spacing.
  var length: Length = 0
  var byteCount = 0

  static let zero = LineSummary()

  static func + (left: LineSummary, right: LineSummary) -> LineSummary {
    LineSummary(
      itemCount: left.itemCount + right.itemCount, length: left.length + right.length,
      byteCount: left.byteCount + right.byteCount)
  }

  /// Where a line likely is that is so far from the first: lines are mostly as long as others.
  @inline(__always)
  func likelyLine(at distance: Length, of count: Int, _ spacing: Length) -> Int {
    likelyIndex(
      at: Double(distance.millionths), of: Double((length + spacing * count).millionths),
      count: count)
  }

  mutating func replace(_ part: LineSummary, by new: LineSummary) -> Bool {
    // What has been saturated may be less without the part, or not.
    guard length < .maximumCoordinate else { return false }
    itemCount += new.itemCount - part.itemCount
    length = length - part.length + new.length
    byteCount += new.byteCount - part.byteCount
    return true
  }
}
