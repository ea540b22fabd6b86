import Foundation
import HTTPMessages
import Testing

/// The golden cases: what independent implementations make of the same descriptions.
struct PlacementFixtureTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let request: String
    let contentLength: Double
    let axis: String
    let tolerance: Double
    let ignoresMain: Bool
    let attributes: String
    let rects: [(rect: String, hits: String)]
    var testDescription: String { name }
  }

  static let cases: [Case] = {
    let data = (try? fixture("placements.json")) ?? Data()
    let all = (try? JSONSerialization.jsonObject(with: data)) as? [[String: Any]] ?? []
    return all.compactMap { item -> Case? in
      guard let name = item["name"] as? String, let request = item["request"],
        let length = item["contentLength"] as? Double, let axis = item["axis"] as? String
      else { return nil }
      let rects = (item["rects"] as? [[String: Any]] ?? []).compactMap { rect in
        rect["rect"].flatMap { area in
          rect["hits"].map { (rect: canonicalJSON(area), hits: canonicalJSON($0)) }
        }
      }
      return Case(
        name: name, request: canonicalJSON(request), contentLength: length, axis: axis,
        tolerance: max(item["tolerance"] as? Double ?? 0, 1e-6),
        ignoresMain: item["ignoreMain"] as? Bool ?? false,
        attributes: canonicalJSON(item["attributes"] ?? []), rects: rects)
    }
  }()

  @Test func thereAreCases() {
    #expect(PlacementFixtureTests.cases.count >= 61)
    #expect(PlacementFixtureTests.cases.reduce(0) { $0 + $1.rects.count } >= 216)
  }

  @Test(arguments: cases)
  func agrees(_ expected: Case) throws {
    let service = MockService()
    let answer = try #require(service.send(.post, "/v1/layout", expected.request))
    try #require(answer.status == 200, "\(answer.text)")
    let size = try #require(answer["contentSize"] as? [String: Double])
    let length = try #require(size[expected.axis == "y" ? "height" : "width"])
    // Millionths add up: a sum of n of them may be off by n halves.
    let slack = expected.tolerance * 40
    if !expected.ignoresMain { #expect(abs(length - expected.contentLength) <= slack) }

    let elements = try #require(answer["attributes"] as? [[String: Any]])
    let wanted = try #require(
      try JSONSerialization.jsonObject(with: Data(expected.attributes.utf8)) as? [[Any]])
    let found = elements.map(Element.init)
    #expect(found.map(\.name) == wanted.map { "\($0[0]) \($0[1]) \($0[2])" })
    for (element, want) in zip(found, wanted) {
      for (index, value) in element.frame.enumerated() {
        let number = try #require(want[3 + index] as? Double)
        let isMain = (index == 0) == (expected.axis == "x") && index < 2
        if expected.ignoresMain && isMain { continue }
        #expect(abs(value - number) <= slack, "\(element.name) \(element.frame) \(want)")
      }
    }
  }

  @Test(arguments: cases.filter { !$0.rects.isEmpty })
  func findsWhatIsInARect(_ expected: Case) throws {
    let service = MockService()
    var request = try #require(
      try JSONSerialization.jsonObject(with: Data(expected.request.utf8)) as? [String: Any])
    for (rect, hits) in expected.rects {
      request["rect"] = try JSONSerialization.jsonObject(with: Data(rect.utf8))
      let answer = try #require(service.send(.post, "/v1/layout", canonicalJSON(request)))
      let elements = try #require(answer["attributes"] as? [[String: Any]])
      let found = elements.map { [$0["kind"] ?? ""] + ($0["indexPath"] as? [Any] ?? []) }
      #expect(canonicalJSON(found) == hits)
    }
  }

  private struct Element {
    let name: String
    let frame: [Double]

    init(_ json: [String: Any]) {
      let path = json["indexPath"] as? [Int] ?? []
      name = "\(json["kind"] ?? "") \(path.map(String.init).joined(separator: " "))"
      let rect = json["frame"] as? [String: Double] ?? [:]
      frame = ["x", "y", "width", "height"].map { rect[$0] ?? .nan }
    }
  }
}
