/// The quotient rounded half away from zero, the contract's only rounding.
///
/// - Parameters:
///   - numerator: Any number; not the least there is, if the denominator is −1.
///   - denominator: Not 0.
/// - Returns: The nearest whole number.
@inlinable
public func roundedQuotient<T: FixedWidthInteger & SignedInteger>(
  _ numerator: T, _ denominator: T
) -> T {
  let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
  guard remainder != 0 else { return quotient }
  // Compared without doubling, which could overflow.
  let rounds = remainder.magnitude >= denominator.magnitude - remainder.magnitude
  guard rounds else { return quotient }
  return (numerator < 0) == (denominator < 0) ? quotient + 1 : quotient - 1
}

/// The quotient rounded towards minus infinity.
///
/// - Parameters:
///   - numerator: Any number.
///   - denominator: Positive.
/// - Returns: The greatest whole number that is not above the fraction.
func flooredQuotient<T: FixedWidthInteger & SignedInteger>(
  _ numerator: T, _ denominator: T
) -> T {
  let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
  return remainder < 0 ? quotient - 1 : quotient
}

extension UInt128 {
  /// The nearest double; of two as near the even one.
  ///
  /// The library's own conversion takes a third of a microsecond, and is asked for each cell of an effect and
  /// for each item of an aspect ratio.
  var nearestDouble: Double {
    // As many of the highest bits as fit a word are more than a double keeps: of all others only whether
    // there are any tells which way to round.
    let shift = Swift.max(0, 64 - leadingZeroBitCount)
    let highest = UInt64(truncatingIfNeeded: self >> UInt128(shift))
    let isExact = self == UInt128(highest) << UInt128(shift)
    // 2 to the power of the shift.
    let scale = Double(bitPattern: UInt64(1023 + shift) << 52)
    return Double(isExact ? highest : highest | 1) * scale
  }
}

extension Int128 {
  /// The nearest double; of two as near the even one.
  var nearestDouble: Double { self < 0 ? -magnitude.nearestDouble : magnitude.nearestDouble }
}
