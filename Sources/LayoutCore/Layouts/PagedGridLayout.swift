/// Pages of cells, filled row by row; as a rule they are turned sideways.
///
/// ```
/// ┌───────────┬───────────┐
/// │ 0   1   2 │ 6   7     │   columns 3, rows 2: each section begins a new page,
/// │ 3   4   5 │           │   and all cells of a page have the same size
/// └───────────┴───────────┘
/// ```
public struct PagedGridLayout: CollectionLayout, Equatable {
  /// `pagedGrid`.
  public static let kind = "pagedGrid"

  /// False: nothing is rounded to pixels.
  public var dependsOnDisplayScale: Bool { false }

  /// False: places of equal items are arithmetic.
  public var goesThroughItems: Bool { false }
  /// How many columns, or rows, a page may have.
  public static let maximumCount = 10_000

  /// The main axis.
  public var scrollDirection: ScrollDirection = .horizontal
  /// Cells beside each other on a page, 1 … ``maximumCount``.
  public var columns = 4
  /// Cells above each other on a page, 1 … ``maximumCount``.
  public var rows = 4
  /// Between columns, whatever the direction.
  public var minimumInteritemSpacing: Length = 10
  /// Between rows, whatever the direction.
  public var minimumLineSpacing: Length = 10
  /// Around the cells of each page.
  public var sectionInset: EdgeInsets = .zero

  /// Makes a grid with the contract's defaults.
  public init() {}

  /// Reads the metrics; what is not given has its default.
  ///
  /// - Parameter metrics: The description's members.
  /// - Throws: What `metrics` throws for a member that is wrong.
  public init<Metrics: LayoutMetrics & ~Copyable & ~Escapable>(
    metrics: inout Metrics
  ) throws(Metrics.Failure) {
    scrollDirection =
      try metrics.choice("scrollDirection", of: ScrollDirection.self) ?? scrollDirection
    let counts = 1...PagedGridLayout.maximumCount
    columns = try metrics.integer("columns", in: counts) ?? columns
    rows = try metrics.integer("rows", in: counts) ?? rows
    minimumInteritemSpacing =
      try metrics.length("minimumInteritemSpacing") ?? minimumInteritemSpacing
    minimumLineSpacing = try metrics.length("minimumLineSpacing") ?? minimumLineSpacing
    sectionInset = try metrics.insets("sectionInset") ?? sectionInset
  }

  /// A drag ends at a page.
  public var defaultSnapMode: SnapMode { .page }

  /// Whether it is the same.
  public func arranges(like other: any CollectionLayout) -> Bool {
    other as? PagedGridLayout == self
  }

  /// Computes what does not depend on the content offset.
  ///
  /// - Parameters:
  ///   - content: The sections.
  ///   - container: The viewport, upright.
  ///   - old: What was made of the content before a change, or nil.
  /// - Returns: Where everything is.
  /// - Throws: ``LayoutError`` if the content would be too long.
  /// - Complexity: O(1) a section.
  public func arrange(
    _ content: Content, in container: Container, reusing old: Rearrangement?
  ) throws(LayoutError) -> any Placement {
    let page = scrollDirection.upright(container.size)
    // Pages are as long as the viewport.
    let reusable = old.flatMap { $0.container.size == container.size ? $0 : nil }
    // Those of the section before: most sections divide a page as it does.
    var (across, down): (PagedGrid.Axis?, PagedGrid.Axis?)
    return try SectionStack(content, in: container, scrollDirection, reusing: reusable) {
      (index, section, _) throws(LayoutError) in
      // A page that nothing is on is no page, and has no insets.
      guard section.items.count > 0 else { return (SectionStack.Frame(), EmptyBody()) }
      let inset = section.sectionInset ?? sectionInset
      let columnAxis = PagedGrid.Axis(
        count: columns, spacing: section.minimumInteritemSpacing ?? minimumInteritemSpacing,
        extent: page.width, leading: inset.left, trailing: inset.right, after: across)
      let rowAxis = PagedGrid.Axis(
        count: rows, spacing: section.minimumLineSpacing ?? minimumLineSpacing,
        extent: page.height, leading: inset.top, trailing: inset.bottom, after: down)
      (across, down) = (columnAxis, rowAxis)
      // Of a page that is not full the last of them say nothing.
      let count = section.items.count
      let end = max(columnAxis.end(of: count), rowAxis.end(of: (count - 1) / columns + 1))
      guard end <= .maximumCoordinate else { throw .contentTooLong(section: index) }
      let grid = PagedGrid(
        count: count, isHorizontal: scrollDirection == .horizontal,
        across: columnAxis, down: rowAxis)
      return (SectionStack.Frame(inset: scrollDirection.upright(inset)), grid)
    }
  }
}

/// The pages of one section: arithmetic, whatever their number.
private final class PagedGrid: SectionBody {
  /// The cells of a page along x, or along y; not turned.
  struct Axis {
    let count: Int
    let spacing: Length
    /// The page's own.
    let extent: Length
    let leading: Length
    let trailing: Length
    /// How far a cell reaches.
    let cellExtent: Length
    /// What the cells share.
    private let room: Length
    /// Where the first cells begin, which are all of them as a rule: a division each, otherwise
    /// made for each question.
    private var starts: [Length] = []
    /// The bytes that those take, unless another section counts them.
    private(set) var byteCount = 0

    private static let maximumStartCount = 64
    /// So few places take so little that not to count them for some of the sections that share them does no harm:
    /// who counts them may leave before the others do.
    private static let maximumUncountedCount = 8

