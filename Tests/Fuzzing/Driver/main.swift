import CFuzzing
import Glibc

// layoutd's fuzzers under libFuzzer: `Fuzzers NAME [libFuzzer's own arguments]`; see Tests/Fuzzing/run.

/// Which one runs; set before the first execution.
private nonisolated(unsafe) var fuzzer = Fuzzer.requests

/// One execution; a finding ends the process, so that libFuzzer keeps the input.
private func execute(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // Safe: libFuzzer lends the bytes for the length of the call.
  let copy = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
  do throws(Finding) { try unsafe fuzzer.run(copy) } catch { fatalError("finding: \(error)") }
  return 0
}

// libFuzzer starts the program again to merge corpora, with its own arguments only.
private let variable = "LAYOUTD_FUZZER"
private let given = CommandLine.arguments.dropFirst().first.flatMap(Fuzzer.init(rawValue:))
if let given { unsafe setenv(variable, given.rawValue, 1) }
// Safe: a string of the environment, copied at once.
private let kept = unsafe getenv(variable).flatMap { unsafe Fuzzer(rawValue: String(cString: $0)) }
guard let named = given ?? kept else {
  fatalError("usage: Fuzzers \(Fuzzer.allCases.map(\.rawValue).joined(separator: "|")) …")
}
unsafe fuzzer = named
// Without the name, which libFuzzer would take for a corpus; never freed.
var arguments =
  unsafe ([CommandLine.arguments[0]] + CommandLine.arguments.dropFirst(given == nil ? 1 : 2)).map {
    unsafe strdup($0)
  }
unsafe arguments.append(nil)
var count = CInt(unsafe arguments.count - 1)
// Safe: the buffer is used during the call only.
exit(
  unsafe arguments.withUnsafeMutableBufferPointer { buffer in
    var start = buffer.baseAddress
    return unsafe fuzzing_run(&count, &start, execute)
  })
