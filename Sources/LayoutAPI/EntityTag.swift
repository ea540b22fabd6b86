import HTTPMessages
import LayoutSessions

/// The ETag of a session's answer.
///
/// It is the version in quotes. Answers that depend on where the client has scrolled to carry the
/// number of ticks too, once there was one: scrolling changes them without changing the version.
struct EntityTag: Hashable {
  let version: Int
  let tickCount: Int?

  /// A tag of its parts.
  init(version: Int, tickCount: Int?) {
    self.version = version
    self.tickCount = tickCount
  }

  /// The tag of an answer.
  ///
  /// - Parameters:
  ///   - session: The session answered from.
  ///   - dependsOnScrolling: Whether a tick may change the answer; each step of an interactive
  ///     movement changes any.
  init(_ session: Session.Snapshot, dependsOnScrolling: Bool = false) {
    version = session.version
    let isPassing = dependsOnScrolling || session.revision.isMoving
    tickCount = isPassing && session.tickCount > 0 ? session.tickCount : nil
  }

  /// As it stands in the header.
  var value: String { tickCount.map { "\"\(version).\($0)\"" } ?? "\"\(version)\"" }

  /// The header field.
  var field: HTTPEntityTag {
    HTTPEntityTag(UInt(version.magnitude), tickCount.map { UInt($0.magnitude) })
  }

  /// Whether an `If-None-Match` field names a tag, which has its quotes, by weak comparison (RFC 9110,
  /// 13.1.2).
  static func isNamed(_ tag: @autoclosure () -> String, in field: Span<UInt8>) -> Bool {
    guard !field.isEmpty else { return false }
    let wanted = Array(tag().utf8)
    return EntityTag.tags(in: field).contains { $0 == [UInt8(ascii: "*")] || $0 == wanted }
  }

  /// Whether an `If-Match` field names this version, whatever has been scrolled since.
  static func field(_ field: Span<UInt8>, names version: Int) -> Bool {
    tags(in: field).contains { tag in
      if tag == [UInt8(ascii: "*")] { return true }
      guard tag.first == UInt8(ascii: "\""), tag.last == UInt8(ascii: "\"") else { return false }
      let parts = tag.dropFirst().dropLast().split(
        separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      return parts.count <= 2 && parts.first?.elementsEqual("\(version)".utf8) == true
        && parts.dropFirst().allSatisfy { ticks in
          !ticks.isEmpty && ticks.allSatisfy { (0x30...0x39).contains($0) }
        }
    }
  }

  /// The tags of a field, without what proxies that compress make of them.
  ///
  /// That is `W/` in front, or a hyphen and the coding at the end, as Apache and lighttpd do. No tag of ours
  /// has a hyphen.
  private static func tags(in field: Span<UInt8>) -> [[UInt8]] {
    var tags: [[UInt8]] = []
    var tag: [UInt8] = []
    var isQuoted = false
    for index in field.indices {
      let byte = field[index]
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if !isQuoted && (byte == UInt8(ascii: ",") || byte == 0x20 || byte == 0x09) {
        if !tag.isEmpty { tags.append(tag) }
        tag = []
      } else {
        tag.append(byte)
      }
    }
    if !tag.isEmpty { tags.append(tag) }
    return tags.map { tag in
      let strong = tag.starts(with: Array("W/".utf8)) ? tag.dropFirst(2) : tag[...]
      guard strong.last == UInt8(ascii: "\""),
        let hyphen = strong.firstIndex(of: UInt8(ascii: "-"))
      else { return Array(strong) }
      return strong[..<hyphen] + [UInt8(ascii: "\"")]
    }
  }
}
