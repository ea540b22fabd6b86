import HTTPMessages
import LayoutAPI
import LayoutSessions
import Testing

/// `/metrics`.
struct MetricsTests {
  private static let session =
    #"{"collection":{"sections":[{"items":{"count":9}}]},"layout":{"kind":"list"},"viewport":{"width":9,"height":9}}"#

  @Test func requestsAreCountedByOperationAndStatus() throws {
    let mock = MockService(
      metrics: RequestMetrics(threadCount: 1), clocks: ServiceClocks(monotonic: { 5_030_000 }))
    let path = try mock.makeSession(Self.session)
    for _ in 0..<3 { _ = mock.send(.get, path, arrival: 5_000_000) }
    _ = mock.send(.get, "/v1/sessions/x", arrival: 1)
    _ = mock.send(.get, "/nothing")
    _ = mock.send(.delete, "/healthz")
    let label = #"method="GET",route="/v1/sessions/{id}""#
    #expect(try mock.sample("layoutd_requests_total{\(label),status=\"200\"}") == "3")
    #expect(try mock.sample("layoutd_requests_total{\(label),status=\"404\"}") == "1")
    #expect(
      try mock.sample(#"layoutd_requests_total{method="",route="",status="404"}"#) == "1")
    #expect(
      try mock.sample(#"layoutd_requests_total{method="",route="",status="405"}"#) == "1")
    let time = "layoutd_request_duration_seconds"
    #expect(try mock.sample("\(time)_bucket{\(label),le=\"0.000025\"}") == "0")
    #expect(try mock.sample("\(time)_bucket{\(label),le=\"0.00005\"}") == "3")
    #expect(try mock.sample("\(time)_bucket{\(label),le=\"0.01\"}") == "4")
    // What an alert compares with has to be a bound.
    #expect(try mock.sample("\(time)_bucket{\(label),le=\"0.05\"}") == "4")
    #expect(try mock.sample("\(time)_bucket{\(label),le=\"+Inf\"}") == "4")
    #expect(try mock.sample("\(time)_count{\(label)}") == "4")
    #expect(try mock.sample("\(time)_sum{\(label)}") == "0.005119999")
    #expect(try mock.sample("layoutd_prepare_duration_seconds_count") == "1")
    #expect(try mock.sample("layoutd_update_duration_seconds_count") == "0")
    _ = mock.send(.post, path + "/updates", #"{"deleteItems":[{"section":0,"start":0,"end":1}]}"#)
    #expect(try mock.sample("layoutd_update_duration_seconds_count") == "1")
    let refused = #"{"deleteItems":[{"section":1,"start":0,"end":1}]}"#
    #expect(mock.send(.post, path + "/updates", refused)?.status == 409)
    #expect(try mock.sample("layoutd_update_duration_seconds_count") == "1")
  }

  /// The thread that serves leaves it to a worker.
  @Test func aChangeThatAStoreHasToLearnOfIsCountedOnce() throws {
    let service = MockService(
      over: ScriptedStore(isShared: false), metrics: RequestMetrics(threadCount: 1))
    let path = try service.makeSession(Self.session)
    for (method, end, body) in [
      (HTTPMethod.post, "/updates", #"{"deleteItems":[{"section":0,"start":0,"end":1}]}"#),
      (.put, "/layout", #"{"layout":{"kind":"flow"}}"#),
      (.put, "/viewport", #"{"viewport":{"width":8,"height":9}}"#),
      (.put, "/collection", #"{"collection":{"sections":[]}}"#),
    ] {
      let before = try service.sample("layoutd_update_duration_seconds_count").flatMap(Int.init)
      #expect(service.send(method, path + end, body)?.status == 200)
      let after = try service.sample("layoutd_update_duration_seconds_count").flatMap(Int.init)
      #expect(try #require(after) == #require(before) + 1, "\(end)")
    }
  }

  @Test func sessionsAreCounted() throws {
    let mock = MockService(sessions: .init(idleTime: .seconds(10), sessionCount: 2))
    for _ in 0..<3 { _ = try mock.makeSession(Self.session) }
    #expect(try mock.sample("layoutd_sessions") == "2")
    #expect(try mock.sample("layoutd_sessions_created_total") == "3")
    #expect(try mock.sample(#"layoutd_sessions_removed_total{reason="evicted"}"#) == "1")
    #expect(try #require(try mock.sample("layoutd_session_bytes")) != "0")
    mock.clock.now = .seconds(11)
    #expect(mock.service.sweep() > 0)
    #expect(try mock.sample("layoutd_sessions") == "0")
    #expect(try mock.sample(#"layoutd_sessions_removed_total{reason="idle"}"#) == "2")
  }

  @Test func othersHaveTheirSay() throws {
    let mock = MockService()
    mock.service.addMetrics { $0.single("x", .gauge, "An x.", 7) }
    #expect(try mock.sample("x") == "7")
    #expect(try mock.sample("# TYPE x") == "gauge")
  }

  /// What Prometheus asks of the format: a family once, with its type, before its samples; no sample
  /// twice; counts that do not decrease along the bounds, and come to that of all.
  @Test func theFormatIsKept() throws {
    let mock = MockService(
      metrics: RequestMetrics(threadCount: 1), clocks: ServiceClocks(monotonic: { 1_000_000 }))
    let path = try mock.makeSession(Self.session)
    for offset in [0, 5, 9] {
      _ = mock.send(
        .post, path + "/scroll", #"{"contentOffset":{"x":0,"y":\#(offset)}}"#,
        arrival: UInt64(offset) * 100_000 + 1)
    }
    let answer = try #require(mock.send(.get, "/metrics"))
    var families: Set<Substring> = []
    var samples: Set<Substring> = []
    var (family, kind): (Substring, Substring) = ("", "")
    var histogramCount = 0
    // The one before.
    var bucket = (labels: [Substring](), bound: Double.infinity, count: 0.0)
    for line in String(decoding: answer.bytes, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      if line.hasPrefix("# TYPE ") {
        (family, kind) = (words[2], words[3])
        #expect(families.insert(family).inserted)
      } else if !line.hasPrefix("#") {
        #expect(words.count == 2)
        #expect(samples.insert(words[0]).inserted, "\(words[0])")
        let value = try #require(Double(words[1]))
        #expect(value.isFinite && value >= 0)
        let name = words[0].prefix { $0 != "{" }
        guard kind == "histogram" else {
          #expect(name == family)
          continue
        }
        #expect(name.hasPrefix(family))
        let labels = words[0].dropFirst(name.count + 1).dropLast().split(separator: ",")
        switch name.dropFirst(family.count) {
        case "_bucket":
          let last = try #require(labels.last)
          #expect(last.hasPrefix("le="))
          let bound = try #require(Double(last.dropFirst(4).dropLast()))
          // Of the same as the one before, unless that was the last of its own.
          if bucket.bound < .infinity {
            #expect(bucket.labels == labels.dropLast() && bucket.bound < bound)
            #expect(bucket.count <= value)
          }
          bucket = (Array(labels.dropLast()), bound, value)
        case "_sum": break
        case "_count":
          #expect(bucket.labels == labels && bucket.bound == .infinity && bucket.count == value)
          histogramCount += 1
        default: Issue.record("\(name) in \(family)")
        }
      }
    }
    #expect(families.count >= 7)
    #expect(histogramCount >= 3)
  }

  /// They come by another listener, whose threads have other numbers.
  @Test func whatOperatorsAskIsNotCounted() throws {
    let mock = MockService(metrics: RequestMetrics(threadCount: 1))
    #expect(mock.send(.get, "/healthz", audience: .operators)?.status == 200)
    let name = #"layoutd_requests_total{method="GET",route="/healthz",status="200"}"#
    #expect(try mock.sample(name) == nil)
    #expect(mock.send(.get, "/healthz")?.status == 200)
    #expect(try mock.sample(name) == "1")
  }

  @Test func operatorsAndClientsMayHaveListenersOfTheirOwn() throws {
    let mock = MockService()
    for path in ["/metrics", "/healthz", "/readyz"] {
      #expect(mock.send(.get, path, audience: .operators)?.status == 200)
      #expect(mock.send(.get, path, audience: .clients)?.status == 404)
    }
    for path in ["/openapi.yaml", "/v1/sessions"] {
      #expect(mock.send(.options, path, audience: .clients)?.status == 204)
      #expect(mock.send(.options, path, audience: .operators)?.status == 404)
    }
  }

  /// Whoever comes to the wrong one is told, and no key is asked for where there is nothing to open.
  @Test func whatIsAtTheOtherListenerIsNotSoughtInVain() throws {
    let keys = try APIKeys("a:\(String(repeating: "0", count: 64))")
    let mock = MockService(access: AccessControl(keys: keys))
    func detail(_ path: String, _ audience: Audience) throws -> String {
      let answer = try #require(mock.send(.get, path, audience: audience))
      #expect(answer.status == 404)
      return answer["detail"] as? String ?? ""
    }
    #expect(try detail("/healthz", .clients).contains("--admin-port"))
    #expect(try detail("/nowhere", .clients).contains("/openapi.yaml"))
    #expect(try detail("/nowhere", .everyone).contains("/openapi.yaml"))
    #expect(try detail("/healthz/", .everyone).contains("without the slash"))
    #expect(try detail("/healthz/", .clients).contains("--admin-port"))
    #expect(try detail("/openapi.yaml/", .clients).contains("without the slash"))
    for path in ["/openapi.yaml", "/nowhere", "/v1/layout"] {
      #expect(try detail(path, .operators).contains("only /healthz, /readyz and /metrics"))
    }
    #expect(mock.send(.get, "/v1/layout", audience: .clients)?.status == 401)
  }
}
