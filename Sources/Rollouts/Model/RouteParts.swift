import FlagEvaluation

/// The payload schema and the outcomes of a route, as a feature team registered them.
public struct RegisteredContract: Hashable, Sendable {
    public var schemaVersion: Int64
    /// Field name to type name of the route's payload; empty for a route without payload.
    public var payload: JSONObject
    /// Names of the outcomes; at least one.
    public var outcomes: [String]

    public init(schemaVersion: Int64, payload: JSONObject, outcomes: [String]) {
        self.schemaVersion = schemaVersion
        self.payload = payload
        self.outcomes = outcomes
    }
}

/// One way into a route.
public struct EntryPoint: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        case deepLink, notification, restoration, inApp
    }
    public var kind: Kind
    /// The link pattern, the notification's name, or the calling screen.
    public var source: String

    public init(kind: Kind, source: String) {
        self.kind = kind
        self.source = source
    }
}

/// When the legacy entry is to be deleted, and who does it.
public struct Deletion: Hashable, Sendable {
    /// `YYYY-MM-DD`.
    public var date: String
    public var owner: String

    public init(date: String, owner: String) {
        self.date = date
        self.owner = owner
    }
}

/// A deliberate, owned, bounded end state in which the route stays legacy.
public struct Island: Hashable, Sendable {
    public var owner: String
    public var reason: String
    /// `YYYY-MM-DD`.
    public var reviewDate: String

    public init(owner: String, reason: String, reviewDate: String) {
        self.owner = owner
        self.reason = reason
        self.reviewDate = reviewDate
    }
}

/// The ladder inside `partialRollout`.
public struct RolloutPlan: Hashable, Sendable {
    public struct Step: Hashable, Sendable {
        /// The cohort that the step adds; nil means everybody.
        public var cohort: String?
        /// Of 100 000.
        public var share: Int

        public init(cohort: String?, share: Int) {
            self.cohort = cohort
            self.share = share
        }
    }
    /// At least one. A later step never takes away what an earlier one gave.
    public var steps: [Step]

    public init(steps: [Step]) { self.steps = steps }
}
