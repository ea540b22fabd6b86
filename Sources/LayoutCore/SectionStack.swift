/// Sections one after the other along the main axis.
///
/// ```
/// ┌──────────────┐ start
/// │ header inset │
/// │ header       │
/// │ header inset │
/// ├──────────────┤
/// │ inset        │
/// │ body         │
/// │ inset        │
/// ├──────────────┤
/// │ footer inset │
/// │ footer       │
/// │ footer inset │
/// └──────────────┘ end
/// ```
///
/// Decorations stand behind all of it, from start to end.
final class SectionStack: Placement {
  /// What stands around the items of a section; upright.
  struct Frame {
    var inset: EdgeInsets = .zero
    var headerLength: Length = 0
    var headerInset: EdgeInsets = .zero
    var footerLength: Length = 0
    var footerInset: EdgeInsets = .zero
    /// What it costs to place the items again that have no data of their own, in a unit of the layout's.
    var placingCost = 0
  }

  /// A section with what stands around its items; all places count from the section's start.
  fileprivate final class Slot: Sendable {
    let length: Length
    let inset: EdgeInsets
    /// At rest; empty where there is none.
    let header: Rect
    let footer: Rect
    let bodyStart: Length
    let itemCount: Int
    let body: any SectionBody
    /// Upright.
    let decorations: [EdgeInsets]
    let placingCost: Int

    init(
      _ frame: Frame, _ body: any SectionBody, of section: Section, across: Length,
      _ direction: ScrollDirection
    ) {
      var end: Length = 0
      header = Slot.supplementary(frame.headerLength, frame.headerInset, &end, across)
      end += frame.inset.top
      bodyStart = end
      end += body.length
      end += frame.inset.bottom
      footer = Slot.supplementary(frame.footerLength, frame.footerInset, &end, across)
      length = end
      inset = frame.inset
      itemCount = section.items.count
      self.body = body
      decorations = section.decorations.map { direction.upright($0.insets) }
      placingCost = frame.placingCost
    }

    /// The frame of a header or footer, and the end moved past it; empty if there is none.
    private static func supplementary(
      _ length: Length, _ inset: EdgeInsets, _ end: inout Length, _ across: Length
    ) -> Rect {
      guard length > 0 else { return Rect(origin: .zero, size: .zero) }
      let frame = Rect(
        x: inset.left, y: end + inset.top, width: max(0, across - inset.left - inset.right),
        height: length)
      end = frame.maxY + inset.bottom
      return frame
    }

    /// Whether anything stands around the items.
    var hasSupplements: Bool { header.height > 0 || footer.height > 0 || !decorations.isEmpty }
  }

  let contentSize: Size
  private let slots: Rope<SlotRun>
  private let pinning: Pinning
  private let effect: (any Effect)?

  /// Which supplementary elements stay in view while their section is.
  struct Pinning {
    var headers = false
    var footers = false
    /// Above everything that scrolls, as in UICollectionViewFlowLayout.
    static let zIndex = 1024

    init() {}

    init(_ layout: some SectionStackLayout) {
      headers = layout.sectionHeadersPinToVisibleBounds
      footers = layout.sectionFootersPinToVisibleBounds
    }
  }

  /// Stacks sections.
  ///
  /// - Parameters:
  ///   - content: The sections.
  ///   - container: The viewport, upright.
  ///   - direction: The main axis.
  ///   - old: The placement before a change, under the same layout in a container as broad: sections
  ///     that did not change are taken from it, so they must not depend on how long that was.
  ///   - pinning: What stays in view.
  ///   - effect: What scrolling does to cells.
  ///   - minimumLength: The least length of the whole.
  ///   - section: Makes the frame and the body of a section; of one of which items changed from the
  ///     body it had.
  /// - Throws: ``LayoutError/contentTooLong(section:)``, and what `section` throws.
  /// - Complexity: O(k · log s) for k changed sections of s, besides what `section` takes.
  init(
    _ content: Content, in container: Container, _ direction: ScrollDirection,
    reusing old: Rearrangement?, pinning: Pinning = Pinning(), effect: (any Effect)? = nil,
    minimumLength: Length = 0,
    _ section: (
      _ index: Int, _ section: Section, _ change: BodyChange?
    ) throws(LayoutError) -> (Frame, any SectionBody)
  ) throws(LayoutError) {
    let across = container.size.width
    func slot(
      _ index: Int, _ description: Section, _ change: BodyChange?
    ) throws(LayoutError) -> Slot {
      let (frame, body) = try section(index, description, change)
      return Slot(frame, body, of: description, across: across, direction)
    }
    slots =
      if let old, let stack = old.placement as? SectionStack {
        try stack.slots(after: old.change, of: content, slot)
      } else {
        try SectionStack.slots(of: content, slot)
      }
    if let section = SectionStack.firstTooLong(slots) { throw .contentTooLong(section: section) }
    self.pinning = pinning
    self.effect = effect
    contentSize =
      slots.count == 0
      ? .zero : Size(width: across, height: max(slots.summary.length, minimumLength))
  }

