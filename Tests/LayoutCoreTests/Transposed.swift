import LayoutCore

extension Content {
  /// The same collection for the other direction.
  var transposed: Content {
    Content(
      sections: sections.map { section in
        var result = section
        result.items = section.items.mapExtents(\.transposed)
        result.sectionInset = section.sectionInset?.transposed
        result.header = section.header?.transposed
        result.footer = section.footer?.transposed
        result.headerInset = section.headerInset?.transposed
        result.footerInset = section.footerInset?.transposed
        result.decorations = section.decorations.map {
          Decoration(kind: $0.kind, insets: $0.insets.transposed)
        }
        return result
      })
  }
}

extension Content {
  /// The same with aspect ratios of which the reciprocal is exact.
  var withBinaryAspectRatios: Content {
    Content(
      sections: sections.map { section in
        var result = section
        result.items = section.items.mapExtents {
          guard case .aspectRatios(let ratios) = $0 else { return $0 }
          return .aspectRatios(ratios.map(\.binade))
        }
        return result
      })
  }
}

extension ItemList {
  /// The same items with sizes made of theirs, run by run.
  func mapExtents(_ transform: (ItemExtents) -> ItemExtents) -> ItemList {
    var runs: [Items] = []
    forEachRun { run, _ in
      var run = run
      run.extents = transform(run.extents)
      runs.append(run)
    }
    return ItemList(runs: runs)
  }
}

extension ItemExtents {
  var transposed: ItemExtents {
    switch self {
    // Lists hand out none that are mixed.
    case .unspecified, .lengths, .mixed: self
    case .size(let size): .size(size.transposed)
    case .sizes(let widths, let heights): .sizes(widths: heights, heights: widths)
    case .aspectRatios(let ratios): .aspectRatios(ratios.map { 1 / $0 })
    }
  }
}

/// A layout of which the horizontal form is the transpose of the vertical one.
protocol TransposableLayout: CollectionLayout {
  var transposed: Self { get }
}

extension ScrollDirection {
  var transposed: ScrollDirection { self == .vertical ? .horizontal : .vertical }
}

extension FlowLayout: TransposableLayout {
  var transposed: FlowLayout {
    var result = self
    result.scrollDirection = scrollDirection.transposed
    result.itemSize = itemSize.transposed
    result.sectionInset = sectionInset.transposed
    result.headerReferenceSize = headerReferenceSize.transposed
    result.footerReferenceSize = footerReferenceSize.transposed
    return result
  }
}

extension WaterfallLayout: TransposableLayout {
  var transposed: WaterfallLayout {
    var result = self
    result.scrollDirection = scrollDirection.transposed
    result.itemSize = itemSize.transposed
    result.sectionInset = sectionInset.transposed
    result.headerReferenceSize = headerReferenceSize.transposed
    result.footerReferenceSize = footerReferenceSize.transposed
    result.headerInset = headerInset.transposed
    result.footerInset = footerInset.transposed
    return result
  }
}

extension ListLayout: TransposableLayout {
  var transposed: ListLayout {
    var result = self
    result.scrollDirection = scrollDirection.transposed
    result.sectionInset = sectionInset.transposed
    result.headerReferenceSize = headerReferenceSize.transposed
    result.footerReferenceSize = footerReferenceSize.transposed
    return result
  }
}

extension CoverFlowLayout: TransposableLayout {
  var transposed: CoverFlowLayout {
    var result = self
    result.scrollDirection = scrollDirection.transposed
    result.itemSize = itemSize.transposed
    result.sectionInset = sectionInset.transposed
    return result
  }
}
