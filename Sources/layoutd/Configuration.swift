import LayoutAPI
import RedisStore

/// What the program was told: options first, then environment, then defaults.
///
/// Read by hand, from one table that also makes the help text: an argument parsing package would know
/// nothing of the environment, and would link Foundation, ten times the size of the program.
struct Configuration {
  var host = "127.0.0.1"
  var port = 8080
  var ioThreads = 0
  var workerThreads = 0
  var store = StoreChoice.memory
  var maxStalenessMilliseconds = 0
  var storeTimeoutMilliseconds = 500
  var sessionTTLSeconds = 3600
  var maxSessions = 10_000
  var memoryLimitMiB = 1024
  var maxBodyMiB = 64
  var maxItems = 5_000_000
  var maxSections = 100_000
  var maxElements = 200_000
  var maxJSONDepth = 32
  var maxURLBytes = 8192
  var maxHeaderBytes = 8192
  var maxConnections = 4096
  var maxConnectionsPerAddress = 0
  var maxInFlightMiB = 512
  var queueSize = 256
  var requestTimeoutSeconds = 15
  var idleTimeoutSeconds = 60
  var drainSeconds = 10
  var apiKeysFile: String?
  var tenantMaxSessions = 0
  var tenantMemoryMiB = 0
  var tenantRequestsPerSecond = 0
  var allowAnonymous = false
  var corsOrigins: [String] = []
  var adminHost: String?
  var adminPort: Int?
  var tlsCertificateFile: String?
  var tlsKeyFile: String?
  var logLevel = LogLevel.info
  var logFormat = LogFormat.text

  /// Where sessions are kept.
  enum StoreChoice {
    /// In memory only.
    case memory
    /// In a file.
    case sqlite(path: String)
    /// In a Redis that other servers use too.
    case redis(RedisAddress)
  }

  /// How much is written to standard error.
  enum LogLevel: String, CaseIterable {
    case debug, info, warning, error

    /// Requests are the only thing that has a level.
    var includesRequests: Bool { self == .debug || self == .info }
  }

  /// How a line looks.
  enum LogFormat: String, CaseIterable {
    case text, json
  }

  /// Why the program cannot do as it was told.
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
    /// Takes a value; throws what it takes instead.
    let take: @Sendable (inout Configuration, _ value: String) throws(Failure) -> Void

