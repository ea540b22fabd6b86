import Foundation
import HTTPMessages
import Testing

@testable import LayoutAPI

/// The contract, the playground and the client for browsers, as they leave the binary.
struct WebEndpointTests {
  /// Where each file is, what it is said to be, and where its source is.
  static let files = [
    ("/openapi.yaml", "application/yaml", "openapi.yaml"),
    ("/", "text/html; charset=utf-8", "index.html"),
    ("/client/collection-view.js", "text/javascript; charset=utf-8", "collection-view.js"),
    ("/client/collection-view.d.ts", "text/typescript; charset=utf-8", "collection-view.d.ts"),
    ("/playground/playground.js", "text/javascript; charset=utf-8", "playground.js"),
    ("/playground/playground.css", "text/css; charset=utf-8", "playground.css"),
    ("/playground/favicon.svg", "image/svg+xml", "favicon.svg"),
    ("/playground/gallery.json", "application/json", "gallery.json"),
  ]

  private static func source(_ name: String) throws -> [UInt8] {
    let folder =
      switch name {
      case "gallery.json": ""
      case "openapi.yaml": "../../../"
      default: "../../../Sources/CResources/web/"
      }
    return Array(try fixture(folder + name))
  }

  @Test(arguments: files)
  func everyFileIsServedAsItIs(path: String, type: String, name: String) throws {
    let answer = try #require(MockService().send(.get, path))
    #expect(answer.status == 200)
    #expect(answer.fields["Content-Type"] == type)
    #expect(answer.fields["X-Content-Type-Options"] == "nosniff")
    #expect(answer.fields["Cache-Control"] == "no-cache")
    #expect(try answer.bytes == Self.source(name))
  }

  /// Who writes a client finds there what a problem may be called.
  @Test(arguments: Problem.Kind.allCases)
  func everyProblemIsInTheContract(kind: Problem.Kind) throws {
    let contract = try String(decoding: Self.source("openapi.yaml"), as: UTF8.self)
    #expect(contract.contains("- \(kind.status.rawValue) `\(kind.rawValue)`:"))
  }

  @Test func everyFileOfTheFolderIsServed() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/CResources/web")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(names) == Set(Self.files.map(\.2)).subtracting(["gallery.json", "openapi.yaml"]))
  }

  @Test(arguments: files)
  func whoHasTheFileIsToldSo(path: String, type: String, name: String) throws {
    let service = MockService()
    let tag = try #require(service.send(.get, path)?.fields["ETag"])
    for tags in [tag, "W/\(tag)", tag.dropLast() + "-gzip\"", "\"1\", \(tag)", "*"] {
      let answer = try #require(service.send(.get, path, ifNoneMatch: tags))
      #expect(answer.status == 304)
      // Not to be sent: its length is what would have been.
      #expect(try answer.bytes == Self.source(name))
      #expect(answer.fields["ETag"] == tag)
    }
    #expect(service.send(.get, path, ifNoneMatch: "\"1\"")?.status == 200)
    #expect(service.send(.head, path)?.status == 200)
    #expect(service.send(.head, path, ifNoneMatch: tag)?.status == 304)
  }

  @Test func tagsTellFilesApart() {
    let service = MockService()
    let tags = Self.files.compactMap { service.send(.get, $0.0)?.fields["ETag"] }
    #expect(Set(tags).count == Self.files.count)
  }

  @Test func thePageMayLoadNothingFromElsewhereAndNothingInline() throws {
    let answer = try #require(MockService().send(.get, "/"))
    let policy = try #require(answer.fields["Content-Security-Policy"])
    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
    #expect(policy.contains("frame-ancestors 'none'"))
    #expect(!policy.contains("unsafe"))
    // What the policy would refuse is not in the page to begin with.
    let page = String(decoding: answer.bytes, as: UTF8.self)
    #expect(!page.contains("style=\""))
    #expect(!page.contains("://"))
    #expect(page.firstMatch(of: /<script(?![^>]*\ssrc=)/) == nil)
    #expect(page.firstMatch(of: /\son[a-z]+=/) == nil)
  }

  /// And below the page itself: a proxy may show the server at a path of its own.
  @Test func everyFileThatThePageNamesIsThere() throws {
    let service = MockService()
    let page = try #require(service.send(.get, "/")).bytes
    let names = String(decoding: page, as: UTF8.self)
      .matches(of: /(?:src|href)="([^"#]+)"/).map { String($0.1) }
    #expect(names.count >= 4)
    for name in names {
      #expect(!name.hasPrefix("/") && !name.contains(".."))
      #expect(service.send(.get, "/\(name)")?.status == 200, "\(name)")
    }
  }

  @Test func scriptsAskNothingOfTheRootOfTheirHost() throws {
    for file in ["playground.js", "collection-view.js"] {
      let text = String(decoding: try Self.source(file), as: UTF8.self)
      #expect(text.firstMatch(of: /(?:import|fetch\(|from)\s*["`']\//) == nil, "\(file)")
      #expect(!text.contains("location.origin"), "\(file)")
    }
  }

  @Test(arguments: [
    "/playground/", "/playground/x.js", "/playground/%2e%2e", "/client/", "/client/x",
  ])
  func thereIsNothingElse(path: String) {
    #expect(MockService().send(.get, path)?.status == 404)
  }

  /// Whoever has a file is told again how it may be used (RFC 9110, section 15.4.5).
  @Test func whoHasAFileIsToldTheSameOfIt() throws {
    let service = MockService()
    for (path, _, _) in Self.files {
      let whole = try #require(service.send(.get, path))
      let tag = try #require(whole.fields["ETag"])
      let again = try #require(service.send(.get, path, ifNoneMatch: tag))
      #expect(again.status == 304)
      #expect(again.fields == whole.fields, "\(path)")
    }
  }

  @Test func nothingCanBeSentThere() {
    let service = MockService()
    for (path, _, _) in Self.files {
      let answer = service.send(.post, path, "{}")
      #expect(answer?.status == 405)
      #expect(answer?.fields["Allow"] == "GET, HEAD, OPTIONS")
    }
  }

  @Test func filesNeedNoKeyAndAreForClients() throws {
    let keys = try APIKeys("a:\(String(repeating: "0", count: 64))")
    let service = MockService(access: AccessControl(keys: keys))
    for (path, _, _) in Self.files {
      #expect(service.send(.get, path, audience: .clients)?.status == 200)
      #expect(service.send(.get, path, audience: .operators)?.status == 404)
    }
  }
}
