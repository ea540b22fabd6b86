import Foundation
import HTTPMessages
import LayoutAPI
import Testing

struct CollectionTests {
  /// Five named items of 50 in two sections, all of them in view.
  private let twoSections = """
    {"collection":{"sections":[
       {"id":"A","items":{"ids":["a","b","c"]}},{"id":"B","items":{"ids":["d","e"]}}]},
     "layout":{"kind":"list","itemLength":50},"viewport":{"width":100,"height":400}}
    """

  /// Nobody knows how long questions about another collection take, until some have been quick.
  @Test func aLongCollectionIsLeftToWorkersAtFirst() throws {
    let service = MockService()
    let path = try service.makeSession(twoSections)
    let body = #"{"collection":{"sections":[{"items":{"lengths":[\#(longLengths)]}}]}}"#
    #expect(service.send(.put, path + "/collection", body)?.status == 200)
    let question = path + "/item-at?x=1&y=1"
    #expect(service.send(.get, question, mayTakeLong: false) == nil)
    for _ in 0..<64 { _ = service.send(.get, question) }
    #expect(service.send(.get, question, mayTakeLong: false)?.status == 200)
  }

  @Test func namedItemsAreFoundAgainWhereverTheyAre() throws {
    let service = MockService()
    let path = try service.makeSession(twoSections)
    let answer = try #require(
      service.send(
        .put, path + "/collection",
        #"""
        {"collection":{"sections":[
           {"id":"A","items":{"ids":["c","a","f"]}},{"id":"B","items":{"ids":["e","b"]}}]}}
        """#))
    #expect(answer.status == 200)
    #expect(answer["version"] as? Int == 2)
    #expect(answer.text("sections") == #"[{"itemCount":3},{"itemCount":2}]"#)
    #expect(answer.text("contentSize") == #"{"height":250,"width":100}"#)
    #expect(answer.text("contentOffset") == #"{"x":0,"y":0}"#)
    #expect(
      answer.text("appearing")
        == "[\(change(cell([0, 2], id: "f", y: 100, alpha: 0), cell([0, 2], id: "f", y: 100)))]")
    #expect(
      answer.text("disappearing")
        == "[\(change(cell([1, 0], id: "d", y: 150), cell([1, 0], id: "d", y: 150, alpha: 0)))]")
    #expect(
      answer.text("moving") == """
        [\(moved([0, 2], [0, 0], cell([0, 2], id: "c", y: 100), cell([0, 0], id: "c", y: 0))),\
        \(moved([0, 0], [0, 1], cell([0, 0], id: "a", y: 0), cell([0, 1], id: "a", y: 50))),\
        \(moved([1, 1], [1, 0], cell([1, 1], id: "e", y: 200), cell([1, 0], id: "e", y: 150))),\
        \(moved([0, 1], [1, 1], cell([0, 1], id: "b", y: 50), cell([1, 1], id: "b", y: 200)))]
        """)
    #expect(service.names(in: path, sectionCount: 2) == [["c", "a", "f"], ["e", "b"]])
    #expect(service.tick(path, y: 0)?.isQuietTick == true)

    // The names there are now are known to what follows.
    func insert(_ name: String) -> Int? {
      service.send(
        .post, path + "/updates",
        "{\"insertItems\":[{\"section\":0,\"at\":0,\"items\":{\"ids\":[\"\(name)\"]}}]}")?.status
    }
    #expect(insert("f") == 409)
    #expect(insert("d") == 200)
  }

  /// What it answers to replace the sections of a list by others.
  private func answer(replacing old: String, by new: String) throws -> Answer {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[\(old)]},
       "layout":{"kind":"list","itemLength":50},"viewport":{"width":100,"height":400}}
      """)
    return try #require(
      service.send(.put, path + "/collection", #"{"collection":{"sections":[\#(new)]}}"#))
  }

  @Test func sectionsGoTogetherByTheirNames() throws {
    let a = #"{"id":"A","items":{"ids":["a"]},"header":{"width":0,"height":20}}"#
    let b = #"{"id":"B","items":{"ids":["b"]},"header":{"width":0,"height":30}}"#
    let answer = try answer(replacing: "\(a),\(b)", by: "\(b),\(a)")
    #expect(answer.text("appearing") == "[]")
    #expect(answer.text("disappearing") == "[]")
    // A: header 0 … 20, a 20 … 70; B: header 70 … 100, b 100 … 150. Then B first: 0, 30, 80, 100.
    #expect(
      answer.text("moving") == """
        [\(moved([1, 0], [0, 0], element("header", [1, 0], y: 70, height: 30),
        element("header", [0, 0], y: 0, height: 30))),\
        \(moved([1, 0], [0, 0], cell([1, 0], id: "b", y: 100), cell([0, 0], id: "b", y: 30))),\
        \(moved([0, 0], [1, 0], element("header", [0, 0], y: 0, height: 20),
        element("header", [1, 0], y: 80, height: 20))),\
        \(moved([0, 0], [1, 0], cell([0, 0], id: "a", y: 20), cell([1, 0], id: "a", y: 100)))]
        """)
  }

