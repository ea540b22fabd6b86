/// Nodes of one height while some are replaced by others, small neighbours as one.
///
/// One array with a gap in it: what is before the gap is done, what is behind it is to come. So where
/// as many come as go, which is nearly always so, no other node is moved.
struct RopeRow<Node: RopeNode> {
  private var nodes: [Node]
  /// How many are done.
  private var done = 0
  /// Where those begin that are to come.
  private var next = 0
  /// Only neighbours of what changed, or of each other since then, can be small enough.
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

  /// Leaves the next of those to come out; those on both sides of it become neighbours.
  mutating func skip() {
    next += 1
    isLastNew = done > 0
  }

  /// Adds a node that was not there.
  mutating func put(_ node: consuming Node) {
    // A constant of the function's own is moved from; the parameter would be retained.
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
