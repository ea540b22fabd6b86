import Glibc
import HTTPMessages
import LayoutAPI
import MicroHTTP
import Synchronization
import Testing

@testable import layoutd

/// The service behind the real server.
@Suite(.waits) struct LiveServiceTests {
  private func post(_ path: String, _ body: String) -> String {
    "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  private func start(_ access: AccessControl = AccessControl()) throws -> HTTPServer {
    try HTTPServer(
      configuration: HTTPServerConfiguration(),
      handler: ListenerHandler(
        service: LayoutService(access: access, now: { .zero }), audience: .everyone, log: nil,
        format: .text))
  }

  /// The answer to who makes a session.
  private func makeSession(_ description: String, by client: RawClient) throws -> RawClient.Answer {
    client.send(post("/v1/sessions", description))
    let created = try #require(client.receive())
    #expect(created.status == 201)
    return created
  }

  @Test func aSessionIsMadeScrolledAndDeletedOverOneConnection() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    let created = try makeSession(
      #"{"collection":{"sections":[{"items":{"count":1000000000}}]},"layout":{"kind":"flow"},"viewport":{"width":320,"height":480}}"#,
      by: client)
    let path = try #require(created.field("Location"))
    // Three ticks and a question at once.
    client.send(
      [100, 6_000_000_000, 0].map {
        post(path + "/scroll", #"{"contentOffset":{"x":0,"y":\#($0)}}"#)
      }.joined() + "GET \(path)/item-at?x=1&y=1 HTTP/1.1\r\nHost: a\r\n\r\n")
    for _ in 0..<3 { #expect(client.receive()?.status == 200) }
    #expect(client.receive()?.text == #"{"version":1,"indexPath":[0,0]}"#)
    client.send("DELETE \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receive()?.status == 204)
    client.send("HEAD \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receive(withoutBody: true)?.status == 404)
  }

  /// Who may ask no more is told so before a long body has come; and one that comes is counted once.
  @Test func aLongBodyIsCountedByItsHeader() throws {
    let server = try start(AccessControl(requestsPerSecond: 2))
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    for _ in 0..<2 {
      client.send(post("/v1/layout", String(repeating: " ", count: 100_000)))
      #expect(client.receive()?.status == 400)
    }
    client.send(
      "POST /v1/layout HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        + "Content-Length: 100000\r\n\r\n")
    #expect(client.receive()?.status == 429)
  }

  /// What was counted by its header is no reason not to count what comes after it.
  @Test func whatComesAfterALongBodyIsCounted() throws {
    let server = try start(AccessControl(requestsPerSecond: 2))
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    client.send(post("/v1/layout", String(repeating: " ", count: 100_000)))
    #expect(client.receive()?.status == 400)
    for status in [400, 429] {
      client.send(post("/v1/layout", " "))
      #expect(client.receive()?.status == status)
    }
  }

  /// Whoever takes them slowly, for which nobody needs a key, must not keep others from their answers.
  @Test func filesAreHeldOnceForAll() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 0) }
    let clients = ["/openapi.yaml", "/playground/gallery.json"].map { path in
      let client = RawClient(port: server.port, receiveBuffer: 2048)
      client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
      return client
    }
    waitUntil { server.statistics.inFlightCount == clients.count }
    #expect(server.statistics.inFlightCount == clients.count)
    #expect(server.statistics.heldByteCount == 0)
  }

  /// Each header field is taken for itself on the way through the server.
  @Test func everyFieldIsTakenForItself() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    let created = try makeSession(
      #"{"collection":{"sections":[]},"layout":{"kind":"list"},"viewport":{"width":9,"height":9}}"#,
      by: client)
    let path = try #require(created.field("Location"))
    let tag = try #require(created.field("ETag"))
    let body = #"{"layout":{"kind":"list"}}"#
    let head = "Host: a\r\nContent-Length: \(body.utf8.count)\r\n"
    for (fields, status) in [
      ("Content-Type: application/json\r\ncontent-encoding: gzip \r\n", 415),
      ("Content-Type: text/plain\r\n", 415), ("Content-Encoding: application/json\r\n", 415),
      ("Content-Type: application/json\r\nAccept: text/css\r\n", 406),
      // What is said of the type itself counts, wherever it stands.
      ("Content-Type: application/json\r\nAccept: application/json;q=0, */*\r\n", 406),
      ("Content-Type: application/json\r\nAccept: */*, application/*;q=0\r\n", 406),
      (
        "Content-Type: application/json\r\nAccept: */*;q=0, application/json; v=1\r\nIf-Match: \"x\"\r\n",
        412
      ),
      ("Content-Type: application/json\r\nIf-Match: \"x\"\r\n", 412),
      // Who sends none has none, and who sends an empty one has lost it.
      ("Content-Type: application/json\r\nIf-Match:\r\n", 412),
      ("Content-Type: application/json\r\nIf-Match: \t \r\n", 412),
      ("Content-Type: application/json\r\nIf-Match:\r\nIf-Match: *\r\n", 412),
      ("Content-Type: application/json\r\nIf-None-Match: \(tag)\r\n", 200),
    ] {
      client.send("PUT \(path)/layout HTTP/1.1\r\n\(head)\(fields)\r\n\(body)")
      #expect(client.receive()?.status == status, "\(fields)")
    }
    // The layout that was put is a new version.
    client.send("GET \(path) HTTP/1.1\r\nHost: a\r\nIf-None-Match: \(tag)\r\n\r\n")
    #expect(client.receive()?.status == 200)
    client.send("GET \(path) HTTP/1.1\r\nHost: a\r\nIf-None-Match: *\r\n\r\n")
    #expect(client.receive(withoutBody: true)?.status == 304)
  }

