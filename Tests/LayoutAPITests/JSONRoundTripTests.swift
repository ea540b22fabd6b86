import Testing

@testable import LayoutAPI

/// Any JSON value, as written and as read back.
private indirect enum Tree: Equatable {
  case null
  case bool(Bool)
  case integer(Int)
  case length(Int64)
  case double(Double)
  case text(String)
  case array([Tree])
  case object([Tree])

  static let keys: [StaticString] = ["a", "width", "minimumInteritemSpacing", "x-y", "indexPath"]

  static func random(depth: Int, using generator: inout SeededGenerator) -> Tree {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &generator))
    case 2: return .integer(Int(truncatingIfNeeded: generator.next()))
    case 3:
      let limit: Int64 = 9_000_000_000_000_000_000
      return .length(Int64.random(in: -limit...limit, using: &generator))
    case 4: return .double(Double.random(in: -1e3...1e3, using: &generator))
    case 5:
      let scalars = (0..<Int.random(in: 0..<12, using: &generator)).map { _ in
        Unicode.Scalar(UInt32.random(in: 0..<0xD800, using: &generator)) ?? "?"
      }
      return .text(String(String.UnicodeScalarView(scalars)))
    default:
      let trees = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
        random(depth: depth - 1, using: &generator)
      }
      return Bool.random(using: &generator) ? .array(trees) : .object(trees)
    }
  }

  func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .integer(let value): writer.integer(value)
    case .length(let value): writer.length(value)
    case .double(let value): writer.double(value)
    case .text(let value): writer.string(value)
    case .array(let trees):
      writer.beginArray()
      for tree in trees { tree.write(to: &writer) }
      writer.endArray()
    case .object(let trees):
      writer.beginObject()
      for (key, tree) in zip(Self.keys, trees) {
        writer.key(key)
        tree.write(to: &writer)
      }
      writer.endObject()
    }
  }

  /// Whether `value` is this.
  func matches(_ value: JSONValue) throws(JSONError) -> Bool {
    switch self {
    case .null: return value.summary == "null"
    case .bool(let bool): return try value.bool() == bool
    case .integer(let integer): return try value.integer(in: .min ... .max) == integer
    case .length(let length):
      return try value.length(in: .coordinates) == length
    case .double(let double): return try value.double() == double
    case .text(let text): return try value.string(maximumLength: .max) == text
    case .array(let trees):
      var array = try value.array()
      guard array.count == trees.count else { return false }
      for tree in trees {
        guard let element = array.next(), try tree.matches(element) else { return false }
      }
      return array.next() == nil
    case .object(let trees):
      guard value.document.count(at: value.index) == trees.count else { return false }
      for (key, tree) in zip(Self.keys, trees) {
        guard let member = value.peek(JSONNames(["\(key)"])), try tree.matches(member) else {
          return false
        }
      }
      return true
    }
  }
}

struct JSONRoundTripTests {
  @Test func randomDocumentsReadAsTheyWereWritten() throws {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<2_000 {
      let tree = Tree.random(depth: 5, using: &generator)
      var writer = JSONWriter()
      tree.write(to: &writer)
      let bytes = writer.finish()
      let matches = try reading(bytes) { (value) throws(JSONError) in try tree.matches(value) }
      #expect(matches, "\(String(decoding: bytes, as: UTF8.self))")
    }
  }

  @Test func randomLengthsRoundTrip() throws {
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<20_000 {
      // All magnitudes alike; beyond 2^52 millionths a double does not carry all six decimals.
      let shift = UInt64.random(in: 1..<64, using: &generator)
      let sign: Int64 = Bool.random(using: &generator) ? 1 : -1
      let length = sign * min(9_000_000_000_000_000_000, Int64(generator.next() >> shift))
      let text = writing { $0.length(length) }
      let back = try reading(text) { (value) throws(JSONError) in
        try value.length(in: .coordinates)
      }
      #expect(back == length)
      #expect(!text.contains(".") || !text.hasSuffix("0"))
    }
  }

  @Test func randomDoublesRoundTrip() throws {
    var generator = SeededGenerator(seed: 3)
    for round in 0..<20_000 {
      let double =
        round % 2 == 0
        ? Double(bitPattern: generator.next())
        : Double(Int.random(in: -1_000_000...1_000_000, using: &generator)) / 1e4
      guard double.isFinite else { continue }
      let text = writing { $0.double(double) }
      #expect(Double(text) == double)
      #expect(text.utf8.count <= double.description.utf8.count)
      let back = try reading(text) { (value) throws(JSONError) in try value.double() }
      #expect(back == double)
    }
  }
}
