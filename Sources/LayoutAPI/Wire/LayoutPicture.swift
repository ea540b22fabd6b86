import LayoutCore

/// A picture of elements with their transforms, to debug a layout by looking; one unit is one point.
///
/// Cells are coloured by section, supplementary elements grey and decorations pale; the viewport has
/// a thick border, the prefetch window a dashed one.
struct LayoutPicture {
  /// What is drawn.
  let area: Rect
  /// Where names are.
  let content: Content
  /// In the order of answers.
  var elements: [LayoutAttributes] = []
  /// Whether there are more.
  var isCut = false
  var viewport = Rect(origin: .zero, size: .zero)
  var window = Rect(origin: .zero, size: .zero)

  /// Larger pictures are scaled down to this many pixels, so that they can be looked at.
  private static let greatestExtent = 4096.0
  private static let hues = [212, 28, 140, 276, 348, 48]

  /// Draws it.
  func svg() -> String {
    let scale = min(
      1, LayoutPicture.greatestExtent / max(area.width.points, area.height.points))
    let shown = placed(area)
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(number(area.width.points * scale))" \
      height="\(number(area.height.points * scale))" viewBox="\(numbers(shown))" \
      font-family="sans-serif" text-anchor="middle">
      <rect \(attributes(shown)) fill="#fff"/>

      """
    // Decorations stand behind covers too, which have lower zIndexes than theirs; of the rest the
    // nearest to the viewer comes last, of equal ones the later.
    let order = elements.indices.sorted {
      let (one, other) = (elements[$0], elements[$1])
      return (one.kind.isDecoration ? 0 : 1, one.zIndex, $0)
        < (other.kind.isDecoration ? 0 : 1, other.zIndex, $1)
    }
    for index in order { draw(elements[index], into: &text) }
    text += outline(window, "stroke=\"#666\" stroke-width=\"1.5\" stroke-dasharray=\"6 4\"")
    text += outline(viewport, "stroke=\"#d00\" stroke-width=\"2\"")
    if isCut {
      text += """
        <text x="\(number(shown.minX.points + shown.width.points / 2))" \
        y="\(number(shown.minY.points + 24))" font-size="16" fill="#d00">\
        the first \(elements.count) elements of more</text>

        """
    }
    return text + "</svg>\n"
  }

  private func draw(_ element: LayoutAttributes, into text: inout String) {
    let (fill, stroke) = colors(of: element)
    let frame = placed(element.frame)
    let label = "\(element.indexPath.section),\(element.indexPath.item)"
    let title = LayoutPicture.escaped(name(of: element))
    let width = frame.width.points
    let height = frame.height.points
    let fontSize = min(16, height * 0.5, width * 1.5 / Double(label.count))
    text += "<g\(placing(element))"
    if element.alpha != 1 { text += " opacity=\"\(number(element.alpha))\"" }
    text += """
      ><title>\(title)</title><rect \(attributes(frame)) fill="\(fill)" stroke="\(stroke)" \
      vector-effect="non-scaling-stroke"/>
      """
    if !element.kind.isDecoration, fontSize > 0 {
      text += """
        <text x="\(number(frame.minX.points + width / 2))" \
        y="\(number(frame.minY.points + height / 2 + fontSize * 0.35))" \
        font-size="\(number(fontSize))" fill="\(stroke)">\(label)</text>
        """
    }
    text += "</g>\n"
  }

  /// What the element is, with its name and its frame.
  private func name(of element: LayoutAttributes) -> String {
    let section = content.sections[element.indexPath.section]
    var name =
      switch element.kind {
      case .cell: "cell"
      case .header: "header"
      case .footer: "footer"
      case .decoration(let place): section.decorations[Int(place)].kind
      }
    name += " [\(element.indexPath.section),\(element.indexPath.item)]"
    if element.kind == .cell,
      let id = section.items.id(of: element.indexPath.item)
    {
      name += " " + id
    }
    return name + " at \(LayoutPicture.exactNumbers(element.frame))"
  }

  /// All digits, which Doubles do not have far down.
  private static func exactNumbers(_ rect: Rect) -> String {
    var text = JSONWriter(capacity: 128)
    for length in [rect.minX, rect.minY, rect.width, rect.height] {
      text.length(length.millionths)
    }
    return text.finish().span.string.split(separator: ",").joined(separator: " ")
  }

  private func colors(of element: LayoutAttributes) -> (fill: String, stroke: String) {
    let hue = LayoutPicture.hues[element.indexPath.section % LayoutPicture.hues.count]
    return switch element.kind {
    case .cell: ("hsl(\(hue),60%,82%)", "hsl(\(hue),60%,32%)")
    case .header, .footer: ("#ddd", "#555")
    case .decoration: ("hsl(\(hue),50%,95%)", "hsl(\(hue),50%,75%)")
    }
  }

  /// The transform about the anchor point.
  private func placing(_ element: LayoutAttributes) -> String {
    let transform = element.transform
    guard transform != .identity else { return "" }
    let frame = placed(element.frame)
    let x = frame.minX.points + element.anchorPoint.x * frame.width.points
    let y = frame.minY.points + element.anchorPoint.y * frame.height.points
    let values = [
      transform.a, transform.b, transform.c, transform.d,
      x + transform.tx - transform.a * x - transform.c * y,
      y + transform.ty - transform.b * x - transform.d * y,
    ]
    return " transform=\"matrix(\(values.map(number).joined(separator: " ")))\""
  }

  private func outline(_ rect: Rect, _ style: String) -> String {
    """
    <rect \(attributes(placed(rect))) fill="none" \(style) vector-effect="non-scaling-stroke"/>

    """
  }

  /// Where it is in the picture: where it is in the content, as far as browsers can draw there.
  ///
  /// Their floats have 24 bits: a hundredth of a point is lost at 100,000, and a whole frame many millions
  /// down. From there on the area's origin is the picture's.
  private func placed(_ rect: Rect) -> Rect {
    func origin(_ place: Length) -> Length { abs(place.points) > 100_000 ? place : 0 }
    return Rect(
      origin: Point(x: rect.minX - origin(area.minX), y: rect.minY - origin(area.minY)),
      size: rect.size)
  }

  private func attributes(_ rect: Rect) -> String {
    """
    x="\(number(rect.minX.points))" y="\(number(rect.minY.points))" \
    width="\(number(rect.width.points))" height="\(number(rect.height.points))"
    """
  }

  private func numbers(_ rect: Rect) -> String {
    [rect.minX, rect.minY, rect.width, rect.height].map { number($0.points) }
      .joined(separator: " ")
  }

  /// Without the fraction that Swift prints for whole numbers.
  private func number(_ value: Double) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// As XML character data; what XML 1.0 cannot hold at all is left out.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      case "\t", "\n", "\r": result += " "
      case "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
        result.unicodeScalars.append(scalar)
      default: break
      }
    }
    return result
  }
}
