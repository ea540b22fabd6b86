import CSQLite
import Glibc
import LayoutSessions

extension StoreError {
  /// The end has come.
  static var closed: StoreError { StoreError(.unavailable, "the store is closed") }

  /// What the system says of a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - what: What was tried.
  ///   - code: The system's number for what is wrong.
  /// - Returns: The error: nothing has been done.
  static func system(_ path: String, _ what: String, _ code: Int32) -> StoreError {
    StoreError(.unavailable, "\(path): \(what): \(text(of: code))")
  }

  /// A file that has been taken away, or another one that has been put in its place.
  static func elsewhere(_ path: String) -> StoreError {
    StoreError(.unavailable, "\(path) is not there any more, or is another file")
  }

  /// What the system says of a number of its own.
  static func text(of code: Int32) -> String {
    // Safe: the text is the C library's, and copied at once.
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }

  /// The same error, with the session that it is about.
  ///
  /// - Parameter id: The session.
  /// - Returns: The error.
  func about(_ id: SessionID) -> StoreError { StoreError(kind, "session \(id): \(detail)") }
}
