import Foundation
import HTTPMessages
import Testing

/// Cards on a wheel: 375 wide, cards of 133×173, a radius of 500, 17 of them.
struct WheelArticleTests {
  private let angle = atan(133.0 / 500)

  private func session(_ count: Int, _ service: MockService) throws -> String {
    try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":\(count)}}]},"layout":{"kind":"wheel"},
       "viewport":{"width":375,"height":300}}
      """)
  }

  private func visible(_ count: Int, at offset: Double) throws -> LaidOut {
    try LaidOut(
      "{\"items\":{\"count\":\(count)}}", layout: #"{"kind":"wheel"}"#,
      viewport: "{\"width\":375,\"height\":300,\"contentOffset\":{\"x\":\(offset),\"y\":0}}")
  }

  private func rotation(_ angle: Double) -> [Double] {
    [cos(angle), sin(angle), -sin(angle), cos(angle), 0, 0]
  }

  @Test func cardsStandInTheMiddleTurnedAboutTheHub() throws {
    let wheel = try visible(17, at: 0)
    #expect(wheel.contentSize == [2261, 300])
    #expect(wheel.names == ["cell 0 0", "cell 0 1", "cell 0 2"])
    for (index, card) in wheel.elements.enumerated() {
      #expect(card.frame == [121, 63.5, 133, 173])
      #expect(areClose(card.anchorPoint, [0.5, 586.5 / 173]))
      #expect(areClose(card.transform, rotation(Double(index) * angle)))
      #expect(card.zIndex == index)
    }
  }

  @Test func scrollingTurnsTheWheelAndKeepsItInTheMiddle() throws {
    // The whole way turns it by 16 cards: half of it by 8.
    let wheel = try visible(17, at: 943)
    #expect(wheel.names == ["cell 0 6", "cell 0 7", "cell 0 8", "cell 0 9", "cell 0 10"])
    let upright = wheel["cell 0 8"]
    #expect(upright?.frame == [943 + 121, 63.5, 133, 173])
    #expect(upright?.transform == [1, 0, 0, 1, 0, 0])
    #expect(areClose(wheel["cell 0 6"]?.transform, rotation(-2 * angle)))
    // A third of a card further on.
    let further = try visible(17, at: 943 + 117.875 / 3)
    #expect(areClose(further["cell 0 8"]?.transform, rotation(-angle / 3)))
  }

  @Test(arguments: [
    (300.0, 1.0, "353.625 [0,3]"), (300, -1, "235.75 [0,2]"), (300, 0, "353.625 [0,3]"),
    (290, 0, "235.75 [0,2]"), (353.625, 1, "353.625 [0,3]"), (353.625, -1, "353.625 [0,3]"),
    (-80, 1, "0.0 [0,0]"), (-80, -1, "0.0 [0,0]"), (5000, 1, "1886.0 [0,16]"),
  ])
  func aDragEndsWithACardUpright(proposed: Double, velocity: Double, expected: String) throws {
    let service = MockService()
    let session = try session(17, service)
    let drag = """
      {"proposedContentOffset":{"x":\(proposed),"y":0},"velocity":{"x":\(velocity),"y":0}}
      """
    #expect(service.snap(session, drag) == expected)
  }

  @Test func whereverItShallBeACardIsScrolledToUpright() throws {
    let service = MockService()
    let session = try session(17, service)
    for position in ["start", "center", "end", "nearest"] {
      let answer = service.send(
        .get, session + "/scroll-offset?section=0&item=5&position=" + position)
      #expect(answer?.text("contentOffset") == #"{"x":589.375,"y":0}"#)
    }
  }

  @Test func whatDoesNotFillTheViewportDoesNotTurn() throws {
    #expect(try visible(0, at: 0).contentSize == [0, 300])
    let one = try visible(1, at: 40)
    #expect(one["cell 0 0"]?.transform == [1, 0, 0, 1, 0, 0])
    #expect(one["cell 0 0"]?.frame == [161, 63.5, 133, 173])
    let two = try visible(2, at: 40)
    #expect(areClose(two["cell 0 1"]?.transform, rotation(angle)))
    let service = MockService()
    for count in [1, 2] {
      let session = try session(count, service)
      #expect(
        service.snap(session, #"{"proposedContentOffset":{"x":70,"y":0},"velocity":{"x":1,"y":0}}"#)
          == "0.0 [0,0]")
    }
  }

  @Test func prefetchingGoesByTheNumberOfCardsInView() throws {
    let service = MockService()
    let session = try session(17, service)
    // Five in view from 6 to 10, and as many after them; the way back is the other way round.
    let forward = service.send(.post, session + "/scroll", #"{"contentOffset":{"x":943,"y":0}}"#)
    #expect(forward?.text("prefetch") == #"[{"end":16,"section":0,"start":11}]"#)
    let back = service.send(.post, session + "/scroll", #"{"contentOffset":{"x":942,"y":0}}"#)
    #expect(back?.text("prefetch") == #"[{"end":6,"section":0,"start":1}]"#)
    #expect(back?.text("cancelPrefetch") == #"[{"end":16,"section":0,"start":11}]"#)
  }

  @Test func cardsAskedForAreWholeOnesThoseOnTheWayFirst() throws {
    let service = MockService()
    let session = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":17}}]},"layout":{"kind":"wheel"},
       "viewport":{"width":375,"height":300},"prefetch":{"ahead":0.5,"behind":0.5}}
      """)
    func prefetch(at x: Int) -> String? {
      let tick = "{\"contentOffset\":{\"x\":\(x),\"y\":0},\"full\":true}"
      return service.send(.post, session + "/scroll", tick)?.text("prefetch")
    }
    // Five in view from 6 to 10, of which 8 is upright: half as many are three.
    let before = #"{"end":6,"section":0,"start":3}"#
    let after = #"{"end":14,"section":0,"start":11}"#
    #expect(prefetch(at: 943) == "[\(after),\(before)]")
    _ = prefetch(at: 944)
    #expect(prefetch(at: 943) == "[\(before),\(after)]")
    // At the end there are none ahead.
    #expect(prefetch(at: 1886) == #"[{"end":14,"section":0,"start":12}]"#)
  }

  @Test func cardsTooNarrowToCountAreRefused() throws {
    let answer = MockService().send(
      .post, "/v1/layout",
      """
      {"collection":{"sections":[{"items":{"count":1000000000}}]},
       "layout":{"kind":"wheel","itemSize":{"width":0.0001,"height":100}},
       "viewport":{"width":375,"height":300}}
      """)
    #expect(answer?.status == 422)
    #expect(answer?["pointer"] as? String == "/layout/itemSize")
  }
}
