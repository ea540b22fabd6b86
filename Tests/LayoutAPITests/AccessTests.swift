import HTTPMessages
import LayoutSessions
import Testing

@testable import LayoutAPI

/// Keys, tenants and their limits, and pages that may call.
struct AccessTests {
  /// SHA-256 of "abc" and of the empty text, as FIPS 180-4's examples have them.
  private static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  private static let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  /// SHA-256 of "xyz".
  private static let xyz = "3608bca1e44ea6c4d268eb6db02260269892c0b42b86bbf1e77a6fa16c3c9282"

  private static let session =
    #"{"collection":{"sections":[{"items":{"count":9}}]},"layout":{"kind":"list"},"viewport":{"width":9,"height":9}}"#

  private static func service(
    _ keys: String = "one:\(abc)\nother:\(xyz)", perSecond: Int = 0
  ) throws -> (MockService, AccessControl) {
    let access = AccessControl(
      keys: try APIKeys(keys), requestsPerSecond: perSecond)
    return (MockService(access: access), access)
  }

  @Test(arguments: [
    ("abc", abc, true), ("", nothing, true), ("abd", abc, false), ("abc", nothing, false),
  ])
  func aKeyIsKnownByItsHash(key: String, hash: String, isKnown: Bool) throws {
    let bytes = Array(key.utf8)
    let hashed = KeyDigest(of: bytes.span)
    let digest = try #require(hashed)
    let known = try #require(KeyDigest(hex: hash[...]))
    #expect((digest == known) == isKnown)
    let upper = try #require(KeyDigest(hex: hash.uppercased()[...]))
    #expect(upper == known)
  }

  /// As many as there may be: none is looked at beside the one whose digest begins like that of the guess.
  @Test func ofManyKeysEachIsFoundByItsDigest() throws {
    var digests: [KeyDigest] = []
    for number in 0..<1000 {
      let hashed = KeyDigest(of: Array("key\(number)".utf8).span)
      digests.append(try #require(hashed))
    }
    #expect(Set(digests.map(\.hashValue)).count == 1000)
    // One beside each that begins as it does.
    let others = try Self.nearDigests.map { try #require(KeyDigest(hex: $0[...])) }
    let known = try #require(KeyDigest(hex: Self.abc[...]))
    #expect(others.allSatisfy { $0 != known })
    #expect(others[0].hashValue == known.hashValue)
    let keys = try APIKeys(
      (Self.nearDigests + [Self.abc, Self.xyz]).enumerated().map { "t\($0):\($1)" }
        .joined(separator: "\n"))
    let access = AccessControl(keys: keys)
    func name(_ key: String) -> String? {
      access.tenant(authorization: Array("Bearer \(key)".utf8).span)?.owner.name
    }
    #expect(name("abc") == "t2")
    #expect(name("xyz") == "t3")
    #expect(name("abd") == nil)
    access.replaceKeys(by: try APIKeys("t0:\(Self.nearDigests[0])"))
    #expect(name("abc") == nil)
  }

  /// SHA-256 of "abc" but for the last digit, and but for the first.
  private static let nearDigests = [abc.dropLast() + "e", "c" + abc.dropFirst()].map { String($0) }

  @Test func aFileOfKeysMayHaveCommentsAndSeveralKeysOfAName() throws {
    let keys = try APIKeys("# keys\r\n\r\n  a.b-c_1:\(Self.abc)  \na.b-c_1:\(Self.xyz)")
    #expect(keys.entries.map(\.name) == ["a.b-c_1", "a.b-c_1"])
    // Unicode has more ends of lines, and characters that begin with a #.
    let comments = "# a\u{2028}b\u{85}c\u{0C}d\r#\u{FE0F}\u{20E3}\n"
    #expect(try APIKeys(comments + "a:\(Self.abc)").entries.count == 1)
  }

  @Test func aFileHasAThousandKeysAndNamesOfSixtyFourBytesAtMost() throws {
    func lines(_ count: Int) -> String {
      (0..<count).map { number in
        let digits = String(number, radix: 16)
        return "a:" + String(repeating: "0", count: 64 - digits.utf8.count) + digits
      }.joined(separator: "\n")
    }
    #expect(try APIKeys(lines(1000)).entries.count == 1000)
    #expect(throws: APIKeys.Failure(message: "there are more than 1000 keys in it")) {
      try APIKeys(lines(1001))
    }
    func line(_ count: Int) -> String { String(repeating: "a", count: count) + ":" + Self.abc }
    #expect(try APIKeys(line(64)).entries.count == 1)
    #expect(throws: APIKeys.Failure(message: "line 1 is not name:sha256-hex-of-key")) {
      try APIKeys(line(65))
    }
  }

