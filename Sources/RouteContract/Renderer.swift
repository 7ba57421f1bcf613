/// Which of a route's two entries opens it.
public enum Renderer: String, CaseIterable, Codable, Hashable, Sendable {
    /// The old entry (UIKit).
    case legacy
    /// The new entry (SwiftUI).
    case migrated

    /// The one that this is not.
    public var other: Renderer { self == .legacy ? .migrated : .legacy }
}
