/// JSON as the fuzzers read it, with a small strict parser of its own: no bug hides behind itself.
enum AnswerJSON: Hashable {
  case object([String: AnswerJSON])
  case array([AnswerJSON])
  /// As it is written; two texts are the same number here only if they are the same.
  case number(String)
  case string(String)
  case bool(Bool)
  case null
  /// What an object has under a key that it has more than once, in order.
  case repeated([AnswerJSON])

  /// Parses a whole document; nil if it is none.
  ///
  /// Of two equal keys the second counts, but for pointers, which may name either.
  init?(_ bytes: [UInt8]) {
    var parser = Parser(bytes: bytes)
    guard let value = parser.value(depth: 0) else { return nil }
    parser.skipSpace()
    guard parser.place == bytes.count else { return nil }
    self = value
  }

  subscript(name: String) -> AnswerJSON? {
    if case .object(let members) = self { members[name]?.all.last } else { nil }
  }

  private var all: [AnswerJSON] {
    if case .repeated(let values) = self { values } else { [self] }
  }

  var elements: [AnswerJSON]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  var double: Double? {
    if case .number(let text) = self { Double(text) } else { nil }
  }

  var int: Int? {
    if case .number(let text) = self { Int(text) } else { nil }
  }

  var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// What a JSON pointer (RFC 6901) names; nil if there is nothing.
  func at(_ pointer: String) -> AnswerJSON? {
    if pointer.isEmpty { return self }
    guard pointer.hasPrefix("/") else { return nil }
    var values = [self]
    for part in pointer.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      let name = String(part).replacing("~1", with: "/").replacing("~0", with: "~")
      values = values.flatMap { value in
        switch value {
        case .object(let members): return members[name]?.all ?? []
        case .array(let elements):
          guard let index = Int(name), elements.indices.contains(index) else { return [] }
          return [elements[index]]
        default: return []
        }
      }
    }
    return values.last
  }

  /// Every number in it.
  func forEachNumber(_ body: (String) throws(Finding) -> Void) throws(Finding) {
    switch self {
    case .object(let members):
      for value in members.values { try value.forEachNumber(body) }
    case .array(let values), .repeated(let values):
      for value in values { try value.forEachNumber(body) }
    case .number(let text): try body(text)
    case .string, .bool, .null: break
    }
  }

  private struct Parser {
    let bytes: [UInt8]
    var place = 0

    mutating func skipSpace() {
      while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func take(_ byte: Character) -> Bool {
      guard let ascii = byte.asciiValue, next == ascii else { return false }
      place += 1
      return true
    }

    private mutating func word(_ text: String, _ value: AnswerJSON) -> AnswerJSON? {
      guard bytes[place...].starts(with: text.utf8) else { return nil }
      place += text.utf8.count
      return value
    }

    mutating func value(depth: Int) -> AnswerJSON? {
      guard depth < 64 else { return nil }
      skipSpace()
      switch next {
      case UInt8(ascii: "{"): return object(depth)
      case UInt8(ascii: "["): return array(depth)
      case UInt8(ascii: "\""): return text().map(AnswerJSON.string)
      case UInt8(ascii: "t"): return word("true", .bool(true))
      case UInt8(ascii: "f"): return word("false", .bool(false))
      case UInt8(ascii: "n"): return word("null", .null)
      default: return number()
      }
    }

    private mutating func object(_ depth: Int) -> AnswerJSON? {
      place += 1
      var members: [String: AnswerJSON] = [:]
      skipSpace()
      if take("}") { return .object(members) }
      while true {
        skipSpace()
        guard next == UInt8(ascii: "\""), let name = text() else { return nil }
        skipSpace()
        guard take(":"), let value = value(depth: depth + 1) else { return nil }
        members[name] = members[name].map { .repeated($0.all + [value]) } ?? value
        skipSpace()
        if take("}") { return .object(members) }
        guard take(",") else { return nil }
      }
    }

    private mutating func array(_ depth: Int) -> AnswerJSON? {
      place += 1
      var elements: [AnswerJSON] = []
      skipSpace()
      if take("]") { return .array(elements) }
      while true {
        guard let value = value(depth: depth + 1) else { return nil }
        elements.append(value)
        skipSpace()
        if take("]") { return .array(elements) }
        guard take(",") else { return nil }
      }
    }

    private mutating func digits() -> Bool {
      let start = place
      while let byte = next, byte >= 0x30, byte <= 0x39 { place += 1 }
      return place > start
    }

    private mutating func number() -> AnswerJSON? {
      let start = place
      _ = take("-")
      if !take("0") { guard digits() else { return nil } }
      if take(".") { guard digits() else { return nil } }
      if take("e") || take("E") {
        if !take("+") { _ = take("-") }
        guard digits() else { return nil }
      }
      return .number(String(decoding: bytes[start..<place], as: UTF8.self))
    }

    private mutating func text() -> String? {
      place += 1
      var text: [UInt8] = []
      while let byte = next {
        place += 1
        switch byte {
        case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
        case UInt8(ascii: "\\"):
          guard let escaped = escape() else { return nil }
          text += escaped
        case 0..<0x20: return nil
        default: text.append(byte)
        }
      }
      return nil
    }

    private mutating func escape() -> [UInt8]? {
      guard let byte = next else { return nil }
      place += 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
      case UInt8(ascii: "b"): return [8]
      case UInt8(ascii: "f"): return [12]
      case UInt8(ascii: "n"): return [10]
      case UInt8(ascii: "r"): return [13]
      case UInt8(ascii: "t"): return [9]
      case UInt8(ascii: "u"):
        guard var code = unit() else { return nil }
        if code >> 10 == 0x36 {
          guard take("\\"), take("u"), let low = unit(), low >> 10 == 0x37 else { return nil }
          code = 0x10000 + (code & 0x3FF) << 10 + (low & 0x3FF)
        }
        return Unicode.Scalar(code).map { Array(String($0).utf8) }
      default: return nil
      }
    }

    private mutating func unit() -> UInt32? {
      guard place + 4 <= bytes.count else { return nil }
      let text = String(decoding: bytes[place..<place + 4], as: UTF8.self)
      guard text.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }) else { return nil }
      place += 4
      return UInt32(text, radix: 16)
    }
  }
}
