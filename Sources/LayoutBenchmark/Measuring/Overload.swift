import CBenchmark

/// A load that offers more than a server can take, from the core that loads have.
@safe final class Overload {
  /// Requests of one kind.
  struct Kind {
    var requests: [[UInt8]]
    /// Arrivals a second; 0 for one whenever a connection is free.
    var rate: Double
  }

  // Safe: made and destroyed with this object; the buffers, which it reads, outlive it.
  private let pointer: OpaquePointer
  private let buffers:
    [(bytes: UnsafeMutableBufferPointer<UInt8>, ends: UnsafeMutableBufferPointer<Int>)]

  /// Prepares a load.
  ///
  /// - Parameters:
  ///   - kinds: At most three.
  ///   - connections: How many there may be at once.
  ///   - patience: How many seconds an answer is waited for.
  ///   - port: Where the server listens.
  /// - Throws: ``BenchmarkError`` if there is no memory for it.
  init(
    _ kinds: [Kind], connections: Int, patience: Double = 5, port: UInt16
  ) throws(BenchmarkError) {
    // Safe: freed with this object.
    unsafe buffers = kinds.map { kind in
      var end = 0
      let ends = kind.requests.map {
        end += $0.count
        return end
      }
      let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: end)
      _ = unsafe bytes.initialize(from: kind.requests.joined())
      let places = UnsafeMutableBufferPointer<Int>.allocate(capacity: ends.count)
      _ = unsafe places.initialize(from: ends)
      return unsafe (bytes, places)
    }
    var plan = overload_plan()
    plan.port = port
    plan.connections = UInt32(connections)
    plan.patience = patience
    plan.class_count = UInt32(kinds.count)
    let classes = unsafe zip(kinds, buffers).map { kind, buffer in
      unsafe overload_class(
        requests: UnsafePointer(buffer.bytes.baseAddress),
        ends: buffer.ends.baseAddress.map {
          unsafe UnsafeRawPointer($0).assumingMemoryBound(to: Int.self)
        },
        count: UInt32(kind.requests.count), rate: kind.rate)
    }
    unsafe plan.classes.0 = unsafe classes[0]
    if unsafe classes.count > 1 { unsafe plan.classes.1 = unsafe classes[1] }
    if unsafe classes.count > 2 { unsafe plan.classes.2 = unsafe classes[2] }
    guard let pointer = unsafe overload_start(&plan) else {
      throw BenchmarkError(message: "no memory for \(connections) connections")
    }
    unsafe self.pointer = unsafe pointer
  }

  deinit {
    unsafe overload_stop(pointer)
    unsafe buffers.forEach {
      unsafe $0.bytes.deallocate()
      unsafe $0.ends.deallocate()
    }
  }

  /// Goes on for so many seconds.
  func run(seconds: Double) {
    thread_pin(Pinning.cores?.load ?? -1)
    defer { thread_pin(-1) }
    unsafe overload_run(pointer, seconds)
  }

  /// Waits for what is under way.
  func finish() { unsafe overload_finish(pointer) }

  /// Forgets what has been counted.
  func reset() { unsafe overload_reset(pointer) }

  /// What became of the arrivals of a kind.
  func counts(of kind: Int) -> overload_counts { unsafe overload_result(pointer, UInt32(kind)) }
}
