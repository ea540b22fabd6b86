import LayoutCore

/// The same items in each of the ways that a description has: what one layout of them takes, beside one of items
/// with a size each.
struct DescriptionTrial {
  var count: Int

  private static let layouts: [(name: String, layout: any CollectionLayout)] = [
    ("list", ListLayout()),
    ("flow", FlowLayout()),
    ("waterfall of 4 columns", EngineSubject.waterfallLayout()),
    ("waterfall of 12 columns", EngineSubject.waterfallLayout(columnCount: 12)),
  ]

  func run(_ pool: inout SizePool, _ table: inout Table) throws(BenchmarkError) {
    let sizes = pool.take(count)
    for displayScale in [nil, DisplayScale(2)] {
      for (name, layout) in Self.layouts {
        func time(_ extents: ItemExtents) throws(BenchmarkError) -> Double {
          let content = Content(sections: [Section(items: Items(count: count, extents: extents))])
          return try EngineSubject.layoutTime(of: content, layout, displayScale: displayScale)
        }
        let alike = try time(sizes.extents)
        for (kind, extents) in [("lengths", sizes.lengths), ("aspect ratios", sizes.aspectRatios)] {
          let scale = displayScale == nil ? "" : ", in pixels"
          table.record(
            "\(name), \(kind)\(scale)", count: count, try time(extents), beside: ("sizes", alike))
        }
      }
    }
  }
}
