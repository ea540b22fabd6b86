/// Why a text does not say where a Redis is.
public struct RedisAddressError: Error, Hashable, CustomStringConvertible {
  /// One sentence, which never quotes the text: there may be a password in it.
  public let message: String

  /// The same.
  public var description: String { message }

  init(_ message: String) { self.message = message }
}

/// Where a Redis is, and as whom to go there.
public struct RedisAddress: Sendable, CustomStringConvertible {
  /// Where it listens.
  enum Endpoint: Sendable, Equatable {
    case network(host: String, port: UInt16)
    case socket(path: String)
  }

  /// Who comes; without a user's name it is the default one.
  struct Credentials: Sendable, Equatable {
    var user: [UInt8]?
    var password: [UInt8]
  }

  let endpoint: Endpoint
  let credentials: Credentials?
  let database: Int

  /// Reads a URL.
  ///
  /// It is `redis://[[user]:password@]host[:port][/database]` with IPv6 addresses in brackets, or
  /// `redis+unix://[[user]:password@]/path/of/socket[?db=database]`, for which `unix://` is another
  /// name. Users, passwords, hosts and paths may be percent-encoded.
  ///
  /// - Parameter url: The URL.
  /// - Throws: ``RedisAddressError``.
  public init(url: String) throws(RedisAddressError) {
    guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw RedisAddressError("a Redis URL has characters that have to be percent-encoded")
    }
    guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else {
      throw RedisAddressError("a Redis URL begins with redis:// or redis+unix://")
    }
    let rest = url[colon...].dropFirst(3)
    guard !rest.contains("#") else {
      throw RedisAddressError("a Redis URL has no fragment; within a password, # is %23")
    }
    switch url[..<colon].lowercased() {
    case "redis": try self.init(network: rest)
    case "redis+unix", "unix": try self.init(socket: rest)
    case "rediss":
      throw RedisAddressError(
        "rediss:// is not for this client, which has no TLS: use a Unix socket, stunnel or a "
          + "private network")
    default: throw RedisAddressError("a Redis URL begins with redis:// or redis+unix://")
    }
  }

  /// What follows `redis://`.
  private init(network rest: Substring) throws(RedisAddressError) {
    guard !rest.contains("?") else {
      throw RedisAddressError("a redis:// URL has no query; within a password, ? is %3F")
    }
    let (authority, path) = rest.cut(atFirst: "/") ?? (rest, "")
    guard !path.contains("@") else { throw RedisAddress.splitPassword }
    if let (userInfo, place) = authority.cut(atLast: "@") {
      credentials = try RedisAddress.credentials(of: userInfo)
      endpoint = try RedisAddress.endpoint(of: place)
    } else {
      credentials = nil
      endpoint = try RedisAddress.endpoint(of: authority)
    }
    database = path.isEmpty ? 0 : try RedisAddress.database(of: path)
  }

  /// What follows `redis+unix://`.
  private init(socket rest: Substring) throws(RedisAddressError) {
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let place = parts[0]
    guard let slash = place.firstIndex(of: "/") else {
      throw RedisAddressError("a redis+unix:// URL has a path, as in redis+unix:///run/redis.sock")
    }
    let authority = place[..<slash]
    guard !authority.contains(":") || authority.last == "@" else {
      throw RedisAddress.splitPassword
    }
    guard authority.isEmpty || authority.last == "@" else {
      throw RedisAddressError("a redis+unix:// URL has no host: the path begins with a third /")
    }
    credentials = authority.isEmpty ? nil : try RedisAddress.credentials(of: authority.dropLast())
    let path = try decoded(place[slash...])
    // What is longer would be cut off, and another socket asked.
    guard (2...107).contains(path.count) else {
      throw RedisAddressError("the path in a redis+unix:// URL has from 2 to 107 bytes")
    }
    endpoint = .socket(path: try RedisAddress.text(path))
    guard parts.count == 2 else {
      database = 0
      return
    }
    guard parts[1].hasPrefix("db=") else {
      throw RedisAddressError("the query of a redis+unix:// URL is db= and a number")
    }
    database = try RedisAddress.database(of: parts[1].dropFirst(3))
  }

  /// The same without user and password.
  public var description: String {
    switch endpoint {
    case .network(let host, let port):
      let place = host.contains(":") ? "[\(host)]" : host
      return "redis://\(place):\(port)/\(database)"
    case .socket(let path): return "redis+unix://\(path)?db=\(database)"
    }
  }
}

