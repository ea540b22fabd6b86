import Testing

@testable import LayoutCore

/// Where the names of a collection are.
struct NameIndexTests {
  /// Sections with names and without, as many as fill several batches.
  private func content(
    _ generator: inout SeededGenerator, _ name: (inout SeededGenerator) -> String
  ) -> Content {
    Content(
      sections: (0..<generator.int(1...6)).map { _ in
        var items = Items(count: generator.int(0...90))
        if generator.chance(0.7) {
          var ids = StringTable()
          for _ in 0..<items.count { ids.append(name(&generator)) }
          items.ids = ids
        }
        return Section(items: items)
      })
  }

  private func names(of content: Content) -> [(path: IndexPath, name: String)] {
    var names: [(IndexPath, String)] = []
    content.forEachID { path, name in
      var bytes: [UInt8] = []
      for place in name.indices { bytes.append(name[place]) }
      names.append((path, String(decoding: bytes, as: UTF8.self)))
      return true
    }
    return names
  }

  @Test(arguments: seeds(100))
  func theItemOfANameIsFound(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var number = 0
    // Each a few times in other contents, and never twice in one.
    func unused(_ generator: inout SeededGenerator) -> String {
      number += generator.int(1...3)
      return String(repeating: "n", count: number % 5) + "\(number)"
    }
    let content = content(&generator, unused)
    number = 0
    let other = self.content(&generator, unused)
    let index = NameIndex(content)
    #expect(index.duplicate == nil)
    let places = Dictionary(uniqueKeysWithValues: names(of: content).map { ($0.name, $0.path) })
    for (path, name) in names(of: other) {
      #expect(index.place(ofItem: path, of: other) == places[name])
    }
    for (section, description) in other.sections.enumerated() where !description.items.hasIDs {
      #expect(index.place(ofItem: IndexPath(item: 0, section: section), of: other) == nil)
    }
  }

  @Test(arguments: seeds(200))
  func theFirstNameThatIsThereAlreadyIsFound(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let count = [3, 40, 2000, 50_000][generator.int(0...3)]
    let content = content(&generator) { "\($0.int(0...count))" }
    var seen: Set<String> = []
    let expected = names(of: content).first { !seen.insert($0.name).inserted }?.path
    #expect(NameIndex(content).duplicate == expected)
  }
}
