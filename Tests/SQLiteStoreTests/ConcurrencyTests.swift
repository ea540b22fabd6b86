import LayoutSessions
import SQLiteStore
import Synchronization
import Testing

@Suite(.waits) struct ConcurrencyTests {
  let test: TestStore
  let store: SQLiteStore

  init() throws {
    test = try TestStore()
    store = try test.open()
  }

  @Test func ofChangesFromOneVersionOneIsAdded() throws {
    let id = newID()
    try store.create(id, owner: "", snapshot: [])
    let winners = Mutex<[Int: [Int]]>([:])
    let errors = Mutex<[StoreError]>([])
    onThreads(8) { [store] thread in
      var version = 1
      while version < 200 {
        do throws(StoreError) {
          switch try store.append(record("\(thread)"), to: id, after: version) {
          case .done:
            winners.withLock { $0[version + 1, default: []].append(thread) }
            version += 1
          case .conflict(let current): version = current
          case .missing: throw StoreError(.unreadable, "missing")
          }
        } catch {
          errors.withLock { $0.append(error) }
          return
        }
      }
    }
    #expect(errors.withLock { $0 } == [])
    let won = winners.withLock { $0 }
    let session = try #require(try store.load(id, since: nil))
    #expect(session.version >= 200 && won.count == session.version - 1)
    for (index, change) in session.changes.enumerated() {
      #expect(won[index + 2]?.map { record("\($0)") } == [change])
    }
  }

