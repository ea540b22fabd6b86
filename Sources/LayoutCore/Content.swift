/// What is to be laid out: sections with their items, headers and footers.
///
/// The same content works with every layout.
public struct Content: Sendable {
  /// The sections, in order.
  public var sections: SectionList

  /// Makes content.
  ///
  /// - Parameter sections: The sections, in order.
  public init(sections: [Section]) { self.sections = SectionList(sections) }

  init(sections: SectionList) { self.sections = sections }
}

/// One section; a nil member leaves the choice to the layout.
public struct Section: Sendable {
  /// The client's name for it.
  public var id: String?
  /// The items.
  public var items: ItemList
  /// Around the items, between header and footer.
  public var sectionInset: EdgeInsets?
  /// Between lines, along the main axis.
  public var minimumLineSpacing: Length?
  /// Between items of a line, or of a column.
  public var minimumInteritemSpacing: Length?
  /// Between columns.
  public var minimumColumnSpacing: Length?
  /// How many columns, 1 … ``WaterfallLayout/maximumColumnCount``.
  public var columnCount: Int?
  /// Only its extent along the main axis counts; 0 is no header.
  public var header: Size?
  /// Only its extent along the main axis counts; 0 is no footer.
  public var footer: Size?
  /// Around the header.
  public var headerInset: EdgeInsets?
  /// Around the footer.
  public var footerInset: EdgeInsets?
  /// What stands behind the section as a whole; at most ``maximumDecorationCount``.
  public var decorations: [Decoration] = []

  /// How many decorations a section may have.
  public static var maximumDecorationCount: Int { 100 }

  /// Makes a section that leaves everything to its layout.
  ///
  /// - Parameters:
  ///   - id: The client's name for it.
  ///   - items: The items.
  public init(id: String? = nil, items: Items = Items()) {
    self.id = id
    self.items = ItemList(items)
  }
}

/// What stands behind a section, without an item: a decoration view, such as a background.
///
/// Its frame is the section with its header, insets and footer, across the whole viewport, less the
/// insets; its zIndex is −1.
public struct Decoration: Hashable, Sendable {
  /// The client's name for what it is; neither `cell` nor `header` nor `footer`.
  public let kind: String
  /// From the edges of the section inwards.
  public let insets: EdgeInsets
  /// Tells kinds apart without reading them: there may be a hundred long ones that begin alike.
  fileprivate let fingerprint: UInt64

  /// Makes a decoration.
  ///
  /// - Parameters:
  ///   - kind: The client's name for what it is.
  ///   - insets: From the edges of the section inwards.
  public init(kind: String, insets: EdgeInsets = .zero) {
    self.kind = kind
    self.insets = insets
    fingerprint = NameSet.fingerprint(kind.utf8.span)
  }
}

extension [Decoration] {
  /// The place of the decoration of a kind; nil if there is none.
  package func place(ofKind kind: String) -> UInt8? { place(ofKindOf: Decoration(kind: kind)) }

  /// The place of the decoration that has the kind of another one; nil if there is none.
  func place(ofKindOf other: Decoration) -> UInt8? {
    firstIndex {
      $0.fingerprint == other.fingerprint && $0.kind.utf8.elementsEqual(other.kind.utf8)
    }.flatMap(UInt8.init(exactly:))
  }
}

extension String {
  /// What names are told apart by: texts that only look alike are one to Swift, and two to all others.
  package var nameBytes: [UInt8] { Array(utf8) }
}

/// The items of a section: how many, and what is known of their sizes.
public struct Items: Hashable, Sendable {
  /// What is known of their sizes.
  public var extents: ItemExtents
  /// How many; up to 10¹² where they have no data of their own.
  public var count: Int
  /// The client's names for them: as many as there are items, or nil.
  public var ids: StringTable?
}

// In an extension, so that the memberwise initializer, whose parameters are in another order, remains: it builds
// the value in place. One that sets member after member builds a copy, and retains all that it refers to.
extension Items {
  /// Makes items.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - extents: What is known of their sizes; arrays hold `count` values.
  ///   - ids: The client's names: `count` of them, or nil.
  public init(count: Int = 0, extents: ItemExtents = .unspecified, ids: StringTable? = nil) {
    self.init(extents: extents, count: count, ids: ids)
  }
}

/// What a description says of the sizes of a section's items.
public enum ItemExtents: Hashable, Sendable {
  /// Nothing: the layout decides.
  case unspecified
  /// One size for all.
  case size(Size)
  /// A size each.
  case sizes(widths: LengthArray, heights: LengthArray)
  /// An extent along the main axis each.
  case lengths(LengthArray)
  /// Width divided by height each; finite and above 0.
  case aspectRatios([Double])
  /// One thing of one, another of another: a few items of each, next to each other.
  case mixed([ItemExtent])

  /// The bytes that the storage takes on the heap.
  public var byteCount: Int {
    switch self {
    case .unspecified, .size: 0
    case .sizes(let widths, let heights): widths.byteCount + heights.byteCount
    case .lengths(let lengths): lengths.byteCount
    case .aspectRatios(let ratios): ratios.capacity * 8
    case .mixed(let extents): extents.capacity * MemoryLayout<ItemExtent>.stride
    }
  }
}

/// Many strings in two arrays, so that a million names are not a million objects.
public struct StringTable: Hashable, Sendable {
  /// The UTF-8 of all strings, one after the other.
  public var bytes: [UInt8] = []
  /// Where each string begins, and where the last one ends: one more than there are strings.
  public var offsets: [UInt32] = [0]

  /// Makes an empty table.
  public init() {}

  /// How many strings there are.
  public var count: Int { offsets.count - 1 }

  /// Where the UTF-8 of a string is in ``bytes``.
  ///
  /// - Parameter index: 0 ..< count.
  /// - Returns: A range of ``bytes``.
  public func range(of index: Int) -> Range<Int> { Int(offsets[index])..<Int(offsets[index + 1]) }

  /// How many bytes the longest string has; 0 if there are none.
  ///
  /// - Complexity: O(n).
  var longest: Int {
    zip(offsets, offsets.dropFirst()).reduce(0) { max($0, Int($1.1) - Int($1.0)) }
  }

  /// Makes room.
  ///
  /// - Parameters:
  ///   - count: For how many strings in all.
  ///   - byteCount: For how many bytes in all.
  public mutating func reserveCapacity(_ count: Int, byteCount: Int) {
    bytes.reserveCapacity(byteCount)
    offsets.reserveCapacity(count + 1)
  }

  /// The bytes that the storage takes on the heap.
  public var byteCount: Int { bytes.capacity + offsets.capacity * 4 }
}

extension Content {
  /// Visits the names of all items, in order.
  func forEachID(_ body: (IndexPath, Span<UInt8>) -> Bool) {
    var isGoingOn = true
    for (section, description) in sections.enumerated() where isGoingOn {
      isGoingOn = description.items.forEachID(in: 0..<description.items.count) {
        body(IndexPath(item: $0, section: section), $1)
      }
    }
  }

  /// Hands out the name of an item, if it has one.
  func withID<Result>(of path: IndexPath, _ body: (Span<UInt8>) -> Result) -> Result? {
    sections.items(ofSection: path.section).withID(of: path.item, body)
  }

  /// Whether an item has a name.
  func hasID(_ path: IndexPath, _ name: Span<UInt8>) -> Bool {
    withID(of: path) { other in
      other.count == name.count && other.indices.allSatisfy { other[$0] == name[$0] }
    } ?? false
  }
}
