import Testing

@testable import LayoutCore

/// The sections of a collection, one after the other.
struct SectionListTests {
  /// So many that they are in several runs, of which some have become small.
  @Test(arguments: [0, 1, 32, 33, 700])
  func goingThroughSectionsFindsWhatAskingForEachFinds(count: Int) throws {
    var content = Content(
      sections: (0..<count).map { Section(id: "\($0)", items: Items(count: $0 % 13)) })
    var batch = BatchUpdate()
    batch.deleteSections = (0..<count).filter { $0 % 3 == 1 || (100..<190).contains($0) }
    content = try batch.applied(to: content).content
    let sections = content.sections
    let expected = sections.indices.map { sections[$0] }
    #expect(sections.map(\.id) == expected.map(\.id))
    #expect(Array(sections.lazy.map(\.items.count)) == expected.map(\.items.count))
    var counts: [Int] = []
    sections.forEachItemCount { counts.append($0) }
    #expect(counts == expected.map(\.items.count))
  }

  @Test func kindsOfDecorationsAreToldApartByTheirBytes() {
    let start = String(repeating: "background ", count: 90)
    let kinds = (0..<98).map { "\(start)\($0)" } + ["\u{e9}", "e\u{301}"]
    let decorations = kinds.map { Decoration(kind: $0) }
    for (place, kind) in kinds.enumerated() {
      #expect(decorations.place(ofKind: kind).map(Int.init) == place)
    }
    #expect(decorations.place(ofKind: start) == nil)
    // Texts that only look alike are one to Swift.
    #expect(decorations[98] != decorations[99])
  }
}
