import CCache

// A million items lie in thousands of leaves, more than the caches near a processor hold. Within an
// array it sees what will be read next; from leaf to leaf it does not, and waits for each longer than
// it takes to lay out a hundred items. Who goes from leaf to leaf therefore asks for them in time.

extension RopeLeaf {
  /// Asks for the leaf, to be read soon.
  @inline(__always)
  func fetch() {
    // What every object has, two words, and the two members in front.
    let header = 4 * MemoryLayout<Int>.stride
    // Safe: nothing is read.
    unsafe cache_fetch(
      Unmanaged.passUnretained(self).toOpaque(),
      header + MemoryLayout<Chunk.Summary>.stride + MemoryLayout<Chunk>.stride)
  }
}

extension Array where Element: BitwiseCopyable {
  /// Asks for elements, to be read soon.
  ///
  /// - Parameter count: How many, from the first on; the array itself is not asked, which would have
  ///   to be there for that.
  @inline(__always)
  func fetch(first count: Int) {
    unsafe withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
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
