/// A connection to a Redis that knows who asks and has been given the scripts.
final class RedisConnection: Sendable {
  /// What a script is called with.
  struct Call {
    var keys: RedisKeys
    var arguments: [[UInt8]]
  }

  let channel: RedisChannel
  /// The pool's, when it began to be made.
  let age: Int
  /// The hash of each script, as Redis says it.
  private let digests: [[UInt8]]

  /// Connects, and introduces itself.
  ///
  /// - Parameters:
  ///   - address: Where, and as whom.
  ///   - timeout: How long to wait for a connection, and then for it to be of use.
  ///   - age: The pool's.
  /// - Throws: ``RedisFailure/notDone(_:)``.
  init(to address: RedisAddress, timeout: Duration, age: Int) throws(RedisFailure) {
    self.age = age
    channel = try RedisChannel(to: address.endpoint, timeout: timeout)
    let end = MonotonicTime.now + timeout
    if let credentials = address.credentials {
      let words = [Array("AUTH".utf8)] + (credentials.user.map { [$0] } ?? [])
      var command = RedisCommands()
      command.append(words + [credentials.password])
      let reply = try RedisConnection.greet(channel, command)[0]
      guard reply == .bytes(Array("OK".utf8)) else {
        throw .notDone(RedisConnection.reason(forRefusing: reply))
      }
    }
    if address.database != 0 {
      try RedisConnection.check(
        channel, ["SELECT", "\(address.database)"], answer: "OK", before: end)
    }
    // Whatever else keeps Redis from being of use is said now, when nothing has been asked of it.
    // Who cannot write to a disk says so even to this, and can be read all the same.
    try RedisConnection.check(channel, ["PING"], answer: "PONG", orError: "MISCONF", before: end)
    var commands = RedisCommands()
    for script in RedisScript.allCases { commands.append(["SCRIPT", "LOAD", script.source]) }
    var digests: [[UInt8]] = []
    for reply in try RedisConnection.greet(channel, commands) {
      guard case .bytes(let digest) = reply, digest.count == 40 else {
        throw .notDone("SCRIPT LOAD: " + RedisConnection.words(of: reply))
      }
      digests.append(digest)
    }
    self.digests = digests
  }

  /// Executes a script, or the same one several times, in one round trip.
  ///
  /// - Parameters:
  ///   - script: The script.
  ///   - calls: What it is called with, each time.
  /// - Returns: As many replies; none is an error.
  /// - Throws: ``RedisFailure``; then the connection must not be used again.
  func run(_ script: RedisScript, _ calls: [Call]) throws(RedisFailure) -> [RedisReply] {
    let name = [Array("EVALSHA".utf8), digests[script.rawValue]]
    var replies = try channel.exchange(RedisConnection.commands(name, calls))
    // Redis has been told to forget its scripts, or is another one than it was.
    let unknown = replies.indices.filter { replies[$0].isUnknownScript }
    if !unknown.isEmpty {
      let name = [Array("EVAL".utf8), Array(script.source.utf8)]
      let again = RedisConnection.commands(name, unknown.map { calls[$0] })
      for (index, reply) in zip(unknown, try channel.exchange(again)) { replies[index] = reply }
    }
    for case .error(let words) in replies { throw .error(words) }
    return replies
  }

  /// Reads a snapshot.
  ///
  /// - Parameters:
  ///   - keys: The session.
  ///   - version: The version that it has to have.
  ///   - stamp: The stamp that it has to have.
  /// - Returns: Its record; nil if there is another one by now, or if Redis refuses.
  /// - Throws: ``RedisFailure``; then the connection must not be used again.
  func snapshot(
    of keys: RedisKeys, at version: Int, stamp: [UInt8]
  ) throws(RedisFailure) -> [UInt8]? {
    var commands = RedisCommands()
    commands.append(["HMGET", keys.session, "snapshotVersion", "snapshotStamp", "snapshot"])
    guard case .array(let fields) = try channel.exchange(commands)[0], fields.count == 3,
      fields[0] == .bytes(Array("\(version)".utf8)), fields[1] == .bytes(stamp),
      case .bytes(let record) = fields[2]
    else { return nil }
    return record
  }

  private static func commands(_ name: [[UInt8]], _ calls: [Call]) -> RedisCommands {
    var commands = RedisCommands()
    for call in calls {
      let keys = ["2", call.keys.session, call.keys.changes].map { Array($0.utf8) }
      commands.append(name + keys + call.arguments)
    }
    return commands
  }
}

extension RedisConnection {
  /// Exchanges what changes nothing.
  private static func greet(
    _ channel: RedisChannel, _ commands: RedisCommands
  ) throws(RedisFailure) -> [RedisReply] {
    do {
      return try channel.exchange(commands)
    } catch {
      throw .notDone(error.words)
    }
  }

  private static func check(
    _ channel: RedisChannel, _ words: [String], answer: String, orError code: String? = nil,
    before end: Duration
  ) throws(RedisFailure) {
    guard MonotonicTime.now < end else { throw .notDone("it takes too long to answer") }
    var command = RedisCommands()
    command.append(words)
    let reply = try greet(channel, command)[0]
    if let code, case .error(let words) = reply, words.hasPrefix(code) { return }
    guard reply == .bytes(Array(answer.utf8)) else {
      throw .notDone("\(words.joined(separator: " ")): \(RedisConnection.words(of: reply))")
    }
  }

  private static func words(of reply: RedisReply) -> String {
    if case .error(let words) = reply { words } else { "an answer that makes no sense" }
  }

  /// Why Redis does not let somebody in; not in its own words, which may quote the password.
  private static func reason(forRefusing reply: RedisReply) -> String {
    let words = words(of: reply)
    if words.hasPrefix("WRONGPASS") || words.hasPrefix("ERR invalid password") {
      return "it refuses the user or the password of its address (WRONGPASS)"
    }
    if words.contains("without any password configured") || words.contains("no password is set") {
      return "its address has a password, but it has none"
    }
    let code = words.prefix { $0.isASCII && ($0.isUppercase || $0 == "_") }
    return "it refuses AUTH (\(code.prefix(20)))"
  }
}

extension RedisReply {
  fileprivate var isUnknownScript: Bool {
    if case .error(let words) = self { words.hasPrefix("NOSCRIPT") } else { false }
  }
}