  /// Makes the slot of a section; of one of which items changed from the body it had.
  private typealias SlotMaker = (
    _ index: Int, _ section: Section, _ change: BodyChange?
  ) throws(LayoutError) -> Slot

  /// The slots of all sections, made anew.
  private static func slots(
    of content: Content, _ slot: SlotMaker
  ) throws(LayoutError) -> Rope<SlotRun> {
    var sections = content.sections.makeIterator()
    return try Rope(count: content.sections.count) { (range) throws(LayoutError) in
      var run = SlotRun(slots: [])
      run.slots.reserveCapacity(range.count)
      for index in range {
        // There are as many.
        if let section = sections.next() { run.slots.append(try slot(index, section, nil)) }
      }
      return run
    }
  }

  /// The slots after a change: only those of changed sections are made.
  private func slots(
    after change: ContentChange, of content: Content, _ slot: SlotMaker
  ) throws(LayoutError) -> Rope<SlotRun> {
    func edited(_ index: Int, from old: Int, _ edits: [ItemEdit]) throws(LayoutError) -> Slot {
      let change = self.slot(old).map { BodyChange(body: $0.slot.body, edits: edits) }
      return try slot(index, content.sections[index], change)
    }
    switch change {
    case .items(let section, let edits):
      let new = try edited(section, from: section, edits)
      return slots.replacing(section, by: SlotRun(slots: [new]))
    case .sections(let sectionEdits):
      var slotEdits: [Rope<SlotRun>.Edit] = []
      for edit in sectionEdits {
        var run = SlotRun(slots: [])
        for (place, origin) in edit.sections.enumerated() {
          let index = edit.firstSection + place
          switch origin {
          case .new: run.slots.append(try slot(index, content.sections[index], nil))
          case .kept(let section):
            if let kept = self.slot(section) { run.slots.append(kept.slot) }
          case .edited(let section, let edits):
            run.slots.append(try edited(index, from: section, edits))
          }
        }
        slotEdits.append(.init(range: edit.range, chunks: [run]))
      }
      return slots.edited(slotEdits)
    }
  }

  /// The first section that ends past what coordinates reach; nil if all end before.
  private static func firstTooLong(_ slots: Rope<SlotRun>) -> Int? {
    guard let place = slots.firstPlace(where: { $1 > .maximumCoordinate }) else { return nil }
    var end = place.before
    var index = place.start
    for slot in place.chunk.slots {
      end += slot.length
      if end > .maximumCoordinate { break }
      index += 1
    }
    return index
  }

  var followsVisibleRect: Bool { pinning.headers || pinning.footers || movesCells }

  var movesCells: Bool { effect != nil }

  var byteCount: Int { slots.summary.byteCount }

  var maximumLeadingInset: Length { slots.summary.maximumInset }

  /// What it costs to place the items of all sections again that have no data of their own.
  var placingCost: Int { slots.summary.placingCost }

  /// What the cells of all sections reach at most.
  var extents: BodyExtents { slots.summary.extents }

  func leadingInset(ofSection section: Int) -> Length { slot(section)?.slot.inset.top ?? 0 }

  // MARK: Sections

  /// How far a cell may reach beyond its section, or its page: its place and its extent are both rounded.
  static let overhang = Length(millionths: 1)

