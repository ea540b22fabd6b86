import Glibc
import HTTPMessages
import LayoutAPI
import LayoutSessions
import MicroHTTP
import RedisStore
import SQLiteStore

/// What the options make of the parts of the program.
extension Configuration {
  /// Of either kind.
  static let maximumThreadCount = 256

  private var ioThreadCount: Int {
    ioThreads > 0 ? ioThreads : min(Configuration.maximumThreadCount, Processors.count)
  }
  private var workerThreadCount: Int {
    if workerThreads > 0 { return workerThreads }
    // Whoever waits for a store needs no processor.
    let count = keepsInMemoryOnly ? Processors.count : max(8, Processors.count * 4)
    return min(Configuration.maximumThreadCount, count)
  }

  /// The service, as the options limit it, asked on behalf of clients by so many threads.
  func makeService(access: AccessControl, threadCount: Int) throws(Failure) -> LayoutService {
    let memory = memoryLimitMiB << 20
    // Kept answers, and half as much for what lies about viewports, come out of the same memory.
    let answers = min(32 << 20, memory / 16)
    let sessions = SessionStore(
      limits: SessionLimits(
        idleTime: .seconds(sessionTTLSeconds), sessionCount: maxSessions,
        byteCount: memory - answers - answers / 2,
        sessionCountPerOwner: tenantMaxSessions > 0 ? tenantMaxSessions : .max,
        byteCountPerOwner: tenantMemoryMiB > 0 ? tenantMemoryMiB << 20 : .max,
        // The others are left for requests that have nothing to do with those sessions: one of two is not, while
        // it makes what the other one waits for.
        waitingThreadCount: max(1, workerThreadCount / 2)))
    // A thread that does nothing else: the one that sweeps may have to wait for the store.
    let muchHasLeft = Semaphore()
    try startNeededThread {
      while true {
        muchHasLeft.wait()
        sessions.freeWhatHasLeft()
      }
    }
    sessions.whenMuchHasLeft { muchHasLeft.post() }
    return LayoutService(
      sessions: sessions, archive: try makeArchive(),
      limits: ServiceLimits(
        describedItemCount: maxItems, sectionCount: maxSections, depth: maxJSONDepth,
        elementCount: maxElements, keptAnswerByteCount: answers),
      access: access, crossOrigin: CORSPolicy(origins: corsOrigins),
      metrics: RequestMetrics(threadCount: threadCount),
      clocks: ServiceClocks(
        monotonic: { MonotonicClock.nanoseconds }, thread: { MonotonicClock.ownNanoseconds }),
      now: { MonotonicClock.coarseNow })
  }

  /// Where sessions outlive the process; nil if they do not.
  private func makeArchive() throws(Failure) -> SessionArchive? {
    guard let store = try makeStore() else { return nil }
    return SessionArchive(
      store, maxStaleness: .milliseconds(maxStalenessMilliseconds),
      timeToLive: .seconds(sessionTTLSeconds), clock: { MonotonicClock.nanoseconds },
      worldSeconds: { WallClock.coarseSeconds })
  }

  private func makeStore() throws(Failure) -> (any DurableStore)? {
    switch store {
    case .memory: return nil
    case .sqlite(let path):
      do throws(StoreError) {
        return try SQLiteStore(
          path: path, timeToLive: .seconds(sessionTTLSeconds), now: { WallClock.milliseconds },
          steady: { Int64(MonotonicClock.nanoseconds / 1_000_000) })
      } catch {
        throw Failure(message: "--store sqlite:\(path): \(error.detail)")
      }
    case .redis(let address):
      return RedisStore(
        address: address, timeToLive: .seconds(sessionTTLSeconds),
        timeout: .milliseconds(storeTimeoutMilliseconds), connectionLimit: workerThreadCount)
    }
  }

  /// How the API is served.
  func serverConfiguration() throws(Failure) -> HTTPServerConfiguration {
    var tls: HTTPServerTLS?
    if let certificate = tlsCertificateFile, let key = tlsKeyFile {
      tls = HTTPServerTLS(
        certificateChain: try Configuration.readFile(certificate, of: "tls-cert"),
        privateKey: try Configuration.readFile(key, of: "tls-key"))
    }
    return HTTPServerConfiguration(
      host: host, port: UInt16(port), ioThreadCount: ioThreadCount,
      workerThreadCount: workerThreadCount, queueCapacity: queueSize,
      maximumBodySize: maxBodyMiB << 20, maximumConnectionCount: maxConnections,
      maximumConnectionCountPerAddress: maxConnectionsPerAddress > 0
        ? maxConnectionsPerAddress : max(1, maxConnections / 8),
      sparesLoopback: maxConnectionsPerAddress == 0,
      maximumInFlightByteCount: maxInFlightMiB << 20, maximumTargetSize: maxURLBytes,
      maximumHeaderSize: maxHeaderBytes, requestTimeoutSeconds: requestTimeoutSeconds,
      idleTimeoutSeconds: idleTimeoutSeconds, tls: tls)
  }

