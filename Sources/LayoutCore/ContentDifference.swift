extension UpdatedContent {
  /// What replacing content changes; nil unless all items of both have names to tell them apart.
  ///
  /// Sections go together by their names where both have one, else by their numbers.
  ///
  /// - Parameters:
  ///   - old: The content before.
  ///   - new: The content after, of which no two items share a name.
  /// - Complexity: O(n + s log s) expected, for n items and s sections.
  public init?(replacing old: Content, by new: NameIndex) {
    for content in [old, new.content] {
      let summary = content.sections.summary
      guard summary.namedItemCount == summary.itemCount else { return nil }
    }
    self.init(content: new.content, map: NameMap(old, new), names: KnownNames())
  }
}

/// Elements that go together by their names.
private struct NameMap: ElementMap {
  private let newSections: [Int: Int]
  private let oldSections: [Int: Int]
  private let newItems: NameIndex
  private let oldItems: NameIndex

  private var old: Content { oldItems.content }
  private var new: Content { newItems.content }

  init(_ old: Content, _ newItems: NameIndex) {
    let new = newItems.content
    var byName: [[UInt8]: Int] = [:]
    for (number, section) in old.sections.enumerated() {
      if let id = section.id { byName[id.nameBytes] = number }
    }
    let newNames = Set(new.sections.lazy.compactMap(\.id?.nameBytes))
    var newSections: [Int: Int] = [:]
    var oldSections: [Int: Int] = [:]
    for (number, section) in new.sections.enumerated() {
      var origin: Int?
      if let id = section.id, let named = byName[id.nameBytes] {
        origin = named
      } else if old.sections.indices.contains(number) {
        // Two names that differ are two sections.
        let name = old.sections[number].id
        let isOther = name.map { section.id != nil || newNames.contains($0.nameBytes) } ?? false
        if !isOther { origin = number }
      }
      if let origin, newSections[origin] == nil {
        newSections[origin] = number
        oldSections[number] = origin
      }
    }
    self.newSections = newSections
    self.oldSections = oldSections
    self.newItems = newItems
    oldItems = NameIndex(old)
  }

  func newSection(of old: Int) -> Int? { newSections[old] }
  func oldSection(of new: Int) -> Int? { oldSections[new] }

  func decorations(ofOldSection section: Int) -> (old: [Decoration], new: [Decoration])? {
    newSections[section].map { (old.sections[section].decorations, new.sections[$0].decorations) }
  }

  func newIndexPath(of path: IndexPath) -> IndexPath? {
    newItems.place(ofItem: path, of: old)
  }

  func oldIndexPath(of path: IndexPath) -> IndexPath? {
    oldItems.place(ofItem: path, of: new)
  }
}
