/// Many lengths, none negative, in as few bytes as they need.
///
/// Lengths up to 4,294.967295 points take 32 bits of millionths. Equal ones take nothing.
public enum LengthArray: Hashable, Sendable {
  /// So many times the same.
  case equal(Length, count: Int)
  /// Up to 4,294.967295 points each, in millionths.
  case compact(NarrowLengths)
  /// Millionths.
  case wide([Int64])

  /// How many there are.
  @inlinable
  public var count: Int {
    switch self {
    case .equal(_, let count): count
    case .compact(let values): values.count
    case .wide(let values): values.count
    }
  }

  /// One of the lengths.
  ///
  /// - Parameter index: 0 ..< count.
  @inlinable
  public subscript(index: Int) -> Length {
    switch self {
    case .equal(let length, _): length
    case .compact(let values): Length(millionths: Int64(values[index]))
    case .wide(let values): Length(millionths: values[index])
    }
  }

  /// The bytes that the storage takes on the heap.
  public var byteCount: Int {
    switch self {
    case .equal: 0
    case .compact(let values): values.count * 4
    case .wide(let values): values.capacity * 8
    }
  }

  /// Collects computed lengths, narrow as long as they fit.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - length: The length at an index; called once for each, in order.
  /// - Complexity: O(count).
  @inlinable
  public init(count: Int, _ length: (Int) -> Length) {
    var compact: [UInt32] = []
    compact.reserveCapacity(count)
    for index in 0..<count {
      let value = length(index)
      guard let narrow = UInt32(exactly: value.millionths) else {
        var wide = compact.map { Int64($0) }
        wide.reserveCapacity(count)
        wide.append(value.millionths)
        for index in (index + 1)..<count { wide.append(length(index).millionths) }
        self = .wide(wide)
        return
      }
      compact.append(narrow)
    }
    self = .compact(NarrowLengths(compact))
  }
}

extension LengthArray {
  /// The lengths of items of aspect ratios.
  ///
  /// - Parameters:
  ///   - ratios: Width divided by height each.
  ///   - scale: Turns them into lengths.
  init(_ ratios: [Double], _ scale: AspectScale) {
    let lengths = [Int64](capacity: ratios.count) { scale.append(lengthsOf: ratios.span, to: &$0) }
    let narrow = [UInt32](capacity: ratios.count) { narrow in
      for length in lengths {
        guard let length = UInt32(exactly: length) else { break }
        narrow.append(length)
      }
    }
    self = narrow.count == lengths.count ? .compact(NarrowLengths(narrow)) : .wide(lengths)
  }
}

/// What is known of many lengths, none negative.
struct LengthSummary: RopeMeasure {
  var count = 0
  /// All added up; saturates.
  var total: Length = 0
  /// Zero if there are none.
  var least: Length = 0
  /// Zero if there are none.
  var greatest: Length = 0

  static let zero = LengthSummary()

  /// Whether all are the same.
  var isUniform: Bool { least == greatest }

  static func + (left: LengthSummary, right: LengthSummary) -> LengthSummary {
    var sum = left
    sum += right
    return sum
  }

  static func += (left: inout LengthSummary, right: LengthSummary) {
    if right.count == 0 { return }
    if left.count == 0 {
      left = right
      return
    }
    left.count += right.count
    left.total += right.total
    left.least = min(left.least, right.least)
    left.greatest = max(left.greatest, right.greatest)
  }

  /// Puts others in the place of lengths that are among these.
  ///
  /// - Parameters:
  ///   - part: What is known of those that go.
  ///   - new: What is known of those that come.
  /// - Returns: Whether the whole is known then without looking at it: it is not if one of the extremes
  ///   may be gone, or the sum may have been saturated.
  mutating func replace(_ part: LengthSummary, by new: LengthSummary) -> Bool {
    if part.count == 0 {
      self += new
      return true
    }
    // An extreme that goes is made up for by one that goes as far.
    guard total < .maximumCoordinate,
      part.least > least || new.count > 0 && new.least <= least,
      part.greatest < greatest || new.count > 0 && new.greatest >= greatest
    else { return false }
    count += new.count - part.count
    total = total - part.total + new.total
    if new.count > 0 {
      least = min(least, new.least)
      greatest = max(greatest, new.greatest)
    }
    return true
  }

