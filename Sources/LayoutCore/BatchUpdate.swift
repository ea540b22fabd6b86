/// Inserts, deletes, moves and reloads that happen at once: `performBatchUpdates`.
///
/// Deletes, reloads and what is moved are named by where they are before the batch, inserts and where
/// things are moved to by where they are after the whole batch. So the order of the operations does
/// not matter: what is inserted or moved stands at its final place, and what was not touched fills
/// the other places in its old order; sections first, then items.
public struct BatchUpdate: Sendable {
  /// Sections to delete.
  public var deleteSections: [Int] = []
  /// Sections to insert, and where.
  public var insertSections: [(at: Int, section: Section)] = []
  /// Sections to move.
  public var moveSections: [(from: Int, to: Int)] = []
  /// Sections to replace where they are.
  public var reloadSections: [(at: Int, section: Section)] = []
  /// Items to delete.
  public var deleteItems: [ItemRange] = []
  /// Items to insert, and where the first of them goes.
  public var insertItems: [(at: IndexPath, items: Items)] = []
  /// Items to move.
  public var moveItems: [(from: IndexPath, to: IndexPath)] = []
  /// Items to replace where they are; they keep their names.
  public var reloadItems: [(at: IndexPath, items: Items)] = []
  /// How many items the client believes each section to have afterwards.
  public var expectedItemCounts: [Int]?

  /// Makes an empty batch.
  public init() {}

  /// Whether nothing would be changed by it.
  public var isEmpty: Bool {
    deleteSections.isEmpty && insertSections.isEmpty && moveSections.isEmpty
      && reloadSections.isEmpty && moveItems.isEmpty
      && deleteItems.allSatisfy { $0.start == $0.end }
      && insertItems.allSatisfy { $0.items.count == 0 }
      && reloadItems.allSatisfy { $0.items.count == 0 }
  }
}

/// What a batch breaks, where, and how to mend it.
public struct UpdateRefusal: Error, Sendable {
  /// The rule, in UIKit's words.
  public var reason: String
  /// The operation that breaks it.
  public var operation: UpdateOperation
  /// The smallest change of the batch that mends this.
  var repair: @Sendable (inout BatchUpdate) -> Void
}

/// One operation of a batch.
public enum UpdateOperation: Hashable, Sendable {
  /// `deleteSections[i]`.
  case deleteSection(Int)
  /// `insertSections[i]`.
  case insertSection(Int)
  /// `moveSections[i]`.
  case moveSection(Int)
  /// `reloadSections[i]`.
  case reloadSection(Int)
  /// `deleteItems[i]`.
  case deleteItems(Int)
  /// `insertItems[i]`.
  case insertItems(Int)
  /// `moveItems[i]`.
  case moveItem(Int)
  /// `reloadItems[i]`.
  case reloadItems(Int)
  /// `expect`.
  case expectation
}

/// What a change makes of content.
public struct UpdatedContent: Sendable {
  /// The content after the change.
  public var content: Content
  /// How its elements go with those before.
  public var map: any ElementMap
  /// The names there are afterwards, as far as anybody had to know them.
  public var names: KnownNames
  /// Which sections it touches, or items of which; nil if nobody has worked that out: all are laid out anew then.
  var change: ContentChange?
}

extension BatchUpdate {
  /// What the batch makes of content: all of it, or nothing.
  ///
  /// - Parameters:
  ///   - content: The content.
  ///   - names: The names in it, to be collected where a batch brings names of its own.
  /// - Returns: The content afterwards, which shares what did not change.
  /// - Throws: ``UpdateRefusal`` with the first rule that is broken.
  /// - Complexity: O(k · log n) for k items that are inserted, moved or reloaded, and ranges deleted; and for the
  ///   names of what is deleted, where the batch brings names or one before it did.
  public func applied(
    to content: Content, names: inout KnownNames
  ) throws(UpdateRefusal) -> UpdatedContent {
    let plan = try UpdatePlan(self, for: content)
    let newNames = try plan.names(after: self, from: &names)
    return plan.result(of: self, names: newNames)
  }

