import Foundation
import Testing

/// The program itself, as it is started, told to reload and told to stop.
@Suite(.serialized) struct ProgramTests {
  /// SHA-256 of "abc" and of the empty text.
  private static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  private static let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  @Test(arguments: [
    (["--host", "0.0.0.0"], "--api-keys-file"),
    (["--host", "127.0.0.1.example.org"], "--api-keys-file"),
    (["--host", "::"], "--api-keys-file"),
    (["--tls-cert", "/x"], "--tls-cert and --tls-key belong together"),
    (["--tls-cert", "/nowhere", "--tls-key", "/nowhere"], "--tls-cert /nowhere: No such file"),
    (["--admin-host", "127.0.0.1"], "--admin-host needs --admin-port"),
    (["--port", "8099", "--admin-port", "8099"], "--admin-port and --port are the same"),
    (["--api-keys-file", "/nowhere"], "--api-keys-file /nowhere: No such file"),
    (["--api-keys-file", "/dev/zero"], "not a text of at most a mebibyte"),
    (["--cors-origin", "example.org"], "--cors-origin takes * or an origin"),
    (["--max-sessions", "0"], "--max-sessions takes a whole number from 1"),
    (["--max-sessions"], "--max-sessions takes a value"),
    (["--nonsense"], "unknown option"), (["nonsense"], "unknown command"),
  ])
  func itDoesNotStart(arguments: [String], message: String) throws {
    let program = try Program(arguments)
    defer { program.kill() }
    #expect(program.waitForExit() == 2)
    #expect(program.log.contains(message), "\(program.log)")
  }

