import CBenchmark

/// Connections that are held open while something else is measured.
@safe final class Holders {
  // Safe: made and destroyed with this object, and lent to a load for the length of its run.
  let pointer: OpaquePointer

  /// One kind of them.
  struct Group {
    var kind: holder_kind
    var count: Int
    /// Seconds between two steps of one of them.
    var period: Double
    var request: [UInt8]
  }

  init(_ groups: [Group], port: UInt16) throws(BenchmarkError) {
    var last: OpaquePointer?
    for group in groups {
      // Safe: the request is copied during the call; the last ones belong to these from now on.
      let opened = unsafe group.request.withUnsafeBufferPointer { bytes -> OpaquePointer? in
        guard let start = bytes.baseAddress else { return nil }
        var plan = unsafe holders_plan(
          port: port, kind: group.kind, count: UInt32(group.count), period: group.period,
          request: start, size: bytes.count)
        return unsafe holders_open(&plan, last)
      }
      guard let opened = unsafe opened else {
        throw BenchmarkError(message: "cannot hold \(group.count) connections")
      }
      unsafe last = unsafe opened
    }
    guard let pointer = unsafe last else { throw BenchmarkError(message: "nothing to hold") }
    unsafe self.pointer = unsafe pointer
  }

  deinit { unsafe holders_close(pointer) }

  /// How often one of them was cut off, and came back.
  var cutOffCount: Int { Int(unsafe holders_cut_off(pointer)) }
}
