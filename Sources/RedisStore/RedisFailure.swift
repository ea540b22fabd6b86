import LayoutSessions

/// What went wrong between here and Redis, and how far it had got.
enum RedisFailure: Error {
  /// Nothing has been done: Redis was not reached, or not sent all of a command, or refused to
  /// begin.
  case notDone(String)
  /// Redis was sent everything, and nobody knows what it did with it. If the connection was lost, a
  /// new one may do better.
  case unanswered(String, isLost: Bool)
  /// Redis answered with an error.
  case error(String)
  /// What is kept is not as it should be; nothing has been done.
  case unreadable(String)

  /// What there is to say.
  var words: String { ofWrite.detail }

  /// What it means for whoever asked for a write.
  var ofWrite: StoreError {
    switch self {
    case .notDone(let words): StoreError(.unavailable, words)
    case .unanswered(let words, _): StoreError(.uncertain, words)
    case .error(let words): StoreError(RedisFailure.kind(of: words) ?? .uncertain, words)
    case .unreadable(let words): StoreError(.unreadable, words)
    }
  }

  /// What it means for whoever asked for a read, which changes nothing that matters.
  var ofRead: StoreError {
    let error = ofWrite
    return error.kind == .uncertain ? StoreError(.unavailable, error.detail) : error
  }

  /// Errors with which Redis says that it has not executed a command; any other may come out of the
  /// middle of a script.
  private static let harmless: Set<Substring> = [
    "ASK", "BUSY", "CLUSTERDOWN", "CROSSSLOT", "DENIED", "LOADING", "MASTERDOWN", "MISCONF",
    "MOVED",
    "NOAUTH", "NOPERM", "NOREPLICAS", "NOSCRIPT", "OOM", "READONLY", "TRYAGAIN", "WRONGPASS",
  ]

  /// What an error means; nil if that cannot be known.
  ///
  /// - Parameter words: The error, which begins with a code.
  /// - Returns: What is wrong.
  static func kind(of words: String) -> StoreError.Kind? {
    // Scripts read before they write, so that this comes from reading.
    if words.contains("WRONGTYPE") { return .unreadable }
    guard let code = words.split(separator: " ").first, harmless.contains(code) else { return nil }
    // A right that is missing may be missing in the middle.
    return code == "NOPERM" && words.contains("in script") ? nil : .unavailable
  }
}
