import CGnuTLS
import Foundation
import HTTPMessages
import MicroHTTP
import Testing

/// HTTP over TLS, asked by curl.
@Suite(.waits) struct TLSTests {
  /// For localhost and 127.0.0.1, good until 2126, made for this test and used for nothing else.
  ///
  /// By `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500
  /// -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1`.
  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBmzCCAUGgAwIBAgIUA/jZByWgf49eVttoLFUEGy/qYBswCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE0NDIzNloYDzIxMjYxMDI4
    MTQ0MjM2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAARxK4HrUMEsPjbXXTTEmWrGUo1HAwnUeZJduID93blenRkTv7dZkPUk
    MOWOlqhurmeARnWzkKbGdmkp3uh5dRCLo28wbTAdBgNVHQ4EFgQUQSDHCtDUWViz
    geXwDYYWp9WiIuswHwYDVR0jBBgwFoAUQSDHCtDUWVizgeXwDYYWp9WiIuswDwYD
    VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
    zj0EAwIDSAAwRQIgFVUUMQ3oV57LMdSBOEENl5IWCj/gv0TZTN1wCn65BRECIQCv
    7dOpJcUln7xE4Pbu7KTtdxDbiHJH9F6Tl8h2VUvZWg==
    -----END CERTIFICATE-----

    """
  static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg6cuBcTtEslWket2I
    eDSGQFkhVU51QAbnqIGThpu2USOhRANCAARxK4HrUMEsPjbXXTTEmWrGUo1HAwnU
    eZJduID93blenRkTv7dZkPUkMOWOlqhurmeARnWzkKbGdmkp3uh5dRCL
    -----END PRIVATE KEY-----

    """

