import Testing

/// Many cells a page, read row by row, pages turned sideways: 4×4, sections of 20, 16 and 0 items.
struct PagedGridArticleTests {
  private let sections =
    #"{"items":{"count":20}},{"items":{"count":0}},{"items":{"count":16}},{"items":{"count":0}}"#

  @Test func aSectionOfTwentyTakesTwoPagesOfSixteenOneAndAnEmptyOneNone() throws {
    let grid = try LaidOut(
      sections, layout: #"{"kind":"pagedGrid"}"#, viewport: #"{"width":375,"height":667}"#,
      rect: everywhere)
    #expect(grid.contentSize == [1125, 667])
    #expect(grid.elements.count == 36)
    // Cells of (375 − 3·10) / 4 by (667 − 3·10) / 4.
    #expect(grid["cell 0 0"]?.frame == [0, 0, 86.25, 159.25])
    #expect(grid["cell 0 5"]?.frame == [96.25, 169.25, 86.25, 159.25])
    #expect(grid["cell 0 15"]?.frame == [288.75, 507.75, 86.25, 159.25])
    #expect(grid["cell 0 16"]?.frame == [375, 0, 86.25, 159.25])
    #expect(grid["cell 2 0"]?.frame == [750, 0, 86.25, 159.25])
    #expect(grid["cell 2 15"]?.frame == [1038.75, 507.75, 86.25, 159.25])
  }

  @Test func pagesBelowEachOtherAreStillFilledRowByRow() throws {
    let grid = try LaidOut(
      sections, layout: #"{"kind":"pagedGrid","scrollDirection":"vertical"}"#,
      viewport: #"{"width":375,"height":667}"#, rect: everywhere)
    #expect(grid.contentSize == [375, 2001])
    #expect(grid["cell 0 5"]?.frame == [96.25, 169.25, 86.25, 159.25])
    #expect(grid["cell 0 16"]?.frame == [0, 667, 86.25, 159.25])
    #expect(grid["cell 2 0"]?.frame == [0, 1334, 86.25, 159.25])
  }

  @Test func insetsAndSpacingsLeaveCellsWhatRemains() throws {
    let grid = try LaidOut(
      #"{"items":{"count":7},"sectionInset":{"top":5,"left":20,"bottom":15,"right":30}}"#,
      layout:
        #"{"kind":"pagedGrid","columns":3,"rows":2,"minimumInteritemSpacing":6,"minimumLineSpacing":4}"#,
      viewport: #"{"width":362,"height":224}"#, rect: everywhere)
    // (362 − 50 − 12) / 3 = 100, (224 − 20 − 4) / 2 = 100.
    #expect(grid.contentSize == [724, 224])
    #expect(grid["cell 0 4"]?.frame == [126, 109, 100, 100])
    #expect(grid["cell 0 6"]?.frame == [382, 5, 100, 100])
  }

  @Test func cellsThatHaveNoRoomAreNotVisible() throws {
    let grid = try LaidOut(
      #"{"items":{"count":1000000000000}}"#,
      layout: #"{"kind":"pagedGrid","columns":4,"rows":4,"minimumInteritemSpacing":200}"#,
      viewport: #"{"width":1,"height":667}"#, rect: everywhere)
    #expect(grid.elements.isEmpty)
  }

  @Test func aDragEndsAtAPage() throws {
    let service = MockService()
    let session = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":100}}]},"layout":{"kind":"pagedGrid"},
       "viewport":{"width":375,"height":667,"contentOffset":{"x":375,"y":0}}}
      """)
    let flick = #""proposedContentOffset":{"x":2000,"y":0},"velocity":{"x":900,"y":0}}"#
    #expect(service.snap(session, "{" + flick) == "750.0 null")
    #expect(
      service.snap(session, #"{"startContentOffset":{"x":1500,"y":0},"# + flick) == "1875.0 null")
  }

  @Test func aSectionHasSpacingsOfItsOwn() throws {
    let grid = try LaidOut(
      #"{"items":{"count":6},"minimumInteritemSpacing":6,"minimumLineSpacing":4}"#,
      layout: #"{"kind":"pagedGrid","columns":3,"rows":2}"#,
      viewport: #"{"width":312,"height":204}"#)
    #expect(grid["cell 0 4"]?.frame == [106, 104, 100, 100])
  }
}
