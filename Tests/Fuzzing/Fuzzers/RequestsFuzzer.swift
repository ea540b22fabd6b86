import HTTPMessages

/// A sequence of requests to one service: mostly right ones, some damaged.
func fuzzRequests(_ bytes: [UInt8]) throws(Finding) {
  var walk = RequestWalk(bytes)
  try walk.run()
}

/// What a client knows of its session.
private struct KnownSession {
  var path: String
  var version: Int
  var tag: String?
  /// What shows, by kind and index path; nil after answers that do not say.
  var shown: [String: AnswerJSON]?
}

private struct RequestWalk {
  private var client = ServiceClient()
  private var make: RequestBodies
  private var sessions: [KnownSession] = []
  private var current = 0

  /// Of questions.
  private static let readStatuses: Set<Int> = [200, 304, 400, 404, 406]
  /// Of changes.
  private static let changeStatuses: Set<Int> = [200, 400, 404, 406, 409, 412, 415, 422]

  init(_ bytes: [UInt8]) { make = RequestBodies(FuzzInput(bytes)) }

  mutating func run() throws(Finding) {
    try create()
    for _ in 0..<16 where !make.input.isAtEnd {
      if sessions.isEmpty || make.input.oneIn(32) {
        try create()
        continue
      }
      current = make.input.below(sessions.count)
      try step()
    }
  }

  private mutating func step() throws(Finding) {
    switch make.input.below(24) {
    case 0...4: try tick()
    case 5...8: try change(.post, "/updates") { $0.update() }
    case 9: try change(.put, "/layout") { $0.layoutChange() }
    case 10: try change(.put, "/viewport") { $0.viewportChange() }
    case 11: try change(.put, "/collection") { $0.collectionChange() }
    case 12: try move()
    case 13: try change(.patch, "/movement") { $0.movementStep() }
    case 14: try change(.post, "/movement/end") { _ in nil }
    case 15: try change(.delete, "/movement") { _ in nil }
    case 16: try listAttributes()
    case 17: try describeElement()
    case 18: try itemAtPoint()
    case 19: try scrollOffset()
    case 20: try snap()
    case 21: try image()
    case 22: try layOut()
    default: try rest()
    }
  }

  // MARK: Requests

  /// A request with a body, now and then damaged.
  private mutating func request(
    _ method: HTTPMethod, _ path: String, _ tree: JSONTree?
  ) -> (request: FuzzRequest, isDamaged: Bool) {
    var tree = tree
    var isDamaged = false
    for _ in 0..<(make.input.oneIn(4) ? 1 + make.input.below(2) : 0) {
      tree = tree?.damaged(by: &make.input)
      isDamaged = tree != nil
    }
    var request = FuzzRequest(method: method, path: path)
    request.body = tree.map { Array($0.text.utf8) } ?? []
    if make.input.oneIn(8) { request.query = "format=columns" }
    if make.input.oneIn(24) {
      request.accept = make.input.pick(["*/*", "text/html", "application/*;q=0", "image/svg+xml"])
      isDamaged = true
    }
    if make.input.oneIn(32) {
      request.contentType = make.input.pick(["text/plain", "application/json; charset=utf-8"])
      isDamaged = true
    }
    return (request, isDamaged)
  }

  private mutating func create() throws(Finding) {
    let (request, _) = request(.post, "/v1/sessions", make.description())
    let answer = try client.ask(
      request, onWorker: make.input.oneIn(2), statuses: [201, 400, 406, 415, 422])
    guard answer.isAccepted else { return }
    guard let path = answer.location, let id = answer.json?["id"]?.string else {
      try client.fail("a session without a place")
    }
    try client.check(path == "/v1/sessions/\(id)", "a session elsewhere")
    try client.check(answer.json?["version"]?.int == 1, "a new session that is not at version 1")
    try checkContentSize(answer)
    let session = KnownSession(
      path: path, version: 1, tag: answer.tag, shown: elements(answer.json?["attributes"]))
    if sessions.count > 1 {
      sessions[1] = session
    } else {
      sessions.append(session)
    }
  }

  private mutating func layOut() throws(Finding) {
    let (request, _) = request(.post, "/v1/layout", make.oneShot())
    let answer = try client.ask(
      request, onWorker: make.input.oneIn(2), statuses: [200, 400, 406, 415, 422])
    if answer.isAccepted { try checkContentSize(answer) }
  }

  private func checkContentSize(_ answer: FuzzAnswer) throws(Finding) {
    for side in ["width", "height"] {
      guard let extent = answer.json?["contentSize"]?[side]?.double, (0...9e12).contains(extent)
      else { try client.fail("a content size beyond the limits") }
    }
  }

