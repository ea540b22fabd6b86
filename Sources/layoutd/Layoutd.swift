import Glibc
import LayoutAPI
import LayoutSessions
import MicroHTTP

/// The program: reads its options, wires everything, waits for the end.
@main
enum Layoutd {
  static let version = "0.1.0"

  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.contains("--help") || arguments.contains("-h") {
      print(Configuration.help)
      return
    }
    if arguments.contains("--version") {
      print("layoutd \(version)")
      return
    }
    do throws(Configuration.Failure) {
      let (command, configuration) = try Configuration.read(arguments) { name in
        unsafe getenv(name).map { unsafe String(cString: $0) }
      }
      switch command {
      case .serve: try serve(configuration)
      case .healthcheck: exit(HealthCheck.isReady(configuration) ? 0 : 1)
      }
    } catch {
      writeToStandardError("layoutd: \(error.message)\n")
      exit(2)
    }
  }

  private static func serve(_ configuration: Configuration) throws(Configuration.Failure) {
    guard configuration.isLoopback || configuration.allowAnonymous else {
      throw Configuration.Failure(
        message:
          "without keys only loopback is served; say --allow-anonymous to serve \(configuration.host)"
      )
    }
    // Before anything large is allocated.
    Memory.giveBackWhatIsLarge()
    // Before any thread starts, so that all of them leave the signals to this one.
    Signals.block()
    let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    let service = LayoutService(
      sessions: SessionStore(
        limits: SessionLimits(
          idleTime: .seconds(configuration.sessionTTLSeconds),
          sessionCount: configuration.maxSessions,
          byteCount: configuration.memoryLimitMiB << 20)),
      limits: ServiceLimits(describedItemCount: configuration.maxItems),
      now: { MonotonicClock.coarseNow })
    let server: HTTPServer
    do throws(HTTPServerError) {
      server = try HTTPServer(
        configuration: HTTPServerConfiguration(
          host: configuration.host, port: UInt16(configuration.port),
          ioThreadCount: configuration.ioThreads > 0 ? configuration.ioThreads : cores,
          workerThreadCount: configuration.workerThreads > 0 ? configuration.workerThreads : cores,
          maximumBodySize: configuration.maxBodyMiB << 20,
          maximumConnectionCount: configuration.maxConnections,
          requestTimeoutSeconds: configuration.requestTimeoutSeconds),
        handler: configuration.logLevel <= .info
          ? LoggingHandler(service, format: configuration.logFormat) : service)
    } catch {
      throw Configuration.Failure(message: error.description)
    }
    let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
    writeToStandardError("listening on http://\(host):\(server.port)\n")
    // SIGHUP is for reloading keys; there are none yet.
    while Signals.wait() == SIGHUP {}
    service.stopBeingReady()
    server.stop(drainSeconds: configuration.drainSeconds)
  }
}

/// Writes a text in one piece.
func writeToStandardError(_ text: String) {
  var text = text
  text.withUTF8 { bytes in
    // Safe: the bytes are there for the length of the call.
    _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
  }
}

/// The system's clock that never goes back.
enum MonotonicClock {
  /// The time to some milliseconds, for a quarter of what the exact time costs.
  static var coarseNow: Duration {
    var time = timespec()
    // Safe: the pointer is to a variable of this frame.
    _ = unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  static var now: Duration {
    var time = timespec()
    // Safe: the pointer is to a variable of this frame.
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
