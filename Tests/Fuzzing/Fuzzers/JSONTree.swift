/// JSON in the making: a tree that can be damaged before it is written.
indirect enum JSONTree {
  case members([JSONMember])
  case array([JSONTree])
  /// Any text as it is, number or not.
  case raw(String)
  case string(String)
  /// An array of one thing many times.
  case repeated(JSONTree, Int)

  static func object(_ members: [(name: String, value: JSONTree)]) -> JSONTree {
    .members(members.map { JSONMember(name: $0.name, value: $0.value) })
  }

  /// The members of an object.
  var object: [(name: String, value: JSONTree)]? {
    if case .members(let members) = self { members.map { ($0.name, $0.value) } } else { nil }
  }

  static func number(_ value: Int) -> JSONTree { .raw(String(value)) }

  /// How it is written.
  var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .members(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        text += (index == 0 ? "\"" : ",\"") + member.name + "\":"
        member.value.write(to: &text)
      }
      text += "}"
    case .array(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += "," }
        element.write(to: &text)
      }
      text += "]"
    case .raw(let raw): text += raw
    case .string(let string): text += "\"\(string)\""
    case .repeated(let element, let count):
      let element = element.text
      text += "["
      for index in 0..<count { text += index == 0 ? element : "," + element }
      text += "]"
    }
  }

  /// The same with one thing wrong, somewhere.
  func damaged(by input: inout FuzzInput) -> JSONTree {
    switch self {
    case .members(var members):
      if members.isEmpty || input.oneIn(3) { return .damage(members, &input) }
      let place = input.below(members.count)
      members[place].value = members[place].value.damaged(by: &input)
      return .members(members)
    case .array(var elements):
      if elements.isEmpty || input.oneIn(4) { return .damage(elements, &input) }
      let place = input.below(elements.count)
      elements[place] = elements[place].damaged(by: &input)
      return .array(elements)
    case .raw, .string, .repeated: return .strange(&input)
    }
  }

  private static func damage(
    _ members: [JSONMember], _ input: inout FuzzInput
  ) -> JSONTree {
    var members = members
    guard !members.isEmpty else { return .object([("nope", .strange(&input))]) }
    let place = input.below(members.count)
    switch input.below(6) {
    case 0: members.remove(at: place)
    case 1: members.append(members[place])
    case 2: members[place].name = input.pick(["Count", "", "sizes", "x", "\\u0000", "kind", "é"])
    case 3: members[place].value = .strange(&input)
    case 4:
      let name = input.pick(["count", "nope", "sizes"])
      members.insert(JSONMember(name: name, value: .strange(&input)), at: place)
    default: return .array(members.map(\.value))
    }
    return .members(members)
  }

  private static func damage(_ elements: [JSONTree], _ input: inout FuzzInput) -> JSONTree {
    var elements = elements
    guard !elements.isEmpty else { return .array([.strange(&input)]) }
    let place = input.below(elements.count)
    switch input.below(5) {
    case 0: elements.remove(at: place)
    case 1: elements.append(elements[place])
    case 2: return .repeated(elements[place], input.pick([2, 3, 20, 300, 3000]))
    case 3: elements.insert(.strange(&input), at: place)
    default: return .object([("0", elements[place])])
    }
    return .array(elements)
  }

  /// What is expected nowhere.
  private static func strange(_ input: inout FuzzInput) -> JSONTree {
    switch input.below(8) {
    case 0: .raw(input.pick(["null", "true", "false", "\"\"", "[]", "{}", "", "tru", "\"1\""]))
    case 1: .repeated(.raw("[["), 20)
    case 2: .object([("x", .raw("1")), ("x", .raw("1"))])
    default: .raw(input.pick(Numbers.hostile))
    }
  }
}

/// A member of an object.
struct JSONMember {
  var name: String
  var value: JSONTree
}
