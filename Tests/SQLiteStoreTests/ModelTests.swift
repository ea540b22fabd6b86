import LayoutSessions
import SQLiteStore
import Testing

/// The store against a dictionary, with all that can be asked for in any order.
@Suite(.waits) struct ModelTests {
  private struct Model {
    var owner: String
    var snapshot: StoredSession.Snapshot
    var changes: [[UInt8]] = []
    var end: Int64

    var version: Int { snapshot.version + changes.count }

    /// What is told to somebody who has a version, or none.
    func stored(since version: Int? = nil) -> StoredSession {
      let first = snapshot.version
      let isContinued = version.map { (first...self.version).contains($0) } ?? false
      return StoredSession(
        owner: owner, version: self.version, snapshot: isContinued ? nil : snapshot,
        changes: Array(changes.dropFirst(isContinued ? (version ?? 0) - first : 0)))
    }
  }

  @Test(arguments: 0..<3 as Range<UInt64>)
  func everythingIsAsInADictionary(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let test = try TestStore()
    var store = try test.open()
    var models: [SessionID: Model] = [:]
    var ids: [SessionID] = []
    let life = TestStore.timeToLive
    /// How often something was asked of a session whose life was over.
    var overCount = 0

    func use(_ id: SessionID) {
      guard let end = models[id]?.end, end < test.clock.now + life else { return }
      models[id]?.end = test.clock.now + life + life / 8
    }
    func model(of id: SessionID) -> Model? {
      models[id].flatMap { $0.end >= test.clock.now ? $0 : nil }
    }

    for step in 0..<1500 {
      let id = ids.randomElement(using: &random) ?? newID()
      let known = model(of: id)
      if known == nil, models[id] != nil { overCount += 1 }
      // Mostly the right one.
      let error = [-1, 0, 0, 0, 0, 1].randomElement(using: &random) ?? 0
      let version = (known?.version ?? 1) + error
      let text = record("\(step)", count: Int.random(in: 0...9, using: &random) == 0 ? 20_000 : 0)
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<10 where ids.count < 40:
        let id = newID()
        ids.append(id)
        try store.create(id, owner: "\(step)", snapshot: text)
        models[id] = Model(
          owner: "\(step)", snapshot: .init(record: text, version: 1),
          end: test.clock.now + life + life / 8)
      case 10..<15:
        let outcome = try store.replace(id, by: text, after: version)
        if let known, known.version == version {
          #expect(outcome == .done)
          models[id]?.changes = []
          models[id]?.snapshot = .init(record: text, version: version + 1)
          use(id)
        } else {
          #expect(outcome == known.map { .conflict(version: $0.version) } ?? .missing)
        }
      case 0..<45:
        let outcome = try store.append(text, to: id, after: version)
        if let known, known.version == version {
          #expect(outcome == .done)
          models[id]?.changes.append(text)
          use(id)
        } else {
          #expect(outcome == known.map { .conflict(version: $0.version) } ?? .missing)
        }
      case 45..<75:
        let since = Bool.random(using: &random) ? version : nil
        let asked = since.map { StoredVersion($0, stamp: 0) }
        #expect(
          try store.load(id, of: models[id]?.owner ?? "", since: asked)
            == known?.stored(since: since))
        if known != nil { use(id) }
      case 75..<85:
        try store.replaceSnapshot(of: id, by: text, at: version)
        if let known, version > known.snapshot.version, version <= known.version {
          models[id]?.changes.removeFirst(version - known.snapshot.version)
          models[id]?.snapshot = .init(record: text, version: version)
        }
      case 85..<88:
        let wanted = Bool.random(using: &random) ? version : nil
        let outcome = try store.delete(id, at: wanted)
        if let known, wanted == nil || wanted == known.version {
          #expect(outcome == .done)
          models[id] = nil
          ids.removeAll { $0 == id }
        } else {
          #expect(outcome == known.map { .conflict(version: $0.version) } ?? .missing)
        }
      case 88..<92:
        // So few that others come to the end of their lives.
        let some = ids.filter { _ in Int.random(in: 0..<8, using: &random) == 0 } + [newID()]
        try store.touch(some)
        // What is said of uses lasts for those that are not said.
        for id in some where model(of: id) != nil {
          models[id]?.end = test.clock.now + life + life / 8
        }
      case 92..<97:
        test.clock.advance(by: Int64.random(in: 0...life / 2, using: &random))
      case 97:
        try store.sweep()
        models = models.filter { $0.value.end >= test.clock.now }
        ids = ids.filter { models[$0] != nil }
      default:
        store.close()
        store = try test.open()
      }
    }
    for id in ids {
      #expect(
        try store.load(id, of: models[id]?.owner ?? "", since: nil) == model(of: id)?.stored())
    }
    #expect(overCount > 20)
  }
}
