import LayoutCore
import LayoutSessions

/// What stores keep of sessions: text in two parts.
///
/// The first line is `layoutd 1`, the format, a space and 16 hexadecimal digits, a checksum of what
/// follows it: JSON. A *snapshot* is a description as `POST /v1/sessions` takes it, where `items` is an
/// array of such objects, one after the other, since items of a section may get their sizes in different
/// ways by and by. A *change* has two members: `contentOffset`, where the client was afterwards, and
/// `layout`, `viewport`, `collection` or `updates`: the body of the request of that name, without the
/// members that are for its answer alone (``PassingMember``). A movement by hand is kept as the `updates`
/// that it comes to.
///
/// A server reads the formats that it knows, and what every earlier build has written in them; others it leaves
/// alone, as it does records with members that only a later build knows.
enum StoredRecord {
  /// The format that is written, and the only one so far.
  static let format = 1

  /// The record of a description.
  ///
  /// - Complexity: O(n) in what has data of its own.
  static func snapshot(of description: Description, at contentOffset: Point) -> [UInt8] {
    var json = JSONWriter(capacity: 1024)
    json.beginObject()
    // First, before what may be long: a reader looks only near a record's beginning for numbers that need more
    // digits than a double has.
    json.key("viewport")
    json.beginObject()
    json.key("width")
    json.length(description.viewport.size.width.millionths)
    json.key("height")
    json.length(description.viewport.size.height.millionths)
    if let scale = description.viewport.displayScale {
      json.key("displayScale")
      json.double(scale.value)
    }
    json.key("contentOffset")
    json.point(contentOffset)
    json.endObject()
    json.key("prefetch")
    json.beginObject()
    json.key("ahead")
    json.double(description.prefetch.ahead)
    json.key("behind")
    json.double(description.prefetch.behind)
    json.endObject()
    json.key("collection")
    json.beginObject()
    json.key("sections")
    json.beginArray()
    for section in description.content.sections {
      json.section(section) { json, items in
        json.key("items")
        json.beginArray()
        items.forEachRun { run, _ in json.items(run) }
        json.endArray()
      }
    }
    json.endArray()
    json.endObject()
    json.key("layout")
    json.json(description.layoutSource.span)
    json.endObject()
    return sealed(json.finish())
  }

  /// The record of a change.
  ///
  /// - Parameters:
  ///   - kind: What was changed.
  ///   - body: The body of the request, which was accepted.
  ///   - contentOffset: Where the client is afterwards.
  /// - Returns: The record.
  static func change(
    _ kind: StoredChange.Kind, body: Span<UInt8>, at contentOffset: Point
  ) -> [UInt8] {
    var json = JSONWriter(capacity: 128 + body.count)
    json.beginObject()
    json.key("contentOffset")
    json.point(contentOffset)
    json.key(text: kind.rawValue)
    json.object(body, without: PassingMember.names)
    json.endObject()
    return sealed(json.finish())
  }

  /// Reads a snapshot.
  ///
  /// - Parameter record: The record.
  /// - Returns: The description.
  /// - Throws: ``Unreadable``.
  static func readSnapshot(_ record: [UInt8]) throws(Unreadable) -> Description {
    try read(record) { (value) throws(JSONError) in
      try JSONObject<DescriptionMember>(value, allowed: DescriptionMember.session)
        .description(limits: .none, .runs, keepsSource: true)
    }
  }

  /// Reads a change.
  ///
  /// - Parameter record: The record.
  /// - Returns: The change, and where the client was afterwards.
  /// - Throws: ``Unreadable``.
  static func readChange(
    _ record: [UInt8]
  ) throws(Unreadable) -> (change: StoredChange, contentOffset: Point) {
    try read(record) { (value) throws(JSONError) in
      let object = try JSONObject<ChangeMember>(value)
      return (try object.change(), try object.required(.contentOffset).point())
    }
  }

  /// Why a record cannot be read.
  struct Unreadable: Error {
    var reason: String
  }

  // MARK: The first line

  private static let start = Array("layoutd \(format) ".utf8)
  private static let headerCount = start.count + 17

