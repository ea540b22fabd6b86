import CSimdjson

/// A simdjson parser, borrowed from the thread for as long as this value lives.
///
/// Parsers are kept one per thread and reused, so that a small body costs no allocation.
@safe struct JSONParser: ~Copyable {
  /// How deep arrays and objects may lie inside each other if nobody says otherwise.
  static let standardDepth = 32

  // Owned by this value from init to deinit; nil where there was no memory for one.
  private let parser: OpaquePointer?
  private let maximumDepth: Int

  /// Borrows a parser.
  ///
  /// - Parameter maximumDepth: How deep arrays and objects may lie inside each other; an empty
  ///   innermost one is not counted.
  init(maximumDepth: Int = standardDepth) {
    self.maximumDepth = maximumDepth
    unsafe parser = simdjson_parser_acquire()
  }

  deinit {
    if let parser = unsafe parser { unsafe simdjson_parser_release(parser) }
  }

  /// Parses one document.
  ///
  /// - Parameters:
  ///   - bytes: The whole document.
  ///   - padding: How many bytes after them are readable; with 64 or more nothing is copied.
  /// - Returns: The document, which lives until the next parse.
  /// - Throws: ``JSONError`` without a pointer where the bytes are not one JSON value in UTF-8.
  @_lifetime(&self, copy bytes)
  mutating func parse(
    _ bytes: Span<UInt8>, padding: Int = 0
  ) throws(JSONError) -> JSONDocument {
    let tape = try unsafe tape(bytes, padding: padding)
    // Safe: the parser owns both buffers and leaves them alone until it parses again or is
    // released; both need this value mutably or consumed, which the lifetime below forbids. Whoever
    // calls sees to it that the bytes outlive the document, by the lifetime that this function has.
    return unsafe _overrideLifetime(
      JSONDocument(
        tape: Span(_unsafeStart: tape.words, count: tape.wordCount),
        strings: RawSpan(_unsafeStart: tape.strings, byteCount: tape.stringCapacity),
        source: bytes, lifted: JSONLiftedText()),
      mutating: &self)
  }

  /// Parses what is left of a document, and notes on the tape where the rest is.
  ///
  /// - Parameters:
  ///   - skeleton: What is left.
  ///   - bytes: The whole document.
  ///   - windowSize: How many bytes of an array are parsed at once.
  /// - Returns: The document, which lives until the next parse.
  /// - Throws: ``JSONError`` where what is left is not one JSON value in UTF-8.
  @_lifetime(&self, borrow skeleton, copy bytes)
  mutating func parse(
    _ skeleton: borrowing JSONSkeleton, of bytes: Span<UInt8>, windowSize: Int
  ) throws(JSONError) -> JSONDocument {
    let count = skeleton.text.count - JSONSkeleton.padding
    let tape = try unsafe tape(
      skeleton.text.span.extracting(0..<count), padding: JSONSkeleton.padding)
    for array in skeleton.arrays {
      // Safe: C checks that an empty array is there.
      guard let parser = unsafe parser,
        unsafe simdjson_parser_lift(
          parser, array.index, array.elements.lowerBound, array.elements.count)
      else { throw JSONError(.malformed) }
    }
    // Safe: as above.
    return unsafe _overrideLifetime(
      JSONDocument(
        tape: Span(_unsafeStart: tape.words, count: tape.wordCount),
        strings: RawSpan(_unsafeStart: tape.strings, byteCount: tape.stringCapacity),
        source: skeleton.text.span.extracting(0..<count),
        lifted: JSONLiftedText(body: bytes, windowSize: windowSize)),
      mutating: &self)
  }

  /// What C hands over.
  @unsafe private struct Tape {
    let words: UnsafePointer<UInt64>
    let wordCount: Int
    let strings: UnsafePointer<UInt8>
    let stringCapacity: Int
  }

  private func tape(
    _ bytes: Span<UInt8>, padding: Int
  ) throws(JSONError) -> Tape {
    if bytes.isEmpty { throw JSONError(.empty) }
    guard let parser = unsafe parser else { throw JSONError(.outOfMemory) }
    // Safe: C only reads the bytes, during the call, and at most `padding` beyond their end; the
    // base of a span that is not empty is not nil.
    let tape = unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return unsafe simdjson_tape() }
      return unsafe simdjson_parser_parse(parser, base, buffer.count, padding, maximumDepth)
    }
    switch unsafe tape.status {
    case .ok: break
    case .empty: throw JSONError(.empty)
    case .malformed: throw JSONError(.malformed)
    case .too_deep: throw JSONError(.tooDeep(limit: maximumDepth))
    case .bad_utf8: throw JSONError(.badUTF8)
    case .bad_number: throw JSONError(.badNumber)
    case .too_long: throw JSONError(.tooLong)
    case .out_of_memory: throw JSONError(.outOfMemory)
    }
    guard let words = unsafe tape.words, let strings = unsafe tape.strings else {
      throw JSONError(.outOfMemory)
    }
    return unsafe Tape(
      words: words, wordCount: tape.word_count, strings: strings,
      stringCapacity: tape.string_capacity)
  }
}

