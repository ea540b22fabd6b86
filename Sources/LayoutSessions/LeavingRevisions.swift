/// The revisions of sessions that have left, and those that have been replaced, which are still to be freed.
struct LeavingRevisions {
  /// How much has left, or has been replaced, since the last sweep.
  var leftByteCount = 0
  /// Revisions that share much are counted as if they did not.
  var byteCount = 0
  var alarm: (@Sendable () -> Void)?
  private var revisions: [(revision: Session.Revision, byteCount: Int)] = []
  private var identities: Set<ObjectIdentifier> = []

  mutating func append(_ revision: Session.Revision, byteCount: Int) {
    // A session may leave while it is changed: what leaves is replaced too.
    guard identities.insert(ObjectIdentifier(revision)).inserted else { return }
    revisions.append((revision, byteCount))
    self.byteCount += byteCount
  }

  /// Those that nobody else holds: who does, and lets go last, would free them.
  mutating func takeUnheld() -> [Session.Revision] {
    var taken: [Session.Revision] = []
    for place in revisions.indices.reversed()
    where isKnownUniquelyReferenced(&revisions[place].revision) {
      byteCount -= revisions[place].byteCount
      let revision = revisions.remove(at: place).revision
      identities.remove(ObjectIdentifier(revision))
      taken.append(revision)
    }
    return taken
  }

  mutating func takeAll() -> [Session.Revision] {
    defer { (revisions, identities, byteCount) = ([], [], 0) }
    return revisions.map(\.revision)
  }

  /// What to call when so many bytes have been waiting, and there are more.
  func alarm(after waiting: Int) -> (@Sendable () -> Void)? {
    byteCount > LeavingRevisions.limit && byteCount > waiting ? alarm : nil
  }

  /// How many bytes that no longer count as sessions' may wait for somebody else to free them, besides the one
  /// session more that goes beyond.
  func maximum(beside limits: SessionLimits) -> Int {
    alarm == nil
      ? LeavingRevisions.limit
      : max(LeavingRevisions.limit, min(limits.byteCount / 4, 256 << 20))
  }

  /// When so many bytes wait to be freed, somebody else is told; if there is nobody, they are freed.
  private static let limit = 32 << 20
}
