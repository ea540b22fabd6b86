import LayoutCore

/// Decisions of the generators that the tests of LayoutCore have, made of a fuzzer's bytes.
///
/// When they have run out, the numbers go on as SplitMix64: constants would end in endless loops.
struct SeededGenerator: RandomNumberGenerator {
  private var input: FuzzInput
  private var state: UInt64 = 0

  init(_ bytes: [UInt8]) { input = FuzzInput(bytes) }

  mutating func next() -> UInt64 {
    guard input.isAtEnd else {
      // Ranges are taken from the highest bits.
      return UInt64(input.byte()) << 56 | UInt64(input.byte()) << 48 | 0x5555_5555_5555
    }
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Content, a layout and batches.
///
/// What an update makes is what the layout from scratch is, and what is undone leaves no trace.
func fuzzUpdates(_ bytes: [UInt8]) throws(Finding) {
  var generator = SeededGenerator(bytes)
  var content = generator.content()
  if generator.chance(0.3) { generator.exaggerate(&content) }
  let layout = generator.layout()
  let viewport = generator.viewport()
  var prepared: PreparedLayout
  do throws(LayoutError) {
    prepared = try PreparedLayout(content, layout: layout, viewport: viewport)
  } catch { return }
  var nextName = 0
  for _ in 0..<generator.int(1...4) {
    let random = generator.batch(for: content, nextName: &nextName)
    guard let batch = try applicable(random, to: content) else { continue }
    let offset = generator.offset()
    let rect = generator.rect()
    guard
      let (updated, next) = try update(
        prepared, content, batch, layout, viewport, looking: (rect, offset))
    else { continue }
    try checkInverse(of: batch, content, prepared, updated, next, layout, looking: (rect, offset))
    content = updated.content
    prepared = next
  }
  // How a horizontal layout is the transpose of a vertical one.
  try checkTranspose(content, &generator)
}

extension SeededGenerator {
  /// Makes some of it as large, as many or as small as can be said.
  fileprivate mutating func exaggerate(_ content: inout Content) {
    guard content.sections.count > 0 else { return }
    let lengths: [Length] = [
      Length(millionths: 1), 1_000_000_000, 500_000_000, 0, Length(millionths: 999_999_999_999_999),
      1_000_000,
    ]
    let counts = [1, 1000, 1_000_000, 1_000_000_000, 1_000_000_000_000]
    var sections = Array(content.sections)
    let place = int(0...sections.count - 1)
    func length() -> Length { lengths[int(0...lengths.count - 1)] }
    switch int(0...5) {
    case 0:
      sections[place].items = ItemList(Items(count: counts[int(0...4)], extents: .unspecified))
    case 1:
      let size = Size(width: length(), height: length())
      sections[place].items = ItemList(Items(count: counts[int(0...4)], extents: .size(size)))
    case 2:
      sections[place].sectionInset = EdgeInsets(
        top: length(), left: length(), bottom: length(), right: length())
    case 3: sections[place].minimumLineSpacing = length()
    case 4:
      sections[place].minimumInteritemSpacing = length()
      sections[place].minimumColumnSpacing = length()
    default: sections[place].header = Size(width: 0, height: length())
    }
    content = Content(sections: sections)
  }
}

/// A batch that can be applied: as it is, or mended; nil if there is none.
private func applicable(
  _ batch: BatchUpdate, to content: Content
) throws(Finding) -> BatchUpdate? {
  let refusal: UpdateRefusal
  do throws(UpdateRefusal) {
    _ = try batch.applied(to: content)
    return batch
  } catch { refusal = error }
  try expect(refusal.reason.hasPrefix("invalid update: "), "a refusal in other words: \(refusal)")
  guard let repaired = batch.repaired(for: content) else { return nil }
  do throws(UpdateRefusal) { _ = try repaired.applied(to: content) } catch {
    throw Finding("a repaired batch is refused: \(error.reason); at first: \(refusal.reason)")
  }
  return repaired
}

/// How many items are looked at one by one.
private let comparedItemCount = 3000

private func isSmall(_ content: Content) -> Bool {
  content.sections.reduce(into: 0) { $0 = max($0, $1.items.count) } <= comparedItemCount
}

/// Applies a batch, and compares with the layout from scratch; nil if that is refused.
private func update(
  _ old: PreparedLayout, _ content: Content, _ batch: BatchUpdate, _ layout: any CollectionLayout,
  _ viewport: Viewport, looking: (rect: Rect, offset: Point)
) throws(Finding) -> (UpdatedContent, PreparedLayout)? {
  let updated: UpdatedContent
  do throws(UpdateRefusal) { updated = try batch.applied(to: content) } catch {
    throw Finding("a batch is applied once only: \(error.reason)")
  }
  if isSmall(content), isSmall(updated.content) {
    try expect(
      updated.content.flat == NaiveUpdate.apply(batch, to: content.flat),
      "a batch is applied otherwise: \(batch)")
  }
  let fresh = Content(sections: Array(updated.content.sections))
  var next: Result<PreparedLayout, LayoutError>
  var scratch: Result<PreparedLayout, LayoutError>
  do throws(LayoutError) {
    next = .success(try PreparedLayout(updating: old, to: updated, layout: layout))
  } catch { next = .failure(error) }
  do throws(LayoutError) {
    scratch = .success(try PreparedLayout(fresh, layout: layout, viewport: viewport))
  } catch { scratch = .failure(error) }
  switch (next, scratch) {
  case (.failure, .failure): return nil
  case (.success(let next), .success(let scratch)):
    try compare(next, scratch, updated.content, layout, looking)
    return (updated, next)
  case (.success, .failure(let error)): throw Finding("only from scratch it is refused: \(error)")
  case (.failure(let error), .success): throw Finding("only updated it is refused: \(error)")
  }
}

private func compare(
  _ first: PreparedLayout, _ second: PreparedLayout, _ content: Content,
  _ layout: any CollectionLayout, _ looking: (rect: Rect, offset: Point)
) throws(Finding) {
  try expect(
    first.contentSize == second.contentSize,
    "\(layout): \(first.contentSize) updated, \(second.contentSize) from scratch")
  try expect(
    first.contentSize.width <= .maximumCoordinate && first.contentSize.height <= .maximumCoordinate
      && first.contentSize.width >= 0 && first.contentSize.height >= 0,
    "content of \(first.contentSize)")
  let limit = 2000
  func elements(_ layout: PreparedLayout) -> [LayoutAttributes]? {
    try? layout.elements(in: looking.rect, contentOffset: looking.offset, limit: limit)
  }
  try expect(
    elements(first) == elements(second),
    "\(layout): other elements in \(looking): \(elements(first) ?? []) \(elements(second) ?? [])")
  guard isSmall(content) else { return }
  try expect(
    first.everyElement(of: content, contentOffset: looking.offset)
      == second.everyElement(of: content, contentOffset: looking.offset),
    "\(layout): another element")
}

/// A batch and its inverse leave what was.
private func checkInverse(
  of batch: BatchUpdate, _ content: Content, _ prepared: PreparedLayout, _ updated: UpdatedContent,
  _ next: PreparedLayout, _ layout: any CollectionLayout, looking: (rect: Rect, offset: Point)
) throws(Finding) {
  guard isSmall(content), isSmall(updated.content) else { return }
  let undone: UpdatedContent
  do throws(UpdateRefusal) {
    undone = try batch.inverse(of: content, updated).applied(to: updated.content)
  } catch { throw Finding("the inverse is refused: \(error.reason)") }
  try expect(undone.content.flat == content.flat, "the inverse leaves a trace: \(batch)")
  let restored: PreparedLayout
  do throws(LayoutError) {
    restored = try PreparedLayout(updating: next, to: undone, layout: layout)
  } catch { throw Finding("the inverse cannot be laid out: \(error)") }
  try compare(restored, prepared, content, layout, looking)
}

/// Horizontal is the transpose of vertical.
private func checkTranspose(
  _ content: Content, _ generator: inout SeededGenerator
) throws(Finding) {
  switch generator.int(0...1) {
  case 0: try checkTranspose(generator.listLayout(), content, &generator)
  default: try checkTranspose(generator.flowLayout(), content, &generator)
  }
}

private func checkTranspose(
  _ layout: some TransposableLayout, _ content: Content, _ generator: inout SeededGenerator
) throws(Finding) {
  let vertical = layout.scrollDirection == .vertical ? layout : layout.transposed
  let content = content.withBinaryAspectRatios
  let viewport = generator.viewport()
  guard isSmall(content),
    let upright = try? PreparedLayout(content, layout: vertical, viewport: viewport)
  else { return }
  var sideways = viewport
  sideways.size = viewport.size.transposed
  let transposed: PreparedLayout
  do throws(LayoutError) {
    transposed = try PreparedLayout(
      content.transposed, layout: vertical.transposed, viewport: sideways)
  } catch { throw Finding("only vertically it can be laid out: \(error)") }
  try expect(
    upright.contentSize == transposed.contentSize.transposed, "the transpose has another size")
  let offset = generator.offset()
  let frames = upright.everyElement(of: content, contentOffset: offset).map(\.frame)
  let others = transposed.everyElement(of: content.transposed, contentOffset: offset.transposed)
    .map(\.frame)
  try expect(frames.count == others.count, "the transpose has other elements")
  for (frame, other) in zip(frames, others) {
    try expect(
      frame.origin == other.origin.transposed && frame.size == other.size.transposed,
      "\(vertical): \(frame) is no transpose of \(other)")
  }
}
