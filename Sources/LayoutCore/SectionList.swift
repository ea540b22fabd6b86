/// The sections of a collection; cheap to change anywhere.
public struct SectionList: Sendable, RandomAccessCollection, ExpressibleByArrayLiteral {
  let rope: Rope<SectionRun>

  init(rope: Rope<SectionRun>) { self.rope = rope }

  /// Makes a list.
  ///
  /// - Parameter sections: The sections, in order.
  public init(_ sections: [Section]) {
    rope = Rope(count: sections.count) { SectionRun(Array(sections[$0])) }
  }

  /// Makes a list of the sections of a literal.
  public init(arrayLiteral sections: Section...) { self.init(sections) }

  /// 0.
  public var startIndex: Int { 0 }

  /// How many sections there are.
  public var endIndex: Int { rope.count }

  /// The sections one after the other: a step does not look for its section from the top.
  public struct Iterator: IteratorProtocol {
    private let rope: Rope<SectionRun>
    /// Sections next to each other, of which some are done.
    private var run: [Section] = []
    private var index = 0
    /// The number of the first section after the run.
    private var end = 0

    fileprivate init(_ rope: Rope<SectionRun>) { self.rope = rope }

    /// The next section; nil if there is none.
    ///
    /// - Complexity: O(1) as a rule.
    public mutating func next() -> Section? {
      if index == run.count {
        guard let place = rope.place(of: end) else { return nil }
        (run, index) = (place.chunk.sections, 0)
        end += run.count
      }
      index += 1
      return run[index - 1]
    }
  }

  /// The sections from the first on.
  public func makeIterator() -> Iterator { Iterator(rope) }

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
    // The leaf is in the rope, and does not count its use.
    defer { withExtendedLifetime(rope) {} }
    guard let place = unsafe rope.unmanagedLeaf(with: index) else {
      preconditionFailure("there is no section \(index)")
    }
    return unsafe place.leaf._withUnsafeGuaranteedRef {
      unsafe body($0.chunk.sections[index - place.start])
    }
  }

  /// Visits the sections' numbers of items in order, without a copy of what else sections have.
  ///
  /// - Parameter body: Called with each.
  /// - Complexity: O(n).
  public func forEachItemCount(_ body: (Int) -> Void) {
    rope.forEachLeaf(from: 0) { leaf, _ in
      for index in 0..<leaf.count { body(leaf.chunk.sections[index].items.count) }
      return true
    }
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

  // A section takes some three hundred bytes: with four times as many, changes all over ten thousand sections take
  // half as long again.
  static var capacity: Int { 8 }

  // The nearer caches hold no more than so many of that size.
  static var nearCount: Int { 1 << 12 }

  var count: Int { sections.count }

  /// Asks for their names and items, with which they begin: for the rest of each there is no room.
  @inline(__always)
  static func fetchElements(_ range: Range<Int>, of leaf: RopeLeaf<SectionRun>) {
    let size = MemoryLayout<String?>.stride + MemoryLayout<ItemList>.stride
    leaf.chunk.sections.fetch(first: size, of: range)
  }

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
  /// Of items' names and the kinds of decorations, in bytes of UTF-8.
  var longestName = 0
  var byteCount = 0
  var greatestItemCount = 0

  static let zero = SectionsSummary()

  static func + (left: SectionsSummary, right: SectionsSummary) -> SectionsSummary {
    SectionsSummary(
      itemCount: left.itemCount + right.itemCount,
      describedItemCount: left.describedItemCount + right.describedItemCount,
      namedItemCount: left.namedItemCount + right.namedItemCount,
      longestName: max(left.longestName, right.longestName),
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
    longestName = section.decorations.reduce(section.items.longestID) {
      max($0, $1.kind.utf8.count)
    }
    byteCount =
      MemoryLayout<Section>.stride + section.items.byteCount
      + (section.id?.heapByteCount ?? 0)
      + section.decorations.reduce(0) {
        $0 + MemoryLayout<Decoration>.stride + $1.kind.heapByteCount
      }
  }
}

extension String {
  /// The bytes that it takes on the heap; up to fifteen take none.
  fileprivate var heapByteCount: Int {
    let count = utf8.count
    // What every object has, what every string on the heap has, a zero, and what the allocator adds.
    return count > 15 ? (count + 32 + 1 + 8 + 15) & ~15 : 0
  }
}