  /// A name that is elsewhere now is not taken from there by a section without one that has come to its place.
  @Test func aSectionWithoutANameDoesNotTakeTheOneOfAnother() throws {
    let named = #"{"id":"A","items":{"ids":["a"]},"header":{"width":0,"height":20}}"#
    let other = #"{"items":{"ids":["b"]},"header":{"width":0,"height":30}}"#
    let answer = try answer(replacing: named, by: "\(other),\(named)")
    // The other: header 0 … 30, b 30 … 80. Then A.
    #expect(
      answer.text("moving") == """
        [\(moved([0, 0], [1, 0], element("header", [0, 0], y: 0, height: 20),
        element("header", [1, 0], y: 80, height: 20))),\
        \(moved([0, 0], [1, 0], cell([0, 0], id: "a", y: 20), cell([1, 0], id: "a", y: 100)))]
        """)
  }

  /// Where nobody can tell which item is which, the end is still the end.
  @Test func theEndOfACollectionWithoutNamesIsFollowed() throws {
    let service = MockService()
    let path = try service.makeSession(
      """
      {"collection":{"sections":[{"items":{"count":10}}]},
       "layout":{"kind":"list","itemLength":50},
       "viewport":{"width":100,"height":200,"contentOffset":{"x":0,"y":290}}}
      """)
    let answer = service.send(
      .put, path + "/collection",
      #"{"collection":{"sections":[{"items":{"count":20}}]},"anchor":"end"}"#)
    #expect(answer?.text("contentOffset") == #"{"x":0,"y":790}"#)
  }

  /// A name that nobody has any more, and none at its place: the section has lost its name.
  @Test func aSectionThatLosesItsNameIsTheOneAtItsPlace() throws {
    let service = MockService()
    let section = #"{"items":{"ids":["a"]},"header":{"width":0,"height":20}"#
    let path = try service.makeSession(
      """
      {"collection":{"sections":[\(section),"id":"A"}]},
       "layout":{"kind":"list"},"viewport":{"width":100,"height":400}}
      """)
    let answer = try #require(
      service.send(.put, path + "/collection", "{\"collection\":{\"sections\":[\(section)}]}}"))
    for list in ["appearing", "disappearing", "moving"] { #expect(answer.text(list) == "[]") }
  }

  @Test func prefetchedItemsKeepTheirIdentity() throws {
    let service = MockService()
    let path = try service.makeSession(namedList(12))
    // e … h are asked for. h and e are at 4 and 10 then, f and g are gone.
    let names = ["a", "b", "c", "d", "h", "i", "j", "k", "l", "x", "e"].map { "\"\($0)\"" }
    let answer = try #require(
      service.send(
        .put, path + "/collection",
        "{\"collection\":{\"sections\":[{\"items\":{\"ids\":[\(names.joined(separator: ","))]}}]}}")
    )
    #expect(answer.text("cancelPrefetch") == #"[{"end":7,"section":0,"start":5}]"#)
    let tick = try #require(service.tick(path, y: 0))
    #expect(tick.isQuietTick)
    #expect(tick.text("prefetch") == #"[{"end":8,"section":0,"start":5}]"#)
    #expect(tick.text("cancelPrefetch") == #"[{"end":11,"section":0,"start":10}]"#)
  }

  @Test(arguments: [
    // Neither has names; the old one only; the new one only.
    (#"{"count":20}"#, #"{"count":9}"#), (#"{"ids":[NAMES]}"#, #"{"count":9}"#),
    (#"{"count":20}"#, #"{"ids":["a","b","c","d","e","f","g","h","i"]}"#),
  ])
  func withoutNamesEverythingIsNew(old: String, new: String) throws {
    let service = MockService()
    func description(_ items: String, y: Int) -> String {
      """
      {"collection":{"sections":[{"items":\(items.replacing("NAMES", with: quotedNames(20)))}]},
       "layout":{"kind":"list","itemLength":50},
       "viewport":{"width":100,"height":200,"contentOffset":{"x":0,"y":\(y)}}}
      """
    }
    let path = try service.makeSession(description(old, y: 700))
    let answer = try #require(
      service.send(
        .put, path + "/collection", "{\"collection\":{\"sections\":[{\"items\":\(new)}]}}"))
    #expect(answer.status == 200)
    #expect(answer["version"] as? Int == 2)
    #expect(answer.fields["ETag"] == "\"2.1\"")
    #expect(answer["moving"] == nil)
    // 9 items are 450 long.
    #expect(answer.text("contentOffset") == #"{"x":0,"y":250}"#)
    #expect(answer.text("prefetch") == "[]")
    let fresh = try #require(service.send(.post, "/v1/sessions", description(new, y: 250)))
    for member in ["attributes", "contentSize", "sections"] {
      #expect(answer.text(member) == fresh.text(member), "\(member)")
    }
    let tick = try #require(service.tick(path, y: 250))
    #expect(tick["reset"] as? Bool == true)
    #expect(tick.text("appeared") == fresh.text("attributes"))
    #expect(tick.text("prefetch") == fresh.text("prefetch"))
    #expect(tick.text("cancelPrefetch") == "[]")
    #expect(service.tick(path, y: 250)?.isQuietTick == true)
  }

  @Test(arguments: [
    // g at 300 shows at 25; it is at 350 then.
    (#","anchor":{"indexPath":[0,6]}"#, 325),
    // g begins first.
    (#","anchor":"visible""#, 325),
    // The end is 525 away, of 550 points: clamped.
    (#","anchor":"end""#, 0), (#","anchor":"start""#, 275), ("", 275),
    // q is gone.
    (#","anchor":{"indexPath":[0,16]}"#, 275),
  ])
  func theAnchorIsKept(anchor: String, y: Int) throws {
    let service = MockService()
    let path = try service.makeSession(namedList(20, y: 275))
    let names = ["x", "y", "a", "b", "c", "d", "e", "g", "f", "h", "z"].map { "\"\($0)\"" }
    // 350 is as far as 11 items in 200 go.
    let expected = min(y, 350)
    let answer = try #require(
      service.send(
        .put, path + "/collection",
        "{\"collection\":{\"sections\":[{\"items\":{\"ids\":[\(names.joined(separator: ","))]}}]}\(anchor)}"
      ))
    #expect(answer.status == 200)
    #expect(answer.text("contentOffset") == "{\"x\":0,\"y\":\(expected)}")
    #expect(service.tick(path, y: expected)?.isQuietTick == true)
  }

  @Test(arguments: [
    (#"{}"#, 422, ""), (#"{"collection":{}}"#, 422, "/collection"),
    (#"{"colection":{}}"#, 422, "/colection"),
    (#"{"collection":{"sections":[]},"dryRun":true}"#, 422, "/dryRun"),
    (
      #"{"collection":{"sections":[{"items":{"ids":["a","a"]}}]}}"#, 422,
      "/collection/sections/0/items/ids/1"
    ),
    (
      #"{"collection":{"sections":[{"items":{"count":-1}}]}}"#, 422,
      "/collection/sections/0/items/count"
    ),
    (
      #"{"collection":{"sections":[{"items":{"lengths":[1,2,3,4,5,6,7]}}]}}"#, 422,
      "/collection/sections/0/items/lengths"
    ),
    (
      #"{"collection":{"sections":[{"items":{"count":1000000000000}}]}}"#, 422,
      "/collection/sections/0"
    ),
    (#"{"collection":"#, 400, "/collection"), ("{", 400, nil),
  ])
  func aWrongCollectionChangesNothing(body: String, status: Int, pointer: String?) throws {
    let service = MockService(limits: ServiceLimits(describedItemCount: 6))
    let path = try service.makeSession(twoSections)
    let before = try service.state(of: path)
    let answer = try #require(service.send(.put, path + "/collection", body))
    #expect(answer.status == status, "\(answer.text)")
    #expect(answer["pointer"] as? String == pointer, "\(answer.text)")
    #expect(try service.state(of: path) == before)
  }

  @Test func aCollectionOfAnotherVersionIsRefused() throws {
    let service = MockService()
    let path = try service.makeSession(twoSections)
    let body = #"{"collection":{"sections":[]}}"#
    let before = try service.state(of: path)
    let refused = try #require(service.send(.put, path + "/collection", body, ifMatch: "\"2\""))
    #expect(refused.status == 412)
    #expect(refused["version"] as? Int == 1)
    #expect(refused.fields["ETag"] == "\"1\"")
    #expect(try service.state(of: path) == before)

    // All named items of the old are gone: that can be told.
    let emptied = try #require(service.send(.put, path + "/collection", body, ifMatch: "\"1\""))
    #expect(emptied.status == 200)
    #expect(emptied.text("sections") == "[]")
    #expect(emptied.text("contentSize") == #"{"height":0,"width":0}"#)
    #expect((emptied["disappearing"] as? [Any])?.count == 5)
    #expect(try service.everything(in: path) == "[]")
  }
}

struct DecorationIdentityTests {
  @Test(arguments: [
    ("PUT", "/collection", #"{"collection":{"sections":[{"#, "}]}}"),
    ("POST", "/updates", #"{"reloadSections":[{"at":0,"section":{"#, "}}]}"),
  ])
  func decorationsGoByTheirNames(
    method: String, path: String, before: String, after: String
  ) throws {
    let service = MockService()
    let session = try service.makeSession(
      """
      {"collection":{"sections":[{"decorations":[{"kind":"bg"},{"kind":"rule","insets":{"top":5}}],
       "items":{"ids":["a"]}}]},"layout":{"kind":"list"},"viewport":{"width":100,"height":100}}
      """)
    // The background goes, the rule takes its place in the list, a frame is new.
    let answer = try #require(
      service.send(
        method == "PUT" ? .put : .post, session + path,
        before
          + #""decorations":[{"kind":"rule","insets":{"top":5}},{"kind":"frame"}],"items":{"ids":["a"]}"#
          + after))
    #expect(answer.status == 200)
    #expect(answer.text("disappearing")?.contains(#""kind":"bg""#) == true)
    #expect(answer.text("appearing")?.contains(#""kind":"frame""#) == true)
    for list in ["appearing", "disappearing"] {
      #expect(answer.text(list)?.contains(#""kind":"rule""#) == false)
    }
    // The rule is where it was.
    #expect(answer.text("moving") == "[]")
  }
}
