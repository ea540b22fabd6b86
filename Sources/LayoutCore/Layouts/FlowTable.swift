/// Lines of items of different sizes: a table of lines; what is inside a line is worked out anew.
final class FlowTable: SectionBody {
  let length: Length
  private let sizes: SizeList
  private let rule: LineRule
  private let lines: Rope<LineRun>
  /// Whether no place across comes near the end of 64 bits, as long as items have 32.
  private let isSmall: Bool
  /// No item ends beyond it.
  private let greatestMaxX: Length
  /// Whether each item reaches into the room between the insets, and none is wider.
  private let fillsLines: Bool

  /// Breaks the lines.
  ///
  /// - Complexity: O(n) in the items that are not in runs of equal ones.
  convenience init(sizes: SizeList, rule: LineRule) {
    var breaker = LineBreaker(rule: rule)
    breaker.breakLines(of: sizes, from: 0)
    self.init(sizes: sizes, rule: rule, lines: Rope(breaker.finish()))
  }

  private init(sizes: SizeList, rule: LineRule, lines: Rope<LineRun>) {
    self.sizes = sizes
    self.rule = rule
    self.lines = lines
    isSmall = rule.isSmall && rule.leading <= Length.maximumExtent
    let summary = sizes.summary
    greatestMaxX = rule.leading + max(rule.limit, summary.greatest.width)
    // By more than a hair: a line may end a hair past the room, and what is wider than that still reaches
    // into it.
    fillsLines =
      summary.least.width > rule.limit - rule.available
      && summary.greatest.width <= rule.available && summary.least.height > .zero
    length = lines.summary.length + rule.lineSpacing * max(0, lines.count - 1)
  }

  /// The same lines after a change of the items, under the same rule.
  ///
  /// Breaking is greedy: once a line begins where one began before, all that follow are as they were
  /// until the next change. A changed item may also fit on the line before its own.
  ///
  /// - Parameters:
  ///   - edits: The change.
  ///   - sizes: The sizes after it.
  /// - Returns: The changed lines.
  /// - Complexity: O(m + k · log n) for k edits and m items on lines that are broken anew; O(n) for more
  ///   edits than one of four thousand items.
  func edited(_ edits: [ItemEdit], sizes: SizeList) -> FlowTable {
    // Around more edits than that, as many items are on lines that change as on others.
    if edits.count > sizes.count / 512 { return FlowTable(sizes: sizes, rule: rule) }
    // To put lines into a rope at more places than that takes longer than to copy all others.
    return edits.count > sizes.count / 4096
      ? copyingLines(besides: edits, sizes: sizes) : replacingLines(around: edits, sizes: sizes)
  }

  /// What ``edited(_:sizes:)`` returns, in the time that it takes to copy the lines that stay.
  func copyingLines(besides edits: [ItemEdit], sizes: SizeList) -> FlowTable {
    var breaker = LineBreaker(rule: rule, comparingWith: LinesBefore(lines, edits))
    var kept = 0
    while let (start, item) = breaker.goToNextEdit() {
      breaker.copy(kept..<start, of: lines)
      kept = breaker.breakLines(of: sizes, from: item)
    }
    breaker.copy(kept..<lines.count, of: lines)
    return FlowTable(sizes: sizes, rule: rule, lines: Rope(breaker.finish()))
  }

  /// What ``edited(_:sizes:)`` returns, without looking at the lines that stay.
  func replacingLines(around edits: [ItemEdit], sizes: SizeList) -> FlowTable {
    var breaker = LineBreaker(rule: rule, comparingWith: LinesBefore(lines, edits))
    var lineEdits: [Rope<LineRun>.Edit] = []
    lineEdits.reserveCapacity(edits.count)
    while let (start, item) = breaker.goToNextEdit() {
      let end = breaker.breakLines(of: sizes, from: item)
      lineEdits.append(.init(range: start..<end, chunks: breaker.finish()))
    }
    return FlowTable(sizes: sizes, rule: rule, lines: lines.edited(lineEdits))
  }

  var reusableSizes: SizeList? { sizes }

  var byteCount: Int { sizes.byteCount + lines.summary.byteCount + lines.rootByteCount }

  // MARK: Lines

  /// One line, and where it is.
  private struct Place {
    var number: Int
    /// Its first item.
    var item: Int
    var itemCount: Int
    var top: Length
    var length: Length
  }

