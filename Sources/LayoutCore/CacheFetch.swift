import CCache

// A million items lie in thousands of leaves, more than the caches near a processor hold. Within an
// array it sees what will be read next; from leaf to leaf it does not, and waits for each longer than
// it takes to lay out a hundred items. Who goes from leaf to leaf therefore asks for them in time.

extension Unmanaged {
  /// Asks for the object, to be read soon.
  ///
  /// - Parameter size: How many bytes its members have.
  @inline(__always)
  func fetch(members size: Int) {
    // What every object has is two words. Safe: nothing is read.
    unsafe cache_fetch(toOpaque(), 2 * MemoryLayout<Int>.stride + size)
  }
}

extension RopeLeaf {
  /// Asks for the leaf, to be read soon.
  @inline(__always)
  func fetch() {
    // Two members in front, each a word.
    let size =
      2 * MemoryLayout<Int>.stride + MemoryLayout<Chunk.Summary>.stride
      + MemoryLayout<Chunk>.stride
    unsafe Unmanaged.passUnretained(self).fetch(members: size)
  }
}

extension Array {
  /// Asks for elements, to be read soon.
  ///
  /// - Parameter count: How many, from the first on; the array itself is not asked, which would have
  ///   to be there for that.
  @inline(__always)
  func fetch(first count: Int) {
    unsafe withUnsafeBufferPointer { elements in
      guard let start = elements.baseAddress else { return }
      // Safe: nothing is read.
      unsafe cache_fetch(start, count &* MemoryLayout<Element>.stride)
    }
  }
}

extension LengthArray {
  /// Asks for lengths, to be read soon.
  ///
  /// - Parameter count: How many, from the first on.
  @inline(__always)
  func fetch(first count: Int) {
    switch self {
    case .equal: break
    case .compact(let values): values.fetch(first: count)
    case .wide(let values): values.fetch(first: count)
    }
  }
}
