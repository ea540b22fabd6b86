import LayoutCore
import Testing

/// What holds for every layout, direction and collection.
struct PlacementPropertyTests {
  @Test(arguments: 0..<400)
  func aRectQueryFindsWhatAskingForEveryElementFinds(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let content = random.content()
    let layout = random.layout()
    let prepared = try PreparedLayout(content, layout: layout, viewport: random.viewport())
    for _ in 0..<8 {
      let offset = random.offset()
      let all = prepared.everyElement(of: content, contentOffset: offset)
      let rect = random.rect()
      let found = try prepared.elements(in: rect, contentOffset: offset, limit: .max - 1)
      #expect(found == all.filter { $0.shows(in: rect) })
    }
  }

  @Test(arguments: 0..<200)
  func aHorizontalLayoutIsTheTransposeOfTheVerticalOne(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let content = random.content().withBinaryAspectRatios
    let viewport = random.viewport()
    var flow = random.flowLayout()
    var waterfall = random.waterfallLayout()
    let transposedViewport = Viewport(
      size: viewport.size.transposed, displayScale: viewport.displayScale)
    for isFlow in [true, false] {
      flow.scrollDirection = .vertical
      waterfall.scrollDirection = .vertical
      let vertical = try PreparedLayout(
        content, layout: isFlow ? flow : waterfall, viewport: viewport)
      let horizontal = try PreparedLayout(
        content.transposed, layout: isFlow ? flow.transposed : waterfall.transposed,
        viewport: transposedViewport)
      #expect(vertical.contentSize == horizontal.contentSize.transposed)
      let offset = random.offset()
      let all = vertical.everyElement(of: content, contentOffset: offset)
      let turned = horizontal.everyElement(
        of: content.transposed, contentOffset: offset.transposed)
      #expect(all.map(\.frame) == turned.map(\.frame.transposed))
    }
  }

  @Test(arguments: 0..<200)
  func everythingLiesInsideTheContent(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let content = random.content()
    let prepared = try PreparedLayout(
      content, layout: random.layout(), viewport: random.viewport())
    let size = prepared.scrollDirection.upright(prepared.contentSize)
    for element in prepared.everyElement(of: content, contentOffset: random.offset()) {
      let frame = prepared.scrollDirection.upright(element.frame)
      #expect(frame.minY >= 0 && frame.maxY <= size.height, "\(element)")
    }
  }

  @Test(arguments: 0..<200)
  func aQueryThatGoesOnAtAPositionFindsTheRest(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let prepared = try PreparedLayout(
      random.content(), layout: random.layout(), viewport: random.viewport())
    let rect = Rect(x: -1000, y: -1000, width: 10_000, height: 100_000)
    let all = try prepared.elements(in: rect, contentOffset: .zero, limit: .max - 1)
    for (index, element) in all.enumerated() where index % 7 == 0 {
      var rest: [LayoutAttributes] = []
      prepared.forEachElement(in: rect, contentOffset: .zero, from: element.position) {
        rest.append($0)
        return true
      }
      #expect(rest == Array(all[index...]))
    }
  }

  @Test(arguments: 0..<300)
  func theCellAtAPointIsTheLastOfThoseThatHoldIt(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let content = random.content()
    let prepared = try PreparedLayout(
      content, layout: random.layout(), viewport: random.viewport())
    let all = prepared.everyElement(of: content, contentOffset: .zero)
    for _ in 0..<10 {
      let point = random.offset()
      let holding = all.filter {
        $0.kind == .cell && $0.frame.minX <= point.x && point.x < $0.frame.maxX
          && $0.frame.minY <= point.y && point.y < $0.frame.maxY
      }
      #expect(
        prepared.indexPathForItem(at: point, contentOffset: .zero) == holding.last?.indexPath)
    }
  }
}

extension Content {
  /// The same collection for the other direction.
  var transposed: Content {
    Content(
      sections: sections.map { section in
        var result = section
        result.items.extents = section.items.extents.transposed
        result.sectionInset = section.sectionInset?.transposed
        result.header = section.header?.transposed
        result.footer = section.footer?.transposed
        result.headerInset = section.headerInset?.transposed
        result.footerInset = section.footerInset?.transposed
        return result
      })
  }
}

extension Content {
  /// The same with aspect ratios of which the reciprocal is exact.
  var withBinaryAspectRatios: Content {
    var result = self
    for index in sections.indices {
      guard case .aspectRatios(let ratios) = sections[index].items.extents else { continue }
      result.sections[index].items.extents = .aspectRatios(ratios.map(\.binade))
    }
    return result
  }
}

extension ItemExtents {
  var transposed: ItemExtents {
    switch self {
    case .unspecified, .lengths: self
    case .size(let size): .size(size.transposed)
    case .sizes(let widths, let heights): .sizes(widths: heights, heights: widths)
    case .aspectRatios(let ratios): .aspectRatios(ratios.map { 1 / $0 })
    }
  }
}

extension FlowLayout {
  var transposed: FlowLayout {
    var result = self
    result.scrollDirection = scrollDirection == .vertical ? .horizontal : .vertical
    result.itemSize = itemSize.transposed
    result.sectionInset = sectionInset.transposed
    result.headerReferenceSize = headerReferenceSize.transposed
    result.footerReferenceSize = footerReferenceSize.transposed
    return result
  }
}

extension WaterfallLayout {
  var transposed: WaterfallLayout {
    var result = self
    result.scrollDirection = scrollDirection == .vertical ? .horizontal : .vertical
    result.itemSize = itemSize.transposed
    result.sectionInset = sectionInset.transposed
    result.headerReferenceSize = headerReferenceSize.transposed
    result.footerReferenceSize = footerReferenceSize.transposed
    result.headerInset = headerInset.transposed
    result.footerInset = footerInset.transposed
    return result
  }
}
