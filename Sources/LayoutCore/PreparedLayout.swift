/// Content laid out for a viewport, ready for questions.
///
/// Everything that does not depend on the content offset is computed once, here; each question names
/// its offset. The value is immutable and shared freely between threads.
public struct PreparedLayout: Sendable {
  /// The scrollable extent.
  public let contentSize: Size
  /// The main axis.
  public let scrollDirection: ScrollDirection
  /// The viewport it was prepared for.
  public let viewport: Viewport
  let placement: any Placement
  let items: ItemCounter
  /// A cell under a finger.
  var lifted: LiftedCell?

  /// Lays content out.
  ///
  /// - Parameters:
  ///   - content: The sections.
  ///   - layout: The layout.
  ///   - viewport: The viewport.
  ///   - limitsWork: Whether what would take long to place is refused. How long that is depends on how equal items
  ///     lie in memory, which what is read again need not do as before.
  /// - Throws: ``LayoutError`` if the content cannot be laid out.
  /// - Complexity: O(n) for items with sizes of their own; O(1) a section for equal items.
  public init(
    _ content: Content, layout: any CollectionLayout, viewport: Viewport, limitsWork: Bool = true
  ) throws(LayoutError) {
    let direction = layout.scrollDirection
    var container = Container(viewport, direction)
    container.limitsWork = limitsWork
    self.init(
      try layout.arrange(content, in: container, reusing: nil), ItemCounter(content), direction,
      viewport)
  }

  private init(
    _ placement: any Placement, _ items: ItemCounter, _ direction: ScrollDirection,
    _ viewport: Viewport
  ) {
    self.placement = placement
    self.items = items
    scrollDirection = direction
    contentSize = direction.upright(placement.contentSize)
    self.viewport = viewport
  }

  /// Lays content out that was changed: only what the change touches is arranged anew.
  ///
  /// The result is the same as of laying all of it out, to the last digit.
  ///
  /// - Parameters:
  ///   - old: The content before the change, laid out.
  ///   - updated: The content after it.
  ///   - layout: The layout, the same as before.
  /// - Throws: ``LayoutError`` if the content cannot be laid out.
  public init(
    updating old: PreparedLayout, to updated: UpdatedContent, layout: any CollectionLayout
  ) throws(LayoutError) {
    let container = Container(old.viewport, old.scrollDirection)
    let placement = try layout.arrange(
      updated.content, in: container,
      reusing: updated.change.map {
        Rearrangement(placement: old.placement, container: container, change: $0)
      })
    self.init(placement, ItemCounter(updated.content), old.scrollDirection, old.viewport)
  }

  /// Lays content out for another viewport, or under a layout that differs in what scrolling does: what does not
  /// depend on what differs is kept.
  ///
  /// The result is the same as of laying all of it out, to the last digit.
  ///
  /// - Parameters:
  ///   - old: The content, laid out for a viewport.
  ///   - content: The content, the same as before.
  ///   - layout: The layout: the one before, or one that arranges like it.
  ///   - viewport: The other viewport.
  /// - Throws: ``LayoutError`` if the content cannot be laid out.
  /// - Complexity: As of laying out; where only the extent along the main axis differs, O(1), but
  ///   O(s) for s sections of pages, which are as long as the viewport.
  public init(
    resizing old: PreparedLayout, of content: Content, layout: any CollectionLayout,
    to viewport: Viewport
  ) throws(LayoutError) {
    let direction = old.scrollDirection
    let reusable =
      old.isAsBroad(in: viewport, under: layout)
      ? Rearrangement(
        placement: old.placement, container: Container(old.viewport, direction),
        change: .none)
      : nil
    self.init(
      try layout.arrange(content, in: Container(viewport, direction), reusing: reusable),
      old.items, direction, viewport)
  }

  /// Whether lines and columns are as broad in another viewport, and rounded to the same pixels: then what
  /// was laid out can be kept.
  ///
  /// - Parameters:
  ///   - other: The other viewport.
  ///   - layout: The layout: the one before, or one that arranges like it.
  /// - Returns: Whether they are.
  public func isAsBroad(in other: Viewport, under layout: any CollectionLayout) -> Bool {
    let (before, after) = (
      Container(viewport, scrollDirection), Container(other, scrollDirection)
    )
    return before.size.width == after.size.width
      && (before.displayScale == after.displayScale || !layout.dependsOnDisplayScale)
  }

  /// Whether elements depend on the content offset: some pin to the viewport, or have an effect.
  public var followsContentOffset: Bool { placement.followsVisibleRect }

  /// The bytes that it takes on the heap, beyond what the content has anyway; an estimate.
  public var byteCount: Int { placement.byteCount }

