import LayoutCore
import LayoutSessions

/// Makes a session's document of what a store has: changes one after the other.
///
/// The layout of a few updates is made of the one before; everything else is laid out once, at the end.
struct Replay {
  private var description: Description
  private var names = CollectedNames()
  /// The layout so far; nil if there is none for what the description has become.
  private var layout: PreparedLayout?

  /// Begins with a description.
  init(_ description: Description) { self.description = description }

  /// Begins with what is in memory.
  ///
  /// - Parameters:
  ///   - document: What is in memory.
  ///   - changeCount: How many changes will follow.
  init(_ document: Session.Document, changeCount: Int) {
    description = document.description
    names = document.names
    layout = changeCount <= Replay.stepCount ? document.layout : nil
  }

  /// After more changes all is laid out anew: a waterfall's layout after one may take as long.
  private static let stepCount = 4

  /// Applies a change.
  ///
  /// - Parameter change: A change that was accepted at this version.
  /// - Throws: ``StoredRecord/Unreadable`` if it does not fit.
  mutating func apply(_ change: StoredChange) throws(StoredRecord.Unreadable) {
    switch change {
    case .layout(let replacement):
      replacement.apply(to: &description)
      layout = nil
    case .viewport(let change):
      change.apply(to: &description)
      // What has to be laid out anew is, once, at the end.
      if let before = layout, before.isAsBroad(in: description.viewport, under: description.layout)
      {
        layout = try? PreparedLayout(
          resizing: before, of: description.content, layout: description.layout,
          to: description.viewport)
      } else {
        layout = nil
      }
    case .collection(let content):
      description.content = content
      names = CollectedNames()
      layout = nil
    case .updates(let batch):
      let updated: UpdatedContent
      do throws(UpdateRefusal) {
        updated = try batch.applied(to: description.content, names: names)
      } catch {
        throw StoredRecord.Unreadable(reason: "it does not fit what was before: \(error.reason)")
      }
      if let before = layout {
        // Where that cannot be laid out, the end says so.
        layout = try? PreparedLayout(updating: before, to: updated, layout: description.layout)
      }
      description.content = updated.content
      names = CollectedNames(updated.names)
    }
  }

  /// What has become of it.
  ///
  /// - Throws: ``StoredRecord/Unreadable`` if it cannot be laid out.
  func document() throws(StoredRecord.Unreadable) -> Session.Document {
    if let layout {
      return Session.Document(description: description, layout: layout, names: names)
    }
    do throws(LayoutError) {
      let layout = try PreparedLayout(
        description.content, layout: description.layout, viewport: description.viewport,
        limitsWork: false)
      return Session.Document(description: description, layout: layout, names: names)
    } catch {
      throw StoredRecord.Unreadable(reason: "it cannot be laid out: \(Problem(error).detail)")
    }
  }
}
