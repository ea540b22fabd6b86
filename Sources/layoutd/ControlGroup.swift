/// The control group of this process: what a container, or a unit of systemd, may use.
enum ControlGroup {
  /// So many bytes of memory it may use; nil if there is no limit that it could see.
  static var memoryLimit: Int? {
    memoryLimit(ofGroup: text(ofProcess: "cgroup"), under: "/sys/fs/cgroup")
  }

  /// So many bytes of memory a control group, and those that it is part of, may use.
  ///
  /// - Parameters:
  ///   - membership: What `/proc/self/cgroup` says.
  ///   - root: Where the tree of groups is.
  /// - Returns: The least limit, of version 2 or version 1; nil if there is none.
  static func memoryLimit(ofGroup membership: String, under root: String) -> Int? {
    let texts =
      texts(ofFiles: "memory.max", ofGroup: membership, under: root)
      + texts(
        ofFiles: "memory.limit_in_bytes", ofGroup: membership, of: "memory",
        under: root + "/memory")
    // It may be "max".
    return texts.compactMap { Int($0.prefix { $0 != "\n" }) }.filter { $0 > 0 }.min()
  }

  /// What the files of one name say in a control group and those that it is part of.
  ///
  /// - Parameters:
  ///   - name: The name of the files.
  ///   - membership: What `/proc/self/cgroup` says.
  ///   - controller: Whose tree it is, of those of version 1; empty for that of version 2.
  ///   - root: Where the tree is.
  /// - Returns: The texts of those that are there.
  static func texts(
    ofFiles name: String, ofGroup membership: String, of controller: Substring = "",
    under root: String
  ) -> [String] {
    let lines = membership.split(separator: "\n").map {
      $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    }
    let line = lines.first { fields in
      fields.count == 3
        && fields[1].split(separator: ",", omittingEmptySubsequences: false).contains(controller)
    }
    guard let line else { return [] }
    var folders = line[2].split(separator: "/").map(String.init)
    var texts: [String] = []
    while true {
      // The root has none, unless it is that of a container.
      let file = ([root] + folders + [name]).joined(separator: "/")
      if let text = try? Configuration.text(ofFile: file) { texts.append(text) }
      if folders.popLast() == nil { return texts }
    }
  }

  /// What the system says of this process; empty if it does not.
  static func text(ofProcess name: String) -> String {
    (try? Configuration.text(ofFile: "/proc/self/" + name)) ?? ""
  }
}
