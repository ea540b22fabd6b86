import Glibc
import LayoutSessions
import SQLiteStore
import Synchronization
import Testing

/// Disks that are full, and files that are damaged.
@Suite(.waits) struct FaultTests {
  let test: TestStore

  init() throws { test = try TestStore() }

  /// Creates sessions until there is no room.
  private func fill(_ store: SQLiteStore) throws -> (kept: [SessionID], error: StoreError?) {
    var kept: [SessionID] = []
    while kept.count < 1000 {
      let id = newID()
      do throws(StoreError) {
        try store.create(id, owner: "", snapshot: record("\(id)", count: 50_000))
      } catch {
        #expect(try store.load(id, since: nil) == nil)
        return (kept, error)
      }
      kept.append(id)
    }
    return (kept, nil)
  }

  private func checkAllAreThere(_ ids: [SessionID], in store: SQLiteStore) throws {
    for id in ids {
      let session = try #require(try store.load(id, since: nil))
      #expect(session.snapshot?.record == record("\(id)", count: 50_000))
    }
  }

  @Test func whenThereIsNoRoomNothingIsHarmed() throws {
    let store = try test.open()
    try store.execute("PRAGMA max_page_count = 300")
    let (kept, error) = try fill(store)
    #expect(error?.kind == .unavailable && error?.detail.contains("the disk is full") == true)
    #expect(!kept.isEmpty)
    try checkAllAreThere(kept, in: store)
    // What is short may still have room; what is deleted makes some.
    #expect(try store.append([1], to: kept[1], after: 1) == .done)
    #expect(try store.delete(kept[0], at: nil) == .done)
    try store.create(newID(), owner: "", snapshot: record("", count: 40_000))
    try store.execute("PRAGMA max_page_count = 1000000")
    let more = try (0..<10).map { _ in try create(in: store) }
    try checkAllAreThere(kept.dropFirst() + more, in: store)
    store.close()
    try checkAllAreThere(kept.dropFirst() + more, in: try test.open())
  }

  private func create(in store: SQLiteStore) throws -> SessionID {
    let id = newID()
    test.clock.advance(by: 1)
    try store.create(id, owner: "", snapshot: record("\(id)", count: 50_000))
    return id
  }

  @Test(.enabled(if: SmallDisk.isPossible))
  func aFullDiskHarmsNothing() throws {
    let disk = try #require(SmallDisk(at: test.folder.path))
    defer { disk.remove() }
    let filler = "\(test.folder.path)/filler"
    #expect(writeFile(filler, [UInt8](repeating: 1, count: 2 << 20)))
    var store = try test.open()
    let (kept, error) = try fill(store)
    #expect(error?.kind == .unavailable && error?.detail.contains("the disk is full") == true)
    #expect(kept.count > 5)
    try checkAllAreThere(kept, in: store)
    // Reading notes the use, which fails; and is right all the same.
    test.clock.advance(by: TestStore.timeToLive)
    try checkAllAreThere(kept, in: store)
    removeFile(filler)
    let more = try (0..<10).map { _ in try create(in: store) }
    try checkAllAreThere(kept + more, in: store)
    store.close()
    store = try test.open()
    try checkAllAreThere(kept + more, in: store)
    store.close()
  }

  @Test(.enabled(if: SmallDisk.isPossible))
  func aDiskIsNotFullAsLongAsThereIsRoomInTheFile() throws {
    let disk = try #require(SmallDisk(at: test.folder.path))
    defer { disk.remove() }
    var store = try test.open()
    let id = newID()
    try store.create(id, owner: "", snapshot: record("", count: 600_000))
    for version in 1...12 {
      #expect(try store.append([1], to: id, after: version) == .done)
      // Each is written into the log, in which there is no room for that many. The file has room
      // for the old one and the new one, once it has got that far.
      try store.replaceSnapshot(
        of: id, by: record("\(version)", count: 600_000), at: version + 1)
      if version == 1 {
        store.close()
        store = try test.open()
      }
    }
    #expect(try store.load(id, since: nil)?.snapshot?.version == 13)
    store.close()
  }

