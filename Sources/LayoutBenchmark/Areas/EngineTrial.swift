import CBenchmark
import LayoutCore

/// One layout with so many items: a round of all that is asked of it, in the engine and in C.
///
/// Both go through the same changes, each on what the change before it left, as a session does.
struct EngineTrial {
  private let subject: EngineSubject
  private let count: Int
  private let loop: LoopLayout

  static let rectQuery = "W2 rect query"

  /// Lengths that a viewport may have here, in points.
  private static let size = (width: 800, height: 600)
  /// How many questions are asked at once, so that the clock does not count.
  private static let questionCount = 1000
  /// How often so many: once, and then as often as most changes are made.
  private static let questionRounds = 1 + 32

  init(_ subject: EngineSubject, count: Int) throws(BenchmarkError) {
    self.subject = subject
    self.count = count
    loop = try LoopLayout(
      subject.kind, columnCount: subject.columnCount, capacity: count + 1000)
  }

  /// Content with its layout.
  private struct State {
    var content: Content
    var prepared: PreparedLayout
  }

  func run(
    _ round: Int, _ pool: inout SizePool, _ table: inout Table
  ) throws(BenchmarkError) {
    var random = RandomNumbers(seed: UInt64(round + 1) &* UInt64(count))
    var state = try arrangeAll(round, &pool, &table)
    try changeWidth(&state, &random, &table)
    try ask(state, &random, &table)
    let rebuilds = try subject.movesWhatFollows ? rebuildWhatFollows(&pool) : nil
    for kind in [EngineChange.insert, .resize] {
      for place in EngineChange.Place.allCases {
        // And one before them.
        let edits = (0...repetitions).map { _ in
          EngineEdit(kind, place, of: state.content.sections.itemCount, &random)
        }
        let name = "\(kind.rawValue), \(place.rawValue)"
        let times = try change(&state, edits)
        table.record(
          name, count: count, times.others.engine, beside: ("C", times.others.loop),
          target: subject.changeTarget)
        // Its code and data have not been used for a while: what it finds in no cache is its cost.
        table.record(
          "\(name), the first", count: count, times.first.engine, beside: ("C", times.first.loop))
        if let rebuild = rebuilds?[place] {
          table.record(
            "\(name), beside all that follows", count: count, times.others.engine,
            beside: ("laying it out", rebuild), target: .ratioAtMost(1.1))
        }
      }
    }
    let deletions = min(1000, count / 10)
    // And one before them; half of the items stay.
    let edits = (0...min(repetitions, count / 2 / max(1, deletions) - 1)).map {
      EngineEdit(
        deletingScattered: deletions, of: state.content.sections.itemCount - $0 * deletions)
    }
    let times = try change(&state, edits)
    let name = "W5 delete 1,000 scattered"
    table.record(
      name, count: count, times.others.engine, beside: ("C", times.others.loop),
      target: subject.movesWhatFollows ? nil : subject.arrangeTarget)
    table.record(
      "\(name), the first", count: count, times.first.engine, beside: ("C", times.first.loop))
    if subject.movesWhatFollows {
      // For changes that loop keeps the lengths that it has scaled; who rebuilds scales all anew, as the engine does.
      // Of what is left in the end, so a little less than after each change.
      var length: Int64 = 0
      let rebuilds = edits.dropFirst().map { _ in
        Measurement.microseconds { length = arrangeInC(Self.size.width) }
      }
      try check(state.prepared, length, "a rebuild")
      table.record(
        "\(name), beside a rebuild", count: count, times.others.engine,
        beside: ("C: all that is left", rebuilds.reduce(0, +) / Double(rebuilds.count)),
        target: subject.arrangeTarget)
    }
  }

  /// How many changes one after the other are one measurement.
  private var repetitions: Int {
    subject.movesWhatFollows ? max(2, min(32, 400_000 / count)) : 32
  }

  // MARK: All items

