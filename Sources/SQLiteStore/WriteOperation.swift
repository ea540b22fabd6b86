import LayoutSessions

/// What changes the file, with all that it needs, so that any thread can do it for another.
enum WriteOperation: Sendable {
  /// Keeps a new session.
  case create(SessionID, owner: String, snapshot: [UInt8])
  /// Adds a change to a session at some version.
  case append([UInt8], to: SessionID, after: Int)
  /// Adds a change to a session at some version, by the description that it leads to.
  case replace(SessionID, by: [UInt8], after: Int)
  /// Replaces a session's description by that of a later version.
  case replaceSnapshot(of: SessionID, by: [UInt8], at: Int)
  /// Deletes a session at some version, or at whichever.
  case delete(SessionID, at: Int?)
  /// Notes that sessions are used.
  case touch([SessionID])
  /// Deletes some of the sessions that are not used any more.
  case sweep
  /// Writes some of the uses that could not be written when they were.
  case writeUses

  /// The session that it is about; nil if it is about several.
  var session: SessionID? {
    switch self {
    case .create(let id, _, _), .append(_, let id, _), .replace(let id, _, _),
      .replaceSnapshot(let id, _, _), .delete(let id, _):
      id
    case .touch, .sweep, .writeUses: nil
    }
  }

  /// About how many bytes it writes.
  var byteCount: Int {
    switch self {
    case .create(_, _, let record), .append(let record, _, _), .replace(_, let record, _),
      .replaceSnapshot(_, let record, _):
      record.count + 1024
    case .delete: 1024
    case .touch(let ids): ids.count * 256
    case .sweep: WriteOperation.sweepCount * 1024
    case .writeUses: WriteOperation.sweepCount * 256
    }
  }

  /// So many sessions a sweep deletes at most, or writes the use of; others are served after each.
  static let sweepCount = 64
}
