import HTTPMessages
import LayoutAPI
import Testing

/// A client that says where it is gets what it would get if its last tick had been answered here.
struct ClientOffsetTests {
  private static let changes: [(HTTPMethod, String, String)] = [
    (
      .post, "/updates",
      #"{"insertItems":[{"section":0,"at":0,"items":{"lengths":[10],"ids":["z"]}}],"anchor":"visible"}"#
    ),
    (.post, "/updates", #"{"deleteItems":[{"section":0,"start":6,"end":7}]}"#),
    (.put, "/layout", #"{"layout":{"kind":"list","itemLength":70}}"#),
    (.put, "/layout", #"{"layout":{"kind":"list","itemLength":70},"anchor":"visible"}"#),
    (
      .put, "/collection",
      #"{"collection":{"sections":[{"items":{"ids":["z","a","b","c","d","e","f","g","h"]}}]},"anchor":"visible"}"#
    ),
    (.put, "/collection", #"{"collection":{"sections":[{"items":{"count":20}}]},"anchor":"end"}"#),
    (.put, "/viewport", #"{"width":50,"height":100,"anchor":"end"}"#),
    (.post, "/movement", #"{"indexPath":[0,5]}"#),
  ]

  /// After a restart, or on another server, nobody knows of the tick.
  @Test(arguments: changes)
  func aChangeBeginsWhereTheClientIs(method: HTTPMethod, end: String, body: String) throws {
    let stays = MockService()
    let path = try stays.makeSession(namedList(20))
    #expect(stays.tick(path, y: 275)?.status == 200)
    let known = try #require(stays.send(method, path + end, body))

    let store = ScriptedStore(isShared: false)
    let ends = MockService(over: store)
    let storedPath = try ends.makeSession(namedList(20))
    #expect(ends.tick(storedPath, y: 275)?.status == 200)
    let again = MockService(over: store)
    let said = try #require(
      again.send(method, storedPath + end, body.dropLast() + #","contentOffset":{"x":0,"y":275}}"#))

    #expect(said.status == known.status, "\(said.text)")
    for member in [
      "contentOffset", "attributes", "appearing", "disappearing", "moving", "entering", "leaving",
      "dragged", "autoscroll",
    ] {
      #expect(said.text(member) == known.text(member), "\(member)")
    }
    let tick = #"{"contentOffset":{"x":0,"y":300},"full":true}"#
    let next = again.tick(storedPath, y: 300)
    #expect(next?["reset"] as? Bool == true)
    #expect(next?.text("appeared") == stays.send(.post, path + "/scroll", tick)?.text("appeared"))
    // What is stored says it too, and is read all the same.
    if end != "/movement" {
      let later = MockService(over: store).send(.get, storedPath)
      #expect(later?["version"] as? Int == 2)
    }
  }

  @Test func whoIsWhereItsTickLedIsAnsweredNoReset() throws {
    let service = MockService()
    let path = try service.makeSession(namedList(20))
    #expect(service.tick(path, y: 275)?.status == 200)
    let answer = service.send(
      .post, path + "/updates",
      #"{"deleteItems":[{"section":0,"start":19,"end":20}],"contentOffset":{"x":0,"y":275}}"#)
    #expect(answer?.status == 200)
    #expect(service.tick(path, y: 275)?.isQuietTick == true)
  }

  @Test func whatIsOnlyTriedLeavesTheOffset() throws {
    let service = MockService()
    let path = try service.makeSession(namedList(20))
    let answer = service.send(
      .post, path + "/updates",
      #"{"deleteItems":[{"section":0,"start":0,"end":1}],"contentOffset":{"x":0,"y":275},"dryRun":true}"#
    )
    #expect(answer?.text("contentOffset") == #"{"x":0,"y":275}"#)
    #expect(service.tick(path, y: 0)?.isQuietTick == true)
  }

  /// Cards turn with the offset, pinned headers stand by it, and what is near depends on it.
  @Test(arguments: [
    "/item-at?x=160&y=158", "/attributes/cell/0/6",
    "/scroll-offset?section=0&item=6&position=nearest", "/image.svg", "/attributes",
  ])
  func aQuestionIsAboutTheOffsetThatIsGiven(question: String) throws {
    let service = MockService()
    let body = """
      {"collection":{"sections":[{"items":{"count":17}}]},"layout":{"kind":"wheel"},
       "viewport":{"width":320,"height":480}}
      """
    let path = try service.makeSession(body)
    let other = try service.makeSession(body)
    let tick = service.send(.post, other + "/scroll", #"{"contentOffset":{"x":300,"y":10}}"#)
    #expect(tick?.status == 200)
    let separator = question.contains("?") ? "&" : "?"
    let given = "\(path)\(question)\(separator)contentOffsetX=300&contentOffsetY=10"
    let before = try #require(service.send(.get, path + question))
    let answer = try #require(service.send(.get, given))
    #expect(answer.status == 200, "\(answer.text)")
    #expect(answer.bytes == service.send(.get, other + question)?.bytes)
    #expect(answer.bytes != before.bytes)
    // Scrolling changes a picture's window, and no other answer at a given offset.
    #expect(
      service.send(.post, path + "/scroll", #"{"contentOffset":{"x":1,"y":0}}"#)?.status == 200)
    let later = try #require(service.send(.get, given))
    #expect(later.bytes == answer.bytes)
    #expect((later.fields["ETag"] == "\"1\"") == (question != "/image.svg"))
    // The other axis is the session's.
    let half = service.send(.get, "\(path)\(question)\(separator)contentOffsetX=300")
    #expect(half?.fields["ETag"] == "\"1.1\"")
  }
}
