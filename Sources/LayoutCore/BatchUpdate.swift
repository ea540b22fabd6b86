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
}

/// What a batch breaks, and where.
public struct UpdateRefusal: Error, Sendable {
  /// The rule, in UIKit's words.
  public var reason: String
  /// The operation that breaks it; nil if it is the batch as a whole.
  public var operation: UpdateOperation?
  /// The name that exists already, with its place among the items of the operation.
  var item: Int?
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

/// What a valid batch makes of content.
public struct UpdatedContent: Sendable {
  /// The content after the batch.
  public var content: Content
  /// How its elements go with those before.
  public var map: any ElementMap
  /// The names there are after the batch; nil if nobody has asked for them yet.
  public var names: NameSet?
  var change: ContentChange
}
