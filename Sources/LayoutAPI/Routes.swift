import HTTPMessages

/// What can be asked of the service; one case for each operation of openapi.yaml.
enum Operation: Int, CaseIterable, Sendable {
  case layOut
  case createSession
  case describeSession
  case deleteSession
  case replaceLayout
  case replaceViewport
  case replaceCollection
  case applyUpdates
  case beginMovement
  case updateMovement
  case endMovement
  case cancelMovement
  case listAttributes
  case describeElement
  case itemAtPoint
  case scrollOffset
  case drawImage
  case scroll
  case snap
  case liveness
  case readiness
  case contract
  case metrics
  case playground
  case playgroundFile
  case client
  case clientTypes
}

/// One path and what it takes.
///
/// Nothing in it is counted or freed: every request reads the routes, on all threads at once.
struct Route: Sendable {
  /// As openapi.yaml writes it.
  let template: StaticString
  /// Whether it is for those who run the server, rather than for those who call it.
  let isForOperators: Bool
  /// The methods it takes, beside HEAD where there is GET, and OPTIONS; at most three.
  private let taken: InlineArray<3, (method: HTTPMethod, operation: Operation)?>

  init(
    template: StaticString, isForOperators: Bool = false,
    operations: [(method: HTTPMethod, operation: Operation)]
  ) {
    self.template = template
    self.isForOperators = isForOperators
    taken = InlineArray { $0 < operations.count ? operations[$0] : nil }
  }

  /// The methods it takes, with what they ask for.
  var operations: [(method: HTTPMethod, operation: Operation)] {
    taken.indices.compactMap { taken[$0] }
  }

  /// The value of the `Allow` field.
  var allow: String {
    var methods = operations.map(\.method.rawValue)
    if methods.contains("GET") { methods.append("HEAD") }
    return (methods + ["OPTIONS"]).joined(separator: ", ")
  }

  /// What a method asks for here; HEAD is GET to everything but the server.
  func operation(for method: HTTPMethod) -> Operation? {
    let method = method == .head ? .get : method
    for place in taken.indices {
      guard let (taken, operation) = taken[place] else { return nil }
      if taken == method { return operation }
    }
    return nil
  }
}

/// All routes, in the order of openapi.yaml.
enum Routes {
  /// As many as there are.
  typealias Table<Element> = InlineArray<24, Element>

  static let all: Table<Route> = [
    Route(template: "/v1/layout", operations: [(.post, .layOut)]),
    Route(template: "/v1/sessions", operations: [(.post, .createSession)]),
    Route(
      template: "/v1/sessions/{id}",
      operations: [(.get, .describeSession), (.delete, .deleteSession)]),
    Route(template: "/v1/sessions/{id}/layout", operations: [(.put, .replaceLayout)]),
    Route(template: "/v1/sessions/{id}/viewport", operations: [(.put, .replaceViewport)]),
    Route(template: "/v1/sessions/{id}/collection", operations: [(.put, .replaceCollection)]),
    Route(template: "/v1/sessions/{id}/updates", operations: [(.post, .applyUpdates)]),
    Route(
      template: "/v1/sessions/{id}/movement",
      operations: [
        (.post, .beginMovement), (.patch, .updateMovement), (.delete, .cancelMovement),
      ]),
    Route(template: "/v1/sessions/{id}/movement/end", operations: [(.post, .endMovement)]),
    Route(template: "/v1/sessions/{id}/attributes", operations: [(.get, .listAttributes)]),
    Route(
      template: "/v1/sessions/{id}/attributes/{kind}/{section}/{item}",
      operations: [(.get, .describeElement)]),
    Route(template: "/v1/sessions/{id}/item-at", operations: [(.get, .itemAtPoint)]),
    Route(template: "/v1/sessions/{id}/scroll-offset", operations: [(.get, .scrollOffset)]),
    Route(template: "/v1/sessions/{id}/image.svg", operations: [(.get, .drawImage)]),
    Route(template: "/v1/sessions/{id}/scroll", operations: [(.post, .scroll)]),
    Route(template: "/v1/sessions/{id}/snap", operations: [(.post, .snap)]),
    Route(template: "/healthz", isForOperators: true, operations: [(.get, .liveness)]),
    Route(template: "/readyz", isForOperators: true, operations: [(.get, .readiness)]),
    Route(template: "/openapi.yaml", operations: [(.get, .contract)]),
    Route(template: "/metrics", isForOperators: true, operations: [(.get, .metrics)]),
    Route(template: "/", operations: [(.get, .playground)]),
    Route(template: "/playground/{file}", operations: [(.get, .playgroundFile)]),
    Route(template: "/client/collection-view.js", operations: [(.get, .client)]),
    Route(template: "/client/collection-view.d.ts", operations: [(.get, .clientTypes)]),
  ]