  /// So many times the same.
  static func equal(_ length: Length, count: Int) -> LengthSummary {
    count == 0
      ? .zero : LengthSummary(count: count, total: length * count, least: length, greatest: length)
  }
}

/// What is known of lengths of 32 bits: so few of them that 64 are enough, whatever they are.
struct NarrowSummary {
  private(set) var count = 0
  private var total: UInt64 = 0
  private var least = UInt32.max
  private var greatest: UInt32 = 0

  init() {}

  /// Adds a length.
  @inline(__always)
  mutating func add(_ value: UInt32) {
    count &+= 1
    total &+= UInt64(value)
    least = min(least, value)
    greatest = max(greatest, value)
  }

  /// Adds other lengths.
  @inline(__always)
  mutating func add(_ others: NarrowSummary) {
    count &+= others.count
    total &+= others.total
    least = min(least, others.least)
    greatest = max(greatest, others.greatest)
  }

  /// Of many lengths.
  init(_ values: Span<UInt32>) {
    var extremes = (least: SIMD8<Int32>(repeating: .max), greatest: SIMD8<Int32>(repeating: .min))
    var sum = NarrowSum()
    // Processors of any age compare signed numbers: turned around zero, those without a sign are in the same order.
    let turn = UInt32(1) << 31
    var rest = values
    while let eight = rest.popEight() {
      let signed = SIMD8<Int32>(truncatingIfNeeded: eight ^ SIMD8(repeating: turn))
      extremes.least.replace(with: signed, where: signed .< extremes.least)
      extremes.greatest.replace(with: signed, where: signed .> extremes.greatest)
      sum.add(eight)
    }
    count = values.count - rest.count
    total = sum.total
    least = UInt32(bitPattern: extremes.least.min()) ^ turn
    greatest = UInt32(bitPattern: extremes.greatest.max()) ^ turn
    for index in rest.indices { add(rest[index]) }
  }

  var summary: LengthSummary {
    guard count > 0 else { return .zero }
    return LengthSummary(
      count: count, total: Length(millionths: Int64(clamping: total)),
      least: Length(millionths: Int64(least)), greatest: Length(millionths: Int64(greatest)))
  }
}

/// Lengths of 32 bits added up, eight at a time.
private struct NarrowSum {
  /// Of every second of them, so that 32 bits are room for what does not fit into as many.
  private var even = SIMD4<UInt64>.zero
  private var odd = SIMD4<UInt64>.zero

  var total: UInt64 { (even &+ odd).wrappedSum() }

  @inline(__always)
  mutating func add(_ eight: SIMD8<UInt32>) {
    // Safe: as many bits.
    let pairs = unsafe unsafeBitCast(eight, to: SIMD4<UInt64>.self)
    even &+= pairs & SIMD4(repeating: UInt64(UInt32.max))
    odd &+= pairs &>> SIMD4(repeating: 32)
  }
}

extension Span<UInt32> {
  /// How many lengths, each with a space behind it, end at a place or before it.
  ///
  /// - Parameters:
  ///   - main: The place, from where the first begins.
  ///   - spacing: Behind each.
  /// - Returns: How many, and where the next begins.
  /// - Complexity: O(count).
  func countEnding(upTo main: Length, spacing: Length) -> (count: Int, end: Length) {
    var end: Length = 0
    var rest = self
    // An extent and at most a thousand or so lengths of 32 bits: no sum is near the end of 64.
    if spacing <= .maximumExtent {
      rest.skip(4, endingUpTo: main, spacing: spacing, &end)
      rest.skip(1, endingUpTo: main, spacing: spacing, &end)
    }
    var passed = count - rest.count
    while passed < count {
      let next = end + Length(millionths: Int64(self[passed]))
      if next > main { break }
      end = next + spacing
      passed += 1
    }
    return (passed, end)
  }

  /// Takes some eights off the front, as long as the last of them ends in time.
  @inline(__always)
  private mutating func skip(
    _ eightsCount: Int, endingUpTo main: Length, spacing: Length, _ end: inout Length
  ) {
    while true {
      var rest = self
      var sum = NarrowSum()
      for _ in 0..<eightsCount {
        guard let eight = rest.popEight() else { return }
        sum.add(eight)
      }
      let next =
        end.millionths &+ Int64(bitPattern: sum.total)
        &+ spacing.millionths &* Int64(8 &* eightsCount)
      guard next &- spacing.millionths <= main.millionths else { return }
      end = Length(millionths: next)
      self = rest
    }
  }

