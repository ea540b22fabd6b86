/// How elements look at a content offset: what a layout does while it scrolls.
///
/// An effect is a function of the description and the offset alone, and is applied to the elements
/// near the viewport only. It works upright, on what a ``Placement`` has placed.
public protocol Effect: Sendable {
  /// The rectangle outside of which no element rests that shows in another.
  ///
  /// - Parameters:
  ///   - rect: Where elements show after the effect.
  ///   - visible: The visible rect.
  /// - Returns: A rectangle that holds at least a part of each such element's resting frame.
  func restingRect(forElementsIn rect: Rect, visible: Rect) -> Rect

  /// What an offset does to elements; worked out once for all elements of a question.
  ///
  /// - Parameter visible: The visible rect.
  /// - Returns: What turns an element at rest into what shows.
  func change(seenIn visible: Rect) -> (inout LayoutAttributes) -> Void
}
