/// A distance, coordinate or offset in whole millionths of a point.
///
/// Whole numbers make sums exact: the same content gives the same numbers to the last digit,
/// whatever was added in which order. Addition and subtraction saturate at the ends of `Int64`
/// instead of trapping, so that no input can end the process; results beyond
/// ``Length/maximumCoordinate`` are refused where a layout is prepared.
public struct Length: Hashable, Comparable, Sendable {
  /// The value in millionths of a point.
  public var millionths: Int64

  /// Makes a length.
  ///
  /// - Parameter millionths: The value in millionths of a point.
  @inlinable
  public init(millionths: Int64) { self.millionths = millionths }

  /// Makes a length of whole points; saturates.
  ///
  /// - Parameter points: The value in points.
  @inlinable
  public init(points: Int) {
    let (value, overflow) = Int64(points).multipliedReportingOverflow(by: Length.millionthsPerPoint)
    self.init(millionths: overflow ? (points < 0 ? .min : .max) : value)
  }

  /// Makes a length of points, rounded half away from zero; saturates, and is zero for NaN.
  ///
  /// - Parameter points: The value in points.
  @inlinable
  public init(rounding points: Double) {
    let whole = points.rounded(.towardZero)
    // The fraction is exact, so that large coordinates keep all the digits a Double has.
    let fraction = ((points - whole) * 1e6).rounded(.toNearestOrAwayFromZero)
    guard let wholePoints = Int64(exactly: whole), let rest = Int64(exactly: fraction) else {
      self.init(millionths: points > 0 ? .max : points < 0 ? .min : 0)
      return
    }
    self = Length(points: Int(wholePoints)) + Length(millionths: rest)
  }

  /// The value in points, as near as a Double comes.
  @inlinable
  public var points: Double { Double(millionths) / 1e6 }

  /// A million: how many millionths a point has.
  public static var millionthsPerPoint: Int64 { 1_000_000 }

  /// Nothing.
  public static var zero: Length { Length(millionths: 0) }

  /// The largest coordinate that a layout may reach: 9·10¹² points.
  public static var maximumCoordinate: Length { Length(millionths: 9_000_000_000_000_000_000) }

  /// The largest size, inset or spacing that is taken: 10⁹ points.
  public static var maximumExtent: Length { Length(millionths: 1_000_000_000_000_000) }

  /// Whether one is shorter.
  @inlinable
  public static func < (left: Length, right: Length) -> Bool { left.millionths < right.millionths }

  /// The sum; saturates.
  @inlinable
  public static func + (left: Length, right: Length) -> Length {
    let (sum, overflow) = left.millionths.addingReportingOverflow(right.millionths)
    return Length(millionths: overflow ? (right.millionths < 0 ? .min : .max) : sum)
  }

  /// The difference; saturates.
  @inlinable
  public static func - (left: Length, right: Length) -> Length {
    let (difference, overflow) = left.millionths.subtractingReportingOverflow(right.millionths)
    return Length(millionths: overflow ? (right.millionths > 0 ? .min : .max) : difference)
  }

  /// The product; saturates.
  @inlinable
  public static func * (length: Length, factor: Int) -> Length {
    let (product, overflow) = length.millionths.multipliedReportingOverflow(by: Int64(factor))
    let negative = (length.millionths < 0) != (factor < 0)
    return Length(millionths: overflow ? (negative ? .min : .max) : product)
  }

  /// The opposite; saturates.
  @inlinable
  public static prefix func - (length: Length) -> Length { .zero - length }

  /// Adds; saturates.
  @inlinable
  public static func += (left: inout Length, right: Length) { left = left + right }

  /// Subtracts; saturates.
  @inlinable
  public static func -= (left: inout Length, right: Length) { left = left - right }

