/// Bodies of requests: right ones, as varied as the contract allows.
struct RequestBodies {
  var input: FuzzInput
  /// Of names that items get; each is new, unless a body is damaged.
  private var nextName = 0

  init(_ input: FuzzInput) { self.input = input }

  // MARK: Values

  mutating func extent() -> JSONTree { .raw(input.pick(Numbers.extents)) }
  mutating func coordinate() -> JSONTree { .raw(input.pick(Numbers.coordinates)) }

  mutating func point() -> JSONTree { .object([("x", coordinate()), ("y", coordinate())]) }
  mutating func size() -> JSONTree { .object([("width", extent()), ("height", extent())]) }

  mutating func insets() -> JSONTree {
    var members: [(String, JSONTree)] = []
    for name in ["top", "left", "bottom", "right"] where !input.oneIn(3) {
      members.append((name, extent()))
    }
    return .object(members)
  }

  mutating func velocity() -> JSONTree {
    .object([
      ("x", .raw(input.pick(Numbers.velocities))), ("y", .raw(input.pick(Numbers.velocities))),
    ])
  }

  mutating func flag() -> JSONTree { .raw(input.pick(["true", "false"])) }

  mutating func index() -> JSONTree {
    .raw(
      input.pick([
        "0", "1", "2", "3", "5", "9", "64", "299", "999999999999", "1000000000000", "257",
      ]))
  }

  mutating func path() -> JSONTree {
    .array([.raw(input.pick(["0", "1", "2", "7"])), index()])
  }

  // MARK: Descriptions

  mutating func description() -> JSONTree {
    var members: [(String, JSONTree)] = [
      ("collection", collection()), ("layout", layout()), ("viewport", viewport()),
    ]
    if input.oneIn(4) {
      members.append(
        (
          "prefetch",
          .object([
            ("ahead", .raw(input.pick(["1", "0", "0.5", "3", "1000", "1e-9"]))),
            ("behind", .raw(input.pick(["0", "1", "0.25", "1000"]))),
          ])
        ))
    }
    return .object(members)
  }

  mutating func oneShot() -> JSONTree {
    guard var members = description().object else { return .raw("{}") }
    if input.oneIn(3) {
      members.append(
        (
          "rect",
          .object([
            ("x", coordinate()), ("y", coordinate()), ("width", extent()), ("height", extent()),
          ])
        ))
    }
    if input.oneIn(3) { members.append(("snap", dragEnd())) }
    return .object(members)
  }

  mutating func collection() -> JSONTree {
    if input.oneIn(24) {
      return .object([
        ("sections", .repeated(section(), input.pick([3, 20, 300, 3000])))
      ])
    }
    let count = input.below(4) == 3 ? input.below(6) : 1 + input.below(2)
    return .object([("sections", .array((0..<count).map { _ in section() }))])
  }

  mutating func items() -> JSONTree {
    var members: [(String, JSONTree)] = []
    let count = input.pick([3, 1, 0, 2, 5, 12, 30, 90, 260, 700])
    switch input.below(6) {
    case 0: members.append(("count", .raw(input.pick(Numbers.counts))))
    case 1:
      members.append(("count", .raw(input.pick(Numbers.counts))))
      members.append(("size", size()))
    case 2:
      members.append(
        ("sizes", list(count) { .array([$0.extent(), $0.extent()]) }))
    case 3: members.append(("lengths", list(count) { $0.extent() }))
    case 4:
      members.append(
        ("aspectRatios", list(count) { .raw($0.input.pick(Numbers.ratios)) }))
    default: members.append(("ids", names(count)))
    }
    if members.count == 1, members[0].0 != "ids", members[0].0 != "count", input.oneIn(3) {
      members.append(("ids", names(count)))
    }
    return .object(members)
  }

  /// A list that repeats a few elements, so that few bytes make many.
  private mutating func list(
    _ count: Int, _ element: (inout RequestBodies) -> JSONTree
  ) -> JSONTree {
    let few = (0..<min(count, 1 + input.below(5))).map { _ in element(&self) }
    return .array((0..<count).map { few[$0 % few.count] })
  }

