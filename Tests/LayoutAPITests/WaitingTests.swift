import HTTPMessages
import LayoutSessions
import Synchronization
import Testing

@testable import LayoutAPI

private let description = """
  {"collection":{"sections":[{"items":{"lengths":[10,20,30],"ids":["a","b","c"]}}]},
   "layout":{"kind":"list"},"viewport":{"width":100,"height":200}}
  """

/// Requests for a session that another one changes, where nobody may wait for it.
@Suite(.waits) struct WaitingTests {
  private typealias Request = (method: HTTPMethod, end: String, body: String, ifMatch: String)

  private static let scroll: Request = (.post, "/scroll", #"{"contentOffset":{"x":0,"y":0}}"#, "")
  private static let changes: [Request] = [
    (.put, "/layout", #"{"layout":{"kind":"flow"}}"#, ""),
    (.put, "/viewport", #"{"width":50,"height":50}"#, ""),
    (.put, "/collection", #"{"collection":{"sections":[{"items":{"count":2}}]}}"#, ""),
    (.post, "/updates", #"{"deleteItems":[{"section":0,"start":0,"end":1}]}"#, ""),
    (.post, "/movement", #"{"indexPath":[0,0]}"#, ""),
  ]

  /// Changes a session by hand, and asks meanwhile.
  private func whileItChanges(_ session: Session, _ body: () -> Void) {
    let changed = session.change(
      waitingIn: nil, commit: { _, _ in body() },
      { Session.Change(document: $0.document, scrolling: $0.scrolling, isNewVersion: true) })
    #expect(changed?.version == 2)
  }

  private func expectRefusal(_ answer: Answer?, _ request: Request) {
    #expect(answer?.status == 503, "\(request)")
    #expect(answer?.fields["Retry-After"] == "1", "\(request)")
    #expect(answer?["type"] as? String == "/problems/unavailable", "\(request)")
    #expect(
      answer?["detail"] as? String
        == "the session is being changed, and many wait already; ask again", "\(request)")
  }

  @Test func whoWouldWaitPastTheLimitIsRefusedAndNothingIsDone() throws {
    let service = MockService(sessions: SessionLimits(waitingThreadCount: 0))
    let path = try service.makeSession(description)
    let other = try service.makeSession(description)
    let session = try service.residentSession(path)
    whileItChanges(session) {
      let removal: Request = (.delete, "", "", "\"1\"")
      for request in Self.changes + [Self.scroll, removal] {
        let (method, end, body, ifMatch) = request
        // The thread that serves leaves it to a worker, as it would without a limit.
        let early = service.send(method, path + end, body, ifMatch: ifMatch, mayTakeLong: false)
        #expect(early == nil, "\(request)")
        expectRefusal(service.send(method, path + end, body, ifMatch: ifMatch), request)
        if method == .delete { continue }
        // Nobody changes the other one, and questions wait for nobody.
        let answer = service.send(method, other + end, body)
        #expect(answer.map { 200...201 ~= $0.status } == true, "\(request)")
      }
      #expect(service.send(.get, path)?.status == 200)
    }
    #expect(session.snapshot.tickCount == 1)
    #expect(service.send(.get, path)?["version"] as? Int == 2)
    #expect(service.send(.delete, path, ifMatch: "\"2\"")?.status == 204)
  }

  /// A change is refused before the store knows of it, and what others have made of a session before it is made
  /// of it in memory.
  @Test func storesLearnNothingOfWhatIsRefused() throws {
    let store = ScriptedStore(isShared: true)
    let limits = SessionLimits(waitingThreadCount: 0)
    let (here, there) = (
      MockService(over: store, sessions: limits), MockService(over: store, sessions: limits)
    )
    let path = try here.makeSession(description)
    let session = try here.residentSession(path)
    whileItChanges(session) {
      let recordCount = store.records.withLock(\.count)
      // Movements are no business of a store.
      for request in Self.changes.dropLast() {
        expectRefusal(here.send(request.method, path + request.end, request.body), request)
      }
      #expect(store.records.withLock(\.count) == recordCount)
      let answer = there.send(.put, path + "/layout", #"{"layout":{"kind":"flow"}}"#)
      #expect(answer?["version"] as? Int == 2)
      let question: Request = (.get, "", "", "")
      expectRefusal(here.send(.get, path), question)
    }
    #expect(here.send(.get, path)?["version"] as? Int == 2)
    #expect(try here.view(of: path) == there.view(of: path))
  }
}
