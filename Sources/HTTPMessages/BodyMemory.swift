/// Memory in which a body is written, and from which it is sent.
@safe public struct BodyMemory: ~Copyable, Sendable {
  // Not a pointer, which nobody may send to another thread. Whoever has this value has the memory.
  private let address: UInt

  /// How many bytes there are.
  public let capacity: Int

  /// Takes memory; what is in it is anything.
  ///
  /// - Parameter capacity: How many bytes, at least; not negative.
  public init(capacity: Int) {
    self.capacity = max(1, capacity)
    address = UInt(
      bitPattern: UnsafeMutableRawPointer.allocate(byteCount: self.capacity, alignment: 16))
  }

  deinit { unsafe start.deallocate() }

  /// The first byte.
  public var start: UnsafeMutableRawPointer {
    // Safe: the address is of memory that was allocated.
    unsafe UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped
  }
}
