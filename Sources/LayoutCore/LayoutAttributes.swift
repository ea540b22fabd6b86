/// What kind of element something is.
public enum ElementKind: Hashable, Sendable {
  /// An item.
  case cell
  /// A section's header.
  case header
  /// A section's footer.
  case footer
  /// What decorates a section: its place in ``Section/decorations``.
  case decoration(UInt8)
}

/// Which element something is.
public struct ElementIdentity: Hashable, Sendable {
  /// What it is.
  public var kind: ElementKind
  /// Which of those it is; all but cells have item 0.
  public var indexPath: IndexPath

  /// Names an element.
  ///
  /// - Parameters:
  ///   - kind: What it is.
  ///   - indexPath: Which of those it is.
  public init(kind: ElementKind, indexPath: IndexPath) {
    self.kind = kind
    self.indexPath = indexPath
  }

  /// The element's place in the order of all answers.
  public var position: ElementPosition { ElementPosition(of: kind, at: indexPath) }
}

/// Where an element is and how it looks: UICollectionViewLayoutAttributes.
public struct LayoutAttributes: Hashable, Sendable {
  /// What it is.
  public var kind: ElementKind
  /// Which it is; all but cells have item 0.
  public var indexPath: IndexPath
  /// The frame before the transform, in content coordinates.
  public var frame: Rect
  /// Greater is nearer to the viewer.
  public var zIndex: Int
  /// How an effect has changed its look; in place, so that there is nothing to count or to free.
  @usableFromInline
  var look: Look

  /// Makes attributes of an element that no effect has touched.
  ///
  /// - Parameters:
  ///   - kind: What it is.
  ///   - indexPath: Which it is.
  ///   - frame: The frame, in content coordinates.
  ///   - zIndex: Greater is nearer to the viewer.
  @inlinable
  public init(kind: ElementKind, indexPath: IndexPath, frame: Rect, zIndex: Int = 0) {
    self.kind = kind
    self.indexPath = indexPath
    self.frame = frame
    self.zIndex = zIndex
    self.look = .plain
  }
}

extension LayoutAttributes {
  /// How an element looks where it is.
  @usableFromInline
  enum Look: Hashable, Sendable {
    case plain
    case changed(alpha: Double, transform: AffineTransform, anchorPoint: UnitPoint)

    /// Plain if all have their defaults, so that equal looks are equal.
    init(alpha: Double, transform: AffineTransform, anchorPoint: UnitPoint) {
      self =
        alpha == 1 && transform == .identity && anchorPoint == .center
        ? .plain : .changed(alpha: alpha, transform: transform, anchorPoint: anchorPoint)
    }
  }

  /// Whether no effect has changed its look.
  public var isPlain: Bool { if case .plain = look { true } else { false } }

  /// Whether it shows where its frame is: without a transform the anchor point does not matter.
  var isInPlace: Bool {
    if case .changed(_, let transform, _) = look { transform == .identity } else { true }
  }

  /// 0 is transparent, 1 opaque.
  public var alpha: Double {
    get { if case .changed(let alpha, _, _) = look { alpha } else { 1 } }
    set { look = Look(alpha: newValue, transform: transform, anchorPoint: anchorPoint) }
  }

  /// Applied about the anchor point.
  public var transform: AffineTransform {
    get { if case .changed(_, let transform, _) = look { transform } else { .identity } }
    set { look = Look(alpha: alpha, transform: newValue, anchorPoint: anchorPoint) }
  }

  /// In unit coordinates of the frame; exactly CSS `transform-origin`.
  public var anchorPoint: UnitPoint {
    get { if case .changed(_, _, let anchorPoint) = look { anchorPoint } else { .center } }
    set { look = Look(alpha: alpha, transform: transform, anchorPoint: newValue) }
  }
}

/// A place in a frame, in units of its width and height.
public struct UnitPoint: Hashable, Sendable {
  /// 0 is the left edge, 1 the right.
  public var x: Double
  /// 0 is the top edge, 1 the bottom.
  public var y: Double

  /// Makes a place.
  ///
  /// - Parameters:
  ///   - x: 0 is the left edge, 1 the right.
  ///   - y: 0 is the top edge, 1 the bottom.
  @inlinable
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// The middle.
  public static var center: UnitPoint { UnitPoint(x: 0.5, y: 0.5) }
}

/// The place of an element in the order of all answers.
///
/// By section; inside a section the header, the cells by item, the footer, then the decorations.
public struct ElementPosition: Hashable, Comparable, Sendable {
  /// The section.
  public var section: Int
  /// −1 for the header, the item for a cell, ``footerRank`` for the footer, and more for
  /// decorations.
  public var rank: Int

  /// Makes a position.
  ///
  /// - Parameters:
  ///   - section: The section.
  ///   - rank: The place in the section.
  @inlinable
  public init(section: Int, rank: Int) {
    self.section = section
    self.rank = rank
  }

  /// Finds the position of an element.
  ///
  /// - Parameters:
  ///   - kind: What it is.
  ///   - indexPath: Which it is.
  @inlinable
  public init(of kind: ElementKind, at indexPath: IndexPath) {
    section = indexPath.section
    rank =
      switch kind {
      case .cell: indexPath.item
      case .header: -1
      case .footer: ElementPosition.footerRank
      case .decoration(let place): ElementPosition.footerRank + 1 + Int(place)
      }
  }

  /// The rank of a footer: past all items.
  public static var footerRank: Int { 1 << 62 }

  /// Before everything.
  public static var first: ElementPosition { ElementPosition(section: 0, rank: -1) }

  /// By section, then by rank.
  @inlinable
  public static func < (left: ElementPosition, right: ElementPosition) -> Bool {
    left.section != right.section ? left.section < right.section : left.rank < right.rank
  }
}

extension LayoutAttributes {
  /// The element's place in the order of all answers.
  @inlinable
  public var position: ElementPosition { ElementPosition(of: kind, at: indexPath) }

  /// Which element it is, without where it is and how it looks.
  public var identity: ElementIdentity { ElementIdentity(kind: kind, indexPath: indexPath) }
}
