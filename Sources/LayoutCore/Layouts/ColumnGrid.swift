/// The columns of a waterfall section: where they lie, and how sizes are scaled to them; upright.
///
/// A section that has the same as the one before shares its grid.
final class ColumnGrid: Sendable {
  /// What there is to be divided, and how.
  struct Metrics: Equatable {
    /// How many columns, 1 … ``WaterfallLayout/maximumColumnCount``.
    var count: Int
    /// Where the first begins.
    var leading: Length
    /// The room for all.
    var available: Length
    /// Between two columns.
    var spacing: Length
    /// Around each item.
    var padding: Length
    /// Pixels per point: columns become whole pixels then.
    var displayScale: DisplayScale?
  }

  /// What the grid was made of.
  let metrics: Metrics
  /// Where each column's items begin, padding included; empty where there are so many that a table of
  /// them, in many sections, would take more memory than the items.
  private let positions: [Length]
  /// How wide items are.
  let itemWidth: Length
  private let room: Length
  /// An item's width as an exact fraction, so that scaling divides only once: without a display
  /// scale in millionths of a point over `count`; with one in pixels over its `length`.
  private let numerator: Int128
  /// An item's width in pixels, if lengths are rounded to them and it is a whole number: most
  /// divisions take 64 bits then, and a tenth of the time.
  let wholePixels: Int64?
  /// A column's width in pixels, if lengths are rounded to them.
  private let pixels: Int128

  /// So many positions are kept in a table.
  private static let tableSize = 64

  /// Divides the available room.
  init(_ metrics: Metrics) {
    self.metrics = metrics
    let (count, padding) = (metrics.count, metrics.padding)
    let room = max(0, metrics.available - metrics.spacing * (count - 1))
    self.room = room
    let width: Length
    let pixels: Int128
    if let displayScale = metrics.displayScale {
      pixels =
        Int128(displayScale.pixels) * Int128(room.millionths)
        / (Int128(displayScale.length) * Int128(count))
      width = Length(pixels: pixels, scale: displayScale)
      numerator = max(
        0,
        pixels * Int128(displayScale.length) - Int128(padding.millionths * 2)
          * Int128(displayScale.pixels))
      let (whole, rest) = numerator.quotientAndRemainder(dividingBy: Int128(displayScale.length))
      wholePixels = rest == 0 ? Int64(exactly: whole) : nil
    } else {
      pixels = 0
      width = room.scaled(by: 1, over: Int64(count))
      numerator = max(0, Int128(room.millionths) - Int128(padding.millionths * 2) * Int128(count))
      wholePixels = nil
    }
    self.pixels = pixels
    positions = (0..<(count <= ColumnGrid.tableSize ? count : 0)).map { column in
      ColumnGrid.position(column, metrics, room, pixels)
    }
    itemWidth = max(0, width - padding - padding)
  }

  /// How many columns.
  var count: Int { metrics.count }

  /// Where the items of a column end.
  func end(ofColumn column: Int) -> Length { position(column) + itemWidth }

  /// Around each item.
  var padding: Length { metrics.padding }

  /// From the end of an item to the place of the next in its column: paddings are parts of places.
  func spacing(_ interitemSpacing: Length) -> Length { padding + padding + interitemSpacing }

  /// Pixels per point.
  var displayScale: DisplayScale? { metrics.displayScale }

  /// Where a column's items begin, padding included.
  func position(_ column: Int) -> Length {
    column < positions.count
      ? positions[column]
      : ColumnGrid.position(column, metrics, room, pixels)
  }

  private static func position(
    _ column: Int, _ metrics: Metrics, _ room: Length, _ pixels: Int128
  ) -> Length {
    let start = metrics.leading + metrics.padding + metrics.spacing * column
    guard let displayScale = metrics.displayScale else {
      return start + room.scaled(by: Int64(column), over: Int64(metrics.count))
    }
    return start + Length(pixels: pixels * Int128(column), scale: displayScale)
  }

  /// An item's width in millionths times ``count``, unless lengths are rounded to pixels.
  var plainNumerator: Int64? { displayScale == nil ? Int64(exactly: numerator) : nil }

  /// The bytes that the grid takes on the heap.
  var byteCount: Int { 240 + positions.capacity * 8 }

  /// Whether it takes so little that not to count it for some of the sections that share it does no harm: who
  /// counts it may leave before the others do.
  var isShareable: Bool { count <= OrderedColumns.capacity }

  /// The length of an item whose size is scaled to the column.
  ///
  /// - Parameters:
  ///   - length: Its extent along the main axis.
  ///   - breadth: Its extent across.
  /// - Returns: The scaled length; 0 if either is 0.
  func length(scaling length: Length, over breadth: Length) -> Length {
    guard length > .zero, breadth > .zero else { return 0 }
    if let displayScale {
      if let wholePixels {
        let (product, overflow) = wholePixels.multipliedReportingOverflow(by: length.millionths)
        if !overflow {
          return Length(pixels: Int128(product / breadth.millionths), scale: displayScale)
        }
      }
      let pixels =
        numerator * Int128(length.millionths)
        / (Int128(displayScale.length) * Int128(breadth.millionths))
      return Length(pixels: pixels, scale: displayScale)
    }
    // Most products fit 64 bits, where a division costs a tenth.
    let divisor = Int128(breadth.millionths) * Int128(count)
    if let narrow = Int64(exactly: numerator), let narrowDivisor = Int64(exactly: divisor) {
      return length.scaled(by: narrow, over: narrowDivisor)
    }
    return Length(saturating: roundedQuotient(numerator * Int128(length.millionths), divisor))
  }

  /// What turns width divided by height into lengths of items.
  ///
  /// - Parameter direction: The main axis.
  /// - Returns: The scale.
  func aspectScale(_ direction: ScrollDirection) -> AspectScale {
    let breadth = numerator.nearestDouble
    return displayScale.map {
      AspectScale(pixels: breadth / Double($0.length), scale: $0, direction)
    }
      ?? AspectScale(breadth: breadth, over: Double(count), direction)
  }

  /// The columns that share a breadth with a rectangle.
  func columns(in rect: Rect) -> Range<Int> {
    guard itemWidth > .zero else { return 0..<0 }
    return overlapping(count, of: itemWidth, from: rect.minX, to: rect.maxX) { position($0) }
  }

  /// The frame of an item.
  ///
  /// - Parameters:
  ///   - column: Its column.
  ///   - start: Where its place in the column begins, padding included.
  ///   - length: Its own length.
  /// - Returns: The frame, upright.
  @inline(__always)
  func frame(column: Int, start: Length, length: Length) -> Rect {
    Rect(x: position(column), y: start + padding, width: itemWidth, height: length)
  }
}