  /// A section and where it starts; nil if there is no such section.
  private func slot(_ section: Int) -> (slot: Slot, start: Length)? {
    slots.withPlace(of: section) { place in
      var start = place.before
      for earlier in 0..<(section - place.start) { start += place.leaf.chunk.slots[earlier].length }
      return (place.leaf.chunk.slots[section - place.start], start)
    }
  }

  /// Visits the sections in a part of the main axis in order, with where they start; many that are of no interest
  /// are passed over at once, since any number of them may lie next to each other.
  ///
  /// - Parameters:
  ///   - section: Sections before this one are passed over.
  ///   - main: Where the part begins: sections end below it.
  ///   - end: Where it ends: sections begin above it.
  ///   - isOfInterest: Whether some sections are, given what they have together.
  ///   - body: Called with each section; returns whether to go on.
  private func forEachSlot(
    from section: Int, below main: Length, above end: Length,
    ofInterest isOfInterest: (SlotSummary) -> Bool,
    _ body: (_ section: Int, _ slot: Slot, _ start: Length) -> Bool
  ) {
    slots.forEachLeaf(where: { $0 > section && $1 > main }) { leaf, first, before in
      guard before < end else { return false }
      guard isOfInterest(leaf.summary) else { return true }
      var start = before
      for index in 0..<leaf.count {
        let slot = leaf.chunk.slots[index]
        let number = first + index
        guard start < end else { return false }
        let next = start + slot.length
        if number >= section, next > main, !body(number, slot, start) { return false }
        start = next
      }
      return true
    }
  }

  /// The first item whose middle is at a place or after it, where middles follow each other.
  ///
  /// - Parameter doubledMain: Twice the place.
  /// - Returns: Its index path; the item may be one past the last of its section. Nil if all are before.
  /// - Complexity: O(log n).
  func firstItem(centeredFrom doubledMain: Int128) -> IndexPath? {
    guard
      let place = slots.firstPlace(where: { Int128($1.millionths) * 2 >= doubledMain })
    else { return nil }
    var start = place.before
    for (index, slot) in place.chunk.slots.enumerated() {
      let end = start + slot.length
      if Int128(end.millionths) * 2 >= doubledMain {
        let bodyStart = start + slot.bodyStart
        let item = slot.body.firstItem(
          centeredFrom: doubledMain - Int128(bodyStart.millionths) * 2)
        return IndexPath(item: item, section: place.start + index)
      }
      start = end
    }
    return nil
  }

  func section(at main: Length) -> Int? {
    guard main >= .zero, let place = slots.firstPlace(where: { $1 > main }) else { return nil }
    var end = place.before
    for (index, slot) in place.chunk.slots.enumerated() {
      end += slot.length
      if end > main { return place.start + index }
    }
    return nil
  }

  func extent(ofItemsInSection section: Int) -> ClosedRange<Length> {
    guard let (slot, start) = slot(section) else { return .zero ... .zero }
    let bodyStart = start + slot.bodyStart
    // Where insets have eaten all of a page, there is less than nothing between them.
    return bodyStart...max(bodyStart, bodyStart + slot.body.length)
  }

  // MARK: What shows

  func attributes(
    of kind: ElementKind, at indexPath: IndexPath, visible: Rect
  ) -> LayoutAttributes? {
    if kind == .cell {
      guard let frame = restingFrame(ofItemAt: indexPath) else { return nil }
      var cell = LayoutAttributes(kind: .cell, indexPath: indexPath, frame: frame)
      effect?.change(of: self, seenIn: visible)(&cell)
      return cell
    }
    guard indexPath.item == 0, let (slot, start) = slot(indexPath.section) else { return nil }
    switch kind {
    case .header where slot.header.height > 0:
      return header(of: slot, at: start, section: indexPath.section, visible: visible)
    case .footer where slot.footer.height > 0:
      return footer(of: slot, at: start, section: indexPath.section, visible: visible)
    case .decoration(let place) where Int(place) < slot.decorations.count:
      return decoration(place, of: slot, at: start, section: indexPath.section)
    default: return nil
    }
  }

