import LayoutCore
import LayoutSessions
import Testing

struct SessionChangeTests {
  static func session(owner: SessionOwner = .anonymous) throws -> Session {
    var generator = SystemRandomNumberGenerator()
    let lengths = LengthArray(count: 100) { _ in 50 }
    let description = Description(
      content: Content(sections: [Section(items: Items(count: 100, extents: .lengths(lengths)))]),
      layout: ListLayout(), viewport: Viewport(size: Size(width: 100, height: 100)))
    return Session(
      id: SessionID(using: &generator), owner: owner, description: description,
      layout: try PreparedLayout(
        description.content, layout: description.layout, viewport: description.viewport),
      scrolling: ScrollState(contentOffset: .zero))
  }

  /// One more item at the start, as `POST …/updates` does it.
  static func inserting(_ current: Session.Snapshot) throws -> Session.Change {
    var batch = BatchUpdate()
    batch.insertItems = [(IndexPath(item: 0, section: 0), Items(count: 1))]
    let updated = try batch.applied(to: current.description.content)
    var description = current.description
    description.content = updated.content
    var scrolling = current.scrolling
    _ = scrolling.rekey(to: scrolling.contentOffset, by: updated.map)
    return Session.Change(
      document: Session.Document(
        description: description,
        layout: try PreparedLayout(
          updating: current.layout, to: updated, layout: current.description.layout)),
      scrolling: scrolling, isNewVersion: true)
  }