  /// The line with an item; the first where there are none.
  private func line(of item: Int) -> Place {
    guard let run = lines.firstPlace(where: { $1.itemCount > item }) else {
      return Place(number: 0, item: 0, itemCount: 0, top: 0, length: 0)
    }
    let inRun = item - run.before.itemCount
    let number: Int
    let start: LineRun.Line
    let line: LineRun.Line
    switch run.chunk {
    case .repeated(let each, let count):
      number = min(inRun / max(1, each.itemCount), count - 1)
      start = LineRun.Line(itemCount: each.itemCount * number, length: each.length * number)
      line = each
    case .lines(let ends):
      number = LineRun.line(with: inRun, of: run.summary.itemCount, in: ends)
      start = LineRun.start(number, in: ends)
      line = LineRun.line(number, in: ends)
    }
    let lineNumber = run.start + number
    return Place(
      number: lineNumber, item: run.before.itemCount + start.itemCount, itemCount: line.itemCount,
      top: run.before.length + start.length + rule.lineSpacing * lineNumber, length: line.length)
  }

  /// Visits the items of a line in order.
  private func forEachItem(
    in line: Place, _ reader: inout SizeReader, _ body: (Int, Rect) -> Bool
  ) -> Bool {
    let items = line.item..<(line.item + line.itemCount)
    let spread = rule.spread(
      count: line.itemCount, extent: reader.breadth(of: items),
      isLast: line.number == lines.count - 1)
    var before: Length = 0
    for item in items {
      let size = reader.size(of: item)
      let origin = Point(
        x: spread.position(item - line.item, before: before),
        y: line.top + rule.offset(of: size.height, inLine: line.length))
      guard body(item, Rect(origin: origin, size: size)) else { return false }
      before += size.width
    }
    return true
  }

  /// Visits the items of a line that share an area with a rectangle, in order.
  private func forEachItem(
    in line: Place, showingIn rect: Rect, from start: Int, _ reader: inout SizeReader,
    _ body: (Int, Rect) -> Bool
  ) -> Bool {
    if isSmall {
      let isGoingOn = reader.withNarrow(line.item..<(line.item + line.itemCount)) {
        forEachItem(in: line, showingIn: rect, from: start, breadths: $0, lengths: $1, body)
      }
      if let isGoingOn { return isGoingOn }
    }
    return forEachItem(in: line, &reader) { item, frame in
      item < start || !frame.overlaps(rect) || body(item, frame)
    }
  }

  /// The same where no sum comes near the end of 64 bits.
  @inline(__always)
  private func forEachItem(
    in line: Place, showingIn rect: Rect, from start: Int, breadths: Span<UInt32>,
    lengths: Span<UInt32>, _ body: (Int, Rect) -> Bool
  ) -> Bool {
    var extent: Int64 = 0
    for place in breadths.indices { extent &+= Int64(breadths[place]) }
    var steps = LineSteps(
      rule.spread(
        count: line.itemCount, extent: Length(millionths: extent),
        isLast: line.number == lines.count - 1))
    let isInside = line.top >= rect.minY && line.top + line.length <= rect.maxY
    let (left, right) = (rect.minX.millionths, rect.maxX.millionths)
    let itemAlignment = rule.itemAlignment
    for place in breadths.indices {
      let (breadth, length) = (Int64(breadths[place]), Int64(lengths[place]))
      let x = steps.next(breadth)
      guard x < right, x &+ breadth > left, line.item &+ place >= start else { continue }
      let offset = itemAlignment.offset(leaving: line.length.millionths &- length)
      let frame = Rect(
        origin: Point(
          x: Length(millionths: x), y: Length(millionths: line.top.millionths &+ offset)),
        size: Size(width: Length(millionths: breadth), height: Length(millionths: length)))
      guard isInside ? !frame.isEmpty : frame.overlaps(rect) else { continue }
      guard body(line.item &+ place, frame) else { return false }
    }
    return true
  }

