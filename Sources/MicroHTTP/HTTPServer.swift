import CHTTPShim
public import HTTPMessages
import Synchronization

/// Why a server did not start.
public struct HTTPServerError: Error, Hashable, CustomStringConvertible {
  /// One sentence.
  public let description: String
}

/// An HTTP/1.1 server on threads of its own: libmicrohttpd below, a handler above.
///
/// Of this module only this file and those of its statistics and of the process cross into C; `http_shim.h` says
/// what crosses, who owns it and on which thread.
@safe public final class HTTPServer: Sendable {
  // Immutable from init on; the shim's functions may be called from any thread. Not Sendable for the
  // compiler because it is a C pointer.
  private nonisolated(unsafe) let server: OpaquePointer
  private let handler: HandlerBox
  private let phase = Mutex(Phase.running)

  private enum Phase {
    case running
    /// All threads have ended.
    case ended
    /// Somebody is still in the handler, for as long as the process lives.
    case abandoned
  }

  /// Starts a server: it accepts connections when this returns.
  ///
  /// - Parameters:
  ///   - configuration: How to serve.
  ///   - handler: What answers requests.
  /// - Throws: ``HTTPServerError`` if the address cannot be had, if the certificate or its key is of no use, or if
  ///   there is no memory, thread or descriptor left.
  public init(
    configuration: HTTPServerConfiguration, handler: any HTTPHandler
  ) throws(HTTPServerError) {
    let box = HandlerBox(handler)
    var message = [CChar](repeating: 0, count: 256)
    // Safe: both buffers outlive the call, and the server copies the host; it calls back with the
    // box until it is stopped, at the latest when this object, which keeps the box, goes.
    let started = unsafe withTexts(of: configuration) { host, certificate, key in
      let options = unsafe http_options(
        host: host, port: configuration.port,
        loops: UInt32(clamping: max(1, configuration.ioThreadCount)),
        workers: UInt32(clamping: max(1, configuration.workerThreadCount)),
        queue_capacity: max(0, configuration.queueCapacity),
        max_body_bytes: max(0, configuration.maximumBodySize),
        max_connections: UInt32(clamping: configuration.maximumConnectionCount),
        request_timeout_seconds: UInt32(clamping: configuration.requestTimeoutSeconds),
        idle_timeout_seconds: UInt32(clamping: configuration.idleTimeoutSeconds),
        min_answer_rate: Double(max(1, configuration.minimumAnswerRate)),
        max_connections_per_address: UInt32(
          clamping: configuration.maximumConnectionCountPerAddress),
        spares_loopback: configuration.sparesLoopback,
        max_held_bytes: max(0, configuration.maximumInFlightByteCount),
        max_target_bytes: max(0, configuration.maximumTargetSize),
        max_header_bytes: max(0, configuration.maximumHeaderSize),
        certificate: certificate, key: key)
      return unsafe withUnsafePointer(to: options) { options in
        unsafe message.withUnsafeMutableBufferPointer { message in
          unsafe message.baseAddress.flatMap { text in
            unsafe http_server_start(
              options, respond, didRefuse, didAnswer,
              Unmanaged.passUnretained(box).toOpaque(), text, message.count)
          }
        }
      }
    }
    guard let started = unsafe started else {
      let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw HTTPServerError(description: String(decoding: text, as: UTF8.self))
    }
    unsafe server = started
    self.handler = box
  }

  /// The port that it listens on.
  public var port: UInt16 { unsafe http_server_port(server) }

  /// How it is doing.
  public var statistics: HTTPServerStatistics {
    HTTPServerStatistics(unsafe http_server_statistics(server))
  }

  /// Stops: no new connections, what is under way is finished, all threads end.
  ///
  /// Blocks; who calls again waits for the first, and gets the same answer. Not to be called by the handler.
  /// The statistics can be read meanwhile and afterwards. A server that nobody holds any more stops at once.
  ///
  /// After that time what is still queued is answered 503, and the rest is cut off.
  ///
  /// - Parameter drainSeconds: How long to wait for what is under way.
  /// - Returns: Whether all threads have ended. If not, the handler still runs on one, and the
  ///   server is left as it is; the process should end.
  @discardableResult
  public func stop(drainSeconds: Int) -> Bool {
    phase.withLock { phase in
      if case .running = phase {
        let haveEnded = unsafe http_server_stop(server, UInt32(clamping: drainSeconds))
        if !haveEnded { _ = unsafe Unmanaged.passRetained(handler) }
        phase = haveEnded ? .ended : .abandoned
      }
      return phase == .ended
    }
  }

  deinit {
    // Safe: no thread of the server is left, and nobody else can ask it for anything any more.
    if stop(drainSeconds: 0) { unsafe http_server_free(server) }
  }
}

