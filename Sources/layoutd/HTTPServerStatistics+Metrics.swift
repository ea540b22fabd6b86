import HTTPMessages
import LayoutAPI
import MicroHTTP

extension HTTPServerStatistics {
  /// The server's own counters, in Prometheus' text format.
  func write(to text: inout MetricsText) {
    text.single("layoutd_connections", .gauge, "Connections open now.", connectionCount)
    text.single(
      "layoutd_connections_accepted_total", .counter, "Connections taken.", acceptedCount)
    text.single(
      "layoutd_accept_failures_total", .counter,
      "Tries to take a connection that failed, for want of descriptors for example.",
      acceptFailureCount)
    text.family(
      "layoutd_connections_refused_total", .counter,
      "Connections turned away, by what there were too many of.")
    text.sample(
      "layoutd_connections_refused_total", [("limit", "address")], refusedByAddressCount)
    text.sample(
      "layoutd_connections_refused_total", [("limit", "total")], refusedCount)
    text.single(
      "layoutd_connections_cut_off_total", .counter,
      "Connections ended because a request or the taking of an answer took too long.",
      timedOutCount)
    text.single("layoutd_requests_in_flight", .gauge, "Requests being answered now.", inFlightCount)
    text.single(
      "layoutd_in_flight_bytes", .gauge, "Bodies and answers under way, in bytes.", heldByteCount)
    text.single(
      "layoutd_queue_depth", .gauge, "Requests that wait for a worker now.", queuedCount)
    text.single(
      "layoutd_requests_shed_total", .counter,
      "Requests answered 503 because too many waited for a worker.", shedCount)
    text.family(
      "layoutd_requests_refused_total", .counter,
      "Requests refused by the server itself, by status: before they were handed to the API, or "
        + "because there was no room for the API's answer.")
    for refusal in refusalCounts {
      let status = refusal.status.map { "\($0.rawValue)" } ?? "other"
      text.sample("layoutd_requests_refused_total", [("status", status)], refusal.count)
    }
  }
}
