/// The names of a collection's sections and items, as far as anybody had to know them.
///
/// All changes of one collection go on from what the ones before had to know, those too that are refused or
/// only tried: to collect a million names takes a tenth of a second.
public struct KnownNames: Sendable {
  private(set) var sections: NameSet?
  private(set) var items: NameSet?

  /// None yet.
  public init() {}

  init(sections: NameSet?, items: NameSet?) {
    self.sections = sections
    self.items = items
  }

  /// The names of the sections.
  ///
  /// - Parameter content: The collection, always with the same names.
  /// - Returns: Their names.
  /// - Complexity: O(n log n) in the number of sections the first time, then O(1).
  mutating func sectionNames(of content: Content) -> NameSet {
    let names = sections ?? NameSet(ofSections: content)
    sections = names
    return names
  }

  /// The names of the items.
  ///
  /// - Parameter content: The collection, always with the same names.
  /// - Returns: Their names.
  /// - Complexity: O(n log n) in the number of names the first time, then O(1).
  mutating func itemNames(of content: Content) -> NameSet {
    let names = items ?? NameSet(ofItems: content)
    items = names
    return names
  }

  /// The bytes that the names of a collection take on the heap once they are collected; an estimate.
  ///
  /// - Parameter content: The collection.
  /// - Returns: The bytes.
  public static func byteCount(of content: Content) -> Int {
    (content.sections.count + content.sections.summary.namedItemCount) * 9
  }
}

/// What a change does to names.
struct NameChange {
  /// A name that cannot be added.
  struct Conflict {
    /// Which of the added ones.
    var index: Int
    /// Whether it is the second of that name that is added; it exists already if not.
    var isAddedTwice: Bool
  }

  private let names: NameSet
  /// In ascending order.
  private let removed: [UInt64]
  private let added: [UInt64]
  private let addedInOrder: [UInt64]

  /// Takes what goes and what comes.
  ///
  /// - Parameters:
  ///   - names: The names before.
  ///   - removed: The fingerprints of those that go.
  ///   - added: The fingerprints of those that come.
  /// - Complexity: O(k log k) for k names that come or go.
  init(of names: NameSet, removing removed: [UInt64], adding added: [UInt64]) {
    self.names = names
    self.removed = removed.sorted()
    self.added = added.sorted()
    addedInOrder = added
  }

  /// The first of the added names that cannot be; nil if all can.
  ///
  /// A name that goes may come again.
  ///
  /// - Complexity: O(k log n) for k names that come, or O(n) if that is less.
  var firstConflict: Conflict? {
    let areAllOnce = zip(added, added.dropFirst()).allSatisfy { $0 != $1 }
    if areAllOnce, !names.haveAny(of: added, otherThan: removed) { return nil }
    var seen: Set<UInt64> = []
    for (index, fingerprint) in addedInOrder.enumerated() {
      let isAddedTwice = !seen.insert(fingerprint).inserted
      if isAddedTwice || names.haveAny(of: [fingerprint], otherThan: removed) {
        return Conflict(index: index, isAddedTwice: isAddedTwice)
      }
    }
    return nil
  }

  /// The names afterwards.
  ///
  /// - Complexity: O(k log n) for k names that come or go, or O(n) if that is less.
  var result: NameSet {
    removed.isEmpty && added.isEmpty ? names : names.changed(removing: removed, adding: added)
  }
}

/// The names of all sections or items of a collection, to find one that exists already; cheap to change.
///
/// Kept are 64-bit fingerprints under a key of the process, and taken for the names: that two of a million
/// names share one is as likely as 1 to 40 million, and to look at the names themselves would take as long
/// as there are names.
struct NameSet: Sendable {
  private let rope: Rope<FingerprintRun>

  /// Takes the names of the sections.
  ///
  /// - Complexity: O(n log n) in the number of sections.
  init(ofSections content: Content) {
    self.init(content.sections.compactMap { $0.id.map { NameSet.fingerprint($0.utf8.span) } })
  }

  /// Takes the names of the items.
  ///
  /// - Complexity: O(n log n) in the number of names.
  init(ofItems content: Content) {
    var fingerprints: [UInt64] = []
    fingerprints.reserveCapacity(content.sections.summary.namedItemCount)
    content.forEachID { _, name in
      fingerprints.append(NameSet.fingerprint(name))
      return true
    }
    self.init(fingerprints)
  }

  /// Takes fingerprints in any order.
  ///
  /// - Complexity: O(n log n).
  init(_ fingerprints: [UInt64] = []) {
    rope = Rope([FingerprintRun(values: fingerprints.sorted())])
  }

  private init(rope: Rope<FingerprintRun>) { self.rope = rope }

