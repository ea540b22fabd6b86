import Testing

@testable import LayoutCore

struct MovementTests {
  /// Each preview is laid out from the one before it.
  @Test(arguments: seeds(300))
  func aPreviewIsTheContentWithTheItemMoved(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let content = random.content()
    let (layout, viewport) = (random.layout(), random.viewport())
    let prepared = try PreparedLayout(content, layout: layout, viewport: viewport)
    let paths = content.sections.enumerated().flatMap { section, description in
      (0..<description.items.count).map { IndexPath(item: $0, section: section) }
    }
    guard let source = paths.randomElement(using: &random),
      var movement = InteractiveMovement(
        of: source, at: nil, within: nil, content: content, layout: prepared, contentOffset: .zero)
    else { return }
    for _ in 0..<12 {
      let cell = paths.randomElement(using: &random).flatMap {
        movement.layout.attributes(of: .cell, at: $0, contentOffset: .zero)
      }
      let position = cell?.frame.origin ?? .zero
      let before = movement
      let map = try movement.update(to: position, collection: layout, contentOffset: .zero)
      var batch = BatchUpdate()
      if movement.target != source { batch.moveItems = [(source, movement.target)] }
      let moved = try batch.applied(to: content).content
      let scratch = try PreparedLayout(moved, layout: layout, viewport: viewport)
      var resting = movement.layout
      resting.putDown()
      #expect(resting.contentSize == scratch.contentSize)
      #expect(
        resting.everyElement(of: moved, contentOffset: .zero)
          == scratch.everyElement(of: moved, contentOffset: .zero))
      #expect(movement.layout.lifted?.indexPath == movement.target)
      #expect(map.newIndexPath(of: before.target) == movement.target)
      #expect(map.oldIndexPath(of: movement.target) == before.target)
    }
  }
}
