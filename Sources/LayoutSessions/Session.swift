public import LayoutCore
import Synchronization

/// One client's collection with its cached layout and its scrolling.
///
/// Sessions never wait for each other: each has a lock of its own. Readers take a ``Snapshot`` and
/// work on it without the lock.
public final class Session: Sendable {
  /// What it is called.
  public let id: SessionID

  /// A consistent view of a session; cheap to take, and never changed afterwards.
  public struct Snapshot: Sendable {
    /// Grows by one with each accepted change; 1 at first.
    public var version: Int
    /// Grows by one with each tick, whatever the version; 0 at first.
    public var tickCount: Int
    /// What the client said, and the layout of it.
    public var document: Document
    /// Where the client has scrolled to.
    public var scrolling: ScrollState

    /// What the client said.
    public var description: Description { document.description }
    /// The layout of it.
    public var layout: PreparedLayout { document.layout }
  }

  /// A description with its layout: replaced as a whole, shared by all who read it.
  public final class Document: Sendable {
    /// What the client said.
    public let description: Description
    /// The layout of it.
    public let layout: PreparedLayout

    /// Keeps the two together.
    ///
    /// - Parameters:
    ///   - description: What the client said.
    ///   - layout: The layout of it.
    public init(description: Description, layout: PreparedLayout) {
      self.description = description
      self.layout = layout
    }

    /// The bytes that a session with it takes in memory; an estimate.
    public var byteCount: Int {
      // The session's object, its locks and its place in the store.
      1024 + description.content.byteCount + layout.byteCount
    }
  }

  private let state: Mutex<Snapshot>
  /// Held by whoever changes the session, while the change is worked out; readers and ticks go on.
  private let changing = Mutex(())

  /// Makes a session whose creation counts as the first tick.
  ///
  /// - Parameters:
  ///   - id: What it is called.
  ///   - description: What the client said.
  ///   - layout: The layout of it.
  ///   - scrolling: Where the client has scrolled to.
  public init(
    id: SessionID, description: Description, layout: PreparedLayout, scrolling: ScrollState
  ) {
    self.id = id
    state = Mutex(
      Snapshot(
        version: 1, tickCount: 0,
        document: Document(description: description, layout: layout), scrolling: scrolling))
  }

  /// How it is now.
  public var snapshot: Snapshot { state.withLock { $0 } }

  /// The bytes that it takes in memory; an estimate.
  public var byteCount: Int { state.withLock { $0.document.byteCount } }

  /// What a change makes of a session.
  public struct Change: Sendable {
    /// What the client says now, and the layout of it.
    public var document: Document
    /// Where the client is now.
    public var scrolling: ScrollState
    /// Whether it is a new version: scrolling alone is not.
    public var isNewVersion: Bool

    /// Makes a change.
    ///
    /// - Parameters:
    ///   - document: What the client says now, and the layout of it.
    ///   - scrolling: Where the client is now.
    ///   - isNewVersion: Whether it is a new version.
    public init(document: Document, scrolling: ScrollState, isNewVersion: Bool) {
      self.document = document
      self.scrolling = scrolling
      self.isNewVersion = isNewVersion
    }
  }

  /// Changes the session: all of it or nothing.
  ///
  /// Changes wait for each other; snapshots and ticks do not wait for the change to be worked out. A
  /// tick meanwhile is answered from the old document, and comes before the change.
  ///
  /// - Parameter work: Works the change out from how the session is; it cannot change meanwhile.
  /// - Returns: The session afterwards.
  /// - Throws: What `work` throws; nothing has changed then.
  public func change<Failure: Error>(
    _ work: (Snapshot) throws(Failure) -> Change
  ) throws(Failure) -> Snapshot {
    try changing.withLock { (_) throws(Failure) in
      let change = try work(snapshot)
      return state.withLock { state in
        state.document = change.document
        state.scrolling = change.scrolling
        state.tickCount &+= 1
        if change.isNewVersion { state.version += 1 }
        return state
      }
    }
  }

  /// Scrolls: one tick.
  ///
  /// - Parameters:
  ///   - offset: The new offset; taken as it is, bouncing included.
  ///   - isFull: Whether the client wants everything anew.
  ///   - limit: How many elements may show.
  /// - Returns: What changed, and the session afterwards.
  /// - Throws: ``LayoutCore/LayoutError/tooManyElements(limit:)``; nothing has changed then.
  public func scroll(
    to offset: Point, isFull: Bool, limit: Int
  ) throws(LayoutError) -> (tick: ScrollTick, session: Snapshot) {
    try state.withLock { state throws(LayoutError) in
      let tick = try state.scrolling.scroll(
        to: offset, in: state.layout, prefetch: state.description.prefetch, isFull: isFull,
        limit: limit)
      state.tickCount &+= 1
      return (tick, state)
    }
  }
}