  @Test func itSaysWhereItListensAndStopsWhenItIsTold() throws {
    for signal in [SIGTERM, SIGINT] {
      let program = try Program([])
      defer { program.kill() }
      let client = RawClient(port: try program.port())
      client.send("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(client.receive()?.status == 200)
      program.send(signal)
      #expect(program.waitForExit() == 0)
      #expect(program.log.contains("GET /readyz 200 18 "))
    }
  }

  @Test func keysAreReadAgainWhenItIsTold() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "layoutd-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "keys")
    try Data("one:\(Self.abc)\n".utf8).write(to: file)
    // With keys it may listen anywhere.
    let program = try Program(["--host", "0.0.0.0", "--api-keys-file", file.path])
    defer { program.kill() }
    let client = RawClient(port: try program.port())
    func ask(_ key: String) -> Int? {
      client.send(
        "GET /v1/sessions/x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(key)\r\n\r\n")
      return client.receive()?.status
    }
    #expect(ask("abc") == 404)
    #expect(ask("") == 401)
    // Who has no key need not send what is not wanted.
    let stranger = RawClient(port: try program.port())
    stranger.send(
      "POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        + "Content-Length: 1000000\r\n\r\n")
    #expect(stranger.receive()?.status == 401)
    #expect(stranger.isClosed())
    try Data("one:\(Self.nothing.dropLast())\n".utf8).write(to: file)
    program.send(SIGHUP)
    #expect(program.waitForLog("the keys stay as they were"))
    #expect(ask("abc") == 404)
    // The key "abc" is gone.
    try Data("one:\(Self.nothing)\n".utf8).write(to: file)
    program.send(SIGHUP)
    #expect(program.waitForLog("the keys have been read again"))
    #expect(ask("abc") == 401)
    #expect(!program.log.contains("abc"))
  }

  @Test func operatorsMayHaveAListenerOfTheirOwn() throws {
    let program = try Program(["--admin-port", "0"])
    defer { program.kill() }
    let admin = RawClient(port: try program.port("administration on http://127.0.0.1:"))
    let api = RawClient(port: try program.port())
    func ask(_ client: RawClient, _ path: String) -> RawClient.Answer? {
      client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
      return client.receive()
    }
    #expect(ask(api, "/openapi.yaml")?.status == 200)
    for path in ["/metrics", "/healthz", "/readyz"] {
      #expect(ask(admin, path)?.status == 200)
      #expect(ask(api, path)?.status == 404)
    }
    #expect(ask(admin, "/v1/sessions/x")?.status == 404)
    #expect(ask(admin, "/openapi.yaml")?.status == 404)
    let metrics = try #require(ask(admin, "/metrics"))
    #expect(
      metrics.text.contains(
        #"layoutd_requests_total{method="GET",route="/openapi.yaml",status="200"} 1"#))
    #expect(metrics.text.contains("layoutd_connections 1\n"))
    #expect(metrics.text.contains("layoutd_queue_depth 0\n"))
  }

  @Test func limitsAreOptions() throws {
    let program = try Program([
      "--max-url-bytes", "300", "--max-header-bytes", "400", "--max-sections", "2", "--max-items",
      "3", "--max-elements", "5", "--max-json-depth", "8", "--max-body-mib", "1",
      "--tenant-max-sessions", "1",
    ])
    defer { program.kill() }
    let port = try program.port()
    func status(_ request: String) -> Int? {
      let client = RawClient(port: port)
      client.send(request)
      return client.receive()?.status
    }
    func layout(_ sections: String, path: String = "/v1/layout") -> Int? {
      let body =
        #"{"collection":{"sections":\#(sections)},"layout":{"kind":"list"},"viewport":{"width":9,"height":440}}"#
      return status(
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
          + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
    let long = String(repeating: "a", count: 400)
    #expect(status("GET /healthz?\(long) HTTP/1.1\r\nHost: a\r\n\r\n") == 414)
    #expect(status("GET /healthz HTTP/1.1\r\nHost: a\r\nX: \(long)\r\n\r\n") == 431)
    #expect(
      status("POST /v1/layout HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n") == 413)
    #expect(layout(#"[{"items":{"count":5}}]"#) == 200)
    #expect(layout(#"[{"items":{"count":6}}]"#) == 422)
    #expect(layout("[{},{}]") == 200)
    #expect(layout("[{},{},{}]") == 422)
    #expect(layout(#"[{"items":{"lengths":[1,1,1]}}]"#) == 200)
    #expect(layout(#"[{"items":{"lengths":[1,1,1,1]}}]"#) == 422)
    #expect(layout("[[[[[[[[[]]]]]]]]]") == 400)
    #expect(layout("[{}]", path: "/v1/sessions") == 201)
    #expect(layout("[{}]", path: "/v1/sessions") == 429)
  }
}

/// The program, running.
private final class Program {
  private let process = Process()
  private let output: FileHandle
  private let file: URL

  init(_ arguments: [String]) throws {
    // Where the tests are, the program is.
    let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let folder = URL(filePath: runner).deletingLastPathComponent()
    process.executableURL = folder.appending(path: "layoutd")
    process.arguments = ["--port", "0"] + arguments
    file = FileManager.default.temporaryDirectory.appending(path: "layoutd-\(UUID().uuidString)")
    try Data().write(to: file)
    output = try FileHandle(forWritingTo: file)
    process.standardError = output
    try process.run()
  }

  deinit { try? FileManager.default.removeItem(at: file) }

  /// What it has written so far.
  var log: String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }

  func waitForLog(_ text: String) -> Bool {
    for _ in 0..<1000 where !log.contains(text) { usleep(10_000) }
    return log.contains(text)
  }

  /// The port that it says.
  func port(_ text: String = "listening on http://") throws -> UInt16 {
    #expect(waitForLog("listening on "))
    let line = log.split(separator: "\n").first { $0.hasPrefix(text) }
    return try #require(line?.split(separator: ":").last.flatMap { UInt16($0) })
  }

  func send(_ signal: Int32) { Glibc.kill(process.processIdentifier, signal) }

  func waitForExit() -> Int32? {
    for _ in 0..<1000 where process.isRunning { usleep(10_000) }
    return process.isRunning ? nil : process.terminationStatus
  }

  func kill() {
    if process.isRunning { send(SIGKILL) }
    process.waitUntilExit()
  }
}
