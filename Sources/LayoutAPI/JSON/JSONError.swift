/// Why a body is refused, and where.
struct JSONError: Error, Equatable {
  /// What is wrong.
  let reason: Reason

  /// The place, as a JSON pointer (RFC 6901); empty where the whole document is meant.
  let pointer: String

  init(_ reason: Reason, at pointer: String = "") {
    self.reason = reason
    self.pointer = pointer
  }

  enum Reason: Equatable {
    // Unreadable: 400.
    case empty
    case malformed
    case tooDeep(limit: Int)
    case badUTF8
    case badNumber
    case duplicateKey(String)

    // Readable but wrong: 422.
    case wrongType(expected: String, found: String)
    case unknownMember(String, nearest: String?, known: [String])
    case missingMember(String)
    case unknownName(String, nearest: String?, known: [String])
    case outOfRange(expected: String, found: String)
    case wrongCount(expected: String, found: Int)
    case tooManyElements(limit: Int)
    case tooLongText(limit: Int)
    case rule(String)

    // Nothing wrong with the text, but it cannot be taken.
    case tooLong
    case outOfMemory
  }

  /// What a refusal means for the status of the answer.
  enum Category {
    /// 400: not JSON as this service reads it.
    case unreadable
    /// 422: readable but wrong.
    case invalid
    /// 413: longer than a parser can take.
    case tooLarge
    /// 503: there was no memory for it.
    case exhausted
  }

  var category: Category {
    switch reason {
    case .empty, .malformed, .tooDeep, .badUTF8, .badNumber, .duplicateKey: .unreadable
    case .wrongType, .unknownMember, .missingMember, .unknownName, .outOfRange, .wrongCount,
      .tooManyElements, .tooLongText, .rule:
      .invalid
    case .tooLong: .tooLarge
    case .outOfMemory: .exhausted
    }
  }

  /// One sentence for the client.
  var detail: String {
    switch reason {
    case .empty: "the body is empty"
    case .malformed: "the body is not well-formed JSON"
    case .tooDeep(let limit): "more than \(limit) arrays and objects inside each other"
    case .badUTF8: "the body is not valid UTF-8"
    case .badNumber: "a number is malformed, too large or not finite"
    case .duplicateKey(let name): "the member \(quoted(name)) occurs twice"
    case .wrongType(let expected, let found): "expected \(expected), found \(found)"
    case .unknownMember(let name, let nearest, let known):
      "unknown member \(quoted(name))" + suggestion(nearest, among: known)
    case .missingMember(let name): "the member \(quoted(name)) is missing"
    case .unknownName(let name, let nearest, let known):
      "unknown name \(quoted(name))" + suggestion(nearest, among: known)
    case .outOfRange(let expected, let found): "expected \(expected), found \(found)"
    case .wrongCount(let expected, let found): "expected \(expected), found \(found) elements"
    case .tooManyElements(let limit): "more than \(limit) elements"
    case .tooLongText(let limit): "text longer than \(limit) bytes"
    case .rule(let text): text
    case .tooLong: "the body is too long for the parser"
    case .outOfMemory: "there is no memory to read the body"
    }
  }
}

/// A client's text between quotes, cut where it is long.
private func quoted(_ text: String) -> String {
  text.utf8.count <= 80 ? "\"\(text)\"" : "\"\(text.prefix(60))…\""
}

/// What an unknown name may have been meant to be: one of those that are known, or else all of them.
func suggestion(_ nearest: String?, among known: [String] = []) -> String {
  if let nearest { return "; did you mean \(quoted(nearest))?" }
  return known.isEmpty ? "" : "; known: \(known.joined(separator: ", "))"
}
