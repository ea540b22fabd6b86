import HTTPMessages
import LayoutCore
import Synchronization

/// An answer that may be given again, and where it leaves the session that gets it.
final class KeptAnswer: Sendable {
  let content: HTTPContent
  /// Where the client has scrolled to; nil if the answer is to a question that changes nothing.
  let scrolling: ScrollState?

  init(content: HTTPContent, scrolling: ScrollState? = nil) {
    self.content = content
    self.scrolling = scrolling
  }
}

/// All that an answer depends on.
struct AnswerKey: Equatable, Sendable {
  /// What is asked, and in which form it is answered.
  enum Question: UInt64 {
    /// What is about the viewport: not an answer itself.
    case band
    /// A full tick, towards the start or the end.
    case backward, forward, backwardInColumns, forwardInColumns
    /// The first elements in a rectangle.
    case elements, elementsInColumns
  }

  /// The revision of the session; see `Session.Revision`.
  var revision: UInt64
  /// Which question.
  var question: Question
  /// The question's numbers.
  var numbers: InlineArray<4, Int64>

  /// Whether they are equal in all.
  static func == (left: AnswerKey, right: AnswerKey) -> Bool {
    left.revision == right.revision && left.question == right.question
      && left.numbers[0] == right.numbers[0] && left.numbers[1] == right.numbers[1]
      && left.numbers[2] == right.numbers[2] && left.numbers[3] == right.numbers[3]
  }

  /// Bits that each number moves: those above the middle of products, first.
  fileprivate var hash: UInt64 {
    var hash = revision &* 0x9E37_79B9_7F4A_7C15 ^ question.rawValue
    for index in numbers.indices {
      hash = (hash ^ UInt64(bitPattern: numbers[index])) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 32
    }
    return hash >> 20 | hash << 44
  }
}

/// What was answered a short while ago, to be answered again: bounded in bytes, the least recently
/// used go first.
///
/// A key names all that an answer depends on, the revision of the session included. A revision never
/// changes, so that nothing here is ever out of date: what no client can ask for any more is simply
/// not found again, and leaves in its turn.
///
/// The entries are in sets, each with a lock of its own, which a key's numbers choose.
final class AnswerCache<Answer: AnyObject & Sendable>: Sendable {
  private struct Entry {
    var key: AnswerKey
    var answer: Answer
    var byteCount: Int
    var lastUse: UInt64
  }

  private struct Entries {
    private(set) var entries: [Entry] = []
    /// A part of the hash of each entry's key: most keys are told apart by these, which lie together.
    ///
    /// More entries than there is room for take longer to look through than an answer takes to make.
    var marks = InlineArray<32, UInt32>(repeating: 0)
    var byteCount = 0
    var useCount: UInt64 = 0
    /// Some of what was asked last, by its hash.
    var asked = InlineArray<64, UInt32>(repeating: 0)

    mutating func noteAsked(_ hash: UInt64) -> Bool {
      let place = Int(hash >> 8 & 63)
      let mark = Entries.mark(hash) | 1
      let wasAsked = asked[place] == mark
      asked[place] = mark
      return wasAsked
    }

    /// Where the entry of a key is; nil if there is none.
    private func place(of key: borrowing AnswerKey, _ hash: UInt64) -> Int? {
      let mark = Entries.mark(hash)
      for place in entries.indices where marks[place] == mark {
        if entries[place].key == key { return place }
      }
      return nil
    }

    private static func mark(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) }

    /// Where the entry of a key is, which is used now; nil if there is none.
    mutating func use(_ key: borrowing AnswerKey, _ hash: UInt64) -> Int? {
      guard let place = place(of: key, hash) else { return nil }
      useCount &+= 1
      entries[place].lastUse = useCount
      return place
    }

    /// Keeps an entry instead of what was there; returns what has to leave.
    mutating func insert(_ entry: Entry, _ hash: UInt64, limit: Int) -> [Answer] {
      var left: [Answer] = []
      if let place = place(of: entry.key, hash) { left.append(remove(at: place)) }
      while byteCount + entry.byteCount > limit || entries.count >= marks.count,
        let place = entries.indices.min(by: { entries[$0].lastUse < entries[$1].lastUse })
      {
        left.append(remove(at: place))
      }
      useCount &+= 1
      byteCount += entry.byteCount
      marks[entries.count] = Entries.mark(hash)
      entries.append(entry)
      entries[entries.count - 1].lastUse = useCount
      return left
    }