  private static func sealed(_ json: [UInt8]) -> [UInt8] {
    var record = start
    record.reserveCapacity(headerCount + json.count)
    record += Checksum.of(json.span).hexadecimalDigits.utf8
    record.append(UInt8(ascii: "\n"))
    record += json
    return record
  }

  private static func read<Value>(
    _ record: [UInt8], _ body: (JSONValue) throws(JSONError) -> Value
  ) throws(Unreadable) -> Value {
    guard record.count > headerCount, record[headerCount - 1] == UInt8(ascii: "\n"),
      record.starts(with: start)
    else {
      let line = record.prefix(64).prefix { $0 != UInt8(ascii: "\n") }
      let words = String(decoding: line, as: UTF8.self).split(separator: " ")
      guard words.count == 3, words[0] == "layoutd", Int(words[1]) != nil else {
        throw Unreadable(reason: "it is none of layoutd's")
      }
      if record.starts(with: start) {
        throw Unreadable(reason: "it ends in its first line, or with it")
      }
      throw Unreadable(reason: "its format \(words[1]) is not known here; \(format) is")
    }
    let json = record.span.extracting(droppingFirst: headerCount)
    let digits = Checksum.of(json).hexadecimalDigits.utf8
    guard record[start.count..<(headerCount - 1)].elementsEqual(digits) else {
      throw Unreadable(reason: "its checksum is wrong")
    }
    var parser = JSONParser(maximumDepth: 1024)
    do throws(JSONError) {
      return try parser.read(json, body)
    } catch {
      // The checksum is right, and nothing is written here that is not read here.
      let pointer = error.pointer.isEmpty ? "/" : error.pointer
      throw Unreadable(reason: "another build has written it: \(error.detail) at \(pointer)")
    }
  }
}

/// A change as it is kept.
enum StoredChange {
  /// What may be changed: the name of the member, and of the request.
  enum Kind: String {
    case layout, viewport, collection, updates
  }

  case layout(LayoutReplacement)
  case viewport(ViewportChange)
  case collection(Content)
  case updates(BatchUpdate)
}

/// The members of changes that say how the client is answered, and nothing of what the session becomes.
///
/// They are not kept, so that a server which does not know one of them, as it is of an earlier build and shares
/// the store, or has taken a later one's place, reads the session all the same.
private enum PassingMember: Int, JSONName {
  case anchor, contentOffset, insertAnimation, deleteAnimation, expect
  static let names = JSONNames(of: Self.self)
}

extension JSONWriter {
  /// Writes an object that is JSON already, without its members of some names.
  ///
  /// - Parameters:
  ///   - object: The object, which has been read.
  ///   - names: What its members that are left out are called. One whose name is written with escapes stays.
  fileprivate mutating func object(_ object: Span<UInt8>, without names: JSONNames) {
    beginObject()
    var depth = 0
    var start = 0
    var name: Range<Int>?
    var place = 0
    while place < object.count {
      let byte = object[place]
      switch byte {
      case UInt8(ascii: "\""):
        let end = object.endOfString(at: place)
        // A member's first string is its name.
        name = name ?? place + 1..<end - 1
        place = end
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        if depth == 1 { start = place + 1 }
      case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","):
        if depth == 1 {
          if let name, !names.contains(object.extracting(name)) {
            json(object.extracting(start..<place))
          }
          start = place + 1
          name = nil
        }
        if byte != UInt8(ascii: ",") { depth -= 1 }
      default: break
      }
      place += 1
    }
    endObject()
  }
}

private enum ChangeMember: Int, JSONName {
  case contentOffset, layout, viewport, collection, updates
  static let names = JSONNames(of: Self.self)
}

extension JSONObject where Member == ChangeMember {
  fileprivate func change() throws(JSONError) -> StoredChange {
    if let value = self[.updates] { return .updates(try value.update(limits: .none).batch) }
    if let value = self[.layout] { return .layout(try value.layoutReplacement()) }
    if let value = self[.viewport] { return .viewport(try value.viewportChange()) }
    let replacement = try required(.collection).collectionReplacement(limits: .none)
    return .collection(replacement.names.content)
  }
}

extension ContentLimits {
  /// What was accepted once is.
  fileprivate static let none = ContentLimits(describedItems: .max, sections: .max)
}
