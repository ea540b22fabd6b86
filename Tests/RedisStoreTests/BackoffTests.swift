import Testing

@testable import RedisStore

/// When an outage is looked at again.
struct BackoffTests {
  private var generator = SeededGenerator(seed: 1)
  private var outage = RedisOutage()
  private var now = Duration.seconds(1000)

  /// What is said at some time; nil if somebody may try.
  private mutating func refusal(after milliseconds: Int) -> String? {
    do {
      var outage = outage
      _ = try outage.begin(at: now + .milliseconds(milliseconds))
      return nil
    } catch {
      return error.words
    }
  }

  private mutating func fail(_ attempt: RedisOutage.Attempt, _ words: String = "words") {
    outage.fail(attempt, words, at: now, chance: .random(in: 0...1, using: &generator))
  }

  @Test mutating func pausesGrow() throws {
    // Up to what `Retry-After` says.
    for pause in [50, 100, 200, 400, 800, 1000, 1000, 1000, 1000] {
      fail(try outage.begin(at: now))
      // A quarter of it is chance.
      let early = refusal(after: pause * 3 / 4 - 1)
      #expect(early?.hasPrefix("words; the next try is in ") == true)
      let late = refusal(after: pause)
      #expect(late == nil)
      now += .milliseconds(pause)
    }
    _ = try outage.begin(at: now)
    outage.succeed()
    fail(try outage.begin(at: now))
    let late = refusal(after: 50)
    #expect(late == nil)
  }

  @Test mutating func onlyOneTries() throws {
    // As long as all is well, many may connect at once; together they are one failure.
    let attempts = [
      try outage.begin(at: now), try outage.begin(at: now), try outage.begin(at: now),
    ]
    for attempt in attempts { fail(attempt) }
    now += .milliseconds(50)
    let attempt = try outage.begin(at: now)
    let second = refusal(after: 0)
    #expect(second == "words; it is being tried again")
    fail(attempt, "others")
    let third = refusal(after: 0)
    #expect(third?.hasPrefix("others; the next try is in ") == true)
    let fourth = refusal(after: 100)
    #expect(fourth == nil)
  }
}
