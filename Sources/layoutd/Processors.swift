import Glibc

/// The processors that this process may use.
enum Processors {
  /// Those of the machine that affinity leaves it (`taskset`, a cpuset), or as many as its control group's quota
  /// comes to (a container's limit), rounded up; at least 1.
  static let count: Int = {
    func text(_ name: String) -> String {
      (try? Configuration.text(ofFile: "/proc/self/" + name)) ?? ""
    }
    let allowed = allowedCount(text("status")) ?? Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    return max(1, min(allowed, quota(ofGroup: text("cgroup"), under: "/sys/fs/cgroup") ?? .max))
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
    let lines = membership.split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("0::/") }) else { return nil }
    var folders = line.dropFirst(4).split(separator: "/").map(String.init)
    var least: Int?
    while true {
      // The root has none, unless it is that of a container.
      let file = ([root] + folders + ["cpu.max"]).joined(separator: "/")
      if let text = try? Configuration.text(ofFile: file) {
        let numbers = text.split(whereSeparator: \.isWhitespace).map { Int($0) }
        // In microseconds; the first may be "max".
        if numbers.count == 2, let quota = numbers[0], let period = numbers[1], quota > 0,
          period > 0
        {
          let count = (quota - 1) / period + 1
          least = min(least ?? count, count)
        }
      }
      if folders.popLast() == nil { return least }
    }
  }
}
