/// On which side of a place to look for an item.
enum SearchWays { case bothWays, onwards, backwards }

extension Placement {
  /// The item with the least distance, the first of those; looked for in growing surroundings.
  ///
  /// An item's distance must be at least that of its frame, less an inset. So once an item is nearer than the
  /// surroundings reach, no other can be.
  ///
  /// - Parameters:
  ///   - main: Where to look, in the content.
  ///   - ways: On which side.
  ///   - extent: Outside of which no item counts; nil for wherever items rest.
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
    let extent = extent ?? restingExtent
    // Nothing counts outside; what a place outside is away comes on top of each distance.
    let place = max(extent.lowerBound, min(main, extent.upperBound))
    let outside = UInt128((Int128(main.millionths) - Int128(place.millionths)).magnitude)
    var surroundings = Surroundings()
    // Kept from surroundings to surroundings: where those are too many to be seen to the end, it is the
    // best of the nearer ones.
    var best: (indexPath: IndexPath, frame: Rect)?
    var least = UInt128.max
    while true {
      let reach = surroundings.reach
      let from = ways == .onwards ? place : max(place - reach, extent.lowerBound)
      let to = min(
        ways == .backwards ? place + inset + Length(millionths: 1) : place + reach + inset,
        extent.upperBound)
      // Whatever the breadth: a half of all there is on either side.
      let rect = Rect(
        x: Length(millionths: .min / 2), y: from, width: Length(millionths: .max), height: to - from
      )
      var visits = 0
      forEachRestingItem(in: rect) { indexPath, frame in
        if let distance = doubledDistance(indexPath, frame) {
          let isBefore = best.map { indexPath < $0.indexPath } ?? true
          if distance < least || distance == least && isBefore {
            least = distance
            best = (indexPath, frame)
          }
        }
        visits += 1
        return visits < surroundings.limit
      }
      if visits >= surroundings.limit {
        if surroundings.narrow() { continue }
        guard inset > .zero else { return best }
        // Some section's inset leads to far more than there is about the place: what is there counts too.
        (inset, surroundings) = (0, Surroundings())
        continue
      }
      let doubledBound = (UInt128(reach.millionths.magnitude) + outside) * 2
      let bound = isSquared ? doubledBound.squaredHypotenuse(0) : doubledBound
      if best != nil, least < bound { return best }
      let isAll =
        (from <= extent.lowerBound || ways == .onwards)
        && (to >= extent.upperBound || ways == .backwards)
      if isAll { return best }
      let doubled = isSquared ? least.nearestDouble.squareRoot() : least.nearestDouble
      surroundings.widen(
        after: visits, to: best.map { _ in Length(rounding: doubled / 2e6) + Length(millionths: 1) }
      )
    }
  }
}

/// How far about a place a search looks: as far as it must, and at no more items than it must.
///
/// There may be millions of items in a viewport, and none in thousands of viewports. So it begins small, and
/// grows fast; where there are too many, and none that counts nearer by, what lies between is halved.
private struct Surroundings {
  /// How far.
  private(set) var reach = Length(points: 1)
  /// So many items are too many.
  private(set) var limit = 64
  /// So far all items have been seen.
  private var seen: Length = 0
  /// So far there are too many.
  private var tooFar: Length?
  /// How many more are visited at all: no collection makes a question endless.
  private var left = greatestLimit + 2000

  /// As many as all may be in one place, and take a millisecond or a few.
  private static let greatestLimit = 20_000
  private static let least = Length(millionths: 1)

  /// Goes on where all items have been seen, and none is as near as others beyond may be.
  ///
  /// - Parameters:
  ///   - visits: How many there were.
  ///   - needed: How far nothing may be nearer than the nearest that was found; nil if there was none.
  mutating func widen(after visits: Int, to needed: Length?) {
    left -= visits
    seen = reach
    if 4 * visits > limit, limit < Surroundings.greatestLimit {
      limit = min(Surroundings.greatestLimit, 4 * visits)
      tooFar = nil
    }
    if let needed, needed > seen {
      reach = needed
    } else {
      // Faster as long as there are few: to ask again takes longer than to look at some of them in vain.
      reach = seen * (visits < 16 ? 8 : 2)
    }
    if let tooFar { reach = min(reach, seen + (tooFar - seen).halved) }
  }

  /// Goes on where there are too many items.
  ///
  /// - Returns: False if there are too many in one place, or have been in many.
  mutating func narrow() -> Bool {
    left -= limit
    guard left > 0 else { return false }
    if reach > seen + Surroundings.least {
      tooFar = reach
      let between = (reach - seen).halved
      reach = seen > .zero ? seen + between : max(Surroundings.least, between.halved.halved)
      return true
    }
    guard limit < Surroundings.greatestLimit else { return false }
    limit = Surroundings.greatestLimit
    tooFar = nil
    return true
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
