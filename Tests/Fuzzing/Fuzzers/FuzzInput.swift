/// Bytes that make decisions, from first to last.
///
/// When they have run out, every decision is the first.
struct FuzzInput {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { place >= bytes.count }

  mutating func byte() -> UInt8 {
    guard place < bytes.count else { return 0 }
    defer { place += 1 }
    return bytes[place]
  }

  /// A number below a bound of at most 65,536.
  mutating func below(_ bound: Int) -> Int {
    if bound <= 1 { return 0 }
    if bound <= 256 { return Int(byte()) % bound }
    return (Int(byte()) << 8 | Int(byte())) % bound
  }

  /// Whether something happens that should happen once in so many times; not at the end.
  mutating func oneIn(_ count: Int) -> Bool { below(count) == count - 1 }

  /// One of some things; the first one at the end of the input.
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// What is left.
  mutating func rest() -> [UInt8] {
    defer { place = bytes.count }
    return Array(bytes[min(place, bytes.count)...])
  }
}
