/// An enumeration whose case names are the names of an object's members on the wire.
///
///     enum PointMember: Int, JSONName {
///       case x, y
///       static let names = JSONNames(of: Self.self)
///     }
///
/// Raw values count from 0.
protocol JSONName: CaseIterable, RawRepresentable<Int>, Sendable {
  /// The names in the order of the raw values.
  static var names: JSONNames { get }
}

/// A table of known names, made once.
struct JSONNames: Sendable {
  /// The names, in order.
  let texts: [String]

  // Two words and a length decide up to 16 bytes; only longer names are compared byte by byte.
  private struct Entry {
    let head: UInt64
    let tail: UInt64
    let utf8: [UInt8]
  }

  private let entries: [Entry]

  init(_ texts: [String]) {
    self.texts = texts
    entries = texts.map { text in
      let utf8 = Array(text.utf8)
      func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
      }
      return Entry(
        head: word(utf8.prefix(8)), tail: word(utf8.count >= 8 ? utf8.suffix(8) : utf8[...]),
        utf8: utf8)
    }
  }

  init<Name: JSONName>(of type: Name.Type) {
    self.init(Name.allCases.map { String(describing: $0) })
  }

  /// Whether a key is in the table, given as a document has it; an escaped one is not.
  func contains(_ key: Span<UInt8>) -> Bool {
    entries.contains { key.isEqual(to: $0.utf8.span) }
  }

  /// The place of `text` in the table, tried from `start` on and around.
  func index(of text: JSONText, from start: Int = 0) -> Int? {
    let head = text.head
    let tail = text.tail
    for place in start..<entries.count where matches(text, head, tail, place) { return place }
    for place in 0..<start where matches(text, head, tail, place) { return place }
    return nil
  }

  @inline(__always)
  private func matches(_ text: JSONText, _ head: UInt64, _ tail: UInt64, _ place: Int) -> Bool {
    guard entries[place].head == head, entries[place].tail == tail,
      entries[place].utf8.count == text.count
    else { return false }
    return text.count <= 16 || text.isEqual(to: entries[place].utf8)
  }
}

/// The candidate most like `name`, nil where none is close.
///
/// Close means: the same but for case, or few edits (insertion, deletion, substitution, exchange of
/// neighbours) for its length: 1 up to 5 bytes, 2 up to 8, then a third of the length.
func nearestName(to name: String, among candidates: [String]) -> String? {
  let wanted = Array(name.utf8.prefix(65))
  guard wanted.count <= 64 else { return nil }
  let lowercase = name.lowercased()
  var best: (name: String, distance: Int)?
  for candidate in candidates {
    if candidate.lowercased() == lowercase { return candidate }
    let distance = editDistance(wanted, Array(candidate.utf8))
    let length = max(wanted.count, candidate.utf8.count)
    let limit = length <= 5 ? 1 : length <= 8 ? 2 : length / 3
    if distance <= limit, best.map({ distance < $0.distance }) ?? true {
      best = (candidate, distance)
    }
  }
  return best?.name
}

/// The optimal string alignment distance.
private func editDistance(_ first: [UInt8], _ second: [UInt8]) -> Int {
  var beforeLast = [Int](repeating: 0, count: second.count + 1)
  var last = Array(0...second.count)
  for row in 0..<first.count {
    var current = last
    current[0] = row + 1
    for column in 0..<second.count {
      var cost = min(
        last[column] + (first[row] == second[column] ? 0 : 1), last[column + 1] + 1,
        current[column] + 1)
      if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
        cost = min(cost, beforeLast[column - 1] + 1)
      }
      current[column + 1] = cost
    }
    beforeLast = last
    last = current
  }
  return last[second.count]
}
