/// Some lines in one piece.
enum LineRun: RopeChunk {
  struct Line: Hashable {
    var itemCount: Int
    /// That of its longest item.
    var length: Length
  }

  case lines(LineEnds)
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
      let sum = ends.sum
      return LineSummary(
        itemCount: sum.itemCount, length: sum.length, byteCount: 128 + ends.byteCount)
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
    var ends = LineEnds()
    ends.reserveCapacity(parts.reduce(0) { $0 + $1.range.count })
    for part in parts {
      if case .lines(let lines) = part.chunk { ends.append(lines, part.range) }
    }
    return .lines(ends)
  }

  static func edited(
    _ leaf: RopeLeaf<LineRun>, from start: Int, by edits: Span<Rope<LineRun>.Edit>, count: Int
  ) -> RopeLeaf<LineRun>? {
    guard case .lines(let old) = leaf.chunk else { return nil }
    var ends = LineEnds()
    ends.reserveCapacity(count)
    var done = 0
    for index in edits.indices {
      let range = edits[index].range(from: start)
      ends.append(old, done..<range.lowerBound)
      done = range.upperBound
      for new in edits[index].chunks {
        guard case .lines(let lines) = new else { return nil }
        ends.append(lines, 0..<lines.count)
      }
    }
    ends.append(old, done..<old.count)
    return RopeLeaf(.lines(ends))
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
