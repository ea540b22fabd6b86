import Foundation
import HTTPMessages
import LayoutAPI
import Testing

private let onTop = Int(Int32.max)

/// A service with one session in which items are moved.
private final class Mover {
  let service = MockService()
  let path: String

  init(_ description: String) throws { path = try service.makeSession(description) }

  func begin(_ body: String) -> Answer? { service.send(.post, path + "/movement", body) }

  func begin(at section: Int, _ item: Int) -> Answer? {
    begin("{\"indexPath\":[\(section),\(item)]}")
  }

  func move(_ x: Int, _ y: Int) throws -> Answer {
    try #require(
      service.send(.patch, path + "/movement", "{\"position\":{\"x\":\(x),\"y\":\(y)}}"))
  }

  func scroll(to x: Int) -> Answer? {
    service.send(.post, path + "/scroll", "{\"contentOffset\":{\"x\":\(x),\"y\":0}}")
  }

  func end() -> Answer? { service.send(.post, path + "/movement/end") }
  func cancel() -> Answer? { service.send(.delete, path + "/movement") }

  var version: Int? { service.send(.get, path)?["version"] as? Int }
}

/// Four items of 10, 20, 30 and 40 in a viewport of 100 by 200.
private let shortList = """
  {"collection":{"sections":[{"items":{"lengths":[10,20,30,40],"ids":["a","b","c","d"]}}]},
   "layout":{"kind":"list"},"viewport":{"width":100,"height":200}}
  """

/// Two columns of 100: a and c in the first, b and d in the second.
private let waterfall = """
  {"collection":{"sections":[{"items":{"lengths":[50,80,30,60],"ids":["a","b","c","d"]}}]},
   "layout":{"kind":"waterfall"},"viewport":{"width":210,"height":300}}
  """

/// Lines of three 20 by 20 at 0, 40 and 80, 30 apart, in a viewport of 100 by 100.
private let grid = """
  {"collection":{"sections":[{"items":{"count":60}}]},
   "layout":{"kind":"flow","itemSize":{"width":20,"height":20}},
   "viewport":{"width":100,"height":100}}
  """

/// Two items, none under a header of 40, and one; all 50 long.
private let threeSections = """
  {"collection":{"sections":[
     {"items":{"ids":["a","b"]}},{"header":{"width":0,"height":40}},{"items":{"ids":["c"]}}]},
   "layout":{"kind":"list","itemLength":50},"viewport":{"width":100,"height":400}}
  """

struct MovementTests {
  /// Its tag is that of how the session is then.
  @Test func aFullTickDuringAMovementNamesItself() throws {
    let mover = try Mover(grid)
    #expect(mover.begin(at: 0, 0)?.status == 201)
    let body = #"{"contentOffset":{"x":0,"y":0},"full":true}"#
    let tick = try #require(mover.service.send(.post, mover.path + "/scroll", body))
    #expect(tick.status == 200)
    #expect(tick.fields["ETag"] == mover.service.send(.get, mover.path)?.fields["ETag"])
  }

