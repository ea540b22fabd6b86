/// Where sessions outlive the process.
///
/// A session is its description at some version, the *snapshot*, and the accepted *changes* after it,
/// one for each version; replaying them gives the same content, and so the same layout. Both are
/// records: bytes that a store keeps and does not look into. Scrolling is not kept.
///
/// Versions go by number and stamp (``StoredVersion``): where a store can lose what it has acknowledged, as a
/// replica that becomes the master may, a number comes twice with other content.
///
/// Functions may wait for disks and networks: never on a thread that serves connections. What has
/// returned is durable, as far as the store is configured to be; what has thrown may or may not have
/// happened, unless ``StoreError`` says otherwise.
public protocol DurableStore: Sendable {
  /// Whether other processes may change the sessions: what is in memory may be old then.
  var isShared: Bool { get }

  /// Keeps a new session, at version 1 and with no changes.
  ///
  /// - Parameters:
  ///   - id: Its name, which no other session has or had.
  ///   - owner: The name of whose it is; empty for nobody's.
  ///   - snapshot: The record of its description.
  ///   - stamp: The stamp of version 1.
  /// - Throws: ``StoreError``.
  func create(
    _ id: SessionID, owner: String, snapshot: [UInt8], stamp: UInt64
  ) throws(StoreError)

  /// Reads a session, or what of it is missing, all as it was at one moment; and notes its use.
  ///
  /// Somebody else's is as good as none: whose it is is looked at before anything else, so that whoever asks for
  /// it neither keeps it alive nor takes it over, nor learns that it is damaged.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - owner: The name of its owner; empty for nobody's.
  ///   - version: The version that the asker has; nil if none. One that the session does not come from is
  ///     as good as none.
  ///   - isScrolling: Whether the asker answers ticks from now on, until another one does. Nobody knows
  ///     then what the client sees but who has answered its last tick.
  /// - Returns: The session as far as it is missing; nil if there is none, or if nobody has asked for it
  ///   for the time that sessions live.
  /// - Throws: ``StoreError``; who is to scroll and cannot be noted is refused.
  func load(
    _ id: SessionID, of owner: String, since version: StoredVersion?, isScrolling: Bool
  ) throws(StoreError) -> StoredSession?

  /// Tells whose a session is, whether or not the rest of it can be read.
  ///
  /// - Parameter id: Its name.
  /// - Returns: The name of whose it is; nil if there is none, or if nobody has asked for it for the time
  ///   that sessions live.
  /// - Throws: ``StoreError``.
  func owner(of id: SessionID) throws(StoreError) -> String?

  /// Adds a change, if the session is at the version that the change was worked out from.
  ///
  /// Comparing and adding are one step: of several changes from one version, one is added. It notes
  /// the session's use.
  ///
  /// - Parameters:
  ///   - change: The record of the change.
  ///   - id: The session.
  ///   - version: The version before the change; it has the next one afterwards.
  ///   - stamp: The stamp of that.
  /// - Returns: Whether it was added.
  /// - Throws: ``StoreError``; after ``StoreError/Kind/uncertain`` the change may or may not have been made.
  func append(
    _ change: [UInt8], to id: SessionID, after version: StoredVersion, stamp: UInt64
  ) throws(StoreError) -> StoreOutcome

  /// Adds a change by what it has made of the session, if that is at the version that the change was worked
  /// out from: the snapshot is replaced by that of the next version, and all changes are forgotten.
  ///
  /// Comparing and replacing are one step, as in ``append(_:to:after:stamp:)``, and so are the old snapshot's
  /// and changes' going and the new one's coming, whatever happens meanwhile. It notes the session's use.
  ///
  /// - Parameters:
  ///   - id: The session.
  ///   - snapshot: The record of its description after the change.
  ///   - version: The version before the change; it has the next one afterwards.
  ///   - stamp: The stamp of that.
  /// - Returns: Whether it was replaced.
  /// - Throws: ``StoreError``; after ``StoreError/Kind/uncertain`` the change may or may not have been made.
  func replace(
    _ id: SessionID, by snapshot: [UInt8], after version: StoredVersion, stamp: UInt64
  ) throws(StoreError) -> StoreOutcome

  /// Replaces the snapshot by a later one, and forgets the changes up to it; does nothing if there is a
  /// later one already, or no such session, or if the session does not come from that version.
  ///
  /// - Parameters:
  ///   - id: The session.
  ///   - snapshot: The record of its description at `version`.
  ///   - version: A version that the session has or had.
  /// - Throws: ``StoreError``.
  func replaceSnapshot(
    of id: SessionID, by snapshot: [UInt8], at version: StoredVersion
  ) throws(StoreError)