  func cells(at indexPaths: [IndexPath], visible: Rect) -> [LayoutAttributes?] {
    let change = effect?.change(of: self, seenIn: visible)
    return zip(indexPaths, restingFrames(ofItemsAt: indexPaths)).map { indexPath, frame in
      guard let frame else { return nil }
      var cell = LayoutAttributes(kind: .cell, indexPath: indexPath, frame: frame)
      change?(&cell)
      return cell
    }
  }

  private func header(
    of slot: Slot, at start: Length, section: Int, visible: Rect
  ) -> LayoutAttributes {
    var frame = slot.header.offset(by: start)
    if pinning.headers {
      // Down with the visible rect, until the section's end pushes it out.
      let last = start + slot.length - slot.footer.height - slot.inset.bottom - frame.height
      frame.origin.y = max(min(visible.minY, last), frame.minY)
    }
    return LayoutAttributes(
      kind: .header, indexPath: IndexPath(item: 0, section: section), frame: frame,
      zIndex: pinning.headers ? Pinning.zIndex : 0)
  }

  private func footer(
    of slot: Slot, at start: Length, section: Int, visible: Rect
  ) -> LayoutAttributes {
    var frame = slot.footer.offset(by: start)
    if pinning.footers {
      let first = start + slot.header.height + slot.inset.top
      frame.origin.y = min(max(visible.maxY - frame.height, first), frame.minY)
    }
    return LayoutAttributes(
      kind: .footer, indexPath: IndexPath(item: 0, section: section), frame: frame,
      zIndex: pinning.footers ? Pinning.zIndex : 0)
  }

  private func decoration(
    _ place: UInt8, of slot: Slot, at start: Length, section: Int
  ) -> LayoutAttributes {
    let end = start + slot.length
    let insets = slot.decorations[Int(place)]
    // Insets that leave nothing leave it inside the section.
    let x = min(insets.left, contentSize.width)
    let y = min(start + insets.top, end)
    return LayoutAttributes(
      kind: .decoration(place), indexPath: IndexPath(item: 0, section: section),
      frame: Rect(
        x: x, y: y, width: max(0, contentSize.width - insets.right - x),
        height: max(0, end - insets.bottom - y)),
      zIndex: -1)
  }

  func forEachElement(
    in rect: Rect, visible: Rect, from start: ElementPosition,
    _ body: (LayoutAttributes) -> Bool
  ) {
    guard !rect.isEmpty else { return }
    guard let effect else {
      forEachElement(in: rect, cellsIn: rect, visible: visible, from: start, body) {
        section, sectionBody, bodyStart, first in
        sectionBody.forEachItem(in: rect, from: first, startingAt: bodyStart) { item, frame in
          body(
            LayoutAttributes(
              kind: .cell, indexPath: IndexPath(item: item, section: section), frame: frame))
        }
      }
      return
    }
    let change = effect.change(of: self, seenIn: visible)
    let resting = effect.restingRect(ofCells: extents, in: rect, visible: visible)
    forEachElement(in: rect, cellsIn: resting, visible: visible, from: start, body) {
      section, sectionBody, bodyStart, first in
      sectionBody.forEachItem(
        restingIn: {
          effect.restingRect(ofCells: $0, in: rect, visible: visible).offset(by: -bodyStart)
        }, from: first
      ) { item, frame in
        var cell = LayoutAttributes(
          kind: .cell, indexPath: IndexPath(item: item, section: section),
          frame: frame.offset(by: bodyStart))
        change(&cell)
        return !cell.shows(in: rect) || body(cell)
      }
    }
  }

  func forEachElement(
    in rect: Rect, visible: Rect, from start: ElementPosition,
    cells: (CellBatch) -> Bool, _ body: (LayoutAttributes) -> Bool
  ) {
    guard effect == nil else {
      return forEachElement(in: rect, visible: visible, from: start, body)
    }
    guard !rect.isEmpty else { return }
    var collector = CellCollector()
    forEachElement(in: rect, cellsIn: rect, visible: visible, from: start, body) {
      section, sectionBody, bodyStart, first in
      collector.begin(section: section, at: bodyStart)
      return sectionBody.forEachItem(
        in: rect.offset(by: -bodyStart), from: first, &collector, cells)
    }
  }

