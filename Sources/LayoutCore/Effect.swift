/// What scrolling does to the cells of a ``SectionStack``.
///
/// An effect is a function of the description and the content offset alone, and is applied to the
/// cells near the viewport only. It works upright.
protocol Effect: Sendable {
  /// Where the cells rest that show in a rectangle.
  ///
  /// For one section it must not be more than it need be: each of its cells in it is looked at.
  ///
  /// - Parameters:
  ///   - extents: What the cells reach at most.
  ///   - rect: Where cells show, after the effect.
  ///   - visible: The visible rect.
  /// - Returns: A rectangle that holds at least a part of each such cell's resting frame; empty if
  ///   there are none.
  func restingRect(ofCells extents: BodyExtents, in rect: Rect, visible: Rect) -> Rect

  /// What an offset does to cells; worked out once for all cells of a question.
  ///
  /// - Parameters:
  ///   - stack: Where the cells rest.
  ///   - visible: The visible rect.
  /// - Returns: What turns a cell at rest into what shows.
  func change(of stack: SectionStack, seenIn visible: Rect) -> (inout LayoutAttributes) -> Void
}
