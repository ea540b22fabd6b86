extension Rope {
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
      // Who looks for the first by going through the leaf reads in order, which the processor sees.
      if row.isFar, let index { row.fetchFirst(from: index) }
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
    /// - Parameter index: The element that will be read first. Those before it, and those far behind it, would only
    ///   be in the way: the processor brings so many lines at once, and no more.
    @inline(never)  // Rare; inlined where lines are broken it makes that slower.
    func fetchFirst(from index: Int) {
      withLeaf { leaf, start, _ in
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
    leaves.fetchNode(child + 2)
    leaves.fetchMembers(ofNode: child + 1)
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
}
