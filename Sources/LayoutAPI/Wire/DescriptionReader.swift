import LayoutCore

/// What one collection may hold.
struct ContentLimits {
  /// Items with data of their own.
  var describedItems: Int
  /// Sections.
  var sections: Int
  /// Items of one section that have no data of their own.
  static let equalItems = 1_000_000_000_000
  /// Indices of items and sections, as far as there can be any.
  static let indices = 0...equalItems
  /// Operations of one kind in a batch: all items that they may bring or take, and those of as many sections as
  /// there may be, are counted in 63 bits.
  static let operations = 4_000_000
  /// The bytes of a section's or an item's name.
  static let nameLength = 1024
}

/// How many items with data of their own a request may bring, and how many of them may still come.
struct ItemBudget {
  let limit: Int
  private(set) var remaining: Int

  init(_ limits: ContentLimits) {
    limit = limits.describedItems
    remaining = limit
  }

  mutating func spend(_ count: Int) { remaining -= count }
}

/// The members of a description, and what may stand beside them.
enum DescriptionMember: Int, JSONName {
  case collection, layout, viewport, viewports, prefetch, rect, snap
  static let names = JSONNames(of: Self.self)

  /// So many viewports may be asked about at once.
  static let viewportCount = 32

  /// What a session is made of.
  static var session: JSONMemberSet<DescriptionMember> {
    [.collection, .layout, .viewport, .prefetch]
  }
}

extension JSONObject where Member == DescriptionMember {
  /// Reads a description.
  ///
  /// - Parameters:
  ///   - limits: What the collection may hold.
  ///   - form: How items are given.
  ///   - keepsSource: Whether somebody wants the layout as it is written.
  /// - Returns: The description.
  /// - Throws: ``JSONError`` that points to what is wrong.
  func description(
    limits: ContentLimits, _ form: ItemsForm = .alike, keepsSource: Bool = false
  ) throws(JSONError) -> Description {
    let collection = try required(.collection)
    let given = try required(.layout)
    let (layout, snap) = try LayoutReader.read(given)
    let (viewport, contentOffset) = try viewports()[0]
    var description = Description(
      content: try collection.content(limits: limits, form), layout: layout, snap: snap,
      prefetch: try self[.prefetch]?.prefetchReach() ?? PrefetchReach(), viewport: viewport,
      contentOffset: contentOffset)
    if keepsSource { description.layoutSource = given.compactJSON }
    return description
  }

  /// The viewports to lay out in, where there may be several.
  ///
  /// - Returns: At least one.
  /// - Throws: ``JSONError`` that points to what is wrong.
  func viewports() throws(JSONError) -> [(viewport: Viewport, contentOffset: Point)] {
    guard let value = self[.viewports] else { return [try required(.viewport).viewport()] }
    if let viewport = self[.viewport] {
      throw viewport.error(.rule("either viewport or viewports; not both"))
    }
    let viewports = try value.elements(maximumCount: DescriptionMember.viewportCount) {
      (element) throws(JSONError) in try element.viewport()
    }
    guard !viewports.isEmpty else { throw value.error(.rule("at least one viewport is needed")) }
    return viewports
  }
}

private enum CollectionMember: Int, JSONName {
  case sections
  static let names = JSONNames(of: Self.self)
}

private enum SectionMember: Int, JSONName {
  case id, items, header, footer, sectionInset, minimumLineSpacing, minimumInteritemSpacing
  case minimumColumnSpacing, columnCount, headerInset, footerInset, decorations
  static let names = JSONNames(of: Self.self)
}

private enum DecorationMember: Int, JSONName {
  case kind, insets
  static let names = JSONNames(of: Self.self)
}

/// How the items of a section are given.
enum ItemsForm {
  /// As clients give them: alike.
  case alike
  /// As stores keep them: an array of such objects, one after the other.
  case runs
}

enum ItemsMember: Int, JSONName {
  case count, size, sizes, lengths, aspectRatios, ids
  static let names = JSONNames(of: Self.self)
  /// Of which there may be one.
  static let extents: JSONMemberSet<Self> = [.size, .sizes, .lengths, .aspectRatios]
}

private enum ViewportMember: Int, JSONName {
  case width, height, contentOffset, displayScale
  static let names = JSONNames(of: Self.self)
}

