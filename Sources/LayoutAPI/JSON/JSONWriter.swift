/// Writes JSON for the wire: no white space, numbers as short as possible.
///
/// Every value is written with a comma after it, which the end of its array or object, or
/// ``finish()``, takes back; so there is nothing to remember.
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
struct JSONWriter: ~Copyable {
  // What is being written goes to a chunk that lies in the writer itself: an array would be asked
  // at each write whether it is shared, which costs more than the write.
  private typealias Chunk = InlineArray<4096, UInt8>

  private var chunk = Chunk(repeating: 0)
  // How many bytes of the chunk are written.
  private var count = 0
  // What was written before. The byte written last is always in the chunk, for its comma.
  private var flushed: [UInt8] = []

  /// Makes a writer for about `capacity` bytes; it grows as needed.
  init(capacity: Int = 0) {
    if capacity > Self.chunkSize { flushed.reserveCapacity(capacity) }
  }

  /// What has been written.
  consuming func finish() -> [UInt8] {
    if count > 0, chunk[count - 1] == UInt8(ascii: ",") { count -= 1 }
    flush(count)
    return flushed
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
    makeRoom(for: name.utf8CodeUnitCount + 3)
    chunk[count] = UInt8(ascii: "\"")
    Self.copy(name, to: &chunk, at: count + 1)
    count += name.utf8CodeUnitCount + 3
    chunk[count - 2] = UInt8(ascii: "\"")
    chunk[count - 1] = UInt8(ascii: ":")
  }

  /// Writes JSON as it is, several parts at once.
  ///
  /// - Precondition: `json` begins where a key or value may begin; if it ends with a value, it has
  ///   a comma after it.
  @inline(__always)
  mutating func raw(_ json: StaticString) {
    makeRoom(for: json.utf8CodeUnitCount)
    Self.copy(json, to: &chunk, at: count)
    count += json.utf8CodeUnitCount
  }

  // MARK: Values

  mutating func null() { raw("null,") }

  mutating func bool(_ value: Bool) {
    if value { raw("true,") } else { raw("false,") }
  }

  /// Writes a whole number.
  mutating func integer(_ value: Int) {
    makeRoom(for: Self.numberRoom)
    count = Self.put(Int64(value), decimals: false, into: &chunk, at: count)
  }

  /// Writes a length in points, given in millionths: at most six decimals, no trailing zeros.
  mutating func length(_ millionths: Int64) {
    makeRoom(for: Self.numberRoom)
    count = Self.put(millionths, decimals: true, into: &chunk, at: count)
  }

  /// Writes a value that is JSON already.
  mutating func json(_ value: [UInt8]) {
    for byte in value { put(byte) }
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
    // Stretches that need no escape are copied with one check for room.
    while start < utf8.count {
      let limit = min(utf8.count, start + 256)
      makeRoom(for: limit - start)
      let end = Self.copyPlain(utf8, start..<limit, to: &chunk, at: count)
      count += end - start
      start = end
      if end < limit {
        escape(utf8[end])
        start += 1
      }
    }
    raw("\",")
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

  /// A sign, 20 digits, a point, a comma, and what a store of eight bytes may write beyond.
  private static var numberRoom: Int { 40 }

  private static var chunkSize: Int { Chunk.count }

  @inline(__always)
  private mutating func makeRoom(for needed: Int) {
    if count > Self.chunkSize - needed { flush(count - 1) }
  }

  /// Moves the first `length` bytes of the chunk out of it.
  @inline(never)
  private mutating func flush(_ length: Int) {
    flushed.append(addingCapacity: length) { (output) in
      for place in 0..<length { output.append(chunk[place]) }
    }
    for place in length..<count { chunk[place - length] = chunk[place] }
    count -= length
  }

  @inline(__always)
  private mutating func put(_ byte: UInt8) {
    makeRoom(for: 1)
    chunk[count] = byte
    count += 1
  }

  @inline(__always)
  private mutating func end(_ byte: UInt8) {
    makeRoom(for: 2)
    if chunk[count - 1] == UInt8(ascii: ",") { count -= 1 }
    chunk[count] = byte
    chunk[count + 1] = UInt8(ascii: ",")
    count += 2
  }

  /// Writes a double's text, which has at most 24 bytes, none to escape.
  private mutating func plain(_ ascii: String) {
    makeRoom(for: 32)
    let utf8 = ascii.utf8Span.span
    count = count + Self.copyPlain(utf8, utf8.indices, to: &chunk, at: count)
    put(UInt8(ascii: ","))
  }

  @inline(__always)
  private static func copy(_ string: StaticString, to chunk: inout Chunk, at start: Int) {
    let length = string.utf8CodeUnitCount
    // Safe: a static string is never freed and has that many bytes.
    let source = unsafe Span(_unsafeStart: string.utf8Start, count: length)
    var text = chunk.mutableSpan
    // One check here; with the length known where this is inlined, the rest is a few stores.
    var target = text._mutatingExtracting(start..<start + length)
    for place in 0..<length { target[place] = source[place] }
  }

  /// Copies up to the first byte that needs an escape; returns its place.
  private static func copyPlain(
    _ utf8: Span<UInt8>, _ range: Range<Int>, to chunk: inout Chunk, at count: Int
  ) -> Int {
    var text = chunk.mutableSpan
    var place = count
    for source in range {
      let byte = utf8[source]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return source }
      text[place] = byte
      place += 1
    }
    return range.upperBound
  }