    private mutating func remove(at place: Int) -> Answer {
      let last = entries.count - 1
      entries.swapAt(place, last)
      marks[place] = marks[last]
      let entry = entries.removeLast()
      byteCount -= entry.byteCount
      return entry.answer
    }
  }

  /// A power of two of them, here and not in an array: its storage has a count of uses, which all threads would
  /// change.
  private let sets: InlineArray<256, Mutex<Entries>>
  private let limit: Int
  /// What an entry takes beside its bytes.
  private let entryByteCount: Int
  /// The most bytes that an answer may have to be kept.
  let answerLimit: Int

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - byteCount: How many bytes all answers may take together; 0 to keep none.
  ///   - answerLimit: How many one may have to be kept.
  ///   - entryByteCount: How many an entry takes beside its own.
  init(byteCount: Int, answerLimit: Int = 32 * 1024, entryByteCount: Int = 512) {
    sets = InlineArray { _ in Mutex(Entries()) }
    limit = byteCount / sets.count
    self.answerLimit = answerLimit
    self.entryByteCount = entryByteCount
  }

  /// Works on the entries that a key's are among.
  @inline(__always)
  private func withSet<Result>(
    of hash: UInt64, _ body: (inout sending Entries) -> sending Result
  ) -> Result {
    sets[Int(hash & UInt64(sets.count - 1))].withLock(body)
  }

  /// The answer to a question, if it is still there.
  ///
  /// - Parameter key: What it depends on.
  /// - Returns: The answer, or nil.
  func answer(to key: AnswerKey) -> Answer? { withAnswer(to: key) { $0 } }

  /// Lends the answer to a question, if it is still there.
  ///
  /// - Parameters:
  ///   - key: What it depends on.
  ///   - body: Takes of it what is needed, so that nobody need hold all of it; others wait meanwhile.
  /// - Returns: What `body` returns, or nil.
  @inline(__always)
  func withAnswer<Result>(to key: AnswerKey, _ body: (Answer) -> Result?) -> Result? {
    let hash = key.hash
    var result: Result?
    withSet(of: hash) { set in
      if let place = set.use(key, hash) { result = body(set.entries[place].answer) }
    }
    return result
  }

  /// Notes that a question is asked, and says whether it was a short while ago.
  ///
  /// What is asked once is mostly not asked again: a scroll over pages that are all new would fill the
  /// cache with answers, and the processor's caches with their bytes, for nothing.
  ///
  /// - Parameter key: What the answer depends on.
  /// - Returns: Whether it was; may be wrong, rarely.
  func noteAsked(_ key: AnswerKey) -> Bool {
    let hash = key.hash
    return withSet(of: hash) { $0.noteAsked(hash) }
  }

  /// Whether an answer is short enough to be kept.
  ///
  /// - Parameter byteCount: The bytes it takes.
  /// - Returns: Whether it is.
  func takes(byteCount: Int) -> Bool { byteCount + entryByteCount <= min(limit, answerLimit) }

  /// Whether an answer is to be kept: it is short enough, and its question was asked a short while ago.
  ///
  /// The question of one that is short enough is noted.
  ///
  /// What is said to be kept is held once for all who are sent it, and not counted for each: it has to be so.
  ///
  /// - Parameters:
  ///   - key: What it depends on.
  ///   - byteCount: The bytes it takes.
  /// - Returns: Whether it is.
  func isWorthKeeping(_ key: AnswerKey, byteCount: Int) -> Bool {
    takes(byteCount: byteCount) && noteAsked(key)
  }

  /// Keeps an answer, as long as there is room; not if it is too long.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - key: What it depends on.
  ///   - byteCount: The bytes it takes.
  func insert(_ answer: Answer, for key: AnswerKey, byteCount: Int) {
    guard takes(byteCount: byteCount) else { return }
    let entry = Entry(
      key: key, answer: answer, byteCount: byteCount + entryByteCount, lastUse: 0)
    let hash = key.hash
    // Freed after the lock is released.
    _ = withSet(of: hash) { $0.insert(entry, hash, limit: limit) }
  }

  /// The bytes that all answers take.
  var byteCount: Int {
    var sum = 0
    for index in sets.indices { sum += sets[index].withLock { $0.byteCount } }
    return sum
  }
}