private enum PrefetchMember: Int, JSONName {
  case ahead, behind
  static let names = JSONNames(of: Self.self)
}

/// Items of which sizes and names are cut alike; what is there only once is for all.
private func itemRuns(_ count: Int, _ extents: [ItemExtents], ids: [StringTable]?) -> [Items] {
  let runCount = max(extents.count, ids?.count ?? 0)
  var remaining = count
  return (0..<runCount).map { run in
    let count = run == runCount - 1 ? remaining : min(remaining, JSONRuns<Never>.capacity)
    remaining -= count
    return Items(
      count: count, extents: extents.count == 1 ? extents[0] : extents[run], ids: ids?[run])
  }
}

extension JSONValue {
  /// `collection`.
  func content(limits: ContentLimits, _ form: ItemsForm = .alike) throws(JSONError) -> Content {
    switch form {
    case .alike: try namedContent(limits: limits).content
    // What is kept has been looked at.
    case .runs: try sections(limits, form)
    }
  }

  /// `collection`, with where the names of its items are.
  func namedContent(limits: ContentLimits) throws(JSONError) -> NameIndex {
    let names = NameIndex(try sections(limits, .alike))
    guard let path = names.duplicate else { return names }
    throw JSONError(
      .rule("the id of item [\(path.section),\(path.item)] is in the collection twice"),
      at: pointer + "/sections/\(path.section)/items/ids/\(path.item)")
  }

  private func sections(
    _ limits: ContentLimits, _ form: ItemsForm
  ) throws(JSONError) -> Content {
    let object = try JSONObject<CollectionMember>(self)
    var array = try object.required(.sections).array(maximumCount: limits.sections)
    var sections: [Section] = []
    sections.reserveCapacity(array.count)
    var budget = ItemBudget(limits)
    var ids: Set<[UInt8]> = []
    while let section = array.next() {
      sections.append(try section.section(&budget, form))
      if let id = sections.last?.id, !ids.insert(id.nameBytes).inserted {
        throw JSONError(
          .rule("another section has the id \"\(id)\" already"), at: section.pointer + "/id")
      }
    }
    return Content(sections: sections)
  }

  /// One of `sections`.
  func section(
    _ budget: inout ItemBudget, _ form: ItemsForm = .alike
  ) throws(JSONError) -> Section {
    let object = try JSONObject<SectionMember>(self)
    var section = Section()
    section.id = try object[.id]?.string(maximumLength: ContentLimits.nameLength)
    if let items = object[.items] {
      section.items = ItemList(runs: try items.items(&budget, form))
    }
    section.header = try object[.header]?.size()
    section.footer = try object[.footer]?.size()
    section.sectionInset = try object[.sectionInset]?.insets()
    section.minimumLineSpacing = try object[.minimumLineSpacing]?.extent()
    section.minimumInteritemSpacing = try object[.minimumInteritemSpacing]?.extent()
    section.minimumColumnSpacing = try object[.minimumColumnSpacing]?.extent()
    section.columnCount =
      try object[.columnCount]?.whole(in: 1...WaterfallLayout.maximumColumnCount)
    section.headerInset = try object[.headerInset]?.insets()
    section.footerInset = try object[.footerInset]?.insets()
    section.decorations = try object[.decorations]?.decorations() ?? []
    return section
  }

  private func decorations() throws(JSONError) -> [Decoration] {
    var array = try array(maximumCount: Section.maximumDecorationCount)
    var decorations: [Decoration] = []
    decorations.reserveCapacity(array.count)
    while let value = array.next() {
      let object = try JSONObject<DecorationMember>(value)
      let name = try object.required(.kind)
      let kind = try name.string(maximumLength: ContentLimits.nameLength)
      guard !kind.isEmpty, ElementKind(name: kind) == nil else {
        throw name.error(
          .rule("a decoration needs a kind of its own: not empty, nor cell, header or footer"))
      }
      guard decorations.place(ofKind: kind) == nil else {
        throw name.error(.rule("the section has a decoration of the kind \"\(kind)\" already"))
      }
      decorations.append(
        Decoration(kind: kind, insets: try object[.insets]?.insets() ?? .zero))
    }
    return decorations
  }