  /// The same by `-newkey rsa:2048`.
  static let rsaCertificate = """
    -----BEGIN CERTIFICATE-----
    MIIDJzCCAg+gAwIBAgIUfkIxJqfPvb7/U4zwEVshx7LmrIcwDQYJKoZIhvcNAQEL
    BQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNzIxNTg1MFoYDzIxMjYx
    MTAzMjE1ODUwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwggEiMA0GCSqGSIb3DQEB
    AQUAA4IBDwAwggEKAoIBAQCXtGYfSGY8ojr6MyZ3qMEvYgrgTyA5y2JerYHmu5yR
    xh7mbT/omrBmIY2VCjI99C82m+rmsCsWKLLD7ZEzgCcFKjWksMiH4frd4mlSWdvA
    lbDBhZgjQIzIJ2O9poUCOynyxuSQcLxgjYrZypYEShHzHoXIC8MY3Dm0FLsPmzXA
    a5WByqBP17zeTSwzebl0SzW2CrznkZht29EZXte2FKXElPll2+WZcJDSjtyD2ClL
    a5aZDsgENSij1x5caIKLB60uzhQPNj/8TyNJbRLvTkFLGNk4RIxS0IvC0st9ZbCU
    OmbcTP4KgW2w0VksyZGAU5y0GAwjxkEo8RoZcFLUdbDpAgMBAAGjbzBtMB0GA1Ud
    DgQWBBQHKynDa2VR5gOwYXTTpha639/YhDAfBgNVHSMEGDAWgBQHKynDa2VR5gOw
    YXTTpha639/YhDAPBgNVHRMBAf8EBTADAQH/MBoGA1UdEQQTMBGCCWxvY2FsaG9z
    dIcEfwAAATANBgkqhkiG9w0BAQsFAAOCAQEAHWnN6lX2GTUDTu1ork11QAYiPyA/
    EqyP0rhRjtpUKgzoksXHQPoqK/+mstxGUpwkvRztCzbPCJA58gbNLXnY6FopeVaG
    quly4KMryZRpbxQFAjHyeq3MELbUu6UVRyflehIjHTaz9Gqir17+BocpbsWe+HFj
    b2yDjM9zoU6csPxPMlAamwYBRrmffp9qrbu0EqajCOyAqNmz/b0iuh2CgoE+50CK
    nu4lluK6kMHpgMZOdCD6axZvtURxlVwBoHXoIUfBCxkukJPKeZ2K1glHaaaJKD61
    K1rYvvsmXwRodN4TWWn18+pUgKc1s84bOE3U/pOsmTP0YpHxIwSkHJZaEQ==
    -----END CERTIFICATE-----

    """
  static let rsaKey = """
    -----BEGIN PRIVATE KEY-----
    MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCXtGYfSGY8ojr6
    MyZ3qMEvYgrgTyA5y2JerYHmu5yRxh7mbT/omrBmIY2VCjI99C82m+rmsCsWKLLD
    7ZEzgCcFKjWksMiH4frd4mlSWdvAlbDBhZgjQIzIJ2O9poUCOynyxuSQcLxgjYrZ
    ypYEShHzHoXIC8MY3Dm0FLsPmzXAa5WByqBP17zeTSwzebl0SzW2CrznkZht29EZ
    Xte2FKXElPll2+WZcJDSjtyD2ClLa5aZDsgENSij1x5caIKLB60uzhQPNj/8TyNJ
    bRLvTkFLGNk4RIxS0IvC0st9ZbCUOmbcTP4KgW2w0VksyZGAU5y0GAwjxkEo8RoZ
    cFLUdbDpAgMBAAECggEAK45rncK7O+B2X3zNKCEHKnQTXFjLj1xyR224tMccCoyg
    NZebeEzlpcUvceHGEByqa5rzpD1jeY7A2Nk+TdOXIHgAg+MQCFedIBTQGYlcO1yf
    LckOJ9zyLsuEayDC4qObBS4O1NvRckVhXuu4C846fhu+3HNoFhyw4p/rH214TuED
    UXWnb5ST8MrtdUDTFUCO0T0/ZflWCgUbnMzBuarES1ZgnuLar6YcBshXkeEKdIVD
    S9kPCYcSZz8hdmiOrGL860oe5Z+I2THFj3blRl2VL9eGVbVImysNxzSpkG4er4Xm
    QzhXtq7IWKfttUvz0RzyoB9J46FN1sQI5KfcTNroqwKBgQDTQ27gafns3zbW0/CA
    W9WpGGFf3Uq4zRSq+gLbNJAsYjQZsxKkJXi8jXCP9eV2mCXiSYl2yhRF+oYcEmOy
    3nHhemDW+w3wmxwUz5NTKCM2fmf/q4jx91Se//YPxFZeNFCDpp0hwqtza+IgxiVM
    uwr+eThSUUXnhrjTRCrcE9T9jwKBgQC31EsnH48BOKwrbR+oGS2m/DrHi2SGkHhh
    aGueRXi4SvK4ihSBH+6p7PdNVXHTgFT3BYnO/AUQXsDafKgZKasFtM6fCDFWYhiC
    cwO+qKkiI96KQZOluZ2OrbNJ3hVlFiVNyJKhf+AO/1j3uCXEXXB1EtsSoWsc7wPz
    CyoXT1QeBwKBgB40c/PN8xe0ykhowOf5OVEV1UY5g2dsmtnfKO1iVIKj/8L04WNq
    oBqFNmS+yXHtSu1Rij/boI5oxSfaUTrPpwSP1Kyn9FREOP2Yt/2ZrX8rD390bP37
    WLPq8KlMbvTFEgXgmnKrPIwiDpCVA9w2mdnMRwst54q0rlQ2WNJiW39tAoGAGfrI
    vDi7jyKhQmnjpXAZgZX4AKd0h4f3W1zUiMOsse71qprpFu6aXi19LdK7iXaDi32e
    4j+/v3aErtwbLaMz5lSNNvCDeH/YkucKSnGvpYGIO+XUpgE7gSSPSAs43tZoYzvL
    bUOTOMthmXDO9Zd3AzSs/U8OwkINPtX/FthBPRUCgYBmN208mLCOkm6iSRIiY8L/
    bk/OfXXhW312mbLvkU0N1S3OqMe4oimxnAt9VtTfAz+Byb5m9rxdzspGm/HDWcnC
    njYZQ+Fz+wDPeoYBRZkuF6kANDSRi1YHjDoYTAIbYSIS8Y1E/9fYeLImFMeNzijq
    ClgqUgv8tLdO0jFUjTzwgw==
    -----END PRIVATE KEY-----

    """

  private func start(change: (inout HTTPServerConfiguration) -> Void = { _ in }) throws
    -> HTTPServer
  {
    try startServer {
      $0.tls = HTTPServerTLS(certificateChain: Self.certificate, privateKey: Self.key)
      change(&$0)
    }
  }