  private mutating func names(_ count: Int) -> JSONTree {
    let prefix = input.pick(["n", "a", "é", "\\\"", "\\u0001", "", "x,[", "]"])
    let start = input.oneIn(4) ? 0 : nextName
    nextName = max(nextName, start + count)
    return .array((0..<count).map { .string("\(prefix)\(start + $0)") })
  }

  mutating func section() -> JSONTree {
    var members: [(String, JSONTree)] = []
    if !input.oneIn(8) { members.append(("items", items())) }
    if !input.oneIn(3) { return .object(members) }
    if input.oneIn(4) {
      members.append(("id", .string(input.pick(["s", "t", "u", ""]) + "\(input.below(5))")))
    }
    for name in ["header", "footer"] where input.oneIn(3) { members.append((name, size())) }
    for name in ["sectionInset", "headerInset", "footerInset"] where input.oneIn(4) {
      members.append((name, insets()))
    }
    for name in ["minimumLineSpacing", "minimumInteritemSpacing", "minimumColumnSpacing"]
    where input.oneIn(4) { members.append((name, extent())) }
    if input.oneIn(4) {
      members.append(("columnCount", .raw(input.pick(["2", "1", "3", "8", "9", "100", "10000"]))))
    }
    if input.oneIn(5) {
      members.append(
        (
          "decorations",
          .array(
            (0..<input.below(4)).map {
              .object([("kind", .string("d\($0)")), ("insets", insets())])
            })
        ))
    }
    return .object(members)
  }

  mutating func viewport() -> JSONTree {
    var members: [(String, JSONTree)] = [
      ("width", .raw(input.pick(Numbers.positives))),
      ("height", .raw(input.pick(Numbers.positives))),
    ]
    if input.oneIn(3) { members.append(("contentOffset", point())) }
    if input.oneIn(5) {
      members.append(
        ("displayScale", .raw(input.pick(["2", "3", "1", "0.000001", "100", "1.5", "0.333333"]))))
    }
    return .object(members)
  }

  mutating func viewportChange() -> JSONTree {
    var members: [(String, JSONTree)] = []
    if !input.oneIn(3) { members = viewport().object ?? [] }
    if members.isEmpty, input.oneIn(2) { members.append(("contentOffset", point())) }
    let hasOffset = members.contains { $0.0 == "contentOffset" }
    if input.oneIn(4) { members = [("viewport", .object(members))] }
    if !hasOffset, input.oneIn(3) { members.append(("anchor", anchor())) }
    return .object(members)
  }

  // MARK: Layouts

  private enum Metric {
    case extent, size, insets, flag
    case texts([String])
  }

  private static let pinned: [(String, Metric)] = [
    ("headerReferenceSize", .size), ("footerReferenceSize", .size),
    ("sectionHeadersPinToVisibleBounds", .flag), ("sectionFootersPinToVisibleBounds", .flag),
    ("sectionInset", .insets),
  ]
  private static let direction: (String, Metric) = (
    "scrollDirection", .texts(["\"horizontal\"", "\"vertical\""])
  )
  private static let spacings: [(String, Metric)] = [
    ("minimumLineSpacing", .extent), ("minimumInteritemSpacing", .extent),
  ]
  private static let factors = Metric.texts(Numbers.factors)
  private static let small = Metric.texts(["1", "2", "3", "4", "7", "100", "1000", "1000000"])

