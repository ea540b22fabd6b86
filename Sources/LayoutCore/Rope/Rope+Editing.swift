extension Rope {
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
        let new = Rope.edited(leaf, from: 0, pending[all.edits], growth: all.growth)
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

  /// The same sequence with a chunk in the place of one element.
  ///
  /// - Parameters:
  ///   - index: 0 ..< count.
  ///   - chunk: The chunk.
  /// - Returns: The changed rope; it shares what did not change.
  /// - Complexity: O(log n).
  func replacing(_ index: Int, by chunk: Chunk) -> Rope {
    // Most collections have one section.
    if count == 1 { return Rope(chunk) }
    return edited([Edit(range: index..<(index + 1), chunks: [chunk])])
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

    /// Those that touch a node, and by how much they make it grow, if they touch nothing outside of it; else nil.
    @inline(__always)
    func inside(_ node: Range<Int>, isLast: Bool) -> (edits: Range<Int>, growth: Int)? {
      let edits = edits.span
      var next = done
      var growth = 0
      let end = isLast ? Int.max : node.upperBound
      while next < edits.count, edits[next].range.lowerBound < end {
        let range = edits[next].range
        guard range.lowerBound >= node.lowerBound, range.upperBound <= node.upperBound else {
          return nil
        }
        growth += edits[next].growth
        next += 1
      }
      return (done..<next, growth)
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
        nodes.fetchNode(child)
        changed |= 1 << UInt64(child)
      }
      while changed != 0 {
        nodes.fetchMembers(ofNode: changed.trailingZeroBitCount)
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
      let new = edited(leaf, from: start, edits[inside.edits], growth: inside.growth)
    {
      edits.removeFirst(inside.edits.count)
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
    _ leaf: Leaf, from start: Int, _ edits: Span<Edit>, growth: Int
  ) -> Leaf? {
    let count = leaf.count + growth
    guard (1...Chunk.limit).contains(count) else { return nil }
    if edits.count == 1, edits[0].range.count == leaf.count, edits[0].chunks.count == 1 {
      return Leaf(edits[0].chunks[0])
    }
    return leaf.isUniform ? nil : Chunk.edited(leaf, from: start, by: edits, count: count)
  }
}
