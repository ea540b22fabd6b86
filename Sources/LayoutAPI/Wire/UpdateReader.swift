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
    var budget = ItemBudget(limits)
    // More than there are, or may be, are refused before all are kept: a longer list names some section twice.
    let knownCount = max(limits.sections, sectionCount)
    try object[.deleteSections]?.forEachElement(maximumCount: knownCount) {
      (value) throws(JSONError) in
      request.batch.deleteSections.append(try value.whole(in: JSONValue.indices))
    }
    try object[.insertSections]?.forEachElement(maximumCount: limits.sections) {
      (value) throws(JSONError) in
      request.batch.insertSections.append(try value.sectionAt(&budget))
    }
    try object[.moveSections]?.forEachElement(maximumCount: knownCount) {
      (value) throws(JSONError) in
      let move = try JSONObject<OperationMember>(value, allowed: [.from, .to])
      request.batch.moveSections.append(
        (
          try move.required(.from).whole(in: JSONValue.indices),
          try move.required(.to).whole(in: JSONValue.indices)
        ))
    }
    try object[.reloadSections]?.forEachElement(maximumCount: limits.sections) {
      (value) throws(JSONError) in
      request.batch.reloadSections.append(try value.sectionAt(&budget))
    }
    try object[.deleteItems]?.forEachElement(maximumCount: ContentLimits.operations) {
      (value) throws(JSONError) in
      request.batch.deleteItems.append(try value.itemRange())
    }
    try object[.insertItems]?.forEachElement(maximumCount: ContentLimits.operations) {
      (value) throws(JSONError) in
      let insert = try JSONObject<OperationMember>(value, allowed: [.section, .at, .items])
      let path = IndexPath(
        item: try insert.required(.at).whole(in: JSONValue.indices),
        section: try insert.required(.section).whole(in: JSONValue.indices))
      request.batch.insertItems.append(
        (path, try insert.required(.items).oneRunOfItems(&budget)))
    }
    try object[.moveItems]?.forEachElement(maximumCount: ContentLimits.operations) {
      (value) throws(JSONError) in
      let move = try JSONObject<OperationMember>(value, allowed: [.from, .to])
      request.batch.moveItems.append(
        (try move.required(.from).indexPath(), try move.required(.to).indexPath()))
    }
    try object[.reloadItems]?.forEachElement(maximumCount: ContentLimits.operations) {
      (value) throws(JSONError) in
      let reload = try JSONObject<OperationMember>(value, allowed: [.section, .start, .items])
      let path = IndexPath(
        item: try reload.required(.start).whole(in: JSONValue.indices),
        section: try reload.required(.section).whole(in: JSONValue.indices))
      let given = try reload.required(.items)
      let items = try given.oneRunOfItems(&budget)
      if items.ids != nil, let ids = try JSONObject<ItemsMember>(given)[.ids] {
        throw ids.error(.rule("reloaded items keep their ids: leave ids out"))
      }
      request.batch.reloadItems.append((path, items))
    }
    if let expect = object[.expect] {
      var counts: [Int] = []
      try JSONObject<ExpectMember>(expect).required(.itemCounts)
        .forEachElement(maximumCount: limits.sections) { (value) throws(JSONError) in
          counts.append(try value.whole(in: JSONValue.indices))
        }
      request.batch.expectedItemCounts = counts
    }
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

  /// Indices of items and sections, as far as there can be any.
  private static var indices: ClosedRange<Int> { 0...ContentLimits.equalItems }

  private func forEachElement(
    maximumCount: Int, _ body: (JSONValue) throws(JSONError) -> Void
  ) throws(JSONError) {
    var array = try array(maximumCount: maximumCount)
    while let value = array.next() { try body(value) }
  }

  private func sectionAt(
    _ budget: inout ItemBudget
  ) throws(JSONError) -> (at: Int, section: Section) {
    let object = try JSONObject<OperationMember>(self, allowed: [.at, .section])
    return (
      try object.required(.at).whole(in: JSONValue.indices),
      try object.required(.section).section(&budget)
    )
  }

  private func itemRange() throws(JSONError) -> ItemRange {
    let object = try JSONObject<OperationMember>(self, allowed: [.section, .start, .end])
    let range = ItemRange(
      section: try object.required(.section).whole(in: JSONValue.indices),
      start: try object.required(.start).whole(in: JSONValue.indices),
      end: try object.required(.end).whole(in: JSONValue.indices))
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
