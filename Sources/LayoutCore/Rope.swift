/// What many elements come to: a sum, a maximum.
///
/// Adding must be associative, so that it does not matter how a sequence is cut.
protocol RopeMeasure: Sendable {
  /// Of no elements.
  static var zero: Self { get }
  /// Of elements followed by others.
  static func + (left: Self, right: Self) -> Self
}

/// All that is known of many elements without looking at each.
protocol RopeSummary: RopeMeasure {
  /// The part that places are looked for by; all of it, unless that is more than a search should add
  /// up on its way.
  associatedtype Measure: RopeMeasure = Self
  /// That part.
  var measure: Measure { get }
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

  /// What is known of the elements; worked out anew.
  var summary: Summary { get }

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
  let summary: Chunk.Summary
  let chunk: Chunk

  init(_ chunk: Chunk) {
    count = chunk.count
    summary = chunk.summary
    self.chunk = chunk
  }

  /// The two as one, unless that would be too large.
  func joined(with next: RopeLeaf) -> RopeLeaf? {
    guard chunk.fits(next.chunk, count: count + next.count) else { return nil }
    return RopeLeaf(
      Chunk.joining([
        RopePart(source: .leaf(self), range: 0..<count),
        RopePart(source: .leaf(next), range: 0..<next.count),
      ]))
  }
}

/// Some elements of a chunk.
struct RopePart<Chunk: RopeChunk> {
  /// Where the chunk is: to point to a leaf costs less than to copy what its chunk is made of.
  enum Source {
    case leaf(RopeLeaf<Chunk>)
    case chunk(Chunk)
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

  /// All of it.
  var whole: Part { RopePart(source: .chunk(self), range: 0..<count) }

  /// A part of it.
  func slice(_ range: Range<Int>) -> Self {
    Self.joining([RopePart(source: .chunk(self), range: range)])
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
    /// What each child and those before it come to: a search reads these, and only then one child.
    let ends: [End]
    let children: Level

    init(_ children: [Leaf]) {
      (count, summary, ends) = Branch.sums(children)
      self.children = .leaves(children)
    }

    init(_ children: [Branch]) {
      (count, summary, ends) = Branch.sums(children)
      self.children = .branches(children)
    }

    private static func sums(
      _ children: [some RopeNode<Chunk.Summary>]
    ) -> (Int, Chunk.Summary, [End]) {
      var end = End(count: 0, measure: .zero)
      var summary = Chunk.Summary.zero
      let ends = children.map { child in
        end = End(count: end.count + child.count, measure: end.measure + child.summary.measure)
        summary = summary + child.summary
        return end
      }
      return (end.count, summary, ends)
    }

    /// The two as one, unless that would be too large.
    func joined(with next: Branch) -> Branch? {
      guard ends.count + next.ends.count <= Branch.fanout else { return nil }
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
      var child = 0
      while child + 1 < ends.count,
        !isPast(start + ends[child].count, before + ends[child].measure)
      {
        child += 1
      }
      if child == 0 { return (child, start, before) }
      return (child, start + ends[child - 1].count, before + ends[child - 1].measure)
    }

    static var fanout: Int { 16 }
  }

  /// Nodes of one height, in order.
  fileprivate enum Level: Sendable {
    case leaves([Leaf])
    case branches([Branch])
  }

  /// Some elements from the start of a branch.
  fileprivate struct End: Sendable {
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
    fileprivate let leaf: Leaf
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
  }

  private let root: Root

