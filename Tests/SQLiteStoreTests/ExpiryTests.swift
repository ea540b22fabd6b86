import LayoutSessions
import SQLiteStore
import Synchronization
import Testing

@Suite(.waits) struct ExpiryTests {
  let test: TestStore
  let store: SQLiteStore
  let id = newID()
  private let life = TestStore.timeToLive

  init() throws {
    test = try TestStore()
    store = try test.open()
    try store.create(id, owner: "", snapshot: record("one"))
  }

  @Test func whatNobodyAsksForIsNotThere() throws {
    test.clock.advance(by: life + life / 8)
    try store.sweep()
    #expect(try store.load(id, since: nil) != nil)
    test.clock.advance(by: life + life / 8 + 1)
    #expect(try store.load(id, since: nil) == nil)
    #expect(try store.append([], to: id, after: 1) == .missing)
    #expect(try store.replace(id, by: [], after: 1) == .missing)
    #expect(try store.delete(id, at: nil) == .missing)
    try store.touch([id])
    try store.replaceSnapshot(of: id, by: [], at: 1)
    #expect(try store.load(id, since: nil) == nil)
  }

  @Test func everyUseIsNoted() throws {
    let uses: [() throws -> Void] = [
      { [store, id] in _ = try store.load(id, since: 1) },
      { [store, id] in _ = try store.append([], to: id, after: 1) },
      { [store, id] in _ = try store.replace(id, by: [], after: 2) },
      { [store, id] in try store.touch([newID(), id]) },
    ]
    for use in uses {
      // An eighth is what may be left out. It is there until the last moment.
      test.clock.advance(by: life + life / 8)
      try use()
      test.clock.advance(by: life)
      #expect(try store.load(id, since: nil) != nil)
    }
    // Refused changes are none.
    test.clock.advance(by: life)
    #expect(try store.append([], to: id, after: 1) == .conflict(version: 3))
    test.clock.advance(by: life)
    #expect(try store.load(id, since: nil) == nil)
  }

  /// Uses are said once in an eighth of a life: it has to last for those that are not said.
  @Test func aUseThatIsSaidLastsForThoseAfterIt() throws {
    test.clock.advance(by: life / 16)
    try store.touch([id])
    test.clock.advance(by: life / 8 + life)
    #expect(try store.append([], to: id, after: 1) == .done)
  }

