import Foundation
import HTTPMessages
import LayoutAPI
import LayoutSessions
import Testing

// MARK: What all change tests need

extension MockService {
  /// Whatever a refused change might have altered: the summary, what shows, and all there is.
  func state(of path: String) throws -> [[UInt8]] {
    try ["", "/attributes", "/attributes?x=-1000&y=-1000&width=100000&height=100000&limit=50000"]
      .map {
        let answer = try #require(send(.get, path + $0))
        try #require(answer.status == 200)
        return answer.bytes
      }
  }

  /// All elements wherever they are, as canonical text.
  func everything(in path: String) throws -> String {
    let target = path + "/attributes?x=-1000&y=-1000&width=100000&height=100000&limit=50000"
    return try #require(send(.get, target)?.text("attributes"))
  }

  /// The names of the cells, section by section.
  func names(in path: String, sectionCount: Int) -> [[String]] {
    let answer = send(.get, path + "/attributes?x=0&y=0&width=100000&height=100000&limit=50000")
    var names = Array(repeating: [String](), count: sectionCount)
    for element in answer?["attributes"] as? [[String: Any]] ?? [] {
      guard let place = element["indexPath"] as? [Int], let id = element["id"] as? String else {
        continue
      }
      names[place[0]].append(id)
    }
    return names
  }

  /// A tick at an offset along y.
  func tick(_ path: String, y: Int) -> Answer? {
    send(.post, path + "/scroll", "{\"contentOffset\":{\"x\":0,\"y\":\(y)}}")
  }
}

extension Answer {
  /// Whether it is a tick that says that nothing is different.
  var isQuietTick: Bool {
    status == 200 && self["reset"] as? Bool == false && text("appeared") == "[]"
      && text("changed") == "[]" && text("disappeared") == "[]"
  }
}

/// A cell of a list 100 points wide as canonical text.
func cell(
  _ path: [Int], id: String? = nil, x: Int = 0, y: Int, width: Int = 100, height: Int = 50,
  alpha: Int? = nil, zIndex: Int? = nil
) -> String {
  element(
    "cell", path, id: id, x: x, y: y, width: width, height: height, alpha: alpha, zIndex: zIndex)
}

/// An element as canonical text.
func element(
  _ kind: String, _ path: [Int], id: String? = nil, x: Int = 0, y: Int, width: Int = 100,
  height: Int, alpha: Int? = nil, zIndex: Int? = nil
) -> String {
  let alpha = alpha.map { "\"alpha\":\($0)," } ?? ""
  let id = id.map { "\"id\":\"\($0)\"," } ?? ""
  let zIndex = zIndex.map { ",\"zIndex\":\($0)" } ?? ""
  return """
    {\(alpha)"frame":{"height":\(height),"width":\(width),"x":\(x),"y":\(y)},\(id)\
    "indexPath":[\(path[0]),\(path[1])],"kind":"\(kind)"\(zIndex)}
    """
}

/// One of `appearing` or `disappearing` as canonical text.
func change(_ initial: String, _ final: String) -> String {
  "{\"final\":\(final),\"initial\":\(initial)}"
}

/// One of `moving` as canonical text.
func moved(_ from: [Int], _ to: [Int], _ initial: String, _ final: String) -> String {
  """
  {"final":\(final),"from":[\(from[0]),\(from[1])],"initial":\(initial),"to":[\(to[0]),\(to[1])]}
  """
}

/// A list of items 50 long named a, b, c … in a viewport of 100 by 200.
func namedList(_ count: Int, y: Int = 0) -> String {
  """
  {"collection":{"sections":[{"items":{"ids":[\(quotedNames(count))]}}]},
   "layout":{"kind":"list","itemLength":50},
   "viewport":{"width":100,"height":200,"contentOffset":{"x":0,"y":\(y)}}}
  """
}

/// The names a, b, c … in quotes.
func quotedNames(_ count: Int) -> String {
  "abcdefghijklmnopqrstuvwxyz".prefix(count).map { "\"\($0)\"" }.joined(separator: ",")
}

// MARK: What a batch does

struct UpdateTests {
  /// Five sections; the length of an item tells it from all others.
  private let fiveSections = """
    {"collection":{"sections":[
       {"id":"A","items":{"lengths":[10,11,12,13,14,15],"ids":["a0","a1","a2","a3","a4","a5"]}},
       {"id":"B","items":{"lengths":[20,21],"ids":["b0","b1"]}},
       {"id":"C","items":{"lengths":[30,31,32],"ids":["c0","c1","c2"]}},
       {"id":"D","items":{"lengths":[40,41],"ids":["d0","d1"]}},
       {"id":"E","items":{"lengths":[50],"ids":["e0"]}}]},
     "layout":{"kind":"list"},"viewport":{"width":100,"height":200}}
    """

  /// All eight kinds at once.
  private let operations = [
    #""deleteSections":[1]"#,
    #""insertSections":[{"at":0,"section":{"id":"N","items":{"lengths":[60,61],"ids":["n0","n1"]}}}]"#,
    #""moveSections":[{"from":4,"to":1}]"#,
    #""reloadSections":[{"at":3,"section":{"id":"D","items":{"lengths":[80,81,82],"ids":["r0","d1","r2"]}}}]"#,
    #""deleteItems":[{"section":0,"start":1,"end":2},{"section":0,"start":0,"end":1}]"#,
    #""insertItems":[{"section":2,"at":1,"items":{"lengths":[70,71],"ids":["x0","x1"]}}]"#,
    #""moveItems":[{"from":[0,5],"to":[3,0]},{"from":[2,2],"to":[2,0]}]"#,
    #""reloadItems":[{"section":2,"start":0,"items":{"lengths":[25]}}]"#,
    #""expect":{"itemCounts":[2,1,6,3,3]}"#,
  ]

  @Test(arguments: [false, true])
  func allKindsOfOperationsHappenAtOnce(isBackwards: Bool) throws {
    let service = MockService()
    let path = try service.makeSession(fiveSections)
    let members = isBackwards ? operations.reversed() : operations
    let answer = try #require(
      service.send(.post, path + "/updates", "{\(members.joined(separator: ","))}"))
    #expect(answer.status == 200, "\(answer.text)")
    #expect(
      answer.text("sections")
        == #"[{"itemCount":2},{"itemCount":1},{"itemCount":6},{"itemCount":3},{"itemCount":3}]"#)

    // N is inserted at 0 and E moved to 1; A, C and D fill 2, 3 and 4 in their old order. In A (now 2)
    // c2 stands at 0, x0 and x1 at 1 and 2, and what is left of it, a2 a3 a4, fills 3, 4 and 5. In C
    // (now 3) a5 stands at 0, and c0 and c1 fill the rest.
    let expected = [
      ["n0", "n1"], ["e0"], ["c2", "x0", "x1", "a2", "a3", "a4"], ["a5", "c0", "c1"],
      ["r0", "d1", "r2"],
    ]
    #expect(service.names(in: path, sectionCount: 5) == expected)

