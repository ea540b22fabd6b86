// A collection view over HTTP, with Foundation's URLSession and Codable.
//
//   swiftc -parse-as-library story.swift && LAYOUTD_URL=http://127.0.0.1:8080 ./story
//
// Exits with 1 if the server answers otherwise than openapi.yaml says.

import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// MARK: What is said over the wire, as far as the story needs it

struct Point: Codable {
  var x: Double
  var y: Double
}

struct Size: Codable {
  var width: Double
  var height: Double
}

struct Items: Codable {
  var ids: [String]
  var sizes: [[Double]]?
}

struct Section: Codable {
  var items: Items
}

struct Collection: Codable {
  var sections: [Section]
}

struct SnapRule: Codable {
  var mode: String
}

struct Layout: Codable {
  var kind: String
  var columnCount: Int?
  var itemLength: Double?
  var itemSpacing: Double?
  var snap: SnapRule?
}

struct Description: Codable {
  var collection: Collection
  var layout: Layout
  var viewport: Size
}

/// Items of one section, half open.
struct IndexRange: Codable, CustomStringConvertible {
  var section: Int
  var start: Int
  var end: Int

  var description: String { "\(start)–\(end - 1)" }
}

struct Element: Codable {
  var kind: String
  var indexPath: [Int]
  var id: String?
}

struct SectionSummary: Codable {
  var itemCount: Int
}

struct Created: Decodable {
  var id: String
  var version: Int
  var contentSize: Size
  var sections: [SectionSummary]
  var attributes: [Element]
  var prefetch: [IndexRange]
}

struct Summary: Decodable {
  var version: Int
  var sections: [SectionSummary]
}

struct Switched: Decodable {
  var version: Int
  var contentSize: Size
  var contentOffset: Point
  var sections: [SectionSummary]
}

struct Visible: Decodable {
  var attributes: [Element]
}

struct Tick: Decodable {
  var appeared: [Element]
  var disappeared: [Element]
  var prefetch: [IndexRange]
  var cancelPrefetch: [IndexRange]
  var reset: Bool
}

struct Batch: Encodable {
  struct Insertion: Encodable {
    var section = 0
    var at: Int
    var items: Items
  }
  struct Expectation: Encodable {
    var itemCounts: [Int]
  }

  var deleteItems: [IndexRange]
  var insertItems: [Insertion]?
  var expect: Expectation?
  var anchor: String?
}

struct Change: Decodable {
  var final: Element
}

struct Updated: Decodable {
  var version: Int
  var sections: [SectionSummary]
  var disappearing: [Change]
  var moving: [Change]
}

struct Movement: Decodable {
  var source: [Int]
  var target: [Int]
  var dragged: Element
  var moving: [Change]
}

struct Snapped: Decodable {
  var targetContentOffset: Point
  var indexPath: [Int]?
}

// MARK: The client

/// An answer that is not the one that was documented.
struct Surprise: Error, CustomStringConvertible {
  var description: String
}

/// What came back: the status and the text, to be read as whatever it should be.
struct Answer {
  var status: Int
  var body: Data

  func read<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(type, from: body)
  }
}

/// The server.
struct Layoutd {
  var url: String
  var key: String?

