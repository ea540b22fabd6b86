import LayoutCore
import Testing

@testable import LayoutAPI

/// What a collection is read as: its items in pieces as they are kept, or why it is refused.
private typealias Outcome = Result<[[Items]], JSONError>

private func outcome(
  _ read: ((JSONValue) throws(JSONError) -> [[Items]]) throws(JSONError) -> [[Items]]
) -> Outcome {
  do throws(JSONError) {
    return .success(
      try read { (value) throws(JSONError) in
        try value.content(limits: ContentLimits(describedItems: 700, sections: 100_000)).sections
          .map { section in
            var runs: [Items] = []
            section.items.forEachRun { run, _ in runs.append(run) }
            return runs
          }
      })
  } catch { return .failure(error) }
}

/// As a whole.
private func whole(_ body: [UInt8]) -> Outcome { windowed(body, JSONWindows(minimumLength: .max)) }

/// As the service does it.
private func windowed(_ body: [UInt8], _ windows: JSONWindows) -> Outcome {
  outcome { (read) throws(JSONError) in
    var parser = JSONParser()
    return try parser.read(body.span, windows: windows, read)
  }
}

/// In windows only, without the second try; nil where there is nothing for them.
private func windowsOnly(_ body: [UInt8], _ windows: JSONWindows) -> Outcome? {
  let skeleton = JSONSkeleton(
    of: body.span, lifting: JSONWindows.names, minimumLength: windows.minimumArrayLength)
  guard let skeleton else { return nil }
  return outcome { (read) throws(JSONError) in
    var parser = JSONParser()
    return try read(try parser.parse(skeleton, of: body.span, windowSize: windows.size).root)
  }
}

private struct RandomCollection {
  var generator: SeededGenerator

  mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

  mutating func pick(_ texts: [String]) -> String { texts.randomElement(using: &generator) ?? "" }

  mutating func space() -> String { oneIn(8) ? pick([" ", "\n", "\t\r", "   "]) : "" }

  mutating func number() -> String {
    oneIn(300)
      ? pick(["01", "1e999", "-1", "1.", "true", "null", "\"1\"", "[]", "18446744073709551616", ""])
      : pick([
        "1", "12.25", "0", "-0", "5000", "1e3", "0.000001", "7.123456", "187.33333333333334",
        "1000000000", "0.0000005", "\(generator.next() % 1000)",
      ])
  }

  mutating func pair() -> String {
    if oneIn(200) { return pick(["[1]", "[]", "[1,2,3]", "3", "{}", "[[1,2],3]", "\"]\""]) }
    return "[\(space())\(number())\(space()),\(space())\(number())\(space())]"
  }

  mutating func string() -> String {
    if oneIn(300) { return pick(["1", "\"\u{0}\"", "\"\\x\"", "\"", "\"\\ud800\"", "[\"a\"]"]) }
    let part = pick([
      "[", "]", ",", "\\\"", "\\\\", "{", "}", "\\\",\\\"", "],[", "é", "\\u00e9", ":", "a", "",
    ])
    return "\"\(part)\(generator.next() % 100_000)\(oneIn(3) ? part : "")\""
  }

  mutating func array(_ count: Int, _ element: (inout Self) -> String) -> String {
    let elements = (0..<count).map { _ in "\(space())\(element(&self))\(space())" }
    return "[\(elements.joined(separator: ","))\(oneIn(200) ? "," : "")]"
  }

  mutating func member(_ count: Int) -> String {
    let kind = pick(["sizes", "sizes", "lengths", "aspectRatios"])
    return "\"\(kind)\"\(space()):\(space())"
      + (oneIn(30)
        ? array(count) { $0.string() }
        : array(count) { kind == "sizes" ? $0.pair() : $0.number() })
  }

  mutating func section() -> String {
    let count = Int.random(in: 0...(oneIn(10) ? 400 : 60), using: &generator)
    var members: [String] = []
    if !oneIn(4) { members.append(member(count)) }
    if oneIn(2) {
      members.append("\"ids\":\(array(oneIn(20) ? count + 1 : count) { $0.string() })")
    }
    if members.isEmpty || oneIn(10) { members.append("\"count\":\(count)") }
    if oneIn(40) { members.append(member(3)) }
    members.shuffle(using: &generator)
    let id = pick([
      "", "", "\"id\":\"x: [1,2]\\\\\",", "\"nope\":[1,2,3],", "\"sizes\":[[1,2],[3,4]],",
    ])
    return
      "{\(oneIn(20) ? id : "")\"items\":{\(space())\(members.joined(separator: ",\(space())"))}}"
  }

  mutating func body() -> [UInt8] {
    let sections = array(Int.random(in: 1...3, using: &generator)) { $0.section() }
    var body = Array("{\(space())\"sections\"\(space()):\(space())\(sections)}\(space())".utf8)
    if oneIn(3) { damage(&body) }
    return body
  }

  private mutating func damage(_ body: inout [UInt8]) {
    let alphabet = Array("{}[]\",:0123456789.-+eE\\u tfn\u{0}".utf8) + [0xFF, 0xC3]
    let place = Int.random(in: 0..<body.count, using: &generator)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: body[place] = alphabet.randomElement(using: &generator) ?? 0
    case 1: body.remove(at: place)
    case 2: body.insert(alphabet.randomElement(using: &generator) ?? 0, at: place)
    default: body.removeLast(min(body.count - 1, place))
    }
  }
}

