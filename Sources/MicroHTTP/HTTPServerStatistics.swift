import CHTTPShim
public import HTTPMessages

/// How a server is doing.
public struct HTTPServerStatistics: Sendable, Hashable {
  /// Connections taken.
  public var acceptedCount: UInt64
  /// Tries to take a connection that failed, for want of descriptors for example; it waits, and is tried again a
  /// hundred times a second.
  public var acceptFailureCount: UInt64
  /// The system's number for what the last of these failed of.
  public var acceptError: Int32
  /// Connections turned away: too many in all.
  public var refusedCount: UInt64
  /// Connections turned away: too many from their address.
  public var refusedByAddressCount: UInt64
  /// Requests handed to the handler.
  public var requestCount: UInt64
  /// Requests turned away: too many waited for a worker.
  public var shedCount: UInt64
  /// Connections cut off: a request did not arrive, or its answer was not taken, in time.
  public var timedOutCount: UInt64
  /// Requests refused by the server itself, by status: those that are shed, what libmicrohttpd refuses, and those for
  /// whose answer there was no room among them.
  public var refusalCounts: [HTTPRefusalCount]
  /// Connections open now.
  public var connectionCount: UInt64
  /// Requests being answered now.
  public var inFlightCount: UInt64
  /// Requests that wait for a worker now.
  public var queuedCount: UInt64
  /// Bytes of bodies and of answers under way now.
  public var heldByteCount: UInt64
  /// Bytes of bodies and of answers of more than 16 KiB, and of connections, that were under way and are not any
  /// more: about what has been freed, of which the system has not got back everything.
  public var freedByteCount: UInt64
  /// Closed connections whose clients may still be sending now.
  public var lingeringCount: UInt64
  /// Client addresses that have counted connections now.
  public var addressCount: UInt64

  /// Requests refused by the server itself.
  package var refusedRequestCount: UInt64 { refusalCounts.reduce(0) { $0 + $1.count } }

  /// Requests refused by the server itself with a status.
  ///
  /// - Parameter status: The status.
  /// - Returns: How many; 0 for a status that is not counted on its own.
  package func refusalCount(_ status: HTTPStatus) -> UInt64 {
    refusalCounts.first { $0.status == status }?.count ?? 0
  }

  init(_ now: http_statistics) {
    acceptedCount = now.accepted
    acceptFailureCount = now.accept_failures
    acceptError = now.accept_error
    refusedCount = now.refused
    refusedByAddressCount = now.refused_by_address
    requestCount = now.requests
    shedCount = now.shed
    timedOutCount = now.timed_out
    connectionCount = now.connections
    inFlightCount = now.in_flight
    queuedCount = now.queued
    heldByteCount = now.held
    freedByteCount = now.freed
    lingeringCount = now.lingering
    addressCount = now.addresses
    // Safe: a C array arrives as a tuple of equal elements, without padding.
    let counts = unsafe withUnsafeBytes(of: now.refusals) { bytes in
      unsafe Array(bytes.bindMemory(to: UInt64.self))
    }
    refusalCounts = counts.enumerated().map { index, count in
      let status = http_refusal_status(UInt32(index))
      return HTTPRefusalCount(
        status: status == 0 ? nil : HTTPStatus(rawValue: UInt16(status)), count: count)
    }
  }
}

/// How many requests were refused with a status.
public struct HTTPRefusalCount: Sendable, Hashable {
  /// The status; nil for all that have no count of their own.
  public var status: HTTPStatus?
  /// How many.
  public var count: UInt64
}
