/// A layout with its metrics: UICollectionViewLayout without the view.
///
/// To add one, write a type that conforms in a file of its own under `Layouts` and name it in
/// ``LayoutRegistry``. The metrics are read by name, so that the wire format needs nothing more.
public protocol CollectionLayout: Sendable {
  /// What `layout.kind` says.
  static var kind: String { get }

  /// Reads the metrics; what is not given has its default.
  ///
  /// - Parameter metrics: The description's members, asked by name.
  /// - Throws: What `metrics` throws for a member that is wrong.
  init<Metrics: LayoutMetrics & ~Copyable & ~Escapable>(
    metrics: inout Metrics
  ) throws(Metrics.Failure)

  /// The main axis.
  var scrollDirection: ScrollDirection { get }

  /// How a drag ends if the description does not say.
  var defaultSnapMode: SnapMode { get }

  /// Whether places depend on the scale of the display; frames are rounded to its pixels when they are written,
  /// whatever the layout.
  var dependsOnDisplayScale: Bool { get }

  /// Whether items may have to be gone through one by one, to arrange them or to find what shows, of which nothing
  /// is described: then any number takes its time.
  var goesThroughItems: Bool { get }

  /// Whether everything rests where another layout puts it, whatever the content and the viewport: they differ
  /// at most in what scrolling does.
  ///
  /// - Parameter other: The other layout.
  /// - Returns: Whether it does; false if that is not known.
  func arranges(like other: any CollectionLayout) -> Bool

  /// Computes what does not depend on the content offset.
  ///
  /// - Parameters:
  ///   - content: The sections.
  ///   - container: The viewport, upright.
  ///   - old: What this layout, or one that arranges like it, made of the content before a change, in a
  ///     container as broad and, where it depends on that, of the same scale, so that only what changed
  ///     need be arranged anew; nil to arrange all. A layout may ignore it, and answers the same either way.
  /// - Returns: Where everything rests, and how it shows.
  /// - Throws: ``LayoutError`` if the content cannot be laid out.
  func arrange(
    _ content: Content, in container: Container, reusing old: Rearrangement?
  ) throws(LayoutError) -> any Placement
}

/// A placement that a change of its content, or of the container's length, has made old.
public struct Rearrangement: Sendable {
  /// The placement before the change.
  var placement: any Placement
  /// The container before the change; it is as broad now, and of the same scale where the layout depends on it.
  var container: Container
  /// What changed of the content.
  var change: ContentChange
}

extension CollectionLayout {
  /// A drag ends where it would have ended.
  public var defaultSnapMode: SnapMode { .none }

  /// What is not said to be independent is laid out anew.
  public var dependsOnDisplayScale: Bool { true }

  /// What is not said to be arithmetic is not.
  public var goesThroughItems: Bool { true }

  /// What is not said to arrange alike is laid out anew.
  public func arranges(like other: any CollectionLayout) -> Bool { false }
}

/// The viewport as placements see it: upright, without an offset.
public struct Container: Hashable, Sendable {
  /// The extent, upright: the width is across, the height along the main axis.
  public var size: Size
  /// Pixels per point; nil where nothing is rounded to pixels.
  public var displayScale: DisplayScale?
  /// Whether what would take long to place is refused; not where it is only laid out again.
  public var limitsWork = true

  /// Makes a container.
  ///
  /// - Parameters:
  ///   - size: The extent, upright; both above 0.
  ///   - displayScale: Pixels per point, or nil.
  public init(size: Size, displayScale: DisplayScale? = nil) {
    self.size = size
    self.displayScale = displayScale
  }

  /// Turns a viewport upright.
  init(_ viewport: Viewport, _ direction: ScrollDirection) {
    self.init(size: direction.upright(viewport.size), displayScale: viewport.displayScale)
  }
}

/// All layouts there are.
public enum LayoutRegistry {
  /// The layouts, in the order in which they are documented.
  public static let all: [any CollectionLayout.Type] = [
    FlowLayout.self,
    WaterfallLayout.self,
    PagedGridLayout.self,
    ListLayout.self,
    CoverFlowLayout.self,
    WheelLayout.self,
    BannerLayout.self,
  ]
}

/// Where a layout finds its metrics: the members of a description, asked by name.
///
/// Every question makes the name known: a member that nobody asked for is refused in the end.
public protocol LayoutMetrics<Failure>: ~Copyable, ~Escapable {
  /// What a wrong member is refused with.
  associatedtype Failure: Error

  /// A length of 0 … 10⁹ points; nil if the member is absent.
  mutating func length(_ name: StaticString) throws(Failure) -> Length?
  /// A size; nil if the member is absent.
  mutating func size(_ name: StaticString) throws(Failure) -> Size?
  /// Insets; nil if the member is absent.
  mutating func insets(_ name: StaticString) throws(Failure) -> EdgeInsets?
  /// A whole number; nil if the member is absent.
  mutating func integer(_ name: StaticString, in range: ClosedRange<Int>) throws(Failure) -> Int?
  /// A finite number; nil if the member is absent.
  mutating func number(
    _ name: StaticString, in range: ClosedRange<Double>
  ) throws(Failure) -> Double?
  /// Yes or no; nil if the member is absent.
  mutating func flag(_ name: StaticString) throws(Failure) -> Bool?
  /// One of the values of an enumeration; nil if the member is absent.
  mutating func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ name: StaticString, of values: Value.Type
  ) throws(Failure) -> Value?
  /// The error for a member that is well formed and still cannot be.
  func refusal(of name: StaticString, because reason: String) -> Failure
}