  /// What curl writes, asked with the server's certificate as the only one to trust.
  private func curl(_ arguments: String...) throws -> String {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).pem")
    try Data(Self.certificate.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    // Whatever else curl is told here to do by others.
    let fixed = ["-q", "--noproxy", "*", "-sS", "--max-time", "20", "--cacert", file.path]
    let words = ["curl"] + fixed + arguments
    let command = words.map { "'\($0)'" }.joined(separator: " ") + " 2>&1"
    guard let output = unsafe popen(command, "r") else { return "" }
    defer { unsafe _ = pclose(output) }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = unsafe fread(&chunk, 1, chunk.count, output), count > 0 {
      text += chunk[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }

  @Test func requestsAreAnswered() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let base = "https://localhost:\(server.port)"
    // One connection for both, then the two versions that are spoken.
    #expect(
      try curl("\(base)/a?b", "\(base)/work")
        == "GET /a ?b  0 0 worker=falseGET /work ?  0 0 worker=true")
    #expect(try curl("--tls-max", "1.2", "\(base)/c") == "GET /c ?  0 0 worker=false")
    #expect(try curl("--tlsv1.3", "\(base)/d") == "GET /d ?  0 0 worker=false")
    for version in ["1.1", "1.0"] {
      #expect(throws: TLSClient.CannotShakeHands.self) {
        try TLSClient(port: server.port, "NORMAL:-VERS-ALL:+VERS-TLS\(version):%COMPAT")
      }
    }
    #expect(try curl("\(base)/size/3000000").utf8.count == 3_000_000)
    let body = [UInt8](repeating: 0x61, count: 1_000_000)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try Data(body).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(
      try curl("-H", "Content-Type:", "--data-binary", "@\(file.path)", "\(base)/e")
        == "POST /e ?  1000000 \(checksum(body)) worker=false")
    waitUntil { server.statistics.connectionCount == 0 }
    #expect(server.statistics.connectionCount == 0)
    #expect(server.statistics.heldByteCount == 0)
  }

  /// A record is sent in each turn of the loop, without a word of it; the loop does not wait meanwhile.
  @Test func longAnswersGoOutAtOnce() throws {
    let server = try start { $0.ioThreadCount = 1 }
    defer { server.stop(drainSeconds: 1) }
    let client = try TLSClient(port: server.port)
    let loop = client.answer(to: "/task").components(separatedBy: "\r\n\r\n").last ?? ""
    let before = try #require(waitCount(ofThread: loop))
    // Sixty records, for which there is room on the way though nobody takes them.
    client.send(
      "GET /size/1000000 HTTP/1.1\r\nHost: a\r\n\r\nGET /task HTTP/1.1\r\nHost: a\r\n\r\n")
    // The next request's turn is when all of it has been sent.
    waitUntil { server.statistics.requestCount == 3 }
    // No more than the next answer.
    #expect(server.statistics.heldByteCount < 100)
    let after = try #require(waitCount(ofThread: loop))
    #expect(after - before < 30, "\(after - before)")
  }

  /// libmicrohttpd would try each of them in every turn, and others' requests wait as long.
  @Test(arguments: ["\u{16}\u{3}\u{1}\u{1}", "", "\u{16}"])
  func handshakesThatDoNotGoOnCostNoTurns(beginning: String) throws {
    let server = try start { $0.ioThreadCount = 1 }
    defer { server.stop(drainSeconds: 1) }
    let client = try TLSClient(port: server.port)
    let loop = client.answer(to: "/task").components(separatedBy: "\r\n\r\n").last ?? ""
    let others = (0..<20).map { _ in RawClient(port: server.port) }
    for other in others { other.send(beginning) }
    waitUntil { server.statistics.connectionCount == 21 }
    // In this turn they have been tried at the latest.
    #expect(client.answer(to: "/x").hasPrefix("HTTP/1.1 200 "))
    usleep(100_000)
    let before = try #require(waitCount(ofThread: loop))
    usleep(1_500_000)
    let after = try #require(waitCount(ofThread: loop))
    // Two for the sweep each second, instead of two hundred.
    #expect(after - before < 20, "\(after - before)")
    #expect(server.statistics.connectionCount == 21)
  }

  /// Each piece of it finds the handshake where the one before has left it.
  @Test(arguments: ["NORMAL", "NORMAL:-VERS-ALL:+VERS-TLS1.2"])
  func aHandshakeInPiecesIsTaken(priorities: String) throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let client = try TLSClient(port: server.port, priorities, isInPieces: true)
    #expect(client.answer(to: "/x").hasPrefix("HTTP/1.1 200 "))
    #expect(server.statistics.timedOutCount == 0)
  }

  /// The second connection of a client shows what the first was given, and no certificate is needed.
  ///
  /// With TLS 1.3 only: for 1.2 curl takes none.
  @Test func whoComesAgainIsKnown() throws {
    let server = try start()
    defer { server.stop(drainSeconds: 1) }
    let base = "https://localhost:\(server.port)"
    let words = try curl("-v", "--tlsv1.3", "-H", "Connection: close", "\(base)/a", "\(base)/b")
    #expect(words.contains("GET /a ?") && words.contains("GET /b ?"))
    #expect(words.components(separatedBy: "Certificate (11)").count == 1 + 1)
  }

  /// Of what has come, only the system knows how much: it is more than was sent.
  @Test func whoSaysNothingBetweenRequestsIsNotLate() throws {
    let server = try start { $0.requestTimeoutSeconds = 1 }
    defer { server.stop(drainSeconds: 1) }
    let base = "https://localhost:\(server.port)"
    // One connection, on which nothing is said for two seconds.
    let answers = try curl("--rate", "30/m", "-w", "%{num_connects}", "\(base)/a", "\(base)/b")
    #expect(answers == "GET /a ?  0 0 worker=false1GET /b ?  0 0 worker=false0")
    #expect(server.statistics.timedOutCount == 0)
  }

  /// The kernel has so much of an answer that it asks for no more in longer than anybody may be silent.
  @Test(arguments: [(1, 12_000_000), (200, 60_000)])
  func whoTakesAnswersAtAFairPaceGetsAllOfThem(answers: Int, size: Int) throws {
    let server = try start { $0.idleTimeoutSeconds = 3 }
    defer { server.stop(drainSeconds: 1) }
    let client = try TLSClient(port: server.port, receiveBuffer: 4096)
    for _ in 0..<answers { client.send("GET /size/\(size) HTTP/1.1\r\nHost: a\r\n\r\n") }
    var count = 0
    for record in 0... {
      let next = client.receiveCount()
      count += next
      if next <= 0 || count > answers * size { break }
      // A sixth of what the kernel has in the first five seconds, and then all.
      if record < 50 { usleep(100_000) }
    }
    #expect(count > answers * size)
    // As long as anybody from then on.
    waitUntil { server.statistics.connectionCount == 0 }
    #expect(server.statistics.connectionCount == 0)
    #expect(server.statistics.timedOutCount == 0)
  }

  /// At any time: the sweep looks twice a second.
  @Test(arguments: [UInt32(0), 1_200_000]) func whoStopsInTheMiddleOfALineIsLate(
    pause: UInt32
  ) throws {
    let server = try start {
      $0.requestTimeoutSeconds = 1
      $0.idleTimeoutSeconds = 60
    }
    defer { server.stop(drainSeconds: 1) }
    for isFirst in [true, false] {
      let client = try TLSClient(port: server.port)
      if !isFirst { #expect(client.answer(to: "/x").hasPrefix("HTTP/1.1 200 ")) }
      usleep(pause)
      client.send("GET /")
      waitUntil { server.statistics.connectionCount == 0 }
      #expect(server.statistics.connectionCount == 0)
    }
    #expect(server.statistics.timedOutCount == 2)
  }

  @Test func whoChangesKeysHasBegunNoRequest() throws {
    let server = try start { $0.requestTimeoutSeconds = 1 }
    defer { server.stop(drainSeconds: 1) }
    let client = try TLSClient(port: server.port)
    for _ in 0..<2 {
      #expect(client.answer(to: "/x").hasPrefix("HTTP/1.1 200 "))
      client.changeKeys()
      usleep(2_200_000)
    }
    #expect(server.statistics.timedOutCount == 0)
  }

  @Test func whoStopsInTheMiddleOfTheFirstRequestIsLate() throws {
    let server = try start { $0.requestTimeoutSeconds = 1 }
    defer { server.stop(drainSeconds: 1) }
    let client = try TLSClient(port: server.port)
    client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n")
    waitUntil { server.statistics.connectionCount == 0 }
    #expect(server.statistics.timedOutCount == 1)
  }

  /// The client's last record of the handshake has keys of its own in TLS 1.3, and those of what follows in 1.2.
  @Test(arguments: ["NORMAL", "NORMAL:-VERS-ALL:+VERS-TLS1.2"])
  func whoSaysNothingBeforeTheFirstRequestIsNotLate(priorities: String) throws {
    let server = try start { $0.requestTimeoutSeconds = 2 }
    defer { server.stop(drainSeconds: 1) }
    let client = try TLSClient(port: server.port, priorities)
    usleep(2_700_000)
    client.send("GET /x HTTP/1.1\r\n")
    usleep(700_000)
    client.send("Host: a\r\n\r\n")
    #expect(client.receive().hasPrefix("HTTP/1.1 200 "))
    #expect(server.statistics.timedOutCount == 0)
    // From then on it has as long as any other, though only the system knows of what has come.
    client.send("G")
    usleep(700_000)
    client.send("ET /")
    waitUntil { server.statistics.timedOutCount == 1 }
    #expect(server.statistics.timedOutCount == 1)
  }

  /// What was recorded cannot be read by who gets the certificate's key later.
  @Test func everyConnectionHasAKeyOfItsOwn() throws {
    let server = try start {
      $0.tls = HTTPServerTLS(certificateChain: Self.rsaCertificate, privateKey: Self.rsaKey)
    }
    defer { server.stop(drainSeconds: 1) }
    let client = try TLSClient(port: server.port, "NORMAL:-VERS-ALL:+VERS-TLS1.2:-RSA")
    #expect(client.answer(to: "/x").hasPrefix("HTTP/1.1 200 "))
    #expect(throws: TLSClient.CannotShakeHands.self) {
      try TLSClient(port: server.port, "NORMAL:-VERS-ALL:+VERS-TLS1.2:-KX-ALL:+RSA")
    }
  }

  @Test func refusalsArrive() throws {
    let server = try start { $0.maximumBodySize = 1000 }
    defer { server.stop(drainSeconds: 1) }
    let status = try curl(
      "-o", "/dev/null", "-w", "%{http_code}", "-X", "POST", "-d",
      String(repeating: "a", count: 2000), "https://localhost:\(server.port)/x")
    #expect(status == "413")
  }

  /// The server does not take all of it, and says so.
  @Test func whoFloodsGetsTheAnswer() throws {
    let server = try start { $0.maximumBodySize = 1000 }
    defer { server.stop(drainSeconds: 1) }
    let flood = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try Data(repeating: 0x61, count: 3 << 20).write(to: flood)
    defer { try? FileManager.default.removeItem(at: flood) }
    let answer = try curl(
      "-i", "-H", "Expect:", "-H", "Transfer-Encoding: chunked", "--data-binary", "@\(flood.path)",
      "https://localhost:\(server.port)/x")
    #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer)")
    #expect(answer.contains("--max-body-mib"))
    #expect(server.statistics.refusalCount(.contentTooLarge) == 1)
  }

  @Test(arguments: ["", "\u{16}\u{3}\u{1}", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"])
  func whoDoesNotShakeHandsIsCutOff(start beginning: String) throws {
    let server = try start { $0.requestTimeoutSeconds = 1 }
    defer { server.stop(drainSeconds: 1) }
    let client = RawClient(port: server.port)
    client.send(beginning)
    #expect(!client.receiveAll().contains("HTTP"))
    waitUntil { server.statistics.connectionCount == 0 }
    #expect(server.statistics.connectionCount == 0)
  }

  @Test func whoIsTooManyIsClosed() throws {
    let server = try start { $0.maximumConnectionCount = 0 }
    defer { server.stop(drainSeconds: 1) }
    #expect(RawClient(port: server.port).receiveAll() == "")
    #expect(server.statistics.refusedCount == 1)
  }

  @Test(
    arguments: [
      ("", key, "certificate, --tls-cert", "No certificate"),
      (certificate, "", "key, --tls-key", "not available"),
      ("nonsense", "nonsense", "certificate, --tls-cert", "No certificate"),
      (key, certificate, "certificate, --tls-cert", "No certificate"),
      (certificate, certificate, "key, --tls-key", "not available"),
      (certificate, rsaKey, "certificate and its key, --tls-cert and --tls-key", "do not match"),
    ])
  func aBadCertificateIsSaid(certificate: String, key: String, which: String, fault: String) {
    let error = #expect(throws: HTTPServerError.self) {
      try HTTPServer(
        configuration: HTTPServerConfiguration(
          tls: HTTPServerTLS(certificateChain: certificate, privateKey: key)),
        handler: EchoHandler())
    }
    let text = error?.description ?? ""
    #expect(text.hasPrefix("cannot use the TLS \(which): "), "\(text)")
    #expect(text.contains(fault), "\(text)")
  }
}