  /// Makes a rope of chunks of any size.
  ///
  /// - Complexity: O(n).
  init(_ chunks: some Sequence<Chunk>) {
    root = Rope.tree(.leaves(Rope.leaves(chunks.map(\.whole))))
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

  // MARK: Reading

  /// The chunk with an element.
  ///
  /// - Parameter index: 0 ..< count.
  /// - Returns: The chunk; nil if there is no such element.
  /// - Complexity: O(log n).
  func place(of index: Int) -> Place? {
    index < 0 ? nil : firstPlace { count, _ in count > index }
  }

  /// The first chunk at the end of which something holds that holds from there on.
  ///
  /// - Parameter isPast: Whether it holds, from how many elements there are up to some place and what
  ///   they come to.
  /// - Returns: The chunk; nil if it holds nowhere.
  /// - Complexity: O(log n).
  @inline(__always)
  func firstPlace(where isPast: (_ count: Int, _ measure: Measure) -> Bool) -> Place? {
    var branch: Branch
    switch root {
    case .empty: return nil
    case .leaf(let leaf):
      return isPast(leaf.count, leaf.summary.measure)
        ? Place(leaf: leaf, start: 0, before: .zero) : nil
    case .branch(let root): branch = root
    }
    var start = 0
    var before = Measure.zero
    guard isPast(branch.count, branch.summary.measure) else { return nil }
    while true {
      let child: Int
      (child, start, before) = branch.firstChild(from: start, before, where: isPast)
      switch branch.children {
      case .leaves(let leaves): return Place(leaf: leaves[child], start: start, before: before)
      case .branches(let branches): branch = branches[child]
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
    forEachChunk(where: { count, _ in count > index }, body)
  }

  /// Visits the chunks in order, from the first on at the end of which something holds that holds from
  /// there on.
  ///
  /// - Parameters:
  ///   - isPast: Whether it holds, from how many elements there are up to some place and what they come
  ///     to.
  ///   - body: Called with each chunk; returns whether to go on.
  /// - Returns: Whether `body` always wanted to go on.
  /// - Complexity: O(log n + k) for k chunks.
  @discardableResult
  @inline(__always)
  func forEachChunk(
    where isPast: (_ count: Int, _ measure: Measure) -> Bool, _ body: (Place) -> Bool
  ) -> Bool {
    switch root {
    case .empty: true
    case .leaf(let leaf):
      !isPast(leaf.count, leaf.summary.measure)
        || body(Place(leaf: leaf, start: 0, before: .zero))
    case .branch(let branch):
      !isPast(branch.count, branch.summary.measure)
        || Rope.visit(branch, start: 0, before: .zero, where: isPast, body)
    }
  }

  /// Visits the chunks of a branch at the end of which something holds.
  private static func visit(
    _ branch: Branch, start: Int, before: Measure,
    where isPast: (_ count: Int, _ measure: Measure) -> Bool, _ body: (Place) -> Bool
  ) -> Bool {
    let first: Int
    var childStart: Int
    var beforeChild: Measure
    (first, childStart, beforeChild) = branch.firstChild(from: start, before, where: isPast)
    for child in first..<branch.ends.count {
      switch branch.children {
      case .leaves(let leaves):
        let place = Place(leaf: leaves[child], start: childStart, before: beforeChild)
        guard body(place) else { return false }
      case .branches(let branches):
        // From the first on it holds everywhere.
        let isGoingOn =
          child == first
          ? visit(branches[child], start: childStart, before: beforeChild, where: isPast, body)
          : visit(
            branches[child], start: childStart, before: beforeChild, where: { _, _ in true }, body)
        guard isGoingOn else { return false }
      }
      childStart = start + branch.ends[child].count
      beforeChild = before + branch.ends[child].measure
    }
    return true
  }

  // MARK: Changing

  /// The same sequence with some elements replaced.
  ///
  /// - Parameter edits: What to replace, in ascending order and apart from each other.
  /// - Returns: The changed rope; it shares what did not change.
  /// - Complexity: O(k · log n) for k edits, and never more than one pass over the chunks.
  func edited(_ edits: [Edit]) -> Rope {
    guard !edits.isEmpty else { return self }
    var edits = edits[...]
    switch root {
    case .empty: return Rope(edits.flatMap(\.chunks))
    case .leaf(let leaf):
      return Rope(
        root: Rope.tree(.leaves(Rope.edited(leaf, from: 0, isLast: true, &edits))))
    case .branch(let branch):
      return Rope(
        root: Rope.tree(.branches(Rope.edited(branch, from: 0, isLast: true, &edits))))
    }
  }

  /// The branches that take a branch's place, of the same height; takes the edits that lie in it.
  private static func edited(
    _ branch: Branch, from start: Int, isLast: Bool, _ edits: inout ArraySlice<Edit>
  ) -> [Branch] {
    switch branch.children {
    case .leaves(let leaves):
      grouped(
        edited(leaves, from: start, isLast: isLast, &edits, { $0.joined(with: $1) }, edited),
        Branch.init)
    case .branches(let branches):
      grouped(
        edited(branches, from: start, isLast: isLast, &edits, { $0.joined(with: $1) }, edited),
        Branch.init)
    }
  }

  /// The nodes that take the place of others, small neighbours as one.
  private static func edited<Node: RopeNode>(
    _ nodes: [Node], from start: Int, isLast: Bool, _ edits: inout ArraySlice<Edit>,
    _ join: (Node, Node) -> Node?,
    _ edit: (Node, _ start: Int, _ isLast: Bool, inout ArraySlice<Edit>) -> [Node]
  ) -> [Node] {
    var result: [Node] = []
    result.reserveCapacity(nodes.count + 1)
    /// Only neighbours of what changed can have become small enough.
    var isNew = false
    func append(_ node: Node, isNew isNodeNew: Bool) {
      if isNew || isNodeNew, let last = result.last, let both = join(last, node) {
        result[result.count - 1] = both
        isNew = true
      } else {
        result.append(node)
        isNew = isNodeNew
      }
    }
    var nodeStart = start
    for (place, node) in nodes.enumerated() {
      let nodeEnd = nodeStart + node.count
      let isLastNode = isLast && place == nodes.count - 1
      if let first = edits.first, first.range.lowerBound < nodeEnd || isLastNode {
        if !isLastNode, first.chunks.isEmpty, first.range.lowerBound <= nodeStart,
          first.range.upperBound >= nodeEnd
        {
          // All of it goes; nobody need look inside.
          if first.range.upperBound == nodeEnd {
            edits.removeFirst()
          } else {
            edits[edits.startIndex].range = nodeEnd..<first.range.upperBound
          }
        } else {
          for new in edit(node, nodeStart, isLastNode, &edits) { append(new, isNew: true) }
        }
      } else {
        append(node, isNew: false)
      }
      nodeStart = nodeEnd
    }
    return result
  }

  /// What edits make of a leaf.
  private static func edited(
    _ leaf: Leaf, from start: Int, isLast: Bool, _ edits: inout ArraySlice<Edit>
  ) -> [Leaf] {
    let end = start + leaf.count
    var parts: [Chunk.Part] = []
    var done = start
    while let edit = edits.first, edit.range.lowerBound < end || isLast {
      if edit.range.lowerBound > done {
        parts.append(
          RopePart(source: .leaf(leaf), range: (done - start)..<(edit.range.lowerBound - start)))
      }
      for new in edit.chunks { parts.append(new.whole) }
      done = max(done, min(edit.range.upperBound, end))
      if edit.range.upperBound > end {
        // The rest of it lies in chunks after this one.
        edits[edits.startIndex] = Edit(range: end..<edit.range.upperBound, chunks: [])
        break
      }
      edits.removeFirst()
    }
    if done < end {
      parts.append(RopePart(source: .leaf(leaf), range: (done - start)..<leaf.count))
    }
    return leaves(parts)
  }

  // MARK: Building

  /// Parts of chunks as leaves, neighbours that fit as one.
  private static func leaves(_ parts: [Chunk.Part]) -> [Leaf] {
    var leaves: [Leaf] = []
    leaves.reserveCapacity(parts.count)
    var group: [Chunk.Part] = []
    var count = 0
    /// Any number of elements that are all alike is one piece, but only as long as all are.
    var isUniform = false
    for part in parts where !part.range.isEmpty {
      let chunk = part.chunk
      var staysUniform = chunk.isUniform
      if let last = group.last?.chunk {
        staysUniform = isUniform && chunk.isUniform && last.goes(with: chunk, asUniform: true)
        // What goes together is cut afresh, so that no scraps are left where something was inserted.
        let isMixed =
          last.goes(with: chunk, asUniform: false)
          && (count + part.range.count <= Chunk.capacity || !last.isUniform && !chunk.isUniform)
        if !staysUniform, !isMixed {
          appendLeaves(group[...], count: count, isUniform: isUniform, to: &leaves)
          group.removeAll(keepingCapacity: true)
          count = 0
          staysUniform = chunk.isUniform
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
    if pieces == 1, count == first.chunk.count, parts.count == 1 {
      leaves.append(first.leaf)
      return
    }
    guard pieces > 1 else {
      leaves.append(Leaf(Chunk.joining(parts)))
      return
    }
    // Ready-made pieces, as a long description has, are taken as they are.
    let areReady = parts.indices.allSatisfy { place in
      let size = parts[place].chunk.count
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
      branches = grouped(leaves, Branch.init)
    case .branches(let given): branches = given
    }
    while branches.count > 1 { branches = grouped(branches, Branch.init) }
    guard var root = branches.first else { return .empty }
    // A branch of one child is that child.
    while true {
      switch root.children {
      case .leaves(let leaves):
        return leaves.count == 1 ? .leaf(leaves[0]) : .branch(root)
      case .branches(let branches):
        guard branches.count == 1 else { return .branch(root) }
        root = branches[0]
      }
    }
  }
}

/// A part of a rope's tree.
private protocol RopeNode<Summary>: AnyObject, Sendable {
  associatedtype Summary
  var count: Int { get }
  var summary: Summary { get }
}
