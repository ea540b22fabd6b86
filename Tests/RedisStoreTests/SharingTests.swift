import LayoutSessions
import Synchronization
import Testing

@testable import RedisStore

extension RedisTests {
  /// Several servers change the same sessions.
  @Suite struct SharingTests {
    let server: RedisServer

    init() throws { server = try RedisServer() }

    @Test func ofSeveralChangesOneWins() throws {
      let stores = [try server.store(connectionLimit: 2), try server.store(connectionLimit: 8)]
      let id = newID()
      try stores[0].create(id, owner: "", snapshot: [])
      /// Who made which version; and what went wrong.
      let winners = Mutex<[Int: [[UInt8]]]>([:])
      let errors = Mutex<[StoreError]>([])
      let last = 1000
      onThreads(8) { thread in
        let store = stores[thread % 2]
        var (version, attempt) = (1, 0)
        while version < last {
          attempt += 1
          let record = bytes("\(thread) \(attempt)")
          do throws(StoreError) {
            switch try store.append(record, to: id, after: version) {
            case .done:
              version += 1
              winners.withLock { $0[version, default: []].append(record) }
            case .conflict(let other):
              // Whoever comes too late is told by how much.
              if other <= version {
                errors.withLock { $0.append(StoreError(.unreadable, "\(other)")) }
              }
              version = other
            case .missing: errors.withLock { $0.append(StoreError(.unreadable, "missing")) }
            }
          } catch {
            errors.withLock { $0.append(error) }
            return
          }
        }
      }
      #expect(errors.withLock { $0 } == [])
      let session = try #require(try stores[1].load(id, since: nil))
      let versions = Array(2...session.version)
      #expect(session.version >= last)
      #expect(
        winners.withLock { winners in versions.map { winners[$0] ?? [] } }
          == session.changes.map { [$0] })
      #expect(winners.withLock { $0.count } == versions.count)
    }

    /// Thousands of operations against what a dictionary says they should do.
    @Test(arguments: [1, 2, 3]) func itDoesWhatADictionaryDoes(seed: UInt64) throws {
      var generator = SeededGenerator(seed: seed)
      let stores = [try server.store(), try server.store()]
      var model = Model()
      var ids = (0..<4).map { _ in SessionID(using: &generator) }
      for step in 0..<3000 {
        let store = stores[Int.random(in: 0...1, using: &generator)]
        let place = Int.random(in: ids.indices, using: &generator)
        let id = ids[place]
        let known = model.sessions[id]?.version ?? 1
        let version =
          Bool.random(using: &generator) ? known : known + Int.random(in: -4...2, using: &generator)
        // Now and then one that has had the number elsewhere.
        let stamp = Int.random(in: 0..<4, using: &generator) == 0 ? 99 : model.stamp(id, version)
        let asked = StoredVersion(version, stamp: stamp)
        let record = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<8:
          #expect(
            try store.append(record, to: id, after: asked, stamp: UInt64(step + 100))
              == model.append(record, id, asked, UInt64(step + 100)), "step \(step)")
        case 8..<13:
          let since = Bool.random(using: &generator) ? asked : nil
          let owner = model.sessions[id]?.owner ?? ""
          #expect(
            try store.load(id, of: owner, since: since) == model.load(id, since), "step \(step)")
        case 17:
          #expect(
            try store.replace(id, by: record, after: asked, stamp: UInt64(step + 100))
              == model.advance(id, record, asked, UInt64(step + 100)), "step \(step)")
        case 13..<15:
          try store.replaceSnapshot(of: id, by: record, at: asked)
          model.replace(id, record, asked)
        case 15:
          let expected = Bool.random(using: &generator) ? version : nil
          #expect(try store.delete(id, at: expected) == model.delete(id, expected), "step \(step)")
        case 16: try store.touch(ids)
        default:
          guard model.sessions[id] == nil else { continue }
          ids[place] = SessionID(using: &generator)
          try store.create(ids[place], owner: "o\(step)", snapshot: record, stamp: 1)
          model.sessions[ids[place]] = Model.Session(owner: "o\(step)", snapshot: record)
        }
      }
      for id in ids {
        let owner = model.sessions[id]?.owner ?? ""
        #expect(try stores[0].load(id, of: owner, since: nil) == model.load(id, nil))
      }
    }
  }
}

/// What the store should do, done simply.
private struct Model {
  struct Session {
    var owner: String
    var snapshot: [UInt8]
    var first = 1
    var changes: [[UInt8]] = []
    /// Of all versions from 1.
    var stamps: [UInt64] = [1]
    var version: Int { first + changes.count }

    func comes(from version: StoredVersion) -> Bool {
      (first...self.version).contains(version.number) && stamps[version.number - 1] == version.stamp
    }
  }

  var sessions: [SessionID: Session] = [:]

  func stamp(_ id: SessionID, _ version: Int) -> UInt64 {
    guard let stamps = sessions[id]?.stamps, stamps.indices.contains(version - 1) else { return 0 }
    return stamps[version - 1]
  }

  mutating func append(
    _ record: [UInt8], _ id: SessionID, _ version: StoredVersion, _ stamp: UInt64
  ) -> StoreOutcome {
    guard let session = sessions[id] else { return .missing }
    guard session.version == version.number, session.comes(from: version) else {
      return .conflict(version: session.version)
    }
    sessions[id]?.changes.append(record)
    sessions[id]?.stamps.append(stamp)
    return .done
  }

  mutating func advance(
    _ id: SessionID, _ record: [UInt8], _ version: StoredVersion, _ stamp: UInt64
  ) -> StoreOutcome {
    let outcome = append([], id, version, stamp)
    guard outcome == .done else { return outcome }
    replace(id, record, StoredVersion(version.number + 1, stamp: stamp))
    return .done
  }

  func load(_ id: SessionID, _ since: StoredVersion?) -> StoredSession? {
    guard let session = sessions[id] else { return nil }
    var result = StoredSession(
      owner: session.owner,
      version: StoredVersion(session.version, stamp: session.stamps[session.version - 1]),
      snapshot: StoredSession.Snapshot(record: session.snapshot, version: session.first),
      changes: session.changes)
    if let since, session.comes(from: since) {
      result.snapshot = nil
      result.changes = Array(session.changes[(since.number - session.first)...])
    }
    return result
  }

  mutating func replace(_ id: SessionID, _ record: [UInt8], _ version: StoredVersion) {
    guard let session = sessions[id], version.number > session.first, session.comes(from: version)
    else { return }
    sessions[id]?.changes.removeFirst(version.number - session.first)
    sessions[id]?.first = version.number
    sessions[id]?.snapshot = record
  }

  mutating func delete(_ id: SessionID, _ version: Int?) -> StoreOutcome {
    guard let session = sessions[id] else { return .missing }
    if let version, version != session.version { return .conflict(version: session.version) }
    sessions[id] = nil
    return .done
  }
}