  /// `self · numerator / denominator`, exact until it is rounded half away from zero, once.
  ///
  /// - Parameters:
  ///   - numerator: The factor.
  ///   - denominator: The divisor, not 0.
  /// - Returns: The rounded fraction; saturated.
  @inlinable
  public func scaled(by numerator: Int64, over denominator: Int64) -> Length {
    // Nearly all products fit 64 bits, where a division costs a tenth.
    let (product, overflow) = millionths.multipliedReportingOverflow(by: numerator)
    if !overflow { return Length(millionths: roundedQuotient(product, denominator)) }
    return Length(
      saturating: roundedQuotient(Int128(millionths) * Int128(numerator), Int128(denominator)))
  }

  /// The nearest whole pixel, half away from zero.
  ///
  /// - Parameter scale: Pixels per point.
  /// - Returns: That pixel in points.
  public func rounded(toScale scale: DisplayScale) -> Length {
    // Up to some millions of points 64 bits are enough, where a division costs a tenth, and less by a number that
    // is known beforehand, which that of nearly all scales is.
    let (product, overflow) = millionths.multipliedReportingOverflow(by: scale.pixels)
    let pixels =
      overflow
      ? roundedQuotient(Int128(millionths) * Int128(scale.pixels), Int128(scale.length))
      : scale.length == Length.trillion
        ? Int128(roundedQuotient(product, Length.trillion))
        : Int128(roundedQuotient(product, scale.length))
    return Length(pixels: pixels, scale: scale)
  }

  /// Takes whole pixels; saturates.
  ///
  /// - Parameters:
  ///   - pixels: How many; 10¹² times as many fit 128 bits.
  ///   - scale: Pixels per point.
  init(pixels: Int128, scale: DisplayScale) {
    if let narrow = Int64(exactly: pixels) {
      let (product, overflow) = narrow.multipliedReportingOverflow(by: scale.length)
      if !overflow {
        self.init(millionths: roundedQuotient(product, scale.pixels))
        return
      }
    }
    self.init(saturating: roundedQuotient(pixels * Int128(scale.length), Int128(scale.pixels)))
  }

  /// A million squared: what millionths of pixels per point, times millionths, come to.
  static var trillion: Int64 { 1_000_000_000_000 }

  /// Half of it, rounded half away from zero.
  @inlinable
  public var halved: Length {
    Length(millionths: millionths / 2 + millionths % 2)
  }

  /// Takes a wide whole number of millionths; saturates.
  ///
  /// - Parameter millionths: The value in millionths of a point.
  @inlinable
  public init(saturating millionths: Int128) {
    self.init(millionths: Int64(clamping: millionths))
  }
}

extension Length: ExpressibleByIntegerLiteral {
  /// Whole points.
  @inlinable
  public init(integerLiteral points: Int) { self.init(points: points) }
}

/// A place in the content: origin at the top left, y down.
public struct Point: Hashable, Sendable {
  /// The distance from the left edge.
  public var x: Length
  /// The distance from the top edge.
  public var y: Length

  /// Makes a point.
  ///
  /// - Parameters:
  ///   - x: The distance from the left edge.
  ///   - y: The distance from the top edge.
  @inlinable
  public init(x: Length, y: Length) {
    self.x = x
    self.y = y
  }

  /// The origin.
  public static var zero: Point { Point(x: 0, y: 0) }

  /// The same with x and y exchanged.
  @inlinable
  public var transposed: Point { Point(x: y, y: x) }
}

/// A width and a height, neither negative.
public struct Size: Hashable, Sendable {
  /// The horizontal extent.
  public var width: Length
  /// The vertical extent.
  public var height: Length

  /// Makes a size.
  ///
  /// - Parameters:
  ///   - width: The horizontal extent.
  ///   - height: The vertical extent.
  @inlinable
  public init(width: Length, height: Length) {
    self.width = width
    self.height = height
  }

  /// Nothing.
  public static var zero: Size { Size(width: 0, height: 0) }

  /// The same with width and height exchanged.
  @inlinable
  public var transposed: Size { Size(width: height, height: width) }
}

/// A rectangle; half open, as every range here.
public struct Rect: Hashable, Sendable {
  /// The top left corner.
  public var origin: Point
  /// The extent.
  public var size: Size

  /// Makes a rectangle.
  ///
  /// - Parameters:
  ///   - origin: The top left corner.
  ///   - size: The extent.
  @inlinable
  public init(origin: Point, size: Size) {
    self.origin = origin
    self.size = size
  }

