public import LayoutCore
import Synchronization

/// One client's collection with its cached layout and its scrolling.
///
/// Sessions never wait for each other: each has a lock of its own. Readers take a ``Snapshot`` and
/// work on it without the lock; who changes one waits in a ``WaitingRoom``.
public final class Session: Sendable {
  /// What it is called.
  public let id: SessionID

  /// Whose it is.
  public let owner: SessionOwner

  /// A consistent view of a session; cheap to take, and never changed afterwards.
  public struct Snapshot: Sendable {
    /// What questions are answered from.
    public fileprivate(set) var revision: Revision
    /// Grows by one with each tick, whatever the version; 0 at first.
    public fileprivate(set) var tickCount: Int
    /// Where the client has scrolled to.
    public fileprivate(set) var scrolling: ScrollState

    /// Grows by one with each accepted change; 1 at first.
    public var version: Int { revision.version }
    /// The same as a durable store knows it.
    public var storedVersion: StoredVersion { revision.storedVersion }
    /// What the client said, and the layout of it.
    public var document: Document { revision.document }
    /// The item that is under a finger, for whose preview questions are answered; nil if none is.
    public var movement: InteractiveMovement? { revision.movement }
    /// What the client said, with the content of the preview while an item is moved.
    public var description: Description { revision.description }
    /// The layout of it.
    public var layout: PreparedLayout { revision.layout }
    /// The bytes that the session takes in memory; an estimate.
    public var byteCount: Int { Session.byteCount(document, scrolling, movement) }

    /// The same for a client that says where it is: it may have scrolled since the last tick, or have been
    /// answered ticks that nobody knows of here.
    ///
    /// - Parameter contentOffset: Where the client is; nil if it does not say.
    /// - Returns: The session at that offset; if the last tick has not led there, the next one is a reset.
    public func viewed(from contentOffset: Point?) -> Snapshot {
      guard let contentOffset, contentOffset != scrolling.contentOffset else { return self }
      var viewed = self
      viewed.scrolling.reset(to: contentOffset)
      return viewed
    }

    /// Forgets what the client sees: the next tick is a reset.
    fileprivate mutating func forgetTicks() {
      scrolling.forget()
      tickCount &+= 1
    }
  }

  /// All of a session but its scrolling: replaced as a whole, shared by all who read it.
  public final class Revision: Sendable {
    /// A number that no other revision of any session has in this process.
    public let number: UInt64
    /// The version.
    public let storedVersion: StoredVersion
    /// Its number, which clients know.
    public var version: Int { storedVersion.number }
    /// What the client said, and the layout of it.
    public let document: Document
    /// The item that is under a finger; nil if none is.
    public let movement: InteractiveMovement?
    /// Whether an item is under a finger; cheaper to ask than for the movement.
    public let isMoving: Bool
    /// What the client said, with the content of the preview while an item is moved.
    public let description: Description
    /// The layout of it.
    public let layout: PreparedLayout

    /// The bytes of it that are none of the one that has taken its place; an estimate, which counts as its own what
    /// documents share.
    func byteCount(besides other: Revision) -> Int {
      if other === self { return 0 }
      return (other.document === document ? 0 : document.byteCount) + (movement?.byteCount ?? 0)
    }

    private static let count = Atomic<UInt64>(0)

    fileprivate init(
      version: StoredVersion, document: Document, movement: InteractiveMovement? = nil
    ) {
      number = Revision.count.wrappingAdd(1, ordering: .relaxed).newValue
      storedVersion = version
      self.document = document
      self.movement = movement
      isMoving = movement != nil
      var description = document.description
      if let movement { description.content = movement.preview.content }
      self.description = description
      layout = movement?.layout ?? document.layout
    }
  }

  /// A description with its layout: replaced as a whole, shared by all who read it.
  public final class Document: Sendable {
    /// What the client said.
    public let description: Description
    /// The layout of it.
    public let layout: PreparedLayout
    /// The names of its sections and items.
    public let names: CollectedNames

