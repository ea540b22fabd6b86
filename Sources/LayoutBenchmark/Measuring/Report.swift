/// What is measured under one heading.
struct Table {
  /// One line: what was measured, in each round, and what beside it.
  struct Row {
    var name: String
    /// How many items; nil where there are none.
    var count: Int?
    var unit: String
    var values: [Double]
    var baseline: Baseline?
    var target: Target?
  }

  /// What a row is compared with, measured in the same rounds.
  struct Baseline {
    var name: String
    var values: [Double]
  }

  /// What the row is to reach; shown, never asserted, since the machine may be busy with other work.
  enum Target {
    case ratioAtMost(Double)
    case ratioAtLeast(Double)
    case atMost(Double)
  }

  var title: String
  var rows: [Row] = []
}

extension Table {
  /// Adds a round's value to its row, which is made after the rows of the same name.
  mutating func record(
    _ name: String, count: Int? = nil, unit: String = "µs", _ value: Double,
    beside baseline: (name: String, value: Double)? = nil, target: Target? = nil
  ) {
    let index =
      rows.firstIndex { $0.name == name && $0.count == count }
      ?? {
        let place = rows.lastIndex { $0.name == name }.map { $0 + 1 } ?? rows.count
        rows.insert(
          Row(
            name: name, count: count, unit: unit, values: [],
            baseline: baseline.map { Baseline(name: $0.name, values: []) }, target: target),
          at: place)
        return place
      }()
    rows[index].values.append(value)
    if let baseline { rows[index].baseline?.values.append(baseline.value) }
  }

  /// Adds a row that holds what was measured of the most items against that of the fewest.
  mutating func compareCounts(of name: String, target: Target) {
    let rows = rows.filter { $0.name == name && $0.count != nil }
    guard let first = rows.first, let last = rows.last, first.count != last.count else { return }
    self.rows.append(
      Row(
        name: name + ", growth", count: last.count, unit: last.unit, values: last.values,
        baseline: Baseline(name: "\(first.count ?? 0) items", values: first.values),
        target: target))
  }
}

extension Table.Row {
  var median: Double { Measurement.median(values) }

  /// The median of the rounds' own ratios, which a slow round does not move.
  var ratio: Double? {
    guard let baseline else { return nil }
    return Measurement.median(zip(values, baseline.values).map { $0 / $1 })
  }

  var meetsTarget: Bool? {
    switch (target, ratio) {
    case (.ratioAtMost(let limit), let ratio?): ratio <= limit
    case (.ratioAtLeast(let limit), let ratio?): ratio >= limit
    case (.atMost(let limit), _): median <= limit
    default: nil
    }
  }

  fileprivate var targetText: String {
    guard let target, let meetsTarget else { return "" }
    let text =
      switch target {
      case .ratioAtMost(let limit): "≤ \(Measurement.text(limit))×"
      case .ratioAtLeast(let limit): "≥ \(Measurement.text(limit))×"
      case .atMost(let limit): "≤ \(Measurement.text(limit)) \(unit)"
      }
    return text + (meetsTarget ? " ✓" : " MISSED")
  }

  fileprivate static func spread(_ values: [Double]) -> String {
    "\(Measurement.text(Measurement.median(values))) (\(Measurement.text(values.min() ?? .nan))–\(Measurement.text(values.max() ?? .nan)))"
  }

  fileprivate var cells: [String] {
    [
      name, count.map { "\($0)" } ?? "", unit, Self.spread(values),
      baseline.map { $0.name + ": " + Self.spread($0.values) } ?? "",
      ratio.map { Measurement.text($0) + "×" } ?? "", targetText,
    ]
  }
}

/// Where results go: as text at once, or as one JSON document in the end.
struct Report {
  private let isJSON: Bool
  private let isQuick: Bool
  private var area = ""
  private var rows: [String] = []

  init(isJSON: Bool, isQuick: Bool) {
    self.isJSON = isJSON
    self.isQuick = isQuick
    if !isJSON {
      print(
        "layoutd benchmark: \(isQuick ? "quick" : "full"), \(Measurement.coreCount) cores; medians (least–most) of interleaved rounds"
      )
    }
  }

  mutating func begin(_ area: String) { self.area = area }

  mutating func add(_ table: Table) {
    if isJSON {
      rows += table.rows.map { Self.json($0, area: area, table: table.title) }
    } else {
      Self.printOut(table, area: area)
    }
  }

  func finish() {
    guard isJSON else { return }
    print(
      "{\"quick\":\(isQuick),\"cores\":\(Measurement.coreCount),\"rows\":[\n"
        + rows.joined(separator: ",\n") + "\n]}")
  }

  // MARK: Text

  private static func printOut(_ table: Table, area: String) {
    print("\n\(area): \(table.title)")
    let header = ["what", "n", "unit", "layoutd", "baseline", "ratio", "target"]
    let all = [header] + table.rows.map(\.cells)
    let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    for (number, row) in all.enumerated() {
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      print("| " + cells.joined(separator: " | ") + " |")
      if number == 0 {
        print("|" + widths.map { String(repeating: "-", count: $0 + 2) + "|" }.joined())
      }
    }
  }

  // MARK: JSON

  private static func json(_ row: Table.Row, area: String, table: String) -> String {
    var members: [(String, String)] = [
      ("area", quoted(area)), ("table", quoted(table)), ("row", quoted(row.name)),
      ("n", row.count.map { "\($0)" } ?? "null"), ("rounds", "\(row.values.count)"),
      ("unit", quoted(row.unit)),
    ]
    members += figures(row.values)
    if let baseline = row.baseline {
      members.append(
        ("baseline", object([("name", quoted(baseline.name))] + figures(baseline.values))))
    } else {
      members.append(("baseline", "null"))
    }
    members.append(("ratio", row.ratio.map(number) ?? "null"))
    members.append(("target", row.target == nil ? "null" : quoted(row.targetText)))
    members.append(("met", row.meetsTarget.map { "\($0)" } ?? "null"))
    return object(members)
  }

  private static func figures(_ values: [Double]) -> [(String, String)] {
    [
      ("median", number(Measurement.median(values))), ("least", number(values.min() ?? .nan)),
      ("greatest", number(values.max() ?? .nan)),
    ]
  }

  private static func object(_ members: [(String, String)]) -> String {
    "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }

  private static func number(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }

  /// Titles and names hold nothing but quotes to escape.
  private static func quoted(_ text: String) -> String {
    "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
  }
}
