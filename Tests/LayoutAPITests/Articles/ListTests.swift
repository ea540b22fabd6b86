import HTTPMessages
import Testing

/// Lists, which no article is about and every application has.
struct ListTests {
  @Test func anItemIsAsWideAsThereIsRoomAndAsLongAsItSays() throws {
    let list = try LaidOut(
      #"{"items":{"lengths":[30,50]}},{"items":{"sizes":[[10,70]]}},"#
        + #"{"items":{"count":1,"size":{"width":400,"height":20}}},{"items":{"aspectRatios":[2]}},"#
        + #"{"items":{"count":1}}"#,
      layout: #"{"kind":"list","itemSpacing":2,"sectionInset":{"left":10,"right":10,"bottom":1}}"#,
      viewport: #"{"width":320,"height":667}"#)
    #expect(
      list.elements.map(\.frame) == [
        [10, 0, 300, 30], [10, 32, 300, 50], [10, 83, 300, 70], [10, 154, 300, 20],
        [10, 175, 300, 150], [10, 326, 300, 44],
      ])
    #expect(list.contentSize == [320, 371])
  }

  @Test func pinnedHeadersPushEachOther() throws {
    func headers(at offset: Double) throws -> [[Double]] {
      try LaidOut(
        #"{"items":{"count":5}},{"items":{"count":5}}"#,
        layout: """
          {"kind":"list","headerReferenceSize":{"width":0,"height":30},
           "sectionHeadersPinToVisibleBounds":true}
          """,
        viewport: "{\"width\":320,\"height\":300,\"contentOffset\":{\"x\":0,\"y\":\(offset)}}"
      ).elements.filter { $0.name.hasPrefix("header") && $0.zIndex == 1024 }.map(\.frame)
    }
    // A section is 30 + 5·44 = 250 long; its header cannot go past 220.
    #expect(try headers(at: 100) == [[0, 100, 320, 30], [0, 250, 320, 30]])
    #expect(try headers(at: 235) == [[0, 220, 320, 30], [0, 250, 320, 30]])
    #expect(try headers(at: 260) == [[0, 260, 320, 30]])
    #expect(try headers(at: -40) == [[0, 0, 320, 30], [0, 250, 320, 30]])
  }

  @Test(arguments: [("Headers", 1024, 0), ("Footers", 0, 1024)])
  func onlyWhatIsPinnedIsInFront(pinned: String, header: Int, footer: Int) throws {
    let list = try LaidOut(
      #"{"items":{"count":1},"header":{"width":0,"height":9},"footer":{"width":0,"height":9}}"#,
      layout: "{\"kind\":\"list\",\"section\(pinned)PinToVisibleBounds\":true}",
      viewport: #"{"width":320,"height":300}"#)
    #expect(list["header 0 0"]?.zIndex == header)
    #expect(list["footer 0 0"]?.zIndex == footer)
  }

  /// 0.998 a millisecond: 499 milliseconds' way, and 99 if it is said to be fast.
  @Test(arguments: [("", 499), (#","snap":{"decelerationRate":"fast"}"#, 99)])
  func aFlingSlowsDownNormallyUnlessItIsSaid(snap: String, expected: Int) {
    let answer = MockService().send(
      .post, "/v1/layout",
      """
      {"collection":{"sections":[{"items":{"count":100}}]},"layout":{"kind":"list"\(snap)},
       "viewport":{"width":320,"height":300},"snap":{"velocity":{"x":0,"y":1000}}}
      """)
    let target = answer?["snap"] as? [String: Any]
    #expect(
      target?["targetContentOffset"].map(canonicalJSON) == "{\"x\":0,\"y\":\(expected)}")
  }

  /// The bound itself is no longer than content may be.
  @Test func contentMayBeNineTrillionPointsLong() throws {
    func list(_ count: Int) throws -> LaidOut {
      try LaidOut(
        "{\"items\":{\"count\":\(count)}}", layout: #"{"kind":"list","itemLength":10}"#,
        viewport: #"{"width":320,"height":300}"#)
    }
    #expect(try list(900_000_000_000).contentSize == [320, 9e12])
    #expect(throws: MockError.self) { try list(900_000_000_001) }
  }

  /// 499 pixels' way, or twice as many, until half of one is left.
  @Test(arguments: [("", 3.4494226094062745), (#","displayScale":2"#, 3.7956495104557657)])
  func aFlingTakesSoLong(scale: String, seconds: Double) {
    let answer = MockService().send(
      .post, "/v1/layout",
      """
      {"collection":{"sections":[{"items":{"count":9}}]},"layout":{"kind":"list"},
       "viewport":{"width":320,"height":300\(scale)},
       "snap":{"velocity":{"x":0,"y":1000}}}
      """)
    let duration = (answer?["snap"] as? [String: Any])?["duration"] as? Double
    #expect(abs((duration ?? 0) - seconds) < 1e-9)
  }
}
