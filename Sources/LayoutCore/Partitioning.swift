/// The first of `0 ..< count` for which `isPast` holds, which it must from there on.
///
/// - Complexity: O(log count).
func partitioningIndex(_ count: Int, where isPast: (Int) -> Bool) -> Int {
  var low = 0
  var high = count
  while low < high {
    let middle = low + (high - low) / 2
    if isPast(middle) { high = middle } else { low = middle + 1 }
  }
  return low
}

/// The same, looked for from where it likely is: what lies near in memory is looked at, and little of it.
///
/// - Parameters:
///   - count: How many there are.
///   - guess: The first that is past, more or less.
///   - isPast: What holds from some place on.
/// - Returns: The first place at which it holds; `count` if there is none.
/// - Complexity: O(log d) if the guess is d away.
@inline(__always)
func partitioningIndex(_ count: Int, near guess: Int, where isPast: (Int) -> Bool) -> Int {
  guard count > 0 else { return 0 }
  var low = 0
  var high = count
  var step = 1
  let start = min(max(0, guess), count - 1)
  if isPast(start) {
    high = start
    while low < high {
      let next = max(low, high - step)
      guard isPast(next) else {
        low = next + 1
        break
      }
      high = next
      step *= 2
    }
  } else {
    low = start + 1
    while low < high {
      let next = min(high, low + step) - 1
      guard !isPast(next) else {
        high = next
        break
      }
      low = next + 1
      step *= 2
    }
  }
  return low + partitioningIndex(high - low) { isPast(low + $0) }
}

/// Those of `count` equally long extents, in ascending order, that share some length with an interval.
///
/// - Parameters:
///   - count: How many there are.
///   - length: How long each is.
///   - low: Where the interval begins.
///   - high: Where it ends.
///   - start: Where each extent begins.
/// - Returns: Their range, which is empty if there are none.
/// - Complexity: O(log count).
@inline(__always)
func overlapping(
  _ count: Int, of length: Length, from low: Length, to high: Length, start: (Int) -> Length
) -> Range<Int> {
  let first = partitioningIndex(count) { start($0) + length > low }
  return first..<max(first, partitioningIndex(count) { start($0) >= high })
}

/// Which of some things that are mostly as large as each other likely is at a distance from the first.
///
/// - Parameters:
///   - distance: The distance.
///   - total: How large all are together.
///   - count: How many there are.
/// - Returns: 0 ... count, whatever the distance.
@inline(__always)
func likelyIndex(at distance: Double, of total: Double, count: Int) -> Int {
  let share = distance / total
  return share > 0 ? Int(min(share, 1) * Double(count)) : 0
}

/// The place of a key among `count` ascending keys that are all different; nil if it is not there.
///
/// - Complexity: O(log count).
func sortedIndex<Key: Comparable>(
  of key: Key, among count: Int, _ keyAt: (Int) -> Key
) -> Int? {
  let place = partitioningIndex(count) { keyAt($0) >= key }
  return place < count && keyAt(place) == key ? place : nil
}
