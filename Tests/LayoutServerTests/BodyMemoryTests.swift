import Foundation
import HTTPMessages
import Testing

@Suite(.waits) struct BodyMemoryTests {
  @Test(arguments: [0, 1, 1023, 1024, 1025, 5000, 16_384, 16_385, 1 << 20])
  func thereAreAsManyBytesAsAskedFor(capacity: Int) {
    for _ in 0..<20 {
      let memory = BodyMemory(capacity: capacity)
      #expect(memory.capacity >= capacity)
      // Safe: there are so many bytes; nobody else has them.
      unsafe memset(memory.start, 7, memory.capacity)
    }
  }

  /// Bodies of all lengths come and go on many threads, some on another than where they were made.
  @Test func noTwoBodiesShareMemory() {
    let lock = NSLock()
    nonisolated(unsafe) var left: [HTTPContent] = []
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      var random = SystemRandomNumberGenerator()
      var bodies: [(content: HTTPContent, letter: UInt8)] = []
      for round in 0..<500 {
        let letter = UInt8(truncatingIfNeeded: thread * 31 + round)
        let count = Int.random(in: 0...20_000, using: &random)
        let memory = BodyMemory(capacity: count)
        // Safe: there are so many bytes; nobody else has them, which is what is tested.
        unsafe memset(memory.start, Int32(letter), count)
        bodies.append((HTTPContent(memory, byteCount: count), letter))
        if bodies.count > 12 {
          let (content, letter) = bodies.remove(at: Int.random(in: 0..<12, using: &random))
          #expect(consists(content, of: letter))
          // Goes with whichever thread comes next.
          lock.withLock { unsafe left.append(content) }
        }
        if round % 7 == 0 {
          lock.withLock { unsafe left.removeAll() }
        }
      }
      for (content, letter) in bodies { #expect(consists(content, of: letter)) }
    }
  }

  /// Whether a body has nothing but a letter, as far as some of its bytes tell.
  private func consists(_ content: HTTPContent, of letter: UInt8) -> Bool {
    content.withBytes { bytes in
      stride(from: 0, to: bytes.count, by: 97).allSatisfy { bytes[$0] == letter }
        && (bytes.isEmpty || bytes[bytes.count - 1] == letter)
    }
  }

  @Test func aContentIsNoLongerThanItsMemory() {
    let content = HTTPContent(BodyMemory(capacity: 10), byteCount: 11)
    #expect(content.byteCount == 10)
    #expect(HTTPContent(BodyMemory(capacity: 10), byteCount: -1).byteCount == 0)
  }
}