    /// Keeps them together.
    ///
    /// - Parameters:
    ///   - description: What the client said.
    ///   - layout: The layout of it.
    ///   - names: The names of its sections and items.
    public init(
      description: Description, layout: PreparedLayout, names: CollectedNames = CollectedNames()
    ) {
      assert(layout.holds(description.content), "a layout of other content")
      self.description = description
      self.layout = layout
      self.names = names
    }

    /// The bytes that a session with it takes in memory; an estimate.
    public var byteCount: Int {
      // The session's and the layout's objects, the locks, and the place in the store: what is left of
      // a small session's memory when the rest is taken off.
      2048 + description.content.byteCount + layout.byteCount
        + KnownNames.byteCount(of: description.content)
    }
  }

  private struct State {
    var snapshot: Snapshot
    /// Whether a change has waited long enough for ticks: now they wait for it.
    var isHeld = false
  }

  private let state: Mutex<State>
  /// How many quick answers are due until questions count as quick again.
  private let slowness = Atomic<Int>(0)
  /// How many quick answers are due until nobody looks closely any more.
  private let suspicion = Atomic<Int>(0)
  /// Held by whoever changes the session, while the change is worked out; readers and ticks go on.
  private let changing = Mutex(())
  /// How it is kept in a durable store; unused where there is none.
  public let upkeep = StoreUpkeep()

  /// Makes a session whose creation counts as the first tick.
  ///
  /// - Parameters:
  ///   - id: What it is called.
  ///   - owner: Whose it is.
  ///   - description: What the client said.
  ///   - layout: The layout of it.
  ///   - scrolling: Where the client has scrolled to.
  public convenience init(
    id: SessionID, owner: SessionOwner = .anonymous, description: Description,
    layout: PreparedLayout, scrolling: ScrollState
  ) {
    self.init(
      id: id, owner: owner, version: StoredVersion(1, stamp: StoredVersion.newStamp()),
      document: Document(description: description, layout: layout), scrolling: scrolling,
      tickCount: 0)
  }

  /// Makes a session that is in memory again: the next tick is a reset.
  ///
  /// - Parameters:
  ///   - id: What it is called.
  ///   - owner: Whose it is.
  ///   - version: The version that it has.
  ///   - document: What the client has said, and the layout of it.
  ///   - contentOffset: Where the client has scrolled to, as far as anybody knows.
  public convenience init(
    id: SessionID, owner: SessionOwner, version: StoredVersion, document: Document,
    contentOffset: Point
  ) {
    var scrolling = ScrollState(contentOffset: contentOffset)
    scrolling.forget()
    // Tags of answers name the tick: other than those that the session has had elsewhere.
    self.init(
      id: id, owner: owner, version: version, document: document, scrolling: scrolling,
      tickCount: .random(in: 1 << 32..<1 << 52))
  }

  private init(
    id: SessionID, owner: SessionOwner, version: StoredVersion, document: Document,
    scrolling: ScrollState, tickCount: Int
  ) {
    self.id = id
    self.owner = owner
    let revision = Revision(version: version, document: document)
    state = Mutex(
      State(snapshot: Snapshot(revision: revision, tickCount: tickCount, scrolling: scrolling)))
  }

  /// How it is now.
  public var snapshot: Snapshot { state.withLock { $0.snapshot } }

  /// The bytes that it takes in memory; an estimate.
  public var byteCount: Int { snapshot.byteCount }

  private static func byteCount(
    _ document: Document, _ scrolling: ScrollState, _ movement: InteractiveMovement?
  ) -> Int {
    document.byteCount + scrolling.byteCount + (movement?.byteCount ?? 0)
  }

  /// Whether questions about this session have taken long lately.
  ///
  /// What a question costs depends on the content in ways that nobody foresees: a rectangle may touch a
  /// million lines without meeting an item. So it is measured.
  public var isSlow: Bool { slowness.load(ordering: .relaxed) > 0 }

