import Foundation
import HTTPMessages
import LayoutSessions
import Synchronization
import Testing

@testable import LayoutAPI

private let session = """
  {"collection":{"sections":[{"items":{"lengths":[10,20,30],"ids":["a","b","c"]}}]},
   "layout":{"kind":"list"},"viewport":{"width":100,"height":200}}
  """

private let deletion = #"{"deleteItems":[{"section":0,"start":0,"end":1}]}"#
private let insertion = #"{"insertItems":[{"section":0,"at":0,"items":{"lengths":[5]}}]}"#

/// Several servers over one store, and one that loses sight of its sessions.
@Suite(.waits) struct SharingTests {
  private func itemCount(_ answer: Answer?) -> Int? {
    ((answer?["sections"] as? [[String: Any]])?.first)?["itemCount"] as? Int
  }

  @Test func anyServerAnswersAnySession() throws {
    let store = ScriptedStore(isShared: true)
    let (one, two) = (MockService(over: store), MockService(over: store))
    let path = try one.makeSession(session)
    #expect(itemCount(two.send(.get, path)) == 3)
    #expect(one.send(.post, path + "/updates", deletion)?.status == 200)
    let seen = try #require(two.send(.get, path))
    #expect(itemCount(seen) == 2)
    #expect(seen["version"] as? Int == 2)
    for (method, end, body) in StoringTests.changes.dropFirst(4) {
      #expect(two.send(method, path + end, body)?.status == 200)
      #expect(try one.view(of: path) == two.view(of: path))
    }
    #expect(one.send(.delete, path)?.status == 204)
    #expect(two.send(.get, path)?.status == 404)
    #expect(two.send(.post, path + "/updates", deletion)?.status == 404)
  }

  /// As if there were none: it is not taken over, and nobody learns that it is damaged.
  @Test func sessionsOfOthersAreNeitherTakenOverNorLookedAt() throws {
    let store = ScriptedStore(isShared: true)
    // SHA-256 of abc and of xyz.
    let access = AccessControl(
      keys: try APIKeys(
        """
        one:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
        other:3608bca1e44ea6c4d268eb6db02260269892c0b42b86bbf1e77a6fa16c3c9282
        """))
    let (here, there) = (
      MockService(over: store, access: access), MockService(over: store, access: access)
    )
    let created = here.send(.post, "/v1/sessions", session, authorization: "Bearer abc")
    let path = try #require(created?.fields["Location"])
    let tick = #"{"contentOffset":{"x":0,"y":0}}"#
    for service in [here, there] {
      let answer = service.send(.post, path + "/scroll", tick, authorization: "Bearer xyz")
      #expect(answer?.status == 404)
    }
    #expect(store.takeoverCount.withLock { $0 } == 0)
    store.sessions.withLock { sessions in
      for id in sessions.keys { sessions[id]?.snapshot.record = [0] }
    }
    #expect(there.send(.get, path, authorization: "Bearer xyz")?.status == 404)
    #expect(there.send(.get, path, authorization: "Bearer abc")?.status == 500)
  }

  /// A replica that becomes the master may not have the last changes: their numbers come again.
  @Test func whatTheStoreHasLostIsForgotten() throws {
    let store = ScriptedStore(isShared: true)
    let (one, two) = (MockService(over: store), MockService(over: store))
    let path = try one.makeSession(session)
    let tick = #"{"contentOffset":{"x":0,"y":0}}"#
    func change(_ service: MockService, _ body: String) -> Int? {
      service.send(.post, path + "/updates", body)?["version"] as? Int
    }
    func loseLastChange() {
      store.sessions.withLock { sessions in
        for id in sessions.keys {
          sessions[id]?.changes.removeLast()
          sessions[id]?.stamps.removeLast()
        }
      }
    }
    // Lost, and made anew by another server: what is read is the same everywhere.
    #expect(change(one, deletion) == 2)
    loseLastChange()
    #expect(change(two, insertion) == 2)
    #expect(itemCount(one.send(.get, path)) == 4)
    #expect(try one.view(of: path) == two.view(of: path))
    #expect(one.send(.post, path + "/scroll", tick)?["reset"] as? Bool == true)
    // The same where it is changed without having been read: what is lost is not changed further.
    #expect(change(one, deletion) == 3)
    loseLastChange()
    #expect(change(two, insertion) == 3)
    #expect(change(one, insertion) == 4)
    #expect(itemCount(one.send(.get, path)) == 6)
    #expect(try one.view(of: path) == two.view(of: path))
    // Lost, and not made anew.
    loseLastChange()
    #expect(itemCount(one.send(.get, path)) == 5)
    #expect(change(one, deletion) == 4)
    #expect(try one.view(of: path) == two.view(of: path))
  }

  @Test func ticksBeginAnewAfterAChangeElsewhere() throws {
    let store = ScriptedStore(isShared: true)
    let (one, two) = (MockService(over: store), MockService(over: store))
    let path = try one.makeSession(session)
    let body = #"{"contentOffset":{"x":0,"y":0}}"#
    #expect(one.send(.post, path + "/scroll", body)?["reset"] as? Bool == false)
    #expect(two.send(.post, path + "/scroll", body)?["reset"] as? Bool == true)
    #expect(two.send(.post, path + "/scroll", body)?["reset"] as? Bool == false)
    _ = one.send(.post, path + "/updates", deletion)
    #expect(two.send(.post, path + "/scroll", body)?["reset"] as? Bool == true)
  }

