/// What many elements come to: a sum, a maximum.
///
/// Adding must be associative, so that it does not matter how a sequence is cut.
protocol RopeMeasure: Sendable {
  /// Of no elements.
  static var zero: Self { get }
  /// Of elements followed by others.
  static func + (left: Self, right: Self) -> Self
  /// Adds elements that follow.
  static func += (left: inout Self, right: Self)
}

extension RopeMeasure {
  static func += (left: inout Self, right: Self) { left = left + right }
}

/// All that is known of many elements without looking at each.
protocol RopeSummary: RopeMeasure {
  /// The part that places are looked for by; all of it, unless that is more than a search should add
  /// up on its way.
  associatedtype Measure: RopeMeasure = Self
  /// That part.
  var measure: Measure { get }

  /// Puts others in the place of elements that are among these.
  ///
  /// - Parameters:
  ///   - part: What is known of those that go.
  ///   - new: What is known of those that come.
  /// - Returns: Whether the whole is known then without looking at it; if not, this is of no use any
  ///   more.
  mutating func replace(_ part: Self, by new: Self) -> Bool
}

extension RopeSummary {
  mutating func replace(_ part: Self, by new: Self) -> Bool { false }
}

extension RopeSummary where Measure == Self {
  var measure: Self { self }
}

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

/// A chunk with what is known of it: a leaf of a rope's tree.
final class RopeLeaf<Chunk: RopeChunk>: RopeNode {
  let count: Int
  /// That of the chunk, which nobody need look at for it.
  let isUniform: Bool
  let summary: Chunk.Summary
  let chunk: Chunk

  convenience init(_ chunk: Chunk) { self.init(chunk, chunk.summary) }

  init(_ chunk: Chunk, _ summary: Chunk.Summary) {
    count = chunk.count
    isUniform = chunk.isUniform
    self.summary = summary
    self.chunk = chunk
  }

  /// The two as one, unless that would be too large.
  func joined(with next: RopeLeaf) -> RopeLeaf? {
    guard isUniform && next.isUniform || count + next.count <= Chunk.capacity,
      chunk.fits(next.chunk, count: count + next.count)
    else { return nil }
    return RopeLeaf(Chunk.joining([whole, next.whole]))
  }

  /// All of it.
  var whole: RopePart<Chunk> { RopePart(source: .leaf(self), range: 0..<count) }

  static func fetch(_ node: Unmanaged<RopeLeaf>) {
    // Two members in front, each a word.
    let size =
      2 * MemoryLayout<Int>.stride + MemoryLayout<Chunk.Summary>.stride
      + MemoryLayout<Chunk>.stride
    unsafe node.fetch(members: size)
  }

  func fetchMembers() { Chunk.fetchElements(0..<count, of: self) }
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
  fileprivate var chunkCount: Int {
    switch source {
    case .leaf(let leaf): leaf.count
    case .chunk(let chunk): chunk.count
    }
  }

  /// Whether all elements of the chunk are known to be alike.
  fileprivate var isUniform: Bool {
    switch source {
    case .leaf(let leaf): leaf.isUniform
    case .chunk(let chunk): chunk.isUniform
    }
  }

