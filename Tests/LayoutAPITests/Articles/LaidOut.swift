import Foundation
import HTTPMessages

/// What the service makes of a description, in numbers.
struct LaidOut {
  struct Element {
    var name: String
    var frame: [Double]
    var transform: [Double]
    var anchorPoint: [Double]
    var zIndex: Int
  }

  var contentSize: [Double]
  var elements: [Element]

  /// Asks for everything in a rectangle, or in the viewport.
  init(
    _ collection: String, layout: String, viewport: String, rect: String? = nil
  ) throws {
    let area = rect.map { ",\"rect\":\($0)" } ?? ""
    let answer = MockService().send(
      .post, "/v1/layout",
      "{\"collection\":{\"sections\":[\(collection)]},\"layout\":\(layout),\"viewport\":\(viewport)\(area)}"
    )
    guard let answer, answer.status == 200 else { throw MockError(message: answer?.text ?? "") }
    let size = answer["contentSize"] as? [String: Double] ?? [:]
    contentSize = [size["width"] ?? .nan, size["height"] ?? .nan]
    elements = (answer["attributes"] as? [[String: Any]] ?? []).map(Element.init)
  }

  /// An element by kind and index path, such as `cell 0 3`.
  subscript(name: String) -> Element? { elements.first { $0.name == name } }

  var names: [String] { elements.map(\.name) }
}

extension LaidOut.Element {
  init(_ json: [String: Any]) {
    let path = json["indexPath"] as? [Int] ?? []
    name = ([json["kind"] as? String ?? ""] + path.map(String.init)).joined(separator: " ")
    let rect = json["frame"] as? [String: Double] ?? [:]
    frame = ["x", "y", "width", "height"].map { rect[$0] ?? .nan }
    transform = json["transform"] as? [Double] ?? [1, 0, 0, 1, 0, 0]
    let anchor = json["anchorPoint"] as? [String: Double] ?? ["x": 0.5, "y": 0.5]
    anchorPoint = [anchor["x"] ?? .nan, anchor["y"] ?? .nan]
    zIndex = json["zIndex"] as? Int ?? 0
  }
}

/// Whether numbers agree to a billionth.
func areClose(_ left: [Double]?, _ right: [Double]) -> Bool {
  guard let left, left.count == right.count else { return false }
  return zip(left, right).allSatisfy { abs($0 - $1) <= 1e-9 * max(1, abs($1)) }
}

/// Everything there is.
let everywhere = #"{"x":-1000000,"y":-1000000,"width":9000000,"height":9000000}"#

extension MockService {
  /// The answer of `snap`, as its target along x and its index path.
  func snap(_ session: String, _ body: String) -> String {
    guard let answer = send(.post, session + "/snap", body), answer.status == 200,
      let target = answer["targetContentOffset"] as? [String: Double]
    else { return "no answer" }
    return "\(target["x"] ?? .nan) \(answer.text("indexPath") ?? "")"
  }
}
