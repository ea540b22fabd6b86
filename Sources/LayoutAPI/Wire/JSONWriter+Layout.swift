import LayoutCore

/// The core's types on the wire.
extension JSONWriter {
  /// A Point.
  mutating func point(_ point: Point) {
    withRoom(texts: 16, numbers: 2) { place in
      place.text("{\"x\":")
      place.length(point.x.millionths)
      place.text(",\"y\":")
      place.length(point.y.millionths)
      place.text("},")
    }
  }

  /// A Size.
  mutating func size(_ size: Size) {
    withRoom(texts: 32, numbers: 2) { place in
      place.text("{\"width\":")
      place.length(size.width.millionths)
      place.text(",\"height\":")
      place.length(size.height.millionths)
      place.text("},")
    }
  }

  /// A cell that nothing but its frame is to be said of.
  mutating func cell(_ path: IndexPath, _ frame: Rect) {
    withRoom(texts: 96, numbers: 6) { $0.cell(path, frame) }
  }

  /// The first of some cells that nothing but their frames is to be said of, rounded to pixels if a
  /// scale is given.
  mutating func cells(_ cells: CellBatch, upTo end: Int, _ displayScale: DisplayScale?) {
    let section = cells.section
    let items = cells.items.extracting(first: end)
    let frames = cells.frames.extracting(first: end)
    withRoom(texts: 96 &* end, numbers: 6 &* end) { place in
      for index in items.indices {
        var frame = frames[index]
        if let displayScale { frame = frame.rounded(toScale: displayScale) }
        place.cell(IndexPath(item: items[index], section: section), frame)
      }
    }
  }

  /// The beginning of a cell's object, up to its index path.
  mutating func beginCell(_ path: IndexPath) {
    withRoom(texts: 40, numbers: 2) { $0.beginCell(path) }
  }

  /// A frame with its key.
  mutating func frame(_ frame: Rect) {
    withRoom(texts: 56, numbers: 4) { place in
      place.frame(frame)
      place.text(",")
    }
  }

  /// An index path: `[section,item]`.
  mutating func indexPath(_ path: IndexPath) {
    withRoom(texts: 8, numbers: 2) { place in
      place.indexPath(path)
      place.text(",")
    }
  }

  /// An index path, or null.
  mutating func indexPath(_ path: IndexPath?) {
    if let path { indexPath(path) } else { null() }
  }

  /// Index ranges.
  mutating func ranges(_ ranges: [ItemRange]) {
    beginArray()
    for range in ranges {
      raw("{\"section\":")
      integer(range.section)
      raw("\"start\":")
      integer(range.start)
      raw("\"end\":")
      integer(range.end)
      endObject()
    }
    endArray()
  }

  /// An element's kind.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - content: Where decorations have their names.
  mutating func kind(of element: ElementIdentity, in content: Content) {
    switch element.kind {
    case .cell: raw("\"cell\",")
    case .header: raw("\"header\",")
    case .footer: raw("\"footer\",")
    case .decoration(let place):
      string(content.sections[element.indexPath.section].decorations[Int(place)].kind)
    }
  }

  /// Elements by their names alone, whatever `format` says.
  ///
  /// - Parameters:
  ///   - elements: The elements.
  ///   - content: Where decorations have their names.
  mutating func identities(_ elements: [ElementIdentity], in content: Content) {
    beginArray()
    for element in elements {
      raw("{\"kind\":")
      kind(of: element, in: content)
      raw("\"indexPath\":")
      indexPath(element.indexPath)
      endObject()
    }
    endArray()
  }

  /// One of many names.
  mutating func string(_ names: StringTable, _ place: Int) {
    string(names.bytes.span.extracting(names.range(of: place)))
  }

  /// A transform: `[a,b,c,d,tx,ty]`.
  mutating func transform(_ transform: AffineTransform) {
    beginArray()
    double(transform.a)
    double(transform.b)
    double(transform.c)
    double(transform.d)
    double(transform.tx)
    double(transform.ty)
    endArray()
  }

  /// A place in a frame.
  mutating func unitPoint(_ point: UnitPoint) {
    raw("{\"x\":")
    double(point.x)
    raw("\"y\":")
    double(point.y)
    endObject()
  }
}

extension JSONWriter.Place {
  @inline(__always)
  fileprivate mutating func cell(_ path: IndexPath, _ frame: Rect) {
    beginCell(path)
    self.frame(frame)
    text("},")
  }

  @inline(__always)
  fileprivate mutating func beginCell(_ path: IndexPath) {
    text("{\"kind\":\"cell\",\"indexPath\":")
    indexPath(path)
    text(",")
  }

  @inline(__always)
  fileprivate mutating func indexPath(_ path: IndexPath) {
    text("[")
    integer(path.section)
    text(",")
    integer(path.item)
    text("]")
  }

  @inline(__always)
  fileprivate mutating func frame(_ frame: Rect) {
    text("\"frame\":{\"x\":")
    length(frame.minX.millionths)
    text(",\"y\":")
    length(frame.minY.millionths)
    text(",\"width\":")
    length(frame.width.millionths)
    text(",\"height\":")
    length(frame.height.millionths)
    text("}")
  }
}
