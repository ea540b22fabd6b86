import LayoutCore
import Testing

@testable import LayoutAPI

struct QueryParametersTests {
  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("12", 12_000_000), ("-1.5", -1_500_000), ("0.000001", 1),
      ("0.0000004", 0), ("0.0000005", 1), ("0.9999995", 1_000_000), ("-0.0000005", -1),
      ("1.23456749", 1_234_567), ("1e3", 1_000_000_000), ("1.5E-2", 15_000), ("2e+1", 20_000_000),
      ("9223372036854.775807", .max), ("99999999999999999999", .max),
    ] as [(String, Int64)])
  func readsNumbers(text: String, millionths: Int64) {
    #expect(Length(decimal: text.utf8Span.span) == Length(millionths: millionths))
  }

  @Test(
    arguments: [
      "", "-", ".", "1.", ".5", "01", "-01", "00", "+1", "1e", "1e+", "1ee1", "1e1.5", "1 ", " 1",
      "0x1", "nan", "1e999", "--1", "1.2.3", "1e1x",
    ])
  func refusesWhatIsNoNumber(text: String) {
    #expect(Length(decimal: text.utf8Span.span) == nil)
  }

  @Test(arguments: QueryName.allCases)
  func findsEachByItsName(name: QueryName) throws {
    #expect("\(name)" == name.text.description)
    let query = Array("\(name)=1".utf8)
    let parameters = try QueryParameters(query.span, known: QueryName.allCases)
    for other in QueryName.allCases {
      #expect(parameters.text(other) == (other == name ? "1" : nil))
    }
  }

  @Test func readsWhatIsEncodedAsIfItWereNot() throws {
    let query = Array("%78=1%2E5&format=c%6Flumns&y=2".utf8)
    let parameters = try QueryParameters(query.span, known: [.x, .y, .width, .format])
    #expect(try parameters.coordinate(.x) == Length(millionths: 1_500_000))
    #expect(try parameters.coordinate(.y) == 2)
    #expect(try parameters.coordinate(.width) == nil)
    #expect(parameters.text(.format) == "columns")
    #expect(parameters.has(.format) && !parameters.has(.width))
  }

  @Test(
    arguments: [
      ("x=1&%78=2", "query parameter \"x\" is given twice"),
      ("xs=1", "unknown query parameter \"xs\"; did you mean \"x\"?"),
      ("zebra=1", "unknown query parameter \"zebra\"; known: x, y"),
      ("x=%zz", "the query is not percent-encoded UTF-8"),
      ("x=%FF", "the query is not percent-encoded UTF-8"),
      ("%=1", "the query is not percent-encoded UTF-8"),
    ])
  func saysWhatIsWrong(query: String, detail: String) {
    do throws(Failure) {
      _ = try QueryParameters(query.utf8Span.span, known: [.x, .y])
      Issue.record("\(query) is taken")
    } catch {
      #expect(error.problem(nil).detail == detail)
    }
  }
}