  @Test func anotherProgramIsNotWaitedForByOneAfterTheOther() throws {
    let ids = (0..<8).map { _ in newID() }
    for id in ids { try store.create(id, owner: "", snapshot: []) }
    let other = try #require(OtherProgram(test.path))
    #expect(other.execute("BEGIN IMMEDIATE"))
    try store.execute("PRAGMA busy_timeout = 200")
    let errors = Mutex<[StoreError]>([])
    onThreads(8) { [store] thread in
      do throws(StoreError) {
        _ = try store.append([1], to: ids[thread], after: 1)
      } catch {
        errors.withLock { $0.append(error) }
      }
    }
    let found = errors.withLock { $0 }
    #expect(found.count == 8)
    for error in found {
      #expect(error.kind == .unavailable && error.detail.contains("another program"))
    }
    func waitsForOthers() -> Bool {
      let isZero =
        "SELECT CASE timeout WHEN 0 THEN 0 ELSE abs(-9223372036854775808) END FROM pragma_busy_timeout"
      return (try? store.execute(isZero)) == nil
    }
    // Nobody waits who comes soon after one who has; who is late does.
    waitUntil {
      _ = try? store.append([1], to: ids[0], after: 1)
      return !waitsForOthers()
    }
    // That is over a second later, however often it is tried meanwhile.
    waitUntil {
      _ = try? store.append([1], to: ids[0], after: 1)
      return waitsForOthers()
    }
    // As soon as the file is free, it is used.
    #expect(other.execute("ROLLBACK"))
    for id in ids { #expect(try store.append([1], to: id, after: 1) == .done) }
    #expect(waitsForOthers())
  }

  /// A store that does something at the beginning of each commit.
  private func openStore(atEachCommit body: @escaping @Sendable () -> Void) throws -> SQLiteStore {
    try SQLiteStore(
      path: test.path + "-too", timeToLive: .seconds(60),
      now: {
        body()
        return 1_000_000
      })
  }

  @Test func whatIsShortDoesNotWaitForAllThatIsLong() throws {
    let ids = [newID(), newID()]
    let isWatched = Atomic(false)
    let commitCount = Atomic(0)
    let mayEnd = Atomic(false)
    let done = Mutex<[Int]>([])
    let store = try openStore {
      guard isWatched.load(ordering: .acquiring) else { return }
      let before = commitCount.add(1, ordering: .releasing).oldValue
      // Who was in those before says so first: there is one in each.
      waitUntil { mayEnd.load(ordering: .acquiring) && done.withLock(\.count) >= before }
    }
    for id in ids { try store.create(id, owner: "", snapshot: []) }
    isWatched.store(true, ordering: .releasing)
    // Behind the first commit the others queue up, in their order: the short one as the last.
    onThreads(9) { thread in
      if thread > 0 {
        waitUntil {
          commitCount.load(ordering: .acquiring) == 1 && store.waitingCount == thread - 1
        }
      }
      switch thread {
      case 0, 7: _ = try? store.append(record("short"), to: ids[min(thread, 1)], after: 1)
      case 8: return mayEnd.store(true, ordering: .releasing)
      default:
        try? store.create(newID(), owner: "", snapshot: Array(repeating: 65, count: 2 << 20))
      }
      done.withLock { $0.append(thread) }
    }
    isWatched.store(false, ordering: .releasing)
    let order = done.withLock { $0 }
    #expect(order.count == 8)
    #expect(order.prefix(3) == [0, 1, 7], "\(order)")
    for id in ids { #expect(try store.load(id, since: nil)?.version == 2) }
    store.close()
  }

  /// Nor the other way round: where many make changes, there is always something short.
  @Test func whatIsLongDoesNotWaitForAllThatIsShort() throws {
    let opened = Mutex<SQLiteStore?>(nil)
    defer { opened.withLock { $0 = nil } }
    let turn = Atomic(0)
    let commitCount = Atomic(0)
    let done = Mutex<[Int]>([])
    // In each commit the next one queues up, in the first the next two.
    let store = try openStore {
      guard let store = opened.withLock(\.self) else { return }
      let before = commitCount.add(1, ordering: .relaxed).oldValue
      // Who was in those before says so first: there is one in each, or more.
      waitUntil { done.withLock(\.count) >= before }
      while case let last = turn.load(ordering: .relaxed), last < min(before + 2, 4) {
        let count = store.waitingCount
        turn.add(1, ordering: .relaxed)
        waitUntil { store.waitingCount == count + 1 }
      }
    }
    let ids = (0..<5).map { _ in newID() }
    for id in ids where id != ids[1] { try store.create(id, owner: "", snapshot: []) }
    opened.withLock { $0 = store }
    onThreads(5) { thread in
      waitUntil { turn.load(ordering: .relaxed) >= thread }
      do throws(StoreError) {
        if thread == 1 {
          try store.create(ids[1], owner: "", snapshot: record("long", count: 1 << 20))
        } else if try store.append([1], to: ids[thread], after: 1) != .done {
          return
        }
      } catch {
        return
      }
      done.withLock { $0.append(thread) }
    }
    let order = done.withLock { $0 }
    #expect(order.count == 5)
    #expect(try #require(order.firstIndex(of: 1)) <= 1, "\(order)")
    store.close()
  }

  @Test func changesOfManyThreadsShareCommits() throws {
    let ids = (0..<8).map { _ in (0..<20).map { _ in newID() } }
    let failureCount = Atomic(0)
    onThreads(8) { [store] thread in
      do {
        for (number, id) in ids[thread].enumerated() {
          try store.create(id, owner: "\(thread)", snapshot: record("\(number)"))
          for version in 1...5 {
            let outcome = try store.append(record("\(version)"), to: id, after: version)
            if outcome != .done { failureCount.add(1, ordering: .relaxed) }
          }
        }
      } catch {
        failureCount.add(1, ordering: .relaxed)
      }
    }
    #expect(failureCount.load(ordering: .relaxed) == 0)
    #expect(store.commitCount < 8 * 20 * 6)
    for (thread, ids) in ids.enumerated() {
      for (number, id) in ids.enumerated() {
        #expect(
          try store.load(id, of: "\(thread)", since: nil)
            == StoredSession(
              owner: "\(thread)", version: 6,
              snapshot: .init(record: record("\(number)"), version: 1),
              changes: (1...5).map { record("\($0)") }))
      }
    }
  }

  /// And always a session that was there at one moment: changes and snapshot fit.
  @Test func whatIsAcknowledgedIsReadByEverybody() throws {
    let id = newID()
    try store.create(id, owner: "", snapshot: record("1"))
    let acknowledged = Atomic(1)
    let wrong = Mutex<[String]>([])
    onThreads(8) { [store] thread in
      do {
        while true {
          let version = acknowledged.load(ordering: .acquiring)
          guard version < 150 else { return }
          if thread == 0 {
            let next = record("\(version + 1)")
            if version % 7 == 0 {
              _ = try store.replace(id, by: next, after: version)
            } else {
              _ = try store.append(next, to: id, after: version)
            }
            acknowledged.store(version + 1, ordering: .releasing)
          } else if thread == 1 {
            try store.replaceSnapshot(of: id, by: record("\(version)"), at: version)
          } else {
            let session = try store.load(id, since: nil)
            let first = session?.snapshot?.version ?? 0
            let current = session?.version ?? 0
            let isRight =
              first > 0 && current >= version && session?.snapshot?.record == record("\(first)")
              && session?.changes == (first..<current).map { record("\($0 + 1)") }
            if !isRight { wrong.withLock { $0.append("\(version): \(session as Any)") } }
          }
        }
      } catch {
        wrong.withLock { $0.append("\(error)") }
      }
    }
    #expect(wrong.withLock { $0 } == [])
  }

  @Test func whatFailsHarmsNothingThatSharesItsCommit() throws {
    let ids = (0..<8).map { _ in newID() }
    for id in ids { try store.create(id, owner: "", snapshot: []) }
    // Two of them have the change already that is to come.
    for id in ids[..<2] {
      try store.execute("INSERT INTO change VALUES ('\(id)', 2, x'00')")
    }
    let outcomes = Mutex<[Int: [String]]>([:])
    onThreads(8) { [store] thread in
      for version in 1...30 {
        var text = "uncaught"
        do throws(StoreError) {
          text = "\(try store.append([1], to: ids[thread], after: thread < 2 ? 1 : version))"
        } catch {
          text = "\(error.kind)"
        }
        outcomes.withLock { $0[thread, default: []].append(text) }
      }
    }
    for thread in 0..<8 {
      let expected = Array(repeating: thread < 2 ? "unreadable" : "done", count: 30)
      #expect(outcomes.withLock { $0[thread] } == expected)
      if thread >= 2 { #expect(try store.load(ids[thread], since: nil)?.changes.count == 30) }
    }
  }

  /// What waits together is committed together only as far as that does not take long.
  @Test func commitsAreBounded() throws {
    let before = store.commitCount
    onThreads(3) { [store] _ in
      try? store.create(newID(), owner: "", snapshot: [UInt8](repeating: 1, count: 33 << 20))
    }
    #expect(store.commitCount - before == 3)
  }

  @Test func closingEndsWhatWaits() throws {
    let id = newID()
    try store.create(id, owner: "", snapshot: [])
    let done = Atomic(0)
    let errors = Mutex<[StoreError.Kind]>([])
    onThreads(8) { [store] thread in
      do throws(StoreError) {
        while true {
          switch thread {
          case 0:
            waitUntil { done.load(ordering: .relaxed) >= 20 }
            store.close()
            return
          case 1: _ = try store.load(id, since: nil)
          default:
            try store.create(newID(), owner: "", snapshot: [])
            done.add(1, ordering: .relaxed)
          }
        }
      } catch {
        errors.withLock { $0.append(error.kind) }
      }
    }
    #expect(errors.withLock { $0 } == Array(repeating: .unavailable, count: 7))
    let again = try test.open()
    #expect(try again.load(id, since: nil) != nil)
  }
}
