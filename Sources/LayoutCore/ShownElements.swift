/// The elements that show at an offset, one after the other, of which only some are in memory at a time: thousands
/// that are gone through once need not be kept.
struct ShownElements {
  private let layout: PreparedLayout?
  private let offset: Point
  private let limit: Int
  /// Those in memory.
  private var elements: [LayoutAttributes]
  /// The place of the next among them.
  private var place = 0
  /// Where those begin that are still to come; nil if there are none.
  private var rest: ElementPosition?
  /// How many were found.
  private var count = 0
  /// How many are asked for the next time: to begin anew may cost as much as all that were gone through, so that
  /// the more there are, the less often it is done.
  private var capacity = ShownElements.leastCapacity

  /// So many are in memory at first: of most screens all, so that they are asked for once.
  static let leastCapacity = 128
  /// So many are in memory at most.
  static let greatestCapacity = 16_384

  /// The elements that show in the viewport, in order.
  ///
  /// - Parameters:
  ///   - layout: The layout.
  ///   - offset: The content offset.
  ///   - limit: How many there may be.
  init(in layout: PreparedLayout, at offset: Point, limit: Int) {
    self.layout = layout
    self.offset = offset
    self.limit = limit
    elements = []
    elements.reserveCapacity(min(limit, capacity))
    rest = .first
    findMore()
  }

  /// Elements that somebody has found, in order.
  init(_ elements: [LayoutAttributes]) {
    layout = nil
    offset = .zero
    limit = .max
    self.elements = elements
  }

  /// How many elements are in memory.
  var countInMemory: Int { elements.count }

  /// Whether more were found than there may be; then no more are looked for.
  var areTooMany: Bool { count > limit }

  /// The next element; nil if there are no more.
  var next: LayoutAttributes? { place < elements.count ? elements[place] : nil }

  /// Goes on to the element after the next.
  mutating func moveOn() {
    place += 1
    if place >= elements.count { findMore() }
  }

  /// Goes on to the first element at a position or after it.
  ///
  /// - Parameters:
  ///   - position: The position; nil to go to the end.
  ///   - passed: Called with each element before it.
  mutating func moveOn(to position: ElementPosition?, _ passed: (ElementIdentity) -> Void) {
    while place < elements.count {
      // In place: who passes thousands need not copy each.
      if let position, elements[place].position >= position { return }
      passed(elements[place].identity)
      moveOn()
    }
  }

  /// Puts the elements that are still to come in the place of those that were gone through, as many as there
  /// may be in memory.
  ///
  /// - Complexity: O(log n + k) for k of them.
  private mutating func findMore() {
    guard let layout, let start = rest else { return }
    defer { capacity = min(2 * capacity, ShownElements.greatestCapacity) }
    elements.removeAll(keepingCapacity: true)
    place = 0
    rest = nil
    layout.forEachElement(
      in: layout.visibleRect(at: offset), contentOffset: offset, from: start
    ) { element in
      guard elements.count < capacity else {
        rest = element.position
        return false
      }
      elements.append(element)
      count += 1
      return count <= limit
    }
  }
}
