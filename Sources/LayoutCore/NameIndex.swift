/// Where the names of a collection's items are.
///
/// A hash table over places, so that a million names are not a million objects: eight bytes a slot, of which
/// one in two to four is taken, and an index path a name.
public struct NameIndex: Sendable {
  /// The collection.
  public let content: Content
  /// Where the names are, in order.
  private var places: [IndexPath] = []
  /// The upper half of a name's fingerprint, and below it the name's number from 1; 0 where there is none.
  private var slots: [UInt64]
  /// The second item of the first name that two items share; names from there on are not in the index.
  public private(set) var duplicate: IndexPath?

  private static let tagBits: UInt64 = 0xFFFF_FFFF << 32

  /// So many slots are asked for before the first of them is read: each is somewhere else.
  private static let batchSize = 32

  /// Takes the names of a collection.
  ///
  /// - Parameter content: The collection.
  /// - Complexity: O(n) in the number of names, expected.
  public init(_ content: Content) {
    self.content = content
    let count = content.sections.summary.namedItemCount
    var capacity = 2
    while capacity < count * 2 { capacity *= 2 }
    places.reserveCapacity(count)
    slots = Array(repeating: 0, count: capacity)
    if count == 0 { return }
    var fingerprints: [UInt64] = []
    fingerprints.reserveCapacity(NameIndex.batchSize)
    content.forEachID { path, name in
      let fingerprint = NameSet.fingerprint(name)
      let slot = slot(of: fingerprint)
      slots.fetch(slot..<(slot + 1))
      places.append(path)
      fingerprints.append(fingerprint)
      if fingerprints.count == NameIndex.batchSize { insertLast(&fingerprints) }
      return duplicate == nil
    }
    insertLast(&fingerprints)
  }

  /// Takes the slots of the names that were added last.
  private mutating func insertLast(_ fingerprints: inout [UInt64]) {
    var number = places.count - fingerprints.count
    for fingerprint in fingerprints where duplicate == nil {
      let path = places[number]
      number += 1
      let (slot, other) = find(fingerprint) { other in
        content.withID(of: path) { content.hasID(other, $0) } ?? false
      }
      if other == nil {
        slots[slot] = fingerprint & NameIndex.tagBits | UInt64(number)
      } else {
        duplicate = path
      }
    }
    fingerprints.removeAll(keepingCapacity: true)
  }

  private func slot(of fingerprint: UInt64) -> Int {
    Int(truncatingIfNeeded: fingerprint) & (slots.count - 1)
  }

  /// The slot of a name, or the one that it would take, and the item of that name, if there is one.
  ///
  /// `hasName` says whether an item has that name.
  @inline(__always)
  private func find(
    _ fingerprint: UInt64, where hasName: (IndexPath) -> Bool
  ) -> (slot: Int, place: IndexPath?) {
    var slot = slot(of: fingerprint)
    while slots[slot] != 0 {
      if (slots[slot] ^ fingerprint) & NameIndex.tagBits == 0 {
        let place = places[Int(slots[slot] & ~NameIndex.tagBits) - 1]
        if hasName(place) { return (slot, place) }
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return (slot, nil)
  }

  /// The item of the name that an item of another collection has; nil if there is none.
  ///
  /// - Complexity: O(log n), expected.
  func place(ofItem path: IndexPath, of other: Content) -> IndexPath? {
    other.withID(of: path) { name in
      find(NameSet.fingerprint(name)) { content.hasID($0, name) }.place
    } ?? nil
  }
}
