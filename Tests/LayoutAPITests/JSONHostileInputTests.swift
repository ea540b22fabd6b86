import Testing

@testable import LayoutAPI

private enum BodyMember: Int, JSONName {
  case size, point, rect, insets, sizes, lengths, ratios, ids, path, sections
  static let names = JSONNames(of: Self.self)
}

/// Reads all of a body that has a member for each reader.
private func readAll(_ value: JSONValue) throws(JSONError) {
  let object = try JSONObject<BodyMember>(value)
  _ = try object[.size]?.size()
  _ = try object[.point]?.point()
  _ = try object[.rect]?.rect()
  _ = try object[.insets]?.insets()
  _ = try object[.sizes]?.sizes(maximumCount: 4)
  _ = try object[.lengths]?.lengths(maximumCount: 4)
  _ = try object[.ratios]?.aspectRatios(maximumCount: 4)
  _ = try object[.ids]?.strings(maximumCount: 4, maximumLength: 8)
  _ = try object[.path]?.integerPair(in: 0...1_000_000_000_000)
  guard var sections = try object[.sections]?.array(maximumCount: 4) else { return }
  while let section = sections.next() { try readAll(section) }
}

struct JSONHostileInputTests {
  /// With its type said: without, the compiler takes seconds for it.
  private static let refused: [(text: String, status: Int, pointer: String)] = [
    // Objects
    ("[]", 422, ""), ("null", 422, ""), ("3", 422, ""),
    (#"{"nope":1}"#, 422, "/nope"), (#"{"a/b~c":1}"#, 422, "/a~1b~0c"), (#"{"":1}"#, 422, "/"),
    (#"{"size":null}"#, 422, "/size"), (#"{"size":[1,2]}"#, 422, "/size"),
    (#"{"size":{"width":1}}"#, 422, "/size"),
    (#"{"size":{"width":1,"height":"2"}}"#, 422, "/size/height"),
    (#"{"size":{"width":-1,"height":2}}"#, 422, "/size/width"),
    (#"{"size":{"width":1,"height":2,"depth":3}}"#, 422, "/size/depth"),
    (#"{"size":{"width":1,"width":2}}"#, 400, "/size/width"),
    (#"{"size":{"width":1e10,"height":2}}"#, 422, "/size/width"),
    (#"{"point":{"x":1}}"#, 422, "/point"), (#"{"point":{"x":1,"y":1e13}}"#, 422, "/point/y"),
    (#"{"rect":{"x":0,"y":0,"width":1}}"#, 422, "/rect"),
    (#"{"rect":{"x":0,"y":0,"width":1,"height":-1}}"#, 422, "/rect/height"),
    (#"{"insets":{"top":null}}"#, 422, "/insets/top"),
    (#"{"insets":{"middle":0}}"#, 422, "/insets/middle"),
    // Arrays
    (#"{"sizes":{}}"#, 422, "/sizes"), (#"{"sizes":[1,2]}"#, 422, "/sizes/0"),
    (#"{"sizes":[[1,2],[]]}"#, 422, "/sizes/1"), (#"{"sizes":[[1,2,3]]}"#, 422, "/sizes/0"),
    (#"{"sizes":[[1,2],[1]]}"#, 422, "/sizes/1"),
    (#"{"sizes":[[1,2],[1,-2]]}"#, 422, "/sizes/1/1"),
    (#"{"sizes":[[1,2],["1",2]]}"#, 422, "/sizes/1/0"),
    (#"{"sizes":[[[],1]]}"#, 422, "/sizes/0/0"), (#"{"sizes":[[1,[2]]]}"#, 422, "/sizes/0/1"),
    (#"{"sizes":[[1,null]]}"#, 422, "/sizes/0/1"),
    (#"{"sizes":[[5000,1],[1,true]]}"#, 422, "/sizes/1/1"),
    (#"{"sizes":[[{"a":1},{"a":1}]]}"#, 422, "/sizes/0/0"),
    (#"{"sizes":[[1,2],[1,2],[1,2],[1,2],[1,2]]}"#, 422, "/sizes"),
    (#"{"lengths":[1,2,"3"]}"#, 422, "/lengths/2"), (#"{"lengths":[9999,[]]}"#, 422, "/lengths/1"),
    (#"{"lengths":[1,2,3,4,5]}"#, 422, "/lengths"), (#"{"lengths":[-1]}"#, 422, "/lengths/0"),
    (#"{"lengths":"1"}"#, 422, "/lengths"),
    (#"{"ratios":[1,0]}"#, 422, "/ratios/1"), (#"{"ratios":[-0.5]}"#, 422, "/ratios/0"),
    (#"{"ratios":[1e-400]}"#, 422, "/ratios/0"), (#"{"ratios":[null]}"#, 422, "/ratios/0"),
    (#"{"ratios":[1e999]}"#, 400, ""), (#"{"ratios":[Infinity]}"#, 400, ""),
    (#"{"ids":["a",1]}"#, 422, "/ids/1"), (#"{"ids":["a",["b"]]}"#, 422, "/ids/1"),
    (#"{"ids":["123456789"]}"#, 422, "/ids/0"), (#"{"ids":["a","b","c","d","e"]}"#, 422, "/ids"),
    (#"{"path":[1]}"#, 422, "/path"), (#"{"path":[1,2,3]}"#, 422, "/path"),
    (#"{"path":[1,-1]}"#, 422, "/path/1"), (#"{"path":[0.5,1]}"#, 422, "/path/0"),
    (#"{"path":["a","b"]}"#, 422, "/path/0"),
    // Deep inside
    (#"{"sections":[{},{"sizes":[[1,2],[3,"4"]]}]}"#, 422, "/sections/1/sizes/1/1"),
    (#"{"sections":[{},{"ids":[],"ids":[]}]}"#, 400, "/sections/1/ids"),
    (#"{"sections":[{"nope":{"a":1,"a":2}}]}"#, 422, "/sections/0/nope"),
    (#"{"sections":[{},{},{},{},{}]}"#, 422, "/sections"),
    (#"{"sections":[[]]}"#, 422, "/sections/0"),
    // Unreadable
    ("", 400, ""), ("{\"size\":", 400, ""), ("{}{}", 400, ""), ("{\"size\":+1}", 400, ""),
    ("{\"size\":.5}", 400, ""), ("{\"size\":0x10}", 400, ""), ("{size:1}", 400, ""),
    (String(repeating: "{\"sections\":[", count: 40), 400, ""),
  ]

  @Test(arguments: refused)
  func isRefusedWithItsPlace(text: String, status: Int, pointer: String) {
    let error = #expect(throws: JSONError.self) { try reading(text, readAll) }
    #expect(error?.category == (status == 400 ? .unreadable : .invalid))
    #expect(error?.pointer == pointer)
    #expect(error?.detail.isEmpty == false)
  }

  /// What simdjson refuses without a place.
  @Test(arguments: [
    (#"{"ratios":[1e999]}"#, 400, "/ratios/0"),
    (#"{"point":{"x":0,"y":18446744073709551616}}"#, 422, "/point/y"),
    (#"{"path":[1,-9223372036854775809]}"#, 422, "/path/1"),
    (#"{"sizes":[[1,2],[3,1e400]]}"#, 400, "/sizes/1/1"),
    (#"{"sizes":[[-1,2],[-1e400,1e400]]}"#, 400, "/sizes/1/0"),
    (#"{"ids":["1e999\\ \" 1e999"],"lengths":[1,1e999]}"#, 400, "/lengths/1"),
    ("{\"lengths\":[1\(String(repeating: "0", count: 400))]}", 400, "/lengths/0"),
    ("{\"lengths\":[1\(String(repeating: "0", count: 300))]}", 422, "/lengths/0"),
    (#"{"lengths":[1e999,01]}"#, 400, ""), (#"{"lengths":[1e999}"#, 400, ""), ("1e999", 400, ""),
  ])
  func aHugeNumberIsRefusedWithItsPlace(text: String, status: Int, pointer: String) {
    let error = #expect(throws: JSONError.self) {
      var parser = JSONParser()
      try parser.read(Array(text.utf8).span, readAll)
    }
    #expect(error?.category == (status == 400 ? .unreadable : .invalid))
    #expect(error?.pointer == pointer)
  }

  /// A ratio may be as large as a double.
  @Test func wholeNumbersBeyondSixtyFourBitsAreRead() throws {
    let text = #"{"ratios":[18446744073709551616,1,36893488147419103232.0,9223372036854775807]}"#
    var parser = JSONParser()
    let ratios = try parser.read(Array(text.utf8).span) { (value) throws(JSONError) in
      try JSONObject<BodyMember>(value).required(.ratios).aspectRatios(maximumCount: 4)
    }
    #expect(ratios.runs == [[0x1p64, 1, 0x1p65, 0x1p63]])
  }

  /// Also where long arrays are read piece by piece, and by what is behind them.
  @Test func inALongDocumentTooAHugeNumberHasItsPlace() throws {
    let ones = String(repeating: "1,", count: 600_000)
    for (text, pointer) in [
      ("{\"lengths\":[\(ones)1e999,2]}", "/lengths/600000"),
      ("{\"ratios\":[\(ones)1],\"path\":[0,1e999]}", "/path/1"),
    ] {
      let error = #expect(throws: JSONError.self) {
        var parser = JSONParser()
        try parser.read(Array(text.utf8).span, readAll)
      }
      #expect(error == JSONError(.badNumber, at: pointer))
    }
  }

  @Test func aPartialSizeNamesWhatIsMissing() {
    let error = #expect(throws: JSONError.self) {
      try reading(#"{"size":{"width":1}}"#, readAll)
    }
    #expect(error?.reason == .missingMember("height"))
  }

  @Test func damagedBodiesNeverDoMoreThanThrow() {
    let body = Array(
      (#"{"size":{"width":1.5,"height":2},"sizes":[[1,2],[5000,3]],"#
        + #""ids":["a","\u00e9"],"path":[0,1],"sections":[{"insets":{"top":1}}]}"#).utf8)
    var generator = SeededGenerator(seed: 7)
    let alphabet = Array("{}[]\",:0123456789.-+eE\\u tfn\u{0}".utf8) + [0xFF, 0xC3]
    var refused = 0
    for _ in 0..<20_000 {
      var damaged = body
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<damaged.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: damaged[place] = alphabet.randomElement(using: &generator) ?? 0
        case 1: damaged.remove(at: place)
        default: damaged.insert(alphabet.randomElement(using: &generator) ?? 0, at: place)
        }
      }
      do { try reading(damaged, readAll) } catch { refused += 1 }
    }
    #expect(refused > 10_000)
  }
}
