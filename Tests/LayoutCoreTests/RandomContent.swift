import LayoutCore

extension SeededGenerator {
  mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }

  mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// Whole points, half points or millionths, so that ties and odd fractions both occur.
  mutating func length(_ range: ClosedRange<Int>) -> Length {
    switch int(0...2) {
    case 0: Length(points: int(range))
    case 1: Length(points: int(range)) + Length(millionths: int(0...1) == 0 ? 0 : 500_000)
    default: Length(millionths: Int64(int(range)) * 1_000_000 + Int64(int(0...999_999)))
    }
  }

  mutating func size(_ range: ClosedRange<Int>) -> Size {
    Size(width: length(range), height: length(range))
  }

  /// Now and then more than there is room for.
  mutating func insets() -> EdgeInsets {
    let range = chance(0.05) ? 0...300 : 0...20
    return EdgeInsets(
      top: length(range), left: length(range), bottom: length(range), right: length(range))
  }

  mutating func items(_ count: Int) -> Items {
    let extents: ItemExtents =
      switch int(0...5) {
      case 0: .unspecified
      case 1: .size(size(0...120))
      case 2, 3:
        .sizes(
          widths: LengthArray(count: count) { _ in length(chance(0.05) ? 0...500 : 10...120) },
          heights: LengthArray(count: count) { _ in length(chance(0.05) ? 0...500 : 10...120) })
      case 4: .lengths(LengthArray(count: count) { _ in length(0...150) })
      default: .aspectRatios((0..<count).map { _ in Double(int(1...40)) / Double(int(1...20)) })
      }
    return Items(count: count, extents: extents)
  }

  mutating func section() -> Section {
    var section = Section(items: chance(0.15) ? Items() : items(int(1...60)))
    if chance(0.4) { section.sectionInset = insets() }
    if chance(0.3) { section.minimumLineSpacing = length(0...20) }
    if chance(0.3) { section.minimumInteritemSpacing = length(0...20) }
    if chance(0.3) { section.minimumColumnSpacing = length(0...20) }
    if chance(0.3) { section.columnCount = int(1...20) }
    if chance(0.4) { section.header = size(0...50) }
    if chance(0.4) { section.footer = size(0...50) }
    if chance(0.2) { section.headerInset = insets() }
    if chance(0.2) { section.footerInset = insets() }
    if chance(0.2) {
      section.decorations = (0..<int(1...3)).map { Decoration(kind: "\($0)", insets: insets()) }
    }
    return section
  }

  mutating func content() -> Content {
    Content(sections: (0..<int(0...5)).map { _ in section() })
  }

  /// Items without an area, as apps hide cells.
  mutating func hiddenItems(_ count: Int) -> Items {
    let zero = LengthArray(count: count) { _ in 0 }
    func some(_ generator: inout SeededGenerator) -> LengthArray {
      // Now and then some that do not have 32 bits.
      let isWide = generator.chance(0.1)
      return LengthArray(count: count) { _ in generator.length(0...(isWide ? 9000 : 90)) }
    }
    let extents: ItemExtents =
      switch int(0...4) {
      case 0: .size(.zero)
      case 1: .sizes(widths: zero, heights: zero)
      case 2: .sizes(widths: some(&self), heights: zero)
      case 3: .sizes(widths: zero, heights: some(&self))
      default: .lengths(zero)
      }
    return Items(count: count, extents: extents)
  }

  /// Sections of which most have no items, whatever stands around them, and others many without an area.
  mutating func sparseContent() -> Content {
    Content(
      sections: (0..<int(1...30)).map { _ in
        var section = section()
        section.items = ItemList()
        if chance(0.2) {
          section.items = ItemList(
            runs: (0..<int(1...4)).flatMap { _ in
              [items(int(1...6)), hiddenItems(int(1...(chance(0.2) ? 1500 : 20)))]
            })
          if chance(0.7) {
            section.minimumLineSpacing = 0
            section.minimumInteritemSpacing = 0
          }
        }
        return section
      })
  }

  mutating func viewport() -> Viewport {
    Viewport(
      size: size(100...500),
      displayScale: chance(0.2) ? DisplayScale([1, 2, 2.625, 3, 4.0 / 3][int(0...4)]) : nil)
  }

  /// Far along either axis.
  mutating func offset() -> Point {
    let (near, far) = (length(-100...800), length(-100...3000))
    return chance(0.5) ? Point(x: near, y: far) : Point(x: far, y: near)
  }

  mutating func rect() -> Rect { Rect(origin: offset(), size: size(0...600)) }

  mutating func flowLayout() -> FlowLayout {
    var layout = FlowLayout()
    layout.scrollDirection = chance(0.5) ? .vertical : .horizontal
    layout.itemSize = size(1...120)
    layout.minimumLineSpacing = length(0...15)
    layout.minimumInteritemSpacing = length(0...15)
    layout.sectionInset = chance(0.3) ? insets() : .zero
    layout.headerReferenceSize = chance(0.3) ? size(1...40) : .zero
    layout.footerReferenceSize = chance(0.3) ? size(1...40) : .zero
    layout.sectionHeadersPinToVisibleBounds = chance(0.4)
    layout.sectionFootersPinToVisibleBounds = chance(0.4)
    layout.lineAlignment = FlowLayout.LineAlignment.allCases.randomElement(using: &self) ?? .leading
    layout.lastLineAlignment =
      FlowLayout.LastLineAlignment.allCases.randomElement(using: &self) ?? .auto
    layout.itemAlignment =
      FlowLayout.ItemAlignment.allCases.randomElement(using: &self) ?? .center
    return layout
  }

  mutating func waterfallLayout() -> WaterfallLayout {
    var layout = WaterfallLayout()
    layout.scrollDirection = chance(0.5) ? .vertical : .horizontal
    layout.columns = chance(0.7) ? .count(int(1...16)) : .minimumWidth(length(1...200))
    layout.minimumColumnSpacing = length(0...15)
    layout.minimumInteritemSpacing = length(0...15)
    layout.itemRenderDirection =
      WaterfallLayout.ItemRenderDirection.allCases.randomElement(using: &self) ?? .leftToRight
    layout.itemPadding = chance(0.3) ? length(0...8) : 0
    layout.itemSize = size(0...120)
    layout.sectionInset = chance(0.3) ? insets() : .zero
    layout.minimumContentLength = chance(0.2) ? length(0...2000) : 0
    layout.headerReferenceSize = chance(0.3) ? size(1...40) : .zero
    layout.footerReferenceSize = chance(0.3) ? size(1...40) : .zero
    layout.headerInset = chance(0.3) ? insets() : .zero
    layout.footerInset = chance(0.3) ? insets() : .zero
    layout.sectionHeadersPinToVisibleBounds = chance(0.4)
    layout.sectionFootersPinToVisibleBounds = chance(0.4)
    return layout
  }

  mutating func listLayout() -> ListLayout {
    var layout = ListLayout()
    layout.scrollDirection = chance(0.5) ? .vertical : .horizontal
    layout.itemLength = length(0...80)
    layout.itemSpacing = length(0...15)
    layout.sectionInset = chance(0.5) ? insets() : .zero
    layout.headerReferenceSize = chance(0.3) ? size(1...40) : .zero
    layout.footerReferenceSize = chance(0.3) ? size(1...40) : .zero
    layout.sectionHeadersPinToVisibleBounds = chance(0.4)
    layout.sectionFootersPinToVisibleBounds = chance(0.4)
    return layout
  }

  mutating func pagedGridLayout() -> PagedGridLayout {
    var layout = PagedGridLayout()
    layout.scrollDirection = chance(0.5) ? .vertical : .horizontal
    layout.columns = int(1...6)
    layout.rows = int(1...6)
    layout.minimumInteritemSpacing = length(0...15)
    layout.minimumLineSpacing = length(0...15)
    layout.sectionInset = chance(0.5) ? insets() : .zero
    return layout
  }

  mutating func coverFlowLayout() -> CoverFlowLayout {
    var layout = CoverFlowLayout()
    layout.scrollDirection = chance(0.5) ? .vertical : .horizontal
    layout.itemSize = size(0...150)
    layout.minimumLineSpacing = length(0...30)
    layout.sectionInset = chance(0.5) ? insets() : .zero
    layout.maximumScale = Double(int(0...12)) / 4
    layout.minimumScale = chance(0.5) ? 0 : Double(int(0...6)) / 4
    layout.scaleFalloff = Double(int(0...8)) / 4
    return layout
  }

  mutating func wheelLayout() -> WheelLayout {
    var layout = WheelLayout()
    layout.itemSize = size(chance(0.1) ? 0...2 : 10...200)
    layout.radius = length(chance(0.2) ? 0...60 : 100...900)
    return layout
  }

  mutating func bannerLayout() -> BannerLayout {
    var layout = BannerLayout()
    layout.itemSize = size(0...300)
    layout.itemSpacing = length(0...30)
    layout.sectionInset = chance(0.5) ? insets() : .zero
    layout.minimumScale = Double(int(0...4)) / 4
    layout.scaleFactor = Double(int(0...8)) / 8
    layout.shiftFactor = Double(int(0...8)) / 8
    return layout
  }

  mutating func layout(where isWanted: (any CollectionLayout) -> Bool) -> any CollectionLayout {
    while true {
      let layout = layout()
      if isWanted(layout) { return layout }
    }
  }

  mutating func layout() -> any CollectionLayout {
    switch int(0...6) {
    case 0: flowLayout()
    case 1: waterfallLayout()
    case 2: listLayout()
    case 3: pagedGridLayout()
    case 4: coverFlowLayout()
    case 5: wheelLayout()
    default: bannerLayout()
    }
  }
}

