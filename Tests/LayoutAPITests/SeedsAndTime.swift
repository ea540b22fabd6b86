import Glibc

/// SplitMix64: the same numbers on every machine, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// The seeds that a test is run with, one after the other from 0.
///
/// - Parameter count: How many; one in `LAYOUTD_SEED_DIVISOR` of them if the environment has that, where each
///   takes long because memory is watched.
/// - Returns: The seeds, one at least.
func seeds(_ count: UInt64) -> Range<UInt64> { 0..<max(1, count / seedDivisor) }

private let seedDivisor: UInt64 = {
  // Safe: the text is there for as long as nobody changes the environment, which no test does.
  guard let text = unsafe getenv("LAYOUTD_SEED_DIVISOR") else { return 1 }
  return max(1, UInt64(unsafe String(cString: text)) ?? 1)
}()

/// The nanoseconds that this thread has had of a processor: what others take does not count.
func threadTime() -> UInt64 {
  var time = timespec()
  // Safe: the pointer is to a variable of this frame.
  _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