  /// How many elements show at once, if cells lie as close everywhere; 16,384 at the most: room for more, if
  /// it is not needed, would be given to the program and taken from it for nothing.
  ///
  /// - Complexity: O(1).
  public var likelyShownCount: Int {
    let whole = scrollDirection.upright(contentSize).height
    let part = scrollDirection.upright(viewport.size).height
    // What has no area does not show, however much there is of it.
    guard whole > .zero else { return 0 }
    guard part < whole else { return min(items.count, 16_384) }
    // Lines may end beyond the viewport at both ends, and there may be others than cells.
    let likely = Double(items.count) * (part.points / whole.points) * 1.1 + 16
    return Int(min(likely, 16_384))
  }

  /// What is seen at an offset.
  ///
  /// - Parameter offset: The content offset.
  /// - Returns: The viewport in content coordinates.
  public func visibleRect(at offset: Point) -> Rect {
    Rect(origin: offset, size: viewport.size)
  }

  /// The offset nearest to another at which the content fills the viewport.
  ///
  /// - Parameter offset: Any offset.
  /// - Returns: Each coordinate in 0 … max(0, content − viewport).
  public func clamped(_ offset: Point) -> Point {
    Point(
      x: max(0, min(offset.x, contentSize.width - viewport.size.width)),
      y: max(0, min(offset.y, contentSize.height - viewport.size.height)))
  }

  /// One element, on screen or not.
  ///
  /// - Parameters:
  ///   - kind: What it is.
  ///   - indexPath: Which it is.
  ///   - offset: The content offset.
  /// - Returns: Its attributes, or nil if there is no such element.
  /// - Complexity: O(log n).
  public func attributes(
    of kind: ElementKind, at indexPath: IndexPath, contentOffset offset: Point
  ) -> LayoutAttributes? {
    let visible = scrollDirection.upright(visibleRect(at: offset))
    let attributes = placement.attributes(of: kind, at: indexPath, visible: visible).map(turned)
    guard let lifted, kind == .cell, indexPath == lifted.indexPath else { return attributes }
    return attributes.map(lifted.lift)
  }

  /// Some cells, on screen or not.
  ///
  /// - Parameters:
  ///   - indexPaths: Which they are; each once, ascending.
  ///   - offset: The content offset.
  /// - Returns: The attributes of each, or nil if there is no such cell.
  /// - Complexity: O(k · log n) for k cells; less where they are near each other.
  func cells(at indexPaths: [IndexPath], contentOffset offset: Point) -> [LayoutAttributes?] {
    let visible = scrollDirection.upright(visibleRect(at: offset))
    return placement.cells(at: indexPaths, visible: visible).map { cell in
      guard let cell = cell.map(turned) else { return nil }
      return cell.indexPath == lifted?.indexPath ? lifted?.lift(cell) : cell
    }
  }

  /// Visits the elements that show in a rectangle, in the order of ``ElementPosition``.
  ///
  /// An element shows in a rectangle if the bounding box of its transformed frame shares more than
  /// an edge with it; a frame without area never does.
  ///
  /// - Parameters:
  ///   - rect: The rectangle, in content coordinates.
  ///   - offset: The content offset.
  ///   - start: Elements before this position are passed over.
  ///   - body: Called with each element's attributes; returns whether to go on.
  /// - Complexity: O(log n + k) for k elements.
  public func forEachElement(
    in rect: Rect, contentOffset offset: Point, from start: ElementPosition = .first,
    _ body: (LayoutAttributes) -> Bool
  ) {
    if let lifted, let cell = attributes(of: .cell, at: lifted.indexPath, contentOffset: offset) {
      forEachElement(in: rect, contentOffset: offset, from: start, lifted: cell, body)
    } else {
      forEachPlacedElement(in: rect, contentOffset: offset, from: start, body)
    }
  }

  /// Visits the same elements; cells that no effect has touched many at a time, where that is quicker.
  ///
  /// - Parameters:
  ///   - rect: The rectangle, in content coordinates.
  ///   - offset: The content offset.
  ///   - start: Elements before this position are passed over.
  ///   - cells: Called with such cells, in their turn; returns whether to go on.
  ///   - body: Called with the attributes of each other element, and perhaps of cells; returns whether
  ///     to go on.
  /// - Complexity: O(log n + k) for k elements.
  public func forEachElement(
    in rect: Rect, contentOffset offset: Point, from start: ElementPosition = .first,
    cells: (CellBatch) -> Bool, _ body: (LayoutAttributes) -> Bool
  ) {
    guard lifted == nil else {
      return forEachElement(in: rect, contentOffset: offset, from: start, body)
    }
    let visible = scrollDirection.upright(visibleRect(at: offset))
    let rect = scrollDirection.upright(rect)
    if scrollDirection == .vertical {
      placement.forEachElement(in: rect, visible: visible, from: start, cells: cells, body)
    } else {
      placement.forEachElement(
        in: rect, visible: visible, from: start, cells: { $0.withTransposed(cells) }
      ) { body($0.transposed) }
    }
  }

