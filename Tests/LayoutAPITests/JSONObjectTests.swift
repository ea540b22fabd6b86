import LayoutCore
import Testing

@testable import LayoutAPI

private enum ScrollMember: Int, JSONName {
  case contentOffset, velocity, full, sectionHeadersPinToVisibleBounds
  static let names = JSONNames(of: Self.self)
}

private enum Direction: Int, JSONName {
  case vertical, horizontal
  static let names = JSONNames(of: Self.self)
}

/// Reads an object of `ScrollMember` only as far as finding its members.
private func members(
  _ text: String, allowed: JSONMemberSet<ScrollMember> = .all
) throws(JSONError) -> JSONMemberSet<ScrollMember> {
  try reading(text) { (value) throws(JSONError) in
    try JSONObject<ScrollMember>(value, allowed: allowed).members
  }
}

struct JSONObjectTests {
  @Test func namesAreTheCases() {
    #expect(
      ScrollMember.names.texts
        == ["contentOffset", "velocity", "full", "sectionHeadersPinToVisibleBounds"])
  }

  @Test func findsMembersInAnyOrder() throws {
    let text = #"{"full":true,"contentOffset":{"y":2,"x":1.5}}"#
    try reading(text) { (value) throws(JSONError) in
      let object = try JSONObject<ScrollMember>(value)
      #expect(object.members == [.contentOffset, .full])
      #expect(try object.required(.contentOffset).point() == Point(x: Length(rounding: 1.5), y: 2))
      #expect(try object[.full]?.bool() == true)
      #expect(try object[.velocity]?.point() == nil)
    }
  }

  @Test func comparesLongNamesWhole() throws {
    #expect(
      try members(#"{"sectionHeadersPinToVisibleBounds":1}"#)
        == [.sectionHeadersPinToVisibleBounds])
    #expect(throws: JSONError.self) { try members(#"{"sectionHxxxxrsPinToVisibleBounds":1}"#) }
    #expect(try members(#"{"f\u0075ll":1}"#) == [.full])
  }

  @Test(
    arguments: [
      (#"{"velocty":1}"#, #"unknown member "velocty"; did you mean "velocity"?"#),
      (#"{"VELOCITY":1}"#, #"unknown member "VELOCITY"; did you mean "velocity"?"#),
      (
        #"{"zebra":1}"#,
        #"unknown member "zebra"; known: contentOffset, velocity, full, sectionHeadersPinToVisibleBounds"#
      ),
    ])
  func namesTheNearestKnownMember(text: String, detail: String) {
    do throws(JSONError) {
      _ = try members(text)
      Issue.record("\(text) is taken")
    } catch {
      #expect(error.detail == detail)
      #expect(error.pointer.utf8.count > 1)
    }
  }

  @Test func membersOfAnotherKindAreUnknownAndNotSuggested() {
    let reason = JSONError.Reason.unknownMember(
      "full", nearest: nil, known: ["contentOffset", "velocity"])
    #expect(throws: JSONError(reason, at: "/full")) {
      try members(#"{"full":1}"#, allowed: [.contentOffset, .velocity])
    }
  }

  @Test func aDuplicateKeyIsUnreadable() {
    let error = #expect(throws: JSONError(.duplicateKey("full"), at: "/full")) {
      try members(#"{"full":1,"velocity":2,"f\u0075ll":3}"#)
    }
    #expect(error?.category == .unreadable)
  }

  @Test func anyKeyMayBeUnknownHoweverOdd() {
    let long = String(repeating: "a", count: 100_000)
    for key in ["", "\\u0000", "full\\u0000", "ful", "fulll", long] {
      let error = #expect(throws: JSONError.self) { try members("{\"\(key)\":1}") }
      #expect(error?.category == .invalid)
    }
  }

  @Test func aMissingMemberIsNamedAtItsObject() {
    #expect(throws: JSONError(.missingMember("velocity"), at: "")) {
      try reading("{}") { (value) throws(JSONError) in
        _ = try JSONObject<ScrollMember>(value).required(.velocity)
      }
    }
  }

  @Test func readsNames() throws {
    let read = { (value: JSONValue) throws(JSONError) in try value.name(in: Direction.names) }
    #expect(try reading("\"horizontal\"", read) == Direction.horizontal.rawValue)
    #expect(
      throws: JSONError(
        .unknownName("Vertical", nearest: "vertical", known: ["vertical", "horizontal"]))
    ) { try reading("\"Vertical\"", read) }
    #expect(
      throws: JSONError(.wrongType(expected: "a string", found: "1"))
    ) { try reading("1", read) }
  }

  @Test func nearestNamesAreNearOrNone() {
    let names = ["itemSize", "itemSpacing", "rows", "columns"]
    #expect(nearestName(to: "itemsize", among: names) == "itemSize")
    #expect(nearestName(to: "itmeSize", among: names) == "itemSize")
    #expect(nearestName(to: "row", among: names) == "rows")
    #expect(nearestName(to: "colunms", among: names) == "columns")
    #expect(nearestName(to: "", among: names) == nil)
    #expect(nearestName(to: "x", among: names) == nil)
    #expect(nearestName(to: String(repeating: "rows", count: 100), among: names) == nil)
  }
}