  /// The fingerprint of a name.
  static func fingerprint(_ name: Span<UInt8>) -> UInt64 {
    var hasher = Hasher()
    // Safe: the bytes are only read.
    unsafe name.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// Whether a fingerprint is in the set.
  ///
  /// - Complexity: O(log n).
  func contains(_ fingerprint: UInt64) -> Bool { place(of: fingerprint).isThere }

  /// Where a fingerprint is, or would be.
  private func place(of fingerprint: UInt64) -> (index: Int, isThere: Bool) {
    guard let place = rope.firstPlace(where: { $1.greatest >= fingerprint }) else {
      return (rope.count, false)
    }
    let values = place.chunk.values
    let index = partitioningIndex(values.count) { values[$0] >= fingerprint }
    return (place.start + index, index < values.count && values[index] == fingerprint)
  }

  /// Whether so many are better found by going through all than one by one.
  private func areMany(_ count: Int) -> Bool { count >= rope.count / 16 }

  /// Whether some fingerprints are in the set.
  ///
  /// - Parameters:
  ///   - fingerprints: Those that are asked for, in ascending order.
  ///   - others: Those that do not count, in ascending order.
  /// - Returns: Whether any of the first, other than the second, is there.
  /// - Complexity: O(k log n) for k that are asked for, or O(n + k) if that is less, and the others.
  func haveAny(of fingerprints: [UInt64], otherThan others: [UInt64]) -> Bool {
    func counts(_ fingerprint: UInt64) -> Bool {
      let index = partitioningIndex(others.count) { others[$0] >= fingerprint }
      return index == others.count || others[index] != fingerprint
    }
    guard areMany(fingerprints.count) else {
      return fingerprints.contains { contains($0) && counts($0) }
    }
    var index = 0
    return !rope.forEachChunk { place in
      for value in place.chunk.values {
        while index < fingerprints.count, fingerprints[index] < value { index += 1 }
        guard index < fingerprints.count else { return true }
        if fingerprints[index] == value, counts(value) { return false }
      }
      return true
    }
  }

  /// The set without some fingerprints and with others.
  ///
  /// - Parameters:
  ///   - removed: Fingerprints that are in the set, each as often as it is named, in ascending order.
  ///   - added: Others, in ascending order.
  /// - Returns: The changed set; it shares what did not change, if that is most of it.
  /// - Complexity: O(k log n) for k that come or go, or O(n + k) if that is less.
  func changed(removing removed: [UInt64], adding added: [UInt64]) -> NameSet {
    areMany(removed.count + added.count)
      ? merged(removing: removed, adding: added) : edited(removing: removed, adding: added)
  }

  private func merged(removing removed: [UInt64], adding added: [UInt64]) -> NameSet {
    var values: [UInt64] = []
    values.reserveCapacity(max(0, rope.count - removed.count) + added.count)
    var (removedCount, addedCount) = (0, 0)
    rope.forEachChunk { place in
      for value in place.chunk.values {
        while addedCount < added.count, added[addedCount] < value {
          values.append(added[addedCount])
          addedCount += 1
        }
        if removedCount < removed.count, removed[removedCount] == value {
          removedCount += 1
        } else {
          values.append(value)
        }
      }
      return true
    }
    values += added[addedCount...]
    return NameSet(rope: Rope(FingerprintRun(values: values)))
  }

  private func edited(removing removed: [UInt64], adding added: [UInt64]) -> NameSet {
    var edits: [Rope<FingerprintRun>.Edit] = []
    var last = -1
    for fingerprint in removed {
      // Two names may have one fingerprint; then neighbours go.
      let index = max(place(of: fingerprint).index, last + 1)
      last = index
      guard index < rope.count else { break }
      edits.append(.init(range: index..<(index + 1), chunks: []))
    }
    let smaller = NameSet(rope: rope.edited(edits))
    var inserts: [Rope<FingerprintRun>.Edit] = []
    for fingerprint in added {
      let index = smaller.place(of: fingerprint).index
      if let previous = inserts.last?.range, previous.lowerBound == index {
        // Where it is: many names may go to one place.
        inserts[inserts.count - 1].chunks[0].values.append(fingerprint)
      } else {
        inserts.append(.init(range: index..<index, chunks: [FingerprintRun(values: [fingerprint])]))
      }
    }
    return NameSet(rope: smaller.rope.edited(inserts))
  }
}

/// Fingerprints in ascending order.
private struct FingerprintRun: RopeChunk {
  struct Summary: RopeSummary {
    var greatest: UInt64
    static var zero: Summary { Summary(greatest: 0) }
    static func + (left: Summary, right: Summary) -> Summary {
      Summary(greatest: max(left.greatest, right.greatest))
    }
  }

  var values: [UInt64]

  static var capacity: Int { 256 }

  var count: Int { values.count }

  var summary: Summary { Summary(greatest: values.last ?? 0) }

  func goes(with other: FingerprintRun, asUniform: Bool) -> Bool { true }

  static func joining(_ parts: ArraySlice<Part>) -> FingerprintRun {
    FingerprintRun(values: parts.flatMap { $0.chunk.values[$0.range] })
  }
}
