import HTTPMessages
import Testing

@testable import LayoutAPI

struct AnswerCacheTests {
  private func key(_ revision: UInt64, _ number: Int64) -> AnswerKey {
    AnswerKey(revision: revision, question: .elements, numbers: [number, 0, 0, 0])
  }

  private func answer(_ byte: UInt8, count: Int = 5000) -> KeptAnswer {
    KeptAnswer(content: HTTPContent([UInt8](repeating: byte, count: count)))
  }

  @Test func everyPartOfAKeyCounts() {
    let cache = AnswerCache<KeptAnswer>(byteCount: 32 << 20)
    let keys = [
      key(1, 1), key(2, 1), key(1, 2),
      AnswerKey(revision: 1, question: .elementsInColumns, numbers: [1, 0, 0, 0]),
      AnswerKey(revision: 1, question: .elements, numbers: [1, 1, 0, 0]),
      AnswerKey(revision: 1, question: .elements, numbers: [1, 0, 1, 0]),
      AnswerKey(revision: 1, question: .elements, numbers: [1, 0, 0, 1]),
    ]
    for (place, key) in keys.enumerated() {
      // Not by its hash alone, of which others may be the same.
      #expect(keys.count { $0 == key } == 1)
      #expect(cache.answer(to: key) == nil)
      cache.insert(answer(UInt8(place)), for: key, byteCount: 5000)
    }
    for (place, key) in keys.enumerated() {
      #expect(cache.answer(to: key)?.content.bytes.first == UInt8(place))
    }
  }

  @Test func staysInItsBoundsAndKeepsWhatIsUsed() {
    let limit = 4 << 20
    let cache = AnswerCache<KeptAnswer>(byteCount: limit)
    cache.insert(answer(1, count: 2000), for: key(0, 0), byteCount: 2000)
    for number in 1...20_000 {
      cache.insert(answer(2, count: 2000), for: key(1, Int64(number)), byteCount: 2000)
      #expect(cache.answer(to: key(0, 0)) != nil)
      if number % 1000 == 0 { #expect(cache.byteCount <= limit) }
    }
    #expect(cache.byteCount > limit / 2)
    // Of the others those of a while ago have left, the last one has not.
    #expect(cache.answer(to: key(1, 1)) == nil)
    #expect(cache.answer(to: key(1, 20_000)) != nil)
    // All that is kept is found.
    let kept = 1 + (1...20_000).count { cache.answer(to: key(1, $0)) != nil }
    #expect(cache.byteCount == kept * (2000 + 512))
  }

  @Test func keepsAnAnswerInsteadOfTheOneBefore() {
    let cache = AnswerCache<KeptAnswer>(byteCount: 32 << 20)
    for byte: UInt8 in 1...2 { cache.insert(answer(byte), for: key(1, 1), byteCount: 5000) }
    #expect(cache.answer(to: key(1, 1))?.content.bytes.first == 2)
    #expect(cache.byteCount == 5000 + 512)
  }

  @Test func knowsWhatWasAskedBefore() {
    let cache = AnswerCache<KeptAnswer>(byteCount: 32 << 20)
    #expect(!cache.noteAsked(key(1, 1)))
    #expect(cache.noteAsked(key(1, 1)))
    #expect(!cache.noteAsked(key(2, 1)))
    // It forgets, and is hardly ever wrong about what it never heard.
    let again = (10...50_000).count { cache.noteAsked(key(3, $0)) }
    #expect(again < 50)
    #expect(!cache.noteAsked(key(1, 1)))
  }

  @Test func keepsNothingLong() {
    let cache = AnswerCache<KeptAnswer>(byteCount: 32 << 20)
    #expect(cache.takes(byteCount: 5000))
    #expect(!cache.takes(byteCount: 40_000))
    cache.insert(answer(1, count: 40_000), for: key(1, 1), byteCount: 40_000)
    #expect(cache.byteCount == 0)
    let none = AnswerCache<KeptAnswer>(byteCount: 0)
    #expect(!none.takes(byteCount: 10))
    none.insert(answer(1, count: 10), for: key(1, 1), byteCount: 10)
    #expect(none.answer(to: key(1, 1)) == nil)
  }
}
