import Testing

@testable import LayoutCore

/// Ends of lines in 8 or 16 bytes each, beside the lines themselves.
struct LineEndsTests {
  private func expect(_ ends: LineEnds, toBe lines: [LineRun.Line]) {
    #expect(ends.count == lines.count && ends.isEmpty == lines.isEmpty)
    var sum = LineRun.Line(itemCount: 0, length: 0)
    let itemCount = ends.sum.itemCount
    let wrong = lines.indices.filter { number in
      let line = lines[number]
      let (start, first) = (sum, sum.itemCount)
      sum.itemCount += line.itemCount
      sum.length += line.length
      return ends.start(number) != start || ends.line(number) != line || ends[number] != sum
        || ends.line(with: first, of: itemCount) != number
        || ends.line(with: sum.itemCount - 1, of: itemCount) != number
    }
    #expect(wrong == [])
    #expect(ends.sum == sum)
  }

  private func lines(
    _ generator: inout SeededGenerator, isWide: Bool
  ) -> (ends: LineEnds, lines: [LineRun.Line]) {
    var ends = LineEnds()
    let lines = (0..<generator.int(0...60)).map { _ in
      let items = isWide && generator.chance(0.1) ? 1 << 23 : 9000
      let length = isWide && generator.chance(0.1) ? 1 << 50 : 1 << 33
      return LineRun.Line(
        itemCount: generator.int(1...items),
        length: Length(millionths: Int64(generator.int(0...length))))
    }
    for line in lines { ends.append(line) }
    return (ends, lines)
  }

  @Test(arguments: seeds(300))
  func endsAreWhatWasAppended(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let isWide = generator.chance(0.5)
    var (ends, expected) = lines(&generator, isWide: isWide && generator.chance(0.5))
    expect(ends, toBe: expected)
    for _ in 0..<6 {
      let (others, lines) = lines(&generator, isWide: isWide && generator.chance(0.5))
      let start = generator.int(0...lines.count)
      let part = start..<generator.int(start...lines.count)
      ends.append(others, part)
      expected += lines[part]
      if generator.chance(0.3) {
        let kept = generator.int(0...expected.count)
        ends.keepFirst(kept)
        expected.removeSubrange(kept...)
      }
      if generator.chance(0.3) { ends.trim() }
      expect(ends, toBe: expected)
    }
  }

  @Test func endTakesEightBytesAsLongAsItFits() {
    let most = LineRun.Line(itemCount: 8191, length: Length(millionths: (1 << 33) - 1))
    var ends = LineEnds()
    ends.reserveCapacity(512)
    for _ in 0..<512 { ends.append(most) }
    #expect(ends.byteCount >= 512 * 8 && ends.byteCount < 512 * 9)
    expect(ends, toBe: Array(repeating: most, count: 512))
    // One item more than fits, and one millionth.
    var more = ends
    more.append(LineRun.Line(itemCount: 512, length: 0))
    #expect(more.sum.itemCount == 1 << 22 && more.byteCount >= 513 * 16)
    more = ends
    more.append(LineRun.Line(itemCount: 1, length: Length(millionths: 512)))
    #expect(more.sum.length.millionths == 1 << 42 && more.byteCount >= 513 * 16)
    // What no longer fits is as it was where a part of it does.
    var part = LineEnds()
    part.append(more, 500..<513)
    #expect(part.byteCount < 32 * 8)
    expect(
      part,
      toBe: Array(repeating: most, count: 12) + [
        LineRun.Line(itemCount: 1, length: Length(millionths: 512))
      ])
  }

  /// Behind others, a whole run of lines that are as long as 32 bits say still takes 8 bytes an end.
  @Test func endsAreFilledOnlyIfTheyFit() {
    let none = LineRun.Line(itemCount: 0, length: 0)
    let half = Length(millionths: 1 << 41)
    #expect(LineEnds().canFill((1 << 22) - 1, after: none))
    #expect(!LineEnds().canFill(1 << 22, after: none))
    #expect(!LineEnds().canFill(1, after: LineRun.Line(itemCount: (1 << 22) - 1, length: 0)))
    #expect(!LineEnds().canFill(1, after: LineRun.Line(itemCount: 1, length: half)))
    var ends = LineEnds()
    ends.append(LineRun.Line(itemCount: 1 << 21, length: half - Length(millionths: 1)))
    #expect(ends.canFill((1 << 21) - 1, after: none))
    #expect(!ends.canFill(1 << 21, after: none))
    #expect(!ends.canFill(1, after: LineRun.Line(itemCount: 1, length: Length(millionths: 1))))
    ends.append(LineRun.Line(itemCount: 1 << 22, length: 0))
    #expect(!ends.canFill(1, after: none))
    // They take 16 bytes each still.
    ends.keepFirst(0)
    #expect(!ends.canFill(1, after: none))
  }
}