  /// Whether a question has seemed to take long lately: from then on the thread's own time is measured,
  /// which costs more, and which others that have the processor do not lengthen.
  public var isSuspected: Bool { suspicion.load(ordering: .relaxed) > 0 }

  /// Notes how long a question has taken.
  ///
  /// - Parameters:
  ///   - nanoseconds: The time that it took.
  ///   - isOwnTime: Whether that is the thread's own time.
  public func noteAnswer(after nanoseconds: UInt64, isOwnTime: Bool) {
    if !Session.isQuick(nanoseconds) {
      // More than in proportion: what took a tenth of a second must not come back after as many quick ones as take
      // as long all together.
      let times = Int(min(nanoseconds / Session.slowTime, Session.mostTimes))
      presumeSlow(times: times * min(times, 16), isCertain: isOwnTime)
    } else if isOwnTime {
      // Two at once may count as one: it is no more than a habit.
      suspicion.store(max(0, suspicion.load(ordering: .relaxed) - 1), ordering: .relaxed)
      slowness.store(max(0, slowness.load(ordering: .relaxed) - 1), ordering: .relaxed)
    }
  }

  /// Whether a question that takes so many nanoseconds is one for a thread that serves.
  public static func isQuick(_ nanoseconds: UInt64) -> Bool { nanoseconds <= slowTime }

  /// Takes questions for slow until some have been quick: for content of which it is not known yet.
  public func presumeSlow() { presumeSlow(times: 1, isCertain: true) }

  private func presumeSlow(times: Int, isCertain: Bool) {
    let due = times * Session.quickAnswersDue
    suspicion.store(max(2 * due, suspicion.load(ordering: .relaxed)), ordering: .relaxed)
    if isCertain { slowness.store(max(due, slowness.load(ordering: .relaxed)), ordering: .relaxed) }
  }

  /// A question that takes longer is slow: ten times what a thread that serves has for it.
  private static let slowTime: UInt64 = 1_000_000
  private static let mostTimes: UInt64 = 1 << 14
  private static let quickAnswersDue = 64

  /// What a change makes of a session.
  public struct Change: Sendable {
    /// What the client says now, and the layout of it.
    public var document: Document
    /// Where the client is now.
    public var scrolling: ScrollState
    /// The stamp of the new version; 0 if it is none.
    public let stamp: UInt64
    /// Whether it is a new version: scrolling alone is not.
    public var isNewVersion: Bool { stamp > 0 }
    /// The item that is under a finger now.
    public var movement: InteractiveMovement?
    /// The bytes that the session takes in memory then; an estimate.
    public var byteCount: Int { Session.byteCount(document, scrolling, movement) }

    /// Makes a change.
    ///
    /// - Parameters:
    ///   - document: What the client says now, and the layout of it.
    ///   - scrolling: Where the client is now.
    ///   - isNewVersion: Whether it is a new version.
    ///   - movement: The item that is under a finger now.
    public init(
      document: Document, scrolling: ScrollState, isNewVersion: Bool,
      movement: InteractiveMovement? = nil
    ) {
      self.document = document
      self.scrolling = scrolling
      stamp = isNewVersion ? StoredVersion.newStamp() : 0
      self.movement = movement
    }
  }

  /// Changes the session: all of it or nothing.
  ///
  /// Changes wait for each other; snapshots and ticks do not wait for the change to be worked out. A
  /// tick meanwhile is answered from the old document, and the change is worked out again, so that
  /// what the tick asked for is not forgotten.
  ///
  /// - Parameters:
  ///   - room: Where to wait while somebody else changes it; nil for those who must not, because a change may take
  ///     as long as its collection is, and a commit as long as a disk likes.
  ///   - commit: Makes a new version durable, before anybody sees it; ticks wait meanwhile. It is called
  ///     once at most.
  ///   - work: Works the change out from how the session is; nil leaves it as it is. It may be called
  ///     several times; what the last call returns counts.
  /// - Returns: The session afterwards; nil if it is being changed, and there is no place to wait.
  /// - Throws: What `work` and `commit` throw; nothing has changed then.
  public func change<Failure: Error>(
    waitingIn room: WaitingRoom?,
    commit: (_ before: Snapshot, Change) throws(Failure) -> Void = { _, _ in },
    _ work: (Snapshot) throws(Failure) -> Change?
  ) throws(Failure) -> Snapshot? {
    guard let room else {
      return try changing.withLockIfAvailable { (_) throws(Failure) in
        try changeInTurn(commit, work)
      }
    }
    return try room.inTurn(of: owner, at: changing) { (_) throws(Failure) in
      try changeInTurn(commit, work)
    }
  }

