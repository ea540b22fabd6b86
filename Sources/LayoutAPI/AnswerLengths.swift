import HTTPMessages
import Synchronization

/// How long answers are that take long to write: whoever asks whether there is another one, or for the header alone, is
/// told the length without the answer being written again.
///
/// An answer is what it is as long as its tag is the same, so that nothing here is ever out of date. There are so many
/// places; a question that finds its place taken has it from then on.
final class AnswerLengths: Sendable {
  /// What is asked, and the tag of its answer: 64 bits of both, which nobody outside can choose, so that two of them
  /// are not met that are the same.
  struct Question {
    fileprivate let hash: Int

    /// Names a question by the target of a `GET` or `HEAD`, as it came, and the answer's tag.
    init(path: Span<UInt8>, query: Span<UInt8>, tag: HTTPEntityTag) {
      var hasher = Hasher()
      for part in [path.string, query.string, tag.description] { hasher.combine(part) }
      hash = hasher.finalize()
    }
  }

  private struct Place {
    var hash = 0
    var byteCount = 0
  }

  /// Shorter answers are written sooner than they are looked for.
  private static let shortest = 16 << 10
  private let places = Mutex(InlineArray<1024, Place>(repeating: Place()))

  /// The length of an answer, in bytes; nil if it has not been written, is short, or has been forgotten.
  func byteCount(of question: Question) -> Int? {
    let place = places.withLock { $0[question.hash & 1023] }
    return place.byteCount > 0 && place.hash == question.hash ? place.byteCount : nil
  }

  /// Notes the length of an answer, in bytes, if it is long.
  func note(_ byteCount: Int, of question: @autoclosure () -> Question) {
    guard byteCount >= AnswerLengths.shortest else { return }
    let hash = question().hash
    places.withLock { $0[hash & 1023] = Place(hash: hash, byteCount: byteCount) }
  }
}
