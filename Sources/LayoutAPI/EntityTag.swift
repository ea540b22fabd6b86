import HTTPMessages
import LayoutSessions

/// The ETag of a session's answer.
///
/// It is the version in quotes. Answers that depend on where the client has scrolled to carry the
/// number of ticks too, once there was one: scrolling changes them without changing the version.
struct EntityTag: Hashable {
  let version: Int
  let tickCount: Int?
}

extension EntityTag {
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

  /// The header field.
  var field: HTTPEntityTag {
    HTTPEntityTag(UInt(version.magnitude), tickCount.map { UInt($0.magnitude) })
  }

  /// Whether an `If-None-Match` field names a tag, which has its quotes, by weak comparison (RFC 9110,
  /// 13.1.2).
  static func isNamed(_ tag: @autoclosure () -> String, in field: Span<UInt8>) -> Bool {
    guard !field.isEmpty else { return false }
    let wanted = Array(tag().utf8.dropFirst().dropLast())
    return hasTag(field) { $0.isEqual(to: wanted.span) }
  }

  /// Whether an `If-Match` field names this version, whatever has been scrolled since.
  static func field(_ field: Span<UInt8>, names version: Int) -> Bool {
    let wanted = Array("\(version)".utf8)
    return hasTag(field) { tag in
      let dot = tag.firstIndex(of: UInt8(ascii: "."), from: 0)
      guard tag.extracting(0..<dot).isEqual(to: wanted.span) else { return false }
      return dot == tag.count
        || dot + 1 < tag.count && (dot + 1..<tag.count).allSatisfy { tag[$0].isDigit }
    }
  }

  /// Whether a field has a tag that is wanted, or any will do.
  ///
  /// A tag is looked at without its quotes, and without what proxies that compress make of it: `W/` in front, or
  /// a hyphen and the coding at the end, as Apache and lighttpd do. No tag of ours has a hyphen. A field may have
  /// thousands, from anybody: nothing of them is copied.
  private static func hasTag(_ field: Span<UInt8>, _ isWanted: (Span<UInt8>) -> Bool) -> Bool {
    let quote = UInt8(ascii: "\"")
    var start = 0
    var isQuoted = false
    for place in 0...field.count {
      if place < field.count {
        let byte = field[place]
        if byte == quote { isQuoted.toggle() }
        guard !isQuoted, byte == UInt8(ascii: ",") || byte == 0x20 || byte == 0x09 else { continue }
      }
      let item = field.extracting(start..<place)
      start = place + 1
      if item.isEqual(to: "*") { return true }
      let tag = item.extracting(droppingFirst: item.starts(with: "W/") ? 2 : 0)
      guard tag.count > 1, tag[0] == quote, tag[tag.count - 1] == quote else { continue }
      let text = tag.extracting(1..<tag.count - 1)
      if isWanted(text.extracting(0..<text.firstIndex(of: UInt8(ascii: "-"), from: 0))) {
        return true
      }
    }
    return false
  }
}
