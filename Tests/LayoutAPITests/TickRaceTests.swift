import HTTPMessages
import LayoutAPI
import Synchronization
import Testing

/// Ticks of a session that others change and scroll while they are worked out.
struct TickRaceTests {
  /// What others do while a tick is worked out: one thing each time that its clock is read, which is twice in
  /// each round.
  private final class Meanwhile: Sendable {
    private let pending = Mutex<[@Sendable () -> Void]>([])
    private let isActing = Atomic(false)

    func expect(_ actions: [@Sendable () -> Void]) { pending.withLock { $0 = actions } }

    func readClock() -> UInt64 {
      // Others read it too.
      guard !isActing.exchange(true, ordering: .relaxed) else { return 0 }
      pending.withLock { $0.isEmpty ? nil : $0.removeFirst() }?()
      isActing.store(false, ordering: .relaxed)
      return 0
    }

    var isOver: Bool { pending.withLock(\.isEmpty) }
  }

  private let service: MockService
  private let path: String
  private let meanwhile: Meanwhile

  init() throws {
    let meanwhile = Meanwhile()
    self.meanwhile = meanwhile
    let clock: @Sendable () -> UInt64 = { meanwhile.readClock() }
    service = MockService(clocks: ServiceClocks(monotonic: clock, thread: clock))
    // So long that the time of questions is taken.
    path = try service.makeSession(
      #"{"collection":{"sections":[{"items":{"lengths":[\#(longLengths)]}}]},"layout":{"kind":"list"},"viewport":{"width":200,"height":300}}"#
    )
    // And so often that they are known to be quick.
    for _ in 0..<64 { _ = service.send(.get, path + "/item-at?x=1&y=1") }
  }

  private func scroll(to y: Int, isFull: Bool, ifMatch: String = "", mayTakeLong: Bool = true)
    -> Answer?
  {
    service.send(
      .post, path + "/scroll", #"{"contentOffset":{"x":0,"y":\#(y)},"full":\#(isFull)}"#,
      ifMatch: ifMatch, mayTakeLong: mayTakeLong)
  }

  /// Somebody else's change.
  private var update: @Sendable () -> Void {
    let (service, path) = (service, path)
    return {
      let answer = service.send(
        .post, path + "/updates", #"{"deleteItems":[{"section":0,"start":0,"end":1}]}"#)
      #expect(answer?.status == 200)
    }
  }

  /// Somebody else's ticks.
  private func ticks(_ count: Int) -> [@Sendable () -> Void] {
    let (service, path) = (service, path)
    return (0..<count).map { number in
      {
        let answer = service.send(
          .post, path + "/scroll", #"{"contentOffset":{"x":0,"y":-\#(900 + number)}}"#)
        #expect(answer?.status == 200)
      }
    }
  }

  /// A change that comes while a tick is worked out, in its first round or in a later one, or before its turn.
  @Test(arguments: [true, false], [0, 1, 3, 7])
  func aTickIsForTheVersionThatItNames(isFull: Bool, ticksBefore: Int) throws {
    meanwhile.expect(ticks(ticksBefore) + [update])
    let tick = try #require(scroll(to: 500, isFull: isFull, ifMatch: #""1""#))
    #expect(meanwhile.isOver)
    #expect(tick.status == 412, "\(tick.text)")
    #expect(tick["version"] as? Int == 2)
    // Who names none is answered from what there is now.
    meanwhile.expect([update])
    #expect(scroll(to: 800, isFull: isFull)?["version"] as? Int == 3)
  }

  @Test(arguments: [true, false])
  func aTickThatOthersHoldUpHasItsTurn(isFull: Bool) throws {
    meanwhile.expect(ticks(8))
    #expect(scroll(to: 500, isFull: isFull, mayTakeLong: false) == nil)
    #expect(meanwhile.isOver)
    meanwhile.expect(ticks(8))
    let tick = try #require(scroll(to: 700, isFull: isFull))
    #expect(meanwhile.isOver)
    #expect(tick.status == 200)
    let next = try #require(scroll(to: 700, isFull: false))
    #expect(next.text("appeared") == "[]")
    #expect(next["reset"] as? Bool == false)
  }
}
