import Synchronization
import Testing

@testable import LayoutCore

/// A list that says whether it was given what it made before.
private final class RecordingLayout: CollectionLayout {
  static let kind = "recording"
  let scrollDirection: ScrollDirection
  let isReusing = Mutex(false)

  init(scrollDirection: ScrollDirection) { self.scrollDirection = scrollDirection }

  init<Metrics: LayoutMetrics & ~Copyable & ~Escapable>(
    metrics: inout Metrics
  ) throws(Metrics.Failure) { scrollDirection = .vertical }

  func arrange(
    _ content: Content, in container: Container, reusing old: Rearrangement?
  ) throws(LayoutError) -> any Placement {
    let isReused = if case .sections(let edits) = old?.change { edits.isEmpty } else { false }
    isReusing.withLock { $0 = isReused }
    return try ListLayout().arrange(content, in: container, reusing: old)
  }
}

/// A layout after an update is the layout of the content after the update.
struct IncrementalLayoutTests {
  /// 300 seeds of 80 batches each: 24,000 batches.
  @Test(arguments: seeds(300))
  func anUpdatedLayoutIsThatFromScratch(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    try check(&generator, generator.content(), batches: 80)
  }

  /// Of content that takes the place of other content nobody knows what is as it was.
  @Test func whatReplacesContentIsLaidOutAsAWhole() throws {
    let contents = [[5, 6, 7], [70, 60, 50, 40]].map { heights in
      var names = StringTable()
      for index in heights.indices { names.append("\(index)") }
      let lengths = LengthArray(count: heights.count) { Length(points: heights[$0]) }
      return Content(sections: [
        Section(items: Items(count: heights.count, extents: .lengths(lengths), ids: names))
      ])
    }
    let viewport = Viewport(size: Size(width: 100, height: 100))
    let layout = ListLayout()
    let before = try PreparedLayout(contents[0], layout: layout, viewport: viewport)
    let updated = try #require(UpdatedContent(replacing: contents[0], by: NameIndex(contents[1])))
    let after = try PreparedLayout(updating: before, to: updated, layout: layout)
    #expect(after.contentSize == Size(width: 100, height: 220))
  }

  /// So many items that ropes have several levels, and lines and columns fall out of step.
  @Test(arguments: seeds(35))
  func anUpdatedLayoutOfManyItemsIsThatFromScratch(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var sections = [generator.section(), generator.section()]
    sections[0].items = ItemList(generator.items(3000))
    let equal = generator.size(1...60)
    sections[1].items = ItemList(runs: [
      Items(count: 2000, extents: .size(equal)), generator.items(40),
      Items(count: 700, extents: .size(equal)), generator.items(700),
    ])
    try check(&generator, Content(sections: sections), batches: 6)
  }

  /// Many without an area among them, and many sections without items.
  @Test(arguments: seeds(60))
  func anUpdatedLayoutOfWhatHasNoAreaIsThatFromScratch(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    try check(&generator, generator.sparseContent(), batches: 5)
  }

