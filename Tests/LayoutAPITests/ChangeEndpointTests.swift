import Foundation
import HTTPMessages
import LayoutSessions
import Testing

@testable import LayoutAPI
@testable import LayoutCore

/// Two sections that every layout can lay out, in a viewport of 375 by 300.
private func description(_ layout: String, offset: String = #"{"x":0,"y":0}"#) -> String {
  """
  {"collection":{"sections":[
     {"items":{"sizes":[\((0..<40).map { "[\(60 + $0 * 7 % 30),\(50 + $0 * 11 % 50)]" }.joined(separator: ","))]},
      "header":{"width":0,"height":30},"decorations":[{"kind":"background"}]},
     {"items":{"count":30}}]},
   "layout":\(layout),"viewport":{"width":375,"height":300,"contentOffset":\(offset)}}
  """
}

private let layouts = [
  #"{"kind":"flow"}"#, #"{"kind":"flow","sectionHeadersPinToVisibleBounds":true}"#,
  #"{"kind":"waterfall"}"#, #"{"kind":"pagedGrid"}"#, #"{"kind":"list"}"#,
  #"{"kind":"coverFlow"}"#, #"{"kind":"coverFlow","maximumScale":2}"#, #"{"kind":"wheel"}"#,
  #"{"kind":"banner","itemSize":{"width":275,"height":150}}"#,
]