  /// What the batch makes of content of which no names are known yet.
  ///
  /// - Parameter content: The content.
  /// - Returns: The content afterwards, which shares what did not change.
  /// - Throws: ``UpdateRefusal`` with the first rule that is broken.
  public func applied(to content: Content) throws(UpdateRefusal) -> UpdatedContent {
    var names = KnownNames()
    return try applied(to: content, names: &names)
  }

  /// A batch like this one that can be applied: one thing after the other is mended, each by the least change.
  ///
  /// - Parameters:
  ///   - content: The content.
  ///   - names: The names in it, to be collected where they have to be known.
  /// - Returns: Nil if too much is broken, or nothing.
  /// - Complexity: That of applying it, up to 65 times, but no more often than 400,000 operations and names
  ///   that come or go are gone through.
  public func repaired(for content: Content, names: inout KnownNames) -> BatchUpdate? {
    guard var refusal = refusal(by: content, &names) else { return nil }
    var batch = self
    // Each round goes through the whole batch, and mends what the one before still broke.
    for _ in 0..<min(64, BatchUpdate.repairCost / max(1, cost(in: content, names))) {
      refusal.repair(&batch)
      guard let next = batch.refusal(by: content, &names) else { return batch }
      refusal = next
    }
    return nil
  }

  /// A batch like this one that can be applied to content of which no names are known yet.
  ///
  /// - Parameter content: The content.
  /// - Returns: Nil if too much is broken, or nothing.
  public func repaired(for content: Content) -> BatchUpdate? {
    var names = KnownNames()
    return repaired(for: content, names: &names)
  }

  /// The first rule that the batch breaks; nil if it can be applied.
  private func refusal(by content: Content, _ names: inout KnownNames) -> UpdateRefusal? {
    do throws(UpdateRefusal) {
      _ = try applied(to: content, names: &names)
      return nil
    } catch {
      return error
    }
  }

  /// So many operations and names are gone through to mend a batch: nobody waits seconds for a proposal.
  private static var repairCost: Int { 400_000 }

  /// How many operations there are, and names that they bring, and take where that matters.
  private func cost(in content: Content, _ names: KnownNames) -> Int {
    let operationCount =
      deleteSections.count + insertSections.count + moveSections.count + reloadSections.count
      + deleteItems.count + insertItems.count + moveItems.count + reloadItems.count
    let namedCount = insertItems.reduce(0) { $0 + ($1.items.ids?.count ?? 0) }
    let sections = insertSections.map(\.section) + reloadSections.map(\.section)
    let removedCount = names.items == nil ? 0 : removedNameCount(in: content)
    return sections.reduce(operationCount + namedCount + removedCount) {
      $0 + $1.items.rope.summary.namedCount
    }
  }

  /// At most so many names go; what is deleted need not exist.
  private func removedNameCount(in content: Content) -> Int {
    let sections = deleteSections + reloadSections.map(\.at)
    let counts =
      sections.lazy.filter(content.sections.indices.contains).map {
        content.sections.itemCount(ofSection: $0)
      } + deleteItems.lazy.map { $0.end - $0.start }
    let namedCount = content.sections.summary.namedItemCount
    return counts.reduce(0) { min(namedCount, $0 + min(namedCount, max(0, $1))) }
  }

  /// Takes an operation out.
  mutating func remove(_ operation: UpdateOperation) {
    switch operation {
    case .deleteSection(let index): deleteSections.remove(at: index)
    case .insertSection(let index): insertSections.remove(at: index)
    case .moveSection(let index): moveSections.remove(at: index)
    case .reloadSection(let index): reloadSections.remove(at: index)
    case .deleteItems(let index): deleteItems.remove(at: index)
    case .insertItems(let index): insertItems.remove(at: index)
    case .moveItem(let index): moveItems.remove(at: index)
    case .reloadItems(let index): reloadItems.remove(at: index)
    case .expectation: expectedItemCounts = nil
    }
  }
}
