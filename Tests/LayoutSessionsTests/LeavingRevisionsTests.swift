import LayoutCore
import Testing

@testable import LayoutSessions

struct LeavingRevisionsTests {
  /// Another revision may be where one was that is gone.
  @Test func whatHasBeenTakenMayLeaveAgain() throws {
    var leaving = LeavingRevisions()
    let revision = try SessionChangeTests.session().snapshot.revision
    for _ in 0..<2 {
      leaving.append(revision, byteCount: 5)
      leaving.append(revision, byteCount: 5)
      #expect(leaving.byteCount == 5)
      #expect(leaving.takeAll().count == 1)
      #expect(leaving.byteCount == 0)
    }
    leaving.append(revision, byteCount: 5)
    // This test holds it.
    #expect(leaving.takeUnheld().isEmpty)
    #expect(leaving.byteCount == 5)
    withExtendedLifetime(revision) {}
  }

  /// What only shows another arrangement weighs what that takes beside the document, which stays.
  @Test func whatIsMovedIsCounted() throws {
    let session = try SessionChangeTests.session()
    let resting = session.snapshot
    let movement = try #require(
      InteractiveMovement(
        of: IndexPath(item: 0, section: 0), at: .zero, within: nil,
        content: resting.description.content, layout: resting.layout, contentOffset: .zero))
    let moving = try session.change { current in
      Session.Change(
        document: current.document, scrolling: current.scrolling, isNewVersion: false,
        movement: movement)
    }
    #expect(moving.revision.byteCount(besides: resting.revision) == movement.byteCount)
    #expect(movement.byteCount > 0)
    #expect(resting.revision.byteCount(besides: moving.revision) == 0)
    #expect(moving.revision.byteCount(besides: moving.revision) == 0)
  }
}
