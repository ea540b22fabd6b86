import HTTPMessages
import LayoutSessions
import Synchronization

/// Questions about the server itself.
extension Call {
  func health(_ status: StaticString) -> HTTPResponse {
    var json = JSONWriter(capacity: 64)
    json.beginObject()
    json.key("status")
    json.string(status.description)
    json.endObject()
    return self.json(json)
  }

  func readiness(isReady: Bool) throws(Failure) -> HTTPResponse {
    guard isReady else { throw .problem(Problem(.unavailable, "the server is stopping")) }
    return health("ready")
  }

  func writeMetrics() throws(Failure) -> HTTPResponse {
    // The counters of all threads are added up.
    guard mayTakeLong else { throw .takesLong }
    var text = MetricsText()
    service.metrics?.write(to: &text)
    let sessions = service.sessions.statistics
    text.single("layoutd_sessions", .gauge, "Sessions in memory.", sessions.sessionCount)
    text.single(
      "layoutd_session_bytes", .gauge, "Memory that the sessions take, estimated.",
      sessions.byteCount)
    text.single(
      "layoutd_sessions_created_total", .counter, "Sessions made.", sessions.createdCount)
    text.family(
      "layoutd_sessions_removed_total", .counter,
      "Sessions that have left memory without being deleted, by reason.")
    text.sample(
      "layoutd_sessions_removed_total", [("reason", "evicted")], sessions.evictedCount)
    text.sample("layoutd_sessions_removed_total", [("reason", "idle")], sessions.expiredCount)
    text.single(
      "layoutd_kept_answer_bytes", .gauge, "Memory of answers kept to be given again.",
      service.answers.byteCount + service.bands.byteCount)
    service.archive?.statistics.write(to: &text)
    for write in service.otherMetrics.withLock(\.self) { write(&text) }
    return HTTPResponse(
      status: .ok,
      content: HTTPContent(text.bytes, type: "text/plain; version=0.0.4; charset=utf-8"))
  }
}
