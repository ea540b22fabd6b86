/// Which slot a session is in, by its name: a table with open addressing.
///
/// Names are random, so that their own bits say where to look, and those whom they stand for did not
/// choose them: a dictionary's hash, which guards against chosen keys, would cost more than all the
/// rest of finding a session.
///
///     name's bits ──▶ | – | a | b | – | c |     a name is where its bits say, or behind that place
///                           └── no gap ──┘      without a gap
struct SlotIndex {
  private struct Entry {
    var id: SessionID
    var slot: Int
  }

  // A power of two, at most half full.
  private var entries: [Entry?] = Array(repeating: nil, count: 16)
  /// How many names there are.
  private(set) var count = 0

  /// The slot of a name; nil for none.
  ///
  /// - Complexity: O(1), amortised for setting.
  subscript(id: SessionID) -> Int? {
    get { place(of: id).entry?.slot }
    set {
      let (place, entry) = place(of: id)
      switch (entry, newValue) {
      case (nil, nil): break
      case (.some, let slot?): entries[place] = Entry(id: id, slot: slot)
      case (.some, nil): remove(at: place)
      case (nil, let slot?):
        entries[place] = Entry(id: id, slot: slot)
        count += 1
        if count > entries.count / 2 { grow() }
      }
    }
  }

  /// Where a name is, or would be.
  private func place(of id: SessionID) -> (place: Int, entry: Entry?) {
    var place = home(of: id)
    while let entry = entries[place] {
      if entry.id == id { return (place, entry) }
      place = next(place)
    }
    return (place, nil)
  }

  private func home(of id: SessionID) -> Int {
    Int(truncatingIfNeeded: id.randomBits & UInt64(entries.count - 1))
  }

  private func next(_ place: Int) -> Int { (place + 1) & (entries.count - 1) }

  /// Closes the gap with those behind it that may stand there.
  private mutating func remove(at place: Int) {
    var gap = place
    var here = next(place)
    while let entry = entries[here] {
      // How far from its own place it is, and would be in the gap; both around the end.
      let mask = entries.count - 1
      if (here - home(of: entry.id)) & mask >= (here - gap) & mask {
        entries[gap] = entry
        gap = here
      }
      here = next(here)
    }
    entries[gap] = nil
    count -= 1
  }

  private mutating func grow() {
    let old = entries
    entries = Array(repeating: nil, count: old.count * 2)
    for case let entry? in old { entries[place(of: entry.id).place] = entry }
  }
}