  @Test func whatMayHaveHappenedIsNeitherTriedAgainNorTold() throws {
    let ids = (0..<3).map { _ in newID() }
    let turn = Atomic(-1)
    let moments = Atomic(0)
    let opened = Mutex<SQLiteStore?>(nil)
    defer { opened.withLock { $0 = nil } }
    // Asked once for each commit that is tried, and for each that fails.
    let store = try SQLiteStore(
      path: test.path, timeToLive: .seconds(60),
      now: { [path = test.path] in
        moments.add(1, ordering: .relaxed)
        if turn.compareExchange(expected: 0, desired: 1, ordering: .relaxed).exchanged {
          // The others queue up, for one commit.
          let store = opened.withLock(\.self)
          waitUntil { store?.waitingCount == 2 }
        } else if turn.compareExchange(expected: 1, desired: 2, ordering: .relaxed).exchanged {
          // Then there is no disk any more.
          reopen(path + "-wal", O_RDONLY)
        }
        return 1_000_000
      })
    for id in ids { try store.create(id, owner: "", snapshot: []) }
    opened.withLock { $0 = store }
    moments.store(0, ordering: .relaxed)
    turn.store(0, ordering: .relaxed)
    let errors = Mutex<[StoreError]>([])
    onThreads(3) { thread in
      waitUntil { turn.load(ordering: .relaxed) >= min(thread, 1) }
      do throws(StoreError) {
        _ = try store.append([1], to: ids[thread], after: 1)
      } catch {
        errors.withLock { $0.append(error) }
      }
    }
    #expect(errors.withLock { $0.map(\.kind) } == [.uncertain, .uncertain])
    let words = "the disk fails: Bad file descriptor"
    #expect(errors.withLock { $0.allSatisfy { $0.detail.contains(words) } })
    #expect(moments.load(ordering: .relaxed) == 3)
    // What may still count is not told, nor changed; what has been done is.
    #expect(try store.load(ids[0], since: nil)?.version == 2)
    for id in ids[1...] {
      let uses: [() throws -> Void] = [
        { _ = try store.load(id, since: nil) }, { _ = try store.owner(of: id) },
        { _ = try store.append([1], to: id, after: 1) },
      ]
      for use in uses {
        let failure = #expect(throws: StoreError.self, performing: use)
        #expect(failure?.kind == .unavailable)
      }
    }
    store.close()
  }

