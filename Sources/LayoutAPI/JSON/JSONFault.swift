/// Where a text ceases to be JSON, and what stands there: what simdjson does not say.
///
///     the body is not well-formed JSON, line 1, column 14: expected a name in double quotes, found '
struct JSONFault: Equatable {
  /// The place, what should be there, and what is.
  let detail: String

  /// The JSON pointer to the value that is none, or to the array or object that goes wrong.
  let pointer: String

  /// Looks for the first fault.
  ///
  /// Returns nil where there is none, or where it is none of the text: too deep, or too large a number.
  ///
  /// - Parameters:
  ///   - text: What a parser has refused.
  ///   - maximumDepth: How deep arrays and objects may lie inside each other.
  /// - Complexity: O(n); for refusals only.
  init?(in text: Span<UInt8>, maximumDepth: Int) {
    // What ends before a byte that is no character ends too early: unless it is wrong sooner.
    let end = text.firstBadUTF8 ?? text.count
    var search = JSONFaultSearch(text.extracting(0..<end), maximumDepth: maximumDepth)
    guard let fault = search.run() ?? (end < text.count ? (end, "UTF-8") : nil) else { return nil }
    let isBadUTF8 = fault.place == end && end < text.count
    detail =
      "\(text.position(fault.place)): expected \(isBadUTF8 ? "UTF-8" : fault.expected), "
      + "found \(text.token(fault.place))"
    pointer = search.pointer
  }
}

/// One pass through a text, which knows what is open.
private struct JSONFaultSearch: ~Escapable {
  typealias Fault = (place: Int, expected: String)

  /// An array or an object that has begun.
  private struct Container {
    let isObject: Bool
    /// How many elements or members are behind.
    var count = 0
    /// The last member's name, without quotes.
    var name = 0..<0
  }

  private let text: Span<UInt8>
  private let maximumDepth: Int
  private var place = 0
  private var open: [Container] = []
  /// Whether what is expected belongs to a value, rather than to what is around values.
  private var isInValue = true

  @_lifetime(copy text)
  init(_ text: Span<UInt8>, maximumDepth: Int) {
    self.text = text
    self.maximumDepth = maximumDepth
  }

  private func has(_ character: Unicode.Scalar) -> Bool {
    place < text.count && text[place] == UInt8(ascii: character)
  }

  private mutating func skipSpace() {
    while has(" ") || has("\n") || has("\r") || has("\t") { place += 1 }
  }

  /// Goes on to the first fault.
  mutating func run() -> Fault? {
    while true {
      skipSpace()
      isInValue = true
      if has("{") || has("[") {
        let isObject = has("{")
        place += 1
        skipSpace()
        if !has(isObject ? "}" : "]") {
          open.append(Container(isObject: isObject))
          if open.count > maximumDepth { return nil }
          if isObject, let fault = name() { return fault }
          continue
        }
        place += 1
      } else if let fault = scalar() {
        return fault
      }
      // A value has ended, and with it perhaps what it was in.
      isInValue = false
      while true {
        skipSpace()
        guard let last = open.last else { return place < text.count ? (place, "the end") : nil }
        if has(",") { break }
        guard has(last.isObject ? "}" : "]") else {
          return (place, last.isObject ? "a comma or }" : "a comma or ]")
        }
        place += 1
        open.removeLast()
      }
      place += 1
      open[open.count - 1].count += 1
      if open[open.count - 1].isObject, let fault = name() { return fault }
    }
  }

  /// A member's name and the colon after it.
  private mutating func name() -> Fault? {
    isInValue = false
    skipSpace()
    guard has("\"") else { return (place, "a name in double quotes") }
    let start = place + 1
    if let fault = string() { return fault }
    open[open.count - 1].name = start..<place - 1
    skipSpace()
    guard has(":") else { return (place, "a colon") }
    place += 1
    return nil
  }

  private mutating func scalar() -> Fault? {
    if has("\"") { return string() }
    let start = place
    while place < text.count, text.isWord(place) { place += 1 }
    if place > start, text.isNumber(start..<place) { return nil }
    let word = text.extracting(start..<place)
    if word.isEqual(to: "true") || word.isEqual(to: "false") || word.isEqual(to: "null") {
      return nil
    }
    place = start
    let isMeantAsNumber = text.isDigit(start) || has("-") || has("+") || has(".")
    return (start, isMeantAsNumber ? "a number as JSON writes it" : "a value")
  }