  /// Finds the route of a path.
  ///
  /// The path is compared with the templates' texts where it stands: nothing of it is split, copied or
  /// looked up. How a path ends tells nearly all of them apart before anything else is compared.
  ///
  /// - Parameter path: The raw path.
  /// - Returns: The route and where the template's parameters are in the path; nil if there is none.
  static func match(_ path: Span<UInt8>) -> (route: Route, parameters: PathParameters)? {
    let end = lastBytes(of: path)
    for place in patterns.indices where end & patterns[place].mask == patterns[place].end {
      if let parameters = patterns[place].match(path) {
        return (all[patterns[place].index], parameters)
      }
    }
    return nil
  }

  /// The route of a path without the slash at its end; nil if it has none, or leads nowhere without.
  static func routeWithoutSlash(_ path: Span<UInt8>) -> Route? {
    guard path.count > 1, path[path.count - 1] == UInt8(ascii: "/") else { return nil }
    return match(path.extracting(0..<path.count - 1))?.route
  }

  /// Up to eight bytes at the end of a path, the last one lowest.
  private static func lastBytes(of path: Span<UInt8>) -> UInt64 {
    if path.count >= 8 {
      // Safe: there are that many.
      return unsafe UInt64(
        bigEndian: path.bytes.unsafeLoadUnaligned(fromByteOffset: path.count - 8, as: UInt64.self))
    }
    var end: UInt64 = 0
    for place in path.indices { end = end << 8 | UInt64(path[place]) }
    return end
  }

  /// What the paths of a route are compared with.
  private struct Pattern {
    /// How they end: up to eight bytes of the template after its last parameter, the last lowest.
    var end: UInt64 = 0
    /// 0xFF for each of them.
    var mask: UInt64 = 0
    let template: StaticString
    /// Where the template has its texts: before, between and after its four parameters at the most.
    private var texts: InlineArray<5, Range<Int>> = .init(repeating: 0..<0)
    private var textCount = 0
    let index: Int

    init(_ route: Route, _ index: Int) {
      template = route.template
      self.index = index
      let bytes = Array("\(template)".utf8)
      var start = 0
      for place in bytes.indices {
        switch bytes[place] {
        case UInt8(ascii: "{"): append(start..<place)
        case UInt8(ascii: "}"): start = place + 1
        default: break
        }
      }
      append(start..<bytes.count)
      for (place, byte) in bytes[start...].reversed().prefix(8).enumerated() {
        end |= UInt64(byte) << UInt64(place * 8)
        mask |= 0xFF << UInt64(place * 8)
      }
    }

    private mutating func append(_ text: Range<Int>) {
      texts[textCount] = text
      textCount += 1
    }

    /// Where a path has the parameters; nil if it is none of the route's.
    func match(_ path: Span<UInt8>) -> PathParameters? {
      var parameters = PathParameters()
      var here = 0
      for number in 0..<textCount {
        if number > 0 {
          let slash = path.firstIndex(of: UInt8(ascii: "/"), from: here)
          guard slash > here else { return nil }
          parameters.append(here..<slash)
          here = slash
        }
        let text = texts[number]
        // Safe: within the template, of which the bytes live as long as the process; and never beyond
        // the path's end, since what is before this place has been found there.
        guard
          unsafe path.has(
            UnsafeBufferPointer(start: template.utf8Start + text.lowerBound, count: text.count),
            at: here)
        else { return nil }
        here += text.count
      }
      return here == path.count ? parameters : nil
    }
  }

  /// Those that end with a parameter, and so with anything, come last; scroll ticks, of which there
  /// are more than of all others, first.
  private static let patterns: Table<Pattern> = {
    let sorted = all.indices.map { Pattern(all[$0], $0) }.sorted { rank($0) < rank($1) }
    return Table { sorted[$0] }
  }()

  private static func rank(_ pattern: Pattern) -> Int {
    if all[pattern.index].operation(for: .post) == .scroll { return -1 }
    return pattern.mask == 0 ? all.count + pattern.index : pattern.index
  }
}

/// Where a path has its parameters; four at the most.
struct PathParameters {
  private var ranges: InlineArray<4, Range<Int>> = .init(repeating: 0..<0)
  private(set) var count = 0

  mutating func append(_ range: Range<Int>) {
    ranges[count] = range
    count += 1
  }

  subscript(index: Int) -> Range<Int> { ranges[index] }
}
