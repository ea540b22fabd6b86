import HTTPMessages
import Testing

/// Section backgrounds: decoration views.
struct DecorationTests {
  private let sections = """
    {"items":{"count":2},"header":{"width":0,"height":30},"footer":{"width":0,"height":10},
     "sectionInset":{"top":5,"left":5,"bottom":5,"right":5},
     "decorations":[{"kind":"background","insets":{"top":1,"left":2,"bottom":3,"right":4}},
                    {"kind":"edge of \\"it\\""}]},
    {"items":{"count":1}}
    """

  @Test(arguments: [
    ("flow", [2.0, 1, 314, 96]), ("waterfall", [2, 1, 314, 196]), ("list", [2, 1, 314, 134]),
    ("pagedGrid", [2, 1, 314, 476]), ("coverFlow", [2, 1, 114, 476]),
  ])
  func aFrameAroundTheWholeSection(kind: String, expected: [Double]) throws {
    let laidOut = try LaidOut(
      sections, layout: "{\"kind\":\"\(kind)\"}", viewport: #"{"width":320,"height":480}"#,
      rect: everywhere)
    let background = laidOut["background 0 0"]
    #expect(background?.frame == expected)
    #expect(background?.zIndex == -1)
    // After the footer, in their order, before the next section.
    let names = laidOut.names
    let place = names.firstIndex(of: "background 0 0") ?? 0
    #expect(names[place + 1] == "edge of \"it\" 0 0")
    #expect(
      names[place - 1]
        == (["flow", "waterfall", "list"].contains(kind) ? "footer 0 0" : "cell 0 1"))
    #expect(names.last == "cell 1 0")
  }

  @Test func layoutsWithoutSectionsHaveNone() throws {
    for kind in ["wheel", "banner"] {
      let laidOut = try LaidOut(
        sections, layout: "{\"kind\":\"\(kind)\"}", viewport: #"{"width":320,"height":480}"#,
        rect: everywhere)
      #expect(laidOut.names.sorted() == ["cell 0 0", "cell 0 1", "cell 1 0"])
    }
  }

  @Test func aDecorationIsFoundByItsName() throws {
    let service = MockService()
    let session = try service.makeSession(
      """
      {"collection":{"sections":[\(sections)]},"layout":{"kind":"list"},
       "viewport":{"width":320,"height":480}}
      """)
    let path = session + "/attributes/edge%20of%20%22it%22/0/0"
    #expect(
      service.send(.get, path)?.text("attributes")
        == #"{"frame":{"height":138,"width":320,"x":0,"y":0},"indexPath":[0,0],"kind":"edge of \"it\"","zIndex":-1}"#
    )
    #expect(service.send(.get, session + "/attributes/background/0/1")?.status == 404)
    #expect(service.send(.get, session + "/attributes/background/1/0")?.status == 404)
    #expect(service.send(.get, session + "/attributes/b%zz/0/0")?.status == 404)
    // What is behind everything is never in the way.
    #expect(service.send(.get, session + "/item-at?x=10&y=40")?.text("indexPath") == "[0,0]")
    let page = service.send(.get, session + "/attributes?limit=5")
    #expect(page?["next"] != nil)
    let rest = service.send(.get, session + "/attributes?cursor=\(page?["next"] ?? "")")
    #expect((rest?["attributes"] as? [Any])?.count == 2)
  }

  @Test func insetsThatLeaveNothingLeaveItInsideTheSection() throws {
    let service = MockService()
    let session = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":2},"decorations":[
         {"kind":"a","insets":{"top":500,"left":500}},
         {"kind":"b","insets":{"bottom":500,"right":500}}]}]},
       "layout":{"kind":"list"},"viewport":{"width":320,"height":480}}
      """)
    func frame(_ kind: String) -> String? {
      let answer = service.send(.get, session + "/attributes/\(kind)/0/0")
      return (answer?["attributes"] as? [String: Any])?["frame"].map(canonicalJSON)
    }
    #expect(frame("a") == #"{"height":0,"width":0,"x":320,"y":88}"#)
    #expect(frame("b") == #"{"height":0,"width":0,"x":0,"y":0}"#)
  }

  @Test(arguments: [
    (#"[{"kind":"cell"}]"#, "/collection/sections/0/decorations/0/kind"),
    (#"[{"kind":""}]"#, "/collection/sections/0/decorations/0/kind"),
    (#"[{"kind":"a"},{"kind":"a"}]"#, "/collection/sections/0/decorations/1/kind"),
    (#"[{}]"#, "/collection/sections/0/decorations/0"),
    (#"[{"kind":"a","inset":{}}]"#, "/collection/sections/0/decorations/0/inset"),
  ])
  func aWrongDecorationIsRefused(decorations: String, pointer: String) throws {
    let answer = MockService().send(
      .post, "/v1/layout",
      """
      {"collection":{"sections":[{"decorations":\(decorations)}]},"layout":{"kind":"flow"},
       "viewport":{"width":320,"height":480}}
      """)
    #expect(answer?.status == 422)
    #expect(answer?["pointer"] as? String == pointer)
  }

  @Test(arguments: [(100, 200), (101, 422), (300, 422)])
  func aSectionHasAHundredDecorations(count: Int, status: Int) {
    let decorations = (0..<count).map { "{\"kind\":\"d\($0)\"}" }.joined(separator: ",")
    let answer = MockService().send(
      .post, "/v1/layout",
      """
      {"collection":{"sections":[{"items":{"count":1},"decorations":[\(decorations)]}]},
       "layout":{"kind":"list"},"viewport":{"width":320,"height":480}}
      """)
    #expect(answer?.status == status)
    if status == 422 {
      #expect(answer?["pointer"] as? String == "/collection/sections/0/decorations")
    }
  }
}
