/// How long sessions live, and what time it is.
struct Lifetime: Sendable {
  /// Milliseconds that a session lives at least after it has been used.
  private let timeToLive: Int64
  private let clock: StoreClock
  /// What the file does not know.
  let unwritten = UnwrittenUses()

  /// Keeps them.
  ///
  /// - Parameters:
  ///   - timeToLive: How long a session lives after it has been used.
  ///   - world: Milliseconds since 1970.
  ///   - steady: Milliseconds by a clock that nobody sets; nil if nobody sets the other one.
  init(
    timeToLive: Duration, world: @escaping @Sendable () -> Int64,
    steady: (@Sendable () -> Int64)?
  ) {
    let (seconds, attoseconds) = timeToLive.components
    let wholeSeconds = min(max(0, seconds), Int64.max / 1000 - 1)
    self.timeToLive = wholeSeconds * 1000 + max(0, attoseconds / 1_000_000_000_000_000)
    clock = StoreClock(
      world: world, steady: steady,
      longestLife: Lifetime.sum(self.timeToLive, self.timeToLive / 8))
  }

  /// What time it is.
  var now: StoreClock.Moment { clock.now }

  /// When what is used now may expire at the earliest; the use has to be noted if it would expire
  /// before.
  func earliestEnd(from now: StoreClock.Moment) -> Int64 {
    Lifetime.sum(Lifetime.sum(now.time, now.leap), timeToLive)
  }

  /// When what is noted to be used now expires: an eighth later than it has to, so that of what is
  /// used all the time not every use has to be noted.
  func notedEnd(from now: StoreClock.Moment) -> Int64 {
    Lifetime.sum(earliestEnd(from: now), timeToLive / 8)
  }

  static func sum(_ time: Int64, _ length: Int64) -> Int64 {
    let (sum, hasOverflown) = time.addingReportingOverflow(length)
    return hasOverflown ? .max : sum
  }
}
