/// What many elements come to: a sum, a maximum.
///
/// Adding must be associative, so that it does not matter how a sequence is cut.
protocol RopeMeasure: Sendable {
  /// Of no elements.
  static var zero: Self { get }
  /// Of elements followed by others.
  static func + (left: Self, right: Self) -> Self
  /// Adds elements that follow.
  static func += (left: inout Self, right: Self)
}

extension RopeMeasure {
  static func += (left: inout Self, right: Self) { left = left + right }
}

/// All that is known of many elements without looking at each.
protocol RopeSummary: RopeMeasure {
  /// The part that places are looked for by; all of it, unless that is more than a search should add
  /// up on its way.
  associatedtype Measure: RopeMeasure = Self
  /// That part.
  var measure: Measure { get }

  /// Puts others in the place of elements that are among these.
  ///
  /// - Parameters:
  ///   - part: What is known of those that go.
  ///   - new: What is known of those that come.
  /// - Returns: Whether the whole is known then without looking at it; if not, this is of no use any
  ///   more.
  mutating func replace(_ part: Self, by new: Self) -> Bool
}

extension RopeSummary {
  mutating func replace(_ part: Self, by new: Self) -> Bool { false }
}

extension RopeSummary where Measure == Self {
  var measure: Self { self }
}
