/// How long documents are read.
struct JSONWindows {
  /// Documents of so many bytes are looked through for long arrays.
  var minimumLength = 16 * 1024
  /// Arrays of so many bytes are long.
  var minimumArrayLength = 2 * 1024
  /// How many bytes of an array are parsed at once.
  ///
  /// Parsed text takes about six times its length; so much stays in a core's second cache.
  var size = 32 * 1024
  /// How many where those before could be taken without being parsed.
  static let shortSize = 256

  /// The members that are long if any are.
  ///
  /// Whoever knows such a member has to read it, and with
  /// ``JSONValue/forEachRun(of:maximumCount:plain:_:)``: what is not read is not checked either.
  static let names = JSONNames(["sizes", "lengths", "aspectRatios", "ids"])
}

extension JSONParser {
  /// Parses a document and reads it.
  ///
  /// Long arrays in long documents are parsed while they are read. That way nothing is refused: what
  /// cannot be read so is read again as a whole, so that all refusals come from one place. A client
  /// can make that cost twice as much, and with huge numbers once more, but not more than that.
  ///
  /// - Parameters:
  ///   - bytes: The whole document.
  ///   - padding: How many bytes after them are readable.
  ///   - windows: How long documents are read.
  ///   - read: What to make of it; may be called twice.
  /// - Returns: What `read` returns.
  /// - Throws: What ``parse(_:padding:)`` and `read` throw.
  mutating func read<Value>(
    _ bytes: Span<UInt8>, padding: Int = 0, windows: JSONWindows = JSONWindows(),
    _ read: (JSONValue) throws(JSONError) -> Value
  ) throws(JSONError) -> Value {
    if bytes.count >= windows.minimumLength,
      let skeleton = JSONSkeleton(
        of: bytes, lifting: JSONWindows.names, minimumLength: windows.minimumArrayLength)
    {
      do { return try read(try parse(skeleton, of: bytes, windowSize: windows.size).root) } catch {}
    }
    do throws(JSONError) {
      return try parse(bytes, padding: padding).read(read)
    } catch {
      guard error == JSONError(.badNumber), let huge = JSONHugeNumbers(in: bytes) else {
        throw error
      }
      let document = try parse(huge.document, padding: JSONSkeleton.padding)
      if let number = huge.firstInfinite {
        throw document.root.at(document.index(ofNumber: number)).error(.badNumber)
      }
      return try document.read(read)
    }
  }
}

extension JSONDocument {
  /// Reads all of it; what cannot be read goes before what is wrong.
  fileprivate func read<Value>(
    _ read: (JSONValue) throws(JSONError) -> Value
  ) throws(JSONError) -> Value {
    do throws(JSONError) {
      return try read(root)
    } catch {
      // Nobody looks further than to the first mistake.
      if error.category == .invalid, let duplicate = duplicateKey { throw duplicate }
      throw error
    }
  }
}

extension JSONValue {
  /// Hands out the elements of an array: arrays of some elements each, which come to the whole.
  ///
  /// - Parameters:
  ///   - kind: What the elements should be.
  ///   - maximumCount: How many there may be in all.
  ///   - plain: Takes at most so many elements straight from the text, as far as they can be, and
  ///     moves behind them and their commas; returns how many. The others come in arrays.
  ///   - body: Called with each array and how many elements it has; looks at every element's type.
  /// - Returns: How many elements there are.
  /// - Throws: ``JSONError``, for the array as a whole; and what `body` throws.
  func forEachRun(
    of kind: JSONElementKind, maximumCount: Int,
    plain: (_ text: RawSpan, _ place: inout Int, _ maximumCount: Int) -> Int = { _, _, _ in 0 },
    _ body: (_ array: JSONValue, _ count: Int) throws(JSONError) -> Void
  ) throws(JSONError) -> Int {
    guard let lifted = document.liftedArray(at: index) else {
      let count = try arrayCount(maximumCount: maximumCount)
      try body(self, count)
      return count
    }
    var total = 0
    let text = lifted.body
    // Safe: bytes are bytes.
    let bytes = unsafe text.bytes
    let size = lifted.windowSize
    var parser = JSONParser()
    var window: [UInt8] = []
    window.reserveCapacity(size + 2 + JSONSkeleton.padding)
    var start = 0
    /// How far a window reaches: not far behind what was plain, because what follows may be again.
    var reach = size
    while true {
      let taken = plain(bytes, &start, maximumCount - total)
      total += taken
      reach = min(size, taken > 0 ? JSONWindows.shortSize : reach * 4)
      var end = text.count
      if text.count - start > reach {
        guard let comma = kind.lastComma(in: text, start..<start + reach) else {
          guard reach < size else { throw JSONError(.malformed) }
          reach = size
          continue
        }
        end = comma
      }
      // If it parses in brackets of its own, and is not empty, it is part of an array: no text that
      // ends within a string or between brackets does.
      window.removeAll(keepingCapacity: true)
      window.append(UInt8(ascii: "["))
      window.append(text.extracting(start..<end))
      window.append(UInt8(ascii: "]"))
      let length = window.count
      window.appendPadding()
      let run = try parser.parse(
        window.span.extracting(0..<length), padding: JSONSkeleton.padding
      ).root
      let count = try run.arrayCount(maximumCount: maximumCount - total)
      guard count > 0 else { throw JSONError(.malformed) }
      try body(run, count)
      total += count
      guard end < text.count else { return total }
      start = end + 1
    }
  }
}