  func forEachSupplement(
    in rect: Rect, visible: Rect, lookingAt limit: Int, _ body: (LayoutAttributes) -> Bool
  ) -> Bool {
    guard !rect.isEmpty else { return true }
    let nowhere = Rect(x: 0, y: 0, width: 0, height: 0)
    var looks = 0
    forEachElement(
      in: rect, cellsIn: nowhere, visible: visible, from: .first,
      isOfInterest: { slot in
        looks += 1 + slot.decorations.count
        return looks <= limit
      }, body
    ) { _, _, _, _ in true }
    return looks <= limit
  }

  /// Visits supplementary elements and decorations in a rectangle, and sections of which cells may have
  /// to be visited: those with anything in the rectangle or in another.
  ///
  /// `cells` is called with each section's body, where that starts and the first of its items that are not
  /// passed over; it returns whether to go on, as `isOfInterest` does before anything of a section is looked at.
  private func forEachElement(
    in rect: Rect, cellsIn cellRect: Rect, visible: Rect, from start: ElementPosition,
    isOfInterest: (Slot) -> Bool = { _ in true }, _ body: (LayoutAttributes) -> Bool,
    cells: (_ section: Int, any SectionBody, _ bodyStart: Length, _ first: Int) -> Bool
  ) {
    // Where there are only cells, sections that have none in view are not gone through.
    let hasOthers = slots.summary.hasSupplements
    guard hasOthers || !cellRect.isEmpty else { return }
    let others = hasOthers ? rect : cellRect
    let from = cellRect.isEmpty ? rect.minY : min(others.minY, cellRect.minY)
    let to = cellRect.isEmpty ? rect.maxY : max(others.maxY, cellRect.maxY)
    // A pinned element never leaves its section, so that the sections in the rect are enough.
    forEachSlot(
      from: start.section, below: from - SectionStack.overhang, above: to,
      ofInterest: cellRect.isEmpty ? { $0.hasSupplements } : { $0.hasElements }
    ) { section, slot, slotStart in
      guard isOfInterest(slot) else { return false }
      let first = section == start.section ? start.rank : -1
      if first < 0, slot.header.height > 0 {
        let header = header(of: slot, at: slotStart, section: section, visible: visible)
        if header.frame.overlaps(rect), !body(header) { return false }
      }
      if first < slot.itemCount,
        !cells(section, slot.body, slotStart + slot.bodyStart, max(0, first))
      {
        return false
      }
      if first <= ElementPosition.footerRank, slot.footer.height > 0 {
        let footer = footer(of: slot, at: slotStart, section: section, visible: visible)
        if footer.frame.overlaps(rect), !body(footer) { return false }
      }
      for place in slot.decorations.indices {
        let decoration = decoration(UInt8(place), of: slot, at: slotStart, section: section)
        let isDue = section != start.section || decoration.position >= start
        if isDue, decoration.frame.overlaps(rect), !body(decoration) { return false }
      }
      return true
    }
  }

  // MARK: What rests

  func restingFrame(ofItemAt indexPath: IndexPath) -> Rect? {
    guard let (slot, start) = slot(indexPath.section),
      (0..<slot.itemCount).contains(indexPath.item)
    else { return nil }
    return slot.body.frame(of: indexPath.item).offset(by: start + slot.bodyStart)
  }

  func restingFrames(ofItemsAt indexPaths: [IndexPath]) -> [Rect?] {
    var frames: [Rect?] = []
    frames.reserveCapacity(indexPaths.count)
    while frames.count < indexPaths.count {
      let rest = indexPaths[frames.count...]
      let section = indexPaths[frames.count].section
      let ofSection = rest.prefix { $0.section == section }
      guard let (slot, start) = slot(section),
        ofSection.allSatisfy({ (0..<slot.itemCount).contains($0.item) })
      else {
        frames += ofSection.map(restingFrame)
        continue
      }
      frames += slot.body.frames(of: ofSection.map(\.item)).map {
        $0.offset(by: start + slot.bodyStart)
      }
    }
    return frames
  }

