import HTTPMessages
import Testing

@testable import LayoutAPI

struct RefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var body: String
    var status: Int
    var pointer: String?
    /// A part of the detail.
    var says: String
    var testDescription: String { body }

    init(_ body: String, _ status: Int, _ pointer: String?, _ says: String = "") {
      self.body = body
      self.status = status
      self.pointer = pointer
      self.says = says
    }

    /// A description with one part replaced.
    static func with(
      collection: String = #"{"sections":[]}"#, layout: String = #"{"kind":"flow"}"#,
      viewport: String = #"{"width":100,"height":100}"#, more: String = "", _ pointer: String,
      _ says: String = ""
    ) -> Case {
      Case(
        #"{"collection":\#(collection),"layout":\#(layout),"viewport":\#(viewport)\#(more)}"#, 422,
        pointer, says)
    }

    /// A description with one section.
    static func section(_ section: String, _ pointer: String, _ says: String = "") -> Case {
      .with(collection: #"{"sections":[\#(section)]}"#, "/collection/sections/0" + pointer, says)
    }
  }

  private static let zeros = String(repeating: "0", count: 70)

  static let cases: [Case] = [
    Case("{", 400, nil, "line 1, column 2: expected a name in double quotes, found the end"),
    Case("null", 422, "", "expected an object"),
    Case("[]", 422, ""),
    Case("{} {}", 400, nil, "line 1, column 4: expected the end, found {"),
    // What shells, editors and other languages make of it.
    Case("{'layout':1}", 400, nil, "column 2: expected a name in double quotes, found '"),
    Case(#"{"viewport":{"width":NaN}}"#, 400, "/viewport/width", "expected a value, found NaN"),
    Case(
      "{\"collection\":\n {\"sections\":[{},{\"é\":True}]}}", 400, "/collection/sections/1/é",
      "line 2, column 23: expected a value, found True"),
    Case(#"{"layout":{"kind":"list",}}"#, 400, "/layout", "double quotes, found }"),
    Case("\u{FEFF}{}", 400, nil, "column 1: expected a value, found a byte order mark"),
    Case(#"{"layout":{},"layout":{}}"#, 400, "/layout", "twice"),
    Case("{\"a\":\"\u{FFFD}\"}", 422, "/a", "unknown member"),
    // What cannot be read goes before what is wrong, wherever both are.
    Case(#"{"a":1,"a":2}"#, 400, "/a", "twice"),
    Case(
      #"{"a":{"much longer than eight":1,"b":2,"much longer than eight":3}}"#, 400,
      "/a/much longer than eight", "twice"),
    Case(
      #"{"viewport":{"width":{"x":[{"y":1,"y":1}]},"height":1}}"#, 400,
      "/viewport/width/x/0/y", "twice"),
    Case(#"{"a":{"x":1},"b":{"x":1}}"#, 422, "/a", "unknown member"),
    Case(#"{"viewport":{"width":1e999,"height":1}}"#, 400, "/viewport/width"),
    Case(String(repeating: "[", count: 100) + String(repeating: "]", count: 100), 400, nil, "32"),
    Case("{}", 422, "", "collection"),
    .with(viewport: #"{"width":0,"height":1}"#, "/viewport/width"),
    .with(viewport: #"{"width":10}"#, "/viewport", "height"),
    .with(viewport: #"{"width":10,"height":-1}"#, "/viewport/height"),
    .with(viewport: #"{"width":10,"height":2e9}"#, "/viewport/height"),
    .with(viewport: #"{"width":"10","height":1}"#, "/viewport/width", "a number"),
    .with(viewport: #"{"width":null,"height":1}"#, "/viewport/width", "null"),
    .with(viewport: #"{"width":1,"height":1,"heigth":1}"#, "/viewport/heigth", "height"),
    .with(viewport: #"{"width":1,"height":1,"displayScale":0}"#, "/viewport/displayScale"),
    .with(
      viewport: #"{"width":1,"height":1,"contentOffset":{"x":1}}"#, "/viewport/contentOffset", "y"),
    .with(
      viewport: #"{"width":1,"height":1,"contentOffset":{"x":1,"y":9.1e12}}"#,
      "/viewport/contentOffset/y"),
    .with(viewport: "[1,1]", "/viewport", "expected an object {width,height,contentOffset,"),
    .with(layout: "{}", "/layout", "kind"),
    .with(layout: #"{"kind":"flwo"}"#, "/layout/kind", #"did you mean "flow""#),
    .with(layout: #"{"kind":7}"#, "/layout/kind"),
    .with(layout: #"{"kind":"flow","columnCount":2}"#, "/layout/columnCount", "unknown member"),
    .with(
      layout: #"{"kind":"flow","minimumLineSpaceing":2}"#, "/layout/minimumLineSpaceing",
      #"did you mean "minimumLineSpacing""#),
    .with(layout: #"{"kind":"flow","itemSize":{"width":1}}"#, "/layout/itemSize", "height"),
    .with(layout: #"{"kind":"flow","sectionInset":{"top":-1}}"#, "/layout/sectionInset/top"),
    .with(layout: #"{"kind":"flow","scrollDirection":"up"}"#, "/layout/scrollDirection"),
    .with(layout: #"{"kind":"flow","snap":{"mode":"centre"}}"#, "/layout/snap/mode", "center"),
    .with(layout: #"{"kind":"waterfall","columnCount":0}"#, "/layout/columnCount"),
    .with(layout: #"{"kind":"waterfall","columnCount":1.5}"#, "/layout/columnCount"),
    .with(
      layout: #"{"kind":"waterfall","columnCount":2,"minimumColumnWidth":50}"#,
      "/layout/minimumColumnWidth", "only one"),
    // As many columns as there are millionths, and more.
    .with(
      collection: #"{"sections":[{}]}"#,
      layout: #"{"kind":"waterfall","minimumColumnWidth":0,"minimumColumnSpacing":0}"#,
      "/layout/minimumColumnWidth",
      "columns"),
    .with(collection: "{}", "/collection", "sections"),
    .with(collection: #"{"sections":{}}"#, "/collection/sections", "an array"),
    .section(#"{"itmes":{}}"#, "/itmes", "items"),
    .section(#"{"id":7}"#, "/id"),
    .section(#"{"items":{}}"#, "/items", "count"),
    .with(
      collection: #"{"sections":[{"id":"a"},{"id":"a"}]}"#, "/collection/sections/1/id",
      "already"),
    .section(#"{"items":{"count":-1}}"#, "/items/count"),
    .section(#"{"items":{"count":1e13}}"#, "/items/count"),
    .section(#"{"items":{"count":3,"sizes":[[1,1]]}}"#, "/items/count", "1 elements"),
    .section(#"{"items":{"sizes":[[1,1]],"lengths":[1]}}"#, "/items/lengths", "only one"),
    .section(#"{"items":{"sizes":[[1,1],[1,-1]]}}"#, "/items/sizes/1/1"),
    .section(#"{"items":{"sizes":[[1,1],[1]]}}"#, "/items/sizes/1"),
    .section(#"{"items":{"sizes":[[1,1],"a"]}}"#, "/items/sizes/1"),
    .section(#"{"items":{"lengths":[1,true]}}"#, "/items/lengths/1"),
    .section(#"{"items":{"aspectRatios":[1,0]}}"#, "/items/aspectRatios/1"),
    .section(#"{"items":{"ids":["a","b"],"sizes":[[1,1]]}}"#, "/items/ids"),
    .section(#"{"columnCount":10001}"#, "/columnCount"),
    .with(
      collection: #"{"sections":[{"items":{"ids":["a"]}},{"items":{"ids":["b","a"]}}]}"#,
      "/collection/sections/1/items/ids/1", "[1,1]"),
    .with(
      collection: #"{"sections":[{"items":{"count":1000000000000}}]}"#,
      viewport: #"{"width":50,"height":50}"#, "/collection/sections/0", "9e12"),
    .with(more: #","rect":{"x":0,"y":0,"width":1}"#, "/rect", "height"),
    // As it was written, which no double is.
    .with(
      more: #","rect":{"x":0,"y":9000000000000.000001,"width":1,"height":1}"#, "/rect/y",
      "found 9000000000000.000001"),
    .with(
      more: #","rect":{"x":-9000000000000.000001,"y":0,"width":1,"height":1}"#, "/rect/x",
      "found -9000000000000.000001"),
    .with(
      more: #","rect":{"x":0,"y":1.\#(zeros)e300,"width":1,"height":1}"#, "/rect/y", "found 1e+300"),
    .with(more: #","snap":{"velocity":{"x":0}}"#, "/snap/velocity", "y"),
    .with(more: #","prefetch":{"ahead":-1}"#, "/prefetch/ahead"),
  ]

  @Test(arguments: cases)
  func namesTheStatusAndThePlace(_ refused: Case) throws {
    let service = MockService()
    let answer = try #require(service.send(.post, "/v1/layout", refused.body))
    #expect(answer.status == refused.status, "\(answer.text)")
    #expect(answer.fields["Content-Type"] == "application/problem+json")
    #expect(answer["status"] as? Int == refused.status)
    #expect((answer["type"] as? String)?.hasPrefix("/problems/") == true)
    #expect(answer["title"] is String)
    #expect(answer["requestId"] is String)
    #expect(answer["pointer"] as? String == refused.pointer, "\(answer.text)")
    let detail = try #require(answer["detail"] as? String)
    #expect(refused.says.isEmpty || detail.contains(refused.says), "\(detail)")
  }

  /// What is just inside is taken, and what is just outside is not.
  @Test(arguments: [
    (#""layout":{"kind":"pagedGrid","columns":#}"#, "1", "10000", "0", "10001"),
    (#""layout":{"kind":"pagedGrid","rows":#}"#, "1", "10000", "0", "10001"),
    (#""layout":{"kind":"waterfall","columnCount":#}"#, "1", "10000", "0", "10001"),
    (#""layout":{"kind":"coverFlow","maximumScale":#}"#, "0", "100", "-0.1", "100.1"),
    (#""layout":{"kind":"coverFlow","minimumScale":#}"#, "0", "100", "-0.1", "100.1"),
    (#""layout":{"kind":"coverFlow","scaleFalloff":#}"#, "0", "1e9", "-0.1", "1.1e9"),
    (#""layout":{"kind":"banner","minimumScale":#}"#, "0", "1", "-0.1", "1.1"),
    (#""layout":{"kind":"banner","scaleFactor":#}"#, "0", "1e9", "-0.1", "1.1e9"),
    (#""layout":{"kind":"banner","shiftFactor":#}"#, "0", "1e9", "-0.1", "1.1e9"),
    (#""viewport":{"width":9,"height":#}"#, "0.000001", "1e9", "0", "1.1e9"),
    (#""viewport":{"width":9,"height":9,"displayScale":#}"#, "0.000001", "100", "0", "100.1"),
    (#""prefetch":{"ahead":#}"#, "0", "1000", "-0.1", "1000.1"),
    (#""prefetch":{"behind":#}"#, "0", "1000", "-0.1", "1000.1"),
    (#""collection":{"sections":[{"columnCount":#}]}"#, "1", "10000", "0", "10001"),
    (
      #""collection":{"sections":[{"items":{"count":#,"size":{"width":0,"height":0}}}]}"#, "0",
      "1000000000000", "-1", "1000000000001"
    ),
  ])
  func boundsAreWhereTheContractHasThem(
    member: String, least: String, greatest: String, below: String, above: String
  ) {
    let service = MockService()
    func status(_ number: String) -> Int? {
      var body = member.replacing("#", with: number)
      for (name, other) in [
        ("collection", #"{"sections":[]}"#), ("layout", #"{"kind":"list"}"#),
        ("viewport", #"{"width":9,"height":9}"#),
      ] where !member.hasPrefix("\"\(name)\"") { body += ",\"\(name)\":\(other)" }
      return service.send(.post, "/v1/layout", "{\(body)}")?.status
    }
    #expect(status(least) == 200)
    #expect(status(greatest) == 200)
    #expect(status(below) == 422)
    #expect(status(above) == 422)
  }

  @Test(arguments: ["name", "id"])
  func namesMayBeSoLong(member: String) {
    func status(_ count: Int) -> Int? {
      let name = "\"" + String(repeating: "n", count: count) + "\""
      let section = member == "id" ? "\"id\":\(name)" : "\"items\":{\"ids\":[\(name)]}"
      return MockService().send(
        .post, "/v1/layout",
        """
        {"collection":{"sections":[{\(section)}]},"layout":{"kind":"flow"},
         "viewport":{"width":9,"height":9}}
        """)?.status
    }
    #expect(status(1024) == 200)
    #expect(status(1025) == 422)
  }

  @Test func everyRequestHasANameOfItsOwn() throws {
    let service = MockService()
    let names = (0..<10).compactMap { _ in service.send(.get, "/nowhere")?["requestId"] as? String }
    #expect(Set(names).count == 10)
  }

  @Test func itemsWithDataOfTheirOwnAreLimitedEqualOnesAreNot() throws {
    let service = MockService(limits: ServiceLimits(describedItemCount: 3))
    func status(_ sections: String) -> Int? {
      service.send(
        .post, "/v1/layout",
        #"{"collection":{"sections":[\#(sections)]},"layout":{"kind":"flow"},"viewport":{"width":9,"height":9}}"#
      )?.status
    }
    #expect(status(#"{"items":{"lengths":[1,2,3]}},{"items":{"count":100}}"#) == 200)
    #expect(status(#"{"items":{"lengths":[1,2]}},{"items":{"lengths":[1,2]}}"#) == 422)
    #expect(status(#"{"items":{"ids":["a","b","c","d"]}}"#) == 422)
  }

  @Test(arguments: [
    #"{"items":{"lengths":[1,2]}},{"items":{"sizes":[[1,1],[2,2]]}}"#,
    #"{"items":{"lengths":[1,2]}},{"items":{"aspectRatios":[1,2]}}"#,
    #"{"items":{"ids":["a","b"]}},{"items":{"ids":["c","d"]}}"#,
  ])
  func tooManyItemsAreToldByTheLimitAndNotByWhatIsLeftOfIt(sections: String) throws {
    let service = MockService(limits: ServiceLimits(describedItemCount: 3))
    let description =
      #"{"collection":{"sections":[\#(sections)]},"layout":{"kind":"flow"},"viewport":{"width":9,"height":9}}"#
    let answer = try #require(service.send(.post, "/v1/layout", description))
    #expect(answer.status == 422)
    #expect(answer["detail"] as? String == "more than 3 items would have data of their own")
    #expect((answer["pointer"] as? String)?.hasPrefix("/collection/sections/1/items/") == true)
  }

  @Test func moreElementsThanAnAnswerMayHoldAreRefused() throws {
    let service = MockService(limits: ServiceLimits(elementCount: 10))
    let body =
      #"{"collection":{"sections":[{"items":{"count":100}}]},"layout":{"kind":"flow"},"viewport":{"width":300,"height":900}}"#
    #expect(service.send(.post, "/v1/layout", body)?.status == 422)
    #expect(service.send(.post, "/v1/layout", body, mayTakeLong: false)?.status == 422)
    // Five show, and all others are to be loaded ahead.
    let ahead = body.replacing(#""height":900}"#, with: #""height":50},"prefetch":{"ahead":100}"#)
    #expect(service.send(.post, "/v1/layout", ahead)?.status == 422)
  }

  /// Ten rows show; of names up to 64 bytes there may be twenty, of longer ones half as many.
  private func rows(nameLength: Int, height: Int = 100) -> String {
    let ids = (10..<40).map { "\"\($0)\(String(repeating: "n", count: nameLength - 2))\"" }
    return #"""
      {"collection":{"sections":[{"items":{"ids":[\#(ids.joined(separator: ","))]}}]},
       "layout":{"kind":"list","itemLength":10},"viewport":{"width":100,"height":\#(height)},
       "prefetch":{"ahead":0}}
      """#
  }

  @Test(arguments: ["/v1/layout", "/v1/sessions"])
  func longNamesCountForSeveralElements(path: String) throws {
    let service = MockService(limits: ServiceLimits(elementCount: 20))
    func send(_ nameLength: Int, _ height: Int) -> Answer? {
      service.send(.post, path, rows(nameLength: nameLength, height: height))
    }
    for (nameLength, count) in [(64, 20), (65, 10), (128, 10), (129, 6), (1024, 1)] {
      #expect(send(nameLength, count * 10)?["attributes"] != nil, "\(nameLength)")
      let refusal = send(nameLength, count * 10 + 1)
      #expect(refusal?.status == 422)
      let detail = refusal?["detail"] as? String
      #expect(detail?.hasPrefix("more than \(count) elements") == true)
    }
  }

  @Test(arguments: [
    (HTTPMethod.put, "/viewport", #"{"width":100,"height":101}"#),
    (.put, "/layout", #"{"layout":{"kind":"list","itemLength":9.9}}"#),
    (.post, "/scroll", #"{"contentOffset":{"x":0,"y":5}}"#),
    (.post, "/scroll", #"{"contentOffset":{"x":0,"y":5},"full":true}"#),
    (
      .post, "/updates",
      #"{"insertItems":[{"section":0,"at":0,"items":{"ids":["a"],"lengths":[5]}}]}"#
    ),
  ])
  func longNamesCountForSeveralElementsOfASession(
    method: HTTPMethod, end: String, body: String
  ) throws {
    let service = MockService(limits: ServiceLimits(elementCount: 20))
    func status(nameLength: Int) throws -> Int? {
      let path = try service.makeSession(rows(nameLength: nameLength))
      // Where most of what showed still shows, ticks go by what lies about the edges.
      for y in [10, 20, 30] {
        let tick = #"{"contentOffset":{"x":0,"y":\#(y)}}"#
        #expect(service.send(.post, path + "/scroll", tick)?.status == 200)
      }
      let answer = service.send(method, path + end, body)
      if answer?.status != 200 {
        #expect(service.send(.get, path)?["version"] as? Int == 1)
      }
      return answer?.status
    }
    #expect(try status(nameLength: 64) == 200)
    #expect(try status(nameLength: 65) == 422)
  }

  /// Every step that follows would be refused.
  @Test func noMovementBeginsWhereTooManyElementsShow() throws {
    let service = MockService(limits: ServiceLimits(elementCount: 20))
    let lengths = (0..<40).map { $0 < 10 ? "10" : "1" }.joined(separator: ",")
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"lengths":[\#(lengths)]}}]},"layout":{"kind":"list"},"viewport":{"width":9,"height":25},"prefetch":{"ahead":0}}"#
    )
    for (y, status) in [(95, 422), (80, 201)] {
      let body = #"{"indexPath":[0,2],"contentOffset":{"x":0,"y":\#(y)}}"#
      #expect(service.send(.post, path + "/movement", body)?.status == status)
    }
  }

  @Test func longNamesMakeShortPages() throws {
    let service = MockService(limits: ServiceLimits(elementCount: 20))
    let path = try service.makeSession(rows(nameLength: 65))
    var pages: [Int] = []
    var rest = ""
    repeat {
      let page = try #require(
        service.send(.get, path + "/attributes?x=0&y=0&width=100&height=251" + rest))
      #expect(page.status == 200)
      pages.append(try #require(page["attributes"] as? [Any]).count)
      rest = (page["next"] as? String).map { "&cursor=\($0)" } ?? ""
    } while !rest.isEmpty
    #expect(pages == [10, 10, 6])
  }

  /// As long as the longest of those that there are: of decorations too, and of what comes by an update or goes.
  @Test func theLongestNameThereIsCounts() throws {
    let service = MockService(limits: ServiceLimits(elementCount: 20))
    let path = try service.makeSession(rows(nameLength: 64, height: 110))
    let name = String(repeating: "n", count: 65)
    func send(_ end: String, _ body: String) -> Int? {
      service.send(.post, path + end, body)?.status
    }
    let insertion = #"{"insertItems":[{"section":0,"at":30,"items":{"ids":["\#(name)"]}}]}"#
    #expect(send("/updates", insertion) == 422)
    #expect(
      service.send(.put, path + "/viewport", #"{"width":100,"height":100}"#)?.status == 200)
    #expect(send("/updates", insertion) == 200)
    let tick = #"{"contentOffset":{"x":0,"y":5},"full":true}"#
    #expect(send("/scroll", tick) == 422)
    #expect(send("/updates", #"{"deleteItems":[{"section":0,"start":30,"end":31}]}"#) == 200)
    #expect(send("/scroll", tick) == 200)
    let decorated = rows(nameLength: 64, height: 101).replacing(
      #"{"items""#, with: #"{"decorations":[{"kind":"\#(name)"}],"items""#)
    #expect(service.send(.post, "/v1/layout", decorated)?.status == 422)
  }

  @Test(arguments: ["flow", "waterfall", "pagedGrid", "list", "coverFlow", "wheel", "banner"])
  func withoutSectionsThereIsNoContent(kind: String) throws {
    let inset = kind == "wheel" ? "" : #","sectionInset":{"left":5,"right":5}"#
    let empty = try LaidOut(
      "", layout: "{\"kind\":\"\(kind)\"\(inset)}", viewport: #"{"width":100,"height":300}"#)
    #expect(empty.contentSize == [0, 0])
  }
}

struct RoutingTests {
  @Test func aPathThatIsNotThereIsNotFound() {
    let service = MockService()
    for path in [
      "//", "/v1", "/v1/", "/v1/layout/", "/v1/sessions//", "/v1/sessions/x/y", "/V1/layout",
    ] {
      #expect(service.send(.get, path)?.status == 404, "\(path)")
    }
    // Whoever has curl and no more learns from the body how to go on.
    for (path, says) in [
      ("/v1/layout/", "without the slash"), ("/v1/sessions/x/", "without the slash"),
      ("/layout", "GET /openapi.yaml"), ("/v1", "GET /openapi.yaml"),
    ] {
      let detail = service.send(.post, path, "{}")?["detail"] as? String
      #expect(detail?.contains(says) == true, "\(path): \(detail ?? "")")
    }
  }

  @Test func aMethodThatIsNotThereIsNotAllowed() throws {
    let service = MockService()
    let answer = try #require(service.send(.patch, "/v1/sessions/0"))
    #expect(answer.status == 405)
    #expect(answer.fields["Allow"] == "GET, DELETE, HEAD, OPTIONS")
    #expect((answer["detail"] as? String)?.hasSuffix("allowed: GET, DELETE, HEAD, OPTIONS") == true)
    let options = try #require(service.send(.options, "/v1/layout"))
    #expect(options.status == 204)
    #expect(options.fields["Allow"] == "POST, OPTIONS")
  }

  @Test func bodiesAndAnswersAreJSON() throws {
    let service = MockService()
    #expect(service.send(.post, "/v1/layout", "")?.status == 400)
    #expect(service.send(.post, "/v1/layout", "{}", contentType: nil)?.status == 415)
    #expect(service.send(.post, "/v1/layout", "{}", contentType: "text/plain")?.status == 415)
    for type in [
      "Application/JSON ; charset=utf-8", "application/json;charset=UTF-8", " application/json",
    ] {
      #expect(service.send(.post, "/v1/layout", "{}", contentType: type)?.status == 422, "\(type)")
    }
    for type in ["application/jsonx", "application/json,", "application/jso", "text/json;"] {
      #expect(service.send(.post, "/v1/layout", "{}", contentType: type)?.status == 415, "\(type)")
    }
    #expect(service.send(.post, "/v1/layout", "{}", accept: "text/html")?.status == 406)
    #expect(
      service.send(.post, "/v1/layout", "{}", accept: "application/json;q=0.0, text/*")?.status
        == 406
    )
    for accept in [
      "*/*", "text/html, application/*;q=0.1", "text/html,\t*/* ;q=0.8", "application/json",
      "*/*,text/html;q=0.1",
      "application/json, text/plain, */*", "Application/JSON,text/html",
    ] {
      #expect(service.send(.post, "/v1/layout", "{}", accept: accept)?.status == 422)
    }
  }

  /// What is packed is said to be, and not taken for broken JSON.
  @Test(arguments: [false, true])
  func packedBodiesAreNotTaken(isTick: Bool) throws {
    let service = MockService()
    let created = try #require(
      service.send(
        .post, "/v1/sessions",
        #"{"collection":{"sections":[]},"layout":{"kind":"list"},"viewport":{"width":9,"height":9}}"#
      ))
    let target = isTick ? try #require(created.fields["Location"]) + "/scroll" : "/v1/layout"
    let body = #"{"contentOffset":{"x":0,"y":0}}"#
    let plain = try #require(service.send(.post, target, body)).status
    #expect(plain == 200 || plain == 422)
    #expect(service.send(.post, target, body, contentEncoding: "Identity")?.status == plain)
    for encoding in ["gzip", "identity, br"] {
      let answer = try #require(service.send(.post, target, body, contentEncoding: encoding))
      #expect(answer.status == 415)
      #expect(answer.fields["Accept-Encoding"] == "identity")
    }
    // Nothing to unpack.
    #expect(service.send(.get, "/healthz", contentEncoding: "gzip")?.status == 200)
  }

  @Test func theServerTellsHowItIs() {
    let service = MockService()
    #expect(service.send(.get, "/healthz")?.status == 200)
    #expect(service.send(.get, "/readyz")?.status == 200)
    service.service.stopBeingReady()
    #expect(service.send(.get, "/healthz")?.status == 200)
    #expect(service.send(.get, "/readyz")?.status == 503)
  }

  @Test(arguments: Problem.Kind.allCases)
  func whoeverIsToComeLaterIsToldWhen(kind: Problem.Kind) {
    let saysWhen = Problem(kind, "").fields.contains { $0.name == "Retry-After" }
    #expect(saysWhen == (kind.status == .serviceUnavailable))
  }

  @Test func theContractIsServedAsItIs() throws {
    let contract = try fixture("../../../openapi.yaml")
    #expect(MockService().send(.get, "/openapi.yaml")?.bytes == Array(contract))
  }

  @Test func theContractNamesEveryRouteAndNoOther() throws {
    let lines = String(decoding: try fixture("../../../openapi.yaml"), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    var documented: Set<String> = []
    var path: Substring?
    for line in lines.drop(while: { $0 != "paths:" }).dropFirst() {
      if let first = line.first, first != " ", first != "#" { break }
      let indent = line.prefix { $0 == " " }.count
      let name = line.dropFirst(indent).prefix { $0 != ":" }
      if indent == 2, name.hasPrefix("/") { path = name }
      if indent == 4, let path,
        let method = HTTPMethod(rawValue: name.uppercased()), method != .head, method != .options
      {
        documented.insert("\(method.rawValue) \(path)")
      }
    }
    let served = LayoutService.routes.flatMap { route in
      route.methods.map { "\($0.rawValue) \(route.template)" }
    }
    #expect(documented == Set(served))
  }
}
