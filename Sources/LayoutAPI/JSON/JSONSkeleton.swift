/// A long document without its long arrays: each is replaced by an empty one, and read on its own.
///
/// A parsed document takes many times its text, nearly all of it for long arrays of small things.
/// Without them it is short, and they can be parsed piece by piece in memory that stays in the
/// cache; see ``JSONValue/forEachRun(of:maximumCount:plain:_:)``.
///
/// Nothing is checked here. Where text is well formed, it is cut between tokens; where it is not,
/// either the skeleton or a piece is not well formed in its turn.
struct JSONSkeleton {
  /// What is left, with ``padding`` behind it.
  private(set) var text: [UInt8] = []
  /// What was taken out, in order.
  private(set) var arrays: [LiftedArray] = []

  /// An array that was taken out.
  struct LiftedArray {
    /// The index on the tape of the empty one in its place.
    var index: Int
    /// Where its elements are in the document, its brackets not counted.
    var elements: Range<Int>
  }

  /// How many spaces follow the text.
  static var padding: Int { 64 }

  /// Takes long arrays out of a document; nil where that is not worth while: nothing is long, or too
  /// much is left.
  ///
  /// - Parameters:
  ///   - body: The document.
  ///   - names: The members whose values may be taken out.
  ///   - minimumLength: How many bytes an array must have.
  /// - Complexity: O(n), nearly all of it at the speed of ``JSONElementKind/end(in:from:)``.
  init?(of body: Span<UInt8>, lifting names: JSONNames, minimumLength: Int) {
    /// Up to here the document is in the text, or taken out.
    var done = 0
    /// No array has been looked at beyond this; so that nested ones are not looked at again.
    var seen = 0
    /// What is left is to be read all the same: no more than a fraction of what is saved.
    var patience = max(4096, body.count / 4)
    // The root takes the first word.
    var index = 1
    var name = 0..<0
    var place = 0
    while place < body.count {
      guard place - done < patience else { return nil }
      switch body[place] {
      case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"):
        index += 1
        place += 1
      case UInt8(ascii: "\""):
        let end = body.endOfString(at: place)
        name = place + 1..<max(place + 1, end - 1)
        index += 1
        place = end
      case UInt8(ascii: ":"):
        place = body.endOfSpace(at: place + 1)
        guard place < body.count, body[place] == UInt8(ascii: "["), place >= seen,
          names.contains(body.extracting(name)), let kind = JSONElementKind(in: body, at: place + 1)
        else { continue }
        let end = kind.end(in: body, from: place + 1)
        seen = end
        guard end < body.count, end - place >= minimumLength else { continue }
        arrays.append(LiftedArray(index: index, elements: place + 1..<end))
        patience -= place - done
        text.append(body.extracting(done..<place + 1))
        index += 1
        done = end
        place = end
      case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"),
        UInt8(ascii: "\t"):
        place += 1
      case let first:
        // Numbers take two words, true, false and null one.
        let isWord = first == UInt8(ascii: "t") || first == UInt8(ascii: "f")
        index += isWord || first == UInt8(ascii: "n") ? 1 : 2
        place = body.endOfScalar(at: place + 1)
      }
    }
    guard !arrays.isEmpty else { return nil }
    text.append(body.extracting(done..<body.count))
    text.appendPadding()
  }
}

/// What the elements of a long array are.
enum JSONElementKind {
  case numbers
  /// Arrays of numbers.
  case pairs
  case strings