  /// Lays out items that nobody has seen before; several times where there are few.
  private func arrangeAll(
    _ round: Int, _ pool: inout SizePool, _ table: inout Table
  ) throws(BenchmarkError) -> State {
    let repetitions = max(1, min(8, 200_000 / count))
    var times = (engine: 0.0, loop: 0.0, describing: 0.0, copy: 0.0)
    var last: State?
    for repetition in 0..<repetitions {
      let sizes = pool.take(count)
      var content = Content(sections: [])
      times.describing += Measurement.microseconds { content = sizes.content }
      loop.load(sizes)
      var length: Int64 = 0
      func inC() { times.loop += Measurement.microseconds { length = arrangeInC(Self.size.width) } }
      if (round + repetition).isMultiple(of: 2) { inC() }
      var prepared: PreparedLayout?
      times.engine += try Measurement.expect {
        try Measurement.microseconds { prepared = try prepare(content) }
      }
      if !(round + repetition).isMultiple(of: 2) { inC() }
      times.copy += Measurement.microseconds { _ = loop.copy() }
      guard let prepared else { continue }
      try check(prepared, length, "laying out")
      last = State(content: content, prepared: prepared)
    }
    guard let last else { throw BenchmarkError(message: "nothing was laid out") }
    let engine = times.engine / Double(repetitions)
    let inC: (String, Double)? =
      subject.isArithmetic ? nil : ("C", times.loop / Double(repetitions))
    table.record(
      "W1 full layout", count: count, engine, beside: inC, target: subject.arrangeTarget)
    table.record(
      "W1 with its description", count: count, engine + times.describing / Double(repetitions),
      beside: inC)
    if !subject.isArithmetic {
      table.record(
        "W1 beside a copy", count: count, engine,
        beside: ("copy of the loop's bytes", times.copy / Double(repetitions)))
    }
    return last
  }

  private func arrangeInC(_ width: Int) -> Int64 {
    loop.arrange(
      width: Int64(width) * Length.millionthsPerPoint,
      height: Int64(Self.size.height) * Length.millionthsPerPoint)
  }

  private func prepare(_ content: Content, width: Int = size.width) throws -> PreparedLayout {
    try PreparedLayout(
      content, layout: subject.layout,
      viewport: Viewport(
        size: Size(width: Length(points: width), height: Length(points: Self.size.height))))
  }

  /// What a turned device asks for; the content is then laid out as it was.
  private func changeWidth(
    _ state: inout State, _ random: inout RandomNumbers, _ table: inout Table
  ) throws(BenchmarkError) {
    let width = 600 + random.next(below: 400)
    var length: Int64 = 0
    let inC = Measurement.microseconds { length = arrangeInC(width) }
    let old = state
    let engine = try Measurement.expect {
      try Measurement.microseconds { state.prepared = try prepare(old.content, width: width) }
    }
    try check(state.prepared, length, "a new width")
    table.record(
      "W6 new width", count: count, engine, beside: subject.isArithmetic ? nil : ("C", inC))
    state = old
    _ = arrangeInC(Self.size.width)
  }

  /// What laying out the items costs that follow a change at the start, and in the middle.
  private func rebuildWhatFollows(
    _ pool: inout SizePool
  ) throws(BenchmarkError) -> [EngineChange.Place: Double] {
    var times: [EngineChange.Place: Double] = [:]
    for (place, count) in [(EngineChange.Place.start, count), (.middle, count / 2)] {
      let content = pool.take(count).content
      times[place] = try Measurement.expect {
        try Measurement.microseconds { _ = try prepare(content) }
      }
    }
    return times
  }

  /// What a question or a change takes, in microseconds.
  private struct TrialTime {
    var engine = 0.0
    var loop = 0.0

    static func += (left: inout TrialTime, right: TrialTime) {
      left.engine += right.engine
      left.loop += right.loop
    }
  }

  // MARK: Questions

  private func ask(
    _ state: State, _ random: inout RandomNumbers, _ table: inout Table
  ) throws(BenchmarkError) {
    var (first, others) = (TrialTime(), TrialTime())
    var places: [Point] = []
    for round in 0..<Self.questionRounds {
      places = (0..<Self.questionCount).map { _ in place(in: state.prepared, &random) }
      let time = try askForRects(state, places)
      if round == 0 { first = time } else { others += time }
    }
    let othersCount = Double(Self.questionRounds - 1)
    table.record(
      Self.rectQuery, count: count, others.engine / othersCount,
      beside: ("C", others.loop / othersCount), target: .atMost(1))
    // After layouts of another width: what they have left in the caches is the loop's own, and none of the
    // engine's, of which all that it finds in no cache is its cost. So the target is for the others.
    table.record(
      "\(Self.rectQuery), the first", count: count, first.engine, beside: ("C", first.loop))
    try askForItems(state, places, &random, &table)
  }

