/// A few elements of a sequence in one piece.
protocol RopeChunk: Sendable {
  associatedtype Summary: RopeSummary

  /// How many elements a chunk may have, unless they are all alike.
  static var capacity: Int { get }

  /// How many elements.
  var count: Int { get }

  /// Whether all elements are known to be alike, so that any number of them is one piece.
  var isUniform: Bool { get }

  /// How many elements of a rope are too few to be asked for before they are read.
  static var nearCount: Int { get }

  /// What is known of the elements; worked out anew.
  var summary: Summary { get }

  /// Asks for what some elements of a leaf have outside of it, to be read soon.
  static func fetchElements(_ range: Range<Int>, of leaf: RopeLeaf<Self>)

  /// A leaf with some elements replaced, if there is a quicker way than to join its parts.
  ///
  /// - Parameters:
  ///   - leaf: The leaf; not uniform.
  ///   - start: How many elements of the rope are before it.
  ///   - edits: What is replaced, at least one, ascending and apart, all of it in the leaf. Those that come
  ///     need not go with the others.
  ///   - count: How many elements there are then: as fit in a leaf, and more than none.
  /// - Returns: The changed leaf; nil if there is no such way.
  static func edited(
    _ leaf: RopeLeaf<Self>, from start: Int, by edits: Span<Rope<Self>.Edit>, count: Int
  ) -> RopeLeaf<Self>?

  /// Whether elements of this chunk and of another can be in one piece.
  ///
  /// - Parameters:
  ///   - other: Another chunk.
  ///   - asUniform: Whether the piece must be uniform as they are.
  /// - Returns: Whether they can.
  func goes(with other: Self, asUniform: Bool) -> Bool

  /// Parts of chunks that go with each other as one chunk.
  ///
  /// - Parameter parts: The parts; at least one.
  /// - Returns: Their elements, in order.
  static func joining(_ parts: ArraySlice<Part>) -> Self
}

/// Some elements of a chunk.
struct RopePart<Chunk: RopeChunk> {
  /// Where the chunk is: to point to it costs less than to copy what it is made of.
  enum Source {
    case leaf(RopeLeaf<Chunk>)
    indirect case chunk(Chunk)
  }

  let source: Source
  var range: Range<Int>

  /// The chunk.
  var chunk: Chunk {
    switch source {
    case .leaf(let leaf): leaf.chunk
    case .chunk(let chunk): chunk
    }
  }

  /// How many elements the chunk has.
  var chunkCount: Int {
    switch source {
    case .leaf(let leaf): leaf.count
    case .chunk(let chunk): chunk.count
    }
  }

  /// Whether all elements of the chunk are known to be alike.
  var isUniform: Bool {
    switch source {
    case .leaf(let leaf): leaf.isUniform
    case .chunk(let chunk): chunk.isUniform
    }
  }

  /// Whether elements of the chunk and of another part's can be in one piece.
  func goes(with other: RopePart, asUniform: Bool) -> Bool {
    read { chunk in other.read { chunk.goes(with: $0, asUniform: asUniform) } }
  }

  /// Hands out the chunk where it is: a copy counts as a reference to all that it is made of.
  @inline(__always)
  func read<Result>(_ body: (borrowing Chunk) -> Result) -> Result {
    switch source {
    case .leaf(let leaf): body(leaf.chunk)
    case .chunk(let chunk): body(chunk)
    }
  }

  /// The chunk as a leaf.
  var leaf: RopeLeaf<Chunk> {
    switch source {
    case .leaf(let leaf): leaf
    case .chunk(let chunk): RopeLeaf(chunk)
    }
  }
}

extension RopeChunk {
  typealias Part = RopePart<Self>

  var isUniform: Bool { false }

  // The nearer caches hold so many items of which each has a size, and to ask takes longer than to wait for
  // those. For elements of other kinds it is a guess.
  static var nearCount: Int { 1 << 17 }

  @inline(__always)
  static func fetchElements(_ range: Range<Int>, of leaf: RopeLeaf<Self>) {}

  static func edited(
    _ leaf: RopeLeaf<Self>, from start: Int, by edits: Span<Rope<Self>.Edit>, count: Int
  ) -> RopeLeaf<Self>? { nil }

  /// How many elements a chunk may grow to: more than ``capacity``, so that the full ones that long
  /// content is cut into need not be cut again at the first insert.
  static var limit: Int { capacity + capacity / 8 }

  /// All of it.
  var whole: Part { RopePart(source: .chunk(self), range: 0..<count) }

  /// A part of it.
  func slice(_ range: Range<Int>) -> Self {
    range == 0..<count ? self : Self.joining([RopePart(source: .chunk(self), range: range)])
  }
}
