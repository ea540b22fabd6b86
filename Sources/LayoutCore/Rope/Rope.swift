/// A sequence that is cheap to change anywhere: chunks under a balanced tree of their summaries.
///
/// It is a value: a changed rope shares with the one it was made of all that the change did not
/// touch, so that whoever still reads the old one is not disturbed and a copy costs nothing.
///
/// How the elements are cut into chunks depends on a rope's history; nothing else does.
struct Rope<Chunk: RopeChunk>: Sendable {
  typealias Measure = Chunk.Summary.Measure

  typealias Leaf = RopeLeaf<Chunk>

  /// Nodes of one height, in order.
  enum Level: Sendable {
    case leaves([Leaf])
    case branches([Branch])
  }

  /// What a child of a branch comes to.
  struct Sum: Sendable {
    var count: Int
    var measure: Measure
  }

  enum Root: Sendable {
    case empty
    case leaf(Leaf)
    case branch(Branch)
  }

  /// A place in the sequence: a chunk with what is before it.
  struct Place {
    /// The chunk with its summary; to read a part of it here copies only that part.
    let leaf: Leaf
    /// How many elements are before it.
    let start: Int
    /// What the elements before it come to.
    let before: Measure

    /// The chunk.
    var chunk: Chunk { leaf.chunk }
    /// What is known of its elements.
    var summary: Chunk.Summary { leaf.summary }
    /// How many elements it has.
    var count: Int { leaf.count }
  }

  /// Elements to be replaced by others.
  struct Edit {
    /// Which; empty to insert only.
    var range: Range<Int>
    /// By what.
    var chunks: [Chunk]

    /// Which, counted from an element.
    func range(from start: Int) -> Range<Int> {
      (range.lowerBound - start)..<(range.upperBound - start)
    }

    /// By how much the number of elements grows.
    var growth: Int {
      chunks.isEmpty ? -range.count : chunks.reduce(0) { $0 + $1.count } - range.count
    }
  }

  let root: Root

  /// Makes a rope of chunks of any size.
  ///
  /// - Complexity: O(n).
  init(_ chunks: [Chunk]) {
    // Most sections have one chunk.
    if chunks.count == 1, let root = Rope.leafRoot(chunks[0]) {
      self.root = root
      return
    }
    // Nearly all are taken as they are; what is cut is added up after that.
    root = Rope.tree(.leaves(Rope.leaves(chunks.map(Rope.part))))
  }

  /// Makes a rope of a chunk of any size.
  ///
  /// - Complexity: O(n).
  init(_ chunk: Chunk) { root = Rope.leafRoot(chunk) ?? Rope([chunk]).root }

  /// Makes a rope of so many elements, leaf by leaf: each is added up while what it was made of is at hand.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - chunk: Makes a chunk of the elements of a range; called in order, with no more than fit into a leaf.
  /// - Throws: What `chunk` throws.
  /// - Complexity: O(n).
  init<Failure>(
    count: Int, _ chunk: (_ elements: Range<Int>) throws(Failure) -> Chunk
  ) throws(Failure) {
    var leaves: [Leaf] = []
    leaves.reserveCapacity((count + Chunk.capacity - 1) / Chunk.capacity)
    var start = 0
    while start < count {
      let end = min(count, start + Chunk.capacity)
      leaves.append(Leaf(try chunk(start..<end)))
      start = end
    }
    root = Rope.tree(.leaves(leaves))
  }

  init(root: Root) { self.root = root }

  /// How many elements there are.
  var count: Int {
    switch root {
    case .empty: 0
    case .leaf(let leaf): leaf.count
    case .branch(let branch): branch.count
    }
  }

  /// What is known of all elements.
  var summary: Chunk.Summary {
    switch root {
    case .empty: .zero
    case .leaf(let leaf): leaf.summary
    case .branch(let branch): branch.summary
    }
  }

  /// The bytes of the branch at the root, if there is one; an estimate.
  ///
  /// What chunks estimate has their share of a branch that is full, as most are where there are many chunks;
  /// two chunks have one of their own.
  var rootByteCount: Int {
    guard case .branch(let branch) = root else { return 0 }
    let word = MemoryLayout<Int>.stride
    return 350 + branch.sums.count * (MemoryLayout<Sum>.stride + word)
  }
}
