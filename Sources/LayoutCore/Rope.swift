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
  /// - Parameter parts: The chunks and which of their elements; at least one.
  /// - Returns: Those elements, in order.
  static func joining(_ parts: [Part]) -> Self
}

extension RopeChunk {
  /// Some elements of a chunk.
  typealias Part = (chunk: Self, range: Range<Int>)

  var isUniform: Bool { false }

  /// All of it.
  var whole: Part { (self, 0..<count) }

  /// A part of it.
  func slice(_ range: Range<Int>) -> Self { Self.joining([(self, range)]) }

  /// Whether this chunk and another after it can be one of so many elements.
  func fits(_ other: Self, count: Int) -> Bool {
    isUniform && other.isUniform && goes(with: other, asUniform: true)
      || count <= Self.capacity && goes(with: other, asUniform: false)
  }

  /// Chunks of a good size with the same elements.
  var pieces: [Self] {
    let size = Self.capacity
    guard count > size, !isUniform else { return [self] }
    return stride(from: 0, to: count, by: size).map { slice($0..<min($0 + size, count)) }
  }
}

/// A sequence that is cheap to change anywhere: chunks under a balanced tree of their summaries.
///
/// It is a value: a changed rope shares with the one it was made of all that the change did not
/// touch, so that whoever still reads the old one is not disturbed and a copy costs nothing.
///
/// How the elements are cut into chunks depends on a rope's history; nothing else does.
struct Rope<Chunk: RopeChunk>: Sendable {
  /// A part of the tree; all leaves are at the same depth.
  private final class Node: Sendable {
    let count: Int
    let summary: Chunk.Summary
    /// Of a leaf.
    let chunk: Chunk?
    /// Of an inner node.
    let children: [Node]
    /// What each child and those before it come to: a search reads these, and only then one child.
    let ends: [End]

    init(_ chunk: Chunk) {
      count = chunk.count
      summary = chunk.summary
      self.chunk = chunk
      children = []
      ends = []
    }

    init(_ children: [Node]) {
      var end = End(count: 0, measure: .zero)
      var summary = Chunk.Summary.zero
      ends = children.map { child in
        end = End(count: end.count + child.count, measure: end.measure + child.summary.measure)
        summary = summary + child.summary
        return end
      }
      count = end.count
      self.summary = summary
      chunk = nil
      self.children = children
    }

    /// The two as one node, unless it would be too large.
    func joined(with other: Node) -> Node? {
      if let chunk, let next = other.chunk {
        return chunk.fits(next, count: count + other.count)
          ? Node(Chunk.joining([chunk.whole, next.whole])) : nil
      }
      return children.count + other.children.count <= Node.fanout
        ? Node(children + other.children) : nil
    }

    static var fanout: Int { 16 }
  }

  /// Some elements from the start of a node.
  fileprivate struct End: Sendable {
    var count: Int
    var measure: Measure
  }

  typealias Measure = Chunk.Summary.Measure

  /// A place in the sequence: a chunk with what is before it.
  struct Place {
    /// The chunk.
    var chunk: Chunk
    /// What is known of its elements.
    var summary: Chunk.Summary
    /// How many elements are before it.
    var start: Int
    /// What the elements before it come to.
    var before: Measure
  }

  /// Elements to be replaced by others.
  struct Edit {
    /// Which; empty to insert only.
    var range: Range<Int>
    /// By what.
    var chunks: [Chunk]
  }

  private let root: Node?

  /// Makes a rope of chunks of any size.
  ///
  /// - Complexity: O(n).
  init(_ chunks: some Sequence<Chunk>) {
    root = Rope.tree(Rope.leaves(chunks.map(\.whole)))
  }

  private init(root: Node?) { self.root = root }

  /// How many elements there are.
  var count: Int { root?.count ?? 0 }

  /// What is known of all elements.
  var summary: Chunk.Summary { root?.summary ?? .zero }

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
    guard var node = root else { return nil }
    var start = 0
    var before = Measure.zero
    guard isPast(node.count, node.summary.measure) else { return nil }
    while true {
      if let chunk = node.chunk {
        return Place(chunk: chunk, summary: node.summary, start: start, before: before)
      }
      let ends = node.ends
      // The node as a whole is past, and so is its last child's end.
      var child = 0
      while child + 1 < ends.count,
        !isPast(start + ends[child].count, before + ends[child].measure)
      {
        child += 1
      }
      if child > 0 {
        start += ends[child - 1].count
        before = before + ends[child - 1].measure
      }
      node = node.children[child]
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
    guard let root, index < root.count else { return true }
    return Rope.visit(root, from: index, start: 0, before: .zero, body)
  }

