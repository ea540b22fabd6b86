/// How elements look where they appear from, or disappear to.
public struct ElementAnimation: Hashable, Sendable {
  /// 0 is transparent, 1 opaque.
  public var alpha = 1.0
  /// Replaces the transform, with the rotation.
  public var scale: Double?
  /// Clockwise in radians; before the scale.
  public var rotation: Double?
  /// Where the middle of the element is.
  public var position: Position?

  /// A place in the visible rect.
  public enum Position: String, CaseIterable, Sendable {
    /// The middle of its lower edge.
    case bottomCenter
  }

  /// Makes an animation that changes nothing.
  public init() {}

  /// To or from nothing, where the element is.
  public static var fade: ElementAnimation {
    var animation = ElementAnimation()
    animation.alpha = 0
    return animation
  }

  /// What an element looks like at the far end of the animation.
  func applied(to element: LayoutAttributes, in visible: Rect) -> LayoutAttributes {
    var element = element
    element.alpha = alpha
    if scale != nil || rotation != nil {
      element.transform = AffineTransform(rotation: rotation ?? 0, scale: scale ?? 1)
    }
    switch position {
    case nil: break
    case .bottomCenter:
      let bottom = Rect(x: visible.minX, y: visible.maxY, width: visible.width, height: 0)
      element.frame.origin = bottom.originOfCentered(element.frame.size)
    }
    return element
  }
}

/// What a change does to the elements that show before or after it.
public struct Transition: Sendable {
  /// An element before and after.
  public struct Change: Sendable {
    /// Where it begins; what it is called is as before the change if it was there then.
    public var initial: LayoutAttributes
    /// Where it ends; what it is called is as after the change if it is there then.
    public var final: LayoutAttributes
  }

  /// What was not there before.
  public var appearing: [Change] = []
  /// What is not there any more.
  public var disappearing: [Change] = []
  /// What was there and is, with other attributes.
  public var moving: [Change] = []
  /// What has not changed, and shows only now, as the offset has changed.
  public var entering: [LayoutAttributes] = []

  /// Works out what changes.
  ///
  /// - Parameters:
  ///   - old: The layout before the change, and the offset.
  ///   - new: The layout after it, and the offset.
  ///   - map: How the elements go together.
  ///   - insertion: How elements appear.
  ///   - deletion: How elements disappear.
  ///   - limit: How many elements may show, before and after.
  /// - Throws: ``LayoutError/tooManyElements(limit:)``.
  /// - Complexity: O(k · log n) for k visible elements.
  public init(
    from old: (layout: PreparedLayout, contentOffset: Point),
    to new: (layout: PreparedLayout, contentOffset: Point), by map: any ElementMap,
    insertion: ElementAnimation = .fade, deletion: ElementAnimation = .fade, limit: Int
  ) throws(LayoutError) {
    let oldVisible = old.layout.visibleRect(at: old.contentOffset)
    let newVisible = new.layout.visibleRect(at: new.contentOffset)
    let before = try old.layout.elements(
      in: oldVisible, contentOffset: old.contentOffset, limit: limit)
    let after = try new.layout.elements(
      in: newVisible, contentOffset: new.contentOffset, limit: limit)
    let origins = after.map { map.oldElement($0.kind, at: $0.indexPath) }
    let olds = Counterparts(origins, shown: before, in: old.layout, at: old.contentOffset)
    for (final, origin) in zip(after, origins) {
      if let (initial, isShown) = olds.counterpart(origin) {
        if !initial.looks(like: final) {
          moving.append(Change(initial: initial, final: final))
        } else if !isShown {
          entering.append(final)
        }
      } else {
        appearing.append(
          Change(initial: insertion.applied(to: final, in: newVisible), final: final))
      }
    }
    let targets = before.map { map.newElement($0.kind, at: $0.indexPath) }
    let news = Counterparts(targets, shown: after, in: new.layout, at: new.contentOffset)
    for (initial, target) in zip(before, targets) {
      if let (final, isShown) = news.counterpart(target) {
        // What shows afterwards too has had its turn.
        if !isShown, !initial.looks(like: final) {
          moving.append(Change(initial: initial, final: final))
        }
      } else {
        disappearing.append(
          Change(initial: initial, final: deletion.applied(to: initial, in: oldVisible)))
      }
    }
  }
}

extension LayoutAttributes {
  /// Whether all is the same but the place that a decoration has among those of its section.
  fileprivate func looks(like other: LayoutAttributes) -> Bool {
    var renamed = self
    renamed.kind = other.kind
    return renamed == other
  }
}

/// What elements of one layout are in another.
///
/// Most show in both: those need not be looked for. Other cells are looked for together.
private struct Counterparts {
  /// What an element is, and which.
  typealias Element = (kind: ElementKind, at: IndexPath)

  private let shown: [LayoutAttributes]
  private let layout: PreparedLayout
  private let contentOffset: Point
  /// Cells that do not show, ascending.
  private var others: [IndexPath] = []
  private let cells: [LayoutAttributes?]

  /// Looks for elements.
  ///
  /// - Parameters:
  ///   - elements: The elements.
  ///   - shown: What shows in the layout, in order.
  ///   - layout: The layout.
  ///   - contentOffset: The offset.
  init(
    _ elements: [Element?], shown: [LayoutAttributes], in layout: PreparedLayout,
    at contentOffset: Point
  ) {
    self.shown = shown
    self.layout = layout
    self.contentOffset = contentOffset
    for case let (kind, indexPath)? in elements
    where kind == .cell && Counterparts.place(kind, indexPath, in: shown) == nil {
      others.append(indexPath)
    }
    others.sort()
    cells = others.isEmpty ? [] : layout.cells(at: others, contentOffset: contentOffset)
  }

  private static func place(
    _ kind: ElementKind, _ indexPath: IndexPath, in shown: [LayoutAttributes]
  ) -> Int? {
    sortedIndex(of: ElementPosition(of: kind, at: indexPath), among: shown.count) {
      shown[$0].position
    }
  }

  /// One of the elements, and whether it shows; nil if there is no such element.
  func counterpart(_ element: Element?) -> (element: LayoutAttributes, isShown: Bool)? {
    guard let (kind, indexPath) = element else { return nil }
    if let place = Counterparts.place(kind, indexPath, in: shown) { return (shown[place], true) }
    let other =
      kind == .cell
      ? sortedIndex(of: indexPath, among: cells.count) { others[$0] }.flatMap { cells[$0] }
      : layout.attributes(of: kind, at: indexPath, contentOffset: contentOffset)
    return other.map { ($0, false) }
  }
}
