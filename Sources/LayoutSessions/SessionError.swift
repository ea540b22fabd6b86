/// Why a session cannot be kept.
public enum SessionError: Error, Hashable {
  /// It alone takes more than all sessions may, or all of its owner's.
  case tooLarge(byteCount: Int, limit: Int)
  /// Its owner has as many as one may have.
  case tooMany(limit: Int)
  /// With those of its owner it takes more than one owner's may.
  case tooMuch(limit: Int)
}
