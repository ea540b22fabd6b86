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
struct SectionStack: Placement {
  /// What stands around the items of a section; upright.
  struct Frame {
    var inset: EdgeInsets = .zero
    var headerLength: Length = 0
    var headerInset: EdgeInsets = .zero
    var footerLength: Length = 0
    var footerInset: EdgeInsets = .zero
  }

  private struct Slot {
    var start: Length
    var end: Length
    var inset: EdgeInsets
    /// At rest; empty where there is none.
    var header: Rect
    var footer: Rect
    var bodyStart: Length
    var itemCount: Int
    var body: any SectionBody
    /// Upright.
    var decorations: [EdgeInsets]
  }

  let contentSize: Size
  let maximumLeadingInset: Length
  private let slots: [Slot]
  private let pinning: Pinning
  private let effect: (any Effect)?

  /// Which supplementary elements stay in view while their section is.
  struct Pinning {
    var headers = false
    var footers = false
    /// Above everything that scrolls, as in UICollectionViewFlowLayout.
    static let zIndex = 1024
  }

  /// Stacks sections.
  ///
  /// - Parameters:
  ///   - content: The sections.
  ///   - container: The viewport, upright.
  ///   - direction: The main axis.
  ///   - pinning: What stays in view.
  ///   - effect: What scrolling does to cells.
  ///   - minimumLength: The least length of the whole.
  ///   - section: Makes the frame and the body of a section.
  /// - Throws: ``LayoutError/contentTooLong(section:)``, and what `section` throws.
  init(
    _ content: Content, in container: Container, _ direction: ScrollDirection,
    pinning: Pinning = Pinning(), effect: (any Effect)? = nil, minimumLength: Length = 0,
    _ section: (_ index: Int, _ section: Section) throws(LayoutError) -> (Frame, any SectionBody)
  ) throws(LayoutError) {
    let across = container.size.width
    var slots: [Slot] = []
    slots.reserveCapacity(content.sections.count)
    var end: Length = 0
    var maximumInset: Length = 0
    for (index, description) in content.sections.enumerated() {
      let (frame, body) = try section(index, description)
      let start = end
      var header = Rect(origin: .zero, size: .zero)
      if frame.headerLength > 0 {
        header = SectionStack.supplementary(frame.headerLength, frame.headerInset, &end, across)
      }
      end += frame.inset.top
      let bodyStart = end
      end += body.length
      end += frame.inset.bottom
      var footer = Rect(origin: .zero, size: .zero)
      if frame.footerLength > 0 {
        footer = SectionStack.supplementary(frame.footerLength, frame.footerInset, &end, across)
      }
      guard end <= .maximumCoordinate else { throw .contentTooLong(section: index) }
      maximumInset = max(maximumInset, frame.inset.top)
      slots.append(
        Slot(
          start: start, end: end, inset: frame.inset, header: header, footer: footer,
          bodyStart: bodyStart, itemCount: description.items.count, body: body,
          decorations: description.decorations.map { direction.upright($0.insets) }))
    }
    self.slots = slots
    self.pinning = pinning
    self.effect = effect
    maximumLeadingInset = maximumInset
    contentSize =
      slots.isEmpty ? .zero : Size(width: across, height: max(end, minimumLength))
  }

  /// The frame of a header or footer, and the end moved past it.
  private static func supplementary(
    _ length: Length, _ inset: EdgeInsets, _ end: inout Length, _ across: Length
  ) -> Rect {
    let frame = Rect(
      x: inset.left, y: end + inset.top, width: max(0, across - inset.left - inset.right),
      height: length)
    end = frame.maxY + inset.bottom
    return frame
  }

  var followsVisibleRect: Bool { pinning.headers || pinning.footers || movesCells }

  var movesCells: Bool { effect != nil }

  var byteCount: Int {
    slots.reduce(slots.capacity * MemoryLayout<Slot>.stride) {
      $0 + $1.body.byteCount + $1.decorations.capacity * MemoryLayout<EdgeInsets>.stride
    }
  }

