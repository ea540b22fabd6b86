import LayoutSessions
import Testing

@testable import RedisStore

/// What comes from the other side is not trusted, whoever it is.
@Suite(.waits) struct LyingTests {
  private func store(
    _ fake: FakeRedis, timeout: Duration = .seconds(60)
  ) throws -> RedisStore {
    RedisStore(
      address: try RedisAddress(url: "unix://\(fake.path)"), timeToLive: .seconds(60),
      timeout: timeout, connectionLimit: 1)
  }

  private func append(_ store: RedisStore) -> StoreError? {
    error { () throws(StoreError) in _ = try store.append([1], to: newID(), after: 1) }
  }

  private func load(_ store: RedisStore, since version: StoredVersion? = nil) -> StoreError? {
    error { () throws(StoreError) in _ = try store.load(newID(), since: version) }
  }

  @Test(arguments: [
    ":1\r\n", "$-1\r\n", "*-1\r\n", "+OK\r\n", "*0\r\n", "*1\r\n:1\r\n", "*1\r\n$7\r\nnothing\r\n",
    "*2\r\n$4\r\ndone\r\n:1\r\n", "*1\r\n$8\r\nconflict\r\n", "*2\r\n$8\r\nconflict\r\n$1\r\n2\r\n",
    "*2\r\n$8\r\nconflict\r\n:0\r\n", "*2\r\n$8\r\nconflict\r\n:-5\r\n", "*1\r\n$7\r\nrefused\r\n",
    "*3\r\n$7\r\nchanges\r\n$1\r\n2\r\n:3\r\n", "*1\r\n*1\r\n$4\r\ndone\r\n", "what?\r\n",
    "$99999999999999999999\r\n", "*99999999999999999999\r\n", "$-7\r\n",
    ":99999999999999999999\r\n",
    "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
  ])
  func nonsense(answer: String) throws {
    let fake = FakeRedis([
      FakeRedis.Connection(answers: [answer]), FakeRedis.Connection(answers: [answer]),
    ])
    let store = try store(fake)
    let (write, read) = (append(store), load(store))
    #expect(write?.kind == .uncertain, "\(write as Any)")
    #expect(read?.kind == .unavailable, "\(read as Any)")
    #expect(fake.callCount == 2)
  }