    /// Divides a page.
    ///
    /// - Parameters:
    ///   - count: How many cells it has.
    ///   - spacing: Between them.
    ///   - extent: The page's own.
    ///   - leading: Before the first cell.
    ///   - trailing: Behind the last.
    ///   - before: Another section's: where that is the same, nothing is computed, and its places are shared.
    init(
      count: Int, spacing: Length, extent: Length, leading: Length, trailing: Length,
      after before: Axis?
    ) {
      if let before,
        (before.count, before.spacing, before.extent, before.leading, before.trailing)
          == (count, spacing, extent, leading, trailing)
      {
        self = before
        if starts.count <= Axis.maximumUncountedCount { byteCount = 0 }
        return
      }
      self.count = count
      self.spacing = spacing
      self.extent = extent
      self.leading = leading
      self.trailing = trailing
      room = max(0, extent - leading - trailing - spacing * (count - 1))
      cellExtent = room.scaled(by: 1, over: Int64(count))
      starts = (0..<min(count, Axis.maximumStartCount)).map(computedPosition)
      byteCount = starts.capacity * MemoryLayout<Length>.stride
    }

    /// Where the last of some cells ends, as many as there is place for.
    func end(of cellCount: Int) -> Length { position(min(count, cellCount) - 1) + cellExtent }

    /// Where a cell begins.
    func position(_ place: Int) -> Length {
      starts.indices.contains(place) ? starts[place] : computedPosition(place)
    }

    /// Divided once, so that errors never add up.
    private func computedPosition(_ place: Int) -> Length {
      leading + spacing * place + room.scaled(by: Int64(place), over: Int64(count))
    }

    /// The cells that share an extent with a part of the page.
    func places(from start: Length, to end: Length) -> Range<Int> {
      let cell = cellExtent
      guard cell > .zero, start < end else { return 0..<0 }
      return overlapping(count, of: cell, from: start, to: end) { position($0) }
    }
  }

  let count: Int
  let isHorizontal: Bool
  /// Along x.
  let across: Axis
  /// Along y.
  let down: Axis

  init(count: Int, isHorizontal: Bool, across: Axis, down: Axis) {
    self.count = count
    self.isHorizontal = isHorizontal
    self.across = across
    self.down = down
  }

  private var perPage: Int { across.count * down.count }
  private var pageCount: Int { (count - 1) / perPage + 1 }
  private var pageLength: Length { isHorizontal ? across.extent : down.extent }
  /// The insets are the stack's, before the first page and after the last.
  private var leading: Length { isHorizontal ? across.leading : down.leading }
  private var trailing: Length { isHorizontal ? across.trailing : down.trailing }

  var length: Length { pageLength * pageCount - leading - trailing }
  var byteCount: Int { across.byteCount + down.byteCount }

  func frame(of item: Int) -> Rect {
    let (page, row, column) = place(of: item)
    return frame(y: down.position(row), column: column, pageStart: start(ofPage: page))
  }

  private func place(of item: Int) -> (page: Int, row: Int, column: Int) {
    let (page, place) = item.quotientAndRemainder(dividingBy: perPage)
    let (row, column) = place.quotientAndRemainder(dividingBy: across.count)
    return (page, row, column)
  }

  private func start(ofPage page: Int) -> Length { pageLength * page - leading }

  /// Upright.
  private func frame(y: Length, column: Int, pageStart: Length) -> Rect {
    let x = across.position(column)
    let (width, height) = (across.cellExtent, down.cellExtent)
    return isHorizontal
      ? Rect(x: y, y: x + pageStart, width: height, height: width)
      : Rect(x: x, y: y + pageStart, width: width, height: height)
  }

  func forEachItem(in rect: Rect, from start: Int, _ body: (Int, Rect) -> Bool) -> Bool {
    forEachRun(in: rect, from: start) { items in
      // All of them are in one row.
      let (page, row, column) = place(of: items.lowerBound)
      let y = down.position(row)
      let pageStart = self.start(ofPage: page)
      for item in items.clamped(to: start..<max(start, count)) {
        let column = column + item - items.lowerBound
        guard body(item, frame(y: y, column: column, pageStart: pageStart)) else { return false }
      }
      return true
    }
  }

  func forEachRun(in rect: Rect, _ body: (Range<Int>, Rect?) -> Bool) -> Bool {
    forEachRun(in: rect, from: 0) { body($0, nil) }
  }

  /// Visits the items that share an area with a rectangle row by row, from the row with an item on; some that
  /// come before it in its row, too.
  private func forEachRun(in rect: Rect, from start: Int, _ body: (Range<Int>) -> Bool) -> Bool {
    guard !rect.isEmpty, pageLength > .zero, across.cellExtent > .zero, down.cellExtent > .zero
    else { return true }
    let top = rect.minY + leading
    let end = rect.maxY + leading
    let first = flooredQuotient((top - SectionStack.overhang).millionths, pageLength.millionths)
    // However many come before it, pages and rows are not gone through.
    let (startPage, startRow, _) = place(of: max(0, start))
    var page = max(startPage, Int(first))
    while page < pageCount, pageLength * page < end {
      let from = top - pageLength * page
      let to = end - pageLength * page
      let columns =
        isHorizontal
        ? across.places(from: from, to: to) : across.places(from: rect.minX, to: rect.maxX)
      let rows =
        isHorizontal
        ? down.places(from: rect.minX, to: rect.maxX) : down.places(from: from, to: to)
      // Beside the cells on one page, beside them on all.
      if isHorizontal ? rows.isEmpty : columns.isEmpty { return true }
      let firstRow = page == startPage ? startRow : 0
      for row in rows.clamped(to: firstRow..<max(firstRow, down.count)) {
        let first = page * perPage + row * across.count
        let items =
          ((first + columns.lowerBound)..<(first + columns.upperBound)).clamped(to: 0..<count)
        guard !items.isEmpty else { break }
        guard body(items) else { return false }
      }
      page += 1
    }
    return true
  }
}
