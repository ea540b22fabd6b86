import Foundation
import HTTPMessages
import LayoutAPI
import Testing

/// `POST /v1/layout` about several viewports, and as a style sheet.
struct ViewportsTests {
  private let service = MockService()

  private static func body(_ viewports: String, layout: String, more: String = "") -> String {
    """
    {"collection":{"sections":[{"items":{"aspectRatios":[0.7,1.5,1,1.2,0.4,2]},
     "header":{"width":0,"height":40},"decorations":[{"kind":"</style>\\"\\\\"}]}]},
     "layout":\(layout),\(viewports)\(more)}
    """
  }

  private static let layouts = [
    #"{"kind":"waterfall","minimumColumnWidth":120}"#, #"{"kind":"flow"}"#, #"{"kind":"list"}"#,
    #"{"kind":"coverFlow","itemSize":{"width":100,"height":90}}"#, #"{"kind":"wheel"}"#,
    #"{"kind":"banner","itemSize":{"width":200,"height":90}}"#, #"{"kind":"pagedGrid"}"#,
    #"{"kind":"waterfall","scrollDirection":"horizontal"}"#,
    #"{"kind":"flow","scrollDirection":"horizontal"}"#,
  ]

  private static let viewports = [
    #"{"width":900,"height":500,"displayScale":3}"#, #"{"width":320,"height":480}"#,
    #"{"width":600.5,"height":700,"contentOffset":{"x":0,"y":11}}"#,
  ]

