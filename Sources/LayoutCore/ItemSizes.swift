/// The sizes of a section's items along and across the main axis.
///
/// The contract's order of precedence (section 2): `sizes` or `size`; else `lengths`, else
/// `aspectRatios`, each with the cross extent of the layout's item size; else that item size.
struct ItemSizes: Sendable {
  /// Across the main axis.
  let cross: LengthArray
  /// Along the main axis.
  let main: LengthArray

  /// Works out the sizes.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - itemSize: The layout's item size, not turned.
  ///   - direction: The main axis.
  /// - Complexity: O(1), with aspect ratios O(n).
  init(_ items: Items, itemSize: Size, _ direction: ScrollDirection) {
    let fallback = direction.upright(itemSize)
    switch items.extents {
    case .unspecified:
      cross = .equal(fallback.width, count: items.count)
      main = .equal(fallback.height, count: items.count)
    case .size(let size):
      cross = .equal(direction.upright(size).width, count: items.count)
      main = .equal(direction.upright(size).height, count: items.count)
    case .sizes(let widths, let heights):
      cross = direction == .vertical ? widths : heights
      main = direction == .vertical ? heights : widths
    case .lengths(let lengths):
      cross = .equal(fallback.width, count: items.count)
      main = lengths
    case .aspectRatios(let ratios):
      cross = .equal(fallback.width, count: items.count)
      let extent = fallback.width.points
      main = LengthArray(count: ratios.count) {
        Length(rounding: direction == .vertical ? extent / ratios[$0] : extent * ratios[$0])
      }
    }
  }
}
