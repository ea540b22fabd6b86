extension Rope {
  /// Whether a chunk fits into a leaf.
  private static func fitsLeaf(_ chunk: Chunk) -> Bool {
    chunk.isUniform || chunk.count <= Chunk.capacity
  }

  /// All of a chunk, as a leaf at once if it fits into one.
  static func part(_ chunk: Chunk) -> Chunk.Part {
    fitsLeaf(chunk) ? Leaf(chunk).whole : chunk.whole
  }

  /// A tree of one chunk; nil if it does not fit into one leaf.
  static func leafRoot(_ chunk: Chunk) -> Root? {
    if chunk.count == 0 { return .empty }
    return fitsLeaf(chunk) ? .leaf(Leaf(chunk)) : nil
  }

  /// Parts of chunks as leaves, neighbours that fit as one.
  static func leaves(_ parts: [Chunk.Part]) -> [Leaf] {
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
    // Ready-made pieces, as a long description has, are taken as they are: there would be no fewer.
    let areReady =
      parts.count == pieces
      && parts.allSatisfy { $0.range.count == $0.chunkCount && $0.chunkCount <= Chunk.capacity }
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
  static func grouped<Node>(_ nodes: [Node], _ branch: ([Node]) -> Branch) -> [Branch] {
    let count = nodes.count
    if count == 0 { return [] }
    if count <= Branch.fanout { return [branch(nodes)] }
    let groups = (count - 1) / Branch.fanout + 1
    return (0..<groups).map { group in
      branch(Array(nodes[(count * group / groups)..<(count * (group + 1) / groups)]))
    }
  }

  static func tree(_ level: Level) -> Root {
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
  static func root(_ branch: Branch) -> Root {
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
