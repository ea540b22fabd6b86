/// What a server is started with.
public struct HTTPServerConfiguration: Sendable {
  /// Where it listens: a name or an address.
  public var host: String
  /// The port; 0 takes a free one.
  public var port: UInt16
  /// Threads that serve connections; at least 1.
  public var ioThreadCount: Int
  /// Threads that do long work; at least 1.
  public var workerThreadCount: Int
  /// Requests that wait for a worker; past it 503.
  public var queueCapacity: Int
  /// The largest body in bytes; past it 413.
  public var maximumBodySize: Int
  /// Connections at once; past it 503.
  public var maximumConnectionCount: Int
  /// Connections of one client address at once; past it 503.
  ///
  /// 0 for no limit. IPv4 counts by address, IPv6 by its first 64 bits.
  public var maximumConnectionCountPerAddress: Int
  /// Whether loopback addresses are free of that limit: a proxy on the same machine is one.
  public var sparesLoopback: Bool
  /// Bytes of bodies and of answers under way, all together; past it 503.
  ///
  /// 0 for no limit. What is smaller than 64 KiB is counted, but never refused.
  public var maximumInFlightByteCount: Int
  /// The longest request target in bytes; past it 414.
  public var maximumTargetSize: Int
  /// The largest header: names and values in bytes, and 4 for each field; past it 431.
  public var maximumHeaderSize: Int
  /// Seconds in which a request must have arrived whole, however it trickles.
  public var requestTimeoutSeconds: Int
  /// Bytes of an answer that have to be taken in a second at least; a client may be behind by the time for a request.
  ///
  /// Of an answer of 64 KiB or less only the end counts.
  public var minimumAnswerRate: Int
  /// Seconds after which a connection is closed on which nothing comes, or nothing is taken.
  public var idleTimeoutSeconds: Int
  /// With what it speaks TLS; nil for plain HTTP.
  public var tls: HTTPServerTLS?

  /// Makes a configuration.
  ///
  /// - Parameters:
  ///   - host: Where it listens.
  ///   - port: The port; 0 takes a free one.
  ///   - ioThreadCount: Threads that serve connections.
  ///   - workerThreadCount: Threads that do long work.
  ///   - queueCapacity: Requests that wait for a worker.
  ///   - maximumBodySize: The largest body in bytes.
  ///   - maximumConnectionCount: Connections at once.
  ///   - maximumConnectionCountPerAddress: Connections of one client address at once.
  ///   - sparesLoopback: Whether loopback addresses are free of that limit.
  ///   - maximumInFlightByteCount: Bytes of bodies and of answers under way.
  ///   - maximumTargetSize: The longest request target in bytes.
  ///   - maximumHeaderSize: The largest header in bytes.
  ///   - requestTimeoutSeconds: Seconds for a request to arrive.
  ///   - minimumAnswerRate: Bytes of an answer to be taken in a second.
  ///   - idleTimeoutSeconds: Seconds for a connection on which nothing comes, or nothing is taken.
  ///   - tls: With what it speaks TLS.
  public init(
    host: String = "127.0.0.1", port: UInt16 = 0, ioThreadCount: Int = 2,
    workerThreadCount: Int = 2, queueCapacity: Int = 256, maximumBodySize: Int = 64 << 20,
    maximumConnectionCount: Int = 4096, maximumConnectionCountPerAddress: Int = 0,
    sparesLoopback: Bool = true, maximumInFlightByteCount: Int = 512 << 20,
    maximumTargetSize: Int = 8192, maximumHeaderSize: Int = 8192,
    requestTimeoutSeconds: Int = 15, minimumAnswerRate: Int = 16 << 10,
    idleTimeoutSeconds: Int = 60, tls: HTTPServerTLS? = nil
  ) {
    self.host = host
    self.port = port
    self.ioThreadCount = ioThreadCount
    self.workerThreadCount = workerThreadCount
    self.queueCapacity = queueCapacity
    self.maximumBodySize = maximumBodySize
    self.maximumConnectionCount = maximumConnectionCount
    self.maximumConnectionCountPerAddress = maximumConnectionCountPerAddress
    self.sparesLoopback = sparesLoopback
    self.maximumInFlightByteCount = maximumInFlightByteCount
    self.maximumTargetSize = maximumTargetSize
    self.maximumHeaderSize = maximumHeaderSize
    self.requestTimeoutSeconds = requestTimeoutSeconds
    self.minimumAnswerRate = minimumAnswerRate
    self.idleTimeoutSeconds = idleTimeoutSeconds
    self.tls = tls
  }

  /// How many threads call the handler: its requests' thread numbers are smaller.
  public var threadCount: Int { max(1, ioThreadCount) + max(1, workerThreadCount) }
}

/// With what a server speaks TLS 1.2 or 1.3.
public struct HTTPServerTLS: Sendable {
  /// The certificates as PEM: the server's own, then those that vouch for it.
  public var certificateChain: String
  /// The private key as PEM, not encrypted.
  public var privateKey: String

  /// Takes both.
  ///
  /// - Parameters:
  ///   - certificateChain: The certificates as PEM, the server's own first.
  ///   - privateKey: The private key as PEM.
  public init(certificateChain: String, privateKey: String) {
    self.certificateChain = certificateChain
    self.privateKey = privateKey
  }
}
