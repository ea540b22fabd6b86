import Testing

/// A flow with headers and footers: cells of 65×35, 20 and 10 apart, insets of 10, headers and footers
/// 50 long, sections of 16 and 20.
struct FlowArticleTests {
  @Test func fourToALineTouchBothInsets() throws {
    let flow = try LaidOut(
      #"{"items":{"count":16}},{"items":{"count":20}}"#,
      layout: """
        {"kind":"flow","itemSize":{"width":65,"height":35},"minimumLineSpacing":20,
         "minimumInteritemSpacing":10,"headerReferenceSize":{"width":150,"height":50},
         "footerReferenceSize":{"width":130,"height":50},
         "sectionInset":{"top":10,"left":10,"bottom":10,"right":10}}
        """, viewport: #"{"width":375,"height":667}"#, rect: everywhere)
    #expect(flow.contentSize == [375, 695])
    #expect(flow["header 0 0"]?.frame == [0, 0, 375, 50])
    // The gaps share what is left: (355 − 4·65) / 3.
    #expect(flow["cell 0 1"]?.frame == [106.666667, 60, 65, 35])
    #expect(flow["cell 0 3"]?.frame == [300, 60, 65, 35])
    #expect(flow["cell 0 4"]?.frame == [10, 115, 65, 35])
    #expect(flow["footer 0 0"]?.frame == [0, 270, 375, 50])
    #expect(flow["header 1 0"]?.frame == [0, 320, 375, 50])
    #expect(flow["cell 1 19"]?.frame == [300, 600, 65, 35])
    #expect(flow["footer 1 0"]?.frame == [0, 645, 375, 50])
  }

  /// A line of 30 + 40, and one of 50, in 100.
  @Test(arguments: [
    ("", [[0.0, 5], [60, 0], [0, 30]]),
    (#","lineAlignment":"trailing""#, [[20, 5], [60, 0], [50, 30]]),
    (
      #","lineAlignment":"trailing","lastLineAlignment":"center""#, [[20, 5], [60, 0], [25, 30]]
    ),
    (#","itemAlignment":"trailing""#, [[0, 10], [60, 0], [0, 30]]),
  ])
  func linesAndItemsLieAsTheyAreSaidTo(members: String, places: [[Double]]) throws {
    let flow = try LaidOut(
      #"{"items":{"sizes":[[30,10],[40,20],[50,30]]}}"#, layout: "{\"kind\":\"flow\"\(members)}",
      viewport: #"{"width":100,"height":100}"#)
    #expect(flow.elements.map { Array($0.frame[..<2]) } == places)
  }
}
