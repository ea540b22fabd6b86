/// The sections of a collection; cheap to change anywhere.
public struct SectionList: Sendable, RandomAccessCollection, ExpressibleByArrayLiteral {
  let rope: Rope<SectionRun>

  init(rope: Rope<SectionRun>) { self.rope = rope }

  /// Makes a list.
  ///
  /// - Parameter sections: The sections, in order.
  public init(_ sections: [Section]) { rope = Rope([SectionRun(sections)]) }

  /// Makes a list of the sections of a literal.
  public init(arrayLiteral sections: Section...) { self.init(sections) }

  /// 0.
  public var startIndex: Int { 0 }

  /// How many sections there are.
  public var endIndex: Int { rope.count }

  /// One section.
  ///
  /// - Parameter index: 0 ..< count.
  /// - Complexity: O(log n).
  public subscript(index: Int) -> Section { withSection(index) { $0 } }

  /// The items of one section, without a copy of what else it has.
  ///
  /// - Parameter index: 0 ..< count.
  /// - Returns: The items.
  /// - Complexity: O(log n).
  func items(ofSection index: Int) -> ItemList { withSection(index) { $0.items } }

  /// How many items one section has.
  ///
  /// - Parameter index: 0 ..< count.
  /// - Returns: The number.
  /// - Complexity: O(log n).
  func itemCount(ofSection index: Int) -> Int { withSection(index) { $0.items.count } }

  /// Hands out a section where it is.
  @inline(__always)
  private func withSection<Result>(_ index: Int, _ body: (Section) -> Result) -> Result {
    let result = rope.withPlace(of: index) { body($0.leaf.chunk.sections[index - $0.start]) }
    guard let result else { preconditionFailure("there is no section \(index)") }
    return result
  }

  /// How many items there are in all sections.
  public var itemCount: Int { rope.summary.itemCount }

  /// How many items the largest section has.
  public var greatestItemCount: Int { rope.summary.greatestItemCount }

  /// What is known of all sections.
  var summary: SectionsSummary { rope.summary }
}

/// Some sections in one piece.
struct SectionRun: RopeChunk {
  var sections: [Section]

  init(_ sections: [Section]) { self.sections = sections }

  static var capacity: Int { 32 }

  var count: Int { sections.count }

  var summary: SectionsSummary {
    sections.reduce(into: .zero) { $0 = $0 + SectionsSummary($1) }
  }

  func goes(with other: SectionRun, asUniform: Bool) -> Bool { true }

  static func joining(_ parts: ArraySlice<Part>) -> SectionRun {
    SectionRun(parts.flatMap { $0.chunk.sections[$0.range] })
  }
}

/// What is known of many sections.
struct SectionsSummary: RopeSummary {
  var itemCount = 0
  var describedItemCount = 0
  var namedItemCount = 0
  var byteCount = 0
  var greatestItemCount = 0

  static let zero = SectionsSummary()

  static func + (left: SectionsSummary, right: SectionsSummary) -> SectionsSummary {
    SectionsSummary(
      itemCount: left.itemCount + right.itemCount,
      describedItemCount: left.describedItemCount + right.describedItemCount,
      namedItemCount: left.namedItemCount + right.namedItemCount,
      byteCount: left.byteCount + right.byteCount,
      greatestItemCount: max(left.greatestItemCount, right.greatestItemCount))
  }
}

extension SectionsSummary {
  /// Of one section.
  init(_ section: Section) {
    itemCount = section.items.count
    greatestItemCount = itemCount
    describedItemCount = section.items.describedCount
    namedItemCount = section.items.namedCount
    byteCount =
      MemoryLayout<Section>.stride + section.items.byteCount + (section.id?.utf8.count ?? 0)
      + section.decorations.reduce(0) {
        $0 + MemoryLayout<Decoration>.stride + $1.kind.utf8.count
      }
  }
}
