/// Whose a session is: nobody else can see it.
public struct SessionOwner: Hashable, Sendable {
  /// A number that no other owner has in this process.
  public let number: Int
  /// A name that no other owner has in any.
  public let name: String

  /// Whoever comes without a name.
  public static let anonymous = SessionOwner(number: 0, name: "")

  /// Names an owner.
  ///
  /// - Parameters:
  ///   - number: A number that no other owner has in this process.
  ///   - name: A name that no other owner has in any.
  public init(number: Int, name: String) {
    self.number = number
    self.name = name
  }

  /// Whether both are one.
  public static func == (left: SessionOwner, right: SessionOwner) -> Bool {
    left.number == right.number
  }

  /// By number, like equality.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
