/// What a description says of the size of one item.
public enum ItemExtent: Hashable, Sendable {
  /// Nothing: the layout decides.
  case unspecified
  /// Its size.
  case size(Size)
  /// Its extent along the main axis.
  case length(Length)
  /// Width divided by height; finite and above 0.
  case aspectRatio(Double)

  /// Whether as much is said of another.
  fileprivate func isLike(_ other: ItemExtent) -> Bool {
    switch (self, other) {
    case (.unspecified, .unspecified), (.size, .size), (.length, .length),
      (.aspectRatio, .aspectRatio):
      true
    default: false
    }
  }
}

extension ItemExtents {
  /// That of one item.
  ///
  /// - Parameter index: 0 ..< count of the items.
  @inline(__always)
  public subscript(index: Int) -> ItemExtent {
    switch self {
    case .unspecified: .unspecified
    case .size(let size): .size(size)
    case .sizes(let widths, let heights):
      .size(Size(width: widths[index], height: heights[index]))
    case .lengths(let lengths): .length(lengths[index])
    case .aspectRatios(let ratios): .aspectRatio(ratios[index])
    case .mixed(let extents): extents[index]
    }
  }

  /// Those of some items, in one array if as much is said of all of them.
  ///
  /// - Parameter extents: One for each item; at least one.
  public init(_ extents: [ItemExtent]) {
    guard let first = extents.first, extents.allSatisfy(first.isLike) else {
      self = .mixed(extents)
      return
    }
    func lengths(_ length: (ItemExtent) -> Length) -> LengthArray {
      LengthArray(count: extents.count) { length(extents[$0]) }
    }
    switch first {
    case .unspecified: self = .unspecified
    case .size:
      self = .sizes(
        widths: lengths { if case .size(let size) = $0 { size.width } else { 0 } },
        heights: lengths { if case .size(let size) = $0 { size.height } else { 0 } })
    case .length:
      self = .lengths(lengths { if case .length(let length) = $0 { length } else { 0 } })
    case .aspectRatio:
      self = .aspectRatios(
        extents.compactMap { if case .aspectRatio(let ratio) = $0 { ratio } else { nil } })
    }
  }
}

extension Items {
  /// Visits runs of items of which as much is said.
  ///
  /// - Parameter body: Called with each run and where it begins.
  func forEachRunOfOneKind(_ body: (_ run: Items, _ start: Int) -> Void) {
    guard case .mixed(let extents) = extents else { return body(self, 0) }
    var start = 0
    for index in extents.indices where index > 0 && !extents[index].isLike(extents[index - 1]) {
      body(slice(start..<index), start)
      start = index
    }
    body(slice(start..<count), start)
  }
}