  /// Visits the lines in a rectangle from the one with an item on; of equal lines beside it none.
  private func forEachLine(in rect: Rect, from item: Int, _ body: (Place) -> Bool) -> Bool {
    // An item may begin left of the room, but never left of where lines begin.
    guard !rect.isEmpty, rect.maxX > rule.leading, rect.minX < greatestMaxX else { return true }
    let spacing = rule.lineSpacing
    var isGoingOn = true
    lines.forEachLeaf(where: {
      $1.length + spacing * ($0 - 1) > rect.minY && $1.itemCount > item
    }) { run, firstLine, before in
      let top = before.length + spacing * firstLine
      guard top < rect.maxY else { return false }
      switch run.chunk {
      case .repeated(let line, let count):
        let pitch = line.length + spacing
        let begin = partitioningIndex(count) {
          top + pitch * $0 + line.length > rect.minY
            && before.itemCount + line.itemCount * ($0 + 1) > item
        }
        for number in begin..<count {
          guard top + pitch * number < rect.maxY else { return false }
          let place = Place(
            number: firstLine + number, item: before.itemCount + line.itemCount * number,
            itemCount: line.itemCount, top: top + pitch * number, length: line.length)
          // All but the section's last line are alike: where one has nothing in the rectangle, none
          // has, and there may be billions of them.
          if number == begin, count - begin > 2, !hasItems(of: place, besides: rect) { break }
          isGoingOn = body(place)
          guard isGoingOn else { return false }
        }
      case .lines(let ends):
        // The leaf knows how many there are; the array would have to be there first.
        let count = run.count
        let guess = run.summary.likelyLine(at: rect.minY - top, of: count, spacing)
        let begin = partitioningIndex(count, near: guess) {
          top + ends[$0].length + spacing * $0 > rect.minY
            && before.itemCount + ends[$0].itemCount > item
        }
        for number in begin..<ends.count {
          let start = LineRun.start(number, in: ends)
          let line = LineRun.line(number, in: ends)
          let place = Place(
            number: firstLine + number, item: before.itemCount + start.itemCount,
            itemCount: line.itemCount, top: top + start.length + spacing * number,
            length: line.length)
          guard place.top < rect.maxY else { return false }
          if place.top + line.length > rect.minY {
            isGoingOn = body(place)
            guard isGoingOn else { return false }
          }
        }
      }
      return true
    }
    return isGoingOn
  }

  /// Whether some item of a line shares a breadth with a rectangle, wherever that is along the main
  /// axis; of a line of equal items.
  private func hasItems(of line: Place, besides rect: Rect) -> Bool {
    let size = sizes[line.item]
    guard size.width > .zero, size.height > .zero else { return false }
    let spread = rule.spread(
      count: line.itemCount, extent: size.width * line.itemCount, isLast: false)
    let place = partitioningIndex(line.itemCount) {
      spread.position($0, before: size.width * $0) + size.width > rect.minX
    }
    return place < line.itemCount
      && spread.position(place, before: size.width * place) < rect.maxX
  }

  // MARK: Items

  func frame(of item: Int) -> Rect {
    let line = line(of: item)
    var result = Rect(origin: .zero, size: .zero)
    var reader = SizeReader(sizes)
    _ = forEachItem(in: line, &reader) { candidate, frame in
      result = frame
      return candidate < item
    }
    return result
  }

  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool {
    var reader = SizeReader(sizes)
    return forEachLine(in: rect, from: start) { line in
      forEachItem(in: line, showingIn: rect, from: start, &reader, body)
    }
  }

