/// Which of a route's two entries opens it.
public enum Renderer: String, CaseIterable, Codable, Hashable, Sendable {
    /// The old entry (UIKit).
    case legacy
    /// The new entry (SwiftUI).
    case migrated

    /// The one that this is not.
    public var other: Renderer { self == .legacy ? .migrated : .legacy }
}

/// The renderers of a route that are compiled into a build.
public struct RendererSet: OptionSet, Hashable, Sendable {
    /// Legacy alone.
    public static let legacy = RendererSet(rawValue: 1)
    /// Migrated alone.
    public static let migrated = RendererSet(rawValue: 2)
    /// What a build has while a route is being moved.
    public static let both: RendererSet = [.legacy, .migrated]

    /// Bit 0 is legacy, bit 1 is migrated; every other bit is dropped, so that equal sets are equal values.
    public let rawValue: UInt8

    /// The set with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 3 }

    /// The set of just this one.
    public init(_ renderer: Renderer) { self = renderer == .legacy ? .legacy : .migrated }

    /// The set of all that are listed, in any order.
    public init(_ renderers: some Sequence<Renderer>) {
        self = renderers.reduce(into: []) { $0.formUnion(RendererSet($1)) }
    }

    /// Whether the build can open this renderer.
    public func contains(_ renderer: Renderer) -> Bool { contains(RendererSet(renderer)) }

    /// The renderer of a set of exactly one, else nil.
    public var only: Renderer? {
        switch self {
        case .legacy: .legacy
        case .migrated: .migrated
        default: nil
        }
    }
}
