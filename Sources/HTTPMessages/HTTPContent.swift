import Synchronization

/// What a response sends, with the header fields that belong to it.
///
/// It never changes, so that one can be sent by many threads at once, and again and again. A server
/// may keep beside it what it has prepared to send it; see ``prepared(making:)``.
@safe public final class HTTPContent: Sendable {
  private enum Storage: ~Copyable {
    case array([UInt8])
    case memory(BodyMemory)
    case unwritten
  }

  private let storage: Storage

  /// How long the body is.
  public let byteCount: Int

  /// `Content-Type`, a constant; nil for none.
  public let type: StaticString?

  /// `ETag`; nil for none.
  public let tag: HTTPEntityTag?

  /// Whether it will be sent again, so that preparing it for that pays.
  public let isKept: Bool

  // Set once, and retained until the end.
  private let kept = unsafe Atomic<Unmanaged<Prepared>?>(nil)

  /// Nothing.
  public static let empty = HTTPContent([])

  /// Makes a content.
  ///
  /// - Parameters:
  ///   - bytes: The body.
  ///   - type: `Content-Type`.
  ///   - tag: `ETag`.
  ///   - isKept: Whether it will be sent again.
  public init(
    _ bytes: [UInt8], type: StaticString? = nil, tag: HTTPEntityTag? = nil, isKept: Bool = false
  ) {
    storage = .array(bytes)
    byteCount = bytes.count
    self.type = type
    self.tag = tag
    self.isKept = isKept
  }

  /// Makes a content that is sent once, of bytes where they were written.
  ///
  /// - Parameters:
  ///   - memory: Where the body is.
  ///   - byteCount: How long it is; no longer than the memory, from whose start on it has been written.
  ///   - type: `Content-Type`.
  ///   - tag: `ETag`.
  public init(
    _ memory: consuming BodyMemory, byteCount: Int, type: StaticString? = nil,
    tag: HTTPEntityTag? = nil
  ) {
    self.byteCount = max(0, min(byteCount, memory.capacity))
    storage = .memory(memory)
    self.type = type
    self.tag = tag
    isKept = false
  }

  /// Makes a content without its bytes, for answers that say its length alone: to `HEAD`, and 304.
  ///
  /// - Parameters:
  ///   - byteCount: How long the body would be.
  ///   - type: `Content-Type`.
  ///   - tag: `ETag`.
  public init(unwritten byteCount: Int, type: StaticString? = nil, tag: HTTPEntityTag? = nil) {
    self.byteCount = max(0, byteCount)
    storage = .unwritten
    self.type = type
    self.tag = tag
    isKept = false
  }

  /// Whether it has no bytes, whatever its length is.
  public var isUnwritten: Bool {
    switch storage {
    case .array: false
    case .memory: false
    case .unwritten: true
    }
  }

  deinit {
    // Safe: what is stored was retained once, and nobody has this object any more.
    if let prepared = unsafe kept.load(ordering: .acquiring) { unsafe prepared.release() }
  }

  /// Lends the body; nothing if it is unwritten.
  ///
  /// It stays where it is as long as this object.
  ///
  /// - Parameter body: Called with the bytes.
  /// - Returns: What `body` returns.
  public func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    switch storage {
    case .array(let bytes): body(bytes.span)
    case .memory(let memory):
      // Safe: so many bytes have been written, and nobody writes to them any more.
      body(
        unsafe Span(
          _unsafeStart: memory.start.assumingMemoryBound(to: UInt8.self), count: byteCount))
    case .unwritten: body(Span())
    }
  }

  /// How many bytes the body takes, with what was reserved for more: for tests.
  package var reservedByteCount: Int {
    switch storage {
    case .array(let bytes): bytes.capacity
    case .memory(let memory): memory.capacity
    case .unwritten: 0
    }
  }

  /// The body, nothing if it is unwritten; a copy of what is where it was written.
  public var bytes: [UInt8] {
    switch storage {
    case .array(let bytes): return bytes
    case .memory: return withBytes { span in span.indices.map { span[$0] } }
    case .unwritten: return []
    }
  }

  /// What the server has prepared to send it, made when it is first asked for.
  ///
  /// Two threads may both make one; then both get the first, and the other is freed.
  ///
  /// - Parameter make: Prepares it; nil if that cannot be done.
  /// - Returns: The number of what was prepared, good as long as this object; nil if there is none.
  public func prepared(making make: () -> Prepared?) -> UInt? {
    // Safe: what is stored is retained as long as this object, and never replaced.
    if let prepared = unsafe kept.load(ordering: .acquiring) {
      return unsafe prepared._withUnsafeGuaranteedRef { $0.handle }
    }
    guard let made = make() else { return nil }
    let new = unsafe Unmanaged.passRetained(made)
    let (isFirst, first) = unsafe kept.compareExchange(
      expected: nil, desired: new, ordering: .acquiringAndReleasing)
    if isFirst { return made.handle }
    // Safe: retained above and not stored.
    unsafe new.release()
    return unsafe first.map { unsafe $0._withUnsafeGuaranteedRef { $0.handle } }
  }

  /// Something of a server's own, by a number that only the server understands.
  public final class Prepared: Sendable {
    /// The number.
    public let handle: UInt
    private let free: @Sendable (UInt) -> Void

    /// Takes something over.
    ///
    /// - Parameters:
    ///   - handle: What the server calls it.
    ///   - free: Frees it; called once, on any thread.
    public init(handle: UInt, free: @escaping @Sendable (UInt) -> Void) {
      self.handle = handle
      self.free = free
    }

    deinit { free(handle) }
  }
}

/// An entity tag (RFC 9110, 8.8.3), held without an allocation.
public struct HTTPEntityTag: Sendable {
  private var text = InlineArray<44, UInt8>(repeating: 0)
  private var count = 0

  /// Makes a tag of one number, or of two with a point between them.
  ///
  /// - Parameters:
  ///   - first: The first number.
  ///   - second: The second one; nil for none.
  public init(_ first: UInt, _ second: UInt? = nil) {
    append(UInt8(ascii: "\""))
    append(first)
    if let second {
      append(UInt8(ascii: "."))
      append(second)
    }
    append(UInt8(ascii: "\""))
  }

  /// The tag with its quotes.
  public var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    get { text.span.extracting(first: count) }
  }

  private mutating func append(_ byte: UInt8) {
    text[count] = byte
    count += 1
  }

  // At most 20 digits, twice, two quotes and a point are 43 bytes.
  private mutating func append(_ number: UInt) {
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var start = digits.count
    var rest = number
    repeat {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      start -= 1
      digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
      rest = quotient
    } while rest > 0
    for place in start..<digits.count { append(digits[place]) }
  }
}

extension HTTPEntityTag: CustomStringConvertible {
  /// The tag with its quotes.
  public var description: String {
    String(decoding: (0..<count).map { text[$0] }, as: UTF8.self)
  }
}