/// A connection that says over TLS exactly what a test wants, when it wants it.
@safe final class TLSClient {
  struct CannotShakeHands: Error {}

  private let connection: RawClient
  private var session: gnutls_session_t?
  private var credentials: gnutls_certificate_credentials_t?

  /// Connects and shakes hands with whoever is there, in one of the ways that GnuTLS calls so; if it is to be in
  /// pieces, a few bytes at a time.
  init(
    port: UInt16, _ priorities: String = "NORMAL", receiveBuffer: Int32? = nil,
    isInPieces: Bool = false
  ) throws {
    connection = RawClient(port: port, receiveBuffer: receiveBuffer, segment: nil)
    // Safe: both are made here, used by this object alone, and freed with it.
    unsafe gnutls_certificate_allocate_credentials(&credentials)
    unsafe gnutls_init(&session, UInt32(GNUTLS_CLIENT.rawValue | GNUTLS_NO_SIGNAL.rawValue))
    // Ways that this GnuTLS does not know are none that the server refuses.
    let isKnown = unsafe gnutls_priority_set_direct(session, priorities, nil) == GNUTLS_E_SUCCESS
    try #require(isKnown)
    unsafe gnutls_credentials_set(
      session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
    unsafe gnutls_transport_set_int2(session, connection.descriptor, connection.descriptor)
    if isInPieces {
      // Safe: what GnuTLS hands over is the descriptor that it was given, and as many bytes as it says.
      unsafe gnutls_transport_set_push_function(session) { descriptor, bytes, count in
        usleep(5000)
        return unsafe Glibc.send(
          Int32(truncatingIfNeeded: Int(bitPattern: descriptor)), bytes, min(count, 40),
          Int32(MSG_NOSIGNAL))
      }
    }
    guard unsafe gnutls_handshake(session) == GNUTLS_E_SUCCESS else { throw CannotShakeHands() }
  }

  deinit {
    unsafe gnutls_deinit(session)
    unsafe gnutls_certificate_free_credentials(credentials)
  }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    // Safe: the bytes are there for the length of the call, with their count.
    _ = unsafe gnutls_record_send(session, bytes, bytes.count)
  }

  /// Asks for a target, and takes all of a short answer: the body comes in a record of its own.
  func answer(to target: String) -> String {
    send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
    let header = receive()
    return header.hasSuffix("\r\n\r\n") ? header + receive() : header
  }

  /// Has others from now on, as TLS 1.3 lets a client at any time.
  func changeKeys() {
    let hasAsked = unsafe gnutls_session_key_update(session, 0) == GNUTLS_E_SUCCESS
    #expect(hasAsked)
  }

  /// What comes next, all in one piece if it is short.
  func receive() -> String {
    var bytes = [UInt8](repeating: 0, count: 1 << 12)
    let count = receive(into: &bytes)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// Takes what comes next, a record at most.
  ///
  /// - Returns: How many bytes; none or fewer if nothing comes any more.
  func receiveCount() -> Int {
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    return receive(into: &bytes)
  }

  private func receive(into bytes: inout [UInt8]) -> Int {
    var count = Int(GNUTLS_E_AGAIN)
    // Tickets come first, and are not for us; what never comes is not waited for again and again.
    for _ in 0..<3 where count == Int(GNUTLS_E_AGAIN) {
      count = unsafe gnutls_record_recv(session, &bytes, bytes.count)
    }
    return count
  }
}
