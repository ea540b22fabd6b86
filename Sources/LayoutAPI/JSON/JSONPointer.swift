extension JSONDocument {
  /// The JSON pointer (RFC 6901) of the value, or of the member whose key is, at `target`.
  ///
  /// Nothing is kept for this while reading: it is found by walking down from the root, past the
  /// siblings before it. It ends early at a key of more than 256 bytes.
  ///
  /// - Complexity: O(n) in the number of values before it; for refusals only.
  func pointer(to target: Int) -> String {
    var pointer = ""
    var place = 1
    while place != target {
      let isObject = tag(at: place) == .object
      guard isObject || tag(at: place) == .array else { return pointer }
      var child = place + 1
      var position = 0
      var next = index(after: isObject ? child + 1 : child)
      while next <= target {
        child = next
        next = index(after: isObject ? child + 1 : child)
        position += 1
      }
      guard isObject else {
        pointer += "/\(position)"
        place = child
        continue
      }
      let key = text(at: child)
      if key.count > 256 { return pointer }
      pointer.addToPointer(key.string)
      if child == target { return pointer }
      place = child + 1
    }
    return pointer
  }
}

extension String {
  /// Adds a member's name to a JSON pointer.
  mutating func addToPointer(_ name: String) {
    self += "/"
    for character in name.unicodeScalars {
      switch character {
      case "~": self += "~0"
      case "/": self += "~1"
      default: unicodeScalars.append(character)
      }
    }
  }
}
