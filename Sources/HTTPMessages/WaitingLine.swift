/// In which line a request waits for a worker thread.
///
/// Lines take turns, so that whoever sends much waits for it himself. Only ``ofAll`` may fill the queue, or have all
/// bytes that may be under way; any other line has three quarters of them at most.
public enum WaitingLine: Hashable, Sendable {
  /// Nobody knows one who asks from the other, or there is one.
  case ofAll
  /// Those of whom nobody knows who they are, where others are known.
  case ofStrangers
  /// That of one who is known, by number, from 0; from 1022 on they share theirs with others.
  case own(Int)
}
