import Foundation
import HTTPMessages
import LayoutAPI
import LayoutCore
import LayoutSessions
import Synchronization
import Testing

/// A list of five by hundred points, two to a line, in a viewport of 200 by 120.
private let smallGrid = """
  {"collection":{"sections":[{"items":{"count":40}}]},
   "layout":{"kind":"flow","itemSize":{"width":90,"height":50},"minimumLineSpacing":10},
   "viewport":{"width":200,"height":120}}
  """

struct SessionEndpointTests {
  @Test func aSessionIsCreatedDescribedAndDeleted() throws {
    let service = MockService()
    let created = try #require(service.send(.post, "/v1/sessions", smallGrid))
    #expect(created.status == 201)
    #expect(created.fields["ETag"] == "\"1\"")
    let id = try #require(created["id"] as? String)
    #expect(created.fields["Location"] == "/v1/sessions/\(id)")
    #expect(created.text("contentSize") == #"{"height":1190,"width":200}"#)
    #expect(created.text("sections") == #"[{"itemCount":40}]"#)
    #expect((created["attributes"] as? [Any])?.count == 4)
    #expect(created.text("prefetch") == #"[{"end":8,"section":0,"start":4}]"#)

    let summary = try #require(service.send(.get, "/v1/sessions/\(id)"))
    #expect(summary.status == 200)
    #expect(summary["attributes"] == nil)
    for member in ["id", "version", "contentSize", "sections", "prefetch"] {
      #expect(summary.text(member) == created.text(member), "\(member)")
    }
    #expect(service.send(.delete, "/v1/sessions/\(id)")?.status == 204)
    let gone = service.send(.get, "/v1/sessions/\(id)")
    #expect(gone?.status == 404)
    #expect(gone?["type"] as? String == "/problems/no-such-session")
    #expect(service.send(.delete, "/v1/sessions/\(id)")?.status == 404)
  }

  @Test func aTickTellsWhatChanged() throws {
    let service = MockService()
    let path = try service.makeSession(smallGrid)
    let tick = try #require(
      service.send(.post, path + "/scroll", #"{"contentOffset":{"x":0,"y":60}}"#))
    #expect(tick.status == 200)
    #expect(
      tick.text == """
        {"appeared":[{"frame":{"height":50,"width":90,"x":0,"y":120},"indexPath":[0,4],"kind":"cell"},\
        {"frame":{"height":50,"width":90,"x":110,"y":120},"indexPath":[0,5],"kind":"cell"}],\
        "cancelPrefetch":[],"changed":[],"contentOffset":{"x":0,"y":60},\
        "contentSize":{"height":1190,"width":200},\
        "disappeared":[{"indexPath":[0,0],"kind":"cell"},{"indexPath":[0,1],"kind":"cell"}],\
        "prefetch":[{"end":10,"section":0,"start":8}],"reset":false,"version":1}
        """)
    let full = try #require(
      service.send(.post, path + "/scroll", #"{"contentOffset":{"x":0,"y":60},"full":true}"#))
    #expect(full["reset"] as? Bool == true)
    #expect((full["appeared"] as? [Any])?.count == 4)
    #expect(full.text("prefetch") == #"[{"end":10,"section":0,"start":6}]"#)
  }

  @Test func pagesOfAttributesAddUpToTheWhole() throws {
    let service = MockService()
    let path = try service.makeSession(
      smallGrid.replacing(
        #"{"items":{"count":40}}"#,
        with: """
          {"items":{"count":3},"header":{"width":0,"height":10},"footer":{"width":0,"height":5}},
          {"items":{"count":4},"header":{"width":0,"height":10}}
          """))
    let rect = "x=0&y=0&width=500&height=5000"
    let whole = try #require(service.send(.get, path + "/attributes?" + rect))
    let all = try #require(whole["attributes"] as? [Any])
    #expect(all.count == 10)
    #expect(whole["next"] == nil)
    for limit in 1...10 {
      var pages: [Any] = []
      var cursor: String?
      repeat {
        let more = cursor.map { "&cursor=\($0)" } ?? ""
        let page = try #require(
          service.send(.get, path + "/attributes?\(rect)&limit=\(limit)\(more)"))
        let elements = try #require(page["attributes"] as? [Any])
        #expect(elements.count <= limit)
        pages += elements
        cursor = page["next"] as? String
      } while cursor != nil
      #expect(canonicalJSON(pages) == canonicalJSON(all))
    }
  }