extension HTTPServerConfiguration {
  /// How many descriptors a server may have open at once: for its connections, for closed ones that are still
  /// read, and a few for each of its threads.
  public var maximumDescriptorCount: Int {
    let lingering = Int(HTTP_LINGERING_SOCKETS)
    return maximumConnectionCount + (ioThreadCount + 1) * (lingering + 8)
  }
}

/// Lends a configuration's texts to C for the length of a call.
private func withTexts<Result>(
  of configuration: HTTPServerConfiguration,
  _ body: (UnsafePointer<CChar>, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Result
) -> Result {
  unsafe configuration.host.withCString { host in
    guard let tls = configuration.tls else { return unsafe body(host, nil, nil) }
    return unsafe tls.certificateChain.withCString { certificate in
      unsafe tls.privateKey.withCString { key in unsafe body(host, certificate, key) }
    }
  }
}

/// Keeps a handler where C can point to it.
private final class HandlerBox: Sendable {
  let handler: any HTTPHandler
  init(_ handler: any HTTPHandler) { self.handler = handler }
}

/// The shim's handler: one crossing from C into Swift and back.
private func respond(
  context: UnsafeMutableRawPointer?, request: UnsafePointer<http_request>, stage: http_stage,
  reply: OpaquePointer
) -> Bool {
  guard let context = unsafe context else { return false }
  let lent = unsafe request.pointee
  // Safe: the server that calls keeps the box, so that nobody need count this use of it. The shim
  // lends all of the request for the length of this call, which the spans cannot escape.
  let response = unsafe Unmanaged<HandlerBox>.fromOpaque(context)._withUnsafeGuaranteedRef {
    (box) -> HTTPResponse? in
    let request = unsafe HTTPRequest(
      method: HTTPMethod(lent.method), path: span(lent.path), query: span(lent.query),
      fields: HTTPRequestFields(
        contentType: span(http_request_field(request, HTTP_FIELD_CONTENT_TYPE)),
        contentEncoding: span(http_request_field(request, HTTP_FIELD_CONTENT_ENCODING)),
        accept: span(http_request_field(request, HTTP_FIELD_ACCEPT)),
        ifMatch: span(http_request_field(request, HTTP_FIELD_IF_MATCH)),
        ifNoneMatch: span(http_request_field(request, HTTP_FIELD_IF_NONE_MATCH)),
        authorization: span(http_request_field(request, HTTP_FIELD_AUTHORIZATION)),
        origin: span(http_request_field(request, HTTP_FIELD_ORIGIN)),
        accessControlRequestMethod: span(
          http_request_field(request, HTTP_FIELD_ACCESS_CONTROL_REQUEST_METHOD))),
      body: span(lent.body), hasLength: lent.has_length, wasAnnounced: lent.was_announced,
      bodyPadding: Int(HTTP_BODY_PADDING), thread: Int(lent.thread), arrival: lent.arrival)
    let response =
      switch stage {
      case .HTTP_STAGE_HEADER: box.handler.refusal(ofLong: request)
      case .HTTP_STAGE_LOOP: box.handler.respond(to: request, mayTakeLong: false)
      case .HTTP_STAGE_WORKER: box.handler.respond(to: request, mayTakeLong: true)
      }
    // What is short is never too much, whoever it is for.
    if let response, response.content.byteCount <= Int(HTTP_UNCHECKED_BYTES) { return response }
    unsafe http_reply_put_in_line(reply, number(of: box.handler.line(of: request)))
    return response
  }
  guard let response else { return false }
  unsafe add(response.otherFields, to: reply)
  if response.changesNothing { unsafe http_reply_changes_nothing(reply) }
  let isRead = unsafe lent.method == .HTTP_METHOD_GET || lent.method == .HTTP_METHOD_HEAD
  unsafe fill(reply, with: response.content, response.status, isRead: isRead)
  return true
}

/// A line as the shim numbers them.
private func number(of line: WaitingLine) -> UInt32 {
  switch line {
  case .shared: UInt32(HTTP_LINE_SHARED)
  case .unidentified: UInt32(HTTP_LINE_UNIDENTIFIED)
  case .own(let number): UInt32(truncatingIfNeeded: HTTP_FIRST_OWN_LINE &+ number)
  }
}

/// Adds header fields to a reply.
private func add(_ fields: [HTTPField], to reply: OpaquePointer) {
  for field in fields { unsafe http_reply_header(reply, field.name, field.value) }
}

/// Fills in a reply's status and all that belongs to its content, which the reply owns from here on.
private func fill(
  _ reply: OpaquePointer, with content: consuming HTTPContent, _ status: HTTPStatus, isRead: Bool
) {
  // Safe: a constant's bytes, which a NUL follows, live as long as the process; the tag's are copied
  // during the call.
  unsafe withTag(of: content) { unsafe http_reply_describe(reply, type(of: content), $0, $1) }
  // Safe: the bytes stay where they are as long as the content, which is released with the reply.
  content.withBytes { bytes in
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe http_reply_body(
        reply, UInt32(status.rawValue), content.isUnwritten ? nil : bytes.baseAddress,
        content.byteCount, releaseContent, Unmanaged.passUnretained(content).toOpaque())
    }
  }
  if content.isKept, let prepared = unsafe prepared(content, isRead: isRead) {
    // Safe: what is prepared lives as long as the content, which the reply holds.
    unsafe http_reply_prepared(reply, prepared)
  }
  // Handed over as it came: nothing is counted.
  _ = unsafe Unmanaged.passRetained(content)
}