  /// How health and metrics are served, if they have a listener of their own: it answers whatever the
  /// other one is doing.
  var adminServerConfiguration: HTTPServerConfiguration? {
    adminPort.map { port in
      HTTPServerConfiguration(
        host: adminHost ?? host, port: UInt16(port), ioThreadCount: 1, workerThreadCount: 1,
        queueCapacity: 16, maximumBodySize: 16 << 10, maximumConnectionCount: 256,
        maximumTargetSize: maxURLBytes, maximumHeaderSize: maxHeaderBytes,
        requestTimeoutSeconds: requestTimeoutSeconds, idleTimeoutSeconds: idleTimeoutSeconds)
    }
  }

  /// What to tell who lets the program have fewer descriptors than it may need.
  ///
  /// - Parameters:
  ///   - count: How many it may have.
  ///   - serving: How the API is served.
  /// - Returns: A line; nil if they are enough.
  func shortage(ofDescriptors count: Int, for serving: HTTPServerConfiguration) -> String? {
    // One for each worker that asks a Redis; two that reads an SQLite file.
    let store = keepsInMemoryOnly ? 0 : 2 * workerThreadCount
    let needed =
      serving.maximumDescriptorCount + (adminServerConfiguration?.maximumDescriptorCount ?? 0)
      + store + 16
    guard needed > count else { return nil }
    return "--max-connections \(maxConnections) may need \(needed) descriptors, and there are "
      + "\(count): past these, connections wait and files cannot be opened; see ulimit -n"
  }

  /// What to tell who lets the program have less memory than it may need: past its limit the system ends it.
  ///
  /// - Parameter byteCount: How much it may have; nil if there is no limit.
  /// - Returns: A line; nil if that is enough.
  func shortage(ofMemory byteCount: Int?) -> String? {
    guard let byteCount else { return nil }
    // A quarter more for what is being freed and what has been replaced; and what is read of what is under way, three
    // times as much again.
    let needed = memoryLimitMiB + min(256, memoryLimitMiB / 4) + 4 * maxInFlightMiB
    guard needed > byteCount >> 20 else { return nil }
    let options = "--memory-limit-mib \(memoryLimitMiB) and --max-in-flight-mib \(maxInFlightMiB)"
    return "\(options) may come to \(needed) MiB, and the control group has \(byteCount >> 20): "
      + "past that the system ends the program"
  }

  /// What to tell who allows bodies that can never be under way: they are 503 however little is.
  ///
  /// A line; nil if the longest fits in.
  var bodiesThatNeverFit: String? {
    // The keys may become those of several names while it runs.
    let quarters = apiKeysFile == nil ? 4 : 3
    guard maxBodyMiB * 4 > maxInFlightMiB * quarters else { return nil }
    let limit = "--max-in-flight-mib \(maxInFlightMiB)"
    let share =
      quarters == 4 ? limit : "the three quarters of \(limit) that one of several names may have"
    return "--max-body-mib \(maxBodyMiB) never fits into \(share): longer bodies are always 503"
  }

  /// What answers on a listener.
  func handler(
    _ service: LayoutService, _ audience: Audience, _ log: LogWriter
  ) -> ListenerHandler {
    ListenerHandler(
      service: service, audience: audience, log: logLevel.includesRequests ? log : nil,
      format: logFormat)
  }

  /// Reads the keys that the file names.
  ///
  /// - Parameter isWaiting: Whether to wait where it is a pipe, for whoever writes to it, and not for a second only.
  /// - Returns: The keys; nil if there is no file.
  /// - Throws: A failure that names the file.
  func readKeys(isWaiting: Bool) throws(Failure) -> APIKeys? {
    guard let path = apiKeysFile else { return nil }
    let text = try Configuration.readFile(path, of: "api-keys-file", isWaiting: isWaiting)
    do throws(APIKeys.Failure) {
      return try APIKeys(text)
    } catch {
      throw Failure(message: "--api-keys-file \(path): \(error.message)")
    }
  }
}