    var variable: String {
      "LAYOUTD_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    /// Takes a value; a fault names where it is from.
    func set(
      _ configuration: inout Configuration, _ value: String, from source: String
    ) throws(Failure) {
      // What cannot be decoded has been replaced by this: a path would be that of another file.
      guard !value.unicodeScalars.contains("\u{FFFD}") else {
        throw Failure(message: "\(source) is not UTF-8, or has a U+FFFD, which stands for that")
      }
      do throws(Failure) {
        try take(&configuration, value)
      } catch {
        throw Failure(message: "\(source) \(error.message)")
      }
    }

    static func integer(
      _ name: String, _ range: ClosedRange<Int>,
      _ path: any WritableKeyPath<Configuration, Int> & Sendable,
      _ help: String, zero: String = "0"
    ) -> Option {
      let standard = Configuration()[keyPath: path]
      return Option(
        name: name, placeholder: "N", help: "\(help) (\(standard == 0 ? zero : "\(standard)"))"
      ) { configuration, text throws(Failure) in
        configuration[keyPath: path] = try whole(text, range)
      }
    }

    static func whole(_ text: String, _ range: ClosedRange<Int>) throws(Failure) -> Int {
      guard let value = Int(text), range.contains(value) else {
        throw Failure(
          message:
            "takes a whole number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\""
        )
      }
      return value
    }

    static func text(
      _ name: String, _ placeholder: String,
      _ path: any WritableKeyPath<Configuration, String?> & Sendable, _ help: String
    ) -> Option {
      Option(name: name, placeholder: placeholder, help: help) {
        configuration, value throws(Failure) in
        guard !value.isEmpty else { throw Failure(message: "takes a value") }
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
            message: "takes one of \(names.joined(separator: ", ")), not \"\(text)\"")
        }
        configuration[keyPath: path] = value
      }
    }
  }

  /// Options under the headings of the help text.
  private static let groups: [(heading: String, options: [Option])] = [
    ("Listening", listening),
    ("Stores", stores),
    ("Limits", limits),
    ("Access", access),
    ("Watching", watching),
  ]

  private static let options = groups.flatMap(\.options)

  private static let listening: [Option] = [
    Option(name: "host", placeholder: "ADDRESS", help: "where to listen (127.0.0.1)") {
      configuration, value throws(Failure) in
      guard !value.isEmpty else { throw Failure(message: "takes an address") }
      configuration.host = value
    },
    .integer("port", 0...65_535, \.port, "the port; 0 takes a free one"),
    .text(
      "tls-cert", "PATH", \.tlsCertificateFile,
      "a certificate and its chain, PEM; with --tls-key, serves https (none)"),
    .text("tls-key", "PATH", \.tlsKeyFile, "the certificate's private key, PEM (none)"),
    .integer(
      "io-threads", 1...maximumThreadCount, \.ioThreads, "threads that serve connections",
      zero: "cores"),
    .integer(
      "worker-threads", 1...maximumThreadCount, \.workerThreads,
      "threads that do long work or wait for a store",
      zero: "cores; with a store four times as many, 8 at least"),
  ]

  private static let stores: [Option] = [
    Option(
      name: "store", placeholder: "STORE",
      help:
        "where sessions are kept: memory, sqlite:PATH, redis://[[USER]:PASSWORD@]HOST[:PORT][/DB] or redis+unix://[[USER]:PASSWORD@]/PATH[?db=N], in users and passwords with %40 for @, %2F for / and %3A for : (memory)"
    ) { configuration, value throws(Failure) in
      configuration.store = try StoreChoice(value)
    },
    .integer(
      "store-timeout-ms", 10...60_000, \.storeTimeoutMilliseconds,
      "in which a Redis has to answer; past it: 503"),
    .integer(
      "max-staleness-ms", 0...86_400_000, \.maxStalenessMilliseconds,
      "for which a session is answered without asking a Redis whether another server changed it"),
  ]

  private static let limits: [Option] = [
    .integer(
      "session-ttl-seconds", 1...31_536_000, \.sessionTTLSeconds,
      "idle time after which a session is forgotten"),
    .integer(
      "max-sessions", 1...100_000_000, \.maxSessions,
      "in memory; past so many, the least recently used leave it"),
    .integer(
      "memory-limit-mib", 1...1_048_576, \.memoryLimitMiB,
      "for sessions and kept answers; past it, the least recently used leave"),
    .integer("max-body-mib", 1...2048, \.maxBodyMiB, "the largest request body; over it: 413"),
    .integer(
      "max-items", 1...1_000_000_000, \.maxItems,
      "items with data of their own in one collection; over it: 422"),
    // Each may have 10¹² items, thrice as many before a batch is refused for it, and four million operations may
    // insert as many each: all are counted in 63 bits.
    .integer(
      "max-sections", 1...1_000_000, \.maxSections, "sections in one collection; over it: 422"),
    .integer(
      "max-elements", 1...10_000_000, \.maxElements,
      "elements that an answer is about; over it: 422"),
    .integer(
      "max-json-depth", 8...1000, \.maxJSONDepth,
      "arrays and objects inside each other in a body; over it: 400"),
    .integer("max-url-bytes", 256...12_288, \.maxURLBytes, "path and query; over it: 414"),
    .integer(
      "max-header-bytes", 256...12_288, \.maxHeaderBytes, "all header fields together; over it: 431"
    ),
    .integer(
      "max-connections", 1...1_000_000, \.maxConnections, "connections at once; past it: 503"),
    .integer(
      "max-connections-per-address", 0...1_000_000, \.maxConnectionsPerAddress,
      "of one IPv4 address or IPv6 /64",
      zero: "0: an eighth of --max-connections, loopback not counted"),
    .integer(
      "max-in-flight-mib", 1...1_048_576, \.maxInFlightMiB,
      "bodies and answers under way; past it: 503"),
    .integer(
      "queue-size", 1...1_000_000, \.queueSize, "long requests that wait for a worker; past it: 503"
    ),
    .integer(
      "request-timeout-seconds", 1...3600, \.requestTimeoutSeconds,
      "in which a request must have arrived whole"),
    .integer(
      "idle-timeout-seconds", 1...3600, \.idleTimeoutSeconds,
      "after which a connection is closed on which nothing comes, or nothing is taken"),
    .integer(
      "drain-seconds", 0...3600, \.drainSeconds,
      "in which requests under way are finished after SIGTERM or SIGINT"),
  ]

  private static let access: [Option] = [
    .text(
      "api-keys-file", "PATH", \.apiKeysFile,
      "lines name:sha256-hex-of-key; read again on SIGHUP (none)"),
    .integer(
      "tenant-max-sessions", 0...100_000_000, \.tenantMaxSessions,
      "sessions of one name in that file, without it of all; past it: 429", zero: "0: no limit"),
    .integer(
      "tenant-memory-mib", 0...1_048_576, \.tenantMemoryMiB,
      "for the sessions of one name in that file, without it of all; past it: 429",
      zero: "0: no limit"),
    .integer(
      "tenant-requests-per-second", 0...1_000_000, \.tenantRequestsPerSecond,
      "of one name in that file, without it of all, a second's worth at once; past it: 429",
      zero: "0: no limit"),
    Option(
      name: "allow-anonymous", placeholder: nil,
      help: "serve addresses other than loopback without keys (off)"
    ) { configuration, value throws(Failure) in
      // Empty is what an unset variable comes to in a deployment's file.
      switch value {
      case "1", "true", "yes", "on": configuration.allowAnonymous = true
      case "", "0", "false", "no", "off": configuration.allowAnonymous = false
      default: throw Failure(message: "is true or false, not \"\(value)\"")
      }
    },
    Option(
      name: "cors-origin", placeholder: "ORIGIN",
      help: "pages that may call, https://example.org or *; repeatable, or with commas (none)"
    ) { configuration, value throws(Failure) in
      for origin in value.split(separator: ",") {
        guard CORSPolicy.isOrigin(String(origin)) else {
          throw Failure(
            message:
              "takes * or an origin like https://example.org, not \"\(origin)\"")
        }
        configuration.corsOrigins.append(String(origin))
      }
    },
  ]

  private static let watching: [Option] = [
    Option(
      name: "admin-port", placeholder: "N",
      help: "health and metrics there, and nowhere else; 0 takes a free one (none)"
    ) { configuration, value throws(Failure) in
      configuration.adminPort = try Option.whole(value, 0...65_535)
    },
    .text("admin-host", "ADDRESS", \.adminHost, "the address for --admin-port (that of --host)"),
    .choice("log-level", \.logLevel, "what is logged; requests are info"),
    .choice("log-format", \.logFormat, "how it is logged"),
  ]

  /// Reads the command line and the environment.
  ///
  /// - Parameters:
  ///   - arguments: The arguments, without the program's name.
  ///   - environment: The value of a variable.
  /// - Returns: The command and the configuration.
  /// - Throws: ``Failure`` that names the option, or the variable.
  static func read(
    _ arguments: [String], environment: (String) -> String?
  ) throws(Failure) -> (command: Command, configuration: Configuration) {
    var command: Command?
    var values: [(option: Option, value: String)] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--") else {
        guard command == nil, let named = Command(rawValue: argument) else {
          // It may be a value that has lost its option, as below.
          throw Failure(message: "unknown command, or a value of no option; see layoutd --help")
        }
        command = named
        continue
      }
      // A value that is there and empty is one all the same, as an empty variable's is.
      let parts = argument.dropFirst(2).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = parts.first, let option = options.first(where: { $0.name == name }) else {
        // Not what follows its name: that may be a store's address, with its password.
        let name = argument.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
        throw Failure(message: "unknown option \"\(name)\"; see layoutd --help")
      }
      if parts.count == 2 {
        values.append((option, String(parts[1])))
      } else if option.placeholder == nil {
        values.append((option, "true"))
      } else if let value = rest.first, !value.hasPrefix("--") {
        // Not the next option, where a variable of a script is empty: it would be said in a message, a password with it.
        rest.removeFirst()
        values.append((option, value))
      } else {
        throw Failure(message: "--\(option.name) takes a value")
      }
    }
    var configuration = Configuration()
    // Of an option that is given the variable counts for nothing, whatever it holds: some have the names of
    // variables that an orchestrator sets for services.
    let given = Set(values.map(\.option.name))
    for option in options where !given.contains(option.name) {
      guard let value = environment(option.variable) else { continue }
      try option.set(&configuration, value, from: option.variable)
    }
    for (option, value) in values {
      try option.set(&configuration, value, from: "--\(option.name)")
    }
    return (command ?? .serve, configuration)
  }

  /// Refuses to serve with options that do not go together.
  ///
  /// - Throws: ``Failure`` that names them.
  func check() throws(Failure) {
    guard (tlsCertificateFile == nil) == (tlsKeyFile == nil) else {
      throw Failure(message: "--tls-cert and --tls-key belong together")
    }
    guard isLoopback || allowAnonymous || apiKeysFile != nil else {
      throw Failure(
        message:
          "without --api-keys-file only loopback is served; say --allow-anonymous to serve \(host)")
    }
    guard adminHost == nil || adminPort != nil else {
      throw Failure(message: "--admin-host needs --admin-port")
    }
    guard adminPort == nil || adminPort == 0 || adminPort != port || (adminHost ?? host) != host
    else {
      throw Failure(message: "--admin-port and --port are the same")
    }
  }

  /// Whether sessions are kept in memory only.
  var keepsInMemoryOnly: Bool {
    if case .memory = store { return true }
    return false
  }

  /// The help text.
  static var help: String {
    var lines = [
      "layoutd: UICollectionView's layouts over HTTP",
      "",
      "usage: layoutd [serve] [options]      start the server, run until told to end",
      "       layoutd healthcheck [options]  ask that server whether it is ready",
      "       layoutd --version | --help",
      "",
      "For example, on this machine only, with sessions that outlive it:",
      "",
      "  layoutd --store sqlite:sessions.db",
      "",
      "or for others, who need a key, with health and metrics apart:",
      "",
      "  layoutd --host 0.0.0.0 --api-keys-file keys \\",
      "          --admin-host 127.0.0.1 --admin-port 9080",
      "",
      "Every option is also an environment variable, --max-items for example",
      "LAYOUTD_MAX_ITEMS; the option wins. Defaults are in parentheses.",
    ]
    for group in groups {
      lines += ["", "\(group.heading):"]
      for option in group.options { lines += usage(of: option) }
    }
    lines += [
      "",
      "Signals:",
      "  SIGTERM, SIGINT  finish what is under way, and end",
      "  SIGHUP           read --api-keys-file again",
      "",
      "Exit codes:",
      "  0  told to end, and did; of healthcheck: ready",
      "  1  of healthcheck: not ready, or nobody there; standard error says which",
      "  2  it cannot do as it was told; standard error says why",
      "",
      "What can be asked once it runs: GET /openapi.yaml",
    ]
    return lines.joined(separator: "\n")
  }

  /// The lines about one option: its name and value, and beside them what it does.
  private static func usage(of option: Option) -> [String] {
    let column = 33
    var lines: [String] = []
    var line = "  --\(option.name)" + (option.placeholder.map { " \($0)" } ?? "")
    if line.count >= column {
      lines.append(line)
      line = ""
    }
    line += String(repeating: " ", count: column - line.count)
    var isEmpty = true
    for word in option.help.split(separator: " ") {
      if !isEmpty, line.count + 1 + word.count > 80 {
        lines.append(line)
        line = String(repeating: " ", count: column)
        isEmpty = true
      }
      line += isEmpty ? word : " \(word)"
      isEmpty = false
    }
    return lines + [line]
  }

  /// Whether the host is this machine only.
  var isLoopback: Bool {
    if host == "localhost" || host == "::1" { return true }
    // A name that only begins like it may be anybody's.
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}

extension Configuration.StoreChoice {
  /// Reads what `--store` takes.
  ///
  /// - Throws: ``Configuration/Failure`` that says what it takes, and does not repeat what may hold a password.
  init(_ text: String) throws(Configuration.Failure) {
    let scheme = text.prefix { $0 != ":" }
    switch scheme {
    case "memory" where text == "memory": self = .memory
    case "sqlite" where text.count > "sqlite:".count:
      self = .sqlite(path: String(text.dropFirst("sqlite:".count)))
    case "redis", "rediss", "redis+unix", "unix":
      do throws(RedisAddressError) {
        self = .redis(try RedisAddress(url: text))
      } catch {
        throw Configuration.Failure(message: "cannot be read: \(error.message)")
      }
    default:
      throw Configuration.Failure(
        message: "takes memory, sqlite:PATH or redis://HOST:PORT/DB")
    }
  }
}