  /// Makes a rectangle.
  ///
  /// - Parameters:
  ///   - x: The left edge.
  ///   - y: The top edge.
  ///   - width: The horizontal extent.
  ///   - height: The vertical extent.
  @inlinable
  public init(x: Length, y: Length, width: Length, height: Length) {
    self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
  }

  /// The left edge.
  @inlinable
  public var minX: Length { origin.x }
  /// The top edge.
  @inlinable
  public var minY: Length { origin.y }
  /// The right edge.
  @inlinable
  public var maxX: Length { origin.x + size.width }
  /// The bottom edge.
  @inlinable
  public var maxY: Length { origin.y + size.height }
  /// The horizontal extent.
  @inlinable
  public var width: Length { size.width }
  /// The vertical extent.
  @inlinable
  public var height: Length { size.height }

  /// Whether there is nothing inside.
  @inlinable
  public var isEmpty: Bool { size.width <= .zero || size.height <= .zero }

  /// Whether the two share more than an edge; an empty rectangle shares nothing.
  ///
  /// - Parameter other: The other rectangle.
  /// - Returns: Whether there is an area that is in both.
  @inlinable
  public func overlaps(_ other: Rect) -> Bool {
    !isEmpty && !other.isEmpty
      && minX < other.maxX && other.minX < maxX && minY < other.maxY && other.minY < maxY
  }

  /// Moved along the main axis; upright.
  @inline(__always)
  func offset(by main: Length) -> Rect {
    Rect(origin: Point(x: minX, y: minY + main), size: size)
  }

  /// Whether the two share a part of the cross axis; both upright.
  func sharesExtentAcross(with other: Rect) -> Bool {
    size.width > .zero && minX < other.maxX && other.minX < maxX
  }

  /// Where a size begins that is centred in the rectangle, rounded once.
  func originOfCentered(_ inner: Size) -> Point {
    func start(_ start: Length, _ extent: Length, _ inner: Length) -> Length {
      let doubled =
        Int128(start.millionths) * 2 + Int128(extent.millionths) - Int128(inner.millionths)
      return Length(saturating: roundedQuotient(doubled, 2))
    }
    return Point(x: start(minX, width, inner.width), y: start(minY, height, inner.height))
  }

  /// The same with its edges on whole pixels.
  ///
  /// Edges are rounded, not sizes, so that no gap opens or closes between neighbours.
  ///
  /// - Parameter scale: Pixels per point.
  /// - Returns: The rounded rectangle.
  public func rounded(toScale scale: DisplayScale) -> Rect {
    let minX = minX.rounded(toScale: scale)
    let minY = minY.rounded(toScale: scale)
    return Rect(
      x: minX, y: minY, width: maxX.rounded(toScale: scale) - minX,
      height: maxY.rounded(toScale: scale) - minY)
  }

  /// The same with x and y, width and height exchanged.
  @inlinable
  public var transposed: Rect { Rect(origin: origin.transposed, size: size.transposed) }
}

/// Distances from the edges of a rectangle inwards, none negative.
public struct EdgeInsets: Hashable, Sendable {
  /// From the top.
  public var top: Length
  /// From the left.
  public var left: Length
  /// From the bottom.
  public var bottom: Length
  /// From the right.
  public var right: Length

  /// Makes insets.
  ///
  /// - Parameters:
  ///   - top: From the top.
  ///   - left: From the left.
  ///   - bottom: From the bottom.
  ///   - right: From the right.
  @inlinable
  public init(top: Length, left: Length, bottom: Length, right: Length) {
    self.top = top
    self.left = left
    self.bottom = bottom
    self.right = right
  }

  /// None.
  public static var zero: EdgeInsets { EdgeInsets(top: 0, left: 0, bottom: 0, right: 0) }

  /// The same with top and left, bottom and right exchanged.
  @inlinable
  public var transposed: EdgeInsets {
    EdgeInsets(top: left, left: top, bottom: right, right: bottom)
  }
}
