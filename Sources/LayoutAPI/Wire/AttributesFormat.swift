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
  /// Pixels per point, to which frames are rounded; nil for none.
  var displayScale: DisplayScale?

  /// The names of cells; neighbours mostly are in one run of items, which is looked up once.
  private struct Names {
    /// Whether some items have names.
    let areGiven: Bool
    private let content: Content
    private var section = -1
    private var run: (items: Items, start: Int)?

    init(_ content: Content) {
      self.content = content
      areGiven = content.hasIDs
    }

    /// Writes the name of an element; returns whether it has one.
    mutating func write(_ element: LayoutAttributes, to json: inout JSONWriter) -> Bool {
      guard let (ids, place) = ids(of: element) else { return false }
      json.string(ids.bytes.span.extracting(ids.range(of: place)))
      return true
    }

    mutating func ids(of element: LayoutAttributes) -> (ids: StringTable, place: Int)? {
      guard element.kind == .cell, areGiven else { return nil }
      let path = element.indexPath
      if path.section != section || !isInRun(path.item) {
        section = path.section
        run = content.sections[path.section].items.run(with: path.item)
      }
      guard let run, let ids = run.items.ids else { return nil }
      return (ids, path.item - run.start)
    }

    private func isInRun(_ item: Int) -> Bool {
      guard let run else { return false }
      return item >= run.start && item < run.start + run.items.count
    }
  }

  private func frame(_ element: LayoutAttributes) -> Rect {
    displayScale.map { element.frame.rounded(toScale: $0) } ?? element.frame
  }

  /// Writes elements.
  func write(_ elements: [LayoutAttributes], to json: inout JSONWriter) {
    switch shape {
    case .objects:
      json.beginArray()
      // As most of a slow scroll's ticks: then nobody need know how items are named.
      if !elements.isEmpty {
        var names = Names(content)
        for element in elements { write(element, &names, to: &json) }
      }
      json.endArray()
    case .columns: writeColumns(elements, to: &json)
    }
  }

  /// Elements that are written as they come; parallel arrays only when all are there.
  struct Sequence {
    private let format: AttributesFormat
    private var names: Names
    private var elements: [LayoutAttributes] = []

    init(_ format: AttributesFormat) {
      self.format = format
      names = Names(format.content)
    }

    func begin(_ json: inout JSONWriter) {
      if format.shape == .objects { json.beginArray() }
    }

    mutating func append(_ element: LayoutAttributes, to json: inout JSONWriter) {
      switch format.shape {
      case .objects: format.write(element, &names, to: &json)
      case .columns: elements.append(element)
      }
    }

    /// Appends cells up to a place.
    mutating func append(
      _ cells: borrowing CellBatch, upTo end: Int, to json: inout JSONWriter
    ) {
      if format.shape == .objects, !names.areGiven {
        json.cells(cells, upTo: end, format.displayScale)
      } else {
        for place in 0..<end { append(cells.attributes(place), to: &json) }
      }
    }

    func end(_ json: inout JSONWriter) {
      switch format.shape {
      case .objects: json.endArray()
      case .columns: format.writeColumns(elements, to: &json)
      }
    }
  }

  /// Writes one element as an object; members that have their default are left out.
  func write(_ element: LayoutAttributes, to json: inout JSONWriter) {
    var names = Names(content)
    write(element, &names, to: &json)
  }

  private func write(
    _ element: LayoutAttributes, _ names: inout Names, to json: inout JSONWriter
  ) {
    if element.kind == .cell {
      if !names.areGiven, element.zIndex == 0, element.isPlain {
        json.cell(element.indexPath, frame(element))
        return
      }
      json.beginCell(element.indexPath)
    } else {
      json.raw("{\"kind\":")
      json.kind(of: element.identity, in: content)
      json.raw("\"indexPath\":")
      json.indexPath(element.indexPath)
    }
    if names.ids(of: element) != nil {
      json.raw("\"id\":")
      _ = names.write(element, to: &json)
    }
    json.frame(frame(element))
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

  private func writeColumns(_ elements: [LayoutAttributes], to json: inout JSONWriter) {
    json.beginObject()
    json.raw("\"kind\":[")
    for element in elements { json.kind(of: element.identity, in: content) }
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
    var names = Names(content)
    if elements.contains(where: { names.ids(of: $0) != nil }) {
      json.raw("\"id\":[")
      for element in elements where !names.write(element, to: &json) { json.null() }
      json.endArray()
    }
    json.endObject()
  }
}
