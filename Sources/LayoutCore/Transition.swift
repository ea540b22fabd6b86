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
  /// What is there still, and shows no more; what it is called is as after the change.
  public var leaving: [ElementIdentity] = []

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
    let origins = Counterparts(
      of: after.map { map.oldElement($0.kind, at: $0.indexPath) }, among: before, in: old.layout,
      at: old.contentOffset)
    for (final, initial) in zip(after, origins.elements) {
      if let (initial, isShown) = initial {
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
    let targets = Counterparts(
      of: before.map { map.newElement($0.kind, at: $0.indexPath) }, among: after, in: new.layout,
      at: new.contentOffset)
    for (initial, final) in zip(before, targets.elements) {
      if let (final, isShown) = final {
        // What shows afterwards too has had its turn.
        if isShown { continue }
        leaving.append(final.identity)
        if !initial.looks(like: final) {
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
  /// For each element what it is there, and whether it shows; nil where there is no such element.
  private(set) var elements: [(element: LayoutAttributes, isShown: Bool)?] = []

  /// Looks for elements.
  ///
  /// - Parameters:
  ///   - names: What each is there, and which; nil where there is no such element.
  ///   - shown: What shows there, in order.
  ///   - layout: The layout.
  ///   - contentOffset: The offset.
  init(
    of names: [(kind: ElementKind, at: IndexPath)?], among shown: [LayoutAttributes],
    in layout: PreparedLayout, at contentOffset: Point
  ) {
    elements.reserveCapacity(names.count)
    /// Cells that do not show, and whose they are.
    var others: [(cell: IndexPath, number: Int)] = []
    for name in names {
      guard let (kind, indexPath) = name else {
        elements.append(nil)
        continue
      }
      let position = ElementPosition(of: kind, at: indexPath)
      if let place = sortedIndex(of: position, among: shown.count, { shown[$0].position }) {
        elements.append((shown[place], true))
      } else if kind == .cell {
        others.append((indexPath, elements.count))
        elements.append(nil)
      } else {
        elements.append(
          layout.attributes(of: kind, at: indexPath, contentOffset: contentOffset).map {
            ($0, false)
          })
      }
    }
    guard !others.isEmpty else { return }
    others.sort { $0.cell < $1.cell }
    let cells = layout.cells(at: others.map(\.cell), contentOffset: contentOffset)
    for (other, cell) in zip(others, cells) { elements[other.number] = cell.map { ($0, false) } }
  }
}