  /// Visits elements with a lifted cell in its turn, wherever it is.
  private func forEachElement(
    in rect: Rect, contentOffset offset: Point, from start: ElementPosition,
    lifted cell: LayoutAttributes, _ body: (LayoutAttributes) -> Bool
  ) {
    var isDue = cell.position >= start && cell.shows(in: rect)
    var isGoingOn = true
    forEachPlacedElement(in: rect, contentOffset: offset, from: start) { element in
      if element.position == cell.position { return true }
      if isDue, cell.position < element.position {
        isDue = false
        isGoingOn = body(cell)
      }
      if isGoingOn { isGoingOn = body(element) }
      return isGoingOn
    }
    if isDue, isGoingOn { _ = body(cell) }
  }

  private func forEachPlacedElement(
    in rect: Rect, contentOffset offset: Point, from start: ElementPosition,
    _ body: (LayoutAttributes) -> Bool
  ) {
    let visible = scrollDirection.upright(visibleRect(at: offset))
    let rect = scrollDirection.upright(rect)
    if scrollDirection == .vertical {
      placement.forEachElement(in: rect, visible: visible, from: start, body)
    } else {
      placement.forEachElement(in: rect, visible: visible, from: start) { body($0.transposed) }
    }
  }

  /// The elements that are no cells and show at an offset, in order.
  ///
  /// - Parameters:
  ///   - offset: The content offset.
  ///   - limit: How many there may be.
  /// - Returns: Their attributes; nil if there are more, or if they are among many that do not show.
  func supplements(at offset: Point, limit: Int) -> [LayoutAttributes]? {
    let visible = scrollDirection.upright(visibleRect(at: offset))
    var supplements: [LayoutAttributes] = []
    let areAll = placement.forEachSupplement(in: visible, visible: visible, lookingAt: 4 * limit) {
      supplements.append(turned($0))
      return supplements.count <= limit
    }
    return areAll && supplements.count <= limit ? supplements : nil
  }

  /// The elements that show in a rectangle, in order.
  ///
  /// - Parameters:
  ///   - rect: The rectangle, in content coordinates.
  ///   - offset: The content offset.
  ///   - limit: How many there may be.
  /// - Returns: Their attributes.
  /// - Throws: ``LayoutError/tooManyElements(limit:)`` if there are more.
  /// - Complexity: O(log n + k) for k elements.
  public func elements(
    in rect: Rect, contentOffset offset: Point, limit: Int
  ) throws(LayoutError) -> [LayoutAttributes] {
    var elements: [LayoutAttributes] = []
    // A screenful, so that the array need not grow on its way.
    elements.reserveCapacity(min(limit, 80))
    forEachElement(
      in: rect, contentOffset: offset,
      cells: { cells in
        for place in 0..<cells.count { elements.append(cells.attributes(place)) }
        return elements.count <= limit
      }
    ) { attributes in
      elements.append(attributes)
      return elements.count <= limit
    }
    guard elements.count <= limit else { throw .tooManyElements(limit: limit) }
    return elements
  }

  /// The cell at a point: of those there, the one nearest to the viewer, then the last.
  ///
  /// - Parameters:
  ///   - point: The point, in content coordinates; frames are half open.
  ///   - offset: The content offset.
  /// - Returns: Its index path, or nil.
  /// - Complexity: O(log n) where cells do not lie on each other.
  public func indexPathForItem(at point: Point, contentOffset offset: Point) -> IndexPath? {
    // The least rectangle there is: a half-open frame overlaps it exactly if the point is inside.
    let spot = Rect(
      origin: point, size: Size(width: Length(millionths: 1), height: Length(millionths: 1)))
    var found: LayoutAttributes?
    forEachElement(in: spot, contentOffset: offset) { attributes in
      guard attributes.kind == .cell, attributes.contains(point) else { return true }
      if let best = found, attributes.zIndex < best.zIndex { return true }
      found = attributes
      return true
    }
    return found?.indexPath
  }

  /// Upright attributes turned back.
  private func turned(_ attributes: LayoutAttributes) -> LayoutAttributes {
    scrollDirection == .vertical ? attributes : attributes.transposed
  }
}

