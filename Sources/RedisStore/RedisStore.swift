public import LayoutSessions

/// Keeps sessions in a Redis, which many servers may share.
///
/// Every operation is one script, and so one step: of several servers that change a session from
/// the same version, one does. But a long snapshot is read after the script that finds it, and if there is another
/// one by then, all is read again. How sessions are kept is said in `RedisScript.swift`.
///
/// What is acknowledged is as durable as Redis is told to make it:
/// - Without an append-only file, a Redis that ends has lost what it did since its last snapshot.
///   With `appendonly yes` and `appendfsync always` an answer comes after the disk has the change;
///   with `everysec` a Redis that is killed, or a computer without power, loses what is not
///   written yet: a second's changes or two.
/// - Replication is asynchronous: when a replica takes over, the last changes that its master
///   acknowledged may be gone, and a session may be at an earlier version than somebody has seen.
///   Servers find that out by the stamps of versions, and go on from what Redis has; and nobody
///   goes on from ticks, for who has answered the last one may be lost too.
///   `min-replicas-to-write` and `min-replicas-max-lag` bound how much that is; this client does
///   not ask for more (`WAIT`), which would make it rarer and not impossible.
/// - Sessions expire by themselves. Redis must not evict them: `maxmemory-policy noeviction`. Then
///   a full Redis refuses writes, and nothing is lost.
///
/// The address has to be that of a master: a replica is read, but refuses writes. Where it is a name that
/// follows the master, one refusal is enough for all connections of before to be left. So is an answer that does
/// not know the version which the asker has: the session is asked for once more, and what is said then is
/// believed.
///
/// Redis Cluster is not spoken, though the keys of a session are made to lie at one place, for proxies that do. A
/// user of its own needs `~layoutd:*` and the commands `EVALSHA`, `EVAL`, `SCRIPT|LOAD`, `PING`,
/// `SELECT`, `EXISTS`, `HMGET`, `HGET`, `HSET`, `HINCRBY`, `LINDEX`, `LLEN`, `LRANGE`, `RPUSH`, `LTRIM`,
/// `PTTL`, `PEXPIRE` and `DEL`; `INFO`, without which it is not noticed that ticks are lost; and `HSTRLEN`,
/// without which Redis takes longer for long snapshots.
public final class RedisStore: DurableStore {
  private let address: RedisAddress
  private let pool: RedisPool
  private let lifetime: Duration
  /// What no other store is called: whoever scrolls a session is known by it.
  private let name = Array(String(UInt64.random(in: .min ... .max), radix: 36).utf8)

  /// Makes a store, without connecting: it may be that Redis starts later.
  ///
  /// - Parameters:
  ///   - address: Where Redis is.
  ///   - timeToLive: A session that nobody asks for is forgotten after that time, and an eighth
  ///     more at most: so that not every use of it has to be written down.
  ///   - timeout: How long to wait for a connection, and for each answer; what is large may take
  ///     longer, a second for each 16 MiB.
  ///   - connectionLimit: How many connections there may be, and so how many operations at once; at
  ///     least 1.
  public init(
    address: RedisAddress, timeToLive: Duration, timeout: Duration = .milliseconds(500),
    connectionLimit: Int
  ) {
    self.address = address
    // Redis refuses times that are not positive, or beyond its clock.
    lifetime = timeToLive.clamped(to: .milliseconds(8) ... .seconds(100 * 365 * 86_400))
    pool = RedisPool(
      address: address, timeout: timeout.clamped(to: .milliseconds(1) ... .seconds(3600)),
      limit: connectionLimit)
  }

  /// Other servers may change the sessions.
  public var isShared: Bool { true }

  /// Keeps a new session, at version 1 and with no changes.
  ///
  /// - Parameters:
  ///   - id: Its name, which no other session has or had.
  ///   - owner: The name of whose it is; empty for nobody's.
  ///   - snapshot: The record of its description.
  ///   - stamp: The stamp of version 1.
  /// - Throws: ``StoreError``; if there is such a session, that it is unavailable: it is left as it
  ///   is.
  public func create(
    _ id: SessionID, owner: String, snapshot: [UInt8], stamp: UInt64
  ) throws(StoreError) {
    let arguments = [Array(owner.utf8), snapshot, longLife, name, RedisStamp.digits(stamp)]
    switch try write(.create, id, arguments) {
    case .done: return
    case .exists: throw failure(.unavailable, "there is a session \(id) already")
    default: throw failure(.uncertain, RedisStore.nonsense)
    }
  }

