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

    /// The name of an element: the table and the place there; nil if it has none.
    mutating func name(of element: LayoutAttributes) -> (ids: StringTable, place: Int)? {
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

  /// Writes elements.
  func write(_ elements: [LayoutAttributes], to json: inout JSONWriter) {
    switch shape {
    case .objects:
      json.beginArray()
      // As most lists of a slow scroll: then nobody need know how items are named.
      if !elements.isEmpty {
        var names = Names(content)
        for element in elements { write(element, &names, to: &json) }
      }
      json.endArray()
    case .columns: writeColumns(elements, to: &json)
    }
  }

  /// About how many bytes an answer takes while some elements are written to it, one batch after the other: a
  /// batch looks for more room than it takes, and what has to grow is copied.
  static func byteCount(writing elementCount: Int) -> Int { 4096 + elementCount * 112 }

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
      _ cells: CellBatch, upTo end: Int, to json: inout JSONWriter
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

  /// Writes one element: an object, in which members that have their default are left out, or arrays of one.
  func write(_ element: LayoutAttributes, to json: inout JSONWriter) {
    guard shape == .objects else { return writeColumns([element], to: &json) }
    var names = Names(content)
    write(element, &names, to: &json)
  }

  private func write(
    _ element: LayoutAttributes, _ names: inout Names, to json: inout JSONWriter
  ) {
    if element.kind == .cell {
      if !names.areGiven, element.zIndex == 0, element.isPlain {
        json.cell(element.indexPath, element.frame(at: displayScale))
        return
      }
      json.beginCell(element.indexPath)
    } else {
      json.raw("{\"kind\":")
      json.kind(of: element.identity, in: content)
      json.raw("\"indexPath\":")
      json.indexPath(element.indexPath)
    }
    if let name = names.name(of: element) {
      json.raw("\"id\":")
      json.string(name.ids, name.place)
    }
    json.frame(element.frame(at: displayScale))
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
    let frames = elements.map { $0.frame(at: displayScale) }
    json.beginObject()
    json.column("\"kind\":[", elements) { $0.kind(of: $1.identity, in: content) }
    json.column("\"section\":[", elements) { $0.integer($1.indexPath.section) }
    json.column("\"item\":[", elements) { $0.integer($1.indexPath.item) }
    json.column("\"x\":[", frames) { $0.length($1.minX.millionths) }
    json.column("\"y\":[", frames) { $0.length($1.minY.millionths) }
    json.column("\"width\":[", frames) { $0.length($1.width.millionths) }
    json.column("\"height\":[", frames) { $0.length($1.height.millionths) }
    // The rest only where some element has a value that is not its default.
    if elements.contains(where: { $0.zIndex != 0 }) {
      json.column("\"zIndex\":[", elements) { $0.integer($1.zIndex) }
    }
    if elements.contains(where: { $0.alpha != 1 }) {
      json.column("\"alpha\":[", elements) { $0.double($1.alpha) }
    }
    if elements.contains(where: { $0.transform != .identity }) {
      json.column("\"transform\":[", elements) { $0.transform($1.transform) }
    }
    if elements.contains(where: { $0.anchorPoint != .center }) {
      json.column("\"anchorPoint\":[", elements) { $0.unitPoint($1.anchorPoint) }
    }
    var names = Names(content)
    if elements.contains(where: { names.name(of: $0) != nil }) {
      json.column("\"id\":[", elements) { json, element in
        if let name = names.name(of: element) {
          json.string(name.ids, name.place)
        } else {
          json.null()
        }
      }
    }
    json.endObject()
  }
}

extension JSONWriter {
  /// One of parallel arrays; `start` is its key and its bracket.
  @inline(__always)
  fileprivate mutating func column<Value>(
    _ start: StaticString, _ values: [Value], _ write: (inout JSONWriter, Value) -> Void
  ) {
    raw(start)
    for value in values { write(&self, value) }
    endArray()
  }
}

extension LayoutAttributes {
  /// The frame as answers have it.
  ///
  /// - Parameter scale: The viewport's pixels per point, to which it is rounded; nil for none.
  /// - Returns: The frame.
  func frame(at scale: DisplayScale?) -> Rect {
    scale.map { frame.rounded(toScale: $0) } ?? frame
  }
}
