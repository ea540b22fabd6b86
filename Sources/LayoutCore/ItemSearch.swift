/// Of more items than this about one place a search takes the best of those it saw, so that no collection makes a
/// question endless: as many as take a millisecond or a few.
private let maximumVisitCount = 20_000

/// On which side of a place to look for an item.
enum SearchWays { case bothWays, onwards, backwards }

extension Placement {
  /// The item with the least distance, the first of those; looked for in growing surroundings.
  ///
  /// An item's distance must be at least that of its frame, less an inset. So once an item is nearer than the
  /// surroundings reach, no other can be. They begin small: there may be millions of items in a viewport. Of
  /// more than a bounded number in one place the best of those is taken, so that no collection makes a
  /// question endless.
  ///
  /// - Parameters:
  ///   - main: Where to look, in the content.
  ///   - ways: On which side.
  ///   - extent: Outside of which no item counts; nil for all of the content.
  ///   - largestInset: How far in front of its frame an item may count from.
  ///   - isSquared: Whether distances are those in the plane, of which the squares are compared.
  ///   - doubledDistance: Twice the distance of an item that rests in an upright frame, or the square of
  ///     that; nil if it does not count.
  /// - Returns: The item and where it rests; nil if none counts.
  func nearestItem(
    around main: Length, _ ways: SearchWays, within extent: ClosedRange<Length>? = nil,
    largestInset: Length = 0, isSquared: Bool = false,
    _ doubledDistance: (IndexPath, Rect) -> UInt128?
  ) -> (indexPath: IndexPath, frame: Rect)? {
    // A card wider than the viewport begins in front of where it stops, and is no nearer for it.
    var inset = max(0, largestInset)
    let extent = extent ?? .zero...contentSize.height
    // Nothing counts outside; what a place outside is away comes on top of each distance.
    let place = max(extent.lowerBound, min(main, extent.upperBound))
    let outside = UInt128((Int128(main.millionths) - Int128(place.millionths)).magnitude)
    // Mostly a few items are so near. If there are many, it begins as near as can be.
    var reach = Length(points: 1)
    var limit = 64
    var visits = 0
    // Kept from surroundings to surroundings: where those are too many to be seen to the end, it is the
    // best of the nearer ones.
    var best: (indexPath: IndexPath, frame: Rect)?
    var least = UInt128.max
    while true {
      let from = ways == .onwards ? place : max(place - reach, extent.lowerBound)
      let to = min(
        ways == .backwards ? place + inset + Length(millionths: 1) : place + reach + inset,
        extent.upperBound)
      // Whatever the breadth: a half of all there is on either side.
      let surroundings = Rect(
        x: Length(millionths: .min / 2), y: from, width: Length(millionths: .max), height: to - from
      )
      let visitsBefore = visits
      forEachRestingItem(in: surroundings) { indexPath, frame in
        if let distance = doubledDistance(indexPath, frame) {
          let isBefore = best.map { indexPath < $0.indexPath } ?? true
          if distance < least || distance == least && isBefore {
            least = distance
            best = (indexPath, frame)
          }
        }
        visits += 1
        return visits < limit
      }
      if visits >= limit {
        if limit == maximumVisitCount {
          guard inset > .zero else { return best }
          // Some section's inset leads to far more than there is about the place: what is there counts too.
          (inset, reach, limit, visits) = (0, Length(points: 1), 64, 0)
          continue
        }
        (reach, limit) = (Length(millionths: 1), maximumVisitCount)
        continue
      }
      limit = maximumVisitCount
      let doubledBound = (UInt128(reach.millionths.magnitude) + outside) * 2
      let bound = isSquared ? doubledBound.squaredHypotenuse(0) : doubledBound
      if best != nil, least < bound { return best }
      let isAll =
        (from <= extent.lowerBound || ways == .onwards)
        && (to >= extent.upperBound || ways == .backwards)
      if isAll { return best }
      // Faster as long as there are few: to ask again takes longer than to look at some of them in vain.
      reach = reach * (visits - visitsBefore < 16 ? 8 : 2)
    }
  }
}

extension UInt128 {
  /// The square of the distance of two points that are so far apart along one axis and the other;
  /// saturates.
  func squaredHypotenuse(_ other: UInt128) -> UInt128 {
    let (square, overflows) = multipliedReportingOverflow(by: self)
    let (otherSquare, otherOverflows) = other.multipliedReportingOverflow(by: other)
    let (sum, sumOverflows) = square.addingReportingOverflow(otherSquare)
    return overflows || otherOverflows || sumOverflows ? .max : sum
  }
}

extension Rect {
  /// Twice the middle along the main axis of an upright rectangle, so that it is exact.
  var doubledMainCenter: Int128 { Int128(minY.millionths) * 2 + Int128(height.millionths) }
}
