import Glibc
import LayoutSessions
import SQLiteStore
import Synchronization
import Testing

/// Which files are stores, and which are left alone.
@Suite(.waits) struct FileTests {
  let test: TestStore

  init() throws { test = try TestStore() }

  /// The error that opening has; the file has to be as it was, and nothing new beside it but a
  /// lock.
  private func refusal() throws -> StoreError? {
    let before = readFile(test.path)
    let names = test.folder.names
    let error = #expect(throws: StoreError.self) { _ = try test.open() }
    #expect(readFile(test.path) == before)
    #expect(test.folder.names.subtracting(names).isSubset(of: ["sessions.db.lock"]))
    #expect(error?.detail.contains(test.path) == true)
    return error
  }

  private func makeStore() throws {
    let store = try test.open()
    try store.create(newID(), owner: "", snapshot: record("one"))
    store.close()
  }

  @Test func theFileIsForNobodyElse() throws {
    let store = try test.open()
    try store.create(newID(), owner: "", snapshot: [])
    #expect(test.folder.names.count == 4)
    for name in test.folder.names {
      var status = stat()
      // Safe: the structure is there for the length of the call.
      #expect(unsafe stat("\(test.folder.path)/\(name)", &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
    }
    store.close()
    // What it is stands in the file itself: "layo", 1.
    let bytes = readFile(test.path)
    #expect(Array(bytes[68..<72]) == Array("layo".utf8) && Array(bytes[60..<64]) == [0, 0, 0, 1])
  }

  @Test func anEmptyFileBecomesAStore() throws {
    #expect(writeFile(test.path, []))
    try makeStore()
  }

  @Test func oneProcessOwnsTheFile() throws {
    let id = newID()
    let store = try test.open()
    try store.create(id, owner: "", snapshot: [])
    let error = #expect(throws: StoreError.self) { _ = try test.open() }
    #expect(error == StoreError(.unavailable, "another process uses \(test.path)"))
    // By another name too.
    let link = "\(test.folder.path)/link.db"
    #expect(unsafe symlink(test.path, link) == 0)
    #expect(throws: StoreError.self) {
      _ = try SQLiteStore(path: link, timeToLive: .seconds(1), now: { 0 })
    }
    // The one who has it has lost nothing.
    #expect(try store.append([1], to: id, after: 1) == .done)
    store.close()
    #expect(try test.open().load(id, since: nil)?.version == 2)
    // Whoever only lets go of a store has closed it too.
    #expect(try test.open().load(id, since: nil)?.version == 2)
  }

  /// When it is opened, and not when the first change comes.
  @Test func aFileThatAnotherProgramHoldsIsRefused() throws {
    try makeStore()
    let other = try #require(OtherProgram(test.path))
    #expect(other.execute("BEGIN IMMEDIATE"))
    let error = #expect(throws: StoreError.self) { _ = try test.open() }
    #expect(error?.kind == .unavailable)
    #expect(error?.detail.contains("another program holds the file") == true)
    #expect(other.execute("ROLLBACK"))
    try test.open().close()
  }

  /// A process that is just being started has copies of all descriptors.
  @Test func aClosedStoreIsFreeWhoeverHasACopyOfItsLock() throws {
    let store = try test.open()
    let copies = descriptors(of: "\(test.path).lock").map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
    defer { for copy in copies { close(copy) } }
    #expect(!copies.isEmpty)
    store.close()
    try test.open().close()
  }

  @Test func otherFormatsAreLeftAlone() throws {
    try makeStore()
    for format: UInt8 in [2, 0] {
      #expect(writeFile(test.path, [0, 0, 0, format], at: 60))
      let error = try refusal()
      #expect(error?.kind == .unreadable && error?.detail.contains("format \(format)") == true)
    }
    #expect(writeFile(test.path, [0, 0, 0, 1], at: 60))
    try makeStore()
  }

  @Test func databasesOfOthersAreLeftAlone() throws {
    try makeStore()
    for application: [UInt8] in [[0, 0, 0, 0], Array("else".utf8)] {
      #expect(writeFile(test.path, application, at: 68))
      #expect(try refusal()?.kind == .unreadable)
    }
  }

  @Test(arguments: [
    Array("not a database".utf8), [UInt8](repeating: 7, count: 8192),
    Array("SQLite format 3\0".utf8), [UInt8](repeating: 0, count: 4096),
  ])
  func whatIsNoDatabaseIsLeftAlone(bytes: [UInt8]) throws {
    #expect(writeFile(test.path, bytes))
    #expect(try refusal()?.kind == .unreadable)
  }

  @Test func aStoreWithoutItsTablesIsRefused() throws {
    let store = try test.open()
    try store.execute("DROP TABLE change")
    store.close()
    let error = #expect(throws: StoreError.self) { _ = try test.open() }
    #expect(error?.kind == .unreadable)
  }

  @Test func whatIsNoFileIsRefused() throws {
    func refusal(_ path: String) -> StoreError? {
      #expect(throws: StoreError.self) {
        _ = try SQLiteStore(path: path, timeToLive: .seconds(1), now: { 0 })
      }
    }
    let folder = test.folder.path
    #expect(refusal(folder) == StoreError(.unavailable, "\(folder) is a directory"))
    #expect(refusal("/dev/null") == StoreError(.unavailable, "/dev/null is not a file"))
    let missing = "\(folder)/missing/sessions.db"
    #expect(
      refusal(missing)
        == StoreError(.unavailable, "\(missing): cannot be made: No such file or directory"))
    #expect(refusal("")?.kind == .unavailable)
    #expect(refusal("a\0b")?.kind == .unavailable)
  }

  @Test func whatMustNotBeWrittenIsRefused() throws {
    try makeStore()
    removeFile(test.path + ".lock")
    setMode(test.path, 0o444)
    setMode(test.folder.path, 0o777)
    let error = withoutPrivileges { [test] () throws(StoreError) in try test.open() }
    let detail = "\(test.path): cannot be written: Permission denied"
    #expect(error == StoreError(.unavailable, detail))
    // Nor without a lock.
    removeFile(test.path + ".lock")
    setMode(test.folder.path, 0o555)
    let other = withoutPrivileges { [test] () throws(StoreError) in try test.open() }
    #expect(
      other
        == StoreError(.unavailable, "\(test.path).lock: cannot be opened: Permission denied"))
    setMode(test.folder.path, 0o700)
  }
}

/// The error of something that is done as somebody who is not root.
///
/// Linux has a user for each thread as far as files are concerned; root's rights leave with it.
private func withoutPrivileges(
  _ body: @escaping @Sendable () throws(StoreError) -> SQLiteStore
) -> StoreError? {
  let result = Mutex<StoreError?>(nil)
  onThreads(1) { _ in
    if geteuid() == 0, let function = unsafe dlsym(nil, "setfsuid") {
      // Safe: that is the function's type.
      let setUser = unsafe unsafeBitCast(
        function, to: (@convention(c) (uid_t) -> CInt).self)
      _ = setUser(65534)
    }
    do throws(StoreError) { _ = try body() } catch { result.withLock { $0 = error } }
  }
  return result.withLock { $0 }
}