  /// All lines of one name are one list, whatever stands between them; two keys or types are none.
  @Test func linesOfOneNameAreOneList() throws {
    // SHA-256 of "abc".
    let keys = try APIKeys("a:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    let server = try start(AccessControl(keys: keys))
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    func post(_ path: String, _ fields: String, _ body: String) -> RawClient.Answer? {
      client.send(
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
      )
      return client.receive()
    }
    let key = "Authorization: Bearer abc\r\n"
    let json = "Content-Type: application/json\r\n"
    let description =
      #"{"collection":{"sections":[]},"layout":{"kind":"list"},"viewport":{"width":9,"height":9}}"#
    let created = try #require(post("/v1/sessions", key + json, description))
    let path = try #require(created.field("Location"))
    for (fields, status) in [
      ("If-None-Match: \"x\"\r\n\(key)if-none-match: \"y\", \"1\" \t\r\n", 304),
      ("\(key)If-None-Match: \"x\"\r\nIf-None-Match: \"y\"\r\nIf-None-Match:\r\n", 200),
      ("\(key)If-None-Match:\r\nIf-None-Match: \"x\"\r\nIf-None-Match: *\r\n", 304),
      // Two lists at once.
      (
        "Accept: text/css\r\nIf-None-Match: \"x\"\r\nAccept: */*;q=0.1\r\n\(key)If-None-Match: \"1\"\r\n",
        304
      ),
      ("\(key)Accept: text/css\r\nAccept: text/plain\r\n", 406),
      ("\(key)\(key)", 401), ("Authorization: Bearer x\r\n\(key)", 401),
    ] {
      client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
      #expect(client.receive(withoutBody: status == 304)?.status == status, "\(fields)")
    }
    let tick = #"{"contentOffset":{"x":0,"y":0}}"#
    for (fields, status) in [
      ("If-Match: \"7\"\r\nIf-Match: \"1\"\r\n\(json)", 200),
      ("If-Match: \"7\"\r\nIf-Match: \"8\"\r\n\(json)", 412), ("\(json)\(json)", 415),
      ("\(json)Content-Encoding: identity\r\nContent-Encoding: gzip\r\n", 415),
    ] {
      #expect(post(path + "/scroll", key + fields, tick)?.status == status, "\(fields)")
    }
  }

  /// As Apache's mod_proxy_hcheck does, which takes a refusal for a server that is away.
  @Test func whoAsksForTheServerAsAWholeIsToldThatItIsThere() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    for (version, fields) in [("1.0", ""), ("1.1", "Host: a\r\n")] {
      let client = RawClient(port: server.port)
      client.send("OPTIONS * HTTP/\(version)\r\n\(fields)\r\n")
      #expect(client.receive()?.status == 204)
    }
  }

  /// A cache takes the length that it is told for that of what it keeps: of 0 it makes empty answers.
  @Test func whoHasTheAnswerIsToldItsLength() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    let created = try makeSession(
      #"{"collection":{"sections":[{"items":{"count":900}}]},"layout":{"kind":"flow"},"viewport":{"width":99,"height":99}}"#,
      by: client)
    let path = try #require(created.field("Location"))
    // Short, kept and long ones, of which the longest are not written again.
    for target in [
      path, path, path + "/attributes", path + "/attributes?x=0&y=0&width=99&height=99999",
      path + "/image.svg", "/", "/client/collection-view.js",
    ] {
      client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
      let answer = try #require(client.receive())
      let tag = try #require(answer.field("ETag"))
      for method in ["GET", "HEAD", "GET"] {
        client.send("\(method) \(target) HTTP/1.1\r\nHost: a\r\nIf-None-Match: \(tag)\r\n\r\n")
        let again = try #require(client.receive(withoutBody: true))
        #expect(again.status == 304)
        #expect(again.field("ETag") == tag)
        #expect(again.field("Content-Length") == "\(answer.body.count)")
      }
    }
    // Of a cache, who knows what it keeps.
    for (target, version) in [(path, "1.1"), ("/", "1.1"), (path, "1.0")] {
      let cache = RawClient(port: server.port)
      let head = "\(target) HTTP/\(version)\r\nHost: a\r\nVia: 1.1 cache\r\n"
      cache.send("GET \(head)Connection: keep-alive\r\n\r\n")
      let tag = try #require(cache.receive()?.field("ETag"))
      cache.send("GET \(head)If-None-Match: \(tag)\r\n\r\n")
      let text = cache.receiveAll()
      #expect(text.hasPrefix("HTTP/1.1 304 ") && text.hasSuffix("\r\n\r\n"))
      #expect(text.contains("ETag: \(tag)\r\n") && text.contains("Connection: close\r\n"))
      #expect(!text.contains("Content-Length") && !text.contains("Transfer-Encoding"))
    }
    // None of them has been followed by a body.
    client.send("DELETE \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receive()?.status == 204)
  }

