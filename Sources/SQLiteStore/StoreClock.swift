import Synchronization

/// What time it is for sessions in a file.
///
/// That is the world's clock, because the file outlives every other. But that clock is set, by hand, by what it is
/// synchronised with, and when a machine has slept. Where it leaps ahead, what was used a moment before has not
/// expired: it is judged by the time before the leap, until all that was used before it has been used again, or
/// has expired by that time too. What is used is noted by the time after the leap, by which whoever opens the file
/// next will judge.
final class StoreClock: Sendable {
  /// A moment, in milliseconds.
  struct Moment: Sendable {
    /// What expires before this has expired.
    let time: Int64
    /// So much later it is by the world's clock, which has leapt.
    let leap: Int64
  }

  private struct State {
    /// What both clocks said last; nil if they have not been asked.
    var last: (world: Int64, steady: Int64)?
    var leap: Int64 = 0
    /// When nothing is left that was used before the leap, by the steady clock.
    var leapEnd: Int64 = 0
  }

  private let world: @Sendable () -> Int64
  private let steady: (@Sendable () -> Int64)?
  private let longestLife: Int64
  private let state = Mutex(State())

  /// What two clocks that go differ by when they are read one after the other, and more.
  private static let tolerance: Int64 = 1000

  /// Makes a clock.
  ///
  /// - Parameters:
  ///   - world: Milliseconds since 1970.
  ///   - steady: Milliseconds since any moment, by a clock that nobody sets; nil if the world's clock is not set either.
  ///   - longestLife: How long after its last use, in milliseconds, something may expire.
  init(
    world: @escaping @Sendable () -> Int64, steady: (@Sendable () -> Int64)?, longestLife: Int64
  ) {
    self.world = world
    self.steady = steady
    self.longestLife = longestLife
    // A leap is seen from here on.
    _ = now
  }

  /// What time it is.
  var now: Moment {
    guard let steady else { return Moment(time: world(), leap: 0) }
    return state.withLock { state in
      let (world, steady) = (world(), steady())
      if let last = state.last {
        let leap = (world &- last.world) &- (steady &- last.steady)
        if leap > StoreClock.tolerance {
          state.leap &+= leap
          state.leapEnd = Lifetime.sum(steady, longestLife)
        } else if leap < -StoreClock.tolerance {
          // What is noted by the time before is there for so much longer.
          state.leap = max(0, state.leap &+ leap)
        }
      }
      state.last = (world, steady)
      if steady > state.leapEnd { state.leap = 0 }
      return Moment(time: world &- state.leap, leap: state.leap)
    }
  }
}