  /// Whoever takes the file away is not told that changes are kept which nobody would find again.
  @Test func aFileThatIsGoneTakesNoChanges() throws {
    let store = try test.open()
    let id = try create(in: store)
    #expect(try store.load(id, since: nil)?.version == 1)
    let elsewhere = test.path + ".elsewhere"
    try #require(unsafe rename(test.path, elsewhere) == 0)
    let error = #expect(throws: StoreError.self) { try store.append([1], to: id, after: 1) }
    #expect(error?.kind == .unavailable)
    // What is there can be read.
    #expect(try store.load(id, since: nil)?.version == 1)
    // Another one in its place is another one.
    let other = unsafe open(test.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    close(other)
    #expect(throws: StoreError.self) { try store.append([1], to: id, after: 1) }
    try #require(unsafe rename(elsewhere, test.path) == 0)
    #expect(try store.append([1], to: id, after: 1) == .done)
    #expect(try store.load(id, since: nil)?.version == 2)
  }

  /// SQLite would take it for this one: what has not come into this one yet would be lost with the other's pages.
  @Test(arguments: [false, true]) func whatIsPutInTheFilesPlaceIsLeftAlone(isStore: Bool) throws {
    let store = try test.open()
    let id = try create(in: store)
    #expect(try store.append([1], to: id, after: 1) == .done)
    let elsewhere = test.path + ".elsewhere"
    try #require(unsafe rename(test.path, elsewhere) == 0)
    if isStore {
      let name = test.path + ".other"
      let other = try SQLiteStore(path: name, timeToLive: .seconds(60), now: { 1 })
      try other.create(newID(), owner: "", snapshot: [2])
      other.close()
      try #require(unsafe rename(name, test.path) == 0)
    } else {
      #expect(writeFile(test.path, []))
    }
    let before = readFile(test.path)
    let error = #expect(throws: StoreError.self) { try store.load(id, since: nil) }
    #expect(error?.kind == .unavailable)
    #expect(error?.detail.contains("is another file") == true)
    #expect(readFile(test.path) == before)
    try #require(unsafe rename(elsewhere, test.path) == 0)
    #expect(try store.load(id, since: nil)?.changes == [[1]])
    store.close()
    #expect(try test.open().load(id, since: nil)?.version == 2)
  }

  @Test func aConnectionThatFailsIsNotReadFromAgain() throws {
    let store = try test.open()
    let id = try create(in: store)
    #expect(try store.load(id, since: nil)?.version == 1)
    #expect(try store.append([1], to: id, after: 1) == .done)
    reopen("\(test.path)-wal", O_WRONLY)
    let error = #expect(throws: StoreError.self) { try store.load(id, since: nil) }
    #expect(error?.kind == .unavailable)
    #expect(error?.detail.contains("the disk fails: Bad file descriptor") == true)
    #expect(try store.load(id, since: nil)?.version == 2)
  }

  @Test func aDamagedPageConcernsItsSessions() throws {
    let store = try test.open()
    let ids = try (0..<20).map { _ in try create(in: store) }
    let late = try create(in: store)
    store.close()
    let middle = readFile(test.path).count / 2 / 4096 * 4096
    #expect(writeFile(test.path, [UInt8](repeating: 0xFF, count: 8192), at: middle))
    let again = try test.open()
    var damaged: [SessionID] = []
    for id in ids {
      do throws(StoreError) {
        let session = try again.load(id, since: nil)
        #expect(session?.snapshot?.record == record("\(id)", count: 50_000))
        #expect(try again.append([1], to: id, after: 1) == .done)
      } catch {
        #expect(error.kind == .unreadable)
        #expect(error.detail.contains("\(id)") && error.detail.contains(test.path))
        damaged.append(id)
      }
    }
    #expect((1...12).contains(damaged.count))
    for id in damaged {
      let error = #expect(throws: StoreError.self) { try again.delete(id, at: nil) }
      #expect(error?.kind == .unreadable)
    }
    // They are in the way of the sweeper once, not for ever.
    test.clock.advance(by: TestStore.timeToLive * 2)
    for _ in 0..<10 { try? again.sweep() }
    try again.create(late, owner: "", snapshot: [])
  }

  @Test func aUseOnADamagedPageKeepsNothingFromBeingSwept() throws {
    let store = try test.open()
    let ids = try (0..<3).map { _ in try create(in: store) }
    let unused = try create(in: store)
    // Stands for a page that cannot be written.
    try store.execute(
      """
      CREATE TRIGGER damage BEFORE UPDATE ON session WHEN old.id = '\(ids[1])'
      BEGIN SELECT RAISE(ABORT, 'damaged'); END
      """)
    test.clock.advance(by: TestStore.timeToLive)
    let error = #expect(throws: StoreError.self) { try store.touch(ids) }
    #expect(error?.kind == .unreadable)
    test.clock.advance(by: TestStore.timeToLive)
    for _ in 0..<3 { try? store.sweep() }
    // What nobody has used has gone, and its name can be had again.
    try store.create(unused, owner: "", snapshot: [])
    for id in ids { #expect(try store.load(id, since: nil) != nil) }
    try store.execute("DROP TRIGGER damage")
    store.close()
    // The others' uses are in the file.
    let again = try test.open()
    #expect(try again.load(ids[0], since: nil) != nil)
    #expect(try again.load(ids[2], since: nil) != nil)
  }

  @Test(arguments: [
    ("DELETE FROM change WHERE version = 3", "change 2"),
    ("DELETE FROM change WHERE version = 4", "change 3"),
    ("UPDATE change SET version = 5 WHERE version = 4", "change 5"),
    ("UPDATE session SET version = 3", "change 4"),
    ("UPDATE session SET version = 0", "snapshot"),
    ("DELETE FROM snapshot", "snapshot"),
    ("UPDATE snapshot SET version = -9223372036854775808", "change"),
    ("UPDATE session SET version = 9223372036854775807", "change"),
  ])
  func whatDoesNotFitIsNotGuessed(damage: String, missing: String) throws {
    let store = try test.open()
    let id = newID()
    try store.create(id, owner: "", snapshot: record("one"))
    for version in 1...3 { #expect(try store.append([1], to: id, after: version) == .done) }
    try store.execute(damage)
    let error = #expect(throws: StoreError.self) { try store.load(id, since: nil) }
    #expect(error?.kind == .unreadable)
    #expect(error?.detail.hasPrefix("session \(id): ") == true)
    #expect(error?.detail.contains(missing) == true)
    // Whoever has it may be rid of it.
    #expect(try store.owner(of: id) == "")
    #expect(try store.delete(id, at: nil) == .done)
    #expect(try store.owner(of: id) == nil)
  }

  @Test func versionsEnd() throws {
    let store = try test.open()
    let id = newID()
    try store.create(id, owner: "", snapshot: [])
    try store.execute("UPDATE session SET version = 9223372036854775807")
    let error = #expect(throws: StoreError.self) {
      _ = try store.append([], to: id, after: .max)
    }
    #expect(error?.kind == .unreadable)
  }
}

/// Has this process's descriptors of a file be for reading or for writing only: the other fails from then on.
private func reopen(_ path: String, _ flags: CInt) {
  for descriptor in descriptors(of: path) {
    let other = unsafe open(path, flags | O_CLOEXEC)
    dup2(other, descriptor)
    close(other)
  }
}

/// A disk of four mebibytes over a folder, where that is allowed.
private struct SmallDisk {
  let path: String

  init?(at path: String) {
    // Safe: the texts are there for the length of the call.
    guard unsafe mount("tmpfs", path, "tmpfs", 0, "size=4m") == 0 else { return nil }
    self.path = path
  }

  func remove() { unsafe umount2(path, CInt(MNT_DETACH)) }

  static let isPossible: Bool = {
    guard let folder = try? TemporaryFolder(), let disk = SmallDisk(at: folder.path) else {
      return false
    }
    disk.remove()
    return true
  }()
}
