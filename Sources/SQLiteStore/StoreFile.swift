import Glibc
import LayoutSessions

/// The file before SQLite opens it, which may change files by opening them.
struct StoreFile {
  /// Its whole name without links, so that who comes by another name meets the same lock; and so
  /// that SQLite takes it for nothing but a name: it would take `file:…` for a URI.
  let path: String

  /// Finds a file, or makes an empty one that nobody else can read.
  ///
  /// - Parameter path: The file.
  /// - Throws: ``StoreError`` with the path and what is wrong.
  init(path: String) throws(StoreError) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw StoreError(.unavailable, "a file needs a name")
    }
    // Not opened if it is there: closing it would end the locks that another store in this process
    // has on it. That is how POSIX wants it.
    var status = stat()
    // Safe: the structure is there for the length of the call.
    if unsafe stat(path, &status) != 0 {
      guard errno == ENOENT else { throw .system(path, "cannot be reached", errno) }
      let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw .system(path, "cannot be made", errno) }
      close(descriptor)
    } else {
      switch status.st_mode & S_IFMT {
      case S_IFREG: break
      case S_IFDIR: throw StoreError(.unavailable, "\(path) is a directory")
      default: throw StoreError(.unavailable, "\(path) is not a file")
      }
    }
    // Safe: the name comes from malloc, is copied at once, and is freed here.
    guard let resolved = unsafe realpath(path, nil) else {
      throw .system(path, "cannot be reached", errno)
    }
    self.path = unsafe String(cString: resolved)
    unsafe free(resolved)
  }

  /// Which file there is at a name.
  struct Identity: Equatable {
    private let device: dev_t
    private let number: ino_t

    /// That of the file at a name; nil if it cannot be reached.
    init?(path: String) {
      var status = Glibc.stat()
      // Safe: the structure is there for the length of the call.
      guard unsafe stat(path, &status) == 0 else { return nil }
      (device, number) = (status.st_dev, status.st_ino)
    }
  }

  /// Whether there is something in it, which is a store of this format; the lock is held.
  ///
  /// What SQLite has still to mend after a crash is left to it: a file of which nothing but zeros
  /// has arrived on the disk. ``Schema`` looks again when that is done.
  ///
  /// - Returns: Which file it is.
  /// - Throws: ``StoreError`` if it is something else, or must not be changed.
  func check() throws(StoreError) -> Identity {
    try checkContents()
    // Now: a system of files in layers may have made another one of it when it was opened to be written.
    guard let identity = Identity(path: path) else {
      throw .system(path, "cannot be reached", errno)
    }
    return identity
  }

  private func checkContents() throws(StoreError) {
    let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(path, "cannot be written", errno) }
    defer { close(descriptor) }
    var header = [UInt8](repeating: 0, count: StoreFile.headerSize)
    // Safe: the header is there for the length of the call, with its size.
    let count = unsafe pread(descriptor, &header, header.count, 0)
    guard count >= 0 else { throw .system(path, "cannot be read", errno) }
    guard header.contains(where: { $0 != 0 }) else { return }
    guard count == header.count, header.starts(with: StoreFile.magic) else {
      throw StoreError(.unreadable, "\(path) is not an SQLite database")
    }
    func number(at place: Int) -> Int64 {
      Int64(header[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    try Schema.check(application: number(at: 68), format: number(at: 60), of: path)
  }

  /// The beginning of every database; see "The Database Header" in SQLite's file format.
  private static let magic = Array("SQLite format 3\0".utf8)
  private static let headerSize = 100
}

/// Keeps other processes from a file, as long as it lives.
///
/// The system lets go of it when the process ends, however it ends. It is a file of its own,
/// because SQLite's own locks on the file come and go, and because it must be had before the file
/// is touched.
final class ProcessLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock; does not wait for it.
  ///
  /// - Parameter path: The file that it is for; the lock's has `.lock` at the end.
  /// - Throws: ``StoreError`` if somebody has it.
  init(path: String) throws(StoreError) {
    let name = path + ".lock"
    descriptor = unsafe open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(name, "cannot be opened", errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      guard errno == EWOULDBLOCK else { throw .system(name, "cannot be locked", errno) }
      throw StoreError(.unavailable, "another process uses \(path)")
    }
  }

  deinit {
    guard descriptor >= 0 else { return }
    // Closing alone lets go of it only when no copy of the descriptor is left, and a process that
    // is just being started has one until it has got as far as `exec`.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