  /// Keeps its connections.
  ///
  /// On Linux a request's own time limit is not looked at; the session's is.
  private static let session = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 10
    return URLSession(configuration: configuration)
  }()

  /// Asks, and throws ``Surprise`` if the status is not one of `expected`.
  func ask(
    _ method: String, _ path: String, _ body: (any Encodable)? = nil,
    expect expected: [Int] = [200],
    version: Int? = nil
  ) async throws -> Answer {
    let base = url.hasSuffix("/") ? url.dropLast() : url[...]
    guard let address = URL(string: base + path) else {
      throw Surprise(description: "no URL: \(url)")
    }
    var request = URLRequest(url: address)
    request.httpMethod = method
    if let body {
      request.httpBody = try JSONEncoder().encode(body)
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
    if let key { request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization") }
    if let version { request.setValue("\"\(version)\"", forHTTPHeaderField: "If-Match") }
    // Nobody may know whether a change was made: what has no version is not asked for twice.
    let isRepeatable = version != nil || !(path.hasSuffix("/updates") || path.hasSuffix("/end"))
    var (data, status, wait) = try await exchange(request)
    for _ in 0..<3 where status == 429 || status == 503 && isRepeatable {
      // Too many requests, or too much to do: it says when to come again.
      try await Task.sleep(nanoseconds: wait * 1_000_000_000)
      (data, status, wait) = try await exchange(request)
    }
    guard expected.contains(status) else {
      throw Surprise(
        description: "\(method) \(path): \(status) \(String(decoding: data, as: UTF8.self))")
    }
    return Answer(status: status, body: data)
  }

  /// Asks once; says too in how many seconds to ask again.
  private func exchange(_ request: URLRequest) async throws -> (Data, status: Int, wait: UInt64) {
    let (data, response) = try await Self.session.data(for: request)
    let answer = response as? HTTPURLResponse
    let wait = answer?.value(forHTTPHeaderField: "Retry-After").flatMap(UInt64.init) ?? 1
    return (data, answer?.statusCode ?? 0, wait)
  }
}

/// A collection that the server keeps: the version of it that we know, and its sections then.
struct Session {
  let server: Layoutd
  let path: String
  let created: Created
  var version: Int
  var sections: [SectionSummary]

  init(_ server: Layoutd, _ description: Description) async throws {
    self.server = server
    created = try await server.ask("POST", "/v1/sessions", description, expect: [201]).read()
    path = "/v1/sessions/\(created.id)"
    version = created.version
    sections = created.sections
  }

  @discardableResult
  func ask(
    _ method: String, _ path: String = "", _ body: (any Encodable)? = nil, expect status: Int = 200
  ) async throws -> Answer {
    try await server.ask(method, self.path + path, body, expect: [status])
  }

  @discardableResult
  func scroll(to y: Double) async throws -> Tick {
    try await ask("POST", "/scroll", ["contentOffset": Point(x: 0, y: y)]).read()
  }

  mutating func switchLayout(_ layout: Layout) async throws -> Switched {
    let answer: Switched = try await ask("PUT", "/layout", ["layout": layout]).read()
    (version, sections) = (answer.version, answer.sections)
    return answer
  }

  /// Applies a batch to the collection that it was made for, and to no other.
  ///
  /// - Parameters:
  ///   - makeBatch: Is given the sections as they are; asked again if somebody else was quicker (412).
  ///   - onConflict: Is given the version that we knew, and the session's.
  /// - Returns: What the batch changed on screen.
  /// - Throws: ``Surprise``, or what the network says.
  mutating func update(
    _ makeBatch: ([SectionSummary]) -> Batch, onConflict: (Int, Int) -> Void
  ) async throws -> Updated {
    struct VersionProblem: Decodable {
      var version: Int
    }
    while true {
      let answer = try await server.ask(
        "POST", path + "/updates", makeBatch(sections), expect: [200, 412], version: version)
      if answer.status == 200 {
        let updated: Updated = try answer.read()
        (version, sections) = (updated.version, updated.sections)
        return updated
      }
      onConflict(version, try answer.read(VersionProblem.self).version)
      let summary: Summary = try await ask("GET").read()
      (version, sections) = (summary.version, summary.sections)
    }
  }
}

// MARK: The story

@main
enum Story {
  static func main() async {
    do {
      try await tell()
    } catch {
      FileHandle.standardError.write(Data("story: \(error)\n".utf8))
      exit(1)
    }
  }

  static func tell() async throws {
    let environment = ProcessInfo.processInfo.environment
    let server = Layoutd(
      url: environment["LAYOUTD_URL"] ?? "http://127.0.0.1:8080", key: environment["LAYOUTD_KEY"])

    // Sixty pictures in two columns, on a small screen.
    var session = try await Session(
      server,
      Description(
        collection: Collection(sections: [
          Section(
            items: Items(
              ids: (0..<60).map { "p\($0)" },
              sizes: (0..<60).map { [180, [240, 180, 120][$0 % 3]] }))
        ]),
        layout: Layout(kind: "waterfall", columnCount: 2),
        viewport: Size(width: 370, height: 640)))
    let created = session.created
    say(
      "create",
      "60 pictures, \(short(created.contentSize.height)) points high; "
        + "\(created.attributes.count) are visible")
    say("", "prefetch \(list(created.prefetch))")

    // Down, far down, and back: what was asked for too early is cancelled.
    var visible = Set(created.attributes.map(\.indexPath))
    for y in [300, 2000, 1500] {
      let tick = try await session.scroll(to: Double(y))
      if tick.reset { visible.removeAll() }
      visible.subtract(tick.disappeared.map(\.indexPath))
      visible.formUnion(tick.appeared.map(\.indexPath))
      say(
        "scroll",
        "to \(y): \(tick.appeared.count) appear, \(tick.disappeared.count) disappear, "
          + "\(visible.count) are visible")
      say("", "prefetch \(list(tick.prefetch)), cancel \(list(tick.cancelPrefetch))")
    }
    let everything = try await session.ask("GET", "/attributes").read(Visible.self)
    try check(visible == Set(everything.attributes.map(\.indexPath)), "the ticks do not add up")

    // The same pictures as a list; the one in the middle stays there.
    let switched = try await session.switchLayout(
      Layout(kind: "list", itemLength: 80, itemSpacing: 10, snap: SnapRule(mode: "start")))
    say(
      "switch",
      "to a list, \(short(switched.contentSize.height)) points high, "
        + "at \(short(switched.contentOffset.y))")

    // Somebody else takes the first picture away; our batch is for the collection before that.
    try await session.ask(
      "POST", "/updates", Batch(deleteItems: [IndexRange(section: 0, start: 0, end: 1)]))
    let updated = try await session.update { sections in
      Batch(
        deleteItems: [IndexRange(section: 0, start: 18, end: 20)],
        insertItems: [.init(at: sections[0].itemCount - 2, items: Items(ids: ["new"]))],
        expect: .init(itemCounts: [sections[0].itemCount - 1]), anchor: "visible")
    } onConflict: { ours, theirs in
      say("update", "412: we know version \(ours), the session is at \(theirs); look again")
    }
    say(
      "update",
      "version \(updated.version), \(updated.sections[0].itemCount) pictures; "
        + "\(updated.disappearing.count) disappear, \(updated.moving.count) move")

    // To the start, and the first picture to the place of the third, by a finger.
    try await session.scroll(to: 0)
    try await session.ask("POST", "/movement", ["indexPath": [0, 0]], expect: 201)
    let moved = try await session.ask("PATCH", "/movement", ["position": Point(x: 185, y: 400)])
      .read(Movement.self)
    say(
      "drag",
      "\(moved.dragged.id ?? "?") from \(moved.source[1]) over \(moved.target[1]); "
        + "\(ids(moved.moving.map(\.final))) make room")
    let ended = try await session.ask("POST", "/movement/end", [String: Int]()).read(Updated.self)
    let first = try await session.ask("GET", "/attributes?limit=3").read(Visible.self).attributes
    say("drop", "version \(ended.version); now \(ids(first))")
    try check(ids(first) == "p2 p3 p1", "the picture is not where it was put down")

    // A drag that would end between two pictures ends at one.
    let snapped = try await session.ask(
      "POST", "/snap",
      ["proposedContentOffset": Point(x: 0, y: 395), "velocity": Point(x: 0, y: 1200)]
    ).read(Snapped.self)
    say(
      "snap",
      "395 becomes \(short(snapped.targetContentOffset.y)), "
        + "picture \(snapped.indexPath.map { "\($0[1])" } ?? "none")")

    try await session.ask("DELETE", expect: 204)
    try await session.ask("GET", expect: 404)
    say("delete", "gone")
  }

  static func check(_ condition: Bool, _ what: String) throws {
    guard condition else { throw Surprise(description: what) }
  }

  static func say(_ what: String, _ text: String) {
    print(what.padding(toLength: 9, withPad: " ", startingAt: 0), text)
  }

  static func list(_ ranges: [IndexRange]) -> String {
    ranges.isEmpty ? "nothing" : ranges.map(\.description).joined(separator: " ")
  }

  static func ids(_ elements: [Element]) -> String {
    elements.map { $0.id ?? "?" }.joined(separator: " ")
  }

  /// A length without a fraction that is none.
  static func short(_ length: Double) -> String {
    Int(exactly: length).map { "\($0)" } ?? "\(length)"
  }
}