  /// Makes a change for which it is the session's turn.
  private func changeInTurn<Failure: Error>(
    _ commit: (_ before: Snapshot, Change) throws(Failure) -> Void,
    _ work: (Snapshot) throws(Failure) -> Change?
  ) throws(Failure) -> Snapshot {
    defer { state.withLock { $0.isHeld = false } }
    var rounds = 0
    while true {
      // Where ticks come faster than the change can be worked out, they wait; readers still do not.
      let before = state.withLock { state in
        state.isHeld = rounds >= Session.patience
        return state.snapshot
      }
      guard let change = try work(before) else { return before }
      let after = state.withLock { state -> Snapshot? in
        guard state.snapshot.tickCount == before.tickCount else { return nil }
        if change.isNewVersion {
          state.isHeld = true
        } else {
          Session.apply(change, to: &state.snapshot)
        }
        return state.snapshot
      }
      rounds += 1
      guard let after else { continue }
      guard change.isNewVersion else { return after }
      try commit(before, change)
      return conclude(before) { Session.apply(change, to: &$0) }
    }
  }

  /// Puts in place what was worked out, or made durable, while ticks were held.
  private func conclude(_ before: Snapshot, _ update: (inout Snapshot) -> Void) -> Snapshot {
    state.withLock { state in
      // Ticks have waited; but somebody else may have answered one elsewhere.
      let isForgotten = state.snapshot.tickCount != before.tickCount
      update(&state.snapshot)
      if isForgotten { state.snapshot.forgetTicks() }
      return state.snapshot
    }
  }

  /// Takes over what others have made of the session elsewhere: a movement is over, and the next tick is
  /// a reset.
  ///
  /// - Parameters:
  ///   - room: Where to wait while somebody else changes it.
  ///   - work: Works out, from how the session is, its version, its document and where its client was then, if that
  ///     is known; nil leaves it as it is. Who has answered a tick since the session was read, or made, goes by that
  ///     tick.
  /// - Returns: The session afterwards; nil if it is being changed, and there is no place to wait.
  /// - Throws: What `work` throws; nothing has changed then.
  public func advance<Failure: Error>(
    waitingIn room: WaitingRoom,
    _ work: (Snapshot) throws(Failure) -> (
      version: StoredVersion, document: Document, contentOffset: Point?
    )?
  ) throws(Failure) -> Snapshot? {
    try room.inTurn(of: owner, at: changing) { (_) throws(Failure) in
      let before = snapshot
      guard let (version, document, contentOffset) = try work(before) else { return before }
      return state.withLock { state in
        state.snapshot.revision = Revision(version: version, document: document)
        let own = state.snapshot.scrolling
        let offset = own.isReset ? contentOffset ?? own.contentOffset : own.contentOffset
        state.snapshot.scrolling.reset(to: document.layout.clamped(offset))
        if own.isOutdated { state.snapshot.scrolling.forget() }
        state.snapshot.tickCount &+= 1
        return state.snapshot
      }
    }
  }

  /// Forgets what the client sees, because somebody else has answered its last tick.
  public func forgetTicks() {
    state.withLock { $0.snapshot.forgetTicks() }
  }

  /// How often a change is worked out beside ticks.
  private static let patience = 4