  /// All kinds with all their metrics.
  private static let kinds: [(String, [(String, Metric)])] = [
    (
      "flow",
      [
        direction, ("itemSize", .size),
        ("lineAlignment", .texts(["\"leading\"", "\"center\"", "\"trailing\"", "\"justified\""])),
        ("lastLineAlignment", .texts(["\"leading\"", "\"center\"", "\"trailing\"", "\"auto\""])),
        ("itemAlignment", .texts(["\"leading\"", "\"center\"", "\"trailing\""])),
      ] + spacings + pinned
    ),
    (
      "waterfall",
      [
        direction, ("itemSize", .size), ("minimumColumnSpacing", .extent),
        ("minimumInteritemSpacing", .extent), ("itemPadding", .extent),
        ("minimumContentLength", .extent), ("headerInset", .insets), ("footerInset", .insets),
        (
          "itemRenderDirection",
          .texts(["\"shortestFirst\"", "\"leftToRight\"", "\"rightToLeft\""])
        ),
      ] + pinned
    ),
    (
      "pagedGrid",
      [direction, ("columns", small), ("rows", small), ("sectionInset", .insets)] + spacings
    ),
    ("list", [direction, ("itemLength", .extent), ("itemSpacing", .extent)] + pinned),
    (
      "coverFlow",
      [
        direction, ("itemSize", .size), ("minimumLineSpacing", .extent), ("sectionInset", .insets),
        ("maximumScale", factors), ("minimumScale", factors), ("scaleFalloff", factors),
      ]
    ),
    ("wheel", [("itemSize", .size), ("radius", .extent)]),
    (
      "banner",
      [
        ("itemSize", .size), ("itemSpacing", .extent), ("sectionInset", .insets),
        ("minimumScale", .texts(["0.88", "0", "1", "0.5", "1e-9"])), ("scaleFactor", factors),
        ("shiftFactor", factors),
      ]
    ),
  ]

  mutating func layout() -> JSONTree {
    let (kind, metrics) = input.pick(RequestBodies.kinds)
    var members: [(String, JSONTree)] = [("kind", .string(kind))]
    for (name, metric) in metrics where input.oneIn(3) {
      let value: JSONTree =
        switch metric {
        case .extent: extent()
        case .size: size()
        case .insets: insets()
        case .flag: flag()
        case .texts(let texts): .raw(input.pick(texts))
        }
      members.append((name, value))
    }
    if kind == "waterfall", input.oneIn(2) {
      members.append(
        input.oneIn(3)
          ? ("minimumColumnWidth", extent())
          : ("columnCount", .raw(input.pick(["3", "1", "2", "9", "64", "10000"]))))
    }
    if input.oneIn(4) {
      let modes = ["none", "center", "start", "page", "item", "wheel"]
      members.append(
        (
          "snap",
          .object([
            ("mode", .string(input.pick(modes))),
            ("decelerationRate", .string(input.pick(["normal", "fast"]))),
          ])
        ))
    }
    return .object(members)
  }

  // MARK: Questions

  mutating func tick() -> JSONTree {
    var members: [(String, JSONTree)] = [("contentOffset", point())]
    if input.oneIn(6) { members.append(("velocity", velocity())) }
    if input.oneIn(6) { members.append(("full", flag())) }
    return .object(members)
  }

  mutating func dragEnd() -> JSONTree {
    var members: [(String, JSONTree)] = []
    for name in ["proposedContentOffset", "startContentOffset", "contentOffset"]
    where input.oneIn(2) { members.append((name, point())) }
    if input.oneIn(2) { members.append(("velocity", velocity())) }
    return .object(members)
  }

  mutating func anchor() -> JSONTree {
    switch input.below(5) {
    case 0: .string(input.pick(["start", "end", "visible"]))
    case 1:
      .object([
        ("kind", .string(input.pick(["header", "footer", "d0", "cell"]))), ("indexPath", path()),
      ])
    default: .object([("indexPath", path())])
    }
  }

  // MARK: Changes

  mutating func layoutChange() -> JSONTree {
    var members = [(name: "layout", value: layout())]
    if input.oneIn(3) { members.append(("anchor", anchor())) }
    return .object(members)
  }

  mutating func collectionChange() -> JSONTree {
    var members = [(name: "collection", value: collection())]
    if input.oneIn(3) { members.append(("anchor", anchor())) }
    return .object(members)
  }

