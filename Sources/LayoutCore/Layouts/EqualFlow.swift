/// Lines of items of one size: arithmetic, whatever their number.
final class EqualFlow: SectionBody {
  let length: Length
  private let sizes: SizeList
  private let itemSize: Size
  private let count: Int
  private let perLine: Int
  private let lineSpacing: Length
  private let line: LineSpread
  private let lastLine: LineSpread

  /// Fills lines with items that all have a size.
  init(_ itemSize: Size, of sizes: SizeList, rule: LineRule) {
    let count = sizes.count
    self.sizes = sizes
    self.itemSize = itemSize
    self.count = count
    lineSpacing = rule.lineSpacing
    let step = itemSize.width + rule.interitemSpacing
    let room = rule.limit - itemSize.width
    if room < .zero {
      perLine = 1
    } else if step == .zero {
      perLine = count
    } else {
      perLine = Int(clamping: room.millionths / step.millionths) + 1
    }
    let lines = (count - 1) / perLine + 1
    length = itemSize.height * lines + rule.lineSpacing * (lines - 1)
    let full = rule.spread(
      rule.lineAlignment, count: perLine, extent: itemSize.width * perLine)
    line = full
    if rule.lastLineAlignment == .auto && rule.lineAlignment == .justified {
      lastLine = full
    } else {
      let rest = count - (lines - 1) * perLine
      lastLine = rule.spread(count: rest, extent: itemSize.width * rest, isLast: true)
    }
  }

  func frame(of item: Int) -> Rect {
    let line = item / perLine
    return Rect(
      origin: Point(x: x(item - line * perLine, in: spread(ofLine: line)), y: pitch * line),
      size: itemSize)
  }

  var reusableSizes: SizeList? { sizes }

  var byteCount: Int { sizes.byteCount }

  private var pitch: Length { itemSize.height + lineSpacing }

  private func spread(ofLine line: Int) -> LineSpread {
    line == lineCount - 1 ? lastLine : self.line
  }

  private var lineCount: Int { (count - 1) / perLine + 1 }

  /// Of a line of so many items those that share a breadth with a rectangle, by their places.
  private func places(of count: Int, in rect: Rect, spread: LineSpread) -> Range<Int> {
    overlapping(count, of: itemSize.width, from: rect.minX, to: rect.maxX) { x($0, in: spread) }
  }

  /// The lines that share a length with a rectangle; none if items have no area.
  private func lines(in rect: Rect) -> Range<Int> {
    guard !rect.isEmpty, itemSize.width > .zero, itemSize.height > .zero else { return 0..<0 }
    let lineCount = lineCount
    // With a height above 0 the pitch is too.
    let above = flooredQuotient((rect.minY - itemSize.height).millionths, pitch.millionths)
    let first = min(lineCount, max(0, Int(above + 1)))
    let end = partitioningIndex(lineCount) { pitch * $0 >= rect.maxY }
    return first..<max(first, end)
  }

  private func x(_ place: Int, in spread: LineSpread) -> Length {
    spread.position(place, before: itemSize.width * place)
  }

  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool {
    let lines = lines(in: rect)
    guard !lines.isEmpty else { return true }
    let full = places(of: perLine, in: rect, spread: line)
    let last = lineCount - 1
    var line = max(lines.lowerBound, start / perLine)
    // All lines but the last are alike: where one has nothing in the rectangle, none has, and there
    // may be billions of them.
    if full.isEmpty { line = max(line, last) }
    while line < lines.upperBound {
      let spread = spread(ofLine: line)
      let places =
        line < last ? full : places(of: count - last * perLine, in: rect, spread: spread)
      let first = max(places.lowerBound, start - line * perLine)
      for place in first..<max(first, places.upperBound) {
        let frame = Rect(
          origin: Point(x: x(place, in: spread), y: pitch * line), size: itemSize)
        guard body(line * perLine + place, frame) else { return false }
      }
      line += 1
    }
    return true
  }

  func forEachRun(in rect: Rect, _ body: (Range<Int>, Rect?) -> Bool) -> Bool {
    let lines = lines(in: rect)
    guard !lines.isEmpty else { return true }
    let last = lineCount - 1
    let alike = lines.clamped(to: 0..<last)
    let full = places(of: perLine, in: rect, spread: line)
    if full.count == perLine, !alike.isEmpty {
      // Lines that are in it from end to end follow each other without a gap.
      let items = (alike.lowerBound * perLine)..<(alike.upperBound * perLine)
      guard body(items, nil) else { return false }
    } else if !full.isEmpty {
      for line in alike {
        let first = line * perLine
        guard body((first + full.lowerBound)..<(first + full.upperBound), nil) else { return false }
      }
    }
    guard lines.contains(last) else { return true }
    let first = last * perLine
    let rest = places(of: count - first, in: rect, spread: lastLine)
    return rest.isEmpty || body((first + rest.lowerBound)..<(first + rest.upperBound), nil)
  }
}
