import Foundation
import HTTPMessages
import LayoutAPI
import LayoutSessions
import Synchronization
import Testing

private let session = """
  {"collection":{"sections":[
     {"id":"s","items":{"sizes":[[10,20],[30.5,40.000001]],"ids":["a","\\"b\\u0007\\n"]},
      "header":{"width":0,"height":9},"decorations":[{"kind":"shade","insets":{"top":1}}]},
     {"items":{"count":3},"columnCount":3},{}]},
   "layout":{"kind":"waterfall","columnCount":2, "snap":{"mode":"start","decelerationRate":"fast"}},
   "viewport":{"width":100,"height":200,"displayScale":1.3333333730697632,"contentOffset":{"x":0,"y":7}},
   "prefetch":{"ahead":0.1,"behind":2}}
  """

/// What a store has is enough to have the session again.
struct StoringTests {
  /// One change after the other by every way there is.
  static let changes: [(HTTPMethod, String, String)] = [
    (.put, "/layout", #"{"layout":{"kind":"flow","itemSize":{"width":1e1,"height":0.1}}}"#),
    (
      .post, "/updates",
      #"{"insertItems":[{"section":0,"at":1,"items":{"lengths":[5,6],"ids":["c","d"]}}]}"#
    ),
    (.put, "/viewport", #"{"width":120,"height":150,"displayScale":1.6666666666666667}"#),
    (.post, "/updates", #"{"moveItems":[{"from":[0,0],"to":[1,2]}],"deleteSections":[2]}"#),
    (
      .put, "/layout",
      #"{"layout":{"kind":"coverFlow","itemSize":{"width":20,"height":30},"maximumScale":1.7}}"#
    ),
    (.put, "/collection", #"{"collection":{"sections":[{"items":{"aspectRatios":[0.3,1.7,2]}}]}}"#),
    (
      .post, "/updates",
      #"{"insertItems":[{"section":0,"at":0,"items":{"size":{"width":3,"height":4},"count":2}}]}"#
    ),
    (.put, "/layout", #"{"layout":{"kind":"list","itemLength":11}}"#),
    // A name that has gone with the collection before.
    (.post, "/updates", #"{"insertItems":[{"section":0,"at":0,"items":{"ids":["c"]}}]}"#),
  ]

  @Test func aSessionIsThereAgainAfterEveryChange() throws {
    let store = ScriptedStore(isShared: false)
    let first = MockService(over: store)
    let path = try first.makeSession(session)
    for (number, (method, end, body)) in ([(.get, "", "")] + Self.changes).enumerated() {
      let answer = try #require(first.send(method, path + end, body))
      #expect(answer.status == 200, "\(answer.text)")
      #expect(answer["version"] as? Int == number + 1)
      // As if the process had ended here.
      let again = MockService(over: store)
      #expect(try again.view(of: path) == first.view(of: path), "after \(end) \(body)")
    }
  }

  /// A server may allow fewer sections than the one before; then there can be fewer, and not more.
  @Test func moreSectionsThanThereMayBeCanBeDeleted() throws {
    let store = ScriptedStore(isShared: false)
    let sections = Array(repeating: "{}", count: 10).joined(separator: ",")
    let path = try MockService(over: store).makeSession(
      #"{"collection":{"sections":[\#(sections)]},"layout":{"kind":"list"},"viewport":{"width":9,"height":9}}"#
    )
    let again = MockService(over: store, limits: ServiceLimits(sectionCount: 4))
    for (body, status) in [
      (#"{"deleteSections":[0,0,0,0,0,0,0,0,0,0,0]}"#, 422),
      (#"{"deleteSections":[0,1,2,3,4]}"#, 200), (#"{"moveSections":[{"from":0,"to":1}]}"#, 200),
      (#"{"insertSections":[{"at":0,"section":{}}]}"#, 422),
      (#"{"deleteSections":[0],"insertSections":[{"at":0,"section":{}}]}"#, 200),
    ] {
      #expect(again.send(.post, path + "/updates", body)?.status == status)
    }
  }

  /// How many of equal items count depends on how they lie in memory, which is another way after they have been
  /// read: so what is past the limit then may be changed, and not grow.
  @Test func moreItemsThanThereMayBeCanBeChanged() throws {
    let store = ScriptedStore(isShared: false)
    let path = try MockService(over: store).makeSession(
      #"{"collection":{"sections":[{"items":{"lengths":[1,2,3,4]}}]},"layout":{"kind":"list"},"viewport":{"width":9,"height":9}}"#
    )
    let again = MockService(over: store, limits: ServiceLimits(describedItemCount: 2))
    for (body, status) in [
      (#"{"insertItems":[{"section":0,"at":0,"items":{"lengths":[5]}}]}"#, 422),
      (#"{"insertItems":[{"section":0,"at":0,"items":{"count":5}}]}"#, 200),
      (#"{"deleteItems":[{"section":0,"start":5,"end":6}]}"#, 200),
      (#"{"insertItems":[{"section":0,"at":0,"items":{"lengths":[5]}}]}"#, 422),
    ] {
      #expect(again.send(.post, path + "/updates", body)?.status == status)
    }
    let movement = again.send(.post, path + "/movement", #"{"indexPath":[0,0]}"#)
    #expect(movement?.status == 201)
    let step = again.send(.patch, path + "/movement", #"{"position":{"x":1,"y":300}}"#)
    #expect(step?.status == 200)
  }

  /// What became known of items one by one, of one this and of another that, is kept when it is written anew.
  @Test func itemsOfManyKindsAreThereAgain() throws {
    let store = ScriptedStore(isShared: false)
    let first = MockService(over: store)
    let path = try first.makeSession(
      #"{"collection":{"sections":[{"items":{"count":900}}]},"layout":{"kind":"waterfall"},"viewport":{"width":100,"height":200}}"#
    )
    let snapshot = try #require(store.sessions.withLock { $0.values.first?.snapshot.record })
    let kinds = [#""lengths":[7.5]"#, #""sizes":[[3,4]]"#, #""aspectRatios":[0.7]"#]
    var isWrittenAnew = false
    for round in 0..<9 where !isWrittenAnew {
      let reloads = stride(from: round % 2, to: 900, by: 4).map {
        #"{"section":0,"start":\#($0),"items":{"count":1,\#(kinds[($0 + round) % 3])}}"#
      }
      let answer = try #require(
        first.send(
          .post, path + "/updates", #"{"reloadItems":[\#(reloads.joined(separator: ","))]}"#))
      #expect(answer.status == 200, "\(answer.text)")
      isWrittenAnew = store.sessions.withLock { $0.values.first?.snapshot.record } != snapshot
    }
    #expect(isWrittenAnew)
    let again = MockService(over: store)
    #expect(try again.view(of: path) == first.view(of: path))
    let end = path + "/attributes?x=0&y=0&width=100&height=100000&limit=1000"
    #expect(again.send(.get, end)?.text == first.send(.get, end)?.text)
    #expect(first.send(.get, end)?.status == 200)
  }

  @Test func theNextTickOfASessionThatIsThereAgainIsAReset() throws {
    let store = ScriptedStore(isShared: false)
    let first = MockService(over: store)
    let path = try first.makeSession(session)
    let before = try #require(first.send(.get, path))
    let again = MockService(over: store)
    let after = try #require(again.send(.get, path))
    // Nobody takes the answers of both for the same.
    #expect(before.fields["ETag"] != after.fields["ETag"])
    let tick = try #require(
      again.send(.post, path + "/scroll", #"{"contentOffset":{"x":0,"y":7}}"#))
    #expect(tick["reset"] as? Bool == true)
    let next = try #require(
      again.send(.post, path + "/scroll", #"{"contentOffset":{"x":0,"y":7}}"#))
    #expect(next["reset"] as? Bool == false)
  }

  @Test func aMovementIsKeptWhenItHasEnded() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store)
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"lengths":[10,20,30],"ids":["a","b","c"]}}]},"layout":{"kind":"list"},"viewport":{"width":100,"height":200}}"#
    )
    _ = service.send(.post, path + "/movement", #"{"indexPath":[0,0]}"#)
    _ = service.send(.patch, path + "/movement", #"{"position":{"x":5,"y":59}}"#)
    #expect(store.sessions.withLock { $0.values.first?.version } == 1)
    let end = try #require(service.send(.post, path + "/movement/end"))
    #expect(end["version"] as? Int == 2)
    #expect(try MockService(over: store).view(of: path) == service.view(of: path))
  }

  @Test func whatChangesNothingIsNotKept() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store)
    let path = try service.makeSession(session)
    for (method, end, body, status) in [
      (HTTPMethod.post, "/updates", "{}", 200),
      (.put, "/viewport", #"{"contentOffset":{"x":0,"y":3}}"#, 200),
      (.post, "/updates", #"{"deleteItems":[{"section":0,"start":0,"end":1}],"dryRun":true}"#, 200),
      (.post, "/updates", #"{"deleteItems":[{"section":9,"start":0,"end":1}]}"#, 409),
      (.post, "/scroll", #"{"contentOffset":{"x":0,"y":3}}"#, 200),
    ] {
      #expect(service.send(method, path + end, body)?.status == status, "\(body)")
    }
    #expect(store.records.withLock { $0.isEmpty })
  }

  @Test func aSessionThatHasLeftMemoryComesBack() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store, sessions: SessionLimits(sessionCount: 1))
    let paths = try (0..<3).map { _ in try service.makeSession(session) }
    for path in paths + paths { #expect(service.send(.get, path)?.status == 200) }
    #expect(service.send(.delete, paths[0])?.status == 204)
    #expect(service.send(.get, paths[0])?.status == 404)
    #expect(store.sessions.withLock(\.count) == 2)
  }

  /// As without a store, or the limit of memory would be that of how sessions began.
  @Test func whatAChangeTakesIsCounted() throws {
    let service = MockService(over: ScriptedStore(isShared: false))
    let path = try service.makeSession(session)
    let lengths = (0..<20_000).map { "\(1 + $0 % 7)" }.joined(separator: ",")
    let growth = #"{"insertItems":[{"section":0,"at":0,"items":{"lengths":[\#(lengths)]}}]}"#
    #expect(service.send(.post, path + "/updates", growth)?.status == 200)
    let byteCount = try service.residentSession(path).byteCount
    #expect(try service.sample("layoutd_session_bytes") == "\(byteCount)")
  }

  /// Another change may take it.
  @Test func aChangeThatIsNotKeptTakesNoRoom() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(
      over: store, sessions: SessionLimits(byteCountPerOwner: 1 << 30))
    let path = try service.makeSession(session)
    let before = try service.sample("layoutd_session_bytes")
    let growth = #"{"insertItems":[{"section":0,"at":0,"items":{"lengths":[\#(longLengths)]}}]}"#
    store.failure.withLock { $0 = StoreError(.unavailable, "gone") }
    #expect(service.send(.post, path + "/updates", growth)?.status == 503)
    #expect(try service.sample("layoutd_session_bytes") == before)
  }

  /// Whoever deletes it at no version in particular, while it is in memory too.
  @Test func whatIsDeletedInTheStoreIsGoneFromMemory() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store)
    let path = try service.makeSession(session)
    #expect(service.send(.delete, path)?.status == 204)
    #expect(try service.sample("layoutd_sessions") == "0")
    #expect(service.send(.get, path)?.status == 404)
  }

  /// Nobody knows how long questions about what has just been read take, until some have been quick.
  @Test func longContentThatHasBeenReadIsLeftToWorkersAtFirst() throws {
    let store = ScriptedStore(isShared: false)
    let path = try MockService(over: store).makeSession(
      #"{"collection":{"sections":[{"items":{"lengths":[\#(longLengths)]}}]},"layout":{"kind":"waterfall"},"viewport":{"width":100,"height":100}}"#
    )
    let again = MockService(over: store)
    let question = path + "/item-at?x=1&y=1"
    #expect(again.send(.get, question)?.status == 200)
    #expect(again.send(.get, question, mayTakeLong: false) == nil)
    for _ in 0..<64 { _ = again.send(.get, question) }
    #expect(again.send(.get, question, mayTakeLong: false)?.status == 200)
  }

  /// All of its sections may be named, though more than may come by now.
  @Test func aMovementMayBeWithinMoreSectionsThanThereMayBe() throws {
    let store = ScriptedStore(isShared: false)
    let path = try MockService(over: store).makeSession(session)
    let service = MockService(over: store, limits: ServiceLimits(sectionCount: 1))
    let begin = #"{"indexPath":[0,0],"sections":[0,1,2]}"#
    #expect(service.send(.post, path + "/movement", begin)?.status == 201)
  }

  @Test func aThreadThatServesNeverWaitsForTheStore() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store)
    #expect(service.send(.post, "/v1/sessions", session, mayTakeLong: false) == nil)
    let path = try service.makeSession(session)
    // What is in memory is certain where nobody else changes it.
    #expect(service.send(.get, path, mayTakeLong: false)?.status == 200)
    let (method, end, body) = Self.changes[0]
    #expect(service.send(method, path + end, body, mayTakeLong: false) == nil)
    #expect(service.send(.delete, path, mayTakeLong: false) == nil)
    #expect(MockService(over: store).send(.get, path, mayTakeLong: false) == nil)
    // And where somebody may, it is not.
    let shared = ScriptedStore(isShared: true)
    let other = MockService(over: shared)
    let otherPath = try other.makeSession(session)
    #expect(other.send(.get, otherPath, mayTakeLong: false) == nil)
  }

  /// What is not kept needs no worker: those may all wait for the store.
  @Test func whatIsNotKeptWaitsForNoStore() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store)
    let path = try service.makeSession(session)
    let trial = #"{"deleteItems":[{"section":0,"start":0,"end":1}],"dryRun":true}"#
    let tried = try #require(service.send(.post, path + "/updates", trial, mayTakeLong: false))
    #expect(tried.status == 200, "\(tried.text)")
    #expect(
      service.send(.post, path + "/updates", trial, ifMatch: "\"2\"", mayTakeLong: false)?.status
        == 412)
    let begin = #"{"indexPath":[0,1]}"#
    #expect(service.send(.post, path + "/movement", begin, mayTakeLong: false)?.status == 201)
    for y in [1, 30, 2] {
      let step = #"{"position":{"x":5,"y":\#(y)}}"#
      let answer = try #require(service.send(.patch, path + "/movement", step, mayTakeLong: false))
      #expect(answer.status == 200, "\(answer.text)")
    }
    #expect(store.records.withLock { $0.isEmpty })
    #expect(service.send(.get, path)?["version"] as? Int == 1)
    // Where it ends is kept.
    #expect(service.send(.post, path + "/movement/end", mayTakeLong: false) == nil)
    // Where others may have changed the session, the store is asked all the same.
    let shared = ScriptedStore(isShared: true)
    let other = MockService(over: shared)
    let otherPath = try other.makeSession(session)
    #expect(other.send(.post, otherPath + "/updates", trial, mayTakeLong: false) == nil)
    #expect(other.send(.post, otherPath + "/movement", begin)?.status == 201)
    let step = #"{"position":{"x":5,"y":1}}"#
    #expect(other.send(.patch, otherPath + "/movement", step, mayTakeLong: false) == nil)
    let again = MockService(over: shared)
    #expect(
      again.send(.post, otherPath + "/updates", #"{"deleteSections":[2]}"#)?["version"] as? Int == 2
    )
    // A change elsewhere ends the movement; and what is tried is tried with what has become of it.
    let ended = other.send(.patch, otherPath + "/movement", step)
    #expect(ended?["type"] as? String == "/problems/movement")
    let late = #"{"deleteSections":[2],"dryRun":true}"#
    let refused = other.send(.post, otherPath + "/updates", late)
    #expect(refused?["type"] as? String == "/problems/invalid-update")
  }

  /// Nor for a change of the same session that somebody else is making durable, which takes as long as the store.
  @Test func aThreadThatServesNeverWaitsForAChange() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store)
    let path = try service.makeSession(session)
    let begin = #"{"indexPath":[0,1]}"#
    let trial = #"{"deleteItems":[{"section":0,"start":0,"end":1}],"dryRun":true}"#
    store.beforeAppend.withLock {
      $0 = {
        // Who waited here would wait for ever.
        #expect(service.send(.post, path + "/movement", begin, mayTakeLong: false) == nil)
        #expect(service.send(.delete, path + "/movement", mayTakeLong: false) == nil)
        let tick = #"{"contentOffset":{"x":0,"y":1}}"#
        #expect(service.send(.post, path + "/scroll", tick, mayTakeLong: false) == nil)
        #expect(service.send(.post, path + "/updates", trial, mayTakeLong: false) == nil)
        // Questions go on.
        #expect(service.send(.get, path, mayTakeLong: false)?.status == 200)
      }
    }
    let change = service.send(
      .post, path + "/updates",
      #"{"insertItems":[{"section":1,"at":0,"items":{"lengths":[7]}}]}"#)
    #expect(change?.status == 200)
    #expect(service.send(.post, path + "/movement", begin, mayTakeLong: false)?.status == 201)
    #expect(service.send(.delete, path + "/movement", mayTakeLong: false)?.status == 204)
  }

  @Test func theSnapshotIsWrittenAnewWhenChangesOutgrowIt() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store)
    let path = try service.makeSession(session)
    var most = 0
    for number in 0..<200 {
      let answer = service.send(
        .post, path + "/updates",
        #"{"insertItems":[{"section":0,"at":0,"items":{"lengths":[\#(number)]}}]}"#)
      #expect(answer?.status == 200)
      most = max(most, store.sessions.withLock { $0.values.first?.changes.count } ?? 0)
    }
    #expect(most > 8 && most < 40, "\(most) changes were kept")
    #expect(try MockService(over: store).view(of: path) == service.view(of: path))
  }

  /// As much may come until the next one as it is large, and not as the first one was.
  @Test func aSnapshotThatHasGrownIsWrittenLessOften() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store)
    let path = try service.makeSession(session)
    let lengths = (0..<3000).map { "\(100 + $0 % 900)" }.joined(separator: ",")
    for _ in 0..<60 {
      let answer = service.send(
        .post, path + "/updates",
        #"{"insertItems":[{"section":0,"at":0,"items":{"lengths":[\#(lengths)]}}]}"#)
      #expect(answer?.status == 200)
    }
    let count = store.records.withLock { $0.count { $0.operation == "replaceSnapshot" } }
    #expect(count > 2 && count < 9, "\(count) snapshots were written")
  }

  @Test func nobodyWaitsForASnapshot() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store)
    let path = try service.makeSession(session)
    var operations: [String] { store.records.withLock { $0.map(\.operation) } }
    // If it is due again before anybody has got to it, it is one.
    for number in 0..<40 {
      let answer = service.send(
        .post, path + "/updates",
        #"{"insertItems":[{"section":0,"at":0,"items":{"lengths":[\#(number)]}}]}"#,
        doesRest: false)
      #expect(answer?.status == 200)
    }
    #expect(!operations.contains("replaceSnapshot"))
    service.service.didAnswer()
    #expect(operations.filter { $0 == "replaceSnapshot" }.count == 1)
    #expect(store.sessions.withLock { $0.values.first?.changes.isEmpty } == true)
    service.service.didAnswer()
    #expect(operations.filter { $0 == "replaceSnapshot" }.count == 1)
    #expect(try MockService(over: store).view(of: path) == service.view(of: path))
  }

  /// Its record would be written, and the next snapshot after that or after another one like it.
  @Test func aChangeThatWeighsHalfTheSnapshotIsWrittenOnce() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store)
    func collection(_ seed: Int, _ count: Int = 20_000) -> String {
      let lengths = (0..<count).map { "\(100 + ($0 + seed) % 800)" }.joined(separator: ",")
      return #""collection":{"sections":[{"items":{"lengths":[\#(lengths)]}}]}"#
    }
    func operations() -> [String] {
      store.records.withLock { records in
        defer { records = [] }
        return records.map(\.operation)
      }
    }
    let path = try service.makeSession(
      #"{\#(collection(0)),"layout":{"kind":"list"},"viewport":{"width":100,"height":200,"contentOffset":{"x":0,"y":900}}}"#
    )
    for seed in 1...3 {
      let body = "{\(collection(seed))}"
      let answer = service.send(.put, path + "/collection", body)
      #expect(answer?["version"] as? Int == seed + 1)
      // The body, the layout and the viewport, and some bytes for each run of items.
      let byteCount = store.records.withLock { $0.reduce(0) { $0 + $1.byteCount } }
      #expect(byteCount < body.utf8.count * 5 / 4, "\(byteCount) for \(body.utf8.count)")
      #expect(operations() == ["replace"])
      #expect(store.sessions.withLock { $0.values.first?.snapshot.version } == seed + 1)
      let again = MockService(over: store)
      #expect(try again.view(of: path) == service.view(of: path))
      #expect(
        again.send(.get, path + "/attributes")?.text
          == service.send(.get, path + "/attributes")?.text)
    }
    #expect(try service.sample("layoutd_store_snapshots_total") == "3")
    // What weighs less than half is a record; some of them outgrow the snapshot by and by.
    let update = #"{"deleteItems":[{"section":0,"start":0,"end":1}]}"#
    #expect(service.send(.post, path + "/updates", update)?.status == 200)
    #expect(operations() == ["append"])
    // Nor do those count that came before a snapshot.
    for (seed, count, operation) in [
      (7, 8000, "append"), (8, 15_000, "replace"), (9, 20_000, "replace"),
    ] {
      let answer = service.send(.put, path + "/collection", "{\(collection(seed, count))}")
      #expect(answer?.status == 200)
      #expect(operations() == [operation])
    }
    for seed in 4...6 {
      let answer = service.send(.put, path + "/collection", "{\(collection(seed, 8000))}")
      #expect(answer?.status == 200)
    }
    #expect(operations() == ["append", "append", "append", "replaceSnapshot"])
    #expect(try MockService(over: store).view(of: path) == service.view(of: path))
  }

  @Test func whatTakesALittleMoreThanItMayComesBack() throws {
    let store = ScriptedStore(isShared: false)
    let lengths = (0..<4000).map { "\(10 + $0 % 13)" }.joined(separator: ",")
    let first = MockService(over: store)
    let path = try first.makeSession(
      """
      {"collection":{"sections":[{"items":{"lengths":[\(lengths)]}}]},
       "layout":{"kind":"waterfall"},"viewport":{"width":100,"height":200}}
      """)
    let byteCount = try #require(try first.sample("layoutd_session_bytes").flatMap { Int($0) })
    func service(_ limit: Int) -> MockService {
      MockService(over: store, sessions: SessionLimits(byteCount: limit))
    }
    let tight = service(byteCount * 9 / 10)
    let scroll = #"{"contentOffset":{"x":0,"y":0}}"#
    for isReset in [true, false] {
      #expect(tight.send(.post, path + "/scroll", scroll)?["reset"] as? Bool == isReset)
    }
    // It may become smaller, and no larger.
    let insertion = #"{"insertItems":[{"section":0,"at":0,"items":{"lengths":[\#(lengths)]}}]}"#
    #expect(tight.send(.post, path + "/updates", insertion)?.status == 422)
    let deletion = #"{"deleteItems":[{"section":0,"start":0,"end":9}]}"#
    #expect(tight.send(.post, path + "/updates", deletion)?.status == 200)
    let outgrown = try #require(service(byteCount * 2 / 5).send(.get, path))
    #expect(outgrown.status == 503)
    #expect(outgrown["type"] as? String == "/problems/unavailable")
  }

  @Test func aUseThatTheStoreDoesNotTakeIsSaidAgain() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store)
    service.clock.now = .seconds(10_000)
    let path = try service.makeSession(session)
    store.failure.withLock { $0 = StoreError(.unavailable, "the disk is full") }
    for hour in 3...5 {
      service.clock.now = .seconds(hour * 3600)
      #expect(service.send(.get, path)?.status == 200)
      _ = service.service.sweep()
    }
    #expect(store.touched.withLock { $0.isEmpty })
    store.failure.withLock { $0 = nil }
    for _ in 0..<2 { _ = service.service.sweep() }
    #expect(store.touched.withLock { $0 } == store.sessions.withLock { Array($0.keys) })
  }

  @Test func whatIsAskedOfAStoreIsCounted() throws {
    let store = ScriptedStore(isShared: false)
    let path = try MockService(over: store).makeSession(session)
    let service = MockService(over: store)
    func counts() throws -> [Int] {
      try ["sessions_loaded", "operations", "sessions_refreshed"].map {
        try #require(Int(service.sample("layoutd_store_\($0)_total") ?? ""))
      }
    }
    #expect(try counts() == [0, 0, 0])
    // It is loaded once, and changed then.
    for _ in 0..<3 { #expect(service.send(.get, path)?.status == 200) }
    let loaded = try counts()
    #expect(loaded[0] == 1 && loaded[1] >= 1 && loaded[2] == 0)
    let insertion = #"{"insertItems":[{"section":0,"at":0,"items":{"count":1}}]}"#
    #expect(service.send(.post, path + "/updates", insertion)?.status == 200)
    #expect(try counts()[0] == 1)
    #expect(try counts()[1] > loaded[1])
  }

  /// The log names all sessions that are damaged, and says of a store that is gone only the last.
  @Test func everythingThatCannotBeReadIsTold() throws {
    let store = ScriptedStore(isShared: true)
    let service = MockService(over: store)
    let path = try service.makeSession(session)
    func fails(_ kind: StoreError.Kind, _ detail: String) {
      store.failure.withLock { $0 = StoreError(kind, detail) }
      _ = service.send(.get, path)
    }
    fails(.unreadable, "one")
    fails(.unavailable, "gone")
    fails(.unreadable, "two")
    fails(.unreadable, "one")
    fails(.unavailable, "still gone")
    #expect(service.service.takeStoreErrors() == ["one", "two", "still gone"])
    for number in 0..<100 { fails(.unreadable, "\(number)") }
    #expect(service.service.takeStoreErrors() == (0..<8).map { "\($0)" })
    #expect(service.service.takeStoreErrors() == [])
  }

  /// Who shares a store is given a time to answer in, and learns of it by an error.
  @Test(arguments: [false, true])
  func aStoreThatStandsStillIsToldAndCounted(isShared: Bool) throws {
    let service = MockService(over: ScriptedStore(isShared: isShared))
    service.service.storeStandsStill(for: .milliseconds(30_900))
    #expect(
      service.service.takeStoreErrors()
        == (isShared ? [] : ["what was begun 30 seconds ago is not done yet; changes wait for it"]))
    let count = try service.sample(#"layoutd_store_errors_total{kind="unavailable"}"#)
    #expect(count == (isShared ? "0" : "1"))
  }

  /// A use that cannot be noted keeps nobody from being forgotten, which may be what makes room for it.
  @Test func aUseThatTheStoreDoesNotTakeKeepsNothingFromBeingSwept() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store)
    service.clock.now = .seconds(10_000)
    let path = try service.makeSession(session)
    // One on a damaged page is not going to be noted, however often it is said.
    for (kind, isSaidAgain) in [(StoreError.Kind.unavailable, true), (.unreadable, false)] {
      service.clock.now += .seconds(1000)
      #expect(service.send(.get, path)?.status == 200)
      store.touchFailure.withLock { $0 = StoreError(kind, "not this one") }
      let before = store.sweepCount.withLock(\.self)
      _ = service.service.sweep()
      #expect(service.service.takeStoreErrors() == ["not this one"])
      #expect(store.sweepCount.withLock(\.self) == before + 1)
      store.touchFailure.withLock { $0 = nil }
      store.touched.withLock { $0 = [] }
      _ = service.service.sweep()
      #expect(store.touched.withLock(\.isEmpty) == !isSaidAgain)
    }
  }

  @Test func theStoreKnowsOfUseOnceInAWhile() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store)
    service.clock.now = .seconds(10_000)
    let path = try service.makeSession(session)
    for second in 10_000..<10_900 {
      service.clock.now = .seconds(second)
      _ = service.send(.get, path)
    }
    _ = service.service.sweep()
    // An eighth of an hour is 450 seconds.
    #expect(store.touched.withLock(\.count) == 1)
    // What is loaded need not have been used just now.
    let other = MockService(over: store)
    other.clock.now = .seconds(10_900)
    for second in 10_900..<10_903 {
      other.clock.now = .seconds(second)
      #expect(other.send(.get, path)?.status == 200)
    }
    _ = other.service.sweep()
    #expect(store.touched.withLock(\.count) == 2)
    // Nor on a machine that has just been started, from when the clock counts.
    let fresh = MockService(over: store)
    for second in 1..<3 {
      fresh.clock.now = .seconds(second)
      #expect(fresh.send(.get, path)?.status == 200)
    }
    _ = fresh.service.sweep()
    #expect(store.touched.withLock(\.count) == 3)
  }

  /// What it takes to say it comes out of the eighth too.
  @Test(arguments: [(446, 0), (447, 1)])
  func theStoreKnowsOfUseInTime(seconds: Int, count: Int) throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store)
    service.clock.now = .seconds(10_000)
    let path = try service.makeSession(session)
    service.clock.now += .seconds(seconds)
    #expect(service.send(.get, path)?.status == 200)
    _ = service.service.sweep()
    #expect(store.touched.withLock(\.count) == count)
  }

  /// Whoever opens the store next judges by the world's clock, whatever time has gone by.
  @Test(arguments: [(446, 0), (447, 1), (-447, 1), (-7200, 1)])
  func theStoreKnowsOfUseAfterALeap(leap: Int64, count: Int) throws {
    let store = ScriptedStore(isShared: false)
    let second = Mutex<Int64>(1_000_000)
    let service = MockService(over: store, worldSeconds: { second.withLock { $0 } })
    let path = try service.makeSession(session)
    second.withLock { $0 += leap }
    for _ in 0..<2 {
      #expect(service.send(.get, path)?.status == 200)
      _ = service.service.sweep()
    }
    #expect(store.touched.withLock(\.count) == count)
  }

  /// Of lives that end before the next sweep could say so, the store is told of each use at once.
  @Test(arguments: [(7, false), (8, true)])
  func theStoreKnowsOfUseAtOnceWhereLivesAreShort(seconds: Int, isAnsweredFromMemory: Bool) throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store, timeToLive: .seconds(seconds))
    let path = try service.makeSession(session)
    #expect((service.send(.get, path, mayTakeLong: false) != nil) == isAnsweredFromMemory)
    #expect(service.send(.get, path)?.status == 200)
  }

  /// Where the last tick is not known, a drag began nearer to where the finger was lifted than to where a change was
  /// made long ago.
  @Test func aDragAfterALossBeginsWhereTheClientIs() throws {
    let store = ScriptedStore(isShared: false)
    let first = MockService(over: store)
    let path = try first.makeSession(
      #"""
      {"collection":{"sections":[{"items":{"count":40}}]},
       "layout":{"kind":"pagedGrid","rows":1,"columns":1},"viewport":{"width":100,"height":100}}
      """#)
    let tick = #"{"contentOffset":{"x":2000,"y":0}}"#
    #expect(first.send(.post, path + "/scroll", tick)?.status == 200)
    let drag = #"{"contentOffset":{"x":2040,"y":0},"velocity":{"x":500,"y":0}}"#
    func target(_ service: MockService, _ drag: String) -> Double? {
      let answer = service.send(.post, path + "/snap", drag)
      return (answer?["targetContentOffset"] as? [String: Double])?["x"]
    }
    let second = MockService(over: store)
    #expect(target(first, drag) == 2100)
    #expect(target(second, drag) == 2100)
    // Who knows better says so; and who says nothing is where the store has him.
    let known = drag.replacing(
      "{\"contentOffset\"", with: #"{"startContentOffset":{"x":1900,"y":0},"contentOffset""#)
    #expect(target(second, known) == 2000)
    #expect(target(second, #"{"velocity":{"x":500,"y":0}}"#) == 100)
    #expect(second.send(.post, path + "/scroll", tick)?.status == 200)
    #expect(target(second, #"{"velocity":{"x":500,"y":0}}"#) == 2100)
    // Where a change has led him is known, though the next tick is a reset.
    let layout =
      #"{"layout":{"kind":"pagedGrid","rows":1,"columns":1},"contentOffset":{"x":900,"y":0}}"#
    #expect(second.send(.put, path + "/layout", layout)?.status == 200)
    #expect(target(second, drag) == 1000)
  }

  /// Some have more digits than the doubles near them, also in a record of megabytes.
  @Test func offsetsFarOffAreKeptToTheMillionth() throws {
    let store = ScriptedStore(isShared: false)
    let first = MockService(over: store)
    let items = #"{"items":{"count":1000000000000}}"#
    let path = try first.makeSession(
      #"{"collection":{"sections":[\#(items)]},"layout":{"kind":"list","itemLength":8.5},"viewport":{"width":9,"height":9}}"#
    )
    let viewport = #"{"width":10,"height":10,"contentOffset":{"x":0,"y":8000000000000.123457}}"#
    #expect(first.send(.put, path + "/viewport", viewport)?.status == 200)
    let sections = (0..<20_000).map { "{\"id\":\"\($0)\(String(repeating: "n", count: 60))\"}" }
    let collection =
      "{\"collection\":{\"sections\":[\(items),\(sections.joined(separator: ","))]}}"
    #expect(first.send(.put, path + "/collection", collection)?.status == 200)
    // As if the process had ended here.
    for service in [first, MockService(over: store)] {
      let answer = service.send(.put, path + "/viewport", #"{"width":10,"height":10}"#)
      let isKept = answer?.text.contains(#""y":8000000000000.123457"#)
      #expect(isKept == true)
    }
  }

  @Test func whoseASessionIsIsKept() throws {
    let store = ScriptedStore(isShared: false)
    func service() throws -> MockService {
      let hash = { (key: String) in
        [
          "one": "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
          "two": "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3",
        ][key] ?? ""
      }
      return MockService(
        over: store,
        access: AccessControl(keys: try APIKeys("a:\(hash("one"))\nb:\(hash("two"))\n")))
    }
    let first = try service()
    let made = try #require(
      first.send(.post, "/v1/sessions", session, authorization: "Bearer one"))
    let path = try #require(made.fields["Location"])
    let again = try service()
    #expect(again.send(.get, path, authorization: "Bearer two")?.status == 404)
    #expect(again.send(.get, path, authorization: "Bearer one")?.status == 200)
    #expect(again.send(.get, path, authorization: "Bearer two")?.status == 404)
    #expect(again.send(.delete, path, authorization: "Bearer two")?.status == 404)
    // One that cannot be read is still somebody's, who can be rid of it.
    let id = try #require(store.sessions.withLock { $0.keys.first })
    store.sessions.withLock { $0[id]?.snapshot.record = [] }
    let last = try service()
    #expect(last.send(.get, path, authorization: "Bearer one")?.status == 500)
    #expect(last.send(.delete, path, authorization: "Bearer two")?.status == 404)
    #expect(
      last.send(.delete, path, ifMatch: "\"1\"", authorization: "Bearer one")?.status == 500)
    #expect(last.send(.delete, path, authorization: "Bearer one")?.status == 204)
    #expect(store.sessions.withLock { $0.isEmpty })
    #expect(last.send(.delete, path, authorization: "Bearer one")?.status == 404)
  }
}

/// Records tell what they are.
struct StoredRecordTests {
  private func kept(_ store: ScriptedStore) throws -> SessionID {
    try #require(store.sessions.withLock { $0.keys.first })
  }

  /// One sum of sixteen begins with a zero.
  @Test func recordsOfSmallSumsAreReadToo() throws {
    let store = ScriptedStore(isShared: false)
    let first = MockService(over: store)
    let paths = try (1...64).map { width in
      try first.makeSession(
        #"{"collection":{"sections":[]},"layout":{"kind":"list"},"viewport":{"width":\#(width),"height":9}}"#
      )
    }
    let records = store.sessions.withLock { $0.values.map(\.snapshot.record) }
    #expect(records.contains { $0.starts(with: Array("layoutd 1 0".utf8)) })
    let again = MockService(over: store)
    for path in paths { #expect(again.send(.get, path)?.status == 200) }
  }

  @Test func anyDamageIsNoticed() throws {
    let store = ScriptedStore(isShared: false)
    let path = try MockService(over: store).makeSession(session)
    let id = try kept(store)
    let record = try #require(store.sessions.withLock { $0[id]?.snapshot.record })
    let other = try MockService(over: store).makeSession(session)
    for place in record.indices {
      store.sessions.withLock { $0[id]?.snapshot.record[place] ^= 1 }
      let service = MockService(over: store)
      let answer = try #require(service.send(.get, path))
      #expect(answer.status == 500, "byte \(place)")
      #expect((answer["detail"] as? String)?.contains("it is left as it is") == true)
      store.sessions.withLock { $0[id]?.snapshot.record[place] ^= 1 }
      // The others are unharmed, and so is this one when it can be read again.
      if place % 64 == 0 {
        #expect(service.send(.get, other)?.status == 200)
        #expect(service.send(.get, path)?.status == 200)
      }
    }
    for count in 0..<record.count where count % 7 == 0 {
      store.sessions.withLock { $0[id]?.snapshot.record = Array(record.prefix(count)) }
      #expect(MockService(over: store).send(.get, path)?.status == 500)
    }
  }

  /// No build may refuse what an earlier one has kept, whatever it demands of requests.
  ///
  /// `Fixtures/records.json` has records with every member of sections, layouts and changes, as they were written
  /// before versions had stamps, and when members that are for the answer alone were kept too.
  @Test func whatEarlierBuildsHaveWrittenIsRead() throws {
    struct Session: Decodable {
      var written, snapshot: String
      var changes: [String]
      /// Of each version.
      var itemCounts: [[Int]]
    }
    let sessions = try JSONDecoder().decode([Session].self, from: fixture("records.json"))
    #expect(sessions.count == 2)
    for session in sessions {
      for (count, itemCounts) in session.itemCounts.enumerated() {
        let store = ScriptedStore(isShared: false)
        let path = try MockService(over: store).makeSession(StoredRecordTests.empty)
        let id = try kept(store)
        store.sessions.withLock {
          $0[id]?.snapshot.record = Array(session.snapshot.utf8)
          $0[id]?.changes = session.changes.prefix(count).map { Array($0.utf8) }
          $0[id]?.stamps = (0...UInt64(count)).map { $0 + 1 }
        }
        let answer = try #require(MockService(over: store).send(.get, path))
        #expect(answer.status == 200, "written \(session.written), change \(count): \(answer.text)")
        #expect(answer["version"] as? Int == count + 1)
        let sections = answer["sections"] as? [[String: Any]]
        #expect(sections?.compactMap { $0["itemCount"] as? Int } == itemCounts)
      }
    }
  }

  /// A build that has no such member, or other rules for it, reads the session all the same.
  @Test(arguments: [
    ("/updates", #"{"moveItems":[{"from":[0,0],"to":[0,1]}],"#),
    ("/layout", #"{"layout":{"kind":"flow"},"#),
    ("/viewport", #"{"width":120,"height":150,"displayScale":2,"#),
    ("/collection", #"{"collection":{"sections":[{"items":{"ids":["}","anchor","\\\"]"]}}]},"#),
  ])
  func whatIsForTheAnswerAloneIsNotKept(end: String, change: String) throws {
    var members = [
      #""anchor":{"kind":"cell","indexPath":[0,0]}"#, #""contentOffset":{"x":0,"y":3}"#,
    ]
    if end == "/updates" {
      members += [
        #""insertAnimation":{"alpha":0.5,"position":"bottomCenter"}"#, #""deleteAnimation":{}"#,
        #""expect":{"itemCounts":[2,3,0]}"#,
      ]
    }
    let body = change + members.joined(separator: " , ") + "}"
    // Behind what is kept, and in front of it.
    let reversed = "{\(members.joined(separator: ",\n")),\(change.dropFirst().dropLast())}"
    for body in [body, reversed] {
      let store = ScriptedStore(isShared: false)
      let service = MockService(over: store)
      let path = try service.makeSession(session)
      let method = end == "/updates" ? HTTPMethod.post : .put
      let answer = try #require(service.send(method, path + end, body))
      #expect(answer.status == 200, "\(answer.text)")
      let changes = try #require(store.sessions.withLock { $0.values.first?.changes })
      #expect(changes.count == 1)
      let record = try #require(changes.first)
      let line = try #require(record.firstIndex(of: UInt8(ascii: "\n")))
      let json = try #require(
        JSONSerialization.jsonObject(with: Data(record[(line + 1)...])) as? [String: Any])
      let kept = try #require(json[String(end.dropFirst())] as? NSDictionary)
      let wanted = try JSONSerialization.jsonObject(with: Data("\(change.dropLast())}".utf8))
      #expect(kept == wanted as? NSDictionary)
      #expect(json["contentOffset"] != nil)
      #expect(try MockService(over: store).view(of: path) == service.view(of: path))
    }
  }

  /// A way to change sessions that there may be once.
  @Test func whatALaterBuildHasChangedIsLeftToIt() throws {
    let store = ScriptedStore(isShared: false)
    let path = try MockService(over: store).makeSession(session)
    let id = try kept(store)
    let record = Array(
      #"""
      layoutd 1 0311ddba10068acd
      {"contentOffset":{"x":0,"y":0},"updates":{"foldItems":[]}}
      """#.utf8)
    store.sessions.withLock {
      $0[id]?.changes = [record]
      $0[id]?.stamps.append(2)
    }
    let service = MockService(over: store)
    for (method, end, body) in [(HTTPMethod.get, "", "")] + StoringTests.changes {
      let answer = try #require(service.send(method, path + end, body))
      #expect(answer.status == 500)
      let detail = try #require(answer["detail"] as? String)
      #expect(
        detail.contains("the change to version 2 cannot be read: another build has written it"))
      #expect(detail.contains("\"foldItems\""))
    }
    #expect(store.sessions.withLock { $0[id]?.changes } == [record])
  }

  private static let empty =
    #"{"collection":{"sections":[]},"layout":{"kind":"list"},"viewport":{"width":9,"height":9}}"#

  @Test func aFormatOfTheFutureIsLeftAlone() throws {
    let store = ScriptedStore(isShared: false)
    let path = try MockService(over: store).makeSession(session)
    let id = try kept(store)
    let record = Array("layoutd 2 0123456789abcdef\n{}".utf8)
    store.sessions.withLock { $0[id]?.snapshot.record = record }
    let service = MockService(over: store)
    for (method, end, body) in [(HTTPMethod.get, "", "")] + StoringTests.changes {
      let answer = try #require(service.send(method, path + end, body))
      #expect(answer.status == 500)
      #expect((answer["detail"] as? String)?.contains("format 2 is not known") == true)
    }
    #expect(store.sessions.withLock { $0[id]?.snapshot.record } == record)
    #expect(store.sessions.withLock { $0[id]?.version } == 1)
  }

  @Test func aChangeThatDoesNotFitIsNamed() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store)
    let path = try service.makeSession(session)
    for _ in 0..<2 {
      _ = service.send(
        .post, path + "/updates", #"{"deleteItems":[{"section":0,"start":0,"end":1}]}"#)
    }
    let id = try kept(store)
    store.sessions.withLock { sessions in
      let first = sessions[id]?.changes.first ?? []
      sessions[id]?.changes.append(first)
    }
    let answer = try #require(MockService(over: store).send(.get, path))
    #expect(answer.status == 500)
    let detail = try #require(answer["detail"] as? String)
    #expect(detail.contains("the change to version 4 cannot be read"), "\(detail)")
    #expect(detail.contains("the section has 0 items before"), "\(detail)")
  }
}
