/// A cell under a finger: it keeps its place in the order, and shows where the finger is.
struct LiftedCell: Sendable {
  var indexPath: IndexPath
  /// What it has its middle in common with: a position, which has no size, or where the cell showed before
  /// anybody moved it, of which the middle may lie between two millionths.
  var place: Rect

  /// Above everything.
  static let zIndex = Int(Int32.max)

  /// A cell at its place as it shows.
  func lift(_ cell: LayoutAttributes) -> LayoutAttributes {
    var cell = cell
    cell.frame.origin = place.originOfCentered(cell.frame.size)
    // About its own middle: a wheel's hub, or a slide, would have it beside the finger.
    cell.anchorPoint = .center
    cell.transform.tx = 0
    cell.transform.ty = 0
    cell.zIndex = LiftedCell.zIndex
    return cell
  }
}

/// Interactive reordering: `beginInteractiveMovementForItem` and what follows it.
///
/// An item is taken from its place and put before others while a finger goes over them. What is seen
/// meanwhile is a preview: the content with the item moved, laid out.
public struct InteractiveMovement: Sendable {
  /// The item before the movement.
  public let source: IndexPath
  /// Where it is in the preview.
  public private(set) var target: IndexPath
  /// The sections it may go to; nil for all.
  public let sections: Set<Int>?
  /// The content of the preview, and how it goes with that before the movement.
  public private(set) var preview: UpdatedContent
  /// The preview laid out, the cell under the finger.
  public private(set) var layout: PreparedLayout
  private let original: Content
  private let originalLayout: PreparedLayout
  /// The bytes that it takes beside the collection and its layout before; an estimate, in which what both share
  /// counts twice.
  public var byteCount: Int {
    let sectionBytes = (sections?.capacity ?? 0) * 16
    guard target != source else { return 512 + sectionBytes }
    // The preview, and what its layout was made of, have items of their own at both places: a run at each, with
    // its names.
    let runBytes = 512 * (6 + preview.content.longestName)
    return 2048 + sectionBytes + layout.byteCount
      + min(2 * preview.content.byteCount, 4 * runBytes)
  }

  /// Takes an item up; nil if there is no such item.
  ///
  /// - Parameters:
  ///   - source: The item.
  ///   - position: Where the finger is, in content coordinates; nil for the middle of the cell.
  ///   - sections: The sections it may go to; nil for all.
  ///   - content: The content.
  ///   - layout: The content laid out.
  ///   - offset: The content offset.
  public init?(
    of source: IndexPath, at position: Point?, within sections: Set<Int>?, content: Content,
    layout: PreparedLayout, contentOffset offset: Point
  ) {
    guard let cell = layout.attributes(of: .cell, at: source, contentOffset: offset) else {
      return nil
    }
    self.source = source
    self.sections = sections
    target = source
    original = content
    originalLayout = layout
    preview = UpdatedContent(content: content, map: IdentityMap(), names: KnownNames())
    self.layout = layout
    var shown = cell.frame
    shown.origin.x += cell.middleShift.x
    shown.origin.y += cell.middleShift.y
    self.layout.lifted = LiftedCell(
      indexPath: source, place: position.map { Rect(origin: $0, size: .zero) } ?? shown)
  }

  /// Goes to a position: `updateInteractiveMovementTargetPosition`.
  ///
  /// - Parameters:
  ///   - position: Where the finger is, in content coordinates.
  ///   - collection: The layout, for the preview.
  ///   - offset: The content offset.
  /// - Returns: How the preview before goes with the one now.
  /// - Throws: ``LayoutError`` if the preview cannot be laid out; nothing has changed then.
  /// - Complexity: That of an update that moves one item from where it is in the preview before.
  public mutating func update(
    to position: Point, collection: any CollectionLayout, contentOffset offset: Point
  ) throws(LayoutError) -> any ElementMap {
    let next = target(at: position, contentOffset: offset)
    let before = preview.map
    if next != target {
      var (batch, step) = (BatchUpdate(), BatchUpdate())
      if next != source { batch.moveItems = [(source, next)] }
      step.moveItems = [(target, next)]
      // The target is a place that the preview has, so that nothing is refused.
      guard let updated = try? batch.applied(to: original),
        let stepped = try? step.applied(to: preview.content)
      else { return IdentityMap() }
      // What lies before both places of the step stays as it is, however far from those the item came from.
      layout =
        next == source
        ? originalLayout
        : try PreparedLayout(updating: layout, to: stepped, layout: collection)
      preview = updated
      target = next
    }
    layout.lifted = LiftedCell(
      indexPath: target, place: Rect(origin: position, size: .zero))
    return StepMap(before: before, after: preview.map)
  }

