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

extension JSONValue {
  /// The first member called one of `names` of what may be an object, without looking at the others.
  @_lifetime(copy self)
  func peek(_ names: JSONNames) -> JSONValue? {
    guard document.tag(at: index) == .object else { return nil }
    let end = document.index(after: index) - 1
    var key = index + 1
    while key < end {
      if names.index(of: document.text(at: key)) != nil { return at(key + 1) }
      key = document.index(after: key + 1)
    }
    return nil
  }
}
