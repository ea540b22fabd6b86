extension JSONValue {
  /// The value as JSON again, without what does not matter.
  ///
  /// - Complexity: O(n); goes as deep as the document was allowed to be.
  var compactJSON: [UInt8] {
    var json = JSONWriter()
    json.copy(self)
    return json.finish()
  }
}

extension JSONWriter {
  /// Writes what was read; numbers read back equal.
  fileprivate mutating func copy(_ value: JSONValue) {
    let document = value.document
    let index = value.index
    switch document.tag(at: index) {
    case .object:
      beginObject()
      var key = index + 1
      while key < document.index(after: index) - 1 {
        self.key(text: document.text(at: key).string)
        copy(value.at(key + 1))
        key = document.index(after: key + 1)
      }
      endObject()
    case .array:
      beginArray()
      var place = index + 1
      while place < document.index(after: index) - 1 {
        copy(value.at(place))
        place = document.index(after: place)
      }
      endArray()
    case .string: string(document.text(at: index).string)
    case .integer: integer(Int(document.integer(at: index)))
    case .unsigned: double(Double(UInt64(bitPattern: document.integer(at: index))))
    case .double: double(document.double(at: index))
    case .yes: bool(true)
    case .no: bool(false)
    // Long arrays that are not on the tape are in collections only.
    default: null()
    }
  }
}
