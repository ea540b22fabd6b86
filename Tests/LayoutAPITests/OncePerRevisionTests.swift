import LayoutCore
import LayoutSessions
import Testing

@testable import LayoutAPI

struct OncePerRevisionTests {
  @Test func ticksDoNotMakeWork() throws {
    let description = Description(
      content: Content(sections: [Section(items: Items(count: 100))]), layout: ListLayout(),
      viewport: Viewport(size: Size(width: 100, height: 100)))
    var generator = SystemRandomNumberGenerator()
    let session = Session(
      id: SessionID(using: &generator), description: description,
      layout: try PreparedLayout(
        description.content, layout: description.layout, viewport: description.viewport),
      scrolling: ScrollState(contentOffset: .zero))
    var once = OncePerRevision<Int>()
    #expect(try once.value(for: session.snapshot) { 1 } == 1)
    _ = session.scroll { _, _ in true }
    #expect(try once.value(for: session.snapshot) { 2 } == 1)
    _ = try session.change(waitingIn: nil) { (current) throws(Failure) in
      Session.Change(
        document: current.document, scrolling: current.scrolling, isNewVersion: true)
    }
    #expect(try once.value(for: session.snapshot) { 3 } == 3)
  }
}
