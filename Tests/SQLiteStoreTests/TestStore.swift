import CSQLite
import Glibc
import LayoutSessions
import SQLiteStore
import Synchronization

/// A folder that leaves with the test.
final class TemporaryFolder: Sendable {
  struct CannotBeMade: Error {}

  let path: String

  init() throws {
    var name = Array("/tmp/layoutd-sqlite-XXXXXX".utf8CString)
    // Safe: the name is there for the length of the call, and ends with a NUL.
    guard unsafe mkdtemp(&name) != nil else { throw CannotBeMade() }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in names { removeFile("\(path)/\(name)") }
    // Safe: the path is there for the length of the call.
    unsafe rmdir(path)
  }

  /// What is in it.
  var names: Set<String> {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(folder) }
    var found: Set<String> = []
    while let entry = unsafe readdir(folder) {
      // Safe: the entry is there until the next one is read, and its name ends with a NUL.
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
      }
      if name != ".", name != ".." { found.insert(name) }
    }
    return found
  }
}

/// This process's descriptors of a file.
func descriptors(of path: String) -> [CInt] {
  (CInt(0)..<4096).filter { descriptor in
    var name = [CChar](repeating: 0, count: 4096)
    // Safe: the name is there for the length of the call, with its size.
    let count = unsafe readlink("/proc/self/fd/\(descriptor)", &name, name.count)
    return count > 0 && name[..<count].map { UInt8(bitPattern: $0) } == Array(path.utf8)
  }
}

/// A clock that tests set.
final class TestClock: Sendable {
  private let time = Atomic<Int64>(1_000_000)

  var now: Int64 { time.load(ordering: .relaxed) }

  func advance(by milliseconds: Int64) { time.add(milliseconds, ordering: .relaxed) }
}

/// A file in a folder, a clock, and stores on them.
struct TestStore {
  let folder: TemporaryFolder
  let clock = TestClock()
  /// How far somebody has set the world's clock from the other one.
  let leap = TestClock()
  /// Milliseconds.
  static let timeToLive: Int64 = 80_000

  init() throws { folder = try TemporaryFolder() }

  var path: String { "\(folder.path)/sessions.db" }

  func open() throws(StoreError) -> SQLiteStore {
    try SQLiteStore(
      path: path, timeToLive: .milliseconds(TestStore.timeToLive),
      now: { [clock, leap] in clock.now + leap.now }, steady: { [clock] in clock.now })
  }
}

/// Another program that has the file open; of one thread.
@safe final class OtherProgram {
  // SQLite's connection: made in init, closed in deinit.
  private let handle: OpaquePointer

  init?(_ path: String) {
    var opened: OpaquePointer?
    // Safe: the path is there for the length of the call.
    let code = unsafe sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE, nil)
    guard code == SQLITE_OK, let opened = unsafe opened else { return nil }
    unsafe handle = opened
  }

  deinit {
    // Safe: opened in init.
    unsafe sqlite3_close_v2(handle)
  }

  /// Whether something is done.
  func execute(_ text: String) -> Bool {
    // Safe: the connection lives, and the text is there for the length of the call.
    unsafe sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK
  }
}

/// A name that no other session has.
func newID() -> SessionID {
  var generator = SystemRandomNumberGenerator()
  return SessionID(using: &generator)
}

/// A record that tells itself from others.
func record(_ text: String, count: Int = 0) -> [UInt8] {
  let bytes = Array(text.utf8)
  return bytes + [UInt8](repeating: bytes.last ?? 7, count: max(0, count - bytes.count))
}

/// The bytes of a file; none if it cannot be read.
func readFile(_ path: String) -> [UInt8] {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return [] }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var part = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    // Safe: the part is there for the length of the call, with its size.
    let count = unsafe read(descriptor, &part, part.count)
    guard count > 0 else { return bytes }
    bytes += part[..<count]
  }
}

/// Makes a file of some bytes, or overwrites some bytes of one.
@discardableResult
func writeFile(_ path: String, _ bytes: [UInt8], at place: Int = 0) -> Bool {
  let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  // Safe: the bytes are there for the length of the call.
  return unsafe pwrite(descriptor, bytes, bytes.count, place) == bytes.count
}

/// Removes a file, if it is there.
func removeFile(_ path: String) {
  // Safe: the path is there for the length of the call.
  unsafe unlink(path)
}

/// Sets who may do what with a file or folder.
func setMode(_ path: String, _ mode: mode_t) {
  // Safe: the path is there for the length of the call.
  unsafe chmod(path, mode)
}

/// Runs something on threads of its own, which may wait as long as they like.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  var threads: [pthread_t] = []
  for number in 0..<count {
    var thread = pthread_t()
    let work = unsafe Unmanaged.passRetained(Work { body(number) })
    // Safe: the thread takes over what was retained.
    let failure = unsafe pthread_create(
      &thread, nil,
      { context in
        if let context = unsafe context {
          unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
        }
        return nil
      }, work.toOpaque())
    precondition(failure == 0, "no thread")
    threads.append(thread)
  }
  for thread in threads { pthread_join(thread, nil) }
}

private final class Work: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
