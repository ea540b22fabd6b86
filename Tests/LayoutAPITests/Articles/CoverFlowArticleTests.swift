import HTTPMessages
import Testing

/// Covers that grow towards the middle: 375×200 with 133×133 cards.
struct CoverFlowArticleTests {
  private let covers = #"{"items":{"count":5}}"#
  private let layout = #"{"kind":"coverFlow","itemSize":{"width":133,"height":133}}"#

  private func visible(at offset: Double, _ layout: String? = nil) throws -> LaidOut {
    try LaidOut(
      covers, layout: layout ?? self.layout,
      viewport: "{\"width\":375,\"height\":200,\"contentOffset\":{\"x\":\(offset),\"y\":0}}")
  }

  @Test func theScaleFallsWithTheDistanceFromTheMiddle() throws {
    let flow = try visible(at: 0)
    // Five covers and four spacings of 10.
    #expect(flow.contentSize == [705, 200])
    #expect(flow.names == ["cell 0 0", "cell 0 1", "cell 0 2"])
    #expect(flow["cell 0 0"]?.frame == [0, 33.5, 133, 133])
    #expect(flow["cell 0 1"]?.frame == [143, 33.5, 133, 133])
    for (name, center) in [("cell 0 0", 66.5), ("cell 0 1", 209.5), ("cell 0 2", 352.5)] {
      let scale = 1.8 - abs(center - 187.5) / 375
      #expect(areClose(flow[name]?.transform, [scale, 0, 0, scale, 0, 0]))
    }
    #expect(flow.elements.map(\.zIndex) == [-1, 0, -1])
  }

  @Test func aCoverThatReachesIntoTheViewportOnlyScaledIsVisible() throws {
    // Cover 3 rests from 429 on, beyond the viewport until 54. Its left edge is at
    // 495.5 − 66.5 · (1.8 − (308 − x) / 375), which x + 375 passes at x = 47.07.
    #expect(try visible(at: 47).names.last == "cell 0 2")
    #expect(try visible(at: 47.1).names.last == "cell 0 3")
  }

  @Test func aScaleDoesNotTurnNegative() throws {
    let far = try LaidOut(
      #"{"items":{"count":50}}"#, layout: layout,
      viewport: #"{"width":375,"height":200}"#, rect: everywhere)
    // 1.8 viewport lengths from the middle there is nothing left to be seen.
    #expect(far.elements.count == 6)
    let service = MockService()
    let session = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":50}}]},"layout":\(layout),
       "viewport":{"width":375,"height":200}}
      """)
    let last = service.send(.get, session + "/attributes/cell/0/49")
    #expect(
      last?.text("attributes") == """
        {"frame":{"height":133,"width":133,"x":7007,"y":33.5},"indexPath":[0,49],"kind":"cell",\
        "transform":[0,0,0,0,0,0],"zIndex":-48}
        """)
    let kept = try LaidOut(
      #"{"items":{"count":50}}"#,
      layout: #"{"kind":"coverFlow","itemSize":{"width":133,"height":133},"minimumScale":0.5}"#,
      viewport: #"{"width":375,"height":200}"#, rect: everywhere)
    #expect(kept.elements.count == 50)
    #expect(kept["cell 0 49"]?.transform == [0.5, 0, 0, 0.5, 0, 0])
  }

  @Test func sectionsFormOneLineEachWithItsInsets() throws {
    let inset = #""sectionInset":{"top":0,"left":10,"bottom":0,"right":20}"#
    let flow = try LaidOut(
      "{\"items\":{\"count\":2},\(inset)},{\"items\":{\"count\":0},\(inset)},{\"items\":{\"count\":2}}",
      layout: layout, viewport: #"{"width":375,"height":200}"#, rect: everywhere)
    #expect(flow.contentSize == [306 + 30 + 276, 200])
    #expect(flow.elements.map { $0.frame[0] } == [10, 153, 336, 479])
    // The middle of the viewport is nearest to [0,1]; [2,0] is next to it.
    #expect(flow.elements.map(\.zIndex) == [-1, 0, -1, -2])
  }

  @Test func ofCoversThatAreAsNearTheFirstIsInFront() throws {
    // Half way between the middles of 1 and 2.
    let between = try visible(at: 93.5)
    #expect(between["cell 0 1"]?.zIndex == 0)
    #expect(between["cell 0 2"]?.zIndex == -1)
    // Two without a breadth have the same middle, 100.
    let thin = try LaidOut(
      #"{"items":{"sizes":[[100,50],[0,50],[0,50],[100,50]]}}"#,
      layout: #"{"kind":"coverFlow","minimumLineSpacing":0}"#,
      viewport: #"{"width":200,"height":200,"contentOffset":{"x":1,"y":0}}"#)
    #expect(thin["cell 0 3"]?.zIndex == -2)
  }

  @Test func aScaleThatIsAlwaysTheLeastIsLookedForAsFarAsItReaches() throws {
    // From −133 to 266, though it rests up to 133.
    let large = try LaidOut(
      #"{"items":{"count":1}}"#,
      layout: """
        {"kind":"coverFlow","itemSize":{"width":133,"height":133},"maximumScale":1,"minimumScale":3}
        """,
      viewport: #"{"width":375,"height":200}"#, rect: #"{"x":250,"y":0,"width":9,"height":200}"#)
    #expect(large.names == ["cell 0 0"])
  }

  @Test func aCoverThatIsTooWideStaysCentred() throws {
    let flow = try LaidOut(
      #"{"items":{"count":1,"size":{"width":100,"height":300}}}"#, layout: layout,
      viewport: #"{"width":375,"height":200}"#, rect: everywhere)
    #expect(flow["cell 0 0"]?.frame == [0, -50, 100, 300])
  }

  @Test func aDragEndsWithTheNearestCoverInTheMiddleNotAWidthOff() throws {
    let service = MockService()
    let session = try service.makeSession(
      """
      {"collection":{"sections":[\(covers)]},"layout":\(layout),
       "viewport":{"width":375,"height":200}}
      """)
    func snap(_ x: Double) -> String {
      service.snap(
        session,
        "{\"proposedContentOffset\":{\"x\":\(x),\"y\":0},\"velocity\":{\"x\":100,\"y\":0}}")
    }
    #expect(snap(100) == "165.0 [0,2]")
    #expect(snap(93.5) == "22.0 [0,1]")  // as near to both: the lower one
    #expect(snap(93.6) == "165.0 [0,2]")
    #expect(snap(1) == "22.0 [0,1]")
    #expect(snap(0) == "0.0 null")
    #expect(snap(330) == "330.0 null")
    #expect(snap(5000) == "330.0 null")
  }

  /// Middles at 25 and 105, that of the viewport at 100.
  @Test func aSectionsSpacingAndTheFalloffAreThoseThatAreSaid() throws {
    let flow = try LaidOut(
      #"{"items":{"count":2},"minimumLineSpacing":30}"#,
      layout: #"{"kind":"coverFlow","maximumScale":1.5,"scaleFalloff":2}"#,
      viewport: #"{"width":200,"height":100}"#)
    #expect(flow.contentSize == [130, 100])
    #expect(areClose(flow["cell 0 0"]?.transform, [0.75, 0, 0, 0.75, 0, 0]))
    #expect(areClose(flow["cell 0 1"]?.transform, [1.45, 0, 0, 1.45, 0, 0]))
  }
}
