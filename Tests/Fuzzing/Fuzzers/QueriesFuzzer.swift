import HTTPMessages
import LayoutCore

@testable import LayoutAPI

/// Raw paths, queries and header fields.
///
/// The first byte says what is looked at, the others are it.
func fuzzQueries(_ bytes: [UInt8]) throws(Finding) {
  var input = FuzzInput(bytes)
  switch input.below(6) {
  case 0: try checkPath(input.rest())
  case 1: try checkQuery(input.rest())
  case 2: try checkDecimal(input.rest())
  case 3: try checkTags(&input)
  case 4: try checkAccept(input.rest())
  default: try checkRequest(&input)
  }
}

/// A path matches the first template that it matches, segment by segment.
private func checkPath(_ path: [UInt8]) throws(Finding) {
  let found = Routes.match(path.span)
  let expected = Routes.all.indices.first { matches(path, "\(Routes.all[$0].template)") }
  try expect(
    found.map { "\($0.route.template)" } == expected.map { "\(Routes.all[$0].template)" },
    "\(String(decoding: path, as: UTF8.self)) is routed to \(String(describing: found?.route.template))"
  )
  guard let found else { return }
  for place in 0..<found.parameters.count {
    let range = found.parameters[place]
    try expect(
      !range.isEmpty && !path[range].contains(UInt8(ascii: "/")), "a parameter at \(range)")
    let decoded = PercentEncoding.decode(path.span, range)
    try expect(
      decoded.map { Array($0.utf8) } == percentDecoded(path[range]), "it is decoded otherwise")
  }
}

private func matches(_ path: [UInt8], _ template: String) -> Bool {
  let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
  let wanted = template.split(separator: "/", omittingEmptySubsequences: false)
  return parts.count == wanted.count
    && zip(parts, wanted).allSatisfy { part, name in
      name.hasPrefix("{") ? !part.isEmpty : part.elementsEqual(name.utf8)
    }
}

private func percentDecoded(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
  var result: [UInt8] = []
  var rest = bytes
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%") else {
      result.append(byte)
      continue
    }
    let digits = rest.prefix(2)
    let hex = Array("0123456789abcdefABCDEF".utf8)
    guard digits.count == 2, digits.allSatisfy(hex.contains),
      let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    else { return nil }
    result.append(value)
    rest = rest.dropFirst(2)
  }
  return String(validating: result, as: UTF8.self) == nil ? nil : result
}

/// What a query says is what was put into it.
private func checkQuery(_ query: [UInt8]) throws(Finding) {
  let names: [QueryName] = [.x, .y, .width, .height, .limit, .cursor, .format]
  let parameters: QueryParameters
  do throws(Failure) { parameters = try QueryParameters(query.span, known: names) } catch {
    return try expect(error.isOfQuery, "an odd refusal: \(error)")
  }
  let parts = query.split(separator: UInt8(ascii: "&")).map {
    $0.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
  }
  try expect(
    parts.count == names.filter { parameters.text($0) != nil }.count, "a parameter is lost")
  for part in parts {
    let name = percentDecoded(part[0])
    guard let known = names.first(where: { name == Array("\($0.text)".utf8) }) else {
      throw Finding("an unknown parameter is taken")
    }
    let value = part.count > 1 ? percentDecoded(part[1]) : []
    try expect(parameters.text(known).map { Array($0.utf8) } == value, "another value")
  }
  var isRight = true
  do throws(Failure) {
    if let rect = try parameters.rect() { isRight = rect.width >= 0 && rect.height >= 0 }
    if let limit = try parameters.integer(.limit, in: 1...50_000) {
      isRight = isRight && (1...50_000).contains(limit)
    }
    _ = try parameters.choice(.format, of: AttributesFormat.Shape.self)
  } catch {
    isRight = error.isOfQuery
  }
  try expect(isRight, "a wrong value, or an odd refusal")
}

extension Failure {
  /// Whether a query is refused, with words.
  fileprivate var isOfQuery: Bool {
    guard case .problem(let problem) = self else { return false }
    return problem.kind == .query && !problem.detail.isEmpty
  }
}

/// A number in a query is what it is in a body.
private func checkDecimal(_ bytes: [UInt8]) throws(Finding) {
  guard let text = String(validating: bytes, as: UTF8.self) else { return }
  let length = Length(decimal: bytes.span)
  let json = AnswerJSON(bytes)
  guard case .number(text)? = json, let double = Double(text), double.magnitude <= 9e12 else {
    if length != nil, json?.double == nil { throw Finding("\(text) is no number") }
    return
  }
  // A double is not exact where a plain decimal is.
  guard let length else {
    return try expect(!double.isFinite, "\(text) is a number")
  }
  let difference = (length - Length(rounding: double)).millionths.magnitude
  let slack = max(1, double.magnitude.ulp * 1e6 + 1)
  try expect(Double(difference) <= slack, "\(text) is read as \(length.millionths)")
}

