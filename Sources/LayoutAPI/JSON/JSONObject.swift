/// A JSON object whose members are all known and none of which occurs twice.
///
/// Its members are found in one pass when it is made; after that each is an index away.
///
///     let object = try JSONObject<ScrollMember>(value)
///     let offset = try object.required(.contentOffset).point()
///     let full = try object[.full]?.bool() ?? false
struct JSONObject<Member: JSONName>: ~Escapable {
  /// The object itself, for refusals that concern it as a whole.
  let value: JSONValue

  /// Which members it has.
  let members: JSONMemberSet<Member>

  // The tape index of each member's value; meaningful where `members` has the member.
  private var places: InlineArray<64, UInt32>

  /// Finds the members.
  ///
  /// - Parameters:
  ///   - value: What should be an object.
  ///   - allowed: The members that it may have.
  /// - Throws: ``JSONError``: not an object, an unknown member, a duplicate key, in document order.
  @_lifetime(copy value)
  init(_ value: JSONValue, allowed: JSONMemberSet<Member> = .all) throws(JSONError) {
    let document = value.document
    guard document.tag(at: value.index) == .object else {
      throw value.wrongType(expected: Self.expected(allowed))
    }
    let names = Member.names
    let end = document.index(after: value.index) - 1
    var bits: UInt64 = 0
    var places = InlineArray<64, UInt32>(repeating: 0)
    var key = value.index + 1
    var hint = 0
    while key < end {
      guard let slot = names.index(of: document.text(at: key), from: hint),
        allowed.bits >> UInt64(slot) & 1 == 1
      else { throw Self.unknown(value.at(key), allowed) }
      let bit: UInt64 = 1 << UInt64(slot)
      if bits & bit != 0 {
        throw value.at(key).error(.duplicateKey(names.texts[slot]))
      }
      bits |= bit
      // A tape has fewer than 2^32 words: a container's payload has 32 bits for its end.
      places[slot] = UInt32(truncatingIfNeeded: key + 1)
      key = document.index(after: key + 1)
      // Clients mostly keep an order.
      hint = slot + 1
    }
    self.value = value
    self.members = JSONMemberSet(bits: bits)
    self.places = places
  }

  /// The value of a member, nil where it is left out.
  @inline(__always)
  subscript(member: Member) -> JSONValue? {
    @_lifetime(copy self)
    get {
      guard members.contains(member) else { return nil }
      return value.at(Int(places[member.rawValue]))
    }
  }

  /// The value of a member that must be there.
  ///
  /// - Throws: ``JSONError`` that names the member and points to the object.
  @inline(__always)
  @_lifetime(copy self)
  func required(_ member: Member) throws(JSONError) -> JSONValue {
    guard members.contains(member) else {
      throw value.error(.missingMember(Member.names.texts[member.rawValue]))
    }
    return value.at(Int(places[member.rawValue]))
  }

  /// The names of members.
  private static func names(_ allowed: JSONMemberSet<Member>) -> [String] {
    Member.allCases.filter(allowed.contains).map { Member.names.texts[$0.rawValue] }
  }

  /// What should be there, with its members where they are few.
  private static func expected(_ allowed: JSONMemberSet<Member>) -> String {
    let known = names(allowed)
    return 1...6 ~= known.count ? "an object {\(known.joined(separator: ","))}" : "an object"
  }

  private static func unknown(_ key: JSONValue, _ allowed: JSONMemberSet<Member>) -> JSONError {
    let known = names(allowed)
    let name = key.document.text(at: key.index).name
    return key.error(
      .unknownMember(name, nearest: nearestName(to: name, among: known), known: known))
  }
}

/// A set of members; at most 64 can exist.
struct JSONMemberSet<Member: JSONName>: ExpressibleByArrayLiteral, Equatable, Sendable {
  fileprivate let bits: UInt64

  fileprivate init(bits: UInt64) { self.bits = bits }

  init(arrayLiteral members: Member...) {
    bits = members.reduce(0) { $0 | 1 << UInt64($1.rawValue) }
  }

  /// All members that the enumeration has.
  static var all: Self { Self(bits: .max) }

  /// Whether the set has no member.
  var isEmpty: Bool { bits == 0 }

  /// How many members the set has, if it is not ``all``.
  var count: Int { bits.nonzeroBitCount }

  @inline(__always)
  func contains(_ member: Member) -> Bool { bits >> UInt64(member.rawValue) & 1 == 1 }

  func intersection(_ other: Self) -> Self { Self(bits: bits & other.bits) }
}

extension JSONDocument {
  /// The refusal of the first object that has a key twice; nil if there is none, or the document is so
  /// long that nobody wrote it by hand and a client could have much looked through.
  ///
  /// - Complexity: O(n); for refusals only.
  var duplicateKey: JSONError? {
    guard wordCount <= 1 << 20 else { return nil }
    var place = 1
    while place < wordCount {
      if tag(at: place) == .object, count(at: place) > 1,
        let duplicate = duplicateKey(ofObjectAt: place)
      {
        return duplicate
      }
      place = index(into: place)
    }
    return nil
  }

  /// The refusal of a key that an object has before; nil if there is none.
  ///
  /// - Complexity: O(n) in what is in the object.
  func duplicateKey(ofObjectAt place: Int) -> JSONError? {
    var seen: Set<[UInt8]> = []
    let end = index(after: place) - 1
    var key = place + 1
    while key < end {
      var bytes: [UInt8] = []
      text(at: key).append(to: &bytes)
      if !seen.insert(bytes).inserted {
        return JSONValue(self, key).error(.duplicateKey(text(at: key).name))
      }
      key = index(after: key + 1)
    }
    return nil
  }
}

extension JSONText {
  /// A key, for a refusal.
  fileprivate var name: String { count <= 256 ? string : "a key of \(count) bytes" }
}