struct ReplacingLayoutTests {
  /// Where drags end is the new layout's own.
  @Test func aLayoutBringsItsSnapping() throws {
    let service = MockService()
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"count":40}}]},"layout":{"kind":"list","itemLength":50},"viewport":{"width":100,"height":100}}"#
    )
    func target() -> Double? {
      let drag = #"{"proposedContentOffset":{"x":0,"y":130},"velocity":{"x":0,"y":0}}"#
      let answer = service.send(.post, path + "/snap", drag)
      return (answer?["targetContentOffset"] as? [String: Double])?["y"]
    }
    #expect(target() == 130)
    let layout = #"{"layout":{"kind":"list","itemLength":50,"snap":{"mode":"start"}}}"#
    #expect(service.send(.put, path + "/layout", layout)?.status == 200)
    #expect(target() == 150)
  }

  /// Else a client could have any number looked at: it says where it is.
  @Test(arguments: [
    ("/layout", #""layout":{"kind":"list","itemLength":90}"#),
    ("/viewport", #""width":400,"height":90"#),
    ("/collection", #""collection":{"sections":[{"items":{"count":1}}]}"#),
  ])
  func anAnchorIsLookedForAmongSoManyElementsOnly(end: String, change: String) throws {
    let mock = MockService(limits: ServiceLimits(elementCount: 10))
    let path = try mock.makeSession(
      #"""
      {"collection":{"sections":[{"header":{"width":0,"height":90},"items":{"count":20,"size":{"width":10,"height":1000}}}]},
       "layout":{"kind":"flow","minimumInteritemSpacing":0},"viewport":{"width":400,"height":90},
       "prefetch":{"ahead":0}}
      """#)
    func send(at y: Int) -> Answer? {
      mock.send(
        .put, path + end,
        #"{\#(change),"anchor":"visible","contentOffset":{"x":0,"y":\#(y)}}"#)
    }
    #expect(send(at: 200)?.status == 422)
    #expect(mock.send(.get, path)?["version"] as? Int == 1)
    #expect(send(at: 0)?.status == 200)
  }

  /// A refusal points into the body that was sent, or nowhere.
  @Test func whatCannotBeLaidOutIsNamedWhereItWasSaid() throws {
    let mock = MockService()
    let collection =
      #""collection":{"sections":[{},{"items":{"count":1000000000000},"columnCount":2}]}"#
    let path = try mock.makeSession(
      #"{\#(collection),"layout":{"kind":"list","itemLength":1},"viewport":{"width":9,"height":9}}"#
    )
    let layout = #""layout":{"kind":"list","itemLength":100}"#
    let wide =
      #""layout":{"kind":"waterfall","minimumColumnWidth":0.000001,"minimumColumnSpacing":0}"#
    for body in [layout, #""layout":{"kind":"coverFlow","itemSize":{"width":9,"height":99}}"#] {
      let answer = try #require(mock.send(.put, path + "/layout", "{\(body)}"))
      #expect(answer.status == 422)
      #expect(answer["pointer"] == nil)
    }
    let sections = Array(repeating: #"{"items":{"count":1000000000000}}"#, count: 12)
    let replaced = try #require(
      mock.send(
        .put, path + "/collection",
        #"{"collection":{"sections":[\#(sections.joined(separator: ","))]}}"#))
    #expect(replaced.status == 422)
    #expect(replaced["pointer"] as? String == "/collection/sections/9")
    let long = try #require(
      mock.send(
        .post, "/v1/layout", "{\(collection),\(layout),\"viewport\":{\"width\":9,\"height\":9}}"))
    #expect(long.status == 422)
    #expect(long["pointer"] as? String == "/collection/sections/1")
    let short = try mock.makeSession(
      #"{"collection":{"sections":[{"items":{"count":9}}]},\#(wide),"viewport":{"width":0.009,"height":9}}"#
    )
    let viewport = try #require(
      mock.send(.put, short + "/viewport", #"{"width":9,"height":9}"#))
    #expect(viewport.status == 422)
    #expect(viewport["pointer"] == nil)
  }

  @Test(arguments: layouts, layouts)
  func anyLayoutGivesWayToAnyOther(from: String, to: String) throws {
    let service = MockService()
    let path = try service.makeSession(description(from, offset: #"{"x":150,"y":150}"#))
    let switched = try #require(
      service.send(.put, path + "/layout", "{\"layout\":\(to)}", ifMatch: "\"1\""))
    #expect(switched.status == 200)
    #expect(switched["version"] as? Int == 2)
    #expect(switched.fields["ETag"] == "\"2.1\"")
    #expect(switched.text("prefetch") == "[]")
    #expect(switched["attributes"] as? [Any] != nil)

    // What is there is what a new session of that layout has.
    let offset = try #require(switched.text("contentOffset"))
    let fresh = try #require(
      service.send(.post, "/v1/sessions", description(to, offset: offset)))
    #expect(switched.text("contentSize") == fresh.text("contentSize"))
    #expect(switched.text("attributes") == fresh.text("attributes"))

    // The next tick is a reset, the one after it is none.
    let tick = try #require(
      service.send(.post, path + "/scroll", "{\"contentOffset\":\(offset)}"))
    #expect(tick["reset"] as? Bool == true)
    #expect(tick.text("appeared") == switched.text("attributes"))
    #expect(tick.text("prefetch") == fresh.text("prefetch"))
    #expect(tick.text("cancelPrefetch") == "[]")
    let next = try #require(
      service.send(.post, path + "/scroll", "{\"contentOffset\":\(offset)}"))
    #expect(next["reset"] as? Bool == false)
    #expect(next.text("appeared") == "[]")
  }

  /// Whatever the number of items, who pins headers, or says the same again, moves none.
  @Test func whatOnlyScrollsOtherwiseIsNotLaidOutAnew() throws {
    let mock = MockService()
    let path = try mock.makeSession(description(#"{"kind":"flow"}"#))
    let name = SessionID(Array(path.utf8.suffix(32)).span)
    let id = try #require(name)
    /// The sections as they are in memory.
    func sections() throws -> AnyObject {
      let session = try #require(
        mock.service.sessions.session(id, of: .anonymous, at: mock.clock.now))
      let stack = Mirror(reflecting: session.snapshot.layout.placement)
      return try #require(stack.descendant("slots", "root", "leaf")) as AnyObject
    }
    let before = try sections()
    for (metrics, isKept) in [
      ("", true), (#","sectionHeadersPinToVisibleBounds":true"#, true),
      (#","minimumLineSpacing":11"#, false),
    ] {
      let answer = mock.send(.put, path + "/layout", #"{"layout":{"kind":"flow"\#(metrics)}}"#)
      #expect(answer?.status == 200)
      #expect(try (sections() === before) == isKept)
    }
  }

  @Test func theItemInTheMiddleStaysThere() throws {
    let service = MockService()
    // Five lines of one item each in view, item 20 in the middle.
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":100}}]},
       "layout":{"kind":"list","itemLength":60},
       "viewport":{"width":400,"height":300,"contentOffset":{"x":0,"y":1080}}}
      """)
    func offset(of layout: String) -> String? {
      service.send(.put, path + "/layout", "{\"layout\":\(layout)}")?.text("contentOffset")
    }
    // Its middle goes from 1230 to 2050, whatever the layout.
    #expect(offset(of: #"{"kind":"list","itemLength":100}"#) == #"{"x":0,"y":1900}"#)
    #expect(
      offset(of: #"{"kind":"coverFlow","itemSize":{"width":90,"height":90}}"#)
        == #"{"x":1845,"y":0}"#)
    // The upright card: 20 · (100 · 133 − 400) / 99.
    #expect(offset(of: #"{"kind":"wheel"}"#) == #"{"x":2606.060606,"y":0}"#)
    #expect(offset(of: #"{"kind":"list","itemLength":1}"#) == #"{"x":0,"y":0}"#)
  }

  /// Beyond either end of two columns the second is nearer to the middle.
  @Test(arguments: [(-120, 1), (2000, 19)])
  func theNearestItemStaysInTheMiddleWhereNoneShows(y: Int, nearest: Int) throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":20}}]},
       "layout":{"kind":"flow","itemSize":{"width":80,"height":50},"sectionInset":{"right":20}},
       "viewport":{"width":200,"height":100,"contentOffset":{"x":0,"y":\(y)}}}
      """)
    let list = #"{"kind":"list","itemLength":44,"sectionInset":{"top":300,"bottom":300}}"#
    let answer = service.send(.put, path + "/layout", "{\"layout\":\(list)}")
    #expect(answer?.text("contentOffset") == "{\"x\":0,\"y\":\(300 + 44 * nearest + 22 - 50)}")
  }

  @Test func theLastItemStaysInTheMiddleFarBeyondTheEnd() throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":1000000}}]},
       "layout":{"kind":"flow","itemSize":{"width":44,"height":44}},
       "viewport":{"width":44,"height":100,"contentOffset":{"x":1000000,"y":80000000}}}
      """)
    let list = #"{"kind":"list","itemLength":10,"sectionInset":{"bottom":300}}"#
    let answer = service.send(.put, path + "/layout", "{\"layout\":\(list)}")
    #expect(answer?.text("contentOffset") == #"{"x":0,"y":9999945}"#)
  }

  @Test func aWrongLayoutChangesNothing() throws {
    let service = MockService()
    let path = try service.makeSession(description(layouts[0]))
    let before = service.send(.get, path + "/attributes")?.text
    let wrong: [(String, Int, String?)] = [
      (#"{"layout":{"kind":"spiral"}}"#, 422, "/layout/kind"),
      (#"{"layout":{"kind":"list","columns":3}}"#, 422, "/layout/columns"),
      (
        #"{"layout":{"kind":"wheel","scrollDirection":"vertical"}}"#, 422, "/layout/scrollDirection"
      ),
      (#"{"layout":{"kind":"banner","minimumScale":1.5}}"#, 422, "/layout/minimumScale"),
      (#"{"layout":{"kind":"coverFlow","maximumScale":-1}}"#, 422, "/layout/maximumScale"),
      (#"{"layout":{"kind":"pagedGrid","rows":0}}"#, 422, "/layout/rows"),
      (#"{"layout":{"kind":"list"},"viewport":{}}"#, 422, "/viewport"),
      (#"{}"#, 422, ""),
      (#"{"layout":"#, 400, "/layout"), ("{", 400, nil),
    ]
    for (body, status, pointer) in wrong {
      let answer = try #require(service.send(.put, path + "/layout", body))
      #expect(answer.status == status, "\(body)")
      #expect(answer["pointer"] as? String == pointer, "\(body)")
    }
    #expect(
      service.send(.put, path + "/layout", #"{"layout":{"kind":"list"}}"#, ifMatch: "\"2\"")?.status
        == 412)
    #expect(service.send(.get, path + "/attributes")?.text == before)
    #expect(service.send(.get, path)?["version"] as? Int == 1)
  }

  @Test func longCollectionsAreLaidOutByAWorker() throws {
    let service = MockService()
    let lengths = (0..<6000).map { "\($0 % 7)" }.joined(separator: ",")
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"lengths":[\(lengths)]}}]},"layout":{"kind":"list"},
       "viewport":{"width":375,"height":300}}
      """)
    let body = #"{"layout":{"kind":"waterfall"}}"#
    #expect(service.send(.put, path + "/layout", body, mayTakeLong: false) == nil)
    #expect(service.send(.put, path + "/layout", body)?["version"] as? Int == 2)
  }

  @Test func aLayoutThatTakesTooMuchMemoryIsRefused() throws {
    let lengths = (0..<20_000).map { "\($0 % 7)" }.joined(separator: ",")
    let service = MockService(sessions: SessionLimits(byteCount: 250_000))
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"lengths":[\(lengths)]}}]},
       "layout":{"kind":"list"},"viewport":{"width":375,"height":300}}
      """)
    // A flow keeps its lines; here each item is one.
    let wide = #"{"layout":{"kind":"flow","itemSize":{"width":375,"height":1}}}"#
    #expect(service.send(.put, path + "/layout", wide)?.status == 422)
    #expect(service.send(.get, path)?["version"] as? Int == 1)
  }

  /// Card 8 stands upright; its row is at 800 to 900 then.
  @Test func theCardThatShowsInTheMiddleStaysThere() throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":17}}]},"layout":{"kind":"wheel"},
       "viewport":{"width":375,"height":300,"contentOffset":{"x":943,"y":0}}}
      """)
    let answer = service.send(
      .put, path + "/layout", #"{"layout":{"kind":"list","itemLength":100}}"#)
    #expect(answer?.text("contentOffset") == #"{"x":0,"y":700}"#)
  }

  @Test(arguments: layouts)
  func columnsTellOfEffectsToo(layout: String) throws {
    let service = MockService()
    let path =
      try service.makeSession(description(layout, offset: #"{"x":150,"y":20}"#)) + "/attributes"
    let objects = try #require(service.send(.get, path)?["attributes"] as? [[String: Any]])
    let columns = try #require(
      service.send(.get, path + "?format=columns")?["attributes"] as? [String: [Any]])
    let defaults: [String: Any] = [
      "zIndex": 0, "alpha": 1, "transform": [1, 0, 0, 1, 0, 0],
      "anchorPoint": ["x": 0.5, "y": 0.5],
    ]
    #expect(!objects.isEmpty && columns["kind"]?.count == objects.count)
    for (place, object) in objects.enumerated() {
      for (name, standard) in defaults {
        #expect(
          canonicalJSON(columns[name]?[place] ?? standard)
            == canonicalJSON(object[name] ?? standard),
          "\(name) of element \(place)")
      }
    }
  }
}

struct ReplacingViewportTests {
  @Test func aNewSizeInvalidatesAndIsANewVersion() throws {
    let service = MockService()
    let path = try service.makeSession(description(layouts[0], offset: #"{"x":0,"y":600}"#))
    let before = try #require(service.send(.get, path))
    let rotated = try #require(
      service.send(.put, path + "/viewport", #"{"viewport":{"width":667,"height":375}}"#))
    #expect(rotated.status == 200)
    #expect(rotated["invalidated"] as? Bool == true)
    #expect(rotated["version"] as? Int == 2)
    #expect(rotated.text("prefetch") == before.text("prefetch"))
    // The old offset lies beyond what is there now.
    let size = try #require(rotated["contentSize"] as? [String: Double])
    let offset = try #require(rotated["contentOffset"] as? [String: Double])
    #expect(offset["y"] == (size["height"] ?? 0) - 375)
    #expect(
      service.send(.get, path + "/attributes")?.text("attributes") == rotated.text("attributes"))
    // The answer counts as a tick: the next one says what is different from it.
    let tick = try #require(
      service.send(
        .post, path + "/scroll", "{\"contentOffset\":\(rotated.text("contentOffset") ?? "")}"))
    #expect(tick["reset"] as? Bool == false)
    #expect(tick.text("appeared") == "[]")
    #expect(tick.text("changed") == "[]")
    #expect(tick.text("disappeared") == "[]")
  }

  @Test(arguments: [
    (#"{"kind":"flow"}"#, false), (#"{"kind":"pagedGrid"}"#, false), (#"{"kind":"list"}"#, false),
    (#"{"kind":"list","sectionHeadersPinToVisibleBounds":true}"#, true),
    (#"{"kind":"coverFlow"}"#, true), (#"{"kind":"wheel"}"#, true), (#"{"kind":"banner"}"#, true),
  ])
  func plainScrollingInvalidatesOnlyWhatFollowsIt(layout: String, expected: Bool) throws {
    let service = MockService()
    let path = try service.makeSession(description(layout))
    let scrolled = try #require(
      service.send(.put, path + "/viewport", #"{"contentOffset":{"x":40,"y":50}}"#))
    #expect(scrolled["invalidated"] as? Bool == expected)
    #expect(scrolled["version"] as? Int == 1)
    #expect(scrolled.text("contentOffset") == #"{"x":40,"y":50}"#)
    let still = service.send(.put, path + "/viewport", #"{"contentOffset":{"x":40,"y":50}}"#)
    #expect(still?["invalidated"] as? Bool == false)
    let same = service.send(.put, path + "/viewport", #"{"width":375,"height":300}"#)
    #expect(same?["invalidated"] as? Bool == false)
    #expect(same?["version"] as? Int == 1)
    let sharper = service.send(.put, path + "/viewport", #"{"displayScale":3}"#)
    #expect(sharper?["invalidated"] as? Bool == true)
    #expect(sharper?["version"] as? Int == 2)
    // `shouldInvalidateLayout(forBoundsChange:)` says the same of a collection without sections.
    let empty = try service.makeSession(
      """
      {"collection":{"sections":[]},"layout":\(layout),"viewport":{"width":375,"height":300}}
      """)
    let moved = service.send(.put, empty + "/viewport", #"{"contentOffset":{"x":40,"y":50}}"#)
    #expect(moved?["invalidated"] as? Bool == expected)
  }

  @Test(arguments: [
    (#"{"width":100}"#, ""), (#"{"viewport":{"height":100}}"#, "/viewport"),
    (#"{"width":0,"height":100}"#, "/width"),
    (#"{"viewport":{"width":10,"height":10},"width":10}"#, ""),
    (#"{"viewport":{"viewport":{}}}"#, "/viewport/viewport"),
    (#"{"offset":{"x":0,"y":0}}"#, "/offset"), (#"{"contentOffset":{"x":0}}"#, "/contentOffset"),
  ])
  func aWrongViewportIsRefused(body: String, pointer: String) throws {
    let service = MockService()
    let path = try service.makeSession(description(layouts[0]))
    let answer = try #require(service.send(.put, path + "/viewport", body))
    #expect(answer.status == 422)
    #expect(answer["pointer"] as? String == pointer)
    #expect(service.send(.get, path)?["version"] as? Int == 1)
  }

  @Test func anOffsetThatIsGivenWithASizeIsTakenAsItIs() throws {
    let service = MockService()
    let path = try service.makeSession(description(layouts[0]))
    let answer = service.send(
      .put, path + "/viewport", #"{"width":667,"height":375,"contentOffset":{"x":0,"y":-40}}"#)
    #expect(answer?["version"] as? Int == 2)
    #expect(answer?.text("contentOffset") == #"{"x":0,"y":-40}"#)
  }
}

struct ImageTests {
  /// Behind covers too, of which those aside have lower places than what decorates their section.
  @Test func decorationsStandBehindWhateverElseThereIs() throws {
    let service = MockService()
    let path = try service.makeSession(
      #"""
      {"collection":{"sections":[{"items":{"count":9},"decorations":[{"kind":"shade"}]}]},
       "layout":{"kind":"coverFlow","itemSize":{"width":20,"height":30}},
       "viewport":{"width":100,"height":100}}
      """#)
    let answer = try #require(service.send(.get, path + "/image.svg"))
    let text = String(decoding: answer.bytes, as: UTF8.self)
    let shade = try #require(text.range(of: "<title>shade "))
    let cell = try #require(text.range(of: "<title>cell "))
    #expect(shade.lowerBound < cell.lowerBound)
  }

  @Test(arguments: layouts)
  func aPictureIsWellFormedAndShowsEachElement(layout: String) throws {
    let service = MockService()
    let path = try service.makeSession(
      description(layout, offset: #"{"x":150,"y":20}"#).replacing(
        "background", with: "<&>\\u0007\\\"background"))
    for query in ["", "?x=-50&y=-50&width=2000&height=1500"] {
      let answer = try #require(service.send(.get, path + "/image.svg" + query, accept: "image/*"))
      #expect(answer.status == 200)
      #expect(answer.fields["Content-Type"] == "image/svg+xml")
      #expect(answer.fields["Content-Security-Policy"] == "default-src 'none'")
      #expect(answer.fields["X-Content-Type-Options"] == "nosniff")
      let picture = SVGReader(answer.bytes)
      let shown = try #require(
        service.send(.get, path + "/attributes" + query)?["attributes"] as? [[String: Any]])
      #expect(picture.isWellFormed)
      #expect(picture.titles.count == shown.count)
      #expect(picture.transformCount == shown.count { $0["transform"] != nil })
      #expect(picture.rectangleCount == shown.count + 3)  // the ground, the window, the viewport
    }
  }

  /// Browsers' floats have no digits left for frames that are so far from the origin.
  @Test(arguments: layouts)
  func aPictureDeepWithinTheContentIsDrawnFromItsOwnOrigin(layout: String) throws {
    let service = MockService()
    let isVertical = layout.contains(/flow|waterfall|list/)
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":1000000000}}]},"layout":\(layout),
       "viewport":{"width":375,"height":300,
        "contentOffset":{"x":\(isVertical ? 0 : 5_000_000_000),"y":\(isVertical ? 5_000_000_000 : 0)}}}
      """)
    let picture = SVGReader(try #require(service.send(.get, path + "/image.svg")).bytes)
    #expect(!picture.titles.isEmpty)
    #expect(picture.text.contains(#" viewBox="0 0 375 300" "#))
    // All but what is text.
    let drawn = picture.text.replacing(/>[^<]*</, with: "><")
    for number in drawn.matches(of: /-?[0-9]+(?:\.[0-9]+)?/) {
      #expect(abs(try #require(Double(number.output))) < 10_000)
    }
    // Nearer to it coordinates are the content's.
    let near = try #require(
      service.send(.get, path + "/image.svg?x=50&y=900&width=375&height=300"))
    #expect(SVGReader(near.bytes).text.contains(#" viewBox="50 900 375 300" "#))
  }

  /// Where Doubles of points have not all digits.
  @Test func titlesAreExactFarDown() throws {
    let service = MockService()
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"count":100000000000}}]},"layout":{"kind":"list","sectionInset":{"top":20}},"viewport":{"width":100,"height":60}}"#
    )
    let target = path + "/image.svg?x=0&y=4000000000000.000001&width=100&height=10"
    let picture = SVGReader(try #require(service.send(.get, target)).bytes)
    #expect(picture.titles == ["cell [0,90909090908] at 0 3999999999972 100 44"])
  }

  @Test func aPictureHasTheFramesThatTheAnswersHave() throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":2}}]},"layout":{"kind":"list","itemLength":37.4},
       "viewport":{"width":100,"height":60,"displayScale":1}}
      """)
    let picture = SVGReader(try #require(service.send(.get, path + "/image.svg")).bytes)
    #expect(picture.titles == ["cell [0,0] at 0 0 100 37", "cell [0,1] at 0 37 100 38"])
    #expect(picture.text.contains(#"<rect x="0" y="37" width="100" height="38""#))
  }

  @Test func aPictureIsRefusedWhereItCannotBeDrawn() throws {
    let service = MockService()
    let path = try service.makeSession(description(layouts[0])) + "/image.svg"
    #expect(service.send(.get, path + "?x=0&y=0&width=0&height=10")?.status == 400)
    #expect(service.send(.get, path + "?x=0&y=0&width=10")?.status == 400)
    #expect(service.send(.get, path, accept: "application/json")?.status == 406)
    #expect(service.send(.put, path, "{}")?.status == 405)
    let tag = try #require(service.send(.get, path)?.fields["ETag"])
    #expect(service.send(.get, path, ifNoneMatch: tag)?.status == 304)
  }

  @Test func ofManyElementsTheFirstAreDrawn() throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":1000000000}}]},"layout":{"kind":"flow"},
       "viewport":{"width":375,"height":300}}
      """)
    let target = path + "/image.svg?x=0&y=0&width=1000000000&height=1000000000"
    #expect(service.send(.get, target, mayTakeLong: false) == nil)
    let answer = try #require(service.send(.get, target))
    let picture = SVGReader(answer.bytes)
    #expect(picture.titles.count == 5000)
    #expect(picture.text.contains("the first 5000 elements of more"))
    #expect(picture.text.contains(#" width="4096" height="4096" "#))
  }
}

/// What is in a picture.
private struct SVGReader {
  let text: String
  var isWellFormed = true
  var titles: [Substring] = []

  init(_ bytes: [UInt8]) {
    text = String(decoding: bytes, as: UTF8.self)
    var open: [Substring] = []
    var rest = text[...]
    while let start = rest.firstIndex(of: "<") {
      let characters = rest[..<start]
      if open.last == "title" { titles.append(characters) }
      if characters.contains(where: { ($0.asciiValue ?? 32) < 32 && !$0.isWhitespace }) {
        isWellFormed = false
      }
      guard let end = rest[start...].firstIndex(of: ">") else {
        isWellFormed = false
        return
      }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("/") {
        if open.popLast() != tag.dropFirst() { isWellFormed = false }
      } else if !tag.hasSuffix("/") {
        open.append(tag.prefix { $0 != " " && $0 != "\n" })
      }
    }
    if !open.isEmpty { isWellFormed = false }
  }

  var transformCount: Int { text.components(separatedBy: " transform=\"matrix(").count - 1 }
  var rectangleCount: Int { text.components(separatedBy: "<rect ").count - 1 }
}
