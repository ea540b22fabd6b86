import Glibc

/// Time that never goes back.
enum MonotonicTime {
  /// The time now.
  static var now: Duration {
    var time = timespec()
    // Safe: the pointer is to a variable of this frame.
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

extension timespec {
  /// A time as C takes it.
  ///
  /// - Parameter duration: The time, not negative.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
  }
}

extension timeval {
  /// A time as C takes it.
  ///
  /// - Parameter duration: The time, not negative.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
  }
}

extension Duration {
  /// In whole milliseconds.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }

  /// The nearest time within bounds.
  ///
  /// - Parameter bounds: The bounds.
  /// - Returns: The time.
  func clamped(to bounds: ClosedRange<Duration>) -> Duration {
    min(max(self, bounds.lowerBound), bounds.upperBound)
  }
}