  @Test(arguments: layouts)
  func eachViewportIsAnsweredAsIfAlone(layout: String) throws {
    // And as broad as the one before, or as high, or but for the scale the same.
    let viewports =
      Self.viewports + [
        #"{"width":600.5,"height":300}"#, #"{"width":250,"height":300}"#,
        #"{"width":250,"height":300,"displayScale":2}"#,
        #"{"width":250,"height":400,"displayScale":2}"#,
      ]
    let more = #","snap":{"velocity":{"x":0,"y":100},"contentOffset":{"x":0,"y":9}}"#
    let several = try #require(
      service.send(
        .post, "/v1/layout",
        Self.body(
          "\"viewports\":[\(viewports.joined(separator: ","))]", layout: layout, more: more)))
    #expect(several.status == 200)
    let answers = try #require(several["viewports"] as? [Any])
    #expect(answers.count == viewports.count)
    for (viewport, answer) in zip(viewports, answers) {
      let alone = try #require(
        service.send(
          .post, "/v1/layout", Self.body("\"viewport\":\(viewport)", layout: layout, more: more)))
      #expect(canonicalJSON(answer) == alone.text)
    }
  }

  @Test(arguments: [
    (#""viewports":[]"#, "/viewports"),
    (#""viewports":[{"width":1,"height":1}],"viewport":{"width":1,"height":1}"#, "/viewport"),
    (#""viewports":[{"width":1,"height":1},{"width":0,"height":1}]"#, "/viewports/1/width"),
    (#""viewports":{"width":1,"height":1}"#, "/viewports"),
    (
      "\"viewports\":["
        + Array(repeating: #"{"width":1,"height":1}"#, count: 33).joined(separator: ",") + "]",
      "/viewports"
    ),
  ])
  func whatIsWrongWithThemIsNamed(viewports: String, pointer: String) throws {
    let answer = try #require(
      service.send(.post, "/v1/layout", Self.body(viewports, layout: Self.layouts[1])))
    #expect(answer.status == 422)
    #expect(answer["pointer"] as? String == pointer)
  }

  /// The layout is what has to be changed, and a viewport is what it does not do for.
  @Test func theViewportIsNamedThatALayoutDoesNotDoFor() throws {
    let layout = #"{"kind":"waterfall","minimumColumnWidth":1,"minimumColumnSpacing":0}"#
    func answer(_ viewports: String) throws -> Answer {
      try #require(service.send(.post, "/v1/layout", Self.body(viewports, layout: layout)))
    }
    let answers = try [
      #""viewports":[{"width":100,"height":1},{"width":20000,"height":1}]"#,
      #""viewport":{"width":20000,"height":1}"#,
    ].map(answer)
    let detail = "section 0 would have more than 10000 columns"
    for (answer, start) in zip(answers, ["in /viewports/1: ", ""]) {
      #expect(answer.status == 422)
      #expect(answer["detail"] as? String == start + detail)
      #expect(answer["pointer"] as? String == "/layout/minimumColumnWidth")
    }
  }

  @Test func allTogetherShowNoMoreThanOneAnswerMayHold() throws {
    let service = MockService(limits: ServiceLimits(elementCount: 10))
    func answer(_ viewports: String) -> Answer? {
      service.send(
        .post, "/v1/layout",
        """
        {"collection":{"sections":[{"items":{"count":100}}]},"layout":{"kind":"list"},
         "prefetch":{"ahead":0},"viewports":[\(viewports)]}
        """)
    }
    // Five rows of 44 each.
    let one = #"{"width":9,"height":220}"#
    #expect(answer("\(one),\(one)")?.status == 200)
    let refusal = answer("\(one),\(one),{\"width\":9,\"height\":1}")
    #expect(refusal?.status == 422)
    // Not what the viewports before have left of it.
    #expect((refusal?["detail"] as? String)?.hasPrefix("more than 10 elements") == true)
  }

  @Test func asSessionHasOneViewport() throws {
    let answer = try #require(
      service.send(
        .post, "/v1/sessions",
        Self.body(#""viewports":[{"width":1,"height":1}]"#, layout: Self.layouts[1])))
    #expect(answer.status == 422)
  }

  @Test func theLimitIsForAllTogether() throws {
    let limited = MockService(limits: ServiceLimits(elementCount: 10))
    let one = Self.body(#""viewports":[{"width":320,"height":900}]"#, layout: Self.layouts[1])
    let two = Self.body(
      #""viewports":[{"width":320,"height":900},{"width":500,"height":900}]"#,
      layout: Self.layouts[1])
    #expect(limited.send(.post, "/v1/layout", one)?.status == 200)
    #expect(limited.send(.post, "/v1/layout", two)?.status == 422)
  }

  // MARK: Style sheets

  private func sheet(_ viewports: String, layout: String, query: String = "") throws -> String {
    let answer = try #require(
      service.send(
        .post, "/v1/layout?format=css\(query)",
        Self.body("\"viewports\":[\(viewports)]", layout: layout), accept: "text/css"))
    #expect(answer.status == 200)
    #expect(answer.fields["Content-Type"] == "text/css; charset=utf-8")
    return String(decoding: answer.bytes, as: UTF8.self)
  }

  @Test(arguments: layouts)
  func aStyleSheetSaysWhatTheAnswersSay(layout: String) throws {
    let text = try sheet(Self.viewports.joined(separator: ","), layout: layout)
    // By width: a query has what is between the braces of its own.
    let blocks = text.components(separatedBy: "@media ").dropFirst()
    #expect(
      blocks.map { $0.prefix { $0 != "{" } } == [
        "(width<600.5px)", "(width>=600.5px) and (width<900px)", "(width>=900px)",
      ])
    for (block, place) in zip(blocks, [1, 2, 0]) {
      let answer = try #require(
        service.send(
          .post, "/v1/layout",
          Self.body("\"viewport\":\(Self.viewports[place])", layout: layout)))
      let elements = try #require(answer["attributes"] as? [[String: Any]])
      #expect(block.components(separatedBy: "visibility:visible").count == elements.count + 1)
      for element in elements {
        let path = try #require(element["indexPath"] as? [Int])
        let frame = try #require(element["frame"] as? [String: Double])
        let kind = element["kind"] as? String ?? ""
        let name = kind.hasPrefix("<") ? #""\3c /style>\22 \5c ""# : kind
        let rule = try #require(
          block.split(separator: "\n").first {
            $0.contains("[data-kind=\(name)][data-index-path=\"\(path[0]),\(path[1])\"]")
          }, "\(kind) \(path)")
        for (member, property) in [
          ("x", "left"), ("y", "top"), ("width", "width"), ("height", "height"),
        ] {
          #expect(number(after: ";\(property):", in: rule) == frame[member])
        }
        let zIndex = element["zIndex"] as? Double
        let isDecoration = !["cell", "header", "footer"].contains(kind)
        #expect(
          number(after: ";z-index:", in: rule) == (isDecoration ? (zIndex ?? 0) - 2e9 : zIndex))
        // No layout has any but opaque elements.
        #expect(element["alpha"] == nil && !rule.contains("opacity"))
        let matrix = rule.components(separatedBy: "matrix(").dropFirst().first?
          .prefix { $0 != ")" }.split(separator: ",").compactMap { Double($0) }
        #expect(areEqual(matrix, numbers(element["transform"])))
        let origin = element["anchorPoint"] as? [String: Double] ?? ["x": 0.5, "y": 0.5]
        if matrix != nil {
          let found = rule.components(separatedBy: "transform-origin:").dropFirst().first?
            .split(separator: " ").prefix(2)
            .compactMap { Double($0.prefix { "-.0123456789e".contains($0) }) }
          #expect(areEqual(found, ["x", "y"].map { (origin[$0] ?? 0.5) * 100 }))
        }
      }
    }
    #expect(!text.contains("</style"))
  }

  /// In each of another breadth all items are placed anew.
  @Test func theViewportsHaveNoMoreThanSoManyItemsPlaced() throws {
    let lengths = String(repeating: "1,", count: 699_999) + "1"
    func refusal(of widths: [Int]) -> Answer? {
      let viewports = widths.map { "{\"width\":\($0),\"height\":1}" }.joined(separator: ",")
      return service.send(
        .post, "/v1/layout",
        """
        {"collection":{"sections":[{"items":{"lengths":[\(lengths)]}}]},"layout":{"kind":"list"},
         "viewports":[\(viewports)]}
        """)
    }
    let refused = refusal(of: Array(1...32))
    #expect(refused?.status == 422)
    #expect(refused?["pointer"] as? String == "/viewports")
    #expect(refusal(of: Array(repeating: 5, count: 32))?.status == 200)
  }

  /// As nearly as Foundation reads doubles: it is off by an ulp now and then.
  private func areEqual(_ one: [Double]?, _ other: [Double]?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) < 1e-12 }
  }

  private func numbers(_ value: Any?) -> [Double]? {
    (value as? [Any])?.compactMap { ($0 as? NSNumber)?.doubleValue }
  }

  private func number(after property: String, in rule: Substring) -> Double? {
    rule.components(separatedBy: property).dropFirst().first
      .flatMap { Double($0.prefix { "-.0123456789e".contains($0) }) }
  }

  @Test func oneViewportNeedsNoQuery() throws {
    let text = try sheet(Self.viewports[1], layout: Self.layouts[2])
    #expect(!text.contains("@media"))
    #expect(text.contains(".collection-view{width:320px;height:"))
  }

  @Test func ofSeveralAsWideTheLastCounts() throws {
    let text = try sheet(
      #"{"width":320,"height":10},{"width":320,"height":480},{"width":400,"height":9}"#,
      layout: Self.layouts[2])
    #expect(text.components(separatedBy: "@media").count == 3)
    #expect(text.contains("@media (width<400px){"))
  }

  @Test func theSelectorIsANameAndNothingElse() throws {
    let text = try sheet(Self.viewports[1], layout: Self.layouts[2], query: "&selector=%23photos")
    #expect(text.hasPrefix("#photos{position:relative;isolation:isolate;"))
    for selector in ["a%7Bb", "..a", "%23%23a", ".1a", "", "a%20b", "a,b", ".", "*", "%3C"] {
      let answer = service.send(
        .post, "/v1/layout?format=css&selector=\(selector)",
        Self.body("\"viewport\":\(Self.viewports[1])", layout: Self.layouts[2]))
      #expect(answer?.status == 400, "\(selector)")
    }
    for (count, status) in [(64, 200), (65, 400)] {
      let name = String(repeating: "a", count: count)
      let answer = service.send(
        .post, "/v1/layout?format=css&selector=.\(name)",
        Self.body("\"viewport\":\(Self.viewports[1])", layout: Self.layouts[2]))
      #expect(answer?.status == status)
    }
    let answer = service.send(
      .post, "/v1/layout?selector=.a",
      Self.body("\"viewport\":\(Self.viewports[1])", layout: Self.layouts[2]))
    #expect(answer?.status == 200)
  }

  @Test func whoTakesNoStyleSheetGetsNone() {
    let body = Self.body("\"viewport\":\(Self.viewports[1])", layout: Self.layouts[2])
    #expect(
      service.send(.post, "/v1/layout?format=css", body, accept: "application/json")?.status == 406)
    #expect(service.send(.post, "/v1/layout", body, accept: "text/css")?.status == 406)
  }

  @Test func aDragBeginsWhereItsOwnViewportIs() throws {
    let answer = try #require(
      service.send(
        .post, "/v1/layout",
        """
        {"collection":{"sections":[{"items":{"count":100}}]},"layout":{"kind":"list","snap":{"mode":"page"}},
         "viewports":[{"width":9,"height":100},{"width":9,"height":100,"contentOffset":{"x":0,"y":500}}],
         "snap":{"proposedContentOffset":{"x":0,"y":2000},"velocity":{"x":0,"y":1}}}
        """))
    let snaps = (answer["viewports"] as? [[String: Any]])?.map { canonicalJSON($0["snap"] ?? 0) }
    #expect(
      snaps?.first?.contains(#""y":100}"#) == true && snaps?.last?.contains(#""y":600}"#) == true)
  }
}