  // MARK: Changes

  /// A change: refused it changes nothing, accepted it counts.
  private mutating func change(
    _ method: HTTPMethod, _ suffix: String, _ tree: (inout RequestBodies) -> JSONTree?
  ) throws(Finding) {
    let before = try summary()
    let looksBefore = make.input.oneIn(3) ? try look() : nil
    var (request, isDamaged) = request(method, sessions[current].path + suffix, tree(&make))
    if make.input.oneIn(6) {
      isDamaged = true
      request.ifMatch = make.input.pick([
        sessions[current].tag ?? "*", "\"1\"", "*", "W/\"2\"", ",",
      ])
    }
    // The others take no format.
    if suffix != "/updates", !request.query.isEmpty { isDamaged = true }
    let onWorker = make.input.oneIn(2)
    let statuses =
      isDamaged ? RequestWalk.changeStatuses.union([201, 204]) : [200, 201, 204, 404, 409, 422]
    let answer = try client.ask(request, onWorker: onWorker, statuses: statuses)
    let after = try summary()
    guard answer.isAccepted else {
      try client.check(before.bytes == after.bytes, "a refused change has changed the session")
      if let looksBefore {
        let looks = try look()
        try client.check(looks.status == looksBefore.status, "a refused change shows")
        if looks.isAccepted {
          try client.check(looks.bytes == looksBefore.bytes, "a refused change shows")
        }
      }
      return
    }
    let versions = (before.json?["version"]?.int ?? 0, after.json?["version"]?.int ?? 0)
    try client.check(
      versions.1 == versions.0 || versions.1 == versions.0 + 1, "versions \(versions)")
    if let version = answer.json?["version"]?.int {
      try client.check(version == versions.1, "an answer of version \(version), not \(versions.1)")
    }
    let body = AnswerJSON(request.body)
    switch suffix {
    case "/updates":
      try checkUpdate(body, versions, isSame: before.bytes == after.bytes)
    case "/layout", "/collection":
      try client.check(versions.1 == versions.0 + 1, "an accepted change without a version")
    case "/movement":
      try client.check(versions.1 == versions.0, "a movement that makes a version")
    default: break
    }
    sessions[current].version = versions.1
    sessions[current].tag = answer.tag ?? sessions[current].tag
    try checkContentSize(after)
    if suffix == "/updates", body?["dryRun"] == .bool(true) { return }
    if suffix == "/updates", request.query.isEmpty, let json = answer.json {
      try follow(json)
    } else {
      sessions[current].shown = nil
    }
  }

  /// An interactive movement; now and then it is left under way.
  private mutating func move() throws(Finding) {
    try change(.post, "/movement") { $0.movementStart() }
    for _ in 0..<make.input.below(4) {
      try change(.patch, "/movement") { $0.movementStep() }
      if make.input.oneIn(4) { try tick() }
    }
    switch make.input.below(4) {
    case 0, 1: try change(.post, "/movement/end") { _ in nil }
    case 2: try change(.delete, "/movement") { _ in nil }
    default: break
    }
  }

  private func checkUpdate(
    _ body: AnswerJSON?, _ versions: (Int, Int), isSame: Bool
  ) throws(Finding) {
    if body?["dryRun"] == .bool(true) {
      return try client.check(isSame, "a dry run has changed the session")
    }
    try client.check(
      versions.1 == versions.0 + (changesSomething(body) ? 1 : 0), "an update without a version")
  }

  private func changesSomething(_ batch: AnswerJSON?) -> Bool {
    for name in ["deleteSections", "insertSections", "moveSections", "reloadSections", "moveItems"]
    where batch?[name]?.elements?.isEmpty == false {
      return true
    }
    for range in batch?["deleteItems"]?.elements ?? [] where range["start"] != range["end"] {
      // Numbers may be written in two ways.
      if range["start"]?.double != range["end"]?.double { return true }
    }
    for name in ["insertItems", "reloadItems"] {
      for operation in batch?[name]?.elements ?? [] {
        guard case .object(let items)? = operation["items"] else { continue }
        if let count = items["count"]?.double, count > 0 { return true }
        for value in items.values where value.elements?.isEmpty == false { return true }
      }
    }
    return false
  }