/// Where the long arrays of a document are that are not on its tape.
struct JSONLiftedText: ~Escapable {
  /// The whole document; empty where nothing was taken out.
  let body: Span<UInt8>
  /// How many bytes of an array are parsed at once.
  let windowSize: Int

  @_lifetime(copy body)
  init(body: Span<UInt8>, windowSize: Int) {
    self.body = body
    self.windowSize = windowSize
  }

  @_lifetime(immortal)
  init() {
    body = Span()
    windowSize = 0
  }
}

/// A parsed document: simdjson's tape and its strings.
///
/// The tape is a sequence of 64-bit words, each with a type in its top 8 bits and a payload in the
/// others (https://github.com/simdjson/simdjson/blob/master/doc/tape.md). A place in the document
/// is the index of a word. All reading is bounds-checked.
struct JSONDocument: ~Escapable {
  private let tape: Span<UInt64>
  private let strings: RawSpan
  /// What the tape was made of.
  private let source: Span<UInt8>
  private let lifted: JSONLiftedText

  @_lifetime(copy tape, copy strings, copy source, copy lifted)
  fileprivate init(
    tape: Span<UInt64>, strings: RawSpan, source: Span<UInt8>, lifted: JSONLiftedText
  ) {
    self.tape = tape
    self.strings = strings
    self.source = source
    self.lifted = lifted
  }

  /// How many words the tape has, the one at its end included.
  var wordCount: Int { tape.count }

  /// The type at `index`.
  @inline(__always)
  func tag(at index: Int) -> JSONTag { JSONTag(rawValue: UInt8(tape[index] >> 56)) }

  /// The whole word at `index`.
  @inline(__always)
  func word(at index: Int) -> UInt64 { tape[index] }

  /// The integer whose tag is at `index`.
  @inline(__always)
  func integer(at index: Int) -> Int64 { Int64(bitPattern: tape[index + 1]) }

  /// The double whose tag is at `index`.
  @inline(__always)
  func double(at index: Int) -> Double { Double(bitPattern: tape[index + 1]) }

  /// The index after the value at `index`; for an array or object, after its end.
  @inline(__always)
  func index(after index: Int) -> Int {
    let word = tape[index]
    switch JSONTag(rawValue: UInt8(word >> 56)) {
    case .array, .object: return Int(word & 0xFFFF_FFFF)
    case .integer, .unsigned, .double, .lifted: return index + 2
    default: return index + 1
    }
  }

  /// The index after the word at `index`, or after both of a value that takes two; of an array or object,
  /// what is in it.
  func index(into index: Int) -> Int {
    switch tag(at: index) {
    case .integer, .unsigned, .double, .lifted: index + 2
    default: index + 1
    }
  }

  /// The elements of the array, or the members of the object, at `index`.
  ///
  /// - Complexity: O(1) up to 2^24 − 2 elements, where the tape's own count ends; then O(n).
  func count(at index: Int) -> Int {
    let count = Int(tape[index] >> 32 & 0xFF_FFFF)
    return count < 0xFF_FFFF ? count : walkedCount(at: index)
  }

  private func walkedCount(at index: Int) -> Int {
    let step = tag(at: index) == .object ? 1 : 0
    let end = self.index(after: index) - 1
    var count = 0
    var place = index + 1
    while place < end {
      place = self.index(after: place + step)
      count += 1
    }
    return count
  }

  /// The elements of the array at `index`, and where to cut them; nil where it is on the tape.
  @_lifetime(copy self)
  func liftedArray(at index: Int) -> JSONLiftedText? {
    guard tag(at: index) == .lifted else { return nil }
    let start = Int(tape[index] & 0xFFFF_FFFF_FFFF)
    let count = Int(truncatingIfNeeded: tape[index + 1])
    return JSONLiftedText(
      body: lifted.body.extracting(start..<start + count), windowSize: lifted.windowSize)
  }

