/// What the program was told: options first, then environment, then defaults.
///
/// Read by hand, from one table that also makes the help text: an argument parsing package would know
/// nothing of the environment, and would link Foundation, ten times the size of the program.
struct Configuration {
  var host = "127.0.0.1"
  var port = 8080
  var ioThreads = 0
  var workerThreads = 0
  var sessionTTLSeconds = 3600
  var maxSessions = 10_000
  var memoryLimitMiB = 1024
  var maxBodyMiB = 64
  var maxItems = 5_000_000
  var maxConnections = 4096
  var requestTimeoutSeconds = 15
  var drainSeconds = 10
  var allowAnonymous = false
  var logLevel = LogLevel.info
  var logFormat = LogFormat.text

  /// How much is written to standard error.
  enum LogLevel: String, CaseIterable, Comparable {
    case debug, info, warning, error

    static func < (left: LogLevel, right: LogLevel) -> Bool {
      let order = allCases
      return (order.firstIndex(of: left) ?? 0) < (order.firstIndex(of: right) ?? 0)
    }
  }

  /// How a line looks.
  enum LogFormat: String, CaseIterable {
    case text, json
  }

  /// Why the program cannot start as it was told.
  struct Failure: Error {
    var message: String
  }

  /// What to do.
  enum Command: String, CaseIterable {
    case serve, healthcheck
  }

  /// One option: how it is called, what it takes, what it does.
  private struct Option: Sendable {
    let name: String
    /// What the help calls the value; nil for a switch.
    let placeholder: String?
    let help: String
    let set: @Sendable (inout Configuration, _ value: String) throws(Failure) -> Void

    var variable: String {
      "LAYOUTD_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    static func integer(
      _ name: String, _ range: ClosedRange<Int>,
      _ path: any WritableKeyPath<Configuration, Int> & Sendable,
      _ help: String
    ) -> Option {
      let standard = Configuration()[keyPath: path]
      return Option(
        name: name, placeholder: "N", help: "\(help) (\(standard == 0 ? "cores" : "\(standard)"))"
      ) { configuration, text throws(Failure) in
        guard let value = Int(text), range.contains(value) else {
          throw Failure(
            message:
              "--\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\""
          )
        }
        configuration[keyPath: path] = value
      }
    }

    static func choice<Value: RawRepresentable<String> & CaseIterable & SendableMetatype>(
      _ name: String, _ path: any WritableKeyPath<Configuration, Value> & Sendable, _ help: String
    ) -> Option {
      let names = Value.allCases.map(\.rawValue)
      let standard = Configuration()[keyPath: path].rawValue
      return Option(
        name: name, placeholder: names.joined(separator: "|"), help: "\(help) (\(standard))"
      ) { configuration, text throws(Failure) in
        guard let value = Value(rawValue: text) else {
          throw Failure(
            message: "--\(name) takes one of \(names.joined(separator: ", ")), not \"\(text)\"")
        }
        configuration[keyPath: path] = value
      }
    }
  }

  private static let options: [Option] = [
    Option(name: "host", placeholder: "ADDRESS", help: "where to listen (127.0.0.1)") {
      configuration, value throws(Failure) in
      guard !value.isEmpty else { throw Failure(message: "--host takes an address") }
      configuration.host = value
    },
    .integer("port", 0...65_535, \.port, "the port; 0 takes a free one"),
    .integer("io-threads", 1...256, \.ioThreads, "threads that serve connections"),
    .integer("worker-threads", 1...256, \.workerThreads, "threads that do long work"),
    Option(name: "store", placeholder: "memory", help: "where sessions are kept (memory)") {
      _, value throws(Failure) in
      guard value == "memory" else {
        throw Failure(message: "--store takes memory, not \"\(value)\"")
      }
    },
    .integer(
      "session-ttl-seconds", 1...31_536_000, \.sessionTTLSeconds,
      "idle time after which a session is forgotten"),
    .integer(
      "max-sessions", 1...100_000_000, \.maxSessions,
      "past so many, the least recently used are forgotten"),
    .integer(
      "memory-limit-mib", 1...1_048_576, \.memoryLimitMiB,
      "past so much, the least recently used sessions are forgotten"),
    .integer("max-body-mib", 1...2048, \.maxBodyMiB, "the largest request body"),
    .integer(
      "max-items", 1...1_000_000_000, \.maxItems,
      "items with data of their own in one collection"),
    .integer("max-connections", 1...1_000_000, \.maxConnections, "connections at once"),
    .integer(
      "request-timeout-seconds", 1...3600, \.requestTimeoutSeconds,
      "in which a request must have arrived whole"),
    .integer(
      "drain-seconds", 0...3600, \.drainSeconds,
      "in which requests under way are finished at the end"),
    Option(
      name: "allow-anonymous", placeholder: nil,
      help: "serve addresses other than loopback without keys"
    ) { configuration, value throws(Failure) in
      switch value {
      case "", "1", "true", "yes": configuration.allowAnonymous = true
      case "0", "false", "no": configuration.allowAnonymous = false
      default: throw Failure(message: "--allow-anonymous is true or false, not \"\(value)\"")
      }
    },
    .choice("log-level", \.logLevel, "what is logged; requests are info"),
    .choice("log-format", \.logFormat, "how it is logged"),
  ]

  /// Reads the command line and the environment.
  ///
  /// - Parameters:
  ///   - arguments: The arguments, without the program's name.
  ///   - environment: The value of a variable.
  /// - Returns: The configuration and the command; nil if help or the version was asked for.
  /// - Throws: ``Failure`` that names the option.
  static func read(
    _ arguments: [String], environment: (String) -> String?
  ) throws(Failure) -> (command: Command, configuration: Configuration) {
    var configuration = Configuration()
    for option in options {
      guard let value = environment(option.variable) else { continue }
      try option.set(&configuration, value)
    }
    var command: Command?
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--") else {
        guard command == nil, let named = Command(rawValue: argument) else {
          throw Failure(message: "unknown command \"\(argument)\"; see layoutd --help")
        }
        command = named
        continue
      }
      let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1)
      guard let name = parts.first, let option = options.first(where: { $0.name == name }) else {
        throw Failure(message: "unknown option \"\(argument)\"; see layoutd --help")
      }
      if parts.count == 2 {
        try option.set(&configuration, String(parts[1]))
      } else if option.placeholder == nil {
        try option.set(&configuration, "")
      } else if let value = rest.popFirst() {
        try option.set(&configuration, value)
      } else {
        throw Failure(message: "--\(option.name) takes a value")
      }
    }
    return (command ?? .serve, configuration)
  }

  /// The help text.
  static var help: String {
    var lines = [
      "layoutd: UICollectionView's layouts over HTTP",
      "",
      "usage: layoutd [serve] [options]     start the server and run until SIGTERM or SIGINT",
      "       layoutd healthcheck [options] ask the server's /readyz; exit 0 if it is ready, else 1",
      "       layoutd --version | --help",
      "",
      "Every option is also an environment variable; the option wins. Defaults are in parentheses.",
      "",
    ]
    for option in options {
      let usage = "--\(option.name)" + (option.placeholder.map { " \($0)" } ?? "")
      let padding = String(repeating: " ", count: max(1, 36 - usage.count))
      lines.append("  \(usage)\(padding)\(option.help)")
      lines.append("  \(String(repeating: " ", count: 36))\(option.variable)")
    }
    return lines.joined(separator: "\n")
  }

  /// Whether the host is this machine only.
  var isLoopback: Bool {
    host == "localhost" || host == "::1" || host == "[::1]" || host.hasPrefix("127.")
  }
}
