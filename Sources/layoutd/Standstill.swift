/// When to say of something that it does not end: after a while, and again as long as that lasts.
struct Standstill {
  private var beginning = Duration.zero
  /// When it was said last; nil if it was not since then.
  private var saidAt: Duration?

  /// How long it may take.
  static let patience = Duration.seconds(30)
  /// How long it is not said again: twice within what alerts look at.
  static let pause = Duration.seconds(60)

  /// It begins.
  ///
  /// - Parameter now: The time.
  mutating func begin(at now: Duration) { (beginning, saidAt) = (now, nil) }

  /// Asks whether it is to be said now.
  ///
  /// - Parameter now: The time.
  /// - Returns: For how long it has lasted; nil if that is not to be said.
  mutating func lengthToSay(at now: Duration) -> Duration? {
    let isDue =
      saidAt.map { now - $0 >= Standstill.pause } ?? (now - beginning >= Standstill.patience)
    guard isDue else { return nil }
    saidAt = now
    return now - beginning
  }
}
