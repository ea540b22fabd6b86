/// The methods of requests.
public enum HTTPMethod: String, Sendable, Hashable, CaseIterable {
  /// Read.
  case get = "GET"
  /// Read, header only.
  case head = "HEAD"
  /// Create, or ask with a body.
  case post = "POST"
  /// Replace.
  case put = "PUT"
  /// Change in part.
  case patch = "PATCH"
  /// Remove.
  case delete = "DELETE"
  /// Ask what is allowed.
  case options = "OPTIONS"
  /// Any other token; nothing takes it.
  case other = ""
}
