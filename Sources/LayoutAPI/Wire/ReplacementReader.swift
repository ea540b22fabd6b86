import LayoutCore

/// The body of `PUT …/layout`.
struct LayoutReplacement {
  var layout: any CollectionLayout
  var snap: SnapRule
  /// The layout as the client wrote it.
  var source: [UInt8]
  var anchor: AnchorRequest?
  /// Where the client is; nil if it does not say.
  var contentOffset: Point?

  /// Puts the layout into a description.
  func apply(to description: inout Description) {
    description.layout = layout
    description.layoutSource = source
    description.snap = snap
  }
}

/// The body of `PUT …/collection`.
struct CollectionReplacement {
  /// The content, with where the names of its items are: to be compared with what is replaced.
  var names: NameIndex
  var anchor: AnchorRequest?
  /// Where the client is; nil if it does not say.
  var contentOffset: Point?
}

private enum LayoutReplacementMember: Int, JSONName {
  case layout, anchor, contentOffset
  static let names = JSONNames(of: Self.self)
}

private enum CollectionReplacementMember: Int, JSONName {
  case collection, anchor, contentOffset
  static let names = JSONNames(of: Self.self)
}

extension JSONValue {
  /// The body of `PUT …/layout`.
  ///
  /// - Throws: ``JSONError`` that points to what is wrong.
  func layoutReplacement() throws(JSONError) -> LayoutReplacement {
    let object = try JSONObject<LayoutReplacementMember>(self)
    let given = try object.required(.layout)
    let (layout, snap) = try LayoutReader.read(given)
    return LayoutReplacement(
      layout: layout, snap: snap, source: given.compactJSON,
      anchor: try object[.anchor]?.anchor(),
      contentOffset: try object[.contentOffset]?.point())
  }

  /// The body of `PUT …/collection`.
  ///
  /// - Parameter limits: What the collection may hold.
  /// - Returns: What it says.
  /// - Throws: ``JSONError`` that points to what is wrong.
  func collectionReplacement(limits: ContentLimits) throws(JSONError) -> CollectionReplacement {
    let object = try JSONObject<CollectionReplacementMember>(self)
    return CollectionReplacement(
      names: try object.required(.collection).namedContent(limits: limits),
      anchor: try object[.anchor]?.anchor(),
      contentOffset: try object[.contentOffset]?.point())
  }
}
