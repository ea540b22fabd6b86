import LayoutCore

/// The body of `POST …/updates`.
struct UpdateRequest {
  var batch = BatchUpdate()
  var insertAnimation = ElementAnimation.fade
  var deleteAnimation = ElementAnimation.fade
  var anchor: AnchorRequest?
  /// Where the client is; nil if it does not say.
  var contentOffset: Point?
  var isDryRun = false
}

/// An anchor as it is given: a decoration's kind is known only to the section that has it.
enum AnchorRequest {
  case named(AnchorName)
  case element(kind: String, IndexPath)

  /// The anchor in a collection.
  func anchor(in content: Content) -> Anchor? {
    switch self {
    case .named(.start): .start
    case .named(.end): .end
    case .named(.visible): .visible
    case .element(let kind, let indexPath):
      content.kind(named: kind, ofSection: indexPath.section).map { .element($0, indexPath) }
    }
  }
}

/// Anchors that are no elements.
enum AnchorName: String, CaseIterable {
  case start, end, visible
}

extension Content {
  /// The kind of a name, the decorations of a section included; nil for none.
  func kind(named name: String, ofSection section: Int) -> ElementKind? {
    if let kind = ElementKind(name: name) { return kind }
    guard sections.indices.contains(section) else { return nil }
    return sections[section].decorations.place(ofKind: name).map(ElementKind.decoration)
  }
}

private enum UpdateMember: Int, JSONName {
  case deleteSections, insertSections, moveSections, reloadSections
  case deleteItems, insertItems, moveItems, reloadItems
  case expect, insertAnimation, deleteAnimation, anchor, contentOffset, dryRun
  static let names = JSONNames(of: Self.self)
}

private enum OperationMember: Int, JSONName {
  case at, from, to, section, start, end, items
  static let names = JSONNames(of: Self.self)
}

private enum ExpectMember: Int, JSONName {
  case itemCounts
  static let names = JSONNames(of: Self.self)
}

private enum AnimationMember: Int, JSONName {
  case alpha, scale, rotation, position
  static let names = JSONNames(of: Self.self)
}

private enum AnchorMember: Int, JSONName {
  case kind, indexPath
  static let names = JSONNames(of: Self.self)
}

extension JSONValue {
  /// The body of `POST …/updates`.
  ///
  /// - Parameters:
  ///   - limits: What the batch may bring.
  ///   - sectionCount: How many sections there are, which may be more than there may be: then some have to go.
  /// - Returns: The batch, and how to answer it.
  /// - Throws: ``JSONError`` that points to what is wrong.
  func update(
    limits: ContentLimits, ofSections sectionCount: Int = 0
  ) throws(JSONError) -> UpdateRequest {
    let object = try JSONObject<UpdateMember>(self)
    var request = UpdateRequest()
    request.batch = try object.batch(limits, ofSections: sectionCount)
    request.insertAnimation = try object[.insertAnimation]?.animation() ?? .fade
    request.deleteAnimation = try object[.deleteAnimation]?.animation() ?? .fade
    request.anchor = try object[.anchor]?.anchor()
    request.contentOffset = try object[.contentOffset]?.point()
    request.isDryRun = try object[.dryRun]?.bool() ?? false
    return request
  }

  /// `items` in one piece.
  private func oneRunOfItems(_ budget: inout ItemBudget) throws(JSONError) -> Items {
    let runs = try items(&budget)
    // They have sizes and names of one kind, and so go together.
    return runs.count == 1 ? runs[0] : ItemList(runs: runs).asOneRun ?? Items()
  }

  /// An index of an item or a section, as far as there can be any.
  func anyIndex() throws(JSONError) -> Int { try whole(in: ContentLimits.indices) }

  fileprivate func sectionAt(
    _ budget: inout ItemBudget
  ) throws(JSONError) -> (at: Int, section: Section) {
    let object = try JSONObject<OperationMember>(self, allowed: [.at, .section])
    return (
      try object.required(.at).anyIndex(), try object.required(.section).section(&budget)
    )
  }

  fileprivate func sectionMove() throws(JSONError) -> (from: Int, to: Int) {
    let object = try JSONObject<OperationMember>(self, allowed: [.from, .to])
    return (try object.required(.from).anyIndex(), try object.required(.to).anyIndex())
  }

  fileprivate func itemMove() throws(JSONError) -> (from: IndexPath, to: IndexPath) {
    let object = try JSONObject<OperationMember>(self, allowed: [.from, .to])
    return (try object.required(.from).indexPath(), try object.required(.to).indexPath())
  }

  fileprivate func itemInsertion(
    _ budget: inout ItemBudget
  ) throws(JSONError) -> (at: IndexPath, items: Items) {
    let object = try JSONObject<OperationMember>(self, allowed: [.section, .at, .items])
    return (
      try object.indexPath(ofItem: .at), try object.required(.items).oneRunOfItems(&budget)
    )
  }

