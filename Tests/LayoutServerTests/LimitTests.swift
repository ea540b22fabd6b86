import Glibc
import HTTPMessages
import MicroHTTP
import Testing

/// What a client may take of the server, and how it is told.
@Suite(.waits) struct LimitTests {
  private let get = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"

  // MARK: Lengths

  /// The longest path with a line of 17 bytes and a Host around it, up to where the memory ends that
  /// libmicrohttpd keeps for a header.
  @Test(arguments: [(8192, 200), (8193, 414), (12_000, 414), (15_900, 414)])
  func aLongTargetIsRefused(length: Int, status: Int) throws {
    let server = try startServer()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    let path = "/" + String(repeating: "a", count: length - 1)
    client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
    let answer = try #require(client.receive())
    #expect(answer.status == status)
    guard status != 200 else { return }
    #expect(answer.text.contains("--max-url-bytes"))
    #expect(server.statistics.refusalCount(.uriTooLong) == 1)
  }

  /// The text of a request, its fields and the header of its answer share what there is for it: nothing is done whose
  /// answer has no room.
  @Test(arguments: [(210, 200), (211, 431)])
  func fieldsTakeMoreThanTheirText(count: Int, status: Int) throws {
    let server = try startServer()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    client.send("GET /x HTTP/1.1\r\nHost: a\r\n")
    client.send(String(repeating: "a: b\r\n", count: count) + "\r\n")
    let answer = try #require(client.receive())
    #expect(answer.status == status)
    #expect(answer.text.contains("64 bytes for each") == (status == 431))
    #expect(server.statistics.requestCount == (status == 200 ? 1 : 0))
  }

  /// Where libmicrohttpd has no room for the answer's header it would close without a word; past what it has room
  /// for at all it answers itself.
  @Test(
    arguments: [
      (8192, 200), (8193, 431), (12_000, 431), (15_800, 431), (15_950, 431), (16_050, 431),
    ])
  func aLongHeaderIsRefused(length: Int, status: Int) throws {
    let server = try startServer()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    // "Host" and "a" count 9, "X" counts 5.
    let value = String(repeating: "a", count: length - 14)
    client.send("GET /x HTTP/1.1\r\nHost: a\r\nX: \(value)\r\n\r\n")
    let answer = try #require(client.receive())
    #expect(answer.status == status)
    guard status != 200 else { return }
    #expect(answer.text.contains("--max-header-bytes"))
    #expect(server.statistics.refusalCount(.headerFieldsTooLarge) == 1)
  }

