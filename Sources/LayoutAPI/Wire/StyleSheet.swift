import LayoutCore

/// Answers for several viewports as one style sheet: a page is in place before any script runs.
///
/// A container is matched by a selector; its elements are children with the attributes `data-kind`
/// (`cell`, `header`, `footer` or a decoration's own) and `data-index-path` (`section,item`). Each
/// viewport has a media query: from its width up to the next one's, the narrowest for what is narrower
/// too, the widest for what is wider. Elements that an answer does not have are hidden there.
struct StyleSheet {
  private(set) var bytes: [UInt8] = []
  private let selector: String

  /// Writes a style sheet.
  ///
  /// - Parameters:
  ///   - answers: One for each viewport, in any order; of several as wide, the last counts.
  ///   - selector: Matches the container: a class, an id or an element.
  init(_ answers: [LayoutAnswer], selector: String) {
    self.selector = selector
    // Isolated: elements below others are not below what is behind the container.
    put("\(selector){position:relative;isolation:isolate;overflow-anchor:none}\n")
    put("\(selector)>[data-index-path]{position:absolute;left:0;top:0;box-sizing:border-box;")
    put("margin:0;visibility:hidden}\n")
    let sorted = answers.sorted { $0.width < $1.width }
    for (place, answer) in sorted.enumerated() {
      let next = sorted.indices.contains(place + 1) ? sorted[place + 1].width : nil
      // Hidden by one as wide that comes after it.
      if next == answer.width { continue }
      let isFirst = !sorted[..<place].contains { $0.width < answer.width }
      rules(of: answer, from: isFirst ? nil : answer.width, to: next)
    }
  }

  private mutating func rules(of answer: LayoutAnswer, from least: Length?, to next: Length?) {
    var conditions: [String] = []
    if let least { conditions.append("(width>=\(pixels(least)))") }
    if let next { conditions.append("(width<\(pixels(next)))") }
    if !conditions.isEmpty { put("@media \(conditions.joined(separator: " and ")){\n") }
    put("\(selector){width:\(pixels(answer.contentSize.width));")
    put("height:\(pixels(answer.contentSize.height))}\n")
    for element in answer.elements { rule(of: element, in: answer.description) }
    if !conditions.isEmpty { put("}\n") }
  }

  private mutating func rule(of element: LayoutAttributes, in description: Description) {
    let path = element.indexPath
    put("\(selector)>[data-kind=")
    switch element.kind {
    case .cell: put("cell")
    case .header: put("header")
    case .footer: put("footer")
    case .decoration(let place):
      quote(description.content.sections[path.section].decorations[Int(place)].kind)
    }
    put("][data-index-path=\"\(path.section),\(path.item)\"]{visibility:visible;")
    let frame =
      description.viewport.displayScale.map { element.frame.rounded(toScale: $0) } ?? element.frame
    put("left:\(pixels(frame.minX));top:\(pixels(frame.minY));")
    put("width:\(pixels(frame.width));height:\(pixels(frame.height))")
    let zIndex = zIndex(of: element)
    if zIndex != 0 { put(";z-index:\(zIndex)") }
    if element.alpha != 1 { put(";opacity:\(element.alpha)") }
    if element.transform != .identity {
      let it = element.transform
      put(";transform:matrix(\(it.a),\(it.b),\(it.c),\(it.d),\(it.tx),\(it.ty))")
      let x = element.anchorPoint.x * 100
      let y = element.anchorPoint.y * 100
      put(";transform-origin:\(x)% \(y)%")
    }
    put("}\n")
  }

  /// Where an element is on the way to the eye: decorations are below all others, also those of cover
  /// flow that are below 0.
  private func zIndex(of element: LayoutAttributes) -> Int {
    if case .decoration = element.kind { return element.zIndex - 2_000_000_000 }
    return element.zIndex
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

  private func pixels(_ length: Length) -> String {
    let magnitude = length.millionths.magnitude
    let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    var text = (length.millionths < 0 ? "-" : "") + "\(whole)"
    if rest > 0 {
      let digits = String(rest)
      text += "." + String(repeating: "0", count: 6 - digits.count) + digits
      while text.last == "0" { text.removeLast() }
    }
    return text + "px"
  }

  private mutating func put(_ text: String) { bytes += Array(text.utf8) }
}

extension LayoutAnswer {
  fileprivate var width: Length { description.viewport.size.width }
}