extension LayoutAttributes {
  /// The same with x and y exchanged.
  @inline(__always)
  var transposed: LayoutAttributes {
    isPlain
      ? LayoutAttributes(
        kind: kind, indexPath: indexPath, frame: frame.transposed, zIndex: zIndex)
      : transposedWithLook
  }

  private var transposedWithLook: LayoutAttributes {
    var result = self
    result.frame = frame.transposed
    result.transform = AffineTransform(
      a: transform.d, b: transform.c, c: transform.b, d: transform.a, tx: transform.ty,
      ty: transform.tx)
    result.anchorPoint = UnitPoint(x: anchorPoint.y, y: anchorPoint.x)
    return result
  }

  /// The bounding box of the transformed frame, in millionths from the frame's origin: whole numbers, so that what
  /// only halves or turns them has its edges where they are, wherever the frame is.
  private var box: (minX: Double, minY: Double, maxX: Double, maxY: Double) {
    let (width, height) = extents
    let left = -anchorPoint.x * width
    let top = -anchorPoint.y * height
    let originX = transform.tx * Self.millionths - left
    let originY = transform.ty * Self.millionths - top
    // A parallelogram: each term is least at one of its ends.
    let ax = (transform.a * left, transform.a * (left + width))
    let cx = (transform.c * top, transform.c * (top + height))
    let by = (transform.b * left, transform.b * (left + width))
    let dy = (transform.d * top, transform.d * (top + height))
    return (
      originX + min(ax.0, ax.1) + min(cx.0, cx.1), originY + min(by.0, by.1) + min(dy.0, dy.1),
      originX + max(ax.0, ax.1) + max(cx.0, cx.1), originY + max(by.0, by.1) + max(dy.0, dy.1)
    )
  }

  private static let millionths = Double(Length.millionthsPerPoint)

  /// The frame's width and height in millionths.
  private var extents: (width: Double, height: Double) {
    (Double(frame.width.millionths), Double(frame.height.millionths))
  }

  /// How far something is from the frame's origin, in millionths; as near as a Double comes where that is far.
  private func distance(to x: Length, _ y: Length) -> (x: Double, y: Double) {
    (Double((x - frame.minX).millionths), Double((y - frame.minY).millionths))
  }

  /// How far from the middle of its frame the element's middle shows.
  var middleShift: Point {
    if isInPlace { return .zero }
    // From the anchor point to the middle, through the transform.
    let x = (0.5 - anchorPoint.x) * frame.width.points
    let y = (0.5 - anchorPoint.y) * frame.height.points
    return Point(
      x: Length(rounding: transform.a * x + transform.c * y + transform.tx - x),
      y: Length(rounding: transform.b * x + transform.d * y + transform.ty - y))
  }

  /// Whether the element shows in a rectangle.
  ///
  /// - Parameter rect: The rectangle, in the coordinates of the frame.
  /// - Returns: Whether the transformed frame's bounding box and the rectangle share an area.
  public func shows(in rect: Rect) -> Bool {
    if isInPlace { return frame.overlaps(rect) }
    // Whether there is an area, the transform says: of what is scaled to next to nothing both edges of the box are
    // one Double, and of such elements there may be any number, of which each has to count.
    guard !frame.isEmpty, !rect.isEmpty, transform.a != 0 || transform.c != 0,
      transform.b != 0 || transform.d != 0
    else { return false }
    let box = box
    let (start, end) = (distance(to: rect.minX, rect.minY), distance(to: rect.maxX, rect.maxY))
    return box.minX < end.x && start.x < box.maxX && box.minY < end.y && start.y < box.maxY
  }

  /// Whether a point is inside the transformed frame; half open.
  ///
  /// - Parameter point: The point, in the coordinates of the frame.
  /// - Returns: Whether it is.
  func contains(_ point: Point) -> Bool {
    if isInPlace {
      return point.x >= frame.minX && point.x < frame.maxX && point.y >= frame.minY
        && point.y < frame.maxY
    }
    let (width, height) = extents
    let determinant = transform.a * transform.d - transform.b * transform.c
    guard determinant != 0 else { return false }
    let place = distance(to: point.x, point.y)
    let x = place.x - anchorPoint.x * width - transform.tx * Self.millionths
    let y = place.y - anchorPoint.y * height - transform.ty * Self.millionths
    let inFrameX =
      (transform.d * x - transform.c * y) / determinant + anchorPoint.x * width
    let inFrameY =
      (transform.a * y - transform.b * x) / determinant + anchorPoint.y * height
    return inFrameX >= 0 && inFrameX < width && inFrameY >= 0 && inFrameY < height
  }
}