struct JSONWindowsTests {
  @Test(arguments: 0..<4)
  func arraysInWindowsAreReadAsTheWholeIs(seed: Int) {
    var random = RandomCollection(generator: SeededGenerator(seed: UInt64(seed)))
    var readInWindows = 0
    var refused = 0
    for _ in 0..<600 {
      let body = random.body()
      let size = Int.random(in: 8...300, using: &random.generator)
      let windows = JSONWindows(minimumLength: 1, minimumArrayLength: size, size: size)
      let expected = whole(body)
      #expect(
        windowed(body, windows) == expected,
        "\(windows.size): \(String(decoding: body, as: UTF8.self))")
      // What windows take, the whole takes too, or something is let through.
      if case .success(let items)? = windowsOnly(body, windows) {
        #expect(.success(items) == expected)
        readInWindows += 1
      }
      if case .failure = expected { refused += 1 }
    }
    #expect(readInWindows > 60)
    #expect(refused > 120)
  }

  @Test(arguments: [
    #"{"sections":[{"items":{"sizes":[[1,2],[3,4],[5,6],[7,8],[9,10]]}}]}"#,
    #"{"sections":[{"items":{"sizes":[ [1,2] , [3,4] , [5,6] , [7,8] ] }}]}"#,
    #"{"sections":[{"items":{"lengths":[1,2,3,4,5,6,7,8,9,10,11,12,13,14]}}]}"#,
    #"{"sections":[{"items":{"ids":["a]","b,","c\"","d\\","[","{","é"]}}]}"#,
    #"{"sections":[{"id":"sizes: [1","items":{"ids":["aaa","bbb","ccc"],"aspectRatios":[1.25,2.25,0.555]}}]}"#,
  ])
  func areUsedForEveryKind(text: String) {
    let body = Array(text.utf8)
    let windows = JSONWindows(minimumLength: 1, minimumArrayLength: 16, size: 16)
    #expect(windowsOnly(body, windows) == whole(body))
  }

  @Test(arguments: [
    // Each window would be well formed if it were looked at less closely.
    #"{"sections":[{"items":{"lengths":[1,2,3,4,5,,6,7,8,9]}}]}"#,
    #"{"sections":[{"items":{"lengths":[1,2,3,4,5,6,7,8,9,]}}]}"#,
    #"{"sections":[{"items":{"sizes":[[1,2],[3,4],[5,6],]}}]}"#,
    #"{"sections":[{"items":{"sizes":[[1,2],[3,4]],[5,6]]}}]}"#,
    #"{"sections":[{"items":{"sizes":[[1,2],[3,4],[5,6]}}]}"#,
    #"{"sections":[{"items":{"ids":["aaaa","bbbb","cc,"dd"]}}]}"#,
    #"{"sections":[{"items":{"lengths":[1,2,3,4,5,6,7,8,9],"lengths":[1]}}]}"#,
    #"{"sections":[{"items":{"lengths":[1,2,3,4,5,6,7,8,9]}}]}}"#,
    #"{"sections":[1,2,3,4,5,6,7,8,9]}"#, #"{"sizes":[1,2,3,4,5,6,7,8,9]}"#,
    #"{"sections":{"sizes":[1,2,3,4,5,6,7,8,9]}}"#,
    #"{"sections":[{"items":{"count":[1,2,3,4,5,6,7,8,9]}}]}"#,
  ])
  func refusalsAreThoseOfTheWhole(text: String) {
    let body = Array(text.utf8)
    for size in 2...20 {
      let expected = whole(body)
      #expect(throws: JSONError.self) { try expected.get() }
      let windows = JSONWindows(minimumLength: 1, minimumArrayLength: size, size: size)
      #expect(windowed(body, windows) == expected)
    }
  }

  @Test func shortDocumentsAreLeftAlone() {
    let body = Array(#"{"sizes":[[1,2],[3,4],[5,6]]}"#.utf8)
    let skeleton = JSONSkeleton(of: body.span, lifting: JSONWindows.names, minimumLength: 100)
    #expect(skeleton == nil)
  }

  @Test func whatIsTakenOutIsLeftEmpty() throws {
    let body = Array(#"{"a":[1.5,true,"x"],"sizes":[[1,2],[3,4],[5,6]],"b":2}"#.utf8)
    let found = JSONSkeleton(of: body.span, lifting: JSONWindows.names, minimumLength: 10)
    let skeleton = try #require(found)
    let text = String(decoding: skeleton.text.dropLast(JSONSkeleton.padding), as: UTF8.self)
    #expect(text == #"{"a":[1.5,true,"x"],"sizes":[],"b":2}"#)
    #expect(skeleton.arrays.map(\.index) == [10])
    #expect(
      skeleton.arrays.map { String(decoding: body[$0.elements], as: UTF8.self) } == [
        "[1,2],[3,4],[5,6]"
      ])
  }

  /// Each of them goes on to the end: were all of each looked at, ten times as many would take a hundred times
  /// as long.
  @Test func nestedArraysAreLookedAtOnce() {
    func time(nesting depth: Int) -> UInt64 {
      let body = Array(String(repeating: #"{"sizes":[["#, count: depth).utf8)
      return (0..<3).map { _ in
        let start = threadTime()
        _ = windowed(body, JSONWindows())
        return threadTime() - start
      }.min() ?? 0
    }
    let (few, many) = (time(nesting: 3000), time(nesting: 30_000))
    #expect(many < 40 * few, "\(many) and \(few) ns")
  }
}
