import FlagEvaluation

/// An ordinary flag, as it came in.
public struct StoredFlag: Hashable, Sendable {
    public let key: String
    /// The flag's object in flagd's format, member for member.
    public var definition: JSONObject
    /// What the compiler warned about when it was written.
    public var warnings: [FlagWarning]

    public init(key: String, definition: JSONObject, warnings: [FlagWarning] = []) {
        self.key = key
        self.definition = definition
        self.warnings = warnings
    }
}

/// A named, reusable targeting rule: one of the environment's `$evaluators`.
public struct Cohort: Hashable, Sendable {
    public let key: String
    public var rule: JSONValue

    public init(key: String, rule: JSONValue) {
        self.key = key
        self.rule = rule
    }
}

/// An access key. The secret itself is never stored.
public struct AccessKey: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// Publishable: OFREP and journeys of an app.
        case app
        /// The same from a server of one's own.
        case server
        case admin
    }
    /// What the holder of an admin key may do.
    public enum Role: String, CaseIterable, Sendable {
        /// Reads everything but the audit.
        case viewer
        /// Reads everything, the audit included.
        case auditor
        /// Changes flags, cohorts, flows, routes and builds.
        case editor
        /// Does what an editor does; will approve what others ask for.
        case approver
        /// Everything, keys and forced moves included.
        case admin
    }
    public let id: String
    public let kind: Kind
    /// Only with `kind == .admin`.
    public let role: Role?
    /// A person or a program.
    public let holder: String
    /// SHA-256 of the key's whole text, lower-case hexadecimal.
    public let hash: String
    /// Milliseconds since 1970, as all times here.
    public let createdAt: Int64
    public var expiresAt: Int64?
    public var revokedAt: Int64?

    public init(
        id: String, kind: Kind, role: Role?, holder: String, hash: String, createdAt: Int64, expiresAt: Int64? = nil,
        revokedAt: Int64? = nil
    ) {
        self.id = id
        self.kind = kind
        self.role = role
        self.holder = holder
        self.hash = hash
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
    }
}
