import HTTPMessages
import LayoutSessions
import Testing

@testable import LayoutAPI

/// What becomes of what a change replaces, for those who read it meanwhile.
struct ReplacingTests {
  /// Who makes the change.
  enum Changer: CaseIterable {
    /// A request, without a store and with one.
    case request, durableRequest
    /// Another server.
    case elsewhere
  }

  /// A collection of more than a mebibyte.
  private func collection(_ name: String) -> String {
    let ids = (0..<10_000).map { "\"\($0)\(name)\(String(repeating: "-", count: 120))\"" }
    return
      "\"collection\":{\"sections\":[{\"items\":{\"ids\":[\(ids.joined(separator: ","))]}}]}"
  }

  /// To free it takes long; a thread that serves may hold it longer than the change does.
  @Test(arguments: Changer.allCases)
  func whoeverReadsItDoesNotFreeIt(changer: Changer) throws {
    let store = ScriptedStore(isShared: changer == .elsewhere)
    let here = changer == .request ? MockService() : MockService(over: store)
    let path = try here.makeSession(
      "{\(collection("a")),\"layout\":{\"kind\":\"list\"},\"viewport\":{\"width\":9,\"height\":9}}")
    let session = try here.residentSession(path)
    #expect(session.byteCount > 1 << 20)
    var seen: Session.Snapshot? = session.snapshot
    weak let old = seen?.document
    let there = changer == .elsewhere ? MockService(over: store) : here
    let change = there.send(.put, path + "/collection", "{\(collection("b"))}")
    #expect(change?.status == 200)
    #expect(here.send(.get, path)?["version"] as? Int == 2)
    #expect(seen?.document === old)
    seen = nil
    #expect(old != nil)
    _ = here.service.sweep()
    #expect(old == nil)
    #expect(session.snapshot.version == 2)
  }
}
