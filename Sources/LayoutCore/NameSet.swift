import Synchronization

/// The names of a collection, from the first time on that a change has to know them.
///
/// All changes of one collection share them, those too that are refused or only tried: to collect a million
/// names takes a tenth of a second.
public final class CollectedNames: Sendable {
  private let names: Mutex<NameSet?>

  /// Names to be collected when they are needed.
  public convenience init() { self.init(nil) }

  /// Names that are known, or to be collected.
  public init(_ names: NameSet?) { self.names = Mutex(names) }

  /// The names, if anybody had to know them.
  var known: NameSet? { names.withLock { $0 } }

  /// The names.
  ///
  /// - Parameter content: The collection, always with the same names.
  /// - Returns: Its names.
  /// - Complexity: O(n log n) in the number of names the first time, then O(1).
  func names(of content: Content) -> NameSet {
    names.withLock { names in
      let known = names ?? NameSet(content)
      names = known
      return known
    }
  }

  /// The bytes that the names of a collection take on the heap once they are collected; an estimate.
  ///
  /// - Parameter content: The collection.
  /// - Returns: The bytes.
  public static func byteCount(of content: Content) -> Int {
    content.sections.summary.namedItemCount * 9
  }
}

/// The names of all items of a collection, to find one that exists already; cheap to change.
///
/// Kept are 64-bit fingerprints under a key of the process. A fingerprint that is found is a hint, which
/// the names themselves confirm.
public struct NameSet: Sendable {
  private let rope: Rope<FingerprintRun>

  /// Takes the names of a collection.
  ///
  /// - Complexity: O(n log n) in the number of names.
  init(_ content: Content) {
    var fingerprints: [UInt64] = []
    fingerprints.reserveCapacity(content.sections.summary.namedItemCount)
    content.forEachID { _, name in
      fingerprints.append(NameSet.fingerprint(name))
      return true
    }
    fingerprints.sort()
    rope = Rope([FingerprintRun(values: fingerprints)])
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

  /// The set without some fingerprints and with others.
  ///
  /// - Parameters:
  ///   - removed: Fingerprints that are in the set, each as often as it is named.
  ///   - added: Others.
  /// - Returns: The changed set; it shares what did not change.
  /// - Complexity: O(k log n).
  func changed(removing removed: [UInt64], adding added: [UInt64]) -> NameSet {
    var rope = rope
    var edits: [Rope<FingerprintRun>.Edit] = []
    var last = -1
    for fingerprint in removed.sorted() {
      // Two names may have one fingerprint; then neighbours go.
      let index = max(place(of: fingerprint).index, last + 1)
      last = index
      guard index < rope.count else { break }
      edits.append(.init(range: index..<(index + 1), chunks: []))
    }
    rope = rope.edited(edits)
    let smaller = NameSet(rope: rope)
    var inserts: [Rope<FingerprintRun>.Edit] = []
    for fingerprint in added.sorted() {
      let index = smaller.place(of: fingerprint).index
      if let previous = inserts.last?.range, previous.lowerBound == index {
        // Where it is: all of many names may go to one place, such as to where there are none.
        inserts[inserts.count - 1].chunks[0].values.append(fingerprint)
      } else {
        inserts.append(.init(range: index..<index, chunks: [FingerprintRun(values: [fingerprint])]))
      }
    }
    return NameSet(rope: rope.edited(inserts))
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
