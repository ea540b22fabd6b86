import Foundation
import LayoutCore
import LayoutSessions
import Testing

@Suite(.waits) struct WaitingRoomTests {
  /// Changes a session on another thread, which stays in the middle of it.
  ///
  /// - Returns: What lets it go on, and what does so and waits for its end.
  private func beginChange(
    of session: Session, waitingIn room: WaitingRoom
  ) -> (hasBegun: DispatchSemaphore, letGo: () -> Void, end: () -> Void) {
    let (hasBegun, mayEnd, hasEnded) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    Thread.detachNewThread {
      do {
        let changed = try session.change(waitingIn: room) { current in
          hasBegun.signal()
          mayEnd.wait()
          return try SessionChangeTests.inserting(current)
        }
        #expect(changed != nil)
      } catch { Issue.record(error) }
      hasEnded.signal()
    }
    return (
      hasBegun, { mayEnd.signal() },
      {
        mayEnd.signal()
        #expect(hasEnded.wait(timeout: .now() + 120) == .success)
      }
    )
  }

  @Test func whoFindsNoPlaceIsToldSoAndOtherSessionsDoNotNotice() throws {
    let (session, other) = (try SessionChangeTests.session(), try SessionChangeTests.session())
    let room = WaitingRoom(capacity: 1, patience: .zero)
    let first = beginChange(of: session, waitingIn: room)
    #expect(first.hasBegun.wait(timeout: .now() + 120) == .success)
    #expect(room.count == 0)
    let second = beginChange(of: session, waitingIn: room)
    waitUntil { room.count == 1 }
    #expect(try session.change(waitingIn: room) { try SessionChangeTests.inserting($0) } == nil)
    #expect(session.scroll(waitingIn: room) { $0.scrolling } == nil)
    let advanced = session.advance(waitingIn: room) { ($0.storedVersion, $0.document, nil) }
    #expect(advanced == nil)
    #expect(session.snapshot.version == 1)
    #expect(session.snapshot.tickCount == 0)
    // All places are taken; but nobody has to wait for this one.
    let changed = try other.change(waitingIn: room) { try SessionChangeTests.inserting($0) }
    #expect(changed?.version == 2)
    first.end()
    // Whoever has the turn does not sleep any more.
    #expect(second.hasBegun.wait(timeout: .now() + 120) == .success)
    #expect(room.count == 0)
    second.end()
    #expect(session.snapshot.version == 3)
    let last = try session.change(waitingIn: room) { try SessionChangeTests.inserting($0) }
    #expect(last?.version == 4)
  }

  /// Who is told from the others does not keep them from waiting.
  @Test(arguments: [(2, 1), (3, 2), (4, 3), (7, 5)])
  func nobodyWhoHasANameTakesAllPlaces(capacity: Int, share: Int) throws {
    let room = WaitingRoom(capacity: capacity, patience: .zero)
    var begun: [(hasBegun: DispatchSemaphore, letGo: () -> Void, end: () -> Void)] = []
    func waiting(_ name: String, _ number: Int, _ count: Int) throws -> Session {
      let session = try SessionChangeTests.session(
        owner: SessionOwner(number: number, name: name))
      let first = beginChange(of: session, waitingIn: room)
      #expect(first.hasBegun.wait(timeout: .now() + 120) == .success)
      begun.append(first)
      let before = room.count
      for _ in 0..<count { begun.append(beginChange(of: session, waitingIn: room)) }
      waitUntil { room.count == before + count }
      return session
    }
    let session = try waiting("bob", 1, share)
    #expect(try session.change(waitingIn: room) { try SessionChangeTests.inserting($0) } == nil)
    _ = try waiting("alice", 2, capacity - share)
    #expect(room.count == capacity)
    // Nobody says in which order those that wait have their turn.
    for change in begun { change.letGo() }
    for change in begun { change.end() }
    #expect(room.count == 0)
    #expect(session.snapshot.version == share + 2)
  }

  /// Most changes take less time than it costs to come again.
  @Test func whoFindsNoPlaceWaitsAShortWhile() throws {
    let session = try SessionChangeTests.session()
    let room = WaitingRoom(capacity: 0, patience: .seconds(120))
    let first = beginChange(of: session, waitingIn: room)
    #expect(first.hasBegun.wait(timeout: .now() + 120) == .success)
    let second = beginChange(of: session, waitingIn: room)
    // It has come, and goes on looking.
    waitUntil { room.vainCount > 1 }
    first.end()
    #expect(second.hasBegun.wait(timeout: .now() + 120) == .success)
    second.end()
    #expect(session.snapshot.version == 3)
  }
}
