import LayoutCore

extension SeededGenerator {
  /// Items with names of their own, or without.
  mutating func named(_ items: Items, _ nextName: inout Int) -> Items {
    var items = items
    var names = StringTable()
    for _ in 0..<items.count {
      names.append("n\(nextName)" + String(repeating: "-", count: nextName * 7 % 11))
      nextName += 1
    }
    items.ids = names
    return items
  }

  /// A batch for content; it may well break a rule.
  mutating func batch(for content: Content, nextName: inout Int) -> BatchUpdate {
    var batch = BatchUpdate()
    let count = content.sections.count
    let hasNames = content.sections.contains { $0.items.hasIDs }
    func path(_ generator: inout SeededGenerator) -> IndexPath {
      let section = generator.int(0...max(0, count - 1))
      let items = count == 0 ? 0 : content.sections[section].items.count
      return IndexPath(item: generator.int(0...max(0, items - 1)), section: section)
    }
    for _ in 0..<int(0...3) {
      let path = path(&self)
      batch.deleteItems.append(
        ItemRange(section: path.section, start: path.item, end: path.item + int(0...4)))
    }
    for _ in 0..<int(0...3) {
      var items = items(int(1...5))
      if hasNames { items = named(items, &nextName) }
      batch.insertItems.append((path(&self), items))
    }
    for _ in 0..<int(0...2) { batch.moveItems.append((path(&self), path(&self))) }
    for _ in 0..<int(0...2) { batch.reloadItems.append((path(&self), items(int(1...3)))) }
    if chance(0.15), count > 0 { batch.deleteSections.append(int(0...(count - 1))) }
    if chance(0.15) { batch.insertSections.append((int(0...count), section())) }
    if chance(0.15), count > 0 {
      batch.moveSections.append((int(0...(count - 1)), int(0...(count - 1))))
    }
    if chance(0.1), count > 0 { batch.reloadSections.append((int(0...(count - 1)), section())) }
    return batch
  }
}

extension StringTable {
  mutating func append(_ name: String) {
    bytes.append(contentsOf: name.utf8)
    offsets.append(UInt32(bytes.count))
  }
}

/// An item as a test sees it: everything that it has.
struct ItemModel: Hashable {
  var extent: ItemExtent
  var id: String?
}

extension Content {
  /// All items, section by section.
  var flat: [[ItemModel]] { sections.map(\.items.flat) }

  /// Where items are, in order.
  var itemPaths: [IndexPath] {
    sections.enumerated().flatMap { section, description in
      (0..<description.items.count).map { IndexPath(item: $0, section: section) }
    }
  }
}

extension Items {
  var flat: [ItemModel] { ItemList(self).flat }
}

extension ItemList {
  var flat: [ItemModel] {
    var items: [ItemModel] = []
    forEachRun { run, start in
      for index in 0..<run.count {
        items.append(ItemModel(extent: run.extents[index], id: id(of: start + index)))
      }
    }
    return items
  }
}

/// The contract's section 8, literally: what is inserted or moved stands at its final index, then the
/// survivors fill the other places in order.
enum NaiveUpdate {
  static func place<Element>(
    _ survivors: [Element], _ placed: [Int: Element]
  ) -> [Element] {
    var rest = survivors[...]
    return (0..<(survivors.count + placed.count)).compactMap { index in
      placed[index] ?? rest.popFirst()
    }
  }

  static func apply(_ batch: BatchUpdate, to content: [[ItemModel]]) -> [[ItemModel]] {
    // Sections as numbers of old ones, or new ones.
    enum Origin {
      case old(Int)
      case new([ItemModel])
    }
    let gone = Set(batch.deleteSections + batch.moveSections.map(\.from))
    var placed: [Int: Origin] = [:]
    for (place, section) in batch.insertSections { placed[place] = .new(section.items.flat) }
    for (from, to) in batch.moveSections { placed[to] = .old(from) }
    let order = place(content.indices.filter { !gone.contains($0) }.map(Origin.old), placed)
    return order.enumerated().map { number, origin in
      switch origin {
      case .new(let items): return items
      case .old(let old):
        if let reload = batch.reloadSections.first(where: { $0.at == old }) {
          return reload.section.items.flat
        }
        var items = content[old].map(Optional.some)
        for reload in batch.reloadItems where reload.at.section == old {
          for (index, item) in reload.items.flat.enumerated() {
            items[reload.at.item + index]?.extent = item.extent
          }
        }
        for range in batch.deleteItems where range.section == old {
          for index in range.start..<range.end { items[index] = nil }
        }
        for move in batch.moveItems where move.from.section == old { items[move.from.item] = nil }
        var placed: [Int: ItemModel] = [:]
        for insert in batch.insertItems where insert.at.section == number {
          for (index, item) in insert.items.flat.enumerated() {
            placed[insert.at.item + index] = item
          }
        }
        for move in batch.moveItems where move.to.section == number {
          placed[move.to.item] = content[move.from.section][move.from.item]
        }
        return place(items.compactMap(\.self), placed)
      }
    }
  }
}

extension BatchUpdate {
  /// The batch that undoes this one.
  func inverse(of content: Content, _ updated: UpdatedContent) -> BatchUpdate {
    var inverse = BatchUpdate()
    inverse.deleteSections = insertSections.map(\.at)
    inverse.insertSections = deleteSections.map { ($0, content.sections[$0]) }
    inverse.moveSections = moveSections.map { ($0.to, $0.from) }
    inverse.reloadSections = reloadSections.compactMap { reload in
      updated.map.newSection(of: reload.at).map { ($0, content.sections[reload.at]) }
    }
    inverse.moveItems = moveItems.map { ($0.to, $0.from) }
    inverse.deleteItems = insertItems.map {
      ItemRange(section: $0.at.section, start: $0.at.item, end: $0.at.item + $0.items.count)
    }
    for range in deleteItems {
      for item in range.start..<range.end {
        inverse.insertItems.append(
          (
            IndexPath(item: item, section: range.section),
            content.sections[range.section].items.single(item)
          ))
      }
    }
    for reload in reloadItems {
      for index in 0..<reload.items.count {
        let old = IndexPath(item: reload.at.item + index, section: reload.at.section)
        guard let new = updated.map.newIndexPath(of: old) else { continue }
        var items = content.sections[old.section].items.single(old.item)
        items.ids = nil
        inverse.reloadItems.append((new, items))
      }
    }
    return inverse
  }
}

extension ItemList {
  /// One item as a run.
  func single(_ index: Int) -> Items {
    let item = flat[index]
    var items = Items(count: 1, extents: ItemExtents([item.extent]))
    if let id = item.id {
      var names = StringTable()
      names.append(id)
      items.ids = names
    }
    return items
  }
}
