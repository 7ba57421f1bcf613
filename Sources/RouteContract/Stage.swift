/// How far a route has moved from its legacy entry to its migrated one.
///
/// Stored, never inferred from traffic. The raw values are the words of the wire and of the database.
public enum Stage: String, CaseIterable, Codable, Comparable, Hashable, Sendable {
    /// Every new journey gets legacy.
    case notStarted
    /// Legacy; named overrides may see migrated.
    case compatible
    /// The current step of the ladder decides.
    case partialRollout
    /// Migrated, except for a declared holdout.
    case defaultNew
    /// Migrated only; legacy is no longer assignable but still compiled.
    case oldDisabled
    /// Migrated only; newer builds no longer contain legacy.
    case oldDeleted

    /// Earlier stages come first.
    public static func < (left: Stage, right: Stage) -> Bool { left.position < right.position }

    /// The stage that `advance` leads to, or nil at the last.
    public var next: Stage? { Stage.allCases.first { $0.position == position + 1 } }

    /// The stage that `retreat` leads to, or nil at the first.
    public var previous: Stage? { Stage.allCases.first { $0.position == position - 1 } }

    private var position: Int {
        switch self {
        case .notStarted: 0
        case .compatible: 1
        case .partialRollout: 2
        case .defaultNew: 3
        case .oldDisabled: 4
        case .oldDeleted: 5
        }
    }
}

/// What stands beside the stage: exactly one of these at any time.
public enum RouteStatus: String, CaseIterable, Codable, Hashable, Sendable {
    /// Moves are allowed when their gates pass.
    case active
    /// The ladder is frozen and its shares stay as they are.
    case held
    /// Every new journey gets legacy wherever the build has it.
    case rolledBack
    /// Deliberately legacy, with an owner and a review date.
    case island
}
