import Glibc
import Synchronization

/// Memory in which a body is written, and from which it is sent.
///
/// Pieces of a size that most answers of a screenful fit in are left by one body to the next, those of
/// a thread to each other where that can be: they are in the processor's cache then. malloc would
/// search, split and join its lists for each: with the copy that is spared, 2 % of a full tick.
@safe public struct BodyMemory: ~Copyable, Sendable {
  // Not a pointer, which nobody may send to another thread. Whoever has this value has the memory.
  private let address: UInt

  /// How many bytes the pieces have that are used again.
  public static let pieceSize = 16 * 1024

  /// How many bytes there are.
  public let capacity: Int

  /// Takes memory; what is in it is anything.
  ///
  /// - Parameter capacity: How many bytes, at least; not negative.
  public init(capacity: Int) {
    if capacity > PieceStore.largestSmallSize, capacity <= BodyMemory.pieceSize {
      self.capacity = BodyMemory.pieceSize
      address = PieceStore.shared.take() ?? BodyMemory.allocate(BodyMemory.pieceSize)
    } else {
      self.capacity = max(1, capacity)
      address = BodyMemory.allocate(self.capacity)
    }
  }

  deinit {
    if capacity == BodyMemory.pieceSize, PieceStore.shared.put(address) { return }
    unsafe start.deallocate()
  }

  /// The first byte.
  public var start: UnsafeMutableRawPointer {
    // Safe: the address is of memory that was allocated.
    unsafe UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped
  }

  private static func allocate(_ byteCount: Int) -> UInt {
    UInt(bitPattern: UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16))
  }
}

/// Pieces of memory that nobody uses now; a few for each of some threads.
///
/// - Note: At most 1.5 MiB.
private final class PieceStore: Sendable {
  static let shared = PieceStore()
  /// Up to here malloc has lists for each thread, and is as quick.
  static let largestSmallSize = 1024

  private struct Pieces {
    var addresses = InlineArray<6, UInt>(repeating: 0)
    var count = 0
  }

  private let pieces: InlineArray<16, Mutex<Pieces>> = InlineArray { _ in Mutex(Pieces()) }

  /// Works on the pieces of a thread, which it may share with others; nil where one of those does.
  @inline(__always)
  private func withOwn<Result: Sendable>(_ body: (inout Pieces) -> Result?) -> Result? {
    // Where the thread's stack begins: a page at the least apart from others'.
    let mark = UInt(pthread_self()) >> 12 &* 0x9E37_79B9_7F4A_7C15
    return pieces[Int(mark >> 60)].withLockIfAvailable { body(&$0) } ?? nil
  }

  /// A piece; nil if there is none.
  func take() -> UInt? {
    withOwn { pieces in
      guard pieces.count > 0 else { return nil }
      pieces.count -= 1
      return pieces.addresses[pieces.count]
    }
  }

  /// Keeps a piece; false if there are enough.
  func put(_ address: UInt) -> Bool {
    withOwn { pieces in
      guard pieces.count < pieces.addresses.count else { return false }
      pieces.addresses[pieces.count] = address
      pieces.count += 1
      return true
    } ?? false
  }
}
