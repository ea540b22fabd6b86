import Testing

@testable import RedisStore

/// URLs.
struct AddressTests {
  private static func network(
    _ host: String, _ port: UInt16 = 6379
  ) -> RedisAddress.Endpoint { .network(host: host, port: port) }

  @Test(
    arguments: [
      ("redis://localhost", network("localhost"), nil, nil, 0, "redis://localhost:6379/0"),
      ("REDIS://h:1/", network("h", 1), nil, nil, 0, "redis://h:1/0"),
      ("redis://h:65535/15", network("h", 65_535), nil, nil, 15, "redis://h:65535/15"),
      ("redis://:p@h/2", network("h"), nil, "p", 2, "redis://h:6379/2"),
      ("redis://u:p@h:7/2", network("h", 7), "u", "p", 2, "redis://h:7/2"),
      ("redis://u%40:p%3a%2F%25@h", network("h"), "u@", "p:/%", 0, "redis://h:6379/0"),
      ("redis://u:p@q:r@h", network("h"), "u", "p@q:r", 0, "redis://h:6379/0"),
      ("redis://[::1]", network("::1"), nil, nil, 0, "redis://[::1]:6379/0"),
      (
        "redis://u:p@[fe80::1%25eth0]:7", network("fe80::1%eth0", 7), "u", "p", 0,
        "redis://[fe80::1%eth0]:7/0"
      ),
      (
        "redis+unix:///run/r.sock", .socket(path: "/run/r.sock"), nil, nil, 0,
        "redis+unix:///run/r.sock?db=0"
      ),
      ("unix:///r%20s?db=3", .socket(path: "/r s"), nil, nil, 3, "redis+unix:///r s?db=3"),
      ("redis+unix://:p@/r", .socket(path: "/r"), nil, "p", 0, "redis+unix:///r?db=0"),
      ("unix://u:p@/r?db=0", .socket(path: "/r"), "u", "p", 0, "redis+unix:///r?db=0"),
    ] as [(String, RedisAddress.Endpoint, String?, String?, Int, String)])
  func itIsRead(
    url: String, endpoint: RedisAddress.Endpoint, user: String?, password: String?, database: Int,
    description: String
  ) throws {
    let address = try RedisAddress(url: url)
    #expect(address.endpoint == endpoint)
    #expect(address.credentials?.user == user.map(bytes))
    #expect(address.credentials?.password == password.map(bytes))
    #expect(address.database == database)
    #expect("\(address)" == description)
  }

  private static let refused: [(url: String, words: String)] = [
    ("", "begins with redis://"), ("h:6379", "begins with redis://"),
    ("secret@h", "begins with redis://"), ("http://secret@h", "begins with redis://"),
    ("redis:/h", "begins with redis://"), ("rediss://:secret@h", "no TLS"),
    ("redis://", "has a host"), ("redis://:secret@", "has a host"), ("redis:///0", "has a host"),
    ("redis://secret@h", "[user]:password"), ("redis://u:@h", "[user]:password"),
    ("redis://@h", "[user]:password"), ("redis://h:", "the port"), ("redis://h:0", "the port"),
    ("redis://h:65536", "the port"), ("redis://h:+1", "the port"), ("redis://h:1x", "the port"),
    ("redis://h:99999999999999999999", "the port"), ("redis://u:secret/x@h", "/ and : are"),
    ("redis://::1", "more colons"), ("redis://[::1", "brackets"), ("redis://[::1]x", "brackets"),
    ("redis://h/x", "the database"), ("redis://h/-1", "the database"),
    ("redis://h/1/2", "the database"),
    ("redis://h/99999999999", "the database"), ("redis://h?db=1", "no query"),
    ("redis://:secret?@h", "no query"), ("redis://:secret#@h", "no fragment"),
    ("redis://:secret%@h", "follow a %"), ("redis://:secret%4@h", "follow a %"),
    ("redis://:secret%zz@h", "follow a %"), ("redis://:secret @h", "percent-encoded"),
    ("redis://:sécret@h", "percent-encoded"), ("redis://h%00", "not UTF-8"),
    ("redis://h%ff", "not UTF-8"), ("redis+unix://run/r.sock", "no host"),
    ("redis://:secret/x@h/0", "/ and : are"), ("redis://u:12/secret@h", "/ and : are"),
    ("redis+unix://:sec/ret@/r", "/ and : are"), ("redis+unix://run", "has a path"),
    ("unix:///", "from 2 to 107"),
    ("unix:///" + String(repeating: "x", count: 107), "from 2 to 107"),
    ("unix:///r?database=1", "is db="), ("unix:///r?db=", "the database"),
    ("unix:///r?db=1&x=2", "the database"), ("unix:///r%00", "not UTF-8"),
  ]

  @Test(arguments: refused)
  func itIsRefused(url: String, words: String) {
    do {
      _ = try RedisAddress(url: url)
      Issue.record("\(url) is no address")
    } catch {
      #expect(error.message.contains(words), "\(url): \(error)")
      #expect(!error.message.contains("secret"))
    }
  }
}
