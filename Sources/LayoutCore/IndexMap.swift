/// How places in a sequence before a change go with those after it.
///
/// What is not removed keeps its order, and fills the places that nothing is added at.
struct IndexMap: Sendable {
  let oldCount: Int
  let newCount: Int
  /// Ascending, not touching; places before the change that are empty after it.
  let removed: PlaceSet
  /// The same of places after the change that were not there.
  let added: PlaceSet

  /// Places that were not there and places that are not there any more.
  init(oldCount: Int, removed: PlaceSet = PlaceSet(), added: PlaceSet = PlaceSet()) {
    self.oldCount = oldCount
    self.removed = removed
    self.added = added
    newCount = oldCount - removed.count + added.count
  }

  /// Where something is after the change; nil if it was removed.
  ///
  /// - Complexity: O(log k) for k runs of removed and added places.
  func new(of old: Int) -> Int? {
    guard let rank = removed.rank(outside: old) else { return nil }
    return added.place(outside: rank)
  }

  /// Where something was before the change; nil if it was added.
  ///
  /// - Complexity: O(log k) for k runs of removed and added places.
  func old(of new: Int) -> Int? {
    guard let rank = added.rank(outside: new) else { return nil }
    return removed.place(outside: rank)
  }

  /// How many places before the change, from one on, are one after the other after it too, or all removed.
  ///
  /// - Complexity: O(log k) for k runs of removed and added places.
  func evenCount(fromOld old: Int) -> Int {
    let count = removed.evenCount(from: old)
    return new(of: old).map { min(count, added.evenCount(from: $0)) } ?? count
  }

  /// How many places after the change, from one on, were one after the other before it too, or are all added.
  ///
  /// - Complexity: O(log k) for k runs of removed and added places.
  func evenCount(fromNew new: Int) -> Int {
    let count = added.evenCount(from: new)
    return old(of: new).map { min(count, removed.evenCount(from: $0)) } ?? count
  }
}

/// A set of places in a sequence, as ranges.
struct PlaceSet: Sendable {
  /// Places that follow each other; at least one.
  private struct Run {
    var range: Range<Int>
    /// How many places of the set are before them.
    var before: Int
  }

  /// Ascending, not touching.
  private var runs: [Run] = []
  private(set) var count = 0

  /// Makes an empty set.
  ///
  /// - Parameter capacity: How many ranges may come.
  init(capacity: Int = 0) { runs.reserveCapacity(capacity) }

  /// Takes ranges that ascend and do not overlap.
  ///
  /// - Parameters:
  ///   - ranges: The ranges.
  ///   - capacity: How many of them there may be.
  init(_ ranges: some Sequence<Range<Int>>, capacity: Int) {
    self.init(capacity: capacity)
    for range in ranges where !range.isEmpty { append(range) }
  }

  /// Adds places behind all that are in the set; at least one.
  @inline(__always)
  mutating func append(_ range: Range<Int>) {
    if let last = runs.last, last.range.upperBound == range.lowerBound {
      runs[runs.count - 1].range = last.range.lowerBound..<range.upperBound
    } else {
      runs.append(Run(range: range, before: count))
    }
    count += range.count
  }

  /// The places as ranges, ascending, not touching.
  var ranges: some Collection<Range<Int>> { runs.lazy.map(\.range) }

  /// How many places from one on are all in the set as it is, or all outside.
  func evenCount(from place: Int) -> Int {
    let next = partitioningIndex(runs.count) { runs[$0].range.lowerBound > place }
    if next > 0, place < runs[next - 1].range.upperBound {
      return runs[next - 1].range.upperBound - place
    }
    return next < runs.count ? runs[next].range.lowerBound - place : .max
  }

  /// The number of places outside the set before one outside it; nil for one in it.
  func rank(outside place: Int) -> Int? {
    let next = partitioningIndex(runs.count) { runs[$0].range.lowerBound > place }
    guard next > 0 else { return place }
    let run = runs[next - 1]
    return place < run.range.upperBound ? nil : place - run.before - run.range.count
  }

  /// The place outside the set that has so many places outside it before it.
  func place(outside rank: Int) -> Int {
    // Before a run there are as many outside as its start less what is in the set before it.
    let next = partitioningIndex(runs.count) {
      runs[$0].range.lowerBound - runs[$0].before > rank
    }
    return next == 0 ? rank : rank + runs[next - 1].before + runs[next - 1].range.count
  }
}
