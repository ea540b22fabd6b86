import LayoutCore

@testable import LayoutAPI

/// Raw bytes as a body: the readers for short, for long and for plain ones must agree.
///
/// The first byte says what is read, the second how small windows are, the others are the body, or
/// choose what a list in it is made of.
func fuzzBodies(_ bytes: [UInt8]) throws(Finding) {
  var input = FuzzInput(bytes)
  let number = input.below(BodyKind.allCases.count + 1)
  let kind = number < BodyKind.allCases.count ? BodyKind.allCases[number] : .collection
  let windowSize = 2 + Int(input.byte())
  let body =
    number < BodyKind.allCases.count ? input.rest() : listBody(input.rest())
  let whole = reading(body, as: kind, windows: JSONWindows(minimumLength: .max, size: .max))
  // What goes wrong with windows mostly does so where one ends at a certain byte.
  for size in body.count <= 128 ? Array(2...16) : [windowSize] {
    let windows = JSONWindows(minimumLength: 1, minimumArrayLength: size, size: size)
    let windowed = reading(body, as: kind, windows: windows)
    try expect(
      whole == windowed,
      "windows of \(size) read \(windowed), not \(whole): \(String(decoding: body, as: UTF8.self))")
  }
  if case .accepted = whole {
    try expect(AnswerJSON(body) != nil, "not JSON: \(String(decoding: body, as: UTF8.self))")
  }
  if case .refused(let error) = whole, let json = AnswerJSON(body) {
    try expect(!error.detail.isEmpty, "no words: \(error)")
    try expect(json.at(error.pointer) != nil, "nothing is there: \(error)")
  }
  if kind == .tick { try checkPlainTick(body, whole) }
}

/// A collection with a list made of tokens, a byte each: right and wrong separators come up often.
private func listBody(_ choices: [UInt8]) -> [UInt8] {
  let tokens = [
    "1", ",", " ", "\"a\"", "[1,2]", "[", "]", ", ", "\\\"", "\"", "12.5", "{", "}", "\n", "-",
    "\"b]\"", "0.1234565", "187.33333333333334", "[66.66666666666667, 0.1],",
  ]
  var input = FuzzInput(choices)
  let member = input.pick(["lengths", "sizes", "ids", "aspectRatios"])
  var text = "{\"sections\":[{\"items\":{\"\(member)\":["
  while !input.isAtEnd { text += input.pick(tokens) }
  return Array((text + "]}}]}").utf8)
}

/// The bodies there are.
private enum BodyKind: CaseIterable {
  case description, collection, layout, viewport, update, tick, drag
}

/// What became of a body; what was read, as text.
private enum BodyOutcome: Equatable {
  case accepted(String)
  case refused(JSONError)
}

private func reading(_ body: [UInt8], as kind: BodyKind, windows: JSONWindows) -> BodyOutcome {
  var parser = JSONParser()
  do throws(JSONError) {
    return .accepted(
      try parser.read(body.span, windows: windows) { (value) throws(JSONError) in
        try kind.read(value)
      })
  } catch { return .refused(error) }
}

extension BodyKind {
  fileprivate func read(_ value: JSONValue) throws(JSONError) -> String {
    let limits = ContentLimits(describedItems: 300, sections: 100_000)
    switch self {
    case .description:
      let object = try JSONObject<DescriptionMember>(value)
      let description = try object.description(limits: limits)
      let rect = try object[.rect]?.rect()
      let drag = try object[.snap]?.dragEnd(lastOffset: description.contentOffset)
      return text(description.content)
        + "\(description.layout) \(description.snap) \(description.prefetch) \(description.viewport)"
        + "\(description.contentOffset) \(String(describing: rect)) \(String(describing: drag))"
    case .collection: return text(try value.content(limits: limits))
    case .layout: return "\(try LayoutReader.read(value))"
    case .viewport: return "\(try value.viewportChange())"
    case .update:
      let request = try value.update(limits: limits)
      var json = JSONWriter()
      json.update(request)
      return String(decoding: json.finish(), as: UTF8.self)
    case .tick: return "\(try TickRequest(value))"
    case .drag: return "\(try value.dragEnd(lastOffset: .zero))"
    }
  }
}

private func text(_ content: Content) -> String {
  content.sections.map { section in
    var runs = ""
    section.items.forEachRun { run, start in runs += "\(start): \(run);" }
    var rest = section
    rest.items = ItemList()
    return "\(runs) \(rest.header as Any) \(rest.footer as Any) \(rest.sectionInset as Any)"
      + "\(rest.id as Any) \(rest.columnCount as Any) \(rest.decorations)"
  }.joined(separator: "\n")
}

/// The scanner for plain ticks reads what the parser reads, or nothing.
private func checkPlainTick(_ body: [UInt8], _ whole: BodyOutcome) throws(Finding) {
  guard let plain = TickRequest(plain: body.span) else { return }
  try expect(
    whole == .accepted("\(plain)"), "the scanner reads \(plain), the parser \(whole)")
}