  /// Writes a number, in millionths if it has decimals; returns the place after it.
  @inline(__always)
  private static func put(
    _ value: Int64, decimals: Bool, into chunk: inout Chunk, at start: Int
  ) -> Int {
    var text = chunk.mutableSpan
    // Safe: only integers are stored, and every store is checked against the end.
    var out = unsafe text.mutableBytes
    var place = start
    let magnitude = value.magnitude
    let whole = decimals ? magnitude / 1_000_000 : magnitude
    if value < 0 {
      put(UInt8(ascii: "-"), &out, place)
      place &+= 1
    }
    place = putWhole(whole, &out, place)
    let fraction = decimals ? magnitude &- whole &* 1_000_000 : 0
    if fraction != 0 {
      put(UInt8(ascii: "."), &out, place)
      // The six digits and two zeros more.
      let digits = DecimalDigits(UInt32(truncatingIfNeeded: fraction) &* 100)
      put(digits.text, &out, place &+ 1)
      place &+= 9 &- digits.trailingZeros
    }
    put(UInt8(ascii: ","), &out, place)
    return place &+ 1
  }

  @inline(__always)
  private static func put(_ byte: UInt8, _ out: inout MutableRawSpan, _ place: Int) {
    out.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
  }

  /// Stores eight bytes, the lowest first.
  @inline(__always)
  private static func put(_ word: UInt64, _ out: inout MutableRawSpan, _ place: Int) {
    out.storeBytes(of: word.littleEndian, toByteOffset: place, as: UInt64.self)
  }

  /// Writes a whole number without leading zeros; returns the place after it.
  @inline(__always)
  private static func putWhole(_ value: UInt64, _ out: inout MutableRawSpan, _ place: Int) -> Int {
    if value < 10 {
      put(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value), &out, place)
      return place &+ 1
    }
    return value < 100_000_000 ? putFirst(value, &out, place) : putLong(value, &out, place)
  }

  @inline(never)
  private static func putLong(_ value: UInt64, _ out: inout MutableRawSpan, _ start: Int) -> Int {
    let (upper, lower) = value.quotientAndRemainder(dividingBy: 100_000_000)
    let place = putWhole(upper, &out, start)
    put(DecimalDigits(UInt32(truncatingIfNeeded: lower)).text, &out, place)
    return place &+ 8
  }

  /// Writes 1 to 8 digits.
  @inline(__always)
  private static func putFirst(_ value: UInt64, _ out: inout MutableRawSpan, _ place: Int) -> Int {
    let digits = DecimalDigits(UInt32(truncatingIfNeeded: value))
    // Counted by comparison, so that what comes next need not wait for the digits.
    let length = DecimalDigits.count(UInt32(truncatingIfNeeded: value))
    put(digits.text >> (UInt64(8 &- length) &* 8), &out, place)
    return place &+ length
  }
}