/// Tags: a field names what it holds, and nothing else.
private func checkTags(_ input: inout FuzzInput) throws(Finding) {
  let tag = EntityTag(
    version: input.below(300), tickCount: input.oneIn(2) ? input.below(300) : nil)
  let text = tag.tickCount.map { "\"\(tag.version).\($0)\"" } ?? "\"\(tag.version)\""
  try expect(tag.field.description == text, "a tag is written otherwise")
  let field = input.rest()
  try checkField(field, tag)
  // Of what fields are made of, in the order that the same bytes say.
  let parts = [
    "\"", text, "\(tag.version)", "\"\(tag.version)", "W/", ",", " ", "\t", "-", ".", "*", "1",
    "gzip",
  ]
  try checkField(field.flatMap { Array(parts[Int($0) % parts.count].utf8) }, tag)
  let own = Array(text.utf8)
  try expect(EntityTag.isNamed(text, in: own.span), "a tag does not name itself")
  try expect(EntityTag.field(own.span, names: tag.version), "a tag does not match itself")
  let list = Array("\"x\", W/\(text) , \"y\"".utf8)
  try expect(EntityTag.isNamed(text, in: list.span), "a list does not name what is in it")
}

/// It names a tag if that is in it.
private func checkField(_ field: [UInt8], _ tag: EntityTag) throws(Finding) {
  let tags = tags(in: field)
  let value = tag.field.description
  let own = Array(value.utf8.dropFirst().dropLast())
  let text = String(decoding: field, as: UTF8.self)
  try expect(
    EntityTag.isNamed(value, in: field.span) == (tags?.contains(own) ?? true),
    "\(value) in \(text)")
  // Whatever was scrolled: there may be another number behind a dot.
  let isMatched = tags?.contains { name in
    let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts[0].elementsEqual("\(tag.version)".utf8) && parts.count <= 2
      && parts.dropFirst().allSatisfy { !$0.isEmpty && $0.allSatisfy { 0x30...0x39 ~= $0 } }
  }
  try expect(
    EntityTag.field(field.span, names: tag.version) == (isMatched ?? true),
    "version \(tag.version) in \(text)")
}

/// The tags of a field, as they are between their quotes, up to a hyphen; nil if one of them is `*`.
private func tags(in field: [UInt8]) -> [[UInt8]]? {
  let quote = UInt8(ascii: "\"")
  // A comma or white space between quotes separates nothing.
  var items: [[UInt8]] = [[]]
  for (index, part) in field.split(separator: quote, omittingEmptySubsequences: false).enumerated()
  {
    if index > 0 { items[items.count - 1].append(quote) }
    let pieces =
      index % 2 == 0
      ? part.split(omittingEmptySubsequences: false) { ", \t".utf8.contains($0) } : [part]
    for (number, piece) in pieces.enumerated() {
      if number > 0 { items.append([]) }
      items[items.count - 1] += piece
    }
  }
  if items.contains(Array("*".utf8)) { return nil }
  return items.compactMap { item in
    let tag = item.starts(with: "W/".utf8) ? item.dropFirst(2) : item[...]
    guard tag.count > 1, tag.first == quote, tag.last == quote else { return nil }
    return Array(tag.dropFirst().dropLast().prefix { $0 != UInt8(ascii: "-") })
  }
}

/// Fields that name types.
private func checkAccept(_ field: [UInt8]) throws(Finding) {
  let takesJSON = Accept.takes("application/json", field.span)
  let type = field + Array("; charset=utf-8".utf8)
  try expect(
    MediaType.isJSON(type.span) == MediaType.isJSON(field.span), "a parameter makes another type")
  let more = field + Array(", */*".utf8)
  try expect(Accept.takes("application/json", more.span) || takesJSON == false, "more is less")
  let first = Array("application/json, ".utf8) + field
  try expect(
    Accept.takes("application/json", first.span), "what is taken is not taken beside others")
}

/// All of it, through the service.
private func checkRequest(_ input: inout FuzzInput) throws(Finding) {
  let method = input.pick(HTTPMethod.allCases)
  let parts = input.rest().split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
  func part(_ index: Int) -> [UInt8] { index < parts.count ? parts[index] : [] }
  let (path, query, accept, type) = (part(0), part(1), part(2), part(3))
  let service = LayoutService(now: { .zero })
  let response = service.respond(
    to: HTTPRequest(
      method: method, path: path.span, query: query.span,
      fields: HTTPRequestFields(
        contentType: type.span, accept: accept.span, ifMatch: accept.span, ifNoneMatch: type.span),
      body: Span()),
    mayTakeLong: true)
  guard let response else { throw Finding("no answer") }
  let allowed: [UInt16] = [200, 204, 304, 400, 404, 405, 406, 415, 422]
  try expect(allowed.contains(response.status.rawValue), "status \(response.status)")
  if response.status.rawValue >= 400 {
    try expect(
      response.fields.contains { $0.value == "application/problem+json" }
        && AnswerJSON(response.body)?["detail"]?.string?.isEmpty == false,
      "not a problem: \(String(decoding: response.body, as: UTF8.self))")
  }
}