  /// Sessions whose parts do not belong together; all have version 3.
  @Test(arguments: [
    // No changes, though some are missing; too many; not from where they were asked for.
    "*6\r\n$5\r\nfound\r\n:3\r\n$0\r\n\r\n$1\r\no\r\n$0\r\n\r\n*0\r\n",
    "*6\r\n$5\r\nfound\r\n:3\r\n$0\r\n\r\n$1\r\no\r\n$0\r\n\r\n*3\r\n$0\r\n\r\n$0\r\n\r\n$0\r\n\r\n",
    "*8\r\n$5\r\nfound\r\n:3\r\n$0\r\n\r\n$1\r\no\r\n$0\r\n\r\n*1\r\n$0\r\n\r\n:1\r\n$0\r\n\r\n",
    // Versions out of order.
    "*8\r\n$5\r\nfound\r\n:3\r\n$0\r\n\r\n$1\r\no\r\n$0\r\n\r\n*0\r\n:4\r\n$0\r\n\r\n",
    "*8\r\n$5\r\nfound\r\n:3\r\n$0\r\n\r\n$1\r\no\r\n$0\r\n\r\n*0\r\n:-9223372036854775808\r\n$0\r\n\r\n",
    // Stamps that are none; a change too short to have one.
    "*6\r\n$5\r\nfound\r\n:3\r\n$16\r\n000000000000000x\r\n$1\r\no\r\n$0\r\n\r\n*2\r\n$16\r\n0000000000000001\r\n$16\r\n000000000000000x\r\n",
    "*6\r\n$5\r\nfound\r\n:3\r\n$2\r\n10\r\n$1\r\no\r\n$0\r\n\r\n*2\r\n$2\r\n10\r\n$2\r\n10\r\n",
    "*6\r\n$5\r\nfound\r\n:3\r\n$2\r\n10\r\n$1\r\no\r\n$0\r\n\r\n*2\r\n$0\r\n\r\n$0\r\n\r\n",
    "*6\r\n$5\r\nfound\r\n:3\r\n$16\r\n0000000000000001\r\n$1\r\no\r\n$0\r\n\r\n*2\r\n$0\r\n\r\n$0\r\n\r\n",
    // Scrolled nobody knows where.
    "*6\r\n$5\r\nfound\r\n:3\r\n$0\r\n\r\n$1\r\no\r\n$2\r\n-1\r\n*2\r\n$0\r\n\r\n$0\r\n\r\n",
    "*6\r\n$5\r\nfound\r\n:3\r\n$0\r\n\r\n$1\r\no\r\n:1\r\n*2\r\n$0\r\n\r\n$0\r\n\r\n",
    // An owner that is no text, or nobody.
    "*6\r\n$5\r\nfound\r\n:3\r\n$0\r\n\r\n:7\r\n$0\r\n\r\n*2\r\n$0\r\n\r\n$0\r\n\r\n",
    "*6\r\n$5\r\nfound\r\n:3\r\n$0\r\n\r\n$-1\r\n$0\r\n\r\n*2\r\n$0\r\n\r\n$0\r\n\r\n",
    // Changes that are none; a snapshot that is not there; more than there should be.
    "*6\r\n$5\r\nfound\r\n:3\r\n$0\r\n\r\n$1\r\no\r\n$0\r\n\r\n*2\r\n:1\r\n:2\r\n",
    "*7\r\n$5\r\nfound\r\n:3\r\n$0\r\n\r\n$1\r\no\r\n$0\r\n\r\n*0\r\n:3\r\n",
    "*8\r\n$5\r\nfound\r\n:3\r\n$0\r\n\r\n$1\r\no\r\n$0\r\n\r\n*0\r\n:3\r\n$-1\r\n",
    "*9\r\n$5\r\nfound\r\n:3\r\n$0\r\n\r\n$1\r\no\r\n$0\r\n\r\n*0\r\n:3\r\n$0\r\n\r\n:1\r\n",
  ])
  func sessionsThatMakeNoSense(answer: String) throws {
    let fake = FakeRedis([FakeRedis.Connection(answers: [answer])])
    let error = load(try store(fake), since: StoredVersion(1, stamp: 0))
    #expect(error?.kind == .unreadable, "\(error as Any)")
  }

  @Test(arguments: [
    ("LOADING Redis is loading the dataset in memory", StoreError.Kind.unavailable),
    ("MASTERDOWN Link with MASTER is down", .unavailable), ("READONLY x", .unavailable),
    ("OOM command not allowed", .unavailable), ("MISCONF x", .unavailable),
    ("BUSY Redis is busy running a script.", .unavailable), ("MOVED 1 h:1", .unavailable),
    ("NOPERM this user has no permissions", .unavailable),
    ("NOPERM ACL failure in script: no permissions", .uncertain), ("ERR boom", .uncertain),
    ("OOMPH", .uncertain), ("", .uncertain), ("WRONGTYPE Operation", .unreadable),
    // As Redis says it before version 7.
    ("ERR Error running script (call to f_1): @user_script:9: WRONGTYPE Operation", .unreadable),
  ])
  func errors(words: String, kind: StoreError.Kind) throws {
    let fake = FakeRedis([
      FakeRedis.Connection(answers: ["-\(words)\r\n"]),
      FakeRedis.Connection(answers: ["-\(words)\r\n"]),
    ])
    let store = try store(fake)
    #expect(append(store)?.kind == kind)
    #expect(load(store)?.kind == (kind == .uncertain ? .unavailable : kind))
  }

