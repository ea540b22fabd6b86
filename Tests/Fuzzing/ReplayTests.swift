import Foundation
import Testing

/// What the fuzzers found once, and some of what they reached: it is found no more.
struct ReplayTests {
  @Test(arguments: Fuzzer.allCases)
  func whatWasFoundIsMended(fuzzer: Fuzzer) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Corpus/\(fuzzer.rawValue)")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    #expect(!files.isEmpty)
    for file in files {
      let bytes = Array(try Data(contentsOf: file))
      #expect(throws: Never.self, "\(file.lastPathComponent)") { try fuzzer.run(bytes) }
    }
  }
}
