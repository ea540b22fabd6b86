import LayoutCore

/// Batches as `POST …/updates` takes them.
extension JSONWriter {
  /// A request with a batch; what is empty is left out.
  mutating func update(_ request: UpdateRequest) {
    let batch = request.batch
    beginObject()
    list("deleteSections", batch.deleteSections) { $0.integer($1) }
    list("insertSections", batch.insertSections) { $0.section($1.section, at: $1.at) }
    list("moveSections", batch.moveSections) { json, move in
      json.beginObject()
      json.key("from")
      json.integer(move.from)
      json.key("to")
      json.integer(move.to)
      json.endObject()
    }
    list("reloadSections", batch.reloadSections) { $0.section($1.section, at: $1.at) }
    if !batch.deleteItems.isEmpty {
      key("deleteItems")
      ranges(batch.deleteItems)
    }
    list("insertItems", batch.insertItems) { $0.items($1.items, at: $1.at, "at") }
    list("moveItems", batch.moveItems) { json, move in
      json.beginObject()
      json.key("from")
      json.indexPath(move.from)
      json.key("to")
      json.indexPath(move.to)
      json.endObject()
    }
    list("reloadItems", batch.reloadItems) { $0.items($1.items, at: $1.at, "start") }
    if let counts = batch.expectedItemCounts {
      key("expect")
      beginObject()
      key("itemCounts")
      beginArray()
      for count in counts { integer(count) }
      endArray()
      endObject()
    }
    animation("insertAnimation", request.insertAnimation)
    animation("deleteAnimation", request.deleteAnimation)
    if let anchor = request.anchor { self.anchor(anchor) }
    if let offset = request.contentOffset {
      key("contentOffset")
      point(offset)
    }
    if request.isDryRun {
      key("dryRun")
      bool(true)
    }
    endObject()
  }

  private mutating func list<Element>(
    _ name: StaticString, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
  ) {
    guard !elements.isEmpty else { return }
    key(name)
    beginArray()
    for element in elements { write(&self, element) }
    endArray()
  }

  private mutating func animation(_ name: StaticString, _ animation: ElementAnimation) {
    guard animation != .fade else { return }
    key(name)
    beginObject()
    key("alpha")
    double(animation.alpha)
    if let scale = animation.scale {
      key("scale")
      double(scale)
    }
    if let rotation = animation.rotation {
      key("rotation")
      double(rotation)
    }
    if let position = animation.position {
      key("position")
      string(position.rawValue)
    }
    endObject()
  }

  private mutating func anchor(_ anchor: AnchorRequest) {
    key("anchor")
    switch anchor {
    case .named(let name): string(name.rawValue)
    case .element(let kind, let indexPath):
      beginObject()
      key("kind")
      string(kind)
      key("indexPath")
      self.indexPath(indexPath)
      endObject()
    }
  }

  private mutating func items(_ items: Items, at path: IndexPath, _ place: StaticString) {
    beginObject()
    key("section")
    integer(path.section)
    key(place)
    integer(path.item)
    key("items")
    self.items(items)
    endObject()
  }

  /// Items that have their sizes in one way.
  mutating func items(_ items: Items) {
    beginObject()
    key("count")
    integer(items.count)
    switch items.extents {
    // Requests have no mixed items, and lists hand out none.
    case .unspecified, .mixed: break
    case .size(let size):
      key("size")
      self.size(size)
    case .sizes(let widths, let heights):
      key("sizes")
      beginArray()
      for index in 0..<items.count {
        beginArray()
        length(widths[index].millionths)
        length(heights[index].millionths)
        endArray()
      }
      endArray()
    case .lengths(let lengths):
      key("lengths")
      beginArray()
      for index in 0..<items.count { length(lengths[index].millionths) }
      endArray()
    case .aspectRatios(let ratios):
      key("aspectRatios")
      beginArray()
      for ratio in ratios { double(ratio) }
      endArray()
    }
    if let ids = items.ids {
      key("ids")
      beginArray()
      for index in 0..<ids.count { string(ids, index) }
      endArray()
    }
    endObject()
  }

  /// A section of a request: its items have their sizes in one way, and all or none have names.
  private mutating func section(_ section: Section, at place: Int) {
    beginObject()
    key("at")
    integer(place)
    key("section")
    self.section(section) { json, items in
      guard let items = items.asOneRun else { return }
      json.key("items")
      json.items(items)
    }
    endObject()
  }

  /// A section.
  ///
  /// - Parameters:
  ///   - section: The section.
  ///   - writeItems: Writes the member `items`, or nothing.
  mutating func section(
    _ section: Section, _ writeItems: (inout JSONWriter, ItemList) -> Void
  ) {
    beginObject()
    if let id = section.id {
      key("id")
      string(id)
    }
    writeItems(&self, section.items)
    sized("header", section.header)
    sized("footer", section.footer)
    inset("sectionInset", section.sectionInset)
    inset("headerInset", section.headerInset)
    inset("footerInset", section.footerInset)
    extent("minimumLineSpacing", section.minimumLineSpacing)
    extent("minimumInteritemSpacing", section.minimumInteritemSpacing)
    extent("minimumColumnSpacing", section.minimumColumnSpacing)
    if let count = section.columnCount {
      key("columnCount")
      integer(count)
    }
    list("decorations", section.decorations) { json, decoration in
      json.beginObject()
      json.key("kind")
      json.string(decoration.kind)
      json.inset("insets", decoration.insets)
      json.endObject()
    }
    endObject()
  }

  private mutating func sized(_ name: StaticString, _ size: Size?) {
    guard let size else { return }
    key(name)
    self.size(size)
  }

  private mutating func extent(_ name: StaticString, _ extent: Length?) {
    guard let extent else { return }
    key(name)
    length(extent.millionths)
  }

  private mutating func inset(_ name: StaticString, _ insets: EdgeInsets?) {
    guard let insets else { return }
    key(name)
    beginObject()
    extent("top", insets.top)
    extent("left", insets.left)
    extent("bottom", insets.bottom)
    extent("right", insets.right)
    endObject()
  }
}
