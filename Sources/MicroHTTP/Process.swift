import CHTTPShim

/// What the process was started with.
public enum Arguments {
  /// All but the program's name, whether or not the system says it in `/proc`, where Swift looks for it.
  public static var all: [String] {
    // Safe: below their number, and they live as long as the process.
    (0..<http_arguments_count()).dropFirst().map { unsafe String(cString: http_argument($0)) }
  }
}

/// How the process keeps memory.
public enum Memory {
  /// Sees to it that what is large, such as a long body, goes back to the system when it is freed.
  public static func giveBackWhatIsLarge() { http_memory_give_back() }

  /// Gives free memory back to the system; may take milliseconds after much has been freed.
  public static func giveBackWhatIsFree() { http_memory_trim() }
}

/// What the process may have open.
public enum Descriptors {
  /// Opens those of standard input, output and error that are closed, to nowhere.
  ///
  /// Else a socket or the like would have their number, and be written the log to. Call before anything is opened.
  public static func openStandardStreams() { http_streams_open() }

  /// Lets the process have as many as it may.
  ///
  /// Shells give 1,024, for the sake of programs that use `select`; this one does not.
  ///
  /// - Returns: How many these are.
  public static func raiseLimit() -> Int { Int(clamping: http_descriptors_raise()) }
}

/// The signals that end or reload a server, taken one at a time instead of by interruption.
public enum Signals {
  /// Blocks SIGHUP, which would end a process that is still starting; one that comes is waited for later.
  ///
  /// SIGTERM and SIGINT do end it, the first one of a container too.
  public static func awaitStart() { http_signals_await_start() }

  /// Blocks SIGTERM, SIGINT and SIGHUP and ignores SIGPIPE and SIGXFSZ.
  ///
  /// Call on the main thread before any other starts: threads inherit it.
  public static func block() { http_signals_block() }

  /// Waits for one of the blocked signals.
  ///
  /// - Parameter seconds: For how long.
  /// - Returns: Its number; nil if none has come.
  public static func wait(seconds: UInt32) -> Int32? {
    let received = http_signals_wait(seconds)
    return received == 0 ? nil : received
  }
}
