import LayoutCore
import LayoutSessions

/// Why a request is not answered as it wished.
enum Failure: Error {
  /// Not on a thread that serves.
  case takesLong
  /// The layout says no; `tooManyElements` on a serving thread means: try again on a worker.
  case layout(LayoutError)
  /// There is no room for the session.
  case session(SessionError)
  /// Everything else.
  case problem(Problem)

  /// Whether a worker may do what the thread that serves may not.
  func isLeftToWorkers(_ limits: ServiceLimits) -> Bool {
    switch self {
    case .takesLong: true
    case .layout(.tooManyElements(let limit)): limit < limits.elementCount
    case .layout, .session, .problem: false
    }
  }

  /// The refusal; nothing takes too long for a worker.
  func problem(_ operation: Operation?) -> Problem {
    switch self {
    case .takesLong: return Problem(.unavailable, "the request takes too long")
    case .problem(let problem): return problem
    case .layout(let error): return Problem(error).pointing(into: operation?.describedPart)
    case .session(let error): return Problem(error).pointing(into: operation?.describedPart)
    }
  }
}

extension Operation {
  /// A pointer to the part of a description that the bodies have; nil if they have none.
  fileprivate var describedPart: String? {
    switch self {
    case .layOut, .createSession: ""
    case .replaceLayout: "/layout"
    case .replaceCollection: "/collection"
    default: nil
    }
  }
}

extension Problem {
  /// Without its pointer, if that leads out of what a body has of a description; `part` is nil where it has nothing
  /// of one.
  fileprivate func pointing(into part: String?) -> Problem {
    guard let pointer, part.map(pointer.hasPrefix) != true else { return self }
    var problem = self
    problem.pointer = nil
    return problem
  }
}