  /// Such as those of `curl -X POST`, which say nothing of a body.
  ///
  /// What follows might be one all the same, and is no request.
  @Test func aLengthIsMissedOnlyWhereABodyIs() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    func answer(to requestLine: String) throws -> RawClient.Answer {
      let client = RawClient(port: server.port)
      client.send(
        requestLine + " HTTP/1.1\r\nHost: a\r\n\r\nDELETE /v1/x HTTP/1.1\r\nHost: a\r\n\r\n")
      let answer = try #require(client.receive())
      #expect(answer.head.contains("Connection: close"))
      #expect(client.isClosed())
      return answer
    }
    let client = RawClient(port: server.port)
    client.send(
      post(
        "/v1/sessions",
        #"{"collection":{"sections":[{"items":{"count":9}}]},"layout":{"kind":"list"},"viewport":{"width":320,"height":480}}"#
      ))
    let path = try #require(client.receive()?.field("Location"))
    for needed in [
      "POST /v1/layout", "POST /v1/sessions", "PUT \(path)/layout", "PATCH \(path)/movement",
    ] {
      let refused = try answer(to: needed)
      #expect(refused.status == 411, "\(needed)")
      #expect(refused.text.contains("/problems/length-required"))
    }
    let notAllowed = try answer(to: "POST /healthz")
    #expect(notAllowed.status == 405)
    #expect(notAllowed.head.contains("Allow: "))
    #expect(try answer(to: "PUT /nowhere").status == 404)
    client.send(post(path + "/movement", #"{"indexPath":[0,0]}"#))
    #expect(client.receive()?.status == 201)
    #expect(try answer(to: "POST \(path)/movement/end").status == 200)
  }

  @Test func aLongDescriptionIsLaidOutOnAWorker() throws {
    let handler = WatchedService()
    let server = try HTTPServer(configuration: HTTPServerConfiguration(), handler: handler)
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    client.send(
      post(
        "/v1/sessions",
        #"{"collection":{"sections":[{"items":{"count":9}}]},"layout":{"kind":"waterfall"},"viewport":{"width":320,"height":480}}"#
      ))
    #expect(client.receive()?.status == 201)
    #expect(handler.workerCount == 0)
    let sizes = (0..<100_000).map { "[\(50 + $0 % 50),\(20 + $0 % 70)]" }.joined(separator: ",")
    client.send(
      post(
        "/v1/sessions",
        #"{"collection":{"sections":[{"items":{"sizes":[\#(sizes)]}}]},"layout":{"kind":"waterfall"},"viewport":{"width":320,"height":480}}"#
      ))
    #expect(client.receive()?.status == 201)
    #expect(handler.workerCount == 1)
  }

  @Test func sessionsAreUsedByManyAtOnce() async throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let port = server.port
    let tick = post(
      "/v1/layout",
      #"{"collection":{"sections":[{"items":{"count":50}}]},"layout":{"kind":"flow"},"viewport":{"width":320,"height":480}}"#
    )
    let answers = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let client = RawClient(port: port)
          var count = 0
          for _ in 0..<50 {
            client.send(tick)
            if client.receive()?.status == 200 { count += 1 }
          }
          return count
        }
      }
      return await group.reduce(0, +)
    }
    #expect(answers == 400)
  }
}

/// The service, and how often a worker has answered for it.
private final class WatchedService: HTTPHandler {
  private let service = LayoutService(now: { .zero })
  private let count = Atomic(0)

  var workerCount: Int { count.load(ordering: .acquiring) }

  func respond(to request: borrowing HTTPRequest, mayTakeLong: Bool) -> HTTPResponse? {
    let response = service.respond(to: request, mayTakeLong: mayTakeLong)
    if mayTakeLong, response != nil { count.add(1, ordering: .releasing) }
    return response
  }

  func didAnswer() { service.didAnswer() }
}