  /// What they seem to be, judged by the first one.
  fileprivate init?(in text: Span<UInt8>, at start: Int) {
    let place = text.endOfSpace(at: start)
    guard place < text.count else { return nil }
    switch text[place] {
    case UInt8(ascii: "["): self = .pairs
    case UInt8(ascii: "\""): self = .strings
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): self = .numbers
    default: return nil
    }
  }

  /// Where the bracket is that ends an array of such elements; the end of the text if there is none.
  fileprivate func end(in text: Span<UInt8>, from start: Int) -> Int {
    switch self {
    case .numbers: return text.firstBracket(from: start, before: nil)
    case .pairs:
      var place = start
      while true {
        // All but the last one's end, mostly, have a comma right behind them.
        place = text.firstBracket(from: place, before: UInt8(ascii: ","))
        guard place < text.count else { return place }
        place = text.endOfSpace(at: place + 1)
        guard place < text.count else { return place }
        if text[place] == UInt8(ascii: "]") { return place }
      }
    case .strings:
      var place = start
      while place < text.count {
        switch text[place] {
        case UInt8(ascii: "]"): return place
        case UInt8(ascii: "\""): place = text.endOfString(at: place)
        default: place += 1
        }
      }
      return place
    }
  }

  /// The last comma between two elements.
  ///
  /// For strings it may be one within a string, which then has no end.
  ///
  /// - Parameters:
  ///   - text: The text of an array.
  ///   - range: Where to look; it begins with an element.
  /// - Returns: Its place; nil if there is none.
  func lastComma(in text: Span<UInt8>, _ range: Range<Int>) -> Int? {
    for place in range.reversed() where text[place] == UInt8(ascii: ",") {
      let before = text.startOfSpace(at: place) - 1
      guard before >= range.lowerBound else { return nil }
      switch self {
      case .numbers: return place
      case .pairs: if text[before] == UInt8(ascii: "]") { return place }
      case .strings:
        let after = text.endOfSpace(at: place + 1)
        if before > range.lowerBound, text[before] == UInt8(ascii: "\""),
          text[before - 1] != UInt8(ascii: "\\"), after < text.count,
          text[after] == UInt8(ascii: "\"")
        {
          return place
        }
      }
    }
    return nil
  }
}

extension Span<UInt8> {
  /// The first place from one on that has no white space.
  fileprivate func endOfSpace(at start: Int) -> Int {
    var place = start
    while place < count, isSpace(place) { place += 1 }
    return place
  }

  /// The place after the last one before `end` that has no white space.
  fileprivate func startOfSpace(at end: Int) -> Int {
    var place = end
    while place > 0, isSpace(place - 1) { place -= 1 }
    return place
  }

  private func isSpace(_ place: Int) -> Bool {
    switch self[place] {
    case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): true
    default: false
    }
  }

  /// The place after a string's closing quotation mark; the end if there is none.
  func endOfString(at start: Int) -> Int {
    var place = start + 1
    while place < count {
      switch self[place] {
      case UInt8(ascii: "\""): return place + 1
      case UInt8(ascii: "\\"): place += 2
      default: place += 1
      }
    }
    return count
  }

  /// The place after what is neither punctuation nor a string.
  func endOfScalar(at start: Int) -> Int {
    var place = start
    while place < count {
      switch self[place] {
      case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: " "),
        UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"), UInt8(ascii: "["),
        UInt8(ascii: "{"), UInt8(ascii: ":"), UInt8(ascii: "\""):
        return place
      default: place += 1
      }
    }
    return place
  }

  /// The first `]` that has another byte behind it than `next`; the end if there is none.
  fileprivate func firstBracket(from start: Int, before next: UInt8?) -> Int {
    var place = start
    // Safe: only loads follow, and each is checked against the end of the span.
    let bytes = unsafe self.bytes
    typealias Lanes = SIMD32<UInt8>
    let brackets = Lanes(repeating: UInt8(ascii: "]"))
    let nexts = Lanes(repeating: next ?? 0)
    let isLast = SIMDMask<SIMD32<Int8>>(repeating: next == nil)
    let lanes = Lanes.scalarCount
    // Four at a time: to ask whether any lane has found one costs more than to look.
    while count - place > 4 * lanes {
      var found = SIMDMask<SIMD32<Int8>>(repeating: false)
      for part in 0..<4 {
        // Safe: checked against the span's end, and all bit patterns are integers.
        let here = unsafe bytes.unsafeLoadUnaligned(
          fromByteOffset: place + part * lanes, as: Lanes.self)
        let behind = unsafe bytes.unsafeLoadUnaligned(
          fromByteOffset: place + part * lanes + 1, as: Lanes.self)
        found = found .| ((here .== brackets) .& (isLast .| (behind .!= nexts)))
      }
      if any(found) { break }
      place += 4 * lanes
    }
    while place < count {
      if self[place] == UInt8(ascii: "]"),
        next == nil || place + 1 == count || self[place + 1] != next
      {
        return place
      }
      place += 1
    }
    return count
  }
}

extension [UInt8] {
  /// Appends what a span has.
  mutating func append(_ bytes: Span<UInt8>) {
    // Safe: the buffer is used during the call only.
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Appends what a parser may read behind a document.
  mutating func appendPadding() {
    append(contentsOf: repeatElement(UInt8(ascii: " "), count: JSONSkeleton.padding))
  }
}