  /// Reads a session, or what of it is missing, all as it was at one moment; and notes its use.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - owner: The name of its owner; empty for nobody's.
  ///   - version: The version that the asker has; nil if none. One that the session does not come
  ///     from, or of which the changes are gone, is as good as none.
  ///   - isScrolling: Whether this store's server answers ticks from now on.
  /// - Returns: The session as far as it is missing; nil if there is none.
  /// - Throws: ``StoreError``; ``StoreError/Kind/unavailable`` too if another store's server has
  ///   answered the last tick, this one's is to, and Redis takes no writes; or if
  ///   `isScrolling` and Redis is a replica, which may not know which server has answered it.
  public func load(
    _ id: SessionID, of owner: String, since version: StoredVersion?, isScrolling: Bool
  ) throws(StoreError) -> StoredSession? {
    let answer = try read { () throws(RedisFailure) in
      let keys = RedisKeys(id)
      let answer = try find(
        keys, of: owner, since: version, isScrolling, snapshotLimit: RedisStore.longSize)
      guard case .foundApart(var session, let stamp) = answer, let snapshot = session.snapshot
      else {
        return answer
      }
      let record = try pool.withConnection { (connection) throws(RedisFailure) in
        try connection.snapshot(of: keys, at: snapshot.version, stamp: stamp)
      }
      guard let record else {
        return try find(
          keys, of: owner, since: version, isScrolling, snapshotLimit: RedisCommands.longestWord)
      }
      session.snapshot = StoredSession.Snapshot(record: record, version: snapshot.version)
      return .found(session)
    }
    switch answer {
    case .found(let session): return session
    case .missing: return nil
    default: throw failure(.unavailable, RedisStore.nonsense)
    }
  }

  /// Asks for a session, but for a snapshot of more than so many bytes.
  private func find(
    _ keys: RedisKeys, of owner: String, since version: StoredVersion?, _ isScrolling: Bool,
    snapshotLimit: Int
  ) throws(RedisFailure) -> RedisAnswer {
    var arguments = version.map(words) ?? [[], []]
    arguments += [number(lifetime.milliseconds), longLife]
    // Drawn rather than counted, and anew each time: a count would come to the same number twice
    // where Redis has lost the last takeovers, as it may when a replica becomes the master.
    arguments += isScrolling ? [name, number(.random(in: 1..<(1 << 53)))] : [[], []]
    arguments += [number(snapshotLimit), Array(owner.utf8)]
    let call = RedisConnection.Call(keys: keys, arguments: arguments)
    let answer = try ask(.load, [call], since: version)[0]
    guard let version, answer.denies(version) else { return answer }
    // A failover has lost it; or this connection has outlived one, and leads to who no longer is the master. A new
    // one tells.
    pool.letGo()
    return try ask(.load, [call], since: version)[0]
  }

  /// Tells whose a session is, one that has lost changes too.
  ///
  /// - Parameter id: Its name.
  /// - Returns: The name of whose it is; nil if there is none.
  /// - Throws: ``StoreError``.
  public func owner(of id: SessionID) throws(StoreError) -> String? {
    let answer = try read { () throws(RedisFailure) in
      try ask(.owner, [RedisConnection.Call(keys: RedisKeys(id), arguments: [])])[0]
    }
    switch answer {
    case .owner(let name): return name
    case .missing: return nil
    default: throw failure(.unavailable, RedisStore.nonsense)
    }
  }

  /// Adds a change, if the session is at the version that the change was worked out from.
  ///
  /// - Parameters:
  ///   - change: The record of the change.
  ///   - id: The session.
  ///   - version: The version before the change; it has the next one afterwards.
  ///   - stamp: The stamp of that.
  /// - Returns: Whether it was added.
  /// - Throws: ``StoreError``; after ``StoreError/Kind/uncertain`` the change may or may not have been made.
  public func append(
    _ change: [UInt8], to id: SessionID, after version: StoredVersion, stamp: UInt64
  ) throws(StoreError) -> StoreOutcome {
    let record = RedisStamp.digits(stamp) + change
    return try outcome(of: write(.append, id, words(version) + [record, longLife]))
  }

  /// Adds a change by what it has made of the session, if that is at the version that the change was
  /// worked out from: in one step the new snapshot comes and all changes go.
  ///
  /// - Parameters:
  ///   - id: The session.
  ///   - snapshot: The record of its description after the change.
  ///   - version: The version before the change; it has the next one afterwards.
  ///   - stamp: The stamp of that.
  /// - Returns: Whether it was replaced.
  /// - Throws: ``StoreError``; after ``StoreError/Kind/uncertain`` the change may or may not have been made.
  public func replace(
    _ id: SessionID, by snapshot: [UInt8], after version: StoredVersion, stamp: UInt64
  ) throws(StoreError) -> StoreOutcome {
    let arguments = words(version) + [snapshot, RedisStamp.digits(stamp), longLife]
    return try outcome(of: write(.replace, id, arguments))
  }

  /// Replaces the snapshot by a later one, and forgets the changes up to it.
  ///
  /// It does nothing if there is a later one already, if the session does not come from that version,
  /// or if there is no such session.
  ///
  /// - Parameters:
  ///   - id: The session.
  ///   - snapshot: The record of its description at `version`.
  ///   - version: A version that the session has or had.
  /// - Throws: ``StoreError``.
  public func replaceSnapshot(
    of id: SessionID, by snapshot: [UInt8], at version: StoredVersion
  ) throws(StoreError) {
    switch try write(.replaceSnapshot, id, words(version) + [snapshot]) {
    case .done, .missing: return
    default: throw failure(.uncertain, RedisStore.nonsense)
    }
  }

