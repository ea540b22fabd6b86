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
  }

  let contentSize: Size
  let maximumLeadingInset: Length
  private let slots: [Slot]
  private let pinning: Pinning

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
  ///   - pinning: What stays in view.
  ///   - minimumLength: The least length of the whole.
  ///   - section: Makes the frame and the body of a section.
  /// - Throws: ``LayoutError/contentTooLong(section:)``, and what `section` throws.
  init(
    _ content: Content, in container: Container, pinning: Pinning = Pinning(),
    minimumLength: Length = 0,
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
          bodyStart: bodyStart, itemCount: description.items.count, body: body))
    }
    self.slots = slots
    self.pinning = pinning
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

  var followsVisibleRect: Bool { pinning.headers || pinning.footers }

  var byteCount: Int {
    slots.capacity * MemoryLayout<Slot>.stride + slots.reduce(0) { $0 + $1.body.byteCount }
  }

  func leadingInset(ofSection section: Int) -> Length { slots[section].inset.top }

  func pinnedHeaderLength(ofSection section: Int) -> Length {
    pinning.headers ? slots[section].header.height : 0
  }

  func attributes(
    of kind: ElementKind, at indexPath: IndexPath, visible: Rect
  ) -> LayoutAttributes? {
    guard slots.indices.contains(indexPath.section) else { return nil }
    let slot = slots[indexPath.section]
    switch kind {
    case .cell:
      guard (0..<slot.itemCount).contains(indexPath.item) else { return nil }
      var frame = slot.body.frame(of: indexPath.item)
      frame.origin.y += slot.bodyStart
      return LayoutAttributes(kind: .cell, indexPath: indexPath, frame: frame)
    case .header:
      guard indexPath.item == 0, slot.header.height > 0 else { return nil }
      return header(of: slot, section: indexPath.section, visible: visible)
    case .footer:
      guard indexPath.item == 0, slot.footer.height > 0 else { return nil }
      return footer(of: slot, section: indexPath.section, visible: visible)
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

  func forEachCellRun(in rect: Rect, visible: Rect, _ body: (ItemRange) -> Bool) {
    guard !rect.isEmpty else { return }
    var index = partitioningIndex(slots.count) { slots[$0].end > rect.minY }
    while index < slots.count, slots[index].start < rect.maxY {
      var inBody = rect
      inBody.origin.y -= slots[index].bodyStart
      let section = index
      let finished = slots[index].body.forEachRun(in: inBody) { items in
        body(ItemRange(section: section, start: items.lowerBound, end: items.upperBound))
      }
      if !finished { return }
      index += 1
    }
  }

  func forEachElement(
    in rect: Rect, visible: Rect, from start: ElementPosition,
    _ body: (LayoutAttributes) -> Bool
  ) {
    guard !rect.isEmpty else { return }
    // A pinned element never leaves its section, so that the sections in the rect are enough.
    var index = max(start.section, partitioningIndex(slots.count) { slots[$0].end > rect.minY })
    while index < slots.count, slots[index].start < rect.maxY {
      let slot = slots[index]
      let first = index == start.section ? start.rank : -1
      if first < 0, slot.header.height > 0 {
        let header = header(of: slot, section: index, visible: visible)
        if header.frame.overlaps(rect), !body(header) { return }
      }
      if first < slot.itemCount {
        let offset = slot.bodyStart
        var inBody = rect
        inBody.origin.y -= offset
        let section = index
        let finished = slot.body.forEachItem(in: inBody, from: max(0, first)) { item, frame in
          var frame = frame
          frame.origin.y += offset
          return body(
            LayoutAttributes(
              kind: .cell, indexPath: IndexPath(item: item, section: section), frame: frame))
        }
        if !finished { return }
      }
      if slot.footer.height > 0 {
        let footer = footer(of: slot, section: index, visible: visible)
        if footer.frame.overlaps(rect), !body(footer) { return }
      }
      index += 1
    }
  }
}
