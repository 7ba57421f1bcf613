/// The renderer that a journey gets for one route, and why.
public struct Choice: Codable, Hashable, Sendable {
    /// What opens the route.
    public let renderer: Renderer
    /// What decided.
    public let reason: ChoiceReason

    /// A choice as it was made, or as it was stored.
    public init(renderer: Renderer, reason: ChoiceReason) {
        self.renderer = renderer
        self.reason = reason
    }
}

/// Why a journey got its renderer.
///
/// The raw values are the words of the wire, of the database and of `docs/choice-table.json`. A released one never
/// changes its meaning.
public enum ChoiceReason: String, CaseIterable, Codable, Hashable, Sendable {
    /// The journey was given this renderer before.
    case pinned
    /// The journey was pinned to a renderer that this build does not contain.
    case pinnedRendererUnavailable
    /// The last process died in the migrated renderer, so the resumed journey gets legacy.
    case crashLoopBreaker
    /// The build contains no other.
    case onlyRendererInBuild
    /// There is no snapshot: the app's bundled default, else legacy.
    case offlineDefault
    /// The snapshot is older than the staleness limit, and the route is not yet migrated by default.
    case staleSnapshot
    /// The route is rolled back, for everybody or for this build or OS.
    case rolledBack
    /// The route is deliberately legacy.
    case island
    /// The unit is named in an override.
    case override
    /// The stage leaves no choice.
    case stage
    /// The unit is in a cohort of the ladder.
    case cohort
    /// The unit's bucket is below, or above, the share.
    case share
    /// The unit is kept on legacy as long-term control.
    case holdout
}

/// What ``choose(_:)`` says.
public enum ChoiceResult: Hashable, Sendable {
    /// The journey opens, or goes on, with this choice.
    case open(Choice)
    /// The route was aborted: the journey ends with ``OutcomeStatus/interrupted``.
    case end

    /// The choice, or nil when the journey ends.
    public var choice: Choice? {
        switch self {
        case .open(let choice): choice
        case .end: nil
        }
    }
}
