import Testing

@testable import LayoutCore

/// A rope of numbers in small chunks, so that few of them make a high tree.
private struct NumberRun: RopeChunk, Equatable {
  struct Sum: RopeSummary, Equatable {
    var total = 0
    static var zero: Sum { Sum() }
    static func + (left: Sum, right: Sum) -> Sum { Sum(total: left.total + right.total) }
    mutating func replace(_ part: Sum, by new: Sum) -> Bool {
      total += new.total - part.total
      return true
    }
  }

  var numbers: [Int]
  var count: Int { numbers.count }
  var summary: Sum { Sum(total: numbers.reduce(0, +)) }
  static var capacity: Int { 4 }
  static var nearCount: Int { 16 }
  static func fetchElements(_ range: Range<Int>, of leaf: RopeLeaf<NumberRun>) {
    leaf.chunk.numbers.fetch(range)
  }
  func goes(with other: NumberRun, asUniform: Bool) -> Bool { true }
  static func joining(_ parts: ArraySlice<Part>) -> NumberRun {
    NumberRun(numbers: parts.flatMap { $0.chunk.numbers[$0.range] })
  }
}

extension Rope where Chunk == NumberRun {
  fileprivate var numbers: [Int] {
    var numbers: [Int] = []
    var total = 0
    var isSound = true
    forEachChunk { place in
      isSound =
        isSound && place.start == numbers.count && place.before.total == total
        && (1...4).contains(place.chunk.count)
      numbers += place.chunk.numbers
      total += place.chunk.summary.total
      return true
    }
    #expect(isSound)
    return numbers
  }
}

struct RopeTests {
  @Test func readyMadeChunksAreKept() {
    var counts: [Int] = []
    let chunks = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]].map { NumberRun(numbers: $0) }
    Rope(chunks).forEachChunk { place in
      counts.append(place.count)
      return true
    }
    #expect(counts == [4, 4, 2])
  }

  @Test(arguments: seeds(80))
  func anEditedRopeIsTheEditedSequence(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var array = (0..<generator.int(0...600)).map { _ in generator.int(0...9) }
    var rope = Rope([NumberRun(numbers: array)])
    for _ in 0..<30 {
      var edits: [Rope<NumberRun>.Edit] = []
      var place = 0
      for _ in 0..<generator.int(0...8) where place <= array.count {
        let start = generator.int(place...array.count)
        let end = min(array.count, start + generator.int(0...(generator.chance(0.1) ? 300 : 5)))
        let new = (0..<generator.int(0...(generator.chance(0.1) ? 200 : 5))).map { _ in
          generator.int(0...9)
        }
        edits.append(.init(range: start..<end, chunks: [NumberRun(numbers: new)]))
        place = end + 1
      }
      let before = rope
      let old = array
      for edit in edits.reversed() {
        array.replaceSubrange(edit.range, with: edit.chunks.flatMap(\.numbers))
      }
      rope = rope.edited(edits)
      #expect(rope.numbers == array)
      #expect(rope.count == array.count)
      #expect(rope.summary.total == array.reduce(0, +))
      #expect(before.numbers == old)
    }
    for index in array.indices {
      let found = rope.place(of: index)
      #expect(found.map { $0.chunk.numbers[index - $0.start] } == array[index])
      // Safe: the rope is there until the end.
      let unmanaged = unsafe rope.unmanagedLeaf(with: index)
      #expect(unsafe unmanaged?.leaf.takeUnretainedValue() === found?.leaf)
      #expect(unsafe unmanaged?.start == found?.start)
    }
    if let index = array.indices.randomElement(using: &generator) {
      let new = (0..<generator.int(0...12)).map { _ in generator.int(0...9) }
      let replaced = rope.replacing(index, by: NumberRun(numbers: new))
      #expect(replaced.numbers == array[..<index] + new + array[(index + 1)...])
      #expect(replaced.summary.total == replaced.numbers.reduce(0, +))
    }
    #expect(unsafe rope.unmanagedLeaf(with: -1) == nil)
    #expect(unsafe rope.unmanagedLeaf(with: array.count) == nil)
    let first = generator.int(0...array.count)
    var rest: [Int] = []
    rope.forEachChunk(from: first) { place in
      #expect(place.start + place.count > first)
      #expect(place.before.total == array[..<place.start].reduce(0, +))
      rest += place.chunk.numbers[max(0, first - place.start)...]
      return true
    }
    #expect(rest[...] == array[first...])
    #expect(rope.place(of: array.count) == nil)
    // By what is added up on the way, here how many numbers there are and what they come to.
    for index in array.indices {
      var (start, total) = (0, 0)
      let leaf = rope.withLeaf(behind: { count, sum in
        guard start + count <= index else { return false }
        start += count
        total += sum.total
        return true
      }) { $0 }
      #expect(leaf === rope.place(of: index)?.leaf)
      #expect(start == rope.place(of: index)?.start)
      #expect(total == array[..<start].reduce(0, +))
    }
    #expect(rope.withLeaf(behind: { _, _ in true }) { $0 } == nil)
    let half = rope.summary.total / 2
    let found = rope.firstPlace { $1.total > half }
    let sum = found.map { $0.before.total } ?? 0
    #expect(found == nil ? array.reduce(0, +) <= half : sum <= half)
    #expect(found.map { sum + $0.chunk.summary.total > half } ?? true)
  }

  @Test(arguments: [0, 1, 4, 5, 12]) func theOnlyElementIsReplaced(count: Int) {
    let new = Array(0..<count)
    let rope = Rope([NumberRun(numbers: [7])]).replacing(0, by: NumberRun(numbers: new))
    #expect(rope.numbers == new)
    #expect(rope.count == count)
    let again = rope.edited([.init(range: count..<count, chunks: [NumberRun(numbers: [8])])])
    #expect(again.numbers == new + [8])
  }

  @Test func aRopeStaysFlatWhenItIsAppendedTo() {
    var rope = Rope<NumberRun>([])
    for number in 0..<5000 {
      rope = rope.edited([
        .init(range: number..<number, chunks: [NumberRun(numbers: [number])])
      ])
    }
    #expect(rope.numbers == Array(0..<5000))
    // Fuller than a half on average: 5,000 numbers in chunks of four.
    var chunks = 0
    rope.forEachChunk { _ in
      chunks += 1
      return true
    }
    #expect(chunks <= 2500)
  }
}