  @Test(arguments: [
    ("", "there is no key in it"),
    ("# only this", "there is no key in it"),
    ("a:\(abc)\nb", "line 2 is not name:sha256-hex-of-key"),
    (":\(abc)", "line 1 is not name:sha256-hex-of-key"),
    ("a b:\(abc)", "line 1 is not name:sha256-hex-of-key"),
    ("a:\(abc.dropLast())", "line 1 is not name:sha256-hex-of-key"),
    ("a:\(abc.dropLast())g", "line 1 is not name:sha256-hex-of-key"),
    ("a:\(abc):", "line 1 is not name:sha256-hex-of-key"),
    ("a:\(abc)\n\nb:\(abc)", "the key of line 3 has another name already"),
  ])
  func aFileOfKeysIsRefusedWithItsLine(text: String, message: String) {
    #expect(throws: APIKeys.Failure(message: message)) { try APIKeys(text) }
  }

  /// Of what is there only: without a key nobody learns what is not.
  @Test func optionsOfWhatIsNotThereNeedAKey() throws {
    let (mock, _) = try Self.service()
    #expect(mock.send(.options, "/v1/sessions")?.status == 204)
    #expect(mock.send(.options, "/v1/nowhere")?.status == 401)
  }

  @Test(arguments: ["", "abc", "Basic abc", "Bearer", "Bearer ", "Bearer ab", "Bearer abcd"])
  func withoutAKnownKeyNothingIsThere(authorization: String) throws {
    let (mock, _) = try Self.service()
    for (method, path) in [
      (HTTPMethod.post, "/v1/layout"), (.post, "/v1/sessions"), (.get, "/v1/sessions/x"),
      (.get, "/v1/nothing"), (.delete, "/v1/layout"),
    ] {
      let answer = try #require(mock.send(method, path, "{}", authorization: authorization))
      #expect(answer.status == 401, "\(path)")
      #expect(answer.fields["WWW-Authenticate"] == #"Bearer realm="layoutd""#)
      #expect(answer["type"] as? String == "/problems/unauthorized")
    }
    // Neither is a body looked at, nor does it wait for a worker.
    let long = String(repeating: " ", count: 100_000)
    let answer = mock.send(
      .post, "/v1/layout", long, authorization: authorization, mayTakeLong: false)
    #expect(answer?.status == 401)
    for path in ["/healthz", "/readyz", "/openapi.yaml", "/metrics"] {
      #expect(mock.send(.get, path)?.status == 200)
    }
    #expect(mock.send(.options, "/v1/layout")?.status == 204)
  }

  /// What the header says is enough to refuse a long body.
  @Test func aLongBodyIsRefusedUnread() throws {
    let (mock, _) = try Self.service()
    func refusal(
      _ method: HTTPMethod, _ path: String, key: String = "", type: String = "application/json",
      encoding: String = ""
    ) -> UInt16? {
      let (path, key, type) = (Array(path.utf8), Array(key.utf8), Array(type.utf8))
      let encoding = Array(encoding.utf8)
      let request = HTTPRequest(
        method: method, path: path.span, query: Span(),
        fields: HTTPRequestFields(
          contentType: type.span, contentEncoding: encoding.span, authorization: key.span),
        body: Span())
      return mock.service.refusal(ofLong: request)?.status.rawValue
    }
    #expect(refusal(.post, "/v1/sessions", key: "Bearer abc") == nil)
    #expect(refusal(.post, "/v1/sessions") == 401)
    #expect(refusal(.post, "/v1/sessions", key: "Bearer xyzz") == 401)
    #expect(refusal(.post, "/v1/nothing", key: "Bearer abc") == 404)
    #expect(refusal(.put, "/v1/sessions", key: "Bearer abc") == 405)
    #expect(refusal(.post, "/v1/sessions", key: "Bearer abc", type: "text/plain") == 415)
    #expect(refusal(.post, "/v1/sessions", key: "Bearer abc", encoding: "gzip") == 415)
    #expect(refusal(.get, "/v1/sessions/x", key: "Bearer abc", type: "") == nil)
  }