  private mutating func string() -> Fault? {
    place += 1
    while place < text.count {
      switch text[place] {
      case UInt8(ascii: "\""):
        place += 1
        return nil
      case UInt8(ascii: "\\"):
        guard let length = escapeLength() else { return (place, "an escape sequence") }
        place += length
      case ..<0x20: return (place, "a quote, or an escape sequence for a control character")
      default: place += 1
      }
    }
    return (place, "a quote")
  }

  /// How long the escape sequence is that begins here; nil if it is none.
  private func escapeLength() -> Int? {
    guard place + 1 < text.count else { return nil }
    if Array("\"\\/bfnrt".utf8).contains(text[place + 1]) { return 2 }
    guard let unit = escapedUnit(place), !(0xDC00...0xDFFF).contains(unit) else { return nil }
    guard (0xD800...0xDBFF).contains(unit) else { return 6 }
    return escapedUnit(place + 6).map((0xDC00...0xDFFF).contains) == true ? 12 : nil
  }

  /// What `\u` and four digits at `start` stand for.
  private func escapedUnit(_ start: Int) -> Int? {
    guard start + 6 <= text.count, text[start] == UInt8(ascii: "\\"),
      text[start + 1] == UInt8(ascii: "u")
    else { return nil }
    var unit = 0
    for digit in start + 2..<start + 6 {
      guard let value = text[digit].hexDigitValue else { return nil }
      unit = unit << 4 | value
    }
    return unit
  }

  /// The way to the place; it ends early at a name that is long, or has escape sequences.
  var pointer: String {
    var pointer = ""
    for container in isInValue ? open[...] : open.dropLast() {
      guard container.isObject else {
        pointer += "/\(container.count)"
        continue
      }
      let name = text.extracting(container.name)
      if name.count > 256 || name.firstIndex(of: UInt8(ascii: "\\"), from: 0) < name.count {
        return pointer
      }
      pointer.addToPointer(name.string)
    }
    return pointer
  }
}

extension Span<UInt8> {
  /// Where the first byte is that belongs to no character.
  fileprivate var firstBadUTF8: Int? {
    do {
      _ = try UTF8Span(validating: self)
      return nil
    } catch {
      return error.byteOffsets.lowerBound
    }
  }

  /// A place for people: columns are characters, as editors count them.
  fileprivate func position(_ place: Int) -> String {
    var line = 1
    var column = 1
    for before in 0..<place {
      if self[before] == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if self[before] & 0xC0 != 0x80 {
        column += 1
      }
    }
    return "line \(line), column \(column)"
  }

  /// What stands at a place, in few words.
  fileprivate func token(_ place: Int) -> String {
    guard place < count else { return "the end" }
    let rest = extracting(place..<count)
    if rest.count > 1, rest[0] == 0x1F, rest[1] == 0x8B { return "what gzip has packed" }
    if rest.count > 2, rest[0] == 0xEF, rest[1] == 0xBB, rest[2] == 0xBF {
      return "a byte order mark"
    }
    guard 0x21...0x7E ~= rest[0] else {
      let digits = String(rest[0], radix: 16, uppercase: true)
      return "byte 0x" + (digits.count < 2 ? "0" : "") + digits
    }
    // A backslash with what it should have escaped; everything else that is no word by itself.
    var end = 1
    if isWord(place) || rest[0] == UInt8(ascii: "\\") {
      while end < Swift.min(rest.count, 20), rest.isWord(end) { end += 1 }
    }
    return rest.extracting(0..<end).string
  }

  /// Whether a byte may be in a number or a literal, or in what others take for one.
  fileprivate func isWord(_ place: Int) -> Bool {
    self[place].isLetterOrDigit || "+-._".utf8.contains(self[place])
  }

  fileprivate func isDigit(_ place: Int) -> Bool { place < count && self[place].isDigit }

  /// Whether a word is a number: `-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?`.
  fileprivate func isNumber(_ word: Range<Int>) -> Bool {
    var place = word.lowerBound
    func has(_ character: Unicode.Scalar, _ other: Unicode.Scalar) -> Bool {
      place < word.upperBound
        && (self[place] == UInt8(ascii: character) || self[place] == UInt8(ascii: other))
    }
    func skipDigits() -> Bool {
      let start = place
      while place < word.upperBound, isDigit(place) { place += 1 }
      return place > start
    }
    if has("-", "-") { place += 1 }
    let start = place
    let isZero = has("0", "0")
    guard skipDigits(), !isZero || place == start + 1 else { return false }
    if has(".", ".") {
      place += 1
      guard skipDigits() else { return false }
    }
    if has("e", "E") {
      place += 1
      if has("+", "-") { place += 1 }
      guard skipDigits() else { return false }
    }
    return place == word.upperBound
  }
}
