/// Lengths up to 4,294.967295 points, in millionths of 32 bits: a part of an array.
///
/// The widths and the heights of the same items share one array: a piece of memory is taken, found and
/// given back in half the time of two.
public struct NarrowLengths: Sendable {
  @usableFromInline let values: [UInt32]
  // Of 32 bits each, so that with the array they take two words: no more than an equal length and its count.
  @usableFromInline let start: UInt32
  @usableFromInline let end: UInt32

  @inlinable
  @inline(__always)
  init(_ values: [UInt32], _ range: Range<Int>) {
    self.values = values
    start = UInt32(clamping: range.lowerBound)
    end = UInt32(clamping: range.upperBound)
  }

  /// All of an array.
  ///
  /// - Parameter values: The lengths, in millionths; up to 4,294,967,295 of them.
  @inlinable
  public init(_ values: [UInt32]) { self.init(values, values.indices) }

  /// As many lengths of one kind as of another, in an array that is no longer than it has to be.
  ///
  /// - Parameters:
  ///   - count: How many of each.
  ///   - fill: Puts them there; returns false if there are not so many.
  /// - Returns: The lengths; nil if there are not so many.
  @inlinable
  @inline(__always)
  public static func pair(
    count: Int,
    _ fill: (_ first: inout OutputSpan<UInt32>, _ second: inout OutputSpan<UInt32>) -> Bool
  ) -> (NarrowLengths, NarrowLengths)? {
    var isFilled = false
    var values: [UInt32] = []
    values.reserveCapacity(2 * count)
    values.append(addingCapacity: 2 * count) { output in
      // Safe: each half is filled from its front, and only if both are full are they taken as filled.
      unsafe output.withUnsafeMutableBufferPointer { room, filled in
        let halves = unsafe (
          UnsafeMutableBufferPointer(rebasing: room[..<count]),
          UnsafeMutableBufferPointer(rebasing: room[count..<(2 * count)])
        )
        var first = unsafe OutputSpan(buffer: halves.0, initializedCount: 0)
        var second = unsafe OutputSpan(buffer: halves.1, initializedCount: 0)
        isFilled = fill(&first, &second) && first.isFull && second.isFull
        _ = unsafe first.finalize(for: halves.0)
        _ = unsafe second.finalize(for: halves.1)
        filled = isFilled ? 2 * count : 0
      }
    }
    guard isFilled else { return nil }
    return (NarrowLengths(values, 0..<count), NarrowLengths(values, count..<(2 * count)))
  }

  /// The lengths where they lie, in millionths.
  @inlinable
  public var span: Span<UInt32> {
    @_lifetime(borrow self)
    @inline(__always)
    get { values.span.extracting(Int(start)..<Int(end)) }
  }

  /// Asks for lengths, to be read soon.
  ///
  /// - Parameter range: Which.
  @inline(__always)
  func fetch(_ range: Range<Int>) {
    values.fetch((Int(start) + range.lowerBound)..<(Int(start) + range.upperBound))
  }
}

extension NarrowLengths: RandomAccessCollection {
  /// The first index: 0.
  @inlinable
  public var startIndex: Int { 0 }

  /// How many there are.
  @inlinable
  public var endIndex: Int { Int(end &- start) }

  /// One of the lengths, in millionths.
  ///
  /// - Parameter index: 0 ..< count.
  @inlinable
  public subscript(index: Int) -> UInt32 { values[Int(start) + index] }
}

extension NarrowLengths: ExpressibleByArrayLiteral {
  /// Makes lengths.
  ///
  /// - Parameter elements: The lengths, in millionths.
  public init(arrayLiteral elements: UInt32...) { self.init(elements) }
}

extension NarrowLengths: Hashable {
  /// Whether the lengths are the same, wherever they lie.
  public static func == (left: NarrowLengths, right: NarrowLengths) -> Bool {
    left.elementsEqual(right)
  }

  /// Feeds the lengths to a hasher.
  ///
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for length in self { hasher.combine(length) }
  }
}

extension OutputSpan<UInt32> {
  /// Adds some elements of a span that has them.
  @inline(__always)
  mutating func append(_ source: Span<UInt32>, _ range: Range<Int>) {
    // Safe: the range is one of the source, and it is made sure that there is room.
    unsafe withUnsafeMutableBufferPointer { room, filled in
      unsafe source.withUnsafeBufferPointer { source in
        filled = unsafe room[filled...].initialize(fromContentsOf: source[range])
      }
    }
  }
}
