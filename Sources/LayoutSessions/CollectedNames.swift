public import LayoutCore
import Synchronization

/// The names of a session's sections and items, from the first time on that a change has to know them.
///
/// Whoever changes or tries something knows what those before had to know, be it that they were refused.
public final class CollectedNames: Sendable {
  private let known: Mutex<KnownNames>

  /// Names that are known, and others to be collected when they are needed.
  public init(_ names: KnownNames = KnownNames()) { known = Mutex(names) }
}

extension BatchUpdate {
  /// What the batch makes of content, as `applied(to:names:)` of names that nobody else looks at.
  ///
  /// - Parameters:
  ///   - content: The content.
  ///   - names: The names in it; others wait for them meanwhile.
  /// - Returns: The content afterwards.
  /// - Throws: ``UpdateRefusal`` with the first rule that is broken.
  public func applied(
    to content: Content, names: CollectedNames
  ) throws(UpdateRefusal) -> UpdatedContent {
    try names.withKnown { (known) throws(UpdateRefusal) in try applied(to: content, names: &known) }
  }

  /// A batch like this one that can be applied, as `repaired(for:names:)` of names that nobody else looks at.
  ///
  /// - Parameters:
  ///   - content: The content.
  ///   - names: The names in it; others wait for them meanwhile.
  /// - Returns: Nil if too much is broken, or nothing.
  public func repaired(for content: Content, names: CollectedNames) -> BatchUpdate? {
    names.withKnown { repaired(for: content, names: &$0) }
  }
}

extension CollectedNames {
  fileprivate func withKnown<Value: Sendable, Failure: Error>(
    _ body: (inout KnownNames) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try known.withLock { (known) throws(Failure) in try body(&known) }
  }
}
