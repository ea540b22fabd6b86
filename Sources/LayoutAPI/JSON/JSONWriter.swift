import HTTPMessages

/// Writes JSON for the wire: no white space, numbers as short as possible.
///
/// Every value is written with a comma after it, which the end of its array or object, or of the
/// text, takes back; so there is nothing to remember.
///
///     var writer = JSONWriter()
///     writer.beginObject()
///     writer.key("version")
///     writer.integer(3)
///     writer.raw("\"contentOffset\":{\"x\":")
///     writer.length(x)
///     writer.raw("\"y\":")
///     writer.length(y)
///     writer.endObject()
///     writer.endObject()
///     let body = writer.finish()
///
/// That the calls make a JSON text, with keys in objects and as many ends as beginnings, is the
/// caller's part.
@safe struct JSONWriter: ~Copyable {
  // Memory of the writer's own: an array would be asked at each write whether it is shared and where it
  // ends, which costs more than the write. Every write first makes room, and then stores no further than
  // that.
  private var memory: BodyMemory
  private var start: UnsafeMutableRawPointer
  private var count = 0
  private var capacity: Int
  private let digits = DigitTable.shared

  /// Makes a writer for about `capacity` bytes; it grows as needed.
  init(capacity: Int = 0) {
    memory = BodyMemory(capacity: max(capacity, 256))
    unsafe start = memory.start
    self.capacity = memory.capacity
  }

