/// What a change makes of content.
enum ContentChange: Sendable {
  /// Only items of one section are others.
  case items(section: Int, [ItemEdit])
  /// Sections are replaced by others, some of which keep their items; in ascending order and apart from each other.
  case sections([SectionEdit])

  /// Of which nothing is another.
  static let none = ContentChange.sections([])
}

/// Sections to be replaced by others.
struct SectionEdit: Sendable {
  /// Which, before the change; empty to insert only.
  var range: Range<Int>
  /// The number of the first of those after the change.
  var firstSection: Int
  /// By what.
  var sections: [SectionOrigin]
}

/// What a section after a change was before it.
enum SectionOrigin: Sendable {
  /// It was not there.
  case new
  /// The same as before, perhaps at another place.
  case kept(Int)
  /// One of which items have changed.
  case edited(Int, [ItemEdit])
}
