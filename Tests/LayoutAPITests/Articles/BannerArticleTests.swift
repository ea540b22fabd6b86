import HTTPMessages
import Testing

/// The banner: cards of 275×150 in 375, 50 from the left; one stands whole, the ones beside it are
/// smaller, the one before it slides under it.
struct BannerArticleTests {
  private let layout = """
    {"kind":"banner","itemSize":{"width":275,"height":150},
     "sectionInset":{"top":10,"left":50,"bottom":0,"right":50}}
    """

  private func visible(at offset: Double, rect: String? = nil) throws -> LaidOut {
    try LaidOut(
      #"{"items":{"count":4}},{"items":{"count":6}}"#, layout: layout,
      viewport: "{\"width\":375,\"height\":200,\"contentOffset\":{\"x\":\(offset),\"y\":0}}",
      rect: rect)
  }

  @Test func cardsAreSmallerBesideTheStop() throws {
    let banner = try visible(at: 0)
    #expect(banner.contentSize == [2850, 200])
    #expect(banner.names == ["cell 0 0", "cell 0 1"])
    #expect(banner["cell 0 0"]?.frame == [50, 10, 275, 150])
    #expect(banner["cell 0 0"]?.transform == [1, 0, 0, 1, 0, 0])
    // 275 from the stop, 137.5 more than half a card: 1 − 137.5 · 0.15 / 275.
    #expect(banner["cell 0 1"]?.frame == [325, 10, 275, 150])
    #expect(areClose(banner["cell 0 1"]?.transform, [0.925, 0, 0, 0.925, 0, 0]))
  }

  @Test func theCardBeforeTheNearestSlidesUnderIt() throws {
    let banner = try visible(at: 275)
    #expect(banner.names == ["cell 0 0", "cell 0 1", "cell 0 2"])
    #expect(areClose(banner["cell 0 0"]?.transform, [0.925, 0, 0, 0.925, 0.925 * 137.5 * 0.3, 0]))
    #expect(banner.elements.map(\.zIndex) == [-1, 0, 0])
    // Half way the first of the two is nearest, and none is before it.
    #expect(try visible(at: 137.5).elements.map(\.zIndex) == [0, 0])
    #expect(try visible(at: 137.6).elements.map(\.zIndex) == [-1, 0])
  }

  @Test func sectionsFollowEachOther() throws {
    let banner = try visible(at: 275 * 4)
    #expect(banner.names == ["cell 0 3", "cell 1 0", "cell 1 1"])
    #expect(banner["cell 1 0"]?.frame == [1150, 10, 275, 150])
    #expect(banner["cell 0 3"]?.zIndex == -1)
  }

  @Test func farFromTheStopTheScaleIsTheLeast() throws {
    let banner = try visible(at: 0, rect: everywhere)
    #expect(banner.elements.count == 10)
    #expect(banner["cell 1 5"]?.transform == [0.88, 0, 0, 0.88, 0, 0])
  }

  @Test func aCardKeptBackIsFoundFarFromWhereItRests() throws {
    // Bounced far past the end: card 8 is kept back by 0.88 · (8025 − 137.5) · 0.3 points, and its
    // left edge from 2266.5 to 4348.8.
    let banner = try visible(
      at: 275 * 8 + 8025, rect: #"{"x":4340,"y":0,"width":20,"height":200}"#)
    #expect(banner.names == ["cell 1 4"])
    #expect(banner.elements.first?.zIndex == -1)
  }

  @Test func aDragEndsOneCardFromWhereItBeganWhateverTheVelocity() throws {
    let service = MockService()
    let session = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":4}},{"items":{"count":6}}]},"layout":\(layout),
       "viewport":{"width":375,"height":200}}
      """)
    func snap(from start: Double, to offset: Double, velocity: Double = 0) -> String {
      service.snap(
        session,
        """
        {"proposedContentOffset":{"x":\(offset + velocity),"y":0},
         "startContentOffset":{"x":\(start),"y":0},"contentOffset":{"x":\(offset),"y":0},
         "velocity":{"x":\(velocity),"y":0}}
        """)
    }
    #expect(snap(from: 0, to: 30) == "275.0 [0,1]")
    #expect(snap(from: 0, to: 30, velocity: -900) == "275.0 [0,1]")
    #expect(snap(from: 275, to: 260, velocity: 900) == "0.0 [0,0]")
    #expect(snap(from: 275, to: 275) == "275.0 [0,1]")
    #expect(snap(from: 0, to: -40) == "0.0 [0,0]")
    #expect(snap(from: 2475, to: 2500) == "2475.0 [1,5]")
    // The card that the drag began at is far off screen by now.
    #expect(snap(from: 0, to: 2000) == "275.0 [0,1]")
    #expect(snap(from: 2475, to: 100) == "2200.0 [1,4]")
    // Across sections.
    #expect(snap(from: 825, to: 830) == "1100.0 [1,0]")
    // Where the finger was lifted is not said: as if there had been no fling.
    #expect(
      service.snap(
        session,
        #"{"proposedContentOffset":{"x":30,"y":0},"startContentOffset":{"x":0,"y":0}}"#)
        == "275.0 [0,1]")
  }

  @Test func contentIsNoLongerThanItMayBeWithItsInsets() throws {
    func banner(_ insets: String) throws -> LaidOut {
      try LaidOut(
        #"{"items":{"count":1000000000000}}"#,
        layout: """
          {"kind":"banner","itemSize":{"width":9,"height":9},"sectionInset":{\(insets)}}
          """, viewport: #"{"width":1,"height":9}"#)
    }
    #expect(try banner("").contentSize == [9e12, 9])
    #expect(throws: MockError.self) { try banner(#""left":1"#) }
    #expect(throws: MockError.self) { try banner(#""right":1"#) }
  }

  @Test func theStopIsWhatStartScrollsTo() throws {
    let service = MockService()
    let session = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":10}}]},"layout":\(layout),
       "viewport":{"width":375,"height":200}}
      """)
    func offset(_ position: String) -> String? {
      service.send(.get, session + "/scroll-offset?section=0&item=3&position=" + position)?
        .text("contentOffset")
    }
    #expect(offset("start") == #"{"x":825,"y":0}"#)
    #expect(offset("end") == #"{"x":775,"y":0}"#)
    #expect(offset("center") == #"{"x":825,"y":0}"#)
  }

  @Test func spacingAndScalesAreThoseThatAreSaid() throws {
    let banner = try LaidOut(
      #"{"items":{"count":4}}"#,
      layout: """
        {"kind":"banner","itemSize":{"width":200,"height":100},"itemSpacing":20,"minimumScale":0.5,
         "scaleFactor":0.4,"shiftFactor":0.1}
        """, viewport: #"{"width":300,"height":100,"contentOffset":{"x":220,"y":0}}"#,
      rect: everywhere)
    #expect(banner.contentSize == [880, 100])
    #expect(banner.elements.map { $0.frame[0] } == [0, 220, 440, 660])
    // A card away is 120 more than half a card: 1 − 120 · 0.4 / 200; kept back by 0.76 · 120 · 0.1.
    #expect(areClose(banner["cell 0 0"]?.transform, [0.76, 0, 0, 0.76, 9.12, 0]))
    #expect(areClose(banner["cell 0 2"]?.transform, [0.76, 0, 0, 0.76, 0, 0]))
    #expect(banner["cell 0 3"]?.transform == [0.5, 0, 0, 0.5, 0, 0])
  }
}