  @Test func whereNoItemIsIsSaidToBeWrong() throws {
    let mover = try Mover(grid)
    for (body, pointer) in [
      (#"{"position":{"x":-50,"y":-50}}"#, "/position"), (#"{"indexPath":[9,9]}"#, "/indexPath"),
    ] {
      let answer = try #require(mover.begin(body))
      #expect(answer.status == 404)
      #expect(answer["pointer"] as? String == pointer)
    }
  }

  /// What follows goes by what shows there.
  @Test func aMovementBeginsWhereATickMayLead() throws {
    let service = MockService(limits: ServiceLimits(elementCount: 20))
    let lengths = Array(repeating: "100", count: 5) + Array(repeating: "1", count: 200)
    let path = try service.makeSession(
      #"""
      {"collection":{"sections":[{"items":{"lengths":[\#(lengths.joined(separator: ","))]}}]},
       "layout":{"kind":"list"},"viewport":{"width":100,"height":100},"prefetch":{"ahead":0,"behind":0}}
      """#)
    let tick = #"{"contentOffset":{"x":0,"y":550}}"#
    #expect(service.send(.post, path + "/scroll", tick)?.status == 422)
    let begin = #"{"indexPath":[0,0],"contentOffset":{"x":0,"y":550}}"#
    #expect(service.send(.post, path + "/movement", begin)?.status == 422)
    #expect(service.send(.post, path + "/movement", #"{"indexPath":[0,0]}"#)?.status == 201)
  }

  @Test func halfOfAMillionthIsRoundedOnce() throws {
    let service = MockService()
    let path = try service.makeSession(
      #"""
      {"collection":{"sections":[{"items":{"lengths":[10.000001,44]}}]},"layout":{"kind":"list"},
       "viewport":{"width":411.428571,"height":300}}
      """#)
    // A cell that nobody has moved is where it was, and so touches both edges.
    let begun = try #require(service.send(.post, path + "/movement", #"{"indexPath":[0,0]}"#))
    // 205.714286 is the middle of the viewport as a client rounds it; 50 − 5.0000005 is 45 as a layout
    // rounds it.
    let step = try #require(
      service.send(.patch, path + "/movement", #"{"position":{"x":205.714286,"y":50}}"#))
    let frames = try [begun, step].map { answer in
      let dragged = try #require(answer["dragged"] as? [String: Any])
      return canonicalJSON(dragged["frame"] ?? "")
    }
    #expect(
      frames == [
        #"{"height":10.000001,"width":411.428571,"x":0,"y":0}"#,
        #"{"height":10.000001,"width":411.428571,"x":1e-06,"y":45}"#,
      ])
    #expect(begun.text("autoscroll") == #"{"x":0,"y":-1}"#)
    #expect(step.text("autoscroll") == #"{"x":0,"y":0}"#)
  }

  /// The first of three cards, each wider than the viewport, rests at −50 … 150, the second at 200 … 400.
  @Test(arguments: [5, -500])
  func theNearestOfCardsWiderThanTheViewportIsFound(y: Int) throws {
    let service = MockService()
    let path = try service.makeSession(
      #"""
      {"collection":{"sections":[{"items":{"count":3}}]},
       "layout":{"kind":"wheel","itemSize":{"width":200,"height":60},"radius":300},
       "viewport":{"width":100,"height":100}}
      """#)
    _ = service.send(.post, path + "/movement", #"{"indexPath":[0,2]}"#)
    let step = service.send(
      .patch, path + "/movement", #"{"position":{"x":180,"y":\#(y)}}"#)
    #expect(step?.text("target") == "[0,1]")
  }

  /// Insets may eat all of a page, and more; cells without an area are nobody's target.
  @Test(arguments: [
    ("horizontal", #""left":60,"right":60"#), ("vertical", #""top":60,"bottom":60"#),
  ])
  func whatHasNoRoomTakesNothing(direction: String, inset: String) throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":3}},{"items":{"count":3},"sectionInset":{\(inset)}}]},
       "layout":{"kind":"pagedGrid","scrollDirection":"\(direction)"},
       "viewport":{"width":100,"height":100}}
      """)
    for source in ["[0,1]", "[1,1]"] {
      let begun = service.send(.post, path + "/movement", "{\"indexPath\":\(source)}")
      #expect(begun?.status == 201)
      for place in [20, 120] {
        let step = service.send(
          .patch, path + "/movement", "{\"position\":{\"x\":\(place),\"y\":\(place)}}")
        #expect(step?.status == 200)
      }
      #expect(service.send(.delete, path + "/movement")?.status == 204)
    }
  }

  /// By its frame, which is rounded to pixels, nobody could tell.
  @Test(arguments: [(29.9, "[]"), (30.3, #"[{"indexPath":[0,3],"kind":"cell"}]"#)])
  func aStepSaysWhatShowsNoMore(length: Double, leaving: String) throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"lengths":[40,\(length),10,29.9,200]}}]},
       "layout":{"kind":"list"},"viewport":{"width":100,"height":100,"displayScale":1}}
      """)
    #expect(service.tick(path, y: 0) != nil)
    let begun = service.send(.post, path + "/movement", #"{"indexPath":[0,3]}"#)
    #expect(begun?.text("leaving") == "[]")
    let step = try #require(
      service.send(.patch, path + "/movement", #"{"position":{"x":50,"y":5}}"#))
    let last = try #require((step["moving"] as? [[String: Any]])?.last)
    let frame = try #require((last["final"] as? [String: Any])?["frame"] as? [String: Any])
    #expect(frame["y"] as? Int == 100)
    #expect(step.text("leaving") == leaving)
    let shown = service.send(.get, path + "/attributes")?["attributes"] as? [Any]
    #expect(shown?.count == (leaving == "[]" ? 4 : 3))
    #expect(service.tick(path, y: 0)?.isQuietTick == true)
  }

  @Test func asManySectionsMayBeNamedAsACollectionMayHave() throws {
    let service = MockService(limits: ServiceLimits(sectionCount: 2))
    let path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"count":1}},{}]},"layout":{"kind":"list"},"viewport":{"width":9,"height":9}}"#
    )
    let refused = service.send(
      .post, path + "/movement", #"{"indexPath":[0,0],"sections":[0,1,0]}"#)
    #expect(refused?.status == 422)
    #expect(refused?["pointer"] as? String == "/sections")
    #expect(
      service.send(.post, path + "/movement", #"{"indexPath":[0,0],"sections":[0,1]}"#)?.status
        == 201)
  }

  /// A section that has as many items as it may takes none from another.
  @Test func aSectionTakesNoMoreThanItMayHave() throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":1}},{"items":{"count":1000000000000}}]},
       "layout":{"kind":"list","itemLength":1},"viewport":{"width":100,"height":100}}
      """)
    #expect(service.send(.post, path + "/movement", #"{"indexPath":[0,0]}"#)?.status == 201)
    let step = service.send(.patch, path + "/movement", #"{"position":{"x":50,"y":50}}"#)
    #expect(step?.status == 422)
    #expect(service.send(.post, path + "/movement/end")?["target"] as? [Int] == [0, 0])
  }

  /// The preview is laid out beside what was there before.
  @Test func whatAMovementTakesIsCounted() throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":1,"size":{"width":1,"height":2}}},
         {"items":{"count":1000000000,"size":{"width":1,"height":1}}}]},
       "layout":{"kind":"waterfall","columnCount":10000,"minimumColumnSpacing":0},
       "viewport":{"width":10000,"height":10}}
      """)
    func byteCount() throws -> Int {
      try #require(try service.sample("layoutd_session_bytes").flatMap { Int($0) })
    }
    let before = try byteCount()
    _ = service.send(.post, path + "/movement", #"{"indexPath":[0,0]}"#)
    let step = service.send(.patch, path + "/movement", #"{"position":{"x":350.5,"y":29999.5}}"#)
    // In the line that begins at 2 + 2727 * 11.
    #expect(step?["target"] as? [Int] == [1, 27_270_350])
    #expect(try byteCount() > before + 100_000)
    _ = service.send(.delete, path + "/movement")
    #expect(try byteCount() == before)
  }

  @Test func anItemIsTakenUpByItsPlace() throws {
    let mover = try Mover(shortList)
    let answer = try #require(mover.begin(at: 0, 1))
    #expect(answer.status == 201)
    #expect(answer.fields["Location"] == mover.path + "/movement")
    // It fills the viewport from edge to edge, and stands 10 below the upper one.
    let dragged = cell([0, 1], id: "b", y: 10, height: 20, zIndex: onTop)
    #expect(
      answer.text == """
        {"autoscroll":{"x":0,"y":0},"dragged":\(dragged),"leaving":[],"moving":[],"source":[0,1],\
        "target":[0,1],"version":1}
        """)
  }

  @Test func theDraggedCellComesInColumnsToo() throws {
    let mover = try Mover(shortList)
    let began = mover.service.send(
      .post, mover.path + "/movement?format=columns", #"{"indexPath":[0,1]}"#)
    let columns = try #require(began?["dragged"] as? [String: [Any]])
    #expect(columns["kind"] as? [String] == ["cell"])
    #expect(columns["item"] as? [Int] == [1])
    #expect(columns["y"] as? [Int] == [10])
    #expect(columns["zIndex"] as? [Int] == [onTop])
  }

  @Test func anItemIsTakenUpUnderTheFinger() throws {
    let mover = try Mover(shortList)
    // b is at 10 … 30. Its middle goes to 30, 15, so that it reaches over the left edge.
    let answer = try #require(mover.begin(#"{"position":{"x":30,"y":15}}"#))
    #expect(answer.status == 201)
    #expect(answer.text("source") == "[0,1]")
    #expect(
      answer.text("dragged") == cell([0, 1], id: "b", x: -20, y: 5, height: 20, zIndex: onTop))
    #expect(answer.text("autoscroll") == #"{"x":-1,"y":0}"#)
  }

  /// A wheel turns its cards about a hub far below them, a banner slides them under each other.
  @Test(arguments: [
    (#"{"kind":"wheel"}"#, 10, 280, 250),
    (#"{"kind":"banner","itemSize":{"width":200,"height":100}}"#, 390, 395, 50),
  ])
  func aCardShowsUnderTheFinger(layout: String, offset: Int, x: Int, y: Int) throws {
    let mover = try Mover(
      """
      {"collection":{"sections":[{"items":{"count":10}}]},"layout":\(layout),
       "viewport":{"width":320,"height":480,"contentOffset":{"x":\(offset),"y":0}}}
      """)
    func cardAtFinger() -> String? {
      mover.service.send(.get, mover.path + "/item-at?x=\(x)&y=\(y)")?.text("indexPath")
    }
    func dragged(_ body: String) throws -> [String: Any] {
      let answer = try #require(mover.begin(body))
      return try #require(answer["dragged"] as? [String: Any])
    }
    let place = try #require(cardAtFinger())
    let numbers = place.filter { $0 != "[" && $0 != "]" }
    let element = "/attributes/cell/" + numbers.replacing(",", with: "/")
    func shownElement() throws -> [String: Any] {
      let answer = try #require(mover.service.send(.get, mover.path + element))
      return try #require(answer["attributes"] as? [String: Any])
    }
    let resting = try shownElement()
    let matrix = try #require(resting["transform"] as? [Double])
    #expect(resting["anchorPoint"] != nil || matrix[4] != 0)
    func middle(of card: [String: Any]) throws -> (x: Double, y: Double) {
      let frame = try #require(card["frame"] as? [String: Double])
      return (
        (frame["x"] ?? 0) + (frame["width"] ?? 0) / 2,
        (frame["y"] ?? 0) + (frame["height"] ?? 0) / 2
      )
    }
    // From the anchor point to the middle, through the transform.
    let frame = try #require(resting["frame"] as? [String: Double])
    let anchor = resting["anchorPoint"] as? [String: Double] ?? [:]
    let along = (0.5 - (anchor["x"] ?? 0.5)) * (frame["width"] ?? 0)
    let down = (0.5 - (anchor["y"] ?? 0.5)) * (frame["height"] ?? 0)
    let unmoved = try middle(of: resting)
    let shown = (
      x: unmoved.x - along + matrix[0] * along + matrix[2] * down + matrix[4],
      y: unmoved.y - down + matrix[1] * along + matrix[3] * down + matrix[5]
    )
    for (body, finger) in [
      ("{\"indexPath\":\(place)}", shown),
      ("{\"position\":{\"x\":\(x),\"y\":\(y)}}", (x: Double(x), y: Double(y))),
    ] {
      let card = try dragged(body)
      let found = try middle(of: card)
      #expect(abs(found.x - finger.x) < 2e-6 && abs(found.y - finger.y) < 2e-6)
      // Turned and scaled as before, about that middle.
      #expect(card["anchorPoint"] == nil)
      #expect(card["transform"] as? [Double] == Array(matrix[..<4]) + [0, 0])
      #expect(cardAtFinger() == place)
      // What goes on below it does not move it.
      #expect(mover.scroll(to: offset + 30)?.status == 200)
      #expect(try middle(of: shownElement()) == middle(of: card))
      #expect(cardAtFinger() == place)
      #expect(mover.scroll(to: offset)?.status == 200)
      #expect(mover.cancel()?.status == 204)
    }
  }

  @Test func thereMustBeOneItemToMove() throws {
    let mover = try Mover(shortList)
    let before = try mover.service.state(of: mover.path)
    for missing in [
      #"{"indexPath":[0,4]}"#, #"{"indexPath":[1,0]}"#, #"{"position":{"x":50,"y":100}}"#,
    ] {
      #expect(mover.begin(missing)?.status == 404, "\(missing)")
    }
    for (wrong, pointer) in [
      ("{}", ""), (#"{"indexPath":[0,0],"position":{"x":5,"y":5}}"#, ""),
      (#"{"indexPath":[0]}"#, "/indexPath"), (#"{"indexpath":[0,0]}"#, "/indexpath"),
      (#"{"position":{"x":5}}"#, "/position"),
      (#"{"indexPath":[0,0],"sections":[-1]}"#, "/sections/0"),
      (#"{"indexPath":[0,0],"sections":[0,1]}"#, "/sections/1"),
    ] {
      let answer = mover.begin(wrong)
      #expect(answer?.status == 422, "\(wrong)")
      #expect(answer?["pointer"] as? String == pointer, "\(wrong)")
    }
    #expect(try mover.service.state(of: mover.path) == before)
    #expect(mover.service.send(.post, "/v1/sessions/none/movement", "{}")?.status == 404)
  }

  @Test func thereIsOneMovementAtATime() throws {
    let mover = try Mover(shortList)
    func refusals() throws -> [Answer] {
      [try mover.move(50, 50), try #require(mover.end()), try #require(mover.cancel())]
    }
    for answer in try refusals() {
      #expect(answer.status == 409)
      #expect(answer["type"] as? String == "/problems/movement")
    }
    #expect(mover.begin(at: 0, 0)?.status == 201)
    let second = mover.begin(at: 0, 1)
    #expect(second?.status == 409)
    #expect(second?["type"] as? String == "/problems/movement")
    // The first one is still under way.
    #expect(try mover.move(50, 5).text("source") == "[0,0]")
    #expect(mover.end()?.status == 200)
    #expect(try refusals().allSatisfy { $0.status == 409 })
    #expect(mover.begin(at: 0, 1)?.status == 201)
    #expect(mover.cancel()?.status == 204)
    #expect(try refusals().allSatisfy { $0.status == 409 })
  }

  @Test func itemsOfOtherSizesMakeRoomInAList() throws {
    let mover = try Mover(shortList)
    _ = mover.begin(at: 0, 0)
    // a 0 … 10, b … 30, c … 60, d … 100: 45 is over c, so that a goes behind b and c.
    let over = try mover.move(50, 45)
    #expect(over.status == 200)
    #expect(
      over.text == """
        {"autoscroll":{"x":0,"y":0},\
        "dragged":\(cell([0, 2], id: "a", y: 40, height: 10, zIndex: onTop)),"leaving":[],"moving":[\
        \(moved([0, 1], [0, 0], cell([0, 1], id: "b", y: 10, height: 20),
        cell([0, 0], id: "b", y: 0, height: 20))),\
        \(moved([0, 2], [0, 1], cell([0, 2], id: "c", y: 30, height: 30),
        cell([0, 1], id: "c", y: 20, height: 30)))],"source":[0,0],"target":[0,2],"version":1}
        """)

    // b 0 … 20, c … 50, a … 60, d … 100 now. 55 is its own place: nothing moves.
    let own = try mover.move(50, 55)
    #expect(own.text("target") == "[0,2]")
    #expect(own.text("moving") == "[]")
    #expect(own.text("dragged") == cell([0, 2], id: "a", y: 50, height: 10, zIndex: onTop))

    // 45 is over c still, which is at 1 now.
    let back = try mover.move(50, 45)
    #expect(back.text("target") == "[0,1]")
    #expect(
      back.text("moving") == """
        [\(moved([0, 1], [0, 2], cell([0, 1], id: "c", y: 20, height: 30),
        cell([0, 2], id: "c", y: 30, height: 30)))]
        """)

    // b 0 … 20, a … 30, c … 60. 15 is over b: everything is where it was.
    let home = try mover.move(50, 15)
    #expect(home.text("target") == "[0,0]")
    #expect(
      home.text("moving") == """
        [\(moved([0, 0], [0, 1], cell([0, 0], id: "b", y: 0, height: 20),
        cell([0, 1], id: "b", y: 10, height: 20)))]
        """)
  }

  @Test func itemsOfOtherSizesMakeRoomInAHorizontalList() throws {
    let mover = try Mover(
      shortList.replacing(#""kind":"list""#, with: #""kind":"list","scrollDirection":"horizontal""#)
        .replacing(#""width":100,"height":200"#, with: #""width":200,"height":100"#))
    _ = mover.begin(at: 0, 0)
    let over = try mover.move(45, 50)
    #expect(over.text("target") == "[0,2]")
    #expect(
      over.text("dragged")
        == cell([0, 2], id: "a", x: 40, y: 0, width: 10, height: 100, zIndex: onTop))
    #expect(
      over.text("moving") == """
        [\(moved([0, 1], [0, 0], cell([0, 1], id: "b", x: 10, y: 0, width: 20, height: 100),
        cell([0, 0], id: "b", x: 0, y: 0, width: 20, height: 100))),\
        \(moved([0, 2], [0, 1], cell([0, 2], id: "c", x: 30, y: 0, width: 30, height: 100),
        cell([0, 1], id: "c", x: 20, y: 0, width: 30, height: 100)))]
        """)
  }

  @Test func itemsOfOtherSizesMakeRoomInTwoColumns() throws {
    let mover = try Mover(waterfall)
    _ = mover.begin(at: 0, 0)
    // a 0 … 50 and c 60 … 90 on the left, b 0 … 80 and d 90 … 150 on the right; 160, 120 is over d.
    let over = try mover.move(160, 120)
    #expect(over.text("target") == "[0,3]")
    #expect(
      over.text("dragged")
        == cell([0, 3], id: "a", x: 110, y: 95, height: 50, zIndex: onTop))
    // b 0 … 80 on the left, c 0 … 30 and d 40 … 100 on the right: a would rest at 90 on the left.
    #expect(
      over.text("moving") == """
        [\(moved([0, 1], [0, 0], cell([0, 1], id: "b", x: 110, y: 0, height: 80),
        cell([0, 0], id: "b", y: 0, height: 80))),\
        \(moved([0, 2], [0, 1], cell([0, 2], id: "c", y: 60, height: 30),
        cell([0, 1], id: "c", x: 110, y: 0, height: 30))),\
        \(moved([0, 3], [0, 2], cell([0, 3], id: "d", x: 110, y: 90, height: 60),
        cell([0, 2], id: "d", x: 110, y: 40, height: 60)))]
        """)
    #expect(over.text("autoscroll") == #"{"x":1,"y":0}"#)
  }

  @Test func questionsAreAnsweredForThePreview() throws {
    let mover = try Mover(waterfall)
    _ = mover.begin(at: 0, 0)
    _ = try mover.move(160, 120)
    func ask(_ question: String, _ member: String) -> String? {
      mover.service.send(.get, mover.path + question)?.text(member)
    }
    let dragged = cell([0, 3], id: "a", x: 110, y: 95, height: 50, zIndex: onTop)
    let preview = """
      [\(cell([0, 0], id: "b", y: 0, height: 80)),\
      \(cell([0, 1], id: "c", x: 110, y: 0, height: 30)),\
      \(cell([0, 2], id: "d", x: 110, y: 40, height: 60)),\(dragged)]
      """
    #expect(ask("/attributes", "attributes") == preview)
    #expect(ask("/attributes?x=0&y=0&width=210&height=300", "attributes") == preview)
    // It shows where it is, and its place is empty.
    #expect(ask("/attributes?x=150&y=140&width=10&height=1", "attributes") == "[\(dragged)]")
    #expect(ask("/attributes?x=0&y=90&width=100&height=50", "attributes") == "[]")
    #expect(ask("/attributes/cell/0/3", "attributes") == dragged)
    #expect(
      ask("/attributes/cell/0/2", "attributes") == cell([0, 2], id: "d", x: 110, y: 40, height: 60))
    // It is above d, which ends at 100.
    #expect(ask("/item-at?x=160&y=98", "indexPath") == "[0,3]")
    #expect(ask("/item-at?x=160&y=94", "indexPath") == "[0,2]")
    #expect(ask("/item-at?x=50&y=100", "indexPath") == "null")
    // On the left b ends at 80; a's place there ends at 140.
    #expect(ask("", "contentSize") == #"{"height":140,"width":210}"#)
  }

  @Test func theNearestCellIsTheTargetBetweenCells() throws {
    let mover = try Mover(grid)
    _ = mover.begin(at: 0, 30)
    // Between the first two of the first line, at 20 and at 40.
    #expect(try mover.move(25, 10).text("target") == "[0,0]")
    #expect(try mover.move(35, 10).text("target") == "[0,1]")
    // Between the lines at 0 … 20 and 30 … 50.
    #expect(try mover.move(90, 24).text("target") == "[0,2]")
    #expect(try mover.move(90, 26).text("target") == "[0,5]")
    // Beside the content, but on the height of a line.
    #expect(try mover.move(400, 65).text("target") == "[0,8]")
    // Outside of all sections the target stays: twenty lines end at 590.
    #expect(try mover.move(50, -1).text("target") == "[0,8]")
    #expect(try mover.move(50, 600).text("target") == "[0,8]")
  }

  @Test func anEmptySectionTakesTheItemFirst() throws {
    let mover = try Mover(threeSections)
    _ = mover.begin(at: 0, 0)
    // a 0 … 50, b … 100, the header … 140, c … 190.
    let over = try mover.move(50, 120)
    #expect(over.text("target") == "[1,0]")
    #expect(
      over.text("dragged") == cell([1, 0], id: "a", y: 95, zIndex: onTop))
    #expect(
      over.text("moving") == """
        [\(moved([0, 1], [0, 0], cell([0, 1], id: "b", y: 50), cell([0, 0], id: "b", y: 0))),\
        \(moved([1, 0], [1, 0], element("header", [1, 0], y: 100, height: 40),
        element("header", [1, 0], y: 50, height: 40)))]
        """)
    #expect(
      mover.service.send(.get, mover.path)?.text("sections")
        == #"[{"itemCount":1},{"itemCount":1},{"itemCount":1}]"#)
    // c is at 140 … 190 still: into its section.
    #expect(try mover.move(50, 160).text("target") == "[2,0]")
    #expect(mover.end()?.status == 200)
    #expect(mover.service.names(in: mover.path, sectionCount: 3) == [["b"], [], ["a", "c"]])
  }

  /// Half open, as every range: where one section ends, the next begins.
  @Test func aSectionIsHitFromItsFirstMillionthOn() throws {
    let mover = try Mover(threeSections)
    _ = mover.begin(at: 0, 1)
    // Beside all cells, level with the first.
    #expect(try mover.move(-5, 0).text("target") == "[0,0]")
    #expect(try mover.move(-5, -1).text("target") == "[0,0]")
    // The header of the empty section begins here.
    #expect(try mover.move(50, 100).text("target") == "[1,0]")
  }

  @Test func theNearestCellIsOneOfTheSectionThatIsHit() throws {
    let mover = try Mover(
      """
      {"collection":{"sections":[
         {"items":{"count":2}},{"header":{"width":0,"height":100},"items":{"count":2}}]},
       "layout":{"kind":"list","itemLength":50},"viewport":{"width":100,"height":400}}
      """)
    _ = mover.begin(at: 0, 0)
    // Five from the last of the first section, 95 from the first of the second.
    #expect(try mover.move(50, 105).text("target") == "[1,0]")
  }

  /// Half of an odd number of millionths is no place for the middle of a cell: it is before it or after it.
  @Test(arguments: ["50", "50.000001"])
  func bothEdgesAreTouchedThoughTheMiddleIsRounded(middle: String) throws {
    let mover = try Mover(
      """
      {"collection":{"sections":[{"items":{"count":1}}]},
       "layout":{"kind":"list","itemLength":100.000001},
       "viewport":{"width":100.000001,"height":100.000001}}
      """)
    _ = mover.begin(at: 0, 0)
    let step = mover.service.send(
      .patch, mover.path + "/movement", "{\"position\":{\"x\":\(middle),\"y\":\(middle)}}")
    #expect(step?.text("autoscroll") == #"{"x":0,"y":0}"#)
  }

  @Test func aSectionOfCardsIsHitAsFarAsThereAreCards() throws {
    let mover = try Mover(
      """
      {"collection":{"sections":[{"items":{"count":2}},{"items":{"count":2}}]},
       "layout":{"kind":"banner","itemSize":{"width":100,"height":50}},
       "viewport":{"width":150,"height":100}}
      """)
    _ = mover.begin(at: 0, 0)
    // Below the cards, where the first of the second section begins.
    #expect(try mover.move(200, 80).text("target") == "[1,0]")
    // Past all of them.
    #expect(try mover.move(400, 80).text("target") == "[1,0]")
    #expect(try mover.move(399, 80).text("target") == "[1,2]")
  }

  @Test func aMovementStaysInItsSections() throws {
    let mover = try Mover(threeSections)
    let begun = mover.begin(#"{"indexPath":[0,0],"sections":[0,1]}"#)
    #expect(begun?.status == 201)
    // c and its section are not for it, wherever it was.
    #expect(try mover.move(50, 160).text("target") == "[0,0]")
    #expect(try mover.move(50, 75).text("target") == "[0,1]")
    #expect(try mover.move(50, 185).text("target") == "[0,1]")
    #expect(try mover.move(50, 120).text("target") == "[1,0]")
    let stays = try mover.move(50, 185)
    #expect(stays.text("target") == "[1,0]")
    // It goes along with the finger all the same.
    #expect(stays.text("dragged") == cell([1, 0], id: "a", y: 160, zIndex: onTop))

    #expect(mover.cancel()?.status == 204)
    _ = mover.begin(#"{"indexPath":[0,0],"sections":[2]}"#)
    #expect(try mover.move(50, 75).text("target") == "[0,0]")
    #expect(try mover.move(50, 120).text("target") == "[0,0]")
    #expect(try mover.move(50, 160).text("target") == "[2,0]")
  }

  @Test(arguments: [
    (50, 50, 0, 0), (11, 50, 0, 0), (10, 50, -1, 0), (-40, 50, -1, 0), (89, 50, 0, 0),
    (90, 50, 1, 0), (140, 50, 1, 0), (50, 11, 0, 0), (50, 10, 0, -1), (50, 89, 0, 0),
    (50, 90, 0, 1), (5, 5, -1, -1), (95, 95, 1, 1),
  ])
  func theEdgesOfTheViewportScroll(x: Int, y: Int, ways: Int, updown: Int) throws {
    // Once at the top and once scrolled: what counts is the viewport.
    for offset in [0, 130] {
      let mover = try Mover(grid)
      _ = mover.begin(at: 0, 20)
      _ = mover.service.tick(mover.path, y: offset)
      let answer = try mover.move(x, offset + y)
      #expect(answer.text("autoscroll") == "{\"x\":\(ways),\"y\":\(updown)}", "\(offset)")
    }
  }

  @Test func bothEdgesAtOnceDoNotScroll() throws {
    let mover = try Mover(
      """
      {"collection":{"sections":[{"items":{"lengths":[50,300,199,50]}}]},"layout":{"kind":"list"},
       "viewport":{"width":100,"height":200}}
      """)
    _ = mover.begin(at: 0, 1)
    // 300 long: 50 … 350 crosses one edge, −50 … 250 both, −120 … 180 the other.
    #expect(try mover.move(50, 200).text("autoscroll") == #"{"x":0,"y":1}"#)
    #expect(try mover.move(50, 100).text("autoscroll") == #"{"x":0,"y":0}"#)
    #expect(try mover.move(50, 30).text("autoscroll") == #"{"x":0,"y":-1}"#)
    // As wide as the viewport, and beside it.
    #expect(try mover.move(51, 100).text("autoscroll") == #"{"x":1,"y":0}"#)
    #expect(try mover.move(49, 100).text("autoscroll") == #"{"x":-1,"y":0}"#)
  }

  @Test func ticksGoOnMeanwhile() throws {
    let mover = try Mover(namedList(20))
    _ = mover.begin(at: 0, 0)
    // b, c and d go up, and a rests at 150.
    _ = try mover.move(50, 175)
    #expect(mover.service.tick(mover.path, y: 0)?.isQuietTick == true)
    // a shows at 150 … 200: out of view at 250 the more so.
    let tick = try #require(mover.service.tick(mover.path, y: 250))
    #expect(tick["reset"] as? Bool == false)
    #expect(
      tick.text("appeared") == """
        [\(cell([0, 5], id: "f", y: 250)),\(cell([0, 6], id: "g", y: 300)),\
        \(cell([0, 7], id: "h", y: 350)),\(cell([0, 8], id: "i", y: 400))]
        """)
    #expect(
      tick.text("disappeared") == """
        [{"indexPath":[0,0],"kind":"cell"},{"indexPath":[0,1],"kind":"cell"},\
        {"indexPath":[0,2],"kind":"cell"},{"indexPath":[0,3],"kind":"cell"}]
        """)
    // The finger is where it was on screen: 425 in the content is over i.
    let over = try mover.move(50, 425)
    #expect(over.text("target") == "[0,8]")
    #expect(over.text("dragged") == cell([0, 8], id: "a", y: 400, zIndex: onTop))
    // e has gone up by 50 out of view, f … i are moved.
    let ids = (over["moving"] as? [[String: Any]])?.compactMap {
      ($0["final"] as? [String: Any])?["id"] as? String
    }
    #expect(ids == ["g", "h", "i", "f"])
    #expect(mover.service.tick(mover.path, y: 250)?.isQuietTick == true)
  }

  @Test func everyOtherChangeWaits() throws {
    let mover = try Mover(shortList)
    _ = mover.begin(at: 0, 0)
    _ = try mover.move(50, 45)
    let before = try mover.service.state(of: mover.path)
    for (method, target, body) in [
      (HTTPMethod.post, "/updates", #"{"deleteItems":[{"section":0,"start":0,"end":1}]}"#),
      (.post, "/updates", #"{"dryRun":true}"#), (.put, "/layout", #"{"layout":{"kind":"list"}}"#),
      (.put, "/collection", #"{"collection":{"sections":[]}}"#),
      (.put, "/viewport", #"{"width":300,"height":200}"#),
      (.put, "/viewport", #"{"width":300,"height":200,"contentOffset":{"x":0,"y":0}}"#),
      (.put, "/viewport", #"{"displayScale":2}"#),
    ] {
      let answer = try #require(mover.service.send(method, mover.path + target, body))
      #expect(answer.status == 409, "\(target)")
      #expect(answer["type"] as? String == "/problems/movement", "\(target)")
      #expect(try mover.service.state(of: mover.path) == before, "\(target)")
    }
    // An offset alone is scrolling.
    let scrolled = try #require(
      mover.service.send(.put, mover.path + "/viewport", #"{"contentOffset":{"x":0,"y":25}}"#))
    #expect(scrolled.status == 200)
    #expect(scrolled["version"] as? Int == 1)
    #expect(scrolled.text("contentOffset") == #"{"x":0,"y":25}"#)
    let dragged = cell([0, 2], id: "a", y: 40, height: 10, zIndex: onTop)
    #expect(scrolled.text("attributes")?.contains(dragged) == true)
    // b 0 … 20, c … 50, a … 60, d … 100: it is still under way.
    #expect(try mover.move(50, 80).text("target") == "[0,3]")
  }

  @Test func cancellingRestoresEverything() throws {
    let mover = try Mover(namedList(20))
    let before = try mover.service.state(of: mover.path)
    // e … h are asked for, and f of these is dragged to the top.
    _ = mover.begin(at: 0, 5)
    _ = try mover.move(50, 225)
    _ = try mover.move(50, 25)
    let preview = mover.service.names(in: mover.path, sectionCount: 1)[0]
    #expect(preview.prefix(7) == ["f", "a", "b", "c", "d", "e", "g"])
    #expect(
      mover.service.send(.get, mover.path)?.text("prefetch")
        == #"[{"end":1,"section":0,"start":0},{"end":8,"section":0,"start":5}]"#)
    let cancelled = try #require(mover.cancel())
    #expect(cancelled.status == 204)
    #expect(cancelled.fields["ETag"] == mover.service.send(.get, mover.path)?.fields["ETag"])
    #expect(cancelled.bytes.isEmpty)
    #expect(try mover.service.state(of: mover.path) == before)
    let tick = try #require(mover.service.tick(mover.path, y: 0))
    #expect(tick.isQuietTick)
    #expect(tick.text("prefetch") == "[]")
    #expect(tick.text("cancelPrefetch") == "[]")
    #expect(
      mover.service.send(.put, mover.path + "/layout", #"{"layout":{"kind":"flow"}}"#)?.status
        == 200)
  }

  @Test(arguments: [
    #"/scroll {"contentOffset":{"x":0,"y":25}}"#, #"/scroll {"contentOffset":{"x":0,"y":0}}"#,
    #"/viewport {"contentOffset":{"x":0,"y":25}}"#,
  ])
  func cancellingAfterScrollingForgetsWhatThePreviewShowed(request: String) throws {
    let mover = try Mover(namedList(20))
    _ = try #require(mover.service.tick(mover.path, y: 10))
    _ = mover.begin(at: 0, 5)
    _ = try mover.move(50, 25)
    let parts = request.split(separator: " ", maxSplits: 1)
    let method: HTTPMethod = parts[0] == "/viewport" ? .put : .post
    let offset = try #require(
      mover.service.send(method, mover.path + parts[0], String(parts[1]))?.text("contentOffset"))
    _ = try mover.move(50, 30)
    #expect(mover.cancel()?.status == 204)
    let tick = try #require(
      mover.service.send(.post, mover.path + "/scroll", "{\"contentOffset\":\(offset)}"))
    #expect(tick["reset"] as? Bool == true)
    #expect(
      tick.text("appeared")
        == mover.service.send(.get, mover.path + "/attributes")?.text("attributes"))
    // What was scrolled in one movement is none of the next one's.
    _ = mover.begin(at: 0, 5)
    _ = try mover.move(50, 25)
    #expect(mover.cancel()?.status == 204)
    let next = mover.service.send(.post, mover.path + "/scroll", "{\"contentOffset\":\(offset)}")
    #expect(next?.isQuietTick == true)
  }

  @Test func endingPutsTheItemDown() throws {
    let mover = try Mover(shortList)
    _ = mover.begin(at: 0, 0)
    _ = try mover.move(50, 45)
    let ended = try #require(mover.end())
    #expect(ended.status == 200)
    #expect(ended.text("source") == "[0,0]")
    #expect(ended.text("target") == "[0,2]")
    #expect(ended["version"] as? Int == 2)
    #expect(ended.fields["ETag"]?.hasPrefix("\"2") == true)
    #expect(ended.text("sections") == #"[{"itemCount":4}]"#)
    #expect(ended.text("appearing") == "[]")
    #expect(ended.text("disappearing") == "[]")
    // b 0 … 20, c … 50: a goes down behind them.
    #expect(
      ended.text("moving") == """
        [\(moved([0, 2], [0, 2], cell([0, 2], id: "a", y: 40, height: 10, zIndex: onTop),
        cell([0, 2], id: "a", y: 50, height: 10)))]
        """)
    #expect(mover.version == 2)
    #expect(mover.service.names(in: mover.path, sectionCount: 1) == [["b", "c", "a", "d"]])
    #expect(mover.service.tick(mover.path, y: 0)?.isQuietTick == true)
    #expect(
      mover.service.send(
        .post, mover.path + "/updates", #"{"deleteItems":[{"section":0,"start":2,"end":3}]}"#)?
        .status == 200)
    #expect(mover.service.names(in: mover.path, sectionCount: 1) == [["b", "c", "d"]])
  }

  /// As after any other change; what changes nothing leaves an offset beyond the content too.
  @Test(arguments: [(10, -30), (35, 0)])
  func anEndIsInsideTheContentIfSomethingMoved(y: Int, x: Int) throws {
    let mover = try Mover(shortList)
    _ = mover.scroll(to: -30)
    _ = mover.begin(at: 0, 1)
    _ = try mover.move(50, y + 5)
    #expect(mover.end()?.text("contentOffset") == "{\"x\":\(x),\"y\":0}")
  }

  @Test func nothingMovedIsNoNewVersion() throws {
    let mover = try Mover(shortList)
    let before = try mover.service.state(of: mover.path)
    // Not moved at all, and there and back: b … 20, c … 50, and a is at home again over b.
    for positions in [[], [(50, 45), (50, 15)]] {
      _ = mover.begin(at: 0, 0)
      for (x, y) in positions { _ = try mover.move(x, y) }
      let ended = try #require(mover.end())
      #expect(ended.status == 200)
      #expect(ended["version"] as? Int == 1)
      #expect(ended.text("source") == ended.text("target"))
      #expect(try mover.service.state(of: mover.path) == before)
    }
  }

  @Test(arguments: [
    (shortList, (0, 0), (50, 45), (0, 2)), (shortList, (0, 3), (50, 5), (0, 0)),
    (waterfall, (0, 0), (160, 120), (0, 3)), (waterfall, (0, 3), (50, 70), (0, 2)),
    (grid, (0, 40), (90, 40), (0, 5)), (threeSections, (0, 1), (50, 120), (1, 0)),
    (threeSections, (2, 0), (50, 20), (0, 0)),
  ])
  func theResultIsThatOfABatchOfOneMove(
    description: String, source: (Int, Int), position: (Int, Int), target: (Int, Int)
  ) throws {
    let mover = try Mover(description)
    _ = mover.begin(at: source.0, source.1)
    _ = try mover.move(position.0, position.1)
    let ended = try #require(mover.end())
    #expect(ended.text("target") == "[\(target.0),\(target.1)]")

    let other = try Mover(description)
    let before = try other.service.everything(in: other.path)
    let updated = try #require(
      other.service.send(
        .post, other.path + "/updates",
        """
        {"moveItems":[{"from":[\(source.0),\(source.1)],"to":[\(target.0),\(target.1)]}]}
        """))
    #expect(updated.status == 200)
    #expect(ended.text("contentSize") == updated.text("contentSize"))
    #expect(ended.text("sections") == updated.text("sections"))
    let after = try mover.service.everything(in: mover.path)
    #expect(try after == other.service.everything(in: other.path))
    #expect(
      mover.service.send(.get, mover.path)?.text("prefetch")
        == other.service.send(.get, other.path)?.text("prefetch"))
    // Equal items without names look the same wherever they are.
    #expect(after != before || description == grid)
  }

  @Test func aMovementOfAnotherVersionIsRefused() throws {
    let mover = try Mover(shortList)
    func send(_ method: HTTPMethod, _ target: String, _ body: String, _ tag: String) -> Answer? {
      mover.service.send(method, mover.path + target, body, ifMatch: tag)
    }
    let begin = #"{"indexPath":[0,0]}"#
    #expect(send(.post, "/movement", begin, "\"2\"")?.status == 412)
    #expect(send(.post, "/movement", begin, "\"1\"")?.status == 201)
    let before = try mover.service.state(of: mover.path)
    let step = #"{"position":{"x":50,"y":45}}"#
    let refused = send(.patch, "/movement", step, "\"2\"")
    #expect(refused?.status == 412)
    #expect(refused?["version"] as? Int == 1)
    #expect(send(.post, "/movement/end", "", "\"2\"")?.status == 412)
    #expect(send(.delete, "/movement", "", "\"2\"")?.status == 412)
    #expect(try mover.service.state(of: mover.path) == before)
    #expect(send(.patch, "/movement", step, "\"1\"")?.status == 200)
    #expect(send(.post, "/movement/end", "{}", "\"1\"")?["version"] as? Int == 2)
  }

  @Test func aWrongStepChangesNothing() throws {
    let mover = try Mover(shortList)
    _ = mover.begin(at: 0, 0)
    _ = try mover.move(50, 45)
    let before = try mover.service.state(of: mover.path)
    for (body, pointer) in [
      ("{}", ""), (#"{"position":{"x":1}}"#, "/position"), (#"{"position":null}"#, "/position"),
      (#"{"postion":{"x":1,"y":1}}"#, "/postion"),
      (#"{"position":{"x":1,"y":9.1e12}}"#, "/position/y"),
    ] {
      let answer = mover.service.send(.patch, mover.path + "/movement", body)
      #expect(answer?.status == 422, "\(body)")
      #expect(answer?["pointer"] as? String == pointer, "\(body)")
    }
    #expect(
      mover.service.send(.post, mover.path + "/movement/end", #"{"version":1}"#)?.status == 422)
    #expect(mover.service.send(.get, mover.path + "/movement")?.status == 405)
    #expect(try mover.service.state(of: mover.path) == before)
    #expect(mover.end()?.text("target") == "[0,2]")
  }

  @Test func whatWasCachedBeforeAStepIsNotCurrent() throws {
    let mover = try Mover(shortList)
    let question = mover.path + "/item-at?x=50&y=45"
    func ask(_ tag: String = "") -> Answer? {
      mover.service.send(.get, question, ifNoneMatch: tag)
    }
    let resting = try #require(ask()?.fields["ETag"])
    _ = mover.begin(at: 0, 0)
    _ = try mover.move(50, 45)
    let moving = try #require(ask(resting))
    #expect(moving.status == 200)
    let tag = try #require(moving.fields["ETag"])
    #expect(ask(tag)?.status == 304)
    _ = try mover.move(50, 15)
    #expect(ask(tag)?.status == 200)
    #expect(mover.cancel()?.status == 204)
    #expect(ask(tag)?.status == 200)
    #expect(ask(resting)?.status == 304)
  }

  @Test func deletingTheSessionEndsTheMovement() throws {
    let mover = try Mover(shortList)
    _ = mover.begin(at: 0, 0)
    #expect(mover.service.send(.delete, mover.path)?.status == 204)
    #expect(try mover.move(50, 45).status == 404)
    #expect(mover.end()?.status == 404)
  }
}
