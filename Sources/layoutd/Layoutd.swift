import Glibc
import LayoutAPI
import LayoutSessions
import MicroHTTP

/// The program: reads its options, wires everything, waits for the end.
@main
enum Layoutd {
  static let version = "0.1.0"

  static func main() {
    Descriptors.openStandardStreams()
    let arguments = Arguments.all
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
      case .healthcheck:
        if let fault = try HealthCheck.fault(configuration) {
          writeToStandardError("layoutd: \(fault)\n")
          exit(1)
        }
      }
    } catch {
      writeToStandardError("layoutd: \(error.message)\n")
      exit(2)
    }
  }

  private static func serve(
    _ configuration: Configuration
  ) throws(Configuration.Failure) -> Never {
    // The end must be heard meanwhile: keys may come from a pipe into which nobody writes.
    Signals.awaitStart()
    try configuration.check()
    let access = AccessControl(
      keys: try configuration.readKeys(isWaiting: true),
      requestsPerSecond: configuration.tenantRequestsPerSecond)
    // Before anything large is allocated.
    Memory.giveBackWhatIsLarge()
    let serving = try configuration.serverConfiguration()
    let shortage = configuration.shortage(ofDescriptors: Descriptors.raiseLimit(), for: serving)
    // Before any thread starts, so that all of them leave the signals to this one.
    Signals.block()
    // From here on nobody waits for whoever takes the log: this thread has to hear the signals.
    let log = LogWriter()
    let warnings = [
      shortage, configuration.shortage(ofMemory: ControlGroup.memoryLimit),
      configuration.bodiesThatNeverFit,
    ]
    for warning in warnings.compactMap(\.self) { log.write("\(warning)\n") }
    do throws(Configuration.Failure) {
      try serve(configuration, serving, access, log)
    } catch {
      log.write("layoutd: \(error.message)\n")
      log.finish()
      exit(2)
    }
  }

  private static func serve(
    _ configuration: Configuration, _ serving: HTTPServerConfiguration, _ access: AccessControl,
    _ log: LogWriter
  ) throws(Configuration.Failure) -> Never {
    let service = try configuration.makeService(access: access, threadCount: serving.threadCount)
    let sweeper = try Sweeper(service, log: log)
    let mustReadKeys = try startReadingKeys(configuration, access, log)
    let listener = try Listener(
      serving,
      configuration.handler(service, configuration.adminPort == nil ? .everyone : .clients, log))
    let admin = try configuration.adminServerConfiguration.map {
      (serving) throws(Configuration.Failure) in
      try Listener(serving, configuration.handler(service, .operators, log))
    }
    let server = listener.server
    service.addMetrics { text in
      server.statistics.write(to: &text)
      text.single(
        "layoutd_log_lines_dropped_total", .counter, "Lines of the log that nobody took in time.",
        log.droppedCount)
    }
    let administration = admin.map { "administration on \($0.address)\n" } ?? ""
    log.write("\(administration)listening on \(listener.address)\n")

    waitForTheEnd(sweeper, server, admin?.server, mustReadKeys, log)
    let end = MonotonicClock.coarseNow + .seconds(configuration.drainSeconds)
    // Who asks knows before connections are refused.
    service.stopBeingReady()
    if server.stop(drainSeconds: configuration.drainSeconds) {
      if !sweeper.close(within: max(end - MonotonicClock.coarseNow, .seconds(1))) {
        log.write("cut off after --drain-seconds: the store had still something to do\n")
      }
    } else {
      sweeper.writeStoreErrors()
      log.write("cut off after --drain-seconds: some requests were still under way\n")
    }
    admin?.server.stop(drainSeconds: 0)
    log.finish()
    // At once: what is still under way must not find the process half torn down.
    _exit(0)
  }

  /// Starts what reads the keys again.
  ///
  /// A thread of its own: the file may be on a machine that does not answer, and the signal to end has to be heard
  /// all the same.
  ///
  /// - Returns: Where to say that they are to be read; nil if there is no file.
  private static func startReadingKeys(
    _ configuration: Configuration, _ access: AccessControl, _ log: LogWriter
  ) throws(Configuration.Failure) -> Semaphore? {
    guard configuration.apiKeysFile != nil else { return nil }
    let asked = Semaphore()
    try startNeededThread {
      while true {
        asked.wait()
        do throws(Configuration.Failure) {
          guard let keys = try configuration.readKeys(isWaiting: false) else { return }
          access.replaceKeys(by: keys)
          log.write("the keys have been read again\n")
        } catch {
          log.write("the keys stay as they were: \(error.message)\n")
        }
      }
    }
    return asked
  }

  /// Does what has to be done now and then, until the process is told to end.
  private static func waitForTheEnd(
    _ sweeper: Sweeper, _ server: HTTPServer, _ admin: HTTPServer?, _ mustReadKeys: Semaphore?,
    _ log: LogWriter
  ) {
    var doors = [server, admin].compactMap { $0 }.map(Door.init)
    var sweepTime = MonotonicClock.coarseNow
    while true {
      switch Signals.wait(seconds: 1) {
      case nil: break
      case SIGHUP: mustReadKeys?.post()
      default: return
      }
      // A flood of SIGHUP neither keeps it from sweeping nor has it sweep more often.
      guard MonotonicClock.coarseNow - sweepTime >= .milliseconds(900) else { continue }
      sweepTime = MonotonicClock.coarseNow
      sweeper.sweep(freedByteCount: server.statistics.freedByteCount)
      for index in doors.indices { doors[index].look(log) }
    }
  }
}

/// Sees whether connections come in.
private struct Door {
  private let server: HTTPServer
  private var failureCount: UInt64 = 0
  /// When it was said last that they do not.
  private var saidAt: Duration?

  init(_ server: HTTPServer) { self.server = server }

  /// Says in the log why they do not, once a minute: whoever is left outside sees only that nobody answers.
  mutating func look(_ log: LogWriter) {
    let (statistics, now) = (server.statistics, MonotonicClock.coarseNow)
    guard statistics.acceptFailureCount != failureCount else { return }
    failureCount = statistics.acceptFailureCount
    if let saidAt, now - saidAt < .seconds(60) { return }
    saidAt = now
    let reason = systemError(statistics.acceptError)
    log.write("no connection can be taken: \(reason); those at port \(server.port) wait\n")
  }
}
