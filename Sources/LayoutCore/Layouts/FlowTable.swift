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
    self.init(sizes: sizes, rule: rule, lines: breaker.finishAll())
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
    var breaker = LineBreaker(rule: rule, around: edits, of: lines)
    var kept = 0
    while let (start, item) = breaker.goToNextEdit() {
      breaker.copy(kept..<start)
      kept = breaker.breakLines(of: sizes, from: item)
    }
    breaker.copy(kept..<lines.count)
    return FlowTable(sizes: sizes, rule: rule, lines: breaker.finishAll())
  }

  /// What ``edited(_:sizes:)`` returns, without looking at the lines that stay.
  func replacingLines(around edits: [ItemEdit], sizes: SizeList) -> FlowTable {
    var breaker = LineBreaker(rule: rule, around: edits, of: lines)
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

  /// One line, or several next to each other, and where it is.
  private struct Place {
    var number: Int
    /// Its first item.
    var item: Int
    var itemCount: Int
    var top: Length
    var length: Length

    var items: Range<Int> { item..<(item + itemCount) }

    /// Takes the lines behind it in, up to an item and to where the line before that ends.
    mutating func extend(toItem end: Int, bottom: Length) {
      itemCount = end - item
      length = bottom - top
    }

    /// Whether a rectangle reaches from its start to its end along the main axis.
    func isInside(_ rect: Rect) -> Bool { top >= rect.minY && top + length <= rect.maxY }
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
      number = ends.line(with: inRun, of: run.summary.itemCount)
      start = ends.start(number)
      line = ends.line(number)
    }
    let lineNumber = run.start + number
    return Place(
      number: lineNumber, item: run.before.itemCount + start.itemCount, itemCount: line.itemCount,
      top: run.before.length + start.length + rule.lineSpacing * lineNumber, length: line.length)
  }

  /// How the items of a line are spread.
  private func spread(of line: Place, _ reader: inout SizeReader) -> LineSpread {
    rule.spread(
      count: line.itemCount, extent: reader.breadth(of: line.items),
      isLast: line.number == lines.count - 1)
  }

  /// The frame of an item of a line.
  ///
  /// - Parameters:
  ///   - place: Its place in the line.
  ///   - size: Its size.
  ///   - line: The line.
  ///   - spread: How the line is spread.
  ///   - before: The breadths of the items before it, added up.
  /// - Returns: The frame.
  private func frame(
    _ place: Int, _ size: Size, in line: Place, _ spread: LineSpread, before: Length
  ) -> Rect {
    let origin = Point(
      x: spread.position(place, before: before),
      y: line.top + rule.offset(of: size.height, inLine: line.length))
    return Rect(origin: origin, size: size)
  }

  /// Visits the items of a line that share an area with a rectangle, in order.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - rect: The rectangle.
  ///   - isCovered: Whether no item of any line lies beside it.
  ///   - start: Items before this one are passed over.
  ///   - reader: Reads the sizes.
  ///   - body: Called with each item and its frame; returns whether to go on.
  /// - Returns: Whether `body` always wanted to go on.
  @inline(__always)
  private func forEachItem(
    in line: Place, showingIn rect: Rect, isCovered: Bool, from start: Int,
    _ reader: inout SizeReader, _ body: (Int, Rect) -> Bool
  ) -> Bool {
    if isSmall {
      let isWhole = isCovered && line.item >= start && line.isInside(rect)
      let isGoingOn = reader.withNarrow(line.items) {
        forEachItem(of: line, isWhole: isWhole, showingIn: rect, from: start, $0, $1, body)
      }
      if let isGoingOn { return isGoingOn }
    }
    return forEachItem(in: line, showingIn: rect, from: start, runsOf: &reader, body)
  }

  /// The same, of equal items by arithmetic.
  @inline(never)
  private func forEachItem(
    in line: Place, showingIn rect: Rect, from start: Int, runsOf reader: inout SizeReader,
    _ body: (Int, Rect) -> Bool
  ) -> Bool {
    let spread = spread(of: line, &reader)
    var before: Length = 0
    var place = 0
    while place < line.itemCount {
      let item = line.item + place
      // However many have no area, none of them is seen.
      let unseenEnd = min(reader.endOfUnseen(from: item), line.items.upperBound)
      guard unseenEnd == item else {
        before += reader.breadth(of: item..<unseenEnd)
        place = unseenEnd - line.item
        continue
      }
      let run = reader.run(from: item)
      let count = min(run.end, line.items.upperBound) - line.item - place
      /// The frame of one of those that are as large as this one.
      func frame(_ index: Int) -> Rect {
        self.frame(
          place + index, run.size, in: line, spread, before: before + run.size.width * index)
      }
      let (one, last) = (frame(0), frame(count - 1))
      if !one.isEmpty, one.minY < rect.maxY, one.maxY > rect.minY {
        // Where a line ends a hair past the room, smallest items may be pushed back behind each other.
        let isRising = one.minX <= last.minX
        var index = max(
          start - line.item - place,
          partitioningIndex(count) {
            isRising ? frame($0).maxX > rect.minX : frame($0).minX < rect.maxX
          })
        while index < count {
          let frame = frame(index)
          guard frame.overlaps(rect) else { break }
          guard body(line.item + place + index, frame) else { return false }
          index += 1
        }
      }
      before += run.size.width * count
      place += count
    }
    return true
  }

  /// The same where no sum comes near the end of 64 bits; of a line of which all is seen nothing is asked.
  @inline(__always)
  private func forEachItem(
    of line: Place, isWhole: Bool, showingIn rect: Rect, from start: Int,
    _ breadths: Span<UInt32>, _ lengths: Span<UInt32>, _ body: (Int, Rect) -> Bool
  ) -> Bool {
    var steps = steps(in: line, breadths)
    let itemAlignment = rule.itemAlignment
    for place in breadths.indices {
      let (breadth, length) = (Int64(breadths[place]), Int64(lengths[place]))
      let x = steps.next(breadth)
      let offset = itemAlignment.offset(leaving: line.length.millionths &- length)
      let frame = Rect(
        origin: Point(
          x: Length(millionths: x), y: Length(millionths: line.top.millionths &+ offset)),
        size: Size(width: Length(millionths: breadth), height: Length(millionths: length)))
      guard isWhole || line.item &+ place >= start && frame.overlaps(rect) else { continue }
      guard body(line.item &+ place, frame) else { return false }
    }
    return true
  }

  /// Where the items of a line begin, where no sum comes near the end of 64 bits.
  @inline(__always)
  private func steps(in line: Place, _ breadths: Span<UInt32>) -> LineSteps {
    var extent: Int64 = 0
    for place in breadths.indices { extent &+= Int64(breadths[place]) }
    return LineSteps(
      rule.spread(
        count: line.itemCount, extent: Length(millionths: extent),
        isLast: line.number == lines.count - 1))
  }

  /// Visits the lines in a rectangle from the one with an item on; of equal lines beside it none.
  ///
  /// - Parameters:
  ///   - rect: The rectangle.
  ///   - item: The item.
  ///   - joinsWhole: Whether lines next to each other are visited as one, however many, where the rectangle
  ///     reaches from their start to their end along the main axis.
  ///   - body: Called with each line; returns whether to go on.
  /// - Returns: Whether `body` always wanted to go on.
  private func forEachLine(
    in rect: Rect, from item: Int, joinsWhole: Bool = false, _ body: (Place) -> Bool
  ) -> Bool {
    // An item may begin left of the room, but never left of where lines begin.
    guard !rect.isEmpty, rect.maxX > rule.leading, rect.minX < greatestMaxX else { return true }
    let spacing = rule.lineSpacing
    var isGoingOn = true
    lines.forEachLeaf(where: {
      $1.length + spacing * ($0 - 1) > rect.minY && $1.itemCount > item
    }) { run, firstLine, before in
      let top = before.length + spacing * firstLine
      guard top < rect.maxY else { return false }
      // However many lines have no length, what is on them is not seen.
      guard run.summary.length > .zero else { return true }
      switch run.chunk {
      case .repeated(let line, let count):
        let pitch = line.length + spacing
        let begin = partitioningIndex(count) {
          top + pitch * $0 + line.length > rect.minY
            && before.itemCount + line.itemCount * ($0 + 1) > item
        }
        var number = begin
        while number < count {
          guard top + pitch * number < rect.maxY else { return false }
          var place = Place(
            number: firstLine + number, item: before.itemCount + line.itemCount * number,
            itemCount: line.itemCount, top: top + pitch * number, length: line.length)
          // All but the section's last line are alike: where one has nothing in the rectangle, none
          // has, and there may be billions of them.
          if number == begin, count - begin > 2, !hasItems(of: place, besides: rect) { break }
          number += 1
          if joinsWhole, place.isInside(rect) {
            number = partitioningIndex(count) { top + pitch * $0 + line.length > rect.maxY }
            place.extend(
              toItem: before.itemCount + line.itemCount * number,
              bottom: top + pitch * (number - 1) + line.length)
          }
          isGoingOn = body(place)
          guard isGoingOn else { return false }
        }
      case .lines(let ends):
        // The leaf knows how many there are; the array would have to be there first.
        let count = run.count
        /// Where a line ends.
        func bottom(_ number: Int) -> Length { top + ends[number].length + spacing * number }
        let guess = run.summary.likelyLine(at: rect.minY - top, of: count, spacing)
        let begin = partitioningIndex(count, near: guess) {
          bottom($0) > rect.minY
            && before.itemCount + ends[$0].itemCount > item
        }
        var number = begin
        while number < count {
          let start = ends.start(number)
          let line = ends.line(number)
          var place = Place(
            number: firstLine + number, item: before.itemCount + start.itemCount,
            itemCount: line.itemCount, top: top + start.length + spacing * number,
            length: line.length)
          guard place.top < rect.maxY else { return false }
          number += 1
          if joinsWhole, place.isInside(rect) {
            let guess = run.summary.likelyLine(at: rect.maxY - top, of: count, spacing)
            number = partitioningIndex(count, near: guess) { bottom($0) > rect.maxY }
            place.extend(
              toItem: before.itemCount + ends.start(number).itemCount, bottom: bottom(number - 1))
          }
          if place.length > .zero, place.top + place.length > rect.minY {
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

  func frame(of item: Int) -> Rect { frames(of: [item])[0] }

  /// - Complexity: O(k · log n + m) for k items in lines of m items together.
  func frames(of items: [Int]) -> [Rect] {
    var frames: [Rect] = []
    frames.reserveCapacity(items.count)
    var reader = SizeReader(sizes)
    while frames.count < items.count {
      let line = line(of: items[frames.count])
      let spread = spread(of: line, &reader)
      var (done, before) = (line.item, Length.zero)
      repeat {
        let item = items[frames.count]
        before += reader.breadth(of: done..<max(done, item))
        done = max(done, item)
        frames.append(
          frame(
            item - line.item, reader.size(of: item), in: line, spread, before: before))
      } while frames.count < items.count && line.items.contains(items[frames.count])
    }
    return frames
  }

  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool {
    let isCovered = coversLines(rect)
    var reader = SizeReader(sizes)
    return forEachLine(in: rect, from: start) { line in
      forEachItem(in: line, showingIn: rect, isCovered: isCovered, from: start, &reader, body)
    }
  }

  func forEachItem(
    in rect: Rect, from start: Int, _ collector: inout CellCollector,
    _ visit: (CellBatch) -> Bool
  ) -> Bool {
    let isCovered = coversLines(rect)
    var reader = SizeReader(sizes)
    return forEachLine(in: rect, from: start) { line in
      forEachItem(in: line, showingIn: rect, isCovered: isCovered, from: start, &reader) {
        collector.append($0, $1, visit)
      }
    } && collector.handOn(to: visit)
  }

  /// Whether no item of a line lies beside a rectangle.
  private func coversLines(_ rect: Rect) -> Bool {
    fillsLines && rect.minX <= rule.leading && rect.maxX >= rule.leading + rule.available
  }

  func forEachRun(in rect: Rect, _ body: (Range<Int>, Rect?) -> Bool) -> Bool {
    let isCovered = coversLines(rect)
    var reader = SizeReader(sizes)
    return forEachLine(in: rect, from: 0, joinsWhole: isCovered) { line in
      if isCovered, line.isInside(rect) { return body(line.items, nil) }
      return forEachItem(in: line, showingIn: rect, isCovered: isCovered, from: 0, &reader) {
        body($0..<($0 + 1), $1)
      }
    }
  }
}
