/// As many widths as heights, of 32 bits, where they lie.
struct NarrowSizes: ~Escapable {
  let widths: Span<UInt32>
  let heights: Span<UInt32>

  @_lifetime(borrow widths, borrow heights)
  @inline(__always)
  init(_ widths: borrowing NarrowLengths, _ heights: borrowing NarrowLengths) {
    self.widths = widths.span
    self.heights = heights.span
  }

  var count: Int { min(widths.count, heights.count) }
}

/// What is known of sizes of 32 bits.
struct NarrowSizesSummary {
  private(set) var widths = NarrowSummary()
  private(set) var heights = NarrowSummary()

  /// Adds some of many sizes: mostly it is one, or none.
  @inline(__always)
  mutating func add(_ sizes: borrowing NarrowSizes, _ range: Range<Int>) {
    switch range.count {
    case 0: break
    case 1:
      widths.add(sizes.widths[range.lowerBound])
      heights.add(sizes.heights[range.lowerBound])
    default:
      widths.add(NarrowSummary(sizes.widths.extracting(range)))
      heights.add(NarrowSummary(sizes.heights.extracting(range)))
    }
  }
}

/// Where sizes of 32 bits are put, one behind the other.
@safe struct NarrowSizesOutput: ~Copyable, ~Escapable {
  private var widths: UnsafeMutablePointer<UInt32>
  private var heights: UnsafeMutablePointer<UInt32>
  /// For how many there is room.
  fileprivate private(set) var room: Int

  /// A line of the cache: so many are copied in one go where there are as many, and room for them.
  private static var blockCount: Int { 16 }

  /// As many widths as heights, for which the memory is there.
  @_lifetime(immortal)
  fileprivate init(
    unchecked widths: UnsafeMutablePointer<UInt32>, _ heights: UnsafeMutablePointer<UInt32>,
    room: Int
  ) {
    unsafe self.widths = widths
    unsafe self.heights = heights
    self.room = room
  }

  /// Adds some of many sizes.
  ///
  /// - Parameters:
  ///   - sizes: The sizes.
  ///   - range: Which; no more than there is room for.
  @inline(__always)
  mutating func append(_ sizes: borrowing NarrowSizes, _ range: Range<Int>) {
    let count = range.count
    let readable = sizes.count - range.lowerBound
    precondition(range.lowerBound >= 0 && count <= readable && count <= room)
    // What is copied beyond a short range is written over, or never read: that takes less time than to ask how
    // short it is.
    let copied =
      min(readable, room) >= NarrowSizesOutput.blockCount
      ? max(count, NarrowSizesOutput.blockCount) : count
    // Safe: so many there are, and there is room for so many.
    unsafe NarrowSizesOutput.copy(sizes.widths, range.lowerBound, to: widths, count: copied)
    unsafe NarrowSizesOutput.copy(sizes.heights, range.lowerBound, to: heights, count: copied)
    didAppend(count)
  }

  /// Adds the same size again and again.
  ///
  /// - Parameters:
  ///   - width: Its width.
  ///   - height: Its height.
  ///   - count: How often; no more than there is room for.
  mutating func append(repeating width: UInt32, _ height: UInt32, count: Int) {
    precondition(count <= room)
    // Safe: there is room.
    unsafe widths.update(repeating: width, count: count)
    unsafe heights.update(repeating: height, count: count)
    didAppend(count)
  }

  @unsafe @inline(__always)
  private static func copy(
    _ source: Span<UInt32>, _ start: Int, to target: UnsafeMutablePointer<UInt32>, count: Int
  ) {
    unsafe source.withUnsafeBufferPointer { source in
      guard let source = source.baseAddress else { return }
      let first = unsafe source + start
      if count == blockCount {
        // Of a length that the compiler knows: no call.
        unsafe UnsafeMutableRawPointer(target).copyMemory(
          from: first, byteCount: blockCount * MemoryLayout<UInt32>.stride)
      } else {
        unsafe target.update(from: first, count: count)
      }
    }
  }

  @inline(__always)
  private mutating func didAppend(_ count: Int) {
    unsafe widths += count
    unsafe heights += count
    room -= count
  }
}

extension ItemExtents {
  /// Sizes of 32 bits each way.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - fill: Puts them there; returns whether all have 32 bits.
  /// - Returns: The sizes; nil if some have more.
  @inline(__always)
  static func narrowSizes(
    count: Int, _ fill: (_ output: inout NarrowSizesOutput) -> Bool
  ) -> ItemExtents? {
    NarrowLengths.pair(count: count) { widths, heights in
      // Safe: what is said to be filled has been.
      unsafe widths.withUnsafeMutableBufferPointer { widths, filledWidths in
        unsafe heights.withUnsafeMutableBufferPointer { heights, filledHeights in
          guard let firstWidth = widths.baseAddress, let firstHeight = heights.baseAddress else {
            return false
          }
          var output = unsafe NarrowSizesOutput(unchecked: firstWidth, firstHeight, room: count)
          let isFilled = fill(&output)
          filledWidths = count - output.room
          filledHeights = filledWidths
          return isFilled
        }
      }
    }.map { .sizes(widths: .compact($0), heights: .compact($1)) }
  }

  /// The sizes of parts that have them, in one go; nil if some have none, or not of 32 bits: nearly all are.
  static func narrowSizes(
    joining parts: ArraySlice<Items.Part>, count: Int
  ) -> ItemExtents? {
    narrowSizes(count: count) { output in
      parts.allSatisfy { part in
        part.read { items in
          switch items.extents {
          case .sizes(.compact(let widths), .compact(let heights)):
            output.append(NarrowSizes(widths, heights), part.range)
          case .size(let size):
            guard let width = UInt32(exactly: size.width.millionths),
              let height = UInt32(exactly: size.height.millionths)
            else { return false }
            output.append(repeating: width, height, count: part.range.count)
          default: return false
          }
          return true
        }
      }
    }
  }
}

extension RopeLeaf<Items> {
  /// The items' sizes, if each has one and all have 32 bits.
  ///
  /// Handed out without counting the uses of the array: where a leaf has not been read for a while,
  /// to count takes longer than to go through its sizes.
  @inline(__always)
  var narrowSizes: NarrowSizes? {
    @_lifetime(borrow self)
    get {
      guard case .sizes(.compact(let widths), .compact(let heights)) = chunk.extents else {
        return nil
      }
      // Safe: what a leaf is made of never changes, and is there as long as the leaf.
      return unsafe _overrideLifetime(NarrowSizes(widths, heights), borrowing: self)
    }
  }
}
