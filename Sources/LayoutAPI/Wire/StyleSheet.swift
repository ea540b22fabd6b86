import LayoutCore

/// Answers for several viewports as one style sheet: a page is in place before any script runs.
///
/// A container is matched by a selector; its elements are children with the attributes `data-kind`
/// (`cell`, `header`, `footer` or a decoration's own) and `data-index-path` (`section,item`). Each
/// viewport has a media query: from its width up to the next one's, the narrowest for what is narrower
/// too, the widest for what is wider. Elements that an answer does not have are hidden there.
struct StyleSheet: ~Copyable {
  // Its numbers are JSON's.
  private var text: JSONWriter
  private let selector: [UInt8]

  /// Writes a style sheet.
  ///
  /// - Parameters:
  ///   - answers: One for each viewport, in any order; of several as wide, the last counts.
  ///   - selector: Matches the container: a class, an id or an element.
  init(_ answers: [LayoutAnswer], selector: String) {
    self.selector = Array(selector.utf8)
    let count = answers.reduce(0) { $0 + $1.elements.count }
    text = JSONWriter(capacity: 1024 + count * (160 + selector.utf8.count))
    // Isolated: elements below others are not below what is behind the container.
    putSelector()
    text.raw("{position:relative;isolation:isolate;overflow-anchor:none}\n")
    putSelector()
    text.raw(">[data-index-path]{position:absolute;left:0;top:0;box-sizing:border-box;")
    text.raw("margin:0;visibility:hidden}\n")
    let sorted = answers.sorted { $0.width < $1.width }
    for (place, answer) in sorted.enumerated() {
      let next = sorted.indices.contains(place + 1) ? sorted[place + 1].width : nil
      // Hidden by one as wide that comes after it.
      if next == answer.width { continue }
      let isFirst = !sorted[..<place].contains { $0.width < answer.width }
      rules(of: answer, from: isFirst ? nil : answer.width, to: next)
    }
  }

  /// The sheet.
  consuming func finish() -> [UInt8] { text.finish() }

  private mutating func rules(of answer: LayoutAnswer, from least: Length?, to next: Length?) {
    if least != nil || next != nil { text.raw("@media ") }
    if let least {
      text.raw("(width>=")
      text.pixels(least)
      text.raw(")")
    }
    if least != nil && next != nil { text.raw(" and ") }
    if let next {
      text.raw("(width<")
      text.pixels(next)
      text.raw(")")
    }
    if least != nil || next != nil { text.raw("{\n") }
    putSelector()
    text.raw("{width:")
    text.pixels(answer.contentSize.width)
    text.raw(";height:")
    text.pixels(answer.contentSize.height)
    text.raw("}\n")
    for element in answer.elements { rule(of: element, in: answer.description) }
    if least != nil || next != nil { text.raw("}\n") }
  }

  private mutating func rule(of element: LayoutAttributes, in description: Description) {
    let path = element.indexPath
    putSelector()
    switch element.kind {
    case .cell: text.raw(">[data-kind=cell")
    case .header: text.raw(">[data-kind=header")
    case .footer: text.raw(">[data-kind=footer")
    case .decoration(let place):
      text.raw(">[data-kind=")
      quote(description.content.sections[path.section].decorations[Int(place)].kind)
    }
    let frame = element.frame(at: description.viewport.displayScale)
    text.withRoom(texts: 96, numbers: 6) { place in
      place.text("][data-index-path=\"")
      place.integer(path.section)
      place.text(",")
      place.integer(path.item)
      place.text("\"]{visibility:visible;left:")
      place.length(frame.minX.millionths)
      place.text("px;top:")
      place.length(frame.minY.millionths)
      place.text("px;width:")
      place.length(frame.width.millionths)
      place.text("px;height:")
      place.length(frame.height.millionths)
      place.text("px")
    }
    let zIndex = zIndex(of: element)
    if zIndex != 0 { put(";z-index:\(zIndex)") }
    if element.transform != .identity {
      let it = element.transform
      put(";transform:matrix(\(it.a),\(it.b),\(it.c),\(it.d),\(it.tx),\(it.ty))")
      let x = element.anchorPoint.x * 100
      let y = element.anchorPoint.y * 100
      put(";transform-origin:\(x)% \(y)%")
    }
    text.raw("}\n")
  }

  /// Where an element is on the way to the eye: decorations are below all others, also those of cover
  /// flow that are below 0.
  private func zIndex(of element: LayoutAttributes) -> Int {
    element.kind.isDecoration ? element.zIndex - 2_000_000_000 : element.zIndex
  }

  /// A client's own name as a string that cannot end early.
  private mutating func quote(_ text: String) {
    put("\"")
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\", "<", "\u{0}"..."\u{1F}", "\u{7F}":
        // CSS has no name for NUL.
        put("\\\(String(scalar == "\u{0}" ? 0xFFFD : scalar.value, radix: 16)) ")
      default: put(String(Character(scalar)))
      }
    }
    put("\"")
  }

  private mutating func putSelector() {
    let selector = selector
    text.bytes(selector.span)
  }

  private mutating func put(_ text: String) { self.text.bytes(text.utf8Span.span) }
}

extension JSONWriter {
  fileprivate mutating func pixels(_ length: Length) {
    withRoom(texts: 2, numbers: 1) { place in
      place.length(length.millionths)
      place.text("px")
    }
  }
}

extension LayoutAnswer {
  fileprivate var width: Length { description.viewport.size.width }
}