  /// Asks for the elements of screens, the engine and C; both have to see the same.
  private func askForRects(
    _ state: State, _ places: [Point]
  ) throws(BenchmarkError) -> TrialTime {
    let size = state.prepared.viewport.size
    var engineAnswer = loop_answer()
    let engine = Measurement.microseconds {
      for place in places {
        state.prepared.forEachElement(
          in: Rect(origin: place, size: size), contentOffset: place
        ) { element in
          let frame = element.frame
          engineAnswer.count += 1
          engineAnswer.sum += (frame.minX + frame.minY + frame.width + frame.height).millionths
          return true
        }
      }
    }
    var loopAnswer = loop_answer()
    let inC = Measurement.microseconds {
      for place in places {
        let answer = loop.query(
          loop_rect(
            x: place.x.millionths, y: place.y.millionths, width: size.width.millionths,
            height: size.height.millionths))
        loopAnswer.count += answer.count
        loopAnswer.sum += answer.sum
      }
    }
    guard engineAnswer.count == loopAnswer.count, engineAnswer.sum == loopAnswer.sum else {
      throw disagreement("a rectangle", engineAnswer.count, loopAnswer.count)
    }
    let questions = Double(places.count)
    return TrialTime(engine: engine / questions, loop: inC / questions)
  }

  private func askForItems(
    _ state: State, _ places: [Point], _ random: inout RandomNumbers, _ table: inout Table
  ) throws(BenchmarkError) {
    let points = places.map {
      Point(
        x: $0.x + Length(points: random.next(below: Self.size.width)),
        y: $0.y + Length(points: random.next(below: Self.size.height)))
    }
    var found = (engine: 0, loop: 0)
    let engine = Measurement.microseconds {
      for point in points {
        found.engine +=
          state.prepared.indexPathForItem(at: point, contentOffset: .zero)?.item ?? -1
      }
    }
    let inC = Measurement.microseconds {
      for point in points {
        found.loop += Int(loop.item(atX: point.x.millionths, y: point.y.millionths))
      }
    }
    guard found.engine == found.loop else {
      throw disagreement("points", Int64(found.engine), Int64(found.loop))
    }
    let questions = Double(points.count)
    table.record(
      "W7 item at a point", count: count, engine / questions, beside: ("C", inC / questions))
    for mode in [SnapMode.center, .start] {
      let time = Measurement.microseconds {
        for place in places {
          let drag = DragEnd(
            proposedContentOffset: place, velocity: .zero, startContentOffset: place,
            contentOffset: place)
          _ = state.prepared.snapTarget(for: drag, mode: mode, decelerationRate: .normal)
        }
      }
      table.record("W7 nearest item, snap \(mode.rawValue)", count: count, time / questions)
    }
  }

  /// A content offset somewhere.
  private func place(in prepared: PreparedLayout, _ random: inout RandomNumbers) -> Point {
    let size = prepared.contentSize
    func somewhere(_ content: Length, _ viewport: Length) -> Length {
      let room = Int((content - viewport).millionths)
      return room > 0 ? Length(millionths: Int64(random.next(below: room))) : 0
    }
    return Point(
      x: somewhere(size.width, prepared.viewport.size.width),
      y: somewhere(size.height, prepared.viewport.size.height))
  }

  // MARK: Changes

  /// Makes changes one after the other: in C, then in the engine.
  ///
  /// The first is timed apart; of the others, if there are any, it is the mean.
  private func change(
    _ state: inout State, _ edits: [EngineEdit]
  ) throws(BenchmarkError) -> (first: TrialTime, others: TrialTime) {
    var (first, others) = (TrialTime(), TrialTime())
    let otherCount = Double(max(1, edits.count - 1))
    var length: Int64 = 0
    func applyInC(_ edits: ArraySlice<EngineEdit>) -> Double {
      Measurement.microseconds { for edit in edits { length = edit.apply(to: loop) } }
    }
    first.loop = applyInC(edits.prefix(1))
    others.loop = applyInC(edits.dropFirst()) / otherCount
    let batches = edits.map(\.batch)
    func apply(_ batches: ArraySlice<BatchUpdate>) throws(BenchmarkError) -> Double {
      try Measurement.expect {
        try Measurement.microseconds {
          for batch in batches {
            let updated = try batch.applied(to: state.content)
            state = State(
              content: updated.content,
              prepared: try PreparedLayout(
                updating: state.prepared, to: updated, layout: subject.layout))
          }
        }
      }
    }
    first.engine = try apply(batches.prefix(1))
    others.engine = try apply(batches.dropFirst()) / otherCount
    try check(state.prepared, length, "a change")
    return (first, others)
  }

  // MARK: Agreement

  private func check(
    _ prepared: PreparedLayout, _ length: Int64, _ what: String
  ) throws(BenchmarkError) {
    let size = prepared.contentSize
    let own = prepared.scrollDirection == .vertical ? size.height : size.width
    guard own.millionths == length else { throw disagreement(what, own.millionths, length) }
  }

  private func disagreement(_ what: String, _ engine: Int64, _ loop: Int64) -> BenchmarkError {
    BenchmarkError(
      message: "\(subject.name) of \(count): \(what): the engine has \(engine), the loop \(loop)")
  }
}
