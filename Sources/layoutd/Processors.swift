import Glibc

/// The processors that this process may use.
enum Processors {
  /// Those of the machine that affinity leaves it (`taskset`, a cpuset), or as many as its control group's quota
  /// comes to (a container's limit), rounded up; at least 1.
  static let count: Int = {
    let allowed =
      allowedCount(ControlGroup.text(ofProcess: "status"))
      ?? Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    let group = ControlGroup.text(ofProcess: "cgroup")
    return max(1, min(allowed, quota(ofGroup: group, under: "/sys/fs/cgroup") ?? .max))
  }()

  /// How many processors affinity leaves, from what `/proc/self/status` says; nil if it does not.
  static func allowedCount(_ status: String) -> Int? {
    let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
    // A bit each, in hexadecimal digits with commas.
    return line?.drop { $0 != ":" }.reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) }
  }

  /// As many processors as a control group of version 2, and those that it is part of, may use at a time.
  ///
  /// - Parameters:
  ///   - membership: What `/proc/self/cgroup` says.
  ///   - root: Where the tree of groups is.
  /// - Returns: The least quota, rounded up; nil if there is none.
  static func quota(ofGroup membership: String, under root: String) -> Int? {
    let texts = ControlGroup.texts(ofFiles: "cpu.max", ofGroup: membership, under: root)
    return texts.compactMap { text in
      let numbers = text.split(whereSeparator: \.isWhitespace).map { Int($0) }
      // In microseconds; the first may be "max".
      guard numbers.count == 2, let quota = numbers[0], let period = numbers[1], quota > 0,
        period > 0
      else { return nil }
      return (quota - 1) / period + 1
    }.min()
  }
}
