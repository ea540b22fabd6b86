import LayoutSessions

/// What a script answers.
enum RedisAnswer {
  case done
  case exists
  case missing
  case conflict(version: Int)
  case found(StoredSession)
  /// The same but for the snapshot's record, which is long; and the snapshot's stamp.
  case foundApart(StoredSession, snapshotStamp: [UInt8])
  case owner(String)
  /// What is kept is not as it should be.
  case unreadable(String)
  /// A write was refused: nothing has been done, or what had been is taken back.
  case refused(String)

  /// Understands an answer.
  ///
  /// - Parameters:
  ///   - reply: What Redis says; nobody else's word for it is taken.
  ///   - keys: The session that it is about.
  ///   - version: The version from which it was asked for.
  init?(_ reply: RedisReply, about keys: RedisKeys, since version: StoredVersion? = nil) {
    guard case .array(let parts) = reply, case .bytes(let name)? = parts.first else { return nil }
    switch (String(decoding: name, as: UTF8.self), parts.count) {
    case ("done", 1): self = .done
    case ("exists", 1): self = .exists
    case ("missing", 1): self = .missing
    case ("conflict", 2):
      guard case .integer(let version) = parts[1], version > 0 else { return nil }
      self = .conflict(version: version)
    case ("found", 6...):
      var parts = parts
      var stamp: [UInt8]?
      if case .array(let words)? = parts.last, parts.count > 6, case .bytes(let word)? = words.first
      {
        stamp = word
        parts[parts.count - 1] = .bytes([])
      }
      guard let session = RedisAnswer.session(parts.dropFirst(), since: version) else {
        self = .unreadable("\(keys.session) and \(keys.changes) do not belong together")
        return
      }
      self = stamp.map { .foundApart(session, snapshotStamp: $0) } ?? .found(session)
    case ("owner", 2):
      guard case .bytes(let name) = parts[1], let owner = String(validating: name, as: UTF8.self)
      else {
        self = .unreadable("\(keys.session) is nobody's")
        return
      }
      self = .owner(owner)
    case ("refused", 2):
      guard case .bytes(let bytes) = parts[1] else { return nil }
      // Redis before 7 says it with the minus of an error.
      self = .refused(
        RedisReply.words(bytes.first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes[...]))
    case ("format", 2):
      guard case .bytes(let bytes) = parts[1] else { return nil }
      self = .unreadable(
        "\(keys.session) is of format \"\(RedisReply.words(bytes.prefix(20)))\", and this server "
          + "knows formats 1 and 2")
    case ("versions", 1): self = .unreadable("\(keys.session) has no versions that make sense")
    case ("changes", 3):
      guard case .integer(let kept) = parts[1], case .integer(let expected) = parts[2] else {
        return nil
      }
      self = .unreadable(
        "\(keys.changes) has \(kept) of \(expected) changes"
          + (kept < expected
            ? ": Redis may have evicted it, and needs maxmemory-policy noeviction" : ""))
    default: return nil
    }
  }

  /// Whether it is a session that does not come from a version, though it reaches back so far: it is at an earlier
  /// one, or at others of these numbers.
  ///
  /// - Parameter version: The version from which it was asked for.
  /// - Returns: Whether it is.
  func denies(_ version: StoredVersion) -> Bool {
    switch self {
    case .found(let session), .foundApart(let session, _):
      // There is none where the version is known.
      if let snapshot = session.snapshot { snapshot.version <= version.number } else { false }
    default: false
    }
  }

  /// Version, its stamp or nothing, owner, the last takeover or nothing, and changes; perhaps the
  /// snapshot's version and the snapshot.
  private static func session(
    _ parts: ArraySlice<RedisReply>, since: StoredVersion?
  ) -> StoredSession? {
    var parts = parts
    guard case .integer(let version)? = parts.popFirst(),
      case .bytes(let digits)? = parts.popFirst(),
      let stamp = digits.isEmpty ? 0 : RedisStamp.read(digits),
      case .bytes(let name)? = parts.popFirst(),
      let owner = String(validating: name, as: UTF8.self),
      case .bytes(let takeover)? = parts.popFirst(),
      takeover.isEmpty || number(takeover) != nil,
      case .array(let list)? = parts.popFirst()
    else { return nil }
    var changes: [[UInt8]] = []
    changes.reserveCapacity(list.count)
    for element in list {
      // Where versions have stamps, there is one in front.
      guard case .bytes(let record) = element, record.count >= digits.count else { return nil }
      changes.append(digits.isEmpty ? record : Array(record[digits.count...]))
    }
    var snapshot: StoredSession.Snapshot?
    if !parts.isEmpty {
      guard case .integer(let first)? = parts.popFirst(),
        case .bytes(let record)? = parts.popFirst()
      else { return nil }
      snapshot = StoredSession.Snapshot(record: record, version: first)
    }
    guard let base = snapshot?.version ?? since?.number, base > 0, base <= version,
      changes.count == version - base, parts.isEmpty
    else { return nil }
    var session = StoredSession(
      owner: owner, version: StoredVersion(version, stamp: stamp), snapshot: snapshot,
      changes: changes)
    if let since, snapshot == nil, changes.isEmpty { session.storedVersion = since }
    session.takeover = number(takeover)
    return session
  }

  private static func number(_ digits: [UInt8]) -> UInt64? {
    UInt64(String(decoding: digits, as: UTF8.self))
  }
}

/// How stamps are written.
enum RedisStamp {
  /// Writes a stamp.
  ///
  /// - Parameter stamp: The stamp.
  /// - Returns: 16 hexadecimal digits.
  static func digits(_ stamp: UInt64) -> [UInt8] { Array(stamp.hexadecimalDigits.utf8) }

  /// Reads a stamp.
  ///
  /// - Parameter digits: 16 hexadecimal digits.
  /// - Returns: The stamp; nil if it is none.
  static func read(_ digits: [UInt8]) -> UInt64? {
    digits.count == 16 ? UInt64(String(decoding: digits, as: UTF8.self), radix: 16) : nil
  }
}
