import LayoutCore

/// How attributes stand in an answer.
struct AttributesFormat {
  /// `format` in the query.
  enum Shape: String, CaseIterable {
    /// One object an element.
    case objects
    /// Parallel arrays.
    case columns
  }

  var shape: Shape
  /// Where the names of items are.
  var content: Content
  /// Pixels per point in millionths, to which frames are rounded; nil for none.
  var displayScale: Int64?

  private func hasID(_ element: LayoutAttributes) -> Bool {
    element.kind == .cell
      && content.sections[element.indexPath.section].items.withID(of: element.indexPath.item) { _ in
      } != nil
  }

  private func frame(_ element: LayoutAttributes) -> Rect {
    displayScale.map { element.frame.rounded(toScale: $0) } ?? element.frame
  }

  /// Writes elements.
  func write(_ elements: [LayoutAttributes], to json: inout JSONWriter) {
    switch shape {
    case .objects:
      json.beginArray()
      for element in elements { write(element, to: &json) }
      json.endArray()
    case .columns: writeColumns(elements, to: &json)
    }
  }

  /// Writes one element as an object; members that have their default are left out.
  func write(_ element: LayoutAttributes, to json: inout JSONWriter) {
    json.raw("{\"kind\":")
    json.kind(of: element, in: content)
    json.raw("\"indexPath\":")
    json.indexPath(element.indexPath)
    if hasID(element) {
      json.raw("\"id\":")
      writeID(element, to: &json)
    }
    json.raw("\"frame\":")
    json.rect(frame(element))
    if element.zIndex != 0 {
      json.raw("\"zIndex\":")
      json.integer(element.zIndex)
    }
    if !element.isPlain { writeLook(of: element, to: &json) }
    json.endObject()
  }

  /// Writes what an effect has changed.
  private func writeLook(of element: LayoutAttributes, to json: inout JSONWriter) {
    if element.alpha != 1 {
      json.raw("\"alpha\":")
      json.double(element.alpha)
    }
    if element.transform != .identity {
      json.raw("\"transform\":")
      json.transform(element.transform)
    }
    if element.anchorPoint != .center {
      json.raw("\"anchorPoint\":")
      json.unitPoint(element.anchorPoint)
    }
  }

  private func writeID(_ element: LayoutAttributes, to json: inout JSONWriter) {
    let path = element.indexPath
    _ = content.sections[path.section].items.withID(of: path.item) { json.string($0) }
  }

  private func writeColumns(_ elements: [LayoutAttributes], to json: inout JSONWriter) {
    json.beginObject()
    json.raw("\"kind\":[")
    for element in elements { json.kind(of: element, in: content) }
    json.endArray()
    json.raw("\"section\":[")
    for element in elements { json.integer(element.indexPath.section) }
    json.endArray()
    json.raw("\"item\":[")
    for element in elements { json.integer(element.indexPath.item) }
    json.endArray()
    let frames = elements.map(frame)
    json.raw("\"x\":[")
    for frame in frames { json.length(frame.minX.millionths) }
    json.endArray()
    json.raw("\"y\":[")
    for frame in frames { json.length(frame.minY.millionths) }
    json.endArray()
    json.raw("\"width\":[")
    for frame in frames { json.length(frame.width.millionths) }
    json.endArray()
    json.raw("\"height\":[")
    for frame in frames { json.length(frame.height.millionths) }
    json.endArray()
    // The rest only where some element has a value that is not its default.
    if elements.contains(where: { $0.zIndex != 0 }) {
      json.raw("\"zIndex\":[")
      for element in elements { json.integer(element.zIndex) }
      json.endArray()
    }
    if elements.contains(where: { $0.alpha != 1 }) {
      json.raw("\"alpha\":[")
      for element in elements { json.double(element.alpha) }
      json.endArray()
    }
    if elements.contains(where: { $0.transform != .identity }) {
      json.raw("\"transform\":[")
      for element in elements { json.transform(element.transform) }
      json.endArray()
    }
    if elements.contains(where: { $0.anchorPoint != .center }) {
      json.raw("\"anchorPoint\":[")
      for element in elements { json.unitPoint(element.anchorPoint) }
      json.endArray()
    }
    if elements.contains(where: hasID) {
      json.raw("\"id\":[")
      for element in elements {
        if hasID(element) { writeID(element, to: &json) } else { json.null() }
      }
      json.endArray()
    }
    json.endObject()
  }
}
