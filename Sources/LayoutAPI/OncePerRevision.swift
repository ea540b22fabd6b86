import LayoutSessions

/// What of a change depends on a session's revision alone: worked out once for it.
///
/// A change that a tick has come before is worked out again, of which this is nearly all; and a session on a
/// screen is ticked at every frame.
struct OncePerRevision<Value> {
  private var known: (revision: UInt64, value: Value)?

  /// The value for how a session is.
  ///
  /// - Parameters:
  ///   - session: How it is.
  ///   - work: Works the value out from its revision.
  /// - Returns: The value.
  /// - Throws: What `work` throws.
  mutating func value(
    for session: Session.Snapshot, _ work: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let revision = session.revision.number
    if let known, known.revision == revision { return known.value }
    let value = try work()
    known = (revision, value)
    return value
  }
}