  /// Whoever asks for it does not keep it alive, and does not learn whether it is whole.
  @Test func somebodyElsesIsNone() throws {
    let damaged = newID()
    try store.create(damaged, owner: "alice", snapshot: [])
    try store.execute("DELETE FROM snapshot WHERE session = '\(damaged)'")
    #expect(throws: StoreError.self) {
      try store.load(damaged, of: "alice", since: nil, isScrolling: true)
    }
    test.clock.advance(by: life)
    for id in [id, damaged] {
      #expect(try store.load(id, of: "bob", since: nil, isScrolling: true) == nil)
    }
    test.clock.advance(by: life / 8 + 1)
    #expect(try store.load(id, of: "", since: nil, isScrolling: true) == nil)
  }

  @Test func aUseThatCannotBeWrittenCountsAllTheSame() throws {
    let other = newID()
    try store.create(other, owner: "", snapshot: [])
    // As on a full disk.
    try store.execute("PRAGMA query_only = ON")
    test.clock.advance(by: life)
    for _ in 0..<3 {
      #expect(throws: StoreError.self) { try store.touch([id]) }
      // As long as if it could be: whoever uses it all the time says so once in an eighth of its life.
      test.clock.advance(by: life + life / 8)
      #expect(try store.load(id, since: nil)?.version == 1)
      #expect(throws: StoreError.self) { _ = try store.append([], to: id, after: 1) }
      #expect(try store.owner(of: id) == "")
    }
    #expect(try store.load(other, since: nil) == nil)
    try store.execute("PRAGMA query_only = OFF")
    // Whoever sweeps or changes first finds it, and writes the use.
    try store.sweep()
    #expect(try store.append([], to: id, after: 1) == .done)
    test.clock.advance(by: life)
    #expect(try store.load(id, since: nil)?.version == 2)
    test.clock.advance(by: life + life / 8 + 1)
    #expect(try store.load(id, since: nil) == nil)
    #expect(try store.append([], to: id, after: 2) == .missing)
  }

  /// The file takes it for expired until its next use is written, which need not wait for a sweep.
  @Test func aUseThatCouldNotBeWrittenIsWrittenWithTheNext() throws {
    let other = newID()
    try store.create(other, owner: "", snapshot: [])
    try store.execute("PRAGMA query_only = ON")
    test.clock.advance(by: life + life / 8)
    #expect(throws: StoreError.self) { try store.touch([id, other]) }
    try store.execute("PRAGMA query_only = OFF")
    test.clock.advance(by: life)
    try store.touch([id])
    #expect(try store.append([], to: other, after: 1) == .done)
    store.close()
    let again = try test.open()
    #expect(try again.load(id, since: nil)?.version == 1)
    #expect(try again.load(other, since: nil)?.version == 2)
  }

  /// A few at a time, those too that come behind many which cannot be written.
  @Test func usesThatCouldNotBeWrittenAreWrittenByAndBy() throws {
    let ids = (0..<200).map { _ in newID() }
    let damaged = Set(ids.prefix(150))
    for id in ids {
      try store.create(id, owner: damaged.contains(id) ? "damaged" : "", snapshot: [])
    }
    // The one stands for damaged pages, the other for whatever may be better the next time.
    try store.execute(
      """
      CREATE TRIGGER damage BEFORE UPDATE ON session WHEN old.owner = 'damaged'
      BEGIN SELECT RAISE(ABORT, 'damaged'); END;
      CREATE TRIGGER failure BEFORE UPDATE ON session WHEN old.owner = ''
      BEGIN SELECT zeroblob(2147483647); END
      """)
    test.clock.advance(by: life)
    #expect(throws: StoreError.self) { try store.touch(ids) }
    let error = #expect(throws: StoreError.self) { try store.sweep(for: .zero) }
    #expect(error?.kind == .unavailable)
    try store.execute("DROP TRIGGER failure")
    try store.sweep(for: .seconds(10))
    store.close()
    test.clock.advance(by: life)
    let again = try test.open()
    for id in ids where !damaged.contains(id) { #expect(try again.load(id, since: nil) != nil) }
  }

  @Test func manyUsesThatCannotBeWrittenCountAllTheSame() throws {
    let last = newID()
    try store.create(last, owner: "", snapshot: [])
    let ids = [id] + (0..<2500).map { _ in newID() } + [last]
    try store.execute("PRAGMA query_only = ON")
    test.clock.advance(by: life)
    #expect(throws: StoreError.self) { try store.touch(ids) }
    test.clock.advance(by: life)
    #expect(try store.load(id, since: nil)?.version == 1)
    #expect(try store.load(last, since: nil)?.version == 1)
    try store.execute("PRAGMA query_only = OFF")
    // All are written by and by.
    try store.sweep(for: .seconds(60))
    store.close()
    let again = try test.open()
    for id in [id, last] { #expect(try again.load(id, since: nil)?.version == 1) }
  }

  /// As many as are kept in mind, and of one of them a later use.
  @Test func theLastUseCountsHoweverManyCannotBeWritten() throws {
    try store.execute("PRAGMA query_only = ON")
    #expect(throws: StoreError.self) {
      try store.touch([id] + (1..<(1 << 17)).map { _ in newID() })
    }
    test.clock.advance(by: life)
    #expect(throws: StoreError.self) { try store.touch([id]) }
    test.clock.advance(by: life / 2)
    #expect(try store.load(id, since: nil)?.version == 1)
    // Those that have come to nothing leave their places to others, and are none any more.
    test.clock.advance(by: life * 2)
    #expect(try store.load(id, since: nil) == nil)
    try store.execute("PRAGMA query_only = OFF")
    let other = newID()
    try store.create(other, owner: "", snapshot: [])
    try store.execute("PRAGMA query_only = ON")
    test.clock.advance(by: life)
    #expect(throws: StoreError.self) { try store.touch([other]) }
    test.clock.advance(by: life)
    #expect(try store.load(other, since: nil)?.version == 1)
  }

  /// Where there is no room for more, what is noted stays.
  @Test func whatIsNotedStaysWhereThereIsNoRoomForMore() throws {
    try store.execute("PRAGMA query_only = ON")
    test.clock.advance(by: life)
    #expect(throws: StoreError.self) {
      try store.touch([id] + (1..<(1 << 17)).map { _ in newID() })
    }
    #expect(throws: StoreError.self) { try store.touch([newID()]) }
    test.clock.advance(by: life)
    #expect(try store.load(id, since: nil)?.version == 1)
  }

  /// A clock that is set back by a part of it has not been set back to before the leap.
  @Test func whatIsLeftOfALeapCounts() throws {
    test.leap.advance(by: life * 3)
    try store.sweep()
    test.leap.advance(by: -life)
    try store.sweep()
    #expect(try store.load(id, since: nil) != nil)
  }

  @Test func whatIsUsedAllTheTimeIsNotedNowAndThen() throws {
    let before = store.commitCount
    for _ in 0..<100 {
      test.clock.advance(by: life / 80)
      #expect(try store.load(id, since: 1) != nil)
    }
    // After every eighth of its life, which are ten steps.
    #expect((8...10).contains(store.commitCount - before))
  }

  @Test func manyAreTouchedAtOnce() throws {
    let ids = (0..<2500).map { _ in newID() }
    let kept = [ids[0], ids[999], ids[1000], ids[2499]]
    for id in kept { try store.create(id, owner: "", snapshot: []) }
    test.clock.advance(by: life)
    try store.touch(ids)
    test.clock.advance(by: life)
    for id in kept { #expect(try store.load(id, since: nil) != nil) }
    #expect(try store.load(id, since: nil) == nil)
    try store.touch([])
  }

  @Test func sweepingForgetsTheOldestFirst() throws {
    #expect(try store.append(record("change"), to: id, after: 1) == .done)
    var ids = [id]
    for _ in 0..<300 {
      test.clock.advance(by: 10)
      ids.append(newID())
      try store.create(ids[ids.count - 1], owner: "", snapshot: record("one"))
    }
    try store.sweep()
    #expect(try store.load(id, since: nil) != nil)
    test.clock.advance(by: life * 2)
    let last = newID()
    try store.create(last, owner: "", snapshot: record("last"))
    // What is swept can be created anew, what is not cannot.
    func isThere(_ id: SessionID) -> Bool {
      do {
        try store.create(id, owner: "", snapshot: [])
        #expect(try store.load(id, since: nil)?.changes == [])
        _ = try store.delete(id, at: nil)
        return false
      } catch {
        return true
      }
    }
    #expect(isThere(ids[0]) && isThere(ids[300]))
    try store.sweep(for: .zero)
    #expect(!isThere(ids[0]) && !isThere(ids[63]))
    #expect(isThere(ids[64]) && isThere(ids[300]))
    try store.sweep(for: .seconds(60))
    #expect(!isThere(ids[64]) && !isThere(ids[300]))
    #expect(try store.load(last, since: nil) != nil)
  }

  @Test func aSweepThatFailsIsMadeUpFor() throws {
    // Stands for whatever may be better the next time: no memory, or no room.
    try store.execute(
      """
      CREATE TRIGGER failure BEFORE DELETE ON session
      BEGIN SELECT zeroblob(2147483647); END
      """)
    test.clock.advance(by: life * 2)
    let error = #expect(throws: StoreError.self) { try store.sweep() }
    #expect(error?.kind == .unavailable)
    try store.execute("DROP TRIGGER failure")
    try store.sweep()
    try store.create(id, owner: "", snapshot: [])
  }

  @Test func noSessionEndsBecauseTheClockLeapsAhead() throws {
    let used = newID()
    try store.create(used, owner: "", snapshot: [])
    test.clock.advance(by: life)
    let century: Int64 = 100 * 365 * 86_400_000
    for leap in [2 * life, 1000 * life, century] {
      test.leap.advance(by: leap)
      try store.sweep()
      #expect(try store.load(used, since: nil) != nil)
    }
    #expect(try store.owner(of: id) == "")
    #expect(try store.append([], to: used, after: 1) == .done)
    // What is not used is forgotten when it would have been.
    test.clock.advance(by: life / 8 + 1)
    try store.sweep()
    #expect(try store.load(id, since: nil) == nil)
    #expect(try store.load(used, since: nil) != nil)
    // What was used goes on, and is forgotten in its turn.
    test.clock.advance(by: life)
    try store.sweep()
    #expect(try store.load(used, since: nil) != nil)
    test.clock.advance(by: life + life / 8 + 1)
    try store.sweep()
    #expect(try store.load(used, since: nil) == nil)
  }

  /// Before anybody has asked what time it is, too.
  @Test func theClockMayLeapAheadAtOnce() throws {
    store.close()
    let store = try test.open()
    test.leap.advance(by: 10 * life)
    try store.sweep()
    #expect(try store.load(id, since: nil) != nil)
  }

  /// The disk may be slow at the moment before it expires.
  @Test func whatIsAnsweredIsKeptAlive() throws {
    let isLate = Atomic(false)
    let askedCount = Atomic(0)
    let other = try TestStore()
    // With it its file would go.
    defer { withExtendedLifetime(other) {} }
    let store = try SQLiteStore(
      path: other.path, timeToLive: .milliseconds(life),
      now: { [clock = other.clock, life] in
        // Reading asks once; what comes after is after the end.
        let isAfter =
          isLate.load(ordering: .relaxed)
          && askedCount.wrappingAdd(1, ordering: .relaxed).oldValue > 0
        return clock.now + (isAfter ? life / 4 : 0)
      })
    try store.create(id, owner: "", snapshot: [1])
    other.clock.advance(by: life + life / 8)
    isLate.store(true, ordering: .relaxed)
    #expect(try store.load(id, since: nil) != nil)
    try store.sweep()
    #expect(try store.append([2], to: id, after: 1) == .done)
    store.close()
  }

  /// Whoever opens the file after a leap has never seen the clock before it.
  @Test func whatWasUsedAfterALeapOutlivesTheProgram() throws {
    test.leap.advance(by: life * 10)
    #expect(try store.load(id, since: nil) != nil)
    store.close()
    let store = try test.open()
    try store.sweep()
    #expect(try store.load(id, since: nil) != nil)
  }

  @Test func aClockThatIsSetBackKeepsSessionsLonger() throws {
    test.leap.advance(by: life * 3)
    #expect(try store.load(id, since: nil) != nil)
    test.leap.advance(by: -life * 3)
    try store.sweep()
    #expect(try store.append([], to: id, after: 1) == .done)
    test.leap.advance(by: -life * 2)
    #expect(try store.append([], to: id, after: 2) == .done)
    try store.sweep()
    #expect(try store.load(id, since: nil) != nil)
    test.clock.advance(by: 3 * life)
    #expect(try store.load(id, since: nil) != nil)
    test.clock.advance(by: 4 * life)
    #expect(try store.load(id, since: nil) == nil)
  }

  @Test func lifeMayBeShort() throws {
    let other = try TestStore()
    let store = try SQLiteStore(
      path: other.path, timeToLive: .milliseconds(1600),
      now: { [clock = other.clock] in clock.now })
    try store.create(id, owner: "", snapshot: [])
    other.clock.advance(by: 1800)
    #expect(try store.load(id, since: nil) != nil)
    other.clock.advance(by: 1801)
    #expect(try store.load(id, since: nil) == nil)
  }

  @Test func lifeMayBeEndless() throws {
    let other = try TestStore()
    for life in [Duration.seconds(Int64.max), .seconds(-5)] {
      let store = try SQLiteStore(
        path: other.path, timeToLive: life, now: { [clock = other.clock] in clock.now })
      let id = newID()
      try store.create(id, owner: "", snapshot: [])
      #expect(try store.load(id, since: nil) != nil)
      other.clock.advance(by: 1 << 50)
      #expect(try store.load(id, since: nil) != nil || life < .zero)
    }
  }
}
