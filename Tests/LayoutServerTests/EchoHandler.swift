import Foundation
import Glibc
import HTTPMessages
import MicroHTTP
import Synchronization
import Testing

/// Answers with what came in; takes its orders from the path.
///
/// `/work` is answered on a worker, `/nap` there after a while, `/wait` there and only after ``open()``,
/// `/stall` after that too, and nobody else of its loop before, `/rest` on a worker that has something left
/// to do until then, `/size/N` with N bytes, `/dry/N` with as many and that nothing has changed, `/refused/N`
/// with a refusal of as many, `/kept` with what it keeps, `/thread` with who answers,
/// `/task` with what the system calls that thread, `/cached` with how long that is good for, `/unfit` and
/// `/unfit/kept` with a field that cannot be sent,
/// `/short/AB` with 900 times the letter A and the tag of the letter B, `/short/A-B` with 1,000; these and
/// `/kept` with the request's origin in a field of their own. A long body is refused whose `Authorization` is
/// `none`; a number there is that of one who is known, `strange` nobody's.
final class EchoHandler: HTTPHandler {
  private let isOpen = Atomic(false)
  private let waiting = Atomic(0)
  private let hasRest = Atomic(false)

  /// What is sent again and again.
  private let kept = HTTPContent(
    Array("kept".utf8), type: "text/kept", tag: HTTPEntityTag(.max, 7), isKept: true)

  /// What is kept with a type that cannot be sent, as if there were no memory for it.
  private let unfit = HTTPContent(Array("kept".utf8), type: "text/kept\n", isKept: true)

  /// What the server has refused itself, in order.
  private let refused = Mutex<[Refusal]>([])

  /// One refusal as it was told.
  struct Refusal: Hashable {
    var status: HTTPStatus
    var target: String
    var requestID: String
  }

  var refusals: [Refusal] { refused.withLock { $0 } }

  /// The queries that workers have answered, in order.
  private let answered = Mutex<[String]>([])

  var answeredQueries: [String] { answered.withLock { $0 } }

  func line(of request: borrowing HTTPRequest) -> WaitingLine {
    let name = text(request.fields.authorization)
    return Int(name).map(WaitingLine.own) ?? (name == "strange" ? .unidentified : .shared)
  }

  func didRefuse(
    status: HTTPStatus, target: Span<UInt8>, origin: Span<UInt8>, requestID: String
  ) -> [HTTPField] {
    let refusal = Refusal(status: status, target: text(target), requestID: requestID)
    refused.withLock { $0.append(refusal) }
    return [HTTPField(name: "X-Origin", value: text(origin))]
  }

  /// Lets those go on that wait.
  func open() { isOpen.store(true, ordering: .releasing) }

  /// Lets those that come wait again.
  func close() { isOpen.store(false, ordering: .releasing) }

  /// How many wait.
  var waitingCount: Int { waiting.load(ordering: .acquiring) }

  func refusal(ofLong request: borrowing HTTPRequest) -> HTTPResponse? {
    text(request.fields.authorization) == "none" ? HTTPResponse(status: .unauthorized) : nil
  }

