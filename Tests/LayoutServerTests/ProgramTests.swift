import Foundation
import Glibc
import Testing

/// The program itself, as it is started, told to reload and told to stop.
@Suite(.waits) struct ProgramTests {
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
    (["--api-keys-file", "/dev/zero"], "not UTF-8, or longer than a mebibyte"),
    (["--cors-origin", "example.org"], "--cors-origin takes * or an origin"),
    (["--max-sessions", "0"], "--max-sessions takes a whole number from 1"),
    (["--max-sessions"], "--max-sessions takes a value"),
    (["--max-sessions", "--store=redis://:secret@host"], "--max-sessions takes a value"),
    (["--store", "postgres://x"], "--store takes memory, sqlite:PATH or redis://"),
    (["--store", "sqlite:"], "--store takes memory, sqlite:PATH or redis://"),
    (["--store", "sqlite:/nowhere/at/all"], "--store sqlite:/nowhere/at/all: "),
    (["--store", "sqlite:/dev"], "--store sqlite:/dev: "),
    (["--store", "redis://:secret@host:port/0"], "--store cannot be read: "),
    (["--store", "rediss://host/0"], "--store cannot be read: "),
    (["--nonsense"], "unknown option \"--nonsense\""), (["nonsense"], "unknown command"),
    (["--=1"], "unknown option"), (["redis://:secret@host"], "unknown command"),
    (["--stroe=redis://:secret@host"], "unknown option \"--stroe\""),
    (["--store:redis://:secret@host"], "unknown option \"--store\""),
    // An empty value is none that follows.
    (["--cors-origin=", "--log-level"], "--log-level takes a value"),
  ])
  func itDoesNotStart(arguments: [String], message: String) throws {
    let program = try Program(arguments)
    defer { program.kill() }
    #expect(program.waitForExit() == 2)
    #expect(program.log.contains(message), "\(program.log)")
    #expect(!program.log.contains("secret"))
  }

  /// Another file would be made than is named, and one that is there would not be found.
  @Test(arguments: [
    (#"exec "$0" "$@" --store "$store""#, "--store is not UTF-8"),
    (#"export LAYOUTD_STORE="$store""#, "LAYOUTD_STORE is not UTF-8"),
  ])
  func whatIsNotUTF8IsNoPath(command: String, message: String) throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = try Program(
      [], after: "store=\"$(printf 'sqlite:%s/n\\377' '\(folder.path)')\"; \(command)")
    defer { program.kill() }
    #expect(program.waitForExit() == 2)
    #expect(program.log.contains(message), "\(program.log)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func aSessionOutlivesTheProgram() throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = ["--store", "sqlite:\(folder.path)/sessions"]
    let first = try Program(store)
    defer { first.kill() }
    let client = RawClient(port: try first.port())
    func ask(_ client: RawClient, _ head: String, _ body: String = "") -> RawClient.Answer? {
      client.send(
        "\(head) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
          + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
      return client.receive()
    }
    let made = try #require(
      ask(
        client, "POST /v1/sessions",
        #"{"collection":{"sections":[{"items":{"count":7}}]},"layout":{"kind":"list"},"viewport":{"width":100,"height":100}}"#
      ))
    let id = try #require(made.text.split(separator: "\"").dropFirst(3).first)
    let deletion = #"{"deleteItems":[{"section":0,"start":0,"end":1}]}"#
    #expect(ask(client, "POST /v1/sessions/\(id)/updates", deletion)?.status == 200)
    // There is one program to a file.
    let other = try Program(store)
    defer { other.kill() }
    #expect(other.waitForExit() == 2)
    #expect(other.log.contains("another process"), "\(other.log)")
    // As the power goes.
    first.send(SIGKILL)
    _ = first.waitForExit()
    let second = try Program(store)
    defer { second.kill() }
    let again = RawClient(port: try second.port())
    let summary = try #require(ask(again, "GET /v1/sessions/\(id)"))
    #expect(summary.text.contains(#""version":2"#))
    #expect(summary.text.contains(#""itemCount":6"#))
    #expect(
      ask(again, "POST /v1/sessions/\(id)/updates", deletion)?.text.contains(#""version":3"#)
        == true)
    second.send(SIGTERM)
    #expect(second.waitForExit() == 0)
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

  /// Whoever shares out requests learns at once that there should be no more, and what is under way is finished.
  @Test func whileItStopsItIsNotReady() throws {
    // However long this test has to wait for its turn.
    let program = try Program([
      "--admin-port", "0", "--drain-seconds", "600", "--request-timeout-seconds", "600",
    ])
    defer { program.kill() }
    let port = try program.port("administration on http://127.0.0.1:")
    func status(_ path: String) -> Int? {
      let client = RawClient(port: port)
      client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
      return client.receive()?.status
    }
    let client = RawClient(port: try program.port())
    client.send(
      "POST /v1/layout HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    // It has begun.
    #expect(client.receive()?.status == 100)
    #expect(status("/readyz") == 200)
    program.send(SIGTERM)
    waitUntil { status("/readyz") == 503 }
    #expect(status("/readyz") == 503)
    #expect(status("/healthz") == 200)
    client.send("{}")
    #expect(client.receive()?.status == 422)
    #expect(program.waitForExit() == 0)
  }

  /// Beyond loopback without keys only if that is said: an empty variable, as an unset one comes to in a
  /// deployment's file, says nothing; and an option says more than a variable.
  @Test(arguments: [
    ("true", [], true), ("", [], false), ("no", [], false), ("no", ["--allow-anonymous"], true),
    ("true", ["--allow-anonymous=false"], false), ("no", ["--allow-anonymous="], false),
    ("true", ["--allow-anonymous="], false),
  ])
  func whoMayCallIsSaidAloud(variable: String, options: [String], isServed: Bool) throws {
    let program = try Program(
      ["--host", "0.0.0.0"] + options, variables: ["LAYOUTD_ALLOW_ANONYMOUS=\(variable)"])
    defer { program.kill() }
    if isServed {
      let client = RawClient(port: try program.port())
      client.send("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(client.receive()?.status == 200)
    } else {
      #expect(program.waitForExit() == 2)
      #expect(program.log.contains("--allow-anonymous"))
    }
  }

  /// A store that keeps the program waiting does not keep it from ending.
  @Test func itEndsInTimeWhileAnotherProgramHoldsItsFile() throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = try Program([
      "--store", "sqlite:\(folder.path)/sessions", "--drain-seconds", "1",
    ])
    defer { program.kill() }
    _ = try program.port()
    let writing = try #require(Writing(file: "\(folder.path)/sessions"))
    defer { withExtendedLifetime(writing) {} }
    // At once: it waits for the file two seconds and then, for some time, no longer at all.
    program.send(SIGTERM)
    #expect(program.waitForExit() == 0)
    #expect(program.log.contains("the store had still something to do"))
  }

  /// While one change waits for the file, and another for that, a third would leave no worker for anything else.
  @Test func halfOfTheWorkersMayWaitForASession() throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = try Program([
      "--store", "sqlite:\(folder.path)/sessions", "--worker-threads", "3",
    ])
    defer { program.kill() }
    let clients = try (0..<3).map { _ in RawClient(port: try program.port()) }
    func send(_ client: RawClient, _ head: String, _ body: String) {
      client.send(
        "\(head) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
          + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
    send(
      clients[0], "POST /v1/sessions",
      #"{"collection":{"sections":[{"items":{"count":7}}]},"layout":{"kind":"list"},"viewport":{"width":100,"height":100}}"#
    )
    let made = try #require(clients[0].receive())
    let id = try #require(made.text.split(separator: "\"").dropFirst(3).first)
    let writing = try #require(Writing(file: "\(folder.path)/sessions"))
    for client in clients {
      send(
        client, "POST /v1/sessions/\(id)/updates",
        #"{"deleteItems":[{"section":0,"start":0,"end":1}]}"#)
    }
    // The others are answered when the store has waited for the file for long enough.
    let answers = withExtendedLifetime(writing) { clients.map { $0.receive() } }
    let refused = answers.filter { $0?.text.contains("many wait already") == true }
    #expect(refused.count == 1)
    #expect(refused.first??.status == 503)
    #expect(refused.first??.field("Retry-After") == "1")
  }

  /// Shells give few, though more may be had.
  @Test func itTakesTheDescriptorsThatItMay() throws {
    let program = try Program([], after: "ulimit -Sn 100")
    defer { program.kill() }
    _ = try program.port()
    let limits = try #require(program.descriptorLimits())
    #expect(limits.soft == limits.hard)
  }

  @Test(arguments: [("8", true), ("64", false)])
  func itSaysIfBodiesNeverFit(mebibytes: String, isTold: Bool) throws {
    let program = try Program(["--max-in-flight-mib", mebibytes])
    defer { program.kill() }
    _ = try program.port()
    #expect(program.log.contains("--max-body-mib 64 never fits into") == isTold)
  }

  @Test(arguments: [("300", true), ("10", false)])
  func itSaysIfDescriptorsAreFew(connections: String, isShort: Bool) throws {
    let program = try Program(
      ["--max-connections", connections, "--io-threads", "1"], after: "ulimit -n 300")
    defer { program.kill() }
    _ = try program.port()
    #expect(program.log.contains("--max-connections \(connections) may need") == isShort)
  }

  /// There are none for what it needs itself, or for all who come.
  @Test func itSaysIfThereAreNoDescriptors() throws {
    let program = try Program([], after: "ulimit -n 8")
    defer { program.kill() }
    #expect(program.waitForExit() == 2)
    #expect(program.log.contains("out of memory, threads or descriptors"), "\(program.log)")
  }

  /// Stacks for which there is no room: of the first thread that it needs, and of all of many.
  @Test(
    .disabled(if: isSanitized, "a sanitizer needs memory that it does not have then"),
    .enabled(if: canRaiseStacks, "who is not root cannot have stacks for which there is no room"),
    arguments: ["ulimit -s 1000000000000000", "ulimit -Ss 8192; ulimit -v 1500000"])
  func itSaysWhyThereIsNoThread(limit: String) throws {
    let program = try Program(["--worker-threads", "256"], after: limit)
    defer { program.kill() }
    #expect(program.waitForExit() == 2)
    let message = "cannot start a thread, see --io-threads and --worker-threads: Resource"
    #expect(program.log.contains(message), "\(program.log)")
  }

  @Test func itSaysWhyItTakesNoConnections() throws {
    let program = try Program(
      ["--io-threads", "1", "--worker-threads", "1"], after: "ulimit -n 32")
    defer { program.kill() }
    let port = try program.port()
    let first = RawClient(port: port)
    func failureCount() -> Int? { first.sample("layoutd_accept_failures_total") }
    #expect(failureCount() == 0)
    let others = (0..<40).map { _ in RawClient(port: port) }
    #expect(program.waitForLog("no connection can be taken: Too many open files"))
    #expect(try #require(failureCount()) > 0)
    // Once a minute, however often it is looked at.
    usleep(2_500_000)
    #expect(program.log.components(separatedBy: "no connection can be taken").count == 1 + 1)
    // Those that wait are not lost.
    withExtendedLifetime(others) {}
  }

  /// Swift asks the system for them, in a folder that not everybody has.
  @Test(
    .enabled(if: canMount),
    .disabled(if: isSanitized, "a sanitizer reads its own memory's map there, and ends without it"))
  func itKnowsItsOptionsWithoutProc() throws {
    let program = try Program(
      ["--api-keys-file", "/nowhere"],
      after: #"exec unshare -m sh -c 'mount -t tmpfs none /proc; exec "$0" "$@"' "$0" "$@""#)
    defer { program.kill() }
    #expect(program.waitForExit() == 2)
    #expect(program.log.contains("--api-keys-file /nowhere: No such file"), "\(program.log)")
  }

  /// As many as it may use, of those that the machine has.
  @Test func threadsAreAsManyAsProcessorsThatItMayUse() throws {
    let first = #"sed -n 's/^Cpus_allowed_list:\s*\([0-9]*\).*/\1/p' /proc/self/status"#
    let program = try Program([], after: #"exec taskset -c "$(\#(first))" "$0" "$@""#)
    defer { program.kill() }
    _ = try program.port()
    func count(_ name: String) -> Int { program.threadNames.count { $0.hasPrefix(name) } }
    // Each gives itself its name.
    waitUntil { ["acceptor", "loop", "worker"].allSatisfy { count($0) > 0 } }
    for name in ["loop", "worker"] { #expect(count(name) == 1, "\(program.threadNames)") }
  }

  /// Whoever starts it may have closed them: nothing that is opened later is taken for them.
  @Test(arguments: ["2>&-", "1>&- 2>&-", "0<&- 1>&- 2>&-"])
  func closedStreamsLeadNowhere(closing: String) throws {
    let program = try Program(
      [], after: "exec </dev/null >/dev/null 2>/dev/null; exec \(closing)")
    defer { program.kill() }
    waitUntil { program.threadNames.contains("acceptor") }
    for stream in 0...2 { #expect(program.target(ofDescriptor: stream) == "/dev/null") }
    program.send(SIGTERM)
    #expect(program.waitForExit() == 0)
  }

  /// Not even to where nothing comes from, in a container without devices.
  @Test(.enabled(if: canMount))
  func closedStreamsLeadNowhereWithoutDevices() throws {
    let closing = "mount -t tmpfs none /dev; exec 0<&- 1>&- 2>&-"
    let program = try Program(
      [], after: #"exec unshare -m sh -c '\#(closing); exec "$0" "$@"' "$0" "$@""#)
    defer { program.kill() }
    waitUntil { program.threadNames.contains("acceptor") }
    for stream in 0...2 { #expect(program.target(ofDescriptor: stream) == "/") }
    program.send(SIGTERM)
    #expect(program.waitForExit() == 0)
  }

  /// A pipe that is full, before the first line is written.
  @Test func itEndsThoughNobodyHasEverTakenItsLog() throws {
    let (program, pipe) = try programWithFullLog(isSetNotToWait: false)
    defer {
      program.kill()
      try? FileManager.default.removeItem(at: pipe)
    }
    program.send(SIGTERM)
    #expect(program.waitForExit() == 0)
  }

  /// A pipe that is full for a moment, and that somebody who has it too has set not to wait.
  @Test func aLogThatDoesNotWaitIsWaitedFor() throws {
    let (program, pipe) = try programWithFullLog(isSetNotToWait: true)
    defer {
      program.kill()
      try? FileManager.default.removeItem(at: pipe)
    }
    // It has tried.
    waitUntil { (try? program.writeCount()) ?? 0 > 0 }
    let reader = unsafe open(pipe.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    var log = ""
    var part = [UInt8](repeating: 0, count: 1 << 16)
    waitUntil {
      // Safe: the part is there for the length of the call, with its size.
      let count = unsafe read(reader, &part, part.count)
      if count > 0 { log += String(decoding: part[..<count].filter { $0 != 0 }, as: UTF8.self) }
      return log.contains("\n")
    }
    #expect(log.hasPrefix("listening on "))
  }

  /// A file of at most one block.
  @Test(.disabled(if: isSanitized, "ThreadSanitizer's memory is a file of many blocks"))
  func linesOfTheLogThatCannotBeWrittenAreCounted() throws {
    let program = try Program([], after: "ulimit -f 1")
    defer { program.kill() }
    let client = RawClient(port: try program.port())
    var lineCount = program.log.count { $0 == "\n" }
    func droppedCount() -> Int? {
      lineCount += 1
      return client.sample("layoutd_log_lines_dropped_total")
    }
    #expect(droppedCount() == 0)
    waitUntil { droppedCount() != 0 }
    #expect(try #require(droppedCount()) > 0)
    // Whatever is said after that is counted once, be it in several pieces.
    for _ in 0..<5 {
      usleep(50_000)
      _ = droppedCount()
    }
    waitUntil {
      // What is said last is written after a few milliseconds.
      usleep(50_000)
      let said = lineCount
      return droppedCount() == said - program.log.count { $0 == "\n" }
    }
    program.send(SIGTERM)
    #expect(program.waitForExit() == 0)
  }

  @Test func keysAreReadAgainWhenItIsTold() throws {
    let folder = try makeFolder()
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

  /// What is opened to be read, and nobody writes to, does not open by itself.
  @Test func keysAreReadAgainAfterAPipeInTheirPlace() throws {
    let file = FileManager.default.temporaryDirectory.appending(
      path: "layoutd-\(UUID().uuidString)")
    try Data("one:\(Self.abc)\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let program = try Program(["--api-keys-file", file.path])
    defer { program.kill() }
    _ = try program.port()
    try FileManager.default.removeItem(at: file)
    let pipe = unsafe mkfifo(file.path, 0o600)
    try #require(pipe == 0)
    program.send(SIGHUP)
    #expect(program.waitForLog("the keys stay as they were"))
    try FileManager.default.removeItem(at: file)
    try Data("one:\(Self.nothing)\n".utf8).write(to: file)
    program.send(SIGHUP)
    #expect(program.waitForLog("the keys have been read again"))
    program.send(SIGTERM)
    #expect(program.waitForExit() == 0)
  }

  @Test func keysMayComeThroughAPipe() throws {
    let file = FileManager.default.temporaryDirectory.appending(
      path: "layoutd-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let pipe = unsafe mkfifo(file.path, 0o600)
    try #require(pipe == 0)
    /// Waits for a reader.
    func write() {
      Thread.detachNewThread { [path = file.path, text = "one:\(Self.abc)\n"] in
        let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
        // Who reads is there before there is something to read.
        usleep(100_000)
        // Safe: the text is there for the length of the call, with its size.
        _ = unsafe Glibc.write(descriptor, text, text.utf8.count)
        close(descriptor)
      }
    }
    let program = try Program(["--api-keys-file", file.path])
    defer { program.kill() }
    // While it waits for the keys, who says that they are to be read does not end it, and is heard afterwards.
    waitUntil { program.blocks(SIGHUP) }
    program.send(SIGHUP)
    write()
    _ = try program.port()
    // Whether somebody writes into the pipe then is another matter.
    #expect(program.waitForLog("the keys "))
    write()
    // The writer may have come, or not yet.
    usleep(100_000)
    program.send(SIGHUP)
    #expect(program.waitForLog("the keys have been read again"))
    program.send(SIGTERM)
    #expect(program.waitForExit() == 0)
  }

  /// The system spares the first process of a container what it has no handler for.
  @Test(
    .enabled(if: canBeFirst, "who is not root cannot have processes of its own"),
    .disabled(if: isSanitized, "a sanitizer puts handlers off while a file is being opened"),
    arguments: [SIGTERM, SIGINT])
  func theFirstProcessEndsWhileItWaitsForKeys(signal: Int32) throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let keys = folder.appending(path: "keys").path
    let pipe = unsafe mkfifo(keys, 0o600)
    try #require(pipe == 0)
    let program = try Program(
      ["--api-keys-file", keys],
      after: #"exec unshare --pid --fork --kill-child "$0" "$@""#)
    defer { program.kill() }
    waitUntil { program.child.map { handles(signal, in: $0) } == true }
    Glibc.kill(try #require(program.child), signal)
    #expect(program.waitForExit() == 128 + signal)
  }

  /// However often the keys are to be read again.
  @Test func whatNobodyUsesIsForgottenInAStormOfSignals() throws {
    let program = try Program(["--session-ttl-seconds", "1"])
    defer { program.kill() }
    let client = RawClient(port: try program.port())
    let body = """
      {"collection":{"sections":[]},"layout":{"kind":"list"},"viewport":{"width":1,"height":1}}
      """
    client.send(
      "POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    #expect(client.receive()?.status == 201)
    waitUntil {
      program.send(SIGHUP)
      usleep(100_000)
      return client.sample("layoutd_sessions") == 0
    }
  }

  @Test func requestsAreLoggedAsJSONIfSoSaid() throws {
    let program = try Program(["--log-format", "json"])
    defer { program.kill() }
    let client = RawClient(port: try program.port())
    client.send("GET /v1/nowhere?c=d HTTP/1.1\r\nHost: a\r\n\r\n")
    let answer = try #require(client.receive())
    #expect(answer.status == 404)
    client.send("GET /a\"b\\c HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receive()?.status == 404)
    let long = String(repeating: "a", count: 1000)
    client.send("GET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receive()?.status == 404)
    // What stands before an @ may be a password, and what stands behind a question mark a query.
    for target in [
      "/..?c=d", "http://me:pass@b/c?d", "me:pass@b:1", "http://me:pa?ss@b/c", "http://u@a?to=b@c",
    ] {
      let client = RawClient(port: try program.port())
      client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(client.receive()?.status == 400)
    }
    program.send(SIGTERM)
    #expect(program.waitForExit() == 0)
    let lines = program.log.split(separator: "\n").filter { $0.hasPrefix("{") }
    let entries = try lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    let entry = try #require(entries.first)
    #expect(
      entries.dropFirst().map { $0["path"] as? String } == [
        "/a?b?c", "/" + long.prefix(511), "/..", "b/c", "b:1", "-", "-",
      ])
    #expect(entry["method"] as? String == "GET")
    #expect(entry["status"] as? Int == 404)
    #expect(entry["bytes"] as? Int == answer.text.utf8.count)
    // Without the query, which may say what is nobody's business.
    #expect(entry["path"] as? String == "/v1/nowhere")
    let id = try #require(entry["requestId"] as? String)
    #expect(!id.isEmpty && answer.text.contains(id))
    for entry in entries {
      #expect(
        entry.keys.sorted() == ["bytes", "method", "microseconds", "path", "requestId", "status"])
    }
  }

  /// Of what the client has already nothing is sent.
  @Test func whatIsNotSentIsLoggedAsNothing() throws {
    let program = try Program(["--log-format", "json"])
    defer { program.kill() }
    let client = RawClient(port: try program.port())
    client.send("GET /openapi.yaml HTTP/1.1\r\nHost: a\r\nIf-None-Match: *\r\n\r\n")
    #expect(client.receive(withoutBody: true)?.status == 304)
    #expect(program.waitForLog(#""status":304,"bytes":0,"#), "\(program.log)")
  }

  /// The first of each has another name, in a log that several write to.
  @Test func namesOfRefusalsTellProcessesApart() throws {
    var names: Set<String> = []
    for _ in 0..<2 {
      let program = try Program([])
      defer { program.kill() }
      let client = RawClient(port: try program.port())
      client.send("GET /.. HTTP/1.1\r\nHost: a\r\n\r\n")
      let answer = try #require(client.receive())
      #expect(answer.status == 400)
      let problem = try JSONSerialization.jsonObject(with: Data(answer.text.utf8))
      names.insert(try #require((problem as? [String: Any])?["requestId"] as? String))
    }
    #expect(names.count == 2)
  }

  /// To wake the thread that writes takes as long as to answer.
  @Test func linesOfManyRequestsAreWrittenTogether() throws {
    let program = try Program([])
    defer { program.kill() }
    let client = RawClient(port: try program.port())
    let requestCount = 1000
    let before = try program.writeCount()
    let start = ContinuousClock.now
    let request = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
    client.send(String(repeating: request, count: requestCount))
    for _ in 0..<requestCount { #expect(client.receive()?.status == 200) }
    let writes = try program.writeCount() - before
    // One every five milliseconds, and those at both ends.
    let pauses = Int((ContinuousClock.now - start) / .milliseconds(5))
    #expect(writes <= pauses + 3 && writes < requestCount, "\(writes) in \(pauses) pauses")
    program.send(SIGTERM)
    #expect(program.waitForExit() == 0)
    let lines = program.log.split(separator: "\n").filter { $0.hasPrefix("GET /healthz 200 ") }
    #expect(lines.count == requestCount)
  }

  /// A container's own check: whom it asks is whom the options name.
  @Test func aHealthCheckAsksWhoKnows() throws {
    let program = try Program(["--admin-port", "0"])
    defer { program.kill() }
    let ports = [
      "--port": try program.port(),
      "--admin-port": try program.port("administration on http://127.0.0.1:"),
    ]
    func check(_ options: [String]) throws -> (code: Int32?, log: String) {
      let check = try Program(["healthcheck"] + options.flatMap { [$0, "\(ports[$0] ?? 0)"] })
      defer { check.kill() }
      return (check.waitForExit(), check.log)
    }
    #expect(try check(["--port", "--admin-port"]) == (0, ""))
    // Where operators have a listener of their own, the other one does not say.
    let place = "layoutd: /readyz of 127.0.0.1 port"
    #expect(try check(["--port"]) == (1, "\(place) \(ports["--port"] ?? 0): answered 404\n"))
    program.send(SIGTERM)
    #expect(program.waitForExit() == 0)
    #expect(
      try check(["--port", "--admin-port"])
        == (1, "\(place) \(ports["--admin-port"] ?? 0): Connection refused\n"))
  }

  /// A port that nobody knows, as the server's own option may say, is never answered at.
  @Test(arguments: [([], "--port"), (["--port", "1", "--admin-port", "0"], "--admin-port")])
  func aHealthCheckNeedsAPort(options: [String], name: String) throws {
    let program = try Program(["healthcheck"] + options)
    defer { program.kill() }
    #expect(program.waitForExit() == 2)
    #expect(program.log.contains("healthcheck needs the \(name) "), "\(program.log)")
  }

  /// A check that never succeeds looks like a server that is not ready.
  @Test func aHealthCheckOfWhatOnlyHasTLSIsRefused() throws {
    let program = try Program(["healthcheck", "--tls-cert", "c.pem", "--tls-key", "k.pem"])
    defer { program.kill() }
    #expect(program.waitForExit() == 2)
    #expect(program.log.contains("--admin-port"))
  }

  /// A name may have an address at which the server does not listen.
  @Test(
    .enabled(if: canMount, "who is not root cannot give a name addresses"),
    arguments: ["127.0.0.1", "127.0.0.2"])
  func aHealthCheckAsksEveryAddressOfAName(address: String) throws {
    let program = try Program(["--host", address])
    defer { program.kill() }
    let port = try program.port()
    let names = FileManager.default.temporaryDirectory.appending(
      path: "layoutd-\(UUID().uuidString)")
    try Data("127.0.0.1 layout.test\n127.0.0.2 layout.test\n".utf8).write(to: names)
    defer { try? FileManager.default.removeItem(at: names) }
    let mount = "mount --bind '\(names.path)' /etc/hosts"
    let check = try Program(
      ["healthcheck", "--host", "layout.test", "--port", "\(port)"],
      after: #"exec unshare -m sh -c "\#(mount); exec \"\$0\" \"\$@\"" "$0" "$@""#)
    defer { check.kill() }
    #expect(check.waitForExit() == 0)
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

  /// What sessions are counted as is what the process takes for them, near enough to keep a limit by.
  @Test(
    .disabled(if: isSanitized, "a sanitizer's memory is not the program's"),
    arguments: [
      ("flow", 20, 1, 3000), ("waterfall", 20, 1, 3000), ("list", 20, 1, 3000),
      ("flow", 20_000, 1, 25), ("waterfall", 20_000, 1, 25), ("coverFlow", 20_000, 1, 25),
      ("flow", 10, 1000, 25), ("waterfall", 10, 1000, 25), ("list", 10, 1000, 25),
    ])
  func memoryIsAccounted(
    layout: String, itemCount: Int, sectionCount: Int, sessionCount: Int
  ) throws {
    let sizes = (0..<itemCount).map { "[\(40 + $0 % 50),\(30 + $0 % 37)]" }.joined(separator: ",")
    let section = "{\"items\":{\"sizes\":[\(sizes)]}}"
    let sections = Array(repeating: section, count: sectionCount).joined(separator: ",")
    let share = try accountedShare(
      ofSessions: sessionCount,
      """
      {"collection":{"sections":[\(sections)]},
       "layout":{"kind":"\(layout)"},
       "viewport":{"width":300,"height":300}}
      """)
    #expect((0.7...1.4).contains(share), "\(share)")
  }

  /// Of each line the items on the right: as many ranges as lines.
  @Test(.disabled(if: isSanitized, "a sanitizer's memory is not the program's"))
  func whatIsAskedForIsAccounted() throws {
    let share = try accountedShare(
      ofSessions: 5,
      """
      {"collection":{"sections":[{"items":{"count":1000000000}}]},
       "layout":{"kind":"flow","itemSize":{"width":50,"height":1},"minimumLineSpacing":0,
        "minimumInteritemSpacing":0},
       "viewport":{"width":100,"height":200,"contentOffset":{"x":60,"y":0}},
       "prefetch":{"ahead":600}}
      """)
    #expect((0.7...1.4).contains(share), "\(share)")
  }

  /// The items at both places of one that is up, and its layout.
  @Test(
    .disabled(if: isSanitized, "a sanitizer's memory is not the program's"),
    arguments: ["pagedGrid", "flow", "list"])
  func movementsAreAccounted(layout: String) throws {
    let sizes = (0..<300).map { "[\(40 + $0 % 50),\(30 + $0 % 37)]" }.joined(separator: ",")
    let share = try accountedShare(
      ofSessions: 500,
      """
      {"collection":{"sections":[{"items":{"sizes":[\(sizes)]}}]},
       "layout":{"kind":"\(layout)"},
       "viewport":{"width":300,"height":300}}
      """
    ) { session, send in
      send("POST", "\(session)/movement", #"{"indexPath":[0,0]}"#)
      send("PATCH", "\(session)/movement", #"{"position":{"x":250,"y":250}}"#)
    }
    #expect((0.7...1.4).contains(share), "\(share)")
  }

  /// From sixteen bytes on a name has memory of its own.
  @Test(
    .disabled(if: isSanitized, "a sanitizer's memory is not the program's"), arguments: [15, 16])
  func namesOfSectionsAreAccounted(length: Int) throws {
    func name(_ number: Int) -> String {
      let digits = "\(number)"
      return String(repeating: "k", count: length - digits.count) + digits
    }
    let decorations = (0..<100).map { #"{"kind":"\#(name($0))"}"# }.joined(separator: ",")
    let sections = (0..<300).map {
      #"{"id":"\#(name($0))","items":{"count":1},"decorations":[\#(decorations)]}"#
    }
    let share = try accountedShare(
      ofSessions: 10,
      #"{"collection":{"sections":[\#(sections.joined(separator: ","))]},"layout":{"kind":"list"},"viewport":{"width":300,"height":300}}"#
    )
    #expect((0.7...1.4).contains(share), "\(share)")
  }

  /// A rush of bodies, none of which is long enough to be memory of its own, in a server without sessions.
  @Test(.disabled(if: isSanitized, "a sanitizer's memory is not the program's"))
  func whatARushHasTakenIsGivenBack() throws {
    let program = try Program(["--log-level", "warning", "--max-connections", "400"])
    defer { program.kill() }
    let port = try program.port()
    let before = try program.residentByteCount()
    let body = [UInt8](repeating: UInt8(ascii: " "), count: 500_000)
    var clients: [RawClient] = []
    for _ in 0..<200 {
      let client = RawClient(port: port)
      client.send(
        "POST /v1/layout HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
          + "Content-Length: \(body.count + 1)\r\n\r\n")
      client.send(body)
      clients.append(client)
    }
    // All of them are there before the first goes.
    waitUntil { (try? program.residentByteCount()) ?? 0 > before + 90e6 }
    #expect(try program.residentByteCount() > before + 90e6)
    clients = []
    waitUntil { (try? program.residentByteCount()) ?? .infinity < before + 40e6 }
    #expect(try program.residentByteCount() < before + 40e6)
  }

  /// What sessions have left, and what others have replaced, in a server that nobody calls any more.
  @Test(.disabled(if: isSanitized, "a sanitizer's memory is not the program's"))
  func whatSessionsHaveTakenIsGivenBack() throws {
    let program = try Program(["--log-level", "warning"])
    defer { program.kill() }
    let client = RawClient(port: try program.port())
    func send(_ method: String, _ target: String, _ body: String) throws -> RawClient.Answer {
      client.send(
        "\(method) \(target) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
          + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
      return try #require(client.receive())
    }
    let before = try program.residentByteCount()
    // Ratios take eight bytes each, and what is laid out of them more.
    let ratios = String(repeating: "1.25,", count: 1_500_000) + "1"
    let made = try send(
      "POST", "/v1/sessions",
      #"{"collection":{"sections":[{"items":{"aspectRatios":[\#(ratios)]}}]},"layout":{"kind":"waterfall"},"viewport":{"width":320,"height":480}}"#
    )
    let path = try #require(made.field("Location"))
    #expect(try program.residentByteCount() > before + 15e6)
    #expect(try send("PUT", path + "/collection", #"{"collection":{"sections":[]}}"#).status == 200)
    waitUntil { (try? program.residentByteCount()) ?? .infinity < before + 12e6 }
    #expect(try program.residentByteCount() < before + 12e6)
  }

  /// What had come before the process was stopped came in time, and nobody has been silent since.
  @Test(arguments: [false, true])
  func whatAStoppedProcessHasNotReadIsNotOverdue(hasTLS: Bool) throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let options = hasTLS ? try tlsOptions(in: folder) : []
    let program = try Program(
      options + ["--request-timeout-seconds", "3", "--idle-timeout-seconds", "3"])
    defer { program.kill() }
    let port = try program.port("listening on http\(hasTLS ? "s" : "")://")
    if hasTLS {
      let (idle, late) = (try TLSClient(port: port), try TLSClient(port: port))
      #expect(idle.answer(to: "/healthz").hasPrefix("HTTP/1.1 200"))
      late.send("GET /healthz HTTP/1.1\r\n")
      usleep(200_000)
      program.send(SIGSTOP)
      sleep(6)
      program.send(SIGCONT)
      usleep(700_000)
      #expect(idle.answer(to: "/healthz").hasPrefix("HTTP/1.1 200"))
      late.send("Host: a\r\n\r\n")
      #expect(late.receive().hasPrefix("HTTP/1.1 200"))
      return
    }
    let (idle, client) = (RawClient(port: port), RawClient(port: port))
    let get = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
    idle.send(get)
    #expect(idle.receive()?.status == 200)
    client.send(
      "POST /v1/layout HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        + "Expect: 100-continue\r\nContent-Length: 100000\r\n\r\n")
    #expect(client.receive()?.status == 100)
    program.send(SIGSTOP)
    client.send(String(repeating: " ", count: 100_000))
    sleep(6)
    program.send(SIGCONT)
    #expect(client.receive()?.status == 400)
    idle.send(get)
    #expect(idle.receive()?.status == 200)
  }

  /// Where a system has large pages for all, they would be there at once.
  @Test(.disabled(if: isSanitized, "a sanitizer's memory is not the program's"))
  func whatIsAnnouncedIsNotReserved() throws {
    let program = try Program([
      "--max-connections", "400", "--request-timeout-seconds", "600",
    ])
    defer { program.kill() }
    let port = try program.port()
    func begin() -> RawClient {
      let client = RawClient(port: port)
      client.send(
        "POST /v1/layout HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
          + "Expect: 100-continue\r\nContent-Length: 1000000\r\n\r\n")
      // What is reserved is reserved.
      #expect(client.receive()?.status == 100)
      return client
    }
    let first = begin()
    let before = try program.writableByteCount()
    let others = (0..<200).map { _ in begin() }
    #expect(try program.writableByteCount() < before + 100e6)
    withExtendedLifetime((first, others)) {}
  }

  /// What sessions are counted as, by what the process takes for them.
  ///
  /// `use` is called with each session's path, and with what sends it something that has to succeed.
  private func accountedShare(
    ofSessions count: Int, _ body: String,
    _ use: (_ session: String, _ send: (String, String, String) -> Void) -> Void = { _, _ in }
  ) throws -> Double {
    let program = try Program([
      "--log-level", "warning", "--max-sessions", "100000", "--worker-threads", "1",
      "--io-threads", "1",
    ])
    defer { program.kill() }
    let client = RawClient(port: try program.port())
    func send(_ method: String, _ target: String, _ body: String) -> RawClient.Answer? {
      client.send(
        "\(method) \(target) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
          + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
      return client.receive()
    }
    func make(_ count: Int) throws {
      for _ in 0..<count {
        let answer = try #require(send("POST", "/v1/sessions", body))
        try #require(answer.status == 201)
        use(try #require(answer.field("Location"))) { method, target, body in
          #expect((200...204).contains(send(method, target, body)?.status ?? 0))
        }
      }
    }
    func accounted() throws -> Double {
      client.send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
      let lines = try #require(client.receive()).text.split(separator: "\n")
      let line = lines.first { $0.hasPrefix("layoutd_session_bytes ") }
      return try #require(line.flatMap { Double($0.split(separator: " ")[1]) })
    }
    // Some first, so that what is only allocated once is there already.
    try make(count / 5)
    let (before, resident) = (try accounted(), try program.residentByteCount())
    try make(count)
    return (try accounted() - before) / (try program.residentByteCount() - resident)
  }

  /// Nothing goes in plain text then, keys least of all.
  @Test func aCertificateHasHTTPSServed() throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = try Program(try tlsOptions(in: folder))
    defer { program.kill() }
    let port = try program.port("listening on https://")
    let client = try TLSClient(port: port)
    #expect(client.answer(to: "/healthz").hasPrefix("HTTP/1.1 200"))
    let plain = RawClient(port: port)
    plain.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(!plain.receiveAll().contains("HTTP/"))
  }

  /// Metrics are for whoever reaches that address, and nobody else.
  @Test func theOperatorsListenerHasAnAddressOfItsOwn() throws {
    let program = try Program(["--admin-port", "0", "--admin-host", "127.0.0.2"])
    defer { program.kill() }
    _ = try program.port()
    let port = try program.port("administration on http://127.0.0.2:")
    #expect(!RawClient(port: port).isConnected)
    for (host, code) in [("127.0.0.2", Int32(0)), ("127.0.0.1", 1)] {
      let check = try Program(["healthcheck", "--admin-host", host, "--admin-port", "\(port)"])
      defer { check.kill() }
      #expect(check.waitForExit() == code)
    }
  }

  @Test func theRequestsOfATenantAreAnOption() throws {
    let program = try Program(["--tenant-requests-per-second", "1"])
    defer { program.kill() }
    let client = RawClient(port: try program.port())
    // However slow this machine is, some of a hundred come within a second of each other.
    let statuses = (0..<100).map { _ in
      client.send("GET /v1/sessions/x HTTP/1.1\r\nHost: a\r\n\r\n")
      return client.receive()?.status
    }
    #expect(statuses.first == 404 && Set(statuses) == [404, 429])
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

  @Test func theMemoryOfATenantIsAnOption() throws {
    let program = try Program(["--tenant-memory-mib", "1"])
    defer { program.kill() }
    let client = RawClient(port: try program.port())
    // Each takes some hundred bytes.
    let sections = Array(repeating: "{}", count: 5000).joined(separator: ",")
    let body =
      #"{"collection":{"sections":[\#(sections)]},"layout":{"kind":"list"},"viewport":{"width":9,"height":9}}"#
    client.send(
      "POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    let answer = try #require(client.receive())
    #expect(answer.status == 422 && answer.text.contains("1048576"))
  }

  @Test(arguments: ["info", "warning"])
  func pagesMayReadWhatIsRefusedUnasked(logLevel: String) throws {
    let program = try Program([
      "--cors-origin", "http://a.example", "--max-body-mib", "1", "--log-level", logLevel,
    ])
    defer { program.kill() }
    let client = RawClient(port: try program.port())
    client.send(
      "POST /v1/layout HTTP/1.1\r\nHost: a\r\nOrigin: http://a.example\r\nContent-Length: 1048577\r\n\r\n"
    )
    let answer = client.receiveAll()
    #expect(answer.hasPrefix("HTTP/1.1 413 "))
    #expect(answer.contains("\r\nAccess-Control-Allow-Origin: http://a.example\r\n"))
  }

  /// Bodies that have been used are not kept for those who do not take the answer.
  @Test(.disabled(if: isSanitized, "a sanitizer's memory is not the program's"))
  func theBuffersOfBodiesAreNotKeptWhileAnswersAreTaken() throws {
    // Who takes nothing is there to the end, however slow the machine is.
    let program = try Program([
      "--io-threads", "1", "--worker-threads", "1", "--request-timeout-seconds", "3600",
      "--idle-timeout-seconds", "3600",
    ])
    defer { program.kill() }
    let port = try program.port()
    let description = Array(
      #"{"collection":{"sections":[{"items":{"count":1500,"size":{"width":10,"height":10}}}]},"layout":{"kind":"list"},"viewport":{"width":100,"height":66000}}"#
        .utf8)
    let body = description + Array(repeating: UInt8(ascii: " "), count: 1_000_000)
    func ask() -> RawClient {
      let client = RawClient(port: port, receiveBuffer: 2048)
      client.send(
        "POST /v1/layout HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
          + "Content-Length: \(body.count)\r\n\r\n")
      client.send(body)
      // The answer is under way.
      #expect(client.take(12) > 0)
      return client
    }
    let first = (0..<10).map { _ in ask() }
    let before = try program.residentByteCount()
    let clients = (0..<40).map { _ in ask() }
    // Their answers, of a quarter of a megabyte, are all that is held.
    #expect(try program.residentByteCount() < before + 20_000_000)
    #expect((first + clients).allSatisfy { $0.receive()?.status == 200 })
  }

  /// What one long answer was written into is there for the next: the system need not clear pages for each.
  @Test(.disabled(if: isSanitized, "a sanitizer's memory is not the program's"))
  func longAnswersAreWrittenIntoTheMemoryOfThoseBefore() throws {
    let program = try Program(["--io-threads", "1", "--worker-threads", "1"])
    defer { program.kill() }
    let client = RawClient(port: try program.port())
    let body =
      #"{"collection":{"sections":[{"items":{"count":10000}}]},"layout":{"kind":"list","itemLength":1},"viewport":{"width":100,"height":100}}"#
    client.send(
      "POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    let made = try #require(client.receive())
    let id = try #require(made.text.split(separator: "\"").dropFirst(3).first)
    func ask() -> Int {
      client.send(
        "GET /v1/sessions/\(id)/attributes?x=0&y=0&width=100&height=10000&limit=10000 HTTP/1.1\r\nHost: a\r\n\r\n"
      )
      return client.receive()?.text.utf8.count ?? 0
    }
    for _ in 0..<3 { _ = ask() }
    let before = try program.pageFaultCount()
    let byteCount = (0..<8).reduce(0) { count, _ in count + ask() }
    #expect(byteCount > 8 * 700_000)
    let faultCount = try program.pageFaultCount() - before
    #expect(faultCount < byteCount / 4096 / 4, "of \(byteCount / 4096)")
  }

  /// A buffer that the next long body finds, but not for ever.
  @Test(.disabled(if: isSanitized, "a sanitizer's memory is not the program's"))
  func theBufferOfALongBodyIsGivenBack() throws {
    let program = try Program(["--io-threads", "1"])
    defer { program.kill() }
    let client = RawClient(port: try program.port())
    func send(_ count: Int) -> Int? {
      client.send(
        "POST /v1/layout HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
          + "Content-Length: \(count)\r\n\r\n")
      client.send(Array(repeating: UInt8(ascii: " "), count: count))
      return client.receive()?.status
    }
    #expect(send(1) == 400)
    let before = try program.residentByteCount()
    #expect(send(12_000_000) == 400)
    #expect(try program.residentByteCount() > before + 10_000_000)
    waitUntil { (try? program.residentByteCount()) ?? .infinity < before + 5_000_000 }
    #expect(try program.residentByteCount() < before + 5_000_000)
  }
}

/// Whether the program's memory is a sanitizer's too.
private let isSanitized =
  unsafe dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

/// Whether programs can be started that see other files than everybody.
private let canMount =
  unsafe system("unshare -m mount -t tmpfs none /proc 2>/dev/null") == 0

/// Whether programs can be started that are the first of those that they see.
private let canBeFirst =
  unsafe system(
    "unshare --pid --fork --kill-child true 2>/dev/null && cat /proc/$$/task/$$/children >/dev/null 2>&1"
  ) == 0

/// Whether programs can be started with a stack as large as they like.
private let canRaiseStacks = unsafe system("ulimit -s 1000000000000000 2>/dev/null") == 0

/// Whether a signal would wait now until a process asks for it.
private func blocks(_ signal: Int32, in process: pid_t) -> Bool {
  isSignal(signal, in: "SigBlk:", of: process)
}

/// Whether a process has a handler for a signal.
private func handles(_ signal: Int32, in process: pid_t) -> Bool {
  isSignal(signal, in: "SigCgt:", of: process)
}

/// Whether a signal is in one of the sets that the system says of a process.
private func isSignal(_ signal: Int32, in set: String, of process: pid_t) -> Bool {
  let line = text(ofFile: "/proc/\(process)/status").split(separator: "\n")
    .first { $0.hasPrefix(set) }
  let mask = line.flatMap { UInt64($0.dropFirst(7).drop { $0 == "\t" }, radix: 16) } ?? 0
  return mask >> UInt64(signal - 1) & 1 == 1
}

/// The program, running, with a log that is a pipe, full before its first line.
///
/// - Parameter isSetNotToWait: Whether what fills the pipe does so by the log's own descriptor, and leaves it so.
/// - Returns: The program, to be killed, and the pipe, to be removed.
/// - Throws: If it cannot be started.
private func programWithFullLog(isSetNotToWait: Bool) throws -> (program: Program, pipe: URL) {
  let pipe = FileManager.default.temporaryDirectory.appending(
    path: "layoutd-\(UUID().uuidString)")
  let output = isSetNotToWait ? ">&3" : "of='\(pipe.path)'"
  let program = try Program(
    [],
    after: """
      mkfifo '\(pipe.path)' && exec 3<>'\(pipe.path)'
      dd if=/dev/zero \(output) bs=4096 oflag=nonblock 2>/dev/null
      exec 2>&3 3>&-
      """)
  waitUntil { program.threadNames.contains("acceptor") }
  return (program, pipe)
}

/// A folder of its own, which whoever makes it removes.
private func makeFolder() throws -> URL {
  let folder = FileManager.default.temporaryDirectory.appending(
    path: "layoutd-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}

/// What has it serve https, with files in a folder.
private func tlsOptions(in folder: URL) throws -> [String] {
  try [("cert", TLSTests.certificate), ("key", TLSTests.key)].flatMap { name, text in
    let file = folder.appending(path: name)
    try Data(text.utf8).write(to: file)
    return ["--tls-\(name)", file.path]
  }
}

/// The program, running; not by Foundation's `Process`, which leaks.
private final class Program {
  private let process: pid_t
  private let file: URL
  private var status: Int32?

  /// - Parameters:
  ///   - arguments: What it is started with.
  ///   - variables: What is added to this process's environment, as `NAME=value`.
  ///   - command: What a shell does before it becomes the program.
  /// - Throws: If it cannot be started.
  init(_ arguments: [String], variables: [String] = [], after command: String = "") throws {
    // Where the tests are, the program is.
    let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let program = URL(filePath: runner).deletingLastPathComponent().appending(path: "layoutd").path
    file = FileManager.default.temporaryDirectory.appending(path: "layoutd-\(UUID().uuidString)")
    var actions = unsafe posix_spawn_file_actions_t()
    // Safe: initialised first, used, and destroyed at the end; the texts outlive the call.
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(
      &actions, STDERR_FILENO, file.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    let line = ["/bin/sh", "-c", "\(command)\nexec \"$0\" \"$@\"", program, "--port", "0"]
    let words = command.isEmpty ? Array(line.dropFirst(3)) : line
    var texts = unsafe (words + arguments).map { unsafe strdup($0) }
    unsafe texts.append(nil)
    defer { unsafe texts.forEach { unsafe free($0) } }
    let inherited = ProcessInfo.processInfo.environment
      .filter { !$0.key.hasPrefix("LAYOUTD_") }.map { "\($0.key)=\($0.value)" }
    var environment = unsafe (inherited + variables).map { unsafe strdup($0) }
    unsafe environment.append(nil)
    defer { unsafe environment.forEach { unsafe free($0) } }
    var process: pid_t = 0
    let failure = unsafe posix_spawn(&process, words[0], &actions, nil, &texts, &environment)
    try #require(failure == 0)
    self.process = process
  }

  deinit { try? FileManager.default.removeItem(at: file) }

  /// What it has written so far.
  var log: String { text(ofFile: file.path) }

  func waitForLog(_ text: String) -> Bool {
    waitUntil { log.contains(text) }
    return log.contains(text)
  }

  /// Whether a signal would wait now until the program asks for it.
  func blocks(_ signal: Int32) -> Bool { LayoutServerTests.blocks(signal, in: process) }

  /// What runs the program, where the process that was started is another one; nil as long as there is none.
  var child: pid_t? {
    text(ofFile: "/proc/\(process)/task/\(process)/children").split(separator: " ").first
      .flatMap { pid_t($0) }
  }

  /// The port that it says.
  func port(_ text: String = "listening on http://") throws -> UInt16 {
    #expect(waitForLog("listening on "))
    let line = log.split(separator: "\n").first { $0.hasPrefix(text) }
    return try #require(line?.split(separator: ":").last.flatMap { UInt16($0) })
  }

  /// The memory that it has now.
  func residentByteCount() throws -> Double { try byteCount("VmRSS:") }

  /// The memory that it may write to without asking for it, whether it has it or not.
  func writableByteCount() throws -> Double { try byteCount("VmData:") }

  private func byteCount(_ name: String) throws -> Double {
    let status = text(ofFile: "/proc/\(process)/status")
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
    let words = line?.split(whereSeparator: \.isWhitespace) ?? []
    return 1024 * (try #require(words.count > 1 ? Double(words[1]) : nil))
  }

  /// How many pages it was given, or given anew.
  func pageFaultCount() throws -> Int {
    let fields = text(ofFile: "/proc/\(process)/stat").split(separator: ")").last?.split(
      separator: " ")
    return try #require(fields.flatMap { $0.count > 7 ? Int($0[7]) : nil })
  }

  /// How often it has written to files and pipes.
  func writeCount() throws -> Int {
    let lines = text(ofFile: "/proc/\(process)/io").split(separator: "\n")
    let line = lines.first { $0.hasPrefix("syscw:") }
    return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
  }

  /// What its threads are called.
  var threadNames: [String] {
    let tasks = "/proc/\(process)/task"
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    return numbers.map { number in
      String(text(ofFile: "\(tasks)/\(number)/comm").prefix { $0 != "\n" })
    }
  }

  /// What a descriptor of it leads to; nil if it has none of that number.
  func target(ofDescriptor descriptor: Int) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(
      atPath: "/proc/\(process)/fd/\(descriptor)")
  }

  /// How many descriptors it may have, and how many it might.
  func descriptorLimits() -> (soft: Int, hard: Int)? {
    let lines = text(ofFile: "/proc/\(process)/limits").split(separator: "\n")
    let line = lines.first { $0.hasPrefix("Max open files") }
    let numbers = line?.split(separator: " ").compactMap { Int($0) } ?? []
    return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
  }

  func send(_ signal: Int32) { Glibc.kill(process, signal) }

  /// What it exits with; nil if it does not.
  func waitForExit() -> Int32? {
    waitUntil { hasEnded(WNOHANG) }
    // The second byte; the first is the signal's.
    return status.flatMap { $0 & 0x7F == 0 ? $0 >> 8 & 0xFF : nil }
  }

  func kill() {
    if !hasEnded(WNOHANG) { send(SIGKILL) }
    _ = hasEnded(0)
  }

  private func hasEnded(_ options: Int32) -> Bool {
    if status != nil { return true }
    var code: Int32 = 0
    // Safe: the pointer is to a variable of this frame.
    guard unsafe waitpid(process, &code, options) == process else { return false }
    status = code
    return true
  }
}

/// Holds a store's file as another program does that writes.
private final class Writing {
  private let index: Int32

  /// Begins, as soon as nobody else writes; nil if that is never.
  init?(file: String) {
    // SQLite's lock for one writer is this byte of the log's index.
    let index = unsafe open("\(file)-shm", O_RDWR)
    self.index = index
    var writing = flock(
      l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 120, l_len: 1, l_pid: 0)
    var isHeld = false
    waitUntil {
      // Safe: the pointer is to a variable of this frame.
      isHeld = unsafe fcntl(index, F_SETLK, &writing) == 0
      return isHeld
    }
    guard isHeld else { return nil }
  }

  deinit { close(index) }
}

extension RawClient {
  /// A value in `/metrics`; nil if there is none of that name.
  fileprivate func sample(_ name: String) -> Int? {
    send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
    let lines = receive()?.text.split(separator: "\n") ?? []
    return lines.first { $0.hasPrefix(name + " ") }.flatMap { Int($0.dropFirst(name.count + 1)) }
  }
}

/// What stands in a file; nothing if there is none.
///
/// Not by Foundation, which leaks when it reads an empty one.
private func text(ofFile path: String) -> String {
  let descriptor = unsafe open(path, O_RDONLY)
  guard descriptor >= 0 else { return "" }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var part = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    // Safe: the part is there for the length of the call, with its size.
    let count = unsafe read(descriptor, &part, part.count)
    guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
    bytes += part[..<count]
  }
}
