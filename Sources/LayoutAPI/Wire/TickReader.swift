import LayoutCore

private enum ScrollMember: Int, JSONName {
  case contentOffset, velocity, full
  static let names = JSONNames(of: Self.self)
}

/// What a scroll tick asks.
struct TickRequest: Equatable {
  var contentOffset: Point
  var isFull: Bool

  /// Reads any tick.
  init(_ value: JSONValue) throws(JSONError) {
    let object = try JSONObject<ScrollMember>(value)
    // Prefetching follows the offset; the velocity is checked, and free for later use.
    _ = try object[.velocity]?.velocity()
    contentOffset = try object.required(.contentOffset).point()
    isFull = try object[.full]?.bool() ?? false
  }

  /// Reads a tick as nearly all clients write it, at a sixth of what a parser costs.
  ///
  ///     {"contentOffset":{"x":0,"y":1234.5},"full":true}
  ///     {"contentOffset": {"x": 0, "y": 1234.4000244140625}, "velocity": {"x": 0, "y": 80}}
  ///
  /// The result is the parser's; nil for anything that is written another way, wrong or not: that is
  /// for the parser.
  ///
  /// - Parameter text: The body.
  init?(plain text: Span<UInt8>) {
    var scanner = Scanner(text: text)
    guard scanner.take("{\"contentOffset\":"), let offset = scanner.point() else { return nil }
    contentOffset = offset
    var full: Bool?
    var hasVelocity = false
    while scanner.take(",") {
      if full == nil, scanner.take("\"full\":") {
        full = scanner.take("true")
        if full == false, !scanner.take("false") { return nil }
      } else if !hasVelocity, scanner.take("\"velocity\":"), scanner.point() != nil {
        hasVelocity = true
      } else {
        return nil
      }
    }
    isFull = full ?? false
    guard scanner.take("}"), scanner.isAtEnd else { return nil }
  }

  /// Goes through a text from its start.
  private struct Scanner: ~Escapable {
    let text: Span<UInt8>
    var place = 0

    @_lifetime(copy text)
    init(text: Span<UInt8>) { self.text = text }

    /// Whether nothing follows but what ends lines.
    var isAtEnd: Bool {
      var end = place
      while end < text.count, text[end] == UInt8(ascii: "\n") || text[end] == UInt8(ascii: "\r") {
        end &+= 1
      }
      return end == text.count
    }

    /// Passes over a text that is here, in which a space may follow each colon and comma.
    @inline(__always)
    mutating func take(_ wanted: StaticString) -> Bool {
      let count = wanted.utf8CodeUnitCount
      // Safe: a static string is never freed and has that many bytes.
      let bytes = unsafe UnsafeBufferPointer(start: wanted.utf8Start, count: count)
      // As nearly all write it; where a space follows the last byte, the rest has to look closer.
      if unsafe text.has(bytes, at: place), peek(count) != UInt8(ascii: " ") {
        place &+= count
        return true
      }
      return takeSpaced(unsafe Span(_unsafeElements: bytes))
    }

    /// The same, byte by byte.
    private mutating func takeSpaced(_ wanted: Span<UInt8>) -> Bool {
      var next = place
      var index = 0
      while index < wanted.count {
        let byte = wanted[index]
        guard next < text.count, text[next] == byte else { return false }
        next &+= 1
        index &+= 1
        if byte == UInt8(ascii: ":") || byte == UInt8(ascii: ","), next < text.count,
          text[next] == UInt8(ascii: " ")
        {
          next &+= 1
        }
      }
      place = next
      return true
    }

    /// A point, or a velocity.
    mutating func point() -> Point? {
      guard take("{\"x\":"), let x = length(), take(",\"y\":"), let y = length(), take("}") else {
        return nil
      }
      return Point(x: x, y: y)
    }

    /// A number of at most nine digits before its point and six after it, or of six and any number.
    ///
    /// As far as that a Double is finer than a millionth, so that the parser reads the same.
    mutating func length() -> Length? {
      let isNegative = peek == UInt8(ascii: "-")
      if isNegative { place &+= 1 }
      let start = place
      var whole: Int64 = 0
      while let digit = digit(), place &- start < 10 {
        whole = whole &* 10 &+ digit
        place &+= 1
      }
      let count = place &- start
      // No zeros in front: those are no JSON.
      guard count > 0, count <= 9, count == 1 || text[start] != UInt8(ascii: "0") else {
        return nil
      }
      var millionths = whole &* 1_000_000
      if peek == UInt8(ascii: ".") {
        place &+= 1
        var unit: Int64 = 100_000
        guard digit() != nil else { return nil }
        while let digit = digit() {
          guard unit > 0 else {
            guard count <= 6, let rounding = rounding() else { return nil }
            millionths &+= rounding
            break
          }
          millionths &+= unit &* digit
          unit /= 10
          place &+= 1
        }
      }
      // An exponent, or anything else, ends the attempt at the next text that is taken.
      return Length(millionths: isNegative ? 0 &- millionths : millionths)
    }

    /// Passes over the digits behind the sixth: 0 if they round down, 1 if they round up.
    private mutating func rounding() -> Int64? {
      var rest: UInt64 = 0
      var unit: UInt64 = 100_000
      while let digit = digit() {
        rest &+= unit &* UInt64(digit)
        unit /= 10
        place &+= 1
      }
      return plainRounding(ofMillionths: rest)
    }

    private var peek: UInt8 { peek(0) }

    /// The byte so far ahead; 0 behind the end.
    private func peek(_ ahead: Int) -> UInt8 {
      place &+ ahead < text.count ? text[place &+ ahead] : 0
    }

    private func digit() -> Int64? {
      let digit = peek &- UInt8(ascii: "0")
      return digit < 10 ? Int64(digit) : nil
    }
  }
}
