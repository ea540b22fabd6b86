import Foundation
import Testing

@testable import layoutd

/// What the program is told, and what it makes of that.
@Suite(.waits) struct ConfigurationTests {
  private func read(
    _ arguments: [String], _ variables: [String: String] = [:]
  ) throws(Configuration.Failure) -> Configuration {
    try Configuration.read(arguments, environment: { variables[$0] }).configuration
  }

  /// Why it does not start; nil if it does.
  private func failure(_ arguments: [String], _ variables: [String: String] = [:]) -> String? {
    do throws(Configuration.Failure) {
      try read(arguments, variables).check()
      return nil
    } catch {
      return error.message
    }
  }

  @Test func processorsAreThoseOfTheAffinity() {
    let status = "Name:\ta\nCpus_allowed:\t3,0000000f,80000001\nCpus_allowed_list:\t0,31-35,64-65\n"
    #expect(Processors.allowedCount(status) == 8)
    #expect(Processors.allowedCount("Name:\ta\n") == nil)
  }

  /// A container's limit is at the root of what it sees, a unit's at its own group or one that it is part of.
  @Test(arguments: [
    ("0::/\n", 3), ("4:cpu:/a\n0::/a/b\n", 2), ("0::/a", 3), ("0::/none/b", 3), ("0::/long/b", 1),
    ("0::/damaged", 3), ("4:cpu:/a\n", nil), ("", nil),
  ])
  func processorsAreThoseOfTheQuota(membership: String, count: Int?) throws {
    let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: root) }
    for (path, text) in [
      ("", "250000 100000\n"), ("a", "max 100000\n"), ("a/b", "200000 100000\n"), ("none", nil),
      ("long", "1 1000000\n"), ("damaged", "a 0\n"),
    ] {
      let folder = root.appending(path: path)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try text.map { try Data($0.utf8).write(to: folder.appending(path: "cpu.max")) }
    }
    #expect(Processors.quota(ofGroup: membership, under: root.path) == count)
  }

  @Test func optionsWinOverTheEnvironment() throws {
    let variables = [
      "LAYOUTD_MAX_ITEMS": "7", "LAYOUTD_HOST": "127.0.0.2",
      "LAYOUTD_CORS_ORIGIN": "https://a.example,https://b.example",
    ]
    let first = try read([], variables)
    #expect(first.maxItems == 7 && first.host == "127.0.0.2")
    #expect(first.corsOrigins == ["https://a.example", "https://b.example"])
    let second = try read(
      [
        "--cors-origin", "https://c.example", "--max-items=8", "--cors-origin=https://d.example",
      ], variables)
    #expect(second.maxItems == 8 && second.host == "127.0.0.2")
    #expect(second.corsOrigins == ["https://c.example", "https://d.example"])
  }

  /// Orchestrators set some of them for services, as `LAYOUTD_PORT=tcp://10.0.0.1:80`.
  @Test func aVariableIsNotReadWhereItsOptionIsGiven() throws {
    let variables = ["LAYOUTD_PORT": "tcp://10.0.0.1:80"]
    #expect(try read(["--port", "21"], variables).port == 21)
    #expect(
      failure([], variables)
        == "LAYOUTD_PORT takes a whole number from 0 to 65535, not \"tcp://10.0.0.1:80\"")
  }

  @Test(arguments: [
    ("", false), ("0", false), ("false", false), ("no", false), ("1", true), ("true", true),
    ("yes", true),
  ])
  func switchesMayBeVariables(value: String, isOn: Bool) throws {
    #expect(try read([], ["LAYOUTD_ALLOW_ANONYMOUS": value]).allowAnonymous == isOn)
    #expect(try read(["--allow-anonymous=\(value)"]).allowAnonymous == isOn)
    #expect(try read(["--allow-anonymous"], ["LAYOUTD_ALLOW_ANONYMOUS": value]).allowAnonymous)
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.255.1.2", true), ("localhost", true), ("::1", true),
    ("127.0.0.1.2", false), ("127.1", false), ("127.0.0.x", false), ("127.0.0.256", false),
    ("127.0.0.", false), ("127", false), ("128.0.0.1", false), ("0.0.0.0", false), ("::", false),
    ("localhost.example.org", false),
  ])
  func onlyThisMachineIsServedWithoutKeys(host: String, isServed: Bool) {
    #expect((failure(["--host", host]) == nil) == isServed)
    #expect(failure(["--host", host, "--allow-anonymous"]) == nil)
  }

  @Test func thereIsOneCommand() throws {
    #expect(try Configuration.read([], environment: { _ in nil }).command == .serve)
    let check = try Configuration.read(["healthcheck"], environment: { _ in nil })
    #expect(check.command == .healthcheck)
    #expect(failure(["serve", "healthcheck"])?.contains("unknown command") == true)
  }

  @Test func whatIsEmptyIsNoValue() {
    #expect(failure(["--host="]) == "--host takes an address")
    #expect(failure([], ["LAYOUTD_TLS_CERT": ""]) == "LAYOUTD_TLS_CERT takes a value")
    for store in ["memory:x", "sqlite:"] {
      #expect(failure(["--store", store])?.hasPrefix("--store takes memory") == true)
    }
  }

  @Test func listenersNeedPlacesOfTheirOwn() {
    #expect(failure(["--port", "0", "--admin-port", "0"]) == nil)
    #expect(failure(["--port", "1", "--admin-port", "1"]) != nil)
    #expect(failure(["--port", "1", "--admin-port", "1", "--admin-host", "127.0.0.1"]) != nil)
    #expect(failure(["--port", "1", "--admin-port", "1", "--admin-host", "127.0.0.2"]) == nil)
    #expect(failure(["--admin-host", "127.0.0.1"]) == "--admin-host needs --admin-port")
  }

  /// What is allowed is answered 503 for ever then, and asked for again and again.
  @Test func bodiesThatNeverFitAreTold() throws {
    func told(_ arguments: [String]) throws -> String? {
      try read(arguments).bodiesThatNeverFit
    }
    #expect(try told(["--max-body-mib", "64", "--max-in-flight-mib", "64"]) == nil)
    #expect(
      try told(["--max-in-flight-mib", "63"])
        == "--max-body-mib 64 never fits into --max-in-flight-mib 63: longer bodies are always 503")
    #expect(try told(["--max-body-mib", "513"])?.contains("--max-in-flight-mib 512") == true)
    // One of several names leaves a quarter to the others.
    let keys = ["--api-keys-file", "keys"]
    #expect(try told(keys + ["--max-body-mib", "384"]) == nil)
    #expect(
      try told(keys + ["--max-body-mib", "385"])?.contains("three quarters of --max-in-flight-mib")
        == true)
  }

  @Test func theHelpFitsATerminal() {
    let lines = Configuration.help.split(separator: "\n")
    #expect(lines.count > 60)
    for line in lines { #expect(line.count <= 80, "\(line)") }
  }
}
