/// A part of a rope's tree.
protocol RopeNode<Summary>: AnyObject, Sendable {
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
  func withNode<Result>(_ index: Int, _ body: (Element) -> Result) -> Result {
    // Safe: the array has it, until the end.
    defer { withExtendedLifetime(self) {} }
    return unsafe Unmanaged.passUnretained(self[index])._withUnsafeGuaranteedRef(body)
  }

  /// Asks for a node, if there is that node.
  @inline(__always)
  func fetchNode(_ index: Int) {
    guard index < count else { return }
    // Safe: the array has it.
    unsafe Element.fetch(Unmanaged.passUnretained(self[index]))
  }

  /// Asks for what a node has outside of it, if there is that node.
  @inline(__always)
  func fetchMembers(ofNode index: Int) {
    guard index < count else { return }
    withNode(index) { $0.fetchMembers() }
  }
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
    // What leaves say themselves first: mostly no chunk has to be read.
    let goesTogether =
      isUniform && next.isUniform && chunk.goes(with: next.chunk, asUniform: true)
      || count + next.count <= Chunk.capacity && chunk.goes(with: next.chunk, asUniform: false)
    return goesTogether ? RopeLeaf(Chunk.joining([whole, next.whole])) : nil
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
