import Glibc

/// The clock of the world.
enum WallClock {
  /// Milliseconds since 1970.
  static var milliseconds: Int64 {
    let time = now(CLOCK_REALTIME)
    return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
  }

  /// Seconds since 1970, for a quarter of what the exact time costs.
  static var coarseSeconds: Int64 { Int64(now(CLOCK_REALTIME_COARSE).tv_sec) }
}

/// The system's clock that never goes back.
enum MonotonicClock {
  /// The time to some milliseconds, for a quarter of what the exact time costs.
  static var coarseNow: Duration {
    let time = now(CLOCK_MONOTONIC_COARSE)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// The exact time.
  static var nanoseconds: UInt64 { nanoseconds(CLOCK_MONOTONIC) }

  /// The time for which this thread has had a processor.
  static var ownNanoseconds: UInt64 { nanoseconds(CLOCK_THREAD_CPUTIME_ID) }

  private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    let time = now(clock)
    return UInt64(bitPattern: Int64(time.tv_sec &* 1_000_000_000 &+ time.tv_nsec))
  }
}

private func now(_ clock: clockid_t) -> timespec {
  var time = timespec()
  // Safe: the pointer is to a variable of this frame.
  _ = unsafe clock_gettime(clock, &time)
  return time
}