  fileprivate func itemReload(
    _ budget: inout ItemBudget
  ) throws(JSONError) -> (at: IndexPath, items: Items) {
    let object = try JSONObject<OperationMember>(self, allowed: [.section, .start, .items])
    let path = try object.indexPath(ofItem: .start)
    let given = try object.required(.items)
    let items = try given.oneRunOfItems(&budget)
    if items.ids != nil, let ids = try JSONObject<ItemsMember>(given)[.ids] {
      throw ids.error(.rule("reloaded items keep their ids: leave ids out"))
    }
    return (path, items)
  }

  fileprivate func itemRange() throws(JSONError) -> ItemRange {
    let object = try JSONObject<OperationMember>(self, allowed: [.section, .start, .end])
    let range = ItemRange(
      section: try object.required(.section).anyIndex(),
      start: try object.required(.start).anyIndex(), end: try object.required(.end).anyIndex())
    guard range.start <= range.end else {
      throw error(.rule("the range ends at \(range.end), before its start \(range.start)"))
    }
    return range
  }

  /// `[section,item]`.
  func indexPath() throws(JSONError) -> IndexPath {
    let (section, item) = try integerPair(in: 0...Int64(ContentLimits.equalItems))
    return IndexPath(item: Int(item), section: Int(section))
  }

  private func animation() throws(JSONError) -> ElementAnimation {
    let object = try JSONObject<AnimationMember>(self)
    var animation = ElementAnimation()
    animation.alpha = try object[.alpha]?.double(in: 0...1) ?? animation.alpha
    animation.scale = try object[.scale]?.double(in: 0...1e6)
    animation.rotation = try object[.rotation]?.double(in: -1e6...1e6)
    animation.position = try object[.position]?.choice(of: ElementAnimation.Position.self)
    return animation
  }

  /// `anchor`.
  func anchor() throws(JSONError) -> AnchorRequest {
    if isString { return .named(try choice(of: AnchorName.self)) }
    let object = try JSONObject<AnchorMember>(self)
    return .element(
      kind: try object[.kind]?.string(maximumLength: ContentLimits.nameLength) ?? "cell",
      try object.required(.indexPath).indexPath())
  }
}

extension JSONObject where Member == UpdateMember {
  fileprivate func batch(
    _ limits: ContentLimits, ofSections sectionCount: Int
  ) throws(JSONError) -> BatchUpdate {
    var batch = BatchUpdate()
    var budget = ItemBudget(limits)
    // More than there are, or may be, are refused before all are kept: a longer list names some section twice.
    let knownCount = max(limits.sections, sectionCount)
    batch.deleteSections = try list(.deleteSections, knownCount) { (value) throws(JSONError) in
      try value.anyIndex()
    }
    batch.insertSections = try list(.insertSections, limits.sections) {
      (value) throws(JSONError) in try value.sectionAt(&budget)
    }
    batch.moveSections = try list(.moveSections, knownCount) { (value) throws(JSONError) in
      try value.sectionMove()
    }
    batch.reloadSections = try list(.reloadSections, limits.sections) {
      (value) throws(JSONError) in try value.sectionAt(&budget)
    }
    let most = ContentLimits.operations
    batch.deleteItems = try list(.deleteItems, most) { (value) throws(JSONError) in
      try value.itemRange()
    }
    batch.insertItems = try list(.insertItems, most) { (value) throws(JSONError) in
      try value.itemInsertion(&budget)
    }
    batch.moveItems = try list(.moveItems, most) { (value) throws(JSONError) in
      try value.itemMove()
    }
    batch.reloadItems = try list(.reloadItems, most) { (value) throws(JSONError) in
      try value.itemReload(&budget)
    }
    if let expect = self[.expect] {
      batch.expectedItemCounts = try JSONObject<ExpectMember>(expect).required(.itemCounts)
        .elements(maximumCount: limits.sections) { (value) throws(JSONError) in
          try value.anyIndex()
        }
    }
    return batch
  }

  /// A list of operations; empty if it is left out.
  private func list<Element>(
    _ member: UpdateMember, _ maximumCount: Int, _ read: (JSONValue) throws(JSONError) -> Element
  ) throws(JSONError) -> [Element] {
    try self[member]?.elements(maximumCount: maximumCount, read) ?? []
  }
}

extension JSONObject where Member == OperationMember {
  /// The index path of two members: the section and the item there.
  fileprivate func indexPath(ofItem item: OperationMember) throws(JSONError) -> IndexPath {
    IndexPath(
      item: try required(item).anyIndex(), section: try required(.section).anyIndex())
  }
}
