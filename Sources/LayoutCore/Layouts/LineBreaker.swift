/// Fills lines greedily; runs of equal items by arithmetic.
struct LineBreaker {
  let rule: LineRule
  /// What the lines are compared with; nil if all lines to the end of the section are wanted.
  private var linesBefore: LinesBefore?
  private var runs: [LineRun] = []
  /// The lines that are not in a run yet.
  private var ends = LineEnds()
  /// The line that is still open.
  private var line = LineRun.Line(itemCount: 0, length: 0)
  /// How far it reaches.
  private var used: Length = 0

  /// Breaks all lines of a section.
  init(rule: LineRule) { self.rule = rule }

  /// Breaks lines around edits.
  ///
  /// - Parameters:
  ///   - rule: How lines are filled; also those before the edits.
  ///   - edits: What changes of the items.
  ///   - lines: The lines before the edits.
  init(rule: LineRule, around edits: [ItemEdit], of lines: Rope<LineRun>) {
    self.rule = rule
    linesBefore = LinesBefore(lines, edits)
  }

  /// After how many lines they are compared with those before.
  private static var linesPerComparison: Int { 4 }
  /// After how many lines behind an edit, as a rule, one begins where one began before.
  private static var linesPerEdit: Int { 32 }

  /// Goes to the line with the item before the next edit.
  ///
  /// - Returns: The line, and its first item as numbered after the change; nil if no edit is to come.
  mutating func goToNextEdit() -> (number: Int, item: Int)? { linesBefore?.goToNextEdit() }

  /// Takes lines as they were before the edits.
  mutating func copy(_ numbers: Range<Int>) {
    guard let lines = linesBefore?.lines, !numbers.isEmpty else { return }
    // Of a few lines that is all of them, and those around one edit once more.
    let capacity = min(LineRun.capacity, lines.count + LineBreaker.linesPerEdit)
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
          ends.append(old, part)
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
    let isWhole = linesBefore == nil
    let count = sizes.count
    var end: Int?
    if !isWhole { ends.reserveCapacity(max(0, min(LineBreaker.linesPerEdit, count - first))) }
    (line.itemCount, used) = (0, 0)
    sizes.forEachRun(
      from: first,
      narrow: { start, widths, heights in
        var index = max(0, first - start)
        if !isSmall || !ends.canFill(widths.count, after: line) {
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
    if line.itemCount > 0 { ends.append(line) }
    return linesBefore?.goToEnd() ?? 0
  }

  /// Looks for the first of some lines behind which one begins where one began before, and drops those
  /// after it.
  ///
  /// - Parameters:
  ///   - numbers: The lines; the last that there are.
  ///   - next: The first item behind all lines.
  /// - Returns: The line that began there; nil if there is none.
  private mutating func lineBefore(behind numbers: Range<Int>, upTo next: Int) -> Int? {
    let start = next - ends.sum.itemCount
    for number in numbers {
      if let line = linesBefore?.line(beginningWith: start + ends[number].itemCount) {
        ends.keepFirst(number + 1)
        return line
      }
    }
    return nil
  }

  /// All lines of a section, if no more are to be broken.
  mutating func finishAll() -> Rope<LineRun> {
    // As in most sections.
    if runs.isEmpty, !ends.isEmpty { return Rope(takeEnds()) }
    return Rope(finish())
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
        if let end = linesBefore?.line(beginningWith: start + index) { return end }
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

  /// Fills lines with items whose sizes have 32 bits each, under a rule that is small and where
  /// ``LineEnds/canFill(_:after:)``: so no sum comes near the end of 64.
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
  private mutating func fill(
    _ line: inout LineRun.Line, _ used: inout Length, _ widths: Span<UInt32>,
    _ heights: Span<UInt32>, from first: Int, upTo limit: Int
  ) -> Int {
    let sum = ends.sum
    var filling = NarrowFilling(
      spacing: rule.interitemSpacing.millionths, wholeLine: rule.limit.millionths,
      room: rule.limit.millionths &- used.millionths, longest: line.length.millionths,
      isOpen: line.itemCount > 0, item: first,
      before: sum.itemCount &+ line.itemCount &- first, length: sum.length.millionths)
    ends.fill(upTo: limit) { filling.fill(&$0, widths, heights) }
    line.itemCount = filling.before &+ filling.item &- ends.sum.itemCount
    line.length.millionths = filling.longest
    used.millionths = filling.wholeLine &- filling.room
    return filling.item
  }

  /// Keeps the open line, so that none is open; the line that began before where the next one does.
  private mutating func endLine(before item: Int) -> Int? {
    ends.append(line)
    if ends.count >= LineRun.capacity { flush() }
    line.itemCount = 0
    return linesBefore?.line(beginningWith: item)
  }

  private mutating func flush() {
    if !ends.isEmpty { runs.append(takeEnds()) }
  }

  /// The lines that are not in a run yet, as one.
  private mutating func takeEnds() -> LineRun {
    // There was room for as many lines as items.
    if linesBefore == nil, ends.capacity > 2 * ends.count { ends.trim() }
    defer { ends = LineEnds() }
    return .lines(ends)
  }
}

/// The lines before a change, to be compared with those after it: they are asked for in order, so that the
/// run of the last one is kept at hand.
private struct LinesBefore {
  let lines: Rope<LineRun>
  private let edits: [ItemEdit]
  /// The first edit that is still to come.
  private var next = 0
  /// By how much the numbers of items have grown before it.
  private var growth = 0
  /// The first item that is not as it was, and the first behind the next edit; as numbered after the
  /// change.
  private var (unchangedEnd, editEnd) = (0, 0)
  /// The lines of the run, or how many items each of its equal lines has.
  private var ends = LineEnds()
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
    lookAhead()
  }

  /// Goes to the line with the item before the next edit: a changed item may fit on that.
  ///
  /// - Returns: The line, and its first item as numbered after the change; nil if no edit is to come.
  mutating func goToNextEdit() -> (number: Int, item: Int)? {
    guard next < edits.count else { return nil }
    let line = line(with: max(0, edits[next].range.lowerBound - 1))
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
    return (start + number, items.lowerBound + ends.start(number).itemCount)
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
    case .repeated(let line, _): (ends, itemCount) = (LineEnds(), line.itemCount)
    }
    number = ends.line(with: item - first, of: items.count)
    return true
  }
}