extension Items {
  /// Items of which hardly two next to each other have one size.
  static func unlike(_ count: Int) -> Items {
    Items(
      count: count,
      extents: .sizes(
        widths: LengthArray(count: count) { Length(points: 40 + $0 &* 7919 % 61) },
        heights: LengthArray(count: count) { Length(points: 30 + $0 &* 7907 % 47) }))
  }

  /// Items of some widths, all of one height.
  init(widths: [Length], height: Length) {
    self.init(
      count: widths.count,
      extents: .sizes(
        widths: LengthArray(count: widths.count) { widths[$0] },
        heights: LengthArray(count: widths.count) { _ in height }))
  }
}

extension FlowLayout {
  /// Upright, and nothing but items from edge to edge.
  mutating func leaveItemsAlone() {
    scrollDirection = .vertical
    sectionInset = .zero
    headerReferenceSize = .zero
    footerReferenceSize = .zero
  }
}

extension WaterfallLayout {
  /// Upright, and nothing but items from edge to edge.
  mutating func leaveItemsAlone() {
    scrollDirection = .vertical
    sectionInset = .zero
    headerReferenceSize = .zero
    footerReferenceSize = .zero
    minimumContentLength = 0
  }
}

extension PreparedLayout {
  /// Every element there is, found by asking for each.
  func everyElement(of content: Content, contentOffset: Point) -> [LayoutAttributes] {
    var elements: [LayoutAttributes] = []
    for (section, description) in content.sections.enumerated() {
      let first = IndexPath(item: 0, section: section)
      if let header = attributes(of: .header, at: first, contentOffset: contentOffset) {
        elements.append(header)
      }
      for item in 0..<description.items.count {
        let path = IndexPath(item: item, section: section)
        if let cell = attributes(of: .cell, at: path, contentOffset: contentOffset) {
          elements.append(cell)
        }
      }
      if let footer = attributes(of: .footer, at: first, contentOffset: contentOffset) {
        elements.append(footer)
      }
      for place in description.decorations.indices {
        let kind = ElementKind.decoration(UInt8(place))
        if let decoration = attributes(of: kind, at: first, contentOffset: contentOffset) {
          elements.append(decoration)
        }
      }
    }
    return elements
  }
}