  /// Whether elements of the chunk and of another part's can be in one piece.
  fileprivate func goes(with other: RopePart, asUniform: Bool) -> Bool {
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
  fileprivate var leaf: RopeLeaf<Chunk> {
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

  /// Whether this chunk and another after it can be one of so many elements.
  func fits(_ other: Self, count: Int) -> Bool {
    isUniform && other.isUniform && goes(with: other, asUniform: true)
      || count <= Self.capacity && goes(with: other, asUniform: false)
  }
}

/// A sequence that is cheap to change anywhere: chunks under a balanced tree of their summaries.
///
/// It is a value: a changed rope shares with the one it was made of all that the change did not
/// touch, so that whoever still reads the old one is not disturbed and a copy costs nothing.
///
/// How the elements are cut into chunks depends on a rope's history; nothing else does.
struct Rope<Chunk: RopeChunk>: Sendable {
  typealias Measure = Chunk.Summary.Measure

  typealias Leaf = RopeLeaf<Chunk>

  /// Leaves or branches, all of one height, with what is known of them.
  fileprivate final class Branch: RopeNode {
    let count: Int
    let summary: Chunk.Summary
    /// What each child comes to: a search reads these, and only then one child.
    let sums: [Sum]
    let children: Level

    init(_ children: [Leaf]) {
      (count, summary, sums) = Branch.sums(children)
      self.children = .leaves(children)
    }

    init(_ children: [Branch]) {
      (count, summary, sums) = Branch.sums(children)
      self.children = .branches(children)
    }

    /// A branch of the children of another, of which some are replaced.
    init(_ new: RopeRow<Leaf>.Result, after old: Branch, of oldChildren: [Leaf]) {
      (count, summary, sums) = Branch.sums(new, after: old, of: oldChildren)
      children = .leaves(new.nodes)
    }

    /// A branch of the children of another, of which some are replaced.
    init(_ new: RopeRow<Branch>.Result, after old: Branch, of oldChildren: [Branch]) {
      (count, summary, sums) = Branch.sums(new, after: old, of: oldChildren)
      children = .branches(new.nodes)
    }

    /// Sums of which most are known where as many children are left.
    @inline(__always)
    private static func sums<Node: RopeNode<Chunk.Summary>>(
      _ new: RopeRow<Node>.Result, after old: Branch, of oldChildren: [Node]
    ) -> (Int, Chunk.Summary, [Sum]) {
      let children = new.nodes
      guard let replaced = new.replaced else { return sums(children) }
      var count = old.count
      var summary = old.summary
      var sums = old.sums
      for place in replaced where children[place] !== oldChildren[place] {
        let isKnown = children.withNode(place) { child in
          oldChildren.withNode(place) { oldChild in
            count += child.count - oldChild.count
            sums[place] = Sum(count: child.count, measure: child.summary.measure)
            return summary.replace(oldChild.summary, by: child.summary)
          }
        }
        if !isKnown { return Branch.sums(children) }
      }
      return (count, summary, sums)
    }

    private static func sums(
      _ children: [some RopeNode<Chunk.Summary>]
    ) -> (Int, Chunk.Summary, [Sum]) {
      var count = 0
      var summary = Chunk.Summary.zero
      let sums = children.map { child in
        count += child.count
        summary += child.summary
        return Sum(count: child.count, measure: child.summary.measure)
      }
      return (count, summary, sums)
    }

    /// The two as one, unless that would be too large.
    func joined(with next: Branch) -> Branch? {
      guard sums.count + next.sums.count <= Branch.fanout else { return nil }
      switch (children, next.children) {
      case (.leaves(let leaves), .leaves(let more)): return Branch(leaves + more)
      case (.branches(let branches), .branches(let more)): return Branch(branches + more)
      default: return nil
      }
    }

    /// The first child at the end of which something holds, as it does at the end of the last, and
    /// what is before that child.
    @inline(__always)
    func firstChild(
      from start: Int, _ before: Measure, where isPast: (_ count: Int, _ measure: Measure) -> Bool
    ) -> (child: Int, start: Int, before: Measure) {
      var (child, start, before) = (0, start, before)
      while child + 1 < sums.count {
        let (end, total) = (start + sums[child].count, before + sums[child].measure)
        if isPast(end, total) { break }
        (child, start, before) = (child + 1, end, total)
      }
      return (child, start, before)
    }

    static var fanout: Int { 16 }

    /// Asks for what is read by who comes to the first leaves under a branch, if there are leaves.
    ///
    /// In steps, some leaves apart: what one asks for says where that lies which the next one asks for.
    ///
    /// - Parameters:
    ///   - branch: The branch.
    ///   - distance: After how many leaves that will be.
    @inline(never)
    static func fetchFirstLeaves(of branch: Unmanaged<Branch>, after distance: Int) {
      switch distance {
      case 12: unsafe fetch(branch)
      // Safe, here and below: who has the rope has the branch.
      case 8: unsafe branch._withUnsafeGuaranteedRef { $0.fetchMembers() }
      case 4, 1:
        unsafe branch._withUnsafeGuaranteedRef { branch in
          guard case .leaves(let leaves) = branch.children else { return }
          if distance == 1 { return Rope.fetchMembers(of: 0, in: leaves) }
          Rope.fetch(0, in: leaves)
          Rope.fetch(1, in: leaves)
        }
      default: break
      }
    }

    static func fetch(_ node: Unmanaged<Branch>) {
      let (word, level) = (MemoryLayout<Int>.stride, MemoryLayout<Level>.stride)
      unsafe node.fetch(members: 2 * word + MemoryLayout<Chunk.Summary>.stride + level)
    }

    func fetchMembers() {
      sums.fetch(0..<Branch.fanout)
      switch children {
      case .leaves(let leaves): leaves.fetch(0..<Branch.fanout)
      case .branches(let branches): branches.fetch(0..<Branch.fanout)
      }
    }
  }

  /// Nodes of one height, in order.
  fileprivate enum Level: Sendable {
    case leaves([Leaf])
    case branches([Branch])
  }

  /// What a child of a branch comes to.
  fileprivate struct Sum: Sendable {
    var count: Int
    var measure: Measure
  }

  private enum Root: Sendable {
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

  private let root: Root

  /// Makes a rope of chunks of any size.
  ///
  /// - Complexity: O(n).
  init(_ chunks: [Chunk]) {
    // Nearly all are taken as they are; what is cut is added up after that.
    root = Rope.tree(.leaves(Rope.leaves(chunks.map(Rope.part))))
  }

  private init(root: Root) { self.root = root }

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

  // MARK: Reading

  /// The chunk with an element.
  ///
  /// - Parameter index: 0 ..< count.
  /// - Returns: The chunk; nil if there is no such element.
  /// - Complexity: O(log n).
  func place(of index: Int) -> Place? { withPlace(of: index) { $0 } }

  /// Hands out the chunk with an element where it is: what is not kept need not be counted.
  ///
  /// - Parameters:
  ///   - index: 0 ..< count.
  ///   - body: Called with the chunk, if there is such an element.
  /// - Returns: What `body` returns; nil if there is no such element.
  /// - Complexity: O(log n).
  @inline(__always)
  func withPlace<Result>(of index: Int, _ body: (Place) -> Result) -> Result? {
    index < 0 ? nil : withFirstPlace(where: { count, _ in count > index }, body)
  }

  /// The leaf with an element, for who has the rope as long as it reads the leaf: to count a use of it
  /// writes to memory that nobody has read for a while.
  ///
  /// - Parameter index: 0 ..< count.
  /// - Returns: The leaf, and how many elements are before it; nil if there is no such element.
  /// - Complexity: O(log n).
  func unmanagedLeaf(with index: Int) -> (leaf: Unmanaged<Leaf>, start: Int)? {
    guard index >= 0, index < count else { return nil }
    switch root {
    case .empty: return nil
    case .leaf(let leaf): return unsafe (Unmanaged.passUnretained(leaf), 0)
    case .branch(let branch):
      let row = Rope.leafRow(in: branch, where: { count, _ in count > index })
      return unsafe (row.leaf, row.start)
    }
  }

  /// A place for who has the rope as long as it reads the leaf, so that nobody counts a use of it.
  @safe struct UnmanagedPlace {
    /// The chunk with its summary.
    let leaf: Unmanaged<Leaf>
    /// How many elements are before it.
    let start: Int
    /// What the elements before it come to.
    let before: Measure

    /// Hands out the leaf.
    @inline(__always)
    func withLeaf<Result>(_ body: (Leaf) -> Result) -> Result {
      // Safe: who has the rope has what is in it.
      unsafe leaf._withUnsafeGuaranteedRef(body)
    }
  }

  /// The first chunk at the end of which something holds that holds from there on, for who has the rope as
  /// long as it reads the leaf.
  ///
  /// - Parameter isPast: Whether it holds, from how many elements there are up to some place and what
  ///   they come to.
  /// - Returns: The leaf with what is before it; nil if it holds nowhere.
  /// - Complexity: O(log n).
  @inline(__always)
  func firstUnmanagedPlace(
    where isPast: (_ count: Int, _ measure: Measure) -> Bool
  ) -> UnmanagedPlace? {
    switch root {
    case .empty: return nil
    case .leaf(let leaf):
      guard isPast(leaf.count, leaf.summary.measure) else { return nil }
      return unsafe UnmanagedPlace(
        leaf: Unmanaged.passUnretained(leaf), start: 0, before: .zero)
    case .branch(let branch):
      guard isPast(branch.count, branch.summary.measure) else { return nil }
      let row = Rope.leafRow(in: branch, where: isPast)
      return unsafe UnmanagedPlace(leaf: row.leaf, start: row.start, before: row.before)
    }
  }

  /// How many elements are asked for where the first of them is known: as many as a question mostly reads; who
  /// reads more of them does so in order, which the processor sees.
  private static var aheadCount: Int { 192 }

  /// Whether there are so many elements that they are worth asking for before they are read.
  var isFar: Bool { count > Chunk.nearCount }

  /// The first chunk at the end of which something holds that holds from there on.
  ///
  /// - Parameter isPast: Whether it holds, from how many elements there are up to some place and what
  ///   they come to.
  /// - Returns: The chunk; nil if it holds nowhere.
  /// - Complexity: O(log n).
  @inline(__always)
  func firstPlace(where isPast: (_ count: Int, _ measure: Measure) -> Bool) -> Place? {
    withFirstPlace(where: isPast) { $0 }
  }

  /// The same, handed out where it is.
  @inline(__always)
  private func withFirstPlace<Result>(
    where isPast: (_ count: Int, _ measure: Measure) -> Bool, _ body: (Place) -> Result
  ) -> Result? {
    // The place does not count its use of the leaf.
    defer { withExtendedLifetime(root) {} }
    guard let place = firstUnmanagedPlace(where: isPast) else { return nil }
    return place.withLeaf { body(Place(leaf: $0, start: place.start, before: place.before)) }
  }

  /// Goes down to a leaf by what the caller adds up on the way.
  ///
  /// For measures of which each search needs another part: nothing is added here.
  ///
  /// - Parameters:
  ///   - isPassed: Called with parts of the rope in order, how many elements they have and what those come to;
  ///     returns whether what is looked for lies behind them, and notes what it passes then.
  ///   - body: Called with the leaf that it lies in.
  /// - Returns: What `body` returns; nil if it lies behind all.
  /// - Complexity: O(log n).
  @inline(__always)
  @discardableResult
  func withLeaf<Result>(
    behind isPassed: (_ count: Int, _ measure: Measure) -> Bool, _ body: (Leaf) -> Result
  ) -> Result? {
    switch root {
    case .empty: return nil
    case .leaf(let leaf): return isPassed(leaf.count, leaf.summary.measure) ? nil : body(leaf)
    case .branch(let root):
      guard !isPassed(root.count, root.summary.measure) else { return nil }
      // Safe: the root is there until the end, and all that is under it with the root.
      defer { withExtendedLifetime(root) {} }
      var branch = unsafe Unmanaged.passUnretained(root)
      while true {
        let leaf = unsafe branch._withUnsafeGuaranteedRef { node -> Unmanaged<Leaf>? in
          var child = 0
          while child + 1 < node.sums.count,
            isPassed(node.sums[child].count, node.sums[child].measure)
          {
            child += 1
          }
          switch node.children {
          case .leaves(let leaves): return unsafe Unmanaged.passUnretained(leaves[child])
          case .branches(let branches):
            unsafe branch = Unmanaged.passUnretained(branches[child])
            return nil
          }
        }
        if let leaf = unsafe leaf { return unsafe leaf._withUnsafeGuaranteedRef(body) }
      }
    }
  }

  /// Visits the chunks in order, from the one with an element on.
  ///
  /// - Parameters:
  ///   - index: The element.
  ///   - body: Called with each chunk; returns whether to go on.
  /// - Returns: Whether `body` always wanted to go on.
  @discardableResult
  func forEachChunk(from index: Int = 0, _ body: (Place) -> Bool) -> Bool {
    forEachLeaf(where: { count, _ in count > index }) {
      body(Place(leaf: $0, start: $1, before: $2))
    }
  }

  /// Visits the leaves in order, from the one with an element on.
  ///
  /// A place is counted as a use of its leaf, a leaf that is handed out alone is not.
  ///
  /// - Parameters:
  ///   - index: The element.
  ///   - body: Called with each leaf and how many elements are before it; returns whether to go on.
  @inline(__always)
  func forEachLeaf(from index: Int, _ body: (_ leaf: Leaf, _ start: Int) -> Bool) {
    forEachLeaf(where: { count, _ in count > index }, from: index) { leaf, start, _ in
      body(leaf, start)
    }
  }

  /// Visits the leaves in order, from the first on at the end of which something holds that holds from
  /// there on.
  ///
  /// - Parameters:
  ///   - isPast: Whether it holds, from how many elements there are up to some place and what they come
  ///     to.
  ///   - index: The element that will be read first, if that is known; it lies in the first of those leaves.
  ///   - body: Called with each leaf, how many elements are before it and what they come to; returns
  ///     whether to go on.
  /// - Returns: Whether `body` always wanted to go on.
  /// - Complexity: O(log n + k) for k leaves.
  @discardableResult
  @inline(__always)
  func forEachLeaf(
    where isPast: (_ count: Int, _ measure: Measure) -> Bool, from index: Int? = nil,
    _ body: (_ leaf: Leaf, _ start: Int, _ before: Measure) -> Bool
  ) -> Bool {
    // A row does not count its use of what it goes through.
    defer { withExtendedLifetime(root) {} }
    var row: LeafRow
    switch root {
    case .empty: return true
    case .leaf(let leaf):
      guard isPast(leaf.count, leaf.summary.measure) else { return true }
      row = unsafe LeafRow(
        branch: nil, leaf: Unmanaged.passUnretained(leaf), following: nil, isFar: false)
    case .branch(let branch):
      guard isPast(branch.count, branch.summary.measure) else { return true }
      row = Rope.leafRow(in: branch, where: isPast)
      if row.isFar { row.fetchFirst(from: index) }
    }
    while true {
      repeat {
        guard row.withLeaf(body) else { return false }
      } while row.moveOn()
      // To come down again every so many leaves costs less than to remember the way.
      let end = row.start
      guard case .branch(let branch) = root, end < branch.count else { return true }
      row = Rope.leafRow(in: branch, where: { count, _ in count > end })
      row.fetchNext()
    }
  }

  /// The leaves next to each other under one branch, from one of them on.
  ///
  /// Whoever has a row has the rope until it is done with it, so that nobody need count the uses.
  @safe private struct LeafRow {
    /// Nil where the leaf is all there is.
    let branch: Unmanaged<Branch>?
    /// The leaf at hand, and which of them it is.
    private(set) var leaf: Unmanaged<Leaf>
    private(set) var child = 0
    /// What is before it.
    private(set) var start = 0
    private(set) var before = Measure.zero
    /// What comes after the row, if that is under the same branch.
    let following: Unmanaged<Branch>?
    /// Whether leaves are worth asking for before they are read.
    let isFar: Bool

    /// Hands out the leaf at hand, and what is before it.
    @inline(__always)
    func withLeaf<Result>(_ body: (Leaf, _ start: Int, _ before: Measure) -> Result) -> Result {
      // Safe, here and below: who has the rope has what is in it.
      unsafe leaf._withUnsafeGuaranteedRef { body($0, start, before) }
    }

    /// Goes to the next leaf; there may be none.
    mutating func moveOn() -> Bool {
      unsafe leaf._withUnsafeGuaranteedRef { leaf in
        start += leaf.count
        before += leaf.summary.measure
      }
      child += 1
      fetchNext()
      return unsafe branch?._withUnsafeGuaranteedRef { branch in
        guard case .leaves(let leaves) = branch.children, child < leaves.count else { return false }
        unsafe leaf = Unmanaged.passUnretained(leaves[child])
        return true
      } ?? false
    }

    /// Asks for what the leaf at hand has outside of it.
    ///
    /// - Parameter index: The element that will be read first, if that is known. Those before it, and those
    ///   far behind it, would only be in the way: the processor brings so many lines at once, and no more.
    @inline(never)  // Rare; inlined where lines are broken it makes that slower.
    func fetchFirst(from index: Int?) {
      withLeaf { leaf, start, _ in
        guard let index else { return leaf.fetchMembers() }
        let first = index - start
        let ahead = (first..<(first + Rope.aheadCount)).clamped(to: 0..<leaf.count)
        Chunk.fetchElements(ahead, of: leaf)
      }
    }

    /// Asks for what comes next, where that is worth it.
    func fetchNext() {
      guard isFar, let branch = unsafe branch else { return }
      unsafe branch._withUnsafeGuaranteedRef { branch in
        guard case .leaves(let leaves) = branch.children else { return }
        unsafe Rope.fetchNext(after: child, of: leaves, followedBy: following)
      }
    }
  }

  /// Asks for the leaf after the next one, and for what the next one, which was asked for before, has
  /// outside of it: whoever has read a leaf to its end mostly goes on.
  @inline(never)
  private static func fetchNext(
    after child: Int, of leaves: [Leaf], followedBy following: Unmanaged<Branch>?
  ) {
    if let following = unsafe following {
      unsafe Branch.fetchFirstLeaves(of: following, after: leaves.count - child)
    }
    fetch(child + 2, in: leaves)
    fetchMembers(of: child + 1, in: leaves)
  }

  /// Asks for a node, if there is that node.
  @inline(__always)
  private static func fetch<Node: RopeNode>(_ child: Int, in nodes: [Node]) {
    guard child < nodes.count else { return }
    // Safe: the array has it.
    unsafe Node.fetch(Unmanaged.passUnretained(nodes[child]))
  }

  /// Asks for what a node has outside of it, if there is that node.
  @inline(__always)
  private static func fetchMembers<Node: RopeNode>(of child: Int, in nodes: [Node]) {
    guard child < nodes.count else { return }
    nodes.withNode(child) { $0.fetchMembers() }
  }

  /// Goes down to the first leaf at the end of which something holds, as it does at the end.
  ///
  /// - Parameters:
  ///   - root: Where to begin.
  ///   - isPast: Whether it holds.
  /// - Returns: The leaves from there on.
  @inline(__always)
  private static func leafRow(
    in root: Branch, where isPast: (_ count: Int, _ measure: Measure) -> Bool
  ) -> LeafRow {
    // Safe: the root is there until the end, and all that is under it with the root; so that nobody need
    // count the uses on the way down, which takes longer than the way.
    defer { withExtendedLifetime(root) {} }
    var branch = unsafe Unmanaged.passUnretained(root)
    var following: Unmanaged<Branch>?
    var start = 0
    var before = Measure.zero
    while true {
      let row = unsafe branch._withUnsafeGuaranteedRef { node -> LeafRow? in
        let child: Int
        (child, start, before) = node.firstChild(from: start, before, where: isPast)
        switch node.children {
        case .leaves(let leaves):
          return unsafe LeafRow(
            branch: branch, leaf: Unmanaged.passUnretained(leaves[child]), child: child,
            start: start, before: before, following: following,
            isFar: root.count > Chunk.nearCount)
        case .branches(let branches):
          unsafe branch = Unmanaged.passUnretained(branches[child])
          unsafe following =
            child + 1 < branches.count ? Unmanaged.passUnretained(branches[child + 1]) : nil
          return nil
        }
      }
      if let row { return row }
    }
  }

  // MARK: Changing

  /// The same sequence with some elements replaced.
  ///
  /// - Parameter edits: What to replace, in ascending order and apart from each other.
  /// - Returns: The changed rope; it shares what did not change.
  /// - Complexity: O(k · log n) for k edits, and never more than one pass over the chunks.
  func edited(_ edits: [Edit]) -> Rope {
    guard !edits.isEmpty else { return self }
    // Where only one leaf of a branch changes, to ask for it takes longer than it gains.
    let leafCount = count / Chunk.capacity
    var pending = PendingEdits(
      edits, areWorthAskingFor: isFar && edits.count > 2 * leafCount / Branch.fanout)
    switch root {
    case .empty: return Rope(edits.flatMap(\.chunks))
    case .leaf(let leaf):
      if let all = pending.inside(0..<leaf.count, isLast: true),
        let new = Rope.edited(leaf, from: 0, pending[all])
      {
        return Rope(root: .leaf(new))
      }
      var row = RopeRow<Leaf>()
      Rope.edit(leaf, from: 0, isLast: true, &pending, into: &row)
      return Rope(root: Rope.tree(.leaves(row.finish().nodes)))
    case .branch(let branch):
      let (new, more) = Rope.edited(branch, from: 0, isLast: true, &pending)
      return Rope(root: new.map(Rope.root) ?? Rope.tree(.branches(more)))
    }
  }

  /// The edits that are still to be made while nodes are gone through in order.
  private struct PendingEdits {
    private let edits: [Edit]
    private var done = 0
    /// Whether what they change is worth asking for before it is read.
    let areWorthAskingFor: Bool
    /// Of the leaf at hand; kept from leaf to leaf, so that one array serves all.
    var parts: [Chunk.Part] = []

    init(_ edits: [Edit], areWorthAskingFor: Bool) {
      self.edits = edits
      self.areWorthAskingFor = areWorthAskingFor
    }

    /// What the first of them replaces, of which a part may have been made; nil if all are made.
    var range: Range<Int>? { done < edits.count ? edits[done].range : nil }

    /// What the first of them brings.
    var chunks: [Chunk] { edits[done].chunks }

    /// Those that touch a node, if they touch nothing outside of it; else nil.
    @inline(__always)
    func inside(_ node: Range<Int>, isLast: Bool) -> Range<Int>? {
      var next = done
      while next < edits.count, isLast || edits[next].range.lowerBound < node.upperBound {
        let range = edits[next].range
        guard range.lowerBound >= node.lowerBound, range.upperBound <= node.upperBound else {
          return nil
        }
        next += 1
      }
      return done..<next
    }

    /// Some of them.
    subscript(range: Range<Int>) -> Span<Edit> {
      @_lifetime(borrow self)
      get { edits.span.extracting(range) }
    }

    mutating func removeFirst(_ count: Int = 1) { done += count }

    /// Asks for the nodes in which an edit begins: for all of them, and then for what each of them has outside
    /// of it, so that who reads them waits once and not for each.
    @inline(__always)
    func fetch<Node: RopeNode>(_ nodes: [Node], _ sums: [Sum], from start: Int) {
      var changed: UInt64 = 0
      var next = done
      var end = start
      for child in sums.indices {
        end += sums[child].count
        guard next < edits.count, edits[next].range.lowerBound < end else { continue }
        repeat { next += 1 } while next < edits.count && edits[next].range.lowerBound < end
        Rope.fetch(child, in: nodes)
        changed |= 1 << UInt64(child)
      }
      while changed != 0 {
        Rope.fetchMembers(of: changed.trailingZeroBitCount, in: nodes)
        changed &= changed - 1
      }
    }
  }

  /// What edits make of a branch: one of its height, or none, or more.
  private static func edited(
    _ branch: Branch, from start: Int, isLast: Bool, _ edits: inout PendingEdits
  ) -> (one: Branch?, more: [Branch]) {
    switch branch.children {
    case .leaves(let leaves):
      let new = edited(leaves, branch.sums, from: start, isLast: isLast, &edits, edit)
      return (1...Branch.fanout).contains(new.nodes.count)
        ? (Branch(new, after: branch, of: leaves), []) : (nil, grouped(new.nodes) { Branch($0) })
    case .branches(let branches):
      let new = edited(branches, branch.sums, from: start, isLast: isLast, &edits) {
        let (one, more) = edited($0, from: $1, isLast: $2, &$3)
        if let one { $4.put(one) }
        for branch in more { $4.put(branch) }
      }
      return (1...Branch.fanout).contains(new.nodes.count)
        ? (Branch(new, after: branch, of: branches), []) : (nil, grouped(new.nodes) { Branch($0) })
    }
  }

  /// The nodes that take the place of the children of a branch.
  @inline(__always)
  private static func edited<Node: RopeNode>(
    _ nodes: [Node], _ sums: [Sum], from start: Int, isLast: Bool, _ edits: inout PendingEdits,
    _ edit: (
      Node, _ start: Int, _ isLast: Bool, inout PendingEdits, _ row: inout RopeRow<Node>
    ) -> Void
  ) -> RopeRow<Node>.Result {
    if edits.areWorthAskingFor { edits.fetch(nodes, sums, from: start) }
    var row = RopeRow(nodes)
    var place = 0
    var nodeStart = start
    var kept = 0
    while place < nodes.count, let range = edits.range {
      while place < nodes.count, nodeStart + sums[place].count <= range.lowerBound {
        nodeStart += sums[place].count
        place += 1
      }
      // What is put behind all is put behind the last.
      if place == nodes.count {
        guard isLast else { break }
        place -= 1
        nodeStart -= sums[place].count
      }
      row.keep(place - kept)
      row.skip()
      let nodeEnd = nodeStart + sums[place].count
      let isLastNode = isLast && place == nodes.count - 1
      // What it brings stands where it begins.
      if !isLastNode, range.lowerBound <= nodeStart, range.upperBound >= nodeEnd,
        range.lowerBound < nodeStart || edits.chunks.isEmpty
      {
        // All of it goes; nobody need look inside.
        if range.upperBound == nodeEnd { edits.removeFirst() }
      } else {
        nodes.withNode(place) { edit($0, nodeStart, isLastNode, &edits, &row) }
      }
      nodeStart = nodeEnd
      place += 1
      kept = place
    }
    row.keep(nodes.count - kept)
    return row.finish()
  }

  /// Adds what edits make of a leaf to others.
  private static func edit(
    _ leaf: Leaf, from start: Int, isLast: Bool, _ edits: inout PendingEdits,
    into row: inout RopeRow<Leaf>
  ) {
    let end = start + leaf.count
    if let inside = edits.inside(start..<end, isLast: isLast),
      let new = edited(leaf, from: start, edits[inside])
    {
      edits.removeFirst(inside.count)
      row.put(new)
      return
    }
    var done = start
    var count = 0
    /// Whether all of it can be one piece with what is left of the leaf.
    var isAlike = !leaf.isUniform
    func keep(upTo place: Int, _ edits: inout PendingEdits) {
      guard place > done else { return }
      edits.parts.append(RopePart(source: .leaf(leaf), range: (done - start)..<(place - start)))
      count += place - done
    }
    edits.parts.removeAll(keepingCapacity: true)
    edits.parts.reserveCapacity(8)
    while let range = edits.range, range.lowerBound < end || isLast {
      keep(upTo: range.lowerBound, &edits)
      // One that begins before the leaf has brought what it brings.
      if range.lowerBound >= start {
        for new in edits.chunks {
          // Long ones are mostly taken as they are.
          let part = new.count * 2 > Chunk.capacity ? part(new) : new.whole
          guard !part.range.isEmpty else { continue }
          isAlike = isAlike && leaf.chunk.goes(with: new, asUniform: false)
          count += part.range.count
          edits.parts.append(part)
        }
      }
      done = max(done, min(range.upperBound, end))
      // What is left of it lies in leaves after this one.
      if range.upperBound > end { break }
      edits.removeFirst()
    }
    keep(upTo: end, &edits)
    guard count > 0 else { return }
    let parts = edits.parts[...]
    if isAlike, count <= Chunk.limit, parts.count > 1 || count < leaf.count {
      row.put(Leaf(Chunk.joining(parts)))
    } else {
      for new in leaves(edits.parts) { row.put(new) }
    }
  }

  /// What edits inside a leaf make of it, if it stays one, as it does nearly always; nil if it does not.
  @inline(__always)
  private static func edited(
    _ leaf: Leaf, from start: Int, _ edits: Span<Edit>
  ) -> Leaf? {
    var count = leaf.count
    for index in edits.indices { count += edits[index].growth }
    guard (1...Chunk.limit).contains(count) else { return nil }
    if edits.count == 1, edits[0].range.count == leaf.count, edits[0].chunks.count == 1 {
      return Leaf(edits[0].chunks[0])
    }
    return leaf.isUniform ? nil : Chunk.edited(leaf, from: start, by: edits, count: count)
  }

  // MARK: Building

  /// All of a chunk, as a leaf at once if it fits into one.
  private static func part(_ chunk: Chunk) -> Chunk.Part {
    chunk.isUniform || chunk.count <= Chunk.capacity ? Leaf(chunk).whole : chunk.whole
  }

  /// Parts of chunks as leaves, neighbours that fit as one.
  private static func leaves(_ parts: [Chunk.Part]) -> [Leaf] {
    var leaves: [Leaf] = []
    leaves.reserveCapacity(parts.count)
    var group: [Chunk.Part] = []
    group.reserveCapacity(min(parts.count, 8))
    var count = 0
    /// Any number of elements that are all alike is one piece, but only as long as all are.
    var isUniform = false
    for part in parts where !part.range.isEmpty {
      var staysUniform = part.isUniform
      if let last = group.last {
        staysUniform = isUniform && part.isUniform && last.goes(with: part, asUniform: true)
        // What goes together is cut afresh, so that no scraps are left where something was inserted.
        let isMixed =
          last.goes(with: part, asUniform: false)
          && (count + part.range.count <= Chunk.capacity || !last.isUniform && !part.isUniform)
        if !staysUniform, !isMixed {
          appendLeaves(group[...], count: count, isUniform: isUniform, to: &leaves)
          group.removeAll(keepingCapacity: true)
          count = 0
          staysUniform = part.isUniform
        }
      }
      isUniform = staysUniform
      group.append(part)
      count += part.range.count
    }
    appendLeaves(group[...], count: count, isUniform: isUniform, to: &leaves)
    return leaves
  }

  /// Parts that go together as leaves of about one size.
  private static func appendLeaves(
    _ parts: ArraySlice<Chunk.Part>, count: Int, isUniform: Bool, to leaves: inout [Leaf]
  ) {
    guard count > 0, let first = parts.first else { return }
    let pieces = isUniform ? 1 : (count - 1) / Chunk.capacity + 1
    if pieces == 1, count == first.chunkCount, parts.count == 1 {
      leaves.append(first.leaf)
      return
    }
    guard pieces > 1 else {
      leaves.append(Leaf(Chunk.joining(parts)))
      return
    }
    // Ready-made pieces, as a long description has, are taken as they are.
    let areReady = parts.indices.allSatisfy { place in
      let size = parts[place].chunkCount
      return parts[place].range.count == size
        && (size == Chunk.capacity || size < Chunk.capacity && place == parts.endIndex - 1)
    }
    if areReady {
      for part in parts { leaves.append(part.leaf) }
      return
    }
    var rest = parts
    var taken = 0
    for piece in 1...pieces {
      var group: [Chunk.Part] = []
      let end = count * piece / pieces
      while taken < end, let part = rest.first {
        let length = min(part.range.count, end - taken)
        let cut = part.range.lowerBound + length
        group.append(RopePart(source: part.source, range: part.range.lowerBound..<cut))
        if cut == part.range.upperBound {
          rest.removeFirst()
        } else {
          rest[rest.startIndex].range = cut..<part.range.upperBound
        }
        taken += length
      }
      leaves.append(Leaf(Chunk.joining(group[...])))
    }
  }

  /// Nodes as the children of as few branches as can be, evenly.
  private static func grouped<Node>(_ nodes: [Node], _ branch: ([Node]) -> Branch) -> [Branch] {
    let count = nodes.count
    if count == 0 { return [] }
    if count <= Branch.fanout { return [branch(nodes)] }
    let groups = (count - 1) / Branch.fanout + 1
    return (0..<groups).map { group in
      branch(Array(nodes[(count * group / groups)..<(count * (group + 1) / groups)]))
    }
  }

  private static func tree(_ level: Level) -> Root {
    var branches: [Branch]
    switch level {
    case .leaves(let leaves):
      if leaves.count <= 1 { return leaves.first.map(Root.leaf) ?? .empty }
      branches = grouped(leaves) { Branch($0) }
    case .branches(let given): branches = given
    }
    while branches.count > 1 { branches = grouped(branches) { Branch($0) } }
    return branches.first.map(root) ?? .empty
  }

  /// A tree of one branch: a branch of one child is that child.
  private static func root(_ branch: Branch) -> Root {
    var root = branch
    while root.sums.count == 1 {
      switch root.children {
      case .leaves(let leaves): return .leaf(leaves[0])
      case .branches(let branches): root = branches[0]
      }
    }
    return .branch(root)
  }
}

/// A part of a rope's tree.
private protocol RopeNode<Summary>: AnyObject, Sendable {
  associatedtype Summary
  var count: Int { get }
  var summary: Summary { get }
  /// The two as one, unless that would be too large.
  func joined(with next: Self) -> Self?
  /// Asks for a node, to be read soon.
  static func fetch(_ node: Unmanaged<Self>)
  /// Asks for what it has outside of it, to be read soon.
  func fetchMembers()
}

extension Array where Element: RopeNode {
  /// Hands out a node without counting the use: that would write to what others read.
  @inline(__always)
  fileprivate func withNode<Result>(_ index: Int, _ body: (Element) -> Result) -> Result {
    // Safe: the array has it, until the end.
    defer { withExtendedLifetime(self) {} }
    return unsafe Unmanaged.passUnretained(self[index])._withUnsafeGuaranteedRef(body)
  }
}

/// Nodes of one height while some are replaced by others, small neighbours as one.
///
/// One array with a gap in it: what is before the gap is done, what is behind it is to come. So where
/// as many come as go, which is nearly always so, no other node is moved.
private struct RopeRow<Node: RopeNode> {
  private var nodes: [Node]
  /// How many are done.
  private var done = 0
  /// Where those begin that are to come.
  private var next = 0
  /// Only neighbours of what changed can have become small enough.
  private var isLastNew = false
  /// Where nodes were put in the place of others.
  private var replaced: Range<Int>?
  /// Whether all are where they were, or one is in their place.
  private var isEven = true

  /// Nodes, and which of them were put there, as many as were left out; nil if it was more or fewer.
  typealias Result = (nodes: [Node], replaced: Range<Int>?)

  init(_ nodes: [Node] = []) { self.nodes = nodes }

  /// Keeps so many of those to come.
  mutating func keep(_ count: Int) {
    guard count > 0 else { return }
    let end = next + count
    // Joined with more than one only if it was small before.
    while isLastNew, next < end {
      if let both = nodes[done - 1].joined(with: nodes[next]) {
        isEven = false
        nodes[done - 1] = both
        next += 1
      } else {
        isLastNew = false
      }
    }
    if next == end { return }
    closeGap(upTo: end)
  }

  /// Leaves the next of those to come out.
  mutating func skip() { next += 1 }

  /// Adds a node that was not there.
  mutating func put(_ node: consuming Node) {
    // A constant is moved to where it goes; a parameter would be counted.
    let node = node
    if done > 0, let both = nodes.withNode(done - 1, { $0.joined(with: node) }) {
      isEven = false
      nodes[done - 1] = both
    } else if done < next {
      nodes[done] = node
      replaced = (replaced?.lowerBound ?? done)..<(done + 1)
      done += 1
    } else {
      isEven = false
      if done == nodes.count { nodes.append(node) } else { nodes.insert(node, at: done) }
      done += 1
      next += 1
    }
    isLastNew = true
  }

  /// The nodes, if nothing is to come any more.
  mutating func finish() -> Result {
    closeGap(upTo: next)
    return (nodes, isEven ? replaced : nil)
  }

  /// Takes nodes as done up to one to come.
  private mutating func closeGap(upTo end: Int) {
    let gap = next - done
    if gap > 0 {
      isEven = false
      nodes.removeSubrange(done..<next)
    }
    done = end - gap
    next = done
  }
}