  func respond(to request: borrowing HTTPRequest, mayTakeLong: Bool) -> HTTPResponse? {
    let path = text(request.path)
    if ["/work", "/wait", "/rest", "/nap", "/thread/worker"].contains(path), !mayTakeLong {
      return nil
    }
    if mayTakeLong {
      let query = text(request.query)
      answered.withLock { $0.append(query) }
    }
    if path == "/rest" { hasRest.store(true, ordering: .releasing) }
    if path == "/nap" { usleep(100_000) }
    if path == "/wait" || path == "/stall" { wait() }
    let origin = text(request.fields.origin)
    let fields = origin.isEmpty ? [] : [HTTPField(name: "X-Origin", value: origin)]
    if path == "/kept" { return HTTPResponse(status: .ok, content: kept, otherFields: fields) }
    if path == "/unfit" {
      return HTTPResponse(status: .ok, fields: [HTTPField(name: "X-Unfit\n", value: "a")])
    }
    if path == "/unfit/kept" { return HTTPResponse(status: .ok, content: unfit) }
    if path == "/cached" {
      return HTTPResponse(
        status: .ok, fields: [HTTPField(name: "cache-control", value: "max-age=60")])
    }
    if path.hasPrefix("/short/"), let letter = path.dropFirst(7).utf8.first,
      let tag = path.utf8.last
    {
      let size = path.utf8.count == 10 ? 1000 : 900
      let content = HTTPContent(
        [UInt8](repeating: letter, count: size), type: letter < 0x61 ? "text/upper" : "text/short",
        tag: HTTPEntityTag(UInt(tag)))
      return HTTPResponse(status: .ok, content: content, otherFields: fields)
    }
    let type = [HTTPField(name: "Content-Type", value: "text/plain")]
    if path.hasPrefix("/thread") {
      let line = "\(request.thread) \(request.arrival)"
      return HTTPResponse(status: .ok, fields: type, body: Array(line.utf8))
    }
    if path == "/task" {
      let task = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
      let number = task?.split(separator: "/").last ?? ""
      return HTTPResponse(status: .ok, fields: type, body: Array(number.utf8))
    }
    let parts = path.split(separator: "/")
    if parts.count == 2, ["size", "dry", "refused"].contains(parts[0]), let size = Int(parts[1]) {
      let body = [UInt8](repeating: 0x61, count: size)
      let response = HTTPResponse(
        status: parts[0] == "refused" ? .conflict : .ok, fields: type, body: body)
      return parts[0] == "dry" ? response.changingNothing : response
    }
    let sum = checksum(request.body)
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

  func didAnswer() {
    if hasRest.exchange(false, ordering: .acquiringAndReleasing) { wait() }
  }

  private func wait() {
    waiting.add(1, ordering: .acquiringAndReleasing)
    while !isOpen.load(ordering: .acquiring) { usleep(1000) }
    waiting.subtract(1, ordering: .acquiringAndReleasing)
  }
}

/// The sum that the handler answers with; 0 if there is nothing.
///
/// By the standard library, which no sanitizer watches: to add up megabytes one by one takes it as long as a
/// server waits for a request.
func checksum(_ bytes: Span<UInt8>) -> UInt64 {
  guard !bytes.isEmpty else { return 0 }
  var hasher = Hasher()
  unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  return UInt64(UInt(bitPattern: hasher.finalize()))
}

func checksum(_ bytes: [UInt8]) -> UInt64 { checksum(bytes.span) }

/// A body by chance, from the system: to make megabytes one by one takes as long as to add them up.
func randomBytes(_ count: Int) -> [UInt8] {
  unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, made in
    // Safe: there is room for as many.
    if let start = buffer.baseAddress { unsafe arc4random_buf(start, count) }
    made = count
  }
}

/// A server for a test, on a port of its own.
func startServer(
  _ handler: any HTTPHandler = EchoHandler(),
  change: (inout HTTPServerConfiguration) -> Void = { _ in }
) throws -> HTTPServer {
  var configuration = HTTPServerConfiguration(maximumBodySize: 1 << 22)
  change(&configuration)
  return try HTTPServer(configuration: configuration, handler: handler)
}

extension RawClient {
  /// Whoever waits for an answer, or for the end, has waited in vain.
  func nothingHasCome() { Issue.record("nothing has come, and no end") }
}

/// A server that stops, on a thread of its own: those that tests run on may all be waiting.
final class Stopping: Sendable {
  private let outcome = Mutex<Bool?>(nil)

  /// Begins; connections are refused when this returns.
  init(_ server: HTTPServer, drainSeconds: Int = 120) {
    Thread.detachNewThread { [self] in
      let haveEnded = server.stop(drainSeconds: drainSeconds)
      outcome.withLock { $0 = haveEnded }
    }
    waitUntil { !RawClient(port: server.port).isConnected }
  }

  /// Whether all threads have ended, waiting for it.
  var haveEnded: Bool {
    waitUntil { outcome.withLock { $0 } != nil }
    return outcome.withLock { $0 } == true
  }
}