  /// What has been written.
  consuming func finish() -> [UInt8] {
    let length = byteCount
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length)
    // Safe: as many bytes have been written.
    unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: length))
    return bytes
  }

  /// What has been written, to be sent.
  ///
  /// - Parameters:
  ///   - tag: `ETag`; nil for none.
  ///   - isKept: Whether it will be sent again.
  /// - Returns: The content: where it was written, or in memory of its length if it is kept, or so long
  ///   that what else has been reserved counts. The server counts what bodies have that are under way.
  consuming func content(tag: HTTPEntityTag? = nil, isKept: Bool = false) -> HTTPContent {
    let length = byteCount
    let isRoomy = capacity > JSONWriter.roomyCapacity && capacity - length > length / 2
    if isKept || isRoomy {
      return HTTPContent(finish(), type: "application/json", tag: tag, isKept: isKept)
    }
    return HTTPContent(memory, byteCount: length, type: "application/json", tag: tag)
  }

  /// Up to here what is reserved and not used is not worth a copy.
  private static let roomyCapacity = 16 * 1024

  /// How much counts of what has been written.
  var byteCount: Int {
    // Else there is no last byte.
    count > 0 && last == UInt8(ascii: ",") ? count - 1 : count
  }

  // MARK: Structure

  mutating func beginObject() { put(UInt8(ascii: "{")) }

  mutating func endObject() { end(UInt8(ascii: "}")) }

  mutating func beginArray() { put(UInt8(ascii: "[")) }

  mutating func endArray() { end(UInt8(ascii: "]")) }

  /// Writes a member's key.
  ///
  /// - Precondition: `name` needs no escaping.
  @inline(__always)
  mutating func key(_ name: StaticString) {
    raw("\"")
    raw(name)
    raw("\":")
  }

  /// Writes a member's key that may need escaping.
  mutating func key(text: String) {
    string(text)
    count &-= 1
    put(UInt8(ascii: ":"))
  }

  /// Writes JSON as it is, several parts at once.
  ///
  /// - Precondition: `json` begins where a key or value may begin; if it ends with a value, it has
  ///   a comma after it.
  @inline(__always)
  mutating func raw(_ json: StaticString) {
    withRoom(texts: json.utf8CodeUnitCount, numbers: 0) { $0.text(json) }
  }

  // MARK: Values

  mutating func null() { raw("null,") }

  mutating func bool(_ value: Bool) {
    if value { raw("true,") } else { raw("false,") }
  }

  /// Writes a whole number.
  mutating func integer(_ value: Int) {
    withRoom(texts: 1, numbers: 1) { place in
      place.integer(value)
      place.text(",")
    }
  }

  /// Writes a length in points, given in millionths: at most six decimals, no trailing zeros.
  mutating func length(_ millionths: Int64) {
    withRoom(texts: 1, numbers: 1) { place in
      place.length(millionths)
      place.text(",")
    }
  }

  /// Writes bytes as they are.
  mutating func bytes(_ bytes: Span<UInt8>) { plain(bytes, bytes.indices) }

  /// Writes a value that is JSON already.
  mutating func json(_ value: Span<UInt8>) {
    plain(value, value.indices)
    put(UInt8(ascii: ","))
  }

  /// Writes a double as the shortest text that reads back equal; what is not finite as 0.
  ///
  /// JSON has no word for infinity, and nothing that a client sends may end the process.
  mutating func double(_ value: Double) {
    guard value.isFinite else { return integer(0) }
    // A decimal of at most 15 digits is the only one of its length that reads as its double; so
    // where value is one in millionths, no other text has fewer. Below, an exponent is shorter.
    if value == 0 || abs(value) >= 1e-3 && abs(value) < 1e9 {
      let millionths = roundedMillionths(value)
      if Double(millionths) / 1e6 == value { return length(millionths) }
    }
    var text = value.description
    if text.hasSuffix(".0") { text.removeLast(2) }
    plain(text)
  }

  /// Writes a text, escaped as RFC 8259 (section 7) demands and no further.
  mutating func string(_ text: String) { string(text.utf8Span.span) }

  /// Writes a text given in UTF-8.
  ///
  /// - Precondition: `utf8` is valid UTF-8; what a ``JSONDocument`` holds is.
  mutating func string(_ utf8: Span<UInt8>) {
    put(UInt8(ascii: "\""))
    var start = 0
    while start < utf8.count {
      // Stretches that need no escape are copied whole.
      var end = start
      while end < utf8.count, !Self.needsEscape(utf8[end]) { end &+= 1 }
      plain(utf8, start..<end)
      start = end
      if end < utf8.count {
        escape(utf8[end])
        start = end + 1
      }
    }
    raw("\",")
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): raw("\\\"")
    case UInt8(ascii: "\\"): raw("\\\\")
    case 0x08: raw("\\b")
    case 0x09: raw("\\t")
    case 0x0A: raw("\\n")
    case 0x0C: raw("\\f")
    case 0x0D: raw("\\r")
    default:
      raw("\\u00")
      put(UInt8(ascii: "0") + byte >> 4)
      put(byte & 15 < 10 ? UInt8(ascii: "0") + byte & 15 : UInt8(ascii: "a") + byte & 15 - 10)
    }
  }

  // MARK: Bytes

  /// A sign, 20 digits, a point, and what a store of eight bytes may write beyond.
  private static var numberRoom: Int { 32 }

  /// The byte written last.
  ///
  /// - Precondition: There is one.
  private var last: UInt8 {
    // Safe: it has been written.
    unsafe start.load(fromByteOffset: count - 1, as: UInt8.self)
  }

  /// Makes room for so many bytes.
  @inline(__always)
  mutating func makeRoom(for needed: Int) {
    if capacity &- count < needed { grow(by: needed) }
  }

  @inline(never)
  private mutating func grow(by needed: Int) {
    let grown = BodyMemory(capacity: max(capacity * 2, count + needed))
    // Safe: the new memory is at least as large as what is copied; the old one is not used again.
    unsafe grown.start.copyMemory(from: start, byteCount: count)
    unsafe start = grown.start
    capacity = grown.capacity
    memory = grown
  }

  @inline(__always)
  private mutating func put(_ byte: UInt8) {
    withRoom(texts: 1, numbers: 0) { $0.byte(byte) }
  }

  @inline(__always)
  private mutating func end(_ byte: UInt8) {
    if count > 0, last == UInt8(ascii: ",") { count &-= 1 }
    withRoom(texts: 2, numbers: 0) { place in
      place.byte(byte)
      place.byte(UInt8(ascii: ","))
    }
  }

  /// Writes a double's text, which has at most 24 bytes, none to escape.
  private mutating func plain(_ ascii: String) {
    let utf8 = ascii.utf8Span.span
    plain(utf8, utf8.indices)
    put(UInt8(ascii: ","))
  }

  /// Writes a part of a text as it is.
  private mutating func plain(_ utf8: Span<UInt8>, _ range: Range<Int>) {
    withRoom(texts: range.count, numbers: 0) { place in
      for index in range { place.byte(utf8[index]) }
    }
  }

  // MARK: Many values at once

  /// Writes values of which it is known how much room they take at most: with one look for it.
  ///
  /// For what answers mostly consist of; the texts have all the punctuation.
  ///
  ///     writer.withRoom(texts: 8, numbers: 1) { place in
  ///       place.text("{\"x\":")
  ///       place.length(1_500_000)
  ///       place.text("},")
  ///     }
  ///
  /// - Parameters:
  ///   - texts: How many bytes the texts have together, at most.
  ///   - numbers: How many numbers there are, at most.
  ///   - write: Writes them.
  @inline(__always)
  mutating func withRoom(texts: Int, numbers: Int, _ write: (inout Place) -> Void) {
    let room = texts &+ numbers &* Self.numberRoom
    makeRoom(for: room)
    // Safe: there is room from here on, as far as the place goes.
    var place = unsafe Place(start + count, end: start + count + room, digits)
    write(&place)
    count = unsafe place.here - start
  }

  /// Where in the writer's memory the next byte goes, with room for what will be written.
  @safe struct Place {
    fileprivate private(set) var here: UnsafeMutableRawPointer
    private let end: UnsafeMutableRawPointer
    private let digits: DigitTable

    fileprivate init(
      _ here: UnsafeMutableRawPointer, end: UnsafeMutableRawPointer, _ digits: DigitTable
    ) {
      unsafe self.here = here
      unsafe self.end = end
      self.digits = digits
    }

    /// Writes a text as it is.
    @inline(__always)
    mutating func text(_ text: StaticString) {
      let length = text.utf8CodeUnitCount
      // Safe: a static string is never freed and has that many bytes, for which there is room. Where
      // this is inlined the length is known, and the copy is a few stores.
      unsafe here.copyMemory(from: text.utf8Start, byteCount: length)
      move(by: length)
    }

    /// Writes a whole number.
    @inline(__always)
    mutating func integer(_ value: Int) {
      if value < 0 { byte(UInt8(ascii: "-")) }
      whole(UInt64(value.magnitude))
    }

    /// Writes a length in points, given in millionths: at most six decimals, no trailing zeros.
    @inline(__always)
    mutating func length(_ millionths: Int64) {
      if millionths < 0 { byte(UInt8(ascii: "-")) }
      let (points, rest) = millionths.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
      whole(points)
      if rest != 0 { fraction(rest) }
    }

    /// A point and up to six digits, without zeros at their end.
    @inline(__always)
    private mutating func fraction(_ millionths: UInt64) {
      let (first, last) = millionths.quotientAndRemainder(dividingBy: 1000)
      let group = digits[first]
      store(UInt32(UInt8(ascii: ".")) | group.text << 8)
      if last == 0 {
        move(by: 4 &- group.trailingZeros)
      } else {
        move(by: 4)
        let group = digits[last]
        store(group.text)
        move(by: 3 &- group.trailingZeros)
      }
    }

    /// A whole number without leading zeros.
    @inline(__always)
    private mutating func whole(_ value: UInt64) {
      if value < 1000 {
        first(value)
      } else if value < 1_000_000 {
        let (high, low) = value.quotientAndRemainder(dividingBy: 1000)
        first(high)
        group(low)
      } else if value < 1_000_000_000 {
        let (high, low) = value.quotientAndRemainder(dividingBy: 1_000_000)
        first(high)
        group(low / 1000)
        group(low % 1000)
      } else {
        unsafe here = long(value)
      }
    }

    @inline(never)
    private func long(_ value: UInt64) -> UnsafeMutableRawPointer {
      var place = self
      let (high, low) = value.quotientAndRemainder(dividingBy: 1_000_000)
      place.whole(high)
      place.group(low / 1000)
      place.group(low % 1000)
      return unsafe place.here
    }

    /// 1 to 3 digits.
    @inline(__always)
    private mutating func first(_ value: UInt64) {
      let group = digits[value]
      let zeros = group.leadingZeros
      store(group.text >> UInt32(truncatingIfNeeded: zeros &* 8))
      move(by: 3 &- zeros)
    }

    /// 3 digits.
    @inline(__always)
    private mutating func group(_ value: UInt64) {
      store(digits[value].text)
      move(by: 3)
    }

    @inline(__always)
    fileprivate mutating func byte(_ byte: UInt8) {
      // Safe: there is room.
      unsafe here.storeBytes(of: byte, as: UInt8.self)
      move(by: 1)
    }

    /// Stores four bytes, the lowest first, some of which may not count.
    @inline(__always)
    private mutating func store(_ word: UInt32) {
      // Safe: there is room for what a number may need and three bytes more.
      unsafe here.storeBytes(of: word.littleEndian, as: UInt32.self)
    }

    @inline(__always)
    private mutating func move(by count: Int) {
      unsafe here += count
      assert(unsafe here <= end, "more is written than there is room for")
    }
  }
}
