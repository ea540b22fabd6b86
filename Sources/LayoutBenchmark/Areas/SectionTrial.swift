import LayoutCore

/// Items in sections of ten: what one layout of them takes, beside one of the same items in a single section.
struct SectionTrial {
  var count: Int

  private static let itemCount = 10

  private static let layouts: [(name: String, layout: any CollectionLayout)] = [
    ("list", ListLayout()),
    ("flow", FlowLayout()),
    ("waterfall of 4 columns", EngineSubject.waterfallLayout()),
    ("waterfall of 4 columns in turn", EngineSubject.waterfallLayout(inTurn: true)),
  ]

  func run(_ pool: inout SizePool, _ table: inout Table) throws(BenchmarkError) {
    let sectionCount = count / Self.itemCount
    let sizes = pool.take(count)
    let together = Content(sections: [Section(items: Items(count: count, extents: sizes.extents))])
    let apart = Content(
      sections: (0..<sectionCount).map { section in
        let items = (section * Self.itemCount)..<((section + 1) * Self.itemCount)
        return Section(items: Items(count: Self.itemCount, extents: sizes[items].extents))
      })
    for (name, layout) in Self.layouts {
      let one = try EngineSubject.layoutTime(of: together, layout)
      let many = try EngineSubject.layoutTime(of: apart, layout)
      table.record(
        "\(name), \(sectionCount) sections", count: count, many, beside: ("one section", one))
    }
  }
}
