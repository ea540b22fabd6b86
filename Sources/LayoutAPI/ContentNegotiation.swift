/// `Content-Type` of a request.
enum MediaType {
  /// Whether a body is JSON; parameters such as `charset=utf-8` do not matter.
  static func isJSON(_ field: Span<UInt8>) -> Bool {
    // As nearly all clients write it.
    if field.begins(withItem: json, endingWith: UInt8(ascii: ";")) { return true }
    var name = HeaderText.lowercased(field)[...]
    if let semicolon = name.firstIndex(of: UInt8(ascii: ";")) { name = name[..<semicolon] }
    return HeaderText.trimmed(name).elementsEqual("\(json)".utf8)
  }

  private static var json: StaticString { "application/json" }

  /// Whether a body with this `Content-Encoding` is what it looks like.
  static func isPlain(_ encoding: Span<UInt8>) -> Bool {
    encoding.isEmpty || HeaderText.lowercased(encoding).elementsEqual("identity".utf8)
  }
}

/// `Accept` of a request.
enum Accept {
  /// Whether a client takes a type: it says so, takes everything, or says nothing.
  ///
  /// What it says of the type itself counts before what it says of all of its kind, and that before what it says of
  /// all (RFC 9110, section 12.5.1).
  static func takes(_ type: StaticString, _ field: Span<UInt8>) -> Bool {
    // As nearly all clients write it, if they write anything.
    let comma = UInt8(ascii: ",")
    if field.isEmpty || field.isEqual(to: "*/*")
      || field.begins(withItem: type, endingWith: comma)
    {
      return true
    }
    let name = "\(type)"
    let group = name.prefix { $0 != "/" } + "/*"
    let ranges = ["*/*", group[...], name[...]]
    var known = (rank: 0, isTaken: false)
    for range in HeaderText.lowercased(field).split(separator: comma) {
      let parts = range.split(separator: UInt8(ascii: ";")).map(HeaderText.trimmed)
      guard let given = parts.first,
        let rank = ranges.firstIndex(where: { given.elementsEqual($0.utf8) }), rank >= known.rank
      else { continue }
      // q=0, q=0.0 and so on: anything but this.
      let isRefused = parts.dropFirst().contains { part in
        part.starts(with: "q=0".utf8)
          && part.dropFirst(3).allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") }
      }
      known = (rank, !isRefused || rank == known.rank && known.isTaken)
    }
    return known.isTaken
  }
}

extension Span<UInt8> {
  /// Whether a field is a text, or begins with it and what ends it.
  fileprivate func begins(withItem text: StaticString, endingWith end: UInt8) -> Bool {
    starts(withAnyCaseOf: text)
      && (count == text.utf8CodeUnitCount || self[text.utf8CodeUnitCount] == end)
  }
}

/// Header values, of which case and blanks say nothing.
private enum HeaderText {
  static func lowercased(_ field: Span<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(field.count)
    for index in field.indices {
      let byte = field[index]
      text.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
    }
    return text
  }

  static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let start = text.drop(while: isSpace)
    let end = start.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start.startIndex
    return start[start.startIndex..<end]
  }
}
