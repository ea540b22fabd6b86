/// How the items of a section get upright sizes: the order of precedence that openapi.yaml states at `Items`.
///
/// `sizes` or `size`; else `lengths`, else `aspectRatios`, each with the cross extent of the layout's
/// item size; else that item size.
struct SizeRule: Sendable {
  /// The layout's item size, upright.
  var itemSize: Size
  /// The main axis.
  var direction: ScrollDirection
  /// Whether breadths count; if not, all are 0, so that items of equal lengths are equal.
  var hasBreadths = true

  /// Takes a rule.
  ///
  /// - Parameters:
  ///   - itemSize: The layout's item size, not turned.
  ///   - direction: The main axis.
  init(itemSize: Size, _ direction: ScrollDirection) {
    self.itemSize = direction.upright(itemSize)
    self.direction = direction
  }

  private var breadth: Length { hasBreadths ? itemSize.width : 0 }

  /// The sizes of a run of items, of which the sums are known.
  @inline(__always)
  private func run(
    of extents: ItemExtents, count: Int, _ summary: ItemsSummary
  ) -> SizeRun {
    let main: LengthArray
    var cross = LengthArray.equal(breadth, count: count)
    switch extents {
    case .unspecified: main = .equal(itemSize.height, count: count)
    case .size(let size):
      let size = direction.upright(size)
      if hasBreadths { cross = .equal(size.width, count: count) }
      main = .equal(size.height, count: count)
    case .sizes(let widths, let heights):
      if hasBreadths { cross = direction == .vertical ? widths : heights }
      main = direction == .vertical ? heights : widths
    case .lengths(let lengths): main = lengths
    case .aspectRatios(let ratios):
      return SizeRun(cross: cross, main: LengthArray(ratios, aspectScale))
    case .mixed(let extents):
      let scale = aspectScale
      let sizes = extents.map { size(of: $0, scale) }
      if hasBreadths { cross = LengthArray(count: count) { sizes[$0].width } }
      return SizeRun(cross: cross, main: LengthArray(count: count) { sizes[$0].height })
    }
    return SizeRun(cross: cross, main: main, summary: self.summary(of: summary, count: count))
  }

  /// The upright size of an item of which so much is said.
  private func size(of extent: ItemExtent, _ aspectScale: AspectScale) -> Size {
    switch extent {
    case .unspecified: itemSize
    case .size(let size): direction.upright(size)
    case .length(let length): Size(width: itemSize.width, height: length)
    case .aspectRatio(let ratio):
      Size(width: itemSize.width, height: aspectScale.length(ratio))
    }
  }

  private var aspectScale: AspectScale {
    AspectScale(breadth: Double(itemSize.width.millionths), over: 1, direction)
  }

  /// The sizes of a run of items where they lie: only their extents are copied.
  @inline(__always)
  func run(of leaf: RopeLeaf<Items>) -> SizeRun {
    run(of: leaf.chunk.extents, count: leaf.count, leaf.summary)
  }

  /// The sizes of a run of items.
  func run(of items: Items) -> SizeRun {
    run(of: items.extents, count: items.count, items.summary)
  }

  /// What is known of the sizes of many items, none of which has to be computed.
  func summary(of items: ItemsSummary, count: Int) -> SizeSummary {
    let (cross, main) =
      direction == .vertical ? (items.widths, items.heights) : (items.heights, items.widths)
    return SizeSummary(cross: hasBreadths ? cross : .equal(0, count: cross.count), main: main)
      + SizeSummary(cross: .equal(breadth, count: items.lengths.count), main: items.lengths)
      + SizeSummary(
        size: Size(width: breadth, height: itemSize.height),
        count: count - main.count - items.lengths.count)
  }

  /// The lengths of many items added up, none of which has to be computed.
  @inline(__always)
  func total(_ count: Int, _ items: ItemsMeasure) -> Length {
    items.lengths + (direction == .vertical ? items.heights : items.widths)
      + itemSize.height * (count - items.statedCount)
  }
}
