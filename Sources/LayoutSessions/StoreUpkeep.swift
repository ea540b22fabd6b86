import Synchronization

/// What is known of how a session in memory goes with what a durable store has.
///
/// Moments are numbers that grow with each one asked for, all over the process; 0 is before all.
public struct StoreUpkeep: ~Copyable, Sendable {
  private let checkedMoment = Atomic<UInt64>(0)
  private let doubtedMoment = Atomic<UInt64>(0)
  private let checkedTime = Atomic<UInt64>(0)
  private let scrollCheckedTime = Atomic<UInt64>(0)
  // Long before any second: clocks may count from when the machine was started.
  private let touchedSecond = Atomic<Int64>(.min / 2)
  private let knownTakeover = Atomic<UInt64>(0)
  private let knownRivalEnd = Atomic<UInt64>(0)
  private let outgrowth = Atomic<Int>(0)
  private let allowance = Atomic<Int>(0)
  private static let moments = Atomic<UInt64>(0)

  init() {}

  /// Now, later than all moments before; no two are the same.
  public static var now: UInt64 {
    moments.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
  }

  /// Notes that the session is no older than the store's was at a moment.
  ///
  /// - Parameters:
  ///   - moment: A moment before the store was asked.
  ///   - time: The same in nanoseconds of a clock.
  ///   - isScrolling: Whether the store has noted that this process answers ticks, and has said whether another one
  ///     has answered any.
  public func noteCheck(at moment: UInt64, time: UInt64, isScrolling: Bool) {
    // The times first: whoever sees the moment sees times that belong to it or to a later one.
    _ = checkedTime.max(time, ordering: .acquiringAndReleasing)
    if isScrolling { _ = scrollCheckedTime.max(time, ordering: .acquiringAndReleasing) }
    _ = checkedMoment.max(moment, ordering: .acquiringAndReleasing)
  }

  /// Notes that the store may have another session from now on.
  public func doubt() {
    _ = doubtedMoment.max(StoreUpkeep.now, ordering: .acquiringAndReleasing)
  }

  /// Whether nothing speaks against the session being what the store has.
  public var isSure: Bool {
    checkedMoment.load(ordering: .acquiring) > doubtedMoment.load(ordering: .acquiring)
  }

  /// When the store was asked last, in nanoseconds of a clock.
  public var lastCheck: UInt64 { checkedTime.load(ordering: .acquiring) }

  /// When the store was asked last who answers ticks, in nanoseconds of a clock.
  public var lastScrollCheck: UInt64 { scrollCheckedTime.load(ordering: .acquiring) }

  /// The takeover since which this process has answered all ticks, or has forgotten them; 0 is the
  /// session's creation.
  public var takeover: UInt64 { knownTakeover.load(ordering: .acquiring) }

  /// Notes a takeover, after the ticks before it have been forgotten: whoever asks at the same time
  /// either finds them forgotten, or does not find this and forgets them too.
  ///
  /// - Parameter number: The takeover.
  public func noteTakeover(_ number: UInt64) { knownTakeover.store(number, ordering: .releasing) }

  /// Until when another process may answer ticks without asking the store, in nanoseconds of a clock; nil if none
  /// does, or its ticks have been forgotten.
  public var rivalEnd: UInt64? {
    let end = knownRivalEnd.load(ordering: .acquiring)
    return end > 0 ? end : nil
  }

  /// Notes that another process may answer ticks, from which this one has just taken over.
  ///
  /// - Parameter time: Until when.
  public func noteRival(until time: UInt64) { knownRivalEnd.store(time, ordering: .releasing) }

  /// Notes that its ticks have been forgotten.
  ///
  /// - Parameter time: Until when it may have answered them; where that is another one by now, it stands.
  public func forgetRival(until time: UInt64) {
    _ = knownRivalEnd.compareExchange(expected: time, desired: 0, ordering: .acquiringAndReleasing)
  }

  /// Notes a use, of which the store has to know once in a while.
  ///
  /// - Parameters:
  ///   - second: When, by a clock that may be set.
  ///   - interval: How many seconds may go by, or back.
  /// - Returns: Whether the store has to know of this one.
  public func noteUse(at second: Int64, every interval: Int64) -> Bool {
    let last = touchedSecond.load(ordering: .relaxed)
    guard (second &- last).magnitude >= interval else { return false }
    return touchedSecond.compareExchange(
      expected: last, desired: second, ordering: .relaxed
    ).exchanged
  }

  /// Notes how much there is to be replayed after the snapshot.
  ///
  /// - Parameter weight: What has been added.
  /// - Returns: All of it.
  public func addOutgrowth(_ weight: Int) -> Int {
    outgrowth.wrappingAdd(weight, ordering: .relaxed).newValue
  }

  /// Notes that the snapshot is new: so much may come until it is outgrown.
  ///
  /// - Parameter weight: What may come.
  public func allowOutgrowth(_ weight: Int) {
    allowance.store(weight, ordering: .relaxed)
    outgrowth.store(-weight, ordering: .relaxed)
  }

  /// Notes that there will be a new snapshot, which may be as large as the last one.
  public func allowAsMuchAgain() { allowOutgrowth(allowance.load(ordering: .relaxed)) }

  /// Whether two such changes outgrow a new snapshot.
  ///
  /// - Parameter weight: What a change would add.
  /// - Returns: Whether it is more than half of what may come.
  public func isHalfOutgrown(by weight: Int) -> Bool {
    weight > allowance.load(ordering: .relaxed) / 2
  }
}
