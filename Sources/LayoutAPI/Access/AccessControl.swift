import HTTPMessages
import LayoutSessions
import Synchronization

/// Who may ask: the keys that are known now, and what each tenant has used up.
public final class AccessControl: Sendable {
  private struct State {
    /// By name, those included whose keys are gone: their sessions are theirs when they come back.
    var tenants: [String: Tenant] = [:]
    /// The tenant of each key.
    var holders: [KeyDigest: Tenant] = [:]
    /// Whether all keys are one tenant's.
    var isOneHolder = false
  }

  private let state: Mutex<State>
  private let requestsPerSecond: Int
  /// Who comes without a key where none is needed; nil where one is.
  private let anonymous: Tenant?

  /// Makes an access control.
  ///
  /// - Parameters:
  ///   - keys: The keys; nil if everybody may ask.
  ///   - requestsPerSecond: How many requests each tenant may make in a second, on average; a second's worth may
  ///     come at once. Without keys, how many all may make together. 0 for as many as come.
  public init(keys: APIKeys? = nil, requestsPerSecond: Int = 0) {
    self.requestsPerSecond = requestsPerSecond
    anonymous = keys == nil ? Tenant(owner: .anonymous, rate: requestsPerSecond) : nil
    state = Mutex(State())
    if let keys { replaceKeys(by: keys) }
  }

  /// Takes new keys instead of those that were: the next request counts by them.
  ///
  /// - Parameter keys: The keys. Tenants keep their sessions, by name.
  public func replaceKeys(by keys: APIKeys) {
    state.withLock { state in
      state.holders = [:]
      state.isOneHolder = Set(keys.entries.map(\.name)).count == 1
      for entry in keys.entries {
        let known = state.tenants[entry.name]
        let tenant =
          known
          ?? Tenant(
            owner: SessionOwner(number: state.tenants.count + 1, name: entry.name),
            rate: requestsPerSecond)
        state.tenants[entry.name] = tenant
        state.holders[entry.digest] = tenant
      }
    }
  }

  /// Finds out who asks.
  ///
  /// That takes as long with many keys as with one, and tells nothing of them: ``KeyDigest``.
  ///
  /// - Parameter authorization: The value of the field `Authorization`; empty if there is none.
  /// - Returns: The tenant; nil if there is no such key, or if no key follows `Bearer`, in whatever case, and
  ///   blanks (RFC 9110, 11.1 and 11.4).
  func tenant(authorization: Span<UInt8>) -> Tenant? {
    if let anonymous { return anonymous }
    let scheme: StaticString = "Bearer "
    guard authorization.starts(withAnyCaseOf: scheme) else { return nil }
    var start = scheme.utf8CodeUnitCount
    while start < authorization.count, authorization[start] == 0x20 { start += 1 }
    guard let digest = KeyDigest(of: authorization.extracting(droppingFirst: start)) else {
      return nil
    }
    return state.withLock { $0.holders[digest] }
  }

  /// Finds out in which line who asks is to wait.
  ///
  /// - Parameter authorization: The value of the field `Authorization`; empty if there is none.
  /// - Returns: The shared one where there is one tenant only, which need not leave anything to others.
  func line(authorization: Span<UInt8>) -> WaitingLine {
    guard anonymous == nil else { return .shared }
    guard let tenant = tenant(authorization: authorization) else { return .unidentified }
    return state.withLock(\.isOneHolder) ? .shared : .own(tenant.owner.number)
  }
}

/// Who asks.
final class Tenant: Sendable {
  /// Whose the sessions are that are made.
  let owner: SessionOwner
  private let rate: RequestRate?

  init(owner: SessionOwner, rate: Int) {
    self.owner = owner
    self.rate = rate > 0 ? RequestRate(perSecond: rate) : nil
  }

  /// Counts a request.
  ///
  /// - Parameter now: The time; asked only where there is a limit.
  /// - Returns: Nil if it may be answered; else how long to wait.
  func countRequest(at now: @autoclosure () -> Duration) -> Duration? { rate?.take(at: now()) }
}

/// So many requests a second, and a second's worth at once: the generic cell rate algorithm, in one
/// number.
final class RequestRate: Sendable {
  /// Nanoseconds between requests.
  private let interval: Int64
  /// When the next request would come if all came evenly, in nanoseconds; in the past if few come.
  private let next = Atomic<Int64>(0)

  private static let second: Int64 = 1_000_000_000

  init(perSecond: Int) {
    interval = max(1, RequestRate.second / Int64(clamping: max(1, perSecond)))
  }

  /// Counts a request, if it may be answered.
  ///
  /// - Parameter now: The time on a clock that never goes back, from 0.
  /// - Returns: Nil if it may be answered; else how long to wait.
  func take(at now: Duration) -> Duration? {
    let (seconds, attoseconds) = now.components
    let now = seconds &* RequestRate.second &+ attoseconds / 1_000_000_000
    var old = next.load(ordering: .relaxed)
    while true {
      // Its own place must still lie within the second.
      let new = max(old, now) &+ interval
      let early = new &- now &- RequestRate.second
      if early > 0 { return .nanoseconds(early) }
      let (isDone, current) = next.weakCompareExchange(
        expected: old, desired: new, ordering: .relaxed)
      if isDone { return nil }
      old = current
    }
  }
}
