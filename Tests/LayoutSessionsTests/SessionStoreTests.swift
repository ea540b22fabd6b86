import LayoutCore
import LayoutSessions
import Synchronization
import Testing

struct SessionStoreTests {
  private typealias Prepared = (description: Description, layout: PreparedLayout)

  private static func session(
    itemCount: Int = 1, owner: SessionOwner = .anonymous
  ) throws -> Session {
    session(of: try prepared(itemCount: itemCount), owner: owner)
  }

  /// Sessions may have one layout, which each counts as its own: what is large takes long to make without
  /// optimization.
  private static func session(
    of prepared: Prepared, id: SessionID? = nil, owner: SessionOwner = .anonymous
  ) -> Session {
    var generator = SystemRandomNumberGenerator()
    return Session(
      id: id ?? SessionID(using: &generator), owner: owner, description: prepared.description,
      layout: prepared.layout, scrolling: ScrollState(contentOffset: .zero))
  }

  private static func prepared(itemCount: Int) throws -> Prepared {
    let lengths = LengthArray(count: itemCount) { Length(points: $0 + 1) }
    let description = Description(
      content: Content(sections: [
        Section(items: Items(count: itemCount, extents: .lengths(lengths)))
      ]),
      layout: WaterfallLayout(), viewport: Viewport(size: Size(width: 100, height: 100)))
    let layout = try PreparedLayout(
      description.content, layout: description.layout, viewport: description.viewport)
    return (description, layout)
  }

  /// What takes more than a mebibyte.
  private static func large() throws -> Prepared { try prepared(itemCount: 200_000) }

  /// What was accepted once comes back, whatever it is estimated to take then.
  @Test func whatComesBackIsNotRefusedForALittle() throws {
    let (small, large) = (try Self.session(), try Self.session(itemCount: 20_000))
    let store = SessionStore(limits: SessionLimits(byteCount: large.byteCount * 3 / 4))
    try store.insert(small, at: .seconds(0))
    #expect(throws: SessionError.self) { try store.insert(large, at: .seconds(1)) }
    #expect(try store.insertAgain(large, at: .seconds(2)) === large)
    // As long as nobody has said that it is kept.
    #expect(store.statistics.createdCount == 0)
    store.noteMade()
    #expect(store.statistics.createdCount == 1)
    #expect(store.residentSession(small.id) == nil)
    // It stays, as long as it is the one that is used.
    store.recount(large)
    #expect(store.session(large.id, of: .anonymous, at: .seconds(3)) === large)
    #expect(try store.insertAgain(small, at: .seconds(4)) === small)
    #expect(store.residentSession(large.id) == nil)
    let little = SessionStore(limits: SessionLimits(byteCount: large.byteCount * 2 / 5))
    #expect(throws: SessionError.self) { try little.insertAgain(large, at: .seconds(1)) }
  }

  /// Nobody waits for all that have to leave, and nobody finds one that should have left.
  @Test func manyLeaveAFewAtATime() throws {
    let store = SessionStore(limits: SessionLimits(idleTime: .seconds(20), sessionCount: 1000))
    let sessions = try (0..<1000).map { _ in try Self.session() }
    for session in sessions { try store.insert(session, at: .seconds(0)) }
    #expect(store.session(sessions[0].id, of: .anonymous, at: .seconds(20)) != nil)
    // The last one is overdue, too, but not among the first of those to leave.
    #expect(store.session(sessions[999].id, of: .anonymous, at: .seconds(21)) == nil)
    #expect((900..<1000).contains(store.statistics.sessionCount))
    #expect(!store.remove(sessions[998].id, of: .anonymous, at: .seconds(21)))
    #expect(store.sweep(at: .seconds(21)) > 0)
    #expect(store.statistics.sessionCount == 1)
    #expect(store.statistics.expiredCount == 999)
    // Who needs the room of many gets all of it.
    let byteCount = sessions[0].byteCount * 1000
    let full = SessionStore(limits: SessionLimits(sessionCount: 10_000, byteCount: byteCount))
    for session in sessions { try full.insert(session, at: .seconds(0)) }
    let large = Self.session(of: try Self.large())
    #expect(large.byteCount > byteCount / 4)
    try full.insert(large, at: .seconds(0))
    #expect(full.statistics.byteCount <= byteCount && full.statistics.evictedCount > 200)
    #expect(full.residentSession(large.id) === large)
    #expect(full.residentSession(sessions[999].id) === sessions[999])
  }

