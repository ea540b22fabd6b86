/// In which line a request waits for a worker thread.
///
/// Lines take turns, so that whoever sends much waits for it himself. Only ``shared`` may fill the queue, or have all
/// workers or all bytes that may be under way; any other line has three quarters of them at most: one of two workers.
public enum WaitingLine: Hashable, Sendable {
  /// Clients are not told apart, or only one is known.
  case shared
  /// Clients are told apart, and this one has not said who it is.
  case unidentified
  /// A known client's, by its number, from 0; from 1022 on they share theirs with others.
  case own(Int)
}
