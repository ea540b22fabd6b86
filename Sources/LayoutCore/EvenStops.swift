/// As many stops as there are items, spread evenly from 0 over a way.
struct EvenStops: Sendable {
  /// The offset of the last.
  var way: Length
  /// How many, at least 1.
  var count: Int

  private var isOnePlace: Bool { count < 2 || way <= .zero }

  /// How far one is from the next, in points; nil where all are in one place.
  var step: Double? { isOnePlace ? nil : way.points / Double(count - 1) }

  /// Where a stop is.
  ///
  /// - Parameter number: 0 ..< count.
  /// - Returns: number · way / (count − 1), rounded once.
  func offset(of number: Int) -> Length {
    isOnePlace ? 0 : way.scaled(by: Int64(number), over: Int64(count - 1))
  }

  /// The offset that lies some stops, or a part of one, before a stop.
  ///
  /// - Parameters:
  ///   - number: 0 ..< count.
  ///   - stops: How many before it; behind it, if negative.
  /// - Returns: (number − stops) · way / (count − 1), rounded once.
  func offset(of number: Int, less stops: Double) -> Length {
    guard !isOnePlace else { return 0 }
    let last = Int128(count - 1)
    let (whole, left) = (Int128(number) * Int128(way.millionths)).quotientAndRemainder(
      dividingBy: last)
    let step = Double(way.millionths) / Double(count - 1)
    let rest = Double(left) / Double(count - 1) - stops * step
    return Length(millionths: Int64(clamping: whole)) + Length(rounding: rest / 1e6)
  }

  /// The stop that an offset goes to.
  ///
  /// Compared are rounded offsets, so that a stop goes to itself whatever the velocity.
  ///
  /// - Parameters:
  ///   - proposed: Any offset.
  ///   - velocity: Above 0 the next, below 0 the one before, 0 the nearest.
  /// - Returns: 0 ..< count.
  func number(at proposed: Length, velocity: Double) -> Int {
    guard !isOnePlace else { return 0 }
    let main = max(0, min(proposed, way))
    let scaled = Int128(main.millionths) * Int128(count - 1)
    if velocity == 0 { return Int(clamping: roundedQuotient(scaled, Int128(way.millionths))) }
    let lower = Int(clamping: scaled / Int128(way.millionths))
    let upper = min(lower + 1, count - 1)
    return velocity > 0
      ? (offset(of: lower) >= main ? lower : upper)
      : (offset(of: upper) <= main ? upper : lower)
  }
}