  /// Against a plain list of what was used when.
  @Test(arguments: seeds(30))
  func whatIsKeptIsWhatWasUsedLast(seed: UInt64) throws {
    let limits = SessionLimits(idleTime: .seconds(20), sessionCount: 5)
    let store = SessionStore(limits: limits)
    var kept: [(session: Session, lastUse: Int)] = []
    var gone: [SessionID] = []
    var generator = SeededGenerator(seed: seed)
    var time = 0
    for _ in 0..<300 {
      // Now and then so long that sessions are over.
      time += Int.random(in: 0..<20, using: &generator) == 0 ? 15 : 1
      let now = Duration.seconds(time)
      gone += kept.filter { time - $0.lastUse > 20 }.map { $0.session.id }
      kept.removeAll { time - $0.lastUse > 20 }
      switch Int.random(in: 0...9, using: &generator) {
      case 0, 1:
        let session = try Self.session()
        try store.insert(session, at: now)
        kept.append((session, time))
        if kept.count > 5 { gone.append(kept.removeFirst().session.id) }
      case 2:
        if let index = kept.indices.randomElement(using: &generator) {
          #expect(store.remove(kept[index].session.id, of: .anonymous, at: now))
          #expect(!store.remove(kept[index].session.id, of: .anonymous, at: now))
          gone.append(kept.remove(at: index).session.id)
        }
      default:
        if let index = kept.indices.randomElement(using: &generator) {
          let used = kept.remove(at: index).session
          #expect(store.session(used.id, of: .anonymous, at: now) === used)
          kept.append((used, time))
        }
      }
      #expect(store.statistics.sessionCount <= 5)
      for id in gone { #expect(store.session(id, of: .anonymous, at: now) == nil) }
    }
    for (session, _) in kept {
      #expect(store.session(session.id, of: .anonymous, at: .seconds(time)) === session)
    }
  }

  @Test func bytesAreLimitedAndCounted() throws {
    let one = try Self.session(itemCount: 10_000)
    let store = SessionStore(limits: SessionLimits(byteCount: one.byteCount * 5 / 2))
    try store.insert(one, at: .zero)
    #expect(store.statistics.byteCount == one.byteCount)
    for _ in 0..<5 { try store.insert(try Self.session(itemCount: 10_000), at: .zero) }
    #expect(store.statistics.sessionCount == 2)
    #expect(store.session(one.id, of: .anonymous, at: .zero) == nil)
    #expect(throws: SessionError.self) {
      try store.insert(try Self.session(itemCount: 100_000), at: .zero)
    }
    #expect(store.statistics.sessionCount == 2)
    // The limit is what they may take, not what they may not.
    let two = try Self.session(itemCount: 10_000)
    let exact = SessionStore(limits: SessionLimits(byteCount: one.byteCount + two.byteCount))
    try exact.insert(one, at: .zero)
    try exact.insert(two, at: .zero)
    #expect(exact.statistics.sessionCount == 2)
    let single = SessionStore(limits: SessionLimits(byteCount: one.byteCount))
    try single.insert(one, at: .zero)
    #expect(single.statistics.sessionCount == 1)
  }

