/// Who is at the other end of a listener.
public enum Audience: Sendable {
  /// Whoever it is: everything is there.
  case everyone
  /// Those who call the API: health and metrics are not there.
  case clients
  /// Those who run the server: only health and metrics are there.
  case operators
}

extension Audience {
  /// Whether a route is there for it.
  func sees(_ route: Route) -> Bool {
    switch self {
    case .everyone: true
    case .clients: !route.isForOperators
    case .operators: route.isForOperators
    }
  }

  /// Whether a key is asked for at a path: where it belongs to the API, whatever is there.
  func needsKey(_ path: Span<UInt8>) -> Bool {
    switch self {
    case .everyone, .clients: path.starts(with: "/v1/")
    case .operators: false
    }
  }
}
