extension Rope {
  /// Leaves or branches, all of one height, with what is known of them.
  final class Branch: RopeNode {
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
      case (.leaves(let leaves), .leaves(let more)): return Branch(Branch.joined(leaves, more))
      case (.branches(let branches), .branches(let more)):
        return Branch(Branch.joined(branches, more))
      default: return nil
      }
    }

    /// Children of two branches that become one: those in the middle are neighbours now.
    private static func joined<Node: RopeNode>(_ nodes: [Node], _ more: [Node]) -> [Node] {
      guard let last = nodes.last, let first = more.first, let both = last.joined(with: first)
      else { return nodes + more }
      return nodes.dropLast() + [both] + more.dropFirst()
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
          if distance == 1 { return leaves.fetchMembers(ofNode: 0) }
          leaves.fetchNode(0)
          leaves.fetchNode(1)
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
}
