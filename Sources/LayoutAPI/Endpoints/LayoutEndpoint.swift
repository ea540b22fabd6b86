import HTTPMessages
import LayoutCore

/// `POST /v1/layout`: a question and its answer, without a session.
extension Call {
  func layOut() throws(Failure) -> HTTPResponse {
    let query = try query(.format, .selector)
    let format = try query.choice(.format, of: LayoutAnswerFormat.self) ?? .objects
    let selector = try query.selector()
    try checkAccept(format == .css ? "text/css" : "application/json")
    let limits = contentLimits
    let request = try body { (value) throws(JSONError) in
      try LayoutRequest(value, limits: limits)
    }
    // In each viewport the nearest item may have to be looked for.
    if request.drags.contains(where: { $0 != nil }) {
      try checkSearchesFew(request.description.content)
      guard mayTakeLong || request.viewports.count == 1 else { throw .takesLong }
    }
    let elementLimit = elementLimit(about: request.description.content)
    var remaining = elementLimit
    var answers: [LayoutAnswer] = []
    var layout: PreparedLayout?
    var placedCount = 0
    for index in request.viewports.indices {
      let description = request.description
      if let layout,
        !layout.isAsBroad(in: request.viewports[index].viewport, under: description.layout)
      {
        placedCount += description.content.describedItemCount
      }
      guard placedCount <= WaterfallLayout.maximumMixedCount else {
        throw .problem(
          Problem(
            .invalid,
            "the viewports would have more than \(WaterfallLayout.maximumMixedCount) items placed; ask for fewer at once",
            pointer: "/viewports"))
      }
      do throws(Failure) {
        answers.append(try answer(request, index, &layout, limit: remaining))
      } catch .layout(.tooManyElements) {
        // The limit is for all together, whatever those before have left of it.
        throw .layout(.tooManyElements(limit: elementLimit))
      } catch .layout(let error) where request.asksForSeveral {
        var problem = Problem(error)
        problem.detail = "in /viewports/\(index): \(problem.detail)"
        throw .problem(problem)
      }
      remaining -= answers[index].elements.count
    }
    let response =
      switch format {
      case .css:
        HTTPResponse(
          status: .ok,
          content: HTTPContent(
            StyleSheet(answers, selector: selector).finish(), type: "text/css; charset=utf-8"))
      case .objects: self.json(json(of: answers, to: request, .objects))
      case .columns: self.json(json(of: answers, to: request, .columns))
      }
    return response.changingNothing
  }

  /// The answers in JSON: one, or a list where there may be several.
  private func json(
    of answers: [LayoutAnswer], to request: LayoutRequest, _ shape: AttributesFormat.Shape
  ) -> JSONWriter {
    var json = JSONWriter(capacity: 256 + answers.reduce(0) { $0 + $1.elements.count } * 128)
    if request.asksForSeveral { json.raw("{\"viewports\":[") }
    for answer in answers { json.layoutAnswer(answer, shape) }
    if request.asksForSeveral {
      json.endArray()
      json.endObject()
    }
    return json
  }

  /// The answer for one of the viewports.
  ///
  /// `known` is the layout in the one before, of which most is kept where lines are as broad; then the one in this.
  private func answer(
    _ request: LayoutRequest, _ index: Int, _ known: inout PreparedLayout?, limit: Int
  ) throws(Failure) -> LayoutAnswer {
    var description = request.description
    (description.viewport, description.contentOffset) = request.viewports[index]
    let offset = description.contentOffset
    let layout = try prepare(description, resizing: known)
    known = layout
    var scrolling = ScrollState(contentOffset: offset)
    let (tick, elements) = try layingOut { () throws(LayoutError) in
      let tick = try scrolling.scroll(
        to: offset, in: layout, prefetch: description.prefetch, isFull: true, limit: limit)
      guard let rect = request.rect else { return (tick, tick.appeared) }
      return (tick, try layout.elements(in: rect, contentOffset: offset, limit: limit))
    }
    return LayoutAnswer(
      description: description, contentSize: layout.contentSize, elements: elements,
      snap: request.drags[index].map {
        layout.snapTarget(
          for: $0, mode: description.snap.mode, decelerationRate: description.snap.decelerationRate)
      },
      prefetch: tick.prefetch)
  }
}

/// `format` in the query of `POST /v1/layout`.
private enum LayoutAnswerFormat: String, CaseIterable {
  case objects, columns, css
}

extension QueryParameters {
  /// What the rules of a style sheet begin with.
  fileprivate func selector() throws(Failure) -> String {
    guard let text = text(.selector) else { return ".collection-view" }
    // A class, an id or an element: nothing that could end the selector or begin another rule.
    let name = text.utf8.drop { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "#") }
    let isName = name.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) }
    let startsWithDigit = name.first.map { $0 < UInt8(ascii: "A") } ?? true
    guard isName, !startsWithDigit, text.utf8.count - name.count <= 1, name.count <= 64 else {
      throw .query("the parameter selector takes .CLASS, #ID or ELEMENT, not \"\(text)\"")
    }
    return text
  }
}

/// The body of `POST /v1/layout`.
private struct LayoutRequest {
  /// In the first of the viewports.
  var description: Description
  var viewports: [(viewport: Viewport, contentOffset: Point)]
  /// Whether they came as several, be it one.
  var asksForSeveral: Bool
  var rect: Rect?
  /// The end of the drag in each of the viewports.
  var drags: [DragEnd?]

  init(_ value: JSONValue, limits: ContentLimits) throws(JSONError) {
    let object = try JSONObject<DescriptionMember>(value)
    description = try object.description(limits: limits)
    viewports = try object.viewports()
    asksForSeveral = object.members.contains(.viewports)
    rect = try object[.rect]?.rect()
    drags = []
    for (_, offset) in viewports {
      drags.append(try object[.snap]?.dragEnd(lastOffset: offset))
    }
  }
}

extension JSONWriter {
  /// The answer for one viewport.
  fileprivate mutating func layoutAnswer(_ answer: LayoutAnswer, _ shape: AttributesFormat.Shape) {
    beginObject()
    raw("\"contentSize\":")
    size(answer.contentSize)
    raw("\"attributes\":")
    AttributesFormat(
      shape: shape, content: answer.description.content,
      displayScale: answer.description.viewport.displayScale
    ).write(answer.elements, to: &self)
    if let snap = answer.snap {
      raw("\"snap\":")
      snapTarget(snap)
    }
    raw("\"prefetch\":")
    ranges(answer.prefetch)
    endObject()
  }

  /// Where a drag comes to rest.
  mutating func snapTarget(_ target: SnapTarget, version: Int? = nil) {
    beginObject()
    if let version {
      self.version(version)
    }
    raw("\"targetContentOffset\":")
    point(target.contentOffset)
    raw("\"indexPath\":")
    indexPath(target.indexPath)
    if let duration = target.duration {
      raw("\"duration\":")
      double(duration)
    }
    endObject()
  }
}
