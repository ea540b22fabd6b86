import CBenchmark
import Glibc

/// Measures layoutd beside baselines in the same run; prints a table or more for each area.
///
/// `--quick` only shows that it runs. No absolute time means anything on a machine that others use:
/// look at the ratios. Targets are shown and never asserted; it fails only if something cannot be
/// measured, or if two ways to the same answer differ.
@main
enum LayoutBenchmark {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "--bare", arguments.count == 3, let size = Int(arguments[1]),
      let loops = UInt32(arguments[2])
    {
      bare_server_run(size, loops)
      exit(1)
    }
    do {
      if arguments.first == "--memory", arguments.count == 3, let count = Int(arguments[2]) {
        return try MemoryBenchmark.measure(arguments[1], count: count)
      }
      guard let command = try Command(arguments) else { return print(Command.help) }
      var report = Report(isJSON: command.isJSON, isQuick: command.isQuick)
      for area in command.areas {
        report.begin(area.name)
        try area.benchmark.init(isQuick: command.isQuick).run(&report)
      }
      report.finish()
    } catch {
      // To standard error, so that a JSON document is not mixed with it.
      let text = Array("failed: \(error.message)\n".utf8)
      // Safe: the array outlives the call.
      _ = unsafe text.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
      exit(1)
    }
  }
}

/// Something that is measured.
protocol Benchmark {
  /// Makes it; quickly means that only its running counts.
  init(isQuick: Bool)
  func run(_ report: inout Report) throws(BenchmarkError)
}

/// A benchmark by the name with which it is asked for.
struct Area: Sendable {
  var name: String
  var help: String
  var benchmark: any (Benchmark & SendableMetatype).Type

  static let all: [Area] = [
    Area(
      name: "engine", help: "layouts, questions and changes, beside loops in C",
      benchmark: EngineBenchmark.self),
    Area(
      name: "memory", help: "bytes an item, beside what sessions are accounted with",
      benchmark: MemoryBenchmark.self),
    Area(
      name: "serving", help: "ticks and questions over HTTP, beside bare libmicrohttpd",
      benchmark: ServingBenchmark.self),
    Area(
      name: "reading", help: "creating sessions, beside simdjson alone",
      benchmark: ReadingBenchmark.self),
    Area(
      name: "starting", help: "the first answer after exec, and idle memory",
      benchmark: StartingBenchmark.self),
    Area(
      name: "counts", help: "a billion equal items beside a thousand",
      benchmark: CountsBenchmark.self),
    Area(
      name: "ticks", help: "ticks without HTTP, by the number of items",
      benchmark: TickBenchmark.self),
    Area(
      name: "updates", help: "changes under every layout, beside laying all out anew",
      benchmark: UpdateBenchmark.self),
    Area(
      name: "names", help: "changes that bring names, by how many there are",
      benchmark: NamesBenchmark.self),
    Area(
      name: "holding", help: "ticks while others hold connections, beside none",
      benchmark: HoldingBenchmark.self),
    Area(
      name: "overload", help: "four times what it can carry, beside what it can",
      benchmark: OverloadBenchmark.self),
    Area(
      name: "churn", help: "memory under many sessions, beside its limit",
      benchmark: ChurnBenchmark.self),
    Area(
      name: "stores", help: "sessions that outlive the process, beside memory alone",
      benchmark: StoresBenchmark.self),
    Area(
      name: "leaving", help: "what clients leave behind who leave in the middle",
      benchmark: LeavingBenchmark.self),
  ]
}

/// What the command line asks for.
struct Command {
  var areas = Area.all
  var isQuick = false
  var isJSON = false

  /// Reads the arguments; nil if help was asked for.
  init?(_ arguments: [String]) throws(BenchmarkError) {
    var chosen: [Area] = []
    for argument in arguments {
      switch argument {
      case "--quick": isQuick = true
      case "--json": isJSON = true
      case "--list", "--help": return nil
      default:
        guard let area = Area.all.first(where: { $0.name == argument }) else {
          throw BenchmarkError(message: "unknown area \"\(argument)\"\n\(Command.help)")
        }
        chosen.append(area)
      }
    }
    if !chosen.isEmpty { areas = chosen }
  }

  static var help: String {
    let width = Area.all.map(\.name.count).max() ?? 0
    return
      (["usage: LayoutBenchmark [--quick] [--json] [AREA ...]", "areas, by default all:"]
      + Area.all.map {
        "  \($0.name)\(String(repeating: " ", count: width + 2 - $0.name.count))\($0.help)"
      }).joined(separator: "\n")
  }
}
