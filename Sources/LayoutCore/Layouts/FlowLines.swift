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
