import HTTPMessages

/// Which pages' scripts may call, as browsers ask for it (the Fetch standard, 3.2).
public struct CORSPolicy: Sendable {
  private let origins: [String]
  private let takesAll: Bool

  /// Nobody's.
  public static let none = CORSPolicy(origins: [])

  /// Makes a policy.
  ///
  /// - Parameter origins: As browsers send them, `https://example.org`, or `*` for all.
  public init(origins: [String]) {
    self.origins = origins
    takesAll = origins.contains("*")
  }

  /// Whether no page's script may call.
  var isNone: Bool { origins.isEmpty }

  /// Whether a text is an origin, or `*`.
  ///
  /// - Parameter text: The text.
  /// - Returns: Whether browsers could send it.
  public static func isOrigin(_ text: String) -> Bool {
    if text == "*" { return true }
    guard text.utf8.count <= 200, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return false
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].count > 1, parts[0].hasSuffix(":"), parts[1].isEmpty,
      !parts[2].isEmpty, !parts[2].contains(where: { "?#@\\*^|<>%".contains($0) })
    else { return false }
    // Of other schemes a browser's extension or an application's shell may make what it likes.
    let standards = ["http:": "80", "https:": "443"]
    guard let standard = standards[parts[0].lowercased()] else { return true }
    guard text == text.lowercased() else { return false }
    guard let rest = afterHost(parts[2]) else { return false }
    if rest.isEmpty { return true }
    let port = rest.dropFirst()
    return rest.first == ":"
      && UInt16(port).map { $0 > 0 && "\($0)" == port && port != standard } ?? false
  }

  /// What follows a host, or an address in brackets: nothing, or a colon and a port; nil if there is no host.
  private static func afterHost(_ text: Substring) -> Substring? {
    guard text.first == "[" else {
      let rest = text.drop { $0 != ":" && $0 != "[" && $0 != "]" }
      return rest.startIndex > text.startIndex && rest.dropFirst().allSatisfy(\.isNumber)
        ? rest : nil
    }
    let address = text.dropFirst().prefix { $0.isHexDigit || $0 == ":" || $0 == "." }
    guard address.count(where: { $0 == ":" }) > 1, address.endIndex < text.endIndex,
      text[address.endIndex] == "]"
    else { return nil }
    return text[text.index(after: address.endIndex)...]
  }

  /// The origin as an answer's field names it; nil if it may not call.
  private func allowed(_ origin: Span<UInt8>) -> String? {
    if origin.isEmpty { return nil }
    if takesAll { return "*" }
    return origins.first { origin.isEqual(to: $0.utf8.span) }
  }

  /// The fields by which an answer may be read by the page that asked, whose origin is given.
  func fields(for origin: Span<UInt8>) -> [HTTPField] {
    guard !isNone else { return [] }
    // Caches must not give one origin's answer to another.
    let vary = takesAll ? [] : [HTTPField(name: "Vary", value: "Origin")]
    guard let origin = allowed(origin) else { return vary }
    return [
      HTTPField(name: "Access-Control-Allow-Origin", value: origin),
      HTTPField(
        name: "Access-Control-Expose-Headers", value: "ETag, Location, Retry-After, Allow"),
    ] + vary
  }

  /// The further fields that answer a browser's question before the request itself; none if it is no
  /// such question.
  func preflightFields(
    for request: borrowing HTTPRequest, allow: String
  ) -> [HTTPField] {
    guard !request.fields.accessControlRequestMethod.isEmpty,
      allowed(request.fields.origin) != nil
    else { return [] }
    return [
      HTTPField(name: "Access-Control-Allow-Methods", value: allow),
      HTTPField(
        name: "Access-Control-Allow-Headers",
        value: "Authorization, Content-Type, If-Match, If-None-Match"),
      HTTPField(name: "Access-Control-Max-Age", value: "600"),
    ]
  }
}
