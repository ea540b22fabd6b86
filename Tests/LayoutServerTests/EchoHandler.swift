import HTTPMessages
import Synchronization

/// Answers with what came in; takes its orders from the path.
///
/// `/work` is answered on a worker, `/wait` there and only after ``open()``, `/size/N` with N bytes,
/// `/kept` with what it keeps.
final class EchoHandler: HTTPHandler {
  private let isOpen = Atomic(false)
  private let waiting = Atomic(0)

  /// What is sent again and again.
  private let kept = HTTPContent(
    Array("kept".utf8), type: "text/kept", tag: HTTPEntityTag(.max, 7), isKept: true)

  /// Lets those go on that wait.
  func open() { isOpen.store(true, ordering: .releasing) }

  /// How many wait on workers.
  var waitingCount: Int { waiting.load(ordering: .acquiring) }

  func respond(to request: borrowing HTTPRequest, mayTakeLong: Bool) -> HTTPResponse? {
    let path = text(request.path)
    if path == "/work" || path == "/wait", !mayTakeLong { return nil }
    if path == "/wait" {
      waiting.add(1, ordering: .acquiringAndReleasing)
      while !isOpen.load(ordering: .acquiring) { pause() }
      waiting.subtract(1, ordering: .acquiringAndReleasing)
    }
    if path == "/kept" { return HTTPResponse(status: .ok, content: kept) }
    let type = [HTTPField(name: "Content-Type", value: "text/plain")]
    if path.hasPrefix("/size/"), let size = Int(path.dropFirst(6)) {
      return HTTPResponse(status: .ok, fields: type, body: [UInt8](repeating: 0x61, count: size))
    }
    var sum: UInt64 = 0
    for index in request.body.indices { sum = sum &* 31 &+ UInt64(request.body[index]) }
    let line =
      "\(request.method.rawValue) \(path) ?\(text(request.query)) "
      + "\(text(request.fields.contentType)) \(request.body.count) \(sum) worker=\(mayTakeLong)"
    return HTTPResponse(status: .ok, fields: type, body: Array(line.utf8))
  }

  private func text(_ bytes: Span<UInt8>) -> String {
    var copy: [UInt8] = []
    for index in bytes.indices { copy.append(bytes[index]) }
    return String(decoding: copy, as: UTF8.self)
  }

  private func pause() {
    // Long enough not to burn a core, short enough not to be felt.
    for _ in 0..<10_000 where isOpen.load(ordering: .relaxed) { return }
  }
}

/// The sum that the handler answers with.
func checksum(_ bytes: [UInt8]) -> UInt64 {
  bytes.reduce(0) { $0 &* 31 &+ UInt64($1) }
}
