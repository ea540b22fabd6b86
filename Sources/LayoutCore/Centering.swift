/// Of more elements than this in a viewport the nearest is looked for among the first: as many as an answer has that
/// shows them all, if nobody says otherwise.
private let maximumVisitCount = 200_000

extension PreparedLayout {
  /// The item that is nearest to the middle of the viewport: the one that stays there when the layout is
  /// switched.
  ///
  /// It is nearest as an effect has it, and need not show: where items are far apart, one outside of the
  /// viewport may be nearer than all that show.
  ///
  /// - Parameter offset: The content offset.
  /// - Returns: The item, the first of those that are as near. If none shows, the nearest of those that
  ///   rest; nil if no item has an area.
  /// - Complexity: O(log n + k) for k elements in the viewport, and as far from its middle as the nearest of
  ///   them, of which a bounded number is looked at.
  public func itemNearestToCenter(contentOffset offset: Point) -> IndexPath? {
    let rect = visibleRect(at: offset)
    let middle = Doubled(centerOf: rect)
    var nearest: IndexPath?
    var least = UInt128.max
    func look(in rect: Rect) {
      var visits = 0
      forEachElement(in: rect, contentOffset: offset) { element in
        visits += 1
        guard element.kind == .cell else { return visits < maximumVisitCount }
        let distance = element.doubledCenter.squaredDistance(to: middle)
        let isFirst = nearest.map { element.indexPath < $0 } ?? true
        if distance < least || distance == least && isFirst {
          least = distance
          nearest = element.indexPath
        }
        return visits < maximumVisitCount
      }
    }
    look(in: rect)
    guard nearest != nil else { return itemResting(nearestTo: scrollDirection.upright(rect)) }
    // What is nearer has its middle not farther from there along either axis.
    let reach = Length(rounding: least.nearestDouble.squareRoot() / 2e6) + Length(millionths: 1)
    if reach > min(rect.width, rect.height).halved {
      look(
        in: Rect(
          x: rect.minX + rect.width.halved - reach, y: rect.minY + rect.height.halved - reach,
          width: reach + reach, height: reach + reach))
    }
    return nearest
  }

  /// The item of which the resting frame's middle is nearest to that of an upright rectangle.
  private func itemResting(nearestTo upright: Rect) -> IndexPath? {
    let middle = Doubled(centerOf: upright)
    return placement.nearestItem(
      around: upright.minY + upright.height.halved, .bothWays, isSquared: true
    ) {
      Doubled(centerOf: $1).squaredDistance(to: middle)
    }?.indexPath
  }

  /// The offset that has an item in the middle of the viewport, as far as the content allows.
  ///
  /// - Parameters:
  ///   - indexPath: The item; nil for none.
  ///   - offset: The offset to stay at where there is no such item, and across the main axis.
  /// - Returns: An offset inside the content.
  public func contentOffset(centering indexPath: IndexPath?, from offset: Point) -> Point {
    let centered = indexPath.flatMap { contentOffset(scrollingTo: $0, at: .center, from: offset) }
    return clamped(centered ?? offset)
  }
}

/// Twice a point, so that centres are exact.
private struct Doubled {
  var x: Int128
  var y: Int128

  init(x: Int128, y: Int128) {
    self.x = x
    self.y = y
  }

  init(centerOf rect: Rect) {
    x = Int128(rect.minX.millionths) * 2 + Int128(rect.width.millionths)
    y = Int128(rect.minY.millionths) * 2 + Int128(rect.height.millionths)
  }

  /// Saturates.
  func squaredDistance(to other: Doubled) -> UInt128 {
    (x - other.x).magnitude.squaredHypotenuse((y - other.y).magnitude)
  }
}

extension LayoutAttributes {
  /// Twice where the middle of the frame shows.
  fileprivate var doubledCenter: Doubled {
    let center = Doubled(centerOf: frame)
    let moved = middleShift
    return Doubled(
      x: center.x + 2 * Int128(moved.x.millionths), y: center.y + 2 * Int128(moved.y.millionths))
  }
}