struct NameSetTests {
  /// Between the same neighbours, and too few to be merged with all.
  @Test func manyNamesGoToOnePlace() {
    let set = NameSet()
      .changed(removing: [], adding: [10] + (50_000..<90_000).map { UInt64($0) })
      .changed(removing: [], adding: (11..<2400).map { UInt64($0) })
    for value in UInt64(9)..<2401 {
      #expect(set.contains(value) == (10..<2400).contains(value))
    }
    #expect(set.contains(50_000))
  }

  /// Of few names as of many: a change of many is merged with all, one of few edits some.
  @Test(arguments: seeds(50))
  func aNameSetFollowsWhatComesAndGoes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var set = NameSet()
    var model: [UInt64] = []
    for step in 0..<60 {
      let most = step < 40 ? 60 : 2 + generator.int(0...30)
      let removed = model.shuffled(using: &generator).prefix(generator.int(0...(most / 2)))
      let added = (0..<generator.int(0...most)).map { _ in
        UInt64.random(in: 0...500, using: &generator)
      }
      let change = NameChange(of: set, removing: Array(removed), adding: added)
      expect(change.firstConflict, isThatOf: added, to: model, without: Array(removed))
      set = change.result
      for value in removed {
        if let index = model.firstIndex(of: value) { model.remove(at: index) }
      }
      model += added
      #expect((UInt64(0)...500).filter(set.contains) == Set(model).sorted())
    }
  }

  private func expect(
    _ conflict: NameChange.Conflict?, isThatOf added: [UInt64], to names: [UInt64],
    without removed: [UInt64]
  ) {
    let left = Set(names).subtracting(removed)
    let index = added.indices.first { index in
      left.contains(added[index]) || added[..<index].contains(added[index])
    }
    #expect(conflict?.index == index)
    #expect(conflict?.isAddedTwice == index.map { added[..<$0].contains(added[$0]) })
  }
}