  @Test func aPageHasSoManyElementsUnlessItIsSaid() throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":6000}}]},
       "layout":{"kind":"list","itemLength":1},"viewport":{"width":1,"height":1}}
      """)
    let all = path + "/attributes?format=columns&x=0&y=0&width=1&height=1000000000"
    let page = try #require(service.send(.get, all))
    #expect(((page["attributes"] as? [String: Any])?["item"] as? [Int])?.count == 5000)
    #expect(page["next"] as? String == "0.5000")
    #expect(service.send(.get, all + "&limit=50000")?["next"] == nil)
    for wrong in ["&limit=0", "&limit=50001", "&limit=1.5"] {
      #expect(service.send(.get, all + wrong)?.status == 400, "\(wrong)")
    }
    for wrong in ["x", "0", "0.1.2", "-1.0", "0.01", "0.H", ""] {
      #expect(service.send(.get, all + "&cursor=\(wrong)")?.status == 400, "\(wrong)")
    }
    let wide = path + "/attributes?x=0&y=0&height=1&width="
    #expect(service.send(.get, wide + "1e9")?.status == 200)
    #expect(service.send(.get, wide + "1000000000.1")?.status == 400)
    #expect(service.send(.get, wide + "-1")?.status == 400)
  }

  @Test func columnsHoldTheSameAsObjects() throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"sizes":[[50,40],[60,30]],"ids":["a","b\\""]},
       "header":{"width":0,"height":20}}]},
       "layout":{"kind":"flow","sectionHeadersPinToVisibleBounds":true},
       "viewport":{"width":200,"height":120}}
      """)
    let columns = try #require(service.send(.get, path + "/attributes?format=columns"))
    #expect(
      columns.text("attributes") == """
        {"height":[20,40,30],"id":[null,"a","b\\""],"item":[0,0,1],\
        "kind":["header","cell","cell"],"section":[0,0,0],"width":[200,50,60],\
        "x":[0,0,60],"y":[0,20,25],"zIndex":[1024,0,0]}
        """)
  }

  /// Wherever what is asked for is said.
  @Test func whatIsAskedForComesNearestFirst() throws {
    let service = MockService()
    let description = """
      {"collection":{"sections":[{"items":{"count":7}}]},"prefetch":{"ahead":1,"behind":1},
       "layout":{"kind":"list","itemLength":83,"itemSpacing":18},
       "viewport":{"width":375,"height":100,"contentOffset":{"x":0,"y":199}}}
      """
    let created = try #require(service.send(.post, "/v1/sessions", description))
    let nearestFirst = #"[{"end":4,"section":0,"start":3},{"end":2,"section":0,"start":1}]"#
    #expect(created.text("prefetch") == nearestFirst)
    let path = try #require(created.fields["Location"])
    #expect(service.send(.get, path)?.text("prefetch") == nearestFirst)
    let put = service.send(.put, path + "/viewport", #"{"contentOffset":{"x":0,"y":199}}"#)
    #expect(put?.text("prefetch") == nearestFirst)
  }

  @Test func oneElementIsFoundOnScreenOrNot() throws {
    let service = MockService()
    let path = try service.makeSession(smallGrid)
    let element = try #require(service.send(.get, path + "/attributes/cell/0/39"))
    #expect(
      element.text("attributes")
        == #"{"frame":{"height":50,"width":90,"x":110,"y":1140},"indexPath":[0,39],"kind":"cell"}"#)
    for missing in [
      "cell/0/40", "cell/1/0", "header/0/0", "badge/0/0", "cell/x/0", "cell/0/-1", "cell/0/039",
      "cell/00/39", "cell/0/+39", "cell/-0/39", "cell/0/39.", "cell//39",
    ] {
      let answer = service.send(.get, path + "/attributes/" + missing)
      #expect(answer?.status == 404, "\(missing)")
      #expect(answer?["type"] as? String == "/problems/not-found", "\(missing)")
    }
  }

  @Test func itemAtAndScrollOffsetAnswer() throws {
    let service = MockService()
    let path = try service.makeSession(smallGrid)
    #expect(service.send(.get, path + "/item-at?x=110&y=60")?.text("indexPath") == "[0,3]")
    #expect(service.send(.get, path + "/item-at?x=100&y=60")?.text("indexPath") == "null")
    #expect(
      service.send(.get, path + "/scroll-offset?section=0&item=39&position=start")?
        .text("contentOffset") == #"{"x":0,"y":1070}"#)
    #expect(
      service.send(.get, path + "/scroll-offset?section=0&item=40&position=start")?.status == 404)
    for item in ["039", "+39", "-39", "3.9", "3e1", ""] {
      let target = path + "/scroll-offset?section=0&item=\(item)&position=start"
      #expect(service.send(.get, target)?.status == 400, "\(item)")
    }
    for query in [
      "section=0&item=1", "section=0&item=1&position=top", "section=0&item=-1&position=start",
      "section=0&item=1&position=start&x=1", "section=0&section=1&item=1&position=start",
      "section=0&item=1000000000001&position=start", "section=1000000000001&item=0&position=start",
    ] {
      #expect(service.send(.get, path + "/scroll-offset?" + query)?.status == 400, "\(query)")
    }
  }

  /// On a thread that serves, too: whoever looks whether there is another one does so again and again.
  @Test func aLongAnswerThatIsNotSentIsNotWrittenAgain() throws {
    let service = MockService()
    let section = #"{"items":{"count":1,"size":{"width":10,"height":10}}}"#
    let sections = Array(repeating: section, count: 2000).joined(separator: ",")
    let path = try service.makeSession(
      #"{"collection":{"sections":[\#(sections)]},"layout":{"kind":"flow"},"viewport":{"width":99,"height":99}}"#
    )
    let area = path + "/attributes?x=0&y=0&width=99&height=9000"
    let other = path + "/attributes?x=0&y=0&width=99&height=9001"
    let picture = path + "/image.svg?x=0&y=0&width=99&height=9000"
    for target in [path, area, picture] {
      let answer = try #require(service.send(.get, target))
      let tag = try #require(answer.fields["ETag"])
      #expect(answer.bytes.count > 20_000)
      for (method, tags, status) in [
        (HTTPMethod.get, tag, 304), (.head, tag, 304), (.head, "", 200),
      ] {
        let again = try #require(
          service.send(method, target, ifNoneMatch: tags, mayTakeLong: target == picture))
        #expect(again.status == status)
        #expect(again.bytes.isEmpty && again.byteCount == answer.bytes.count)
        #expect(again.fields == answer.fields)
      }
      #expect(service.send(.get, target, ifNoneMatch: tag, ifMatch: "\"7\"")?.status == 412)
      for tags in ["", "\"7\""] {
        #expect(service.send(.get, target, ifNoneMatch: tags)?.bytes == answer.bytes)
      }
    }
    // What has not been written yet has no length.
    #expect(service.send(.get, other, ifNoneMatch: "*")?.bytes.isEmpty == false)
    let before = try #require(service.send(.get, area))
    let size = #"{"viewport":{"width":99,"height":100}}"#
    #expect(service.send(.put, path + "/viewport", size)?.status == 200)
    let after = try #require(service.send(.get, area, ifNoneMatch: before.fields["ETag"] ?? ""))
    #expect(after.status == 200 && after.bytes.count == after.byteCount)
  }

  @Test func anUnchangedAnswerIsNotSentAgain() throws {
    let service = MockService()
    let path = try service.makeSession(smallGrid)
    let rect = path + "/attributes?x=0&y=0&width=10&height=10"
    let visible = path + "/attributes"
    for target in [
      path, rect, visible, path + "/attributes/cell/0/0", path + "/item-at?x=5&y=5",
      path + "/scroll-offset?section=0&item=9&position=start", path + "/image.svg",
    ] {
      let answer = try #require(service.send(.get, target))
      let tag = try #require(answer.fields["ETag"])
      // As it comes back, also from behind proxies that compress.
      let start = tag.dropLast()
      for tags in ["\"0\", W/\(tag)", start + "-gzip\"", "W/" + start + "--br\""] {
        let again = try #require(service.send(.get, target, ifNoneMatch: tags))
        #expect(again.status == 304, "\(tags)")
        #expect(again.fields["ETag"] == tag)
        // Not to be sent: its length is what would have been.
        #expect(again.bytes == answer.bytes)
      }
      #expect(service.send(.get, target, ifNoneMatch: "\"7\"")?.status == 200)
      #expect(service.send(.head, target, ifNoneMatch: tag)?.status == 304)
    }
    let before = try #require(service.send(.get, visible)?.fields["ETag"])
    // Half of an offset leaves the other half to the session.
    let half = visible + "?contentOffsetX=0"
    let halfBefore = try #require(service.send(.get, half)?.fields["ETag"])
    _ = service.send(.post, path + "/scroll", #"{"contentOffset":{"x":0,"y":300}}"#)
    // The visible elements have changed, those of a rectangle have not.
    #expect(service.send(.get, visible, ifNoneMatch: before)?.status == 200)
    #expect(service.send(.get, half, ifNoneMatch: halfBefore)?.status == 200)
    #expect(service.send(.get, rect, ifNoneMatch: before)?.status == 304)
  }

  @Test(arguments: [
    "/attributes/header/0/0", "/item-at?x=5&y=5", "/attributes?x=0&y=0&width=10&height=10",
  ])
  func whatFollowsTheOffsetIsAnotherAnswerAfterATick(question: String) throws {
    let service = MockService()
    let path = try service.makeSession(
      smallGrid.replacing(
        #""kind":"flow","#,
        with: """
          "kind":"flow","headerReferenceSize":{"width":0,"height":20},
          "sectionHeadersPinToVisibleBounds":true,
          """))
    let tag = try #require(service.send(.get, path + question)?.fields["ETag"])
    #expect(service.send(.get, path + question, ifNoneMatch: tag)?.status == 304)
    _ = service.send(.post, path + "/scroll", #"{"contentOffset":{"x":0,"y":9}}"#)
    #expect(service.send(.get, path + question, ifNoneMatch: tag)?.status == 200)
  }

  /// Whoever says where he is need not ask again because somebody scrolls.
  @Test(arguments: ["/attributes/cell/0/3", "/item-at"])
  func anAnswerForAnOffsetOutlivesScrolling(question: String) throws {
    let service = MockService()
    let path = try service.makeSession(
      #"""
      {"collection":{"sections":[{"items":{"count":20}}]},
       "layout":{"kind":"coverFlow","itemSize":{"width":20,"height":30}},
       "viewport":{"width":100,"height":100}}
      """#)
    func answer(_ x: Int, _ offset: String, ifNoneMatch: String = "") throws -> Answer {
      _ = service.send(.post, path + "/scroll", #"{"contentOffset":{"x":\#(x),"y":0}}"#)
      let point = question == "/item-at" ? "x=50&y=50&" : ""
      return try #require(
        service.send(.get, path + question + "?" + point + offset, ifNoneMatch: ifNoneMatch))
    }
    let offset = "contentOffsetX=7&contentOffsetY=0"
    let tag = try #require(answer(5, offset).fields["ETag"])
    #expect(try answer(9, offset, ifNoneMatch: tag).status == 304)
    // Half of it is not enough.
    let half = try #require(answer(5, "contentOffsetY=0").fields["ETag"])
    #expect(try answer(9, "contentOffsetY=0", ifNoneMatch: half).status == 200)
  }

  @Test func aQuestionAboutAnotherVersionIsRefused() throws {
    let service = MockService()
    let path = try service.makeSession(smallGrid)
    _ = service.send(.post, path + "/scroll", #"{"contentOffset":{"x":0,"y":300}}"#)
    for question in [
      "", "/attributes", "/attributes/cell/0/0", "/item-at?x=1&y=1",
      "/scroll-offset?section=0&item=0&position=start", "/image.svg",
    ] {
      let target = path + question
      let tag = try #require(service.send(.get, target)?.fields["ETag"])
      for method in [HTTPMethod.get, .head] {
        // Even to who has that answer: which version is meant comes first (RFC 9110, 13.2.2).
        let refused = try #require(service.send(method, target, ifNoneMatch: tag, ifMatch: "\"2\""))
        #expect(refused.status == 412, "\(question)")
        #expect(refused["version"] as? Int == 1)
        #expect(refused.fields["ETag"] == tag)
        for own in [tag, "\"1\"", "*"] {
          #expect(service.send(method, target, ifMatch: own)?.status == 200, "\(question)")
        }
        #expect(service.send(method, target, ifNoneMatch: tag, ifMatch: tag)?.status == 304)
      }
    }
    let snap = #"{"proposedContentOffset":{"x":0,"y":9},"velocity":{"x":0,"y":0}}"#
    for (tag, status) in [("\"2\"", 412), ("\"1\"", 200), ("*", 200), ("", 200)] {
      #expect(service.send(.post, path + "/snap", snap, ifMatch: tag)?.status == status)
    }
    // Without writing what grows with the sections, which a thread that serves would leave to another.
    let sections = Array(repeating: "{}", count: 1000).joined(separator: ",")
    let long = try service.makeSession(
      #"{"collection":{"sections":[\#(sections)]},"layout":{"kind":"list"},"viewport":{"width":9,"height":9}}"#
    )
    #expect(service.send(.head, long, mayTakeLong: false) == nil)
    #expect(service.send(.head, long, ifMatch: "\"2\"", mayTakeLong: false)?.status == 412)
    // What is not there is not at another version.
    for nothing in ["/v1/sessions/x", path + "/attributes/cell/0/999999"] {
      #expect(service.send(.get, nothing, ifMatch: "\"2\"")?.status == 404, "\(nothing)")
    }
    for file in ["/openapi.yaml", "/", "/playground/playground.js", "/client/collection-view.js"] {
      let tag = try #require(service.send(.get, file)?.fields["ETag"])
      for field in ["\"2\"", tag] {
        #expect(service.send(.get, file, ifMatch: field)?.status == 200, "\(file)")
      }
    }
  }

  @Test func aChangeOfAnotherVersionIsRefused() throws {
    let service = MockService()
    let path = try service.makeSession(smallGrid)
    _ = service.send(.post, path + "/scroll", #"{"contentOffset":{"x":0,"y":300}}"#)
    let refused = try #require(service.send(.delete, path, ifMatch: "\"2\""))
    #expect(refused.status == 412)
    #expect(refused["version"] as? Int == 1)
    #expect(refused.fields["ETag"] == "\"1\"")
    #expect(service.send(.get, path)?.status == 200)
    // None of these is a tag of this version, or any tag.
    for field in [
      #""1x""#, #""11-gzip""#, #""-1""#, "1-gzip", #""a * b""#, #""a" "11""#, "1", #""1.x""#,
      #""1.""#, #""1.2.3""#, #""""#, "\"", "\"11",
    ] {
      #expect(service.send(.delete, path, ifMatch: field)?.status == 412, "\(field)")
    }
    // The tag of an answer that depends on scrolling names the version too.
    let tag = try #require(service.send(.get, path)?.fields["ETag"])
    #expect(service.send(.delete, path, ifMatch: "\"7\", \(tag)")?.status == 204)
    let other = try service.makeSession(smallGrid)
    #expect(service.send(.delete, other, ifMatch: "*")?.status == 204)
    let third = try service.makeSession(smallGrid)
    #expect(service.send(.delete, third, ifMatch: "\"a\"\t,\t\"1\"")?.status == 204)
    // As proxies hand it out that compress.
    for tag in ["W/\"1\"", #""1-gzip""#, #""1-br""#, #"W/"1--gzip""#, #""1.7-zstd""#] {
      let path = try service.makeSession(smallGrid)
      #expect(service.send(.delete, path, ifMatch: tag)?.status == 204, "\(tag)")
    }
  }

  /// Whichever is the first in line: the other one comes in the middle of it.
  @Test func ofAChangeAndADeletionFromOneVersionOneWins() throws {
    let collection = #"{"collection":{"sections":[{"items":{"count":3}}]}}"#
    var outcomes: [[Int?]: Int] = [:]
    for round in 0..<20 {
      let service = UnsafeShared(MockService())
      let path = try service.value.makeSession(smallGrid)
      let room = service.value.waitingRoom
      let statuses = Mutex<[Int?]>([nil, nil])
      let isAnswered = DispatchSemaphore(value: 0)
      // While it is somebody else's turn.
      _ = try service.value.residentSession(path).change(waitingIn: nil) {
        (_) throws(MockError) -> Session.Change? in
        for (count, place) in [round % 2, 1 - round % 2].enumerated() {
          Thread.detachNewThread {
            let answer =
              place == 0
              ? service.value.send(.put, path + "/collection", collection, ifMatch: "\"1\"")
              : service.value.send(.delete, path, ifMatch: "\"1\"")
            statuses.withLock { $0[place] = answer?.status }
            isAnswered.signal()
          }
          waitUntil { room.count == count + 1 }
        }
        return nil
      }
      for _ in 0..<2 { #expect(isAnswered.wait(timeout: .now() + 120) == .success) }
      outcomes[statuses.withLock(\.self), default: 0] += 1
    }
    #expect(Set(outcomes.keys) == [[200, 412], [404, 204]], "\(outcomes)")
  }

  @Test func aBillionEqualItemsAreAnsweredInTheMiddle() throws {
    let service = MockService()
    let path = try service.makeSession(
      smallGrid.replacing("\"count\":40", with: "\"count\":1000000000"))
    let answer = try #require(
      service.send(.get, path + "/attributes?x=0&y=15000000000&width=200&height=55"))
    #expect(
      answer.text("attributes") == """
        [{"frame":{"height":50,"width":90,"x":0,"y":15000000000},"indexPath":[0,500000000],"kind":"cell"},\
        {"frame":{"height":50,"width":90,"x":110,"y":15000000000},"indexPath":[0,500000001],"kind":"cell"}]
        """)
  }

  @Test func anIdleSessionIsForgotten() throws {
    let service = MockService(sessions: SessionLimits(idleTime: .seconds(10)))
    let path = try service.makeSession(smallGrid)
    service.clock.now = .seconds(9)
    #expect(service.send(.get, path)?.status == 200)
    service.clock.now = .seconds(18)
    #expect(service.send(.get, path)?.status == 200)
    service.clock.now = .seconds(29)
    #expect(service.send(.get, path)?.status == 404)
  }

  @Test func theLeastRecentlyUsedSessionLeavesFirst() throws {
    let service = MockService(sessions: SessionLimits(sessionCount: 2))
    let first = try service.makeSession(smallGrid)
    let second = try service.makeSession(smallGrid)
    _ = service.send(.get, first)
    let third = try service.makeSession(smallGrid)
    #expect(service.send(.get, first)?.status == 200)
    #expect(service.send(.get, second)?.status == 404)
    #expect(service.send(.get, third)?.status == 200)
  }

  @Test func longAnswersAreLeftToAWorker() throws {
    let service = MockService()
    let many = smallGrid.replacing("\"count\":40", with: "\"count\":100000")
    let path = try service.makeSession(many)
    let rect = "/attributes?x=0&y=0&width=500&height=900000&limit=3000"
    #expect(service.send(.get, path + rect, mayTakeLong: false) == nil)
    #expect((service.send(.get, path + rect)?["attributes"] as? [Any])?.count == 3000)
    #expect(service.send(.get, path, mayTakeLong: false)?.status == 200)
    let long = many.replacing("\"x\"", with: "") + String(repeating: " ", count: 20_000)
    #expect(service.send(.post, "/v1/sessions", long, mayTakeLong: false) == nil)
  }

  /// Equal items have no data of their own; many runs of them take time all the same.
  @Test(arguments: [(1000, false), (5000, true)])
  func manyRunsAreLeftToAWorker(runCount: Int, isLong: Bool) throws {
    let service = MockService()
    let path = try service.makeSession(
      smallGrid.replacing("\"count\":40", with: "\"count\":0"))
    let runs = (0..<runCount).map {
      #"{"section":0,"at":\#($0 * 40),"items":{"count":40,"size":{"width":90,"height":\#(40 + $0 % 2)}}}"#
    }
    let batch = #"{"insertItems":[\#(runs.joined(separator: ","))]}"#
    #expect(service.send(.post, path + "/updates", batch)?.status == 200)
    let deletion = #"{"deleteItems":[{"section":0,"start":0,"end":1}]}"#
    let soon = service.send(.post, path + "/updates", deletion, mayTakeLong: false)
    #expect((soon == nil) == isLong)
  }

  /// Of each line the item on the right is asked for: each request goes through as many ranges as lines.
  @Test func whatIsAskedForInManyPiecesIsLeftToWorkers() throws {
    func session(reach: Int) -> String {
      """
      {"collection":{"sections":[{"items":{"count":20000}}]},
       "layout":{"kind":"flow","itemSize":{"width":50,"height":10},"minimumLineSpacing":0,
        "minimumInteritemSpacing":0},
       "viewport":{"width":100,"height":100,"contentOffset":{"x":60,"y":0}},
       "prefetch":{"ahead":\(reach)}}
      """
    }
    let service = MockService()
    for (reach, isLong) in [(49, false), (51, true)] {
      let path = try service.makeSession(session(reach: reach))
      let requests: [(HTTPMethod, String, String)] = [
        (.get, "", ""), (.put, "/viewport", #"{"contentOffset":{"x":60,"y":0}}"#),
        (.post, "/updates", #"{"deleteItems":[{"section":0,"start":0,"end":1}]}"#),
        (.post, "/movement", #"{"indexPath":[0,0]}"#),
        (.patch, "/movement", #"{"position":{"x":0,"y":0}}"#), (.delete, "/movement", ""),
      ]
      for (method, end, body) in requests {
        let soon = service.send(method, path + end, body, mayTakeLong: false)
        #expect((soon == nil) == isLong, "\(method) \(end)")
        if isLong { #expect((service.send(method, path + end, body)?.status ?? 500) < 300) }
      }
      // What is far away shares nothing with it, and all of it is cancelled.
      let body = #"{"contentOffset":{"x":60,"y":90000}}"#
      let soon = service.send(.post, path + "/scroll", body, mayTakeLong: false)
      #expect((soon == nil) == isLong)
    }
  }

  /// Of layouts that go through items one by one; for others so many are arithmetic.
  @Test(arguments: [
    ("waterfall", true), ("coverFlow", true), ("wheel", true), ("banner", true), ("list", false),
  ])
  func itemsThatAreGoneThroughAreLeftToWorkers(kind: String, isLong: Bool) throws {
    let service = MockService()
    for (count, isLong) in [(19_999, false), (20_001, isLong)] {
      let description = """
        {"collection":{"sections":[{"items":{"count":\(count)}}]},"layout":{"kind":"\(kind)"},
         "viewport":{"width":100,"height":100}}
        """
      let path = try service.makeSession(description)
      let requests: [(HTTPMethod, String, String)] = [
        (.post, "/v1/layout", description), (.post, "/v1/sessions", description),
        (.put, path + "/viewport", #"{"width":90,"height":100}"#),
        (.post, path + "/updates", #"{"insertItems":[{"section":0,"at":0,"items":{"count":1}}]}"#),
      ]
      for (method, path, body) in requests {
        let soon = service.send(method, path, body, mayTakeLong: false)
        #expect((soon == nil) == isLong, "\(kind) \(path)")
      }
    }
  }

  /// However equal items are, so many of them may lie about one place that to find the nearest takes long.
  @Test(arguments: [(20_000, false), (20_001, true)])
  func searchesAmongManyItemsAreLeftToWorkers(count: Int, isLong: Bool) throws {
    let service = MockService()
    let description = smallGrid.replacing("\"count\":40", with: "\"count\":\(count)")
    let path = try service.makeSession(description)
    let snap = #""snap":{"proposedContentOffset":{"x":0,"y":90},"velocity":{"x":0,"y":0}}"#
    let layout =
      #"{"collection":{"sections":[{"items":{"count":\#(count)}}]},"layout":{"kind":"list"},"#
    let viewport = #"{"width":100,"height":100}"#
    let requests: [(HTTPMethod, String, String, isLong: Bool)] = [
      (.put, path + "/layout", #"{"layout":{"kind":"list"}}"#, isLong),
      (.post, path + "/movement", #"{"indexPath":[0,0]}"#, false),
      (.patch, path + "/movement", #"{"position":{"x":0,"y":500}}"#, isLong),
      (.post, "/v1/layout", layout + #""viewport":\#(viewport)}"#, false),
      (.post, "/v1/layout", layout + #""viewport":\#(viewport),\#(snap)}"#, isLong),
      // As often as there are viewports.
      (.post, "/v1/layout", layout + #""viewports":[\#(viewport),\#(viewport)]}"#, false),
      (.post, "/v1/layout", layout + #""viewports":[\#(viewport),\#(viewport)],\#(snap)}"#, true),
    ]
    for (method, path, body, isLong) in requests {
      let soon = service.send(method, path, body, mayTakeLong: false)
      #expect((soon == nil) == isLong, "\(method) \(path) \(body)")
      let answer = try #require(soon ?? service.send(method, path, body))
      #expect(answer.status < 300, "\(answer)")
    }
  }

  @Test func ticksThatAskForMuchAreCounted() throws {
    let service = MockService(limits: ServiceLimits(keptAnswerByteCount: 1 << 20))
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":100000}}]},
       "layout":{"kind":"flow","itemSize":{"width":50,"height":10},"minimumLineSpacing":0,
        "minimumInteritemSpacing":0},
       "viewport":{"width":100,"height":100},"prefetch":{"ahead":40}}
      """)
    func byteCount() throws -> Int {
      try #require(Int(try service.sample("layoutd_session_bytes") ?? ""))
    }
    let little = try byteCount()
    // 400 lines of which one item is asked for, with a tick of each kind: kept answers, too.
    for full in [false, true, true, true] {
      let far = #"{"contentOffset":{"x":60,"y":1000},"full":\#(full)}"#
      #expect(service.send(.post, path + "/scroll", far)?.status == 200)
      #expect(try byteCount() >= little + 400 * 16)
      let near = #"{"contentOffset":{"x":0,"y":1000},"full":\#(full)}"#
      #expect(service.send(.post, path + "/scroll", near)?.status == 200)
      #expect(try byteCount() == little)
    }
  }

  /// A tick near the last one goes through all that is asked for, where something comes or goes.
  @Test(arguments: [(1, true), (100, true), (500, false)])
  func ticksOfWhoAsksForMuchAreLeftToWorkers(ahead: Int, isServed: Bool) throws {
    let service = MockService()
    let sections = Array(repeating: #"{"items":{"count":1}}"#, count: 6000).joined(separator: ",")
    let path = try service.makeSession(
      #"{"collection":{"sections":[\#(sections)]},"layout":{"kind":"list","itemLength":10},"viewport":{"width":100,"height":100},"prefetch":{"ahead":\#(ahead)}}"#
    )
    func tick(_ y: Int, mayTakeLong: Bool) -> Int? {
      service.send(
        .post, path + "/scroll", #"{"contentOffset":{"x":0,"y":\#(y)}}"#,
        mayTakeLong: mayTakeLong)?.status
    }
    for y in [101, 102] { #expect(tick(y, mayTakeLong: true) == 200) }
    #expect(tick(111, mayTakeLong: false) == (isServed ? 200 : nil))
    #expect(tick(111, mayTakeLong: true) == 200)
  }

  /// What only seems to take long, while others have the processor, is looked at closely first.
  @Test func whatSeemsToTakeLongIsNotLeftToWorkersYet() throws {
    let clock = PacingClock(step: 1000)
    let service = MockService(
      clocks: ServiceClocks(monotonic: { clock.nanoseconds }, thread: { 0 }))
    let path = try service.makeSession(longGrid)
    let question = path + "/item-at?x=1&y=1"
    for _ in 0..<128 { _ = service.send(.get, question) }
    #expect(try !service.residentSession(path).isSuspected)
    clock.step(by: 2_000_000)
    #expect(service.send(.get, question)?.status == 200)
    #expect(try service.residentSession(path).isSuspected)
    #expect(service.send(.get, question, mayTakeLong: false)?.status == 200)
  }

  /// What takes little too long makes nothing of what took much too long.
  @Test func theLongestQuestionCounts() throws {
    let clock = PacingClock(step: 1000)
    let service = MockService(
      clocks: ServiceClocks(monotonic: { clock.nanoseconds }, thread: { clock.nanoseconds }))
    let path = try service.makeSession(longGrid)
    let question = path + "/item-at?x=1&y=1"
    // The first one may have been kept from its work; sixteen times as many are due after four times as long.
    for (nanoseconds, count) in [(4_000_000, 2), (1_500_000, 1), (1000, 1023)] as [(UInt64, Int)] {
      clock.step(by: nanoseconds)
      for _ in 0..<count { _ = service.send(.get, question) }
    }
    #expect(service.send(.get, question, mayTakeLong: false) == nil)
    #expect(service.send(.get, question)?.status == 200)
    #expect(service.send(.get, question, mayTakeLong: false)?.status == 200)
  }

  /// What a question costs is known when it has been answered; the next ones go where they disturb
  /// nobody, until they are quick again.
  @Test func aSessionWhoseQuestionsTakeLongIsLeftToWorkers() throws {
    let (clock, ownClock) = (PacingClock(step: 2_000_000), PacingClock(step: 2_000_000))
    let service = MockService(
      clocks: ServiceClocks(monotonic: { clock.nanoseconds }, thread: { ownClock.nanoseconds }))
    let path = try service.makeSession(longGrid)
    ownClock.step(by: 1000)
    let questions: [(HTTPMethod, String, String)] = [
      (.post, "/scroll", #"{"contentOffset":{"x":0,"y":90},"full":true}"#),
      (.post, "/snap", #"{"proposedContentOffset":{"x":0,"y":9},"velocity":{"x":0,"y":0}}"#),
      (.get, "/attributes", ""), (.get, "/attributes/cell/0/5", ""),
      (.get, "/item-at?x=1&y=1", ""), (.get, "", ""),
      (.get, "/scroll-offset?section=0&item=3&position=start", ""),
    ]
    func askQuickly(_ count: Int) {
      for _ in 0..<count { _ = service.send(.get, path + "/item-at?x=1&y=1") }
    }
    // Who has made a session of which the first tick was quick is answered at once.
    let quick = try service.makeSession(longGrid)
    #expect(service.send(.get, quick + "/item-at?x=1&y=1", mayTakeLong: false)?.status == 200)
    #expect(service.send(.get, path + "/item-at?x=1&y=1", mayTakeLong: false) == nil)
    askQuickly(64)
    // A thread that others kept from its work has not worked long.
    for (method, suffix, body) in questions
    where suffix != "/attributes" && !body.contains("full") {
      let answer = service.send(method, path + suffix, body, mayTakeLong: false)
      #expect(answer?.status == 200, "\(suffix)")
    }
    ownClock.step(by: 2_000_000)
    for (method, suffix, body) in questions {
      #expect(service.send(method, path + suffix, body)?.status == 200, "\(suffix)")
      #expect(service.send(method, path + suffix, body, mayTakeLong: false) == nil, "\(suffix)")
    }
    // Who believes in another version need not wait for it.
    let other = service.send(.get, path + "/attributes", ifMatch: "\"9\"", mayTakeLong: false)
    #expect(other?.status == 412)
    func tick(to y: Int, mayTakeLong: Bool) -> Int? {
      let body = #"{"contentOffset":{"x":0,"y":\#(y)}}"#
      return service.send(.post, path + "/scroll", body, mayTakeLong: mayTakeLong)?.status
    }
    #expect(tick(to: 100, mayTakeLong: true) == 200)
    #expect(tick(to: 20_000, mayTakeLong: false) == nil)
    // What little comes and goes near the last tick is always found quickly.
    #expect(tick(to: 101, mayTakeLong: false) == 200)
    ownClock.step(by: 1000)
    // What took twice as long as it may has to be quick four times as often.
    askQuickly(255)
    #expect(tick(to: 20_000, mayTakeLong: false) == nil)
    askQuickly(1)
    #expect(tick(to: 20_000, mayTakeLong: false) == 200)
    for (method, suffix, body) in questions {
      let answer = service.send(method, path + suffix, body, mayTakeLong: false)
      #expect(answer?.status == 200, "\(suffix)")
    }
    // Short content is never slow, however busy the machine.
    ownClock.step(by: 2_000_000)
    let short = try service.makeSession(smallGrid)
    for (method, suffix, body) in questions {
      let answer = service.send(method, short + suffix, body, mayTakeLong: false)
      #expect(answer?.status == 200, "\(suffix)")
    }
  }

  /// Whoever has a session leave where much waits to be freed frees it all: not on a thread that serves.
  @Test func whoWouldFreeMuchIsLeftToWorkers() throws {
    let service = MockService()
    let sessions = service.sessions
    let path = try service.makeSession(smallGrid)
    let lengths = LengthArray(count: 500_000) { Length(points: $0) }
    let description = Description(
      content: Content(sections: [
        Section(items: Items(count: lengths.count, extents: .lengths(lengths)))
      ]),
      layout: ListLayout(), viewport: Viewport(size: Size(width: 100, height: 100)))
    let layout = try PreparedLayout(
      description.content, layout: description.layout, viewport: description.viewport)
    for _ in 0..<1000 where !sessions.hasMuchToFree {
      var generator = SystemRandomNumberGenerator()
      let session = Session(
        id: SessionID(using: &generator), description: description, layout: layout,
        scrolling: ScrollState(contentOffset: .zero))
      try sessions.insert(session, at: .zero)
      sessions.remove(session)
    }
    #expect(sessions.hasMuchToFree)
    #expect(service.send(.delete, path, mayTakeLong: false) == nil)
    #expect(service.send(.post, "/v1/sessions", smallGrid, mayTakeLong: false) == nil)
    #expect(service.send(.get, path, mayTakeLong: false)?.status == 200)
    #expect(service.send(.delete, path)?.status == 204)
    #expect(service.send(.post, "/v1/sessions", smallGrid, mayTakeLong: false)?.status == 201)
  }

  @Test func namesAreToldApartByTheirBytes() throws {
    let service = MockService()
    let path = try service.makeSession(
      #"""
      {"collection":{"sections":[
         {"id":"\u00e9","decorations":[{"kind":"\u00e9"},{"kind":"e\u0301"}],"items":{"count":1}},
         {"id":"e\u0301","items":{"count":2}}]},
       "layout":{"kind":"list","headerReferenceSize":{"width":0,"height":20}},
       "viewport":{"width":100,"height":1000}}
      """#)
    func decoration(_ name: String) -> Int? {
      service.send(.get, path + "/attributes/\(name)/0/0")?.status
    }
    #expect(decoration("%C3%A9") == 200)
    #expect(decoration("e%CC%81") == 200)
    #expect(decoration("e") == 404)
    func insert(_ id: String) -> Int? {
      service.send(
        .post, path + "/updates", #"{"insertSections":[{"at":0,"section":{"id":"\#(id)"}}]}"#)?
        .status
    }
    #expect(insert(#"\u00e9"#) == 409)
    #expect(insert(#"\u212b"#) == 200)
    #expect(insert(#"\u00c5"#) == 200)
  }

  @Test func sectionsGoTogetherByTheBytesOfTheirNames() throws {
    let service = MockService()
    let path = try service.makeSession(
      #"""
      {"collection":{"sections":[{"id":"\u00e9"},{"id":"e\u0301"}]},
       "layout":{"kind":"list","headerReferenceSize":{"width":0,"height":20}},
       "viewport":{"width":100,"height":100}}
      """#)
    let answer = try #require(
      service.send(
        .put, path + "/collection",
        #"{"collection":{"sections":[{"id":"e\u0301"},{"id":"\u00e9"}]}}"#))
    let moving = try #require(answer["moving"] as? [[String: Any]])
    #expect(moving.map { canonicalJSON($0["from"] ?? 0) } == ["[1,0]", "[0,0]"])
    #expect(moving.map { canonicalJSON($0["to"] ?? 0) } == ["[0,0]", "[1,0]"])
    // Nor are they one member of a layout.
    let layout = service.send(
      .put, path + "/layout", #"{"layout":{"kind":"list","\u00e9":1,"e\u0301":1}}"#)
    #expect(layout?.status == 422)
  }

  @Test func coordinatesThatNoDoubleIsNearEnoughToComeBackAsTheyWere() throws {
    let service = MockService()
    let path = try service.makeSession(
      #"""
      {"collection":{"sections":[{"items":{"count":200000000000}}]},
       "layout":{"kind":"list","itemLength":44.123457},"viewport":{"width":100,"height":100}}
      """#)
    let answer = try #require(
      service.send(.get, path + "/scroll-offset?section=0&item=123456789012&position=start"))
    let text = String(decoding: answer.bytes, as: UTF8.self)
    #expect(text.contains(#""y":5447340321329.054484"#))
    for body in [
      #"{"contentOffset":{"x":0,"y":5447340321329.054484}}"#,
      #"{"contentOffset":{"x":0,"y":5447340321329.054484},"velocity":{"x":0,"y":12345678901.5}}"#,
    ] {
      let tick = try #require(service.send(.post, path + "/scroll", body))
      #expect(String(decoding: tick.bytes, as: UTF8.self).contains("5447340321329.054484"))
    }
    // The cell that begins there is the first, by a millionth.
    let layout = #"{"kind":"list","itemLength":44.123457}"#
    let shot = try #require(
      service.send(
        .post, "/v1/layout",
        #"""
        {"collection":{"sections":[{"items":{"count":200000000000}}]},"layout":\#(layout),
         "viewport":{"width":100,"height":100},
         "rect":{"x":0,"y":5447340321329.054483,"width":1,"height":0.000001}}
        """#))
    #expect(String(decoding: shot.bytes, as: UTF8.self).contains("[0,123456789011]"))
  }

  @Test func oneElementComesInColumnsToo() throws {
    let service = MockService()
    let path = try service.makeSession(
      #"""
      {"collection":{"sections":[{"items":{"count":3,"ids":["a","b","c"]}}]},
       "layout":{"kind":"list"},"viewport":{"width":100,"height":100}}
      """#)
    let answer = try #require(service.send(.get, path + "/attributes/cell/0/1?format=columns"))
    #expect(
      answer.text("attributes") == """
        {"height":[44],"id":["b"],"item":[1],"kind":["cell"],"section":[0],"width":[100],"x":[0],"y":[44]}
        """)
    #expect(service.send(.get, path + "/attributes/cell/0/1?format=rows")?.status == 400)
  }

  /// By whichever way an element comes: with ids, cells go another one than without.
  @Test(arguments: ["", #","ids":["a","b","c","d"]"#])
  func edgesOfASessionsFramesAreWholePixels(ids: String) throws {
    let service = MockService()
    let description = """
      {"collection":{"sections":[{"items":{"count":4\(ids)}}]},"layout":{"kind":"list","itemLength":10.3},
       "viewport":{"width":100,"height":30,"displayScale":2}}
      """
    let created = try #require(service.send(.post, "/v1/sessions", description))
    let path = try #require(created.fields["Location"])
    func edges(_ elements: Any?) -> [[Double]] {
      (elements as? [[String: Any]] ?? []).map { element in
        let frame = element["frame"] as? [String: Double] ?? [:]
        return [frame["y"] ?? .nan, frame["height"] ?? .nan]
      }
    }
    // 10.3, 20.6, 30.9 and 41.2 are at 10.5, 20.5, 31 and 41.
    let shown = [[0, 10.5], [10.5, 10], [20.5, 10.5]]
    #expect(edges(created["attributes"]) == shown)
    #expect(edges(service.send(.get, path + "/attributes")?["attributes"]) == shown)
    let full = service.send(
      .post, path + "/scroll", #"{"contentOffset":{"x":0,"y":0},"full":true}"#)
    #expect(edges(full?["appeared"]) == shown)
    #expect(edges(service.tick(path, y: 9)?["appeared"]) == [[31, 10]])
    let update = service.send(
      .post, path + "/updates",
      #"{"insertItems":[{"section":0,"at":0,"items":{"count":1}}],"dryRun":true}"#)
    let moving = try #require(update?["moving"] as? [[String: Any]])
    #expect(
      edges([moving[0]["initial"] ?? 0, moving[0]["final"] ?? 0]) == [[0, 10.5], [10.5, 10]])
    _ = service.send(.post, path + "/movement", #"{"indexPath":[0,0]}"#)
    _ = service.send(.patch, path + "/movement", #"{"position":{"x":50,"y":15}}"#)
    let ended = try #require(
      service.send(.post, path + "/movement/end")?["moving"] as? [[String: Any]])
    #expect(edges([ended[0]["final"] ?? 0]) == [[10.5, 10]])
  }

  @Test func whatIsSaidOfOneWayLeavesTheOther() throws {
    let created = MockService().send(
      .post, "/v1/sessions",
      """
      {"collection":{"sections":[{"items":{"count":100}}]},"layout":{"kind":"list","itemLength":50},
       "viewport":{"width":100,"height":100,"contentOffset":{"x":0,"y":1000}},"prefetch":{"behind":0.5}}
      """)
    #expect(
      created?.text("prefetch")
        == #"[{"end":24,"section":0,"start":22},{"end":20,"section":0,"start":19}]"#)
  }
}

/// As ``smallGrid``, of so many items that it is not known at first how long questions take.
private let longGrid = smallGrid.replacing(
  "\"items\":{\"count\":40}", with: "\"items\":{\"lengths\":[\(longLengths)]}")

/// A clock that goes on by the same step whenever it is looked at.
private final class PacingClock: Sendable {
  private let length: Atomic<UInt64>
  private let time = Atomic<UInt64>(0)

  init(step: UInt64) { length = Atomic(step) }

  var nanoseconds: UInt64 {
    time.wrappingAdd(length.load(ordering: .relaxed), ordering: .relaxed).newValue
  }

  func step(by nanoseconds: UInt64) { length.store(nanoseconds, ordering: .relaxed) }
}
