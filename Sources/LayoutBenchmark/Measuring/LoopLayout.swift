import CBenchmark

/// Items laid out by loops in C, as a baseline for the engine.
@safe final class LoopLayout {
  // Safe: made and destroyed with this object, used by one thread, and never handed out.
  private let pointer: OpaquePointer

  init(_ kind: loop_kind, columnCount: Int, capacity: Int) throws(BenchmarkError) {
    guard let pointer = unsafe loop_create(kind, Int32(columnCount), capacity) else {
      throw BenchmarkError(message: "no memory for \(capacity) items")
    }
    unsafe self.pointer = unsafe pointer
  }

  deinit { unsafe loop_destroy(pointer) }

  func load(_ sizes: Sizes) {
    // Safe: both arrays have as many values, and are copied.
    unsafe sizes.widths.withUnsafeBufferPointer { widths in
      unsafe sizes.heights.withUnsafeBufferPointer { heights in
        guard let width = widths.baseAddress, let height = heights.baseAddress else { return }
        unsafe loop_load(pointer, width, height, widths.count)
      }
    }
  }

  // Each of these returns how long the content is afterwards, in millionths.

  func arrange(width: Int64, height: Int64) -> Int64 { unsafe loop_arrange(pointer, width, height) }

  func insert(at index: Int, width: UInt32, height: UInt32) -> Int64 {
    unsafe loop_insert(pointer, index, width, height)
  }

  func resize(_ index: Int, width: UInt32, height: UInt32) -> Int64 {
    unsafe loop_resize(pointer, index, width, height)
  }

  func delete(_ indexes: [UInt32]) -> Int64 {
    // Safe: the array outlives the call.
    unsafe indexes.withUnsafeBufferPointer { indexes in
      unsafe indexes.baseAddress.map { unsafe loop_delete(pointer, $0, indexes.count) } ?? -1
    }
  }

  func query(_ rect: loop_rect) -> loop_answer { unsafe loop_query(pointer, rect) }

  func item(atX x: Int64, y: Int64) -> Int64 { unsafe loop_item_at(pointer, x, y) }

  func copy() -> Int { unsafe loop_copy(pointer) }
}