  private static func visit(
    _ node: Node, from index: Int, start: Int, before: Measure, _ body: (Place) -> Bool
  ) -> Bool {
    if let chunk = node.chunk {
      return body(Place(chunk: chunk, summary: node.summary, start: start, before: before))
    }
    var childStart = start
    var beforeChild = before
    for (child, end) in zip(node.children, node.ends) {
      let childEnd = start + end.count
      if childEnd > index, !visit(child, from: index, start: childStart, before: beforeChild, body) {
        return false
      }
      childStart = childEnd
      beforeChild = before + end.measure
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
    guard let root else { return Rope(edits.flatMap(\.chunks)) }
    var edits = edits[...]
    return Rope(root: Rope.tree(Rope.edit(root, from: 0, isLast: true, &edits)))
  }

  /// The nodes that take a node's place, of the same height; takes the edits that lie in it.
  private static func edit(
    _ node: Node, from start: Int, isLast: Bool, _ edits: inout ArraySlice<Edit>
  ) -> [Node] {
    let end = start + node.count
    guard let first = edits.first, first.range.lowerBound < end || isLast else { return [node] }
    if let chunk = node.chunk {
      return leaves(edit(chunk, from: start, isLast: isLast, &edits))
    }
    var nodes: [Node] = []
    var childStart = start
    for (place, child) in node.children.enumerated() {
      let childEnd = childStart + child.count
      let isLastChild = isLast && place == node.children.count - 1
      if !isLastChild, let edit = edits.first, edit.chunks.isEmpty,
        edit.range.lowerBound <= childStart, edit.range.upperBound >= childEnd
      {
        // All of it goes; nobody need look inside.
        if edit.range.upperBound == childEnd {
          edits.removeFirst()
        } else {
          edits[edits.startIndex].range = childEnd..<edit.range.upperBound
        }
      } else {
        nodes.append(
          contentsOf: Rope.edit(child, from: childStart, isLast: isLastChild, &edits))
      }
      childStart = childEnd
    }
    return grouped(merged(nodes))
  }

  /// What edits leave of a chunk, and put in its place.
  private static func edit(
    _ chunk: Chunk, from start: Int, isLast: Bool, _ edits: inout ArraySlice<Edit>
  ) -> [Chunk.Part] {
    let end = start + chunk.count
    var parts: [Chunk.Part] = []
    var done = start
    while let edit = edits.first, edit.range.lowerBound < end || isLast {
      if edit.range.lowerBound > done {
        parts.append((chunk, (done - start)..<(edit.range.lowerBound - start)))
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
    if done < end { parts.append((chunk, (done - start)..<chunk.count)) }
    return parts
  }

  // MARK: Building

  /// Parts of chunks as leaves, neighbours that fit as one.
  private static func leaves(_ parts: [Chunk.Part]) -> [Node] {
    var nodes: [Node] = []
    var group: [Chunk.Part] = []
    var count = 0
    func flush() {
      guard let first = group.first else { return }
      let isWhole = group.count == 1 && first.range.count == first.chunk.count
      let chunk = isWhole ? first.chunk : Chunk.joining(group)
      nodes.append(contentsOf: chunk.pieces.map(Node.init))
      group.removeAll(keepingCapacity: true)
      count = 0
    }
    for part in parts where !part.range.isEmpty {
      if let last = group.last, !last.chunk.fits(part.chunk, count: count + part.range.count) {
        flush()
      }
      group.append(part)
      count += part.range.count
    }
    flush()
    return nodes
  }

  /// Neighbours that are small as one.
  private static func merged(_ nodes: [Node]) -> [Node] {
    var result: [Node] = []
    result.reserveCapacity(nodes.count)
    for node in nodes {
      if let last = result.last, let both = last.joined(with: node) {
        result[result.count - 1] = both
      } else {
        result.append(node)
      }
    }
    return result
  }

  /// Nodes as the children of as few as can be, evenly.
  private static func grouped(_ nodes: [Node]) -> [Node] {
    guard !nodes.isEmpty else { return [] }
    let groups = (nodes.count + Node.fanout - 1) / Node.fanout
    return (0..<groups).map { group in
      Node(Array(nodes[(nodes.count * group / groups)..<(nodes.count * (group + 1) / groups)]))
    }
  }

  private static func tree(_ nodes: [Node]) -> Node? {
    var nodes = nodes
    while nodes.count > 1 { nodes = grouped(nodes) }
    var root = nodes.first
    while let only = root, only.children.count == 1 { root = only.children[0] }
    return root
  }
}