  /// The cell that the item is put in the place of.
  private func target(at position: Point, contentOffset offset: Point) -> IndexPath {
    // The dragged one's own place is where it is put, not where the finger is.
    var resting = layout
    resting.lifted = nil
    func isAllowed(_ path: IndexPath) -> Bool { sections?.contains(path.section) ?? true }
    if let hit = resting.indexPathForItem(at: position, contentOffset: offset) {
      return isAllowed(hit) ? hit : target
    }
    let direction = resting.scrollDirection
    let main = direction.upright(Rect(origin: position, size: .zero)).minY
    guard let section = resting.placement.section(at: main),
      sections?.contains(section) ?? true
    else { return target }
    if preview.content.sections[section].items.isEmpty {
      return IndexPath(item: 0, section: section)
    }
    return resting.itemNearest(to: position, inSection: section) ?? target
  }

  /// The cell under the finger.
  ///
  /// - Parameter offset: The content offset.
  /// - Returns: Its attributes.
  public func dragged(contentOffset offset: Point) -> LayoutAttributes? {
    layout.attributes(of: .cell, at: target, contentOffset: offset)
  }

  /// Which way to scroll: outwards where the cell touches or crosses an edge of the viewport, unless it
  /// does so on both sides.
  ///
  /// - Parameter offset: The content offset.
  /// - Returns: −1, 0 or 1 for each axis.
  public func autoscroll(contentOffset offset: Point) -> (x: Int, y: Int) {
    guard let frame = dragged(contentOffset: offset)?.frame else { return (0, 0) }
    let visible = layout.visibleRect(at: offset)
    // A cell as wide as the viewport touches both edges where it is in the middle, though half of an odd
    // width is rounded, and the middle that a client works out.
    let hair = Length(millionths: 1)
    func way(_ isBefore: Bool, _ isAfter: Bool) -> Int { (isAfter ? 1 : 0) - (isBefore ? 1 : 0) }
    return (
      way(frame.minX <= visible.minX + hair, frame.maxX >= visible.maxX - hair),
      way(frame.minY <= visible.minY + hair, frame.maxY >= visible.maxY - hair)
    )
  }

  /// The whole movement as a batch of one move; empty if nothing moved.
  public var batch: BatchUpdate {
    var batch = BatchUpdate()
    if source != target { batch.moveItems = [(source, target)] }
    return batch
  }
}

/// From one preview to the next, by way of the content before the movement.
private struct StepMap: ElementMap {
  let before: any ElementMap
  let after: any ElementMap

  func newSection(of old: Int) -> Int? { old }
  func oldSection(of new: Int) -> Int? { new }

  func newIndexPath(of old: IndexPath) -> IndexPath? {
    before.oldIndexPath(of: old).flatMap(after.newIndexPath)
  }

  func oldIndexPath(of new: IndexPath) -> IndexPath? {
    after.oldIndexPath(of: new).flatMap(before.newIndexPath)
  }

  func evenCount(fromOld old: IndexPath) -> Int {
    let count = before.evenCount(fromNew: old)
    return before.oldIndexPath(of: old).map { min(count, after.evenCount(fromOld: $0)) } ?? count
  }

  func evenCount(fromNew new: IndexPath) -> Int {
    let count = after.evenCount(fromNew: new)
    return after.oldIndexPath(of: new).map { min(count, before.evenCount(fromOld: $0)) } ?? count
  }
}

extension PreparedLayout {
  /// Puts a cell under a finger down where its place is.
  public mutating func putDown() { lifted = nil }

  /// The item of a section of which the resting frame is nearest to a point, the first of those.
  func itemNearest(to point: Point, inSection section: Int) -> IndexPath? {
    let spot = scrollDirection.upright(Rect(origin: point, size: .zero)).origin
    func gap(_ low: Length, _ high: Length, _ value: Length) -> UInt128 {
      UInt128(max(0, low - value, value - high).millionths.magnitude)
    }
    return placement.nearestItem(
      around: spot.y, .bothWays, within: placement.extent(ofItemsInSection: section),
      isSquared: true
    ) { path, frame in
      guard path.section == section else { return nil }
      let across = gap(frame.minX, frame.maxX, spot.x)
      let along = gap(frame.minY, frame.maxY, spot.y)
      return (across * 2).squaredHypotenuse(along * 2)
    }?.indexPath
  }
}
