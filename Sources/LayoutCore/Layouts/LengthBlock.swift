/// Some lengths that follow each other, in millionths of a point, none negative.
protocol LengthSequence: ~Escapable {
  var count: Int { get }

  /// One of them.
  subscript(index: Int) -> Int64 { get }

  /// Four of them, from one on.
  func four(from index: Int) -> SIMD4<Int64>
}

extension LengthSequence where Self: ~Escapable {
  @inline(__always)
  func four(from index: Int) -> SIMD4<Int64> {
    SIMD4(self[index], self[index + 1], self[index + 2], self[index + 3])
  }
}

extension Span<Int64>: LengthSequence {}

/// Lengths of 32 bits.
struct NarrowSequence: LengthSequence, ~Escapable {
  private let lengths: Span<UInt32>

  @_lifetime(copy lengths)
  init(_ lengths: Span<UInt32>) { self.lengths = lengths }

  var count: Int { lengths.count }

  @inline(__always)
  subscript(index: Int) -> Int64 { Int64(lengths[index]) }
}

extension LengthSequence where Self: ~Escapable {
  /// Visits the lengths in order, from one on.
  @inline(__always)
  fileprivate func forEach(
    from first: Int, _ body: (_ index: Int, _ length: Int64) -> Bool
  ) -> Bool {
    var index = first
    while count &- index >= 4 {
      let lengths = four(from: index)
      for place in 0..<4 {
        guard body(index &+ place, lengths[place]) else { return false }
      }
      index &+= 4
    }
    while index < count {
      guard body(index, self[index]) else { return false }
      index &+= 1
    }
    return true
  }
}

/// Lengths that are scaled to the width of a column when they are asked for, so that a division
/// overlaps with what is done with the lengths before it.
struct ScaledLengths<Ratio: LengthScaling>: LengthSequence, ~Escapable {
  private let ratio: Ratio
  private let lengths: Span<UInt32>
  private let breadths: Span<UInt32>

  /// Takes lengths that fit the ratio.
  ///
  /// - Parameters:
  ///   - lengths: The lengths, in millionths.
  ///   - breadths: As many breadths.
  ///   - ratio: By what they are scaled.
  @_lifetime(copy lengths, copy breadths)
  init(_ lengths: Span<UInt32>, over breadths: Span<UInt32>, by ratio: Ratio) {
    self.ratio = ratio
    let count = min(lengths.count, breadths.count)
    self.lengths = lengths.extracting(first: count)
    self.breadths = breadths.extracting(first: count)
  }

  var count: Int { lengths.count }

  @inline(__always)
  subscript(index: Int) -> Int64 { ratio.scale(lengths[index], over: breadths[index]) }

  @inline(__always)
  func four(from index: Int) -> SIMD4<Int64> {
    guard index >= 0, count &- index >= 4 else { return .zero }
    let rounded = RoundedQuotients(
      ratio.quotients(
        SIMD4(fourOf: lengths, from: index), over: SIMD4(fourOf: breadths, from: index)))
    return rounded.areSure ? rounded.values : each(from: index)
  }

  /// Sizes in whole points often lie in the middle.
  @inline(never)
  private func each(from index: Int) -> SIMD4<Int64> {
    SIMD4(self[index], self[index + 1], self[index + 2], self[index + 3])
  }
}

/// The same length again and again.
struct EqualLengths: LengthSequence {
  let length: Int64
  let count: Int

  @inline(__always)
  subscript(index: Int) -> Int64 { length }

  @inline(__always)
  func four(from index: Int) -> SIMD4<Int64> { SIMD4(repeating: length) }
}

/// So many lengths that columns are placed with at once.
struct LengthBlock: ~Escapable {
  enum Lengths: ~Escapable {
    /// Any number of them.
    case equal(EqualLengths)
    case known(Span<Int64>)
    case narrow(NarrowSequence)
    case plain(ScaledLengths<PlainRatio>)
    case pixels(ScaledLengths<PixelRatio>)
  }

  let lengths: Lengths
  /// The greatest of them, or more.
  let bound: Int64

  /// How many there may be, unless they are equal.
  static var capacity: Int { 128 }

  /// Takes a length that so many items have.
  @_lifetime(immortal)
  init(_ length: Length, count: Int) {
    lengths = .equal(EqualLengths(length: length.millionths, count: count))
    bound = length.millionths
  }

  /// Takes lengths that are known.
  @_lifetime(copy lengths)
  init(_ lengths: Span<Int64>) {
    self.lengths = .known(lengths)
    var bound: Int64 = 0
    for index in lengths.indices { bound = max(bound, lengths[index]) }
    self.bound = bound
  }

  /// Takes lengths that are known and have 32 bits.
  @_lifetime(copy lengths)
  init(_ lengths: Span<UInt32>) {
    self.lengths = .narrow(NarrowSequence(lengths))
    bound = Int64(UInt32.max)
  }

  /// Takes lengths that are to be scaled, and fit the ratio.
  @_lifetime(copy lengths, copy breadths)
  init(scaling lengths: Span<UInt32>, over breadths: Span<UInt32>, by ratio: ColumnRatio) {
    self.lengths =
      switch ratio {
      case .plain(let ratio): .plain(ScaledLengths(lengths, over: breadths, by: ratio))
      case .pixels(let ratio): .pixels(ScaledLengths(lengths, over: breadths, by: ratio))
      }
    bound = RoundedQuotients.limit
  }

  /// Visits the lengths in order.
  ///
  /// - Parameters:
  ///   - first: The first to visit.
  ///   - body: Called with the number of each and the length; returns whether to go on.
  /// - Returns: Whether `body` always wanted to go on.
  @discardableResult
  @inline(__always)
  func forEachLength(
    from first: Int = 0, _ body: (_ index: Int, _ length: Int64) -> Bool
  ) -> Bool {
    switch lengths {
    case .equal(let lengths): lengths.forEach(from: first, body)
    case .known(let lengths): lengths.forEach(from: first, body)
    case .narrow(let lengths): lengths.forEach(from: first, body)
    case .plain(let lengths): lengths.forEach(from: first, body)
    case .pixels(let lengths): lengths.forEach(from: first, body)
    }
  }
}
