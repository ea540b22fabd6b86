/// Why a description cannot be laid out, or a question not be answered.
public enum LayoutError: Error, Hashable {
  /// The content, or its columns or rows, would reach beyond ``Length/maximumCoordinate`` in this section.
  case contentTooLong(section: Int)
  /// The section would have more columns than ``WaterfallLayout/maximumColumnCount``.
  case tooManyColumns(section: Int, limit: Int)
  /// More items than ``WaterfallLayout/maximumMixedCount`` allows would have to be placed one by one, with those
  /// of the section.
  case tooManyItems(section: Int, limit: Int)
  /// More cards would stand in view at once than ``WheelLayout/maximumCardCount``.
  case tooManyCards(limit: Int)
  /// More elements are in the rectangle than one answer may hold.
  case tooManyElements(limit: Int)
}
