import Glibc
import LayoutCore

/// The contract's section 3 as a plain loop over all items, to hold the engine against.
///
/// Upright and for one section without header and footer: what stacks sections is tested apart.
enum Naive {
  static func flow(
    _ sizes: [Size], layout: FlowLayout, available: Length
  ) -> [Rect] {
    let epsilon = max(1, available.millionths / 1_000_000)
    var lines: [[Int]] = []
    var used: Int64 = 0
    for (index, size) in sizes.enumerated() {
      let joined = used + layout.minimumInteritemSpacing.millionths + size.width.millionths
      if !lines.isEmpty, joined <= available.millionths + epsilon {
        lines[lines.count - 1].append(index)
        used = joined
      } else {
        lines.append([index])
        used = size.width.millionths
      }
    }
    let allEqual = Set(sizes).count == 1
    var frames = Array(repeating: Rect(origin: .zero, size: .zero), count: sizes.count)
    var top: Int64 = 0
    for (number, line) in lines.enumerated() {
      let isLast = number == lines.count - 1
      let length = line.map { sizes[$0].height.millionths }.max() ?? 0
      let s = layout.minimumInteritemSpacing.millionths
      let extent = line.reduce(0) { $0 + sizes[$1].width.millionths }
      let leftover = available.millionths - extent - s * Int64(line.count - 1)
      var alignment = layout.lineAlignment
      var gapLeftover = leftover
      var gaps = Int64(line.count - 1)
      if isLast {
        switch layout.lastLineAlignment {
        case .auto where alignment == .justified && allEqual:
          // The gap of a full line.
          let width = sizes[line[0]].width.millionths
          var perLine = Int64(line.count)
          while width + s > 0,
            (perLine + 1) * width + perLine * s <= available.millionths + epsilon
          { perLine += 1 }
          gapLeftover = available.millionths - perLine * width - (perLine - 1) * s
          gaps = perLine - 1
        case .auto where alignment == .justified: alignment = .leading
        case .auto: break
        case .justified: alignment = .justified
        case .leading: alignment = .leading
        case .center: alignment = .center
        case .trailing: alignment = .trailing
        }
      }
      var before: Int64 = 0
      for (place, item) in line.enumerated() {
        var x = before + s * Int64(place)
        switch alignment {
        case .leading: break
        case .justified where gaps > 0:
          // The coordinate is rounded, once; not what is added to it, which may be negative.
          x = roundedQuotient(x * gaps + gapLeftover * Int64(place), gaps)
        case .justified, .center: x += roundedQuotient(max(0, leftover), 2)
        case .trailing: x += max(0, leftover)
        }
        let slack = length - sizes[item].height.millionths
        let y =
          switch layout.itemAlignment {
          case .leading: top
          case .center: top + roundedQuotient(slack, 2)
          case .trailing: top + slack
          }
        frames[item] = Rect(
          origin: Point(x: Length(millionths: x), y: Length(millionths: y)), size: sizes[item])
        before += sizes[item].width.millionths
      }
      top += length + layout.minimumLineSpacing.millionths
    }
    return frames
  }

  static func waterfall(
    _ lengths: [Length], layout: WaterfallLayout, columnCount: Int, available: Length
  ) -> [Rect] {
    let spacing = layout.minimumColumnSpacing
    let padding = layout.itemPadding.millionths
    let room = max(0, available - spacing * (columnCount - 1)).millionths
    let width = max(0, roundedQuotient(room, Int64(columnCount)) - 2 * padding)
    var starts = Array(repeating: Int64(0), count: columnCount)
    return lengths.enumerated().map { index, length in
      let column =
        switch layout.itemRenderDirection {
        case .leftToRight: index % columnCount
        case .rightToLeft: columnCount - 1 - index % columnCount
        case .shortestFirst: starts.firstIndex(of: starts.min() ?? 0) ?? 0
        }
      let x =
        roundedQuotient(room * Int64(column), Int64(columnCount))
        + spacing.millionths * Int64(column)
      let frame = Rect(
        x: Length(millionths: x + padding), y: Length(millionths: starts[column] + padding),
        width: Length(millionths: width), height: length)
      starts[column] +=
        length.millionths + 2 * padding + layout.minimumInteritemSpacing.millionths
      return frame
    }
  }

  /// The inset of a section's items: its own, or its layout's.
  static func sectionInset(_ layout: any CollectionLayout, _ section: Section) -> EdgeInsets {
    switch layout {
    case let layout as FlowLayout: section.sectionInset ?? layout.sectionInset
    case let layout as WaterfallLayout: section.sectionInset ?? layout.sectionInset
    case let layout as ListLayout: section.sectionInset ?? layout.sectionInset
    case let layout as PagedGridLayout: section.sectionInset ?? layout.sectionInset
    case let layout as CoverFlowLayout: section.sectionInset ?? layout.sectionInset
    case let layout as BannerLayout: layout.sectionInset
    default: .zero
    }
  }

  /// Which elements can be visible at all at an offset: of a wheel only the cards around the upright
  /// one, rounded outward to whole cards; of the other layouts all.
  static func canBeVisible(
    _ layout: any CollectionLayout, _ prepared: PreparedLayout, _ content: Content, _ offset: Point
  ) -> (LayoutAttributes) -> Bool {
    guard let wheel = layout as? WheelLayout else { return { _ in true } }
    let count = content.sections.reduce(0) { $0 + $1.items.count }
    let size = (
      width: prepared.viewport.size.width.points, height: prepared.viewport.size.height.points
    )
    let radius = wheel.radius.points
    let angle = atan(wheel.itemSize.width.points / radius)
    let way = prepared.contentSize.width.points - size.width
    let turned =
      count < 2 || way <= 0 ? 0 : -Double(count - 1) * angle * offset.x.points / way
    let greatest = atan2(
      size.width / 2, radius + wheel.itemSize.height.points / 2 - size.height / 2)
    let first = ((-turned - greatest) / angle).rounded(.down)
    let last = ((-turned + greatest) / angle).rounded(.up)
    return { first <= Double($0.zIndex) && Double($0.zIndex) <= last }
  }
}