  /// The answer that goes past libmicrohttpd is one of HTTP all the same.
  @Test(arguments: ["GET", "HEAD"])
  func whatLeavesNoRoomIsAnsweredInFull(method: String) throws {
    let server = try startServer()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    client.send("\(method) /\(String(repeating: "a", count: 16_050)) HTTP/1.1\r\nHost: a\r\n\r\n")
    let parts = client.receiveAll().split(separator: "\r\n\r\n", omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    let fields = parts[0].split(separator: "\r\n")
    #expect(fields[0] == "HTTP/1.1 414 URI Too Long")
    for name in ["Date: ", "Cache-Control: no-cache", "Connection: close", "Content-Length: "] {
      #expect(fields.contains { $0.hasPrefix(name) }, "\(name)")
    }
    #expect(parts[1].isEmpty == (method == "HEAD"))
    #expect(server.statistics.refusalCount(.uriTooLong) == 1)
  }

  @Test func thousandsOfParametersArrive() throws {
    let server = try startServer()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    let query = String(repeating: "a&", count: 4094)
    client.send("GET /x?\(query) HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receive()?.text == "GET /x ?\(query)  0 0 worker=false")
    for query in ["a=1&b=2", "", "?", "a", "=", "&&=&"] {
      client.send("GET /x?\(query) HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(client.receive()?.text == "GET /x ?\(query)  0 0 worker=false")
    }
  }

  @Test func manyFieldsAndCookiesAreTaken() throws {
    let server = try startServer()
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    let fields = String(repeating: "a: b\r\n", count: 200)
    client.send("GET /x HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
    #expect(client.receive()?.status == 200)
    // libmicrohttpd would copy them and keep 64 bytes for each.
    let cookies = String(repeating: "a=b; ", count: 1600)
    client.send("GET /x HTTP/1.1\r\nHost: a\r\nCookie: \(cookies)\r\n\r\n")
    #expect(client.receive()?.status == 200)
  }

  // MARK: Connections

  @Test func connectionsOfOneAddressPastTheCapAreTurnedAway() throws {
    let handler = EchoHandler()
    let server = try startServer(handler) {
      $0.maximumConnectionCountPerAddress = 2
      $0.sparesLoopback = false
    }
    defer { server.stop(drainSeconds: 1) }
    do {
      let clients = [2, 2, 3].map { RawClient(port: server.port, from: $0) }
      for client in clients {
        client.send(get)
        #expect(client.receive()?.status == 200)
      }
      let third = RawClient(port: server.port, from: 2)
      let answer = try #require(third.receive())
      #expect(answer.status == 503)
      #expect(answer.head.contains("Retry-After: 1\r\n"))
      #expect(answer.head.contains("Cache-Control: no-cache\r\n"))
      #expect(answer.text.contains("--max-connections-per-address"))
      #expect(third.isClosed())
      // The answer is sent before it is told of.
      waitUntil { !handler.refusals.isEmpty }
      #expect(server.statistics.addressCount == 2)
      #expect(server.statistics.refusedByAddressCount == 1)
      #expect(server.statistics.refusedCount == 0)
      #expect(handler.refusals.map(\.status) == [.serviceUnavailable])
    }
    // Who has gone makes room.
    waitUntil { server.statistics.addressCount == 0 }
    #expect(server.statistics.addressCount == 0)
    let next = RawClient(port: server.port, from: 2)
    next.send(get)
    #expect(next.receive()?.status == 200)
  }

  @Test func loopbackIsSparedIfSoSaid() throws {
    let server = try startServer { $0.maximumConnectionCountPerAddress = 1 }
    defer { server.stop(drainSeconds: 1) }
    let clients = [1, 1, 2, 2].map { RawClient(port: server.port, from: $0) }
    for client in clients {
      client.send(get)
      #expect(client.receive()?.status == 200)
    }
    #expect(server.statistics.addressCount == 0)
  }

  /// IPv4 addresses in IPv6 clothes share their first 64 bits.
  @Test(.enabled(if: hasIPv6, "there is no IPv6"))
  func mappedAddressesCountByThemselves() throws {
    let server = try startServer {
      $0.host = "::"
      $0.maximumConnectionCountPerAddress = 1
      $0.sparesLoopback = false
    }
    defer { server.stop(drainSeconds: 1) }
    let clients = [2, 3].map { RawClient(port: server.port, from: $0) }
    for client in clients {
      client.send(get)
      #expect(client.receive()?.status == 200)
    }
    #expect(RawClient(port: server.port, from: 3).receive()?.status == 503)
  }

  @Test func countsOfAddressesGoBackHoweverConnectionsEnd() throws {
    let server = try startServer {
      $0.maximumConnectionCountPerAddress = 3
      $0.sparesLoopback = false
    }
    defer { server.stop(drainSeconds: 1) }
    let beginnings = ["", "GE", get, "BAD\r\n\r\n", "POST /x HTTP/1.1\r\nHost: a\r\n\r\n"]
    // More addresses than the table begins with.
    for round in 0..<600 {
      let clients = (0..<2).map { _ in
        RawClient(port: server.port, from: 2 + UInt32(round) * 7 % 60_000)
      }
      for client in clients {
        client.send(beginnings[round % beginnings.count])
        if round % 3 == 0 { client.resetWhenItGoes() }
      }
    }
    let held = (0..<400).map { RawClient(port: server.port, from: 2 + UInt32($0)) }
    for client in held {
      client.send(get)
      #expect(client.receive()?.status == 200)
    }
    waitUntil { server.statistics.connectionCount == 400 }
    #expect(server.statistics.addressCount == 400)
    for client in held { client.finishSending() }
    waitUntil { server.statistics.connectionCount == 0 }
    #expect(server.statistics.connectionCount == 0)
    #expect(server.statistics.addressCount == 0)
  }

  // MARK: Bytes under way

  private func body(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x61, count: count) }

  @Test func whatWouldNotFitIsRefusedAndLeavesNothing() throws {
    let handler = EchoHandler()
    let server = try startServer(handler) { $0.maximumInFlightByteCount = 1 << 20 }
    defer { server.stop(drainSeconds: 1) }
    do {
      // What is only announced does not count.
      let promise = RawClient(port: server.port)
      promise.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\na")
      waitUntil { server.statistics.heldByteCount == 1 }
      let holder = RawClient(port: server.port)
      holder.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 800000\r\n\r\n")
      holder.send(body(700_000))
      waitUntil { server.statistics.heldByteCount == 700_001 }
      #expect(server.statistics.heldByteCount == 700_001)
      // By its length, before the body.
      let announcer = RawClient(port: server.port)
      announcer.send("POST /announced HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n")
      let refusal = try #require(announcer.receive())
      #expect(refusal.status == 503)
      #expect(refusal.head.contains("Retry-After: 1\r\n"))
      #expect(refusal.text.contains("--max-in-flight-mib"))
      // In the middle.
      let grower = RawClient(port: server.port)
      grower.send("POST /grown HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
      grower.send("7a120\r\n" + String(repeating: "a", count: 500_000) + "\r\n0\r\n\r\n")
      #expect(grower.receive()?.status == 503)
      // Too much even to be thrown away.
      let flood = RawClient(port: server.port)
      flood.send("POST /flood HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
      flood.send("300000\r\n" + String(repeating: "a", count: 0x300000) + "\r\n0\r\n\r\n")
      #expect(flood.receive()?.status == 503)
      #expect(flood.isClosed())
      // An answer.
      let asker = RawClient(port: server.port)
      asker.send("GET /size/500000 HTTP/1.1\r\nHost: a\r\n\r\n")
      let unread = try #require(asker.receive())
      #expect(unread.status == 503)
      #expect(unread.text.contains("/problems/unavailable"))
      // One that says that what was asked for is done.
      asker.send("POST /size/500000 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
      let done = try #require(asker.receive())
      #expect(done.status == 503)
      #expect(done.text.contains("/problems/uncertain"))
      #expect(done.text.contains("has been made"))
      // Others that say that nothing is.
      for kind in ["dry", "refused"] {
        asker.send("POST /\(kind)/500000 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        #expect(asker.receive()?.text.contains("/problems/unavailable") == true, "\(kind)")
      }
      // What is small always fits.
      let filler = RawClient(port: server.port)
      filler.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 340000\r\n\r\n")
      filler.send(body(339_999))
      waitUntil { server.statistics.heldByteCount == 1_040_000 }
      asker.send("GET /size/60000 HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(asker.receive()?.body.count == 60_000)
      // It has been sent, and is not under way any more.
      waitUntil { server.statistics.heldByteCount == 1_040_000 }
      filler.send(body(1))
      #expect(filler.receive()?.status == 200)
      #expect(
        handler.refusals.map(\.target) == [
          "/announced", "/grown", "/flood", "/size/500000", "/size/500000", "/dry/500000",
          "/refused/500000",
        ])
      #expect(server.statistics.refusalCount(.serviceUnavailable) == 7)
      holder.send(body(100_000))
      #expect(holder.receive()?.status == 200)
      asker.send("GET /size/500000 HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(asker.receive()?.body.count == 500_000)
    }
    waitUntil { server.statistics.heldByteCount == 0 }
    #expect(server.statistics.heldByteCount == 0)
  }

  /// Whoever holds much, for as long as he is let, leaves others a quarter.
  @Test func nobodyHoldsAll() throws {
    let server = try startServer { $0.maximumInFlightByteCount = 1 << 20 }
    defer { server.stop(drainSeconds: 1) }
    func begin(_ count: Int, inLine line: String, sending sent: Int) -> RawClient {
      let client = RawClient(port: server.port)
      client.send(
        "POST /x HTTP/1.1\r\nHost: a\r\nAuthorization: \(line)\r\nContent-Length: \(count)\r\n\r\n")
      client.send(body(sent))
      return client
    }
    let holder = begin(780_000, inLine: "1", sending: 700_000)
    waitUntil { server.statistics.heldByteCount == 700_000 }
    #expect(begin(100_000, inLine: "1", sending: 100_000).receive()?.status == 503)
    #expect(begin(100_000, inLine: "2", sending: 100_000).receive()?.status == 200)
    holder.send(body(80_000))
    #expect(holder.receive()?.status == 200)
    // It has been given back.
    #expect(begin(780_000, inLine: "1", sending: 780_000).receive()?.status == 200)
    // So it is with answers, those that are given at once too.
    waitUntil { server.statistics.heldByteCount == 0 }
    let asker = RawClient(port: server.port)
    for (line, status) in [("1", 503), ("2", 503), ("", 200)] {
      asker.send("GET /size/800000 HTTP/1.1\r\nHost: a\r\nAuthorization: \(line)\r\n\r\n")
      #expect(asker.receive()?.status == status)
    }
    waitUntil { server.statistics.heldByteCount == 0 }
    // Of whom nobody knows who they are may be many.
    #expect(begin(1_000_000, inLine: "", sending: 1_000_000).receive()?.status == 200)
  }

  /// The buffer of a long body is kept with all its pages: whoever takes it holds them.
  @Test func aKeptBufferIsHeldAsAWhole() throws {
    let server = try startServer {
      $0.ioThreadCount = 1
      $0.maximumInFlightByteCount = 4_000_000
    }
    defer { server.stop(drainSeconds: 1) }
    func begin(_ count: Int, sending sent: Int) -> RawClient {
      let client = RawClient(port: server.port)
      client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n")
      client.send(body(sent))
      return client
    }
    func expectHeld(_ count: UInt64, _ comment: Comment) {
      waitUntil { server.statistics.heldByteCount == count }
      #expect(server.statistics.heldByteCount == count, comment)
    }
    func keep(_ count: Int) {
      #expect(begin(count, sending: count).receive()?.status == 200)
      expectHeld(0, "the answer is sent")
    }
    keep(2_000_000)
    let promise = begin((1 << 20) - 1, sending: 0)
    let taker = begin(1_600_000, sending: 1_100_000)
    expectHeld(2_000_064, "not who has only announced a body, but who has sent some of it")
    taker.send(body(500_000))
    #expect(taker.receive()?.status == 200)
    expectHeld(0, "it is kept again")
    keep(3_000_000)
    let short = begin(1_200_000, sending: 1_100_000)
    expectHeld(1_100_000, "it is not taken for what is much shorter")
    let other = begin(1_600_000, sending: 1_100_000)
    expectHeld(2_200_000, "or where all of it would be too much")
    short.send(body(100_000))
    #expect(short.receive()?.status == 200)
    other.send(body(500_000))
    #expect(other.receive()?.status == 200)
    promise.send(body((1 << 20) - 1))
    #expect(promise.receive()?.status == 200)
    expectHeld(0, "nothing is under way")
  }

  @Test func aBodyMayBeAsLongAsItMay() throws {
    let server = try startServer { $0.maximumBodySize = 0x400 }
    defer { server.stop(drainSeconds: 1) }
    for (count, status) in [(0x400, 200), (0x401, 413)] {
      let text = String(repeating: "a", count: count)
      for rest in [
        "Content-Length: \(count)\r\n\r\n\(text)",
        "Transfer-Encoding: chunked\r\n\r\n\(String(count, radix: 16))\r\n\(text)\r\n0\r\n\r\n",
      ] {
        let client = RawClient(port: server.port)
        client.send("POST /x HTTP/1.1\r\nHost: a\r\n\(rest)")
        #expect(client.receive()?.status == status)
      }
    }
  }

  /// Nobody need hold for a stranger what no handler asks for.
  @Test(arguments: ["GET", "HEAD", "DELETE", "OPTIONS"])
  func whereNoneIsAskedForABodyIsShort(method: String) throws {
    let server = try startServer { $0.maximumBodySize = 1 << 20 }
    defer { server.stop(drainSeconds: 1) }
    func status(_ rest: String) -> Int? {
      let client = RawClient(port: server.port)
      client.send("\(method) /x HTTP/1.1\r\nHost: a\r\n\(rest)")
      return client.receive(withoutBody: method == "HEAD")?.status
    }
    // Unread.
    #expect(status("Content-Length: 20000\r\n\r\na") == 413)
    #expect(status("Content-Length: 2\r\n\r\n{}") == 200)
    let chunked = "Transfer-Encoding: chunked\r\n\r\n"
    let text = String(repeating: "a", count: 0x5000)
    #expect(status(chunked + "5000\r\n\(text)\r\n0\r\n\r\n") == 413)
    #expect(status(chunked + "2\r\n{}\r\n0\r\n\r\n") == 200)
  }

  // MARK: Silence

  /// Before the first request, too: a client that connects and then makes a long body may be slow at it.
  @Test func aRequestBeginsWithItsFirstByteAndNotWithTheConnection() throws {
    let server = try startServer { $0.requestTimeoutSeconds = 2 }
    defer { server.stop(drainSeconds: 1) }
    let (client, trickling) = (RawClient(port: server.port), RawClient(port: server.port))
    usleep(1_900_000)
    client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na")
    trickling.send("POST /x HTTP/1.1\r\n")
    usleep(700_000)
    client.send("b")
    #expect(client.receive()?.status == 200)
    for _ in 0..<1200 {
      guard trickling.send(Array("A: b\r\n".utf8)) else { break }
      usleep(100_000)
    }
    #expect(trickling.isClosed())
    #expect(server.statistics.timedOutCount == 1)
  }

  /// Between requests a client may say nothing for longer than a request may take.
  @Test func aRequestBeginsWhenItsFirstByteComes() throws {
    let server = try startServer { $0.requestTimeoutSeconds = 2 }
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    // Twice, and looked at in between. Nor is an empty line behind a request the beginning of another.
    client.send(get + "\r\n")
    #expect(client.receive()?.status == 200)
    usleep(700_000)
    client.send(get + "\r\n")
    #expect(client.receive()?.status == 200)
    usleep(2_700_000)
    client.send("GET /x HTTP/1.1\r\n")
    usleep(700_000)
    client.send("Host: a\r\n\r\n")
    #expect(client.receive()?.status == 200)
    #expect(server.statistics.timedOutCount == 0)
  }

  @Test func whoSaysNothingIsClosed() throws {
    let server = try startServer { $0.idleTimeoutSeconds = 3 }
    defer { server.stop(drainSeconds: 1) }
    let silent = RawClient(port: server.port)
    let rare = RawClient(port: server.port)
    let fresh = RawClient(port: server.port)
    silent.send(get)
    #expect(silent.receive()?.status == 200)
    for _ in 0..<200 {
      rare.send(get)
      #expect(rare.receive()?.status == 200)
      guard server.statistics.connectionCount > 1 else { break }
      usleep(600_000)
    }
    #expect(server.statistics.connectionCount == 1)
    #expect(silent.isClosed())
    #expect(fresh.isClosed())
    // Nobody waited for a request of theirs.
    #expect(server.statistics.timedOutCount == 0)
    rare.send(get)
    #expect(rare.receive()?.status == 200)
  }

  /// Sooner than a request that goes on.
  @Test func whoSaysNothingInTheMiddleOfARequestIsLate() throws {
    let server = try startServer { $0.idleTimeoutSeconds = 1 }
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    client.send("GET /x HTTP/1.1\r\n")
    #expect(client.isClosed())
    waitUntil { server.statistics.connectionCount == 0 }
    #expect(server.statistics.timedOutCount == 1)
  }

  @Test func whoTakesNothingOfALongAnswerIsCutOff() throws {
    let server = try startServer {
      $0.idleTimeoutSeconds = 2
      $0.requestTimeoutSeconds = 120
    }
    defer { server.stop(drainSeconds: 1) }
    // Who falls behind has two minutes. One takes some now and then, one nothing, and one only asks on.
    let clients = (0..<3).map { _ in RawClient(port: server.port, receiveBuffer: 2048) }
    for client in clients { client.send("GET /size/3000000 HTTP/1.1\r\nHost: a\r\n\r\n") }
    waitUntil { server.statistics.heldByteCount == 9_000_000 }
    for _ in 0..<150 where server.statistics.heldByteCount > 3_000_000 {
      #expect(clients[0].take(8000) > 0)
      clients[2].send("G")
      usleep(100_000)
    }
    #expect(server.statistics.heldByteCount == 3_000_000)
    #expect(server.statistics.timedOutCount == 2)
    #expect(clients[0].receive()?.body.count == 3_000_000)
    #expect(clients[1].receive() == nil)
  }

  /// Who has said all there is to say waits for the answer, however much of it is still to be read.
  @Test func whoHalfClosesWhileTheLoopIsBusyIsAnswered() throws {
    let handler = EchoHandler()
    let server = try startServer(handler) { $0.ioThreadCount = 1 }
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 48001\r\n\r\na")
    waitUntil { server.statistics.heldByteCount == 1 }
    let other = RawClient(port: server.port)
    other.send("GET /stall HTTP/1.1\r\nHost: a\r\n\r\n")
    waitUntil { handler.waitingCount == 1 }
    client.send(body(48_000))
    client.finishSending()
    // Until the sweep looks at it, when the loop has read 16 KiB of that.
    usleep(700_000)
    handler.open()
    #expect(client.receive()?.status == 200)
  }

  /// And while a worker makes it.
  @Test func whoHalfClosesWhileWorkersAreBusyIsAnswered() throws {
    let handler = EchoHandler()
    let server = try startServer(handler) {
      $0.ioThreadCount = 1
      $0.workerThreadCount = 8
    }
    defer { server.stop(drainSeconds: 1) }
    for target in [
      "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n",
      "POST /wait HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
    ] {
      let clients = (0..<8).map { _ in RawClient(port: server.port) }
      for client in clients { client.send(target) }
      waitUntil { handler.waitingCount == 8 }
      for client in clients { client.finishSending() }
      handler.open()
      #expect(clients.map { $0.receive()?.status } == Array(repeating: 200, count: 8))
      #expect(clients.allSatisfy { $0.isClosed() })
      handler.close()
    }
    waitUntil { server.statistics.connectionCount == 0 }
  }

  // MARK: Slow readers

  /// Some of an answer that has not ended.
  private func taken(of client: RawClient) throws -> Int {
    let count = client.take(8000)
    try #require(count > 0)
    return count
  }

  /// A server whose answers have to be taken at a hundred thousand bytes a second.
  private func startPacedServer(
    change: (inout HTTPServerConfiguration) -> Void
  ) throws -> HTTPServer {
    try startServer {
      $0.minimumAnswerRate = 100_000
      change(&$0)
    }
  }

  /// Takes what comes for some time, at twice that pace; whoever is held up makes up for it.
  private func take(from client: RawClient, forTenthsOfSeconds count: Int) throws {
    let start = ContinuousClock.now
    var takenCount = 0
    for tenth in 1...count {
      while takenCount < tenth * 20_000 { takenCount += try taken(of: client) }
      let rest = start + .milliseconds(tenth * 100) - .now
      if rest > .zero { usleep(UInt32(rest / .microseconds(1))) }
    }
  }

  /// Asks for more than there is room for on the way, and waits until it is.
  private func clientWithLongAnswer(of byteCount: UInt64, from server: HTTPServer) -> RawClient {
    let client = RawClient(port: server.port, receiveBuffer: 2048)
    client.send("GET /size/\(byteCount) HTTP/1.1\r\nHost: a\r\n\r\n")
    waitUntil { server.statistics.heldByteCount == byteCount }
    return client
  }

  @Test func whoDoesNotTakeTheAnswerIsCutOff() throws {
    let server = try startServer {
      $0.requestTimeoutSeconds = 1
      $0.minimumAnswerRate = 10 << 20
    }
    defer { server.stop(drainSeconds: 1) }
    let client = clientWithLongAnswer(of: 3_000_000, from: server)
    defer { withExtendedLifetime(client) {} }
    waitUntil { server.statistics.timedOutCount == 1 }
    #expect(server.statistics.timedOutCount == 1)
    waitUntil { server.statistics.connectionCount == 0 && server.statistics.heldByteCount == 0 }
    #expect(server.statistics.connectionCount == 0)
    #expect(server.statistics.heldByteCount == 0)
  }

  /// Long answers have longer than requests have.
  @Test func whoTakesALongAnswerSlowlyHasTheTimeForIt() throws {
    let server = try startPacedServer { $0.requestTimeoutSeconds = 1 }
    defer { server.stop(drainSeconds: 1) }
    let client = clientWithLongAnswer(of: 3_000_000, from: server)
    // For longer than a request has.
    try take(from: client, forTenthsOfSeconds: 20)
    #expect(client.receive()?.body.count == 3_000_000)
    #expect(server.statistics.timedOutCount == 0)
  }

  /// What the kernel still has of the answers before goes first, and takes its time.
  @Test func whoTakesManyAnswersSlowlyHasTheTimeForThem() throws {
    let server = try startPacedServer { $0.requestTimeoutSeconds = 1 }
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port, receiveBuffer: 2048, segment: nil)
    // More of them than there is room for on the way.
    let count = 150
    client.send(
      String(repeating: "GET /size/50000 HTTP/1.1\r\nHost: a\r\n\r\n", count: count))
    try take(from: client, forTenthsOfSeconds: 30)
    for _ in 0..<count { #expect(client.receive()?.body.count == 50_000) }
    #expect(server.statistics.timedOutCount == 0)
  }

  /// Who takes an answer from the kernel, which has had all of it from the server, is not silent meanwhile.
  @Test func whoStillTakesTheAnswerIsNotSilent() throws {
    let server = try startPacedServer { $0.idleTimeoutSeconds = 1 }
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port, receiveBuffer: 2048, segment: nil)
    client.send("GET /size/1000000 HTTP/1.1\r\nHost: a\r\n\r\n")
    waitUntil { server.statistics.requestCount == 1 && server.statistics.heldByteCount == 0 }
    try take(from: client, forTenthsOfSeconds: 25)
    #expect(client.receive()?.body.count == 1_000_000)
    client.send(get)
    #expect(client.receive()?.status == 200)
    // And is so from then on.
    #expect(client.isClosed())
    #expect(server.statistics.timedOutCount == 0)
  }

  /// As soon as they are behind, and not when all of it should have been taken.
  @Test func whoFallsBehindIsCutOffLongBeforeTheEnd() throws {
    let server = try startPacedServer { $0.requestTimeoutSeconds = 2 }
    defer { server.stop(drainSeconds: 1) }
    // It has 102 seconds for all of it, and takes a tenth of the least pace.
    let client = clientWithLongAnswer(of: 10_000_000, from: server)
    for _ in 0..<300 where server.statistics.timedOutCount == 0 {
      _ = client.take(1000)
      usleep(100_000)
    }
    #expect(server.statistics.timedOutCount == 1)
    waitUntil { server.statistics.heldByteCount == 0 }
    #expect(server.statistics.heldByteCount == 0)
    #expect(client.receive() == nil)
  }

  /// Who has taken much is ahead, and may rest; what came before, on the same connection, is another answer's.
  @Test func whoIsAheadMayRest() throws {
    // So slow that what was taken of the answers before would be ten minutes.
    let server = try startServer {
      $0.requestTimeoutSeconds = 1
      $0.idleTimeoutSeconds = 600
      $0.minimumAnswerRate = 10_000
    }
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port, receiveBuffer: 2048)
    for _ in 0..<2 {
      client.send("GET /size/3000000 HTTP/1.1\r\nHost: a\r\n\r\n")
      var takenCount = 0
      while takenCount < 1_000_000 { takenCount += try taken(of: client) }
      // A minute and a half ahead.
      usleep(1_700_000)
      #expect(client.receive()?.body.count == 3_000_000)
    }
    client.send("GET /size/3000000 HTTP/1.1\r\nHost: a\r\n\r\n")
    waitUntil { server.statistics.timedOutCount == 1 }
    #expect(server.statistics.timedOutCount == 1)
    #expect(client.receive() == nil)
  }

  /// Answers without a body fill the kernel's buffers too.
  @Test func whoAsksAndNeverListensIsCutOff() throws {
    let server = try startServer { $0.requestTimeoutSeconds = 1 }
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port, receiveBuffer: 2048)
    let heads = String(repeating: "HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n", count: 1000)
    for _ in 0..<200 where client.send(Array(heads.utf8)) {}
    waitUntil { server.statistics.connectionCount == 0 }
    #expect(server.statistics.timedOutCount == 1)
    #expect(server.statistics.connectionCount == 0)
  }

  @Test func whatAWorkerTakesIsNotTheClientsFault() throws {
    let handler = EchoHandler()
    let server = try startServer(handler) { $0.requestTimeoutSeconds = 1 }
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    // Nor is it counted from the answer before.
    client.send(get)
    #expect(client.receive()?.status == 200)
    client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
    waitUntil { handler.waitingCount == 1 }
    usleep(1_700_000)
    handler.open()
    #expect(client.receive()?.status == 200)
    #expect(server.statistics.timedOutCount == 0)
  }
}

/// Whether there is IPv6.
private let hasIPv6: Bool = {
  let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  return descriptor >= 0
}()
