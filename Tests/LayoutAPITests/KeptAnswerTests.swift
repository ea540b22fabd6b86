import HTTPMessages
import LayoutCore
import LayoutSessions
import Synchronization
import Testing

@testable import LayoutAPI

/// Services that keep answers and one that does not say the same, whatever happens between.
struct KeptAnswerTests {
  private struct Random: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }

  private static let layouts = [
    #"{"kind":"flow"}"#, #"{"kind":"flow","sectionHeadersPinToVisibleBounds":true}"#,
    #"{"kind":"list"}"#, #"{"kind":"waterfall","columnCount":3}"#,
    #"{"kind":"flow","scrollDirection":"horizontal"}"#, #"{"kind":"coverFlow"}"#,
  ]

  private static func request(_ random: inout Random) -> Request {
    let offset = [0, 100, 250, 400, 403, 406, 409, 500, 900].randomElement(using: &random) ?? 0
    let format = Bool.random(using: &random) ? "" : "?format=columns"
    let tick = #"{"contentOffset":{"x":\#(offset % 2),"y":\#(offset)}"#
    switch Int.random(in: 0..<30, using: &random) {
    case 0..<10: return Request(.post, "/scroll" + format, tick + #","full":true}"#)
    case 10..<17: return Request(.post, "/scroll" + format, tick + "}")
    case 17:
      let layout = layouts.randomElement(using: &random) ?? ""
      return Request(.put, "/layout", #"{"layout":\#(layout)}"#)
    case 18:
      let width = [200, 300].randomElement(using: &random) ?? 0
      return Request(.put, "/viewport", #"{"width":\#(width),"height":300}"#)
    case 19: return Request(.put, "/viewport", tick + "}")
    case 20:
      let items = #"{"section":0,"at":3,"items":{"sizes":[[50,\#(offset + 10)]]}}"#
      return Request(.post, "/updates", #"{"insertItems":[\#(items)]}"#)
    case 21: return Request(.post, "/movement", #"{"indexPath":[0,1]}"#)
    case 23..<26:
      let rect = "x=\(offset % 2)&y=\(offset)&width=200&height=300"
      let format = format.isEmpty ? "" : "&format=columns"
      let limit = offset == 400 ? "&limit=3" : ""
      return Request(.get, "/attributes?" + rect + limit + format)
    case 26..<28:
      let isGiven = Bool.random(using: &random)
      return Request(
        .get, "/attributes" + (isGiven ? "?contentOffsetX=0&contentOffsetY=\(offset)" : ""))
    case 22:
      return Request(.patch, "/movement", #"{"position":{"x":\#(offset),"y":\#(offset)}}"#)
    default:
      return Bool.random(using: &random)
        ? Request(.post, "/movement/end") : Request(.delete, "/movement")
    }
  }

  private struct Request {
    var method: HTTPMethod
    var path: String
    var body = ""

    init(_ method: HTTPMethod, _ path: String, _ body: String = "") {
      self.method = method
      self.path = path
      self.body = body
    }
  }

  @Test(arguments: 0..<6)
  func areWhatWouldBeAnsweredAnew(seed: UInt64) throws {
    var random = Random(state: seed &* 977 &+ 11)
    let sizes = (0..<60).map { "[\(40 + $0 * 7 % 40),\(30 + $0 * 13 % 50)]" }.joined(separator: ",")
    let body =
      #"{"collection":{"sections":[{"header":{"width":0,"height":20},"items":{"sizes":[\#(sizes)]}}]},"layout":{"kind":"flow"},"viewport":{"width":200,"height":300}}"#
    let keeping = MockService()
    let forgetting = MockService(limits: ServiceLimits(keptAnswerByteCount: 0))
    let paths = (try keeping.makeSession(body), try forgetting.makeSession(body))
    var repeated = 0
    var seen: Set<[UInt8]> = []
    for step in 0..<400 {
      let request = Self.request(&random)
      let kept = keeping.send(request.method, paths.0 + request.path, request.body)
      let fresh = forgetting.send(request.method, paths.1 + request.path, request.body)
      #expect(kept?.status == fresh?.status, "step \(step): \(request)")
      #expect(kept?.fields["ETag"] == fresh?.fields["ETag"], "step \(step): \(request)")
      // A change that is wrong in itself would change nothing, and so test nothing.
      if request.method == .put { #expect([200, 409].contains(kept?.status), "\(request)") }
      guard request.path.hasPrefix("/scroll") || request.path.hasPrefix("/attributes") else {
        continue
      }
      #expect(kept?.status == 200)
      #expect(kept?.bytes == fresh?.bytes, "step \(step): \(request)")
      if !seen.insert(kept?.bytes ?? []).inserted { repeated += 1 }
    }
    // The sequence does come back to where it was.
    #expect(repeated > 10)
  }

  /// One thing after the other: a tick may change one and nothing else.
  @Test(arguments: [(0, "disappeared"), (0.5, "cancelPrefetch")])
  func areWhatWouldBeAnsweredAnewEdgeByEdge(behind: Double, alone: String) throws {
    let keeping = MockService()
    let forgetting = MockService(limits: ServiceLimits(keptAnswerByteCount: 0))
    let body =
      #"{"collection":{"sections":[{"items":{"count":30}}]},"layout":{"kind":"list","itemLength":100},"viewport":{"width":100,"height":250},"prefetch":{"behind":\#(behind)}}"#
    let paths = (try keeping.makeSession(body), try forgetting.makeSession(body))
    var seen: [String: Int] = [:]
    for y in Array(0..<700) + Array(200..<700).reversed() {
      let tick = #"{"contentOffset":{"x":0,"y":\#(y)}}"#
      let kept = keeping.send(.post, paths.0 + "/scroll", tick)
      #expect(kept?.status == 200)
      #expect(
        kept?.bytes == forgetting.send(.post, paths.1 + "/scroll", tick)?.bytes, "at \(y)")
      let changes = ["appeared", "disappeared", "prefetch", "cancelPrefetch"].filter {
        (kept?[$0] as? [Any])?.isEmpty == false
      }
      if changes.count < 2 { seen[changes.first ?? "nothing", default: 0] += 1 }
    }
    #expect(Set(seen.keys) == ["nothing", "appeared", "prefetch", alone])
    #expect(try keptBytes(of: keeping) > 0)
  }

  /// What is asked for in many ranges takes memory, which counts as soon as a tick has led there.
  @Test func whatIsAskedForCountsWhateverATickIsAnsweredFrom() throws {
    let service = MockService()
    let lengths = (0..<70).map { $0 < 10 ? 100 : 10 }
    let sections = lengths.map { #"{"items":{"lengths":[\#($0)]}}"# }.joined(separator: ",")
    let path = try service.makeSession(
      #"{"collection":{"sections":[\#(sections)]},"layout":{"kind":"list"},"viewport":{"width":100,"height":100},"prefetch":{"ahead":4}}"#
    )
    let sessions = service.service.sessions
    let session = try service.residentSession(path)
    for isFull in [false, true, true] {
      var counts: Set<Int> = []
      for y in stride(from: 0, through: 1200, by: 3) {
        let tick = #"{"contentOffset":{"x":0,"y":\#(y)},"full":\#(isFull)}"#
        #expect(service.send(.post, path + "/scroll", tick)?.status == 200)
        #expect(sessions.statistics.byteCount == session.byteCount, "at \(y)")
        counts.insert(session.byteCount)
      }
      #expect(counts.count > 1)
    }
  }

  /// And so are ticks near the last one, from what is kept of what lies about the edges.
  @Test(arguments: [true, false])
  func areOfTheVersionThatTheClientBelievesIn(isFull: Bool) throws {
    let service = MockService()
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"count":9,"size":{"width":50,"height":50}}}]},"layout":{"kind":"flow"},"viewport":{"width":100,"height":100}}"#
    )
    func tick(_ ifMatch: String) -> Int? {
      let body = #"{"contentOffset":{"x":0,"y":10},"full":\#(isFull)}"#
      return service.send(.post, path + "/scroll", body, ifMatch: ifMatch)?.status
    }
    for _ in 0..<3 {
      #expect(tick("") == 200)
      #expect(tick(#""1""#) == 200)
      #expect(tick(#""2""#) == 412)
    }
  }

  /// What a question is answered from while an item is moved depends on the tick, and its tag says so.
  @Test func aTickOfAMovementHasTheTagOfWhatFollows() throws {
    let service = MockService()
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"count":9,"size":{"width":50,"height":50}}}]},"layout":{"kind":"flow"},"viewport":{"width":100,"height":100}}"#
    )
    let began = service.send(.post, path + "/movement", #"{"indexPath":[0,1]}"#)
    #expect(began?.status == 200 || began?.status == 201)
    var tags: Set<String> = []
    for y in 10..<14 {
      let tick = service.send(.post, path + "/scroll", #"{"contentOffset":{"x":0,"y":\#(y)}}"#)
      let tag = try #require(tick?.fields["ETag"])
      #expect(service.send(.get, path + "/attributes")?.fields["ETag"] == tag)
      // However often the same is asked.
      let same = service.send(.get, path + "/attributes?x=0&y=0&width=100&height=100")
      #expect(same?.fields["ETag"] == tag)
      #expect(tags.insert(tag).inserted)
      let full = service.send(
        .post, path + "/scroll", #"{"contentOffset":{"x":0,"y":9},"full":true}"#)
      #expect(tags.insert(try #require(full?.fields["ETag"])).inserted)
    }
  }

  /// What is to be loaded ahead is where the content moves to.
  @Test(arguments: ["", "?format=columns"])
  func areOfTheWayThatTheContentMoves(format: String) throws {
    let service = MockService()
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"count":99}}]},"layout":{"kind":"list","itemLength":50},"viewport":{"width":100,"height":100}}"#
    )
    func tick(from y: Int) -> [UInt8]? {
      [y, 500].map {
        service.send(
          .post, path + "/scroll" + format, #"{"contentOffset":{"x":0,"y":\#($0)},"full":true}"#)
      }.last??.bytes
    }
    for _ in 0..<3 { _ = tick(from: 0) }
    #expect(tick(from: 1000) != tick(from: 0))
  }

  /// A pinned header is elsewhere, though the same rectangle is asked for.
  @Test func areNotWhatShowedAtAnotherOffset() throws {
    let service = MockService()
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"header":{"width":0,"height":20},"items":{"count":99}}]},"layout":{"kind":"list","itemLength":50,"sectionHeadersPinToVisibleBounds":true},"viewport":{"width":100,"height":100}}"#
    )
    func elements(at y: Int) -> [UInt8]? {
      let offset = "&contentOffsetX=0&contentOffsetY=\(y)"
      return service.send(.get, path + "/attributes?x=0&y=0&width=100&height=100" + offset)?.bytes
    }
    let before = elements(at: 0)
    for _ in 0..<2 { #expect(elements(at: 0) == before) }
    #expect(elements(at: 30) != before)
  }

  @Test func areNotThoseOfAnotherPage() throws {
    let service = MockService()
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"count":9}}]},"layout":{"kind":"list","itemLength":50},"viewport":{"width":100,"height":100}}"#
    )
    func attributes(_ page: String) -> Any? {
      service.send(.get, path + "/attributes?x=0&y=0&width=100&height=200" + page)?["attributes"]
    }
    func count(_ page: String) -> Int? { (attributes(page) as? [Any])?.count }
    // Kept since the second.
    for _ in 0..<3 { #expect(count("") == 4) }
    #expect(count("&cursor=0.1") == 3)
    #expect(count("&limit=2") == 2)
    let columns = attributes("&format=columns") as? [String: Any]
    #expect(columns?["item"] as? [Int] == [0, 1, 2, 3], "\(columns as Any)")
  }

  /// Nor do more elements show by what is kept than otherwise.
  @Test func areNoLongerThanAnswersMayBe() throws {
    let service = MockService(limits: ServiceLimits(elementCount: 11))
    // Four to a line, lines 60 apart: two lines show, and three from 11 on.
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"count":100}}]},"layout":{"kind":"flow"},"viewport":{"width":230,"height":110}}"#
    )
    func tick(_ y: Int) -> Int? {
      service.send(.post, path + "/scroll", #"{"contentOffset":{"x":0,"y":\#(y)}}"#)?.status
    }
    #expect(tick(1) == 200)
    #expect(tick(2) == 200)
    #expect(tick(11) == 422)
  }

  /// A band is made for who goes on, not for who goes to and fro.
  @Test func bandsAreKeptForOneWay() throws {
    let service = MockService()
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"count":1000}}]},"layout":{"kind":"flow"},"viewport":{"width":200,"height":300}}"#
    )
    func keptBytes(afterTickAt y: Int) throws -> Int {
      let tick = service.send(.post, path + "/scroll", #"{"contentOffset":{"x":0,"y":\#(y)}}"#)
      #expect(tick?.status == 200)
      return try self.keptBytes(of: service)
    }
    // What shows at first is all new.
    #expect(try keptBytes(afterTickAt: 2000) == 0)
    for _ in 0..<5 {
      #expect(try keptBytes(afterTickAt: 1990) == 0)
      #expect(try keptBytes(afterTickAt: 2000) == 0)
    }
    #expect(try keptBytes(afterTickAt: 2010) > 0)
  }

  /// However many elements show, a tick that shows none of them anew is answered at once.
  @Test(arguments: [(800, 700), (1920, 1080), (3840, 2160)])
  func bandsAreKeptForLargeScreens(width: Int, height: Int) throws {
    let looks = Atomic<UInt64>(0)
    let clock: @Sendable () -> UInt64 = { looks.wrappingAdd(1, ordering: .relaxed).newValue }
    let service = MockService(clocks: ServiceClocks(monotonic: clock, thread: clock))
    let lengths = (0..<20_000).map { "\($0 % 2 + 50)" }.joined(separator: ",")
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"lengths":[\#(lengths)]}}]},"layout":{"kind":"flow"},"viewport":{"width":\#(width),"height":\#(height)}}"#
    )
    func tick(_ y: Int, mayTakeLong: Bool) -> Int? {
      service.send(
        .post, path + "/scroll", #"{"contentOffset":{"x":0,"y":\#(y)}}"#,
        mayTakeLong: mayTakeLong)?.status
    }
    #expect(tick(1, mayTakeLong: true) == 200)
    #expect(tick(2, mayTakeLong: true) == 200)
    #expect(try keptBytes(of: service) > 0)
    // What a band answers is so quick that nobody looks how long it takes.
    let before = looks.load(ordering: .relaxed)
    #expect(tick(3, mayTakeLong: false) == 200)
    #expect(tick(4, mayTakeLong: false) == 200)
    #expect(looks.load(ordering: .relaxed) == before)
    #expect(ScrollBand.maximumByteCount + 512 <= service.service.bands.answerLimit)
  }

  /// What is said to be kept is not counted for each who is sent it.
  @Test(arguments: [true, false])
  func areNotSaidToBeKeptWhereTheyAreTooLong(isTick: Bool) throws {
    let service = MockService()
    let session = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"count":2000}}]},"layout":{"kind":"list","itemLength":1},"viewport":{"width":100,"height":2000}}"#
    )
    let path = Array((session + (isTick ? "/scroll" : "/attributes")).utf8)
    let query = Array((isTick ? "" : "x=0&y=0&width=100&height=2000").utf8)
    let body = Array((isTick ? #"{"contentOffset":{"x":0,"y":0},"full":true}"# : "").utf8)
    let type = Array((isTick ? "application/json" : "").utf8)
    for _ in 0..<3 {
      let request = HTTPRequest(
        method: isTick ? .post : .get, path: path.span, query: query.span,
        fields: HTTPRequestFields(contentType: type.span), body: body.span)
      guard let response = service.service.respond(to: request, mayTakeLong: true) else {
        throw MockError(message: "no answer")
      }
      #expect(response.content.byteCount > 100_000)
      #expect(!response.content.isKept)
    }
  }

  /// The thread that serves has looked at the request before.
  @Test func whatAWorkerAnswersHasNotBeenAskedTwice() throws {
    let time = Atomic<UInt64>(0)
    let slow: @Sendable () -> UInt64 = {
      time.wrappingAdd(2_000_000, ordering: .relaxed).newValue
    }
    let service = MockService(clocks: ServiceClocks(monotonic: slow, thread: slow))
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"lengths":[\#(longLengths)]}}]},"layout":{"kind":"list"},"viewport":{"width":200,"height":300}}"#
    )
    // It is suspected of being slow, and then found to be.
    for _ in 0..<2 { #expect(service.send(.get, path + "/item-at?x=1&y=1")?.status == 200) }
    let tick = #"{"contentOffset":{"x":0,"y":500},"full":true}"#
    func keptBytesAfterTick() throws -> Int {
      #expect(service.send(.post, path + "/scroll", tick, mayTakeLong: false) == nil)
      #expect(service.send(.post, path + "/scroll", tick)?.status == 200)
      return try self.keptBytes(of: service)
    }
    #expect(try keptBytesAfterTick() == 0)
    #expect(try keptBytesAfterTick() > 0)
  }

  /// The memory of answers that are kept, as the server says.
  private func keptBytes(of service: MockService) throws -> Int {
    try #require(try service.sample("layoutd_kept_answer_bytes").flatMap { Int($0) })
  }
}
