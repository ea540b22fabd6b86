/// The elements of a JSON array, one after the other.
///
///     var sections = try value.array(maximumCount: 1_000)
///     while let section = sections.next() { … }
struct JSONArray: ~Escapable {
  /// How many elements the array has.
  let count: Int

  private let document: JSONDocument
  private var place: Int
  private let end: Int

  @_lifetime(copy value)
  fileprivate init(_ value: JSONValue, count: Int) {
    self.count = count
    document = value.document
    place = value.index + 1
    end = value.document.index(after: value.index) - 1
  }

  /// The next element, nil after the last one.
  @_lifetime(copy self)
  mutating func next() -> JSONValue? {
    guard place < end else { return nil }
    let value = JSONValue(document, place)
    place = document.index(after: place)
    return value
  }
}

extension JSONValue {
  /// The elements of an array.
  ///
  /// - Throws: ``JSONError``: not an array, or more than `maximumCount` elements.
  @_lifetime(copy self)
  func array(maximumCount: Int = .max) throws(JSONError) -> JSONArray {
    JSONArray(self, count: try arrayCount(maximumCount: maximumCount))
  }

  /// What is made of each element of an array.
  ///
  /// - Throws: ``JSONError``: not an array, or more than `maximumCount` elements; and what `read` throws.
  func elements<Element>(
    maximumCount: Int, _ read: (JSONValue) throws(JSONError) -> Element
  ) throws(JSONError) -> [Element] {
    var array = try array(maximumCount: maximumCount)
    var elements: [Element] = []
    while let value = array.next() { elements.append(try read(value)) }
    return elements
  }

  /// The number of elements of what must be an array of at most `maximumCount`.
  func arrayCount(maximumCount: Int) throws(JSONError) -> Int {
    guard document.tag(at: index) == .array else { throw wrongType(expected: "an array") }
    let count = document.count(at: index)
    guard count <= maximumCount else { throw error(.tooManyElements(limit: maximumCount)) }
    return count
  }

  /// Two whole numbers: an index path `[section,item]`.
  func integerPair(in range: ClosedRange<Int64>) throws(JSONError) -> (Int64, Int64) {
    guard document.tag(at: index) == .array else {
      throw wrongType(expected: "an array [section,item]")
    }
    var array = try array()
    guard array.count == 2, let first = array.next(), let second = array.next() else {
      throw error(.wrongCount(expected: "[section,item]", found: array.count))
    }
    return (try first.integer(in: range), try second.integer(in: range))
  }
}
