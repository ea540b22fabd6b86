/// How one line of a flow is filled and spread; upright.
struct LineRule: Sendable {
  /// Where lines begin.
  var leading: Length
  /// How long they may get.
  var available: Length
  var interitemSpacing: Length
  var lineSpacing: Length
  var lineAlignment: FlowLayout.LineAlignment
  var lastLineAlignment: FlowLayout.LastLineAlignment
  var itemAlignment: FlowLayout.ItemAlignment

  /// The end that a line may reach.
  ///
  /// Past the available room by a millionth part, at least a millionth of a point, so that three
  /// items of a third fit.
  var limit: Length {
    available + Length(millionths: max(1, available.millionths / Length.millionthsPerPoint))
  }

  /// Whether items whose sizes have 32 bits make no sum that comes near the end of 64.
  var isSmall: Bool {
    max(interitemSpacing, limit) <= Length.maximumExtent + Length.maximumExtent
  }

  /// How a line of so many items is spread.
  ///
  /// - Parameters:
  ///   - count: How many items, at least 1.
  ///   - extent: Their cross extents added up.
  ///   - isLast: Whether it is the section's last line.
  /// - Returns: Where its items begin.
  func spread(count: Int, extent: Length, isLast: Bool) -> LineSpread {
    spread(isLast ? alignmentOfLastLine : lineAlignment, count: count, extent: extent)
  }

  private var alignmentOfLastLine: FlowLayout.LineAlignment {
    switch lastLineAlignment {
    case .auto: lineAlignment == .justified ? .leading : lineAlignment
    case .justified: .justified
    case .leading: .leading
    case .center: .center
    case .trailing: .trailing
    }
  }

  func spread(
    _ alignment: FlowLayout.LineAlignment, count: Int, extent: Length
  ) -> LineSpread {
    let leftover = available - extent - interitemSpacing * (count - 1)
    var spread = LineSpread(start: leading, spacing: interitemSpacing, leftover: 0, gaps: 1)
    switch alignment {
    case .leading: break
    case .justified where count > 1:
      spread.leftover = leftover
      spread.gaps = Int64(count - 1)
    // A single item is centred, an oversize one starts at the inset.
    case .justified, .center: spread.start += max(0, leftover).halved
    case .trailing: spread.start += max(0, leftover)
    }
    return spread
  }

  /// How far from the line's start an item lies, which is no longer than its line.
  func offset(of length: Length, inLine lineLength: Length) -> Length {
    Length(millionths: itemAlignment.offset(leaving: (lineLength - length).millionths))
  }
}

extension FlowLayout.ItemAlignment {
  /// How far from its line's start an item lies that leaves some room across the line, not negative; a
  /// half of a millionth is rounded up.
  @inline(__always)
  func offset(leaving room: Int64) -> Int64 {
    switch self {
    case .leading: 0
    case .center: (room &+ 1) &>> 1
    case .trailing: room
    }
  }
}

/// Where the items of one line begin.
struct LineSpread: Sendable {
  var start: Length
  var spacing: Length
  /// To be shared out among the gaps; divided once, at each item, so that errors never add up.
  var leftover: Length
  var gaps: Int64

  /// Where an item begins.
  ///
  /// - Parameters:
  ///   - place: Its place in the line.
  ///   - before: The cross extents of the items before it, added up.
  /// - Returns: The cross coordinate.
  func position(_ place: Int, before: Length) -> Length {
    start + before + spacing * place + share(before: place)
  }

  /// What the gaps before an item have of what is left over.
  ///
  /// A half of a millionth is rounded up, also where a line ends a hair past the room and its items are
  /// pushed together: it is the coordinate that is rounded, and but for items without a breadth that is
  /// not below 0.
  private func share(before place: Int) -> Length {
    if leftover >= .zero { return leftover.scaled(by: Int64(place), over: gaps) }
    let halves = Int128(leftover.millionths) * Int128(place) * 2
    return Length(saturating: flooredQuotient(halves + Int128(gaps), Int128(gaps) * 2))
  }
}

/// Goes through the items of a line and finds what ``LineSpread/position(_:before:)`` finds, with one
/// division for all of them; of lines whose lengths make no sum near the end of 64 bits.
struct LineSteps {
  /// Where the next item begins, but for its share of what is left over.
  private var start: Int64
  private let spacing: Int64
  /// The gaps before the next item have so much of what is left over, and so many parts of one more.
  private var share: Int64 = 0
  private var parts: Int64 = 0
  /// What a gap has: so much, and so many parts.
  private let sharePerGap: Int64
  private let partsPerGap: Int64
  /// How many parts one has.
  private let gaps: Int64
  private let isNegative: Bool

  init(_ spread: LineSpread) {
    start = spread.start.millionths
    spacing = spread.spacing.millionths
    gaps = spread.gaps
    let leftover = spread.leftover.millionths
    isNegative = leftover < 0
    (sharePerGap, partsPerGap) = (isNegative ? 0 &- leftover : leftover)
      .quotientAndRemainder(dividingBy: spread.gaps)
  }

  /// Where the next item begins.
  ///
  /// - Parameter breadth: Its breadth, in millionths of a point.
  /// - Returns: The cross coordinate, in millionths of a point.
  @inline(__always)
  mutating func next(_ breadth: Int64) -> Int64 {
    // Half of a part is rounded up, and so, where parts are taken away, off.
    let rounded = share &+ (parts &+ (isNegative ? 0 : 1) > gaps &- parts ? 1 : 0)
    let place = start &+ (isNegative ? 0 &- rounded : rounded)
    start = start &+ breadth &+ spacing
    share = share &+ sharePerGap
    parts = parts &+ partsPerGap
    if parts >= gaps {
      parts = parts &- gaps
      share = share &+ 1
    }
    return place
  }
}

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
    let first = partitioningIndex(count) { x($0, in: spread) + itemSize.width > rect.minX }
    let end = partitioningIndex(count) { x($0, in: spread) >= rect.maxX }
    return first..<max(first, end)
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