  @Test func aWriteIsNotRepeated() throws {
    let fake = FakeRedis([
      FakeRedis.Connection(answers: [""]), FakeRedis.Connection(answers: ["*1\r\n$4\r\ndone\r\n"]),
    ])
    let store = try store(fake)
    #expect(append(store)?.kind == .uncertain)
    #expect(fake.callCount == 1)
    #expect(append(store) == nil)
  }

  @Test func aReadIsRepeatedOnce() throws {
    let fake = FakeRedis([
      FakeRedis.Connection(answers: [""]),
      FakeRedis.Connection(answers: ["*1\r\n$7\r\nmissing\r\n", "*1\r\n"]),
      FakeRedis.Connection(answers: ["*1\r\n"]),
      FakeRedis.Connection(answers: ["*1\r\n$7\r\nmissing\r\n"]),
    ])
    let store = try store(fake)
    #expect(load(store) == nil)
    #expect(fake.callCount == 2)
    #expect(load(store)?.kind == .unavailable)
    #expect(fake.callCount == 4)
  }

  @Test func halfAnAnswerIsNone() throws {
    let fake = FakeRedis([
      FakeRedis.Connection(answers: ["*1\r\n$4\r\ndo"], isClosed: false)
    ])
    let store = try store(fake, timeout: .milliseconds(500))
    var failure: StoreError?
    let duration = time { failure = append(store) }
    #expect(failure?.kind == .uncertain)
    #expect(failure?.detail.contains("no answer in 500 ms") == true, "\(failure as Any)")
    #expect(duration > .milliseconds(490), "\(duration)")
  }

  /// A long snapshot is read after what belongs to it: which of what else may come meanwhile is no part of it.
  @Test(arguments: [
    "*3\r\n$1\r\n1\r\n$16\r\n0000000000000008\r\n$1\r\nB\r\n",
    "*3\r\n$1\r\n2\r\n$16\r\n0000000000000007\r\n$1\r\nB\r\n",
    "*3\r\n$-1\r\n$-1\r\n$-1\r\n", "*2\r\n$1\r\n1\r\n$1\r\nB\r\n", "-NOPERM x\r\n", ":1\r\n",
  ])
  func anotherSnapshotIsReadWithWhatBelongsToIt(other: String) throws {
    let found =
      "*8\r\n$5\r\nfound\r\n:1\r\n$16\r\n0000000000000007\r\n$1\r\no\r\n$0\r\n\r\n*0\r\n:1\r\n"
    let apart = "*1\r\n$16\r\n0000000000000007\r\n"
    let right = "*3\r\n$1\r\n1\r\n$16\r\n0000000000000007\r\n$1\r\nA\r\n"
    let fake = FakeRedis([
      FakeRedis.Connection(answers: [
        found + apart, right, found + apart, other, found + "$1\r\nC\r\n",
      ])
    ])
    let store = try store(fake)
    let records = try (0..<2).map { _ in
      try store.load(newID(), since: nil)?.snapshot?.record
    }
    #expect(records == [bytes("A"), bytes("C")])
    try #require(fake.callCount == 5)
    // Whatever its length, the second time it comes with all else.
    #expect(fake.calls[2].contains("\r\n131072\r\n"))
    #expect(fake.calls[4].contains("\r\n\(RedisCommands.longestWord)\r\n"))
  }

  /// A version of the same number and another stamp is another one: a connection of before may not know it.
  @Test func aVersionOfAnotherStampIsAskedForOnceMore() throws {
    func found(_ stamp: Int, _ record: String) -> String {
      "*8\r\n$5\r\nfound\r\n:1\r\n$16\r\n000000000000000\(stamp)\r\n$1\r\no\r\n$0\r\n\r\n*0\r\n:1\r\n$1\r\n\(record)\r\n"
    }
    let fake = FakeRedis([
      FakeRedis.Connection(answers: [found(8, "A")], isClosed: false),
      FakeRedis.Connection(answers: [found(8, "B")]),
    ])
    let store = try store(fake)
    let session = try store.load(
      newID(), of: "o", since: StoredVersion(1, stamp: 7), isScrolling: false)
    #expect(session?.snapshot?.record == bytes("B"))
    #expect(fake.callCount == 2)
  }

