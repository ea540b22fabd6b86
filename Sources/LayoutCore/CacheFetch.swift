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

extension Array {
  /// Asks for elements, to be read soon.
  ///
  /// - Parameter range: Which; the array itself is not asked, which would have to be there for that.
  @inline(__always)
  func fetch(_ range: Range<Int>) {
    unsafe withUnsafeBufferPointer { elements in
      guard let start = elements.baseAddress else { return }
      // What says how many there are lies before them. Safe: nothing is read.
      let header = 4 * MemoryLayout<Int>.stride
      unsafe cache_fetch(UnsafeRawPointer(start) - header, header)
      unsafe cache_fetch(
        start + range.lowerBound, range.count &* MemoryLayout<Element>.stride)
    }
  }

  /// Asks for what elements begin with, to be read soon.
  ///
  /// - Parameters:
  ///   - size: How many bytes of each.
  ///   - range: Which; the array itself is not asked.
  @inline(__always)
  func fetch(first size: Int, of range: Range<Int>) {
    unsafe withUnsafeBufferPointer { elements in
      guard let start = elements.baseAddress else { return }
      // Safe: nothing is read.
      for index in range { unsafe cache_fetch(start + index, size) }
    }
  }
}

extension LengthArray {
  /// Asks for lengths, to be read soon.
  ///
  /// - Parameter range: Which.
  @inline(__always)
  func fetch(_ range: Range<Int>) {
    switch self {
    case .equal: break
    case .compact(let values): values.fetch(range)
    case .wide(let values): values.fetch(range)
    }
  }
}
