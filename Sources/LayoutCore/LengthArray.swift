/// Many lengths, none negative, in as few bytes as they need.
///
/// Lengths up to 4,294.967295 points take 32 bits of millionths. Equal ones take nothing.
public enum LengthArray: Hashable, Sendable {
  /// So many times the same.
  case equal(Length, count: Int)
  /// Up to 4,294.967295 points each, in millionths.
  case compact([UInt32])
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
    case .compact(let values): values.capacity * 4
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
    self = .compact(compact)
  }
}

extension LengthArray {
  /// The greatest of them; nil for none.
  ///
  /// - Complexity: O(count) unless they are known to be equal.
  var maximum: Length? {
    switch self {
    case .equal(let length, let count): count > 0 ? length : nil
    case .compact(let values): values.max().map { Length(millionths: Int64($0)) }
    case .wide(let values): values.max().map(Length.init(millionths:))
    }
  }
}

extension LengthArray {
  /// The least of them; nil for none.
  ///
  /// - Complexity: O(count) unless they are known to be equal.
  var minimum: Length? {
    switch self {
    case .equal(let length, let count): count > 0 ? length : nil
    case .compact(let values): values.min().map { Length(millionths: Int64($0)) }
    case .wide(let values): values.min().map(Length.init(millionths:))
    }
  }

  /// The first so many of them added up; saturates.
  ///
  /// - Complexity: O(count) unless they are known to be equal.
  func sum(ofFirst count: Int) -> Length {
    switch self {
    case .equal(let length, _): return length * count
    case .compact(let values):
      // So few of 32 bits that 64 are enough, whatever they are.
      var sum: UInt64 = 0
      for index in 0..<count { sum &+= UInt64(values[index]) }
      return Length(millionths: Int64(clamping: sum))
    case .wide(let values):
      var sum: Length = 0
      for index in 0..<count { sum += Length(millionths: values[index]) }
      return sum
    }
  }

  /// Parts of several arrays one after the other.
  ///
  /// - Parameter parts: The arrays and which of their lengths.
  /// - Returns: Those lengths.
  static func joining(_ parts: [(lengths: LengthArray, range: Range<Int>)]) -> LengthArray {
    let count = parts.reduce(0) { $0 + $1.range.count }
    guard let first = parts.first else { return .equal(0, count: 0) }
    switch first.lengths {
    case .equal(let length, _):
      let areEqual = parts.allSatisfy {
        if case .equal(let next, _) = $0.lengths { next == length } else { false }
      }
      if areEqual { return .equal(length, count: count) }
    case .compact:
      var compact: [UInt32] = []
      compact.reserveCapacity(count)
      for part in parts {
        guard case .compact(let values) = part.lengths else { break }
        compact.append(contentsOf: values[part.range])
      }
      if compact.count == count { return .compact(compact) }
    case .wide:
      var wide: [Int64] = []
      wide.reserveCapacity(count)
      for part in parts {
        guard case .wide(let values) = part.lengths else { break }
        wide.append(contentsOf: values[part.range])
      }
      if wide.count == count { return .wide(wide) }
    }
    var all: [Length] = []
    all.reserveCapacity(count)
    for part in parts {
      for index in part.range { all.append(part.lengths[index]) }
    }
    return LengthArray(count: count) { all[$0] }
  }
}