  /// Applies an update's answer to what is known, as a client does.
  private mutating func follow(_ json: AnswerJSON) throws(Finding) {
    defer { sessions[current].shown = nil }
    guard var shown = sessions[current].shown else { return }
    for change in json["disappearing"]?.elements ?? [] {
      shown[key(change["initial"])] = nil
    }
    for change in json["moving"]?.elements ?? [] { shown[key(change["initial"])] = nil }
    for name in ["moving", "appearing"] {
      for change in json[name]?.elements ?? [] { shown[key(change["final"])] = change["final"] }
    }
    for element in json["entering"]?.elements ?? [] { shown[key(element)] = element }
    for element in json["leaving"]?.elements ?? [] {
      try client.check(
        shown.removeValue(forKey: key(element)) != nil, "\(key(element)) was not there")
    }
    guard let offset = json["contentOffset"], let real = try fullSet(at: offset) else { return }
    try check(shown, is: real, after: "an update")
    sessions[current].shown = real
  }

  private func check(
    _ shown: [String: AnswerJSON], is real: [String: AnswerJSON], after what: String
  ) throws(Finding) {
    let extra = shown.filter { real[$0.key] != $0.value }
    let missing = real.filter { shown[$0.key] != $0.value }
    try client.check(
      extra.isEmpty && missing.isEmpty, "\(what) leads to \(extra) where there is \(missing)")
  }

  // MARK: Ticks

  private mutating func tick() throws(Finding) {
    var (request, isDamaged) = request(.post, sessions[current].path + "/scroll", make.tick())
    if make.input.oneIn(12) {
      request.ifMatch = make.input.pick([sessions[current].tag ?? "*", "\"1\"", "*", "x"])
      isDamaged = true
    }
    let answer = try client.ask(
      request, onWorker: make.input.oneIn(3),
      statuses: isDamaged ? RequestWalk.changeStatuses.subtracting([409]) : [200, 422])
    guard answer.isAccepted, let json = answer.json else { return }
    try client.check(
      json["version"]?.int == sessions[current].version, "a tick of another version: \(json)")
    guard request.query.isEmpty else {
      sessions[current].shown = nil
      return
    }
    let isReset = json["reset"] == .bool(true)
    if var shown = isReset ? [:] : sessions[current].shown {
      for element in json["disappeared"]?.elements ?? [] {
        try client.check(
          shown.removeValue(forKey: key(element)) != nil, "\(key(element)) was not there")
      }
      for element in json["appeared"]?.elements ?? [] {
        try client.check(
          shown.updateValue(element, forKey: key(element)) == nil, "\(key(element)) was there")
      }
      for element in json["changed"]?.elements ?? [] {
        try client.check(
          shown.updateValue(element, forKey: key(element)) != nil, "\(key(element)) was not there")
      }
      sessions[current].shown = shown
      if !isReset, make.input.oneIn(2), let offset = json["contentOffset"],
        let real = try fullSet(at: offset)
      {
        try check(shown, is: real, after: "a tick")
      }
    }
  }

  /// What shows, said anew; nil if that is refused.
  private mutating func fullSet(at offset: AnswerJSON) throws(Finding) -> [String: AnswerJSON]? {
    guard case .number(let x)? = offset["x"], case .number(let y)? = offset["y"] else {
      try client.fail("an offset that is none: \(offset)")
    }
    var request = FuzzRequest(method: .post, path: sessions[current].path + "/scroll")
    request.body = Array("{\"contentOffset\":{\"x\":\(x),\"y\":\(y)},\"full\":true}".utf8)
    let answer = try client.ask(request, onWorker: true, statuses: [200, 422])
    guard answer.isAccepted else { return nil }
    try client.check(answer.json?["reset"] == .bool(true), "a full tick that is no reset")
    return elements(answer.json?["appeared"])
  }

  private func elements(_ list: AnswerJSON?) -> [String: AnswerJSON]? {
    guard let elements = list?.elements else { return nil }
    return Dictionary(elements.map { (key($0), $0) }, uniquingKeysWith: { _, last in last })
  }

  private func key(_ element: AnswerJSON?) -> String {
    let path = element?["indexPath"]?.elements?.map { "\($0.int ?? -1)" } ?? []
    return "\(element?["kind"]?.string ?? "?") \(path.joined(separator: ","))"
  }

  // MARK: Questions

  /// A question: asked again it has the same answer, on any thread.
  private mutating func get(_ suffix: String, _ query: String = "") throws(Finding) {
    var request = FuzzRequest(method: .get, path: sessions[current].path + suffix)
    request.query = make.input.oneIn(5) ? make.damagedQuery(query) : query
    if make.input.oneIn(12) {
      request.ifNoneMatch = make.input.pick([sessions[current].tag ?? "*", "*", "\"1\"", "\"9.9\""])
    }
    if make.input.oneIn(24) { request.accept = make.input.pick(["text/html", "*/*", "image/*"]) }
    if make.input.oneIn(24) { request.method = .head }
    // The limit of elements is far below what the query may ask for, so that a list may be refused.
    let statuses = RequestWalk.readStatuses.union([422])
    let first = try client.ask(request, onWorker: make.input.oneIn(2), statuses: statuses)
    guard make.input.oneIn(3) else { return }
    for onWorker in [true, false, false] {
      let again = try client.ask(request, onWorker: onWorker, statuses: statuses)
      try client.check(again.status == first.status, "another answer to the same question")
      if first.status == 200 {
        try client.check(again.bytes == first.bytes, "another answer to the same question")
      }
    }
  }

