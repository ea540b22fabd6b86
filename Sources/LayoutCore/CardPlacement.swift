/// Cards in one line that goes through all sections, of which the look depends on the visible rect.
///
/// What a layout of this kind says is where each card rests, how it looks, and which cards may show;
/// all by the number of the card. There are neither headers nor footers, insets or decorations of
/// sections.
protocol CardPlacement: Placement {
  /// The cards, counted through all sections.
  var cards: ItemCounter { get }

  /// The inset before a card that stands at the start.
  var leadingInset: Length { get }

  /// Where a card rests.
  ///
  /// - Parameter number: A card that exists.
  /// - Returns: Its frame, upright.
  func restingFrame(ofCard number: Int) -> Rect

  /// The cards that rest in a rectangle.
  ///
  /// - Parameter rect: The rectangle, upright and not empty.
  /// - Returns: Their numbers.
  func cards(restingIn rect: Rect) -> Range<Int>

  /// Cards among which all are that show in a rectangle.
  ///
  /// - Parameters:
  ///   - rect: The rectangle, upright and not empty.
  ///   - visible: The visible rect, upright.
  /// - Returns: Their numbers, ascending; not many more than there need be.
  func cards(near rect: Rect, visible: Rect) -> [Range<Int>]

  /// How cards look; worked out once for all cards of a question.
  ///
  /// - Parameter visible: The visible rect, upright.
  /// - Returns: What gives a card's upright attributes from its number and index path.
  func look(seenIn visible: Rect) -> (_ number: Int, _ indexPath: IndexPath) -> LayoutAttributes
}

extension CardPlacement {
  var followsVisibleRect: Bool { true }
  var movesCells: Bool { true }
  var byteCount: Int { 256 }
  var maximumLeadingInset: Length { leadingInset }
  func leadingInset(ofSection section: Int) -> Length { leadingInset }

  func attributes(
    of kind: ElementKind, at indexPath: IndexPath, visible: Rect
  ) -> LayoutAttributes? {
    guard kind == .cell, cards.contains(indexPath) else { return nil }
    return look(seenIn: visible)(cards.number(of: indexPath), indexPath)
  }

  func forEachElement(
    in rect: Rect, visible: Rect, from start: ElementPosition,
    _ body: (LayoutAttributes) -> Bool
  ) {
    guard !rect.isEmpty, cards.count > 0 else { return }
    let look = look(seenIn: visible)
    let first = cards.number(ofFirstFrom: start)
    for numbers in self.cards(near: rect, visible: visible) {
      let due = numbers.clamped(to: first..<max(first, cards.count))
      let isGoingOn = cards.forEachRun(due) { run in
        let offset = cards.number(of: IndexPath(item: 0, section: run.section))
        for item in run.start..<run.end {
          let card = look(offset + item, IndexPath(item: item, section: run.section))
          if card.shows(in: rect), !body(card) { return false }
        }
        return true
      }
      guard isGoingOn else { return }
    }
  }

  func section(at main: Length) -> Int? {
    // The cards of a short wheel may all rest behind the content's end.
    guard main >= .zero, main < restingExtent.upperBound else { return nil }
    // The card that rests there, else the last one before.
    let next = partitioningIndex(cards.count) { restingFrame(ofCard: $0).minY > main }
    return cards.count == 0 ? nil : cards.indexPath(of: max(0, next - 1)).section
  }

  func restingFrame(ofItemAt indexPath: IndexPath) -> Rect? {
    cards.contains(indexPath) ? restingFrame(ofCard: cards.number(of: indexPath)) : nil
  }

  func forEachRestingItem(in rect: Rect, _ body: (IndexPath, Rect) -> Bool) {
    forEachRestingRun(in: rect) { run, _ in
      for item in run.start..<run.end {
        let indexPath = IndexPath(item: item, section: run.section)
        guard body(indexPath, restingFrame(ofCard: cards.number(of: indexPath))) else {
          return false
        }
      }
      return true
    }
  }

  func forEachRestingRun(in rect: Rect, _ body: (ItemRange, Rect?) -> Bool) {
    guard !rect.isEmpty, cards.count > 0 else { return }
    _ = cards.forEachRun(cards(restingIn: rect)) { body($0, nil) }
  }
}

extension LayoutError {
  /// Cards of which so many are too long: where the first is that does not fit.
  ///
  /// - Parameters:
  ///   - cards: The cards.
  ///   - room: What there is for them.
  ///   - step: What each of them takes.
  /// - Returns: Nil if all fit.
  static func contentTooLong(
    _ cards: ItemCounter, in room: Length, step: Length
  ) -> LayoutError? {
    guard step > .zero else { return nil }
    let count = Int(clamping: room.millionths / step.millionths)
    return count < cards.count
      ? .contentTooLong(section: cards.indexPath(of: count).section) : nil
  }
}
