import LayoutCore

/// What the service may do and hold.
public struct ServiceLimits: Sendable {
  /// Items with data of their own in one collection.
  public var describedItemCount: Int
  /// Sections in one collection.
  public var sectionCount: Int
  /// How deep arrays and objects may lie inside each other.
  public var depth: Int
  /// Elements in one answer, if their names are short.
  public var elementCount: Int
  /// Bytes of answers that are kept to be given again.
  public var keptAnswerByteCount: Int

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - describedItemCount: Items with data of their own in one collection.
  ///   - sectionCount: Sections in one collection.
  ///   - depth: How deep arrays and objects may lie inside each other.
  ///   - elementCount: Elements in one answer, if their names are short.
  ///   - keptAnswerByteCount: Bytes of answers that are kept to be given again.
  public init(
    describedItemCount: Int = 5_000_000, sectionCount: Int = 100_000, depth: Int = 32,
    elementCount: Int = 200_000, keptAnswerByteCount: Int = 32 * 1024 * 1024
  ) {
    self.describedItemCount = describedItemCount
    self.sectionCount = sectionCount
    self.depth = depth
    self.elementCount = elementCount
    self.keptAnswerByteCount = keptAnswerByteCount
  }

  /// Elements in one answer about some content: as many fewer as names are longer than short ones, so that the
  /// answer's bytes have a limit too.
  func elementCount(about content: Content) -> Int {
    let longest = content.longestName
    guard longest > ServiceLimits.shortName else { return elementCount }
    let weight = (longest - 1) / ServiceLimits.shortName + 1
    return max(1, elementCount / weight)
  }

  /// Names of so many bytes, and kinds of decorations, go with what else an answer says of an element.
  private static let shortName = 64
}

/// Clocks in nanoseconds that never go back.
public struct ServiceClocks: Sendable {
  /// The time that goes by.
  public var monotonic: @Sendable () -> UInt64
  /// The time for which this thread has had a processor; dearer to ask.
  public var thread: @Sendable () -> UInt64

  /// Takes both; they stand still if nothing is said.
  ///
  /// - Parameters:
  ///   - monotonic: The time that goes by.
  ///   - thread: The time for which this thread has had a processor.
  public init(
    monotonic: @escaping @Sendable () -> UInt64 = { 0 },
    thread: @escaping @Sendable () -> UInt64 = { 0 }
  ) {
    self.monotonic = monotonic
    self.thread = thread
  }
}