  private mutating func summary() throws(Finding) -> FuzzAnswer {
    let request = FuzzRequest(method: .get, path: sessions[current].path)
    return try client.ask(request, onWorker: false, statuses: [200])
  }

  /// What is in the viewport, without scrolling.
  private mutating func look() throws(Finding) -> FuzzAnswer {
    let request = FuzzRequest(method: .get, path: sessions[current].path + "/attributes")
    return try client.ask(request, onWorker: true, statuses: [200, 422])
  }

  private mutating func listAttributes() throws(Finding) {
    var query = make.rectQuery()
    if make.input.oneIn(4) {
      query +=
        "&contentOffsetX=\(make.input.pick(Numbers.coordinates))"
        + "&contentOffsetY=\(make.input.pick(Numbers.coordinates))"
    }
    if make.input.oneIn(4) {
      query += "&limit=\(make.input.pick(["1", "2", "50", "400", "50000"]))"
    }
    if make.input.oneIn(6) {
      query +=
        "&cursor="
        + make.input.pick([
          "0.h", "0.0", "1.3", "9.9", "0.9223372036854775807", "h", "0.99999999999",
        ])
    }
    if make.input.oneIn(6) { query += "&format=columns" }
    try get("/attributes", query)
  }

  private mutating func describeElement() throws(Finding) {
    let kind = make.input.pick([
      "cell", "header", "footer", "d0", "d1", "%64%30", "nope", "%", "%00",
    ])
    let numbers = [
      "0", "1", "2", "5", "299", "999999999999", "9223372036854775807", "-1", "x", "01",
    ]
    try get("/attributes/\(kind)/\(make.input.pick(numbers))/\(make.input.pick(numbers))")
  }

  private mutating func itemAtPoint() throws(Finding) {
    try get(
      "/item-at",
      "x=\(make.input.pick(Numbers.coordinates))&y=\(make.input.pick(Numbers.coordinates))")
  }

  private mutating func scrollOffset() throws(Finding) {
    let position = make.input.pick(["start", "center", "end", "nearest"])
    let item = make.input.pick(["0", "1", "5", "299", "999999999999", "9223372036854775807"])
    try get("/scroll-offset", "section=\(make.input.below(3))&item=\(item)&position=\(position)")
  }

  private mutating func image() throws(Finding) { try get("/image.svg", make.rectQuery()) }

  private mutating func snap() throws(Finding) {
    let (request, _) = request(.post, sessions[current].path + "/snap", make.dragEnd())
    _ = try client.ask(
      request, onWorker: make.input.oneIn(2), statuses: [200, 400, 404, 406, 415, 422])
  }

  /// What is left: other paths and methods, and the end of a session.
  private mutating func rest() throws(Finding) {
    switch make.input.below(6) {
    case 0:
      var request = FuzzRequest(method: .delete, path: sessions[current].path)
      if make.input.oneIn(2) { request.ifMatch = make.input.pick(["\"1\"", "*"]) }
      let answer = try client.ask(request, onWorker: false, statuses: [204, 412])
      if answer.isAccepted { sessions.remove(at: current) }
    case 1:
      let path = make.input.pick(["/healthz", "/readyz", "/openapi.yaml"])
      let request = FuzzRequest(method: .get, path: path)
      _ = try client.ask(request, onWorker: false, statuses: [200])
    case 2:
      let path = make.input.pick(["/v2", "", "/v1", "/v1/sessions/", "/v1/sessions/x/y", "//"])
      let request = FuzzRequest(method: make.input.pick(HTTPMethod.allCases), path: path)
      _ = try client.ask(request, onWorker: false, statuses: [404])
    case 3:
      let suffix = make.input.pick(["", "/scroll", "/movement", "/attributes", "/updates"])
      let request = FuzzRequest(
        method: make.input.pick([.options, .other, .put]), path: sessions[current].path + suffix)
      _ = try client.ask(request, onWorker: false, statuses: [204, 405])
    case 4: try get("")
    default:
      var path = sessions[current].path
      path.removeLast()
      let request = FuzzRequest(method: .get, path: path + "_")
      _ = try client.ask(request, onWorker: false, statuses: [404])
    }
  }
}
