import Testing

/// The three waterfalls, each as one description.
struct WaterfallArticleTests {
  @Test func theShortestOfFourColumnsTakesTheNextItemAtItsOwnHeight() throws {
    let waterfall = try LaidOut(
      #"{"items":{"lengths":[100,60,80,60,50,30]},"sectionInset":{"top":10,"left":0,"bottom":7,"right":0}}"#,
      layout: #"{"kind":"waterfall","columnCount":4}"#, viewport: #"{"width":375,"height":667}"#)
    // Columns of (375 − 3·10) / 4; items are 10 apart.
    #expect(
      waterfall.elements.map(\.frame) == [
        [0, 10, 86.25, 100], [96.25, 10, 86.25, 60], [192.5, 10, 86.25, 80],
        [288.75, 10, 86.25, 60], [96.25, 80, 86.25, 50], [288.75, 80, 86.25, 30],
      ])
    #expect(waterfall.contentSize == [375, 137])
  }

  @Test func sectionsHaveHeadersAndFootersAcrossMarginsAndGaps() throws {
    let section = #"{"items":{"lengths":[40,20,30]},"#
    let waterfall = try LaidOut(
      section + #""header":{"width":0,"height":30},"footer":{"width":0,"height":15}},"#
        + #"{"header":{"width":0,"height":30}},"# + section + #""columnCount":3}"#,
      layout: """
        {"kind":"waterfall","columnCount":2,"minimumColumnSpacing":8,"minimumInteritemSpacing":6,
         "sectionInset":{"top":12,"left":16,"bottom":14,"right":16},
         "headerInset":{"top":4,"left":3,"bottom":5,"right":3}}
        """, viewport: #"{"width":320,"height":667}"#)
    let expected: [(String, [Double])] = [
      ("header 0 0", [3, 4, 314, 30]), ("cell 0 0", [16, 51, 140, 40]),
      ("cell 0 1", [164, 51, 140, 20]), ("cell 0 2", [164, 77, 140, 30]),
      ("footer 0 0", [0, 121, 320, 15]),
      // A section without items still takes its header and its insets.
      ("header 1 0", [3, 140, 314, 30]),
      ("cell 2 0", [16, 213, 90.666667, 40]), ("cell 2 1", [114.666667, 213, 90.666667, 20]),
      ("cell 2 2", [213.333333, 213, 90.666667, 30]),
    ]
    #expect(waterfall.names == expected.map(\.0))
    #expect(waterfall.elements.map(\.frame) == expected.map(\.1))
    #expect(waterfall.contentSize == [320, 267])
  }

  /// Three columns of 100 have two spacings between them, not three.
  @Test(arguments: [(319.0, [0.0, 164.5, 0.0]), (320.0, [0.0, 110.0, 220.0])])
  func asManyColumnsAsFitWithTheirSpacings(width: Double, columns: [Double]) throws {
    let waterfall = try LaidOut(
      #"{"items":{"count":3}}"#, layout: #"{"kind":"waterfall","minimumColumnWidth":100}"#,
      viewport: "{\"width\":\(width),\"height\":667}")
    #expect(waterfall.elements.map { $0.frame[0] } == columns)
  }

  @Test func paddedCellsOfEqualColumns() throws {
    let waterfall = try LaidOut(
      #"{"items":{"lengths":[100,50,70]}}"#,
      layout: """
        {"kind":"waterfall","columnCount":2,"itemPadding":5,"minimumColumnSpacing":0,
         "minimumInteritemSpacing":0}
        """, viewport: #"{"width":320,"height":667}"#)
    // A cell takes its length and twice the padding of its column.
    #expect(
      waterfall.elements.map(\.frame) == [
        [5, 5, 150, 100], [165, 5, 150, 50], [165, 65, 150, 70],
      ])
    #expect(waterfall.contentSize == [320, 140])
  }

  @Test(arguments: [("vertical", [2.0, 11, 94, 20]), ("horizontal", [12, 1, 20, 96])])
  func aFooterHasTheLayoutsInsets(direction: String, frame: [Double]) throws {
    let waterfall = try LaidOut(
      #"{"items":{"lengths":[10]}}"#,
      layout: """
        {"kind":"waterfall","scrollDirection":"\(direction)","footerReferenceSize":{"width":20,"height":20},
         "footerInset":{"top":1,"left":2,"bottom":3,"right":4}}
        """, viewport: #"{"width":100,"height":100}"#)
    #expect(waterfall["footer 0 0"]?.frame == frame)
  }

  /// In a column of 50, 40 by 80 is 25 by 50.
  @Test func acrossItIsTheHeightThatIsScaled() throws {
    let waterfall = try LaidOut(
      #"{"items":{"count":1}}"#,
      layout: """
        {"kind":"waterfall","scrollDirection":"horizontal","minimumColumnSpacing":0,
         "itemSize":{"width":40,"height":80}}
        """, viewport: #"{"width":200,"height":100}"#)
    #expect(waterfall["cell 0 0"]?.frame == [0, 0, 25, 50])
  }
}