  private func items(
    _ budget: inout ItemBudget, _ form: ItemsForm
  ) throws(JSONError) -> [Items] {
    switch form {
    case .alike: return try items(&budget)
    case .runs:
      var runs: [Items] = []
      var array = try array()
      while let value = array.next() { runs += try value.items(&budget) }
      return runs
    }
  }

  /// `items`.
  ///
  /// - Returns: At least one run, as the engine keeps them.
  func items(_ budget: inout ItemBudget) throws(JSONError) -> [Items] {
    do throws(JSONError) {
      return try itemsWithin(&budget)
    } catch {
      // What is left of the limit says nothing to whoever has not counted.
      guard case .tooManyElements = error.reason else { throw error }
      throw JSONError(
        .rule("more than \(budget.limit) items would have data of their own"), at: error.pointer)
    }
  }

  private func itemsWithin(_ budget: inout ItemBudget) throws(JSONError) -> [Items] {
    let object = try JSONObject<ItemsMember>(self)
    let given = object.members.intersection(ItemsMember.extents)
    if given.count > 1 {
      let names = ItemsMember.allCases.filter(given.contains)
      throw try object.required(names[1]).error(
        .rule("items have only one of size, sizes, lengths and aspectRatios; \(names[0]) is given"))
    }
    let limit = budget.remaining
    var described: Int?
    var extents = [ItemExtents.unspecified]
    if let size = object[.size] { extents = [.size(try size.size())] }
    if let value = object[.sizes] {
      let sizes = try value.sizes(maximumCount: limit)
      extents = sizes.runs.map { .sizes(widths: $0.widths, heights: $0.heights) }
      described = sizes.count
    }
    if let value = object[.lengths] {
      let lengths = try value.lengths(maximumCount: limit)
      extents = lengths.runs.map { .lengths($0) }
      described = lengths.count
    }
    if let value = object[.aspectRatios] {
      let ratios = try value.aspectRatios(maximumCount: limit)
      extents = ratios.runs.map { .aspectRatios($0) }
      described = ratios.count
    }
    let ids = try object[.ids]?.strings(
      maximumCount: limit, maximumLength: ContentLimits.nameLength)
    if let ids, let value = object[.ids], let described, ids.count != described {
      throw value.error(
        .wrongCount(expected: "as many ids as there are items, \(described)", found: ids.count))
    }
    described = described ?? ids?.count
    var count = described ?? 0
    if let value = object[.count] {
      count = try value.whole(in: 0...ContentLimits.equalItems)
      if let described, count != described {
        throw value.error(
          .rule("count is \(count), but the arrays have \(described) elements"))
      }
    }
    guard described != nil || object.members.contains(.count) else {
      throw error(.missingMember("count"))
    }
    budget.spend(described ?? 0)
    return itemRuns(count, extents, ids: ids?.runs)
  }

  /// `viewport`.
  func viewport() throws(JSONError) -> (viewport: Viewport, contentOffset: Point) {
    let object = try JSONObject<ViewportMember>(self)
    return (
      Viewport(
        size: try JSONValue.viewportSize(
          try object.required(.width), try object.required(.height)),
        displayScale: try object[.displayScale]?.displayScale()),
      try object[.contentOffset]?.point() ?? .zero
    )
  }

  /// The extent of a viewport: both above 0.
  static func viewportSize(
    _ width: JSONValue, _ height: JSONValue
  ) throws(JSONError) -> Size {
    let size = Size(width: try width.extent(), height: try height.extent())
    guard size.width > 0 else { throw width.error(.rule("the viewport's width must be above 0")) }
    guard size.height > 0 else {
      throw height.error(.rule("the viewport's height must be above 0"))
    }
    return size
  }

  /// Pixels per point.
  func displayScale() throws(JSONError) -> DisplayScale {
    guard let scale = DisplayScale(try double(in: 0...100)) else {
      throw error(.rule("displayScale must be above 0"))
    }
    return scale
  }

  /// `prefetch`.
  func prefetchReach() throws(JSONError) -> PrefetchReach {
    let object = try JSONObject<PrefetchMember>(self)
    let standard = PrefetchReach()
    return PrefetchReach(
      ahead: try object[.ahead]?.double(in: 0...1000) ?? standard.ahead,
      behind: try object[.behind]?.double(in: 0...1000) ?? standard.behind)
  }
}
