import LayoutCore

/// What is changed.
enum EngineChange: String {
  case insert = "W3 insert one"
  case resize = "W4 resize one"

  /// Where it is changed.
  enum Place: String, CaseIterable {
    case start, middle, end
  }
}

/// One change, as a batch for the engine and as calls of the loop.
enum EngineEdit {
  case insert(Int, width: UInt32, height: UInt32)
  case resize(Int, width: UInt32, height: UInt32)
  case delete([UInt32])

  /// One item of a random size at a place, or about the middle.
  init(
    _ change: EngineChange, _ place: EngineChange.Place, of count: Int,
    _ random: inout RandomNumbers
  ) {
    let index =
      switch place {
      case .start: 0
      case .middle: count / 2 + random.next(below: max(1, count / 20))
      case .end: change == .insert ? count : count - 1
      }
    let width = SizePool.width(&random)
    let height = SizePool.height(&random)
    self =
      change == .insert
      ? .insert(index, width: width, height: height) : .resize(index, width: width, height: height)
  }

  init(deletingScattered number: Int, of count: Int) {
    self = .delete((0..<number).map { UInt32($0 * (count / number)) })
  }

  var batch: BatchUpdate {
    var batch = BatchUpdate()
    func path(_ item: Int) -> IndexPath { IndexPath(item: item, section: 0) }
    switch self {
    case .insert(let index, let width, let height):
      batch.insertItems = [(path(index), Sizes.one(width: width, height: height))]
    case .resize(let index, let width, let height):
      batch.reloadItems = [(path(index), Sizes.one(width: width, height: height))]
    case .delete(let indexes):
      batch.deleteItems = indexes.map { ItemRange(section: 0, start: Int($0), end: Int($0) + 1) }
    }
    return batch
  }

  /// Returns how long the content is afterwards, in millionths.
  func apply(to loop: LoopLayout) -> Int64 {
    switch self {
    case .insert(let index, let width, let height):
      loop.insert(at: index, width: width, height: height)
    case .resize(let index, let width, let height):
      loop.resize(index, width: width, height: height)
    case .delete(let indexes): loop.delete(indexes)
    }
  }
}