  /// The number at `index` as the document writes it: the tape has the nearest double, which is not
  /// always all of it.
  ///
  /// - Returns: Its text; nil if it is not within the first mebibyte of the document without its long arrays:
  ///   a client could have many looked for, each past blanks or a string as long as a body may be.
  /// - Complexity: O(n) in the bytes before it, at most that mebibyte.
  @_lifetime(copy self)
  func numberText(at index: Int) -> Span<UInt8>? {
    let limit = 1 << 20
    // Each takes one or two words, and two bytes at least.
    guard index <= limit else { return nil }
    // The numbers are in the same order in both.
    var before = 0
    var word = 1
    while word < index {
      if isNumber(at: word) { before += 1 }
      word = self.index(into: word)
    }
    var number: Range<Int>?
    let head = source.extracting(first: limit)
    head.forEachNumber { range in
      if before == 0 { number = range }
      before -= 1
      return number == nil
    }
    guard let number else { return nil }
    // What reaches to the end of the head may go on behind it.
    guard number.upperBound < head.count || head.count == source.count else { return nil }
    return head.extracting(number)
  }

  /// Where a number is on the tape.
  ///
  /// - Parameter number: How many there are before it.
  /// - Returns: Its index; the end if there are not so many.
  /// - Complexity: O(n) in the values before it.
  func index(ofNumber number: Int) -> Int {
    var rest = number
    var word = 1
    while word < wordCount {
      if isNumber(at: word) {
        if rest == 0 { return word }
        rest -= 1
      }
      word = index(into: word)
    }
    return word
  }

  private func isNumber(at index: Int) -> Bool {
    switch tag(at: index) {
    case .integer, .unsigned, .double: true
    default: false
    }
  }

  /// The string or key at `index`.
  @inline(__always)
  @_lifetime(copy self)
  func text(at index: Int) -> JSONText {
    let start = Int(tape[index] & 0xFF_FFFF_FFFF_FFFF)
    // Safe: checked against the buffer's end, and all bit patterns are integers.
    let count = unsafe strings.unsafeLoadUnaligned(fromByteOffset: start, as: UInt32.self)
    return JSONText(strings: strings, start: start + 4, count: Int(count))
  }
}

/// The types on simdjson's tape; what is none of these is null.
struct JSONTag: RawRepresentable, Equatable {
  let rawValue: UInt8

  static var object: Self { Self(rawValue: UInt8(ascii: "{")) }
  static var array: Self { Self(rawValue: UInt8(ascii: "[")) }
  static var string: Self { Self(rawValue: UInt8(ascii: "\"")) }
  static var integer: Self { Self(rawValue: UInt8(ascii: "l")) }
  static var unsigned: Self { Self(rawValue: UInt8(ascii: "u")) }
  static var double: Self { Self(rawValue: UInt8(ascii: "d")) }
  static var yes: Self { Self(rawValue: UInt8(ascii: "t")) }
  static var no: Self { Self(rawValue: UInt8(ascii: "f")) }
  /// Not simdjson's: an array that was taken out before, see ``JSONSkeleton``.
  static var lifted: Self { Self(rawValue: UInt8(ascii: "A")) }
}

/// A string of a document, unescaped, in place.
struct JSONText: ~Escapable {
  private let strings: RawSpan
  private let start: Int
  /// The length in UTF-8 bytes.
  let count: Int

  @inline(__always)
  @_lifetime(copy strings)
  fileprivate init(strings: RawSpan, start: Int, count: Int) {
    self.strings = strings
    self.start = start
    self.count = count
  }

  /// The bytes.
  var bytes: RawSpan {
    @_lifetime(copy self)
    get { strings.extracting(start..<start + count) }
  }

  /// The first eight bytes, the first one lowest; zero where there are fewer.
  @inline(__always)
  var head: UInt64 {
    let word = word(at: start)
    return count >= 8 ? word : word & (1 << (UInt64(count) &* 8) &- 1)
  }

  /// The last eight bytes of a text that has as many, the last one highest; otherwise ``head``.
  @inline(__always)
  var tail: UInt64 { count >= 8 ? word(at: start + count - 8) : head }

  /// Whether this is the text whose UTF-8 is `other`.
  func isEqual(to other: [UInt8]) -> Bool { isEqual(to: other.span) }

  /// Whether this is a text.
  func isEqual(to text: StaticString) -> Bool {
    // Safe: a static string's bytes live as long as the process.
    unsafe isEqual(to: Span(_unsafeStart: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private func isEqual(to other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for place in other.indices where byte(at: place) != other[place] { return false }
    return true
  }

  /// A copy.
  var string: String {
    // Safe: the buffer is used during the call only.
    unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// Appends the bytes to `array`.
  func append(to array: inout [UInt8]) {
    // Safe: the buffer is used during the call only.
    unsafe bytes.withUnsafeBytes { unsafe array.append(contentsOf: $0) }
  }

  private func byte(at place: Int) -> UInt8 {
    // Safe: checked against the buffer's end, and all bit patterns are integers.
    unsafe strings.unsafeLoad(fromByteOffset: start + place, as: UInt8.self)
  }

  private func word(at place: Int) -> UInt64 {
    // Safe: as above; the buffer goes on for eight bytes after its last string.
    unsafe strings.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
  }
}