  private static func apply(_ change: Change, to state: inout Snapshot) {
    let old = state.revision
    let isSame =
      !change.isNewVersion && change.document === old.document && change.movement == nil
      && !old.isMoving
    if !isSame {
      state.revision = Revision(
        version: change.isNewVersion
          ? StoredVersion(old.version + 1, stamp: change.stamp) : old.storedVersion,
        document: change.document, movement: change.movement)
    }
    state.scrolling = change.scrolling
    state.tickCount &+= 1
  }

  /// A tick that counts.
  public struct CountedTick: Sendable {
    /// Which it is: the session's ``Snapshot/tickCount`` since.
    public let number: Int
    /// Whether the session takes more or less memory since.
    public let changesByteCount: Bool
  }

  /// Scrolls to where a tick that was worked out beside others has led.
  ///
  /// - Parameters:
  ///   - scrolling: Where it leads.
  ///   - before: What it was worked out from.
  /// - Returns: The tick; nil if there was a tick or a change since, or if a change is under way for which ticks
  ///   wait.
  public func scroll(to scrolling: ScrollState, from before: Snapshot) -> CountedTick? {
    tick { now in
      guard now.tickCount == before.tickCount, now.revision === before.revision else {
        return false
      }
      now.scrolling = scrolling
      return true
    }
  }

  /// Scrolls by a tick of which the answer is at hand, or nearly so.
  ///
  /// - Parameter move: Scrolls, from how the session is; returns whether it has, and if not leaves the scrolling as
  ///   it was. Others wait for it, and it must not ask this session for anything.
  /// - Returns: The tick; nil if there is no answer, or if a change is under way for which ticks wait.
  public func scroll(inPlace move: (Revision, inout ScrollState) -> Bool) -> CountedTick? {
    tick { move($0.revision, &$0.scrolling) }
  }

  /// Counts a tick, if it moves and no change is under way for which ticks wait.
  private func tick(_ move: (inout Snapshot) -> Bool) -> CountedTick? {
    state.withLock { state in
      let byteCount = state.snapshot.scrolling.byteCount
      guard !state.isHeld, move(&state.snapshot) else { return nil }
      state.snapshot.tickCount &+= 1
      return CountedTick(
        number: state.snapshot.tickCount,
        changesByteCount: state.snapshot.scrolling.byteCount != byteCount)
    }
  }

  /// Whether a change or a tick is under way for which ticks wait.
  public var holdsTicks: Bool { state.withLock { $0.isHeld } }

  /// Scrolls: one tick, for which other ticks and changes wait, and which waits for theirs; readers do not.
  ///
  /// - Parameters:
  ///   - room: Where to wait.
  ///   - work: Works out where it leads, from how the session is; it is called once.
  /// - Returns: The session afterwards; nil if it is being changed, and there is no place to wait.
  /// - Throws: What `work` throws; nothing has changed then.
  public func scroll<Failure: Error>(
    waitingIn room: WaitingRoom, inTurn work: (Snapshot) throws(Failure) -> ScrollState
  ) throws(Failure) -> Snapshot? {
    try room.inTurn(of: owner, at: changing) { (_) throws(Failure) in
      defer { state.withLock { $0.isHeld = false } }
      let before = state.withLock { state in
        state.isHeld = true
        return state.snapshot
      }
      let scrolling = try work(before)
      return conclude(before) {
        $0.scrolling = scrolling
        $0.tickCount &+= 1
      }
    }
  }
}

extension PreparedLayout {
  /// Whether there is a place for the last item of the first and of the last section, and none behind it:
  /// what debug builds look at whenever a session changes.
  fileprivate func holds(_ content: Content) -> Bool {
    [0, content.sections.count - 1].filter(content.sections.indices.contains).allSatisfy {
      section in
      let count = content.sections[section].items.count
      func hasItem(_ item: Int) -> Bool {
        let path = IndexPath(item: item, section: section)
        return attributes(of: .cell, at: path, contentOffset: .zero) != nil
      }
      return !hasItem(count) && (count == 0 || hasItem(count - 1))
    }
  }
}