  mutating func update() -> JSONTree {
    var members: [(String, JSONTree)] = []
    func some(_ body: (inout RequestBodies) -> JSONTree) -> JSONTree {
      .array((0...input.below(3)).map { _ in body(&self) })
    }
    let which = input.byte()
    let rare = input.byte()
    if which & 1 != 0 { members.append(("deleteItems", some { $0.itemRange() })) }
    if which & 2 != 0 || which == 0 {
      members.append(
        (
          "insertItems",
          some {
            .object([("section", $0.section(of: 3)), ("at", $0.index()), ("items", $0.items())])
          }
        ))
    }
    if which & 4 != 0 {
      members.append(("moveItems", some { .object([("from", $0.path()), ("to", $0.path())]) }))
    }
    if which & 8 != 0 {
      members.append(
        (
          "reloadItems",
          some {
            .object([("section", $0.section(of: 3)), ("start", $0.index()), ("items", $0.items())])
          }
        ))
    }
    if rare & 7 == 1 { members.append(("deleteSections", some { $0.section(of: 4) })) }
    if rare & 7 == 2 { members.append(("insertSections", some { $0.sectionAt() })) }
    if rare & 7 == 3 {
      members.append(
        (
          "moveSections",
          some { .object([("from", $0.section(of: 3)), ("to", $0.section(of: 3))]) }
        ))
    }
    if rare & 7 == 4 { members.append(("reloadSections", some { $0.sectionAt() })) }
    if rare & 0x70 == 0x10 {
      members.append(("expect", .object([("itemCounts", some { $0.index() })])))
    }
    if rare & 0x70 == 0x20 { members.append(("anchor", anchor())) }
    if rare & 0x70 == 0x30 { members.append(("dryRun", flag())) }
    for name in ["insertAnimation", "deleteAnimation"] where rare & 0x80 != 0 {
      members.append((name, animation()))
    }
    return .object(members)
  }

  private mutating func section(of count: Int) -> JSONTree { .number(input.below(count)) }

  private mutating func sectionAt() -> JSONTree {
    .object([("at", section(of: 4)), ("section", section())])
  }

  private mutating func itemRange() -> JSONTree {
    let start = input.below(12)
    return .object([
      ("section", section(of: 3)), ("start", .number(start)),
      (
        "end",
        input.oneIn(6)
          ? .raw(input.pick(["1000000000000", "999999999999", "500000", "0"]))
          : .number(start + input.below(5))
      ),
    ])
  }

  private mutating func animation() -> JSONTree {
    var members: [(String, JSONTree)] = []
    if input.oneIn(2) { members.append(("alpha", .raw(input.pick(["0", "1", "0.5", "1e-300"])))) }
    if input.oneIn(2) { members.append(("scale", .raw(input.pick(["0", "2", "1e6", "1e-300"])))) }
    if input.oneIn(2) {
      members.append(("rotation", .raw(input.pick(["0", "3.14159", "1e6", "-1e6", "1e-9"]))))
    }
    if input.oneIn(3) { members.append(("position", .string("bottomCenter"))) }
    return .object(members)
  }

  mutating func movementStart() -> JSONTree {
    var members: [(String, JSONTree)] = [
      input.oneIn(4) ? ("position", point()) : ("indexPath", path())
    ]
    if input.oneIn(4) { members.append(("sections", .array([section(of: 3), section(of: 3)]))) }
    return .object(members)
  }

  mutating func movementStep() -> JSONTree { .object([("position", point())]) }

  // MARK: Queries

  /// The query of a question about a rectangle.
  mutating func rectQuery() -> String {
    var parts: [String] = []
    if !input.oneIn(3) {
      parts += [
        "x=\(input.pick(Numbers.coordinates))", "y=\(input.pick(Numbers.coordinates))",
        "width=\(input.pick(Numbers.extents))", "height=\(input.pick(Numbers.extents))",
      ]
    }
    return parts.joined(separator: "&")
  }

  /// Members of a query, some of them wrong.
  mutating func damagedQuery(_ query: String) -> String {
    var parts = query.split(separator: "&").map(String.init)
    let place = input.below(max(1, parts.count))
    switch input.below(5) {
    case 0 where !parts.isEmpty: parts.remove(at: place)
    case 1 where !parts.isEmpty: parts.append(parts[place])
    case 2:
      parts.append(input.pick(["nope=1", "=", "x", "%", "limit=", "format=Columns", "%00=1"]))
    case _ where !parts.isEmpty:
      let name = parts[place].prefix { $0 != "=" }
      parts[place] = "\(name)=\(input.pick(Numbers.hostile))"
    default: parts.append("x=\(input.pick(Numbers.hostile))")
    }
    return parts.joined(separator: "&")
  }
}