/// The shim's observer of refusals.
private func didRefuse(
  context: UnsafeMutableRawPointer?, status: UInt32, target: http_bytes, origin: http_bytes,
  requestID: UnsafePointer<CChar>, reply: OpaquePointer?
) {
  guard let context = unsafe context else { return }
  let name = unsafe String(cString: requestID)
  // Safe: as for a request; the target and the origin are lent for the length of the call.
  let fields = unsafe Unmanaged<HandlerBox>.fromOpaque(context)._withUnsafeGuaranteedRef { box in
    unsafe box.handler.didRefuse(
      status: HTTPStatus(rawValue: UInt16(clamping: status)), target: span(target),
      origin: span(origin), requestID: name)
  }
  if let reply = unsafe reply { unsafe add(fields, to: reply) }
}

/// The shim's observer of answers.
private func didAnswer(context: UnsafeMutableRawPointer?) {
  guard let context = unsafe context else { return }
  // Safe: as for a request.
  unsafe Unmanaged<HandlerBox>.fromOpaque(context)._withUnsafeGuaranteedRef { box in
    box.handler.didAnswer()
  }
}

/// Lends a content's tag to C for the length of a call; nothing if it has none.
private func withTag<Result>(
  of content: HTTPContent, _ body: (UnsafePointer<UInt8>?, Int) -> Result
) -> Result {
  guard let tag = content.tag else { return body(nil, 0) }
  let bytes = tag.bytes
  return unsafe bytes.withUnsafeBufferPointer { unsafe body($0.baseAddress, $0.count) }
}

/// A content's type as C takes it.
private func type(of content: HTTPContent) -> UnsafePointer<CChar>? {
  guard let type = content.type, type.hasPointerRepresentation else { return nil }
  return unsafe UnsafeRawPointer(type.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// What is prepared to send a content that is sent often; nil if there is no memory.
private func prepared(_ content: HTTPContent, isRead: Bool) -> OpaquePointer? {
  let handle = content.prepared {
    // Not the content itself, which holds what is prepared: nobody would ever let go.
    let copy = HTTPContent(content.bytes)
    // Safe: as for a reply; the copy is released when nobody is sent it any more.
    let prepared = unsafe copy.withBytes { bytes in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe withTag(of: content) { tag, count in
          unsafe http_prepare(
            type(of: content), tag, count, isRead, bytes.baseAddress, bytes.count, releaseContent,
            Unmanaged.passRetained(copy).toOpaque())
        }
      }
    }
    return unsafe prepared.map { prepared in
      HTTPContent.Prepared(handle: UInt(bitPattern: prepared)) { handle in
        // Safe: the number is what was made above, and this is called once.
        if let prepared = unsafe OpaquePointer(bitPattern: handle) {
          unsafe http_prepared_free(prepared)
        }
      }
    }
  }
  return unsafe handle.flatMap { unsafe OpaquePointer(bitPattern: $0) }
}

/// Gives a content back; called once for each reply and each prepared answer, on any thread.
private func releaseContent(owner: UnsafeMutableRawPointer?) {
  guard let owner = unsafe owner else { return }
  unsafe Unmanaged<HTTPContent>.fromOpaque(owner).release()
}

/// Lent bytes as a span; the caller bounds its life.
@_lifetime(immortal)
private func span(_ bytes: http_bytes) -> Span<UInt8> {
  let span = unsafe Span(_unsafeStart: bytes.start, count: bytes.count)
  return unsafe _overrideLifetime(span, borrowing: ())
}

extension HTTPMethod {
  fileprivate init(_ method: http_method) {
    self =
      switch method {
      case .HTTP_METHOD_GET: .get
      case .HTTP_METHOD_HEAD: .head
      case .HTTP_METHOD_POST: .post
      case .HTTP_METHOD_PUT: .put
      case .HTTP_METHOD_PATCH: .patch
      case .HTTP_METHOD_DELETE: .delete
      case .HTTP_METHOD_OPTIONS: .options
      case .HTTP_METHOD_OTHER: .other
      }
  }
}