  /// Takes the first eight off; nil if there are not so many.
  @inline(__always)
  fileprivate mutating func popEight() -> SIMD8<UInt32>? {
    guard count >= 8 else { return nil }
    // Safe: so many there are.
    let eight = unsafe withUnsafeBytes { unsafe $0.loadUnaligned(as: SIMD8<UInt32>.self) }
    self = extracting(droppingFirst: 8)
    return eight
  }
}

extension LengthArray {
  /// What is known of all of them.
  ///
  /// - Complexity: O(count) unless they are known to be equal.
  var summary: LengthSummary {
    switch self {
    case .equal(let length, let count): .equal(length, count: count)
    case .compact(let values): NarrowSummary(values.span).summary
    case .wide(let values):
      values.reduce(into: .zero) { $0 += .equal(Length(millionths: $1), count: 1) }
    }
  }

  /// As many lengths of 32 bits; nil if some have more.
  ///
  /// - Complexity: O(1) unless they are known to be equal.
  var narrow: NarrowLengths? {
    switch self {
    case .equal(let length, let count):
      UInt32(exactly: length.millionths).map { NarrowLengths(Array(repeating: $0, count: count)) }
    case .compact(let values): values
    case .wide: nil
    }
  }

  /// How many of them, each with a space behind it, end at a place or before it.
  ///
  /// - Parameters:
  ///   - main: The place, from where the first begins.
  ///   - spacing: Behind each.
  /// - Returns: How many, and where the next begins.
  /// - Complexity: O(count) unless they are known to be equal.
  func countEnding(upTo main: Length, spacing: Length) -> (count: Int, end: Length) {
    switch self {
    case .equal(let length, let count):
      let step = length + spacing
      let passed = partitioningIndex(count) { step * $0 + length > main }
      return (passed, step * passed)
    case .compact(let narrow): return narrow.span.countEnding(upTo: main, spacing: spacing)
    case .wide: break
    }
    var end: Length = 0
    for index in 0..<count {
      let next = end + self[index]
      if next > main { return (index, end) }
      end = next + spacing
    }
    return (count, end)
  }

  /// Some of them added up; saturates.
  ///
  /// - Complexity: O(count of the range) unless they are known to be equal.
  func sum(of range: Range<Int>) -> Length {
    switch self {
    case .equal(let length, _): return length * range.count
    case .compact(let narrow):
      let values = narrow.span
      // So few of 32 bits that 64 are enough, whatever they are.
      var sum: UInt64 = 0
      for index in range { sum &+= UInt64(values[index]) }
      return Length(millionths: Int64(clamping: sum))
    case .wide(let values):
      return values[range].reduce(.zero) { $0 + Length(millionths: $1) }
    }
  }

  /// Lengths of parts of a rope one after the other.
  ///
  /// - Parameters:
  ///   - parts: The parts.
  ///   - count: How many elements they have.
  ///   - lengths: The lengths of a chunk.
  /// - Returns: Those of the parts.
  @inline(__always)
  static func joining<Chunk>(
    _ parts: ArraySlice<RopePart<Chunk>>, count: Int, _ lengths: (borrowing Chunk) -> LengthArray
  ) -> LengthArray {
    let areCompact = parts.allSatisfy { part in
      part.read { if case .compact = lengths($0) { true } else { false } }
    }
    // Only then has somebody all of them already: there may be billions of equal ones.
    if areCompact {
      let values = [UInt32](capacity: count) { values in
        for part in parts {
          part.read {
            if case .compact(let lengths) = lengths($0) { values.append(lengths.span, part.range) }
          }
        }
      }
      return .compact(NarrowLengths(values))
    }
    return joining(parts.map { (lengths($0.chunk), $0.range) })
  }

  private static func joining(_ parts: [(lengths: LengthArray, range: Range<Int>)]) -> LengthArray {
    let count = parts.reduce(0) { $0 + $1.range.count }
    if case .equal(let length, _) = parts.first?.lengths {
      let areEqual = parts.allSatisfy {
        if case .equal(let next, _) = $0.lengths { next == length } else { false }
      }
      if areEqual { return .equal(length, count: count) }
    }
    var all: [Length] = []
    all.reserveCapacity(count)
    for part in parts {
      for index in part.range { all.append(part.lengths[index]) }
    }
    return LengthArray(count: count) { all[$0] }
  }
}
