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