  @Test func aTickMeanwhileIsNotForgotten() throws {
    let session = try Self.session()
    var calls = 0
    let snapshot = try session.change { current in
      calls += 1
      if calls == 1 {
        // As if a client scrolled while the change is worked out.
        try session.tick(to: Point(x: 0, y: 1000))
      }
      return try Self.inserting(current)
    }
    #expect(calls == 2)
    #expect(snapshot.scrolling.contentOffset == Point(x: 0, y: 1000))
    // Cells 20 and 21 show at 1,000 … 1,100; 22 and 23 are to come, and were moved on by one.
    #expect(
      snapshot.scrolling.requestedRanges(in: snapshot.layout)
        == [ItemRange(section: 0, start: 23, end: 25)])
    #expect(snapshot.version == 2)
  }

  /// Somebody else answers a tick while a change is made durable.
  @Test func aTickElsewhereIsNotForgotten() throws {
    let session = try Self.session()
    let snapshot = try session.change(commit: { _, _ in session.forgetTicks() }) { current in
      try Self.inserting(current)
    }
    #expect(snapshot.version == 2)
    #expect(snapshot.scrolling.isReset)
    #expect(session.snapshot.scrolling.isReset)
  }

  @Test func aChangeEndsHoweverFastTheTicksAre() throws {
    let session = try Self.session()
    var calls = 0
    _ = try session.change { current in
      calls += 1
      // The fifth time ticks wait.
      if calls < 5 { try session.tick(to: .zero) }
      return try Self.inserting(current)
    }
    #expect(calls == 5)
    #expect(session.snapshot.version == 2)
  }

  @Test func readersNeverWaitForAChange() throws {
    let session = try Self.session()
    var calls = 0
    _ = try session.change { current in
      calls += 1
      let seen = session.snapshot
      #expect(seen.version == 1)
      // Ticks count until the change has been held up often enough; then they do not, and are told.
      let counts = session.scroll(to: seen.scrolling, from: seen)
      #expect((counts != nil) == (calls < 5))
      if calls == 5 { #expect(session.scroll { _, _ in true }?.number == nil) }
      return try Self.inserting(current)
    }
    #expect(calls == 5)
    #expect(session.snapshot.version == 2)
    #expect(session.snapshot.tickCount == 5)
    #expect(
      session.scroll(to: session.snapshot.scrolling, from: try Self.session().snapshot) == nil)
    let after = session.snapshot
    #expect(session.scroll(to: after.scrolling, from: after)?.number == 6)
    #expect(session.scroll(to: after.scrolling, from: after) == nil)
    #expect(session.scroll { _, _ in true }?.number == 7)
    #expect(session.scroll { _, _ in false }?.number == nil)
    #expect(session.snapshot.tickCount == 7)
  }

  /// A tick that others have held up, and what goes on meanwhile.
  @Test func aTickInTurnIsWorkedOutOnceAndNobodyWaitsForIt() throws {
    let session = try Self.session()
    #expect(!session.holdsTicks)
    var calls = 0
    let after = try session.scrollInTurn({ current in
      calls += 1
      #expect(session.holdsTicks)
      #expect(session.snapshot.version == 1)
      #expect(session.byteCount > 0)
      #expect(session.scroll { _, _ in true }?.number == nil)
      #expect(session.scroll(to: current.scrolling, from: current) == nil)
      #expect(try session.change(waitingIn: nil) { try Self.inserting($0) } == nil)
      return try current.scrolled(to: Point(x: 0, y: 70))
    })
    #expect(calls == 1)
    #expect(!session.holdsTicks)
    #expect(after.scrolling.contentOffset == Point(x: 0, y: 70))
    #expect(session.snapshot.tickCount == 1)
    // Refused, it leaves no trace.
    struct Refused: Error {}
    #expect(throws: Refused.self) { try session.scrollInTurn({ _ in throw Refused() }) }
    #expect(session.snapshot.tickCount == 1)
    #expect(!session.holdsTicks)
  }

  /// Somebody else answers a tick while one is worked out in turn.
  @Test func aTickElsewhereBesideOneInTurnIsNotForgotten() throws {
    let session = try Self.session()
    let after = try session.scrollInTurn({ current in
      session.forgetTicks()
      return try current.scrolled(to: Point(x: 0, y: 70))
    })
    #expect(after.scrolling.isReset)
  }

  /// Ticks that are forgotten elsewhere while a change is worked out for the fifth time.
  @Test func aChangeGoesOnHoldingTicksWhenOneIsForgotten() throws {
    let session = try Self.session()
    var calls = 0
    _ = try session.change { current in
      calls += 1
      if calls < 5 { try session.tick(to: .zero) }
      if calls == 5 { session.forgetTicks() }
      if calls > 4 { #expect(session.holdsTicks) }
      return try Self.inserting(current)
    }
    #expect(calls == 6)
  }

  @Test func whoMustNotWaitIsToldThatTheSessionIsBeingChanged() throws {
    let session = try Self.session()
    let changed = try session.change(waitingIn: nil) { try Self.inserting($0) }
    #expect(changed?.version == 2)
    _ = try session.change { current in
      #expect(try session.change(waitingIn: nil) { try Self.inserting($0) } == nil)
      return try Self.inserting(current)
    }
    #expect(session.snapshot.version == 3)
  }

  @Test func whatFailsOrIsOnlyTriedChangesNothing() throws {
    struct Refused: Error {}
    let session = try Self.session()
    let before = session.snapshot
    #expect(throws: Refused.self) { try session.change { _ in throw Refused() } }
    _ = try session.change { current in
      _ = try Self.inserting(current)
      return nil
    }
    #expect(session.snapshot.version == before.version)
    #expect(session.snapshot.tickCount == before.tickCount)
    #expect(session.snapshot.document === before.document)
  }

  /// Eight writers and as many readers.
  @Test func nobodySeesHalfOfAChange() async throws {
    let session = try Self.session()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<25 {
            do { _ = try session.change { try Self.inserting($0) } } catch {
              Issue.record(error)
            }
          }
        }
        group.addTask {
          for _ in 0..<100 {
            let snapshot = session.snapshot
            let count = snapshot.description.content.sections[0].items.count
            #expect(count == 99 + snapshot.version)
            // 50 for each that was there, 44 for each that came.
            #expect(
              snapshot.layout.contentSize.height == Length(points: 5000 + 44 * (count - 100)))
            do {
              try session.tickInTurn(to: Point(x: 0, y: Length(points: count)))
            } catch { Issue.record(error) }
          }
        }
      }
    }
    #expect(session.snapshot.version == 201)
  }
}

extension Session.Snapshot {
  /// Where a tick leads.
  func scrolled(to offset: Point) throws -> ScrollState {
    var scrolling = scrolling
    _ = try scrolling.scroll(
      to: offset, in: layout, prefetch: description.prefetch, isFull: false, limit: 10_000)
    return scrolling
  }
}

extension Session {
  /// A change of one who may wait.
  func change(
    commit: (Snapshot, Change) throws -> Void = { _, _ in }, _ work: (Snapshot) throws -> Change?
  ) throws -> Snapshot {
    try #require(try change(waitingIn: WaitingRoom(), commit: commit, work))
  }

  /// A tick of one who may wait.
  func scrollInTurn(_ work: (Snapshot) throws -> ScrollState) throws -> Snapshot {
    try #require(try scroll(waitingIn: WaitingRoom(), inTurn: work))
  }

  /// A tick beside others.
  func tick(to offset: Point) throws {
    let before = snapshot
    #expect(scroll(to: try before.scrolled(to: offset), from: before) != nil)
  }

  /// A tick for which others wait.
  func tickInTurn(to offset: Point) throws {
    _ = try scrollInTurn { try $0.scrolled(to: offset) }
  }
}