    // What was moved has kept its length, c0 has a new one: as a new session of all that has it.
    let fresh = try service.makeSession(
      """
      {"collection":{"sections":[
         {"id":"N","items":{"lengths":[60,61],"ids":["n0","n1"]}},
         {"id":"E","items":{"lengths":[50],"ids":["e0"]}},
         {"id":"A","items":{"lengths":[32,70,71,12,13,14],"ids":["c2","x0","x1","a2","a3","a4"]}},
         {"id":"C","items":{"lengths":[15,25,31],"ids":["a5","c0","c1"]}},
         {"id":"D","items":{"lengths":[80,81,82],"ids":["r0","d1","r2"]}}]},
       "layout":{"kind":"list"},"viewport":{"width":100,"height":200}}
      """)
    #expect(try service.everything(in: path) == service.everything(in: fresh))
    // 60 + 61 + 50 + (32 + 70 + 71 + 12 + 13 + 14) + (15 + 25 + 31) + (80 + 81 + 82)
    #expect(answer.text("contentSize") == #"{"height":697,"width":100}"#)
    // The last of A: 60 + 61 + 50 + 32 + 70 + 71 + 12 + 13.
    #expect(
      service.send(.get, path + "/attributes/cell/2/5")?.text("attributes")
        == cell([2, 5], id: "a4", y: 369, height: 14))
  }

  @Test func whatAppearsFadesInAndTheRestMoves() throws {
    let service = MockService()
    let path = try service.makeSession(namedList(10))
    let answer = try #require(
      service.send(
        .post, path + "/updates",
        #"{"insertItems":[{"section":0,"at":1,"items":{"ids":["n"]}}]}"#))
    #expect(answer.status == 200)
    #expect(
      answer.json.keys.sorted() == [
        "appearing", "cancelPrefetch", "contentOffset", "contentSize", "disappearing", "entering",
        "leaving", "moving", "sections", "version",
      ])
    #expect(answer["version"] as? Int == 2)
    #expect(answer.text("contentSize") == #"{"height":550,"width":100}"#)
    #expect(answer.text("sections") == #"[{"itemCount":11}]"#)
    #expect(answer.text("contentOffset") == #"{"x":0,"y":0}"#)
    #expect(
      answer.text("appearing")
        == "[\(change(cell([0, 1], id: "n", y: 50, alpha: 0), cell([0, 1], id: "n", y: 50)))]")
    #expect(answer.text("disappearing") == "[]")
    // a stays; b, c and d go down by 50, d out of view.
    #expect(
      answer.text("moving") == """
        [\(moved([0, 1], [0, 2], cell([0, 1], id: "b", y: 50), cell([0, 2], id: "b", y: 100))),\
        \(moved([0, 2], [0, 3], cell([0, 2], id: "c", y: 100), cell([0, 3], id: "c", y: 150))),\
        \(moved([0, 3], [0, 4], cell([0, 3], id: "d", y: 150), cell([0, 4], id: "d", y: 200)))]
        """)
  }

  @Test func whatComesIntoViewFromOutsideMoves() throws {
    let service = MockService()
    let path = try service.makeSession(namedList(10))
    let answer = try #require(
      service.send(
        .post, path + "/updates", #"{"deleteItems":[{"section":0,"start":0,"end":3}]}"#))
    #expect(answer.text("appearing") == "[]")
    #expect(
      answer.text("disappearing") == """
        [\(change(cell([0, 0], id: "a", y: 0), cell([0, 0], id: "a", y: 0, alpha: 0))),\
        \(change(cell([0, 1], id: "b", y: 50), cell([0, 1], id: "b", y: 50, alpha: 0))),\
        \(change(cell([0, 2], id: "c", y: 100), cell([0, 2], id: "c", y: 100, alpha: 0)))]
        """)
    #expect(
      answer.text("moving") == """
        [\(moved([0, 3], [0, 0], cell([0, 3], id: "d", y: 150), cell([0, 0], id: "d", y: 0))),\
        \(moved([0, 4], [0, 1], cell([0, 4], id: "e", y: 200), cell([0, 1], id: "e", y: 50))),\
        \(moved([0, 5], [0, 2], cell([0, 5], id: "f", y: 250), cell([0, 2], id: "f", y: 100))),\
        \(moved([0, 6], [0, 3], cell([0, 6], id: "g", y: 300), cell([0, 3], id: "g", y: 150)))]
        """)
  }

  @Test func aReloadedItemMovesAndKeepsItsName() throws {
    let service = MockService()
    let path = try service.makeSession(namedList(3))
    let answer = try #require(
      service.send(
        .post, path + "/updates",
        #"{"reloadItems":[{"section":0,"start":1,"items":{"lengths":[80]}}]}"#))
    #expect(answer.text("appearing") == "[]")
    #expect(answer.text("disappearing") == "[]")
    #expect(
      answer.text("moving") == """
        [\(moved([0, 1], [0, 1], cell([0, 1], id: "b", y: 50), cell([0, 1], id: "b", y: 50, height: 80))),\
        \(moved([0, 2], [0, 2], cell([0, 2], id: "c", y: 100), cell([0, 2], id: "c", y: 130)))]
        """)
  }

  @Test func whatAppearsBeginsWhereItsAnimationSays() throws {
    let service = MockService()
    let path = try service.makeSession(namedList(10, y: 100))
    let answer = try #require(
      service.send(
        .post, path + "/updates",
        """
        {"insertItems":[{"section":0,"at":3,"items":{"count":1}}],
         "insertAnimation":{"alpha":1,"scale":0.2,"rotation":\(Double.pi / 6),
                            "position":"bottomCenter"}}
        """))
    let appearing = try #require(answer["appearing"] as? [[String: [String: Any]]])
    #expect(appearing.count == 1)
    var initial = try #require(appearing.first?["initial"])
    #expect(appearing.first?["final"].map(canonicalJSON) == cell([0, 3], y: 150))
    // Rotated by 30°, then scaled: 0.2 · cos, 0.2 · sin, −0.2 · sin, 0.2 · cos.
    let transform = try #require(initial.removeValue(forKey: "transform") as? [Double])
    let expected = [0.2 * 0.75.squareRoot(), 0.1, -0.1, 0.2 * 0.75.squareRoot(), 0, 0]
    #expect(transform.count == 6)
    #expect(zip(transform, expected).allSatisfy { abs($0 - $1) < 1e-12 }, "\(transform)")
    // Alpha 1 is left out. The visible rect ends at 300, so that the middle is at 50, 300.
    #expect(canonicalJSON(initial) == cell([0, 3], y: 275))
  }

  @Test func whatOnlyTurnsAsItAppearsIsAsLargeAsItIs() throws {
    let service = MockService()
    let path = try service.makeSession(namedList(10))
    let answer = try #require(
      service.send(
        .post, path + "/updates",
        """
        {"insertItems":[{"section":0,"at":3,"items":{"count":1}}],
         "insertAnimation":{"rotation":\(Double.pi / 6)}}
        """))
    let appearing = try #require(answer["appearing"] as? [[String: [String: Any]]])
    let transform = try #require(appearing.first?["initial"]?["transform"] as? [Double])
    let cosine = 0.75.squareRoot()
    let expected = [cosine, 0.5, -0.5, cosine, 0, 0]
    #expect(transform.count == 6)
    #expect(zip(transform, expected).allSatisfy { abs($0 - $1) < 1e-12 }, "\(transform)")
  }

  @Test func placesOfAnimationsAreInWhatShowsThen() throws {
    let service = MockService()
    let path = try service.makeSession(namedList(10, y: 300))
    let answer = try #require(
      service.send(
        .post, path + "/updates",
        """
        {"deleteItems":[{"section":0,"start":7,"end":10}],
         "insertItems":[{"section":0,"at":6,"items":{"ids":["n"]}}],
         "insertAnimation":{"position":"bottomCenter"},
         "deleteAnimation":{"alpha":0,"scale":2,"position":"bottomCenter"}}
        """))
    // 8 items are left, 400 points: the offset is clamped to 200.
    #expect(answer.text("contentOffset") == #"{"x":0,"y":200}"#)
    // Afterwards 200 … 400 shows: n comes from a middle at 400.
    #expect(
      answer.text("appearing")
        == "[\(change(cell([0, 6], id: "n", y: 375), cell([0, 6], id: "n", y: 300)))]")
    // Before it was 300 … 500: h, i and j go to a middle at 500, twice as large.
    let large = #""indexPath":[0,7],"kind":"cell","transform":[2,0,0,2,0,0]}"#
    let disappearing = try #require(answer["disappearing"] as? [[String: [String: Any]]])
    #expect(disappearing.compactMap { $0["initial"]?["id"] as? String } == ["h", "i", "j"])
    #expect(
      disappearing.first?["initial"].map(canonicalJSON) == cell([0, 7], id: "h", y: 350))
    #expect(
      disappearing.first?["final"].map(canonicalJSON)
        == #"{"alpha":0,"frame":{"height":50,"width":100,"x":0,"y":475},"id":"h","# + large)
    // g made room for n.
    #expect(
      answer.text("moving") == """
        [\(moved([0, 6], [0, 7], cell([0, 6], id: "g", y: 300), cell([0, 7], id: "g", y: 350)))]
        """)
  }

  @Test func whatIsCentredIsRoundedOnce() throws {
    let service = MockService()
    let path = try service.makeSession(
      #"""
      {"collection":{"sections":[{"items":{"lengths":[10.000001]}}]},"layout":{"kind":"list"},
       "viewport":{"width":100,"height":100}}
      """#)
    let answer = try #require(
      service.send(
        .post, path + "/updates",
        #"""
        {"deleteItems":[{"section":0,"start":0,"end":1}],
         "deleteAnimation":{"position":"bottomCenter"}}
        """#))
    let disappearing = try #require(answer["disappearing"] as? [[String: [String: Any]]])
    #expect(
      canonicalJSON(disappearing.first?["final"]?["frame"] ?? "")
        == #"{"height":10.000001,"width":100,"x":0,"y":95}"#)
  }

  @Test func ticksGoOnFromWhatTheAnswerShowed() throws {
    let service = MockService()
    let path = try service.makeSession(namedList(20))
    // 4 … 7 are asked for. 5 and 6 go, so that 4 and 7 are at 4 and 5.
    let answer = try #require(
      service.send(
        .post, path + "/updates", #"{"deleteItems":[{"section":0,"start":5,"end":7}]}"#))
    #expect(answer.text("cancelPrefetch") == #"[{"end":7,"section":0,"start":5}]"#)
    #expect(
      service.send(.get, path)?.text("prefetch") == #"[{"end":6,"section":0,"start":4}]"#)
    let tick = try #require(service.tick(path, y: 0))
    #expect(tick.isQuietTick)
    #expect(tick.text("prefetch") == #"[{"end":8,"section":0,"start":6}]"#)
    #expect(tick.text("cancelPrefetch") == "[]")
    // A clamped offset is where the next tick starts from.
    _ = service.tick(path, y: 700)
    let end = service.send(
      .post, path + "/updates", #"{"deleteItems":[{"section":0,"start":0,"end":10}]}"#)
    #expect(end?.text("contentOffset") == #"{"x":0,"y":200}"#)
    #expect(service.tick(path, y: 200)?.isQuietTick == true)
    let next = try #require(service.tick(path, y: 150))
    #expect(next.text("appeared")?.contains(#""indexPath":[0,3]"#) == true)
    #expect(next.text("disappeared") == #"[{"indexPath":[0,7],"kind":"cell"}]"#)
  }

  @Test func whatIsMovedKeepsBeingAskedFor() throws {
    let service = MockService()
    let path = try service.makeSession(namedList(20))
    // 4 … 7 are asked for. 5 goes to 15, and 6 and 7 come forward to 5 and 6.
    let answer = try #require(
      service.send(.post, path + "/updates", #"{"moveItems":[{"from":[0,5],"to":[0,15]}]}"#))
    #expect(answer.text("cancelPrefetch") == "[]")
    #expect(answer.text("moving") == "[]")
    #expect(
      service.send(.get, path)?.text("prefetch")
        == #"[{"end":7,"section":0,"start":4},{"end":16,"section":0,"start":15}]"#)
    let tick = try #require(service.tick(path, y: 0))
    #expect(tick.text("prefetch") == #"[{"end":8,"section":0,"start":7}]"#)
    #expect(tick.text("cancelPrefetch") == #"[{"end":16,"section":0,"start":15}]"#)
  }

  @Test func eachBatchIsAVersion() throws {
    let service = MockService()
    let path = try service.makeSession(namedList(10))
    let body = #"{"deleteItems":[{"section":0,"start":0,"end":1}]}"#
    let first = try #require(service.send(.post, path + "/updates", body, ifMatch: "\"1\""))
    #expect(first.status == 200)
    #expect(first["version"] as? Int == 2)
    let tag = try #require(first.fields["ETag"])
    #expect(tag == "\"2.1\"")

    let before = try service.state(of: path)
    let late = try #require(service.send(.post, path + "/updates", body, ifMatch: "\"1\""))
    #expect(late.status == 412)
    #expect(late["version"] as? Int == 2)
    #expect((late["detail"] as? String)?.hasSuffix("is at version 2 now") == true)
    #expect(late.fields["ETag"] == "\"2\"")
    #expect(try service.state(of: path) == before)
    // A batch that would be refused is not even looked at.
    let wrong = #"{"deleteSections":[9]}"#
    #expect(service.send(.post, path + "/updates", wrong, ifMatch: "\"1\"")?.status == 412)
    // Without its quotes the right version is none, and to ask for it again would not help.
    let unquoted = try #require(service.send(.post, path + "/updates", body, ifMatch: "2"))
    #expect(unquoted.status == 412)
    #expect((unquoted["detail"] as? String)?.hasSuffix(#"in quotes: "2""#) == true)

    let second = try #require(service.send(.post, path + "/updates", body, ifMatch: tag))
    #expect(second["version"] as? Int == 3)
    #expect(service.send(.get, path)?["version"] as? Int == 3)
    #expect(service.names(in: path, sectionCount: 1)[0].first == "c")
  }

  @Test func anEmptyBatchOrRangeDoesNothing() throws {
    let service = MockService()
    let path = try service.makeSession(namedList(10))
    let before = try service.everything(in: path)
    for body in [
      "{}", #"{"deleteItems":[{"section":0,"start":3,"end":3}]}"#,
      #"{"deleteItems":[{"section":9,"start":30,"end":30}]}"#,
    ] {
      let answer = try #require(service.send(.post, path + "/updates", body))
      #expect(answer.status == 200)
      for member in [
        "appearing", "disappearing", "entering", "leaving", "moving", "cancelPrefetch",
      ] {
        #expect(answer.text(member) == "[]", "\(member) of \(body)")
      }
      #expect(answer["version"] as? Int == 1)
      #expect(try service.everything(in: path) == before)
    }
  }

  @Test func aDryRunAnswersTheSameAndChangesNothing() throws {
    let service = MockService()
    let path = try service.makeSession(namedList(20, y: 100))
    let batch = #"""
      "deleteItems":[{"section":0,"start":0,"end":1},{"section":0,"start":8,"end":9}],
      "insertItems":[{"section":0,"at":3,"items":{"ids":["new"]}}],
      "anchor":{"indexPath":[0,5]},"insertAnimation":{"alpha":0.5}
      """#
    let before = try service.state(of: path)
    var dry = try #require(service.send(.post, path + "/updates", "{\(batch),\"dryRun\":true}"))
    #expect(dry.status == 200 && dry.changesNothing)
    #expect(dry["version"] as? Int == 1)
    #expect(try service.state(of: path) == before)
    let tick = try #require(service.tick(path, y: 100))
    #expect(tick.isQuietTick)
    #expect(tick.text("prefetch") == "[]")

    var real = try #require(service.send(.post, path + "/updates", "{\(batch),\"dryRun\":false}"))
    #expect(real["version"] as? Int == 2 && !real.changesNothing)
    #expect(real.text("appearing") != "[]")
    #expect(real.text("cancelPrefetch") == #"[{"end":9,"section":0,"start":8}]"#)
    dry.json["version"] = nil
    real.json["version"] = nil
    #expect(dry.text == real.text)
    #expect(try service.state(of: path) != before)
    // Refusals are the same too.
    let wrong = #"{"deleteSections":[3],"dryRun":true}"#
    #expect(service.send(.post, path + "/updates", wrong)?.status == 409)
    #expect(
      service.send(.post, path + "/updates", #"{"dryRun":true}"#, ifMatch: "\"1\"")?.status == 412)
  }

  @Test func theSectionThatWouldHaveTooManyItemsIsNamed() throws {
    let service = MockService()
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"count":10}},{"items":{"count":1000000000000}}]},"layout":{"kind":"list","itemLength":1},"viewport":{"width":9,"height":9}}"#
    )
    let batch =
      #"{"insertItems":[{"section":0,"at":0,"items":{"count":1}},{"section":1,"at":0,"items":{"count":1}}]}"#
    let answer = try #require(service.send(.post, path + "/updates", batch))
    #expect(answer.status == 422)
    let detail = answer["detail"] as? String
    #expect(detail?.hasPrefix("section 1 would have 1000000000001 items; ") == true)
  }

  @Test func aNameMayGoAndComeInOneBatch() throws {
    let service = MockService()
    let path = try service.makeSession(namedList(4))
    func update(_ body: String) -> Int? {
      service.send(.post, path + "/updates", body)?.status
    }
    #expect(
      update(
        #"""
        {"deleteItems":[{"section":0,"start":1,"end":2},{"section":9,"start":0,"end":0}],
         "insertItems":[{"section":0,"at":3,"items":{"ids":["b"]}}]}
        """#) == 200)
    #expect(service.names(in: path, sectionCount: 1) == [["a", "c", "d", "b"]])
    // There it is again; once it has gone, it may come.
    let again = #"{"insertItems":[{"section":0,"at":0,"items":{"ids":["b"]}}]}"#
    #expect(update(again) == 409)
    #expect(update(#"{"deleteItems":[{"section":0,"start":3,"end":4}]}"#) == 200)
    #expect(update(again) == 200)
    #expect(service.names(in: path, sectionCount: 1) == [["b", "a", "c", "d"]])
    // A reloaded section may bring the names that it had.
    #expect(
      update(#"{"reloadSections":[{"at":0,"section":{"items":{"ids":["d","b"]}}}]}"#) == 200)
    #expect(service.names(in: path, sectionCount: 1) == [["d", "b"]])
  }

  @Test func columnsHoldTheSameAttributesAsObjects() throws {
    let service = MockService()
    let path = try service.makeSession(namedList(10))
    let body =
      #"{"deleteItems":[{"section":0,"start":0,"end":1}],"insertItems":[{"section":0,"at":0,"items":{"count":1}}],"dryRun":true}"#
    // a goes and another comes in its place; nothing else is different.
    let columns = try #require(service.send(.post, path + "/updates?format=columns", body))
    #expect(columns.status == 200)
    let place = #""item":[0],"kind":["cell"],"section":[0],"width":[100],"x":[0],"y":[0]}"#
    #expect(
      columns.text("appearing")
        == #"{"final":{"height":[50],\#(place),"initial":{"alpha":[0],"height":[50],\#(place)}"#)
    #expect(
      columns.text("disappearing")
        == #"{"final":{"alpha":[0],"height":[50],"id":["a"],\#(place),"initial":{"height":[50],"id":["a"],\#(place)}"#
    )
    let moving = try #require(columns["moving"] as? [String: Any])
    #expect(moving.keys.sorted() == ["final", "from", "initial", "to"])
    #expect((moving["from"] as? [Any])?.isEmpty == true)
    let moved = service.send(
      .post, path + "/updates?format=columns",
      #"{"moveItems":[{"from":[0,0],"to":[0,2]}],"dryRun":true}"#)
    let ends = try #require(moved?["moving"] as? [String: Any])
    #expect(canonicalJSON(ends["from"] ?? 0) == "[[0,1],[0,2],[0,0]]")
    #expect(canonicalJSON(ends["to"] ?? 0) == "[[0,0],[0,1],[0,2]]")
    #expect(service.send(.post, path + "/updates?format=rows", body)?.status == 400)
    #expect(service.send(.get, path + "/updates")?.status == 405)
    #expect(service.send(.post, "/v1/sessions/none/updates", body)?.status == 404)
  }
}

// MARK: What is refused

struct UpdateRefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var body: String
    var pointer: String
    /// Parts of the detail.
    var says: [String]
    var testDescription: String { body }

    init(_ body: String, _ pointer: String, _ says: String...) {
      self.body = body
      self.pointer = pointer
      self.says = says
    }
  }

  private static let twoSections = """
    {"collection":{"sections":[
       {"id":"S","items":{"ids":["i0","i1","i2","i3","i4","i5","i6","i7","i8","i9"]}},
       {"id":"T","items":{"count":5},"header":{"width":0,"height":20}}]},
     "layout":{"kind":"list"},"viewport":{"width":100,"height":200}}
    """

  /// A section takes some hundred bytes of memory and nine of a body, the number of one eight and two.
  @Test(arguments: [
    ("insertSections", #"{"at":0,"section":{}}"#), ("reloadSections", #"{"at":0,"section":{}}"#),
    ("deleteSections", "0"), ("moveSections", #"{"from":0,"to":0}"#), ("expect/itemCounts", "0"),
  ])
  func moreSectionsThanThereMayBeAreNotRead(place: String, element: String) throws {
    let service = MockService(limits: ServiceLimits(sectionCount: 4))
    let path = try service.makeSession(Self.twoSections)
    for (count, status) in [(4, 409), (5, 422)] {
      // All at one place, which is refused when they have been read.
      let sections = Array(repeating: element, count: count).joined(separator: ",")
      let body = place.split(separator: "/").reversed().reduce("[\(sections)]") {
        "{\"\($1)\":\($0)}"
      }
      let answer = try #require(service.send(.post, path + "/updates", body))
      #expect(answer.status == status)
      if status == 422 { #expect(answer["pointer"] as? String == "/\(place)") }
    }
  }

  @Test func moreSectionsThanThereMayBeAreNotMade() throws {
    let service = MockService(limits: ServiceLimits(sectionCount: 4))
    let path = try service.makeSession(UpdateRefusalTests.twoSections)
    func insert(_ count: Int) -> Int? {
      let sections = (0..<count).map { "{\"at\":\($0),\"section\":{}}" }.joined(separator: ",")
      return service.send(.post, path + "/updates", "{\"insertSections\":[\(sections)]}")?.status
    }
    #expect(insert(3) == 422)
    #expect(insert(2) == 200)
    // Nothing is proposed that would be refused for it.
    let refused = service.send(
      .post, path + "/updates",
      #"{"deleteSections":[9],"insertSections":[{"at":0,"section":{}}]}"#)
    #expect(refused?.status == 409)
    #expect(refused?["repair"] == nil)
  }

  /// Inserts items, and is refused for something else.
  private func refusedInsertion(of items: String) -> String {
    """
    {"insertItems":[{"section":0,"at":1,"items":{\(items)}}],
     "deleteItems":[{"section":0,"start":50,"end":51}]}
    """
  }

  /// What an answer has no room for is no repair either; of long ids the fewer.
  @Test(arguments: [(1, 20), (65, 10)])
  func moreElementsThanAnAnswerMayHoldAreNotProposed(nameLength: Int, limit: Int) throws {
    let service = MockService(limits: ServiceLimits(elementCount: 20))
    let name = String(repeating: "n", count: nameLength)
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"ids":["\#(name)"]}}]},"layout":{"kind":"list","itemLength":1},"viewport":{"width":9,"height":1000},"prefetch":{"ahead":0}}"#
    )
    for (count, isProposed) in [(limit - 1, true), (limit, false)] {
      let ids = (0..<count).map { "\"\($0)\"" }.joined(separator: ",")
      let refused = try #require(
        service.send(.post, path + "/updates", refusedInsertion(of: "\"ids\":[\(ids)]")))
      #expect(refused.status == 409)
      #expect((refused["repair"] != nil) == isProposed)
    }
  }

  @Test func whatThereIsNoRoomForIsNotProposed() throws {
    let service = MockService(sessions: SessionLimits(byteCount: 100_000))
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"count":1}}]},"layout":{"kind":"list","itemLength":1},"viewport":{"width":9,"height":9}}"#
    )
    for (count, isProposed) in [(100, true), (50_000, false)] {
      let lengths = (0..<count).map { "\($0 % 7 + 1)" }.joined(separator: ",")
      let refused = try #require(
        service.send(.post, path + "/updates", refusedInsertion(of: "\"lengths\":[\(lengths)]")))
      #expect(refused.status == 409)
      #expect((refused["repair"] != nil) == isProposed)
    }
  }

  /// A worker says whether it may hold what the thread that serves may not write.
  @Test func longRepairsAreLeftToWorkers() throws {
    let service = MockService()
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"count":1}}]},"layout":{"kind":"list","itemLength":1},"viewport":{"width":9,"height":1000},"prefetch":{"ahead":0}}"#
    )
    func send(_ count: Int, mayTakeLong: Bool) -> Answer? {
      service.send(
        .post, path + "/updates", refusedInsertion(of: "\"count\":\(count)"),
        mayTakeLong: mayTakeLong)
    }
    #expect(send(100, mayTakeLong: false)?["repair"] != nil)
    #expect(send(900, mayTakeLong: false) == nil)
    #expect(send(900, mayTakeLong: true)?["repair"] != nil)
  }

  @Test func aSectionHasNoMoreThanATrillionItems() throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":999999999999}}]},
       "layout":{"kind":"list","itemLength":1},"viewport":{"width":100,"height":200}}
      """)
    let insertion = #"{"insertItems":[{"section":0,"at":0,"items":{"count":1}}]}"#
    #expect(service.send(.post, path + "/updates", insertion)?.status == 200)
    #expect(service.send(.post, path + "/updates", insertion)?.status == 422)
  }

  static let expectations: [Case] = [
    Case(
      #"{"moveItems":[{"from":[0,1],"to":[1,0]}],"expect":{"itemCounts":[10,6]}}"#,
      "/expect/itemCounts",
      "section 0 has 10 items before, +0 inserted −0 deleted +0 moved in −1 moved out = 9 after; expected 10"
    ),
    Case(
      #"{"moveItems":[{"from":[0,1],"to":[1,0]}],"expect":{"itemCounts":[9,5]}}"#,
      "/expect/itemCounts",
      "section 1 has 5 items before, +0 inserted −0 deleted +1 moved in −0 moved out = 6 after; expected 5"
    ),
    Case(
      #"{"expect":{"itemCounts":[10]}}"#, "/expect/itemCounts",
      "2 sections before, +0 inserted −0 deleted = 2 after; expected 1"),
    Case(
      #"{"deleteSections":[0],"expect":{"itemCounts":[10,5]}}"#, "/expect/itemCounts",
      "2 sections before, +0 inserted −1 deleted = 1 after; expected 2"),
    Case(
      #"{"insertSections":[{"at":0,"section":{"items":{"count":3}}}],"expect":{"itemCounts":[4,10,5]}}"#,
      "/expect/itemCounts", "section 0", "3 items", "expected 4"),
  ]

  static let ranges: [Case] = [
    Case(
      #"{"deleteItems":[{"section":0,"start":8,"end":11}]}"#, "/deleteItems/0",
      "item 10 of section 0", "10 items before"),
    Case(
      #"{"deleteItems":[{"section":0,"start":0,"end":1},{"section":2,"start":0,"end":1}]}"#,
      "/deleteItems/1", "no section 2 before", "there are 2"),
    Case(
      #"{"reloadItems":[{"section":1,"start":4,"items":{"lengths":[1,2]}}]}"#, "/reloadItems/0",
      "item 5 of section 1", "5 items before"),
    Case(
      #"{"moveItems":[{"from":[1,5],"to":[0,0]}]}"#, "/moveItems/0", "item 5 of section 1",
      "5 items before"),
    Case(
      #"{"moveItems":[{"from":[0,0],"to":[0,10]}]}"#, "/moveItems/0", "item 10 of section 0",
      "section 0 has 10 items before, +0 inserted −0 deleted +1 moved in −1 moved out = 10 after"),
    Case(
      #"{"moveItems":[{"from":[0,0],"to":[2,0]}]}"#, "/moveItems/0", "no section 2 after",
      "there are 2"),
    Case(
      #"{"insertItems":[{"section":1,"at":7,"items":{"count":1}}]}"#, "/insertItems/0",
      "item 7 of section 1",
      "section 1 has 5 items before, +1 inserted −0 deleted +0 moved in −0 moved out = 6 after"),
    Case(
      #"{"insertItems":[{"section":2,"at":0,"items":{"count":1}}]}"#, "/insertItems/0",
      "no section 2 after", "there are 2"),
    Case(#"{"deleteSections":[0,2]}"#, "/deleteSections/1", "section 2", "2 sections before"),
    Case(
      #"{"reloadSections":[{"at":2,"section":{}}]}"#, "/reloadSections/0", "section 2",
      "2 sections before"),
    Case(
      #"{"moveSections":[{"from":2,"to":0}]}"#, "/moveSections/0", "section 2", "2 sections before"),
    Case(
      #"{"moveSections":[{"from":0,"to":2}]}"#, "/moveSections/0", "section 2",
      "2 sections before, +0 inserted −0 deleted = 2 after"),
    Case(
      #"{"insertSections":[{"at":4,"section":{}}]}"#, "/insertSections/0", "section 4",
      "2 sections before, +1 inserted −0 deleted = 3 after"),
  ]

  static let overlaps: [Case] = [
    Case(
      #"{"deleteItems":[{"section":0,"start":1,"end":4},{"section":0,"start":3,"end":5}]}"#,
      "/deleteItems/1", "item 3 of section 0", "twice"),
    Case(
      #"{"deleteItems":[{"section":0,"start":2,"end":5}],"reloadItems":[{"section":0,"start":4,"items":{"count":2}}]}"#,
      "/reloadItems/0", "item 4 of section 0", "twice"),
    Case(
      #"{"deleteItems":[{"section":0,"start":2,"end":5}],"moveItems":[{"from":[0,4],"to":[0,0]}]}"#,
      "/moveItems/0", "item 4 of section 0", "twice"),
    Case(
      #"{"reloadItems":[{"section":0,"start":3,"items":{"count":2}}],"moveItems":[{"from":[0,4],"to":[0,0]}]}"#,
      "/moveItems/0", "item 4 of section 0", "twice"),
    Case(
      #"{"moveItems":[{"from":[1,1],"to":[1,2]},{"from":[1,1],"to":[1,3]}]}"#, "/moveItems/1",
      "item 1 of section 1", "twice"),
    Case(
      #"{"reloadItems":[{"section":1,"start":1,"items":{"count":1}},{"section":1,"start":1,"items":{"count":1}}]}"#,
      "/reloadItems/1", "item 1 of section 1", "twice"),
    Case(#"{"deleteSections":[1,1]}"#, "/deleteSections/1", "section 1", "twice"),
    Case(
      #"{"deleteSections":[1],"reloadSections":[{"at":1,"section":{}}]}"#, "/reloadSections/0",
      "section 1", "twice"),
    Case(
      #"{"deleteSections":[1],"moveSections":[{"from":1,"to":0}]}"#, "/moveSections/0", "section 1",
      "twice"),
    Case(
      #"{"reloadSections":[{"at":1,"section":{}}],"moveSections":[{"from":1,"to":0}]}"#,
      "/moveSections/0", "section 1", "twice"),
    Case(
      #"{"insertSections":[{"at":0,"section":{}},{"at":0,"section":{}}]}"#, "/insertSections/1",
      "two sections", "0"),
    Case(
      #"{"moveSections":[{"from":1,"to":0}],"insertSections":[{"at":0,"section":{}}]}"#,
      "/insertSections/0", "two sections", "0"),
    Case(
      #"{"insertItems":[{"section":1,"at":0,"items":{"count":3}},{"section":1,"at":2,"items":{"count":1}}]}"#,
      "/insertItems/1", "two items", "2 of section 1"),
    Case(
      #"{"moveItems":[{"from":[0,0],"to":[1,1]}],"insertItems":[{"section":1,"at":1,"items":{"count":1}}]}"#,
      "/insertItems/0", "two items", "1 of section 1"),
    Case(
      #"{"moveItems":[{"from":[0,0],"to":[1,1]},{"from":[0,1],"to":[1,1]}]}"#, "/moveItems/1",
      "two items", "1 of section 1"),
  ]

  static let insides: [Case] = [
    Case(
      #"{"deleteSections":[1],"moveItems":[{"from":[1,0],"to":[0,0]}]}"#, "/moveItems/0",
      "section 1 is deleted"),
    Case(
      #"{"deleteSections":[1],"deleteItems":[{"section":1,"start":0,"end":1}]}"#, "/deleteItems/0",
      "section 1 is deleted"),
    Case(
      #"{"deleteSections":[1],"reloadItems":[{"section":1,"start":0,"items":{"count":1}}]}"#,
      "/reloadItems/0", "section 1 is deleted"),
    Case(
      #"{"insertSections":[{"at":0,"section":{}}],"insertItems":[{"section":0,"at":0,"items":{"count":1}}]}"#,
      "/insertItems/0", "section 0 is inserted"),
    Case(
      #"{"insertSections":[{"at":0,"section":{}}],"moveItems":[{"from":[0,0],"to":[0,0]}]}"#,
      "/moveItems/0", "section 0 is inserted"),
    Case(
      #"{"reloadSections":[{"at":1,"section":{}}],"deleteItems":[{"section":1,"start":0,"end":1}]}"#,
      "/deleteItems/0", "section 1 is reloaded"),
    Case(
      #"{"reloadSections":[{"at":1,"section":{}}],"reloadItems":[{"section":1,"start":0,"items":{"count":1}}]}"#,
      "/reloadItems/0", "section 1 is reloaded"),
    Case(
      #"{"reloadSections":[{"at":1,"section":{}}],"insertItems":[{"section":1,"at":0,"items":{"count":1}}]}"#,
      "/insertItems/0", "section 1 is reloaded"),
    Case(
      #"{"reloadSections":[{"at":1,"section":{}}],"moveItems":[{"from":[1,0],"to":[0,0]}]}"#,
      "/moveItems/0", "section 1 is reloaded"),
    Case(
      #"{"reloadSections":[{"at":1,"section":{}}],"moveItems":[{"from":[0,0],"to":[1,0]}]}"#,
      "/moveItems/0", "section 1 is reloaded"),
  ]

  static let names: [Case] = [
    Case(
      #"{"insertItems":[{"section":1,"at":0,"items":{"ids":["n","i3"]}}]}"#, "/insertItems/0",
      #"id "i3""#, "section 1", "exists already"),
    Case(
      #"{"insertItems":[{"section":1,"at":0,"items":{"ids":["n","n"]}}]}"#, "/insertItems/0",
      #"id "n""#, "section 1", "inserted twice"),
    Case(
      #"{"insertItems":[{"section":1,"at":0,"items":{"ids":["n"]}},{"section":0,"at":0,"items":{"ids":["n"]}}]}"#,
      "/insertItems/1", #"id "n""#, "section 0"),
    Case(
      #"{"insertSections":[{"at":0,"section":{"items":{"ids":["i9"]}}}]}"#, "/insertSections/0",
      #"id "i9""#, "section 0"),
    Case(
      #"{"reloadSections":[{"at":1,"section":{"items":{"ids":["i0"]}}}]}"#, "/reloadSections/0",
      #"id "i0""#, "section 1"),
    Case(
      #"{"moveItems":[{"from":[0,3],"to":[1,0]}],"insertItems":[{"section":0,"at":0,"items":{"ids":["i3"]}}]}"#,
      "/insertItems/0", #"id "i3""#, "section 0"),
    Case(
      #"{"insertSections":[{"at":0,"section":{"id":"S"}}]}"#, "/insertSections/0", #"id "S""#,
      "section"),
    Case(
      #"{"reloadSections":[{"at":1,"section":{"id":"S"}}]}"#, "/reloadSections/0", #"id "S""#,
      "section"),
  ]

  @Test(arguments: expectations + ranges + overlaps + insides + names)
  func aBatchThatDoesNotFitChangesNothing(_ refused: Case) throws {
    let service = MockService()
    let path = try service.makeSession(UpdateRefusalTests.twoSections)
    _ = service.tick(path, y: 60)
    let before = try service.state(of: path)
    let answer = try #require(service.send(.post, path + "/updates", refused.body))
    #expect(answer.status == 409)
    #expect(answer.fields["Content-Type"] == "application/problem+json")
    #expect(answer["type"] as? String == "/problems/invalid-update")
    #expect(answer["pointer"] as? String == refused.pointer)
    let detail = try #require(answer["detail"] as? String)
    #expect(detail.hasPrefix("invalid update: "), "\(detail)")
    for part in refused.says { #expect(detail.contains(part), "\(detail)") }
    #expect(try service.state(of: path) == before)
    #expect(service.send(.get, path)?["version"] as? Int == 1)
    #expect(service.tick(path, y: 60)?.isQuietTick == true)

    // What is offered instead is taken.
    let repair = try #require(answer["repair"])
    let repaired = try #require(service.send(.post, path + "/updates", canonicalJSON(repair)))
    #expect(repaired.status == 200, "\(canonicalJSON(repair)): \(repaired.text)")
  }

  @Test func aWrongCountIsToldInTheWordsOfUIKit() throws {
    let service = MockService()
    let path = try service.makeSession(UpdateRefusalTests.twoSections)
    let answer = try #require(
      service.send(
        .post, path + "/updates",
        #"""
        {"insertItems":[{"section":0,"at":2,"items":{"count":2}}],
         "deleteItems":[{"section":0,"start":3,"end":4}],"expect":{"itemCounts":[12,5]}}
        """#))
    #expect(answer.status == 409)
    #expect(
      answer["detail"] as? String
        == "invalid update: section 0 has 10 items before, +2 inserted −1 deleted +0 moved in −0 moved out = 11 after; expected 12"
    )
  }

  /// Whoever may not lay out what a repair would make of many items does not answer without one.
  @Test(arguments: ["flow", "waterfall", "pagedGrid", "list", "coverFlow", "wheel", "banner"])
  func longContentHasARepairToo(kind: String) throws {
    let service = MockService()
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"count":30000}}]},"layout":{"kind":"\#(kind)"},"viewport":{"width":300,"height":300}}"#
    )
    let batch = #"{"deleteItems":[{"section":0,"start":29999,"end":30001}]}"#
    // Where connections are served it may be left to a worker.
    if let answer = service.send(.post, path + "/updates", batch, mayTakeLong: false) {
      #expect(answer["repair"] != nil)
    }
    #expect(service.send(.post, path + "/updates", batch)?["repair"] != nil)
  }

  @Test func aRepairChangesNoMoreThanItMust() throws {
    let service = MockService()
    let path = try service.makeSession(UpdateRefusalTests.twoSections)
    func repair(_ body: String) -> String? {
      service.send(.post, path + "/updates", body)?.text("repair")
    }
    #expect(
      repair(#"{"deleteItems":[{"section":0,"start":8,"end":11}],"deleteSections":[1]}"#)
        == #"{"deleteItems":[{"end":10,"section":0,"start":8}],"deleteSections":[1]}"#)
    #expect(
      repair(
        #"""
        {"insertItems":[{"section":1,"at":7,"items":{"lengths":[7]}}],
         "expect":{"itemCounts":[9,9]}}
        """#)
        == #"{"expect":{"itemCounts":[10,6]},"insertItems":[{"at":5,"items":{"count":1,"lengths":[7]},"section":1}]}"#
    )
    #expect(
      repair(
        #"""
        {"insertItems":[{"section":1,"at":0,"items":{"sizes":[[1,2],[3,4]],"ids":["i3","n"]}}]}
        """#)
        == #"{"insertItems":[{"at":0,"items":{"count":1,"ids":["n"],"sizes":[[3,4]]},"section":1}]}"#
    )
    // Of what two operations name, the second keeps the rest, with what belongs to that.
    #expect(
      repair(
        #"""
        {"deleteItems":[{"section":1,"start":0,"end":2}],
         "reloadItems":[{"section":1,"start":1,"items":{"lengths":[1,2,3]}}]}
        """#)
        == #"{"deleteItems":[{"end":2,"section":1,"start":0}],"reloadItems":[{"items":{"count":2,"lengths":[2,3]},"section":1,"start":2}]}"#
    )
    // What comes to a place that is taken comes to the next that is not, or before the end.
    let inserts = (0..<100).map { #"{"section":1,"at":2,"items":{"ids":["new\#($0)"]}}"# }
    let places = (0..<100).map {
      #"{"at":\#(2 + $0),"items":{"count":1,"ids":["new\#($0)"]},"section":1}"#
    }
    #expect(
      repair(#"{"insertItems":[\#(inserts.joined(separator: ","))]}"#)
        == #"{"insertItems":[\#(places.joined(separator: ","))]}"#)
    #expect(
      repair(
        #"""
        {"insertItems":[{"section":1,"at":2,"items":{"count":2}},{"section":1,"at":5,"items":{"count":1}},
          {"section":1,"at":3,"items":{"count":2}}],"expect":{"itemCounts":[10,10]}}
        """#)
        == #"{"expect":{"itemCounts":[10,10]},"insertItems":[{"at":2,"items":{"count":2},"section":1},{"at":5,"items":{"count":1},"section":1},{"at":6,"items":{"count":2},"section":1}]}"#
    )
    #expect(
      repair(
        #"{"moveItems":[{"from":[1,0],"to":[1,5]}],"insertItems":[{"section":1,"at":5,"items":{"count":1}}]}"#
      )
        == #"{"insertItems":[{"at":4,"items":{"count":1},"section":1}],"moveItems":[{"from":[1,0],"to":[1,5]}]}"#
    )
    #expect(
      repair(#"{"moveSections":[{"from":0,"to":2}],"insertSections":[{"at":2,"section":{}}]}"#)
        == #"{"insertSections":[{"at":1,"section":{"items":{"count":0}}}],"moveSections":[{"from":0,"to":2}]}"#
    )
    // Where there is no room in one piece, all close up; nothing is lost.
    #expect(
      repair(
        #"""
        {"deleteItems":[{"section":1,"start":0,"end":5}],"expect":{"itemCounts":[10,4]},
         "insertItems":[{"section":1,"at":1,"items":{"count":2}},{"section":1,"at":1,"items":{"count":2}}]}
        """#)
        == #"{"deleteItems":[{"end":5,"section":1,"start":0}],"expect":{"itemCounts":[10,4]},"insertItems":[{"at":0,"items":{"count":2},"section":1},{"at":2,"items":{"count":2},"section":1}]}"#
    )
    // As many as can stay where they are.
    #expect(
      repair(
        #"""
        {"insertItems":[{"section":0,"at":11,"items":{"count":1}},{"section":0,"at":12,"items":{"count":2}},
          {"section":0,"at":9,"items":{"count":5}}]}
        """#)
        == #"{"insertItems":[{"at":11,"items":{"count":1},"section":0},{"at":12,"items":{"count":2},"section":0},{"at":6,"items":{"count":5},"section":0}]}"#
    )
    // What has nothing to do with it is still there.
    #expect(
      repair(
        #"""
        {"deleteSections":[5],"anchor":{"indexPath":[0,4]},"contentOffset":{"x":0,"y":30.5},"dryRun":true,
         "insertAnimation":{"alpha":1,"scale":0.5},"deleteAnimation":{"alpha":0,"position":"bottomCenter"}}
        """#)
        == #"{"anchor":{"indexPath":[0,4],"kind":"cell"},"contentOffset":{"x":0,"y":30.5},"deleteAnimation":{"alpha":0,"position":"bottomCenter"},"dryRun":true,"insertAnimation":{"alpha":1,"scale":0.5}}"#
    )
  }

  static let unreadable: [Case] = [
    Case(
      #"{"deleteItems":[{"section":0,"start":5,"end":3}]}"#, "/deleteItems/0", "3", "5"),
    Case(#"{"deleteItem":[]}"#, "/deleteItem", #"did you mean "deleteItems""#),
    Case(
      #"{"moveItems":[{"form":[0,0],"to":[0,1]}]}"#, "/moveItems/0/form", #"did you mean "from""#),
    Case(#"{"deleteItems":[{"section":0,"at":1,"end":2}]}"#, "/deleteItems/0/at", "unknown member"),
    Case(#"{"moveItems":[{"from":[0,0]}]}"#, "/moveItems/0", "to"),
    Case(#"{"moveItems":[{"from":[0],"to":[0,1]}]}"#, "/moveItems/0/from"),
    Case(
      #"{"reloadItems":[{"section":0,"start":1,"items":{"ids":["n"]}}]}"#,
      "/reloadItems/0/items/ids",
      "ids"),
    Case(#"{"insertItems":[{"section":0,"at":1}]}"#, "/insertItems/0", "items"),
    Case(#"{"insertItems":[{"section":0,"at":-1,"items":{"count":1}}]}"#, "/insertItems/0/at"),
    Case(#"{"deleteSections":[null]}"#, "/deleteSections/0", "null"),
    Case(#"{"deleteSections":[0.5]}"#, "/deleteSections/0"),
    Case(#"{"expect":{"itemCount":[1]}}"#, "/expect/itemCount", #"did you mean "itemCounts""#),
    Case(#"{"insertAnimation":{"alpha":1.1}}"#, "/insertAnimation/alpha"),
    Case(#"{"insertAnimation":{"scale":1000000.1}}"#, "/insertAnimation/scale"),
    Case(#"{"deleteAnimation":{"rotation":1000000.1}}"#, "/deleteAnimation/rotation"),
    Case(
      #"{"deleteAnimation":{"position":"bottomCentre"}}"#, "/deleteAnimation/position",
      #"did you mean "bottomCenter""#),
    Case(#"{"anchor":"ends"}"#, "/anchor", #"did you mean "end""#),
    Case(#"{"anchor":{"kind":"cell"}}"#, "/anchor", "indexPath"),
    Case(#"{"dryRun":1}"#, "/dryRun"),
    Case("[]", ""),
  ]

  @Test(arguments: unreadable)
  func aMalformedBatchIsUnprocessable(_ refused: Case) throws {
    let service = MockService()
    let path = try service.makeSession(UpdateRefusalTests.twoSections)
    let before = try service.state(of: path)
    let answer = try #require(service.send(.post, path + "/updates", refused.body))
    #expect(answer.status == 422)
    #expect(answer["pointer"] as? String == refused.pointer)
    let detail = try #require(answer["detail"] as? String)
    for part in refused.says { #expect(detail.contains(part), "\(detail)") }
    #expect(try service.state(of: path) == before)
  }

  @Test func whatCannotBeReadIsNoBatch() throws {
    let service = MockService()
    let path = try service.makeSession(UpdateRefusalTests.twoSections)
    #expect(service.send(.post, path + "/updates", "")?.status == 400)
    #expect(service.send(.post, path + "/updates", "{")?.status == 400)
    #expect(
      service.send(.post, path + "/updates", #"{"dryRun":true,"dryRun":true}"#)?.status == 400)
    #expect(service.send(.post, path + "/updates", "{}", contentType: "text/plain")?.status == 415)
  }

  @Test func itemsWithDataOfTheirOwnAreCounted() throws {
    let service = MockService(limits: ServiceLimits(describedItemCount: 10))
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"lengths":[1,2,3,4,5,6,7,8]}}]},
       "layout":{"kind":"list"},"viewport":{"width":100,"height":200}}
      """)
    func insert(_ items: String, and more: String = "") -> Int? {
      service.send(
        .post, path + "/updates",
        "{\"insertItems\":[{\"section\":0,\"at\":0,\"items\":\(items)}]\(more)}")?.status
    }
    let before = try service.state(of: path)
    // 8 and 3 are 11; 11 at once are too many however many there are.
    #expect(insert(#"{"lengths":[1,1,1]}"#) == 422)
    #expect(insert(#"{"lengths":[1,1,1,1,1,1,1,1,1,1,1]}"#) == 422)
    #expect(try service.state(of: path) == before)
    // Equal items do not count, and what goes makes room.
    #expect(insert(#"{"count":1000000}"#) == 200)
    #expect(
      insert(
        #"{"lengths":[1,1,1]}"#,
        and: #","deleteItems":[{"section":0,"start":1000000,"end":1000001}]"#) == 200)
    #expect(insert(#"{"lengths":[1]}"#) == 422)
  }

  @Test func aSectionHoldsATrillionItems() throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":1000000000000}}]},
       "layout":{"kind":"list","itemLength":9},"viewport":{"width":100,"height":200}}
      """)
    let before = try service.state(of: path)
    let more = #""insertItems":[{"section":0,"at":500000000000,"items":{"count":1}}]"#
    #expect(service.send(.post, path + "/updates", "{\(more)}")?.status == 422)
    // One may be exchanged, unless it is longer: there are 9e12 points already.
    let less = #""deleteItems":[{"section":0,"start":0,"end":1}]"#
    let longer = more.replacing(#""count":1"#, with: #""lengths":[9.000001]"#)
    #expect(service.send(.post, path + "/updates", "{\(longer),\(less)}")?.status == 422)
    #expect(try service.state(of: path) == before)
    #expect(service.send(.post, path + "/updates", "{\(more),\(less)}")?.status == 200)
    let shorter = more.replacing(#""count":1"#, with: #""lengths":[8.5]"#)
    #expect(service.send(.post, path + "/updates", "{\(shorter),\(less)}")?.status == 200)
    #expect(
      service.send(.get, path + "/attributes/cell/0/500000000001")?.text("attributes")
        == """
        {"frame":{"height":9,"width":100,"x":0,"y":4500000000008.5},\
        "indexPath":[0,500000000001],"kind":"cell"}
        """)
  }

  /// So many that all items they may bring or take can be counted; none of them is looked at before.
  @Test(arguments: ["deleteItems", "insertItems", "moveItems", "reloadItems"])
  func moreOperationsOfAKindThanThereMayBeAreRefused(kind: String) throws {
    let service = MockService()
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"count":1}}]},"layout":{"kind":"list"},"viewport":{"width":9,"height":9}}"#
    )
    let operations = String(repeating: "0,", count: 4_000_000)
    let answer = service.send(.post, path + "/updates", "{\"\(kind)\":[\(operations)0]}")
    #expect(answer?.status == 422)
    #expect(answer?["pointer"] as? String == "/\(kind)")
    #expect((answer?["detail"] as? String)?.contains("4000000") == true)
  }
}

// MARK: Anchors

struct AnchorTests {
  /// 20 items of 50 in 200, from 275 on: f at −25 is cut, g stands at 25.
  private let scrolledList = namedList(20, y: 275)
  private let above =
    #"{"section":0,"at":0,"items":{"lengths":[10,20,30],"ids":["x","y","z"]}}"#

  /// With more cards on the wheel, each turns less as far as the content is scrolled.
  @Test func anAnchoredCardIsTurnedAsFarAsItWas() throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":4}}]},"layout":{"kind":"wheel"},
       "viewport":{"width":320,"height":480,"contentOffset":{"x":50,"y":0}}}
      """)
    func matrix(_ item: Int) throws -> [Double] {
      let answer = service.send(.get, path + "/attributes/cell/0/\(item)")
      let card = try #require(answer?["attributes"] as? [String: Any])
      return try #require(card["transform"] as? [Double])
    }
    let before = try matrix(2)
    let answer = try #require(
      service.send(
        .post, path + "/updates",
        """
        {"insertItems":[{"section":0,"at":0,"items":{"count":4}}],"anchor":{"indexPath":[0,2]}}
        """))
    // Card 6's stop is 744 · 6 / 7, 2's was 212 · 2 / 3; so many times 50 less that, by step.
    let x = 744.0 * 6 / 7 + (50 - 212.0 * 2 / 3) / (212.0 / 3) * (744.0 / 7)
    let offset = try #require(answer["contentOffset"] as? [String: Double])
    #expect(abs((offset["x"] ?? 0) - x) < 2e-6)
    #expect(zip(before, try matrix(6)).allSatisfy { abs($0 - $1) < 1e-7 })
  }

  @Test(arguments: 0...80)
  func anAnchoredOffsetIsRoundedOnce(x: Int) throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":3}}]},
       "layout":{"kind":"wheel","itemSize":{"width":60,"height":70}},
       "viewport":{"width":100,"height":100,"contentOffset":{"x":\(x),"y":0}}}
      """)
    let answer = service.send(
      .post, path + "/updates",
      """
      {"insertItems":[{"section":0,"at":0,"items":{"count":1}}],"anchor":{"indexPath":[0,0]}}
      """)
    let offset = try #require(answer?["contentOffset"] as? [String: Double])
    // Stops were 40 apart, and are 140 / 3: in millionths, in sixths of which there are no halves.
    let millionths = (40 + x) * 140_000_000
    #expect(offset["x"] == Double((millionths + 60) / 120) / 1_000_000)
  }

  /// Two cards fit, so that nothing turns; the second leans by one.
  @Test func aCardOfAWheelThatDidNotTurnLeansAsItDid() throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":2}}]},"layout":{"kind":"wheel"},
       "viewport":{"width":320,"height":480}}
      """)
    let answer = service.send(
      .post, path + "/updates",
      """
      {"insertItems":[{"section":0,"at":0,"items":{"count":4}}],"anchor":{"indexPath":[0,1]}}
      """)
    // The stop of the fifth of six is at the end of 478; the one before it a fifth of that less.
    #expect(answer?.text("contentOffset") == #"{"x":382.4,"y":0}"#)
  }

  @Test(arguments: [
    // 60 more above.
    (#""insertItems":[ABOVE],"anchor":{"indexPath":[0,6]}"#, 335),
    (#""insertItems":[ABOVE],"anchor":{"kind":"cell","indexPath":[0,6]}"#, 335),
    (#""insertItems":[ABOVE]"#, 275),
    (#""insertItems":[ABOVE],"anchor":"start""#, 275),
    // 100 less above.
    (#""deleteItems":[{"section":0,"start":0,"end":2}],"anchor":{"indexPath":[0,6]}"#, 175),
    // Off screen is as good.
    (#""insertItems":[ABOVE],"anchor":{"indexPath":[0,19]}"#, 335),
    (#""insertItems":[ABOVE],"anchor":{"indexPath":[0,0]}"#, 335),
    // g goes to the top: 0 − 25 is clamped.
    (#""moveItems":[{"from":[0,6],"to":[0,0]}],"anchor":{"indexPath":[0,6]}"#, 0),
    // g goes to the end: 950 − 25 is clamped.
    (#""moveItems":[{"from":[0,6],"to":[0,19]}],"anchor":{"indexPath":[0,6]}"#, 800),
    // A deleted anchor keeps nothing.
    (
      #""insertItems":[ABOVE],"deleteItems":[{"section":0,"start":6,"end":7}],"anchor":{"indexPath":[0,6]}"#,
      275
    ),
    // … and the offset is clamped: 8 items are left, 400 points.
    (#""deleteItems":[{"section":0,"start":0,"end":12}],"anchor":{"indexPath":[0,6]}"#, 200),
    // f shows first, from 250 on; the first that begins in view is g.
    (#""insertItems":[ABOVE],"anchor":"visible""#, 335),
    (
      #""reloadItems":[{"section":0,"start":5,"items":{"lengths":[90]}}],"anchor":"visible""#,
      315
    ),
    (
      #""reloadItems":[{"section":0,"start":6,"items":{"lengths":[90]}}],"anchor":"visible""#,
      275
    ),
    // f, where all that begin go.
    (
      #""insertItems":[ABOVE],"deleteItems":[{"section":0,"start":6,"end":10}],"anchor":"visible""#,
      335
    ),
    (
      #""insertItems":[ABOVE],"deleteItems":[{"section":0,"start":5,"end":6}],"anchor":"visible""#,
      285
    ),
    // All that shows goes: 275 is left alone.
    (
      #""insertItems":[ABOVE],"deleteItems":[{"section":0,"start":5,"end":10}],"anchor":"visible""#,
      275
    ),
    // As far from the end as before: 1060 − 725.
    (#""insertItems":[ABOVE],"anchor":"end""#, 335),
    (#""insertItems":[{"section":0,"at":20,"items":{"lengths":[60]}}],"anchor":"visible""#, 275),
  ])
  func theAnchorStaysWhereItIsOnScreen(batch: String, y: Int) throws {
    let service = MockService()
    let path = try service.makeSession(scrolledList)
    let answer = try #require(
      service.send(.post, path + "/updates", "{\(batch.replacing("ABOVE", with: above))}"))
    #expect(answer.status == 200)
    #expect(answer.text("contentOffset") == "{\"x\":0,\"y\":\(y)}")
    // The session is there, and the next tick is compared with that.
    #expect(service.tick(path, y: y)?.isQuietTick == true)
    let offset = service.send(.put, path + "/viewport", #"{"displayScale":1}"#)
    #expect(offset?.text("contentOffset") == "{\"x\":0,\"y\":\(y)}")
  }

  /// A cell under a pinned header is as good as one before the viewport.
  @Test(arguments: [(1, 105), (2, 65)])
  func whatGrowsUnderAPinnedHeaderMovesNothing(item: Int, y: Int) throws {
    let service = MockService()
    // The header is from 65 to 95, the second item from 80 to 130.
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":10},"header":{"width":0,"height":30}}]},
       "layout":{"kind":"flow","itemSize":{"width":100,"height":50},"minimumLineSpacing":0,
                 "sectionHeadersPinToVisibleBounds":true},
       "viewport":{"width":100,"height":200,"contentOffset":{"x":0,"y":65}}}
      """)
    let answer = try #require(
      service.send(
        .post, path + "/updates",
        """
        {"reloadItems":[{"section":0,"start":\(item),"items":{"sizes":[[100,90]]}}],"anchor":"visible"}
        """))
    #expect(answer.text("contentOffset") == "{\"x\":0,\"y\":\(y)}")
  }

  @Test func whatBeginsWhereTheViewportDoesIsInView() throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":20}}]},"layout":{"kind":"list","itemLength":50},
       "viewport":{"width":100,"height":200,"contentOffset":{"x":0,"y":100}}}
      """)
    let answer = service.send(
      .post, path + "/updates",
      #"""
      {"reloadItems":[{"section":0,"start":2,"items":{"lengths":[90]}}],"anchor":"visible"}
      """#)
    #expect(answer?.text("contentOffset") == #"{"x":0,"y":100}"#)
  }

  @Test func theEndOfAGrowingListIsFollowed() throws {
    let service = MockService()
    let path = try service.makeSession(namedList(4))
    // 200 points fill the viewport; each message brings another 50.
    for count in 4..<8 {
      let answer = try #require(
        service.send(
          .post, path + "/updates",
          "{\"insertItems\":[{\"section\":0,\"at\":\(count),\"items\":{\"count\":1}}],\"anchor\":\"end\"}"
        ))
      #expect(answer.text("contentOffset") == "{\"x\":0,\"y\":\((count - 3) * 50)}")
      #expect((answer["appearing"] as? [Any])?.count == 1)
    }
  }

  @Test func whatOnlyTheOffsetBringsIntoViewEntersAndTheRestLeaves() throws {
    let service = MockService()
    let path = try service.makeSession(scrolledList)
    let answer = try #require(
      service.send(
        .post, path + "/updates",
        #"{"insertItems":[{"section":0,"at":20,"items":{"lengths":[60]}}],"anchor":"end"}"#))
    // 60 more at the end: 335 … 535 shows, of which f … j did, and k has not changed.
    #expect(answer.text("contentOffset") == #"{"x":0,"y":335}"#)
    #expect(answer.text("appearing") == "[]")
    #expect(answer.text("moving") == "[]")
    #expect(answer.text("entering") == "[\(cell([0, 10], id: "k", y: 500))]")
    #expect(answer.text("leaving") == #"[{"indexPath":[0,5],"kind":"cell"}]"#)
    #expect(service.tick(path, y: 335)?.isQuietTick == true)
  }

  @Test func headersAndDecorationsAreAnchorsToo() throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[
         {"items":{"count":10}},
         {"items":{"count":10},"header":{"width":0,"height":30},"decorations":[{"kind":"back"}]}]},
       "layout":{"kind":"list","itemLength":50},
       "viewport":{"width":100,"height":200,"contentOffset":{"x":0,"y":400}}}
      """)
    for (kind, y) in [("header", 410), ("back", 420)] {
      let answer = service.send(
        .post, path + "/updates",
        """
        {"insertItems":[{"section":0,"at":0,"items":{"lengths":[10]}}],
         "anchor":{"kind":"\(kind)","indexPath":[1,0]}}
        """)
      #expect(answer?.text("contentOffset") == "{\"x\":0,\"y\":\(y)}", "\(kind)")
    }
    // Its section goes to the front, and the header from 520 to 0: clamped.
    let moved = service.send(
      .post, path + "/updates",
      #"{"moveSections":[{"from":1,"to":0}],"anchor":{"kind":"header","indexPath":[1,0]}}"#)
    #expect(moved?.text("contentOffset") == #"{"x":0,"y":0}"#)
    for missing in [
      #"{"kind":"header","indexPath":[1,0]}"#, #"{"kind":"footer","indexPath":[0,0]}"#,
      #"{"kind":"badge","indexPath":[0,0]}"#,
    ] {
      let answer = service.send(.post, path + "/updates", "{\"anchor\":\(missing)}")
      #expect(answer?.status == 409, "\(missing)")
    }
  }

  @Test func aHorizontalListKeepsItsAnchorToo() throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":20}}]},
       "layout":{"kind":"list","itemLength":50,"scrollDirection":"horizontal"},
       "viewport":{"width":200,"height":100,"contentOffset":{"x":275,"y":0}}}
      """)
    let answer = service.send(
      .post, path + "/updates",
      #"""
      {"insertItems":[{"section":0,"at":0,"items":{"lengths":[60]}}],"anchor":{"indexPath":[0,6]}}
      """#)
    #expect(answer?.text("contentOffset") == #"{"x":335,"y":0}"#)
  }

  @Test(arguments: [
    #"{"indexPath":[0,20]}"#, #"{"indexPath":[1,0]}"#, #"{"kind":"header","indexPath":[0,0]}"#,
  ])
  func anAbsentAnchorIsRefused(anchor: String) throws {
    let service = MockService()
    let path = try service.makeSession(scrolledList)
    let before = try service.state(of: path)
    for (method, target, body) in [
      (HTTPMethod.post, "/updates", #""deleteItems":[{"section":0,"start":0,"end":1}]"#),
      (.put, "/layout", #""layout":{"kind":"list"}"#),
      (.put, "/viewport", #""width":200,"height":100"#),
      (.put, "/collection", #""collection":{"sections":[{"items":{"ids":["a"]}}]}"#),
    ] {
      let answer = try #require(
        service.send(method, path + target, "{\(body),\"anchor\":\(anchor)}"))
      #expect(answer.status == 409, "\(target)")
      #expect(answer["pointer"] as? String == "/anchor", "\(target)")
      #expect(try service.state(of: path) == before, "\(target)")
    }
  }

  @Test(arguments: [
    // g goes from 300 to 600, and stays at 25.
    (#"{"indexPath":[0,6]}"#, 575), (#""visible""#, 575),
    // The viewport ends 525 before the end: at 1475 of 2000.
    (#""end""#, 1275), (#""start""#, 275),
  ])
  func anAnchorStaysThroughAnotherLayout(anchor: String, y: Int) throws {
    let service = MockService()
    let path = try service.makeSession(scrolledList)
    let answer = try #require(
      service.send(
        .put, path + "/layout",
        "{\"layout\":{\"kind\":\"list\",\"itemLength\":100},\"anchor\":\(anchor)}"))
    #expect(answer.text("contentOffset") == "{\"x\":0,\"y\":\(y)}")
    #expect(answer["version"] as? Int == 2)
    #expect(service.tick(path, y: y)?["reset"] as? Bool == true)
  }

  @Test(arguments: [
    // Line 10 at 600 stands at 10; of five a line, item 30 is in line 6 at 360.
    (#"{"indexPath":[0,30]}"#, 350), (#""visible""#, 350),
    // 34 lines are 2030 long, and the viewport ended 530 before that. 20 lines are 1190 long.
    (#""end""#, 560), (#""start""#, 590),
  ])
  func anAnchorStaysThroughARotation(anchor: String, y: Int) throws {
    let service = MockService()
    // Three of 50 by 50 are in a line of 170, five in one of 290; lines are 60 apart.
    let isEnd = anchor == #""end""#
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":100}}]},"layout":{"kind":"flow"},
       "viewport":{"width":170,"height":200,"contentOffset":{"x":0,"y":\(isEnd ? 1300 : 590)}}}
      """)
    let answer = try #require(
      service.send(
        .put, path + "/viewport",
        "{\"viewport\":{\"width\":290,\"height\":100},\"anchor\":\(anchor)}"))
    #expect(answer.status == 200)
    #expect(answer.text("contentOffset") == "{\"x\":0,\"y\":\(y)}")
    #expect(answer["version"] as? Int == 2)
    #expect(service.tick(path, y: y)?.isQuietTick == true)
  }
}
