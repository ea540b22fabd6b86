/// All that a client says: what to lay out, how, and what is seen of it.
public struct Description: Sendable {
  /// The sections.
  public var content: Content
  /// The layout with its metrics.
  public var layout: any CollectionLayout
  /// The layout as the client wrote it, where somebody keeps it; empty elsewhere.
  public var layoutSource: [UInt8] = []
  /// How drags end.
  public var snap: SnapRule
  /// How far ahead to load.
  public var prefetch: PrefetchReach
  /// The viewport.
  public var viewport: Viewport
  /// Where the viewport is.
  public var contentOffset: Point

  /// Makes a description.
  ///
  /// - Parameters:
  ///   - content: The sections.
  ///   - layout: The layout with its metrics.
  ///   - snap: How drags end; nil for the layout's own rule.
  ///   - prefetch: How far ahead to load.
  ///   - viewport: The viewport.
  ///   - contentOffset: Where the viewport is.
  public init(
    content: Content, layout: any CollectionLayout, snap: SnapRule? = nil,
    prefetch: PrefetchReach = PrefetchReach(), viewport: Viewport, contentOffset: Point = .zero
  ) {
    self.content = content
    self.layout = layout
    self.snap = snap ?? SnapRule(mode: layout.defaultSnapMode)
    self.prefetch = prefetch
    self.viewport = viewport
    self.contentOffset = contentOffset
  }
}

/// How drags end: `layout.snap`.
public struct SnapRule: Hashable, Sendable {
  /// Where they come to rest.
  public var mode: SnapMode
  /// How a fling is projected that has no proposed offset.
  public var decelerationRate: DecelerationRate

  /// Makes a rule.
  ///
  /// - Parameters:
  ///   - mode: Where drags come to rest.
  ///   - decelerationRate: How flings are projected.
  public init(mode: SnapMode, decelerationRate: DecelerationRate = .normal) {
    self.mode = mode
    self.decelerationRate = decelerationRate
  }
}

extension Content {
  /// Whether some item has a name.
  public var hasIDs: Bool { sections.summary.namedItemCount > 0 }

  /// The bytes of UTF-8 of the longest name that an element may be given with: of an item, or the kind of a
  /// decoration; 0 if there are none.
  ///
  /// - Complexity: O(1).
  public var longestName: Int { sections.summary.longestName }

  /// How many items have data of their own: sizes, lengths, ratios or names; and a few of one size that are kept with
  /// others.
  public var describedItemCount: Int { sections.summary.describedItemCount }

  /// The bytes that it takes on the heap; an estimate.
  public var byteCount: Int { sections.summary.byteCount }
}
