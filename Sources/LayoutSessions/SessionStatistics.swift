/// How the sessions are doing.
public struct SessionStatistics: Sendable, Equatable {
  /// How many there are.
  public var sessionCount = 0
  /// How many bytes they take; an estimate.
  public var byteCount = 0
  /// How many have been made since the beginning.
  public var createdCount = 0
  /// How many have left because others needed their place.
  public var evictedCount = 0
  /// How many have left because nobody asked for them.
  public var expiredCount = 0
}
