/// Reads sizes that are not far from each other: the run of the last one is kept at hand.
///
/// Whoever makes a reader has the sizes until it is done with it.
@safe struct SizeReader {
  private let sizes: SizeList
  /// The items of the run.
  private var items = 0..<0
  /// The leaf with the run's sizes where they are narrow, as they mostly are.
  ///
  /// The sizes have it, so that nobody need count its uses: that takes longer than a line.
  private var leaf: Unmanaged<RopeLeaf<Items>>?
  /// The run where there is no such leaf.
  private var run: SizeRun?
  /// Whether none of the run's items has an area.
  private var isUnseen = false

  init(_ sizes: SizeList) { self.sizes = sizes }

  /// The size of an item that exists.
  @inline(__always)
  mutating func size(of item: Int) -> Size {
    let size = withNarrow(item..<(item + 1)) {
      Size(width: Length(millionths: Int64($0[0])), height: Length(millionths: Int64($1[0])))
    }
    return size ?? run?.size(item - items.lowerBound) ?? .zero
  }

  /// The size of an item that exists, and the end of those behind it that are known to have the same.
  @inline(__always)
  mutating func run(from item: Int) -> (size: Size, end: Int) {
    let size = size(of: item)
    return (size, run?.isUniform == true ? items.upperBound : item + 1)
  }

  /// Hands out the sizes of some items that exist where they lie.
  ///
  /// - Parameters:
  ///   - wanted: The items.
  ///   - body: Called with as many breadths as lengths, in millionths.
  /// - Returns: What `body` returns; nil if they are not in one run, or not narrow.
  @inline(__always)
  mutating func withNarrow<Result>(
    _ wanted: Range<Int>,
    _ body: (_ breadths: Span<UInt32>, _ lengths: Span<UInt32>) -> Result
  ) -> Result? {
    if !items.contains(wanted.lowerBound) { goTo(wanted.lowerBound) }
    let start = wanted.lowerBound - items.lowerBound
    let part = start..<(start + wanted.count)
    guard start >= 0, part.upperBound <= items.count else { return nil }
    if let leaf = unsafe leaf {
      // Safe: the sizes have it.
      return unsafe leaf._withUnsafeGuaranteedRef { leaf in
        guard let narrow = leaf.narrowSizes else { return nil }
        let (widths, heights) = (narrow.widths.extracting(part), narrow.heights.extracting(part))
        return sizes.isVertical ? body(widths, heights) : body(heights, widths)
      }
    }
    guard case .compact(let cross)? = run?.cross, case .compact(let main)? = run?.main else {
      return nil
    }
    return body(cross.span.extracting(part), main.span.extracting(part))
  }

  @inline(never)
  private mutating func goTo(_ item: Int) {
    guard let place = sizes.readerPlace(of: item) else { return }
    items = place.items
    unsafe leaf = place.leaf
    run = place.run
    isUnseen = place.isUnseen
  }

  /// The end of those from an item on of which none has an area, as far as that is known without a look at each.
  ///
  /// - Parameter item: An item that exists.
  /// - Returns: The end; the item itself if it may have one.
  mutating func endOfUnseen(from item: Int) -> Int {
    if !items.contains(item) { goTo(item) }
    return isUnseen ? items.upperBound : item
  }

  /// The breadths of some items that exist added up; of equal ones without looking at each.
  mutating func breadth(of wanted: Range<Int>) -> Length {
    var total: Length = 0
    var item = wanted.lowerBound
    while item < wanted.upperBound {
      if !items.contains(item) { goTo(item) }
      guard items.contains(item) else { break }
      let end = min(wanted.upperBound, items.upperBound)
      let narrow = withNarrow(item..<end) { breadths, _ in
        // So few of 32 bits that 64 are enough, whatever they are.
        var sum: Int64 = 0
        for index in breadths.indices { sum &+= Int64(breadths[index]) }
        return Length(millionths: sum)
      }
      let part = (item - items.lowerBound)..<(end - items.lowerBound)
      total += narrow ?? run?.cross.sum(of: part) ?? 0
      item = end
    }
    return total
  }
}