  /// Sections with few items keep less than others, and share it: across that border, and in as many columns as
  /// the section before and in others.
  @Test(arguments: seeds(10))
  func sectionsThatBecomeLargerOrSmallerAreLaidOutAsFromScratch(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var layout = generator.waterfallLayout()
    layout.itemRenderDirection = .shortestFirst
    let viewport = generator.viewport()
    var content = Content(
      sections: (0..<4).map { _ in
        var section = generator.section()
        section.items = ItemList(generator.items(generator.int(1...150)))
        section.columnCount = generator.chance(0.5) ? generator.int(1...9) : nil
        return section
      })
    var prepared = try PreparedLayout(content, layout: layout, viewport: viewport)
    for _ in 0..<8 {
      var batch = BatchUpdate()
      for section in 0..<4 {
        let count = content.sections[section].items.count
        if generator.chance(0.5) {
          let items = generator.items(generator.int(1...140))
          batch.insertItems.append(
            (IndexPath(item: generator.int(0...count), section: section), items))
        } else if count > 1 {
          let start = generator.int(0...(count - 1))
          batch.deleteItems.append(
            ItemRange(section: section, start: start, end: generator.int(start...count)))
        }
      }
      batch = batch.repaired(for: content) ?? batch
      let updated = try batch.applied(to: content)
      prepared = try PreparedLayout(updating: prepared, to: updated, layout: layout)
      content = updated.content
      let scratch = try PreparedLayout(content, layout: layout, viewport: viewport)
      #expect(
        prepared.everyElement(of: content, contentOffset: .zero)
          == scratch.everyElement(of: content, contentOffset: .zero))
      #expect(prepared.contentSize == scratch.contentSize)
    }
  }

  /// Many changes in one batch, some of them far from each other.
  @Test(arguments: seeds(10))
  func manyScatteredChangesAreLaidOutAsFromScratch(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var content = Content(sections: [Section(items: generator.items(4000))])
    let layout = generator.layout()
    let viewport = generator.viewport()
    var prepared = try PreparedLayout(content, layout: layout, viewport: viewport)
    for _ in 0..<3 {
      var batch = BatchUpdate()
      let count = content.sections[0].items.count
      let step = generator.int(2...300)
      for place in stride(from: generator.int(0...step), to: count - 4, by: step) {
        let path = IndexPath(item: place, section: 0)
        switch generator.int(0...3) {
        case 0: batch.reloadItems.append((path, generator.items(generator.int(1...2))))
        // There are as many items afterwards, whatever is deleted.
        case 1 where place < count / 2: batch.insertItems.append((path, generator.items(1)))
        default:
          batch.deleteItems.append(
            ItemRange(section: 0, start: place, end: place + generator.int(1...2)))
        }
      }
      batch.deleteItems.shuffle(using: &generator)
      batch = batch.repaired(for: content) ?? batch
      let updated = try batch.applied(to: content)
      #expect(updated.content.flat == NaiveUpdate.apply(batch, to: content.flat))
      let next = try PreparedLayout(updating: prepared, to: updated, layout: layout)
      let scratch = try PreparedLayout(
        Content(sections: Array(updated.content.sections)), layout: layout, viewport: viewport)
      #expect(next.contentSize == scratch.contentSize)
      let all = next.everyElement(of: updated.content, contentOffset: .zero)
      #expect(all == scratch.everyElement(of: updated.content, contentOffset: .zero))
      content = updated.content
      prepared = next
    }
  }

  @Test(arguments: seeds(300))
  func aResizedLayoutIsThatFromScratch(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let content = generator.content()
    var layout = generator.layout()
    var viewport = generator.viewport()
    var prepared = try PreparedLayout(content, layout: layout, viewport: viewport)
    for _ in 0..<6 {
      let other = generator.viewport()
      switch generator.int(0...4) {
      case 0: viewport.size.width = other.size.width
      case 1: viewport.size.height = other.size.height
      case 2: viewport.displayScale = other.displayScale
      case 3: layout = showingOtherwise(layout)
      default: viewport = other
      }
      prepared = try PreparedLayout(
        resizing: prepared, of: content, layout: layout, to: viewport)
      let scratch = try PreparedLayout(content, layout: layout, viewport: viewport)
      #expect(prepared.viewport == viewport)
      #expect(prepared.contentSize == scratch.contentSize)
      let offset = generator.offset()
      let all = prepared.everyElement(of: content, contentOffset: offset)
      #expect(all == scratch.everyElement(of: content, contentOffset: offset))
      let rect = generator.rect()
      let found = try prepared.elements(in: rect, contentOffset: offset, limit: .max)
      #expect(try found == scratch.elements(in: rect, contentOffset: offset, limit: .max))
      let center = prepared.itemNearestToCenter(contentOffset: offset)
      #expect(center == scratch.itemNearestToCenter(contentOffset: offset))
    }
  }

  /// A layout that differs in what scrolling does, if there is one.
  private func showingOtherwise(_ layout: any CollectionLayout) -> any CollectionLayout {
    if var pinning = layout as? any SectionStackLayout {
      pinning.sectionHeadersPinToVisibleBounds.toggle()
      pinning.sectionFootersPinToVisibleBounds.toggle()
      return pinning
    }
    guard var covers = layout as? CoverFlowLayout else { return layout }
    covers.maximumScale += 0.25
    covers.minimumScale += 0.25
    covers.scaleFalloff += 0.25
    return covers
  }

  @Test func onlyWhatScrollingDoesMayDiffer() {
    let layouts: [any CollectionLayout] = [
      FlowLayout(), WaterfallLayout(), ListLayout(), CoverFlowLayout(), PagedGridLayout(),
      WheelLayout(), BannerLayout(),
    ]
    for (index, layout) in layouts.enumerated() {
      for (other, another) in layouts.enumerated() {
        // Of few cards on a wheel, or banners, nothing is kept.
        #expect(layout.arranges(like: another) == (index == other && index < 5))
      }
      #expect(layout.arranges(like: showingOtherwise(layout)) == (index < 5))
    }
    func isNone<Layout: CollectionLayout>(_ layout: Layout, _ change: (inout Layout) -> Void)
      -> Bool
    {
      var other = layout
      change(&other)
      return !other.arranges(like: layout) && !layout.arranges(like: other)
    }
    #expect(isNone(FlowLayout()) { $0.lastLineAlignment = .center })
    #expect(isNone(FlowLayout()) { $0.sectionInset.left = 1 })
    #expect(isNone(WaterfallLayout()) { $0.minimumContentLength = 1 })
    #expect(isNone(ListLayout()) { $0.scrollDirection = .horizontal })
    #expect(isNone(PagedGridLayout()) { $0.rows = 3 })
    #expect(isNone(CoverFlowLayout()) { $0.scrollDirection = .vertical })
    #expect(isNone(CoverFlowLayout()) { $0.itemSize.height = 1 })
    #expect(isNone(CoverFlowLayout()) { $0.minimumLineSpacing = 1 })
    #expect(isNone(CoverFlowLayout()) { $0.sectionInset.bottom = 1 })
  }

  /// Only in a container as broad, and of the same scale, are lines and columns where they were.
  @Test(arguments: [ScrollDirection.vertical, .horizontal])
  func whatDoesNotDependOnTheViewportsLengthIsKept(direction: ScrollDirection) throws {
    let content = Content(sections: [Section(items: Items(count: 10))])
    let layout = RecordingLayout(scrollDirection: direction)
    let old = try PreparedLayout(
      content, layout: layout, viewport: Viewport(size: Size(width: 300, height: 300)))
    func isKept(_ size: Size, displayScale: DisplayScale? = nil) throws -> Bool {
      let viewport = Viewport(size: direction.upright(size), displayScale: displayScale)
      _ = try PreparedLayout(resizing: old, of: content, layout: layout, to: viewport)
      return layout.isReusing.withLock { $0 }
    }
    /// The sections as they are in memory.
    func sections(_ prepared: PreparedLayout) throws -> AnyObject {
      let stack = Mirror(reflecting: prepared.placement)
      return try #require(stack.descendant("slots", "root", "leaf")) as AnyObject
    }
    let layouts: [any CollectionLayout] = [
      FlowLayout(), WaterfallLayout(), ListLayout(), CoverFlowLayout(), PagedGridLayout(),
    ]
    for layout in layouts {
      let size = layout.scrollDirection.upright(Size(width: 300, height: 300))
      let old = try PreparedLayout(content, layout: layout, viewport: Viewport(size: size))
      let longer = layout.scrollDirection.upright(Size(width: 300, height: 400))
      let new = try PreparedLayout(
        resizing: old, of: content, layout: layout, to: Viewport(size: longer))
      // Pages are as long as the viewport.
      #expect(try (sections(new) === sections(old)) == !(layout is PagedGridLayout))
      let finer = try PreparedLayout(
        resizing: old, of: content, layout: layout,
        to: Viewport(size: size, displayScale: DisplayScale(2)))
      // Columns are whole pixels broad; all else is rounded when it is written.
      #expect(try (sections(finer) === sections(old)) == !(layout is WaterfallLayout))
      let shown = try PreparedLayout(
        resizing: old, of: content, layout: showingOtherwise(layout), to: old.viewport)
      #expect(try sections(shown) === sections(old))
    }
    #expect(try isKept(Size(width: 300, height: 400)))
    #expect(try !isKept(Size(width: 400, height: 300)))
    #expect(try !isKept(Size(width: 300, height: 300), displayScale: DisplayScale(2)))
  }

  private func check(
    _ generator: inout SeededGenerator, _ start: Content, batches: Int
  ) throws {
    var nextName = 0
    var content = start
    let layout = generator.layout()
    let viewport = generator.viewport()
    var prepared = try PreparedLayout(content, layout: layout, viewport: viewport)
    for number in 1...batches {
      let batch = generator.batch(for: content, nextName: &nextName)
      let updated =
        try (try? batch.applied(to: content))
        ?? (batch.repaired(for: content) ?? batch).applied(to: content)
      let next = try PreparedLayout(updating: prepared, to: updated, layout: layout)
      let scratch = try PreparedLayout(
        Content(sections: Array(updated.content.sections)), layout: layout, viewport: viewport)
      let offset = generator.offset()
      #expect(next.contentSize == scratch.contentSize)
      let rect = generator.rect()
      let found = try next.elements(in: rect, contentOffset: offset, limit: .max)
      #expect(try found == scratch.elements(in: rect, contentOffset: offset, limit: .max))
      // What is wrong stays wrong in those that come after it, and is seen in the last.
      if number == batches || generator.chance(0.05) {
        let all = next.everyElement(of: updated.content, contentOffset: offset)
        #expect(all == scratch.everyElement(of: updated.content, contentOffset: offset))
      }
      // Whoever still reads the old one is not disturbed.
      content = updated.content
      prepared = next
    }
  }

  @Test(arguments: seeds(200))
  func anUpdateThatIsUndoneLeavesNoTrace(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var nextName = 0
    let content = generator.content()
    let layout = generator.layout()
    let viewport = generator.viewport()
    let prepared = try PreparedLayout(content, layout: layout, viewport: viewport)
    let offset = generator.offset()
    let before = prepared.everyElement(of: content, contentOffset: offset)
    for _ in 0..<5 {
      let random = generator.batch(for: content, nextName: &nextName)
      let batch = random.repaired(for: content) ?? random
      let updated = try batch.applied(to: content)
      let changed = try PreparedLayout(updating: prepared, to: updated, layout: layout)
      let undone = try batch.inverse(of: content, updated).applied(to: updated.content)
      let restored = try PreparedLayout(updating: changed, to: undone, layout: layout)
      #expect(restored.contentSize == prepared.contentSize)
      #expect(restored.everyElement(of: content, contentOffset: offset) == before)
      #expect(prepared.everyElement(of: content, contentOffset: offset) == before)
    }
  }

  @Test(arguments: seeds(400))
  func aTransitionIsTheDifferenceOfTwoLayouts(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var nextName = 0
    let content = generator.content()
    let layout = generator.layout()
    let prepared = try PreparedLayout(content, layout: layout, viewport: generator.viewport())
    let offset = prepared.clamped(generator.offset())
    let random = generator.batch(for: content, nextName: &nextName)
    let batch = random.repaired(for: content) ?? random
    let updated = try batch.applied(to: content)
    let next = try PreparedLayout(updating: prepared, to: updated, layout: layout)
    let anchors: [Anchor?] = [nil, .start, .end, .visible]
    let anchor = anchors[generator.int(0...3)]
    let after = try next.contentOffset(
      keeping: anchor, of: prepared, at: offset, by: updated.map, limit: .max)
    #expect(after == next.clamped(after))
    let shown = try next.elements(
      in: next.visibleRect(at: after), contentOffset: after, limit: .max)
    let showed = try prepared.elements(
      in: prepared.visibleRect(at: offset), contentOffset: offset, limit: .max)
    let count = max(shown.count, showed.count)
    #expect(throws: LayoutError.tooManyElements(limit: count - 1)) {
      try Transition(
        from: (prepared, offset), to: (next, after), by: updated.map, limit: count - 1)
    }
    let transition = try Transition(
      from: (prepared, offset), to: (next, after), by: updated.map, limit: count)

    // Applied to what showed, it gives what shows.
    var screen = Dictionary(uniqueKeysWithValues: showed.map { ($0.position, $0) })
    for change in transition.disappearing {
      #expect(screen.removeValue(forKey: change.initial.position) == change.initial)
    }
    var result = Set(
      screen.values.filter { element in
        !transition.moving.contains { $0.initial.position == element.position }
      })
    for change in transition.moving + transition.appearing { result.insert(change.final) }
    result.formUnion(transition.entering)
    let gone = Set(transition.leaving)
    #expect(result.filter { !gone.contains($0.identity) } == Set(shown))
    // None of them is named in vain.
    #expect(gone.isSubset(of: result.map(\.identity)))
    var state = ScrollState(contentOffset: offset)
    _ = state.rekey(to: after, by: updated.map)
    let tick = try state.scroll(
      to: after, in: next, prefetch: PrefetchReach(), isFull: false, limit: .max)
    #expect(
      tick.appeared.isEmpty && tick.changed.isEmpty && tick.disappeared.isEmpty && !tick.isReset)
    for change in transition.moving {
      #expect(change.initial != change.final)
      #expect(
        prepared.attributes(
          of: change.initial.kind, at: change.initial.indexPath, contentOffset: offset)
          == change.initial)
      #expect(
        next.attributes(of: change.final.kind, at: change.final.indexPath, contentOffset: after)
          == change.final)
    }
    #expect(transition.appearing.allSatisfy { $0.initial.alpha == 0 && $0.final.alpha == 1 })
  }

  /// Where an effect shows a card that rests beyond the viewport, the one that fills it stays.
  @Test func whatRestsBeyondTheViewDoesNotBeginInIt() throws {
    let content = Content(sections: [Section(items: Items(count: 5))])
    func prepared(_ length: Length) throws -> PreparedLayout {
      var layout = CoverFlowLayout()
      layout.itemSize = Size(width: length, height: 80)
      layout.minimumLineSpacing = 0
      layout.scaleFalloff = 0
      return try PreparedLayout(
        content, layout: layout, viewport: Viewport(size: Size(width: 100, height: 100)))
    }
    let offset = Point(x: 5, y: 0)
    let (old, new) = (try prepared(110), try prepared(200))
    #expect(
      try old.elements(in: old.visibleRect(at: offset), contentOffset: offset, limit: 9).count == 2)
    #expect(
      try new.contentOffset(keeping: .visible, of: old, at: offset, by: NoMap(), limit: 9)
        == offset)
  }

  @Test(arguments: seeds(400))
  func anAnchorStaysWhereItWasOnScreen(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var nextName = 0
    let content = generator.content()
    // Layouts of which cells are where they rest.
    let layout: any CollectionLayout = [
      generator.flowLayout(), generator.listLayout(), generator.waterfallLayout(),
    ][generator.int(0...2)]
    let prepared = try PreparedLayout(content, layout: layout, viewport: generator.viewport())
    let offset = prepared.clamped(generator.offset())
    let random = generator.batch(for: content, nextName: &nextName)
    let batch = random.repaired(for: content) ?? random
    let updated = try batch.applied(to: content)
    let next = try PreparedLayout(updating: prepared, to: updated, layout: layout)
    let visible = try prepared.elements(
      in: prepared.visibleRect(at: offset), contentOffset: offset, limit: .max)
    for cell in visible where cell.kind == .cell {
      let after = try next.contentOffset(
        keeping: .element(.cell, cell.indexPath), of: prepared, at: offset, by: updated.map,
        limit: 0)
      guard let path = updated.map.newIndexPath(of: cell.indexPath) else {
        #expect(after == next.clamped(offset))
        continue
      }
      let frame = try #require(
        next.attributes(of: .cell, at: path, contentOffset: after)?.frame)
      let wanted = Point(
        x: frame.minX - (cell.frame.minX - offset.x), y: frame.minY - (cell.frame.minY - offset.y))
      #expect(after == next.clamped(wanted))
    }
  }

  /// Whichever way the content scrolled before, and scrolls then.
  @Test(arguments: seeds(300))
  func anAnchorStaysThroughAnyOtherLayout(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let content = generator.content()
    let prepared = try PreparedLayout(
      content, layout: generator.layout(), viewport: generator.viewport())
    let next = try PreparedLayout(
      content, layout: generator.layout(), viewport: generator.viewport())
    let offset = prepared.clamped(generator.offset())
    func kept(_ anchor: Anchor, limit: Int = .max) throws(LayoutError) -> Point {
      try next.contentOffset(
        keeping: anchor, of: prepared, at: offset, by: IdentityMap(), limit: limit)
    }
    #expect(try kept(.start) == next.clamped(offset))

    // The way from the end of the viewport to that of the content.
    func rest(_ layout: PreparedLayout, at offset: Point) -> Length {
      let direction = layout.scrollDirection
      return direction.upright(layout.contentSize).height
        - direction.upright(layout.visibleRect(at: offset)).maxY
    }
    let shift = rest(next, at: offset) - rest(prepared, at: offset)
    let isVertical = next.scrollDirection == .vertical
    let wanted = Point(
      x: offset.x + (isVertical ? 0 : shift), y: offset.y + (isVertical ? shift : 0))
    #expect(try kept(.end) == next.clamped(wanted))

    // Behind the header that is pinned there.
    let visible = prepared.visibleRect(at: offset)
    var start = prepared.scrollDirection.upright(visible).minY
    let end = prepared.scrollDirection.upright(visible).maxY
    var isBeginning: [(element: LayoutAttributes, isInView: Bool)] = []
    var count = 0
    for element in try prepared.elements(in: visible, contentOffset: offset, limit: .max) {
      if !isBeginning.contains(where: \.isInView) { count += 1 }
      if element.kind.isDecoration { continue }
      let rest = try #require(prepared.restingFrame(of: element.kind, at: element.indexPath))
      let frame = prepared.scrollDirection.upright(element.frame)
      if element.kind != .cell, rest != element.frame {
        if element.kind == .header, frame.minY <= start { start = frame.maxY }
      } else if next.restingFrame(of: element.kind, at: element.indexPath) != nil {
        let place = prepared.scrollDirection.upright(rest).minY
        isBeginning.append((element, place >= start && place < end))
      }
    }
    let first = isBeginning.first { $0.isInView } ?? isBeginning.first
    #expect(
      try kept(.visible, limit: count)
        == first.map { try kept(.element($0.element.kind, $0.element.indexPath)) }
        ?? next.clamped(offset))
    // Further than that is not looked, and not as far where that is too far.
    if count > 0 {
      #expect(throws: LayoutError.tooManyElements(limit: count - 1)) {
        try kept(.visible, limit: count - 1)
      }
    }
  }

  /// What is known of sizes is no more than what there is: without the one that differed all are equal.
  @Test func itemsThatBecomeEqualKeepTheirGrid() throws {
    func sizes(_ count: Int, _ size: (Int) -> Length) -> Items {
      let lengths = LengthArray(count: count, size)
      return Items(count: count, extents: .sizes(widths: lengths, heights: lengths))
    }
    let content = Content(sections: [Section(items: sizes(8) { $0 == 3 ? 30 : 40 })])
    let old = try PreparedLayout(
      content, layout: FlowLayout(), viewport: Viewport(size: Size(width: 320, height: 400)))
    var batch = BatchUpdate()
    batch.reloadItems = [(IndexPath(item: 3, section: 0), sizes(1) { _ in 40 })]
    let new = try PreparedLayout(
      updating: old, to: try batch.applied(to: content), layout: FlowLayout())
    // Six to a line, 16 apart; the last line keeps to that.
    #expect(
      new.attributes(of: .cell, at: IndexPath(item: 7, section: 0), contentOffset: .zero)?.frame
        == Rect(x: 56, y: 50, width: 40, height: 40))
  }

  /// A decoration that begins in view says nothing of where the content is.
  @Test func aDecorationIsNoVisibleAnchor() throws {
    func long(_ length: Length) -> Items {
      Items(count: 1, extents: .lengths(.equal(length, count: 1)))
    }
    var decorated = Section()
    decorated.sectionInset = EdgeInsets(top: 600, left: 0, bottom: 0, right: 0)
    decorated.decorations = [Decoration(kind: "background")]
    let content = Content(sections: [Section(items: long(500)), decorated])
    let old = try PreparedLayout(
      content, layout: ListLayout(), viewport: Viewport(size: Size(width: 320, height: 400)))
    var batch = BatchUpdate()
    batch.reloadItems = [(IndexPath(item: 0, section: 0), long(600))]
    let updated = try batch.applied(to: content)
    let new = try PreparedLayout(updating: old, to: updated, layout: ListLayout())
    let offset = Point(x: 0, y: 200)
    #expect(
      try new.contentOffset(keeping: .visible, of: old, at: offset, by: updated.map, limit: 100)
        == offset)
  }

  /// Two names that differ are two sections, wherever they are.
  @Test func aSectionOfAnotherNameIsAnother() throws {
    let map = try #require(
      UpdatedContent(
        replacing: Content(sections: [Section(id: "a")]),
        by: NameIndex(Content(sections: [Section(id: "b")])))
    ).map
    #expect(map.newSection(of: 0) == nil && map.oldSection(of: 0) == nil)
  }
}