  /// Deletes a session, one that cannot be read too if that can be had.
  ///
  /// - Parameters:
  ///   - id: The session.
  ///   - version: The version that it has to be at; nil for whichever.
  /// - Returns: Whether it was deleted.
  /// - Throws: ``StoreError``.
  func delete(_ id: SessionID, at version: Int?) throws(StoreError) -> StoreOutcome

  /// Notes that sessions were used without the store being asked for them.
  ///
  /// - Parameter ids: The sessions; those that are gone do not matter.
  /// - Throws: ``StoreError``. They are not forgotten then, as far as the store can help it, whether or not it
  ///   is swept, and it has to be said again; but not if something is unreadable, which it would be again.
  func touch(_ ids: [SessionID]) throws(StoreError)

  /// Does what has to be done now and then: forgets some of the sessions that nobody has asked for.
  ///
  /// - Throws: ``StoreError``.
  func sweep() throws(StoreError)

  /// Tells everything that is under way, or comes later, that the end has come. What has returned is
  /// durable without it.
  func close()
}

/// A version of a session: by its number, which clients know, and by what tells it from others that have had
/// the number.
public struct StoredVersion: Hashable, Sendable {
  /// Grows by one with each change; 1 at first.
  public var number: Int
  /// Drawn by who made the version; 0 where the store does not keep it.
  ///
  /// Versions of one number and stamp come from versions of one number and stamp, down to the first: they
  /// have one content.
  public var stamp: UInt64

  /// Keeps them together.
  ///
  /// - Parameters:
  ///   - number: The number.
  ///   - stamp: The stamp.
  public init(_ number: Int, stamp: UInt64) {
    self.number = number
    self.stamp = stamp
  }

  /// Draws a stamp, one of so many that no two are the same.
  ///
  /// - Returns: From 1 to 2⁶⁴ − 1.
  public static func newStamp() -> UInt64 { .random(in: 1 ... .max) }
}

/// A session as it is kept, or as much of it as was missing.
public struct StoredSession: Sendable, Equatable {
  /// The name of whose it is.
  public var owner: String
  /// The version that it has: the asker's own if nothing is missing.
  public var storedVersion: StoredVersion
  /// The description to begin with, and the version that it has; nil if the changes continue what the
  /// asker has.
  public var snapshot: Snapshot?
  /// The records of the changes after that, in order; the last one made ``version``.
  public var changes: [[UInt8]]

  /// Names the last takeover: that one process scrolls the session after another one did, or may have done
  /// before the store lost it.
  ///
  /// No two takeovers of a session have one number; 0 is its creation. It is told to everybody who is to
  /// scroll, the one who takes over included, as often as asked: an answer that is lost loses nothing. Nil
  /// for those who are not to scroll, and where there is only one process.
  public var takeover: UInt64?

  /// The number of the version that it has.
  public var version: Int { storedVersion.number }

  /// A description at some version.
  public struct Snapshot: Sendable, Equatable {
    /// The record.
    public var record: [UInt8]
    /// The version.
    public var version: Int

    /// Keeps them together.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - version: The version.
    public init(record: [UInt8], version: Int) {
      self.record = record
      self.version = version
    }
  }

  /// Puts a session together.
  ///
  /// - Parameters:
  ///   - owner: The name of whose it is.
  ///   - version: The version that it has.
  ///   - snapshot: The description to begin with.
  ///   - changes: The records of the changes after that.
  public init(owner: String, version: StoredVersion, snapshot: Snapshot?, changes: [[UInt8]]) {
    self.owner = owner
    storedVersion = version
    self.snapshot = snapshot
    self.changes = changes
  }
}

/// What came of a change of the store.
public enum StoreOutcome: Sendable, Equatable {
  /// It has been done.
  case done
  /// The session is at another version; nothing has been done.
  case conflict(version: Int)
  /// There is no such session.
  case missing
}

/// Why a store did not do what it was asked for.
public struct StoreError: Error, Sendable, Equatable {
  /// What is wrong, as far as callers do something about it.
  public enum Kind: Sendable, Equatable {
    /// The store cannot be reached, or has no room or no right to write: nothing has been done.
    case unavailable
    /// Nobody knows whether it has been done.
    case uncertain
    /// What is kept cannot be understood; it is left as it is.
    case unreadable
  }

  /// What is wrong.
  public var kind: Kind
  /// The same in words, without secrets.
  public var detail: String

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - kind: What is wrong.
  ///   - detail: The same in words, without secrets.
  public init(_ kind: Kind, _ detail: String) {
    self.kind = kind
    self.detail = detail
  }
}
