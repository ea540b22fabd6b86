@testable import LayoutAPI

/// Parses `bytes` and hands the root to `body`.
func reading<Result>(
  _ bytes: [UInt8], padding: Int = 0, _ body: (JSONValue) throws(JSONError) -> Result
) throws(JSONError) -> Result {
  var parser = JSONParser()
  let document = try parser.parse(
    bytes.span.extracting(0..<bytes.count - padding), padding: padding)
  return try body(document.root)
}

/// Parses `text` and hands the root to `body`.
func reading<Result>(
  _ text: String, _ body: (JSONValue) throws(JSONError) -> Result
) throws(JSONError) -> Result {
  try reading(Array(text.utf8), body)
}

/// What `write` writes, as text.
func writing(_ write: (inout JSONWriter) -> Void) -> String {
  var writer = JSONWriter()
  write(&writer)
  return String(decoding: writer.finish(), as: UTF8.self)
}

/// Reproducible random numbers (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }
}