  @Test func whatIsLongMayTakeLonger() throws {
    let record = "$1024\r\n" + String(repeating: "x", count: 1024) + "\r\n"
    let session = "*6\r\n$5\r\nfound\r\n:3001\r\n$0\r\n\r\n$1\r\no\r\n$0\r\n\r\n*3000\r\n"
    let fake = FakeRedis([
      FakeRedis.Connection(
        answers: [session + String(repeating: record, count: 3000)], isSlow: true)
    ])
    let store = try store(fake, timeout: .milliseconds(500))
    var loaded: StoredSession?
    let duration = try time { loaded = try store.load(newID(), since: 1) }
    #expect(loaded?.changes.count == 3000)
    #expect(duration > .milliseconds(900), "\(duration)")
  }

  /// What trickles is not waited for for ever, whichever way it goes.
  @Test func whatIsShortMayNot() throws {
    let slow = FakeRedis([
      FakeRedis.Connection(
        answers: ["*1\r\n$400\r\n" + String(repeating: "a", count: 400)],
        isSlow: true, pieceSize: 1, isClosed: false)
    ])
    // Long enough for a thread that stands behind to say its greeting.
    let write = append(try store(slow, timeout: .seconds(1)))
    #expect(write?.kind == .uncertain)
    #expect(write?.detail.contains("no whole answer") == true, "\(write as Any)")
    let busy = FakeRedis([FakeRedis.Connection(isSlow: true, isClosed: false)])
    let long = [UInt8](repeating: 1, count: 32 << 20)
    let store = try store(busy, timeout: .seconds(1))
    let other = error { () throws(StoreError) in
      _ = try store.append(long, to: newID(), after: 1)
    }
    #expect(other?.kind == .unavailable)
    #expect(other?.detail.contains("it takes too little") == true, "\(other as Any)")
  }

  /// Who has been the master may not be the one to whom its name leads now.
  @Test func whoTakesNoWritesIsLeft() throws {
    let words = "READONLY You can't write against a read only replica."
    for sign in ["", "-"] {
      let said = sign + words
      let fake = FakeRedis([
        FakeRedis.Connection(
          answers: ["*2\r\n$7\r\nrefused\r\n$\(said.utf8.count)\r\n\(said)\r\n"],
          isClosed: false),
        FakeRedis.Connection(answers: ["*1\r\n$4\r\ndone\r\n"]),
      ])
      let store = try store(fake)
      let refusal = append(store)
      #expect(refusal?.kind == .unavailable)
      #expect(refusal?.detail.hasSuffix(": " + words) == true)
      #expect(append(store) == nil)
    }
  }

  /// What was not asked for would be taken for the next answer.
  @Test func moreThanAnAnswerEndsTheConnection() throws {
    let done = "*1\r\n$4\r\ndone\r\n"
    let fake = FakeRedis([
      FakeRedis.Connection(
        answers: [done + "+MORE\r\n", "*1\r\n$7\r\nnothing\r\n"], isClosed: false),
      FakeRedis.Connection(answers: [done]),
    ])
    let store = try store(fake)
    #expect(append(store) == nil)
    #expect(append(store) == nil)
  }

  @Test(arguments: [
    ("+WHAT\r\n", "makes no sense"), ("-DENIED Redis is running in protected mode\r\n", "DENIED"),
    ("-ERR max number of clients reached\r\n", "max number of clients"), ("", "onnection"),
    ("-LOADING x\r\n", "LOADING"), ("\u{7}\r\n", "not one of Redis"),
  ])
  func greetings(greeting: String, words: String) throws {
    let fake = FakeRedis([FakeRedis.Connection(greeting: greeting)])
    let error = append(try store(fake))
    #expect(error?.kind == .unavailable)
    #expect(error?.detail.contains(words) == true, "\(error as Any)")
    #expect(fake.callCount == 0)
  }
}