extension RedisAddress {
  /// How a password is written.
  private static let spelling = "within a password @, / and : are %40, %2F and %3A"

  /// What is said where a password seems to have a slash in it.
  private static let splitPassword = RedisAddressError(
    "a Redis URL has an @ or a : where there can be none: \(spelling)")

  private static func credentials(
    of userInfo: Substring
  ) throws(RedisAddressError) -> Credentials {
    guard let (user, password) = userInfo.cut(atFirst: ":"), !password.isEmpty else {
      throw RedisAddressError("what stands before the @ of a Redis URL is [user]:password")
    }
    return Credentials(
      user: user.isEmpty ? nil : try decoded(user), password: try decoded(password))
  }

  private static func endpoint(of place: Substring) throws(RedisAddressError) -> Endpoint {
    var host = place
    var port: Substring?
    if place.first == "[" {
      guard let (inside, after) = place.dropFirst().cut(atFirst: "]"),
        after.isEmpty || after.first == ":"
      else { throw RedisAddressError("the brackets in a Redis URL's host do not match") }
      host = inside
      port = after.isEmpty ? nil : after.dropFirst()
    } else if let (before, after) = place.cut(atFirst: ":") {
      guard !after.contains(":") else {
        throw RedisAddressError(
          "a Redis URL has more colons than it can: IPv6 addresses stand in brackets, and \(spelling)"
        )
      }
      (host, port) = (before, after)
    }
    let name = try text(decoded(host))
    guard !name.isEmpty else { throw RedisAddressError("a redis:// URL has a host") }
    guard let port else { return .network(host: name, port: 6379) }
    guard let number = number(port), let port = UInt16(exactly: number), port > 0 else {
      throw RedisAddressError("the port in a Redis URL is a number from 1 to 65535")
    }
    return .network(host: name, port: port)
  }

  private static func database(of digits: Substring) throws(RedisAddressError) -> Int {
    guard let number = number(digits), number <= Int(Int32.max) else {
      throw RedisAddressError("the database in a Redis URL is a number from 0")
    }
    return number
  }

  private static func number(_ digits: Substring) -> Int? {
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(digits)
  }

  /// What C can be given as a text.
  private static func text(_ bytes: [UInt8]) throws(RedisAddressError) -> String {
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
      throw RedisAddressError("the host or path in a Redis URL is not UTF-8")
    }
    return text
  }
}

/// Replaces %XX by bytes.
private func decoded(_ text: Substring) throws(RedisAddressError) -> [UInt8] {
  var bytes: [UInt8] = []
  var rest = text.utf8
  func digit() -> Int? {
    rest.popFirst().flatMap { Character(Unicode.Scalar($0)).hexDigitValue }
  }
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%") else {
      bytes.append(byte)
      continue
    }
    guard let high = digit(), let low = digit() else {
      throw RedisAddressError("in a Redis URL, two hexadecimal digits follow a %")
    }
    bytes.append(UInt8(high << 4 | low))
  }
  return bytes
}

extension Substring {
  /// What stands before and after a character; nil if it is not there.
  fileprivate func cut(atFirst character: Character) -> (Substring, Substring)? {
    firstIndex(of: character).map { (self[..<$0], self[index(after: $0)...]) }
  }

  /// The same for the last one.
  fileprivate func cut(atLast character: Character) -> (Substring, Substring)? {
    lastIndex(of: character).map { (self[..<$0], self[index(after: $0)...]) }
  }
}