  func forEachRun(in rect: Rect, _ body: (Range<Int>, Rect?) -> Bool) -> Bool {
    let coversAll =
      fillsLines && rect.minX <= rule.leading && rect.maxX >= rule.leading + rule.available
    var reader = SizeReader(sizes)
    return forEachLine(in: rect, from: 0) { line in
      if coversAll, line.top >= rect.minY, line.top + line.length <= rect.maxY {
        return body(line.item..<(line.item + line.itemCount), nil)
      }
      return forEachItem(in: line, showingIn: rect, from: 0, &reader) { item, frame in
        body(item..<(item + 1), frame)
      }
    }
  }
}

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
  fileprivate static func append(_ lines: [Line], _ range: Range<Int>, to ends: inout [Line]) {
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

/// The lines before a change, to be compared with those after it: they are asked for in order, so that the
/// run of the last one is kept at hand.
private struct LinesBefore {
  private let lines: Rope<LineRun>
  private let edits: [ItemEdit]
  /// The first edit that is still to come.
  private var next = 0
  /// By how much the numbers of items have grown before it.
  private var growth = 0
  /// The first item that is not as it was, and the first behind the next edit; as numbered after the
  /// change.
  private var (unchangedEnd, editEnd) = (0, 0)
  /// The lines of the run, or how many items each of its equal lines has.
  private var ends: [LineRun.Line] = []
  private var itemCount = 0
  /// The items of the run.
  private var items = 0..<0
  /// How many lines are before the run.
  private var start = 0
  /// A line of the run; as a rule, the one asked for next is a few lines after it.
  private var number = 0

  init(_ lines: Rope<LineRun>, _ edits: [ItemEdit]) {
    self.lines = lines
    self.edits = edits
  }

  /// Goes to the line with the item before the next edit: a changed item may fit on that.
  ///
  /// - Returns: The line, and its first item as numbered after the change; nil if no edit is to come.
  mutating func goToNextEdit() -> (number: Int, item: Int)? {
    guard next < edits.count else { return nil }
    let line = line(with: max(0, edits[next].range.lowerBound - 1))
    lookAhead()
    return (line.number, line.item + growth)
  }

  /// The line that began where one begins now.
  ///
  /// - Parameter item: Its first item, as numbered after the change; behind those asked for before.
  /// - Returns: The line; nil if none began there.
  @inline(__always)
  mutating func line(beginningWith item: Int) -> Int? {
    if item >= unchangedEnd {
      guard item >= editEnd else { return nil }
      goBehindEdits(upTo: item)
      guard item < unchangedEnd else { return nil }
    }
    let line = line(with: item - growth)
    return line.item + growth == item ? line.number : nil
  }

  /// Goes behind all edits and all lines.
  ///
  /// - Returns: How many lines there are.
  mutating func goToEnd() -> Int {
    next = edits.count
    return lines.count
  }

  /// Goes behind the edits that end at an item or before it, of which there is one.
  private mutating func goBehindEdits(upTo item: Int) {
    repeat {
      growth += edits[next].growth
      next += 1
      lookAhead()
    } while item >= editEnd
  }

  /// Finds out where the next edit is.
  private mutating func lookAhead() {
    guard next < edits.count else { return (unchangedEnd, editEnd) = (.max, .max) }
    unchangedEnd = edits[next].range.lowerBound + growth
    editEnd = edits[next].range.upperBound + growth + edits[next].growth
  }

  /// The line with an item, and its first item; behind all lines where there is no such item.
  @inline(__always)
  private mutating func line(with item: Int) -> (number: Int, item: Int) {
    if !items.contains(item), !goToRun(with: item) { return (lines.count, lines.summary.itemCount) }
    let place = item - items.lowerBound
    if itemCount > 0 {
      let number = place / itemCount
      return (start + number, items.lowerBound + number * itemCount)
    }
    // To go on from one edit to the next takes no longer than to break the lines around one.
    while number < ends.count, ends[number].itemCount <= place { number += 1 }
    return (start + number, items.lowerBound + LineRun.start(number, in: ends).itemCount)
  }

  /// Takes the run with an item at hand; returns whether there is one.
  @inline(never)
  private mutating func goToRun(with item: Int) -> Bool {
    guard let place = lines.firstPlace(where: { $1.itemCount > item }) else { return false }
    let first = place.before.itemCount
    items = first..<(first + place.summary.itemCount)
    start = place.start
    switch place.leaf.chunk {
    case .lines(let lines): (ends, itemCount) = (lines, 0)
    case .repeated(let line, _): (ends, itemCount) = ([], line.itemCount)
    }
    number = LineRun.line(with: item - first, of: items.count, in: ends)
    return true
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

/// Fills lines greedily; runs of equal items by arithmetic.
private struct LineBreaker {
  let rule: LineRule
  /// What the lines are compared with; nil if all lines to the end of the section are wanted.
  private var before: LinesBefore?
  private var runs: [LineRun] = []
  /// The lines that are not in a run yet, each with those before it.
  private var ends: [LineRun.Line] = []
  /// The line that is still open.
  private var line = LineRun.Line(itemCount: 0, length: 0)
  /// How far it reaches.
  private var used: Length = 0

  init(rule: LineRule, comparingWith before: LinesBefore? = nil) {
    self.rule = rule
    self.before = before
  }

  /// After how many lines they are compared with those before.
  private static var linesPerComparison: Int { 4 }

  /// Goes to the line with the item before the next edit.
  ///
  /// - Returns: The line, and its first item as numbered after the change; nil if no edit is to come.
  mutating func goToNextEdit() -> (number: Int, item: Int)? { before?.goToNextEdit() }

  /// Takes lines as they were.
  mutating func copy(_ numbers: Range<Int>, of lines: Rope<LineRun>) {
    guard !numbers.isEmpty else { return }
    let capacity = min(LineRun.capacity, lines.count + 32)
    lines.forEachLeaf(from: numbers.lowerBound) { leaf, start in
      let end = start + leaf.count
      var rest = (max(start, numbers.lowerBound) - start)..<(min(end, numbers.upperBound) - start)
      switch leaf.chunk {
      case .repeated(let line, _):
        flush()
        runs.append(.repeated(line, count: rest.count))
      case .lines(let old):
        while !rest.isEmpty {
          ends.reserveCapacity(capacity)
          let part = rest.prefix(LineRun.capacity - ends.count)
          LineRun.append(old, part, to: &ends)
          if ends.count >= LineRun.capacity { flush() }
          rest.removeFirst(part.count)
        }
      }
      return end < numbers.upperBound
    }
  }

  /// Breaks lines from an item that begins one, up to one that begins where a line began before.
  ///
  /// - Parameters:
  ///   - sizes: The sizes of all items.
  ///   - first: The item.
  /// - Returns: The line that began there; the number of lines before the change, if they go on to the end of
  ///   the section.
  @discardableResult
  mutating func breakLines(of sizes: SizeList, from first: Int) -> Int {
    let isSmall = rule.isSmall
    let isWhole = before == nil
    let count = sizes.count
    var end: Int?
    // After that many lines, as a rule, one begins where one began before.
    if !isWhole { ends.reserveCapacity(max(0, min(32, count - first))) }
    (line.itemCount, used) = (0, 0)
    sizes.forEachRun(
      from: first,
      narrow: { start, widths, heights in
        var index = max(0, first - start)
        if !isSmall || isFar {
          end = breakEach(index..<widths.count, after: start) {
            Size(
              width: Length(millionths: Int64(widths[$0])),
              height: Length(millionths: Int64(heights[$0])))
          }
        } else {
          var (open, reach) = (line, used)
          while end == nil, index < widths.count {
            let kept = ends.count
            let left = count - start - index
            let more = isWhole ? left : min(left, LineBreaker.linesPerComparison)
            index = fill(
              &open, &reach, widths, heights, from: index, upTo: min(LineRun.capacity - kept, more))
            if !isWhole, ends.count > kept {
              end = lineBefore(behind: kept..<ends.count, upTo: start + index - open.itemCount)
            }
            if ends.count >= LineRun.capacity { flush() }
          }
          (line, used) = (open, reach)
        }
        return end == nil
      },
      other: { start, run in
        let index = max(0, first - start)
        if let size = run.commonSize {
          end = breakEqual(size, index..<run.count, after: start)
        } else {
          end = breakEach(index..<run.count, after: start) { run.size($0) }
        }
        return end == nil
      })
    if let end { return end }
    if line.itemCount > 0 { append(line) }
    return before?.goToEnd() ?? 0
  }

  /// Looks for the first of some lines behind which one begins where one began before, and drops those
  /// after it.
  ///
  /// - Parameters:
  ///   - numbers: The lines; the last that there are.
  ///   - next: The first item behind all lines.
  /// - Returns: The line that began there; nil if there is none.
  private mutating func lineBefore(behind numbers: Range<Int>, upTo next: Int) -> Int? {
    let start = next - LineRun.start(ends.count, in: ends).itemCount
    for number in numbers {
      if let line = before?.line(beginningWith: start + ends[number].itemCount) {
        ends.removeSubrange((number + 1)...)
        return line
      }
    }
    return nil
  }

  /// The lines, if no more are to be broken.
  mutating func finish() -> [LineRun] {
    flush()
    defer { runs = [] }
    return runs
  }

  /// Breaks lines of items of one size.
  private mutating func breakEqual(
    _ size: Size, _ items: Range<Int>, after start: Int
  ) -> Int? {
    let limit = rule.limit
    let step = size.width + rule.interitemSpacing
    /// How many more items a line takes that is so full already.
    func room(after used: Length) -> Int {
      let left = limit - used
      guard left >= .zero else { return 0 }
      return step > .zero ? Int(clamping: left.millionths / step.millionths) : Int.max
    }
    var index = items.lowerBound
    while index < items.upperBound {
      if line.itemCount > 0 {
        let more = min(room(after: used), items.upperBound - index)
        if more > 0 {
          used += step * more
          line.itemCount += more
          line.length = max(line.length, size.height)
          index += more
          if index == items.upperBound { break }
        }
        if let end = endLine(before: start + index) { return end }
      }
      // A line of nothing but these. The last of them stays open for what follows.
      let perLine = 1 + min(room(after: size.width), items.upperBound)
      let full = (items.upperBound - index - 1) / perLine
      if full > 1 {
        flush()
        runs.append(
          .repeated(LineRun.Line(itemCount: perLine, length: size.height), count: full))
        index += full * perLine
        if let end = before?.line(beginningWith: start + index) { return end }
      }
      line = LineRun.Line(itemCount: 1, length: size.height)
      used = size.width
      index += 1
    }
    return nil
  }

  /// Breaks lines of items of any sizes.
  @inline(__always)
  private mutating func breakEach(
    _ items: Range<Int>, after start: Int, _ size: (Int) -> Size
  ) -> Int? {
    for index in items {
      let size = size(index)
      let joined = used + rule.interitemSpacing + size.width
      if line.itemCount > 0, joined <= rule.limit {
        used = joined
        line.itemCount += 1
        line.length = max(line.length, size.height)
      } else {
        if line.itemCount > 0, let end = endLine(before: start + index) { return end }
        line = LineRun.Line(itemCount: 1, length: size.height)
        used = size.width
      }
    }
    return nil
  }

  /// Whether the lines that are not in a run yet are longer than any layout may be, so that the lengths of
  /// more, even of items whose sizes have 32 bits each, could come to the end of 64.
  private var isFar: Bool {
    LineRun.start(ends.count, in: ends).length + line.length > .maximumCoordinate
  }

  /// Fills lines with items whose sizes have 32 bits each, under a rule that is small and not behind lines
  /// that are far: so no sum comes near the end of 64.
  ///
  /// - Parameters:
  ///   - line: The line that is open, and stays open; after a full one it has an item already, if one
  ///     follows.
  ///   - used: How far it reaches.
  ///   - widths: The items' breadths.
  ///   - heights: The items' lengths.
  ///   - first: The item to begin with.
  ///   - limit: After how many lines to stop.
  /// - Returns: The first item that is on no line yet.
  @inline(never)  // Among what its caller needs, there are not enough registers for the loop.
  private mutating func fill(
    _ line: inout LineRun.Line, _ used: inout Length, _ widths: Span<UInt32>,
    _ heights: Span<UInt32>, from first: Int, upTo limit: Int
  ) -> Int {
    let count = min(widths.count, heights.count)
    let spacing = rule.interitemSpacing.millionths
    let wholeLine = rule.limit.millionths
    // What is left of the line: one subtraction takes an item's part of it and says whether it fits.
    var room = wholeLine &- used.millionths
    var longest = line.length.millionths
    var index = first
    let start = LineRun.start(ends.count, in: ends)
    // The run's items that are not among these.
    let before = start.itemCount &+ line.itemCount &- first
    var length = start.length.millionths
    ends.append(addingCapacity: limit) { ends in
      // Safe, here and below: an index below the count of both. A check of each costs a quarter of the
      // loop.
      if line.itemCount == 0, index < count {
        room = unsafe wholeLine &- Int64(widths[unchecked: index])
        longest = unsafe Int64(heights[unchecked: index])
        index &+= 1
      }
      while ends.freeCapacity > 0 {
        while index < count {
          room = unsafe room &- (Int64(widths[unchecked: index]) &+ spacing)
          guard room >= 0 else { break }
          longest = unsafe max(longest, Int64(heights[unchecked: index]))
          index &+= 1
        }
        // What the run ends with stays open for what follows.
        guard index < count else { return }
        length &+= longest
        ends.append(LineRun.Line(itemCount: before &+ index, length: Length(millionths: length)))
        room = unsafe wholeLine &- Int64(widths[unchecked: index])
        longest = unsafe Int64(heights[unchecked: index])
        index &+= 1
      }
    }
    line.itemCount = before &+ index &- LineRun.start(ends.count, in: ends).itemCount
    line.length.millionths = longest
    used.millionths = wholeLine &- room
    return index
  }

  /// Keeps the open line, so that none is open; the line that began before where the next one does.
  private mutating func endLine(before item: Int) -> Int? {
    append(line)
    if ends.count >= LineRun.capacity { flush() }
    line.itemCount = 0
    return before?.line(beginningWith: item)
  }

  private mutating func append(_ line: LineRun.Line) {
    let start = LineRun.start(ends.count, in: ends)
    ends.append(
      LineRun.Line(
        itemCount: start.itemCount + line.itemCount, length: start.length + line.length))
  }

  private mutating func flush() {
    guard !ends.isEmpty else { return }
    // There was room for as many lines as items.
    if before == nil, ends.capacity > 2 * ends.count {
      var kept: [LineRun.Line] = []
      kept.reserveCapacity(ends.count)
      kept += ends
      ends = kept
    }
    runs.append(.lines(ends))
    ends = []
  }
}