  /// All that grows with the collection counts for the limit of memory.
  @Test func aSessionTakesItsContentItsLayoutAndItsNames() throws {
    let count = 10_000
    var names = StringTable()
    for number in 0..<count {
      names.bytes += "\(number)".utf8
      names.offsets.append(UInt32(names.bytes.count))
    }
    func session(_ items: Items) throws -> Session {
      var generator = SystemRandomNumberGenerator()
      let content = Content(sections: [Section(items: items)])
      let description = Description(
        content: content, layout: WaterfallLayout(),
        viewport: Viewport(size: Size(width: 100, height: 100)))
      let layout = try PreparedLayout(
        content, layout: description.layout, viewport: description.viewport)
      return Session(
        id: SessionID(using: &generator), description: description, layout: layout,
        scrolling: ScrollState(contentOffset: .zero))
    }
    let lengths = LengthArray(count: count) { Length(points: $0 + 1) }
    let plain = try session(Items(count: count, extents: .lengths(lengths)))
    let snapshot = plain.snapshot
    #expect(snapshot.layout.byteCount > 4096)
    #expect(
      plain.byteCount >= snapshot.description.content.byteCount + snapshot.layout.byteCount)
    // What tells names apart is made when the first change comes, which is not refused for it.
    let named = try session(Items(count: count, extents: .lengths(lengths), ids: names))
    let more =
      named.snapshot.description.content.byteCount - snapshot.description.content.byteCount
    #expect(named.byteCount > plain.byteCount + more + 8 * count)
  }

  @Test func ticksOfManyThreadsAreOneAfterTheOther() async throws {
    let session = try Self.session(itemCount: 1000)
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for step in 0..<200 {
            try? session.tickInTurn(to: Point(x: 0, y: Length(points: worker * 50 + step)))
          }
        }
      }
    }
    #expect(session.snapshot.tickCount == 800)
    #expect(session.snapshot.version == 1)
  }

  @Test func sessionsOfOthersAreNotThere() throws {
    let store = SessionStore(limits: SessionLimits(idleTime: .seconds(10)))
    let (one, other) = (SessionOwner(number: 1, name: "a"), SessionOwner(number: 2, name: "b"))
    let session = try Self.session(owner: one)
    try store.insert(session, at: .zero)
    #expect(store.session(session.id, of: one, at: .seconds(5)) === session)
    #expect(store.session(session.id, of: other, at: .seconds(12)) == nil)
    #expect(store.session(session.id, of: .anonymous, at: .seconds(12)) == nil)
    #expect(!store.remove(session.id, of: other, at: .seconds(12)))
    // Nor is it kept alive by them.
    #expect(store.session(session.id, of: one, at: .seconds(16)) == nil)
    #expect(store.statistics.expiredCount == 1)
  }

  @Test func anOwnerHasSoManySessionsAndNoMore() throws {
    let store = SessionStore(
      limits: SessionLimits(idleTime: .seconds(10), sessionCountPerOwner: 2))
    let (one, other) = (SessionOwner(number: 1, name: "a"), SessionOwner(number: 2, name: "b"))
    let first = try Self.session(owner: one)
    try store.insert(first, at: .zero)
    try store.checkPlace(for: one, at: .zero)
    try store.insert(try Self.session(owner: one), at: .zero)
    #expect(throws: SessionError.tooMany(limit: 2)) { try store.checkPlace(for: one, at: .zero) }
    #expect(throws: SessionError.tooMany(limit: 2)) {
      try store.insert(try Self.session(owner: one), at: .zero)
    }
    try store.insert(try Self.session(owner: other), at: .zero)
    #expect(store.remove(first.id, of: one, at: .zero))
    try store.insert(try Self.session(owner: one), at: .zero)
    #expect(store.statistics.sessionCount == 3)
    // Those that nobody asks for any more do not count.
    #expect(throws: SessionError.tooMany(limit: 2)) {
      try store.checkPlace(for: one, at: .seconds(10))
    }
    try store.checkPlace(for: one, at: .seconds(11))
    try store.insert(try Self.session(owner: one), at: .seconds(11))
  }

  /// Large sessions push the others out as many do.
  @Test func theSessionsOfAnOwnerTakeSoMuchAndNoMore() throws {
    let (one, other) = (SessionOwner(number: 1, name: "a"), SessionOwner(number: 2, name: "b"))
    let first = try Self.session(owner: one)
    let size = first.byteCount
    let store = SessionStore(
      limits: SessionLimits(
        idleTime: .seconds(10), byteCount: 100 * size, byteCountPerOwner: 2 * size + size / 2))
    try store.insert(first, at: .zero)
    try store.checkRoom(for: first, toTake: 2 * size)
    // The allocator may have given it a little more than the first.
    let second = try Self.session(owner: one)
    try store.insert(second, at: .zero)
    #expect(throws: SessionError.tooMuch(limit: 2 * size + size / 2)) {
      try store.insert(try Self.session(owner: one), at: .zero)
    }
    let room = 2 * size + size / 2 - second.byteCount
    try store.checkRoom(for: first, toTake: room)
    #expect(throws: SessionError.tooMuch(limit: 2 * size + size / 2)) {
      try store.checkRoom(for: first, toTake: room + 1)
    }
    #expect(
      throws: SessionError.tooLarge(byteCount: 3 * size, limit: 2 * size + size / 2)
    ) {
      try store.checkRoom(for: first, toTake: 3 * size)
    }
    try store.insert(try Self.session(owner: other), at: .zero)
    #expect(store.remove(first.id, of: one, at: .zero))
    try store.insert(try Self.session(owner: one), at: .zero)
    // What was accepted once comes back all the same, and counts.
    #expect(try store.insertAgain(first, at: .zero) === first)
    #expect(throws: SessionError.tooMuch(limit: 2 * size + size / 2)) {
      try store.insert(try Self.session(owner: one), at: .zero)
    }
    // Those that nobody asks for any more do not.
    try store.insert(try Self.session(owner: one), at: .seconds(11))
  }

  /// Each alone there would be room for.
  @Test func roomIsKeptForOneChangeAtATime() throws {
    let one = SessionOwner(number: 1, name: "a")
    let (first, second) = (try Self.session(owner: one), try Self.session(owner: one))
    let size = max(first.byteCount, second.byteCount)
    let store = SessionStore(limits: SessionLimits(byteCountPerOwner: 4 * size))
    for session in [first, second] { try store.insert(session, at: .zero) }
    let before = store.statistics.byteCount
    try store.checkRoom(for: first, toTake: 3 * size, reservedBy: 1)
    let refusal = SessionError.tooMuch(limit: 4 * size)
    #expect(throws: refusal) { try store.checkRoom(for: second, toTake: 3 * size, reservedBy: 2) }
    // A tick that is counted meanwhile takes nothing away.
    store.recount(first)
    #expect(throws: refusal) { try store.checkRoom(for: second, toTake: 3 * size, reservedBy: 2) }
    #expect(throws: refusal) { try store.insert(try Self.session(owner: one), at: .zero) }
    // Nor does the end of a change whose turn was before.
    store.recount(first, after: 0)
    #expect(throws: refusal) { try store.checkRoom(for: second, toTake: 3 * size, reservedBy: 2) }
    store.recount(first, after: 1)
    #expect(store.statistics.byteCount == before)
    try store.checkRoom(for: second, toTake: 3 * size, reservedBy: 2)
    store.recount(second, after: 2)
    #expect(store.statistics.byteCount == before)
    #expect(store.remove(first.id, of: one, at: .zero))
    store.recount(first, after: 1)
    #expect(store.statistics.byteCount == second.byteCount)
  }

  @Test func removingASessionLeavesAnotherOfItsName() throws {
    let store = SessionStore()
    let first = try Self.session()
    let second = Self.session(of: try Self.prepared(itemCount: 1000), id: first.id)
    try store.insert(second, at: .zero)
    store.remove(first)
    #expect(store.session(second.id, of: .anonymous, at: .zero) === second)
    store.remove(second)
    #expect(store.statistics.sessionCount == 0)
  }

  /// It may still be changed by somebody, while another of its name is there.
  @Test func whatHasLeftIsNotCounted() throws {
    let store = SessionStore()
    let first = try Self.session()
    let second = Self.session(of: try Self.prepared(itemCount: 1000), id: first.id)
    try store.insert(first, at: .zero)
    #expect(store.remove(first.id, of: .anonymous, at: .zero))
    #expect(try store.insertAgain(second, at: .zero) === second)
    store.recount(first)
    #expect(store.statistics.byteCount == second.byteCount)
  }

  @Test func whoLeavesIsCountedByTheReason() throws {
    let store = SessionStore(limits: SessionLimits(idleTime: .seconds(10), sessionCount: 2))
    for time in 0..<5 { try store.insert(try Self.session(), at: .seconds(time)) }
    #expect(store.statistics.evictedCount == 3)
    #expect(store.sweep(at: .seconds(14)) > 0)
    #expect(store.statistics.expiredCount == 1)
    #expect(store.statistics.sessionCount == 1)
    #expect(store.sweep(at: .seconds(15)) > 0)
    #expect(store.sweep(at: .seconds(15)) == 0)
    #expect(store.statistics.sessionCount == 0)
    #expect(store.statistics.byteCount == 0)
  }

  /// A large session that has left waits for a sweep, but not without bound.
  @Test func whatIsLargeIsFreedLaterAndStillInTime() throws {
    let store = SessionStore()
    let large = try Self.large()
    weak var first: Session.Document?
    var isFreed = false
    for time in 0..<40 {
      let session = Self.session(of: large)
      #expect(session.byteCount > 1 << 20)
      first = first ?? session.snapshot.document
      let id = session.id
      try store.insert(session, at: .seconds(time))
      #expect(store.remove(id, of: .anonymous, at: .seconds(time)))
      if time == 0 { continue }
      isFreed = isFreed || first == nil
      if isFreed { break }
    }
    #expect(isFreed)
    weak var last: Session.Document?
    do {
      let session = Self.session(of: large)
      last = session.snapshot.document
      try store.insert(session, at: .zero)
      #expect(store.remove(session.id, of: .anonymous, at: .zero))
    }
    #expect(store.sweep(at: .zero) > 0)
    #expect(last == nil)
  }

  /// Makes a session come and leave.
  ///
  /// - Returns: Its document as long as it is there.
  private static func leave(
    _ store: SessionStore, _ prepared: Prepared
  ) throws -> (document: () -> Session.Document?, byteCount: Int) {
    let session = session(of: prepared)
    try store.insert(session, at: .zero)
    #expect(store.remove(session.id, of: .anonymous, at: .zero))
    return ({ [weak document = session.snapshot.document] in document }, session.byteCount)
  }

  /// Makes another document of the same size of a session.
  ///
  /// - Returns: The one before as long as it is there.
  private static func replace(
    _ session: Session, in store: SessionStore
  ) throws -> () -> Session.Document? {
    let before = session.snapshot
    let document = Session.Document(description: before.description, layout: before.layout)
    _ = try session.change { current in
      Session.Change(document: document, scrolling: current.scrolling, isNewVersion: true)
    }
    store.recount(session, replacing: before.revision)
    return { [weak document = before.document] in document }
  }

  /// Whoever makes much leave does not free it, if somebody else does when told to.
  @Test func somebodyElseFreesWhatIsMuch() throws {
    let store = SessionStore()
    let large = try Self.large()
    let askedCount = Atomic(0)
    store.whenMuchHasLeft { askedCount.add(1, ordering: .relaxed) }
    var documents: [() -> Session.Document?] = []
    var byteCount = 0
    while byteCount <= 32 << 20 {
      #expect(askedCount.load(ordering: .relaxed) == 0)
      let left = try Self.leave(store, large)
      documents.append(left.document)
      byteCount += left.byteCount
    }
    #expect(askedCount.load(ordering: .relaxed) == 1)
    #expect(!store.hasMuchToFree)
    // What is small is freed at once, and nobody is asked because of it.
    #expect(try Self.leave(store, Self.prepared(itemCount: 1)).document() == nil)
    #expect(askedCount.load(ordering: .relaxed) == 1)
    #expect(documents.allSatisfy { $0() != nil })
    store.freeWhatHasLeft()
    #expect(documents.allSatisfy { $0() == nil })
    // Who sweeps is told of those that have been freed.
    #expect(store.sweep(at: .zero) > 0)
    #expect(store.sweep(at: .zero) == 0)
  }

  /// To free many that are not large takes as long as to free one that is.
  @Test func ofManyThatLeaveAtOnceMostAreFreedLater() throws {
    let store = SessionStore(limits: SessionLimits(idleTime: .seconds(10)))
    let prepared = try Self.prepared(itemCount: 20_000)
    var documents: [() -> Session.Document?] = []
    for _ in 0..<64 {
      let session = Self.session(of: prepared)
      documents.append { [weak document = session.snapshot.document] in document }
      try store.insert(session, at: .zero)
    }
    let byteCount = store.statistics.byteCount / 64
    #expect(store.session(try Self.session().id, of: .anonymous, at: .seconds(11)) == nil)
    #expect(store.statistics.expiredCount == 64)
    #expect(documents.count { $0() == nil } == (1 << 20) / byteCount)
    store.freeWhatHasLeft()
    #expect(documents.allSatisfy { $0() == nil })
  }

  /// Who is told frees all of it: whoever makes the last one leave does not hold it any more.
  @Test func whoIsToldFreesTheLastOneToo() throws {
    let store = SessionStore()
    let large = try Self.large()
    let last = Mutex<(() -> Session.Document?)?>(nil)
    let freedCount = Atomic(0)
    store.whenMuchHasLeft { [weak store] in
      store?.freeWhatHasLeft()
      if last.withLock({ $0?() }) == nil { freedCount.add(1, ordering: .relaxed) }
    }
    var byteCount = 0
    while byteCount <= 32 << 20 {
      let id: SessionID
      do {
        let session = Self.session(of: large)
        byteCount += session.byteCount
        last.withLock { $0 = { [weak document = session.snapshot.document] in document } }
        id = session.id
        try store.insert(session, at: .zero)
      }
      #expect(store.remove(id, of: .anonymous, at: .zero))
    }
    #expect(freedCount.load(ordering: .relaxed) == 1)
  }

  /// Nobody waits without bound for somebody else; but what is alone too much is still not freed by anybody.
  @Test func whatIsFarTooMuchIsFreedByAnybody() throws {
    let store = SessionStore(limits: SessionLimits(byteCount: 144 << 20))
    store.whenMuchHasLeft {}
    let large = try Self.large()
    var documents: [() -> Session.Document?] = []
    var byteCount = 0
    while byteCount <= 36 << 20 {
      let left = try Self.leave(store, large)
      documents.append(left.document)
      byteCount += left.byteCount
      #expect(documents.allSatisfy { $0() != nil })
    }
    #expect(store.hasMuchToFree)
    documents.append(try Self.leave(store, large).document)
    #expect(documents.allSatisfy { $0() == nil })
    #expect(!store.hasMuchToFree)
  }

  /// A thread that serves holds what a change replaces for as long as a tick takes: it must not be the one to free it.
  @Test func whatIsReplacedIsFreedByWhoeverFreesAndNotByWhoeverReads() throws {
    let store = SessionStore()
    let session = Self.session(of: try Self.large())
    try store.insert(session, at: .zero)
    var seen: Session.Snapshot? = session.snapshot
    let old = try Self.replace(session, in: store)
    store.freeWhatHasLeft()
    #expect(seen?.document === old())
    seen = nil
    #expect(old() != nil)
    // Nobody holds it any more: the memory is given back with the next sweep, though no session has left.
    #expect(store.sweep(at: .zero) > 0)
    #expect(old() == nil)
  }

  /// A session is not all that a request holds.
  @Test func whatHasLeftIsNotFreedByWhoeverReadsEither() throws {
    let store = SessionStore()
    var seen: Session.Snapshot?
    let left: () -> Session.Document?
    do {
      let session = Self.session(of: try Self.large())
      try store.insert(session, at: .zero)
      seen = session.snapshot
      left = { [weak document = session.snapshot.document] in document }
      #expect(store.remove(session.id, of: .anonymous, at: .zero))
    }
    #expect(store.sweep(at: .zero) > 0)
    #expect(seen?.document === left())
    seen = nil
    #expect(left() != nil)
    store.freeWhatHasLeft()
    #expect(left() == nil)
  }

  /// It is there once, though it has left as the session's and then been replaced.
  @Test func whatLeavesWhileItIsReplacedIsFreed() throws {
    let store = SessionStore()
    let session = Self.session(of: try Self.large())
    try store.insert(session, at: .zero)
    #expect(store.remove(session.id, of: .anonymous, at: .zero))
    let old = try Self.replace(session, in: store)
    #expect(old() != nil)
    store.freeWhatHasLeft()
    #expect(old() == nil)
  }

  /// However often a large session changes, and however late somebody comes to free: past a limit whoever has
  /// changed it does.
  @Test(arguments: [false, true])
  func whatChangesReplaceDoesNotPileUp(isFreedByOthers: Bool) throws {
    let store = SessionStore(limits: SessionLimits(byteCount: 160 << 20))
    let askedCount = Atomic(0)
    if isFreedByOthers { store.whenMuchHasLeft { askedCount.add(1, ordering: .relaxed) } }
    let session = Self.session(of: try Self.large())
    try store.insert(session, at: .zero)
    let limit = isFreedByOthers ? 40 << 20 : 32 << 20
    let documents = try (0..<40).map { _ in try Self.replace(session, in: store) }
    let leftCount = documents.count { $0() != nil }
    // All that fit, and the one that goes beyond.
    #expect(leftCount == limit / session.byteCount + 1)
    #expect(documents.prefix(leftCount).allSatisfy { $0() != nil })
    #expect((askedCount.load(ordering: .relaxed) > 0) == isFreedByOthers)
    store.freeWhatHasLeft()
    #expect(documents.allSatisfy { $0() == nil })
    // There is room again.
    #expect(try Self.replace(session, in: store)() != nil)
  }

  /// What is small, or is none that was replaced, is not kept.
  @Test func whatIsStillThereOrSmallIsNotLeft() throws {
    let store = SessionStore(limits: SessionLimits(byteCount: 4 << 20))
    let (small, large) = (try Self.session(), Self.session(of: try Self.large()))
    try store.insert(small, at: .zero)
    #expect(try Self.replace(small, in: store)() == nil)
    store.recount(large, replacing: large.snapshot.revision)
    var before: Session.Revision? = large.snapshot.revision
    weak let old = before
    // A new version of the same document.
    _ = try large.change {
      Session.Change(document: $0.document, scrolling: $0.scrolling, isNewVersion: true)
    }
    store.recount(large, replacing: before)
    before = nil
    #expect(old == nil)
  }
}
