/// What mends an operation that a batch is refused for.
extension BatchUpdate {
  /// Has operations bring what they bring to other places of their sequence.
  mutating func put(_ moves: [(operation: UpdateOperation, place: Int)]) {
    for (operation, place) in moves {
      switch operation {
      case .insertSection(let index): insertSections[index].at = place
      case .moveSection(let index): moveSections[index].to = place
      case .insertItems(let index): insertItems[index].at.item = place
      case .moveItem(let index): moveItems[index].to.item = place
      default: break
      }
    }
  }

  /// Leaves of an operation only what begins at an item or section, or is after it.
  mutating func cut(_ operation: UpdateOperation, to start: Int) {
    switch operation {
    case .deleteItems(let index) where deleteItems[index].end > start:
      deleteItems[index].start = start
    case .reloadItems(let index)
    where reloadItems[index].at.item + reloadItems[index].items.count > start:
      let items = reloadItems[index].items
      let dropped = start - reloadItems[index].at.item
      reloadItems[index].at.item = start
      reloadItems[index].items = items.slice(dropped..<items.count)
    default: remove(operation)
    }
  }

  /// Leaves of an operation only what is inside a section of so many items.
  mutating func clip(_ operation: UpdateOperation, to count: Int) {
    switch operation {
    case .deleteItems(let index) where (0..<count).contains(deleteItems[index].start):
      deleteItems[index].end = min(deleteItems[index].end, count)
    case .reloadItems(let index) where (0..<count).contains(reloadItems[index].at.item):
      let items = reloadItems[index].items
      let room = count - reloadItems[index].at.item
      reloadItems[index].items = items.slice(0..<min(items.count, room))
    default: remove(operation)
    }
  }

  /// Takes one of the items out that an operation brings.
  mutating func dropItem(_ item: Int, of operation: UpdateOperation) {
    let edit = ItemEdit(range: item..<(item + 1), chunks: [])
    switch operation {
    case .insertItems(let index):
      insertItems[index].items = insertItems[index].items.removing(item)
    case .insertSection(let index):
      insertSections[index].section.items = insertSections[index].section.items.edited([edit])
    case .reloadSection(let index):
      reloadSections[index].section.items = reloadSections[index].section.items.edited([edit])
    default: remove(operation)
    }
  }

  /// Takes the name from the section that an operation brings.
  mutating func dropSectionName(of operation: UpdateOperation) {
    switch operation {
    case .insertSection(let index): insertSections[index].section.id = nil
    case .reloadSection(let index): reloadSections[index].section.id = nil
    default: remove(operation)
    }
  }
}