  /// Deletes a session, one that has lost changes too.
  ///
  /// - Parameters:
  ///   - id: The session.
  ///   - version: The version that it has to be at; nil for whichever.
  /// - Returns: Whether it was deleted.
  /// - Throws: ``StoreError``.
  public func delete(_ id: SessionID, at version: Int?) throws(StoreError) -> StoreOutcome {
    try outcome(of: write(.delete, id, [version.map(number) ?? []]))
  }

  /// Notes that sessions were used without the store being asked for them.
  ///
  /// - Parameter ids: The sessions; those that are gone do not matter, nor do those of another
  ///   format.
  /// - Throws: ``StoreError``; if it is ``StoreError/Kind/unreadable``, what can be read is noted.
  public func touch(_ ids: [SessionID]) throws(StoreError) {
    let arguments = [longLife]
    var failure: StoreError?
    for start in stride(from: 0, to: ids.count, by: RedisStore.batchSize) {
      let batch = ids[start..<min(start + RedisStore.batchSize, ids.count)]
      let calls = batch.map { RedisConnection.Call(keys: RedisKeys($0), arguments: arguments) }
      do throws(StoreError) {
        _ = try write(.touch, calls)
      } catch {
        guard error.kind == .unreadable else { throw error }
        failure = error
      }
    }
    if let failure { throw failure }
  }

  /// Does nothing: Redis forgets by itself.
  public func sweep() {}

  /// Closes the connections.
  ///
  /// Those that are in use are closed as soon as they no longer are, which is a matter of the
  /// timeout. Whoever waits for one, or asks for something later, is refused.
  public func close() { pool.close() }

  /// So many sessions are touched in one round trip.
  private static let batchSize = 64
  /// A snapshot of more bytes costs Redis more in a script than a round trip of its own.
  private static let longSize = 1 << 17
  private static let nonsense = "it gives an answer that makes no sense"
}

extension RedisStore {
  /// How long a session lives that has just been used, as Redis takes it.
  private var longLife: [UInt8] { number((lifetime + lifetime / 8).milliseconds) }

  private func words(_ version: StoredVersion) -> [[UInt8]] {
    [number(version.number), RedisStamp.digits(version.stamp)]
  }

  private func number(_ value: Int) -> [UInt8] { Array(String(value).utf8) }

  private func failure(_ kind: StoreError.Kind, _ words: String) -> StoreError {
    StoreError(kind, "\(address): \(words)")
  }

  private func failure(_ error: StoreError) -> StoreError { failure(error.kind, error.detail) }

  private func outcome(of answer: RedisAnswer) throws(StoreError) -> StoreOutcome {
    switch answer {
    case .done: return .done
    case .missing: return .missing
    case .conflict(let version): return .conflict(version: version)
    default: throw failure(.uncertain, RedisStore.nonsense)
    }
  }

  /// Changes a session, once.
  private func write(
    _ script: RedisScript, _ id: SessionID, _ arguments: [[UInt8]]
  ) throws(StoreError) -> RedisAnswer {
    guard arguments.allSatisfy({ $0.count <= RedisCommands.longestWord }) else {
      throw failure(.unavailable, "a record is longer than the 512 MiB that Redis takes")
    }
    return try write(script, [RedisConnection.Call(keys: RedisKeys(id), arguments: arguments)])[0]
  }

  /// Changes sessions, once.
  private func write(
    _ script: RedisScript, _ calls: [RedisConnection.Call]
  ) throws(StoreError) -> [RedisAnswer] {
    do {
      return try ask(script, calls)
    } catch {
      throw failure(error.ofWrite)
    }
  }

  /// Reads something; again if a connection turns out to be lost.
  private func read(
    _ body: () throws(RedisFailure) -> RedisAnswer
  ) throws(StoreError) -> RedisAnswer {
    do {
      return try body()
    } catch {
      guard case .unanswered(_, isLost: true) = error else { throw failure(error.ofRead) }
    }
    // All that were connected before are gone with the lost one: this is on a new connection.
    do {
      return try body()
    } catch {
      throw failure(error.ofRead)
    }
  }

  /// Has a script executed, as often as there are calls.
  private func ask(
    _ script: RedisScript, _ calls: [RedisConnection.Call], since version: StoredVersion? = nil
  ) throws(RedisFailure) -> [RedisAnswer] {
    let answers = try pool.withConnection { (connection) throws(RedisFailure) in
      var answers: [RedisAnswer] = []
      for (call, reply) in zip(calls, try connection.run(script, calls)) {
        guard let answer = RedisAnswer(reply, about: call.keys, since: version) else {
          throw .unanswered(RedisStore.nonsense, isLost: false)
        }
        // What has been the master, perhaps: its name may lead to another one by now, and all connections of
        // before lead to this one.
        if case .refused(let words) = answer, words.hasPrefix("READONLY") {
          pool.letGo(of: connection.age)
        }
        answers.append(answer)
      }
      return answers
    }
    for answer in answers {
      switch answer {
      case .unreadable(let words): throw .unreadable(words)
      case .refused(let words): throw .notDone(words)
      default: continue
      }
    }
    return answers
  }
}
