/// Lines that are being filled with items whose sizes have 32 bits each; in millionths.
struct NarrowFilling {
  let spacing: Int64
  /// How far a line may reach.
  let wholeLine: Int64
  /// What is left of the line: one subtraction takes an item's part of it and says whether it fits.
  var room: Int64
  /// The length of the line's longest item.
  var longest: Int64
  /// Whether the line has an item already.
  let isOpen: Bool
  /// The first item that is on no line yet.
  var item: Int
  /// How many items of the lines' run are not among those that are at hand.
  let before: Int
  /// How long the lines of the run are.
  var length: Int64

  /// Fills lines until there is room for no more or no item is left; the last one stays open.
  @inline(never)  // Among what its caller needs, there are not enough registers for the loop.
  mutating func fill(
    _ ends: inout OutputSpan<UInt64>, _ widths: Span<UInt32>, _ heights: Span<UInt32>
  ) {
    let count = min(widths.count, heights.count)
    let (spacing, wholeLine, before) = (spacing, wholeLine, before)
    var (room, longest, index, length) = (room, longest, item, length)
    // Safe, here and below: an index below the count of both. A check of each costs a quarter of the loop.
    if !isOpen, index < count {
      room = unsafe wholeLine &- Int64(widths[unchecked: index])
      longest = unsafe Int64(heights[unchecked: index])
      index &+= 1
    }
    while !ends.isFull {
      while index < count {
        room = unsafe room &- (Int64(widths[unchecked: index]) &+ spacing)
        guard room >= 0 else { break }
        longest = unsafe max(longest, Int64(heights[unchecked: index]))
        index &+= 1
      }
      // What the run ends with stays open for what follows.
      guard index < count else { break }
      length &+= longest
      ends.append(
        LineEnds.packed(
          LineRun.Line(itemCount: before &+ index, length: Length(millionths: length))))
      room = unsafe wholeLine &- Int64(widths[unchecked: index])
      longest = unsafe Int64(heights[unchecked: index])
      index &+= 1
    }
    (self.room, self.longest, self.item, self.length) = (room, longest, index, length)
  }
}