  func restingFrame(of kind: ElementKind, at indexPath: IndexPath) -> Rect? {
    guard kind != .cell else { return restingFrame(ofItemAt: indexPath) }
    guard indexPath.item == 0, let (slot, start) = slot(indexPath.section) else { return nil }
    switch kind {
    case .header where slot.header.height > 0: return slot.header.offset(by: start)
    case .footer where slot.footer.height > 0: return slot.footer.offset(by: start)
    case .decoration(let place) where Int(place) < slot.decorations.count:
      return decoration(place, of: slot, at: start, section: indexPath.section).frame
    default: return nil
    }
  }

  func forEachRestingItem(in rect: Rect, _ body: (IndexPath, Rect) -> Bool) {
    forEachBody(in: rect) { section, sectionBody, start in
      sectionBody.forEachItem(in: rect, from: 0, startingAt: start) { item, frame in
        body(IndexPath(item: item, section: section), frame)
      }
    }
  }

  func forEachRestingRun(in rect: Rect, _ body: (ItemRange, Rect?) -> Bool) {
    forEachBody(in: rect) { section, sectionBody, start in
      sectionBody.forEachRun(in: rect.offset(by: -start)) { items, frame in
        body(
          ItemRange(section: section, start: items.lowerBound, end: items.upperBound),
          frame?.offset(by: start))
      }
    }
  }

  /// Visits the bodies of the sections in a rectangle, and where they start; of many sections without items none,
  /// whatever stands around them: whoever counts the items that it is shown would count none of those.
  private func forEachBody(
    in rect: Rect, _ visit: (_ section: Int, _ body: any SectionBody, _ start: Length) -> Bool
  ) {
    guard !rect.isEmpty else { return }
    forEachSlot(
      from: 0, below: rect.minY - SectionStack.overhang, above: rect.maxY,
      ofInterest: { $0.hasItems }
    ) { section, slot, start in
      visit(section, slot.body, start + slot.bodyStart)
    }
  }

  func mainOffset(
    scrollingTo indexPath: IndexPath, at position: ScrollPosition, from visible: Rect
  ) -> Length? {
    guard let frame = restingFrame(ofItemAt: indexPath),
      let (slot, _) = slot(indexPath.section)
    else { return nil }
    return position.mainOffset(
      of: frame,
      covered: (
        pinning.headers ? slot.header.height : 0, pinning.footers ? slot.footer.height : 0
      ), from: visible)
  }
}

/// Some sections of a stack in one piece.
private struct SlotRun: RopeChunk {
  var slots: [SectionStack.Slot]

  static var capacity: Int { 16 }

  var count: Int { slots.count }

  var summary: SlotSummary {
    var summary = SlotSummary()
    for slot in slots {
      summary.length += slot.length
      summary.maximumInset = max(summary.maximumInset, slot.inset.top)
      summary.extents = summary.extents + slot.body.extents
      summary.hasSupplements = summary.hasSupplements || slot.hasSupplements
      summary.hasItems = summary.hasItems || slot.itemCount > 0
      summary.placingCost += slot.placingCost
      summary.byteCount +=
        192 + slot.body.byteCount
        + slot.decorations.capacity * MemoryLayout<EdgeInsets>.stride
    }
    return summary
  }

  func goes(with other: SlotRun, asUniform: Bool) -> Bool { true }

  static func joining(_ parts: ArraySlice<Part>) -> SlotRun {
    SlotRun(slots: parts.flatMap { $0.chunk.slots[$0.range] })
  }
}

/// What is known of many sections of a stack.
private struct SlotSummary: RopeSummary {
  var length: Length = 0
  var maximumInset: Length = 0
  var extents = BodyExtents.zero
  /// Whether anything stands around the items of some.
  var hasSupplements = false
  /// Whether some have items.
  var hasItems = false
  var placingCost = 0
  var byteCount = 0

  static let zero = SlotSummary()

  var measure: Length { length }

  /// Whether some have items, or anything around them.
  var hasElements: Bool { hasSupplements || hasItems }

  static func + (left: SlotSummary, right: SlotSummary) -> SlotSummary {
    SlotSummary(
      length: left.length + right.length,
      maximumInset: max(left.maximumInset, right.maximumInset),
      extents: left.extents + right.extents,
      hasSupplements: left.hasSupplements || right.hasSupplements,
      hasItems: left.hasItems || right.hasItems,
      placingCost: left.placingCost + right.placingCost,
      byteCount: left.byteCount + right.byteCount)
  }
}
