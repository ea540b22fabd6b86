/// A document with numbers that simdjson refuses, written so that it takes them.
///
/// It refuses whole numbers of more than 64 bits, which only are larger than most may be, and numbers that
/// no double is large enough for, without saying where they are.
struct JSONHugeNumbers {
  /// The document, with ``JSONSkeleton/padding`` behind it.
  private(set) var text: [UInt8] = []
  /// Which of the document's numbers is the first that is not finite.
  ///
  /// There is a 0 in its place, and in that of others after it: the document is refused, and only its
  /// structure still counts.
  private(set) var firstInfinite: Int?

  /// The least whole number beyond 64 bits has so many digits.
  private static let minimumDigitCount = 19

  /// Looks through a document; nil if nothing in it is huge.
  ///
  /// - Parameter body: The document; what is not well formed stays so, or is refused all the same.
  /// - Complexity: O(n).
  init?(in body: Span<UInt8>) {
    /// Up to here the document is in the text.
    var done = 0
    var count = 0
    body.forEachNumber { range in
      let number = body.extracting(range)
      if number.mayBeInfinite, firstInfinite != nil || number.isInfinite {
        firstInfinite = firstInfinite ?? count
        text.append(body.extracting(done..<range.lowerBound))
        text.append(UInt8(ascii: "0"))
        done = range.upperBound
      } else if number.count >= Self.minimumDigitCount, number.isWhole {
        text.append(body.extracting(done..<range.upperBound))
        text.append(contentsOf: ".0".utf8)
        done = range.upperBound
      }
      count += 1
      return true
    }
    guard done > 0 else { return nil }
    text.append(body.extracting(done..<body.count))
    text.appendPadding()
  }

  /// The document without what is behind it.
  var document: Span<UInt8> {
    @_lifetime(borrow self)
    get { text.span.extracting(droppingLast: JSONSkeleton.padding) }
  }
}

private let minus = UInt8(ascii: "-")

extension Span<UInt8> {
  /// Visits what is written like a number in JSON, in order; what is in strings is not.
  ///
  /// - Parameter body: Called with where each is; returns whether to go on.
  func forEachNumber(_ body: (Range<Int>) -> Bool) {
    var place = 0
    while place < count {
      let byte = self[place]
      if byte == UInt8(ascii: "\"") {
        place = endOfString(at: place)
      } else if byte == minus || byte.isDigit {
        let end = endOfScalar(at: place)
        guard body(place..<end) else { return }
        place = end
      } else {
        place += 1
      }
    }
  }

  /// Whether a number's text is of digits and signs only.
  fileprivate var isWhole: Bool { indices.allSatisfy { self[$0] == minus || self[$0].isDigit } }

  /// Whether a number's text has an exponent, or more digits than any double.
  fileprivate var mayBeInfinite: Bool {
    count > 308 || indices.contains { self[$0] | 0x20 == UInt8(ascii: "e") }
  }

  /// Whether a number's text means more than a double can be.
  fileprivate var isInfinite: Bool { Double(string)?.isInfinite ?? false }
}
