/// A layout that stacks sections, each with a header, insets around its items, and a footer.
///
/// Headers and footers may stay in view: where they rest does not depend on that.
public protocol SectionStackLayout: CollectionLayout, Equatable {
  /// The main axis.
  var scrollDirection: ScrollDirection { get set }
  /// Around the items of a section that has no insets of its own.
  var sectionInset: EdgeInsets { get set }
  /// Only the extent along the main axis counts.
  var headerReferenceSize: Size { get set }
  /// Only the extent along the main axis counts.
  var footerReferenceSize: Size { get set }
  /// Whether headers stay in view while their section is.
  var sectionHeadersPinToVisibleBounds: Bool { get set }
  /// Whether footers stay in view while their section is.
  var sectionFootersPinToVisibleBounds: Bool { get set }
}

extension SectionStackLayout {
  /// Whether all but what stays in view is the same.
  public func arranges(like other: any CollectionLayout) -> Bool {
    guard var other = other as? Self else { return false }
    other.sectionHeadersPinToVisibleBounds = sectionHeadersPinToVisibleBounds
    other.sectionFootersPinToVisibleBounds = sectionFootersPinToVisibleBounds
    return other == self
  }

  /// Reads what stands around the items of a section; what is not given stays as it is.
  mutating func readSectionMetrics<Metrics: LayoutMetrics & ~Copyable & ~Escapable>(
    _ metrics: inout Metrics
  ) throws(Metrics.Failure) {
    sectionInset = try metrics.insets("sectionInset") ?? sectionInset
    headerReferenceSize = try metrics.size("headerReferenceSize") ?? headerReferenceSize
    footerReferenceSize = try metrics.size("footerReferenceSize") ?? footerReferenceSize
    sectionHeadersPinToVisibleBounds =
      try metrics.flag("sectionHeadersPinToVisibleBounds") ?? sectionHeadersPinToVisibleBounds
    sectionFootersPinToVisibleBounds =
      try metrics.flag("sectionFootersPinToVisibleBounds") ?? sectionFootersPinToVisibleBounds
  }
}

extension SectionStack.Frame {
  /// What stands around a section's items: the section's own choices, else the layout's.
  init(
    _ section: Section, in layout: some SectionStackLayout, headerInset: EdgeInsets = .zero,
    footerInset: EdgeInsets = .zero
  ) {
    let direction = layout.scrollDirection
    inset = direction.upright(section.sectionInset ?? layout.sectionInset)
    headerLength = direction.upright(section.header ?? layout.headerReferenceSize).height
    footerLength = direction.upright(section.footer ?? layout.footerReferenceSize).height
    self.headerInset = direction.upright(headerInset)
    self.footerInset = direction.upright(footerInset)
  }
}
