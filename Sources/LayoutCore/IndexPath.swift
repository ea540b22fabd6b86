/// The place of an item: its section, then its place in the section; both count from 0.
public struct IndexPath: Hashable, Comparable, Sendable {
  /// The section.
  public var section: Int
  /// The place in the section.
  public var item: Int

  /// Makes an index path.
  ///
  /// - Parameters:
  ///   - item: The place in the section.
  ///   - section: The section.
  @inlinable
  public init(item: Int, section: Int) {
    self.section = section
    self.item = item
  }

  /// By section, then by item.
  @inlinable
  public static func < (left: IndexPath, right: IndexPath) -> Bool {
    left.section != right.section ? left.section < right.section : left.item < right.item
  }
}

/// A run of items of one section; half open.
///
/// Only ranges to delete may be empty.
public struct ItemRange: Hashable, Sendable {
  /// The section.
  public var section: Int
  /// The first item.
  public var start: Int
  /// The item after the last.
  public var end: Int

  /// Makes a run.
  ///
  /// - Parameters:
  ///   - section: The section.
  ///   - start: The first item.
  ///   - end: The item after the last.
  @inlinable
  public init(section: Int, start: Int, end: Int) {
    self.section = section
    self.start = start
    self.end = end
  }
}
