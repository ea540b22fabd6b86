/// The viewport through which the content is seen; its offset is given with each question.
public struct Viewport: Hashable, Sendable {
  /// The extent, above 0.
  public var size: Size
  /// Pixels per point; nil where nothing is rounded to pixels.
  public var displayScale: DisplayScale?

  /// Makes a viewport.
  ///
  /// - Parameters:
  ///   - size: The extent, above 0.
  ///   - displayScale: Pixels per point, or nil.
  public init(size: Size, displayScale: DisplayScale? = nil) {
    self.size = size
    self.displayScale = displayScale
  }
}