  /// The offset is one that there is in what the collection has become.
  @Test func whatShowsAfterAChangeElsewhereIsTheEndOfWhatIsLeft() throws {
    let store = ScriptedStore(isShared: true)
    let (one, two) = (MockService(over: store), MockService(over: store))
    let path = try one.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":40}}]},
       "layout":{"kind":"list","itemLength":50},"viewport":{"width":100,"height":200}}
      """)
    let end = #"{"contentOffset":{"x":0,"y":1800}}"#
    #expect(two.send(.post, path + "/scroll", end)?.status == 200)
    let most = #"{"deleteItems":[{"section":0,"start":10,"end":40}]}"#
    #expect(one.send(.post, path + "/updates", most)?.status == 200)
    let answer = try #require(two.send(.get, path + "/attributes"))
    let shown = try #require(answer["attributes"] as? [[String: Any]])
    #expect(shown.compactMap { $0["indexPath"] as? [Int] } == [[0, 6], [0, 7], [0, 8], [0, 9]])
  }

  /// Who has looked at a session before knows as much of where its client is as who reads it anew; but for its own
  /// ticks, which are as new as the changes, or newer.
  @Test func whereTheClientIsIsTheSameForAllWhoHaveNotSeenItScroll() throws {
    let store = ScriptedStore(isShared: true)
    let (one, two, three) = (
      MockService(over: store), MockService(over: store), MockService(over: store)
    )
    let path = try one.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":1000}}]},
       "layout":{"kind":"list","itemLength":50},"viewport":{"width":100,"height":200}}
      """)
    #expect(two.send(.get, path + "/attributes")?.status == 200)
    #expect(one.tick(path, y: 20_000)?.status == 200)
    #expect(one.send(.post, path + "/updates", insertion)?.status == 200)
    func first(_ service: MockService) throws -> [Int] {
      let shown = service.send(.get, path + "/attributes")?["attributes"] as? [[String: Any]]
      return try #require(shown?.first?["indexPath"] as? [Int])
    }
    for service in [one, two, three] { #expect(try first(service) == first(one)) }
    // And what is told of it does not get lost by who only changes something else.
    #expect(two.send(.put, path + "/viewport", #"{"width":100,"height":100}"#)?.status == 200)
    for service in [two, three] { #expect(try first(service) == first(one)) }
    #expect(try first(three) != [0, 0])
  }

  @Test func aTickThatWasAnsweredElsewhereIsNotComparedWith() throws {
    let store = ScriptedStore(isShared: true)
    let service = MockService(over: store)
    let path = try service.makeSession(session)
    let body = #"{"contentOffset":{"x":0,"y":0}}"#
    #expect(service.send(.post, path + "/scroll", body)?["reset"] as? Bool == false)
    store.takeover.withLock { $0 = 7 }
    // A question does not care.
    #expect(service.send(.get, path)?.status == 200)
    let tick = try #require(service.send(.post, path + "/scroll", body))
    #expect(tick["reset"] as? Bool == true)
    #expect((tick["appeared"] as? [Any])?.count == 3)
    #expect(service.send(.post, path + "/scroll", body)?["reset"] as? Bool == false)
    // What a change shows is seen by the client too.
    store.takeover.withLock { $0 = 3 }
    let count = store.takeoverCount.withLock { $0 }
    _ = service.send(.put, path + "/viewport", #"{"contentOffset":{"x":0,"y":0}}"#)
    #expect(store.takeoverCount.withLock { $0 } == count + 1)
  }

  @Test func everyRequestThatIsToldOfATakeoverActsOnIt() throws {
    let store = ScriptedStore(isShared: true)
    let service = UnsafeShared(MockService(over: store))
    let path = try service.value.makeSession(session)
    let body = #"{"contentOffset":{"x":0,"y":0}}"#
    let inner = Mutex<Bool?>(nil)
    for takeover: UInt64 in [7, 3] {
      store.takeover.withLock { $0 = takeover }
      inner.withLock { $0 = nil }
      // One has been told and has not got so far as to act on it when another one's tick is answered.
      store.afterLoad.withLock {
        $0 = { @Sendable in
          let tick = service.value.send(.post, path + "/scroll", body)
          inner.withLock { $0 = tick?["reset"] as? Bool }
        }
      }
      _ = service.value.send(
        .post, path + "/updates", #"{"deleteItems":[],"dryRun":true}"#)
      #expect(inner.withLock { $0 } == true)
    }
    // Also if what one was told never arrives.
    store.takeover.withLock { $0 = 11 }
    store.afterLoad.withLock {
      $0 = { @Sendable in store.failure.withLock { $0 = StoreError(.unavailable, "gone") } }
    }
    _ = service.value.send(.post, path + "/updates", deletion)
    store.failure.withLock { $0 = nil }
    #expect(service.value.send(.post, path + "/scroll", body)?["reset"] as? Bool == true)
    #expect(service.value.send(.post, path + "/scroll", body)?["reset"] as? Bool == false)
  }

  /// A session of one server that another one over the same store has changed, of which the first has not heard.
  private func changedElsewhere() throws -> (
    store: ScriptedStore, one: MockService, two: MockService, path: String
  ) {
    let store = ScriptedStore(isShared: true)
    let (one, two) = (MockService(over: store), MockService(over: store))
    let path = try one.makeSession(session)
    #expect(two.send(.post, path + "/updates", deletion)?["version"] as? Int == 2)
    return (store, one, two, path)
  }

  /// Somebody else's change is read by two requests at once, of which one goes on to make its own.
  @Test func whatWasReadIsNotAppliedToWhatHasItAlready() throws {
    let (store, one, two, path) = try changedElsewhere()
    store.afterLoad.withLock {
      $0 = { @Sendable [one = UnsafeShared(one)] in
        let answer = one.value.send(.post, path + "/updates", insertion)
        #expect(answer?["version"] as? Int == 3)
      }
    }
    let seen = try #require(one.send(.get, path))
    #expect(seen["version"] as? Int == 3)
    #expect(itemCount(seen) == 3)
    #expect(try one.view(of: path) == two.view(of: path))
  }

  /// And it counts once, for the one that has taken it.
  @Test func whatTwoReadAtOnceIsTakenOnce() throws {
    let (store, one, _, path) = try changedElsewhere()
    store.afterLoad.withLock {
      $0 = { @Sendable [one = UnsafeShared(one)] in
        #expect(one.value.send(.get, path)?["version"] as? Int == 2)
      }
    }
    #expect(one.send(.get, path)?["version"] as? Int == 2)
    #expect(try one.sample("layoutd_store_sessions_refreshed_total") == "1")
  }

  @Test func ofTwoChangesFromOneVersionOneWins() throws {
    let store = ScriptedStore(isShared: true)
    let (one, two) = (MockService(over: store), MockService(over: store))
    let path = try one.makeSession(session)
    _ = two.send(.get, path)
    // The other server is faster when this one has worked its change out.
    letDelete(by: two, at: path, ifMatch: "\"1\"", before: store)
    let late = try #require(one.send(.post, path + "/updates", insertion, ifMatch: "\"1\""))
    #expect(late.status == 412)
    #expect(late["version"] as? Int == 2)
    #expect(itemCount(one.send(.get, path)) == 2)
    // Who believes in no version is applied to whichever there is.
    letDelete(by: two, at: path, before: store)
    let answer = try #require(one.send(.post, path + "/updates", insertion))
    #expect(answer.status == 200)
    #expect(answer["version"] as? Int == 4)
    #expect(itemCount(answer) == 2)
    #expect(try one.view(of: path) == two.view(of: path))
  }

  /// Has a server delete an item at the moment in which the store is about to take another's change.
  private func letDelete(
    by other: MockService, at path: String, ifMatch: String = "", before store: ScriptedStore
  ) {
    store.beforeAppend.withLock {
      $0 = { @Sendable [other = UnsafeShared(other)] in
        _ = other.value.send(.post, path + "/updates", deletion, ifMatch: ifMatch)
      }
    }
  }

  /// One that is written as a snapshot is worked out from a version like any other.
  @Test(arguments: [false, true])
  func aChangeThatIsWrittenAsASnapshotIsMadeFromItsVersion(fails: Bool) throws {
    let store = ScriptedStore(isShared: true)
    let (one, two) = (MockService(over: store), MockService(over: store))
    let path = try one.makeSession(session)
    _ = two.send(.get, path)
    let lengths = (0..<20_000).map { "\(100 + $0 % 800)" }.joined(separator: ",")
    let body = #"{"collection":{"sections":[{"items":{"lengths":[\#(lengths)]}}]}}"#
    func replace(ifMatch: String = "") -> Answer? {
      one.send(.put, path + "/collection", body, ifMatch: ifMatch)
    }
    if fails {
      // Nobody knows whether it was made, and it was.
      store.failsAfterwards.withLock { $0 = true }
      store.failure.withLock { $0 = StoreError(.uncertain, "the line is dead") }
      #expect(replace()?.status == 503)
      store.failure.withLock { $0 = nil }
      #expect(itemCount(one.send(.get, path)) == 20_000)
      #expect(try one.view(of: path) == two.view(of: path))
      #expect(one.send(.post, path + "/updates", deletion)?["version"] as? Int == 3)
      return
    }
    letDelete(by: two, at: path, before: store)
    let late = try #require(replace(ifMatch: "\"1\""))
    #expect(late.status == 412)
    #expect(late["version"] as? Int == 2)
    #expect(itemCount(one.send(.get, path)) == 2)
    letDelete(by: two, at: path, before: store)
    #expect(replace()?["version"] as? Int == 4)
    #expect(store.sessions.withLock { $0.values.first?.snapshot.version } == 4)
    #expect(itemCount(two.send(.get, path)) == 20_000)
    #expect(try one.view(of: path) == two.view(of: path))
  }

  @Test func aDeletionAtAnotherVersionDeletesNothing() throws {
    let store = ScriptedStore(isShared: true)
    let (one, two) = (MockService(over: store), MockService(over: store))
    let path = try one.makeSession(session)
    _ = two.send(.post, path + "/updates", deletion)
    #expect(one.send(.delete, path, ifMatch: "\"1\"")?.status == 412)
    #expect(one.send(.get, path)?.status == 200)
  }

  @Test func whatWasDeletedElsewhereIsNotThereToBeDeleted() throws {
    let store = ScriptedStore(isShared: true)
    let (one, two) = (MockService(over: store), MockService(over: store))
    let path = try one.makeSession(session)
    #expect(two.send(.delete, path)?.status == 204)
    // It has the session in memory still.
    #expect(one.send(.delete, path)?.status == 404)
  }

  @Test func aDeletionThatAChangeGetsAheadOfIsToldTheVersion() throws {
    for isShared in [false, true] {
      let store = ScriptedStore(isShared: isShared)
      let one = MockService(over: store)
      let two = UnsafeShared(isShared ? MockService(over: store) : one)
      let path = try one.makeSession(session)
      func deletion(ifMatch: String) -> Answer? {
        store.beforeDelete.withLock {
          $0 = { @Sendable in _ = two.value.send(.post, path + "/updates", insertion) }
        }
        return one.send(.delete, path, ifMatch: ifMatch)
      }
      let answer = try #require(deletion(ifMatch: "\"1\""))
      #expect(answer.status == 412)
      #expect(answer["version"] as? Int == 2)
      #expect(answer.fields["ETag"] == "\"2\"")
      #expect(one.send(.get, path)?["version"] as? Int == 2)
      // Who believes in this version too has what was asked for.
      #expect(deletion(ifMatch: "\"2\", \"3\"")?.status == 204)
      #expect(one.send(.get, path)?.status == 404)
    }
  }

  @Test func stalenessIsBounded() throws {
    let store = ScriptedStore(isShared: true)
    let clock = SteppedClock()
    let one = MockService(over: store)
    let two = MockService(
      over: store, maxStaleness: .milliseconds(100), clock: { clock.nanoseconds })
    let path = try one.makeSession(session)
    #expect(two.send(.get, path)?["version"] as? Int == 1)
    _ = one.send(.post, path + "/updates", deletion)
    clock.set(100_000_000)
    #expect(two.send(.get, path, mayTakeLong: false)?["version"] as? Int == 1)
    clock.set(100_000_001)
    #expect(two.send(.get, path, mayTakeLong: false) == nil)
    #expect(two.send(.get, path)?["version"] as? Int == 2)
    // A change is never worked out from what is old, nor refused because of it.
    _ = one.send(.post, path + "/updates", insertion)
    #expect(
      two.send(.post, path + "/updates", insertion, ifMatch: "\"3\"")?["version"] as? Int == 4)
    _ = one.send(.post, path + "/updates", insertion)
    let far = #"{"deleteItems":[{"section":0,"start":4,"end":5}]}"#
    #expect(two.send(.post, path + "/updates", far)?["version"] as? Int == 6)
    _ = one.send(.post, path + "/updates", insertion)
    #expect(two.send(.post, path + "/updates", insertion)?["version"] as? Int == 8)
    // While the store is gone, what is fresh enough is answered.
    store.failure.withLock { $0 = StoreError(.unavailable, "gone") }
    #expect(two.send(.get, path)?.status == 200)
    clock.set(300_000_000)
    #expect(two.send(.get, path)?.status == 503)
  }

  /// Who is taken over from answers from memory until it asks the store again, and nobody learns of those ticks.
  @Test func ticksBeginAnewWhenAnotherCanAnswerNoMore() throws {
    let store = ScriptedStore(isShared: true)
    let clock = SteppedClock()
    let service = MockService(
      over: store, maxStaleness: .milliseconds(100), clock: { clock.nanoseconds })
    let path = try service.makeSession(session)
    func isReset(at milliseconds: UInt64) -> Bool? {
      clock.set(milliseconds * 1_000_000)
      let tick = #"{"contentOffset":{"x":0,"y":0}}"#
      return service.send(.post, path + "/scroll", tick)?["reset"] as? Bool
    }
    #expect(isReset(at: 1000) == false)
    // Another one has answered a tick, and this one takes over.
    store.takeover.withLock { $0 = 1 }
    #expect(isReset(at: 1200) == true)
    #expect(isReset(at: 1299) == false)
    #expect(isReset(at: 1300) == true)
    for time in [1301, 1400, 1600] as [UInt64] { #expect(isReset(at: time) == false) }
  }

  /// A question does not tell the store that another server answers ticks now, and is no reason not to ask it at the
  /// next tick.
  @Test func aQuestionDoesNotLearnWhoAnswersTicks() throws {
    let store = ScriptedStore(isShared: true)
    let clock = SteppedClock()
    let service = MockService(
      over: store, maxStaleness: .milliseconds(100), clock: { clock.nanoseconds })
    let path = try service.makeSession(session)
    func isReset() -> Bool? {
      let tick = #"{"contentOffset":{"x":0,"y":0}}"#
      return service.send(.post, path + "/scroll", tick)?["reset"] as? Bool
    }
    #expect(isReset() == false)
    clock.set(1_000_000_000)
    store.takeover.withLock { $0 = 1 }
    #expect(service.send(.get, path)?.status == 200)
    #expect(store.takeoverCount.withLock { $0 } == 0)
    #expect(isReset() == true)
    // A tick that asks the store is good for questions too.
    #expect(service.send(.get, path, mayTakeLong: false)?.status == 200)
    #expect(isReset() == false)
    #expect(store.takeoverCount.withLock { $0 } == 1)
  }

  /// Clocks may count from when the machine was started: who has never been asked has not been asked just now.
  @Test func aTickTellsWhoAnswersItOnAMachineThatHasJustBeenStarted() throws {
    let store = ScriptedStore(isShared: true)
    let clock = SteppedClock()
    let path = try MockService(over: store).makeSession(session)
    let service = MockService(
      over: store, maxStaleness: .seconds(86_400), clock: { clock.nanoseconds })
    clock.set(5_000_000_000)
    #expect(service.send(.get, path)?.status == 200)
    #expect(store.takeoverCount.withLock { $0 } == 0)
    for _ in 0..<2 {
      _ = service.send(.post, path + "/scroll", #"{"contentOffset":{"x":0,"y":0}}"#)
      #expect(store.takeoverCount.withLock { $0 } == 1)
    }
  }

  /// Where it is not known what the client was told last, it may show what goes with another offset.
  @Test func aViewportIsInvalidatedUnlessTheOffsetIsKnown() throws {
    let store = ScriptedStore(isShared: true)
    let (one, two) = (MockService(over: store), MockService(over: store))
    let path = try one.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":20},"header":{"width":0,"height":30}}]},
       "layout":{"kind":"list","sectionHeadersPinToVisibleBounds":true},
       "viewport":{"width":100,"height":200}}
      """)
    _ = one.send(.post, path + "/scroll", #"{"contentOffset":{"x":0,"y":300}}"#)
    for isInvalidated in [true, false] {
      let answer = two.send(.put, path + "/viewport", #"{"contentOffset":{"x":0,"y":0}}"#)
      #expect(answer?["invalidated"] as? Bool == isInvalidated)
    }
  }

  @Test func aStoreThatIsGoneIsSaidToBe() throws {
    for isShared in [false, true] {
      let store = ScriptedStore(isShared: isShared)
      let service = MockService(over: store)
      let path = try service.makeSession(session)
      store.failure.withLock { $0 = StoreError(.unavailable, "gone fishing") }
      for (method, target, body) in [
        (HTTPMethod.post, "/v1/sessions", session), (.post, path + "/updates", deletion),
        (.delete, path, ""),
      ] {
        let answer = try #require(service.send(method, target, body))
        #expect(answer.status == 503)
        #expect(answer.fields["Retry-After"] == "1")
        #expect(answer["type"] as? String == "/problems/unavailable")
        // Where the store is, is not for strangers.
        #expect((answer["detail"] as? String)?.contains("gone fishing") == false)
      }
      #expect(service.service.takeStoreErrors() == ["gone fishing"])
      #expect(service.service.takeStoreErrors() == [])
      // What nobody else can have changed is still known: until the store had a chance to.
      store.failure.withLock { $0 = nil }
      #expect(service.send(.get, path)?["version"] as? Int == 1)
      #expect(service.send(.post, path + "/updates", deletion)?["version"] as? Int == 2)
      #expect(try MockService(over: store).view(of: path) == service.view(of: path))
    }
  }

  /// Nobody has been told its name: it must not count for those that its owner may have.
  @Test func aSessionThatIsNotKeptIsNotThere() throws {
    for isShared in [false, true] {
      let store = ScriptedStore(isShared: isShared)
      let service = MockService(over: store, sessions: SessionLimits(sessionCountPerOwner: 1))
      store.failure.withLock { $0 = StoreError(.unavailable, "gone") }
      for _ in 0..<2 { #expect(service.send(.post, "/v1/sessions", session)?.status == 503) }
      store.failure.withLock { $0 = nil }
      #expect(try service.sample("layoutd_sessions") == "0")
      #expect(try service.sample("layoutd_sessions_created_total") == "0")
      #expect(service.send(.post, "/v1/sessions", session)?.status == 201)
      #expect(try service.sample("layoutd_sessions_created_total") == "1")
    }
  }

  /// Of what no other server changes, memory knows as much as a store that has done nothing.
  @Test func questionsAreAnsweredAfterAChangeThatWasNotMade() throws {
    for isShared in [false, true] {
      let store = ScriptedStore(isShared: isShared)
      let service = MockService(over: store)
      let path = try service.makeSession(session)
      store.failure.withLock { $0 = StoreError(.unavailable, "gone") }
      #expect(service.send(.post, path + "/updates", deletion)?.status == 503)
      #expect(service.send(.delete, path)?.status == 503)
      #expect(service.send(.get, path)?.status == (isShared ? 503 : 200))
      #expect(service.tick(path, y: 0)?.status == (isShared ? 503 : 200))
      store.failure.withLock { $0 = nil }
      #expect(service.send(.get, path)?["version"] as? Int == 1)
    }
  }

  @Test func aChangeOfWhichNobodyKnowsIsLookedFor() throws {
    for isShared in [false, true] {
      let store = ScriptedStore(isShared: isShared)
      let service = MockService(over: store)
      let path = try service.makeSession(session)
      store.failure.withLock { $0 = StoreError(.uncertain, "no answer") }
      store.failsAfterwards.withLock { $0 = true }
      let unknown = try #require(service.send(.post, path + "/updates", deletion))
      #expect(unknown.status == 503)
      #expect(unknown["type"] as? String == "/problems/uncertain")
      #expect(unknown.fields["Retry-After"] == "1")
      store.failure.withLock { $0 = nil }
      let seen = try #require(service.send(.get, path))
      #expect(seen["version"] as? Int == 2)
      #expect(itemCount(seen) == 2)
    }
  }

  @Test func aDeletionOfWhichNobodyKnowsIsLookedFor() throws {
    for isShared in [false, true] {
      for ifMatch in ["", "\"1\""] {
        let store = ScriptedStore(isShared: isShared)
        let service = MockService(over: store)
        let path = try service.makeSession(session)
        store.failure.withLock { $0 = StoreError(.uncertain, "no answer") }
        store.failsAfterwards.withLock { $0 = true }
        #expect(service.send(.delete, path, ifMatch: ifMatch)?.status == 503)
        store.failure.withLock { $0 = nil }
        #expect(service.send(.get, path)?.status == 404)
      }
    }
  }

  /// Memory that a session takes because of what others make of it is counted.
  @Test func whatGrowsElsewhereIsCountedHere() throws {
    let store = ScriptedStore(isShared: true)
    let (one, two) = (MockService(over: store), MockService(over: store))
    let path = try one.makeSession(session)
    func byteCount(_ service: MockService) throws -> Int {
      try #require(try service.sample("layoutd_session_bytes").flatMap { Int($0) })
    }
    #expect(two.send(.get, path)?.status == 200)
    let before = try byteCount(two)
    let lengths = (0..<20_000).map { "\(1 + $0 % 7)" }.joined(separator: ",")
    let growth = #"{"insertItems":[{"section":0,"at":0,"items":{"lengths":[\#(lengths)]}}]}"#
    #expect(one.send(.post, path + "/updates", growth)?.status == 200)
    #expect(itemCount(two.send(.get, path)) == 20_003)
    #expect(try byteCount(two) > before + 80_000)
    let loss = #"{"deleteItems":[{"section":0,"start":0,"end":20000}]}"#
    #expect(one.send(.post, path + "/updates", loss)?.status == 200)
    #expect(two.send(.get, path)?.status == 200)
    #expect(try byteCount(two) < before + 8000)
  }

  /// What others have made of a session says nothing of where its client is.
  @Test func aChangeElsewhereDoesNotSayWhereTheClientIs() throws {
    let store = ScriptedStore(isShared: true)
    let (one, two) = (MockService(over: store), MockService(over: store))
    let path = try one.makeSession(
      #"""
      {"collection":{"sections":[{"items":{"count":40}}]},
       "layout":{"kind":"pagedGrid","rows":1,"columns":1},"viewport":{"width":100,"height":100}}
      """#)
    #expect(
      one.send(.post, path + "/scroll", #"{"contentOffset":{"x":2000,"y":0}}"#)?.status == 200)
    // The other one reads it, and then what has become of it.
    #expect(two.send(.get, path)?.status == 200)
    #expect(one.send(.post, path + "/updates", deletion)?.status == 200)
    #expect(itemCount(two.send(.get, path)) == 39)
    #expect(try two.sample("layoutd_store_sessions_refreshed_total") == "1")
    // Whoever drags says nothing of the beginning, and began where he is.
    let drag = #"{"contentOffset":{"x":1040,"y":0},"velocity":{"x":500,"y":0}}"#
    let answer = two.send(.post, path + "/snap", drag)
    #expect((answer?["targetContentOffset"] as? [String: Double])?["x"] == 1100)
  }

  /// Read from the store before a change, in memory after it.
  @Test func whatWasReadBeforeAChangeIsNotTakenForCurrent() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store, sessions: SessionLimits(sessionCount: 1))
    let path = try service.makeSession(session)
    let shared = UnsafeShared(service)
    // A change is under way while its session leaves memory and somebody reads it back.
    store.beforeAppend.withLock {
      $0 = { @Sendable in
        _ = shared.value.send(.post, "/v1/sessions", session)
        _ = shared.value.send(.get, path)
      }
    }
    #expect(service.send(.post, path + "/updates", deletion)?["version"] as? Int == 2)
    #expect(service.send(.get, path)?["version"] as? Int == 2)
    #expect(service.send(.post, path + "/updates", deletion)?["version"] as? Int == 3)
  }

  /// One request has read what another server made, and another one what it made after that, for which the
  /// first is faster all the same.
  @Test func whatWasReadLaterIsNotTakenForWhatWasReadBefore() throws {
    let store = ScriptedStore(isShared: true)
    let other = UnsafeShared(MockService(over: store))
    let one = UnsafeShared(MockService(over: store))
    let path = try one.value.makeSession(session)
    #expect(other.value.send(.post, path + "/updates", insertion)?["version"] as? Int == 2)
    let (isRead, isApplied, isAnswered) = (Signal(), Signal(), Signal())
    let versions = Mutex<[Int?]>([])
    store.afterLoad.withLock {
      $0 = { @Sendable in
        // The first has read version 2.
        let answer = other.value.send(.post, path + "/updates", insertion)
        #expect(answer?["version"] as? Int == 3)
        store.afterLoad.withLock {
          $0 = { @Sendable in
            // The second has read version 3.
            isRead.give()
            isApplied.await()
          }
        }
        Thread.detachNewThread {
          let answer = one.value.send(.get, path)
          versions.withLock { $0.append(answer?["version"] as? Int) }
          isAnswered.give()
        }
        isRead.await()
      }
    }
    #expect(one.value.send(.get, path)?["version"] as? Int == 2)
    isApplied.give()
    isAnswered.await()
    #expect(versions.withLock(\.self) == [3])
  }

  /// Nobody knows whether the change was made, and the session has come back as another object meanwhile.
  @Test func aChangeOfWhichNobodyKnowsIsLookedForInWhatHasComeBackToo() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store, sessions: SessionLimits(sessionCount: 1))
    let path = try service.makeSession(session)
    store.beforeAppend.withLock {
      $0 = { @Sendable [service = UnsafeShared(service)] in
        _ = service.value.send(.post, "/v1/sessions", session)
        _ = service.value.send(.get, path)
        store.failure.withLock { $0 = StoreError(.uncertain, "no answer") }
        store.failsAfterwards.withLock { $0 = true }
      }
    }
    #expect(service.send(.post, path + "/updates", deletion)?.status == 503)
    store.failure.withLock { $0 = nil }
    #expect(service.send(.get, path)?["version"] as? Int == 2)
  }

  /// It was told of the takeover when it read the session.
  @Test func aSessionThatWasTakenOverIsResetOnce() throws {
    let store = ScriptedStore(isShared: true)
    let path = try MockService(over: store).makeSession(session)
    store.takeover.withLock { $0 = 7 }
    let service = MockService(over: store)
    for isReset in [true, false] {
      let answer = service.send(.post, path + "/scroll", #"{"contentOffset":{"x":0,"y":0}}"#)
      #expect(answer?["reset"] as? Bool == isReset)
    }
  }

  /// Changes count for the next snapshot whoever makes them, and however they are read.
  @Test(arguments: [0, 6])
  func whatOthersChangeOutgrowsTheSnapshotToo(changeCount: Int) throws {
    let store = ScriptedStore(isShared: true)
    let (one, two) = (MockService(over: store), MockService(over: store))
    let path = try one.makeSession(session)
    func change(_ service: MockService, _ count: Int) {
      for _ in 0..<count {
        #expect(service.send(.post, path + "/updates", insertion)?.status == 200)
      }
    }
    // Before it reads the session, and after.
    change(one, changeCount)
    #expect(two.send(.get, path)?.status == 200)
    change(one, 12 - changeCount)
    #expect(two.send(.get, path)?.status == 200)
    // More than 4 KiB each, in 64 KiB.
    change(two, 3)
    #expect(try two.sample("layoutd_store_snapshots_total") == "0")
    change(two, 1)
    #expect(try two.sample("layoutd_store_snapshots_total") == "1")
  }

  /// It has left memory, has come back as another object, and was changed there: one that is held still is
  /// what it was.
  @Test func aRequestWhoseSessionHasComeBackMeanwhileSeesWhatBecameOfIt() throws {
    let store = ScriptedStore(isShared: false)
    let service = MockService(over: store, sessions: SessionLimits(sessionCount: 1))
    let path = try service.makeSession(session)
    let meanwhile: @Sendable () -> Void = { [service = UnsafeShared(service)] in
      _ = service.value.send(.post, "/v1/sessions", session)
      let answer = service.value.send(.post, path + "/updates", insertion)
      #expect(answer?.status == 200)
    }
    store.beforeAppend.withLock { $0 = meanwhile }
    let change = try #require(service.send(.post, path + "/updates", insertion))
    #expect(change.status == 200)
    #expect(change["version"] as? Int == 3)
    #expect(itemCount(service.send(.get, path)) == 5)
    store.beforeDelete.withLock { $0 = meanwhile }
    let removal = try #require(service.send(.delete, path, ifMatch: "\"3\""))
    #expect(removal.status == 412)
    #expect(removal["version"] as? Int == 4)
    #expect(service.send(.delete, path, ifMatch: "\"4\"")?.status == 204)
  }

  @Test func whatWasReadWhileItChangedIsReadAgain() throws {
    let store = ScriptedStore(isShared: false)
    let service = UnsafeShared(MockService(over: store, sessions: SessionLimits(sessionCount: 1)))
    let path = try service.value.makeSession(session)
    let (isRead, isChanged, isAnswered) = (Signal(), Signal(), Signal())
    let version = Mutex<Int?>(nil)
    store.beforeAppend.withLock {
      $0 = { @Sendable in
        // The session leaves memory, and another request reads it as it still is.
        _ = service.value.send(.post, "/v1/sessions", session)
        store.afterLoad.withLock {
          $0 = { @Sendable in
            isRead.give()
            isChanged.await()
          }
        }
        Thread.detachNewThread {
          let answer = service.value.send(.get, path)
          version.withLock { $0 = answer?["version"] as? Int }
          isAnswered.give()
        }
        isRead.await()
      }
    }
    #expect(service.value.send(.post, path + "/updates", deletion)?["version"] as? Int == 2)
    isChanged.give()
    isAnswered.await()
    #expect(version.withLock { $0 } == 2)
    #expect(service.value.send(.get, path)?["version"] as? Int == 2)
  }

  /// Each would read it and lay it out.
  @Test(arguments: [false, true])
  func aSessionIsBroughtIntoMemoryByOneRequest(fails: Bool) throws {
    let store = ScriptedStore(isShared: true)
    let path = try MockService(over: store).makeSession(session)
    let other = try MockService(over: store).makeSession(session)
    let service = UnsafeShared(
      MockService(over: store, sessions: SessionLimits(waitingThreadCount: 6)))
    let statuses = Mutex<[Int?]>([])
    let (isRead, isRefused, isAnswered) = (Signal(), Signal(), Signal())
    store.afterLoad.withLock {
      $0 = { @Sendable in
        isRead.give()
        // Three too many come while it is read.
        for _ in 0..<3 { isRefused.await() }
        if fails { store.failure.withLock { $0 = StoreError(.unavailable, "gone") } }
      }
    }
    for number in 0..<10 {
      Thread.detachNewThread {
        let answer = service.value.send(.get, path)
        statuses.withLock { $0.append(answer?.status) }
        if answer?.fields["Retry-After"] == "1" { isRefused.give() }
        isAnswered.give()
      }
      if number == 0 { isRead.await() }
    }
    for _ in 0..<3 { isAnswered.await() }
    #expect(statuses.withLock { $0.prefix(3) } == [503, 503, 503])
    // Other sessions do not wait.
    if !fails { #expect(service.value.send(.get, other)?.status == 200) }
    for _ in 0..<7 { isAnswered.await() }
    let status = fails ? 503 : 200
    #expect(statuses.withLock { Array($0.dropFirst(3)) } == Array(repeating: status, count: 7))
    #expect(store.loadCount.withLock { $0 } == (fails ? 1 : 2))
    store.failure.withLock { $0 = nil }
    #expect(service.value.send(.get, path)?.status == 200)
  }

  /// Who is to scroll is refused where the store takes no writes; whoever only asks, and has waited, is not.
  @Test func aRefusedTickDoesNotRefuseTheQuestionsThatWaitForIt() throws {
    let store = ScriptedStore(isShared: true)
    let path = try MockService(over: store).makeSession(session)
    let service = UnsafeShared(MockService(over: store))
    store.scrollFailure.withLock { $0 = StoreError(.unavailable, "READONLY") }
    let statuses = Mutex<[String: Int]>([:])
    let (isRead, isAnswered) = (Signal(), Signal())
    func send(_ name: String, _ method: HTTPMethod, _ end: String, _ body: String) {
      Thread.detachNewThread {
        let status = service.value.send(method, path + end, body)?.status
        statuses.withLock { $0[name] = status }
        isAnswered.give()
      }
    }
    let areWaiting = Signal()
    store.afterLoad.withLock {
      $0 = { @Sendable in
        isRead.give()
        areWaiting.await()
      }
    }
    let tick = #"{"contentOffset":{"x":0,"y":0}}"#
    send("first", .post, "/scroll", tick)
    isRead.await()
    send("question", .get, "", "")
    send("second", .post, "/scroll", tick)
    let room = service.value.waitingRoom
    waitUntil { room.count == 2 }
    areWaiting.give()
    for _ in 0..<3 { isAnswered.await() }
    #expect(statuses.withLock(\.self) == ["first": 503, "question": 200, "second": 503])
  }

  /// All wait for what does not take long.
  @Test func manyMayWaitForAShortWhile() throws {
    let openings = Openings()
    var generator = SystemRandomNumberGenerator()
    let id = SessionID(using: &generator)
    let isAnswered = Signal()
    let refused = Atomic(0)
    let room = WaitingRoom(capacity: 0, patience: .seconds(120))
    _ = try openings.inTurn(id, of: .anonymous, isScrolling: false, waitingIn: room) {
      () throws(Failure) in
      for _ in 0..<12 {
        Thread.detachNewThread {
          do throws(Failure) {
            try openings.inTurn(id, of: .anonymous, isScrolling: false, waitingIn: room) {
              () throws(Failure) in
            }
          } catch {
            refused.add(1, ordering: .relaxed)
          }
          isAnswered.give()
        }
      }
      // All have come, and have looked for a place again and again.
      waitUntil { openings.count == 13 && room.vainCount > 24 }
    }
    for _ in 0..<12 { isAnswered.await() }
    #expect(refused.load(ordering: .relaxed) == 0)
  }

  /// A turn ends with a failure, though some are still in it: a question may be answered where a tick was
  /// refused.
  @Test(arguments: [false, true])
  func whoComesAfterAFailureTriesAnew(fails: Bool) throws {
    let openings = Openings()
    var generator = SystemRandomNumberGenerator()
    let id = SessionID(using: &generator)
    let done = Mutex<[String]>([])
    let isAnswered = Signal()
    func start(_ name: String, isScrolling: Bool, _ body: @escaping @Sendable () -> Bool) {
      Thread.detachNewThread {
        do throws(Failure) {
          try openings.inTurn(
            id, of: .anonymous, isScrolling: isScrolling, waitingIn: WaitingRoom()
          ) { () throws(Failure) in
            guard body() else { throw .problem(Problem(.unavailable, "gone")) }
            done.withLock { $0.append(name) }
          }
        } catch {
          done.withLock { $0.append("no " + name) }
        }
        isAnswered.give()
      }
    }
    let (tick, question, next) = (Signal(), Signal(), Signal())
    let (isTicking, isAsking, isTrying) = (Signal(), Signal(), Signal())
    start("tick", isScrolling: true) {
      isTicking.give()
      tick.await()
      return false
    }
    isTicking.await()
    start("question", isScrolling: false) {
      isAsking.give()
      question.await()
      return !fails
    }
    waitUntil { openings.count == 2 }
    tick.give()
    isAsking.await()
    start("next", isScrolling: true) {
      isTrying.give()
      next.await()
      return true
    }
    isTrying.await()
    isAnswered.await()
    question.give()
    isAnswered.await()
    // It waits for the one before, not for those whose turn is over.
    start("last", isScrolling: false) { true }
    waitUntil { openings.count == 2 }
    next.give()
    for _ in 0..<2 { isAnswered.await() }
    #expect(
      done.withLock(\.self) == ["no tick", fails ? "no question" : "question", "next", "last"])
    #expect(openings.count == 0)
  }

  @Test func aSessionDeletedWhileItIsReadIsGone() throws {
    let store = ScriptedStore(isShared: false)
    let path = try MockService(over: store).makeSession(session)
    let service = UnsafeShared(MockService(over: store))
    store.afterLoad.withLock { $0 = { @Sendable in _ = service.value.send(.delete, path) } }
    #expect(service.value.send(.get, path)?.status == 404)
    // It does not count as one of its owner's.
    #expect(service.value.service.sessions.statistics.sessionCount == 0)
    #expect(service.value.service.sessions.statistics.byteCount == 0)
    #expect(service.value.send(.get, path)?.status == 404)
  }
}

/// What threads wait for, each time for one signal; not for ever.
private final class Signal: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  func give() { semaphore.signal() }
  func await() { #expect(semaphore.wait(timeout: .now() + 120) == .success) }
}

/// A clock that a test sets.
private final class SteppedClock: Sendable {
  private let time = Atomic<UInt64>(1)
  var nanoseconds: UInt64 { time.load(ordering: .relaxed) }
  func set(_ nanoseconds: UInt64) { time.store(nanoseconds, ordering: .relaxed) }
}
