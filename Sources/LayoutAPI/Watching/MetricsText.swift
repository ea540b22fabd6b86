/// Prometheus' text format, version 0.0.4.
public struct MetricsText {
  /// What a family of samples is.
  public enum Kind: String {
    /// Only grows.
    case counter
    /// Goes up and down.
    case gauge
    /// Counts by bounds.
    case histogram
  }

  private var text = ""

  /// Begins empty.
  public init() {}

  /// Begins a family; its samples follow.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - kind: What it is.
  ///   - help: One sentence, without a line break or a backslash.
  public mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// Adds a sample.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - labels: The labels; their values are the program's own, never a client's.
  ///   - value: The value.
  public mutating func sample(
    _ name: String, _ labels: [(String, String)] = [], _ value: some CustomStringConvertible
  ) {
    text += name
    if !labels.isEmpty {
      text += "{" + labels.map { "\($0)=\"\($1)\"" }.joined(separator: ",") + "}"
    }
    text += " \(value)\n"
  }

  /// A family of a single sample.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - kind: What it is.
  ///   - help: One sentence.
  ///   - value: The value.
  public mutating func single(
    _ name: String, _ kind: Kind, _ help: String, _ value: some CustomStringConvertible
  ) {
    family(name, kind, help)
    sample(name, [], value)
  }

  /// Nanoseconds as seconds, exactly.
  static func seconds(_ nanoseconds: UInt64) -> String {
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    if rest == 0 { return "\(whole)" }
    let digits = "\(rest)"
    var fraction = String(repeating: "0", count: 9 - digits.utf8.count) + digits
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return "\(whole).\(fraction)"
  }

  /// What has been written.
  var bytes: [UInt8] { Array(text.utf8) }
}