  @Test func aTenantSeesItsOwnSessionsOnly() throws {
    let (mock, access) = try Self.service()
    let created = try #require(
      mock.send(.post, "/v1/sessions", Self.session, authorization: "Bearer abc"))
    let path = try #require(created.fields["Location"])
    for key in ["bEARER abc", "Bearer   abc"] {
      #expect(mock.send(.get, path, authorization: key)?.status == 200)
    }
    let unknown = try #require(
      mock.send(.get, path.dropLast() + "g", authorization: "Bearer xyz"))
    for (method, suffix, body) in [
      (HTTPMethod.get, "", ""), (.delete, "", ""), (.get, "/attributes", ""),
      (.post, "/scroll", #"{"contentOffset":{"x":0,"y":0}}"#),
      (.post, "/updates", #"{"deleteItems":[{"section":0,"start":0,"end":1}]}"#),
      (.post, "/movement", #"{"indexPath":[0,0]}"#),
    ] {
      let answer = try #require(
        mock.send(method, path + suffix, body, authorization: "Bearer xyz"))
      #expect(answer.status == 404)
      #expect(answer["detail"] as? String == unknown["detail"] as? String)
    }
    // With a new key of the same name the sessions are still there, with the old one nothing is.
    access.replaceKeys(by: try APIKeys("one:\(Self.nothing)\none:\(Self.xyz)"))
    #expect(mock.send(.get, path, authorization: "Bearer xyz")?.status == 200)
    #expect(mock.send(.get, path, authorization: "Bearer abc")?.status == 401)
    access.replaceKeys(by: try APIKeys("other:\(Self.xyz)"))
    #expect(mock.send(.get, path, authorization: "Bearer xyz")?.status == 404)
    access.replaceKeys(by: try APIKeys("other:\(Self.xyz)\none:\(Self.abc)"))
    #expect(mock.send(.delete, path, authorization: "Bearer abc")?.status == 204)
  }

  @Test func aTenantHasSoManySessions() throws {
    let mock = MockService(
      sessions: .init(sessionCountPerOwner: 2),
      access: AccessControl(keys: try APIKeys("one:\(Self.abc)\nother:\(Self.xyz)")))
    for _ in 0..<2 {
      let answer = mock.send(.post, "/v1/sessions", Self.session, authorization: "Bearer abc")
      #expect(answer?.status == 201)
    }
    let refused = try #require(
      mock.send(.post, "/v1/sessions", Self.session, authorization: "Bearer abc"))
    #expect(refused.status == 429)
    #expect(refused["type"] as? String == "/problems/too-many-requests")
    #expect(refused.fields["Retry-After"].flatMap(Int.init) ?? 0 >= 1)
    let other = mock.send(.post, "/v1/sessions", Self.session, authorization: "Bearer xyz")
    #expect(other?.status == 201)
  }

  @Test func theSessionsOfATenantTakeSoMuch() throws {
    let mock = MockService(
      sessions: .init(byteCountPerOwner: 10_000),
      access: AccessControl(keys: try APIKeys("one:\(Self.abc)\nother:\(Self.xyz)")))
    func make(_ body: String, _ key: String = "abc") -> Answer? {
      mock.send(.post, "/v1/sessions", body, authorization: "Bearer \(key)")
    }
    let created = try #require(make(Self.session))
    let path = try #require(created.fields["Location"])
    for _ in 0..<10 { _ = make(Self.session) }
    let refused = try #require(make(Self.session))
    #expect(refused.status == 429)
    #expect(refused.fields["Retry-After"].flatMap(Int.init) ?? 0 >= 1)
    #expect(make(Self.session, "xyz")?.status == 201)
    // Nor may one of them grow; and one that is too much alone never will be less.
    let lengths = (0..<2000).map { "\($0).5" }.joined(separator: ",")
    func insert(_ items: String) -> Int? {
      let batch = #"{"insertItems":[{"section":0,"at":0,"items":\#(items)}]"#
      let statuses = [#","dryRun":true}"#, "}"].map {
        mock.send(.post, path + "/updates", batch + $0, authorization: "Bearer abc")?.status
      }
      // To try it says what comes of it.
      #expect(statuses[0] == statuses[1])
      return statuses[1]
    }
    #expect(insert(#"{"count":1}"#) == 200)
    #expect(insert(#"{"lengths":[\#(lengths)]}"#) == 422)
    #expect(insert(#"{"lengths":[\#(lengths.prefix(5000))5]}"#) == 429)
    // A pointer leads to what the body has.
    let collection = #"{"sections":[{"items":{"lengths":[\#(lengths)]}}]}"#
    for (method, end, body, pointer) in [
      (HTTPMethod.put, "/collection", #"{"collection":\#(collection)}"#, "/collection"),
      (
        .post, "/updates",
        #"{"insertSections":[{"at":0,"section":\#(collection.dropFirst(13).dropLast(2))}]}"#, nil
      ),
    ] {
      let answer = mock.send(method, path + end, body, authorization: "Bearer abc")
      #expect(answer?.status == 422)
      #expect(answer?["pointer"] as? String == pointer)
    }
  }

  /// Who waits for a worker waits behind those of his own name only; who is the only one leaves nothing to others.
  @Test func everyTenantHasALineOfItsOwn() throws {
    func lines(_ service: LayoutService) -> [WaitingLine] {
      ["Bearer abc", "Bearer xyz", ""].map { authorization in
        let (path, key) = (Array("/v1/layout".utf8), Array(authorization.utf8))
        return service.line(
          of: HTTPRequest(
            method: .post, path: path.span, query: Span(),
            fields: HTTPRequestFields(authorization: key.span), body: Span()))
      }
    }
    let (mock, access) = try Self.service()
    #expect(lines(mock.service) == [.own(1), .own(2), .unidentified])
    access.replaceKeys(by: try APIKeys("other:\(Self.xyz)\nother:\(Self.nothing)"))
    #expect(lines(mock.service) == [.unidentified, .shared, .unidentified])
    #expect(lines(MockService().service) == [.shared, .shared, .shared])
  }

  @Test func aTenantAsksSoOftenInASecond() throws {
    let (mock, _) = try Self.service(perSecond: 10)
    mock.clock.now = .seconds(100)
    func ask(_ key: String) -> Int? {
      mock.send(.get, "/v1/sessions/x", authorization: "Bearer \(key)", mayTakeLong: false)?.status
    }
    for _ in 0..<10 { #expect(ask("abc") == 404) }
    let refused = mock.send(.get, "/v1/sessions/x", authorization: "Bearer abc", mayTakeLong: false)
    #expect(refused?.status == 429)
    // A tenth of a second would do; the field has whole ones.
    #expect(refused?.fields["Retry-After"] == "1")
    #expect(ask("xyz") == 404)
    mock.clock.now += .milliseconds(150)
    #expect(ask("abc") == 404)
    #expect(ask("abc") == 429)
    mock.clock.now += .seconds(1000)
    for _ in 0..<10 { #expect(ask("abc") == 404) }
    #expect(ask("abc") == 429)
    // The second look at a request, by a worker, is not a second request.
    let answer = mock.send(.get, "/v1/sessions/x", authorization: "Bearer abc")
    #expect(answer?.status == 404)
    // Nor are long bodies free.
    let long = mock.send(
      .post, "/v1/layout", String(repeating: " ", count: 100_000), authorization: "Bearer abc",
      mayTakeLong: false)
    #expect(long?.status == 429)
  }

  /// Over any stretch of time no more are let through than the rate gives, and a second's worth.
  @Test(arguments: [1, 3, 10, 1000, 1_000_000])
  func aRateIsKept(perSecond: Int) {
    let rate = RequestRate(perSecond: perSecond)
    var generator = SystemRandomNumberGenerator()
    var now = 0
    var taken = 0
    for _ in 0..<5000 {
      now += Int.random(in: 0...(1_000_000_000 / perSecond), using: &generator)
      if let wait = rate.take(at: .nanoseconds(now)) {
        #expect(wait > .zero)
        #expect(rate.take(at: .nanoseconds(now) + wait) == nil)
        now += Int(wait / .nanoseconds(1))
      }
      taken += 1
      #expect(Double(taken) <= Double(now) / 1e9 * Double(perSecond) + Double(perSecond) + 1)
    }
  }

  @Test func onlyPagesThatAreNamedMayCall() throws {
    let mock = MockService(crossOrigin: CORSPolicy(origins: ["https://a.example", "http://b:1"]))
    let allowed = try #require(mock.send(.get, "/healthz", origin: "http://b:1"))
    #expect(allowed.fields["Access-Control-Allow-Origin"] == "http://b:1")
    #expect(allowed.fields["Vary"] == "Origin")
    #expect(allowed.fields["Access-Control-Expose-Headers"] == "ETag, Location, Retry-After, Allow")
    // Refusals too, or pages could not tell what is wrong.
    let refused = try #require(mock.send(.get, "/v1/nothing", origin: "https://a.example"))
    #expect(refused.status == 404)
    #expect(refused.fields["Access-Control-Allow-Origin"] == "https://a.example")
    let unread = mock.service.refusalFields(for: Array("http://b:1".utf8).span)
    #expect(unread.contains(HTTPField(name: "Access-Control-Allow-Origin", value: "http://b:1")))
    for origin in ["https://a.example.evil", "https://A.example", "null", ""] {
      let other = try #require(mock.send(.get, "/healthz", origin: origin))
      #expect(other.fields["Access-Control-Allow-Origin"] == nil)
      #expect(other.fields["Vary"] == "Origin")
    }
    let closed = MockService()
    let answer = try #require(closed.send(.get, "/healthz", origin: "https://a.example"))
    #expect(answer.fields["Access-Control-Allow-Origin"] == nil)
    #expect(answer.fields["Vary"] == nil)
    let open = MockService(crossOrigin: CORSPolicy(origins: ["*"]))
    let any = try #require(open.send(.get, "/healthz", origin: "https://c.example"))
    #expect(any.fields["Access-Control-Allow-Origin"] == "*")
    #expect(any.fields["Vary"] == nil)
  }

  @Test func aBrowserAsksBeforeItCalls() throws {
    let access = AccessControl(keys: try APIKeys("one:\(Self.abc)"))
    let mock = MockService(
      access: access, crossOrigin: CORSPolicy(origins: ["https://a.example"]))
    let answer = try #require(
      mock.send(
        .options, "/v1/sessions/x/movement", origin: "https://a.example", requestMethod: "PATCH"))
    #expect(answer.status == 204)
    #expect(answer.fields["Access-Control-Allow-Origin"] == "https://a.example")
    #expect(answer.fields["Access-Control-Allow-Methods"] == answer.fields["Allow"])
    #expect(answer.fields["Access-Control-Allow-Methods"]?.contains("PATCH") == true)
    #expect(
      answer.fields["Access-Control-Allow-Headers"]
        == "Authorization, Content-Type, If-Match, If-None-Match")
    let other = try #require(
      mock.send(
        .options, "/v1/sessions/x/movement", origin: "https://b.example", requestMethod: "PATCH"))
    #expect(other.fields["Access-Control-Allow-Methods"] == nil)
  }

  @Test(arguments: [
    ("*", true), ("https://a.example", true), ("http://localhost:3000", true),
    ("https://a.example/", false), ("a.example", false), ("https://", false), ("", false),
    ("null", false), ("https://a b", false), ("https://a\r\nX: y", false),
    // None that a browser would have shortened, or written small.
    ("https://a.example:443", false), ("http://a.example:80", false), ("http://a:443", true),
    ("https://A.example", false), ("https://a?b", false), ("https://a#b", false),
    ("https://*.example", false), ("HTTP://a.example", false), ("https://a:", false),
    ("https://a:x", false), ("https://a:0443", false), ("https://[::1]", true),
    ("https://a:70000", false),
    ("https://u@a", false), ("http://[::1]:3000", true), ("app://Some.Shell", true),
    ("https://[::1", false), ("https://[:]", false), ("https://[::1]3000", false),
    ("https://::1:81", false),
    ("https://a:b:81", false), ("https://a]:81", false), ("https://[]", false),
    ("https://:81", false),
  ])
  func anOriginIsWhatBrowsersSend(text: String, isOrigin: Bool) {
    #expect(CORSPolicy.isOrigin(text) == isOrigin)
  }
}
