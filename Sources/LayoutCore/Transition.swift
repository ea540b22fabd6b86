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
      of: after, among: before, in: old.layout, at: old.contentOffset,
      name: map.oldElement, evenCount: map.evenCount(fromNew:))
    for (final, origin) in zip(after, origins.all) {
      switch origin {
      case .shown(let place):
        if !before[place].looks(like: final) {
          moving.append(Change(initial: before[place], final: final))
        }
      case .hidden(let place):
        let initial = origins.hidden[place]
        if initial.looks(like: final) {
          entering.append(final)
        } else {
          moving.append(Change(initial: initial, final: final))
        }
      case .missing:
        appearing.append(
          Change(initial: insertion.applied(to: final, in: newVisible), final: final))
      }
    }
    let targets = Counterparts(
      of: before, among: after, in: new.layout, at: new.contentOffset,
      name: map.newElement, evenCount: map.evenCount(fromOld:))
    for (initial, target) in zip(before, targets.all) {
      switch target {
      // It has had its turn.
      case .shown: break
      case .hidden(let place):
        let final = targets.hidden[place]
        leaving.append(final.identity)
        if !initial.looks(like: final) {
          moving.append(Change(initial: initial, final: final))
        }
      case .missing:
        disappearing.append(
          Change(initial: initial, final: deletion.applied(to: initial, in: oldVisible)))
      }
    }
  }
}

extension LayoutAttributes {
  /// Whether all is the same but the place that a decoration has among those of its section.
  fileprivate func looks(like other: LayoutAttributes) -> Bool {
    indexPath == other.indexPath && frame == other.frame && zIndex == other.zIndex
      && look == other.look
  }
}

/// What elements of one layout are in another.
///
/// Most show in both, next to those that show next to them: those need not be looked for. Other cells are
/// looked for together.
private struct Counterparts {
  /// What an element is there.
  enum Counterpart {
    /// Among what shows there, by its place.
    case shown(Int)
    /// Among ``Counterparts/hidden``, by its place.
    case hidden(Int)
    /// There is no such element.
    case missing
  }

  /// For each element what it is there.
  private(set) var all: [Counterpart] = []
  /// What does not show there.
  private(set) var hidden: [LayoutAttributes] = []

  /// Looks for elements.
  ///
  /// - Parameters:
  ///   - elements: The elements, in order.
  ///   - shown: What shows there, in order.
  ///   - layout: The layout there.
  ///   - contentOffset: The offset there.
  ///   - name: What an element is called there; nil where there is no such element.
  ///   - evenCount: How many items from one on are called there one after the other, or are all not there.
  /// - Complexity: O(k + m · log k) for k elements in m stretches that stay together, besides what it
  ///   takes to look for those that do not show.
  init(
    of elements: [LayoutAttributes], among shown: [LayoutAttributes], in layout: PreparedLayout,
    at contentOffset: Point, name: (ElementKind, IndexPath) -> (kind: ElementKind, at: IndexPath)?,
    evenCount: (IndexPath) -> Int
  ) {
    all.reserveCapacity(elements.count)
    /// Cells that do not show, and whose they are.
    var cells: [(cell: IndexPath, number: Int)] = []
    /// Items that stay together, and what the first of them is called there.
    var stretch = ItemRange(section: 0, start: 0, end: 0)
    var first: IndexPath?
    /// Where the next element is, if it is next to the last one there too.
    var next = 0
    for (number, element) in elements.enumerated() {
      let (kind, path) = (element.kind, element.indexPath)
      var there: (kind: ElementKind, at: IndexPath)?
      if kind == .cell {
        if path.section != stretch.section || path.item < stretch.start || path.item >= stretch.end
        {
          first = name(kind, path)?.at
          let (end, isBeyondAll) = path.item.addingReportingOverflow(evenCount(path))
          stretch = ItemRange(
            section: path.section, start: path.item, end: isBeyondAll ? .max : end)
        }
        there = first.map {
          (kind, IndexPath(item: $0.item + path.item - stretch.start, section: $0.section))
        }
      } else {
        there = name(kind, path)
      }
      all.append(.missing)
      guard let there else { continue }
      let position = ElementPosition(of: there.kind, at: there.at)
      if next == shown.count || shown[next].position != position {
        next = partitioningIndex(shown.count) { shown[$0].position >= position }
      }
      if next < shown.count, shown[next].position == position {
        all[number] = .shown(next)
        next += 1
      } else if there.kind == .cell {
        cells.append((there.at, number))
      } else if let other = layout.attributes(
        of: there.kind, at: there.at, contentOffset: contentOffset)
      {
        all[number] = .hidden(hidden.count)
        hidden.append(other)
      }
    }
    guard !cells.isEmpty else { return }
    cells.sort { $0.cell < $1.cell }
    let found = layout.cells(at: cells.map(\.cell), contentOffset: contentOffset)
    for (cell, other) in zip(cells, found) {
      guard let other else { continue }
      all[cell.number] = .hidden(hidden.count)
      hidden.append(other)
    }
  }
}