  func leadingInset(ofSection section: Int) -> Length { slots[section].inset.top }

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
    guard slots.indices.contains(indexPath.section), indexPath.item == 0 else { return nil }
    let slot = slots[indexPath.section]
    switch kind {
    case .header where slot.header.height > 0:
      return header(of: slot, section: indexPath.section, visible: visible)
    case .footer where slot.footer.height > 0:
      return footer(of: slot, section: indexPath.section, visible: visible)
    case .decoration(let place) where Int(place) < slot.decorations.count:
      return decoration(place, of: slot, section: indexPath.section)
    default: return nil
    }
  }

  private func header(of slot: Slot, section: Int, visible: Rect) -> LayoutAttributes {
    var frame = slot.header
    if pinning.headers {
      // Down with the visible rect, until the section's end pushes it out.
      let last = slot.end - slot.footer.height - slot.inset.bottom - frame.height
      frame.origin.y = max(min(visible.minY, last), frame.minY)
    }
    return LayoutAttributes(
      kind: .header, indexPath: IndexPath(item: 0, section: section), frame: frame,
      zIndex: pinning.headers ? Pinning.zIndex : 0)
  }

  private func footer(of slot: Slot, section: Int, visible: Rect) -> LayoutAttributes {
    var frame = slot.footer
    if pinning.footers {
      let first = slot.start + slot.header.height + slot.inset.top
      frame.origin.y = min(max(visible.maxY - frame.height, first), frame.minY)
    }
    return LayoutAttributes(
      kind: .footer, indexPath: IndexPath(item: 0, section: section), frame: frame,
      zIndex: pinning.footers ? Pinning.zIndex : 0)
  }

  private func decoration(_ place: UInt8, of slot: Slot, section: Int) -> LayoutAttributes {
    let insets = slot.decorations[Int(place)]
    // Insets that leave nothing leave it inside the section.
    let x = min(insets.left, contentSize.width)
    let y = min(slot.start + insets.top, slot.end)
    return LayoutAttributes(
      kind: .decoration(place), indexPath: IndexPath(item: 0, section: section),
      frame: Rect(
        x: x, y: y, width: max(0, contentSize.width - insets.right - x),
        height: max(0, slot.end - insets.bottom - y)),
      zIndex: -1)
  }

  func forEachElement(
    in rect: Rect, visible: Rect, from start: ElementPosition,
    _ body: (LayoutAttributes) -> Bool
  ) {
    guard !rect.isEmpty else { return }
    guard let effect else {
      forEachElement(in: rect, cellsIn: rect, visible: visible, from: start, { _ in rect }, body)
      return
    }
    let change = effect.change(of: self, seenIn: visible)
    let resting = effect.restingRect(ofCellsIn: rect, visible: visible, section: nil)
    forEachElement(
      in: rect, cellsIn: resting, visible: visible, from: start,
      { effect.restingRect(ofCellsIn: rect, visible: visible, section: $0) }
    ) { element in
      guard element.kind == .cell else { return body(element) }
      var cell = element
      change(&cell)
      return !cell.shows(in: rect) || body(cell)
    }
  }

  /// Visits supplementary elements and decorations in one rectangle, and cells at rest in another
  /// for each section; all of those are inside `cellRect`.
  private func forEachElement(
    in rect: Rect, cellsIn cellRect: Rect, visible: Rect, from start: ElementPosition,
    _ cellRectOfSection: (Int) -> Rect, _ body: (LayoutAttributes) -> Bool
  ) {
    let from = cellRect.isEmpty ? rect.minY : min(rect.minY, cellRect.minY)
    let to = cellRect.isEmpty ? rect.maxY : max(rect.maxY, cellRect.maxY)
    // A pinned element never leaves its section, so that the sections in the rect are enough.
    var index = max(start.section, partitioningIndex(slots.count) { slots[$0].end > from })
    while index < slots.count, slots[index].start < to {
      let slot = slots[index]
      let section = index
      let first = index == start.section ? start.rank : -1
      if first < 0, slot.header.height > 0 {
        let header = header(of: slot, section: section, visible: visible)
        if header.frame.overlaps(rect), !body(header) { return }
      }
      if first < slot.itemCount {
        let offset = slot.bodyStart
        var inBody = cellRectOfSection(section)
        inBody.origin.y -= offset
        let finished = slot.body.forEachItem(in: inBody, from: max(0, first)) { item, frame in
          var frame = frame
          frame.origin.y += offset
          return body(
            LayoutAttributes(
              kind: .cell, indexPath: IndexPath(item: item, section: section), frame: frame))
        }
        if !finished { return }
      }
      if first <= ElementPosition.footerRank, slot.footer.height > 0 {
        let footer = footer(of: slot, section: section, visible: visible)
        if footer.frame.overlaps(rect), !body(footer) { return }
      }
      for place in slot.decorations.indices {
        let decoration = decoration(UInt8(place), of: slot, section: section)
        let isDue = section != start.section || decoration.position >= start
        if isDue, decoration.frame.overlaps(rect), !body(decoration) { return }
      }
      index += 1
    }
  }

  // MARK: What rests

  func restingFrame(ofItemAt indexPath: IndexPath) -> Rect? {
    guard slots.indices.contains(indexPath.section) else { return nil }
    let slot = slots[indexPath.section]
    guard (0..<slot.itemCount).contains(indexPath.item) else { return nil }
    var frame = slot.body.frame(of: indexPath.item)
    frame.origin.y += slot.bodyStart
    return frame
  }

  func forEachRestingItem(in rect: Rect, _ body: (IndexPath, Rect) -> Bool) {
    forEachBody(in: rect) { section, slot, inBody in
      slot.body.forEachItem(in: inBody, from: 0) { item, frame in
        var frame = frame
        frame.origin.y += slot.bodyStart
        return body(IndexPath(item: item, section: section), frame)
      }
    }
  }

  func forEachRestingRun(in rect: Rect, _ body: (ItemRange) -> Bool) {
    forEachBody(in: rect) { section, slot, inBody in
      slot.body.forEachRun(in: inBody) { items in
        body(ItemRange(section: section, start: items.lowerBound, end: items.upperBound))
      }
    }
  }

  /// Visits the sections in a rectangle, with that rectangle as their bodies see it.
  private func forEachBody(in rect: Rect, _ visit: (Int, Slot, Rect) -> Bool) {
    guard !rect.isEmpty else { return }
    var index = partitioningIndex(slots.count) { slots[$0].end > rect.minY }
    while index < slots.count, slots[index].start < rect.maxY {
      var inBody = rect
      inBody.origin.y -= slots[index].bodyStart
      if !visit(index, slots[index], inBody) { return }
      index += 1
    }
  }

  func mainOffset(
    scrollingTo indexPath: IndexPath, at position: ScrollPosition, from visible: Rect
  ) -> Length? {
    restingFrame(ofItemAt: indexPath).map {
      position.mainOffset(
        of: $0, coveredLength: pinning.headers ? slots[indexPath.section].header.height : 0,
        from: visible)
    }
  }
}
